/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The format files of tracepoints: what a record holds, and where. */
#ifndef TRACER_LOAD_FORMATS_H
#define TRACER_LOAD_FORMATS_H

#include <stdbool.h>

#include "kernel/ring.h"

/* A descriptor of tracefs' directory, mounted or not, or -errno. */
int formats_open(void);

/* The whole format file of an event, "kmem/kfree"; the caller frees it. NULL: there is none. */
char *formats_read(int tracefs, const char *event);

/* The number of the event, for perf_event_open(); -1: there is none. */
long formats_id(int tracefs, const char *event);

/* The field of a name; false, and size 0: it has none. */
bool formats_find(const char *format, const char *field, struct kmt_field_position *place);

/* Where all that kmt_field names is, as far as there is such a record and such a field. */
void formats_fields(int tracefs, struct kmt_field_position fields[KMT_FIELDS]);

#endif
