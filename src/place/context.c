// SPDX-License-Identifier: MIT
/*
 * The context that results carry, and what of it makes figures less trustworthy. A handful of small
 * files, read once per run: a few hundred microseconds.
 */
#include "place/host.h"
#include "place/machine.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOVERNORS_MAX 256

static json_t *string_or_null(const char *text)
{
	json_t *string = text && *text ? json_string(text) : NULL;

	return string ? string : json_null(); /* NULL also where it is not UTF-8 */
}

static json_t *line_or_null(const char *root, const char *path)
{
	char *line = host_read_line(root, path);
	json_t *string = string_or_null(line);

	free(line);
	return string;
}

static json_t *number_or_null(const char *root, const char *path)
{
	long value;

	return host_read_number(root, path, &value) ? json_integer(value) : json_null();
}

/* The governor of all CPUs, or "mixed". */
static json_t *read_governor(const char *root)
{
	char pattern[PATH_MAX], common[64] = "";
	size_t skip = root ? strlen(root) : 0;
	glob_t paths;

	if (!root ||
	    snprintf(pattern, sizeof(pattern),
		     "%s/sys/devices/system/cpu/cpufreq/policy*/scaling_governor",
		     root) >= PATH_MAX ||
	    glob(pattern, GLOB_NOSORT, NULL, &paths))
		return json_null();
	for (size_t i = 0; i < paths.gl_pathc && i < GOVERNORS_MAX; i++) {
		char *line = host_read_line(root, paths.gl_pathv[i] + skip);

		if (line && !*common)
			snprintf(common, sizeof(common), "%s", line);
		else if (line && strcmp(common, line))
			snprintf(common, sizeof(common), "mixed");
		free(line);
	}
	globfree(&paths);
	return string_or_null(common);
}

static json_t *read_turbo(const char *root)
{
	long value;

	if (host_read_number(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", &value))
		return json_boolean(!value);
	if (host_read_number(root, "/sys/devices/system/cpu/cpufreq/boost", &value))
		return json_boolean(value);
	return json_null();
}

static json_t *read_smt(const char *root)
{
	long value;

	if (host_read_number(root, "/sys/devices/system/cpu/smt/active", &value))
		return json_boolean(value);
	return json_null();
}

/* The word in brackets: "always [madvise] never". */
static json_t *read_thp(const char *root)
{
	char *line = host_read_line(root, "/sys/kernel/mm/transparent_hugepage/enabled");
	char *word = line ? strchr(line, '[') : NULL;
	json_t *thp;

	if (word) {
		word++;
		word[strcspn(word, "]")] = '\0';
	}
	thp = string_or_null(word);
	free(line);
	return thp;
}

static json_t *read_load(const char *root)
{
	char *line = host_read_line(root, "/proc/loadavg");
	double one, five, fifteen;
	json_t *load = NULL;

	if (line && sscanf(line, "%lf %lf %lf", &one, &five, &fifteen) == 3)
		load = json_pack("[f, f, f]", one, five, fifteen);
	free(line);
	return load ? load : json_null();
}

/* The share of CPU time since boot that the hypervisor gave to others. */
static json_t *read_steal(const char *root)
{
	char *line = host_read_line(root, "/proc/stat");
	unsigned long long ticks[8] = {0}, total = 0;
	json_t *steal = NULL;

	/* user nice system idle iowait irq softirq steal; guest time is part of user time. */
	if (line &&
	    sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0], &ticks[1],
		   &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]) == 8) {
		for (size_t i = 0; i < 8; i++)
			total += ticks[i];
		if (total)
			steal = json_real((double)ticks[7] / (double)total);
	}
	free(line);
	return steal ? steal : json_null();
}

static json_t *read_memory(const char *root, const char *label)
{
	char *text = host_read(root, "/proc/meminfo");
	const char *line = text ? strstr(text, label) : NULL;
	unsigned long long kib;
	json_t *bytes = NULL;

	if (line && sscanf(line + strlen(label), " %llu kB", &kib) == 1)
		bytes = json_integer((json_int_t)(kib << 10));
	free(text);
	return bytes ? bytes : json_null();
}

static json_t *hwloc_summary(const struct machine *machine)
{
	hwloc_topology_t topology = machine->topology;

	return json_sprintf("Package:%d NUMANode:%u Core:%d PU:%d",
			    hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE),
			    machine->nr_nodes, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE),
			    hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU));
}

/* What hwloc knows: true of a foreign machine as well. */
static json_t *topology_context(const struct machine *machine)
{
	hwloc_obj_t top = hwloc_get_root_obj(machine->topology);

	return json_pack(
		"{s:b, s:s, s:o, s:o, s:o, s:o, s:o, s:i, s:i}", "thissystem", machine->thissystem,
		"host_class", machine->host_class, "cpu_model",
		string_or_null(host_cpu_model(machine->topology)), "architecture",
		string_or_null(hwloc_obj_get_info_by_name(top, "Architecture")), "hwloc_version",
		string_or_null(hwloc_obj_get_info_by_name(top, "hwlocVersion")), "hwloc",
		hwloc_summary(machine), "llc_bytes",
		machine->llc_bytes ? json_integer((json_int_t)machine->llc_bytes) : json_null(),
		"online_cpus", (int)machine->nr_cpus, "possible_cpus", (int)machine->possible_cpus);
}

