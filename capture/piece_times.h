/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The times that the status and the checkpoint of a piece state, compared with each other and with
 * those of the piece before. A status that is not complete is not compared: a crash leaves such
 * ones.
 */
#ifndef CAPTURE_PIECE_TIMES_H
#define CAPTURE_PIECE_TIMES_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/checkpoint_state.h"
#include "capture/status.h"

/*
 * True if the times contradict each other; text gets the reason. checkpoint: of the piece; its
 * begin is 0 if there is none. before: the status of the piece before.
 */
bool piece_has_fault(const struct status *status, const struct checkpoint_state *checkpoint,
		     char *text, size_t size);
bool piece_has_fault_behind(const struct status *status, const struct status *before, char *text,
			    size_t size);

#endif
