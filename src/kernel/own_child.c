// SPDX-License-Identifier: MIT
/* See own_child.h. */
#include "kernel/own_child.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

void own_child_enter(pid_t parent)
{
	/* Sent to all of a group, by a terminal or by timeout(1), they are for the parent, which
	 * then ends this one: should this one go first, charges would vanish that are measured. */
	static const int others[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	if (fd >= 0) {
		(void)!write(fd, "1000", 4);
		close(fd);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		signal(others[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}
