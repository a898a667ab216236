/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kernel/status: counters of events and losses, observed paths, options. Lines of "key value ...";
 * readers skip unknown keys. Written at the start ("complete no"), and again at the end.
 */
#ifndef CAPTURE_STATUS_H
#define CAPTURE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "capture/loss.h"
#include "capture/status_probes.h"
#include "capture/status_sampling.h"

/*
 * seen = recorded + lost + skipped, or recorded + lost if skipped is unknown. own is part of
 * recorded, from_backup of recorded + lost.
 */
struct status_cpu {
	unsigned int cpu;
	uint64_t seen, recorded, lost;
	uint64_t skipped;     /* events, or STATUS_UNKNOWN */
	uint64_t own;	      /* recorded while kmemtraced itself was the current task */
	uint64_t from_backup; /* frees recorded by a backup program */
	/* of a profile: all events of the CPU, recorded or not, and the bytes that were allocated
	 */
	struct status_counted {
		uint64_t allocations, frees, bytes;
	} counted;
};

struct status_lost_task {
	uint32_t task;
	uint64_t count;
};

/* A kernel function that allocates or frees, and whether the capture observes its calls. */
struct status_path {
	char name[64];
	bool observed;
	char reason[160]; /* why it is not observed */
};

/* Events that one CPU lost between two times. */
struct status_span {
	unsigned int cpu;
	struct loss_span span; /* if merged, from the first to the last */
	uint64_t count;	       /* events; STATUS_UNKNOWN if struct loss has merged spans */
};

#define STATUS_SPANS_MAX 256 /* of one CPU */

/* Skipped events of all CPUs, between two times. */
struct status_skip_span {
	uint64_t after, before; /* ns */
	uint64_t count;
};

#define STATUS_SKIP_SPANS_MAX 256

enum status_complete {
	STATUS_CUT_OFF = 0, /* "no": still running, or it was cut off */
	STATUS_COMPLETE,    /* "yes" */
	STATUS_REPAIRED,    /* "repaired": by kmemtrace-check --repair */
};

/* Does the kernel preempt a task in a tracepoint, and so in a program? */
enum status_preemption {
	STATUS_PREEMPTION_UNSAID, /* the status does not say it */
	STATUS_PREEMPTION_UNKNOWN,
	STATUS_PREEMPTION_NO,
	STATUS_PREEMPTION_YES,
};

/* The values of enum kmt_context that the records have. */
enum status_context {
	STATUS_CONTEXT_UNKNOWN = 0, /* all records have KMT_CONTEXT_TASK */
	STATUS_CONTEXT_SOFTIRQ,	    /* hard interrupts count as what they interrupted */
	STATUS_CONTEXT_ALL,
};

struct status {
	enum status_complete complete;
	char stopped[160]; /* why the capture ended: "the command ended", "SIGINT", … */
	/* ns, the capture's clock: all programs were attached from begin until end */
	uint64_t begin, end;
	/* ns: of a piece, if not 0: records from this time on belong to the next piece, too */
	uint64_t until;
	uint64_t ring_bytes; /* of the ring of one CPU */
	bool include_self;   /* reports include kmemtraced's own allocations */
	uint64_t skipped;    /* the sum of cpus[].skipped, if known; or STATUS_UNKNOWN */
	bool backup_known;   /* the status says whether there were backup programs */
	char backup_programs_reason[160]; /* why not; empty: there were */
	enum status_preemption preemption;
	uint64_t copies;	       /* of each program; 0: no further copies */
	bool front;		       /* front programs ran before the copies */
	enum status_context context;   /* which contexts the records have */
	uint64_t from_backup;	       /* the sum of cpus[].from_backup */
	uint64_t backup_off_cpus;      /* CPUs on which a kind of backup program was disabled */
	uint64_t hook_calls_skipped;   /* calls that the hooks did not record */
	uint64_t names_lost;	       /* messages with names or modules: the ring was full */
	uint64_t lost_unattributed;    /* lost events of tasks that are not in lost_tasks */
	uint64_t clamped, clamped_max; /* records whose time was clamped; the most ns */
	uint32_t *traced_pids;	       /* option -p; empty: all processes */
	size_t traced_pid_count;
	uint32_t *own_tasks; /* thread ids of kmemtraced, ascending */
	size_t own_count;
	struct status_cpu *cpus; /* by cpu */
	size_t cpu_count;
	struct status_lost_task *lost_tasks;
	size_t lost_task_count;
	struct status_path *paths;
	size_t path_count;
	bool no_slab;		     /* --probes named no slab events: none are recorded */
	struct status_probes probes; /* of process memory, that --probes named */
	struct status_sampling sampling;
	struct status_span *spans; /* lost events; neighbours are merged if there are many */
	size_t span_count;
	struct status_skip_span *skip_spans; /* in the order of detection */
	size_t skip_span_count;		     /* at most STATUS_SKIP_SPANS_MAX */
	size_t unknown_lines;		     /* lines that were read, with unknown keys */
};

