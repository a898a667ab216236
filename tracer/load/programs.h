/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The BPF programs: loads, attaches and detaches them, and counts skipped runs. */
#ifndef TRACER_LOAD_PROGRAMS_H
#define TRACER_LOAD_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/ring.h"
#include "capture/status.h"
#include "tracer/load/aux_programs.h"
#include "tracer/load/hooks.h"
#include "tracer/load/attach_plan.h"
#include "tracer/load/bpf_objects.h"
#include "tracer/load/copies.h"
#include "tracer/load/cpu_numbers.h"
#include "tracer/load/paths.h"
#include "tracer/load/process_probes.h"
#include "tracer/load/sampling.h"
#include "tracer/load/backup_programs.h"
#include "tracer/load/cgroup_hierarchy.h"

struct bpf_prog_info;

struct programs {
	const struct attach_plan *plan;
	enum kmt_context_source context_source; /* of the attached programs */
	struct bpf_variant variant;
	struct paths paths;
	struct bpf_program *list[ATTACH_TRACEPOINTS]; /* NULL: this kernel has no such tracepoint */
	struct bpf_link *events[ATTACH_TRACEPOINTS];
	unsigned int event_count; /* the number of events that are attached */
	struct aux_programs aux;
	struct backup_programs backup;
	struct copies copies; /* on kernels that need them, instead of backup programs */
	struct hooks hooks;
	struct process_probes process;
	bool records_slab; /* else only process events are recorded */
	unsigned int possible_cpus;
	bool has_recursion_guard; /* it can skip nested runs; on 5.12 to 6.0 it skips none */
	bool all_online;	  /* all possible CPUs were online at the start */
	bool untraced_table_used; /* see bpf/untraced.bpf.h */
	bool attached;		  /* some programs are */
	char errmsg[512];
};

/* See bpf/count.bpf.h. */
struct count_settings {
	uint32_t parts; /* enum kmt_count_part: of a key */
	uint32_t key_size;
	uint64_t head, task; /* the bits that a key has of these words */
	uint32_t slots;	   /* of the table in each ring: a power of two; without rings, not used */
	uint32_t groups;   /* room for keys in the map */
	uint32_t own_tgid; /* whose events are not counted; UINT32_MAX: none */
};

struct programs_settings {
	unsigned int possible_cpus;
	unsigned int any_cpu;		    /* one that is online */
	bool all_online;		    /* all possible CPUs are online */
	uint32_t ring_slots;		    /* not used while counting */
	const struct count_settings *count; /* count by key; NULL: record */
	int ring_fd;			    /* of any ring: all rings are maps of the same kind */
	const uint32_t *pids;		    /* the processes of -p; none: all */
	size_t pid_count;
	struct sampling sampling;
	const char *no_backup_reason;		/* see options_no_backup_reason() */
	const struct cgroup_hierarchy *cgroups; /* whose cgroups are recorded; NULL: none */
	const bool *probes; /* PROBES of them: which are recorded; NULL: all of slab */
};

/*
 * Makes the attach plan. 0, or -errno with plan->errmsg set: no capture is possible on this kernel
 * or in this PID namespace. verbose: print the messages of libbpf.
 */
int programs_plan(struct attach_plan *plan, bool verbose);

/*
 * Do BPF programs see the right CPU? Sets numbers. 0, or -ENOTSUP with errmsg set: no capture is
 * possible, since all events would have wrong CPUs.
 */
int programs_check_cpus(struct cpu_numbers *numbers, const struct topology *topology, char *errmsg,
			size_t size);

/*
 * Loads, then attaches the programs. 0, or -errno with errmsg set. Backup programs, hooks and all
 * probes of process memory but one are optional: without them there is no error, and
 * backup.reason, hooks.list[].reason and process.reasons[] say why.
 */
int programs_load(struct programs *programs, const struct attach_plan *plan,
		  const struct programs_settings *settings);
int programs_attach(struct programs *programs);
/* Call it every 100 ms: starts backup programs, and attaches and detaches field programs. */
void programs_poll(struct programs *programs);
void programs_detach(struct programs *programs); /* no program runs any more when it returns */
void programs_close(struct programs *programs);

/* At the end: why not all skipped events were recorded that backup programs or copies can record.
 */
const char *programs_backup_reason(const struct programs *programs);

/* The kernel's information about a loaded program. 0 or -errno. */
int programs_info(const struct bpf_program *program, struct bpf_prog_info *info);

/*
 * Did the kernel skip the program on new tasks? No kernel is known to do so. If it did, the
 * untraced-task table may be wrong, and events of a traced process may be missing.
 */
bool programs_missed_new_task(const struct programs *programs);

/*
 * How many runs of the tracepoints' first programs the kernel has skipped so far, on all CPUs.
 * Backup programs, or later copies, may have recorded some of these events.
 */
uint64_t programs_recursion_misses(const struct programs *programs);

/* How many runs of the front programs the kernel has skipped so far and counted. */
uint64_t programs_front_misses(const struct programs *programs);

/* programs_recursion_misses() by CPU, for possible_cpus CPUs; STATUS_UNKNOWN if this kernel does
 * not report it. */
void programs_recursion_misses_by_cpu(const struct programs *programs, uint64_t *misses);

/* Adds the lost events of each task to status. 0 or -ENOMEM. */
int programs_add_lost_tasks(const struct programs *programs, struct status *status);

#endif
