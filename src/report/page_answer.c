// SPDX-License-Identifier: MIT
/*
 * See page_parts.h: the answer in words. It says what the tables say, at the largest point of each
 * group: how long a read takes, how back ends compare, how that grows, how wrong it is.
 */
#include "report/page_html.h"
#include "report/page_parts.h"
#include "report/run_table_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMED  4 /* back ends that a sentence names; of more it names the ends */
#define MAX_GROUPS 4 /* groups that the answer goes through; the first one fully */

/* The last point with the largest value down the rows at which anything was measured; NULL: none.
 */
static const struct point_summary *largest_point(const struct run_groups *groups,
						 const struct run_group *group)
{
	const struct point_summary *found = NULL;

	for (size_t p = 0; p < group->nr_points; p++) {
		const struct point_summary *point = group->points[p];
		bool measured = false;

		for (size_t b = 0; b < point->nr_backends; b++)
			measured |= point->backends[b].median_ns > 0;
		if (measured && (!found || parameter_get(groups->row, &point->point) >=
						   parameter_get(groups->row, &found->point)))
			found = point;
	}
	return found;
}

/* The measured back ends of a point, slowest first, as indices. */
static size_t by_time(const struct point_summary *point, size_t *order)
{
	size_t nr = 0;

	for (size_t b = 0; b < point->nr_backends; b++) {
		size_t at = nr;

		if (!(point->backends[b].median_ns > 0))
			continue;
		while (at &&
		       point->backends[order[at - 1]].median_ns < point->backends[b].median_ns) {
			order[at] = order[at - 1];
			at--;
		}
		order[at] = b;
		nr++;
	}
	return nr;
}

/* "a, b and c": what goes between item i of nr and the one before. */
static const char *joint(size_t i, size_t nr)
{
	return !i ? "" : i + 1 == nr ? " and " : ", ";
}

static void say_times(const struct point_summary *point, const size_t *order, size_t nr, FILE *out)
{
	char time[UNIT_TEXT_MAX];

	fputs(" read takes ", out);
	for (size_t i = 0; i < nr; i++) {
		const struct backend_summary *s = &point->backends[order[i]];

		if (nr > MAX_NAMED && i && i + 1 < nr)
			continue;
		fputs(nr > MAX_NAMED && i ? " down to " : joint(i, nr), out);
		html_printf(out, "%s with ", unit_format_time(time, s->median_ns));
		html_printf(out, "%s", s->backend);
	}
	if (nr > MAX_NAMED)
		fprintf(out, " (%zu back ends)", nr);
	fputs(". ", out);
}

static void say_ratio(const struct backend_summary *slow, const struct backend_summary *fast,
		      FILE *out)
{
	struct ratio ratio = summary_ratio(slow, fast);
	char text[UNIT_TEXT_MAX], low[UNIT_TEXT_MAX], high[UNIT_TEXT_MAX];

	if (!ratio.pairs)
		return;
	html_printf(out, "That of %s takes ", slow->backend);
	html_printf(out, "%s times as long as that of %s", unit_format_count(text, ratio.median),
		    fast->backend);
	if (isnan(ratio.level))
		fprintf(out, " (%zu pair%s of processes: too few for an interval). ", ratio.pairs,
			ratio.pairs == 1 ? "" : "s");
	else
		fprintf(out, " (%s to %s, at %.1f %%, over %zu pairs of processes). ",
			unit_format_count(low, ratio.low), unit_format_count(high, ratio.high),
			100 * ratio.level, ratio.pairs);
}

static void say_growth(const struct run_groups *groups, size_t g, const struct point_summary *point,
		       const size_t *order, size_t nr, FILE *out)
{
	bool any = false;

	if (!run_has_slopes(groups))
		return;
	for (size_t i = 0; i < nr; i++) {
		double slope, error;

		if (nr > MAX_NAMED && i && i + 1 < nr)
			continue;
		if (run_slope(groups, g, order[i], &slope, &error) < 2 || !isfinite(slope))
			continue;
		fputs(any ? ", " : "", out);
		if (!any)
			html_printf(out, "Time grows as %s to the power of ", groups->row->name);
		/* Not "-0.00". */
		fprintf(out, "%.2f", fabs(slope) < 0.005 ? 0 : slope);
		if (isfinite(error))
			fprintf(out, " ± %.2f", error);
		html_printf(out, " with %s", point->backends[order[i]].backend);
		any = true;
	}
	if (any)
		fputs(" (1 is linear, 0 is flat). ", out);
}

static void say_error(const struct point_summary *point, const size_t *order, size_t nr, FILE *out)
{
	char error[UNIT_TEXT_MAX], bound[UNIT_TEXT_MAX];
	bool any = false;

	for (size_t i = 0; i < nr; i++) {
		const struct backend_summary *s = &point->backends[order[i]];

		if (isnan(s->error_pages) || (nr > MAX_NAMED && i && i + 1 < nr))
			continue;
		fputs(any ? "; " : "Its worst counter is off by ", out);
		any = true;
		html_printf(out, "%s pages with %s", unit_format_count(error, s->error_pages),
			    s->backend);
		if (s->error_bound_pages > 0)
			fprintf(out, ", where %s are allowed",
				unit_format_count(bound, s->error_bound_pages));
	}
	if (any)
		fputs(". ", out);
}

static void say_group(const struct run_groups *groups, size_t g, size_t *order, FILE *out)
{
	const struct run_group *group = &groups->groups[g];
	const struct point_summary *point = largest_point(groups, group);
	char *name;
	size_t nr = point ? by_time(point, order) : 0;

	fputs("<p class=\"answer\">", out);
	if (!point) {
		html_printf(out, "%s: nothing was measured.",
			    group->heading[0] ? group->heading : "All points");
	} else {
		name = point_groups_name(groups->layout, &point->point);
		html_printf(out, "%s%s%s", name && *name ? "At " : "", name ? name : "",
			    name && *name ? ", a" : "A");
		free(name);
		say_times(point, order, nr, out);
		if (nr > 1)
			say_ratio(&point->backends[order[0]], &point->backends[order[nr - 1]], out);
		if (!g) {
			say_growth(groups, g, point, order, nr, out);
			say_error(point, order, nr, out);
		}
	}
	fputs("</p>\n", out);
}

int page_answer(struct page *page, FILE *out, struct error *err)
{
	const struct run_groups *groups = page->groups;
	size_t *order;

	if (!page_any_measured(page->summary)) {
		html_element(out, "p", "Nothing was measured: there is no answer.");
		return 0;
	}
	order = calloc(backends_of(page->summary) + 1, sizeof(*order));
	if (!order)
		return error_set(err, -ENOMEM, "out of memory");
	for (size_t g = 0; g < groups->nr && g < MAX_GROUPS; g++)
		say_group(groups, g, order, out);
	free(order);
	if (groups->nr > MAX_GROUPS)
		html_element(out, "p", "%zu more combinations of parameters are in the tables.",
			     groups->nr - MAX_GROUPS);
	return 0;
}
