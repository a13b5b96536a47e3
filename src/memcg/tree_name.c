// SPDX-License-Identifier: MIT
/*
 * See tree_name.h. What a memcg is follows from its depth, its parent and how far behind the parent
 * it was created: tree_grow.c makes what belongs together in a row. Numbers that only have to
 * differ (uids, jobs, pids) are counted by creation order.
 */
#include "memcg/tree_name.h"

#include "base/rng.h"
#include "memcg/captured.h"
#include "memcg/tree_grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	STREAM_POD = 5, /* behind those of tree_grow.c */
	STREAM_CONTAINER = 6,
};

#define FIRST_UID 1000
#define FIRST_JOB 4000000
#define FIRST_PID 2000

static struct rng rng_of(const struct memcg_tree *tree, uint32_t memcg, uint64_t stream)
{
	return rng_for(tree->description.seed, stream, memcg);
}

/* A random UUID, version 4, its parts joined by `dash`: slices have '_', since '-' nests them. */
static void format_uid(struct rng rng, char dash, char buffer[37])
{
	uint64_t a = rng_next(&rng), b = rng_next(&rng);

	snprintf(buffer, 37, "%08x%c%04x%c4%03x%c%04x%c%012" PRIx64, (unsigned)(a >> 32), dash,
		 (unsigned)(a >> 16) & 0xffff, dash, (unsigned)a & 0xfff, dash,
		 ((unsigned)(b >> 48) & 0x3fff) | 0x8000, dash, b & 0xffffffffffffu);
}

static void name_pod(const struct memcg_tree *tree, uint32_t memcg, char *buffer)
{
	bool systemd = tree->description.driver == TREE_DRIVER_SYSTEMD;
	uint32_t parent = tree->parent[memcg];
	char uid[37];

	format_uid(rng_of(tree, memcg, STREAM_POD), systemd ? '_' : '-', uid);
	if (systemd)
		snprintf(buffer, MEMCG_NAME_MAX, "kubepods-%spod%s.slice",
			 parent == KUBE_BURSTABLE     ? "burstable-"
			 : parent == KUBE_BEST_EFFORT ? "besteffort-"
						      : "",
			 uid);
	else
		snprintf(buffer, MEMCG_NAME_MAX, "pod%s", uid);
}

static void name_container(const struct memcg_tree *tree, uint32_t memcg, char *buffer)
{
	bool systemd = tree->description.driver == TREE_DRIVER_SYSTEMD;
	struct rng rng = rng_of(tree, memcg, STREAM_CONTAINER);
	uint64_t id[4];

	for (unsigned i = 0; i < 4; i++)
		id[i] = rng_next(&rng);
	snprintf(buffer, MEMCG_NAME_MAX,
		 "%s%016" PRIx64 "%016" PRIx64 "%016" PRIx64 "%016" PRIx64 "%s",
		 systemd ? "crio-" : "", id[0], id[1], id[2], id[3], systemd ? ".scope" : "");
}

static void name_kubernetes(const struct memcg_tree *tree, uint32_t memcg, char *buffer)
{
	static const char *const fixed[][2] = {
		[KUBE_PODS] = {"kubepods.slice", "kubepods"},
		[KUBE_BEST_EFFORT] = {"kubepods-besteffort.slice", "besteffort"},
		[KUBE_BURSTABLE] = {"kubepods-burstable.slice", "burstable"},
	};

	if (memcg <= KUBE_BURSTABLE)
		snprintf(buffer, MEMCG_NAME_MAX, "%s", fixed[memcg][tree->description.driver]);
	else if (tree->parent[memcg] <= KUBE_BURSTABLE)
		name_pod(tree, memcg, buffer);
	else
		name_container(tree, memcg, buffer);
}

static const char *const boot_services[SYSTEMD_SERVICES] = {
	"systemd-journald.service",
	"systemd-udevd.service",
	"systemd-logind.service",
	"systemd-networkd.service",
	"systemd-resolved.service",
	"systemd-timesyncd.service",
	"systemd-oomd.service",
	"dbus.service",
	"polkit.service",
	"containerd.service",
	"ssh.service",
	"cron.service",
	"rsyslog.service",
	"chrony.service",
	"NetworkManager.service",
	"ModemManager.service",
	"accounts-daemon.service",
	"avahi-daemon.service",
	"bluetooth.service",
	"colord.service",
	"cups.service",
	"gdm.service",
	"udisks2.service",
	"upower.service",
};

