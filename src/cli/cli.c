// SPDX-License-Identifier: MIT
/* See cli.h. */
#include "cli/cli.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int cli_finish(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	fprintf(stderr, "memcgbench: cannot write to standard output: %s\n", strerror(errno));
	return EXIT_TROUBLE;
}

static const struct {
	const char *word;
	unsigned bit;
} formats[] = {{"table", FORMAT_TABLE}, {"json", FORMAT_JSON}, {"tsv", FORMAT_TSV}};

unsigned cli_formats(struct argp_state *state, const char *text, unsigned allowed)
{
	unsigned found = 0;

	while (*text) {
		size_t length = strcspn(text, ",");
		unsigned bit = 0;

		for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
			if (strlen(formats[i].word) == length &&
			    !strncmp(formats[i].word, text, length))
				bit = formats[i].bit & allowed;
		if (!bit)
			argp_error(state, "--format: '%.*s' is not one of%s%s%s", (int)length, text,
				   allowed & FORMAT_TABLE ? " table" : "",
				   allowed & FORMAT_JSON ? " json" : "",
				   allowed & FORMAT_TSV ? " tsv" : "");
		found |= bit;
		text += length;
		text += *text == ',';
	}
	if (!found)
		argp_error(state, "--format is empty");
	return found;
}
