/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The auxiliary programs: they send names of tasks, modules, cgroups and, on a kernel without BTF,
 * of slab caches, note when a softirq begins and ends, and read recursion misses. A capture is
 * possible without any of them.
 */
#ifndef TRACER_LOAD_AUX_PROGRAMS_H
#define TRACER_LOAD_AUX_PROGRAMS_H

#include <stdbool.h>

#include "tracer/load/attach_plan.h"
#include "tracer/load/bpf_objects.h"

#define AUX_PROGRAMS 14

struct bpf_link;

struct aux_programs {
	struct bpf_variant *variant;
	unsigned int any_cpu; /* one that is online */
	struct bpf_link *links[AUX_PROGRAMS];
	long events[AUX_PROGRAMS]; /* ids of the entries that they get, once they were attached */
	struct bpf_link *misses;   /* also in links; NULL: recursion misses are not known by CPU */
	unsigned int idle_ticks; /* calls of aux_programs_poll() since the last request of a name */
};

/*
 * Before loading: chooses the programs that the kernel can run. reads_misses: the kernel has
 * recursion misses to read. reads_cgroups: cgroups are recorded.
 */
void aux_programs_choose(struct aux_programs *aux, struct bpf_variant *variant,
			 const struct attach_plan *plan, bool reads_misses, bool reads_cgroups,
			 unsigned int any_cpu);

/*
 * Attaches the programs that must be attached after this tracepoint's program. ATTACH_TRACEPOINTS:
 * the programs that are attached before all others.
 */
void aux_programs_attach(struct aux_programs *aux, enum tracepoint_id after);

/* Are both programs on softirqs attached? */
bool aux_programs_see_softirqs(const struct aux_programs *aux);

/* Is the program on new tasks attached? */
bool aux_programs_see_new_tasks(const struct aux_programs *aux);

/* On a kernel without BTF: attaches the field programs while names are requested, else detaches. */
void aux_programs_poll(struct aux_programs *aux);

/* Detaches all programs except misses, which is read after all others have ended. */
void aux_programs_detach(struct aux_programs *aux);

/* Detaches misses too. */
void aux_programs_close(struct aux_programs *aux);

#endif
