// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs the programs over all memory. What CPUs and nodes keep is read before and after the slabs,
 * since an object can move from there to its slab, and back, meanwhile.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/array.h"
#include "base/cpu_time.h"
#include "kernel/heap_programs.h"
#include "kernel/memory_nodes.h"
#include "tracer/heap/heap_pages.h"
#include "tracer/heap/heap_reader.h"
#include "tracer/load/bpf_objects.h"

#define ARGUMENTS 12		   /* that BPF_PROG_TEST_RUN passes to a raw tracepoint program */
#define CPU_TIME_MAX 3000000000ULL /* ns, of one reading */
#define NONE ((uint64_t)UINT32_MAX + 1) /* no CPU, no node */

enum program {
	HEAP_BEGIN,
	HEAP_CACHES,
	HEAP_SCAN,
	HEAP_WALK,
	HEAP_LISTS,
	HEAP_PROGRAMS
};

struct heap_mapping {
	void *memory;
	size_t size; /* bytes */
};

struct heap_reader {
	struct bpf_variant variant;
	int programs[HEAP_PROGRAMS];
	const struct kmt_heap_state_of_programs *state;
	const struct kmt_heap_page *pages;
	const char *output;
	struct heap_mapping mappings[3]; /* of the three above */
	size_t mapping_count;
	unsigned int page_shift;
	unsigned int cpus; /* possible ones */
};

/* The state of one reading. */
struct collection {
	struct heap_reader *reader;
	struct heap_reading *reading;
	const struct heap_meanwhile *meanwhile; /* NULL: nothing else is to be done */
	uint64_t direct; /* address of page frame 0 in the kernel's map of all memory */
	bool has_direct;
	struct kept {
		uint64_t object, cache; /* address; address of its cache */
	} * kept;			/* free objects that CPUs and nodes keep */
	size_t kept_count;
	bool *unread;	/* by cache, then by CPU and node: the first time that lists are read */
	uint64_t until; /* ns, by thread_cpu_time(): the machine has too much memory or too many
			   slabs */
	int node_max;
	bool is_first; /* it ends once address_zero of the programs is known */
};

static int run_program(const struct heap_reader *reader, enum program program, uint64_t first,
		       uint64_t second, uint64_t third, uint32_t *result)
{
	uint64_t arguments[ARGUMENTS] = { first, second, third };
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = arguments,
		    .ctx_size_in = sizeof(arguments));
	int err = bpf_prog_test_run_opts(reader->programs[program], &options);

	if (result)
		*result = options.retval;
	else if (!err && options.retval)
		err = -ENODATA;
	return err;
}

/* A map that only the programs write from now on. */
static const void *map_frozen(struct heap_reader *reader, const char *name)
{
	struct bpf_map *map = bpf_variant_map(&reader->variant, name);
	size_t size = (size_t)bpf_map__value_size(map) * bpf_map__max_entries(map);
	void *mapped;

	if (bpf_map_freeze(bpf_map__fd(map)))
		return NULL;
	mapped = mmap(NULL, size, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);
	if (mapped == MAP_FAILED)
		return NULL;
	reader->mappings[reader->mapping_count++] = (struct heap_mapping){ mapped, size };
	return mapped;
}

static int find_programs(struct heap_reader *reader)
{
	static const char *const names[HEAP_PROGRAMS] = {
		[HEAP_BEGIN] = "heap_begin", [HEAP_CACHES] = "heap_caches",
		[HEAP_SCAN] = "heap_scan",   [HEAP_WALK] = "heap_walk",
		[HEAP_LISTS] = "heap_lists",
	};

	for (size_t i = 0; i < HEAP_PROGRAMS; i++) {
		const struct bpf_program *program = bpf_variant_program(&reader->variant, names[i]);

		reader->programs[i] = program ? bpf_program__fd(program) : -1;
		if (reader->programs[i] < 0)
			return -ENOENT;
	}
	return 0;
}

static int map_all(struct heap_reader *reader)
{
	reader->state = map_frozen(reader, "state");
	reader->pages = map_frozen(reader, "pages");
	reader->output = map_frozen(reader, "output");
	if (!reader->state || !reader->pages || !reader->output ||
	    bpf_map_freeze(bpf_variant_map_fd(&reader->variant, "block")) ||
	    bpf_map_freeze(bpf_variant_map_fd(&reader->variant, "caches")))
		return -errno;
	return 0;
}

