/* SPDX-License-Identifier: MIT */
/* Subcommands: one file each, dispatched by main.c. Each returns an exit code (base/error.h). */
#ifndef MEMCGBENCH_CLI_CLI_H
#define MEMCGBENCH_CLI_CLI_H

#include "result/metric.h"

#include <argp.h>

/*
 * argv[0] is "memcgbench COMMAND". Each parses with argp (--help, --version, --usage; wrong usage
 * is exit code 2 by argp_err_exit_status).
 */
int cmd_aa(int argc, char **argv);
int cmd_backends(int argc, char **argv);
int cmd_capture(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_cleanup(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_fleet(int argc, char **argv);
int cmd_history(int argc, char **argv);
int cmd_measure(int argc, char **argv); /* hidden: the measuring child of run */
int cmd_parse(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_topo(int argc, char **argv);

/*
 * Undo what a parent may have left us with, before anything is opened: closed descriptors 0 to 2
 * (the next file opened would take their place and be written to as if it were the output),
 * SIGCHLD ignored (children could not be waited for), SIGXFSZ (a file size limit shall be an error
 * of write() that is said). Used of such a descriptor, stdin and stdout fail, as closed ones do.
 */
void cli_settle(void);

/* Flush stdout; a write error (a full disk, a closed pipe) turns `code` into EXIT_TROUBLE with a
 * message. Every command that prints ends with it. */
int cli_finish(int code);

/* --format words, separated by commas. Returns the bit set, or calls argp_error(). `allowed`: a bit
 * set, too. */
enum {
	FORMAT_TABLE = 1,
	FORMAT_JSON = 2,
	FORMAT_TSV = 4,
	FORMAT_SVG = 8,
	FORMAT_PNG = 16,
	FORMAT_MARKDOWN = 32,
	FORMAT_COVER = 64
};
unsigned cli_formats(struct argp_state *state, const char *text, unsigned allowed);
/* The same where only one makes sense. */
unsigned cli_format(struct argp_state *state, const char *text, unsigned allowed);

/* --metric words, separated by commas, or "all": each metric once, in the order given. Returns how
 * many, or calls argp_error(). */
size_t cli_metrics(struct argp_state *state, const char *text,
		   const struct metric *list[NR_METRICS]);

/* The same where only one makes sense. */
const struct metric *cli_metric(struct argp_state *state, const char *text);

/* The one directory that a command takes, of a `what`: a run or a history. Taken where argp meets
 * an argument, asked for at the end; a second one or none is wrong usage. */
void cli_take_directory(struct argp_state *state, const char *what, const char *argument,
			const char **directory);
void cli_need_directory(struct argp_state *state, const char *what, const char *directory);

/* The argument of the option `name`, "3%", as a share. Calls argp_error() where it is none. */
double cli_share(struct argp_state *state, const char *name, const char *text);

#endif
