/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One of the two captures that are compared, as figures of rows: of each group, of the names that
 * conditions use, and of all allocations. It holds everything that the comparison needs, so that
 * the analysis of the first capture can be freed before that of the second begins.
 */
#ifndef REPORT_DIFF_SIDE_H
#define REPORT_DIFF_SIDE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/diff/name.h"

#define DIFF_SLICES_MAX 64 /* of time, while the capture is read */
#define DIFF_SLICES 32	   /* the most that are left */
#define DIFF_KEYS_MAX 8

/* The first DIFF_FLOWS are of the allocations of the capture, the others are states at its end. */
enum diff_figure {
	DIFF_ALLOCATIONS,
	DIFF_ALLOCATED, /* bytes */
	DIFF_WASTE,	/* bytes allocated and not requested */
	DIFF_GROWTH,	/* bytes allocated - freed: it may be negative */
	DIFF_LIVE_OBJECTS,
	DIFF_LIVE, /* bytes */
	DIFF_PEAK, /* of the live bytes */
	DIFF_FIGURES
};

#define DIFF_FLOWS DIFF_LIVE_OBJECTS
#define DIFF_SLICED DIFF_PEAK /* figures that each slice changes */

/* The change of one figure in each slice, and the sum of the squares of the parts of its objects.
 */
struct diff_history {
	double changes[DIFF_SLICES_MAX];
	double squares;
};

struct diff_figures {
	struct diff_history histories[DIFF_SLICED];
	double peak;			 /* bytes; NAN: not known */
	double peaks[DIFF_SLICES_MAX];	 /* of each slice; 0: the group had no event in it */
	double largest, most_waste;	 /* bytes of one object */
	double smallest;		 /* the same; 0: no object */
	double doubtful, doubtful_bytes; /* live objects that may have been freed unseen */
	double unobserved; /* objects that may have been allocated on unobserved paths */
};

struct diff_row {
	char *keys[DIFF_KEYS_MAX];
	char *match; /* rows of both captures with the same text are compared */
	bool has_offset;
	uint64_t offset, size; /* of a call site in its function, and of the function; 0: unknown */
	char *cache;	       /* of its objects; NULL: several, or not known */
	struct diff_figures *figures;
};

/* A name that a condition or --normalise uses: it may be of a slab cache and of a function. */
struct diff_named {
	struct diff_name name; /* the caller's */
	struct diff_figures cache, code;
};

struct diff_side {
	const char *path;
	struct diff_row *rows;
	size_t count;
	struct diff_figures total;
	struct diff_named *named;
	size_t named_count;
	size_t slices;
	double seconds[DIFF_SLICES_MAX]; /* length of each slice */
	double events[DIFF_SLICES_MAX];	 /* allocations and frees in each slice */
	double missing; /* events that were lost, skipped or not known; INFINITY: not known */
	double missing_before; /* the same, before a piece began: of objects that are live since */
	double hidden;	       /* bytes that no sample may show */
	double interval;       /* bytes: the largest of samples; 0: each allocation counts */
	bool has_time;	       /* false: seconds are events */
	bool lacks[DIFF_FIGURES]; /* figures that are not known of any row */
	uint64_t kernel;	  /* a hash of its functions; 0: not known. Equal: the same build */
};

/* A row of zero figures, whose texts the caller sets; NULL: no memory. Valid until the next. */
struct diff_row *diff_side_add(struct diff_side *side);

/* The smaller of two sizes, of which 0 is none. */
static inline double diff_smaller(double a, double b)
{
	return a > 0 && b > 0 ? fmin(a, b) : fmax(a, b);
}

/* Adds each two neighbours of all histories; of the seconds and events too. */
void diff_side_merge_slices(struct diff_side *side);

/* Adds a row's figures to another row's, of the same capture. */
void diff_figures_add(struct diff_figures *sum, const struct diff_figures *figures);

/*
 * Sets the peak of each slice: it is not below the live bytes when the slice begins. Call it when
 * all is counted.
 */
void diff_figures_finish(struct diff_figures *figures, size_t slices);

/* For halving the number of slices. */
void diff_figures_merge_slices(struct diff_figures *figures);
void diff_slices_merge(double *values);

/* The figure in the whole capture; of the peak NAN if it is not known. */
double diff_figures_value(const struct diff_figures *figures, enum diff_figure figure,
			  size_t slices);
void diff_side_deinit(struct diff_side *side);

#endif
