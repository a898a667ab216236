/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packs or unpacks a whole capture: in place, or into another directory. */
#ifndef CAPTURE_PACK_APPLY_H
#define CAPTURE_PACK_APPLY_H

#include "capture/capture.h"
#include "capture/pack/anonymize.h"
#include "capture/pack/convert.h"

/*
 * Writes each stream to a temporary file, which then replaces the old stream: the capture can be
 * read at any time. 0 or -errno with convert->error set.
 */
int apply_in_place(struct convert *convert, const struct capture *capture);

/*
 * Writes a new capture to output, with substitutes for addresses and names unless anonymize is
 * NULL. 0 or -errno with convert->error set.
 */
int apply_to(struct convert *convert, const struct capture *capture, const char *output,
	     struct anonymize *anonymize);

#endif
