// SPDX-License-Identifier: MIT
/*
 * A plan as a table for people, with what all points share said once above it and the reasons
 * against what is not possible below it, and as TSV for programs.
 */
#include "cli/plan.h"

#include "base/units.h"
#include "report/table.h"
#include "report/wrap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_INDENT 10
#define NOTE_INDENT 5
#define ID_INDENT   (POINT_ID_SIZE + 1)
/* A reason that names figures may differ at every point: only so many are compared with. */
#define NOTES_COMPARED 1000

static bool matters(const struct scenario *scenario, const struct parameter *parameter)
{
	for (size_t i = 0; i < scenario->nr_points; i++)
		if (parameter_matters(parameter, &scenario->points[i]))
			return true;
	return false;
}

/* The parameters of one section that all points share. Node ids that follow from the number of
 * nodes say nothing. */
static void print_section(const struct plan *plan, const char *name, size_t length, FILE *out)
{
	const struct point *first = &plan->scenario->points[0];
	char label[32], value[PARAMETER_TEXT_MAX], *text = NULL;
	const char *comma = "";
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	for (size_t k = 0; memory && k < nr_parameters; k++) {
		const struct parameter *parameter = &parameters[k];

		if (strncmp(parameter->name, name, length + 1) || plan->swept[k] ||
		    !matters(plan->scenario, parameter) ||
		    (parameter->kind == PARAMETER_NIDS && parameter_is_default(parameter, first)))
			continue;
		fprintf(memory, "%s%s %s", comma, parameter->name + length + 1,
			parameter_text(parameter, first, value));
		comma = ", ";
	}
	snprintf(label, sizeof(label), "%.*s", (int)length, name);
	if (memory && !fclose(memory) && size)
		wrap_print(out, HEAD_INDENT, label, text);
	free(text);
}

static void print_constants(const struct plan *plan, FILE *out)
{
	const char *before = "";
	size_t length = 0;

	for (size_t k = 0; k < nr_parameters; k++) {
		if (!strncmp(parameters[k].name, before, length + 1))
			continue;
		before = parameters[k].name;
		length = strcspn(before, ".");
		print_section(plan, before, length, out);
	}
}

/* Of the largest tree where trees differ. Nothing where no memcg is dying. */
static void print_dying(const struct plan *plan, FILE *out)
{
	char visible[UNIT_TEXT_MAX], dying[UNIT_TEXT_MAX];
	const struct tree_description *shown = &plan->scenario->points[0].tree;
	bool differ = false;

	for (size_t i = 1; i < plan->scenario->nr_points; i++) {
		const struct tree_description *tree = &plan->scenario->points[i].tree;

		differ |= tree->memcgs != shown->memcgs || tree->dying_ppm != shown->dying_ppm;
		if (tree_dying(tree) > tree_dying(shown))
			shown = tree;
	}
	if (tree_dying(shown))
		wrap_printf(
			out, HEAD_INDENT, "memcgs", "%s visible and %s dying%s",
			unit_format_exact(visible, UNIT_COUNT, shown->memcgs - tree_dying(shown)),
			unit_format_exact(dying, UNIT_COUNT, tree_dying(shown)),
			differ ? " where most are dying" : "");
}

static void print_head(const struct plan *plan, FILE *out)
{
	const struct scenario *scenario = plan->scenario;
	char total[UNIT_TEXT_MAX], bytes[UNIT_TEXT_MAX];

	wrap_printf(out, HEAD_INDENT, "plan", "%s%s%s", scenario->name, scenario->title ? ": " : "",
		    scenario->title ? scenario->title : "");
	wrap_printf(out, HEAD_INDENT, "for", "%s%s", plan->machine->source,
		    plan->machine->thissystem ? "" : ": planned, cannot be measured here");
	wrap_printf(out, HEAD_INDENT, "size",
		    "%zu points x %zu back ends x %" PRIu32
		    " repetitions; %zu of %zu pairs of point "
		    "and back end are possible%s",
		    scenario->nr_points, scenario->nr_backends, scenario->repetitions,
		    plan->possible, plan->possible + plan->impossible,
		    plan->impossible ? "; why the others are not stands below" : "");
	if (plan->possible)
		wrap_printf(out, HEAD_INDENT, "cost", "about %s; the largest process takes %s",
			    unit_format_time(total, plan->total_ns),
			    unit_format_bytes(bytes, (double)plan->memory_bytes));
	print_dying(plan, out);
	print_constants(plan, out);
	fputc('\n', out);
}

struct filling {
	struct table *table;
	const struct plan *plan;
	bool for_programs; /* every parameter, numbers in base units, reasons in the row */
	bool headed; /* points are headings above their rows: as columns they would be too wide */
	const struct point *point; /* of the last row */
	char **notes; /* distinct reasons; the table refers to them by number */
	size_t nr_notes, room;
};

static void add_columns(const struct filling *filling)
{
	bool tsv = filling->for_programs;
	struct table *table = filling->table;

	table_column(table, tsv ? "id" : filling->headed ? "" : "point", ALIGN_LEFT);
	for (size_t k = 0; k < nr_parameters; k++)
		if (tsv || (filling->plan->swept[k] && !filling->headed))
			table_column(table,
				     tsv ? parameters[k].name : strchr(parameters[k].name, '.') + 1,
				     parameters[k].kind == PARAMETER_NUMBER ? ALIGN_RIGHT
									    : ALIGN_LEFT);
	table_column(table, tsv ? "backend" : "back end", ALIGN_LEFT);
	table_column(table, tsv ? "memory_bytes" : "memory", ALIGN_RIGHT);
	table_column(table, tsv ? "process_ns" : "each", ALIGN_RIGHT);
	table_column(table, tsv ? "total_ns" : "in all", ALIGN_RIGHT);
	table_column(table, tsv ? "possible" : "runs", ALIGN_LEFT);
	if (tsv)
		table_column(table, "reasons", ALIGN_LEFT);
}

