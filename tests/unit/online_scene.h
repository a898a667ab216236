/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An online analysis of a small capture, fed step by step, for tests. */
#ifndef TESTS_UNIT_ONLINE_SCENE_H
#define TESTS_UNIT_ONLINE_SCENE_H

#include "analysis/online.h"
#include "live/stats/type_stats.h"

#define ONLINE_SCENE_CPUS 16

/* The records of one CPU, and how many of them were put. */
struct cpu_records {
	struct kmt_record *records;
	size_t count, put;
};

struct online_scene {
	char *directory;
	struct capture capture; /* of the online analysis */
	struct caches reported; /* all caches of the trace, for online_cache() */
	struct cpu_records sources[ONLINE_SCENE_CPUS];
	struct online *online;
	struct type_stats type_stats;
	bool with_tallies; /* as the publishing thread of kmemtraced */
	struct tallies tallies;
	uint64_t tallied; /* events */
	uint64_t crossed; /* frees on another CPU among them */
	size_t packets;	  /* put and not released */
	uint64_t random_state;
};

/* An analysis of the whole capture. */
struct whole_analysis {
	struct capture capture;
	struct analysis analysis;
	struct type_stats type_stats;
};

/* The text is as fixture.h describes it. Any failure in these functions ends the test. */
void online_scene_open(struct online_scene *scene, const char *text, size_t objects_max);
void online_scene_open_with_tallies(struct online_scene *scene, const char *text,
				    size_t objects_max);
void online_scene_close(struct online_scene *scene);

/* A random number below the limit. */
unsigned int online_scene_below(struct online_scene *scene, unsigned int limit);

/* Reports the caches that were created or destroyed between the times. */
void online_scene_report_caches(struct online_scene *scene, uint64_t after, uint64_t before);

/* Puts a packet of count records, with size bytes in all. */
void online_scene_put_packet(struct online_scene *scene, unsigned int cpu, const void *records,
			     size_t count, size_t size);

/* Puts all records before the watermark, and some after it. */
void online_scene_put_before(struct online_scene *scene, uint64_t watermark);

/* Takes the events before the watermark, and adds the tallies. Returns the time reached. */
uint64_t online_scene_take_until(struct online_scene *scene, uint64_t watermark);

/* The same; no event waits for the name of a cache. */
void online_scene_take(struct online_scene *scene, uint64_t watermark);

/* Analyses the whole capture up to the watermark (UINT64_MAX: to its end). */
void whole_run(struct whole_analysis *whole, const char *directory, uint64_t begin,
	       uint64_t watermark);
void whole_close(struct whole_analysis *whole);

/* Compares the online analysis with that of the whole capture up to the watermark. */
void online_scene_compare(struct online_scene *scene, uint64_t begin, uint64_t watermark);

#endif
