/* SPDX-License-Identifier: MIT */
/*
 * Notes of the directories that runs make in the hierarchy, kept where nobody else may write. A
 * note is what proves a directory to be a run's: names and attributes of cgroups can be anybody's.
 *
 * A note is there before its directory is, and goes after it. It tells the directory's device and
 * inode number as soon as there is one, so that another of the same name is not taken for it. Its
 * maker holds a lock on it for as long as it lives, whatever its pid is in the pid namespace of who
 * asks, and also from the moment before it makes anything.
 */
#ifndef MEMCGBENCH_KERNEL_OWN_NOTE_H
#define MEMCGBENCH_KERNEL_OWN_NOTE_H

#include "base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct own_note {
	uint64_t device; /* that the hierarchy is on; 0: nothing was made yet */
	uint64_t directory; /* its inode number; 0: it is about to be made */
	bool enabled; /* the hierarchy's top did not hand memory down before; see hand_down.h */
};

/* Where notes are kept: /run/memcgbench for root, below XDG_RUNTIME_DIR for others. */
int own_notes_path(char path[PATH_MAX], struct error *err);
/*
 * Open that directory, and make it where asked to. -ENOENT: there is none. -EPERM where others may
 * write to it. A descriptor.
 */
int own_notes_open(const char *path, bool make, struct error *err);
/* Could notes be written there? Makes nothing. 0, or -errno with a message. */
int own_notes_possible(const char *path, struct error *err);

/* Write a new note and lock it: a descriptor, on which own_note_write() changes it. -EEXIST. */
int own_note_make(int notes, const char *name, const struct own_note *note);
int own_note_write(int fd, const struct own_note *note);
/*
 * Lock one that another process left, and read it: a descriptor. -EWOULDBLOCK where its maker
 * lives; -ENOENT. Not for notes of this process: closing the descriptor would give up its own lock.
 */
int own_note_take(int notes, const char *name, struct own_note *note);

#endif
