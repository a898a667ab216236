// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Makes a random trace: its environment, then its events, then its text. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/record.h"
#include "tests/unit/random_trace.h"

#define PAGES 4
#define CPUS_MAX 3
#define SITES 6
#define OWN_TASK 9
#define UNKNOWN_CACHE 0x66660000 /* address of a cache that the capture does not name */

enum { /* caches of every trace */
	DENTRY,
	FILP,
	KMEM_CACHE,
	KMALLOC_64,
	HUGE,	 /* objects of more than 65536 bytes */
	NO_SIZE, /* its sizes are unknown */
	SHORT_LIVED,
	SUCCESSOR, /* at SHORT_LIVED's address, after that cache was destroyed */
	NAMESAKE,  /* FILP's name, at another address */
	NEWBORN,   /* its struct kmem_cache is one of KMEM_CACHE's objects */
	NAME_ONLY, /* DENTRY, by a kernel that reports the address of its name */
	CACHES
};

/* Which caches a kernel names in its events: older kernels name fewer. */
enum {
	NAMES_CACHES,
	NAMES_CACHES_OF_FREES,
	NAMES_NAMES_OF_FREES, /* as before, but frees have the address of the name */
	NAMES_NOTHING,
	NAMES_SOME, /* a different one for each event: no kernel does so */
	NAMINGS
};

#define DELAYED_EVENTS 4

struct maker {
	struct naive_trace *trace;
	uint64_t random_state, time, base;
	unsigned int cpus, naming;
	bool lossy;
	uint64_t sequence[CPUS_MAX];
	struct naive_event delayed[DELAYED_EVENTS]; /* planned events, the last first */
	size_t delayed_count;
};

static unsigned int draw_below(struct maker *maker, unsigned int limit)
{
	/* splitmix64: public domain, Sebastiano Vigna */
	uint64_t random_state = maker->random_state += 0x9e3779b97f4a7c15;

	random_state = (random_state ^ random_state >> 30) * 0xbf58476d1ce4e5b9;
	random_state = (random_state ^ random_state >> 27) * 0x94d049bb133111eb;
	return (unsigned int)((random_state ^ random_state >> 31) % limit);
}

static bool one_in(struct maker *maker, unsigned int chances)
{
	return !draw_below(maker, chances);
}

static void set_cache(struct maker *maker, int which, const char *name, uint64_t offset,
		      uint32_t object_size, uint32_t size)
{
	struct naive_cache *cache = &maker->trace->caches[which];

	*cache = (struct naive_cache){ .address = maker->base + offset,
				       .until = UINT64_MAX,
				       .object_size = object_size,
				       .size = size };
	snprintf(cache->name, sizeof(cache->name), "%s", name);
}

static void make_caches(struct maker *maker)
{
	struct naive_trace *trace = maker->trace;

	set_cache(maker, DENTRY, "dentry", 0x100100, 192, 200);
	set_cache(maker, FILP, "filp", 0x100200, 232, 256);
	set_cache(maker, KMEM_CACHE, "kmem_cache", 0x100300, 240, 256);
	set_cache(maker, KMALLOC_64, "kmalloc-64", 0x100400, 64, 64);
	set_cache(maker, HUGE, "huge", 0x100500, 70000, 70000);
	set_cache(maker, NO_SIZE, "no_size", 0x100600, 0, 0);
	set_cache(maker, SHORT_LIVED, "short_lived", 0x100700, 60, 64);
	set_cache(maker, SUCCESSOR, "successor", 0x100700, 90, 96);
	set_cache(maker, NAMESAKE, "filp", 0x100800, 232, 256);
	set_cache(maker, NEWBORN, "newborn", 0x2000 + 256, 60, 64);
	set_cache(maker, NAME_ONLY, "dentry", 0x100900, 0, 0);
	trace->cache_count = CACHES;
	trace->caches[SHORT_LIVED].until = trace->begin + draw_below(maker, 200);
	trace->caches[SUCCESSOR].since = trace->caches[SHORT_LIVED].until + draw_below(maker, 20);
	trace->caches[NEWBORN].since = trace->begin + draw_below(maker, 50);
}

