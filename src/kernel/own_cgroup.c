// SPDX-License-Identifier: MIT
/*
 * See own_cgroup.h.
 *
 * Whether a run is over is asked of the kernel, not of its name alone: it holds a lock (flock) on
 * its directory for as long as it lives, also where it lives in another pid namespace and its pid
 * says nothing here. The pid and start time cover the moment before it has that lock.
 */
#include "kernel/own_cgroup.h"

#include "base/file.h"
#include "kernel/remove_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define PREFIX      "memcgbench-"
#define BOOT_LENGTH 36
/* Of a note: the directory is about to be made; it was made by who wrote the note. */
#define NOTE_MAKING 'm'
#define NOTE_MADE   'M'

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

int own_cgroup_notes(char path[PATH_MAX], struct error *err)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	if (geteuid() == 0)
		runtime = "/run";
	else if (!runtime || *runtime != '/')
		return error_set(err, -ENOENT,
				 "XDG_RUNTIME_DIR names no directory, and notes of what is made "
				 "have no place");
	return join_path(path, runtime, "memcgbench", err);
}

/* The directory of notes, for us alone. */
static int open_notes(const char *path, bool make, struct error *err)
{
	struct stat st;
	int fd;

	if (make && mkdir(path, 0700) < 0 && errno != EEXIST)
		return error_set_at(err, -errno, path, 0, 0, "cannot make: %s", strerror(errno));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return error_set_at(err, -errno, path, 0, 0, "cannot open: %s", strerror(errno));
	if (fstat(fd, &st) < 0 || st.st_uid != geteuid() || st.st_mode & 022) {
		close(fd);
		return error_set_at(err, -EPERM, path, 0, 0,
				    "others may write there, so its notes prove nothing (it has to "
				    "be the user's own, mode 0700)");
	}
	return fd;
}

/* The first of a name is a new one: what another directory's maker has written stays. */
static int write_note(int notes, const char *name, char state)
{
	int flags = O_WRONLY | O_NOFOLLOW | O_CLOEXEC, fd, r = 0;

	if (state == NOTE_MAKING)
		flags |= O_CREAT | O_EXCL;
	fd = openat(notes, name, flags, 0600);

	if (fd < 0)
		return -errno;
	if (pwrite(fd, &state, 1, 0) != 1)
		r = errno ? -errno : -EIO;
	close(fd);
	return r;
}

