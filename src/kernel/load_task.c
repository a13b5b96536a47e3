// SPDX-License-Identifier: MIT
/* See load_task.h. As the charger, a fork that does not exec and owns what it maps itself. */
#include "kernel/load_task.h"

#include "kernel/own_child.h"
#include "kernel/page_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHUNK_PAGES 64u /* touched between two looks at the counts */

/* One page, shared: only the task writes the counts. */
struct load_shared {
	_Atomic uint64_t charges, touches;
	int code; /* of the last trouble: 0 or -errno; read when the task is gone */
	unsigned os_cpu;
	char text[200];
};

struct worker {
	const struct load_work *work;
	struct load_shared *shared;
	size_t page;
	int file; /* -1: none */
	uint64_t charges, touches; /* told so far */
	uint64_t major_faults; /* when it began */
};

static int fail(struct worker *worker, int code, const char *what)
{
	worker->shared->code = code;
	snprintf(worker->shared->text, sizeof(worker->shared->text), "%s: %s", what,
		 strerror(-code));
	return code;
}

static int open_file(struct worker *worker)
{
	const struct load_work *work = worker->work;
	const char *what;

	if (!work->of_file)
		return 0;
	worker->file = page_file_open(work->directories, work->pages * worker->page, &what);
	return worker->file < 0 ? fail(worker, worker->file, what) : 0;
}

static unsigned char *map_pages(struct worker *worker)
{
	size_t length = worker->work->pages * worker->page;
	bool of_file = worker->work->of_file;
	void *base = of_file ? mmap(NULL, length, PROT_READ, MAP_SHARED, worker->file, 0)
			     : mmap(NULL, length, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED) {
		fail(worker, -errno, "cannot map pages");
		return NULL;
	}
	/* One fault a page: no huge pages, and no page of the file but the one touched. */
	if (madvise(base, length, of_file ? MADV_RANDOM : MADV_NOHUGEPAGE) < 0 && errno != EINVAL) {
		fail(worker, -errno, "cannot ask for single pages");
		return NULL;
	}
	return base;
}

static uint64_t major_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_majflt;
}

/* Tell how far it is. Relaxed: each count stands for itself, and who looks later sees more. */
static void tell(struct worker *worker, uint64_t touched)
{
	worker->touches += touched;
	worker->charges =
		worker->work->of_file ? major_faults() - worker->major_faults : worker->touches;
	atomic_store_explicit(&worker->shared->touches, worker->touches, memory_order_relaxed);
	atomic_store_explicit(&worker->shared->charges, worker->charges, memory_order_relaxed);
}

static void touch(struct worker *worker, unsigned char *base)
{
	const struct load_work *work = worker->work;

	for (uint64_t i = 0; i < work->pages;) {
		uint64_t rest = work->pages - i, chunk = rest < CHUNK_PAGES ? rest : CHUNK_PAGES;

		for (uint64_t end = i + chunk; i < end; i++) {
			volatile unsigned char *byte = base + i * worker->page;

			if (work->of_file)
				(void)*byte;
			else
				*byte = 1;
		}
		tell(worker, chunk);
	}
}

/* Until it is killed, or until something fails. */
static void work_on(struct worker *worker)
{
	const struct load_work *work = worker->work;
	size_t length = work->pages * worker->page;
	unsigned char *base = NULL;

	worker->major_faults = major_faults();
	for (;;) {
		if (!base)
			base = map_pages(worker);
		if (!base)
			return;
		touch(worker, base);
		if (work->of_file && work->reclaimed)
			continue;
		munmap(base, length);
		base = NULL;
		if (work->of_file)
			posix_fadvise(worker->file, 0, 0, POSIX_FADV_DONTNEED);
	}
}

static int prepare(struct worker *worker)
{
	struct error err;
	int r = placement_bind_thread(worker->work->placement, worker->work->cpu,
				      &worker->shared->os_cpu, &err);

	if (r) {
		snprintf(worker->shared->text, sizeof(worker->shared->text), "%.190s", err.text);
		return worker->shared->code = r;
	}
	return open_file(worker);
}