/* Conditions that make all findings of a trace possible only are rare: some must be certain. */
static void make_environment(struct maker *maker, FILE *text)
{
	static const struct {
		const char *text;
		unsigned int major, minor;
	} releases[] = { { "6.1.0-50-amd64", 6, 1 }, { "5.10.0", 5, 10 },   { "6.3.9", 6, 3 },
			 { "6.4.0", 6, 4 },	     { "6.12.95+", 6, 12 }, { "10.0.1", 10, 0 } };
	struct naive_trace *trace = maker->trace;
	unsigned int release = draw_below(maker, sizeof(releases) / sizeof(*releases));
	unsigned int bits = one_in(maker, 4) ? 32 : 64;

	maker->base = bits == 32 ? 0xc0000000 : 0xffff888000000000;
	maker->cpus = 1 + draw_below(maker, CPUS_MAX);
	maker->naming = one_in(maker, 2) ? NAMES_CACHES : draw_below(maker, NAMINGS);
	maker->lossy = one_in(maker, 2);
	trace->begin = maker->time = 1000;
	trace->attached = trace->begin + (one_in(maker, 4) ? draw_below(maker, 100) : 0);
	trace->major = releases[release].major;
	trace->minor = releases[release].minor;
	trace->own_task = OWN_TASK;
	trace->include_self = one_in(maker, 6);
	trace->filtered = one_in(maker, 8);
	trace->unobserved = one_in(maker, 8);
	trace->skips_known = true;
	fprintf(text, "kernel %s\nword %u\nendian %s\nbegin %" PRIu64 "\nattached %" PRIu64 "\n",
		releases[release].text, bits, one_in(maker, 4) ? "big" : "little", trace->begin,
		trace->attached);
	fprintf(text,
		"symbol 0x10 nothing\nown %d\n%s%spath kmalloc observed\n%s"
		"gfp 0x1 GFP_DMA\ngfp 0x10 __GFP_RECLAIMABLE\ngfp 0x400000 __GFP_ACCOUNT\n",
		OWN_TASK, trace->include_self ? "include_self\n" : "",
		trace->filtered ? "wanted 1\n" : "",
		trace->unobserved ? "path krealloc unobserved no reason\n" : "");
	make_caches(maker);
	for (size_t i = 0; i < trace->cache_count; i++) {
		const struct naive_cache *cache = &trace->caches[i];

		fprintf(text, "cache %s 0x%" PRIx64 " %" PRIu32 " %" PRIu32 " since=%" PRIu64 "\n",
			cache->name, cache->address, cache->object_size, cache->size, cache->since);
		if (cache->until != UINT64_MAX)
			fprintf(text, "gone 0x%" PRIx64 " %" PRIu64 "\n", cache->address,
				cache->until);
	}
	fprintf(text, "alias dentry other_name\n");
}

static void make_skips(struct maker *maker, FILE *text)
{
	struct naive_trace *trace = maker->trace;
	unsigned int span = (unsigned int)(maker->time - trace->begin) + 2;

	if (one_in(maker, 12)) {
		trace->skipped = 3;
		fprintf(text, "skip 3\n");
	} else if (one_in(maker, 4)) {
		trace->skip_count = 1 + draw_below(maker, NAIVE_SPANS_MAX);
		for (size_t i = 0; i < trace->skip_count; i++) {
			uint64_t after = trace->begin + draw_below(maker, span);
			uint64_t before = after + 1 + draw_below(maker, 20);

			trace->skips[i] = (struct naive_span){ after, before };
			trace->skipped += 2;
			fprintf(text, "skips %" PRIu64 " %" PRIu64 " 2\n", after, before);
		}
	} else if (one_in(maker, 8)) {
		trace->skips_known = false;
		fprintf(text, "complete no\n");
	}
}

/* Most objects of a page are of its common cache. */
static const struct {
	int id, cache;
	uint32_t requested, allocated; /* of kmalloc */
} common[PAGES] = {
	{ KMT_KMALLOC, -1, 60, 64 },
	{ KMT_CACHE_ALLOC, DENTRY, 0, 200 },
	{ KMT_CACHE_ALLOC, KMEM_CACHE, 0, 256 },
	{ KMT_KMALLOC, -1, 100, 128 },
};

static uint64_t random_address(struct maker *maker, unsigned int page, uint32_t stride)
{
	uint64_t slot = one_in(maker, 8) ? 4096 / stride - 1 + draw_below(maker, 2)
					 : draw_below(maker, 4);

	return maker->base + page * 4096ULL + slot * stride + (one_in(maker, 15) ? 8 : 0);
}

static void choose_kmalloc(struct maker *maker, struct naive_event *event, unsigned int page)
{
	static const uint32_t sizes[] = { 8, 64, 96, 128, 256, 1024, 8192, 16384, 4 << 20 };

	event->id = KMT_KMALLOC;
	event->allocated = sizes[draw_below(maker, sizeof(sizes) / sizeof(*sizes))];
	event->requested = event->allocated - draw_below(maker, 8);
	event->pointer = random_address(maker, page, one_in(maker, 2) ? 64 : 200);
	if (one_in(maker, 8))
		event->requested = event->allocated + 1; /* short */
	if (one_in(maker, 15))
		event->requested = event->allocated = 0;
}

