/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What lies where in a published file: a head, two slots of which each holds a moment, and the
 * names. The writer fills the slot that is not current, and then makes it current; a reader
 * copies the current one, and looks whether the writer has begun upon it meanwhile.
 *
 * A slot: its head, the types, and a row for each CPU of what it did to each type. So neither
 * types nor CPUs that the machine could have, but has not, take memory.
 */
#ifndef STATS_STATS_FILE_LAYOUT_H
#define STATS_STATS_FILE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "stats/type_stats.h"

#define STATS_FILE_MAGIC UINT64_C(0x6b6d746d73746174)
#define STATS_FILE_VERSION 1

#define STATS_FILE_CPUS_MAX 8192 /* as Linux has it */
#define STATS_FILE_TYPES_MAX 65536
#define STATS_FILE_NAME_BYTES 256 /* room, for each type; one longer name takes from the others */
#define STATS_FILE_ALIGN 4096

/* At the start of the file; only current ever changes. */
struct stats_file_head {
	uint64_t magic;
	uint32_t version, head_bytes;
	uint32_t cpus, types; /* room for so many */
	uint64_t text_bytes;
	uint64_t writer; /* its process, by its own pid namespace */
	uint64_t zero[2];
	uint32_t current; /* generation of the moment to be read, which lies in slot current & 1 */
	uint32_t zeros;
};
_Static_assert(sizeof(struct stats_file_head) == 64, "file ABI");

struct stats_file_slot {
	uint32_t generation; /* set before anything else is changed */
	uint32_t zero;
	uint64_t time, lost, begin; /* struct stats_snapshot */
	uint64_t types, cpus;	    /* told */
	uint64_t text_bytes;	    /* told: of the names, which are only added to */
	uint64_t class_count;
	uint64_t class_bytes[TYPE_STATS_CLASSES_MAX];
};
_Static_assert(sizeof(struct stats_file_slot) == 64 + 8 * TYPE_STATS_CLASSES_MAX, "file ABI");

/* A struct type_stats_type. */
struct stats_file_record {
	uint64_t kind;
	uint64_t name, aliases; /* where in the names; name 0: there was no room for it */
	uint64_t object_size, size;
	uint64_t numallocs, numfrees, memalloced, memfreed, sizemask;
	uint64_t failures, xdomain, frees_unmatched, base, kegfree;
	uint64_t cpu_count;
};
_Static_assert(sizeof(struct stats_file_record) == 128, "file ABI");
_Static_assert(sizeof(struct type_stats_cpu) == 40, "file ABI: a row's");

struct stats_file_layout {
	uint32_t cpus, types;
	uint64_t records;    /* in a slot: bytes from its start */
	uint64_t rows;	     /* the same, of the first CPU's */
	uint64_t row_bytes;  /* from one to the next */
	uint64_t slot_bytes; /* from one to the next */
	uint64_t text, text_bytes;
	uint64_t bytes; /* of the file */
};

/* The caller has seen to it that the numbers are not above the greatest ones. */
void stats_file_layout(struct stats_file_layout *layout, uint32_t cpus, uint32_t types);

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
