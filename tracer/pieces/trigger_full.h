/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A full capture for a while, beside a profile: another kmemtraced records it. */
#ifndef TRACER_PIECES_TRIGGER_FULL_H
#define TRACER_PIECES_TRIGGER_FULL_H

#include <stddef.h>

#include "tracer/system/command.h"

/*
 * Records PATH.full.TIME for the duration, as -d takes it, and waits for the end. name: becomes the
 * path. 0 and the status of waitpid(), or -errno.
 */
int trigger_full_record(const char *path, const char *duration,
			const struct saved_process_state *saved, char *name, size_t size,
			int *status);

#endif
