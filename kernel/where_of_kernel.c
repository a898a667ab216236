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

/* See calculate_normal_threshold() in mm/vmstat.c. */
#define THRESHOLD_MOST 125
#define ZONE_STEP (UINT64_C(128) << 20)

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

/* While the reading is made. */
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

/* By how much a counter of meminfo can be wrong: it also changed while all files were read. */
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

/* Bytes of a counter of vmstat, in pages. */
static uint64_t vmstat_bytes(const struct owners_maker *maker, const char *vmstat, const char *name)
{
	uint64_t pages;

	return find_number(vmstat, name, &pages) ? pages * maker->texts->page_size : 0;
}

/* fls() of the kernel: the number of the highest bit, from 1; 0 of 0. */
static uint64_t highest_bit(uint64_t number)
{
	uint64_t bit = 0;

	for (; number; number >>= 1)
		bit++;
	return bit;
}

/* The CPUs of a zone: up to the next zone, or the end. */
static uint64_t count_cpus(const char *zone)
{
	const char *end = find_line(zone, "Node ");
	uint64_t cpus = 0;

	for (const char *at = find_line(zone, "cpu: "); at && (!end || at < end);
	     at = find_line(at, "cpu: "))
		cpus++;
	return cpus;
}

/*
 * Pages that all CPUs keep of one counter: the threshold of each zone and CPU, as zoneinfo has it,
 * or the normal one, if that is higher: under pressure the kernel lowers those of zones, but not
 * those of nodes, which are the highest of their zones.
 */
static uint64_t count_kept(const struct where_texts *texts)
{
	uint64_t sum = 0, pages, threshold;

	for (const char *at = find_line(texts->zoneinfo, "managed "); at;
	     at = find_line(at, "managed ")) {
		const char *number = at + strspn(at, " "), *end = find_line(at, "managed ");
		uint64_t normal = 2 * highest_bit(count_cpus(at));

		if (!number_parse(&number, 10, &pages))
			continue;
		normal *= 1 + highest_bit(pages / MAX(ZONE_STEP / texts->page_size, 1));
		normal = MIN(normal, THRESHOLD_MOST);
		for (const char *line = find_line(at, "vm stats threshold: ");
		     line && (!end || line < end); line = find_line(line, "vm stats threshold: ")) {
			number = line;
			if (number_parse(&number, 10, &threshold))
				sum += MAX(threshold, normal);
		}
	}
	return sum;
}

/* The sum of the numbers of all lines with this name. */
static uint64_t sum_lines(const char *text, const char *name)
{
	uint64_t sum = 0, number;

	for (const char *line = text; line && (line = find_line(line, name));) {
		const char *at = line + strspn(line, " ");

		if (number_parse(&at, 10, &number))
			sum += number;
	}
	return sum;
}

static void put_cpu_lists(struct owners_maker *maker)
{
	uint64_t pages = sum_lines(maker->texts->zoneinfo, "count:");
	uint64_t after = sum_lines(maker->texts->zoneinfo_after, "count:");

	if (maker->texts->zoneinfo)
		put_owner(maker, "cpu_lists", pages * maker->texts->page_size,
			  find_difference(pages, after) * maker->texts->page_size);
}

/*
 * Bytes of all slabs: all objects by the objects and the pages of a whole slab. The number of slabs
 * would count those as whole that the kernel made smaller when no such page was there.
 */
