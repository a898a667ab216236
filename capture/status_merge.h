/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The status of several pieces of a set as one. */
#ifndef CAPTURE_STATUS_MERGE_H
#define CAPTURE_STATUS_MERGE_H

#include "capture/status.h"

/* Adds the status of the next piece. 0 or -ENOMEM. */
int status_merge(struct status *status, const struct status *next);

#endif
