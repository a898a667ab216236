/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The header of a comparison: how it was made, and how complete each of the two captures is. */
#ifndef REPORT_DIFF_HEADER_H
#define REPORT_DIFF_HEADER_H

#include "report/diff/tables.h"
#include "report/options.h"
#include "capture/capture_file.h"
#include "report/summaries/summaries_header.h"
#include "report/views/capture_header.h"

/* One of the two captures, or summaries in place of it. */
struct diff_capture {
	const char *path;
	struct capture capture;
	bool is_open, has_file;
	struct capture_file file;
	struct query query; /* of this capture: its texts have numbers of their own */
	struct capture_header header;
	bool has_summaries;
	struct summaries_view summaries;
	struct summaries_header summaries_header;
};

/* Both must outlive the header. 0 or -ENOMEM. */
int diff_header_add(struct header *header, const struct report_options *options,
		    const struct diff *diff, const struct diff_capture *a,
		    const struct diff_capture *b);

/*
 * The short header of a comparison: what is compared, its quality, and how. At most five lines, of
 * those of both captures' own short headers. 0 or -ENOMEM.
 */
int diff_header_add_brief(struct header *header, const struct report_options *options,
			  const struct diff *diff, const struct diff_capture *a,
			  const struct diff_capture *b);

#endif
