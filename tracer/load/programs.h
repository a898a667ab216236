/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The BPF programs: what this kernel has for them, loading, attaching, and what they missed. */
#ifndef TRACER_LOAD_PROGRAMS_H
#define TRACER_LOAD_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/ring.h"
#include "capture/status.h"
#include "tracer/load/hooks.h"
#include "tracer/load/attach_plan.h"
#include "tracer/load/bpf_objects.h"
#include "tracer/load/paths.h"
#include "tracer/load/backup_programs.h"

#define PROGRAMS_EXTRAS 7

struct programs {
	const struct attach_plan *plan;
	struct bpf_variant variant;
	struct paths paths;
	struct bpf_program *list[ATTACH_EVENTS]; /* NULL: this kernel has no such tracepoint */
	struct bpf_link *events[ATTACH_EVENTS];
	unsigned int event_count; /* how many there are */
	struct bpf_link *extras[PROGRAMS_EXTRAS];
	struct bpf_link *misses; /* one of them; NULL: skipped events are not known by CPU */
	struct backup_programs backup;
	struct hooks hooks;
	unsigned int possible_cpus, any_cpu;
	bool has_recursion_guard; /* the kernel skips runs that would nest */
	bool all_online;	  /* the possible CPUs, at the begin */
	bool untraced_cache_used; /* -p knows tasks by their stacks: see bpf/bystanders.bpf.h */
	unsigned int idle_ticks;  /* ticks since a record was last wanted */
	bool attached;		  /* some of them */
	char errmsg[512];
};

struct programs_settings {
	unsigned int possible_cpus;
	unsigned int any_cpu; /* any that is online */
	bool all_online;      /* the possible CPUs */
	uint32_t ring_slots;
	int ring_fd;	      /* any ring: the pattern of all others */
	const uint32_t *pids; /* -p */
	size_t pid_count;
	const char *no_backup_reason; /* why second programs are not wanted; NULL: they are */
};

/*
 * Looks at what the kernel has. 0, or -errno with layout->errmsg set: there is no capture on this
 * kernel, or from this namespace. verbose: let libbpf talk.
 */
int programs_plan(struct attach_plan *plan, bool verbose);

/*
 * All return 0 or -errno, with errmsg set. Second programs and hooks are never the reason: where
 * they cannot be had, rescue and hooks say why.
 */
int programs_load(struct programs *programs, const struct attach_plan *plan,
		  const struct programs_settings *settings);
int programs_attach(struct programs *programs);
/* Call it every 100 ms: second programs begin, and programs on records come and go. */
void programs_poll(struct programs *programs);
void programs_detach(struct programs *programs); /* none runs any more when it returns */
void programs_close(struct programs *programs);

/*
 * Runs of the programs on tracepoints (not of the second ones) that the kernel skipped so far, on
 * all CPUs: events, of which second programs may have told some.
 */
uint64_t programs_recursion_misses(const struct programs *programs);

/* The same by CPU, possible_cpus of them; STATUS_UNKNOWN where this kernel does not tell. */
void programs_recursion_misses_by_cpu(const struct programs *programs, uint64_t *missed);

/* Adds the lost events of each task to status. 0 or -ENOMEM. */
int programs_add_lost_tasks(const struct programs *programs, struct status *status);

#endif
