/* SPDX-License-Identifier: MIT */
/*
 * Pictures that gnuplot draws of data of ours: the one way to draw, for files beside a run and for
 * pages. Knows nothing of what is drawn.
 */
#ifndef MEMCGBENCH_REPORT_PICTURE_H
#define MEMCGBENCH_REPORT_PICTURE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

struct chart_options {
	const char *directory; /* made if it is not there */
	const char *scripts; /* a directory with scripts that replace those built in, or NULL */
	bool svg, png, dumb; /* dumb: also print to `out` for a terminal of 79 columns */
	FILE *out; /* gets the name of each file written, one a line; NULL: none */
};

struct picture {
	const char *name; /* of its files, without an ending; a word that is safe in a path */
	const char *title; /* what it shows, in a few words */
	const char *script; /* that draws it: "latency.gp" */
	void (*put_data)(const void *data, FILE *out); /* tab-separated */
	/* gnuplot commands that set what style.gp and the script need; 0 or -ENOMEM. */
	int (*put_settings)(const void *data, const char *name, FILE *out);
	/* In lines of at most `width` characters, the caller's to free; NULL: out of memory. */
	char *(*caption)(const void *data, unsigned width);
	const void *data;
};

/* A directory of scripts that replaces none of the program's own is a mistake in its name:
 * -EINVAL. NULL is fine. */
int picture_check_scripts(const char *directory, struct error *err);

/*
 * DIRECTORY/NAME.tsv (the data), NAME.gp (draws it again with plain gnuplot) and a picture of each
 * kind asked for; each file is written at once or not at all.
 * -ENOENT where gnuplot is not installed: the message says which package has it.
 */
int picture_write(const struct picture *picture, const struct chart_options *options,
		  struct error *err);

/*
 * The SVG as text, the caller's to free, drawn without title and caption (`bare` is set for the
 * scripts): the page around it says both. `narrow`: for a telephone. No file is made, so that
 * nothing can be left behind.
 */
int picture_svg(const struct picture *picture, const char *scripts, bool narrow, char **svg,
		struct error *err);

#endif
