/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The line "older" of the summary: how long after the boot tracing began, and what slab memory was
 * there already. No other figure but those of the view census includes it. And the line "slabs":
 * how full all slabs are at the end. "memory": who has the memory
 * of the machine. And "tracks": whether the view tracks has something; and
 * "allocinfo": the source lines that hold and grew most.
 */
#ifndef REPORT_VIEWS_SLAB_LINES_H
#define REPORT_VIEWS_SLAB_LINES_H

#include "report/views/capture_header.h"

/*
 * Each: 0 or -ENOMEM. Adds nothing if the capture has neither readings of the slab allocator nor,
 * for the first line, /proc/slabinfo of its begin; the last two, if it has no tracks, and
 * no reading of /proc/allocinfo.
 */
int slab_lines_add_older(struct capture_header *header, const struct report *report);
int slab_lines_add_room(struct capture_header *header, const struct report *report);
int slab_lines_add_tracks(struct capture_header *header, const struct report *report);
int slab_lines_add_allocinfo(struct capture_header *header, const struct report *report);
int slab_lines_add_memory(struct capture_header *header, const struct report *report);

/* "of 23.5G of RAM, …", for the line "memory" and the view where. */
void slab_lines_memory_text(const struct where_reading *reading, char *text, size_t size);

#endif
