/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One capture, from the first look at the kernel to the last line of its status. */
#ifndef TRACER_SESSION_H
#define TRACER_SESSION_H

#include <stdbool.h>

#include "capture/directory.h"
#include "capture/metadata.h"
#include "capture/status.h"
#include "tracer/command.h"
#include "tracer/drain.h"
#include "tracer/modules.h"
#include "tracer/name_messages.h"
#include "tracer/options.h"
#include "tracer/load/programs.h"
#include "cli/progress.h"
#include "tracer/publish.h"
#include "tracer/rings.h"
#include "tracer/tempdir.h"
#include "tracer/recursion_misses.h"

struct session {
	const struct options *options;
	struct command_world before; /* as it was: the command gets it back */
	struct topology topology;
	struct rings rings;
	struct attach_plan layout;
	struct programs programs;
	struct directory directory;
	struct metadata metadata;
	struct status status;
	struct name_messages names;
	struct modules modules;
	struct publish publish; /* if options->publish */
	struct tempdir tempdir; /* if options->no_capture: the directory lies in it */
	struct command command;
	struct progress_line progress;
	struct drain *drains; /* by CPU, rings.possible_cpus of them */
	bool *draining;	      /* which of them are open */
	uint64_t deadline;    /* ns; 0: none */
	uint64_t begin, end;  /* ns: all programs are attached between them */
	struct recursion_misses misses;
	uint64_t next_flush;   /* ns */
	struct packer *packer; /* NULL: packets stay raw */
	char errmsg[500];
};

/* Everything up to the moment before the programs are attached. 0 or -errno with errmsg set. */
int session_open(struct session *session, const struct options *options,
		 const struct saved_signals *signals);

/* Captures until the command ends, the time is over or a signal comes. 0 or -errno, errmsg set. */
int session_run(struct session *session);

/* Takes the rest out, writes the last words and says what was captured. 0 or -errno. */
int session_finish(struct session *session);
void session_close(struct session *session);

/* What was captured: the sums of all CPUs. */
struct session_sums {
	uint64_t recorded, lost, bytes;
};
void session_sums(const struct session *session, struct session_sums *sums);

#endif
