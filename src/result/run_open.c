// SPDX-License-Identifier: MIT
/*
 * Which directory a run goes to is decided here and nowhere else. Numbers below a scenario's name
 * are taken by mkdir, so two programs that want one at the same time get two.
 */
#include "result/run_dir.h"

#include "base/file.h"
#include "result/document.h"
#include "result/identity.h"
#include "result/run_document.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* "NAME.json.XXXXXX", six letters or digits: what file_write_atomic() leaves when it is killed. */
static bool is_temporary(const char *name)
{
	const char *dot = strrchr(name, '.');

	if (!dot || strlen(dot) != 7 || dot - name < 5 || strncmp(dot - 5, ".json", 5))
		return false;
	for (const char *c = dot + 1; *c; c++) {
		if (!isalnum((unsigned char)*c))
			return false;
	}
	return true;
}

/* Does the directory hold anything but half-written files? With `clean` those are removed; not
 * being allowed to is no error, because nothing ever reads them. */
static int look_into(const char *path, bool clean, bool *empty, struct error *err)
{
	DIR *stream = opendir(path);
	struct dirent *entry;

	*empty = true;
	if (!stream)
		return error_set_at(err, -errno, path, 0, 0, "cannot open: %s", strerror(errno));
	while ((entry = readdir(stream))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (!is_temporary(entry->d_name))
			*empty = false;
		else if (clean)
			unlinkat(dirfd(stream), entry->d_name, 0);
	}
	closedir(stream);
	return 0;
}

int run_dir_claim(const char *path, int *fd, struct error *err)
{
	*fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0 || flock(*fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno == EWOULDBLOCK) {
		close(*fd);
		*fd = -1;
		return error_set_at(err, -EBUSY, path, 0, 0,
				    "another sweep is measuring into it right now");
	}
	close(*fd);
	*fd = -1;
	return 0;
}

/*
 * A run that is carried on keeps its identity and context, but what is said around it may be new: a
 * title, a reference, pairs that are possible now or no more.
 */
static int refresh(struct run_dir *dir, json_t *document, struct error *err)
{
	static const char *const keys[] = {"title", "references", "left_out", "label"};
	bool changed = false;
	int code;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		json_t *value = json_object_get(document, keys[i]);
		json_t *old = json_object_get(dir->run, keys[i]);

		if (!value || (old && json_equal(value, old)) ||
		    (!strcmp(keys[i], "label") && json_is_null(value)))
			continue;
		if (json_object_set(dir->run, keys[i], value) < 0)
			return error_set(err, -ENOMEM, "out of memory");
		changed = true;
	}
	run_dir_index(dir);
	if (changed)
		return run_document_write(dir->path, dir->run, err);
	if (access(dir->path, W_OK | X_OK) == 0)
		return 0;
	code = errno; /* before other files are looked at */
	if (run_dir_finished(dir))
		return 0;
	return error_set_at(err, -code, dir->path, 0, 0, "cannot write results there: %s",
			    strerror(code));
}

static int start(const char *path, json_t *document, struct run_dir **dir, struct error *err)
{
	int r = run_document_write(path, document, err);

	if (!r)
		r = run_dir_load(path, dir, err);
	if (!r)
		(*dir)->resumed = false;
	return r;
}

/* `*dir` is of the identity asked for: make it ready, or let it go. */
static int carry_on(struct run_dir **dir, json_t *document, struct error *err)
{
	bool empty;
	int claim, r;

	/* Half-written files are somebody's who is still at it, or nobody's. */
	bool ours = run_dir_claim((*dir)->path, &claim, NULL) == 0;

	r = look_into((*dir)->path, ours, &empty, err);
	if (ours && claim >= 0)
		close(claim);
	if (!r)
		r = refresh(*dir, document, err);
	if (r) {
		run_dir_free(*dir);
		*dir = NULL;
	}
	return r;
}

