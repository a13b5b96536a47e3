// SPDX-License-Identifier: MIT
/*
 * `memcgbench capture`: a running machine's tree of memory cgroups, or a saved copy of its files,
 * as a file that scenarios replay. Nothing is written before all is read, so that who interrupts it
 * finds nothing half done.
 */
#include "cli/cli.h"

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "cli/capture_scenario.h"
#include "kernel/capture.h"
#include "kernel/capture_files.h"
#include "kernel/hierarchy.h"
#include "scenario/point.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* Of /proc/cgroups and the list of possible CPUs. */
#define BESIDE_MAX 65536

enum {
	OPTION_NAMES = 256,
	OPTION_FROM,
	OPTION_VERSION,
	OPTION_PAGE_SIZE,
	OPTION_CGROUP,
	OPTION_FORCE,
	OPTION_MOUNTS,
};

struct capture_arguments {
	bool names, force;
	const char *from, *cgroup, *mounts, *output;
	unsigned version; /* 0: by the files */
	uint64_t page_size;
};

static const struct argp_option options[] = {
	{"output", 'o', "NAME", 0,
	 "write NAME.tree, and NAME.yaml, a scenario that replays it (default: the tree to "
	 "standard output)",
	 0},
	{"force", OPTION_FORCE, NULL, 0, "replace files that are there", 0},
	{"names", OPTION_NAMES, NULL, 0, "keep the names of cgroups, which are hashed otherwise",
	 0},
	{"cgroup", OPTION_CGROUP, "PATH", 0,
	 "capture this cgroup and those below it (default: all of the hierarchy)", 0},
	{"from", OPTION_FROM, "DIR", 0, "read a saved copy of the files instead of this machine's",
	 0},
	{"cgroup-version", OPTION_VERSION, "1|2", 0,
	 "with --from: of cgroups (default: what the files at the top look like)", 0},
	{"page-size", OPTION_PAGE_SIZE, "BYTES", 0,
	 "with --from: of the machine they are of (default: this machine's)", 0},
	{"mounts", OPTION_MOUNTS, "FILE", 0,
	 "find the hierarchy in this table of mounts (default: " HIERARCHY_MOUNTS ")", 0},
	{0},
};

static const char doc[] =
	"Captures a machine's tree of memory cgroups: its shape, how many are dying, and the pages "
	"of each by node and LRU list. Scenarios with `tree: {shape: captured, file: NAME.tree}` "
	"replay it.\v"
	"The file holds no name of a host, user, file or process. Names of cgroups are hashed with "
	"a "
	"random key that is kept nowhere, unless --names asks for them.\n\n"
	"It only reads, and needs no more rights than that: it never writes to a cgroup.\n\n"
	"To save the files of a machine for --from (tar does not work: it believes that they are "
	"empty), with the directory of the memory hierarchy, /sys/fs/cgroup with v2, as the first "
	"one:\n\n"
	"  cd /sys/fs/cgroup/memory && mkdir /tmp/copy &&\n"
	"  find . \\( -name 'memory.*stat' -o -name cgroup.stat \\) \\\n"
	"    -exec cp --parents -t /tmp/copy {} + ;\n"
	"  cp /proc/cgroups /sys/devices/system/cpu/possible /tmp/copy\n\n"
	"The last line, which may be left out, says how many cgroups are dying (v1) and how many "
	"CPUs are possible.\n\n"
	"Exit codes: 0 fine; 2 trouble, or no memory cgroup in what was read; 3 this machine has "
	"no "
	"memory hierarchy.";

/* What fits into a scenario without quotes, a file's name and an error. */
static bool is_plain_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	if (!isalnum((unsigned char)*name))
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("._-", *name))
			return false;
	return true;
}

static uint64_t page_size_of(struct argp_state *state, const char *text)
{
	uint64_t bytes = 0;

	if (unit_parse(text, strlen(text), UNIT_BYTES, &bytes, NULL) || bytes < 1024 ||
	    bytes > 1024 * 1024 || bytes & (bytes - 1))
		argp_error(state,
			   "--page-size: '%s' is not possible (a power of two, 1KiB to 1MiB)",
			   text);
	return bytes;
}

