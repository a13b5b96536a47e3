// SPDX-License-Identifier: MIT
/* See charger.h. The task is a fork that does not exec: it owns nothing but what it maps itself. */
#include "kernel/charger.h"

#include "kernel/held_file.h"
#include "kernel/own_child.h"

#include <errno.h>
#include <hwloc.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum order_kind {
	ORDER_CHARGE,
	ORDER_DRAIN,
};

struct order {
	enum order_kind kind;
	unsigned cpu, node;
	struct charger_pages pages;
};

struct answer {
	int code; /* 0 or -errno */
	uint64_t unheld; /* pages, so far */
	char text[200];
};

/* What can be touched, and how far that was done. */
struct stock {
	unsigned char *base; /* of a mapping */
	uint64_t pages, used;
};

struct task {
	hwloc_topology_t topology;
	size_t page;
	int socket;
	struct stock anon, locked;
	struct held_file file;
	unsigned cpu, node; /* where it was bound last */
	bool bound;
	struct answer answer;
};

static int fail(struct task *task, int code, const char *what)
{
	task->answer.code = code;
	snprintf(task->answer.text, sizeof(task->answer.text), "%s: %s", what, strerror(-code));
	return code;
}

static int bind_cpu(struct task *task, unsigned cpu)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	int r = 0;

	hwloc_bitmap_only(set, cpu);
	if (hwloc_set_cpubind(task->topology, set, HWLOC_CPUBIND_PROCESS | HWLOC_CPUBIND_STRICT))
		r = fail(task, -errno, "cannot run on the CPU asked for");
	hwloc_bitmap_free(set);
	return r;
}

static int bind_node(struct task *task, unsigned node)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	int r = 0;

	hwloc_bitmap_only(set, node);
	if (hwloc_set_membind(task->topology, set, HWLOC_MEMBIND_BIND,
			      HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_STRICT |
				      HWLOC_MEMBIND_BYNODESET))
		r = fail(task, -errno, "cannot take memory of the node asked for");
	hwloc_bitmap_free(set);
	return r;
}

static int bind_to(struct task *task, unsigned cpu, unsigned node)
{
	int r = 0;

	if (!task->bound || task->cpu != cpu)
		r = bind_cpu(task, cpu);
	if (!r && (!task->bound || task->node != node))
		r = bind_node(task, node);
	task->cpu = cpu;
	task->node = node;
	task->bound = !r;
	return r;
}

/* Did these pages come to lie on the node, and nowhere else? */
static int look_up(struct task *task, const void *from, uint64_t pages)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	int r = 0;

	if (hwloc_get_area_memlocation(task->topology, from, pages * task->page, set,
				       HWLOC_MEMBIND_BYNODESET))
		r = fail(task, -errno, "cannot look up where pages lie");
	else if (!hwloc_bitmap_isset(set, task->node) || hwloc_bitmap_weight(set) != 1)
		r = fail(task, -EXDEV, "pages lie on other nodes than the one asked for");
	hwloc_bitmap_free(set);
	return r;
}

static int touch_mapping(struct task *task, struct stock *stock, uint64_t pages)
{
	if (!pages)
		return 0;
	if (pages > stock->pages - stock->used)
		return fail(task, -ENOSPC, "more pages than there is room for");
	for (uint64_t i = 0; i < pages; i++)
		((volatile unsigned char *)stock->base)[stock->used++ * task->page] = 1;
	return look_up(task, stock->base + (stock->used - pages) * task->page, pages);
}

static int touch_file(struct task *task, uint64_t pages)
{
	const char *what = "";
	void *base;
	int r;

	if (!pages)
		return 0;
	r = held_file_touch(&task->file, pages, &what);
	task->answer.unheld = task->file.unheld;
	/* Only what is mapped can be looked up. */
	if (!r)
		r = held_file_map(&task->file, pages, &base, &what);
	if (r)
		return fail(task, r, what);
	r = look_up(task, base, pages);
	munmap(base, pages * task->page);
	return r;
}

static int charge(struct task *task, const struct order *order)
{
	int r = bind_to(task, order->cpu, order->node);

	if (!r)
		r = touch_mapping(task, &task->anon, order->pages.anon);
	if (!r)
		r = touch_mapping(task, &task->locked, order->pages.locked);
	if (!r)
		r = touch_file(task, order->pages.file);
	return r;
}

