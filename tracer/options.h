/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of kmemtraced, parsed. */
#ifndef TRACER_OPTIONS_H
#define TRACER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/config_file.h"
#include "kernel/probes.h"
#include "tracer/count_options.h"
#include "tracer/load/sampling.h"
#include "tracer/pieces/rotation_options.h"
#include "tracer/publish/metrics_options.h"
#include "tracer/publish/summaries_options.h"
#include "tracer/ship/ship_options.h"
#include "tracer/triggers/trigger_options.h"

struct options {
	const char *output;    /* the capture directory; NULL: no capture is written */
	uint64_t duration_ns;  /* 0: until stopped */
	unsigned int ring_mib; /* of each CPU; 0: by the machine's memory */
	uint32_t *pids;	       /* the processes to trace; none: all */
	size_t pid_count;
	bool has_probes; /* --probes was given */
	const char *probes_text;
	bool probes[PROBES]; /* which are recorded; all of slab or none */
	bool named[PROBES];  /* named in --probes: also single ones of slab events */
	bool records_slab;   /* slab events are recorded */
	bool list_probes;
	bool pack;
	bool include_self;
	bool proc_mem;		  /* read the memory of processes */
	uint64_t proc_mem_ns;	  /* between two readings; 0: no such readings */
	bool stacks;		  /* --stacks was given */
	struct sampling sampling; /* interval 0: no stacks are recorded */
	bool rescue, no_rescue;	  /* see options_no_backup_reason */
	const char *publish;	  /* path of the file; NULL: nothing is published */
	struct metrics_options metrics;
	struct summaries_options summaries;
	struct ship_options ship;
	struct trigger_options triggers;
	struct rotation_options rotation;
	const char *no_value; /* name of the last option without its optional value; or NULL */
	gid_t publish_group;  /* (gid_t)-1: none */
	const char *publish_group_name;
	size_t publish_objects;	    /* live ones that are tracked */
	bool audit;		    /* asked for: read the allocator's lists */
	bool no_audit;		    /* do not read them */
	bool no_details;	    /* publish no figures by site, task and cgroup */
	bool publish_base;	    /* readers show objects from before the start, too */
	bool no_capture;	    /* publish or count only */
	bool stream;		    /* -o -: the capture goes to standard output */
	struct count_options count; /* count only */
	bool quiet, verbose;
	bool doctor;
	bool memory; /* see memory_run() */
	bool status; /* --status was given */
	struct config_file config;
	char **argv;	/* NULL-terminated: the whole command line */
	char **command; /* NULL-terminated; NULL: no command */
};

/* Sets the defaults. */
void options_init(struct options *options);

/* Exits with 2 and a message if the command line is wrong, and with 0 after --help and --version.
 */
void options_parse(struct options *options, int argc, char **argv);

/* The reason why the options allow no backup programs on the frees; NULL: they allow them. */
const char *options_no_backup_reason(const struct options *options);

void options_deinit(struct options *options);

/*
 * Does a thread count live bytes: for a file, or for a trigger? The message of an OOM kill names
 * their holders.
 */
static inline bool options_aggregate(const struct options *options)
{
	const struct trigger_options *triggers = &options->triggers;

	return options->publish || options->metrics.path || options->summaries.interval_ns ||
	       trigger_options_need_figures(triggers) ||
	       (options->records_slab && trigger_options_have(triggers, TRIGGER_OOM));
}

/* Are the allocator's lists read? By default they are if something uses the readings. */
static inline bool options_audit(const struct options *options)
{
	bool has_use = !options->no_capture || options_aggregate(options);

	return options->audit ||
	       (!options->no_audit && options->records_slab && has_use &&
		!options->sampling.is_profile && !options->count.enabled && !options->stream);
}

/* How many bytes the files of summaries may have; 0: no limit. */
static inline uint64_t options_summaries_max(const struct options *options)
{
	uint64_t most = options->summaries.max_bytes;

	if (!most && options->ship.url)
		return SUMMARIES_SHIP_MAX;
	return most == UINT64_MAX ? 0 : most;
}

/* Are there streams and names on disk? */
static inline bool options_have_streams(const struct options *options)
{
	return options->count.enabled || !options->no_capture;
}

/* Are the files of the capture removed at the end? */
static inline bool options_is_temporary(const struct options *options)
{
	return options->no_capture || options->stream;
}

#endif
