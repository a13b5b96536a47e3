// SPDX-License-Identifier: MIT
/* See bench_cases.h. */
#include "bench_cases.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static int add(struct bench_cases *cases, const struct gb_case *one, size_t size,
	       const char *format, va_list args)
{
	struct gb_case *grown;
	void *parameters;
	char *name;

	grown = realloc(cases->cases, (cases->nr + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	cases->cases = grown;
	parameters = malloc(size);
	if (!parameters)
		return -ENOMEM;
	memcpy(parameters, one->parameters, size);
	if (vasprintf(&name, format, args) < 0) {
		free(parameters);
		return -ENOMEM;
	}
	grown[cases->nr] = *one;
	grown[cases->nr].name = name;
	grown[cases->nr].parameters = parameters;
	cases->nr++;
	return 0;
}

void bench_cases_add(struct bench_cases *cases, const struct gb_case *one, size_t size,
		     const char *format, ...)
{
	va_list args;

	if (cases->error)
		return;
	va_start(args, format);
	cases->error = add(cases, one, size, format, args);
	va_end(args);
}

int bench_cases_main(struct bench_cases *cases, int argc, char **argv)
{
	int code = EXIT_TROUBLE;

	if (cases->error)
		fprintf(stderr, "%s: %s\n", argv[0], strerror(-cases->error));
	else
		code = gb_suite_main(argc, argv, cases->cases, cases->nr);
	for (unsigned i = 0; i < cases->nr; i++) {
		free((void *)cases->cases[i].name);
		free((void *)cases->cases[i].parameters);
	}
	free(cases->cases);
	return code;
}
