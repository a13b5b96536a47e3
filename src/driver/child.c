// SPDX-License-Identifier: MIT
/*
 * See child.h.
 *
 * Request and answer lie in memory files rather than pipes: neither side ever waits for the other,
 * and a child that dies half way leaves a document that does not parse. Only stderr is a pipe.
 */
#include "driver/child.h"

#include "driver/interrupt.h"
#include "timing/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_MS          200
#define ANSWER_BYTES_MAX (64u << 20)
#define TAIL_BYTES       4096

struct running {
	pid_t pid;
	int pidfd;
	int errors; /* read end of its stderr; -1 once closed */
	char tail[TAIL_BYTES];
	size_t tail_length;
	const char *ended; /* why we killed it, or NULL */
};

static int write_memfd(const char *name, const char *text)
{
	size_t length = strlen(text);
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	while (length) {
		ssize_t put = write(fd, text, length);

		if (put < 0) {
			int code = -errno;

			close(fd);
			return code;
		}
		text += put;
		length -= (size_t)put;
	}
	lseek(fd, 0, SEEK_SET);
	return fd;
}

/* The kernel shall choose the child, not its parent, when memory runs out. */
static void raise_oom_score(void)
{
	char text[16];
	int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
	ssize_t length;
	int score;

	if (fd < 0)
		return;
	length = read(fd, text, sizeof(text) - 1);
	text[length > 0 ? length : 0] = '\0';
	score = atoi(text) + 200;
	length = snprintf(text, sizeof(text), "%d", score > 1000 ? 1000 : score);
	lseek(fd, 0, SEEK_SET);
	(void)!write(fd, text, (size_t)length);
	close(fd);
}

/*
 * Under a real-time policy (chrt) threads of the child that never sleep may keep this process,
 * which has the same priority, off their CPUs for good: then the kernel ends them in its place.
 */
static void limit_real_time(uint64_t limit_ns)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_RTTIME, &limit) < 0)
		return;
	limit.rlim_cur = limit_ns / 1000;
	if (limit.rlim_max > limit.rlim_cur)
		limit.rlim_max = limit.rlim_cur;
	setrlimit(RLIMIT_RTTIME, &limit);
}

/* In the child, between fork and exec. Descriptors 3 and 4 may be among ours: move ours up first.
 */
static void become_measurer(pid_t parent, int request, int answer, int errors, uint64_t limit_ns)
{
	char name[] = "memcgbench", command[] = "measure";
	char *argv[] = {name, command, NULL};
	int null, pipe_end = errors;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	setpgid(0, 0); /* a Ctrl-C at the terminal is the parent's to handle */
	request = fcntl(request, F_DUPFD_CLOEXEC, 10);
	answer = fcntl(answer, F_DUPFD_CLOEXEC, 10);
	errors = fcntl(errors, F_DUPFD_CLOEXEC, 10);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (request < 0 || answer < 0 || errors < 0 || null < 0) {
		dprintf(pipe_end, "cannot set up descriptors: %s\n", strerror(errno));
		_exit(127);
	}
	if (dup2(null, STDIN_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0 ||
	    dup2(errors, STDOUT_FILENO) < 0 || dup2(request, CHILD_REQUEST_FD) < 0 ||
	    dup2(answer, CHILD_ANSWER_FD) < 0)
		_exit(127);
	close_range(CHILD_ANSWER_FD + 1, UINT_MAX, 0);
	raise_oom_score();
	limit_real_time(limit_ns);
	interrupt_unblock();
	execv("/proc/self/exe", argv);
	dprintf(STDERR_FILENO, "cannot execute /proc/self/exe: %s\n", strerror(errno));
	_exit(127);
}

static int start(struct running *child, int request, int answer, uint64_t limit_ns,
		 struct error *err)
{
	pid_t parent = getpid();
	int pipe_fds[2];

	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return error_set(err, -errno, "cannot make a pipe: %s", strerror(errno));
	child->pid = fork();
	if (child->pid < 0) {
		int code = -errno;

		close(pipe_fds[0]);
		close(pipe_fds[1]);
		return error_set(err, code, "cannot fork: %s", strerror(-code));
	}
	if (child->pid == 0)
		become_measurer(parent, request, answer, pipe_fds[1], limit_ns);
	close(pipe_fds[1]);
	child->errors = pipe_fds[0];
	fcntl(child->errors, F_SETFL, O_NONBLOCK);
	child->pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0);
	return 0;
}

/* Keep the last TAIL_BYTES of what the child says. */
static void read_errors(struct running *child)
{
	char chunk[TAIL_BYTES];
	ssize_t got;

	while (child->errors >= 0 && (got = read(child->errors, chunk, sizeof(chunk))) != 0) {
		size_t keep, length = (size_t)got;

		if (got < 0)
			return;
		keep = TAIL_BYTES - length;
		if (child->tail_length > keep) {
			memmove(child->tail, child->tail + child->tail_length - keep, keep);
			child->tail_length = keep;
		}
		memcpy(child->tail + child->tail_length, chunk, length);
		child->tail_length += length;
	}
	if (child->errors >= 0)
		close(child->errors);
	child->errors = -1;
}

/* Wait until the child has ended by itself or by us. Returns its wait status. */
static int attend(struct running *child, const struct child_options *options,
		  struct child_report *report)
{
	uint64_t deadline = clock_now() + options->limit_ns;
	int status = 0;

