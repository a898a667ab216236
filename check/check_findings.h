/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Findings: printed one a line on stdout as they come, counted by file and by check. */
#ifndef CHECK_CHECK_FINDINGS_H
#define CHECK_CHECK_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#define FINDING_NO_OFFSET UINT64_MAX
#define FINDINGS_OF_A_KIND 10 /* in one file that are printed */
#define FINDING_KINDS 32

struct check;
struct progress_line;

struct check_findings {
	bool silent;		    /* only count */
	bool verbose;		    /* a line for each stream too */
	struct progress_line *line; /* of the progress; or NULL */
	uint64_t bytes, bytes_done; /* of all files that are read, and of those that are behind */
	uint64_t count;
	uint64_t mendable; /* of them: what --repair mends */
	const char *path;  /* of the file that is looked at */
	struct {
		const struct check *check;
		uint64_t count;
	} kinds[FINDING_KINDS]; /* in that file */
};

/* What is found from here on is found in path, which must stay until the next. */
void findings_begin(struct check_findings *findings, const char *path);

/* Says how many of a kind were not printed. */
void findings_end(struct check_findings *findings);

/* offset in bytes, or FINDING_NO_OFFSET. */
void findings_add(struct check_findings *findings, const struct check *check, uint64_t offset,
		  const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
