/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Copies the files of a capture, except its streams, without what identifies its machine. */
#ifndef CAPTURE_PACK_ANONYMIZE_H
#define CAPTURE_PACK_ANONYMIZE_H

#include <stdbool.h>

#include "capture/capture.h"
#include "capture/directory.h"
#include "capture/pack/anonymize_records.h"
#include "capture/pack/substitutes.h"

struct anonymize {
	struct substitutes substitutes;
	struct anonymized_records records;
	/* a message named what the copy lacks, or names that have the host name in them */
	bool left_out, shows_host;
};

/* 0 or -errno. */
int anonymize_init(struct anonymize *anonymize, const struct capture *capture, bool of_tasks);
void anonymize_deinit(struct anonymize *anonymize);

/*
 * Writes the metadata and the files of kernel/ to the directory. from: the open capture. Only
 * files, lines and words that this version knows are copied: a message names each other part. 0, or
 * -errno with the errmsg of the directory set.
 */
int anonymize_files(struct anonymize *anonymize, const struct capture *capture, int from,
		    struct directory *directory);

#endif
