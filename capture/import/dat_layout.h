/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The fields of the recorded kernel's tracepoints, from the format files in the recording. */
#ifndef CAPTURE_IMPORT_DAT_LAYOUT_H
#define CAPTURE_IMPORT_DAT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <event-parse.h>

#include "capture/import/import_target.h"

#define DAT_LAYOUTS 6

/* The fields of one kind of event; NULL: this kernel does not have it. */
struct dat_layout {
	const char *name;
	uint8_t id;
	struct tep_event *event;
	struct tep_format_field *call_site, *pointer, *requested, *allocated, *gfp, *node, *cache;
};

void dat_layouts_find(struct dat_layout layouts[DAT_LAYOUTS], struct tep_handle *tep);

/* The layout of the event, or NULL: another tracepoint. */
const struct dat_layout *dat_layout_of(const struct dat_layout layouts[DAT_LAYOUTS],
				       const struct tep_event *event);

/*
 * Reads the allocation or free; cache is a buffer for the name of the cache. False: the record is
 * too short for its fields.
 */
bool dat_layout_read(const struct dat_layout *layout, const struct tep_record *record,
		     struct import_event *event, char *cache, size_t size);

/* A number in a record; false: the kernel or the record does not have the field. */
bool dat_field_read(struct tep_format_field *field, const struct tep_record *record,
		    uint64_t *value);

#endif
