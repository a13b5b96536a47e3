// SPDX-License-Identifier: MIT
/* See parameter.h. The order of the table is the order in which people are shown parameters. */
#include "scenario/parameter.h"

#include "base/nearest.h"
#include "scenario/nids.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct parameter_word shape_words[] = {
	{"flat", TREE_FLAT},     {"chain", TREE_CHAIN},           {"balanced", TREE_BALANCED},
	{"random", TREE_RANDOM}, {"kubernetes", TREE_KUBERNETES}, {"systemd", TREE_SYSTEMD},
	{"slurm", TREE_SLURM},   {"captured", TREE_CAPTURED},     {NULL, 0}};
static const struct parameter_word driver_words[] = {
	{"systemd", TREE_DRIVER_SYSTEMD}, {"cgroupfs", TREE_DRIVER_CGROUPFS}, {NULL, 0}};
static const struct parameter_word placement_words[] = {
	{"real", PLACEMENT_REAL}, {"fold", PLACEMENT_FOLD}, {NULL, 0}};
static const struct parameter_word page_words[] = {
	{"small", PAGES_SMALL}, {"huge", PAGES_HUGE}, {NULL, 0}};
static const struct parameter_word layout_words[] = {
	{"v5.6", LAYOUT_V5_6}, {"lean", LAYOUT_LEAN}, {NULL, 0}};
static const struct parameter_word flush_words[] = {{"v5.13", FLUSH_V5_13},
						    {"v5.16", FLUSH_V5_16},
						    {"v6.8", FLUSH_V6_8},
						    {"v6.16", FLUSH_V6_16},
						    {NULL, 0}};
static const struct parameter_word flusher_words[] = {{"none", 0}, {NULL, 0}};
static const struct parameter_word lock_words[] = {
	{"rules", FLUSH_LOCK_RULES},   {"held", FLUSH_LOCK_HELD},   {"wanted", FLUSH_LOCK_WANTED},
	{"always", FLUSH_LOCK_ALWAYS}, {"mutex", FLUSH_LOCK_MUTEX}, {NULL, 0}};
static const struct parameter_word distribution_words[] = {{"even", DISTRIBUTION_EVEN},
							   {"zipf", DISTRIBUTION_ZIPF},
							   {"captured", DISTRIBUTION_CAPTURED},
							   {NULL, 0}};
static const struct parameter_word hot_node_words[] = {{"none", 0}, {NULL, 0}};
static const struct parameter_word file_words[] = {
	{"memory.numa_stat", READ_NUMA_STAT}, {"memory.stat", READ_MEMORY_STAT}, {NULL, 0}};
static const struct parameter_word version_words[] = {{"v1", READ_V1}, {"v2", READ_V2}, {NULL, 0}};
static const struct parameter_word cgroup_words[] = {
	{"root", TARGET_ROOT}, {"middle", TARGET_MIDDLE},   {"leaf", TARGET_LEAF},
	{"all", TARGET_ALL},   {"machine", TARGET_MACHINE}, {NULL, 0}};
static const struct parameter_word pacing_words[] = {{"closed", 0}, {NULL, 0}};
static const struct parameter_word churn_words[] = {{"none", 0}, {NULL, 0}};
static const struct parameter_word cache_words[] = {
	{"hot", CACHE_HOT}, {"cold", CACHE_COLD}, {NULL, 0}};
static const struct parameter_word form_words[] = {
	{"text", FORM_TEXT}, {"counts", FORM_COUNTS}, {NULL, 0}};
static const struct parameter_word rows_words[] = {
	{"all", ROWS_ALL}, {"hierarchical", ROWS_HIERARCHICAL}, {NULL, 0}};
static const struct parameter_word text_words[] = {
	{"seq_printf", TEXT_SEQ_PRINTF}, {"fast", TEXT_FAST}, {NULL, 0}};

static const struct parameter_word buffer_words[] = {
	{"reopened", BUFFER_REOPENED}, {"kept", BUFFER_KEPT}, {"large", BUFFER_LARGE}, {NULL, 0}};
