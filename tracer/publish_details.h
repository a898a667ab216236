/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the publishing thread does for the details beside a statistics file. */
#ifndef TRACER_PUBLISH_DETAILS_H
#define TRACER_PUBLISH_DETAILS_H

#include <stdint.h>
#include <sys/types.h>

#include "live/stats/details.h"
#include "live/stats/details_file.h"
#include "live/stats/details_text.h"

struct publish_details_settings {
	const char *path; /* of the statistics file */
	gid_t group;	  /* may read the details, too; (gid_t)-1: none */
	bool enabled;	  /* else the file of an earlier kmemtraced is removed */
};

struct publish_details {
	struct details_file *file; /* NULL: no details are published */
	struct details details;
	uint64_t written; /* ns: when the last text was written; 0: never */
	/* for several threads, with atomic operations: of the last text; 0: it was written */
	int err;
	int reported; /* the err that publish_details_failed() has reported */
};

/* directory: a descriptor of that of the statistics file. 0, or -errno with errmsg set. */
int publish_details_start(struct publish_details *details,
			  const struct publish_details_settings *settings, int directory,
			  char *errmsg, size_t errmsg_size);

/* For the publishing thread: writes a text, if the last one is old enough. 0 or -ENOMEM. */
int publish_details_step(struct publish_details *details, const struct analysis *analysis,
			 const struct details_moment *moment);

/* True once for each new reason why the text could not be written; errmsg gets the message. */
bool publish_details_failed(struct publish_details *details, const char *path, char *errmsg,
			    size_t errmsg_size);

/* Removes the file. 0 or -errno. */
int publish_details_end(struct publish_details *details);
void publish_details_close(struct publish_details *details); /* all zero is allowed */

#endif
