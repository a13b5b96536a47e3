// SPDX-License-Identifier: MIT
/*
 * See gnuplot.h. The picture comes back through a pipe: whatever ends this process or gnuplot, no
 * half-drawn file is left, and the caller puts the whole picture in place at once.
 */
#include "report/gnuplot.h"

#include "timing/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_PICTURE ((size_t)64 << 20)
#define MAX_WORDS   ((size_t)4096) /* of gnuplot's complaints */

/* What comes out of one pipe. Beyond `limit` it is read and dropped, and `cut` says so. */
struct stream {
	int fd; /* -1: at its end */
	char *data;
	size_t size, room, limit;
	bool cut;
};

struct process {
	pid_t pid;
	int failure; /* reads the errno of a failed exec; closed by a good one */
	struct stream out, words; /* standard output and standard error */
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* In the child, between fork and exec: only calls that are safe there. */
static _Noreturn void become_gnuplot(const char *directory, const char *script, const char *setting,
				     pid_t parent, const int pipes[3][2])
{
	const char *const argv[] = {"gnuplot", "-d", "-e", setting, script, NULL};
	int null = open("/dev/null", O_RDONLY), code;

	/* A script that never ends must not outlive whoever started it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent && null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
	    dup2(pipes[0][1], STDOUT_FILENO) >= 0 && dup2(pipes[1][1], STDERR_FILENO) >= 0 &&
	    chdir(directory) == 0)
		execvp(argv[0], (char *const *)argv);
	code = errno;
	if (write(pipes[2][1], &code, sizeof(code)) < 0)
		_exit(126);
	_exit(127);
}

static int start(struct process *process, const char *directory, const char *script,
		 const char *picture)
{
	int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}}, r = 0;
	pid_t parent = getpid();
	char setting[64];

	snprintf(setting, sizeof(setting), "picture='%s'", picture);
	for (int i = 0; i < 3; i++)
		if (pipe2(pipes[i], O_CLOEXEC) < 0)
			r = -errno;
	if (!r) {
		process->pid = fork();
		if (process->pid < 0)
			r = -errno;
		else if (process->pid == 0)
			become_gnuplot(directory, script, setting, parent, pipes);
	}
	for (int i = 0; i < 3; i++) {
		close_fd(&pipes[i][1]);
		if (r)
			close_fd(&pipes[i][0]);
	}
	process->out.fd = pipes[0][0];
	process->words.fd = pipes[1][0];
	process->failure = pipes[2][0];
	return r;
}

static int take(struct stream *stream)
{
	char chunk[16384];
	ssize_t got = read(stream->fd, chunk, sizeof(chunk));
	size_t keep;

	if (got < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	if (got == 0) {
		close_fd(&stream->fd);
		return 0;
	}
	keep = (size_t)got;
	if (stream->size + keep > stream->limit) {
		keep = stream->limit - stream->size;
		stream->cut = true;
	}
	if (stream->size + keep + 1 > stream->room) {
		size_t room = 2 * (stream->size + keep + 1);
		char *grown = realloc(stream->data, room);

		if (!grown)
			return -ENOMEM;
		stream->data = grown;
		stream->room = room;
	}
	memcpy(stream->data + stream->size, chunk, keep);
	stream->size += keep;
	stream->data[stream->size] = '\0';
	return 0;
}

/* Read both streams to their ends; -ETIME where that takes too long. */
static int collect(struct process *process, unsigned seconds)
{
	uint64_t deadline = clock_now() + (uint64_t)seconds * 1000000000u;
	struct stream *streams[2] = {&process->out, &process->words};

	while (process->out.fd >= 0 || process->words.fd >= 0) {
		struct pollfd fds[2] = {{process->out.fd, POLLIN, 0},
					{process->words.fd, POLLIN, 0}};
		uint64_t now = clock_now();

		if (now >= deadline)
			return -ETIME;
		if (poll(fds, 2, (int)((deadline - now) / 1000000 + 1)) < 0 && errno != EINTR)
			return -errno;
		for (int i = 0; i < 2; i++) {
			int r = fds[i].revents ? take(streams[i]) : 0;

			if (r)
				return r;
		}
		if (process->out.cut)
			return -EFBIG;
	}
	return 0;
}

/* gnuplot's complaint on one line: what it says, without the lines that only point at a column. */
static void condense(const char *words, char *line, size_t size)
{
	size_t used = 0;

	line[0] = '\0';
	while (words && *words) {
		size_t length = strcspn(words, "\n"), lead = strspn(words, " \t^");

		if (lead < length && used + 3 < size) {
			int put = snprintf(line + used, size - used, "%s%.*s", used ? "; " : "",
					   (int)(length - lead), words + lead);

			used += (size_t)put < size - used ? (size_t)put : size - used - 1;
		}
		words += length;
		words += *words == '\n';
	}
}

/* The errno of a failed chdir or exec, or 0. Blocks until the exec has happened. */
static int exec_failure(struct process *process)
{
	int code = 0;
	ssize_t got;

	do
		got = read(process->failure, &code, sizeof(code));
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)sizeof(code) ? code : 0;
}

/*
 * End it if it still runs, and tell whether it went well. Whoever has closed both streams has a
 * moment to end by itself: a gnuplot that then stays must not keep us.
 */
static bool reap(struct process *process, bool end)
{
	uint64_t deadline = clock_now() + 2000000000u;
	int status = 0;

	while (!end) {
		if (waitpid(process->pid, &status, WNOHANG) == process->pid)
			return WIFEXITED(status) && WEXITSTATUS(status) == 0;
		end = clock_now() > deadline;
		poll(NULL, 0, 2);
	}
	kill(process->pid, SIGKILL);
	while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int explain(int r, const struct process *process, const char *script, unsigned seconds,
		   struct error *err)
{
	char words[700];

	condense(process->words.data, words, sizeof(words));
	if (r == -ETIME)
		return error_set_at(err, r, script, 0, 0, "gnuplot was not done after %u seconds",
				    seconds);
	if (r == -EFBIG)
		return error_set_at(err, r, script, 0, 0, "gnuplot wrote more than %zu MiB",
				    MAX_PICTURE >> 20);
	if (r == -EIO)
		return error_set_at(err, r, script, 0, 0, "gnuplot failed: %s",
				    words[0] ? words : "it does not say why");
	return error_set_at(err, r, script, 0, 0, "cannot run gnuplot: %s", strerror(-r));
}

int gnuplot_run(const char *directory, const char *script, const char *picture, unsigned seconds,
		char **output, size_t *length, struct error *err)
{
	struct process process = {
		.out = {.fd = -1, .limit = MAX_PICTURE},
		.words = {.fd = -1, .limit = MAX_WORDS},
	};
	int r = start(&process, directory, script, picture), failure;
	bool well;

	if (r)
		return error_set(err, r, "cannot start gnuplot: %s", strerror(-r));
	failure = exec_failure(&process);
	r = failure ? 0 : collect(&process, seconds);
	well = reap(&process, r != 0);
	close_fd(&process.failure);
	close_fd(&process.out.fd);
	close_fd(&process.words.fd);

	if (failure == ENOENT || failure == ENOTDIR)
		r = error_set(err, -ENOENT,
			      "charts need gnuplot, which is not installed (the package is "
			      "gnuplot-nox on Debian and Ubuntu)");
	else if (failure)
		r = error_set(err, -failure, "cannot run gnuplot: %s", strerror(failure));
	else if (r || !well || !process.out.size)
		r = explain(r ? r : -EIO, &process, script, seconds, err);
	free(process.words.data);
	if (r) {
		free(process.out.data);
		return r;
	}
	*output = process.out.data;
	*length = process.out.size;
	return 0;
}