void status_deinit(struct status *status);
int status_write(const struct status *status, FILE *file); /* 0 or -errno */

/* 0, -ENOMEM, or -EPROTONOSUPPORT: the format is newer; error gets the text. */
int status_parse(struct status *status, const char *text, struct error *error);

/* Append to the lists. 0 or -ENOMEM. A CPU or own task is added only once. */
int status_add_traced_pid(struct status *status, uint32_t tgid);
int status_add_own(struct status *status, uint32_t task);
struct status_cpu *status_add_cpu(struct status *status, unsigned int cpu);	   /* or NULL */
struct status_cpu *status_find_cpu(const struct status *status, unsigned int cpu); /* or NULL */
int status_add_lost_task(struct status *status, uint32_t task, uint64_t count);
int status_add_path(struct status *status, const char *name, bool observed, const char *reason);
size_t status_count_unobserved(const struct status *status);

/*
 * The names of the paths that are not observed; the caller frees them. NULL: no memory. A status
 * without any path does not say which are observed.
 */
char *status_unobserved_names(const struct status *status, const char *separator);

/* Of a profile: all its events, by the counters of the programs. */
struct status_counted status_sum_counted(const struct status *status);

/* Adds the spans of a CPU's lost events, merged to at most STATUS_SPANS_MAX. 0 or -ENOMEM. */
int status_add_spans(struct status *status, unsigned int cpu, const struct loss *loss);
/* Appends a span. 0 or -ENOMEM. */
int status_add_span(struct status *status, const struct status_span *span);

/*
 * Adds skipped events between the two times, unless count is 0 or the times are in the wrong
 * order. If there are more than STATUS_SKIP_SPANS_MAX spans, the two neighbours with the least time
 * between them are merged. 0 or -ENOMEM.
 */
int status_add_skip_span(struct status *status, uint64_t after, uint64_t before, uint64_t count);

/* status.stopped of a piece that another one follows */
#define STATUS_STOPPED_NEXT_PIECE "the next piece began"

/* Did the capture end as it was meant to? Else `stopped` is an error message, of any text. */
static inline bool status_stop_is_ordinary(const struct status *status)
{
	const char *stopped = status->stopped;

	if (!strncmp(stopped, "SIG", 3))
		return !stopped[strspn(stopped, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")];
	return !*stopped || !strcmp(stopped, "the command ended") ||
	       !strcmp(stopped, STATUS_STOPPED_NEXT_PIECE) ||
	       !strcmp(stopped, "the duration was over") || !strcmp(stopped, "the recording ended");
}

/* Is the task in own_tasks? A binary search. */
bool status_search_own(const struct status *status, uint32_t task);

/* The same, inline for nearly all tasks: their ids are outside of the few own tasks' range. */
static inline bool status_is_own(const struct status *status, uint32_t task)
{
	size_t count = status->own_count;

	return count && task >= status->own_tasks[0] && task <= status->own_tasks[count - 1] &&
	       status_search_own(status, task);
}

#endif
