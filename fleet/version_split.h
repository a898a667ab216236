/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Compares the hosts since a version of the kernel with those before it. */
#ifndef FLEET_VERSION_SPLIT_H
#define FLEET_VERSION_SPLIT_H

#include "fleet/series.h"

struct split_space;

/* The series of one name, and room for the values of hosts. */
struct version_hosts {
	const struct series_set *set;
	const char *const *only;	    /* two kernels; NULL: all are compared */
	const struct series_unit **by_role; /* in order of role, host and kernel */
	const struct series **of_unit;	    /* NULL: the unit has nothing of that name */
	struct split_space *space;
};

struct version_split {
	const char *since;
	bool is_possible; /* hosts of both sides, for allocations of one role, were compared */
	double probability;
	bool more;				   /* the hosts since the version allocate more */
	size_t with, of_with, without, of_without; /* hosts */
	double after, before;			   /* NAN: not known */
};

/* 0 or -ENOMEM. */
int version_hosts_init(struct version_hosts *hosts, const struct series_set *set,
		       const char *const *only);
void version_hosts_deinit(struct version_hosts *hosts);

/* Is the time of the unit compared at all? */
bool version_hosts_has(const struct version_hosts *hosts, const struct series_unit *unit);

/* On how many hosts it grows. */
struct version_split version_split_growth(const struct version_hosts *hosts, const char *since);

/* How much the hosts allocate. */
struct version_split version_split_level(const struct version_hosts *hosts, const char *since);

#endif
