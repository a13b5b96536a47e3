/* SPDX-License-Identifier: MIT */
/*
 * One line of /proc/PID/mountinfo (proc(5)):
 *
 *     35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
 *
 * Unlike /proc/mounts it says which part of a file system is mounted, and of which device.
 */
#ifndef MEMCGBENCH_BASE_MOUNTINFO_H
#define MEMCGBENCH_BASE_MOUNTINFO_H

#include <stdbool.h>

#define MOUNTINFO "/proc/self/mountinfo"

/* All parts lie in the line. Blanks and such, which are written as \040, are themselves again. */
struct mountinfo {
	unsigned major, minor; /* of the device: st_dev of the directory there */
	const char *root; /* the directory of the file system that is mounted, "/" if all of it */
	const char *point;
	const char *options; /* of this mount: "rw,nosuid" */
	const char *type; /* of the file system */
	const char *super; /* options of the file system: "rw,cpu,cpuacct" */
};

/* Cut up a line without its line end. False: it is no such line. */
bool mountinfo_parse(char *line, struct mountinfo *out);
/* Is the word one of those in a list that commas separate? */
bool mountinfo_has(const char *list, const char *word);

#endif
