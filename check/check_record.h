/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The checks of single records. */
#ifndef CHECK_CHECK_RECORD_H
#define CHECK_CHECK_RECORD_H

#include "check/stream_state.h"

extern const struct stream_check record_checks[];
extern const size_t record_check_count;

/* Runs the checks over all records of a packet of the stream. */
void check_records(struct stream_state *stream, const struct packet *packet);

#endif
