// SPDX-License-Identifier: MIT
/* See own_cgroup.h. */
#include "kernel/own_cgroup.h"

#include "base/file.h"
#include "kernel/hand_down.h"
#include "kernel/remove_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX      "memcgbench-"
#define BOOT_LENGTH 36

/* Who made a directory. */
struct maker {
	pid_t pid;
	uint64_t start; /* clock ticks since boot */
	char boot[BOOT_LENGTH + 1];
};

static int read_boot(char boot[BOOT_LENGTH + 1], struct error *err)
{
	static const char path[] = "/proc/sys/kernel/random/boot_id";
	size_t length;
	char *text;
	int r = file_read(path, 4096, &text, &length, err);

	if (r)
		return r;
	if (length < BOOT_LENGTH || strcspn(text, "\n") != BOOT_LENGTH)
		r = error_set_at(err, -EINVAL, path, 1, 1, "is not a boot id");
	else
		memcpy(boot, text, BOOT_LENGTH);
	boot[BOOT_LENGTH] = '\0';
	free(text);
	return r;
}

/* Field 22 of /proc/PID/stat; the name in field 2 may hold anything. 0: there is no such process.
 */
static uint64_t start_of(pid_t pid)
{
	char path[64], *text, *at;
	uint64_t start = 0;
	size_t length;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (file_read(path, 1 << 16, &text, &length, NULL))
		return 0;
	at = strrchr(text, ')');
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (at)
		start = strtoull(at + 1, NULL, 10);
	free(text);
	return start;
}

static void name_of(const struct maker *maker, char name[OWN_CGROUP_NAME_MAX])
{
	snprintf(name, OWN_CGROUP_NAME_MAX, PREFIX "%d-%" PRIu64 "-%s", (int)maker->pid,
		 maker->start, maker->boot);
}

/* Only what name_of() makes is such a name. */
static bool parse_name(const char *name, struct maker *maker)
{
	char again[OWN_CGROUP_NAME_MAX];

	if (sscanf(name, PREFIX "%d-%" SCNu64 "-%36[0-9a-f-]", &maker->pid, &maker->start,
		   maker->boot) != 3 ||
	    maker->pid <= 0 || strlen(maker->boot) != BOOT_LENGTH)
		return false;
	name_of(maker, again);
	return !strcmp(name, again);
}

/* Who this process is to others. */
static int find_self(struct maker *self, struct error *err)
{
	int r = read_boot(self->boot, err);

	if (r)
		return r;
	self->pid = getpid();
	self->start = start_of(self->pid);
	return self->start
		       ? 0
		       : error_set(err, -ENOENT, "/proc does not say when this process started");
}

static int cannot_make(const struct own_cgroup *own, int code, struct error *err)
{
	return error_set_at(err, code, own->hierarchy->mount, 0, 0,
			    "cannot make a cgroup there: %s", strerror(-code));
}

