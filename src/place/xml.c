// SPDX-License-Identifier: MIT
/*
 * See xml.h. hwloc trusts the files it loads: a damaged one can crash it (a missing
 * attribute is enough), so a child process loads it first, and this one only what the child
 * survived.
 */
#include "place/xml.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define XML_MAX       (64u << 20)
#define TRIAL_SECONDS 20 /* the largest machines take less than one */

/* hwloc refuses what it cannot read without a word, so common faults are told apart here. */
static const char *xml_fault(const char *data)
{
	const char *topology = strstr(data, "<topology");
	const char *version;

	if (!topology)
		return "not a topology in hwloc's XML (export one with `lstopo FILE.xml`)";
	version = strstr(topology, "version=\"");
	if (version && version < topology + strcspn(topology, ">") &&
	    strtoul(version + strlen("version=\""), NULL, 10) > 2)
		return "a topology in a version of hwloc's XML that is not supported (export it "
		       "with `lstopo --export-xml-flags v2 FILE.xml`)";
	if (!strstr(topology, "</topology>"))
		return "a truncated topology: </topology> is missing";
	return "not a valid topology for this version of hwloc";
}

int xml_use(hwloc_topology_t topology, const char *data, size_t length)
{
	/* hwloc counts the NUL. */
	if (length >= INT_MAX || hwloc_topology_set_xmlbuffer(topology, data, (int)length + 1) < 0)
		return -EINVAL;
	return 0;
}

/* Whatever this process does about signals, they end the child. */
static void restore_signals(void)
{
	static const int fatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM};
	sigset_t none;

	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		signal(fatal[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the child: what is printed on the way down helps nobody. */
static int trial(const char *data, size_t length)
{
	static const struct rlimit no_core;
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	hwloc_topology_t topology;

	if (null >= 0)
		dup2(null, STDERR_FILENO);
	restore_signals();
	setrlimit(RLIMIT_CORE, &no_core);
	alarm(TRIAL_SECONDS);
	return hwloc_topology_init(&topology) < 0 || xml_use(topology, data, length) ||
	       hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) < 0 ||
	       hwloc_topology_load(topology) < 0;
}

/* Does hwloc load it, in a process that may crash? 0, 1 or -errno. */
static int try_to_load(const char *data, size_t length)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		return -errno;
	if (child == 0)
		_exit(trial(data, length));
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return status != 0;
}

int xml_read(const char *path, char **data, size_t *length, struct error *err)
{
	int r = file_read(path, XML_MAX, data, length, err);

	if (r)
		return r;
	r = *length == strlen(*data) ? try_to_load(*data, *length) : 1;
	if (r == 0)
		return 0;
	if (r < 0)
		error_set_at(err, r, path, 0, 0, "cannot try to load it: %s", strerror(-r));
	else
		r = error_set_at(err, -EINVAL, path, 0, 0, "%s", xml_fault(*data));
	free(*data);
	*data = NULL;
	return r;
}
