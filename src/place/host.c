// SPDX-License-Identifier: MIT
/* See host.h: the readers, and what kind of host this is. */
#include "place/host.h"

#include "base/file.h"
#include "base/mountinfo.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#define HOST_FILE_MAX (4u << 20) /* /proc/cpuinfo of thousands of CPUs */

static bool host_path(char path[PATH_MAX], const char *root, const char *name)
{
	return root && snprintf(path, PATH_MAX, "%s%s", root, name) < PATH_MAX;
}

char *host_read(const char *root, const char *name)
{
	char path[PATH_MAX], *data;
	size_t length;

	if (!host_path(path, root, name) || file_read(path, HOST_FILE_MAX, &data, &length, NULL))
		return NULL;
	return data;
}

char *host_read_line(const char *root, const char *name)
{
	char *line = host_read(root, name);
	size_t length;

	if (!line)
		return NULL;
	length = strcspn(line, "\n");
	while (length && (line[length - 1] == ' ' || line[length - 1] == '\t'))
		length--;
	line[length] = '\0';
	return line;
}

bool host_read_number(const char *root, const char *name, long *value)
{
	char *line = host_read_line(root, name), *end;
	bool good;

	if (!line)
		return false;
	errno = 0;
	*value = strtol(line, &end, 10);
	good = !errno && end != line && *end == '\0';
	free(line);
	return good;
}

int host_read_list(const char *root, const char *name, hwloc_bitmap_t ids)
{
	char *line = host_read_line(root, name);
	int r = -ENOENT;

	if (line && hwloc_bitmap_list_sscanf(ids, line) == 0)
		r = 0;
	free(line);
	return r;
}

int host_read_labelled_list(const char *root, const char *name, const char *label,
			    hwloc_bitmap_t ids)
{
	char *data = host_read(root, name), *line = data;
	size_t length = strlen(label);
	int r = -ENOENT;

	while (line && strncmp(line, label, length)) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (line) {
		line += length + strspn(line + length, ": \t");
		line[strcspn(line, "\n")] = '\0';
		if (hwloc_bitmap_list_sscanf(ids, line) == 0)
			r = 0;
	}
	free(data);
	return r;
}

/* Names that hypervisors give: in the CPUID leaf, in the DMI table, in /sys/hypervisor/type. Those
 * that can mean emulation as well as virtualisation ("QEMU" in the DMI table) say no more than
 * "virtual". */
static const struct {
	const char *sign, *name;
} hypervisors[] = {
	{"KVMKVMKVM", "kvm"},
	{"TCGTCGTCGTCG", "emulated"},
	{"XenVMMXenVMM", "xen"},
	{"VMwareVMware", "vmware"},
	{"Microsoft Hv", "hyper-v"},
	{"bhyve bhyve", "bhyve"},
	{"ACRNACRNACRN", "acrn"},
	{"QNXQVMBSQG", "qnx"},
	{"SRESRESRE", "virtual"},
	{"VMware", "vmware"},
	{"Microsoft Corporation", "hyper-v"},
	{"innotek GmbH", "virtualbox"},
	{"Xen", "xen"},
	{"xen", "xen"},
	{"Amazon EC2", "virtual"},
	{"Google Compute Engine", "virtual"},
	{"KVM", "kvm"},
	{"linux,kvm", "kvm"},
	{"QEMU", "virtual"},
	{"qemu", "virtual"},
};

static const char *name_of_hypervisor(const char *sign)
{
	for (size_t i = 0; sign && i < sizeof(hypervisors) / sizeof(hypervisors[0]); i++)
		if (!strncmp(sign, hypervisors[i].sign, strlen(hypervisors[i].sign)))
			return hypervisors[i].name;
	return NULL;
}

/*
 * The hypervisor's leaf of CPUID, which needs no privilege. KVM and Xen that pretend to be Hyper-V
 * for the sake of Windows move their own leaf up by 0x100, so the last known one wins.
 */
static const char *cpuid_hypervisor(void)
{
	const char *found = NULL;
#if defined(__x86_64__) || defined(__i386__)
	for (unsigned leaf = 0x40000000; leaf <= 0x40000100; leaf += 0x100) {
		unsigned words[4] = {0};
		char sign[13] = "";
		const char *name;

		__cpuid(leaf, words[0], words[1], words[2], words[3]);
		memcpy(sign, &words[1], 12);
		name = name_of_hypervisor(sign);
		if (name)
			found = name;
	}
#endif
	return found;
}

static bool cpuinfo_says_hypervisor(const char *root)
{
	char *cpuinfo = host_read(root, "/proc/cpuinfo");
	char *flags = cpuinfo ? strstr(cpuinfo, "\nflags") : NULL;
	bool found = false;

	if (flags) {
		flags[1 + strcspn(flags + 1, "\n")] = '\0';
		found = strstr(flags, " hypervisor") != NULL;
	}
	free(cpuinfo);
	return found;
}