static void choose_cache_object(struct maker *maker, struct naive_event *event, unsigned int page)
{
	unsigned int cache = draw_below(maker, CACHES + 1);
	uint32_t stride = 64;

	event->id = one_in(maker, 3) ? KMT_BULK_ALLOC : KMT_CACHE_ALLOC;
	event->cache_address = UNKNOWN_CACHE;
	if (cache < CACHES) {
		event->cache_address = maker->trace->caches[cache].address;
		stride = maker->trace->caches[cache].size;
	}
	event->pointer = random_address(maker, page, stride && stride < 4096 ? stride : 64);
}

static void choose_allocation(struct maker *maker, struct naive_event *event)
{
	static const uint32_t gfps[] = { 0, 0, 0xcc0, 0x400cc0, 0x400cd0, 0xcc1 };
	unsigned int page = draw_below(maker, PAGES);

	event->gfp = gfps[draw_below(maker, sizeof(gfps) / sizeof(*gfps))];
	if (!one_in(maker, 8)) {
		event->id = common[page].id;
		event->requested = common[page].requested;
		event->allocated = common[page].allocated;
		event->pointer = random_address(maker, page, common[page].allocated);
		if (common[page].cache >= 0) {
			event->requested = event->allocated = 0;
			event->cache_address = maker->trace->caches[common[page].cache].address;
			if (one_in(maker, 5))
				event->id = KMT_BULK_ALLOC;
		}
	} else if (one_in(maker, 2)) {
		choose_kmalloc(maker, event, page);
	} else {
		choose_cache_object(maker, event, page);
	}
	if (one_in(maker, 25)) {
		event->pointer = one_in(maker, 4) ? 16 : 0;
		if (event->id == KMT_KMALLOC && one_in(maker, 2))
			event->requested = KMT_SIZE_MAX;
	}
}

/* One of the last allocations. */
static const struct naive_event *pick_allocation(struct maker *maker)
{
	const struct naive_trace *trace = maker->trace;
	size_t count = trace->count, back = 1 + draw_below(maker, 40);

	for (size_t i = count > back ? count - back : 0; i < count; i++)
		if (naive_is_allocation(&trace->events[i]))
			return &trace->events[i];
	return NULL;
}

static void choose_wrong_free(struct maker *maker, struct naive_event *event)
{
	static const int ids[] = { KMT_KFREE, KMT_CACHE_FREE, KMT_BULK_FREE, KMT_BACKUP_KFREE,
				   KMT_BACKUP_CACHE_FREE };
	unsigned int cache = draw_below(maker, CACHES + 1);

	event->id = ids[draw_below(maker, sizeof(ids) / sizeof(*ids))];
	event->cache_address = 0;
	if (event->id == KMT_KFREE || event->id == KMT_BACKUP_KFREE ||
	    (event->id == KMT_BULK_FREE && one_in(maker, 3)))
		return;
	event->cache_address = cache < CACHES ? maker->trace->caches[cache].address : UNKNOWN_CACHE;
}

static void choose_free(struct maker *maker, struct naive_event *event)
{
	const struct naive_event *object = pick_allocation(maker);

	event->id = one_in(maker, 12) ? KMT_BACKUP_KFREE : KMT_KFREE;
	event->pointer = random_address(maker, draw_below(maker, PAGES), 64);
	if (object) {
		event->pointer = object->pointer;
		event->cache_address = object->cache_address;
		if (object->id == KMT_ANONYMOUS_ALLOC)
			event->cache_address =
				maker->trace->caches[draw_below(maker, CACHES)].address;
		if (event->cache_address)
			event->id = one_in(maker, 12)  ? KMT_BACKUP_CACHE_FREE
				    : one_in(maker, 5) ? KMT_BULK_FREE
						       : KMT_CACHE_FREE;
		if (one_in(maker, 10))
			event->pointer += 8 * (1 + draw_below(maker, 8));
	}
	if (one_in(maker, 6))
		choose_wrong_free(maker, event);
	if (one_in(maker, 12))
		event->pointer = random_address(maker, draw_below(maker, PAGES), 64);
	if (one_in(maker, 30))
		event->pointer = one_in(maker, 2) ? 16 : 0;
}

