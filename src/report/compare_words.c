// SPDX-License-Identifier: MIT
/* See compare_words.h: cells. */
#include "report/compare_words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From here on a factor says more than a percentage. */
#define MANIFOLD 2.0
#define FRACTION 0.1

static bool is_percentage(double change)
{
	return change < MANIFOLD - 1 && change > FRACTION - 1;
}

/* Without the sign for per cent. */
static void put_number(char *buffer, size_t size, double change)
{
	char text[UNIT_TEXT_MAX];

	if (change == 0)
		snprintf(buffer, size, "0");
	else if (isinf(change))
		snprintf(buffer, size, change > 0 ? "+inf" : "-inf");
	else if (change >= MANIFOLD - 1)
		snprintf(buffer, size, "x%s", unit_format_count(text, 1 + change));
	else if (is_percentage(change))
		snprintf(buffer, size, "%+.*f", fabs(change) < 0.0995 ? 1 : 0, 100 * change);
	else if (change <= -1)
		snprintf(buffer, size, "-100%%");
	else
		snprintf(buffer, size, "/%s", unit_format_count(text, 1 / (1 + change)));
}

const char *change_text(char buffer[CHANGE_TEXT_MAX], double change, const char *percent)
{
	char number[CHANGE_TEXT_MAX / 2];

	if (isnan(change))
		return strcpy(buffer, "-");
	put_number(number, sizeof(number), change);
	snprintf(buffer, CHANGE_TEXT_MAX, "%s%s", number, is_percentage(change) ? percent : "");
	return buffer;
}

const char *change_interval_text(char buffer[CHANGE_TEXT_MAX], const struct relative_change *change)
{
	char low[CHANGE_TEXT_MAX / 4], high[CHANGE_TEXT_MAX / 4];
	bool both = is_percentage(change->low) && is_percentage(change->high);

	if (isnan(change->low))
		return strcpy(buffer, "-");
	put_number(low, sizeof(low), change->low);
	put_number(high, sizeof(high), change->high);
	snprintf(buffer, CHANGE_TEXT_MAX, "%s%s..%s%s", low,
		 !both && is_percentage(change->low) ? "%" : "", high,
		 is_percentage(change->high) ? "%" : "");
	return buffer;
}

const char *share_text(char buffer[CHANGE_TEXT_MAX], double share, const char *percent)
{
	snprintf(buffer, CHANGE_TEXT_MAX, "%.3g%s", 100 * share, percent);
	return buffer;
}

const char *plus_minus_text(char buffer[CHANGE_TEXT_MAX], const struct compared_side *side)
{
	double most = fmax(side->high - side->median, side->median - side->low), percent;

	if (isnan(side->low) || (most > 0 && side->median == 0))
		return strcpy(buffer, "-");
	percent = most > 0 ? 100 * most / fabs(side->median) : 0;
	snprintf(buffer, CHANGE_TEXT_MAX, "%.*f%%", percent < 9.95 && percent > 0 ? 1 : 0, percent);
	return buffer;
}

const char *value_text(char buffer[UNIT_TEXT_MAX], const struct compare *compare,
		       const struct comparison *comparison, double value)
{
	return comparison->other ? unit_format_count(buffer, value)
				 : metric_text(compare->options.metric, value, buffer);
}

const char *probability_text(char buffer[CHANGE_TEXT_MAX], double p)
{
	if (isnan(p))
		return strcpy(buffer, "-");
	if (p < 0.0005)
		return strcpy(buffer, "<.001");
	snprintf(buffer, CHANGE_TEXT_MAX, "%.3f", p);
	return buffer;
}

