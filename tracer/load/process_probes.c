// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The programs of the ways that are chosen. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>

#include "tracer/load/formats.h"
#include "tracer/load/probe.h"
#include "tracer/load/privileges.h"
#include "tracer/load/process_probes.h"
#include "tracer/load/refusal.h"

static void explain_failure(char *reason, size_t size, const char *what, const char *target,
			    int err)
{
	char advice[REFUSAL_ADVICE];

	if (err == -EPERM || err == -EACCES)
		snprintf(reason, size, "%s%s: not permitted%s", what, target,
			 refusal_advice(-err, 1, advice));
	else
		snprintf(reason, size, "%s%s: %s", what, target, strerror(-err));
}

static void explain_hook(char *reason, size_t size, const char *kind, const char *function, int err)
{
	const struct privileges privileges = privileges_read();
	const char *why = refusal_text(-err);

	if (err == -EPERM || err == -EACCES)
		why = privileges_missing(&privileges, PRIVILEGES_TO_TRACE)
			      ? "not permitted"
			      : "this kernel refuses it";
	else if (err == -ENOENT)
		why = "this kernel does not have it";
	else if (err == -ENODEV)
		why = "this kernel has none";
	snprintf(reason, size, "%s %s: %s", kind, function, why);
}

/*
 * The id of the event in tracefs, or -errno. Also sets victim_offset of oom/mark_victim; -ENOENT:
 * no such event, or no such field.
 */
static long find_entry(struct bpf_variant *variant, const char *target)
{
	struct kmt_field_position position;
	int tracefs = formats_open();
	char *format;
	long id;

	if (tracefs < 0)
		return tracefs;
	id = formats_id(tracefs, target);
	if (id >= 0 && !strcmp(target, "oom/mark_victim")) {
		if (formats_read(tracefs, target, &format) ||
		    !formats_find(format, "pid", &position))
			id = -1;
		else
			bpf_variant_set(variant, "victim_offset", &position.offset,
					sizeof(position.offset));
		free(format);
	}
	close(tracefs);
	return id < 0 ? -ENOENT : id;
}

/* Can the program be attached? Else sets reason. */
static bool try_program(const struct process_probes *process, struct bpf_variant *variant,
			const struct way_program *row, char *reason, size_t size)
{
	bool is_hook = row->attachment == ATTACHMENT_FENTRY || row->attachment == ATTACHMENT_KPROBE;
	long result;

	if (!bpf_variant_program(variant, row->program)) {
		snprintf(reason, size, "%s",
			 is_hook ? "needs BTF, which this kernel lacks"
				 : "there is no such program for this machine");
		return false;
	}
	switch (row->attachment) {
	case ATTACHMENT_RAW_TRACEPOINT:
		if (probe_arguments(row->target))
			return true;
		snprintf(reason, size, "no raw tracepoint %s", row->target);
		return false;
	case ATTACHMENT_ENTRY:
		result = find_entry(variant, row->target);
		if (result >= 0)
			return true;
		if (result == -ENOENT)
			snprintf(reason, size, "no tracepoint %s", row->target);
		else
			snprintf(reason, size, "tracefs cannot be read: %s",
				 strerror(-(int)result));
		return false;
	case ATTACHMENT_SOFTWARE_EVENT:
		result = software_event_try(row->config, process->any_cpu);
		if (!result)
			return true;
		explain_failure(reason, size, "software event", "", (int)result);
		return false;
	case ATTACHMENT_FENTRY:
		result = function_hook_try_fentry(row->target);
		if (!result)
			return true;
		explain_hook(reason, size, "fentry", row->target, (int)result);
		return false;
	case ATTACHMENT_KPROBE:
		result = function_hook_open_kprobe(row->target, process->any_cpu);
		if (result >= 0) {
			close((int)result);
			return true;
		}
		explain_hook(reason, size, "kprobe", row->target, (int)result);
		return false;
	case ATTACHMENT_NONE:
		break;
	}
	return false;
}

/* Adds why a way is not possible to the reason of the probe. */
static void add_reason(char *reason, size_t size, const char *more)
{
	size_t length = strlen(reason);

	if (strstr(reason, more))
		return;
	snprintf(reason + length, size - length, "%s%s", length ? "; " : "", more);
}

