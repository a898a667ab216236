/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The checks of packets: their headers, their order, and that every byte belongs to one. */
#ifndef CHECK_CHECK_PACKET_H
#define CHECK_CHECK_PACKET_H

#include "check/stream_state.h"

extern const struct stream_check packet_checks[];
extern const size_t packet_check_count;

/* The first check: bytes at the offset, or at PROBLEM_NO_OFFSET, are not a packet. */
#define report_damage(stream, offset, ...) \
	problems_add((stream)->problems, &packet_checks[0].info, offset, __VA_ARGS__)

#endif
