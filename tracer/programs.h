/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The BPF programs: what this kernel has for them, loading, attaching, and what they missed. */
#ifndef TRACER_PROGRAMS_H
#define TRACER_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/ring.h"
#include "trace/status.h"
#include "tracer/hooks.h"
#include "tracer/rescue.h"

#define PROGRAMS_EVENTS 4
#define PROGRAMS_FREES 2 /* of them, the first */

struct programs {
	struct kmemtrace_bpf *skeleton;
	struct btf *btf; /* the kernel's; kept since it takes long to read */
	struct bpf_link *events[PROGRAMS_EVENTS]; /* frees first */
	struct bpf_link *names[4];
	struct bpf_link *misses; /* NULL: skipped events are not known by CPU */
	struct rescue rescue;
	struct hooks hooks;
	unsigned int possible_cpus;
	bool attached; /* some of them */
	char why[512];
};

struct programs_settings {
	unsigned int possible_cpus;
	uint32_t ring_slots;
	int ring_fd;	      /* any ring: the pattern of all others */
	const uint32_t *pids; /* -p */
	size_t pid_count;
	bool rescue;  /* second programs are wanted */
	bool verbose; /* let libbpf talk */
};

/*
 * Looks at the kernel's own description of the tracepoints. 0; -ENOENT: no BTF; -ENOTSUP: an
 * argument layout that no program here reads, or process ids that are not the kernel's. why gets
 * the sentence.
 */
int programs_probe(char *why, size_t why_size);

/*
 * All return 0 or -errno, with why set. Second programs and hooks are never the reason: where
 * they cannot be had, rescue and hooks say why.
 */
int programs_load(struct programs *programs, const struct programs_settings *settings);
int programs_attach(struct programs *programs);
void programs_detach(struct programs *programs); /* none runs any more when it returns */
void programs_close(struct programs *programs);

int programs_controls_fd(const struct programs *programs);
int programs_rings_fd(const struct programs *programs);
int programs_names_fd(const struct programs *programs);
const struct kmt_totals *programs_totals(const struct programs *programs);

/*
 * Runs of the programs on tracepoints (not of the second ones) that the kernel skipped so far, on
 * all CPUs: events, of which second programs may have told some.
 */
uint64_t programs_missed(const struct programs *programs);

/* The same by CPU, possible_cpus of them; STATUS_UNKNOWN where this kernel does not tell. */
void programs_missed_by_cpu(const struct programs *programs, uint64_t *missed);

/* Adds the lost events of each task to status. 0 or -ENOMEM. */
int programs_lost_tasks(const struct programs *programs, struct status *status);

#endif
