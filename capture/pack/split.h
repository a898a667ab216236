/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Splits a capture into a set of pieces, as kmemtraced --switch-output writes it: each piece with a
 * checkpoint, so that a time in the middle is found without reading what comes before.
 */
#ifndef CAPTURE_PACK_SPLIT_H
#define CAPTURE_PACK_SPLIT_H

#include <stddef.h>

#include "base/error.h"
#include "capture/capture.h"
#include "capture/pack/split_settings.h"

/*
 * Splits the capture into pieces in the directory `set`, which must not exist or be empty. *count
 * becomes the number of pieces. 0, or -errno with error set; then nothing is left in the
 * directory.
 */
int split_capture(const struct capture *capture, const char *set,
		  const struct split_settings *settings, size_t *count, struct error *error);

#endif