/* Below a user's slice; `user` is that slice. */
static void name_session(uint32_t memcg, uint32_t user, char *buffer)
{
	static const char *const apps[] = {"firefox", "konsole",  "code",       "thunderbird",
					   "evince",  "nautilus", "libreoffice"};
	uint32_t uid = FIRST_UID + user - SYSTEMD_FIRST_SERVICE - SYSTEMD_SERVICES;
	uint32_t place = memcg - user;

	if (place == 0)
		snprintf(buffer, MEMCG_NAME_MAX, "user-%" PRIu32 ".slice", uid);
	else if (place == SESSION_SCOPE)
		snprintf(buffer, MEMCG_NAME_MAX, "session-%" PRIu32 ".scope", uid - FIRST_UID + 1);
	else if (place == SESSION_MANAGER)
		snprintf(buffer, MEMCG_NAME_MAX, "user@%" PRIu32 ".service", uid);
	else if (place == SESSION_INIT)
		snprintf(buffer, MEMCG_NAME_MAX, "init.scope");
	else if (place == SESSION_APPS)
		snprintf(buffer, MEMCG_NAME_MAX, "app.slice");
	else
		snprintf(buffer, MEMCG_NAME_MAX, "app-%s\\x2d%" PRIu32 ".scope",
			 apps[memcg % (sizeof(apps) / sizeof(apps[0]))], FIRST_PID + memcg);
}

static void name_systemd(const struct memcg_tree *tree, uint32_t memcg, char *buffer)
{
	static const char *const fixed[] = {
		[SYSTEMD_INIT] = "init.scope",
		[SYSTEMD_SYSTEM] = "system.slice",
		[SYSTEMD_USER] = "user.slice",
	};
	uint32_t at = memcg;

	if (memcg <= SYSTEMD_USER) {
		snprintf(buffer, MEMCG_NAME_MAX, "%s", fixed[memcg]);
	} else if (memcg < SYSTEMD_FIRST_SERVICE + SYSTEMD_SERVICES) {
		snprintf(buffer, MEMCG_NAME_MAX, "%s",
			 boot_services[memcg - SYSTEMD_FIRST_SERVICE]);
	} else if (tree->parent[memcg] == SYSTEMD_SYSTEM) {
		snprintf(buffer, MEMCG_NAME_MAX, "run-u%" PRIu32 ".service", memcg);
	} else {
		while (tree->parent[at] != SYSTEMD_USER)
			at = tree->parent[at];
		name_session(memcg, at, buffer);
	}
}

static void name_slurm(const struct memcg_tree *tree, uint32_t memcg, char *buffer)
{
	uint32_t place = memcg - tree->parent[memcg]; /* of a step, in its job */

	switch (tree->depth[memcg]) {
	case 1:
		snprintf(buffer, MEMCG_NAME_MAX, "slurm");
		break;
	case 2:
		snprintf(buffer, MEMCG_NAME_MAX, "uid_%" PRIu32, FIRST_UID + memcg - SLURM_TOP - 1);
		break;
	case 3:
		snprintf(buffer, MEMCG_NAME_MAX, "job_%" PRIu32, FIRST_JOB + memcg);
		break;
	default:
		if (place <= 2)
			snprintf(buffer, MEMCG_NAME_MAX, "step_%s",
				 place == 1 ? "extern" : "batch");
		else
			snprintf(buffer, MEMCG_NAME_MAX, "step_%" PRIu32, place - 3);
	}
}

static void name_captured(const struct memcg_tree *tree, uint32_t memcg, char *buffer)
{
	const struct captured *captured = tree->description.captured;

	if (captured->row[memcg] == CAPTURED_NO_ROW)
		snprintf(buffer, MEMCG_NAME_MAX, CAPTURED_DYING_PREFIX "%" PRIu32, memcg);
	else
		snprintf(buffer, MEMCG_NAME_MAX, "%s",
			 captured_row_name(captured, captured->row[memcg]));
}

const char *memcg_tree_name(const struct memcg_tree *tree, uint32_t memcg,
			    char buffer[MEMCG_NAME_MAX])
{
	switch (tree->description.shape) {
	case TREE_KUBERNETES:
		name_kubernetes(tree, memcg, buffer);
		break;
	case TREE_SYSTEMD:
		name_systemd(tree, memcg, buffer);
		break;
	case TREE_SLURM:
		name_slurm(tree, memcg, buffer);
		break;
	case TREE_CAPTURED:
		name_captured(tree, memcg, buffer);
		break;
	default:
		snprintf(buffer, MEMCG_NAME_MAX, "g%" PRIu32, memcg);
	}
	return buffer;
}

const char *memcg_tree_path(const struct memcg_tree *tree, uint32_t memcg, char *buffer,
			    size_t size)
{
	char name[MEMCG_NAME_MAX], *at = buffer + size - 1;

	*at = '\0';
	/* from its end, on the way up */
	for (; memcg; memcg = tree->parent[memcg]) {
		size_t length = strlen(memcg_tree_name(tree, memcg, name));
		bool slash = *at != '\0';

		if ((size_t)(at - buffer) < length + slash)
			return NULL;
		if (slash)
			*--at = '/';
		at -= length;
		memcpy(at, name, length);
	}
	return at;
}
