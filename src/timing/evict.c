// SPDX-License-Identifier: MIT
/*
 * Makes a set of cache lines cold again, as they are for a reader that polls once a second.
 *
 * First each line of the set is flushed from all levels: exact, and quick next to writing through
 * a last-level cache of a hundred megabytes. Then a buffer is swept that is larger than the
 * second-level cache and spans more pages than translation buffers hold, so that code, stack and
 * translations, which no set of data lines names, are gone from near caches too.
 */
#include "timing/lines.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define MIB             ((size_t)1024 * 1024)
#define SWEEP_MIN       (16 * MIB) /* 4096 pages of 4 KiB: twice the largest translation buffers */
#define LLC_NOT_KNOWN   (64 * MIB) /* taken where neither caller nor system knows better */
#define METHOD_TEXT_MAX 64

enum flush_method {
	FLUSH_NONE,
	FLUSH_CLFLUSH,
	FLUSH_CLFLUSHOPT,
	FLUSH_CIVAC,
};

static const char *const flush_names[] = {
	[FLUSH_NONE] = NULL,
	[FLUSH_CLFLUSH] = "clflush",
	[FLUSH_CLFLUSHOPT] = "clflushopt",
	[FLUSH_CIVAC] = "dc civac",
};

struct evictor {
	const struct line_set *set;
	enum flush_method flush;
	unsigned char *sweep;
	size_t sweep_bytes;
	char method[METHOD_TEXT_MAX];
};

#if defined(__x86_64__)

static enum flush_method flush_method(void)
{
	unsigned eax, ebx, ecx, edx;

	if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & bit_CLFLUSHOPT))
		return FLUSH_CLFLUSHOPT;
	if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) && (edx & (1u << 19)))
		return FLUSH_CLFLUSH;
	return FLUSH_NONE;
}

static void flush_weakly(void *arg, void *line)
{
	__asm__ volatile("clflushopt %0" : "+m"(*(volatile char *)line));
}

static void flush_line(void *arg, void *line)
{
	__asm__ volatile("clflush %0" : "+m"(*(volatile char *)line));
}

static void flush_set(const struct evictor *evictor)
{
	line_set_each(evictor->set, evictor->flush == FLUSH_CLFLUSHOPT ? flush_weakly : flush_line,
		      NULL);
	/* clflushopt is ordered by fences only: no flush may be left over for the next sample. */
	__asm__ volatile("mfence" : : : "memory");
}

#elif defined(__aarch64__)

/* Linux lets user code flush (SCTLR_EL1.UCI). */
static enum flush_method flush_method(void)
{
	return FLUSH_CIVAC;
}

static void flush_line(void *arg, void *line)
{
	size_t step = *(const size_t *)arg;

	for (size_t i = 0; i < LINE_BYTES; i += step)
		__asm__ volatile("dc civac, %0" : : "r"((char *)line + i) : "memory");
}

static void flush_set(const struct evictor *evictor)
{
	uint64_t ctr;
	size_t step;

	/* CTR_EL0.DminLine: log2 of the words in the smallest data line of the system. */
	__asm__ volatile("mrs %0, ctr_el0" : "=r"(ctr));
	step = (size_t)4 << ((ctr >> 16) & 0xf);
	line_set_each(evictor->set, flush_line, &step);
	__asm__ volatile("dsb ish" : : : "memory");
}

#else

static enum flush_method flush_method(void)
{
	return FLUSH_NONE;
}

static void flush_set(const struct evictor *evictor)
{
}

#endif

static size_t cache_bytes(int name)
{
	long bytes = sysconf(name);

	return bytes > 0 ? (size_t)bytes : 0;
}

static size_t sweep_bytes(bool flushes, uint64_t llc_bytes)
{
	size_t bytes;

	if (flushes) {
		bytes = 2 * cache_bytes(_SC_LEVEL2_CACHE_SIZE);
	} else {
		bytes = llc_bytes ? (size_t)llc_bytes : cache_bytes(_SC_LEVEL3_CACHE_SIZE);
		bytes = 2 * (bytes ? bytes : LLC_NOT_KNOWN);
	}
	if (bytes < SWEEP_MIN)
		return SWEEP_MIN;
	return (bytes + MIB - 1) / MIB * MIB;
}

/* One write a line, of a value that changes: a dirty line has to displace another. */
static void sweep(const struct evictor *evictor)
{
	volatile unsigned char *buffer = evictor->sweep;

	for (size_t i = 0; i < evictor->sweep_bytes; i += LINE_BYTES)
		buffer[i]++;
}

struct evictor *evictor_new(const struct line_set *set, uint64_t llc_bytes)
{
	struct evictor *evictor = calloc(1, sizeof(*evictor));
	const char *name;

	if (!evictor)
		return NULL;
	evictor->set = set;
	evictor->flush = set ? flush_method() : FLUSH_NONE;
	evictor->sweep_bytes = sweep_bytes(evictor->flush != FLUSH_NONE, llc_bytes);
	evictor->sweep = mmap(NULL, evictor->sweep_bytes, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (evictor->sweep == MAP_FAILED) {
		free(evictor);
		return NULL;
	}
	/* With huge pages 16 MiB would be eight translations. A kernel without them refuses: fine.
	 */
	madvise(evictor->sweep, evictor->sweep_bytes, MADV_NOHUGEPAGE);
	sweep(evictor);

	name = flush_names[evictor->flush];
	snprintf(evictor->method, sizeof(evictor->method), "%s%ssweep of %zu MiB", name ? name : "",
		 name ? " + " : "", evictor->sweep_bytes / MIB);
	return evictor;
}

void evictor_free(struct evictor *evictor)
{
	if (!evictor)
		return;
	munmap(evictor->sweep, evictor->sweep_bytes);
	free(evictor);
}

void evictor_flush(struct evictor *evictor)
{
	if (evictor->flush != FLUSH_NONE)
		flush_set(evictor);
}

void evictor_run(struct evictor *evictor)
{
	evictor_flush(evictor);
	sweep(evictor);
}

const char *evictor_method(const struct evictor *evictor)
{
	return evictor->method;
}
