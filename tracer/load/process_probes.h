/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The probes of process memory: the ways in which each can be recorded, the cheapest first, and the
 * ones that this kernel has. A way is found by trying it, never from the kernel's version.
 */
#ifndef TRACER_LOAD_PROCESS_PROBES_H
#define TRACER_LOAD_PROCESS_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/status.h"
#include "kernel/probes.h"
#include "kernel/ring.h"
#include "tracer/load/bpf_objects.h"

struct bpf_link;
struct bpf_program;

/*
 * A software event of perf with a program, on each CPU that is online. The kernel counts the event
 * itself: so it is known how often it did not run the program.
 */

struct software_event_cpu {
	int fd;		       /* -1: the CPU is not online */
	uint64_t count;	       /* ended_count + of fd, at the last reading */
	uint64_t ended_count;  /* of the times at which the CPU was online before */
	uint64_t time_enabled; /* ns, at the last reading */
};

struct software_event {
	uint32_t config; /* PERF_COUNT_SW_… */
	int program;
	unsigned int possible_cpus;
	struct software_event_cpu *cpus; /* NULL: not open */
	bool is_enabled;
	bool came_late; /* a CPU came online; its events until then were not counted */
};

/* 0 or -errno: can this kernel count the event, with these privileges? */
int software_event_try(uint32_t config, unsigned int cpu);

/*
 * Opens the event on all CPUs, and begins. 0 or -errno: there is no CPU with the event, or not
 * enough memory or file descriptors.
 */
int software_event_open(struct software_event *event, uint32_t config, int program,
			unsigned int possible_cpus);
/* Reads the counts; opens the event on CPUs that have come online. Call it often. */
void software_event_poll(struct software_event *event);
/* No program runs any more when it returns. */
void software_event_stop(struct software_event *event);
void software_event_close(struct software_event *event);

#define WAY_PROGRAMS 4
#define PROCESS_PROGRAMS 16 /* of all ways that are used at once */

enum attachment {
	ATTACHMENT_NONE,
	ATTACHMENT_RAW_TRACEPOINT, /* target: its name */
	ATTACHMENT_ENTRY,	   /* target: the event in tracefs, group/name */
	ATTACHMENT_SOFTWARE_EVENT, /* config: PERF_COUNT_SW_… */
	ATTACHMENT_FENTRY,	   /* target: a function of the kernel; or fexit */
	ATTACHMENT_KPROBE,	   /* the same */
};

/* A row of the table: all of its programs together record the probe. */
struct probe_way {
	enum probe_id probe;
	const char *name;
	struct way_program {
		const char *program; /* its name in bpf/ */
		enum attachment attachment;
		const char *target;
		uint32_t config;
		enum kmt_run_counter runs; /* of a software event */
	} programs[WAY_PROGRAMS];
};

extern const struct probe_way probe_ways[]; /* of each probe, the cheapest first */
extern const size_t probe_way_count;

struct process_program {
	const struct way_program *row;
	enum probe_id probe;
	struct bpf_program *program;
	struct bpf_link *link;	     /* of a raw tracepoint or fentry */
	int fd;			     /* of a tracefs event or kprobe; -1: none */
	struct software_event event; /* of a software event */
};

struct process_probes {
	const struct bpf_variant *variant;
	unsigned int possible_cpus, any_cpu;
	bool wanted[PROBES];
	const struct probe_way *ways[PROBES]; /* NULL: this kernel has none */
	char reasons[PROBES][160];	      /* why it has none */
	struct process_program programs[PROCESS_PROGRAMS];
	size_t program_count;
};

/*
 * Before loading: chooses the ways of the probes that are wanted. disabled_reason: NULL, or why no
 * way is used.
 */
void process_probes_choose(struct process_probes *process, struct bpf_variant *variant,
			   const bool wanted[PROBES], unsigned int possible_cpus,
			   unsigned int any_cpu, const char *disabled_reason);

/* Attaches the programs. If that fails for a probe, its way is NULL and its reason says why. */
void process_probes_attach(struct process_probes *process);
/* Call it every 100 ms: follows CPUs that come online. */
void process_probes_poll(struct process_probes *process);
/* Detaches the programs; software events keep their counts until process_probes_close(). */
void process_probes_detach(struct process_probes *process);
void process_probes_close(struct process_probes *process);

/*
 * Adds, by CPU, the software events for which the kernel did not run the program; of one probe, or
 * PROBES: of all. Returns the sum.
 */
uint64_t process_probes_skipped(const struct process_probes *process, enum probe_id probe,
				uint64_t *by_cpu);

/* Adds each wanted probe to the status. 0 or -ENOMEM. */
int process_probes_report(const struct process_probes *process, struct status *status);

/* Programs on functions of the kernel: by fentry, or by a kprobe. */

/* Can an fentry program be attached to the function? 0 or -errno; -ENOENT: BTF does not have it. */
int function_hook_try_fentry(const char *function);

/*
 * Opens a kprobe on the function, for programs on all CPUs; any_cpu is one that is online. Returns
 * a descriptor, or -errno; -ENOENT: the kernel has no such function; -ENODEV: it has no kprobes.
 */
int function_hook_open_kprobe(const char *function, unsigned int any_cpu);

#endif
