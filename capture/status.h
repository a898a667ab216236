/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kernel/status: the capture's own statement about itself. Lines of "key value …"; readers skip
 * keys that they do not know. Written at the start ("complete no") and anew at the end.
 */
#ifndef CAPTURE_STATUS_H
#define CAPTURE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "capture/loss.h"

#define STATUS_UNKNOWN UINT64_MAX /* a count that this kernel does not tell */

/* seen = recorded + lost + skipped; own is a part of recorded, rescued of recorded + lost. */
struct status_cpu {
	unsigned int cpu;
	uint64_t seen, recorded, lost;
	uint64_t skipped;     /* or STATUS_UNKNOWN */
	uint64_t own;	      /* recorded while kmemtraced itself was the current task */
	uint64_t from_backup; /* frees that the first program was kept from and the second told */
};

struct status_lost_task {
	uint32_t task;
	uint64_t count;
};

/* A path that allocates or frees, and whether this capture observes it. */
struct status_path {
	char name[64];
	bool observed;
	char reason[160]; /* if not */
};

/* Events that one CPU lost between two times. */
struct status_span {
	unsigned int cpu;
	struct loss_span span; /* of merged ones from the first to the last */
	uint64_t count;	       /* events lost: fewer than its numbers if merged, or */
			       /* STATUS_UNKNOWN if struct loss merged already */
};

#define STATUS_SPANS_MAX 256 /* of one CPU */

/* Events that the kernel skipped, on any CPU, between two times. */
struct status_miss_span {
	uint64_t after, before; /* ns */
	uint64_t count;
};

#define STATUS_MISS_SPANS_MAX 256

enum status_complete {
	STATUS_CUT_OFF = 0, /* "no": still running, or it was cut off */
	STATUS_COMPLETE,    /* "yes" */
	STATUS_REPAIRED,    /* "repaired": by kmemtrace-check --repair */
};

struct status {
	enum status_complete complete;
	char stopped[160];   /* why the capture ended: "the command ended", "SIGINT", … */
	uint64_t begin, end; /* ns, the capture's clock: all attached between them */
	uint64_t ring_bytes; /* of one CPU */
	bool include_self;   /* reports count kmemtraced's own allocations too */
	uint64_t skipped;    /* the sum of cpus[].skipped; or STATUS_UNKNOWN */
	bool backup_known;   /* whether second programs watched, by what follows */
	char backup_programs_reason[160]; /* why none did; empty: they did */
	uint64_t from_backup;		  /* the sum of cpus[].from_backup */
	uint64_t backup_off_cpus;	  /* CPUs on which the second programs gave up for a kind */
	uint64_t aux_skipped;		  /* calls of hooked functions that are not recorded */
	uint64_t names_lost;		  /* names and news of modules that found no room */
	uint64_t lost_unattributed;	  /* lost events of no task that lost_tasks names */
	uint64_t clamped, clamped_max;	  /* records whose time was clamped; ns at most */
	uint32_t *traced_pids;		  /* -p: the processes; none: all */
	size_t traced_pid_count;
	uint32_t *own_tasks; /* thread ids of kmemtraced, ascending */
	size_t own_count;
	struct status_cpu *cpus; /* by cpu */
	size_t cpu_count;
	struct status_lost_task *lost_tasks;
	size_t lost_task_count;
	struct status_path *paths;
	size_t path_count;
	struct status_span *spans; /* where events were lost; neighbours merged if very many */
	size_t span_count;
	struct status_miss_span
		*miss_spans;	/* when events were skipped; in the order in which it was seen */
	size_t miss_span_count; /* at most STATUS_MISS_SPANS_MAX */
	size_t unknown_lines;	/* that were read: of keys that this version does not know */
};

void status_deinit(struct status *status);
int status_write(const struct status *status, FILE *file); /* 0 or -errno */

/* 0, -ENOMEM, or -EPROTONOSUPPORT: a newer format; errmsg gets the error text. */
int status_parse(struct status *status, const char *text, char *errmsg, size_t errmsg_size);

/* Appending; 0 or -ENOMEM. A CPU or own task that is there already is not added again. */
int status_add_traced_pid(struct status *status, uint32_t tgid);
int status_add_own(struct status *status, uint32_t task);
struct status_cpu *status_add_cpu(struct status *status, unsigned int cpu);	   /* or NULL */
struct status_cpu *status_find_cpu(const struct status *status, unsigned int cpu); /* or NULL */
int status_add_lost_task(struct status *status, uint32_t task, uint64_t count);
int status_add_path(struct status *status, const char *name, bool observed, const char *reason);
int status_add_spans(struct status *status, unsigned int cpu, const struct loss *loss);

/*
 * So many events were skipped between the two times. Nothing is noted of none, or where after is
 * not before. Of more than STATUS_MISS_SPANS_MAX the two neighbours with least time between them
 * become one. 0 or -ENOMEM.
 */
int status_add_miss_span(struct status *status, uint64_t after, uint64_t before, uint64_t count);

bool status_is_own(const struct status *status, uint32_t task);

#endif
