// SPDX-License-Identifier: MIT
/* See progress.h. */
#include "driver/progress.h"

#include "timing/clock.h"

#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define TERMINAL_EVERY_NS 200000000u
#define PLAIN_EVERY_NS    5000000000u

/* "1:04" or "2:00:07". */
static const char *hours(char buffer[32], double ns)
{
	unsigned long s = ns > 0 ? (unsigned long)(ns / 1e9 + 0.5) : 0;

	if (s >= 3600)
		snprintf(buffer, 32, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
	else
		snprintf(buffer, 32, "%lu:%02lu", s / 60, s % 60);
	return buffer;
}

static unsigned columns(FILE *out)
{
	struct winsize size;

	if (ioctl(fileno(out), TIOCGWINSZ, &size) < 0 || size.ws_col < 20)
		return 80;
	return size.ws_col;
}

static void print_line(struct progress *p, uint64_t now)
{
	char line[320], elapsed[32], left[32];
	double left_ns = p->left_ns - (double)(now - p->since_ns);
	int length;

	length = snprintf(line, sizeof(line), "[%zu/%zu] %s left, %s gone: %s", p->done, p->total,
			  hours(left, left_ns), hours(elapsed, (double)(now - p->begin_ns)),
			  p->what);
	if (p->terminal) {
		/* Room for the terminal's ^C, which must not begin another line. */
		int room = (int)columns(p->out) - 3;

		fprintf(p->out, "\r%.*s\033[K", length < room ? length : room, line);
	} else {
		fprintf(p->out, "%s\n", line);
	}
	fflush(p->out);
	p->printed_ns = now;
}

static void clear_line(struct progress *p)
{
	if (p->terminal && p->printed_ns)
		fputs("\r\033[K", p->out);
}

void progress_begin(struct progress *p, FILE *out, size_t done, size_t total)
{
	*p = (struct progress){
		.out = out,
		.terminal = isatty(fileno(out)),
		.done = done,
		.total = total,
		.begin_ns = clock_now(),
	};
}

void progress_next(struct progress *p, const char *what, double left_ns)
{
	snprintf(p->what, sizeof(p->what), "%s", what);
	p->left_ns = left_ns;
	p->since_ns = clock_now();
	progress_tick(p);
}

void progress_tick(void *arg)
{
	struct progress *p = arg;
	uint64_t now = clock_now(), every = p->terminal ? TERMINAL_EVERY_NS : PLAIN_EVERY_NS;

	if (!p->printed_ns || now - p->printed_ns >= every)
		print_line(p, now);
}

void progress_done(struct progress *p)
{
	p->done++;
}

void progress_say(struct progress *p, const char *format, ...)
{
	va_list args;

	clear_line(p);
	va_start(args, format);
	fputs("memcgbench: ", p->out);
	vfprintf(p->out, format, args);
	va_end(args);
	fputc('\n', p->out);
}

void progress_end(struct progress *p)
{
	clear_line(p);
	if (!p->terminal)
		fprintf(p->out, "[%zu/%zu] %s\n", p->done, p->total,
			p->done < p->total ? "stopped" : "done");
	fflush(p->out);
}