static void check_arguments(const struct capture_arguments *arguments, struct argp_state *state)
{
	if (!arguments->from && (arguments->version || arguments->page_size))
		argp_error(state, "--cgroup-version and --page-size go with --from");
	if (arguments->from && arguments->mounts)
		argp_error(state, "--mounts finds a running machine's hierarchy: not with --from");
	if (arguments->force && !arguments->output)
		argp_error(state, "--force goes with --output");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct capture_arguments *arguments = state->input;

	switch (key) {
	case 'o':
		if (!is_plain_name(argument))
			argp_error(state,
				   "--output: '%s' is not a good name (letters, digits, `.`, `_` "
				   "and `-`, the first a letter or digit)",
				   argument);
		arguments->output = argument;
		return 0;
	case OPTION_FORCE:
		arguments->force = true;
		return 0;
	case OPTION_NAMES:
		arguments->names = true;
		return 0;
	case OPTION_FROM:
		arguments->from = argument;
		return 0;
	case OPTION_CGROUP:
		arguments->cgroup = argument;
		return 0;
	case OPTION_MOUNTS:
		arguments->mounts = argument;
		return 0;
	case OPTION_PAGE_SIZE:
		arguments->page_size = page_size_of(state, argument);
		return 0;
	case OPTION_VERSION:
		if (strcmp(argument, "1") != 0 && strcmp(argument, "2") != 0)
			argp_error(state, "--cgroup-version: '%s' is not known (1, 2)", argument);
		arguments->version = (unsigned)(*argument - '0');
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is one argument too many", argument);
		return 0;
	case ARGP_KEY_END:
		check_arguments(arguments, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {.options = options, .parser = parse, .doc = doc};

/* What is captured, and whose it is. */
struct source {
	struct hierarchy hierarchy; /* fd < 0: a copy */
	int root; /* of the hierarchy or the copy; owned where it is a copy's */
	int top; /* owned */
	const char *copy; /* DIR of --from; NULL: live */
	bool whole; /* top is the hierarchy's root */
	bool none; /* this machine has no memory hierarchy */
};

/* The third column of the controller's line. */
static uint64_t cgroups_in(const char *text)
{
	unsigned long hierarchy, nr;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "memory %lu %lu", &hierarchy, &nr) == 2)
			return nr;
	}
	return CAPTURED_UNKNOWN;
}

/* A file of this machine, or what was saved of it beside the copy: regular, as all that is read of
 * a copy. NULL: not there. */
static char *read_beside(const struct source *source, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t length;
	char *text;

	if (source->copy ? capture_read_file(source->root, slash + 1, &text, &length, NULL)
			 : file_read(path, BESIDE_MAX, &text, &length, NULL))
		return NULL;
	return text;
}

static uint64_t all_cgroups(void *arg)
{
	const struct source *source = arg;
	char *text = source->whole ? read_beside(source, "/proc/cgroups") : NULL;
	uint64_t nr = text ? cgroups_in(text) : CAPTURED_UNKNOWN;

	free(text);
	return nr;
}

static uint64_t possible_cpus(const struct source *source)
{
	char *text = read_beside(source, "/sys/devices/system/cpu/possible");
	hwloc_bitmap_t ids = hwloc_bitmap_alloc();
	int nr = -1;

	if (text)
		text[strcspn(text, "\n")] = '\0';
	if (ids && text && hwloc_bitmap_list_sscanf(ids, text) == 0)
		nr = hwloc_bitmap_weight(ids);
	hwloc_bitmap_free(ids);
	free(text);
	return nr > 0 && nr <= MAX_CPUS ? (uint64_t)nr : CAPTURED_UNKNOWN;
}

/* One name after the other, none of them a link: `path` is below the root and leads nowhere else.
 */
static int open_below(int root, const char *path, struct error *err)
{
	int fd = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	size_t length;

	for (; fd >= 0 && *path; path += length) {
		char name[CAPTURED_NAME_MAX + 1];
		int next;

		length = strcspn(path, "/");
		if (!length) {
			length = 1;
			continue;
		}
		snprintf(name, sizeof(name), "%.*s", (int)length, path);
		if (length > CAPTURED_NAME_MAX || !strcmp(name, "..")) {
			close(fd);
			return error_set(err, -EINVAL,
					 "--cgroup: '%.40s' is not a name of a cgroup", name);
		}
		next = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0)
			error_set(err, -errno, "--cgroup: cannot open '%.200s': %s", name,
				  strerror(errno));
		close(fd);
		fd = next;
		if (fd < 0)
			return -ENOENT;
	}
	return fd < 0 ? error_set(err, -errno, "cannot open: %s", strerror(errno)) : fd;
}

static bool names_something(const char *path)
{
	return path && path[strspn(path, "/.")];
}

static int open_source(const struct capture_arguments *arguments, struct source *source,
		       struct error *err)
{
	int r = 0;

