// SPDX-License-Identifier: MIT
/* See whole_file.h. The signals wait for a few milliseconds only. */
#include "report/whole_file.h"

#include "base/file.h"

#include <signal.h>

int whole_file_write(const char *path, const char *data, size_t length, struct error *err)
{
	sigset_t ending, before;
	int r;

	sigemptyset(&ending);
	sigaddset(&ending, SIGHUP);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigprocmask(SIG_BLOCK, &ending, &before);
	r = file_write_atomic(path, data, length, err);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return r;
}