static int make_noted(struct own_cgroup *own, struct error *err)
{
	int top = own->hierarchy->fd, r = 0;
	struct stat st;

	if (mkdirat(top, own->name, 0755) < 0)
		return cannot_make(own, -errno, err);
	own->fd = openat(top, own->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (own->fd < 0 || fstat(own->fd, &st) < 0) {
		r = -errno;
	} else {
		own->said.directory = st.st_ino;
		r = own_note_write(own->note, &own->said);
	}
	if (!r)
		return 0;
	unlinkat(top, own->name, AT_REMOVEDIR);
	return error_set_at(err, r, own->hierarchy->mount, 0, 0, "cannot take the cgroup %s: %s",
			    own->name, strerror(-r));
}

static void close_own(struct own_cgroup *own)
{
	if (own->fd >= 0)
		close(own->fd);
	if (own->note >= 0)
		close(own->note);
	own->fd = own->note = -1;
}

/* v2: noted before it is done. */
static int have_memory(struct own_cgroup *own, struct error *err)
{
	const struct hierarchy *hierarchy = own->hierarchy;
	int r = is_handed_down(hierarchy, err);

	if (r)
		return r < 0 ? r : 0;
	if (!hierarchy->may_enable)
		return error_set_at(err, -ENODEV, hierarchy->mount, 0, 0,
				    "cgroup.subtree_control does not hand the memory controller "
				    "down");
	own->said.enabled = true;
	r = own_note_write(own->note, &own->said);
	if (r)
		return error_set_at(err, r, own->notes, 0, 0, "cannot write a note: %s",
				    strerror(-r));
	return hand_down(hierarchy, err);
}

/* A note is written only where nothing of its name is there: what is found later is ours then. */
static int make_with_note(struct own_cgroup *own, int notes, struct error *err)
{
	struct stat st;
	int r;

	if (fstatat(own->hierarchy->fd, own->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return cannot_make(own, -EEXIST, err);
	if (errno != ENOENT || fstat(own->hierarchy->fd, &st) < 0)
		return cannot_make(own, -errno, err);
	own->said.device = st.st_dev;
	own->note = own_note_make(notes, own->name, &own->said);
	if (own->note < 0)
		return error_set_at(err, own->note, own->notes, 0, 0, "cannot write a note: %s",
				    strerror(-own->note));
	r = make_noted(own, err);
	if (!r) {
		r = have_memory(own, err);
		if (r)
			unlinkat(own->hierarchy->fd, own->name, AT_REMOVEDIR);
	}
	if (r) {
		unlinkat(notes, own->name, 0);
		close_own(own);
	}
	return r;
}

int own_cgroup_make(const struct hierarchy *hierarchy, const char *notes, struct own_cgroup *own,
		    struct error *err)
{
	struct maker maker;
	int r, notes_fd;

	*own = (struct own_cgroup){.hierarchy = hierarchy, .fd = -1, .note = -1};
	if (snprintf(own->notes, sizeof(own->notes), "%s", notes) >= (int)sizeof(own->notes))
		return error_set(err, -ENAMETOOLONG, "the path of notes is too long");
	r = find_self(&maker, err);
	if (r)
		return r;
	name_of(&maker, own->name);
	notes_fd = own_notes_open(notes, true, err);
	if (notes_fd < 0)
		return notes_fd;
	r = make_with_note(own, notes_fd, err);
	close(notes_fd);
	return r;
}

int own_cgroup_remove(struct own_cgroup *own, struct error *err)
{
	uint64_t removed;
	struct stat is;
	int r, notes;

	if (own->fd < 0)
		return 0;
	if (fstat(own->fd, &is) < 0)
		r = error_set_at(err, -errno, own->hierarchy->mount, 0, 0, "cannot look at %s: %s",
				 own->name, strerror(errno));
	else
		r = remove_tree(own->hierarchy->fd, own->name, &is, &removed, err);
	if (!r) {
		r = own->said.enabled ? take_back(own->hierarchy, err) : 0;
		notes = own_notes_open(own->notes, false, NULL);
		if (notes >= 0) {
			unlinkat(notes, own->name, 0);
			close(notes);
		}
	}
	close_own(own);
	return r;
}

/* One pass over what earlier runs left. */
struct cleaning {
	const struct hierarchy *hierarchy;
	int notes; /* -1: there are none */
	dev_t dev;
	struct maker self;
	bool dry;
};

static bool is_self(const struct cleaning *cleaning, const struct maker *maker)
{
	return maker->pid == cleaning->self.pid && maker->start == cleaning->self.start &&
	       !strcmp(maker->boot, cleaning->self.boot);
}

/* 0 where the directory at `fd` is the one of the note, else the reason in `why`. */
static int prove(const struct cleaning *cleaning, int fd, const struct own_note *note,
		 struct stat *is, struct error *why)
{
	if (fstat(fd, is) < 0)
		return error_set(why, -errno, "cannot look at it: %s", strerror(errno));
	if (is->st_dev != cleaning->dev)
		return error_set(why, -EPERM, "another file system is mounted there");
	if (note->device != is->st_dev)
		return error_set(why, -EPERM, "its note is of another hierarchy");
	if (note->directory ? note->directory == is->st_ino
			    : is->st_uid == geteuid() && has_directories(fd) == 0)
		return 0;
	return error_set(why, -EPERM, "its note is of another directory of that name");
}

/* Its directory is gone. In `why` what stays all the same. */
static void forget(const struct cleaning *cleaning, const char *name, const struct own_note *note,
		   struct error *why)
{
	if (cleaning->dry)
		return;
	if (note->enabled)
		take_back(cleaning->hierarchy, why);
	unlinkat(cleaning->notes, name, 0);
}

/* Of a run that is over, and whose note is ours meanwhile. */
static void clean_noted(const struct cleaning *cleaning, const char *name,
			const struct own_note *note, struct left_over *left, struct error *why)
{
	int top = cleaning->hierarchy->fd;
	int fd = openat(top, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat is;

	left->state = LEFT_NOT_OURS;
	if (fd < 0) {
		error_set(why, -errno, "it cannot be opened as a directory: %s", strerror(errno));
		return;
	}
	if (!prove(cleaning, fd, note, &is, why)) {
		left->state = LEFT_REMOVED;
		if (!cleaning->dry && remove_tree(top, name, &is, &left->cgroups, why))
			left->state = LEFT_FAILED;
		else
			forget(cleaning, name, note, why);
	}
	close(fd);
}

static void clean_one(const struct cleaning *cleaning, const char *name, const struct maker *maker,
		      struct left_over *left, struct error *why)
{
	struct own_note note;
	int fd;

	left->state = LEFT_IN_USE;
	if (is_self(cleaning, maker))
		return;
	fd = cleaning->notes < 0 ? -ENOENT : own_note_take(cleaning->notes, name, &note);
	if (fd == -EWOULDBLOCK)
		return;
	if (fd >= 0) {
		clean_noted(cleaning, name, &note, left, why);
		close(fd); /* and with it the lock */
		return;
	}
	left->state = LEFT_NOT_OURS;
	if (fd == -ENOENT)
		error_set(why, -EPERM,
			  "only its name says so, and this user has no note of it (was it made in "
			  "a container, or by another user?)");
	else
		error_set(why, fd, "its note cannot be read: %s", strerror(-fd));
}

/* Call `each` for the names of directory `fd` that look like ours. */
static int each_name(int fd, const char *path,
		     void (*each)(void *arg, const char *name, const struct maker *maker),
		     void *arg, struct error *err)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	DIR *stream = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	struct maker maker;

	if (!stream) {
		r = -errno;
		if (copy >= 0)
			close(copy);
	}
	while (stream && (errno = 0, entry = readdir(stream)))
		if (parse_name(entry->d_name, &maker))
			each(arg, entry->d_name, &maker);
	if (stream && errno)
		r = -errno;
	if (stream)
		closedir(stream);
	return r ? error_set_at(err, r, path, 0, 0, "cannot read: %s", strerror(-r)) : 0;
}

struct clean_visit {
	struct cleaning cleaning;
	void (*each)(void *arg, const struct left_over *left);
	void *arg;
};

static void visit_directory(void *arg, const char *name, const struct maker *maker)
{
	struct clean_visit *visit = arg;
	struct error why = {.text = ""};
	struct left_over left = {.name = name, .err = &why};

	clean_one(&visit->cleaning, name, maker, &left, &why);
	visit->each(visit->arg, &left);
}

/* A note whose directory is gone, or was never made. Other hierarchies have notes there as well. */
static void visit_note(void *arg, const char *name, const struct maker *maker)
{
	struct clean_visit *visit = arg;
	const struct cleaning *cleaning = &visit->cleaning;
	struct error why = {.text = ""};
	struct left_over left = {.name = name, .state = LEFT_REMOVED, .err = &why};
	struct own_note note;
	struct stat st;
	int fd;

	if (is_self(cleaning, maker))
		return;
	fd = own_note_take(cleaning->notes, name, &note);
	if (fd < 0)
		return;
	if (strcmp(maker->boot, cleaning->self.boot) != 0 || !note.device) {
		note.enabled = false;
		forget(cleaning, name, &note, &why);
	} else if (note.device == cleaning->dev &&
		   fstatat(cleaning->hierarchy->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 &&
		   errno == ENOENT) {
		forget(cleaning, name, &note, &why);
		if (note.enabled)
			visit->each(visit->arg, &left);
	}
	close(fd);
}

int own_cgroup_clean(const struct hierarchy *hierarchy, const char *notes, bool dry,
		     void (*each)(void *arg, const struct left_over *left), void *arg,
		     struct error *err)
{
	struct clean_visit visit = {{.hierarchy = hierarchy, .notes = -1, .dry = dry}, each, arg};
	struct cleaning *cleaning = &visit.cleaning;
	struct stat st;
	int r = find_self(&cleaning->self, err);

	if (r)
		return r;
	if (fstat(hierarchy->fd, &st) < 0)
		return error_set_at(err, -errno, hierarchy->mount, 0, 0, "cannot look at it: %s",
				    strerror(errno));
	cleaning->dev = st.st_dev;
	cleaning->notes = own_notes_open(notes, false, err);
	if (cleaning->notes < 0 && cleaning->notes != -ENOENT)
		return cleaning->notes;
	r = each_name(hierarchy->fd, hierarchy->mount, visit_directory, &visit, err);
	if (!r && cleaning->notes >= 0)
		r = each_name(cleaning->notes, notes, visit_note, &visit, err);
	if (cleaning->notes >= 0)
		close(cleaning->notes);
	return r;
}