/* A byte each way: it is ready, it shall begin. */
static _Noreturn void run_task(const struct load_work *work, struct load_shared *shared, int socket)
{
	struct worker worker = {
		.work = work,
		.shared = shared,
		.page = (size_t)sysconf(_SC_PAGESIZE),
		.file = -1,
	};
	char byte = 0;

	if (prepare(&worker) || send(socket, &byte, 1, MSG_NOSIGNAL) != 1)
		_exit(1);
	if (recv(socket, &byte, 1, 0) == 1)
		work_on(&worker);
	_exit(1);
}

static struct load_shared *share(void)
{
	void *page = mmap(NULL, sizeof(struct load_shared), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	/* Written here: it is charged to us, and not to the memcg that the task is moved to. */
	return page == MAP_FAILED ? NULL : memset(page, 0, sizeof(struct load_shared));
}

static int fork_task(const struct load_work *work, struct load_task *task, struct error *err)
{
	pid_t parent = getpid();
	int ends[2], r;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return error_set(err, -errno, "cannot make a pair of sockets: %s", strerror(errno));
	task->pid = fork();
	if (!task->pid) {
		close(ends[0]);
		own_child_enter(parent);
		run_task(work, task->shared, ends[1]);
	}
	r = task->pid < 0 ? error_set(err, -errno, "cannot fork: %s", strerror(errno)) : 0;
	if (r)
		task->pid = 0;
	close(ends[1]);
	task->socket = ends[0];
	return r;
}

/* Why it has ended, its status being `status`. */
static int ended(struct load_task *task, int status, struct error *err)
{
	const struct load_shared *shared = task->shared;

	task->pid = 0;
	if (WIFSIGNALED(status))
		return error_set(err, -ECHILD,
				 "a task that charges pages was killed by signal %d (was it out of "
				 "memory?)",
				 WTERMSIG(status));
	return error_set(err, shared->code ? shared->code : -ECHILD,
			 "a task that charges pages has ended: %s",
			 shared->code ? shared->text : "of itself");
}

int load_task_check(struct load_task *task, struct error *err)
{
	int status;
	pid_t pid = waitpid(task->pid, &status, WNOHANG);

	return pid == task->pid ? ended(task, status, err) : 0;
}

/* It is ready, or has ended. */
static int await(struct load_task *task, struct error *err)
{
	int status = 0;
	ssize_t got;
	char byte;

	do
		got = recv(task->socket, &byte, 1, 0);
	while (got < 0 && errno == EINTR);
	if (got == 1)
		return 0;
	while (waitpid(task->pid, &status, 0) < 0 && errno == EINTR)
		;
	return ended(task, status, err);
}

int load_task_start(const struct load_work *work, struct load_task *task, struct error *err)
{
	int r;

	*task = (struct load_task){.socket = -1, .shared = share()};
	if (!task->shared)
		return error_set(err, -ENOMEM, "out of memory for a task that charges pages");
	r = fork_task(work, task, err);
	if (!r)
		r = await(task, err);
	task->os_cpu = task->shared->os_cpu;
	if (r)
		load_task_stop(task);
	return r;
}

int load_task_go(const struct load_task *task, struct error *err)
{
	char byte = 0;

	if (send(task->socket, &byte, 1, MSG_NOSIGNAL) == 1)
		return 0;
	return error_set(err, -errno, "a task that charges pages is gone: %s", strerror(errno));
}

/* Relaxed: see tell(). */
struct load_count load_task_count(const struct load_task *task)
{
	struct load_shared *shared = task->shared;

	return (struct load_count){
		.charges = atomic_load_explicit(&shared->charges, memory_order_relaxed),
		.touches = atomic_load_explicit(&shared->touches, memory_order_relaxed),
	};
}

void load_task_stop(struct load_task *task)
{
	if (task->socket >= 0)
		close(task->socket);
	if (task->pid > 0) {
		kill(task->pid, SIGKILL);
		while (waitpid(task->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (task->shared)
		munmap(task->shared, sizeof(*task->shared));
	*task = (struct load_task){.socket = -1};
}
