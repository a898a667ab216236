// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes a capture for a test with the code of kmemtraced. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/making.h"
#include "tests/unit/byteswap.h"

#define HOST_IS_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

int making_fail(struct making *making, int err, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(making->errmsg, making->errmsg_size, format, arguments);
	va_end(arguments);
	return err;
}

static char *join_names(const char *directory, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", directory, name) < 0)
		abort();
	return path;
}

void *making_grow(void *list, size_t count, size_t size)
{
	list = reallocarray(list, count + 1, size);
	if (!list)
		abort();
	memset((char *)list + count * size, 0, size);
	return list;
}

FILE *making_file(const struct making *making, const char *name)
{
	char *path = join_names(making->directory, name);
	FILE *file = fopen(path, "w");

	free(path);
	return file;
}

struct making_cpu *making_cpu(struct making *making, uint64_t number)
{
	struct making_cpu *cpu;
	char name[32], *path;
	int err, fd;

	for (size_t i = 0; i < making->cpu_count; i++)
		if (making->cpus[i]->cpu == number)
			return making->cpus[i];
	cpu = calloc(1, sizeof(*cpu));
	if (!cpu)
		abort();
	cpu->cpu = (unsigned int)number;
	snprintf(name, sizeof(name), "cpu%u", cpu->cpu);
	path = join_names(making->directory, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	err = fd < 0 ? making_fail(making, -errno, "%s: %s", path, strerror(errno))
		     : writer_open(&cpu->writer, fd, path, making->metadata.uuid, cpu->cpu,
				   making->begin);
	free(path);
	if (err) {
		if (fd >= 0)
			making_fail(making, err, "%s", cpu->writer.errmsg);
		free(cpu);
		return NULL;
	}
	making->cpus = making_grow(making->cpus, making->cpu_count, sizeof(*making->cpus));
	making->cpus[making->cpu_count++] = cpu;
	return cpu;
}

int making_flush(struct making *making, uint64_t time, bool force)
{
	int err = 0;

	for (size_t i = 0; i < making->cpu_count && !err; i++) {
		struct making_cpu *cpu = making->cpus[i];

		err = writer_release(&cpu->writer);
		if (!err)
			err = writer_confirm_losses(&cpu->writer, cpu->sequence, making->now);
		if (!err)
			err = writer_flush(&cpu->writer, time, making->status.skipped, force);
		if (err)
			making_fail(making, err, "%s", cpu->writer.errmsg);
	}
	return err;
}

static int finish_cpu(struct making *making, struct making_cpu *cpu)
{
	struct status *status = &making->status;
	struct writer *writer = &cpu->writer;
	struct status_cpu *figures;
	int err;

	if (status->complete != STATUS_CUT_OFF) {
		figures = status_add_cpu(status, cpu->cpu);
		if (!figures)
			return -ENOMEM;
		figures->recorded = cpu->recorded;
		figures->lost = cpu->lost;
		status->lost_unattributed += figures->lost;
		figures->own = cpu->own;
		figures->from_backup = cpu->from_backup;
		status->from_backup += cpu->from_backup;
		/* The first CPU has all skipped events. */
		figures->skipped = status->cpu_count == 1 ? status->skipped : 0;
		figures->seen = figures->recorded + figures->lost + figures->skipped;
		status->clamped += writer->clamped;
		if (writer->clamped_max > status->clamped_max)
			status->clamped_max = writer->clamped_max;
		err = status_add_spans(status, cpu->cpu, &writer->loss);
		if (err)
			return err;
	}
	if (making->metadata.big_endian == HOST_IS_BIG)
		return 0;
	err = byteswap_stream(writer->path);
	return err ? making_fail(making, err, "%s: %s", writer->path, strerror(-err)) : 0;
}

static int compare_cpus(const void *a, const void *b)
{
	const struct making_cpu *const *x = a, *const *y = b;

	return ((*x)->cpu > (*y)->cpu) - ((*x)->cpu < (*y)->cpu);
}

/* Writes one file of the capture by the call, which names the file `file`. */
#define WRITE_FILE(making, name, call)                                        \
	do {                                                                  \
		FILE *file = making_file(making, name);                       \
		int write_err = file ? (call) : -errno;                       \
                                                                              \
		if (file)                                                     \
			fclose(file);                                         \
		if (write_err)                                                \
			return making_fail(making, write_err, "%s: %s", name, \
					   strerror(-write_err));             \
	} while (0)

int making_finish(struct making *making)
{
	struct status *status = &making->status;
	bool complete = status->complete != STATUS_CUT_OFF;
	int err;

	if (making->end < making->now)
		making->end = making->now;
	err = making_flush(making, making->end, complete);
	if (err)
		return err;
	if (making->cpu_count)
		qsort(making->cpus, making->cpu_count, sizeof(*making->cpus), compare_cpus);
	for (size_t i = 0; i < making->cpu_count; i++) {
		err = finish_cpu(making, making->cpus[i]);
		if (err)
			return err;
	}
	if (status->begin < making->begin)
		status->begin = making->begin;
	if (complete) {
		status->end = making->end;
		snprintf(status->stopped, sizeof(status->stopped), "the duration was over");
	} else {
		status->skipped = 0;
		status->skip_span_count = 0;
	}
	WRITE_FILE(making, "metadata", metadata_write(&making->metadata, file));
	/* a capture without paths counts as one that observed none */
	if (!status->path_count && status_add_path(status, "kmalloc", true, ""))
		return -ENOMEM;
	WRITE_FILE(making, "kernel/status", status_write(status, file));
	WRITE_FILE(making, "kernel/topology", topology_write(&making->topology, file));
	WRITE_FILE(making, "kernel/gfp", gfp_write(&making->gfp, file));
	return 0;
}

static void set_defaults(struct making *making)
{
	static const uint8_t uuid[16] = "mktrace fixture";

	making->metadata = (struct metadata){ .format = CAPTURE_FORMAT,
					      .word_bits = 64,
					      .page_size = 4096,
					      .wall_offset = 1700000000000000000,
					      .hostname = "vm",
					      .release = "6.1.0",
					      .version = "#1 SMP",
					      .machine = "x86_64",
					      .tracer_version = PACKAGE_VERSION };
	memcpy(making->metadata.uuid, uuid, sizeof(uuid));
	making->status.complete = STATUS_COMPLETE;
	making->status.ring_bytes = 1 << 20;
}

static void close_file(FILE *file)
{
	if (file)
		fclose(file);
}

int making_open(struct making *making, const char *directory, char *errmsg, size_t errmsg_size)
{
	char *kernel = join_names(directory, "kernel");
	int err = 0;

	memset(making, 0, sizeof(*making));
	making->directory = directory;
	making->errmsg = errmsg;
	making->errmsg_size = errmsg_size;
	*errmsg = '\0';
	set_defaults(making);
	if ((mkdir(directory, 0755) && errno != EEXIST) || mkdir(kernel, 0755))
		err = making_fail(making, -errno, "%s: %s", kernel, strerror(errno));
	free(kernel);
	if (err)
		return err;
	making->cache_lines = making_file(making, "kernel/caches");
	making->task_lines = making_file(making, "kernel/tasks");
	making->symbol_lines = making_file(making, "kernel/symbols");
	if (!making->cache_lines || !making->task_lines || !making->symbol_lines)
		err = making_fail(making, -errno, "%s: %s", directory, strerror(errno));
	if (err)
		making_close(making);
	return err;
}

void making_close(struct making *making)
{
	close_file(making->cache_lines);
	close_file(making->task_lines);
	close_file(making->symbol_lines);
	close_file(making->slab_lines);
	close_file(making->stack_lines);
	close_file(making->user_lines);
	for (size_t i = 0; i < making->cpu_count; i++) {
		writer_close(&making->cpus[i]->writer);
		free(making->cpus[i]);
	}
	free(making->cpus);
	free(making->symbols);
	free(making->caches);
	topology_deinit(&making->topology);
	gfp_deinit(&making->gfp);
	status_deinit(&making->status);
}