static const struct parameter_word with_words[] = {{"none", WITH_NONE},
						   {"cpu.stat", WITH_CPU_STAT},
						   {"memory.stat", WITH_MEMORY_STAT},
						   {NULL, 0}};
static const struct parameter_word mix_words[] = {{"page", MIX_PAGE},   {"huge", MIX_HUGE},
						  {"lru", MIX_LRU},     {"migrate", MIX_MIGRATE},
						  {"mixed", MIX_MIXED}, {NULL, 0}};
static const struct parameter_word write_target_words[] = {
	{"all", WRITE_ALL}, {"own", WRITE_OWN}, {"one", WRITE_ONE}, {NULL, 0}};
static const struct parameter_word harm_time_words[] = {{"none", 0}, {NULL, 0}};
static const struct parameter_word harm_limit_words[] = {{"none", 0}, {NULL, 0}};
static const struct parameter_word harm_kind_words[] = {
	{"anon", HARM_ANON}, {"file", HARM_FILE}, {NULL, 0}};

/* Enumerations are stored as 32-bit numbers: parameter_get() and _set() count on it. */
_Static_assert(sizeof(enum tree_shape) == sizeof(uint32_t), "enumerations take 32 bits");
_Static_assert(sizeof(unsigned) == sizeof(uint32_t), "bit sets take 32 bits");

#define FIELD(member) \
	.offset = offsetof(struct point, member), .size = sizeof(((struct point *)NULL)->member)
#define NUMBER(key, member, units, initial, least, most)                                          \
	.name = key, .kind = PARAMETER_NUMBER, FIELD(member), .unit = units, .fallback = initial, \
	.min = least, .max = most
#define WORD(key, member, list, initial)                                                        \
	.name = key, .kind = PARAMETER_WORD, FIELD(member), .words = list, .fallback = initial, \
	.max = UINT32_MAX

/* JSON numbers are doubles to many who read them: whole ones are exact up to 2^53. */
#define SEED_MAX 9007199254740991u
#define HOUR     3600000000000u

