// SPDX-License-Identifier: MIT
/* The hidden command behind `run`: one repetition in a process of its own (driver/measure.h). */
#include "cli/cli.h"

#include "base/error.h"
#include "driver/child.h"
#include "driver/measure.h"

#include <stdio.h>

static const struct argp argp = {
	.doc = "Measures one repetition. Started by `run`, which hands it what to measure on a "
	       "descriptor and takes the result from another; of no use by hand.",
};

int cmd_measure(int argc, char **argv)
{
	struct error err = {.line = 0};
	json_t *request, *answer = NULL;
	int code = EXIT_TROUBLE;

	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	request = child_read_request(&err);
	if (request)
		answer = measure(request, &err);
	if (answer && child_give_answer(answer, &err) == 0)
		code = EXIT_FINE;
	else
		fprintf(stderr, "%s\n", err.text); /* the parent's reason: no prefix */
	json_decref(answer);
	json_decref(request);
	return code;
}
