// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * generate [--random] EVENTS LIVE DIR: writes a capture of two CPUs with so many events, after
 * which so many objects are live. Addresses are as a slab allocator gives them, or with --random
 * without any order, which is the worst case for the packer.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernel/topology.h"
#include "capture/metadata.h"
#include "capture/status.h"
#include "capture/writer.h"

#define CPUS 2
#define SITES 1000
#define TASKS 16
#define BEGIN 1000000000 /* ns */
#define TEXT_SEGMENT 0xffffffff81000000
#define DIRECT_MAP 0xffff888000000000
#define OBJECT 256	/* bytes apart */
#define SLAB 4096	/* bytes with objects of one size */
#define LIVE_SPREAD 256 /* at most so many live objects above the even growth */

struct generator {
	const char *directory;
	bool random;
	uint64_t state; /* of the random numbers */
	uint64_t now;
	uint64_t live_target, live; /* objects */
	uint64_t fresh;		    /* objects that got a new address */
	uint64_t *objects;	    /* addresses of the live ones */
	uint64_t *idle;		    /* addresses that were freed, last in first out, as in a slab */
	uint64_t idle_count;
	struct metadata metadata;
	struct writer writers[CPUS];
	unsigned int open; /* of the writers */
	uint64_t recorded[CPUS];
	const char *errmsg;
};

/* xorshift64*: always the same capture */
static uint64_t draw_number(struct generator *generator)
{
	generator->state ^= generator->state >> 12;
	generator->state ^= generator->state << 25;
	generator->state ^= generator->state >> 27;
	return generator->state * 0x2545f4914f6cdd1d;
}

static uint64_t new_address(struct generator *generator)
{
	if (generator->random)
		return draw_number(generator) & ~(uint64_t)(KMT_WORD - 1);
	if (generator->idle_count)
		return generator->idle[--generator->idle_count];
	return DIRECT_MAP + generator->fresh++ * OBJECT;
}

static uint64_t call_site(struct generator *generator, uint64_t which)
{
	return generator->random ? draw_number(generator)
				 : TEXT_SEGMENT + which * 4096 + (which & 255);
}

/* Chooses an object to free: one of the last, since most objects live briefly. */
static uint64_t old_address(struct generator *generator)
{
	uint64_t back = draw_number(generator) % (generator->random ? generator->live : 64);
	uint64_t index, address;

	back = back < generator->live ? back : generator->live - 1;
	index = generator->live - 1 - back;
	address = generator->objects[index];
	generator->objects[index] = generator->objects[--generator->live];
	if (!generator->random)
		generator->idle[generator->idle_count++] = address;
	return address;
}

static void fill_alloc(struct generator *generator, struct kmt_record *record)
{
	static const uint32_t flags[] = { 0xcc0, 0xdc0, 0x400cc0, 0x820 };
	uint64_t which = draw_number(generator) % SITES;

	record->id = KMT_KMALLOC;
	record->pointer = new_address(generator);
	record->call_site = call_site(generator, which);
	record->gfp = flags[which % 4];
	record->allocated = 8U << (generator->random ? which : record->pointer / SLAB) % 6;
	record->requested = record->allocated - (uint32_t)(draw_number(generator) % 4);
	generator->objects[generator->live++] = record->pointer;
}

static void fill_free(struct generator *generator, struct kmt_record *record)
{
	record->id = KMT_KFREE;
	record->pointer = old_address(generator);
	record->call_site = call_site(generator, SITES + draw_number(generator) % SITES);
}

static int put_event(struct generator *generator, bool alloc)
{
	unsigned int cpu = draw_number(generator) % CPUS;
	struct kmt_record record = { .words = KMT_RECORD_WORDS, .node = KMT_NODE_ANY };
	int err;

	generator->now += 20 + draw_number(generator) % 100;
	record.time = generator->now;
	record.sequence = (uint32_t)generator->recorded[cpu]++;
	record.task = 100 + draw_number(generator) % TASKS;
	if (alloc)
		fill_alloc(generator, &record);
	else
		fill_free(generator, &record);
	err = writer_put(&generator->writers[cpu], &record);
	if (err)
		generator->errmsg = generator->writers[cpu].errmsg;
	return err;
}

/* The number of live objects grows evenly from 0 to the target, with random variation. */
static int put_all(struct generator *generator, uint64_t events)
{
	int64_t missing, left;
	uint64_t wanted;
	bool alloc;
	int err = 0;

	for (uint64_t i = 0; i < events && !err; i++) {
		wanted = (uint64_t)((double)generator->live_target * (double)i / (double)events);
		missing = (int64_t)(generator->live_target - generator->live);
		left = (int64_t)(events - i);
		if (missing == left || !generator->live || generator->live < wanted)
			alloc = true;
		else if (missing == -left || generator->live > wanted + LIVE_SPREAD)
			alloc = false;
		else
			alloc = draw_number(generator) >> 63;
		err = put_event(generator, alloc);
	}
	return err;
}

/* Opens a file of the capture, or sets the error message. */
static FILE *open_generated_file(struct generator *generator, const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", generator->directory, name);
	file = fopen(path, "w");
	if (!file)
		generator->errmsg = strerror(errno);
	return file;
}

