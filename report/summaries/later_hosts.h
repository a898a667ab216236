/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hosts that have summaries after the live figures: their clocks are ahead, or the others ended. */
#ifndef REPORT_SUMMARIES_LATER_HOSTS_H
#define REPORT_SUMMARIES_LATER_HOSTS_H

#include <stddef.h>
#include <stdint.h>

#include "report/summaries/summaries.h"

struct later_hosts {
	size_t count;
	const char *host; /* the one that goes on for longest; NULL: none */
	uint64_t until;	  /* ns since 1970: its last end */
};

/* 0 or -ENOMEM. */
int later_hosts_find(const struct summaries *summaries, struct later_hosts *later);

#endif
