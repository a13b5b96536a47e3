// SPDX-License-Identifier: MIT
/*
 * See compare_cover_parts.h: how to do it again. A record knows its scenario's name and its points,
 * not the file or the command line: what a point has other than the defaults is given with --set,
 * as far as lists of values span the same points.
 */
#include "report/compare_cover_parts.h"
#include "report/compare_report.h"
#include "report/compare_side.h"
#include "report/compare_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SETTING_ROOM (COVER_COLUMNS - 6) /* beside the indent and the backslash */

/* Are the points all combinations of their values? Then lists say them. */
static bool is_product(const struct point_groups *groups)
{
	size_t product = 1;

	for (size_t i = 0; i < nr_parameters && product <= groups->nr_points; i++) {
		if (groups->varies[i])
			product *= point_groups_values(groups, &parameters[i], ",", NULL);
	}
	return product == groups->nr_points;
}

/* One more line of the command; the caller frees `*text`. */
static bool setting_text(const struct point_groups *groups, size_t parameter, char **text)
{
	const struct parameter *it = &parameters[parameter];
	bool list = groups->varies[parameter];
	size_t length;
	FILE *out = open_memstream(text, &length);

	if (!out)
		return false;
	fprintf(out, "--set '%s=%s", it->name, list ? "[" : "");
	point_groups_values(groups, it, ",", out);
	fprintf(out, "%s'", list ? "]" : "");
	return !fclose(out) && length <= SETTING_ROOM;
}

/* Returns how many parameters could not be said. */
static size_t print_settings(const struct point_groups *groups, FILE *out)
{
	bool product = is_product(groups);
	size_t untold = 0;

	for (size_t i = 0; i < nr_parameters; i++) {
		char *text = NULL;

		if (!groups->varies[i] && parameter_is_default(&parameters[i], groups->points[0]))
			continue;
		if ((!groups->varies[i] || product) && setting_text(groups, i, &text))
			fprintf(out, " \\\n    %s", text);
		else
			untold++;
		free(text);
	}
	return untold;
}

/* Names in lines that are short enough, "--backend walk,cached". */
static void print_backends(const struct compare_layout *layout, FILE *out)
{
	size_t length = strlen("--backend ");

	fputs(" \\\n    --backend ", out);
	for (size_t i = 0; i < layout->nr_names; i++) {
		size_t more = strlen(layout->names[i]) + 1;

		/* the shell joins what stands at the start of the next line */
		if (i && length + more > SETTING_ROOM) {
			fputs("\\\n", out);
			length = 0;
		}
		fprintf(out, "%s%s", layout->names[i], i + 1 < layout->nr_names ? "," : "");
		length += more;
	}
}

int cover_commands_print(const struct compare *compare, FILE *out)
{
	const struct compare_options *options = &compare->options;
	char effect[CHANGE_TEXT_MAX];
	struct compare_layout layout;
	size_t untold = 0;
	int r = compare_layout_init(&layout, compare);

	if (!r) {
		fputs("\nTo repeat, before (DIR is BASE) and after (NEW):\n\n", out);
		fprintf(out, "  memcgbench run %s.yaml --out DIR", compare->new->scenario);
		fprintf(out, " \\\n    --repetitions %u --seed %llu",
			side_repetitions(compare->new), (unsigned long long)compare->new->seed);
		print_backends(&layout, out);
		untold = print_settings(layout.groups, out);
		fprintf(out,
			"\n  memcgbench compare BASE NEW --metric %s \\\n    --min-effect %s "
			"--alpha %g --format cover\n",
			options->metric->name, share_text(effect, options->min_effect, "%"),
			options->alpha);
		if (untold)
			fprintf(out, "\n(%zu more parameter%s as the scenario's file says)\n",
				untold, untold == 1 ? " is" : "s are");
	}
	compare_layout_fini(&layout);
	return r;
}