json_t *host_context(const struct machine *machine, const char *root)
{
	json_t *context = topology_context(machine);
	const struct {
		const char *key;
		json_t *value;
	} parts[] = {
		{"kernel", line_or_null(root, "/proc/sys/kernel/osrelease")},
		{"governor", read_governor(root)},
		{"turbo", read_turbo(root)},
		{"smt", read_smt(root)},
		{"thp", read_thp(root)},
		{"numa_balancing", number_or_null(root, "/proc/sys/kernel/numa_balancing")},
		{"aslr", number_or_null(root, "/proc/sys/kernel/randomize_va_space")},
		{"load", read_load(root)},
		{"steal", read_steal(root)},
		{"clock_source", line_or_null(root, "/sys/devices/system/clocksource/clocksource0/"
						    "current_clocksource")},
		{"memory_bytes", read_memory(root, "MemTotal:")},
		{"memory_available_bytes", read_memory(root, "MemAvailable:")},
		{"cgroup", root ? json_string(host_cgroup_version(root)) : json_null()},
		{"container", string_or_null(host_container(root))},
		{"virtualization", string_or_null(host_virtualization(root))},
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		json_object_set_new(context, parts[i].key, parts[i].value);
	return context;
}

json_t *machine_context(const struct machine *machine)
{
	return host_context(machine, machine->thissystem ? "" : NULL);
}

static void warn(json_t *warnings, json_t *sentence)
{
	json_array_append_new(warnings, sentence);
}

static void warn_about_frequency(json_t *warnings, const json_t *context)
{
	const char *governor = json_string_value(json_object_get(context, "governor"));

	if (governor && strcmp(governor, "performance"))
		warn(warnings, json_sprintf("governor is %s, not performance", governor));
	if (json_is_true(json_object_get(context, "turbo")))
		warn(warnings,
		     json_string("turbo is on: the clock depends on heat and on neighbours"));
	if (json_is_true(json_object_get(context, "smt")))
		warn(warnings, json_string("SMT is on: siblings share caches and execution units"));
}

static void warn_about_memory(json_t *warnings, const json_t *context)
{
	const char *thp = json_string_value(json_object_get(context, "thp"));
	json_int_t balancing = json_integer_value(json_object_get(context, "numa_balancing"));

	if (thp && !strcmp(thp, "always"))
		warn(warnings,
		     json_string("transparent huge pages are always on: memory that does "
				 "not refuse them has fewer TLB misses than the kernel's"));
	if (balancing)
		warn(warnings,
		     json_sprintf("numa_balancing is %d: the kernel unmaps and moves pages "
				  "while they are measured",
				  (int)balancing));
}

static void warn_about_neighbours(json_t *warnings, const struct machine *machine,
				  const json_t *context)
{
	const json_t *load = json_array_get(json_object_get(context, "load"), 0);
	const json_t *steal = json_object_get(context, "steal");
	const char *virtualization = json_string_value(json_object_get(context, "virtualization"));
	const char *clock = json_string_value(json_object_get(context, "clock_source"));

	/* One is the sweep's own process. Texts hold no measured figures, so that a run says each of
	 * them once; the figures are in the context. */
	if (json_number_value(load) > 1 + 0.5 * machine->nr_cpus)
		warn(warnings, json_sprintf("others are running: the load was above 1 + half of "
					    "the %u CPUs",
					    machine->nr_cpus));
	if (json_number_value(steal) > 0.01)
		warn(warnings, json_string("other virtual machines took more than 1 % of CPU time "
					   "since boot"));
	if (virtualization && !strcmp(virtualization, "emulated"))
		warn(warnings,
		     json_string("the machine is emulated: times say little of a real one"));
	else if (virtualization)
		warn(warnings,
		     json_sprintf("the machine is virtual (%s): neighbours and nested page "
				  "tables add to times",
				  virtualization));
	/* The clocks of the other architectures are read without a system call as well. */
	if (clock && strcmp(clock, "tsc") && strcmp(clock, "arch_sys_counter") &&
	    strcmp(clock, "timebase"))
		warn(warnings, json_sprintf("the clock source is %s, not tsc: reading the time is "
					    "slow or coarse",
					    clock));
}

json_t *machine_warnings(const struct machine *machine, const json_t *context)
{
	json_t *warnings = json_array();

	warn_about_frequency(warnings, context);
	warn_about_memory(warnings, context);
	warn_about_neighbours(warnings, machine, context);
	return warnings;
}