static int load_programs(struct heap_reader *reader, char *reason, size_t size)
{
	uint32_t shift = reader->page_shift;
	int err = bpf_variant_open_heap(&reader->variant);

	if (!err) {
		bpf_variant_set(&reader->variant, "page_shift", &shift, sizeof(shift));
		err = bpf_object__load(reader->variant.bpf);
	}
	if (!err)
		err = find_programs(reader);
	if (err)
		snprintf(
			reason, size,
			"the programs cannot be loaded: %s: they need Linux 5.19 or later, its BTF, and the allocator SLUB",
			strerror(-err));
	if (!err)
		err = map_all(reader);
	if (err && !*reason)
		snprintf(reason, size, "the maps of the programs: %s", strerror(-err));
	return err;
}

static int find_begin(struct heap_reader *reader, char *reason, size_t size)
{
	struct heap_page page;
	int err = heap_page_open(&page, reason, size);

	if (!err) {
		err = run_program(reader, HEAP_BEGIN, (uint64_t)page.pipe[0], page.pfn,
				  (uint64_t)page.socket, NULL);
		if (!err && (!reader->state->page_zero || !reader->state->first_cache))
			err = -ENODATA;
		if (err)
			snprintf(reason, size, "a page in a pipe was not found: %s",
				 strerror(-err));
	}
	heap_page_close(&page);
	return err;
}

static int take_caches(struct collection *collection)
{
	const struct heap_reader *reader = collection->reader;
	const struct kmt_heap_cache *list = (const struct kmt_heap_cache *)reader->output;
	int err = run_program(reader, HEAP_CACHES, 0, 0, 0, NULL);

	/* slabs of the others would be unknown, and their objects seem to be gone */
	if (!err && reader->state->count >= KMT_HEAP_CACHES_MAX)
		err = -E2BIG;
	for (uint32_t i = 0; !err && i < reader->state->count; i++) {
		struct heap_cache cache = {
			.address = list[i].address,
			.size = list[i].size,
			.object_size = list[i].object_size,
			.first = list[i].first,
		};

		memcpy(cache.name, list[i].name, sizeof(cache.name));
		cache.name[sizeof(cache.name) - 1] = '\0';
		err = heap_reading_add_cache(collection->reading, &cache);
	}
	return err;
}

static int add_kept(struct collection *collection, uint64_t cache)
{
	const struct heap_reader *reader = collection->reader;
	const uint64_t *objects = (const uint64_t *)reader->output;
	struct kept *kept;

	for (uint32_t i = 0; i < reader->state->count; i++) {
		kept = array_grow(collection->kept, collection->kept_count, sizeof(*kept));
		if (!kept)
			return -ENOMEM;
		collection->kept = kept;
		kept[collection->kept_count++] = (struct kept){ objects[i], cache };
	}
	return 0;
}

/*
 * Lists are read twice, before the slabs and after them: an object that is on a list at either time
 * is free. One that cannot be read at both times leaves its objects allocated.
 */
static int take_lists(struct collection *collection, bool is_second)
{
	const struct heap_reader *reader = collection->reader;
	struct heap_reading *reading = collection->reading;
	int most = MAX((int)reader->cpus, collection->node_max + 1), err = 0;

	if (!collection->unread)
		collection->unread = calloc(reading->cache_count + 1, (size_t)most);
	if (!collection->unread)
		return -ENOMEM;
	for (size_t i = 0; i < reading->cache_count && !err; i++)
		for (int k = 0; k < most && !err; k++) {
			uint64_t cache = reading->caches[i].address;
			uint64_t cpu = k < (int)reader->cpus ? (uint64_t)k : NONE;
			uint64_t node = k <= collection->node_max ? (uint64_t)k : NONE;
			bool *unread = &collection->unread[i * (size_t)most + (size_t)k];
			bool is_read = !run_program(reader, HEAP_LISTS, cache, cpu, node, NULL);

			if (is_read)
				err = add_kept(collection, cache);
			if (is_read && !reader->state->unread)
				continue;
			reading->caches[i].is_unsure |= is_second && *unread;
			*unread = true;
		}
	return err;
}

static uint32_t number_of_cache(const struct heap_reading *reading, uint64_t address)
{
	for (size_t i = 0; i < reading->cache_count; i++)
		if (reading->caches[i].address == address)
			return (uint32_t)i;
	return UINT32_MAX;
}

