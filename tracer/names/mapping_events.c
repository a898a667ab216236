// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A perf event and its ring for each CPU. A CPU that comes online later has none. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "base/array.h"
#include "tracer/names/user_stacks.h"

#define RING_BYTES (256 * 1024U) /* a power of two */
#define RECORD_MAX 65536	 /* its size has 16 bits */

struct mapping_ring {
	int fd; /* -1: not open */
	struct perf_event_mmap_page *control;
};

struct mmap_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t address, length, offset;
	union {
		struct {
			uint32_t major, minor;
			uint64_t inode, generation;
		};
		struct {
			uint8_t build_id_size, reserved[3];
			uint8_t build_id[20];
		};
	};
	uint32_t protection, flags;
	char path[];
};

/* Of a fork or an end. */
struct task_record {
	struct perf_event_header header;
	uint32_t pid, parent, tid, parent_tid;
	uint64_t time;
};

struct comm_record {
	struct perf_event_header header;
	uint32_t pid, tid;
};

static int open_on(unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.build_id = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = RING_BYTES,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && errno == EINVAL) {
		attr.build_id = 0; /* before Linux 5.12 */
		fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	}
	return fd < 0 ? -errno : fd;
}

static int start_on(struct mapping_ring *ring, unsigned int cpu)
{
	void *memory;

	ring->fd = open_on(cpu);
	if (ring->fd < 0) {
		int err = ring->fd;

		ring->fd = -1;
		/* the CPU is not online */
		return err == -ENODEV || err == -EINVAL ? 0 : err;
	}
	memory = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE) + RING_BYTES, PROT_READ | PROT_WRITE,
		      MAP_SHARED, ring->fd, 0);
	if (memory == MAP_FAILED)
		return -errno;
	ring->control = memory;
	return 0;
}

int mapping_events_open(struct mapping_events *events, struct process_maps *maps,
			unsigned int possible_cpus)
{
	int err = 0;

	*events = (struct mapping_events){ .maps = maps };
	events->rings = calloc(possible_cpus, sizeof(*events->rings));
	events->record = malloc(RECORD_MAX);
	if (!events->rings || !events->record)
		err = -ENOMEM;
	for (unsigned int i = 0; i < possible_cpus && !err; i++, events->count++)
		err = start_on(&events->rings[i], i);
	if (err)
		mapping_events_close(events);
	return err;
}

void mapping_events_close(struct mapping_events *events)
{
	for (unsigned int i = 0; i < events->count; i++) {
		if (events->rings[i].control)
			munmap(events->rings[i].control,
			       (size_t)sysconf(_SC_PAGESIZE) + RING_BYTES);
		if (events->rings[i].fd >= 0)
			close(events->rings[i].fd);
	}
	free(events->rings);
	free(events->record);
	free(events->list);
	*events = (struct mapping_events){ 0 };
}

static int take_mapping(struct mapping_events *events, struct mapping_event *event,
			const struct mmap_record *record)
{
	char build_id[2 * sizeof(record->build_id) + 1] = "-";
	bool has_id = record->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID;

	for (unsigned int i = 0;
	     has_id && i < record->build_id_size && i < sizeof(record->build_id); i++)
		snprintf(build_id + 2 * i, 3, "%02x", record->build_id[i]);
	event->kind = MAPPING_ADDED;
	event->pid = record->pid;
	event->mapping = (struct mapping){
		.begin = record->address,
		.end = record->address + record->length,
		.offset = record->offset,
	};
	/* "//anon" and the like are no files, but replace the mappings that were there */
	if (*record->path != '[' && (*record->path != '/' || record->path[1] == '/'))
		return 0;
	return process_maps_file(events->maps, build_id, has_id ? 0 : record->inode, record->path,
				 &event->mapping.file);
}

/* The time is at the end of each record. */
static int take_record(struct mapping_events *events, const struct perf_event_header *header)
{
	const struct task_record *task = (const void *)header;
	struct mapping_event *list, event = { .order = events->event_count };
	int err = 0;

	memcpy(&event.time, (const char *)header + header->size - sizeof(event.time),
	       sizeof(event.time));
	switch (header->type) {
	case PERF_RECORD_MMAP2:
		err = take_mapping(events, &event, (const void *)header);
		break;
	case PERF_RECORD_COMM:
		if (!(header->misc & PERF_RECORD_MISC_COMM_EXEC))
			return 0;
		event.kind = MAPPING_EXEC;
		event.pid = ((const struct comm_record *)header)->pid;
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		/* a thread that is not the first of its process */
		if (task->pid != task->tid)
			return 0;
		event.kind = header->type == PERF_RECORD_FORK ? MAPPING_FORK : MAPPING_EXIT;
		event.pid = task->pid;
		event.parent = task->parent;
		break;
	case PERF_RECORD_LOST:
		events->lost += ((const uint64_t *)(header + 1))[1];
		return 0;
	default:
		return 0;
	}
	list = err ? NULL : array_grow(events->list, events->event_count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	events->list = list;
	list[events->event_count++] = event;
	return 0;
}

static int read_ring(struct mapping_events *events, struct mapping_ring *ring)
{
	const char *data = (const char *)ring->control + sysconf(_SC_PAGESIZE);
	uint64_t head = __atomic_load_n(&ring->control->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->control->data_tail;
	int err = 0;

	while (!err && tail != head) {
		uint64_t at = tail % RING_BYTES;
		const struct perf_event_header *header = (const void *)(data + at);
		uint16_t size = header->size;

		if (at + size > RING_BYTES) {
			memcpy(events->record, header, RING_BYTES - at);
			memcpy(events->record + (RING_BYTES - at), data, size - (RING_BYTES - at));
			header = (const void *)events->record;
		}
		err = take_record(events, header);
		tail += size;
	}
	__atomic_store_n(&ring->control->data_tail, tail, __ATOMIC_RELEASE);
	return err;
}

static int compare_times(const void *left, const void *right)
{
	const struct mapping_event *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

int mapping_events_read(struct mapping_events *events)
{
	int err = 0;

	free(events->list);
	events->list = NULL;
	events->event_count = 0;
	for (unsigned int i = 0; i < events->count && !err; i++)
		if (events->rings[i].control)
			err = read_ring(events, &events->rings[i]);
	if (events->event_count)
		qsort(events->list, events->event_count, sizeof(*events->list), compare_times);
	return err;
}