static int drain(struct task *task, const struct order *order)
{
	int r = bind_cpu(task, order->cpu);
	void *page;

	if (r)
		return r;
	task->cpu = order->cpu;
	page = mmap(NULL, task->page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return fail(task, -errno, "cannot map a page");
	*(volatile char *)page = 1;
	if (mlock(page, task->page) < 0 || munlock(page, task->page) < 0)
		r = fail(task, -errno, "cannot lock a page");
	munmap(page, task->page);
	return r;
}

static int map_stock(struct task *task, struct stock *stock, uint64_t pages)
{
	size_t length = pages * task->page;
	void *base;

	stock->pages = pages;
	if (!pages)
		return 0;
	base = mmap(NULL, length, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		return fail(task, -errno, "cannot map memory");
	if (madvise(base, length, MADV_NOHUGEPAGE) < 0 && errno != EINVAL)
		return fail(task, -errno, "cannot ask for small pages");
	stock->base = base;
	return 0;
}

static int prepare(struct task *task, const struct charger_pages *room,
		   const char *const *directories)
{
	const char *what = "";
	int r;

	task->page = (size_t)sysconf(_SC_PAGESIZE);
	if (hwloc_topology_init(&task->topology) || hwloc_topology_load(task->topology))
		return fail(task, errno ? -errno : -ENOMEM, "hwloc does not start");
	r = map_stock(task, &task->anon, room->anon);
	if (!r)
		r = map_stock(task, &task->locked, room->locked);
	/* Locked as they are touched, not before. */
	if (!r && room->locked &&
	    mlock2(task->locked.base, room->locked * task->page, MLOCK_ONFAULT) < 0)
		r = fail(task, errno == ENOMEM ? -EPERM : -errno,
			 "so much memory may not be locked (ulimit -l)");
	if (!r) {
		r = held_file_open(&task->file, room->file, directories, &what);
		r = r ? fail(task, r, what) : 0;
	}
	return r;
}

static void give_answer(struct task *task)
{
	if (send(task->socket, &task->answer, sizeof(task->answer), MSG_NOSIGNAL) < 0)
		_exit(1);
}

static _Noreturn void run_task(int socket, const struct charger_pages *room,
			       const char *const *directories)
{
	struct task task = {.socket = socket, .file = {.fd = -1}};
	struct order order;

	prepare(&task, room, directories);
	give_answer(&task);
	while (!task.answer.code && recv(socket, &order, sizeof(order), 0) == sizeof(order)) {
		if (order.kind == ORDER_CHARGE)
			charge(&task, &order);
		else
			drain(&task, &order);
		give_answer(&task);
	}
	_exit(0);
}

static int has_ended(struct error *err)
{
	return error_set(err, -ECHILD,
			 "the task that charges pages has ended (was it out of memory?)");
}

static int ask(struct charger *charger, const struct order *order, struct error *err)
{
	struct answer answer;
	ssize_t got;

	if (order && send(charger->socket, order, sizeof(*order), MSG_NOSIGNAL) < 0)
		return error_set(err, -errno, "the task that charges pages is gone: %s",
				 strerror(errno));
	do
		got = recv(charger->socket, &answer, sizeof(answer), 0);
	while (got < 0 && errno == EINTR);
	if (got != sizeof(answer))
		return has_ended(err);
	charger->unheld = answer.unheld;
	return answer.code ? error_set(err, answer.code, "charging pages: %s", answer.text) : 0;
}

int charger_start(const struct charger_pages *room, const char *const *directories,
		  struct charger *charger, struct error *err)
{
	pid_t parent = getpid();
	int ends[2], r;

	*charger = (struct charger){.socket = -1};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return error_set(err, -errno, "cannot make a pair of sockets: %s", strerror(errno));
	charger->pid = fork();
	if (charger->pid < 0) {
		r = error_set(err, -errno, "cannot fork: %s", strerror(errno));
		charger->pid = 0;
		close(ends[0]);
		close(ends[1]);
		return r;
	}
	if (!charger->pid) {
		close(ends[0]);
		own_child_enter(parent);
		run_task(ends[1], room, directories);
	}
	close(ends[1]);
	charger->socket = ends[0];
	r = ask(charger, NULL, err);
	if (r)
		charger_stop(charger);
	return r;
}

int charger_charge(struct charger *charger, const struct charger_pages *pages, unsigned cpu,
		   unsigned node, struct error *err)
{
	struct order order = {.kind = ORDER_CHARGE, .cpu = cpu, .node = node, .pages = *pages};

	return ask(charger, &order, err);
}

int charger_drain(struct charger *charger, unsigned cpu, struct error *err)
{
	struct order order = {.kind = ORDER_DRAIN, .cpu = cpu};

	return ask(charger, &order, err);
}

int charger_check(struct charger *charger, struct error *err)
{
	if (charger->pid > 0 && waitpid(charger->pid, NULL, WNOHANG) == 0)
		return 0;
	charger->pid = 0; /* and nobody else's */
	return has_ended(err);
}

void charger_stop(struct charger *charger)
{
	if (charger->socket >= 0)
		close(charger->socket);
	if (charger->pid > 0) {
		kill(charger->pid, SIGKILL);
		while (waitpid(charger->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	*charger = (struct charger){.socket = -1};
}
