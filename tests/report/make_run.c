// SPDX-License-Identifier: MIT
/* make_run DIR KIND: write one of the runs of run_fixture.h, for tests of the program. */
#include "run_fixture.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	struct error err = {0};

	if (argc != 3 || run_fixture_write(argv[1], argv[2], &err)) {
		error_print(stderr, &err);
		return EXIT_TROUBLE;
	}
	return EXIT_FINE;
}
