// SPDX-License-Identifier: MIT
/* See picture.h. */
#include "report/picture.h"

#include "base/file.h"
#include "report/gnuplot.h"
#include "report/source.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PICTURE_SECONDS 60
#define MAX_SCRIPT      ((size_t)1 << 20)
#define CAPTION_COLUMNS 79

/* Write DIRECTORY/NAME.ENDING and say so. */
static int put_file(const struct picture *picture, const struct chart_options *options,
		    const char *ending, const char *data, size_t length, struct error *err)
{
	char name[NAME_MAX + 1], path[PATH_MAX];
	int r;

	snprintf(name, sizeof(name), "%s.%s", picture->name, ending);
	r = join_path(path, options->directory, name, err);
	if (r)
		return r;
	r = file_write_atomic(path, data, length, err);
	if (!r && options->out)
		fprintf(options->out, "%s\n", path);
	return r;
}

static bool is_script(const struct source *source)
{
	size_t length = strlen(source->name);

	return length > 3 && !strcmp(source->name + length - 3, ".gp");
}

/* The script of that name: the caller's directory first, if it has one. Owned by the caller. */
static int load_script(const char *directory, const char *name, char **text, struct error *err)
{
	const struct source *source;
	char path[PATH_MAX];
	size_t length;

	if (directory) {
		int r = join_path(path, directory, name, err);

		if (r)
			return r;
		if (access(path, F_OK) == 0)
			return file_read(path, MAX_SCRIPT, text, &length, err);
	}
	source = source_find(name);
	if (!source)
		return error_set(err, -ENOENT, "there is no script %s", name);
	*text = strndup(source->text, source->length);
	return *text ? 0 : error_set(err, -ENOMEM, "out of memory");
}

int picture_check_scripts(const char *directory, struct error *err)
{
	char names[256] = "", path[PATH_MAX];

	if (!directory)
		return 0;
	for (const struct source *source = sources; source->name; source++) {
		size_t used = strlen(names);

		if (!is_script(source))
			continue;
		if (!join_path(path, directory, source->name, NULL) && access(path, F_OK) == 0)
			return 0;
		snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
			 source->name);
	}
	return error_set_at(err, -EINVAL, directory, 0, 0, "holds none of the scripts (%s)", names);
}

/*
 * Settings, style and the drawing script, one behind the other: a script that stands alone.
 * `more`: settings that come after the picture's own.
 */
static int make_script(const struct picture *picture, const char *scripts, const char *more,
		       char **text, size_t *length, struct error *err)
{
	char *style = NULL, *draw = NULL;
	FILE *out = NULL;
	int r = load_script(scripts, "style.gp", &style, err);

	if (!r)
		r = load_script(scripts, picture->script, &draw, err);
	if (!r) {
		out = open_memstream(text, length);
		if (out)
			r = picture->put_settings(picture->data, picture->name, out);
		if (out && !r)
			fprintf(out, "%s%s\n%s", more, style, draw);
		if (!out || fclose(out) || r)
			r = error_set(err, -ENOMEM, "out of memory");
	}
	free(style);
	free(draw);
	return r;
}

static int make_data(const struct picture *picture, char **text, size_t *length, struct error *err)
{
	FILE *out = open_memstream(text, length);

	if (out)
		picture->put_data(picture->data, out);
	if (!out || fclose(out))
		return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

static int put_sources(const struct picture *picture, const struct chart_options *options,
		       struct error *err)
{
	char *text = NULL;
	size_t length = 0;
	int r = make_data(picture, &text, &length, err);

	if (!r)
		r = put_file(picture, options, "tsv", text, length, err);
	free(text);
	text = NULL;
	if (!r)
		r = make_script(picture, options->scripts, "", &text, &length, err);
	if (!r)
		r = put_file(picture, options, "gp", text, length, err);
	free(text);
	return r;
}

/*
 * For a terminal of unknown encoding: ASCII, with one '?' for each other character; no form feed,
 * and no blanks at the ends of lines.
 */
static void put_ascii(FILE *out, const char *text)
{
	size_t blanks = 0;

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == ' ') {
			blanks++;
		} else if (c == '\n') {
			fputc(c, out);
			blanks = 0;
		} else if (c > ' ' && (c < 0x80 || c >= 0xc0)) {
			fprintf(out, "%*s%c", (int)blanks, "", c < 0x80 ? c : '?');
			blanks = 0;
		}
	}
}

