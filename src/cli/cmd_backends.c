// SPDX-License-Identifier: MIT
#include "cli/cli.h"

#include "base/error.h"

#include <stdio.h>

int cmd_backends(int argc, char **argv)
{
	fprintf(stderr, "%s: being written\n", argv[0]);
	return EXIT_TROUBLE;
}