const struct parameter parameters[] = {
	{WORD("tree.shape", tree.shape, shape_words, TREE_BALANCED), .in_id = true,
	 .help = "flat, chain, balanced (filled level by level), random; or as kubernetes, systemd "
		 "or "
		 "slurm grow them; or captured, from tree.file"},
	{NUMBER("tree.memcgs", tree.memcgs, UNIT_COUNT, 0, 1, 4000000), .in_id = true,
	 .required = true, .help = "memory cgroups below the root of the tree"},
	{NUMBER("tree.fanout", tree.fanout, UNIT_COUNT, 10, 1, 65535), .in_id = true,
	 .help = "most children of one memcg, in balanced and random trees; most containers of a "
		 "pod, "
		 "apps of a session, steps of a job"},
	{NUMBER("tree.dying", tree.dying_ppm, UNIT_SHARE, 0, 0, 1000000), .in_id = true,
	 .help = "share of the memcgs that are removed but still hold pages"},
	{NUMBER("tree.seed", tree.seed, UNIT_COUNT, 1, 0, SEED_MAX), .in_id = true,
	 .help = "shapes trees that are drawn, and chooses who is dying"},
	{WORD("tree.driver", tree.driver, driver_words, TREE_DRIVER_SYSTEMD), .in_id = true,
	 .quiet = true, .help = "who names the cgroups of kubernetes trees"},

	{.name = "tree.file",
	 .kind = PARAMETER_FILE,
	 FIELD(tree.file_hash),
	 .in_id = true,
	 .quiet = true,
	 .help = "of captured trees: what `memcgbench capture` wrote; beside the scenario"},

	{NUMBER("machine.nodes", machine.nodes, UNIT_COUNT, 1, 1, MAX_NODES), .in_id = true,
	 .help = "NUMA nodes with memory, or `here`"},
	{.name = "machine.node_ids",
	 .kind = PARAMETER_NIDS,
	 FIELD(machine.nids),
	 .in_id = true,
	 .help = "their ids, \"0,8,252-255\"; 0 and up by default"},
	{NUMBER("machine.cpus", machine.cpus, UNIT_COUNT, 1, 1, MAX_CPUS), .in_id = true,
	 .help = "possible CPUs, or `here`"},
	{WORD("machine.placement", machine.placement, placement_words, PLACEMENT_FOLD),
	 .in_id = true, .help = "real: a real node for each; fold: round robin on what there is"},
	{WORD("machine.pages", machine.pages, page_words, PAGES_SMALL), .in_id = true,
	 .help = "size of the pages that hold the counters"},
	{WORD("machine.layout", machine.layout, layout_words, LAYOUT_V5_6), .in_id = true,
	 .help = "v5.6: the blocks of Linux 5.6; lean: local blocks only"},
	{NUMBER("machine.skew", machine.skew, UNIT_BYTES, 0, 0, 1024 * 1024), .in_id = true,
	 .help = "bytes between the starts of per-CPU areas, modulo the page size"},

	{NUMBER("counters.batch", counters.batch, UNIT_COUNT, 32, 0, 1024 * 1024), .in_id = true,
	 .help = "pages that a CPU may hold back, MEMCG_CHARGE_BATCH"},
	{NUMBER("counters.pages", counters.pages, UNIT_COUNT, 25000, 0, 4000000000), .in_id = true,
	 .help = "pages charged to each memcg"},
	{NUMBER("counters.spread.cpus", counters.spread_cpus, UNIT_COUNT, 2, 1, MAX_CPUS),
	 .in_id = true, .help = "CPUs that each memcg was charged from"},
	{NUMBER("counters.spread.nodes", counters.spread_nodes, UNIT_COUNT, 1, 1, MAX_NODES),
	 .in_id = true, .help = "nodes that each memcg's pages lie on"},
	{WORD("counters.flush", counters.flush, flush_words, FLUSH_V6_8), .in_id = true,
	 .quiet = true,
	 .help = "by which kernel's rules rstat flushes; nothing to other back ends"},
	{WORD("counters.lock", counters.lock, lock_words, FLUSH_LOCK_RULES), .in_id = true,
	 .quiet = true,
	 .help = "rstat's flush lock: as the rules have it; held; given up between CPUs where "
		 "wanted, or always; a mutex"},
	{NUMBER("counters.flusher", counters.flusher_ns, UNIT_TIME, 0, 100000, HOUR),
	 .words = flusher_words, .in_id = true, .quiet = true,
	 .help = "none, or the period of a thread that flushes from the root; the kernel's is 2s"},
	{NUMBER("counters.error", counters.error_ppm, UNIT_SHARE, 10000, 0, 1000000), .in_id = true,
	 .quiet = true,
	 .help = "share of its value that a cell of bounded may be off; nothing to other back "
		 "ends"},
	{WORD("counters.distribution", counters.distribution, distribution_words,
	      DISTRIBUTION_EVEN),
	 .in_id = true, .quiet = true,
	 .help = "even: as many pages in each memcg; zipf: the r-th largest has 1/r of the "
		 "largest; captured: as in tree.file"},
	{NUMBER("counters.hot_node", counters.hot_ppm, UNIT_SHARE, 0, 1, 1000000),
	 .words = hot_node_words, .in_id = true, .quiet = true,
	 .help = "none, or the share of each memcg's pages that lies on node 0 whatever the "
		 "spread"},

	{WORD("read.file", read.file, file_words, READ_NUMA_STAT), .in_id = true,
	 .help = "the file that is read"},
	{WORD("read.version", read.version, version_words, READ_V1), .in_id = true, .quiet = true,
	 .help = "as which version of cgroups prints it; `here`: this machine's"},
	{WORD("read.cgroup", read.cgroup, cgroup_words, TARGET_ROOT), .in_id = true,
	 .help = "root, middle or leaf of the tree made, all of its files, or the machine's root"},
	{NUMBER("read.readers", read.readers, UNIT_COUNT, 1, 1, MAX_CPUS), .in_id = true,
	 .help = "threads that read at the same time"},
	{NUMBER("read.samples", read.samples, UNIT_COUNT, 200, 5, 10000000), .single = true,
	 .help = "samples per process, over its readers"},
	{NUMBER("read.time", read.time_ns, UNIT_TIME, 2000000000, 1000, HOUR), .single = true,
	 .help = "cap of a process's timed part"},
	{NUMBER("read.pacing", read.pacing_ns, UNIT_TIME, 0, 1000, HOUR), .words = pacing_words,
	 .in_id = true, .help = "closed: back to back; else the time between starts of samples"},
	{WORD("read.cache", read.cache, cache_words, CACHE_HOT), .in_id = true,
	 .help = "cold: caches are evicted before each sample"},
	{WORD("read.form", read.form, form_words, FORM_TEXT), .in_id = true,
	 .help = "text as the file prints it, or bare counts"},
	{WORD("read.rows", read.rows, rows_words, ROWS_ALL), .in_id = true,
	 .help = "all rows, or the hierarchical ones only"},
	{WORD("read.text", read.text, text_words, TEXT_SEQ_PRINTF), .in_id = true,
	 .help = "a print per cell as in the kernel, or fast digits"},
	{WORD("read.buffer", read.buffer, buffer_words, BUFFER_REOPENED), .in_id = true,
	 .quiet = true,
	 .help = "of text: 4 KiB that double, the file being shown again, at each read, once for a "
		 "descriptor that is kept, or never"},
	{NUMBER("read.spills", read.spills, UNIT_COUNT, 0, 0, 1000), .in_id = true, .quiet = true,
	 .help = "spills made in the tree before each sample, untimed"},
	{WORD("read.with", read.with, with_words, WITH_NONE), .in_id = true, .quiet = true,
	 .help = "none, or cpu.stat or memory.stat: the same memcg's, before each file, in the "
		 "same read"},

	{NUMBER("write.writers", write.writers, UNIT_COUNT, 0, 0, MAX_CPUS), .in_id = true,
	 .help = "threads that update the counters meanwhile"},
	{WORD("write.mix", write.mix, mix_words, MIX_PAGE), .in_id = true,
	 .help = "page, huge: charge and uncharge; lru, migrate: move; mixed: all"},
	{NUMBER("write.rate", write.rate, UNIT_COUNT, 0, 1, 1000000000), .words = pacing_words,
	 .in_id = true, .help = "closed: back to back; else updates per second of each writer"},
	{WORD("write.target", write.target, write_target_words, WRITE_ALL), .in_id = true,
	 .help = "memcgs: all, each writer its own, or one leaf for all writers"},
	{NUMBER("write.churn", write.churn, UNIT_COUNT, 0, 1, 1000000), .words = churn_words,
	 .in_id = true, .quiet = true,
	 .help = "memcgs that are created, charged and removed per second"},
	{NUMBER("write.linger", write.linger, UNIT_COUNT, 0, 0, 1000000), .in_id = true,
	 .quiet = true, .help = "of these, so many are dying at a time, before they are removed"},

	{NUMBER("harm.time", harm.time_ns, UNIT_TIME, 0, 100000000, HOUR), .words = harm_time_words,
	 .in_id = true, .quiet = true,
	 .help = "none, or how long it is looked at what others suffer without reads, and as long "
		 "with them"},
	{NUMBER("harm.tasks", harm.tasks, UNIT_COUNT, 1, 0, 1000), .in_id = true, .quiet = true,
	 .help = "tasks that charge pages to leaves meanwhile; models have none"},
	{NUMBER("harm.pages", harm.pages, UNIT_COUNT, 256, 1, 1000000), .in_id = true,
	 .quiet = true, .help = "of each task, charged and uncharged in rounds"},
	{NUMBER("harm.limit", harm.limit_ppm, UNIT_SHARE, 0, 1, 1000000), .words = harm_limit_words,
	 .in_id = true, .quiet = true,
	 .help = "none, or the share of its pages that a task's memcg may hold, so that they are "
		 "reclaimed"},
	{WORD("harm.kind", harm.kind, harm_kind_words, HARM_ANON), .in_id = true, .quiet = true,
	 .help = "of these pages: anonymous, or of a file"},
};
const size_t nr_parameters = sizeof(parameters) / sizeof(parameters[0]);
_Static_assert(sizeof(parameters) / sizeof(parameters[0]) <= MAX_PARAMETERS, "too many");

