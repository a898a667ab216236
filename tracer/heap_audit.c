// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A reading that fails makes no capture fail: then, as without it, some figures are upper bounds.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#include "base/cpu_time.h"
#include "tracer/heap_audit.h"
#include "tracer/load/machine.h"

/* Between two readings for published figures, at least: ns, and the same in CPU time of a reading.
 */
#define PERIOD 10000000000ULL
#define PERIOD_FACTOR 100
#define URGENT_PERIOD 1000000000ULL
#define URGENT_FACTOR 10

/* An error of the step differs from those of the reading: it ends the capture. */
struct audit_step {
	const struct heap_meanwhile *meanwhile;
	int err;
};

void heap_audit_open(struct heap_audit *audit)
{
	heap_reader_open(&audit->reader, audit->reason, sizeof(audit->reason));
	audit->next = machine_now() + PERIOD;
}

static int take_step(void *data)
{
	struct audit_step *step = data;

	step->err = step->meanwhile->step(step->meanwhile->data);
	return step->err;
}

static bool read_heap(struct heap_audit *audit, struct audit_step *step,
		      struct heap_reading *reading)
{
	const struct heap_meanwhile checked = { take_step, step };

	return !heap_reader_read(audit->reader, machine_now, &checked, reading, audit->reason,
				 sizeof(audit->reason));
}

int heap_audit_read(struct heap_audit *audit, const struct heap_meanwhile *meanwhile)
{
	struct audit_step step = { .meanwhile = meanwhile };

	if (!audit->reader || audit->count == sizeof(audit->readings) / sizeof(*audit->readings))
		return 0;
	audit->count += read_heap(audit, &step, &audit->readings[audit->count]);
	return step.err;
}

int heap_audit_read_published(struct heap_audit *audit, const struct heap_meanwhile *meanwhile,
			      uint64_t use_ns)
{
	struct audit_step step = { .meanwhile = meanwhile };
	uint64_t begin = machine_now(), used = thread_cpu_time();

	if (!audit->reader)
		return 0;
	heap_reading_deinit(&audit->published);
	read_heap(audit, &step, &audit->published);
	used = thread_cpu_time() - used + use_ns;
	audit->next = begin + MAX(PERIOD, used * PERIOD_FACTOR);
	audit->urgent = begin + MAX(URGENT_PERIOD, used * URGENT_FACTOR);
	return step.err;
}

void heap_audit_write(struct heap_audit *audit, struct directory *directory)
{
	FILE *file;
	int err = 0, failed;

	/* one alone says nothing of the end */
	if (audit->count < sizeof(audit->readings) / sizeof(*audit->readings))
		return;
	file = directory_open(directory, "kernel/heap", false);
	for (size_t i = 0; file && i < audit->count && !err; i++)
		err = heap_reading_write(file, &audit->readings[i]);
	failed = file ? directory_close(directory, file, "kernel/heap") : -EIO;
	if (!err && !failed)
		return;
	snprintf(audit->reason, sizeof(audit->reason), "%s", directory->errmsg);
	/* on a full disk the status needs its room */
	unlinkat(directory->fd, "kernel/heap", 0);
}

void heap_audit_close(struct heap_audit *audit)
{
	heap_reader_close(audit->reader);
	for (size_t i = 0; i < audit->count; i++)
		heap_reading_deinit(&audit->readings[i]);
	heap_reading_deinit(&audit->published);
	*audit = (struct heap_audit){ 0 };
}
