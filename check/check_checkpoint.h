/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does a checkpoint have the objects that it counts? */
#ifndef CHECK_CHECK_CHECKPOINT_H
#define CHECK_CHECK_CHECKPOINT_H

#include <stddef.h>

#include "base/error.h"
#include "capture/capture.h"

/*
 * capture: with the checkpoint as its first part. 0; -EBADMSG with error set: it is damaged; or
 * another -errno.
 */
int check_checkpoint_objects(const struct capture *capture, struct error *error);

#endif
