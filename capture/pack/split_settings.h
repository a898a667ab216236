/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How large the pieces of a set are. */
#ifndef CAPTURE_PACK_SPLIT_SETTINGS_H
#define CAPTURE_PACK_SPLIT_SETTINGS_H

#include <stdint.h>

struct progress_line;

struct split_settings {
	uint64_t bytes; /* of the streams of a piece; 0: no limit */
	uint64_t ns;	/* of a piece; 0: no limit */
	struct progress_line *line;
};

#endif
