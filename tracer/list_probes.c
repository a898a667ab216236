// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Attaches the programs of all probes, for a moment, and prints the result. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/exit_status.h"
#include "cli/message.h"
#include "tracer/load/machine.h"
#include "tracer/load/programs.h"
#include "tracer/modes.h"
#include "tracer/rings.h"

#define NAME_WIDTH 24

static void print_row(const char *name, const char *way, const char *reason)
{
	printf("%-*s %s%s\n", NAME_WIDTH, name, reason && *reason ? "missing: " : "",
	       reason && *reason ? reason : way);
}

static void print_hook(enum probe_id probe, const struct programs *programs, enum hook_kind kind)
{
	print_row(probes[probe].name, "hook on the function in the kernel",
		  programs->hooks.list[kind].reason);
}

/* A kernel from 6.0 on has one tracepoint for requests with a node and without. */
static void print_tracepoint(enum probe_id probe, const struct programs *programs,
			     enum tracepoint_id id, enum tracepoint_id other)
{
	char way[80];

	if (programs->list[id])
		snprintf(way, sizeof(way), "tracepoint %s", attach_plan_tracepoint_name(id));
	else
		snprintf(way, sizeof(way), "tracepoint %s, with a requested node",
			 attach_plan_tracepoint_name(other));
	print_row(probes[probe].name, way, NULL);
}

static void print_probes(const struct programs *programs)
{
	const struct process_probes *process = &programs->process;

	print_tracepoint(PROBE_KMALLOC, programs, ATTACH_KMALLOC, ATTACH_KMALLOC);
	print_tracepoint(PROBE_KMALLOC_NODE, programs, ATTACH_KMALLOC_NODE, ATTACH_KMALLOC);
	print_tracepoint(PROBE_CACHE_ALLOC, programs, ATTACH_CACHE_ALLOC, ATTACH_CACHE_ALLOC);
	print_tracepoint(PROBE_CACHE_ALLOC_NODE, programs, ATTACH_CACHE_ALLOC_NODE,
			 ATTACH_CACHE_ALLOC);
	print_tracepoint(PROBE_KFREE, programs, ATTACH_KFREE, ATTACH_KFREE);
	print_tracepoint(PROBE_CACHE_FREE, programs, ATTACH_CACHE_FREE, ATTACH_CACHE_FREE);
	print_hook(PROBE_BULK_ALLOC, programs, HOOK_BULK_ALLOC);
	print_hook(PROBE_BULK_FREE, programs, HOOK_BULK_FREE);
	print_hook(PROBE_REALLOC, programs, HOOK_REALLOC);
	for (unsigned int probe = PROBE_SLAB_END; probe < PROBES; probe++)
		print_row(probes[probe].name,
			  process->ways[probe] ? process->ways[probe]->name : "",
			  process->ways[probe] ? NULL : process->reasons[probe]);
	print_row("dtmalloc::TYPE:malloc", "the allocations above, by slab cache", NULL);
	print_row("dtmalloc::TYPE:free", "the frees above, by slab cache", NULL);
}

static int try_programs(const struct attach_plan *plan, const struct topology *topology)
{
	unsigned int cpus = machine_possible_cpus(topology);
	struct programs programs = { 0 };
	bool wanted[PROBES];
	struct rings rings;
	int err = rings_init(&rings, cpus, 1, plan->missing_features.fetch);

	if (!err)
		err = rings_add(&rings, topology->list[0].cpu, -1);
	if (err) {
		error_msg("%s", rings.errmsg);
		rings_deinit(&rings);
		return err;
	}
	memset(wanted, true, sizeof(wanted));

	const struct programs_settings settings = {
		.possible_cpus = cpus,
		.any_cpu = topology->list[0].cpu,
		.ring_slots = rings.slots,
		.ring_fd = rings.list[topology->list[0].cpu].fd,
		.probes = wanted,
	};

	err = programs_load(&programs, plan, &settings);
	if (!err)
		err = programs_attach(&programs);
	if (err)
		error_msg("%s", programs.errmsg);
	else
		print_probes(&programs);
	programs_close(&programs);
	rings_deinit(&rings);
	return err;
}

int list_probes_run(const struct options *options)
{
	struct topology topology;
	struct attach_plan plan;
	int err = programs_plan(&plan, options->verbose);

	if (err) {
		error_msg("%s", plan.errmsg);
		return EXIT_TROUBLE;
	}
	err = topology_read(&topology, "");
	if (!err && !topology.count)
		err = -ENODATA;
	if (err) {
		error_msg("/sys/devices/system/cpu: %s", strerror(-err));
	} else {
		err = try_programs(&plan, &topology);
		topology_deinit(&topology);
	}
	attach_plan_deinit(&plan);
	return close_stdout(err ? EXIT_TROUBLE : EXIT_OK);
}