	*source = (struct source){.hierarchy.fd = -1, .root = -1, .top = -1};
	source->copy = arguments->from;
	source->whole = !names_something(arguments->cgroup);
	if (source->copy) {
		source->root = open(source->copy, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (source->root < 0)
			return error_set_at(err, -errno, source->copy, 0, 0, "cannot open: %s",
					    strerror(errno));
	} else {
		r = hierarchy_find(arguments->mounts ? arguments->mounts : HIERARCHY_MOUNTS,
				   &source->hierarchy, err);
		source->none = r == -ENODEV;
		source->root = source->hierarchy.fd;
		source->whole &= !source->hierarchy.in_part;
	}
	if (r)
		return r;
	source->top = open_below(source->root, arguments->cgroup ? arguments->cgroup : "", err);
	return source->top < 0 ? source->top : 0;
}

static void close_source(struct source *source)
{
	if (source->top >= 0)
		close(source->top);
	if (source->copy && source->root >= 0)
		close(source->root);
	if (!source->copy)
		hierarchy_close(&source->hierarchy);
}

static int prepare(const struct capture_arguments *arguments, struct source *source,
		   struct capture *capture, struct error *err)
{
	long page_size = sysconf(_SC_PAGESIZE);
	int version = source->copy ? (int)arguments->version : (int)source->hierarchy.version;

	if (!version)
		version = capture_version(source->top, err);
	if (version < 0)
		return error_set_at(err, version, source->copy, 0, 0,
				    "no memory.numa_stat or memory.stat at the top that tells the "
				    "version of cgroup (--cgroup-version)");
	*capture = (struct capture){
		.top = source->top,
		.version = (unsigned)version,
		.page_size = arguments->page_size ? arguments->page_size : (uint64_t)page_size,
		.cpus = possible_cpus(source),
		.all_cgroups = all_cgroups,
		.arg = source,
		.names = arguments->names,
	};
	if (getrandom(capture->key, sizeof(capture->key), 0) == (ssize_t)sizeof(capture->key))
		return 0;
	return error_set(err, -EIO, "no random numbers for the key of the names");
}

static int make_path(const char *name, const char *suffix, char path[PATH_MAX], struct error *err)
{
	if (snprintf(path, PATH_MAX, "%s%s", name, suffix) >= PATH_MAX)
		return error_set_at(err, -ENAMETOOLONG, name, 0, 0, "the path is too long");
	return 0;
}

static int refuse_existing(const struct capture_arguments *arguments, struct error *err)
{
	static const char *const suffixes[] = {".tree", ".yaml"};
	char path[PATH_MAX];
	int r = 0;

	for (unsigned i = 0; !r && arguments->output && !arguments->force && i < 2; i++) {
		r = make_path(arguments->output, suffixes[i], path, err);
		if (!r && faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			r = error_set_at(err, -EEXIST, path, 0, 0,
					 "is there already (--force replaces it)");
	}
	return r;
}

static void write_tree(const struct captured *captured, FILE *out)
{
	char *remarks = NULL;
	size_t size;
	FILE *memory = open_memstream(&remarks, &size);

	if (memory) {
		capture_remarks_write(captured, memory);
		fclose(memory);
	}
	captured_write(captured, remarks ? remarks : "", out);
	free(remarks);
}

static int write_file(const struct capture_arguments *arguments, const char *suffix,
		      const struct captured *captured, struct error *err)
{
	const char *slash = strrchr(arguments->output, '/');
	const char *base = slash ? slash + 1 : arguments->output;
	char path[PATH_MAX], *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);
	int r = make_path(arguments->output, suffix, path, err);

	if (!memory)
		return error_set(err, -ENOMEM, "out of memory");
	if (!strcmp(suffix, ".tree"))
		write_tree(captured, memory);
	else
		capture_scenario_write(captured, base, memory);
	if (fclose(memory) && !r)
		r = error_set(err, -ENOMEM, "out of memory");
	if (!r)
		r = file_write_atomic(path, text, size, err);
	free(text);
	if (!r)
		fprintf(stderr, "memcgbench: wrote %s\n", path);
	return r;
}

static int give(const struct capture_arguments *arguments, const struct captured *captured,
		struct error *err)
{
	int r;

	if (!arguments->output) {
		write_tree(captured, stdout);
		return 0;
	}
	r = write_file(arguments, ".tree", captured, err);
	return r ? r : write_file(arguments, ".yaml", captured, err);
}

int cmd_capture(int argc, char **argv)
{
	struct capture_arguments arguments = {.names = false};
	struct captured *captured = NULL;
	struct capture capture;
	struct source source;
	struct error err;
	int r;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	r = refuse_existing(&arguments, &err);
	if (r) {
		error_print(stderr, &err);
		return cli_finish(EXIT_TROUBLE);
	}
	r = open_source(&arguments, &source, &err);
	if (!r)
		r = prepare(&arguments, &source, &capture, &err);
	if (!r)
		r = capture_tree(&capture, &captured, &err);
	if (!r) {
		capture_outcome_write(captured, capture.no_memory, &capture.first_unreadable,
				      stderr);
		r = give(&arguments, captured, &err);
	}
	captured_free(captured);
	close_source(&source);
	if (!r)
		return cli_finish(EXIT_FINE);
	error_print(stderr, &err);
	return cli_finish(source.none ? EXIT_IMPOSSIBLE : EXIT_TROUBLE);
}
