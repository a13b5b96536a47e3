// SPDX-License-Identifier: MIT
/* What all back ends share: checking what they get, and the whole read, timed or counted. */
#include "backend/backend.h"

#include "memcg/stat_text.h"

#include <errno.h>
#include <stdlib.h>

int backend_env_check(const struct backend_env *env, struct error *err)
{
	const struct point *point = env->point;

	if (point->machine.skew % sizeof(long))
		return error_set(err, -EINVAL, "machine.skew: %llu is not a multiple of %zu bytes",
				 (unsigned long long)point->machine.skew, sizeof(long));
	if (env->tree->nr != point->tree.memcgs + 1 ||
	    env->placement->nr_nodes != point->machine.nodes ||
	    env->placement->nr_cpus != point->machine.cpus)
		return error_set(err, -EINVAL, "tree or placement is not of this point");
	return 0;
}

bool backend_can_read(const struct backend *backend, const struct stat_format *format)
{
	return format->type == STAT_NUMA_V1 || backend->files & (1u << format->type);
}

uint64_t backend_bound(const struct backend *backend, const struct point *point,
		       enum numa_scope scope, unsigned row, unsigned column, uint32_t subtree,
		       uint64_t truth)
{
	const struct stat_format *format = point_format(point);

	if (backend->comparable && !backend->comparable(&format->rows[row]))
		return BOUND_NONE;
	if (format->type == STAT_NUMA_V1)
		return backend->bound(point, scope, row, column, subtree, truth);
	/* Rows of other files have one list at most. */
	if (!stat_row_lists(&format->rows[row]))
		return 0;
	return backend->bound(point, scope, NUMA_ROW_UNEVICTABLE, column, subtree, truth);
}

int backend_read_counts(const struct backend *backend, void *instance,
			const struct read_request *request, struct numa_counts *out)
{
	if (counts_are_numa_v1(out))
		return backend->read_counts(instance, request, out);
	return backend->read_stat(instance, request, out);
}

static long read_other_file(const struct backend *backend, void *instance,
			    const struct read_request *request, struct numa_counts *scratch,
			    enum read_form form, enum text_style style, char *buffer, size_t size)
{
	int ret = backend->read_stat(instance, request, scratch);

	if (ret || form == FORM_COUNTS)
		return ret;
	return stat_text(scratch, request->rows, style, buffer, size);
}

size_t backend_text_room(const struct backend *backend, const void *instance,
			 const struct numa_counts *counts)
{
	if (backend_is_printed(backend))
		return backend->text_room(instance);
	return stat_text_max(counts->format, counts->nr_nodes);
}

/* Is the text not made from the counts? */
static bool prints(const struct backend *backend, const struct numa_counts *counts)
{
	return backend->read_text && (counts_are_numa_v1(counts) || backend_is_printed(backend));
}

long backend_read(const struct backend *backend, void *instance, const struct read_request *request,
		  struct numa_counts *scratch, enum read_form form, enum text_style style,
		  char *buffer, size_t size)
{
	int ret;

	if (form == FORM_TEXT && prints(backend, scratch))
		return backend->read_text(instance, request, scratch, style, buffer, size);
	if (!counts_are_numa_v1(scratch))
		return read_other_file(backend, instance, request, scratch, form, style, buffer,
				       size);

	ret = backend->read_counts(instance, request, scratch);
	if (ret || form == FORM_COUNTS)
		return ret;
	return numa_stat_text(scratch, request->rows, style, buffer, size);
}

long backend_read_cpu_stat(const struct backend *backend, void *instance,
			   const struct read_request *request, enum read_form form,
			   enum text_style style, char *buffer, size_t size)
{
	struct cpu_stat stat;
	int ret = backend->read_cpu_stat(instance, request, &stat);

	if (ret || form == FORM_COUNTS)
		return ret;
	return cpu_stat_text(&stat, style, buffer, size);
}

int backend_count_cpu_stat(const struct backend *backend, void *instance,
			   const struct read_request *request, enum read_form form,
			   enum text_style style, struct op_probe *probe)
{
	char text[CPU_STAT_TEXT_MAX];
	struct cpu_stat stat;
	int ret = backend->count_cpu_stat(instance, request, &stat, probe);
	long length;

	if (ret || form == FORM_COUNTS)
		return ret;
	length = cpu_stat_text(&stat, style, text, sizeof(text));
	if (length < 0)
		return (int)length;
	probe->counts.text_bytes += (uint64_t)length;
	return 0;
}

void backend_forget_uncounted(const struct backend *backend, struct op_counts *counts)
{
	if (backend->uncounted & COUNTS_MEMCGS)
		counts->memcgs_visited = COUNT_UNKNOWN;
	if (backend->uncounted & COUNTS_LOADS)
		counts->loads_local = counts->loads_hierarchical = COUNT_UNKNOWN;
	if (backend->uncounted & COUNTS_OTHERS)
		counts->css_gets = counts->atomics = counts->adds = counts->items_scanned =
			counts->flushes = COUNT_UNKNOWN;
}

int backend_count(const struct backend *backend, void *instance, const struct read_request *request,
		  struct numa_counts *scratch, enum read_form form, enum text_style style,
		  struct op_probe *probe)
{
	size_t size = backend_text_room(backend, instance, scratch);
	bool numa_v1 = counts_are_numa_v1(scratch);
	char *buffer;
	long length;
	int ret;

	ret = numa_v1 ? backend->count_read(instance, request, scratch, probe)
		      : backend->count_stat(instance, request, scratch, probe);
	if (ret || form == FORM_COUNTS)
		return ret;

	buffer = malloc(size);
	if (!buffer)
		return -ENOMEM;
	if (prints(backend, scratch))
		length = backend->read_text(instance, request, scratch, style, buffer, size);
	else
		length = stat_text(scratch, request->rows, style, buffer, size);
	free(buffer);
	if (length < 0)
		return (int)length;
	probe->counts.text_bytes += (uint64_t)length;
	return 0;
}