static bool try_way(const struct process_probes *process, struct bpf_variant *variant,
		    const struct probe_way *way, char *reason, size_t size)
{
	for (size_t i = 0; i < WAY_PROGRAMS && way->programs[i].program; i++)
		if (!try_program(process, variant, &way->programs[i], reason, size))
			return false;
	return true;
}

static void use_way(struct process_probes *process, const struct probe_way *way)
{
	for (size_t i = 0; i < WAY_PROGRAMS && way->programs[i].program; i++) {
		struct process_program *program = &process->programs[process->program_count++];

		program->row = &way->programs[i];
		program->probe = way->probe;
		program->fd = -1;
		program->program = bpf_variant_program(process->variant, way->programs[i].program);
		bpf_program__set_autoload(program->program, true);
		if (program->row->attachment == ATTACHMENT_FENTRY)
			bpf_program__set_attach_target(program->program, 0, program->row->target);
	}
	process->ways[way->probe] = way;
}

void process_probes_choose(struct process_probes *process, struct bpf_variant *variant,
			   const bool wanted[PROBES], unsigned int possible_cpus,
			   unsigned int any_cpu, const char *disabled_reason)
{
	*process = (struct process_probes){ .variant = variant,
					    .possible_cpus = possible_cpus,
					    .any_cpu = any_cpu };
	memcpy(process->wanted, wanted, sizeof(process->wanted));
#ifdef __i386__
	disabled_reason = "the programs do not know the registers of x86 with 32 bits";
#endif
	for (unsigned int probe = PROBE_SLAB_END; probe < PROBES; probe++) {
		char *reasons = process->reasons[probe], reason[160];
		const size_t size = sizeof(process->reasons[probe]);

		if (!wanted[probe])
			continue;
		if (disabled_reason)
			add_reason(reasons, size, disabled_reason);
		for (size_t i = 0; i < probe_way_count && !disabled_reason && !process->ways[probe];
		     i++) {
			if (probe_ways[i].probe != probe)
				continue;
			if (try_way(process, variant, &probe_ways[i], reason, sizeof(reason)))
				use_way(process, &probe_ways[i]);
			else
				add_reason(reasons, size, reason);
		}
		if (!process->ways[probe] && !*reasons)
			add_reason(reasons, size, "this version has no way to record it");
	}
}

/* The perf event of a tracefs event, or -errno. */
static int open_entry(const struct process_probes *process, const char *target)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.size = sizeof(attr),
					.sample_period = 1,
					.wakeup_events = 1 };
	int fd, tracefs = formats_open();
	long id = tracefs < 0 ? tracefs : formats_id(tracefs, target);

	if (tracefs >= 0)
		close(tracefs);
	if (id < 0)
		return -ENOENT;
	attr.config = (uint64_t)id;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, process->any_cpu, -1,
			  PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* The program runs on all CPUs, although the perf event is of one. */
