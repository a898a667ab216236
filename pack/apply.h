/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packs or unpacks a whole capture: where it lies, or into another directory. */
#ifndef PACK_APPLY_H
#define PACK_APPLY_H

#include "pack/convert.h"
#include "capture/capture.h"

/*
 * Stream after stream: each is written beside the old one and then takes its place, so that the
 * capture is whole at any time. 0 or -errno with convert->errmsg set.
 */
int apply_in_place(struct convert *convert, const struct capture *capture);

/* Writes another capture to output and leaves this one alone. 0 or -errno with convert->errmsg set.
 */
int apply_to(struct convert *convert, const struct capture *capture, const char *output);

#endif
