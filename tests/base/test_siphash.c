// SPDX-License-Identifier: MIT
/* Values of SipHash's authors: of the bytes 0, 1, 2, ... under the key 0, 1, 2, ... 15. */
#include "base/siphash.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void values_are_those_of_the_authors(void **state)
{
	static const struct {
		size_t length;
		uint64_t hash;
	} vectors[] = {
		{0, 0x726fdb47dd0e0e31u}, {1, 0x74f839c593dc67fdu},  {7, 0xab0200f58b01d137u},
		{8, 0x93f5f5799a932462u}, {15, 0xa129ca6149be45e5u}, {63, 0x958a324ceb064572u},
	};
	unsigned char key[SIPHASH_KEY_BYTES], data[64];

	(void)state;
	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)i;
	for (unsigned i = 0; i < sizeof(key); i++)
		key[i] = (unsigned char)i;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		assert_true(siphash(key, data, vectors[i].length) == vectors[i].hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_those_of_the_authors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
