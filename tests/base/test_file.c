// SPDX-License-Identifier: MIT
/* Files are written whole or not at all, and what is no file is not turned into one. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/memcgbench-file-XXXXXX";

static int enter(void **state)
{
	(void)state;
	return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int leave(void **state)
{
	static const char *const names[] = {"file", "link", "dangling", "circle", "pipe"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(names[i]);
	/* fails where something else was left behind */
	return chdir("/") == 0 ? rmdir(directory) : -1;
}

static void assert_content(const char *path, const char *wanted)
{
	size_t length;
	char *text;

	assert_int_equal(file_read(path, 4096, &text, &length, NULL), 0);
	assert_string_equal(text, wanted);
	free(text);
}

static void new_files_have_the_usual_rights(void **state)
{
	mode_t mask = umask(027);
	struct stat st;

	(void)state;
	assert_int_equal(file_write_atomic("file", "a", 1, NULL), 0);
	umask(mask);
	assert_int_equal(stat("file", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
}

static void a_link_stays_one(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(file_write_atomic("file", "old", 3, NULL), 0);
	assert_int_equal(symlink("file", "link"), 0);
	assert_int_equal(file_write_output("link", "new", 3, NULL), 0);
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_content("file", "new");
}

static void links_to_nothing_are_replaced_and_circles_refused(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(symlink("nowhere", "dangling"), 0);
	assert_int_equal(file_write_output("dangling", "new", 3, NULL), 0);
	assert_content("dangling", "new");
	assert_int_equal(symlink("circle", "circle"), 0);
	assert_int_equal(file_write_output("circle", "new", 3, &err), -ELOOP);
	assert_string_equal(err.file, "circle");
}

static void a_pipe_is_written_to_and_stays_one(void **state)
{
	char text[8] = "";
	struct error err;
	struct stat st;
	int fd;

	(void)state;
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(file_write_output("pipe", "new", 3, &err), -ENXIO);
	assert_string_equal(err.text, "cannot open: nobody reads from it");
	fd = open("pipe", O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	assert_int_equal(file_write_output("pipe", "new", 3, &err), 0);
	assert_int_equal(read(fd, text, sizeof(text)), 3);
	assert_string_equal(text, "new");
	close(fd);
	assert_int_equal(stat("pipe", &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
}

/* By a name of its own: what is tested would otherwise replace the machine's. */
static void a_full_device_is_said(void **state)
{
	char path[64];
	struct error err;
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(file_write_output(path, "new", 3, &err), -ENOSPC);
	close(fd);
}

/* A signal that ends the program, while a file is written, again and again. */
static void signals_leave_no_half_files(void **state)
{
	(void)state;
	for (unsigned wait = 0; wait < 20; wait++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (pid == 0) {
			alarm(20);
			for (;;)
				file_write_atomic("file", "new", 3, NULL);
		}
		usleep(1000 + 100 * wait);
		kill(pid, wait % 2 ? SIGHUP : SIGINT);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
	}
	/* leave() finds what is left */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_files_have_the_usual_rights),
		cmocka_unit_test(a_link_stays_one),
		cmocka_unit_test(links_to_nothing_are_replaced_and_circles_refused),
		cmocka_unit_test(a_pipe_is_written_to_and_stays_one),
		cmocka_unit_test(a_full_device_is_said),
		cmocka_unit_test(signals_leave_no_half_files),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