static uint64_t slabinfo_bytes(const char *slabinfo, uint64_t page_size)
{
	uint64_t sum = 0;

	for (const char *line = slabinfo; line && *line; line += *line == '\n') {
		unsigned long long all, objects, pages;

		if (sscanf(line, "%*s %*u %llu %*u %llu %llu : tunables", &all, &objects, &pages) ==
			    3 &&
		    objects)
			sum += (all * pages + objects - 1) / objects * page_size;
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

/* Bytes of all areas, without those of others' pages; of those of stacks, too. */
static uint64_t vmallocinfo_bytes(const char *vmallocinfo, uint64_t page_size, uint64_t *stacks)
{
	/* the first one that is not inlined */
	static const char *const makers[] = {
		"alloc_thread_stack_node", "dup_task_struct",	"copy_process", "kernel_clone",
		"create_io_thread",	   "vhost_task_create", "fork_idle"
	};
	uint64_t sum = 0;

	*stacks = 0;
	for (const char *line = vmallocinfo; line && *line; line += *line == '\n') {
		size_t length = strcspn(line, "\n");
		const char *at = memmem(line, length, " pages=", strlen(" pages="));
		uint64_t pages;

		if (at && (at += strlen(" pages="), number_parse(&at, 10, &pages)) &&
		    !memmem(line, length, " vmap", strlen(" vmap"))) {
			sum += pages * page_size;
			for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++) {
				if (!memmem(line, length, makers[i], strlen(makers[i])))
					continue;
				*stacks += pages * page_size;
				break;
			}
		}
		line += length;
	}
	return sum;
}

static void put_vmalloc(struct owners_maker *maker)
{
	const struct where_texts *texts = maker->texts;
	uint64_t stacks = meminfo_bytes(texts->meminfo, "KernelStack:");
	uint64_t used = meminfo_bytes(texts->meminfo, "VmallocUsed:"), areas, of_stacks;
	uint64_t error = error_of(maker, "VmallocUsed:");

	/* stacks below a page are in a slab cache */
	if (!find_line(texts->slabinfo, "thread_stack "))
		put_counter(maker, "stacks", "KernelStack:");
	areas = vmallocinfo_bytes(texts->vmallocinfo, texts->page_size, &of_stacks);
	if (!texts->vmallocinfo) {
		/* stacks may be a part of it, or not */
		put_owner(maker, "vmalloc", used, error + MIN(stacks, used));
		return;
	}
	/* the counter is 0 before Linux 5.3, and can be too low up to 6.12 */
	error += used ? find_difference(used, areas) : 0;
	used = MAX(used, areas);
	if (of_stacks)
		error += error_of(maker, "KernelStack:");
	/* an area that waits for a new task is not in KernelStack */
	put_owner(maker, "vmalloc", subtract_limited(used, MIN(of_stacks, stacks)), error);
}

/* Zswap has those of pools that are not counted by nr_zspages. */
static void put_compressed(struct owners_maker *maker)
{
	const struct where_texts *texts = maker->texts;
	uint64_t pool = vmstat_bytes(maker, texts->vmstat, "nr_zspages ");
	uint64_t after = vmstat_bytes(maker, texts->vmstat_after, "nr_zspages ");
	uint64_t zswap = meminfo_bytes(texts->meminfo, "Zswap:");

	put_owner(maker, "compressed", MAX(pool, zswap),
		  maker->drift + find_difference(pool, after) + subtract_limited(zswap, pool));
}

static void put_files(struct owners_maker *maker)
{
	const char *meminfo = maker->texts->meminfo;
	uint64_t cached = meminfo_bytes(meminfo, "Cached:");
	uint64_t shared = meminfo_bytes(meminfo, "Shmem:");
	uint64_t swap = meminfo_bytes(meminfo, "SwapCached:");

	/* Cached is a difference itself: three counters */
	put_owner(maker, "file_cache", subtract_limited(cached, shared),
		  error_of(maker, "Cached:") + error_of(maker, "Shmem:") + maker->drift);
	put_counter(maker, "shared", "Shmem:");
	put_counter(maker, "buffers", "Buffers:");
	/* pages that processes have mapped are in AnonPages, too */
	put_owner(maker, "swap_cache", swap, swap + error_of(maker, "SwapCached:"));
}

static void put_percpu(struct owners_maker *maker)
{
	uint64_t bytes = meminfo_bytes(maker->texts->meminfo, "Percpu:");
	uint64_t after = meminfo_bytes(maker->texts->meminfo_after, "Percpu:");

	/* that of the boot is not part of MemTotal */
	put_owner(maker, "percpu", bytes, bytes + find_difference(bytes, after));
}

int where_parse_proc(struct where_reading *reading, const struct where_texts *texts, uint64_t time)
{
	struct owners_maker maker = { .reading = reading, .texts = texts };

	*reading = (struct where_reading){
		.time = time,
		.total = meminfo_bytes(texts->meminfo, "MemTotal:"),
	};
	if (!reading->total || !find_line(texts->meminfo, "MemFree:"))
		return -EINVAL;
	maker.drift = count_kept(texts) * texts->page_size;
	put_counter(&maker, "free", "MemFree:");
	put_cpu_lists(&maker);
	put_counter(&maker, "processes", "AnonPages:");
	put_files(&maker);
	put_slabs(&maker);
	put_vmalloc(&maker);
	put_counter(&maker, "page_tables", "PageTables:");
	put_counter(&maker, "other_tables", "SecPageTables:");
	put_percpu(&maker);
	put_counter(&maker, "hugetlb", "Hugetlb:");
	put_compressed(&maker);
	put_counter(&maker, "gpu", "GPUActive:");
	put_counter(&maker, "gpu_pool", "GPUReclaim:");
	put_counter(&maker, "fuse", "WritebackTmp:");
	put_counter(&maker, "bounce", "Bounce:");
	put_counter(&maker, "broken", "HardwareCorrupted:");
	if (maker.err)
		where_reading_deinit(reading);
	return maker.err;
}
