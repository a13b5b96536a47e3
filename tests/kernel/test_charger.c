// SPDX-License-Identifier: MIT
/* The task that holds the charged pages: for as long as it is asked to, and it is known whether. */
#include "kernel/charger.h"

#include "kernel/page_file.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const struct charger_pages room = {.anon = 10, .file = 10};

static void start(struct charger *charger, const char *const *directories)
{
	struct error err;
	int r = charger_start(&room, directories, charger, &err);

	if (r)
		fail_msg("%d: %s", r, err.text);
}

static void one_that_was_killed_is_found_out(void **state)
{
	struct charger charger;
	struct error err;
	siginfo_t info;

	(void)state;
	start(&charger, page_file_directories);
	assert_int_equal(charger_check(&charger, &err), 0);
	assert_int_equal(kill(charger.pid, SIGKILL), 0);
	assert_int_equal(waitid(P_PID, (id_t)charger.pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(charger_check(&charger, &err), -ECHILD);
	assert_non_null(strstr(err.text, "has ended"));
	assert_int_equal(charger_check(&charger, &err), -ECHILD);
	charger_stop(&charger);
}

/* A terminal's or timeout(1)'s, for all of a group: whoever started it takes care of it. */
static void signals_to_the_group_do_not_end_it(void **state)
{
	static const int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	struct charger charger;
	struct error err;

	(void)state;
	start(&charger, page_file_directories);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		assert_int_equal(kill(charger.pid, signals[i]), 0);
	/* It answers, and so has seen them. */
	assert_int_equal(charger_drain(&charger, (unsigned)sched_getcpu(), &err), 0);
	assert_int_equal(charger_check(&charger, &err), 0);
	charger_stop(&charger);
	assert_int_equal(charger.pid, 0);
}

static void a_directory_that_is_missing_is_passed_over(void **state)
{
	const char *const directories[] = {"/nowhere/at/all", "/dev/shm", "/var/tmp", "/tmp", NULL};
	struct charger charger;

	(void)state;
	start(&charger, directories);
	charger_stop(&charger);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_that_was_killed_is_found_out),
		cmocka_unit_test(signals_to_the_group_do_not_end_it),
		cmocka_unit_test(a_directory_that_is_missing_is_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