static int close_file(FILE *file, int err)
{
	return fclose(file) && !err ? -EIO : err;
}

static int write_generated_status(struct generator *generator)
{
	struct status status = { .complete = STATUS_COMPLETE,
				 .stopped = "the duration was over",
				 .begin = BEGIN,
				 .end = generator->now,
				 .ring_bytes = 1 << 26 };
	FILE *file = open_generated_file(generator, "kernel/status");
	int err = file ? 0 : -EIO;

	for (unsigned int cpu = 0; cpu < CPUS && !err; cpu++) {
		struct status_cpu *counters = status_add_cpu(&status, cpu);

		err = counters ? 0 : -ENOMEM;
		if (counters)
			counters->seen = counters->recorded = generator->recorded[cpu];
	}
	if (!err)
		err = status_add_path(&status, "kmalloc", true, "");
	if (!err)
		err = status_add_path(&status, "kfree", true, "");
	if (!err)
		err = status_write(&status, file);
	status_deinit(&status);
	return file ? close_file(file, err) : err;
}

static int write_names(struct generator *generator)
{
	FILE *tasks = open_generated_file(generator, "kernel/tasks");
	FILE *symbols = open_generated_file(generator, "kernel/symbols");
	FILE *topology = open_generated_file(generator, "kernel/topology");
	FILE *caches = open_generated_file(generator, "kernel/caches");
	FILE *gfp = open_generated_file(generator, "kernel/gfp");
	FILE *metadata = open_generated_file(generator, "metadata");

	if (!tasks || !symbols || !topology || !caches || !gfp || !metadata)
		return -EIO;
	for (unsigned int i = 0; i < TASKS; i++)
		fprintf(tasks, "task %u 0 %u worker-%u\n", 100 + i, 100 + i, i);
	for (unsigned int i = 0; i < 2 * SITES + 1; i++)
		fprintf(symbols, "%llx t function_%u\n", TEXT_SEGMENT + i * 4096ULL, i);
	for (unsigned int i = 0; i < CPUS; i++)
		fprintf(topology, "cpu %u node 0 online\n", i);
	fprintf(gfp, "0xcc0 GFP_KERNEL\n0x820 GFP_ATOMIC\n");
	if (metadata_write(&generator->metadata, metadata))
		return -EIO;
	return close_file(tasks, 0) | close_file(symbols, 0) | close_file(topology, 0) |
	       close_file(caches, 0) | close_file(gfp, 0) | close_file(metadata, 0);
}

static int finish_stream(struct generator *generator, unsigned int cpu)
{
	struct writer *writer = &generator->writers[cpu];
	int err = writer_release(writer);

	if (!err)
		err = writer_confirm_losses(writer, generator->recorded[cpu], generator->now);
	if (!err)
		err = writer_flush(writer, generator->now, 0, true);
	if (err)
		generator->errmsg = writer->errmsg;
	return err;
}

static int generate_capture(struct generator *generator, uint64_t events)
{
	char path[4096];
	int fd, err = metadata_init(&generator->metadata);

	generator->metadata.word_bits = 64; /* like its addresses, on every machine */
	snprintf(path, sizeof(path), "%s/kernel", generator->directory);
	if (!err && (mkdir(generator->directory, 0700) || mkdir(path, 0700)))
		err = -errno;
	generator->errmsg = "the folder";
	for (unsigned int cpu = 0; cpu < CPUS && !err; cpu++) {
		snprintf(path, sizeof(path), "%s/cpu%u", generator->directory, cpu);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		err = fd < 0 ? -errno
			     : writer_open(&generator->writers[cpu], fd, path,
					   generator->metadata.uuid, cpu, BEGIN);
		generator->open += !err;
	}
	if (!err)
		err = put_all(generator, events);
	for (unsigned int cpu = 0; cpu < CPUS && !err; cpu++)
		err = finish_stream(generator, cpu);
	while (generator->open)
		writer_close(&generator->writers[--generator->open]);
	if (!err)
		err = write_generated_status(generator);
	return err ? err : write_names(generator);
}

int main(int argc, char **argv)
{
	bool random = argc > 1 && !strcmp(argv[1], "--random");
	struct generator generator = { .random = random, .state = 1, .now = BEGIN };
	uint64_t events;
	int err;

	argv += random;
	argc -= random;
	if (argc != 4) {
		fprintf(stderr, "usage: generate [--random] EVENTS LIVE DIR\n");
		return 2;
	}
	events = strtoull(argv[1], NULL, 10);
	generator.live_target = strtoull(argv[2], NULL, 10);
	generator.directory = argv[3];
	if (generator.live_target > events || (events - generator.live_target) % 2) {
		fprintf(stderr, "generate: EVENTS - LIVE must be even and at least 0\n");
		return 2;
	}
	generator.objects = calloc(events + 1, sizeof(*generator.objects));
	generator.idle = calloc(events + 1, sizeof(*generator.idle));
	if (!generator.objects || !generator.idle) {
		fprintf(stderr, "generate: not enough memory\n");
		return 2;
	}
	err = generate_capture(&generator, events);
	if (err)
		fprintf(stderr, "generate: %s: %s: %s\n", generator.directory, generator.errmsg,
			strerror(-err));
	free(generator.objects);
	free(generator.idle);
	return err ? 2 : 0;
}
