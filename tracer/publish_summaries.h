/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the publishing thread does for --summaries: counts, and writes a summary of each interval.
 */
#ifndef TRACER_PUBLISH_SUMMARIES_H
#define TRACER_PUBLISH_SUMMARIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fleet/summary/summary_count.h"
#include "tracer/host_facts.h"
#include "tracer/queue.h"
#include "tracer/summaries_file.h"
#include "tracer/summary_owners.h"

struct publish_summaries_settings {
	uint64_t interval_ns;	/* 0: no summaries */
	const char *directory;	/* of the files */
	uint64_t keep_ns;	/* of the files; UINT64_MAX: for ever */
	uint64_t max_bytes;	/* of the files; 0: no limit */
	const char *role;	/* of the host; "": none */
	bool by[SUMMARY_KINDS]; /* cgroup or comm: with rows of these too */
};

/* Since the begin; no counter ever decreases. */
struct publish_losses {
	uint64_t recorded, lost, skipped, uncounted; /* events */
};

struct publish_summaries {
	struct publish_summaries_settings settings;
	struct summaries_file *file; /* NULL: no summaries */
	struct summary_counter counter;
	struct summary_owners owners;
	struct details *details; /* of the owners; NULL: no rows by owner */
	char boot[BOOT_ID_SIZE];
	/* ns, of the events' clock: of the interval; end 0: tracing has not begun */
	uint64_t begin, end;
	struct summary_source source; /* of the next summary, without names */
	struct publish_losses losses; /* at the end of the last summary */
	uint64_t cpu_ns;	      /* the same, of this process */
	uint64_t pruned;	      /* the day on which old files were removed last */
	/* texts of summaries that could not be written; or NULL */
	char *unwritten;
	size_t unwritten_size, unwritten_count;
	/* for several threads, with atomic operations */
	int err;	  /* -errno of the last write; 0: it succeeded */
	int reported;	  /* the err that publish_summaries_failed() has reported */
	uint64_t written; /* summaries */
	uint64_t failed;  /* writes */
	uint64_t dropped; /* summaries that found no room in `unwritten` */
	uint64_t last;	  /* ns since 1970: the end of the last summary that was written */
};

/* Opens the file of today. 0, or -errno with errmsg set. */
int publish_summaries_start(struct publish_summaries *summaries,
			    const struct publish_summaries_settings *settings, char *errmsg,
			    size_t errmsg_size);

/* Are there rows that the details count? */
bool publish_summaries_by_owner(const struct publish_summaries_settings *settings);

/* For the publishing thread, once the capture is open. 0 or -ENOMEM. */
int publish_summaries_open(struct publish_summaries *summaries, const struct capture *capture,
			   struct details *details);

/*
 * The time (ns) before which all events must be counted, and no others, before the next summary is
 * written; UINT64_MAX: there are no summaries. The watermark: the one that is taken now.
 */
uint64_t publish_summaries_end(struct publish_summaries *summaries, const struct capture *capture,
			       const struct watermark *watermark);

/*
 * Writes a summary with the events before the time: the end of the interval, or an earlier one if
 * it is the last summary. events: that were taken since the begin. 0 or -ENOMEM.
 */
int publish_summaries_write(struct publish_summaries *summaries, const struct analysis *analysis,
			    const struct watermark *watermark, uint64_t events, uint64_t time);

/* From any thread: files are kept for another time. */
void publish_summaries_set_keep(struct publish_summaries *summaries, uint64_t keep_ns);

/* From any thread: the files may have so many bytes. */
void publish_summaries_set_max(struct publish_summaries *summaries, uint64_t bytes);

/* True once for each new reason why no summary could be written; errmsg gets the message. */
bool publish_summaries_failed(struct publish_summaries *summaries, char *errmsg,
			      size_t errmsg_size);
void publish_summaries_close(struct publish_summaries *summaries); /* all zero is allowed */

#endif
