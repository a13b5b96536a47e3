// SPDX-License-Identifier: MIT
/* `memcgbench cleanup`: remove the cgroups that runs which were killed have left. */
#include "cli/cli.h"

#include "base/error.h"
#include "kernel/own_cgroup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

enum {
	OPTION_MOUNTS = 256
};

struct cleanup_arguments {
	bool dry;
	const char *mounts;
};

static const struct argp_option options[] = {
	{"dry-run", 'n', NULL, 0, "only show what would be removed", 0},
	{"mounts", OPTION_MOUNTS, "FILE", 0,
	 "find the hierarchy in this table of mounts (default: " HIERARCHY_MOUNTS ")", 0},
	{0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct cleanup_arguments *arguments = state->input;

	switch (key) {
	case 'n':
		arguments->dry = true;
		return 0;
	case OPTION_MOUNTS:
		arguments->mounts = argument;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is one argument too many", argument);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = "Removes the cgroups of runs that were killed.\v"
	       "Each run makes its cgroups below one directory at the top of the memory hierarchy, "
	       "named with its pid, start time and boot id, and keeps a note of it in "
	       "/run/memcgbench. "
	       "A directory whose run lives is left alone; one without such a note is refused. The "
	       "next run removes what is "
	       "left by itself.\n\nExit codes: 0 fine; 2 trouble; 3 this machine has no memory "
	       "hierarchy.",
};

/* What came of it. */
struct outcome {
	bool dry;
	unsigned failed;
};

static void say(void *arg, const struct left_over *left)
{
	struct outcome *outcome = arg;
	char text[1200];

	switch (left->state) {
	case LEFT_REMOVED:
		if (outcome->dry)
			printf("%s: would be removed\n", left->name);
		else
			printf("%s: removed, %" PRIu64 " cgroups\n", left->name, left->cgroups);
		if (!*left->err->text)
			return;
		snprintf(text, sizeof(text), "%s: %s", left->name, left->err->text);
		break;
	case LEFT_IN_USE:
		printf("%s: in use, left alone\n", left->name);
		return;
	case LEFT_NOT_OURS:
		snprintf(text, sizeof(text), "%s is left alone: %s", left->name, left->err->text);
		break;
	case LEFT_FAILED:
		outcome->failed++;
		snprintf(text, sizeof(text), "%s cannot be removed: %s", left->name,
			 left->err->text);
		break;
	}
	fprintf(stderr, "memcgbench: %s\n", text);
}

int cmd_cleanup(int argc, char **argv)
{
	struct cleanup_arguments arguments = {.mounts = HIERARCHY_MOUNTS};
	struct outcome outcome = {.failed = 0};
	struct hierarchy hierarchy;
	char notes[PATH_MAX];
	struct error err;
	int r;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	outcome.dry = arguments.dry;
	r = hierarchy_find(arguments.mounts, &hierarchy, &err);
	if (!r) {
		r = own_notes_path(notes, &err);
		if (!r)
			r = own_cgroup_clean(&hierarchy, notes, arguments.dry, say, &outcome, &err);
		hierarchy_close(&hierarchy);
	}
	if (r) {
		error_print(stderr, &err);
		return cli_finish(r == -ENODEV ? EXIT_IMPOSSIBLE : EXIT_TROUBLE);
	}
	return cli_finish(outcome.failed ? EXIT_TROUBLE : EXIT_FINE);
}