static void remove_cache_of_allocation(struct maker *maker, struct naive_event *event)
{
	const struct naive_trace *trace = maker->trace;

	for (size_t i = 0; i < trace->cache_count; i++) {
		if (trace->caches[i].address != event->cache_address)
			continue;
		event->requested = trace->caches[i].object_size;
		event->allocated = trace->caches[i].size;
	}
	if (one_in(maker, 12))
		event->requested = event->allocated; /* of another cache, or merged later */
	if (one_in(maker, 60))
		event->requested = event->allocated + 1;
	event->id = KMT_ANONYMOUS_ALLOC;
	event->cache_address = 0;
}

/* Removes the parts of the event that the kernel does not report. */
static void remove_cache(struct maker *maker, struct naive_event *event)
{
	unsigned int naming = maker->naming == NAMES_SOME ? draw_below(maker, NAMES_SOME)
							  : maker->naming;

	if (naming == NAMES_CACHES)
		return;
	if (event->id == KMT_CACHE_ALLOC)
		remove_cache_of_allocation(maker, event);
	if (event->id != KMT_CACHE_FREE && event->id != KMT_BACKUP_CACHE_FREE)
		return;
	if (naming == NAMES_NOTHING)
		event->cache_address = 0;
	else if (naming == NAMES_NAMES_OF_FREES &&
		 event->cache_address == maker->trace->caches[DENTRY].address)
		event->cache_address = maker->trace->caches[NAME_ONLY].address;
}

static void choose_event(struct maker *maker, struct naive_event *event)
{
	unsigned int kind = draw_below(maker, 100);
	const struct naive_event *object;

	if (kind < 46) {
		choose_allocation(maker, event);
	} else if (kind < 94) {
		choose_free(maker, event);
	} else {
		object = pick_allocation(maker);
		event->id = KMT_REALLOC;
		event->pointer = object ? object->pointer : maker->base;
		event->requested = draw_below(maker, 200);
	}
	event->site = 0xffffffff81000000 + draw_below(maker, SITES) * 16;
	remove_cache(maker, event);
	event->task = one_in(maker, 10) ? OWN_TASK : 1 + draw_below(maker, 3);
	event->cpu = draw_below(maker, maker->cpus);
}

/* Two allocations and two frees of an address, the first free delayed; or nearly that. */
static void plan_delayed(struct maker *maker)
{
	uint64_t pointer = random_address(maker, draw_below(maker, PAGES), 64);

	maker->delayed_count = DELAYED_EVENTS;
	for (size_t i = 0; i < DELAYED_EVENTS; i++) {
		struct naive_event *event = &maker->delayed[i];

		choose_event(maker, event);
		event->pointer = pointer;
		event->cache_address = 0;
		event->id = i >= DELAYED_EVENTS / 2 ? KMT_ANONYMOUS_ALLOC
			    : one_in(maker, 8)	    ? KMT_BACKUP_CACHE_FREE
						    : KMT_CACHE_FREE;
		if (event->id == KMT_ANONYMOUS_ALLOC) {
			event->requested = 60;
			event->allocated = 64;
		}
		if (one_in(maker, 20))
			event->id = KMT_KFREE;
	}
	if (one_in(maker, 6))
		maker->delayed[0] = maker->delayed[draw_below(maker, DELAYED_EVENTS)];
}

static void choose_next(struct maker *maker, struct naive_event *event)
{
	if (maker->naming != NAMES_CACHES && !maker->delayed_count && one_in(maker, 12))
		plan_delayed(maker);
	if (maker->delayed_count && !one_in(maker, 3))
		*event = maker->delayed[--maker->delayed_count];
	else
		choose_event(maker, event);
}

/* Is there an event with the same time and address on another CPU? */
static bool has_same_time(const struct naive_trace *trace, const struct naive_event *event)
{
	for (size_t i = 0; i < trace->count; i++)
		if (trace->events[i].time == event->time && trace->events[i].cpu != event->cpu &&
		    trace->events[i].pointer == event->pointer)
			return true;
	return false;
}

static void add_event(struct maker *maker, const struct naive_event *event)
{
	if (maker->trace->count < NAIVE_EVENTS_MAX)
		maker->trace->events[maker->trace->count++] = *event;
}

/*
 * Two events with the same time and address on two CPUs, and no other event at that time: the order
 * of three would be ambiguous.
 */
static void add_event_pair(struct maker *maker, const struct naive_event *event)
{
	struct naive_event other = *event;

	maker->time++;
	other.time = maker->time;
	add_event(maker, &other);
	other = (struct naive_event){ 0 };
	choose_event(maker, &other);
	other.pointer = event->pointer;
	other.cpu = (event->cpu + 1) % maker->cpus;
	other.time = maker->time;
	add_event(maker, &other);
	maker->time++;
}

