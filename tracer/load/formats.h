/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The format files of tracepoints: the fields of a trace event entry, with their offsets. */
#ifndef TRACER_LOAD_FORMATS_H
#define TRACER_LOAD_FORMATS_H

#include <stdbool.h>

#include "kernel/ring.h"

/* Opens the directory of tracefs, mounted or not. A file descriptor, or -errno. */
int formats_open(void);

/*
 * The text of an event's format file (event: "kmem/kfree"), which the caller frees; *text is NULL
 * on failure. Returns 0 or -errno.
 */
int formats_read(int tracefs, const char *event, char **text);

/* The id of the event, for perf_event_open(); -1: there is no such event. */
long formats_id(int tracefs, const char *event);

/* Finds a field by its name. False, and size 0: the format does not have it. */
bool formats_find(const char *format, const char *field, struct kmt_field_position *position);

/* The position of each field of enum kmt_field; size 0 if this kernel does not have it. */
void formats_fields(int tracefs, struct kmt_field_position fields[KMT_FIELDS]);

#endif
