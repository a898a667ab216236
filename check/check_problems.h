/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Problems: printed on standard output one a line, and counted for each file and check. */
#ifndef CHECK_CHECK_PROBLEMS_H
#define CHECK_CHECK_PROBLEMS_H

#include <stdbool.h>
#include <stdint.h>

#define PROBLEM_NO_OFFSET UINT64_MAX
#define PROBLEMS_PRINTED 10 /* of one check in one file; the others are only counted */
#define PROBLEM_CHECKS 32   /* checks that find something in one file */

struct progress_line;

/* The values of a check that --list prints. */
struct check_info {
	const char *name;
	const char *summary; /* the condition that a consistent capture meets */
	bool repairable;     /* --repair makes the condition true */
};

struct check_problems {
	bool silent;		    /* count only */
	bool verbose;		    /* print a line for each stream too */
	struct progress_line *line; /* or NULL */
	uint64_t bytes, bytes_done; /* of all streams; of the streams that are read */
	uint64_t count;
	uint64_t repairable; /* of them */
	const char *path;    /* of the file that is being checked */
	struct {
		const struct check_info *check;
		uint64_t count;
	} checks[PROBLEM_CHECKS]; /* in that file */
};

/* Begins the checks of a file. The path must stay valid until problems_end(). */
void problems_begin(struct check_problems *problems, const char *path);

/* Prints for each check how many problems in the file were not printed. */
void problems_end(struct check_problems *problems);

/* offset: in the file, bytes, or PROBLEM_NO_OFFSET. */
void problems_add(struct check_problems *problems, const struct check_info *check, uint64_t offset,
		  const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
