// SPDX-License-Identifier: MIT
/* See interrupt.h. */
#include "driver/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* What was ignored when we were started stays ignored, as for any command behind nohup or `&`. */
static sigset_t watched(void)
{
	static const int signals[] = {SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM};
	struct sigaction action;
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&set, signals[i]);
	return set;
}

void interrupt_block(void)
{
	sigset_t set = watched();

	sigprocmask(SIG_BLOCK, &set, NULL);
}

int interrupt_open(void)
{
	sigset_t set = watched();
	int fd;

	interrupt_block();
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int interrupt_take(int fd)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	return (int)info.ssi_signo;
}

int interrupt_wait(int fd, int timeout_ms)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	if (poll(&poll_fd, 1, timeout_ms) <= 0)
		return 0;
	return interrupt_take(fd);
}

void interrupt_unblock(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

void interrupt_raise(int signal_number)
{
	signal(signal_number, SIG_DFL);
	raise(signal_number); /* blocked still: it is delivered by the next line */
	interrupt_unblock();
	_exit(128 + signal_number);
}