/* Until all are known, the address of a slab is the physical one. */
static int add_slab(struct collection *collection, uint32_t cache,
		    const struct kmt_heap_slab *found)
{
	struct heap_reading *reading = collection->reading;
	struct heap_slab slab = {
		.address = found->pfn << collection->reader->page_shift,
		.cache = cache,
		.objects = found->objects,
		.bytes = found->bytes,
		.is_unknown = found->state != KMT_HEAP_WALKED,
	};
	int err;

	if (found->state == KMT_HEAP_GONE || cache == UINT32_MAX || !slab.bytes)
		return 0;
	/* of a slab that changed meanwhile, the number of objects can be that of another one */
	if (!heap_slab_fits(reading, &slab)) {
		slab.is_unknown = true;
		slab.objects = 0;
	}
	err = heap_reading_add_slab(reading, &slab);
	if (err || slab.is_unknown)
		return err;
	if (found->begin) {
		if (!collection->has_direct)
			collection->direct = found->begin - slab.address;
		collection->has_direct = true;
		/* memory that is not mapped as the rest: none is known */
		if (collection->direct != found->begin - slab.address)
			return -EXDEV;
	}
	for (uint32_t i = 0; i < found->free; i++)
		if (!heap_reading_set_free(reading, &reading->slabs[reading->slab_count - 1],
					   found->offset[i]))
			reading->slabs[reading->slab_count - 1].is_unknown = true;
	return 0;
}

/* The slabs of the last scan. */
static int walk_slabs(struct collection *collection)
{
	const struct heap_reader *reader = collection->reader;
	uint32_t cache = UINT32_MAX, count, from;
	uint64_t last = 0;
	const char *at;
	int err = 0;

	while (!err && reader->state->next < reader->state->count) {
		from = reader->state->next;
		err = run_program(reader, HEAP_WALK, KMT_HEAP_SLABS, 0, 0, &count);
		if (!err && (!count || count > KMT_HEAP_SLABS))
			err = -ENODATA;
		at = reader->output;
		for (uint32_t i = 0; !err && i < count; i++) {
			const struct kmt_heap_slab *slab = (const struct kmt_heap_slab *)at;

			if (reader->pages[from + i].cache != last) {
				last = reader->pages[from + i].cache;
				cache = number_of_cache(collection->reading, last);
			}
			err = add_slab(collection, cache, slab);
			at += sizeof(*slab) + (sizeof(*slab->offset) * slab->free + 7) / 8 * 8;
		}
	}
	return err;
}

static int do_meanwhile(const struct collection *collection)
{
	const struct heap_meanwhile *meanwhile = collection->meanwhile;

	return meanwhile ? meanwhile->step(meanwhile->data) : 0;
}

static int scan_pages(struct collection *collection, uint64_t begin, uint64_t end)
{
	int err = 0;

	for (uint64_t pfn = begin; pfn < end && !err; pfn += KMT_HEAP_SCAN_PAGES) {
		if (collection->is_first && collection->reader->state->address_zero)
			break;
		err = run_program(collection->reader, HEAP_SCAN, pfn, KMT_HEAP_SCAN_PAGES, 0, NULL);
		if (!err)
			err = walk_slabs(collection);
		if (!err)
			err = do_meanwhile(collection);
		if (!err && thread_cpu_time() > collection->until)
			err = -ETIME;
	}
	return err;
}