/* The number of a reason, from 1; 0: out of memory. */
static size_t note(struct filling *filling, const char *text)
{
	char **larger;

	for (size_t i = 0; i < filling->nr_notes && i < NOTES_COMPARED; i++)
		if (!strcmp(filling->notes[i], text))
			return i + 1;
	if (filling->nr_notes == filling->room) {
		filling->room = filling->room ? 2 * filling->room : 16;
		larger = reallocarray(filling->notes, filling->room, sizeof(*larger));
		if (!larger)
			return 0;
		filling->notes = larger;
	}
	filling->notes[filling->nr_notes] = strdup(text);
	return filling->notes[filling->nr_notes] ? ++filling->nr_notes : 0;
}

static int add_verdict(struct filling *filling, const struct pair *pair)
{
	size_t nr = pair->possible ? 0 : pair->reasons->nr, used = 0;
	char text[ERROR_LIST_MAX * (sizeof(pair->reasons->items[0].text) + 2)];

	text[0] = '\0';
	for (size_t i = 0; i < nr; i++) {
		const char *reason = pair->reasons->items[i].text;
		size_t number = filling->for_programs ? 1 : note(filling, reason);

		if (!number)
			return -ENOMEM;
		if (filling->for_programs)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 i ? "; " : "", reason);
		else
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%zu",
						 i ? ", " : "", number);
	}
	if (filling->for_programs) {
		table_cell(filling->table, "%s", pair->possible ? "yes" : "no");
		table_cell(filling->table, "%s", text);
	} else {
		table_cell(filling->table, pair->possible ? "yes" : "no: %s", text);
	}
	return 0;
}

static void add_parameters(const struct filling *filling, const struct point *point)
{
	char text[PARAMETER_TEXT_MAX];

	for (size_t k = 0; k < nr_parameters; k++) {
		if (filling->for_programs)
			table_cell(filling->table, "%s",
				   parameter_base_text(&parameters[k], point, text));
		else if (filling->plan->swept[k] && !filling->headed)
			table_cell(filling->table, "%s",
				   parameter_text(&parameters[k], point, text));
	}
}

/* "machine.skew 0, read.rows all": what tells the point from the others. -ENOMEM. */
static int add_heading(const struct filling *filling, const struct point *point)
{
	char value[PARAMETER_TEXT_MAX], *text = NULL;
	const char *comma = "";
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	for (size_t k = 0; memory && k < nr_parameters; k++) {
		if (!filling->plan->swept[k])
			continue;
		fprintf(memory, "%s%s %s", comma, parameters[k].name,
			parameter_text(&parameters[k], point, value));
		comma = ", ";
	}
	if (!memory || fclose(memory)) {
		free(text);
		return -ENOMEM;
	}
	table_heading(filling->table, ID_INDENT, point->id, text);
	free(text);
	return 0;
}

static int add_row(void *arg, const struct pair *pair)
{
	char bytes[UNIT_TEXT_MAX], one[UNIT_TEXT_MAX], all[UNIT_TEXT_MAX];
	struct filling *filling = arg;
	const struct estimate *estimate = &pair->estimate;
	double total_ns = estimate->process_ns * filling->plan->scenario->repetitions;

	if (filling->headed && filling->point != pair->point && add_heading(filling, pair->point))
		return -ENOMEM;
	filling->point = pair->point;
	table_row(filling->table);
	table_cell(filling->table, "%s", filling->headed ? "" : pair->point->id);
	add_parameters(filling, pair->point);
	table_cell(filling->table, "%s", pair->backend->name);
	if (filling->for_programs) {
		table_cell(filling->table, "%" PRIu64, estimate->memory_bytes);
		table_cell(filling->table, "%.0f", estimate->process_ns);
		table_cell(filling->table, "%.0f", total_ns);
	} else {
		table_cell(filling->table, "%s",
			   unit_format_bytes(bytes, (double)estimate->memory_bytes));
		table_cell(filling->table, "%s", unit_format_time(one, estimate->process_ns));
		table_cell(filling->table, "%s", unit_format_time(all, total_ns));
	}
	return add_verdict(filling, pair);
}

static void print_notes(const struct filling *filling, FILE *out)
{
	char label[24];

	for (size_t i = 0; i < filling->nr_notes; i++) {
		if (!i)
			fputs("\nNot possible:\n", out);
		snprintf(label, sizeof(label), "%3zu", i + 1);
		wrap_print(out, NOTE_INDENT, label, filling->notes[i]);
	}
}

static int fill(struct filling *filling)
{
	filling->table = table_new();
	add_columns(filling);
	return plan_visit(filling->plan, add_row, filling);
}

static void empty(struct filling *filling)
{
	for (size_t i = 0; i < filling->nr_notes; i++)
		free(filling->notes[i]);
	free(filling->notes);
	table_free(filling->table);
}

int plan_print_table(const struct plan *plan, FILE *out)
{
	struct filling filling = {.plan = plan};
	int code = fill(&filling);

	if (!code && table_width(filling.table) > TERMINAL_COLUMNS) {
		empty(&filling);
		filling = (struct filling){.plan = plan, .headed = true};
		code = fill(&filling);
	}
	if (!code) {
		print_head(plan, out);
		code = table_print(filling.table, out);
		print_notes(&filling, out);
	}
	empty(&filling);
	return code;
}

int plan_print_tsv(const struct plan *plan, FILE *out)
{
	struct filling filling = {.plan = plan, .for_programs = true};
	int code = fill(&filling);

	if (!code)
		code = table_print_tsv(filling.table, out);
	empty(&filling);
	return code;
}