	for (;;) {
		struct pollfd fds[] = {
			{.fd = child->pidfd, .events = POLLIN},
			{.fd = child->errors, .events = POLLIN},
			{.fd = options->interrupt_fd, .events = POLLIN},
		};

		/* Without pidfd_open() (before 5.3) a short timeout notices the end. */
		poll(fds, 3, child->pidfd < 0 ? 5 : TICK_MS);
		read_errors(child);
		if (waitpid(child->pid, &status, WNOHANG) == child->pid)
			return status;
		if (!report->signal)
			report->signal = interrupt_take(options->interrupt_fd);
		if (!child->ended && report->signal)
			child->ended = "interrupted";
		else if (!child->ended && clock_now() > deadline)
			child->ended = "time limit";
		else if (child->ended)
			continue;
		if (child->ended)
			kill(child->pid, SIGKILL);
		else if (options->tick)
			options->tick(options->arg);
	}
}

/* How often the kernel has killed for lack of memory, machine-wide; 0 where it does not say. */
static unsigned long oom_kills(void)
{
	unsigned long kills = 0;
	char line[128];
	FILE *file = fopen("/proc/vmstat", "re");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "oom_kill %lu", &kills) == 1)
			break;
	if (file)
		fclose(file);
	return kills;
}

static void last_words(const struct running *child, char *text, size_t size)
{
	const char *from = child->tail, *end = child->tail + child->tail_length;

	while (end > from && (end[-1] == '\n' || end[-1] == ' '))
		end--;
	if ((size_t)(end - from) >= size)
		from = end - size + 1;
	snprintf(text, size, "%.*s", (int)(end - from), from);
	for (char *p = text; *p; p++)
		if (*p == '\n' || *p == '\t')
			*p = ' ';
}

static void give_reason(const struct running *child, int status, unsigned long kills_before,
			uint64_t limit_ns, struct child_report *report)
{
	char words[500], what[160];

	last_words(child, words, sizeof(words));
	if (child->ended)
		snprintf(what, sizeof(what), "ended by the time limit of %.1f s",
			 (double)limit_ns / 1e9);
	else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && oom_kills() > kills_before)
		snprintf(what, sizeof(what), "killed by the kernel: out of memory");
	else if (WIFSIGNALED(status))
		snprintf(what, sizeof(what), "killed by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		snprintf(what, sizeof(what), "exit code %d", WEXITSTATUS(status));
	else
		snprintf(what, sizeof(what), "ended without an answer");
	snprintf(report->reason, sizeof(report->reason), "%s%s%s", what, *words ? ": " : "", words);
}

static json_t *read_answer(int fd)
{
	off_t length = lseek(fd, 0, SEEK_END);
	json_t *answer = NULL;
	void *text;

	if (length <= 0 || length > (off_t)ANSWER_BYTES_MAX)
		return NULL;
	text = mmap(NULL, (size_t)length, PROT_READ, MAP_SHARED, fd, 0);
	if (text == MAP_FAILED)
		return NULL;
	answer = json_loadb(text, (size_t)length, JSON_REJECT_DUPLICATES, NULL);
	munmap(text, (size_t)length);
	return answer;
}

static void judge(struct running *child, int status, int answer_fd, unsigned long kills_before,
		  uint64_t limit_ns, struct child_report *report)
{
	if (report->signal) {
		report->outcome = CHILD_INTERRUPTED;
		return;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		report->answer = read_answer(answer_fd);
	report->outcome = report->answer ? CHILD_DONE : CHILD_FAILED;
	if (!report->answer)
		give_reason(child, status, kills_before, limit_ns, report);
}

int child_run(const json_t *request, const struct child_options *options,
	      struct child_report *report, struct error *err)
{
	struct running child = {.pidfd = -1, .errors = -1};
	unsigned long kills_before = oom_kills();
	uint64_t begin = clock_now();
	char *text = json_dumps(request, JSON_COMPACT);
	int request_fd, answer_fd = -1, r, status;

	memset(report, 0, sizeof(*report));
	if (!text)
		return error_set(err, -ENOMEM, "out of memory");
	request_fd = write_memfd("memcgbench-request", text);
	free(text);
	if (request_fd >= 0)
		answer_fd = memfd_create("memcgbench-answer", MFD_CLOEXEC);
	if (request_fd < 0 || answer_fd < 0) {
		r = error_set(err, request_fd < 0 ? request_fd : -errno,
			      "cannot make a memory file for a measuring process: %s",
			      strerror(request_fd < 0 ? -request_fd : errno));
		goto out;
	}
	r = start(&child, request_fd, answer_fd, options->limit_ns, err);
	if (r)
		goto out;
	status = attend(&child, options, report);
	read_errors(&child);
	judge(&child, status, answer_fd, kills_before, options->limit_ns, report);
	report->wall_ns = clock_now() - begin;
	if (child.errors >= 0)
		close(child.errors);
	if (child.pidfd >= 0)
		close(child.pidfd);
out:
	if (request_fd >= 0)
		close(request_fd);
	if (answer_fd >= 0)
		close(answer_fd);
	return r;
}

json_t *child_read_request(struct error *err)
{
	json_error_t why;
	json_t *request = json_loadfd(CHILD_REQUEST_FD, JSON_REJECT_DUPLICATES, &why);

	if (!request)
		error_set(err, -EINVAL,
			  "`measure` is started by `run`: no request on descriptor %d: %s",
			  CHILD_REQUEST_FD, why.text);
	return request;
}

int child_give_answer(const json_t *answer, struct error *err)
{
	if (json_dumpfd(answer, CHILD_ANSWER_FD, JSON_COMPACT | JSON_REAL_PRECISION(12)) < 0)
		return error_set(err, -EIO, "cannot write the answer");
	return 0;
}
