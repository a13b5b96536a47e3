// SPDX-License-Identifier: MIT
/*
 * A measuring process, whatever becomes of it. The program under test executes itself with the
 * command `measure`, so this one is its own measurer: the request says what to do.
 */
#include "driver/child.h"

#include "driver/interrupt.h"
#include "timing/clock.h"

#include <dirent.h>
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
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static long read_oom_score(void)
{
	FILE *file = fopen("/proc/self/oom_score_adj", "re");
	long score = -1;

	if (file && fscanf(file, "%ld", &score) != 1)
		score = -1;
	if (file)
		fclose(file);
	return score;
}

/* Open descriptors above that of the answer. */
static int open_above(void)
{
	DIR *directory = opendir("/proc/self/fd");
	struct dirent *entry;
	int nr = 0;

	while (directory && (entry = readdir(directory)))
		nr += atoi(entry->d_name) > CHILD_ANSWER_FD &&
		      atoi(entry->d_name) != dirfd(directory);
	if (directory)
		closedir(directory);
	return nr;
}

static json_t *describe_myself(void)
{
	sigset_t blocked;
	int deathsig = 0;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	prctl(PR_GET_PDEATHSIG, &deathsig);
	return json_pack("{s:i, s:i, s:i, s:b, s:b}", "oom", (int)read_oom_score(), "open",
			 open_above(), "deathsig", deathsig, "blocked",
			 sigismember(&blocked, SIGINT) || sigismember(&blocked, SIGTERM), "leads",
			 getpgrp() == getpid());
}

/* In the child. */
static int act(const char *what)
{
	struct error err = {.text = ""};
	json_t *answer;
	int r;

	if (!strcmp(what, "kill"))
		raise(SIGKILL);
	if (!strcmp(what, "sleep"))
		sleep(300);
	if (!strcmp(what, "nothing"))
		return 0;
	if (!strcmp(what, "complain")) {
		for (unsigned i = 0; i < 20000; i++)
			fprintf(stderr, "noise %u\n", i);
		fprintf(stderr, "the last word\n");
		return 2;
	}
	if (!strcmp(what, "half"))
		return write(CHILD_ANSWER_FD, "{\"a\": 1", 7) == 7 ? 0 : 3;
	answer = describe_myself();
	r = child_give_answer(answer, &err);
	json_decref(answer);
	return r ? 3 : 0;
}

static int be_measurer(void)
{
	struct error err = {.text = ""};
	json_t *request = child_read_request(&err);
	const char *what = json_string_value(json_object_get(request, "do"));
	int code = what ? act(what) : 3;

	json_decref(request);
	return code;
}

static struct child_report run_child(const char *what, uint64_t limit_ns, int interrupt_fd)
{
	struct child_options options = {.limit_ns = limit_ns, .interrupt_fd = interrupt_fd};
	json_t *request = json_pack("{s:s}", "do", what);
	struct error err = {.text = ""};
	struct child_report report;

	alarm(60); /* who hangs has failed */
	if (child_run(request, &options, &report, &err))
		fail_msg("%s", err.text);
	alarm(0);
	json_decref(request);
	/* Whatever happened, nobody is left behind. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	return report;
}

#define MINUTE (60 * UINT64_C(1000000000))

static void assert_failed(const char *what, uint64_t limit_ns, const char *reason)
{
	struct child_report report = run_child(what, limit_ns, -1);

	assert_int_equal(report.outcome, CHILD_FAILED);
	assert_null(report.answer);
	if (!strstr(report.reason, reason))
		fail_msg("%s: %s", what, report.reason);
}

static long number(const json_t *answer, const char *key)
{
	return (long)json_integer_value(json_object_get(answer, key));
}

static void a_child_answers_and_is_as_it_should_be(void **state)
{
	int open_for_all = dup(STDERR_FILENO); /* without CLOEXEC */
	struct child_report report = run_child("describe", MINUTE, -1);
	long score = read_oom_score() + 200;

	assert_int_equal(report.outcome, CHILD_DONE);
	assert_true(report.wall_ns > 0);
	assert_int_equal(number(report.answer, "oom"), score > 1000 ? 1000 : score);
	assert_int_equal(number(report.answer, "open"), 0);
	assert_int_equal(number(report.answer, "deathsig"), SIGKILL);
	assert_true(json_is_false(json_object_get(report.answer, "blocked")));
	assert_true(json_is_true(json_object_get(report.answer, "leads")));
	json_decref(report.answer);
	close(open_for_all);
}

static void a_child_that_dies_leaves_a_reason(void **state)
{
	assert_failed("kill", MINUTE, "killed by signal 9");
	assert_failed("nothing", MINUTE, "ended without an answer");
	assert_failed("half", MINUTE, "ended without an answer");
	assert_failed("complain", MINUTE, "exit code 2: ");
	assert_failed("complain", MINUTE, " noise 19999 the last word");
}

static void a_child_has_a_time_limit(void **state)
{
	uint64_t begin = clock_now();

	assert_failed("sleep", 300000000, "ended by the time limit of 0.3 s");
	assert_true(clock_now() - begin < MINUTE);
}

static void a_signal_for_the_parent_ends_the_child(void **state)
{
	int fd = interrupt_open();
	struct child_report report;

	assert_true(fd >= 0);
	raise(SIGTERM);
	report = run_child("sleep", MINUTE, fd);
	assert_int_equal(report.outcome, CHILD_INTERRUPTED);
	assert_int_equal(report.signal, SIGTERM);
	assert_int_equal(interrupt_take(fd), 0);
	/* The next one runs with nothing blocked. */
	report = run_child("describe", MINUTE, fd);
	assert_int_equal(report.outcome, CHILD_DONE);
	assert_true(json_is_false(json_object_get(report.answer, "blocked")));
	json_decref(report.answer);
	close(fd);
	interrupt_unblock();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_answers_and_is_as_it_should_be),
		cmocka_unit_test(a_child_that_dies_leaves_a_reason),
		cmocka_unit_test(a_child_has_a_time_limit),
		cmocka_unit_test(a_signal_for_the_parent_ends_the_child),
	};

	if (argc == 2 && !strcmp(argv[1], "measure"))
		return be_measurer();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
