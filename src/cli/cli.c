// SPDX-License-Identifier: MIT
/* See cli.h. */
#include "cli/cli.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void cli_settle(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGXFSZ, SIG_IGN);
}

int cli_finish(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	fprintf(stderr, "memcgbench: cannot write to standard output: %s\n", strerror(errno));
	return EXIT_TROUBLE;
}

static const struct format {
	const char *word;
	unsigned bit;
} formats[] = {
	{"table", FORMAT_TABLE}, {"json", FORMAT_JSON}, {"tsv", FORMAT_TSV},
	{"svg", FORMAT_SVG},     {"png", FORMAT_PNG},   {"markdown", FORMAT_MARKDOWN},
	{"cover", FORMAT_COVER},
};
#define NR_FORMATS (sizeof(formats) / sizeof(formats[0]))

static void refuse_format(struct argp_state *state, const char *word, size_t length,
			  unsigned allowed)
{
	char list[64] = "";
	size_t used = 0;

	for (size_t i = 0; i < NR_FORMATS; i++)
		if (formats[i].bit & allowed)
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 used ? ", " : "", formats[i].word);
	argp_error(state, "--format: '%.*s' is not known (%s)", (int)length, word, list);
}

unsigned cli_formats(struct argp_state *state, const char *text, unsigned allowed)
{
	unsigned found = 0;

	for (;;) {
		size_t length = strcspn(text, ",");
		unsigned bit = 0;

		for (size_t i = 0; i < NR_FORMATS; i++)
			if (strlen(formats[i].word) == length &&
			    !strncmp(formats[i].word, text, length))
				bit = formats[i].bit & allowed;
		if (!bit)
			refuse_format(state, text, length, allowed);
		found |= bit;
		if (!text[length])
			return found;
		text += length + 1;
	}
}

unsigned cli_format(struct argp_state *state, const char *text, unsigned allowed)
{
	unsigned found = cli_formats(state, text, allowed);

	if (found & (found - 1))
		argp_error(state, "--format: '%s' is more than one (one at a time)", text);
	return found;
}

/* `first`: what is allowed besides, or "". */
static void refuse_metric(struct argp_state *state, const char *word, size_t length,
			  const char *first)
{
	char list[256];
	size_t used = (size_t)snprintf(list, sizeof(list), "%s", first);

	for (size_t i = 0; i < NR_METRICS && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", used ? ", " : "",
					 metrics[i].name);
	argp_error(state, "--metric: '%.*s' is not known (%s)", (int)length, word, list);
}

size_t cli_metrics(struct argp_state *state, const char *text,
		   const struct metric *list[NR_METRICS])
{
	bool all = !strcmp(text, "all");
	size_t nr = 0;

	for (size_t i = 0; all && i < NR_METRICS; i++)
		list[nr++] = &metrics[i];
	while (!all) {
		size_t length = strcspn(text, ","), k = 0;
		const struct metric *metric = metric_find(text, length);

		if (!metric)
			refuse_metric(state, text, length, "all");
		while (k < nr && list[k] != metric)
			k++;
		if (metric && k == nr)
			list[nr++] = metric;
		if (!text[length])
			break;
		text += length + 1;
	}
	return nr;
}

const struct metric *cli_metric(struct argp_state *state, const char *text)
{
	const struct metric *metric = metric_find(text, strlen(text));

	if (!metric)
		refuse_metric(state, text, strlen(text), "");
	return metric;
}

void cli_take_directory(struct argp_state *state, const char *what, const char *argument,
			const char **directory)
{
	if (*directory)
		argp_error(state, "one %s at a time, '%s' is too many", what, argument);
	*directory = argument;
}

void cli_need_directory(struct argp_state *state, const char *what, const char *directory)
{
	if (!directory)
		argp_error(state, "the directory of a %s is missing", what);
}

double cli_share(struct argp_state *state, const char *name, const char *text)
{
	const char *why = "";
	uint64_t ppm = 0;

	if (unit_parse(text, strlen(text), UNIT_SHARE, &ppm, &why))
		argp_error(state, "%s: '%s' is not possible (%s)", name, text, why);
	return (double)ppm / 1e6;
}
