// SPDX-License-Identifier: MIT
/* See place.h. */
#include "place.h"

#include "kernel/remove_tree.h"

#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

int place_enter(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	*state = place;
	if (!place)
		return -1;
	strcpy(place->directory, "/dev/shm/memcgbench-own-XXXXXX");
	if (!mkdtemp(place->directory))
		return -1;
	snprintf(place->top, sizeof(place->top), "%s/cgroup", place->directory);
	snprintf(place->notes, sizeof(place->notes), "%s/notes", place->directory);
	if (mkdir(place->top, 0755) < 0)
		return -1;
	return hierarchy_open(place->top, 1, &place->hierarchy, NULL);
}

int place_leave(void **state)
{
	struct place *place = *state;
	uint64_t removed;
	int fd = open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;

	r = remove_tree(fd, place->directory + strlen("/dev/shm/"), NULL, &removed, NULL);
	close(fd);
	hierarchy_close(&place->hierarchy);
	free(place);
	return r;
}

void make_below(const char *directory, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}