static int attach_to_event(struct process_program *program, int event)
{
	if (event < 0)
		return event;
	program->fd = event;
	if (ioctl(program->fd, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(program->program)) ||
	    ioctl(program->fd, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	return 0;
}

static int attach_process_program(const struct process_probes *process,
				  struct process_program *program)
{
	switch (program->row->attachment) {
	case ATTACHMENT_RAW_TRACEPOINT:
		program->link =
			bpf_program__attach_raw_tracepoint(program->program, program->row->target);
		return program->link ? 0 : -errno;
	case ATTACHMENT_ENTRY:
		return attach_to_event(program, open_entry(process, program->row->target));
	case ATTACHMENT_KPROBE:
		return attach_to_event(program, function_hook_open_kprobe(program->row->target,
									  process->any_cpu));
	case ATTACHMENT_FENTRY:
		program->link = bpf_program__attach(program->program);
		return program->link ? 0 : -errno;
	case ATTACHMENT_SOFTWARE_EVENT:
		return software_event_open(&program->event, program->row->config,
					   bpf_program__fd(program->program),
					   process->possible_cpus);
	case ATTACHMENT_NONE:
		break;
	}
	return -EINVAL;
}

static void detach_process_program(struct process_program *program)
{
	bpf_link__destroy(program->link);
	program->link = NULL;
	if (program->fd >= 0)
		close(program->fd);
	program->fd = -1;
	software_event_stop(&program->event);
}

void process_probes_attach(struct process_probes *process)
{
	for (size_t i = 0; i < process->program_count; i++) {
		struct process_program *program = &process->programs[i];
		int err = process->ways[program->probe] ? attach_process_program(process, program)
							: 0;

		if (!err)
			continue;
		explain_failure(process->reasons[program->probe], sizeof(process->reasons[0]),
				"cannot attach ", program->row->program, err);
		process->ways[program->probe] = NULL;
	}
	/* a probe whose programs are not all there would be counted wrong */
	for (size_t i = 0; i < process->program_count; i++)
		if (!process->ways[process->programs[i].probe])
			detach_process_program(&process->programs[i]);
}

void process_probes_poll(struct process_probes *process)
{
	for (size_t i = 0; i < process->program_count; i++)
		software_event_poll(&process->programs[i].event);
}

void process_probes_detach(struct process_probes *process)
{
	for (size_t i = 0; i < process->program_count; i++)
		detach_process_program(&process->programs[i]);
}

void process_probes_close(struct process_probes *process)
{
	process_probes_detach(process);
	for (size_t i = 0; i < process->program_count; i++)
		software_event_close(&process->programs[i].event);
	process->program_count = 0;
}

uint64_t process_probes_skipped(const struct process_probes *process, enum probe_id probe,
				uint64_t *by_cpu)
{
	uint64_t *runs = calloc(process->possible_cpus, sizeof(*runs)), sum = 0;
	int map = bpf_variant_map_fd(process->variant, "process_runs");

	for (size_t i = 0; runs && i < process->program_count; i++) {
		const struct process_program *program = &process->programs[i];
		uint32_t counter = program->row->runs;

		/* the counts were read before the runs: the difference is never too large */
		if (!program->event.cpus || (probe != PROBES && probe != program->probe) ||
		    bpf_map_lookup_elem(map, &counter, runs))
			continue;
		for (unsigned int cpu = 0; cpu < process->possible_cpus; cpu++) {
			uint64_t count = program->event.cpus[cpu].count;
			uint64_t skipped = count > runs[cpu] ? count - runs[cpu] : 0;

			sum += skipped;
			if (by_cpu && by_cpu[cpu] != STATUS_UNKNOWN)
				by_cpu[cpu] += skipped;
		}
	}
	free(runs);
	return sum;
}

/* How often the kernel counted the software events of the probe; STATUS_UNKNOWN: it has none. */
static uint64_t count_events(const struct process_probes *process, enum probe_id probe)
{
	uint64_t sum = 0;
	bool has_events = false;

	for (size_t i = 0; i < process->program_count; i++) {
		const struct software_event *event = &process->programs[i].event;

		if (process->programs[i].probe != probe || !event->cpus)
			continue;
		has_events = true;
		for (unsigned int cpu = 0; cpu < process->possible_cpus; cpu++)
			sum += event->cpus[cpu].count;
	}
	return has_events ? sum : STATUS_UNKNOWN;
}

/* STATUS_UNKNOWN: a CPU came online, and its first events were not counted. */
static uint64_t count_misses(const struct process_probes *process, enum probe_id probe)
{
	uint64_t sum = process_probes_skipped(process, probe, NULL);

	for (size_t i = 0; i < process->program_count; i++)
		if (process->programs[i].probe == probe && process->programs[i].event.came_late)
			return STATUS_UNKNOWN;
	for (size_t i = 0; i < process->program_count; i++) {
		struct bpf_prog_info info = { 0 };
		uint32_t size = sizeof(info);

		if (process->programs[i].probe == probe && !process->programs[i].event.cpus &&
		    !bpf_obj_get_info_by_fd(bpf_program__fd(process->programs[i].program), &info,
					    &size))
			sum += info.recursion_misses;
	}
	return sum;
}

int process_probes_report(const struct process_probes *process, struct status *status)
{
	int err = 0;

	status->probes.count = 0;
	for (unsigned int probe = PROBE_SLAB_END; probe < PROBES && !err; probe++) {
		const struct probe_way *way = process->ways[probe];

		if (!process->wanted[probe])
			continue;
		if (way)
			err = status_probes_add(
				&status->probes,
				&(struct status_probe){ .is_recorded = true,
							.counted = count_events(process, probe),
							.skipped = count_misses(process, probe) },
				probes[probe].name, way->name);
		else
			err = status_probes_add(&status->probes, &(struct status_probe){ 0 },
						probes[probe].name, process->reasons[probe]);
	}
	return err;
}
