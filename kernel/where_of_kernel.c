// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Gives each page one owner. What the kernel counts twice is taken from one of both: shared memory
 * is part of Cached, large kmalloc() of Slab, and stacks are part of VmallocUsed, if the kernel
 * takes them from vmalloc().
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/number.h"
#include "kernel/where.h"

#define KIB 1024

/* The line that begins with the name, or NULL. */
static const char *find_line(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = text; line && *line; line += *line == '\n') {
		line += strspn(line, " ");
		if (!strncmp(line, name, length))
			return line + length;
		line += strcspn(line, "\n");
	}
	return NULL;
}

/* The number behind the name; false: there is no such line. */
static bool find_number(const char *text, const char *name, uint64_t *number)
{
	const char *at = find_line(text, name);

	if (!at)
		return false;
	at += strspn(at, " ");
	return number_parse(&at, 10, number);
}

/* "MemFree:   123 kB", in bytes; 0: there is no such line. */
static uint64_t meminfo_bytes(const char *meminfo, const char *name)
{
	uint64_t number;

	return find_number(meminfo, name, &number) && number < UINT64_MAX / KIB ? number * KIB : 0;
}

static uint64_t find_difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static uint64_t subtract_limited(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* While the reading is maker. */
struct owners_maker {
	struct where_reading *reading;
	const struct where_texts *texts;
	uint64_t drift; /* bytes that the CPUs keep of one counter at most */
	int err;
};

static void put_owner(struct owners_maker *maker, const char *name, uint64_t bytes, uint64_t error)
{
	if (!maker->err)
		maker->err = where_add(maker->reading, name, bytes, error);
}

/* By how much the counter of meminfo can be wrong: it also changed while all files were read. */
static uint64_t error_of(const struct owners_maker *maker, const char *name)
{
	return maker->drift + find_difference(meminfo_bytes(maker->texts->meminfo, name),
					      meminfo_bytes(maker->texts->meminfo_after, name));
}

/* A counter that is all of the owner. */
static void put_counter(struct owners_maker *maker, const char *owner, const char *name)
{
	if (find_line(maker->texts->meminfo, name))
		put_owner(maker, owner, meminfo_bytes(maker->texts->meminfo, name),
			  error_of(maker, name));
}

/* The sum of the numbers of all lines with this name, and the largest one. */
static uint64_t sum_lines(const char *text, const char *name, uint64_t *most)
{
	uint64_t sum = 0, number;

	*most = 0;
	for (const char *line = text; line && (line = find_line(line, name));) {
		const char *at = line + strspn(line, " ");

		if (!number_parse(&at, 10, &number))
			continue;
		sum += number;
		*most = MAX(*most, number);
	}
	return sum;
}

static void put_cpu_lists(struct owners_maker *maker)
{
	uint64_t most, pages = sum_lines(maker->texts->zoneinfo, "count:", &most);

	if (maker->texts->zoneinfo)
		put_owner(maker, "cpu_lists", pages * maker->texts->page_size, 0);
}

/* Bytes of all slabs: their number and the pages of each are the columns 15 and 6. */
static uint64_t slabinfo_bytes(const char *slabinfo, uint64_t page_size)
{
	uint64_t sum = 0;

	for (const char *line = slabinfo; line && *line; line += *line == '\n') {
		unsigned long long pages, slabs;

		if (sscanf(line, "%*s %*s %*s %*s %*s %llu : %*s %*s %*s %*s : %*s %*s %llu",
			   &pages, &slabs) == 2)
			sum += pages * slabs * page_size;
		line += strcspn(line, "\n");
	}
	return sum;
}

static void put_slabs(struct owners_maker *maker)
{
	uint64_t all = meminfo_bytes(maker->texts->meminfo, "Slab:"), caches;
	/* two counters */
	uint64_t error = error_of(maker, "Slab:") + maker->drift;

	if (!maker->texts->slabinfo) {
		put_owner(maker, "slab", all, error);
		return;
	}
	caches = slabinfo_bytes(maker->texts->slabinfo, maker->texts->page_size);
	put_owner(maker, "slab_caches", MIN(caches, all), 0);
	put_owner(maker, "large_kmalloc", subtract_limited(all, caches), error);
}

/* Bytes of pages of all areas; of those of stacks, too. */
static uint64_t vmallocinfo_bytes(const char *vmallocinfo, uint64_t page_size, uint64_t *stacks)
{
	/* the first one that is not inlined */
	static const char *const makers[] = { "alloc_thread_stack_node", "dup_task_struct",
					      "copy_process", "kernel_clone", "fork_idle" };
	uint64_t sum = 0;

	*stacks = 0;
	for (const char *line = vmallocinfo; line && *line; line += *line == '\n') {
		size_t length = strcspn(line, "\n");
		const char *at = memmem(line, length, " pages=", strlen(" pages="));
		uint64_t pages;

		if (at && (at += strlen(" pages="), number_parse(&at, 10, &pages))) {
			sum += pages * page_size;
			for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++)
				if (memmem(line, length, makers[i], strlen(makers[i])))
					*stacks += pages * page_size;
		}
		line += length;
	}
	return sum;
}