static int put_dumb(const struct picture *picture, const char *drawn, FILE *out, struct error *err)
{
	char *caption = picture->caption(picture->data, CAPTION_COLUMNS);

	if (!caption)
		return error_set(err, -ENOMEM, "out of memory");
	put_ascii(out, drawn);
	fputc('\n', out);
	put_ascii(out, caption);
	fputc('\n', out);
	free(caption);
	return 0;
}

/* Whatever stands in for gnuplot in PATH may end well and print something else. */
static int check_drawn(const struct picture *picture, const char *kind, const char *data,
		       size_t length, struct error *err)
{
	static const char png[] = "\x89PNG\r\n";
	bool good = true;

	if (!strcmp(kind, "png"))
		good = length > sizeof(png) && !memcmp(data, png, sizeof(png) - 1);
	else if (!strcmp(kind, "svg"))
		good = memmem(data, length, "<svg", 4);
	if (good)
		return 0;
	return error_set(err, -EPROTO, "what gnuplot drew of %s.gp is no %s picture", picture->name,
			 kind);
}

static int draw(const struct picture *picture, const struct chart_options *options,
		const char *kind, struct error *err)
{
	char script[NAME_MAX + 1], *data = NULL;
	size_t length;
	int r;

	snprintf(script, sizeof(script), "%s.gp", picture->name);
	r = gnuplot_run(options->directory, script, kind, PICTURE_SECONDS, &data, &length, err);
	if (r)
		return r;
	r = check_drawn(picture, kind, data, length, err);
	if (!r && strcmp(kind, "dumb"))
		r = put_file(picture, options, kind, data, length, err);
	else if (!r && options->out)
		r = put_dumb(picture, data, options->out, err);
	free(data);
	return r;
}

int picture_write(const struct picture *picture, const struct chart_options *options,
		  struct error *err)
{
	int r = file_make_directories(options->directory, err);

	if (!r)
		r = put_sources(picture, options, err);
	if (!r && options->svg)
		r = draw(picture, options, "svg", err);
	if (!r && options->png)
		r = draw(picture, options, "png", err);
	if (!r && options->dumb)
		r = draw(picture, options, "dumb", err);
	return r;
}

/* A file without a name that holds the text; `path` is how a child of this process opens it. */
static int memory_file(const char *text, size_t length, char path[64], struct error *err)
{
	int fd = memfd_create("memcgbench", MFD_CLOEXEC);
	size_t done = 0;

	while (fd >= 0 && done < length) {
		ssize_t wrote = write(fd, text + done, length - done);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0) {
			int code = errno;

			close(fd);
			errno = code;
			fd = -1;
			break;
		}
		done += (size_t)wrote;
	}
	if (fd < 0)
		return error_set(err, -EIO, "cannot keep a file in memory: %s", strerror(errno));
	snprintf(path, 64, "/proc/%ld/fd/%d", (long)getpid(), fd);
	return fd;
}

/* `fds`: of data and script, to be closed by the caller. */
static int memory_sources(const struct picture *picture, const char *scripts, bool narrow,
			  int fds[2], char path[64], struct error *err)
{
	char *text = NULL, more[128];
	size_t length = 0;
	int r = make_data(picture, &text, &length, err);

	if (!r)
		r = fds[0] = memory_file(text, length, path, err);
	free(text);
	if (r < 0)
		return r;
	text = NULL;
	snprintf(more, sizeof(more), "data = '%s'\nbare = 1\nnarrow = %d\n", path, narrow);
	r = make_script(picture, scripts, more, &text, &length, err);
	if (!r)
		r = fds[1] = memory_file(text, length, path, err);
	free(text);
	return r < 0 ? r : 0;
}

int picture_svg(const struct picture *picture, const char *scripts, bool narrow, char **svg,
		struct error *err)
{
	int fds[2] = {-1, -1}, r;
	size_t length;
	char path[64];

	*svg = NULL;
	r = memory_sources(picture, scripts, narrow, fds, path, err);
	if (!r) {
		r = gnuplot_run("/", path, "svg", PICTURE_SECONDS, svg, &length, err);
		/* The name that is known outside, not that of a descriptor. */
		if (r && err && err->file[0])
			snprintf(err->file, sizeof(err->file), "%s.gp", picture->name);
	}
	if (!r)
		r = check_drawn(picture, "svg", *svg, length, err);
	if (!r && strlen(*svg) != length)
		r = error_set(err, -EPROTO, "what gnuplot drew of %s.gp is no text", picture->name);
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (r) {
		free(*svg);
		*svg = NULL;
	}
	return r;
}