static const char *file_hypervisor(const char *root, bool flagged)
{
	static const struct {
		const char *path;
		bool doubtful; /* Microsoft's tablets and its virtual machines have one vendor */
	} files[] = {
		{"/sys/hypervisor/type", false},
		{"/proc/device-tree/hypervisor/compatible", false},
		{"/sys/class/dmi/id/product_name", false},
		{"/sys/class/dmi/id/sys_vendor", true},
	};
	const char *name = NULL;

	for (size_t i = 0; !name && i < sizeof(files) / sizeof(files[0]); i++) {
		char *line = host_read_line(root, files[i].path);

		if (flagged || !files[i].doubtful || (line && strncmp(line, "Microsoft", 9)))
			name = name_of_hypervisor(line);
		free(line);
	}
	return name;
}

const char *host_virtualization(const char *root)
{
	bool flagged = cpuinfo_says_hypervisor(root);
	const char *name = NULL;

	/* The instruction speaks of this machine only. */
	if (flagged && root[0] == '\0')
		name = cpuid_hypervisor();
	if (!name)
		name = file_hypervisor(root, flagged);
	if (!name && flagged)
		name = "virtual";
	return name;
}

const char *host_container(const char *root)
{
	static const struct {
		const char *file, *name;
	} marks[] = {{"/.dockerenv", "docker"},
		     {"/run/.containerenv", "podman"},
		     {"/run/systemd/container", "container"}};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (host_path(path, root, marks[i].file) && access(path, F_OK) == 0)
			return marks[i].name;
	return NULL;
}

/* Is `word` one of those in `text`, which are set apart by blanks or commas? */
static bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	while (*text) {
		size_t next = strcspn(text, ", \n");

		if (next == length && !strncmp(text, word, length))
			return true;
		text += next;
		text += *text != '\0';
	}
	return false;
}

/* The memory line of /proc/cgroups: its hierarchy (0: the unified one, or none), or -1. */
static int memory_hierarchy(const char *root)
{
	char *text = host_read(root, "/proc/cgroups");
	const char *line = text ? strstr(text, "\nmemory") : NULL;
	int hierarchy = -1, enabled = 0;

	if (line && (sscanf(line, "\nmemory %d %*d %d", &hierarchy, &enabled) != 2 || !enabled))
		hierarchy = -1;
	free(text);
	return hierarchy;
}

static bool unified_has_memory(const char *root, const char *mount_point)
{
	char path[PATH_MAX], *controllers;
	bool found;

	if (snprintf(path, sizeof(path), "%s/cgroup.controllers", mount_point) >= PATH_MAX)
		return false;
	controllers = host_read_line(root, path);
	if (!controllers)
		return memory_hierarchy(root) == 0;
	found = has_word(controllers, "memory");
	free(controllers);
	return found;
}

const char *host_cgroup_version(const char *root)
{
	char *mounts = host_read(root, "/proc/self/mountinfo"), *state = NULL;
	const char *version = "none";

	/* A container may not see the mount: the controllers' own table counts as well. */
	if (memory_hierarchy(root) > 0)
		version = "v1";
	for (char *line = mounts ? strtok_r(mounts, "\n", &state) : NULL; line;
	     line = strtok_r(NULL, "\n", &state)) {
		struct mountinfo mount;

		if (!mountinfo_parse(line, &mount))
			continue;
		if (!strcmp(mount.type, "cgroup") && mountinfo_has(mount.super, "memory"))
			version = "v1";
		else if (!strcmp(mount.type, "cgroup2") && !strcmp(version, "none") &&
			 unified_has_memory(root, mount.point))
			version = "v2";
	}
	free(mounts);
	return version;
}

const char *host_cpu_model(hwloc_topology_t topology)
{
	hwloc_obj_t machine = hwloc_get_root_obj(topology);
	hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
	const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;

	/* Without packages, hwloc says it of the machine. */
	if (!model || !*model)
		model = hwloc_obj_get_info_by_name(machine, "CPUModel");
	if (!model || !*model)
		model = hwloc_obj_get_info_by_name(machine, "Architecture");
	return model && *model ? model : "unknown CPU";
}

static void print_count(FILE *out, unsigned count, const char *what)
{
	fprintf(out, ", %u %s%s", count, what, count == 1 ? "" : "s");
}

char *host_class(const struct machine *machine, const char *root)
{
	hwloc_obj_t package = hwloc_get_obj_by_type(machine->topology, HWLOC_OBJ_PACKAGE, 0);
	const char *number = package ? hwloc_obj_get_info_by_name(package, "CPUModelNumber") : NULL;
	int packages = hwloc_get_nbobjs_by_type(machine->topology, HWLOC_OBJ_PACKAGE);
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return NULL;
	fputs(host_cpu_model(machine->topology), out);
	/* Hypervisors hide the model's name, seldom its number. */
	if (number)
		fprintf(out, " (model %s)", number);
	if (packages > 0)
		print_count(out, (unsigned)packages, "socket");
	print_count(out, machine->nr_nodes, "node");
	print_count(out, machine->nr_cpus, "CPU");
	if (root) {
		const char *virtualization = host_virtualization(root);

		if (virtualization)
			fprintf(out, ", %s", virtualization);
		fprintf(out, ", cgroup %s", host_cgroup_version(root));
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
