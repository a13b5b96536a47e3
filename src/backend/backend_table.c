// SPDX-License-Identifier: MIT
/* All back ends, in the order in which they are listed. */
#include "backend/backend_table.h"

#include <string.h>

const struct backend *const backends[] = {
	&backend_walk,
	&backend_cached,
	&backend_cached_fnptr,
	&backend_walk_415,
	&backend_walk_once,
	&backend_rstat,
	&backend_packed,
	&backend_bounded,
	&backend_kernel,
	&backend_kernel_userwalk,
	&backend_kernel_floor,
	&backend_kernel_bpfwalk,
	&backend_kernel_bpfwalk_percpu,
	NULL,
};

const struct backend *backend_find(const char *name)
{
	for (size_t i = 0; backends[i]; i++)
		if (!strcmp(backends[i]->name, name))
			return backends[i];
	return NULL;
}