/* NOTE_MAKING, NOTE_MADE; 0: there is none. */
static char read_note(int notes, const char *name)
{
	int fd = notes < 0 ? -1 : openat(notes, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char state = 0;

	if (fd < 0)
		return 0;
	if (pread(fd, &state, 1, 0) != 1)
		state = NOTE_MAKING; /* it ended before it wrote: before it made anything */
	close(fd);
	return state == NOTE_MADE ? NOTE_MADE : NOTE_MAKING;
}

/* Not every kernel keeps such attributes of a cgroup; the note is there as well. */
static int mark(int fd, const char *name)
{
	if (fsetxattr(fd, OWN_CGROUP_ATTRIBUTE, name, strlen(name), 0) == 0 ||
	    errno == EOPNOTSUPP || errno == EPERM)
		return 0;
	return -errno;
}

static bool is_marked(int fd, const char *name)
{
	char value[OWN_CGROUP_NAME_MAX];
	ssize_t length = fgetxattr(fd, OWN_CGROUP_ATTRIBUTE, value, sizeof(value));

	return length == (ssize_t)strlen(name) && !memcmp(value, name, (size_t)length);
}

/* The directory at `fd`, to be ours alone. */
static int open_own(const struct hierarchy *hierarchy, const char *name)
{
	int fd = openat(hierarchy->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		int code = -errno;

		close(fd);
		return code;
	}
	return fd;
}

static int make_noted(struct own_cgroup *own, int notes, struct error *err)
{
	const struct hierarchy *hierarchy = own->hierarchy;
	int r = write_note(notes, own->name, NOTE_MAKING);

	if (r)
		return error_set_at(err, r, own->notes, 0, 0, "cannot write a note: %s",
				    strerror(-r));
	if (mkdirat(hierarchy->fd, own->name, 0755) < 0) {
		r = error_set_at(err, -errno, hierarchy->mount, 0, 0,
				 "cannot make a cgroup there: %s", strerror(errno));
		unlinkat(notes, own->name, 0);
		return r;
	}
	r = write_note(notes, own->name, NOTE_MADE);
	if (!r) {
		own->fd = open_own(hierarchy, own->name);
		r = own->fd < 0 ? own->fd : mark(own->fd, own->name);
	}
	if (!r)
		return 0;
	unlinkat(hierarchy->fd, own->name, AT_REMOVEDIR);
	unlinkat(notes, own->name, 0);
	return error_set_at(err, r, hierarchy->mount, 0, 0, "cannot take the cgroup %s: %s",
			    own->name, strerror(-r));
}

int own_cgroup_make(const struct hierarchy *hierarchy, const char *notes, struct own_cgroup *own,
		    struct error *err)
{
	struct maker maker = {.pid = getpid()};
	int r, notes_fd;

	*own = (struct own_cgroup){.hierarchy = hierarchy, .fd = -1};
	if (snprintf(own->notes, sizeof(own->notes), "%s", notes) >= (int)sizeof(own->notes))
		return error_set(err, -ENAMETOOLONG, "the path of notes is too long");
	r = read_boot(maker.boot, err);
	if (r)
		return r;
	maker.start = start_of(maker.pid);
	if (!maker.start)
		return error_set(err, -ENOENT, "/proc does not say when this process started");
	name_of(&maker, own->name);
	notes_fd = open_notes(notes, true, err);
	if (notes_fd < 0)
		return notes_fd;
	r = make_noted(own, notes_fd, err);
	if (r && own->fd >= 0) {
		close(own->fd);
		own->fd = -1;
	}
	close(notes_fd);
	return r;
}

int own_cgroup_remove(struct own_cgroup *own, struct error *err)
{
	uint64_t removed;
	int r, notes;

	if (own->fd < 0)
		return 0;
	r = remove_tree(own->hierarchy->fd, own->name, &removed, err);
	if (!r) {
		notes = open_notes(own->notes, false, NULL);
		if (notes >= 0) {
			unlinkat(notes, own->name, 0);
			close(notes);
		}
	}
	close(own->fd);
	own->fd = -1;
	return r;
}

/* One pass over what earlier runs left. */
struct cleaning {
	const struct hierarchy *hierarchy;
	int notes; /* -1: there are none */
	dev_t dev;
	char boot[BOOT_LENGTH + 1];
	bool dry;
};

static bool is_alive(const struct cleaning *cleaning, const struct maker *maker)
{
	return !strcmp(maker->boot, cleaning->boot) && start_of(maker->pid) == maker->start;
}

/* 0 where the directory at `fd` is proved to be a run's, else the reason in `why`. */
static int prove(const struct cleaning *cleaning, int fd, const char *name, struct error *why)
{
	char note = read_note(cleaning->notes, name);
	struct stat st;

	if (fstat(fd, &st) < 0 || st.st_dev != cleaning->dev)
		return error_set(why, -EPERM, "another file system is mounted there");
	if (is_marked(fd, name) || note == NOTE_MADE)
		return 0;
	if (note == NOTE_MAKING && has_directories(fd) == 0)
		return 0;
	return error_set(why, -EPERM,
			 "only its name says so: it has no mark, and there is no note of it");
}

static void forget(const struct cleaning *cleaning, const char *name)
{
	if (cleaning->notes >= 0 && !cleaning->dry)
		unlinkat(cleaning->notes, name, 0);
}

static void clean_one(const struct cleaning *cleaning, const char *name, const struct maker *maker,
		      struct left_over *left, struct error *why)
{
	int fd = open_own(cleaning->hierarchy, name);

	left->state = LEFT_NOT_OURS;
	if (fd == -EWOULDBLOCK || is_alive(cleaning, maker)) {
		left->state = LEFT_IN_USE;
	} else if (fd < 0) {
		error_set(why, fd, "it cannot be opened as a directory: %s", strerror(-fd));
	} else if (!prove(cleaning, fd, name, why)) {
		left->state = LEFT_REMOVED;
		if (!cleaning->dry &&
		    remove_tree(cleaning->hierarchy->fd, name, &left->cgroups, why))
			left->state = LEFT_FAILED;
		else
			forget(cleaning, name);
	}
	if (fd >= 0)
		close(fd); /* and with it the lock */
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

/* A note whose directory is gone, or was never made. */
static void visit_note(void *arg, const char *name, const struct maker *maker)
{
	struct clean_visit *visit = arg;
	struct stat st;

	if (!is_alive(&visit->cleaning, maker) &&
	    fstatat(visit->cleaning.hierarchy->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 &&
	    errno == ENOENT)
		forget(&visit->cleaning, name);
}

int own_cgroup_clean(const struct hierarchy *hierarchy, const char *notes, bool dry,
		     void (*each)(void *arg, const struct left_over *left), void *arg,
		     struct error *err)
{
	struct clean_visit visit = {{.hierarchy = hierarchy, .notes = -1, .dry = dry}, each, arg};
	struct cleaning *cleaning = &visit.cleaning;
	struct stat st;
	int r = read_boot(cleaning->boot, err);

	if (r)
		return r;
	if (fstat(hierarchy->fd, &st) < 0)
		return error_set_at(err, -errno, hierarchy->mount, 0, 0, "cannot look at it: %s",
				    strerror(errno));
	cleaning->dev = st.st_dev;
	cleaning->notes = open_notes(notes, false, err);
	if (cleaning->notes < 0 && cleaning->notes != -ENOENT)
		return cleaning->notes;
	r = each_name(hierarchy->fd, hierarchy->mount, visit_directory, &visit, err);
	if (!r && cleaning->notes >= 0)
		r = each_name(cleaning->notes, notes, visit_note, &visit, err);
	if (cleaning->notes >= 0)
		close(cleaning->notes);
	return r;
}