const struct parameter *parameter_find(const char *name, size_t length)
{
	for (size_t i = 0; i < nr_parameters; i++)
		if (strlen(parameters[i].name) == length &&
		    !memcmp(parameters[i].name, name, length))
			return &parameters[i];
	return NULL;
}

uint64_t parameter_get(const struct parameter *parameter, const struct point *point)
{
	const unsigned char *field = (const unsigned char *)point + parameter->offset;
	uint32_t narrow;
	uint64_t wide;

	if (parameter->kind == PARAMETER_NIDS)
		return 0;
	if (parameter->size == sizeof(narrow)) {
		memcpy(&narrow, field, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, field, sizeof(wide));
	return wide;
}

void parameter_set(const struct parameter *parameter, struct point *point, uint64_t value)
{
	unsigned char *field = (unsigned char *)point + parameter->offset;
	uint32_t narrow = (uint32_t)value;

	if (parameter->size == sizeof(narrow))
		memcpy(field, &narrow, sizeof(narrow));
	else
		memcpy(field, &value, sizeof(value));
}

uint64_t parameter_fallback(const struct parameter *parameter, const struct point *point)
{
	uint64_t limit = UINT64_MAX;

	if (parameter->offset == offsetof(struct point, counters.spread_cpus))
		limit = point->machine.cpus;
	if (parameter->offset == offsetof(struct point, counters.spread_nodes))
		limit = point->machine.nodes;
	return parameter->fallback < limit ? parameter->fallback : limit;
}

bool parameter_is_default(const struct parameter *parameter, const struct point *point)
{
	if (parameter->kind == PARAMETER_NIDS)
		return nids_are_plain(point->machine.nids, point->machine.nodes);
	return parameter_get(parameter, point) == parameter_fallback(parameter, point);
}

/* What a captured tree, and captured charges, have of their own. */
static bool is_captured(const struct parameter *parameter, const struct point *point)
{
	if (parameter->offset == offsetof(struct point, tree.fanout))
		return point->tree.shape == TREE_CAPTURED;
	if (parameter->offset == offsetof(struct point, counters.pages) ||
	    parameter->offset == offsetof(struct point, counters.spread_nodes))
		return point->counters.distribution == DISTRIBUTION_CAPTURED;
	return false;
}

bool parameter_matters(const struct parameter *parameter, const struct point *point)
{
	bool of_writers = !strncmp(parameter->name, "write.", strlen("write."));

	if (is_captured(parameter, point))
		return false;
	if (of_writers && !parameter->quiet &&
	    parameter->offset != offsetof(struct point, write.writers))
		return point->write.writers > 0;
	return !parameter->quiet || !parameter_is_default(parameter, point);
}

static const char *find_word(const struct parameter *parameter, uint64_t value)
{
	for (const struct parameter_word *word = parameter->words; word && word->word; word++)
		if (word->value == value)
			return word->word;
	return NULL;
}

const char *parameter_text(const struct parameter *parameter, const struct point *point,
			   char buffer[PARAMETER_TEXT_MAX])
{
	uint64_t value = parameter_get(parameter, point);
	const char *word = find_word(parameter, value);

	if (parameter->kind == PARAMETER_NIDS)
		nids_format(point->machine.nids, point->machine.nodes, buffer, PARAMETER_TEXT_MAX);
	else if (parameter->kind == PARAMETER_FILE)
		snprintf(buffer, PARAMETER_TEXT_MAX, value ? "%016" PRIx64 : "none", value);
	else if (word)
		snprintf(buffer, PARAMETER_TEXT_MAX, "%s", word);
	else
		unit_format_exact(buffer, parameter->unit, value);
	return buffer;
}

const char *parameter_base_text(const struct parameter *parameter, const struct point *point,
				char buffer[PARAMETER_TEXT_MAX])
{
	uint64_t value = parameter_get(parameter, point);
	int length;

	if (parameter->kind != PARAMETER_NUMBER)
		return parameter_text(parameter, point, buffer);
	if (parameter->unit != UNIT_SHARE) {
		snprintf(buffer, PARAMETER_TEXT_MAX, "%" PRIu64, value);
		return buffer;
	}
	length = snprintf(buffer, PARAMETER_TEXT_MAX, "%" PRIu64 ".%06" PRIu64, value / 1000000,
			  value % 1000000);
	while (buffer[length - 1] == '0')
		buffer[--length] = '\0';
	if (buffer[length - 1] == '.')
		buffer[length - 1] = '\0';
	return buffer;
}

/* "hot, cold", "1 to 8192", "closed, or 1us to 3600s" */
static void describe_allowed(const struct parameter *parameter, char *buffer, size_t size)
{
	char low[UNIT_TEXT_MAX], high[UNIT_TEXT_MAX];
	size_t used = 0;

	buffer[0] = '\0';
	for (const struct parameter_word *word = parameter->words; word && word->word; word++)
		used += (size_t)snprintf(buffer + used, size - used, "%s%s", used ? ", " : "",
					 word->word);
	if (parameter->kind != PARAMETER_NUMBER)
		return;
	unit_format_exact(low, parameter->unit, parameter->min);
	unit_format_exact(high, parameter->unit, parameter->max);
	if (parameter->min == parameter->max)
		snprintf(buffer + used, size - used, "only %s", low);
	else
		snprintf(buffer + used, size - used, "%s%s to %s", used ? ", or " : "", low, high);
}

/* "none", or the hash of its content in 16 hex digits. */
static int parse_hash(const struct parameter *parameter, const char *text, size_t length,
		      uint64_t *value, struct error *err)
{
	char digits[17];

	*value = 0;
	if (length == strlen("none") && !memcmp(text, "none", length))
		return 0;
	if (length == sizeof(digits) - 1) {
		memcpy(digits, text, length);
		digits[length] = '\0';
		if (strspn(digits, "0123456789abcdef") == length)
			*value = strtoull(digits, NULL, 16);
	}
	return *value ? 0
		      : error_set(err, -EINVAL, "%s: not a hash (16 hex digits, or none)",
				  parameter->name);
}

int parameter_parse(const struct parameter *parameter, const char *text, size_t length,
		    uint64_t *value, struct error *err)
{
	int shown = length > 40 ? 40 : (int)length, code;
	struct nearest nearest = {.word = text, .length = length};
	char allowed[200];
	const char *why;

	if (parameter->kind == PARAMETER_FILE)
		return parse_hash(parameter, text, length, value, err);
	describe_allowed(parameter, allowed, sizeof(allowed));
	for (const struct parameter_word *word = parameter->words; word && word->word; word++) {
		if (strlen(word->word) == length && !memcmp(word->word, text, length)) {
			*value = word->value;
			return 0;
		}
		nearest_offer(&nearest, word->word, strlen(word->word));
	}
	if (parameter->kind == PARAMETER_WORD && nearest.best)
		return error_set(err, -EINVAL, "%s: '%.*s' is not known, did you mean '%s' (%s)?",
				 parameter->name, shown, text, nearest.best, allowed);
	if (parameter->kind == PARAMETER_WORD)
		return error_set(err, -EINVAL, "%s: '%.*s' is not known (%s)", parameter->name,
				 shown, text, allowed);

	code = unit_parse(text, length, parameter->unit, value, &why);
	if (code == -EINVAL)
		return error_set(err, code, "%s: '%.*s' is not %s (%s)", parameter->name, shown,
				 text, why, allowed);
	if (code)
		return error_set(err, code, "%s: '%.*s' is too large or not whole (%s)",
				 parameter->name, shown, text, allowed);
	if (*value < parameter->min || *value > parameter->max)
		return error_set(err, -ERANGE, "%s: '%.*s' is out of range (%s)", parameter->name,
				 shown, text, allowed);
	return 0;
}