const char *verdict_text(char buffer[CHANGE_TEXT_MAX], const struct comparison *comparison)
{
	static const char *const words[] = {
		[VERDICT_NO_DATA] = "no data",    [VERDICT_UNDECIDED] = "?",
		[VERDICT_NO_DIFFERENCE] = "same", [VERDICT_SMALL] = "small",
		[VERDICT_IMPROVEMENT] = "better", [VERDICT_REGRESSION] = "worse",
	};
	char count[UNIT_TEXT_MAX];

	if (!comparison->needed)
		return strcpy(buffer, words[comparison->verdict]);
	snprintf(buffer, CHANGE_TEXT_MAX, "need %s",
		 unit_format_count(count, (double)comparison->needed));
	return buffer;
}

const char *mover_text(const struct compare *compare, const struct comparison *ratio)
{
	struct ratio_cause cause;

	if (!ratio->other || ratio->verdict < VERDICT_IMPROVEMENT)
		return "";
	cause = compare_ratio_cause(compare, ratio);
	if (!cause.mover)
		return "";
	return cause.mover->new_cell == ratio->new_cell ? "1st " : "2nd ";
}

const char *shown_change_text(char buffer[CHANGE_TEXT_MAX], const struct comparison *comparison)
{
	if (comparison->verdict == VERDICT_UNDECIDED ||
	    comparison->verdict == VERDICT_NO_DIFFERENCE)
		return strcpy(buffer, "~");
	return change_text(buffer, comparison_change(comparison).estimate, "%");
}

/* How much the time of one back end changed by itself. */
static const char *own_change_text(const struct compare *compare, const struct record_cell *cell,
				   char buffer[CHANGE_TEXT_MAX])
{
	const struct comparison *own = compare_find(compare, cell);

	return change_text(buffer, own ? comparison_change(own).estimate : NAN, " %");
}

static char *ratio_failure(const struct compare *compare, const struct comparison *ratio)
{
	struct relative_change change = comparison_change(ratio);
	const struct record_cell *below = compare_ratio_denominator(compare, ratio);
	char amount[CHANGE_TEXT_MAX], interval[CHANGE_TEXT_MAX], base[UNIT_TEXT_MAX],
		new[UNIT_TEXT_MAX], one[CHANGE_TEXT_MAX], other[CHANGE_TEXT_MAX], *text;
	const char *name = ratio->new_cell->backend;

	if (asprintf(&text,
		     "%s / %s was %s and is %s: %s, interval %s; %s alone changed by %s, %s by %s",
		     name, ratio->other, unit_format_count(base, ratio->base.median),
		     unit_format_count(new, ratio->new.median),
		     change_text(amount, change.estimate, " %"),
		     change_interval_text(interval, &change), name,
		     own_change_text(compare, ratio->new_cell, one), ratio->other,
		     own_change_text(compare, below, other)) < 0)
		return NULL;
	return text;
}

char *gate_blind_text(const struct compare *compare)
{
	size_t processes, blind = gate_blind_ratios(compare, &processes);
	char *text;

	if (!blind)
		return NULL;
	return asprintf(&text,
			"%zu of %zu ratios could not fail alone: too few processes (%zu on each "
			"side are enough)",
			blind, compare->nr_ratios, processes) < 0
		       ? NULL
		       : text;
}

char *gate_failure_text(const struct compare *compare, const struct gate_failure *failure)
{
	const struct count_difference *count = failure->count;
	char *text, base[COUNT_TEXT_MAX], new[COUNT_TEXT_MAX];
	int length;

	switch (failure->fault) {
	case GATE_BEYOND_BOUND:
		length = asprintf(&text, "%llu cells of the text are off by more than their bound",
				  (unsigned long long)failure->cell->cells_beyond_bound);
		break;
	case GATE_UNSTABLE_COUNTS:
		length = asprintf(&text, "processes of one run count their operations differently");
		break;
	case GATE_COUNT:
		length = asprintf(&text, "%s was %s and is %s", count->name,
				  count_text(base, count->base), count_text(new, count->new));
		break;
	default:
		return ratio_failure(compare, failure->ratio);
	}
	return length < 0 ? NULL : text;
}
