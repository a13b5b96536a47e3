// SPDX-License-Identifier: MIT
/* Dispatches to the subcommands, and does nothing else. */
#include "cli/cli.h"

#include "base/error.h"
#include "base/nearest.h"
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "memcgbench " VERSION;

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help; /* NULL: not shown */
};

static const struct command commands[] = {
	{"aa", cmd_aa, "measure how much a scenario differs from itself"},
	{"backends", cmd_backends, "list the back ends"},
	{"capture", cmd_capture, "turn a running machine's tree of memcgs into a scenario"},
	{"check", cmd_check, "hold back ends against the exact oracle"},
	{"cleanup", cmd_cleanup, "remove cgroups that a killed run has left"},
	{"compare", cmd_compare, "hold a run against an earlier one"},
	{"export", cmd_export, "write results in the formats of other tools"},
	{"fleet", cmd_fleet, "work out what collectors cost, from measured sweeps"},
	{"history", cmd_history, "find where results changed over many runs"},
	{"measure", cmd_measure, NULL},
	{"parse", cmd_parse, "read a memory.numa_stat or memory.stat file"},
	{"plan", cmd_plan, "show what a scenario would measure, and what cannot run here"},
	{"report", cmd_report, "draw the charts of a run"},
	{"run", cmd_run, "measure scenarios"},
	{"topo", cmd_topo, "show this machine's NUMA nodes as memcgbench sees them"},
};

static void print_help(FILE *out)
{
	fputs("Usage: memcgbench COMMAND [OPTION...]\n"
	      "Measures what it costs to read hierarchical cgroup memory statistics.\n\n",
	      out);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (commands[i].help)
			fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].help);
	fputs("\n`memcgbench COMMAND --help` says more. Data goes to stdout, all else to stderr.\n"
	      "Exit codes: 0 fine, 1 negative verdict, 2 trouble, 3 not possible on this\n"
	      "machine.\n",
	      out);
}

static int usage_error(const char *format, const char *what)
{
	fputs("memcgbench: ", stderr);
	fprintf(stderr, format, what);
	fputs("\nTry `memcgbench --help' for more information.\n", stderr);
	return EXIT_TROUBLE;
}

static int unknown_command(const char *word)
{
	struct nearest nearest = {.word = word, .length = strlen(word)};
	char text[200];

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (commands[i].help)
			nearest_offer(&nearest, commands[i].name, strlen(commands[i].name));
	snprintf(text, sizeof(text), "'%.60s'%s%s%s", word, nearest.best ? ", did you mean '" : "",
		 nearest.best ? nearest.best : "", nearest.best ? "'?" : "");
	return usage_error("unknown command %s", text);
}

int main(int argc, char **argv)
{
	char name[64];

	/* Whoever started us may ignore it, as some daemons do: then the kernel reaps our children,
	 * and what became of them is lost. */
	signal(SIGCHLD, SIG_DFL);
	cli_settle();
	argp_err_exit_status = EXIT_TROUBLE;
	if (argc < 2)
		return usage_error("a command is missing%s", "");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?") || !strcmp(argv[1], "help")) {
		print_help(stdout);
		return cli_finish(EXIT_FINE);
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts(argp_program_version);
		return cli_finish(EXIT_FINE);
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		snprintf(name, sizeof(name), "memcgbench %s", commands[i].name);
		argv[1] = name;
		return commands[i].run(argc - 1, argv + 1);
	}
	if (argv[1][0] == '-')
		return usage_error("unknown option '%s'", argv[1]);
	return unknown_command(argv[1]);
}