static int open_given(const char *path, json_t *document, struct run_dir **dir, struct error *err)
{
	char difference[700];
	struct stat st;
	bool empty;
	int r;

	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
		return error_set_at(err, -ENOTDIR, path, 0, 0, "is not a directory");
	r = file_make_directories(path, err);
	if (!r)
		r = look_into(path, false, &empty, err);
	if (r)
		return r;
	if (empty)
		return start(path, document, dir, err);
	r = run_dir_load(path, dir, err);
	if (r == -ENOENT)
		return error_set_at(err, -EEXIST, path, 0, 0,
				    "holds other things and no run: results do not go there");
	if (r)
		return r;
	if (identity_equal(json_object_get((*dir)->run, "identity"),
			   json_object_get(document, "identity"), difference, sizeof(difference)))
		return carry_on(dir, document, err);
	run_dir_free(*dir);
	*dir = NULL;
	return error_set_at(err, -EEXIST, path, 0, 0, "holds another run: %s", difference);
}

/* 0 for what is not a number of a run. */
static unsigned run_number(const char *name)
{
	size_t length = strlen(name);

	if (length < 3 || length > 9 || strspn(name, "0123456789") != length)
		return 0;
	return (unsigned)strtoul(name, NULL, 10);
}

static int newer_first(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x < y) - (x > y);
}

static int list_numbers(const char *path, unsigned **numbers, size_t *nr, struct error *err)
{
	DIR *stream = opendir(path);
	struct dirent *entry;

	*numbers = NULL;
	*nr = 0;
	if (!stream)
		return error_set_at(err, -errno, path, 0, 0, "cannot open: %s", strerror(errno));
	while ((entry = readdir(stream))) {
		unsigned number = run_number(entry->d_name), *grown;

		if (!number)
			continue;
		grown = realloc(*numbers, (*nr + 1) * sizeof(*grown));
		if (!grown) {
			closedir(stream);
			free(*numbers);
			return error_set(err, -ENOMEM, "out of memory");
		}
		*numbers = grown;
		grown[(*nr)++] = number;
	}
	closedir(stream);
	if (*nr)
		qsort(*numbers, *nr, sizeof(**numbers), newer_first);
	return 0;
}

/* The newest unfinished run of this identity, else, with `finished`, its newest finished one, else
 * NULL. Directories that are damaged or of others are passed over. */
static struct run_dir *find_run(const char *path, const unsigned *numbers, size_t nr, bool finished,
				const json_t *document)
{
	struct run_dir *found = NULL;

	for (size_t i = 0; i < nr; i++) {
		char name[16], candidate[PATH_MAX], difference[700];
		struct run_dir *dir;
		bool same;

		snprintf(name, sizeof(name), "%03u", numbers[i]);
		if (join_path(candidate, path, name, NULL) || run_dir_load(candidate, &dir, NULL))
			continue;
		same = identity_equal(json_object_get(dir->run, "identity"),
				      json_object_get(document, "identity"), difference,
				      sizeof(difference));
		if (same && !run_dir_finished(dir)) {
			run_dir_free(found);
			return dir;
		}
		if (same && finished && !found)
			found = dir;
		else
			run_dir_free(dir);
	}
	return found;
}

static int take_number(const char *path, unsigned number, json_t *document, struct run_dir **dir,
		       struct error *err)
{
	char name[16], taken[PATH_MAX];
	int r;

	for (;; number++) {
		snprintf(name, sizeof(name), "%03u", number);
		r = join_path(taken, path, name, err);
		if (r)
			return r;
		if (mkdir(taken, 0777) == 0)
			return start(taken, document, dir, err);
		if (errno != EEXIST)
			return error_set_at(err, -errno, taken, 0, 0, "cannot make: %s",
					    strerror(errno));
	}
}

static int open_numbered(const char *base, bool finished, json_t *document, struct run_dir **dir,
			 struct error *err)
{
	const char *name = json_string_value(json_at(document, "identity.scenario"));
	char path[PATH_MAX];
	unsigned *numbers;
	size_t nr;
	int r;

	r = join_path(path, base, name, err);
	if (!r)
		r = file_make_directories(path, err);
	if (!r)
		r = list_numbers(path, &numbers, &nr, err);
	if (r)
		return r;
	*dir = find_run(path, numbers, nr, finished, document);
	r = *dir ? carry_on(dir, document, err)
		 : take_number(path, nr ? numbers[0] + 1 : 1, document, dir, err);
	free(numbers);
	return r;
}

int run_dir_open(const char *out, const char *base, bool finished, json_t *document,
		 struct run_dir **dir, struct error *err)
{
	*dir = NULL;
	return out ? open_given(out, document, dir, err)
		   : open_numbered(base, finished, document, dir, err);
}
