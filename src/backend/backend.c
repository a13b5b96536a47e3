// SPDX-License-Identifier: MIT
/* What all back ends share: checking what they get, and the whole read, timed or counted. */
#include "backend/backend.h"

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

long backend_read(const struct backend *backend, void *instance, const struct read_request *request,
		  struct numa_counts *scratch, enum read_form form, enum text_style style,
		  char *buffer, size_t size)
{
	int ret;

	if (form == FORM_TEXT && backend->read_text)
		return backend->read_text(instance, request, scratch, style, buffer, size);

	ret = backend->read_counts(instance, request, scratch);
	if (ret || form == FORM_COUNTS)
		return ret;
	return numa_stat_text(scratch, request->rows, style, buffer, size);
}

int backend_count(const struct backend *backend, void *instance, const struct read_request *request,
		  struct numa_counts *scratch, enum read_form form, enum text_style style,
		  struct op_probe *probe)
{
	size_t size = numa_stat_text_max(scratch->nr_nodes);
	char *buffer;
	long length;
	int ret;

	ret = backend->count_read(instance, request, scratch, probe);
	if (ret || form == FORM_COUNTS)
		return ret;

	buffer = malloc(size);
	if (!buffer)
		return -ENOMEM;
	if (backend->read_text)
		length = backend->read_text(instance, request, scratch, style, buffer, size);
	else
		length = numa_stat_text(scratch, request->rows, style, buffer, size);
	free(buffer);
	if (length < 0)
		return (int)length;
	probe->counts.text_bytes += (uint64_t)length;
	return 0;
}
