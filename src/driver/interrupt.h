/* SPDX-License-Identifier: MIT */
/*
 * Signals that end a program, as something to poll for: no handler, no global flag. The sweep ends
 * at a point where nothing is lost and nothing stays behind, and the signal is then raised again,
 * so that a shell sees 130 or 143. They are SIGINT and SIGTERM, SIGQUIT, SIGHUP (the terminal is
 * gone) and SIGPIPE (nobody reads our progress any more: it waits here as the others do, where the
 * write has failed).
 */
#ifndef MEMCGBENCH_DRIVER_INTERRUPT_H
#define MEMCGBENCH_DRIVER_INTERRUPT_H

/* Block these signals and return a descriptor that becomes readable when one arrives; -errno. */
int interrupt_open(void);
/* The signal that arrived, or 0. It is consumed. */
int interrupt_take(int fd);
/* Wait up to `timeout_ms` for one; the signal or 0. */
int interrupt_wait(int fd, int timeout_ms);
/* Die of `signal_number` as if it had never been blocked. Does not return. */
void interrupt_raise(int signal_number) __attribute__((noreturn));
/* Nothing blocked: for a child, before exec; and where a signal may end this process at once. */
void interrupt_unblock(void);
/* As interrupt_open() has left it. */
void interrupt_block(void);

#endif