static int compare_begins(const void *left, const void *right)
{
	const struct memory_range *a = left, *b = right;

	return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Zones can overlap: each page is looked at once, in runs of whole blocks. */
static int scan_memory(struct collection *collection, struct memory_nodes *physical)
{
	unsigned int shift = collection->reader->page_shift;
	uint64_t next = 0;
	int err = 0;

	qsort(physical->list, physical->count, sizeof(*physical->list), compare_begins);
	for (size_t i = 0; i < physical->count && !err; i++) {
		const struct memory_range *range = &physical->list[i];
		uint64_t begin = (range->begin >> shift) / KMT_HEAP_SCAN_PAGES;
		uint64_t end = ((range->last >> shift) + KMT_HEAP_SCAN_PAGES) / KMT_HEAP_SCAN_PAGES;

		begin = MAX(begin, next);
		if (begin < end)
			err = scan_pages(collection, begin * KMT_HEAP_SCAN_PAGES,
					 end * KMT_HEAP_SCAN_PAGES);
		next = MAX(next, end);
	}
	return err;
}

/* A slab of KFENCE is one page, whatever its cache says. */
static void cut_overlaps(struct heap_reading *reading)
{
	for (size_t i = 1; i < reading->slab_count; i++) {
		struct heap_slab *slab = &reading->slabs[i - 1];
		uint64_t distance = slab[1].address - slab->address;

		if (distance >= slab->bytes)
			continue;
		slab->is_unknown = true;
		slab->objects = 0;
		slab->bytes = (uint32_t)distance;
	}
}

static void set_kept(struct collection *collection)
{
	struct heap_reading *reading = collection->reading;

	for (size_t i = 0; i < collection->kept_count; i++) {
		const struct kept *kept = &collection->kept[i];
		const struct heap_slab *slab = heap_reading_slab(reading, kept->object);

		if (slab && reading->caches[slab->cache].address == kept->cache)
			heap_reading_set_free(reading, slab, kept->object - slab->address);
	}
}

static int read_lists_and_slabs(struct collection *collection, struct memory_nodes *physical)
{
	struct heap_reading *reading = collection->reading;
	int err = take_caches(collection);

	if (!err && !collection->is_first)
		err = take_lists(collection, false);
	if (!err)
		err = scan_memory(collection, physical);
	if (!err && !collection->is_first)
		err = take_lists(collection, true);
	for (size_t i = 0; i < reading->slab_count; i++)
		reading->slabs[i].address += collection->direct;
	heap_reading_sort(reading);
	cut_overlaps(reading);
	if (!err)
		set_kept(collection);
	return err;
}

static int collect_slabs(struct collection *collection, char *reason, size_t size)
{
	struct memory_nodes physical = { 0 };
	int err;

	*reason = '\0';
	collection->until = thread_cpu_time() + CPU_TIME_MAX;
	err = memory_nodes_read_physical(&physical, "", reason, size);
	for (size_t i = 0; i < physical.count; i++)
		collection->node_max = MAX(collection->node_max, physical.list[i].node);
	if (!err)
		err = read_lists_and_slabs(collection, &physical);
	if (err == -ETIME)
		snprintf(
			reason, size,
			"the slabs of this machine are too many: reading them takes more than %d s of CPU time",
			(int)(CPU_TIME_MAX / 1000000000));
	else if (err == -E2BIG)
		snprintf(reason, size, "the kernel has more than %d slab caches",
			 KMT_HEAP_CACHES_MAX - 1);
	else if (err && !*reason)
		snprintf(reason, size, "the allocator's lists: %s", strerror(-err));
	free(collection->kept);
	free(collection->unread);
	memory_nodes_deinit(&physical);
	return err;
}

int heap_reader_read(struct heap_reader *reader, uint64_t (*now)(void),
		     const struct heap_meanwhile *meanwhile, struct heap_reading *reading,
		     char *reason, size_t size)
{
	struct collection collection = { .reader = reader,
					 .reading = reading,
					 .meanwhile = meanwhile };
	int err;

	*reading = (struct heap_reading){ .begin = now() };
	err = collect_slabs(&collection, reason, size);
	reading->end = now();
	if (err)
		heap_reading_deinit(reading);
	return err;
}

/* The lists of CPUs can be read once a slab has shown where the kernel has its memory. */
static int find_memory(struct heap_reader *reader, char *reason, size_t size)
{
	struct heap_reading reading = { 0 };
	struct collection collection = { .reader = reader, .reading = &reading, .is_first = true };
	int err = collect_slabs(&collection, reason, size);

	heap_reading_deinit(&reading);
	return err;
}

void heap_reader_close(struct heap_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < reader->mapping_count; i++)
		munmap(reader->mappings[i].memory, reader->mappings[i].size);
	bpf_variant_close(&reader->variant);
	free(reader);
}

int heap_reader_open(struct heap_reader **result, char *reason, size_t size)
{
	struct heap_reader *reader = calloc(1, sizeof(*reader));
	int cpus = libbpf_num_possible_cpus(), err;

	*result = NULL;
	*reason = '\0';
	if (!reader)
		return -ENOMEM;
	reader->page_shift = (unsigned int)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	reader->cpus = cpus > 0 ? (unsigned int)cpus : 0;
	if (sizeof(long) != sizeof(uint64_t)) {
		err = -ENOTSUP;
		snprintf(reason, size, "this kernel has addresses of 32 bits");
	} else {
		err = load_programs(reader, reason, size);
	}
	if (!err)
		err = find_begin(reader, reason, size);
	if (!err)
		err = find_memory(reader, reason, size);
	if (err)
		heap_reader_close(reader);
	else
		*result = reader;
	return err;
}
