// SPDX-License-Identifier: MIT
/* memcgbench backends: what back ends there are. */
#include "backend/backend.h"
#include "cli/cli.h"
#include "report/table.h"
#include "report/wrap.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum {
	OPTION_FORMAT = 'f'
};

static const struct argp_option options[] = {
	{"format", OPTION_FORMAT, "FORMAT", 0, "table (default), json or tsv", 0},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	unsigned *format = state->input;

	switch (key) {
	case OPTION_FORMAT:
		*format = cli_format(state, arg, FORMAT_TABLE | FORMAT_JSON | FORMAT_TSV);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "unexpected argument '%s'", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.doc = "Lists the back ends: ways to keep and to read hierarchical memory statistics.\v"
	       "Exit codes: 0 fine; 2 trouble.",
};

static const char *updates(const struct backend *backend)
{
	return backend->capabilities & BACKEND_UPDATE ? "yes" : "no";
}

/* Is it a model of a kernel, or the running one? */
static const char *kind(const struct backend *backend)
{
	return backend->fixture ? "live" : "model";
}

/* The files it can read; NULL where memory is out. */
static json_t *files_json(const struct backend *backend)
{
	json_t *files = json_array();

	for (unsigned type = STAT_NUMA_V1; type <= STAT_MEMORY_V2; type++)
		if (backend_can_read(backend, &stat_formats[type]))
			json_array_append_new(files, json_string(stat_type_name(type)));
	return files;
}

/* The same in a word. */
static const char *files(const struct backend *backend)
{
	bool all = true;

	for (unsigned type = STAT_NUMA_V1; type <= STAT_MEMORY_V2; type++)
		all = all && backend_can_read(backend, &stat_formats[type]);
	if (all)
		return "all";
	return backend->files ? "some" : "numa_stat";
}

static int print_tsv(void)
{
	struct table *table = table_new();
	int ret;

	table_column(table, "name", ALIGN_LEFT);
	table_column(table, "updates", ALIGN_LEFT);
	table_column(table, "description", ALIGN_LEFT);
	table_column(table, "files", ALIGN_LEFT);
	table_column(table, "kind", ALIGN_LEFT);
	for (size_t i = 0; backends[i]; i++) {
		table_row(table);
		table_cell(table, "%s", backends[i]->name);
		table_cell(table, "%s", updates(backends[i]));
		table_cell(table, "%s", backends[i]->description);
		table_cell(table, "%s", files(backends[i]));
		table_cell(table, "%s", kind(backends[i]));
	}
	ret = table_print_tsv(table, stdout);
	table_free(table);
	return ret ? EXIT_TROUBLE : EXIT_FINE;
}

static void print_line(int width, const char *name, const char *what, const char *update,
		       const char *file, const char *text)
{
	char label[80];

	snprintf(label, sizeof(label), "%-*s  %-5s  %-7s  %-9s", width, name, what, update, file);
	wrap_print(stdout, (unsigned)width + 29, label, text);
}

/* Descriptions are sentences: they are wrapped, and not a column as wide as the longest. */
static int print_table(void)
{
	static const char title[] = "back end";
	int width = (int)strlen(title);

	for (size_t i = 0; backends[i]; i++)
		if ((int)strlen(backends[i]->name) > width)
			width = (int)strlen(backends[i]->name);
	print_line(width, title, "kind", "updates", "files", "what it does");
	for (size_t i = 0; backends[i]; i++)
		print_line(width, backends[i]->name, kind(backends[i]), updates(backends[i]),
			   files(backends[i]), backends[i]->description);
	return EXIT_FINE;
}

static int print_json(void)
{
	json_t *list = json_array();
	json_t *document = json_pack("{s:o}", "backends", list);
	int ret = document ? 0 : -1;

	for (size_t i = 0; !ret && backends[i]; i++)
		ret = json_array_append_new(
			list, json_pack("{s:s, s:s, s:s, s:b, s:o}", "name", backends[i]->name,
					"description", backends[i]->description, "kind",
					kind(backends[i]), "updates",
					!!(backends[i]->capabilities & BACKEND_UPDATE), "files",
					files_json(backends[i])));
	if (!ret)
		ret = json_dumpf(document, stdout, JSON_INDENT(2) | JSON_SORT_KEYS);
	json_decref(document);
	if (ret) {
		fputs("memcgbench: cannot print the back ends\n", stderr);
		return EXIT_TROUBLE;
	}
	putchar('\n');
	return EXIT_FINE;
}

int cmd_backends(int argc, char **argv)
{
	unsigned format = FORMAT_TABLE;

	if (argp_parse(&argp, argc, argv, 0, NULL, &format))
		return EXIT_TROUBLE;
	return cli_finish(format == FORMAT_JSON  ? print_json()
			  : format == FORMAT_TSV ? print_tsv()
						 : print_table());
}
