// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How many runs of the programs the kernel has skipped. */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tracer/load/programs.h"

int programs_info(const struct bpf_program *program, struct bpf_prog_info *info)
{
	uint32_t size = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return bpf_obj_get_info_by_fd(bpf_program__fd(program), info, &size);
}

bool programs_missed_new_task(const struct programs *programs)
{
	const struct bpf_program *program = bpf_variant_program(&programs->variant, "task_newtask");
	struct bpf_prog_info info;

	return programs->untraced_table_used && program && !programs_info(program, &info) &&
	       info.recursion_misses;
}

static uint64_t sum_misses(struct bpf_program *const *list, size_t count)
{
	struct bpf_prog_info info;
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		if (list[i] && !programs_info(list[i], &info))
			sum += info.recursion_misses;
	return sum;
}

uint64_t programs_recursion_misses(const struct programs *programs)
{
	struct bpf_program *process[PROCESS_PROGRAMS] = { NULL };

	for (size_t i = 0; i < programs->process.program_count; i++)
		if (!programs->process.programs[i].event.cpus)
			process[i] = programs->process.programs[i].program;
	return sum_misses(programs->list, ATTACH_TRACEPOINTS) +
	       sum_misses(process, PROCESS_PROGRAMS) +
	       process_probes_skipped(&programs->process, PROBES, NULL);
}

uint64_t programs_front_misses(const struct programs *programs)
{
	return sum_misses(programs->copies.front.programs, KMT_COPIED_KINDS);
}

static void read_misses_by_cpu(const struct programs *programs, uint64_t *missed)
{
	uint64_t counts[512];
	size_t index = 0;
	ssize_t got = 0;
	int fd = -1;

	bool known = (programs->aux.misses || !programs->has_recursion_guard) &&
		     !programs_missed_new_task(programs);

	for (size_t i = 0; i < programs->possible_cpus; i++)
		missed[i] = known ? 0 : STATUS_UNKNOWN;
	if (!programs->aux.misses)
		return;
	fd = bpf_iter_create(bpf_link__fd(programs->aux.misses));
	/* the programs follow one another, each with possible_cpus counters */
	while (fd >= 0 && (got = read(fd, counts, sizeof(counts))) > 0) {
		for (size_t i = 0; i < got / sizeof(counts[0]); i++, index++) {
			uint64_t *cpu = &missed[index % programs->possible_cpus];

			if (counts[i] == UINT64_MAX)
				*cpu = STATUS_UNKNOWN;
			else if (*cpu != STATUS_UNKNOWN)
				*cpu += counts[i];
		}
	}
	if (fd < 0 || got < 0 || index != (size_t)programs->possible_cpus * programs->event_count)
		for (size_t i = 0; i < programs->possible_cpus; i++)
			missed[i] = STATUS_UNKNOWN;
	if (fd >= 0)
		close(fd);
}

void programs_recursion_misses_by_cpu(const struct programs *programs, uint64_t *missed)
{
	read_misses_by_cpu(programs, missed);
	process_probes_skipped(&programs->process, PROBES, missed);
}
