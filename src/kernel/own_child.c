// SPDX-License-Identifier: MIT
/* See own_child.h. */
#include "kernel/own_child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

void own_child_enter(pid_t parent)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	if (fd >= 0) {
		(void)!write(fd, "1000", 4);
		close(fd);
	}
	/* Ctrl-C is the parent's, which then ends this one. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}
