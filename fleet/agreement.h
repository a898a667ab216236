/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The time of a fleet whose hosts may be dead or have wrong clocks: a time on which enough hosts
 * agree, which is 5 % of them, and at least two. Any number of hosts may be dead, but only few have
 * wrong clocks.
 */
#ifndef FLEET_AGREEMENT_H
#define FLEET_AGREEMENT_H

#include <stddef.h>
#include <stdint.h>

/* A host is silent, or its clock is wrong, by more than this. */
#define AGREEMENT_CLOCK_ERROR UINT64_C(3600000000000)

/* The latest time that enough hosts reach; of two hosts, the later one. Sorts; 0 for none. */
uint64_t agreement_end(uint64_t *ends, size_t count);

/* The earliest time at which enough hosts have begun. Sorts; 0 for none. */
uint64_t agreement_begin(uint64_t *begins, size_t count);

#endif
