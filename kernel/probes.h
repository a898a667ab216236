/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The probes: the names by which users choose events. Each event has one probe of SystemTap's
 * memory tapset, or one of our own in its style. An allocation and a free of a memory type is also
 * an event of DTrace's provider dtmalloc: dtmalloc::TYPE:malloc, dtmalloc::TYPE:free, where a type
 * is a slab cache, or a size class of kmalloc(), with _ in place of each space.
 */
#ifndef KERNEL_PROBES_H
#define KERNEL_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "kernel/record_kinds.h"

enum probe_id {
	PROBE_KMALLOC,
	PROBE_KMALLOC_NODE,
	PROBE_CACHE_ALLOC,
	PROBE_CACHE_ALLOC_NODE,
	PROBE_KFREE,
	PROBE_CACHE_FREE,
	PROBE_BULK_ALLOC, /* these three are ours */
	PROBE_BULK_FREE,
	PROBE_REALLOC,
	PROBE_SLAB_END, /* all before it are about slab objects */
	PROBE_PAGE_FAULT = PROBE_SLAB_END,
	PROBE_PAGE_FAULT_RETURN,
	PROBE_WRITE_SHARED,
	PROBE_WRITE_SHARED_COPY,
	PROBE_MMAP,
	PROBE_MUNMAP,
	PROBE_BRK,
	PROBE_OOM_KILL,
	PROBES,
};

struct probe {
	const char *name; /* "vm.kmalloc_node" */
	bool is_for_node; /* only those records that request a node; false: only the others */
};

extern const struct probe probes[PROBES];

const char *probe_name(size_t index); /* NULL after the last */

/* The probe of a record of a known kind. */
enum probe_id probe_of(uint8_t id, int16_t node);

#define PROBE_GLOBS_MAX 32
#define PROBE_PARTS 4 /* of a DTrace name: provider, module, function, name */

/* Globs that choose probes, as in vm.page*,dtmalloc::kmalloc-64:malloc */
struct probe_globs {
	char *text; /* the option's; the globs point into it */
	struct probe_glob {
		bool is_dtrace;
		const char *parts[PROBE_PARTS]; /* of a DTrace name; "": any; else parts[0] */
	} list[PROBE_GLOBS_MAX];
	size_t count;
	struct error error; /* after a failure */
};

/*
 * Parses globs, separated by commas. As in DTrace, a name of fewer than four parts lacks the first
 * ones. 0, -ENOMEM, or -EINVAL with error set: a glob matches no probe, or there are too many.
 */
int probe_globs_parse(struct probe_globs *globs, const char *text);
void probe_globs_deinit(struct probe_globs *globs);

bool probe_globs_take(const struct probe_globs *globs, enum probe_id probe);
/* Do the globs take dtmalloc's probe of this type? type: as the capture spells it; "": unknown. */
bool probe_globs_take_type(const struct probe_globs *globs, const char *type, bool is_free);

#endif