static void make_events(struct maker *maker)
{
	unsigned int count = 1 + draw_below(maker, one_in(maker, 4) ? NAIVE_EVENTS_MAX - 20 : 120);
	unsigned int raw = one_in(maker, 10) ? draw_below(maker, count) : count;

	for (unsigned int i = 0; i < count; i++) {
		struct naive_event event = { 0 };

		maker->time += one_in(maker, 20) ? draw_below(maker, 100) : draw_below(maker, 3);
		choose_next(maker, &event);
		if (i == raw) {
			event.id = 77;
			event.pointer = 0x1000;
			event.cache_address = 0;
		}
		event.time = maker->time;
		if (maker->cpus > 1 && one_in(maker, 10)) {
			add_event_pair(maker, &event);
			continue;
		}
		if (has_same_time(maker->trace, &event))
			event.time = ++maker->time;
		add_event(maker, &event);
		if (maker->lossy && one_in(maker, 40)) {
			event = (struct naive_event){ .id = KMT_NONE, .cpu = event.cpu };
			add_event(maker, &event);
		}
	}
}

/*
 * Swaps some neighbours of one CPU: an interrupt came after the event got its slot and before it
 * got its time.
 */
static void swap_neighbours(struct maker *maker)
{
	struct naive_trace *trace = maker->trace;

	for (size_t i = 1; i < trace->count; i++) {
		struct naive_event *before = &trace->events[i - 1], *event = &trace->events[i];
		struct naive_event moved = *event;

		if (before->cpu != event->cpu || !before->id || !event->id || !one_in(maker, 6))
			continue;
		*event = *before;
		*before = moved;
		i++;
	}
	for (size_t i = 0; i < trace->count; i++)
		trace->events[i].sequence = maker->sequence[trace->events[i].cpu]++;
}

static const char *keyword_of(const struct naive_event *event)
{
	switch (event->id) {
	case KMT_KMALLOC:
		return "alloc";
	case KMT_KFREE:
		return "free";
	case KMT_CACHE_ALLOC:
		return "calloc";
	case KMT_CACHE_FREE:
		return "cfree";
	case KMT_BULK_ALLOC:
		return "balloc";
	case KMT_BULK_FREE:
		return "bfree";
	case KMT_REALLOC:
		return "resize";
	case KMT_BACKUP_KFREE:
		return "rfree";
	case KMT_BACKUP_CACHE_FREE:
		return "rcfree";
	case KMT_ANONYMOUS_ALLOC:
		return "ualloc";
	default:
		return "raw";
	}
}

static void write_event(const struct naive_event *event, FILE *text)
{
	if (event->id == KMT_NONE) {
		fprintf(text, "lose %u 1\n", event->cpu);
		return;
	}
	fprintf(text, "%s %" PRIu64 " %u ", keyword_of(event), event->time, event->cpu);
	if (event->id >= KMT_ID_END)
		fprintf(text, "%d", event->id);
	else
		fprintf(text, "0x%" PRIx64, event->pointer);
	if (event->id == KMT_KMALLOC || event->id == KMT_ANONYMOUS_ALLOC)
		fprintf(text, " %" PRIu32 "/%" PRIu32, event->requested, event->allocated);
	else if (event->id == KMT_REALLOC)
		fprintf(text, " %" PRIu32, event->requested);
	else if (event->id < KMT_ID_END && event->id != KMT_KFREE && event->id != KMT_BACKUP_KFREE)
		fprintf(text, " 0x%" PRIx64, event->cache_address);
	if (event->id < KMT_ID_END)
		fprintf(text, " 0x%" PRIx64, event->site);
	fprintf(text, " task=%" PRIu32 " gfp=%" PRIu32 "\n", event->task, event->gfp);
}

char *random_trace(struct naive_trace *trace, uint64_t seed)
{
	struct maker maker = { .trace = trace, .random_state = seed };
	char *text = NULL;
	size_t size;
	FILE *lines = open_memstream(&text, &size);

	if (!lines)
		abort();
	memset(trace, 0, sizeof(*trace));
	make_environment(&maker, lines);
	make_events(&maker);
	swap_neighbours(&maker);
	for (size_t i = 0; i < trace->count; i++)
		write_event(&trace->events[i], lines);
	make_skips(&maker, lines);
	trace->end = maker.time + 10;
	fprintf(lines, "end %" PRIu64 "\n", trace->end);
	if (fclose(lines))
		abort();
	return text;
}