static void put_vmalloc(struct owners_maker *maker)
{
	uint64_t stacks = meminfo_bytes(maker->texts->meminfo, "KernelStack:");
	uint64_t used = meminfo_bytes(maker->texts->meminfo, "VmallocUsed:"), areas, of_stacks;
	uint64_t error = error_of(maker, "VmallocUsed:");

	put_counter(maker, "stacks", "KernelStack:");
	areas = vmallocinfo_bytes(maker->texts->vmallocinfo, maker->texts->page_size, &of_stacks);
	/* before Linux 5.3 */
	used = used ? used : areas;
	if (!maker->texts->vmallocinfo)
		/* stacks may be a part of it, or not */
		put_owner(maker, "vmalloc", used, error + MIN(stacks, used));
	else
		/* an area that waits for a new task is no KernelStack */
		put_owner(maker, "vmalloc", subtract_limited(used, MIN(of_stacks, stacks)), error);
}

static void put_compressed(struct owners_maker *maker)
{
	uint64_t pages;

	if (find_number(maker->texts->vmstat, "nr_zspages ", &pages))
		put_owner(maker, "compressed", pages * maker->texts->page_size, maker->drift);
}

int where_parse_proc(struct where_reading *reading, const struct where_texts *texts, uint64_t time)
{
	uint64_t threshold, cached, shared, percpu;
	struct owners_maker maker = { .reading = reading, .texts = texts };

	*reading = (struct where_reading){
		.time = time,
		.total = meminfo_bytes(texts->meminfo, "MemTotal:"),
	};
	if (!reading->total || !find_line(texts->meminfo, "MemFree:"))
		return -EINVAL;
	/* of the zone with the highest threshold, for each zone */
	maker.drift =
		sum_lines(texts->zoneinfo, "vm stats threshold:", &threshold) * texts->page_size;
	put_counter(&maker, "free", "MemFree:");
	put_cpu_lists(&maker);
	put_counter(&maker, "processes", "AnonPages:");
	cached = meminfo_bytes(texts->meminfo, "Cached:");
	shared = meminfo_bytes(texts->meminfo, "Shmem:");
	put_owner(&maker, "file_cache", subtract_limited(cached, shared),
		  error_of(&maker, "Cached:"));
	put_counter(&maker, "shared", "Shmem:");
	put_counter(&maker, "buffers", "Buffers:");
	/* pages that processes have mapped are in AnonPages, too */
	put_owner(&maker, "swap_cache", meminfo_bytes(texts->meminfo, "SwapCached:"),
		  meminfo_bytes(texts->meminfo, "SwapCached:"));
	put_slabs(&maker);
	put_vmalloc(&maker);
	put_counter(&maker, "page_tables", "PageTables:");
	put_counter(&maker, "other_tables", "SecPageTables:");
	/* that of the boot is not part of MemTotal */
	percpu = meminfo_bytes(texts->meminfo, "Percpu:");
	put_owner(&maker, "percpu", percpu, percpu);
	put_counter(&maker, "hugetlb", "Hugetlb:");
	put_compressed(&maker);
	if (maker.err)
		where_reading_deinit(reading);
	return maker.err;
}
