/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks a whole capture or a single stream. */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "check/check_problems.h"

/* The counters of all streams that were read. */
struct check_result {
	size_t cpus;
	uint64_t records, lost, skipped, own;
	bool own_known; /* else own is 0 */
	bool being_written;
	/* parts that a later version wrote, and that were not checked */
	uint64_t unknown; /* records */
	bool status_unknown;
	char tracer_version[32];
};

/*
 * Both report their problems. 0, or -errno with error set: the check could not be done.
 * check_stream() checks a stream without the capture that it belongs to.
 */
int check_capture(const char *path, struct check_problems *problems, struct check_result *result,
		  struct error *error);
int check_stream(const char *path, struct check_problems *problems, struct check_result *result,
		 struct error *error);

/* Calls print with each check, in the order of --list. */
void check_list(void (*print)(const struct check_info *check));

#endif
