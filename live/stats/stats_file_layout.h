/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The layout of a statistics file: a header, two slots of one snapshot each, and the names. The
 * writer fills the slot that is not current and then makes it current. A reader copies the current
 * slot and then checks whether the writer has begun to overwrite it meanwhile.
 *
 * A slot has a header, a record for each type, and a row for each CPU with its counters of each
 * type. So neither types nor CPUs that are possible but absent take memory.
 */
#ifndef LIVE_STATS_STATS_FILE_LAYOUT_H
#define LIVE_STATS_STATS_FILE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "live/stats/type_stats.h"

#define STATS_FILE_MAGIC UINT64_C(0x6b6d746d73746174)
#define STATS_FILE_VERSION 1

#define STATS_FILE_CPUS_MAX 8192 /* the kernel's limit */
#define STATS_FILE_TYPES_MAX 65536
#define STATS_FILE_NAME_BYTES 256 /* per type; a longer name uses the space of others */
#define STATS_FILE_ALIGN 4096

#define STATS_FILE_WITH_BASE 1 /* stats_snapshot.with_base */

/* At the start of the file; only current ever changes. */
struct stats_file_head {
	uint64_t magic;
	uint32_t version, head_bytes;
	uint32_t cpus, types; /* capacity */
	uint64_t text_bytes;
	uint64_t writer;	  /* process id in the writer's pid namespace */
	uint64_t type_more_bytes; /* of struct stats_file_type_more, as the writer has it */
	uint64_t zero;
	uint32_t current; /* generation of the current snapshot, which is in slot current & 1 */
	uint32_t zeros;
};
_Static_assert(sizeof(struct stats_file_head) == 64, "file ABI");

struct stats_file_slot {
	uint32_t generation; /* written before anything else in the slot is changed */
	uint32_t zero;
	uint64_t time, lost, begin; /* struct stats_snapshot */
	uint64_t types, cpus;	    /* in this snapshot */
	uint64_t text_bytes;	    /* of the names, in this snapshot; names are only appended */
	uint64_t class_count;
	uint64_t class_bytes[TYPE_STATS_CLASSES_MAX];
};
_Static_assert(sizeof(struct stats_file_slot) == 64 + 8 * TYPE_STATS_CLASSES_MAX, "file ABI");

/*
 * Behind struct stats_file_slot. Later versions append to it. A file of a version that does not
 * have it, or a part of it, has 0 there.
 */
struct stats_file_slot_more {
	uint64_t bytes; /* of this struct, as the writer has it; 0: the writer does not have it */
	uint64_t flags; /* STATS_FILE_WITH_BASE; a reader ignores unknown flags */
	uint64_t paths; /* offset in the names: stats_snapshot.paths; 0: unknown */
};
_Static_assert(sizeof(struct stats_file_slot_more) == 24, "file ABI: append only");
_Static_assert(sizeof(struct stats_file_slot) + sizeof(struct stats_file_slot_more) <=
		       STATS_FILE_ALIGN,
	       "in the first page of a slot");

/* A struct type_stats_type. */
struct stats_file_record {
	uint64_t kind;
	uint64_t name, aliases; /* offsets in the names; name 0: the type is omitted */
	uint64_t object_size, size;
	uint64_t numallocs, numfrees, memalloced, memfreed, sizemask;
	uint64_t failures, xdomain, frees_unmatched, initial_count, kegfree;
	uint64_t cpu_count;
};
_Static_assert(sizeof(struct stats_file_record) == 128, "file ABI");
_Static_assert(sizeof(struct type_stats_cpu) == 40, "file ABI: an entry of a row");

/*
 * The same type, behind the names of the file, where older readers do not look. Later versions
 * append to it; the head says how many bytes the writer has, 0 in files of older versions.
 */
struct stats_file_type_more {
	uint64_t missed_frees;
};
_Static_assert(sizeof(struct stats_file_type_more) == 8, "file ABI: append only");

#define STATS_FILE_TYPE_MORE_MAX 256 /* bytes */

struct stats_file_layout {
	uint32_t cpus, types;
	uint64_t records;    /* bytes from the start of a slot to its records */
	uint64_t rows;	     /* bytes from the start of a slot to the row of CPU 0 */
	uint64_t row_bytes;  /* from one row to the next */
	uint64_t slot_bytes; /* from one slot to the next */
	uint64_t text, text_bytes;
	uint64_t more, more_slot_bytes; /* struct stats_file_type_more: of slot 0, and to slot 1 */
	uint64_t type_more_bytes;	/* from one of them to the next; 0: there are none */
	uint64_t bytes;			/* of the file */
};

/* The caller has checked that the numbers are not above STATS_FILE_CPUS_MAX and _TYPES_MAX. */
void stats_file_layout(struct stats_file_layout *layout, uint32_t cpus, uint32_t types);

/* Adds the part behind the names; bytes is at most STATS_FILE_TYPE_MORE_MAX. */
void stats_file_layout_more(struct stats_file_layout *layout, uint64_t type_more_bytes);

static inline uint64_t stats_file_more_at(const struct stats_file_layout *layout,
					  uint32_t generation)
{
	return layout->more + (generation & 1) * layout->more_slot_bytes;
}

static inline uint64_t stats_file_slot_at(const struct stats_file_layout *layout,
					  uint32_t generation)
{
	return STATS_FILE_ALIGN + (generation & 1) * layout->slot_bytes;
}

static inline uint64_t stats_file_records_at(const struct stats_file_layout *layout,
					     uint32_t generation)
{
	return stats_file_slot_at(layout, generation) + layout->records;
}

static inline uint64_t stats_file_row_at(const struct stats_file_layout *layout,
					 uint32_t generation, size_t cpu)
{
	return stats_file_slot_at(layout, generation) + layout->rows + cpu * layout->row_bytes;
}

#endif
