// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Computes the offsets of the parts of a statistics file from its capacity. */
#include "config.h"

#include "live/stats/stats_file_layout.h"

static uint64_t align_size(uint64_t bytes)
{
	return (bytes + STATS_FILE_ALIGN - 1) & ~(uint64_t)(STATS_FILE_ALIGN - 1);
}

void stats_file_layout(struct stats_file_layout *layout, uint32_t cpus, uint32_t types)
{
	layout->cpus = cpus;
	layout->types = types;
	layout->records = align_size(sizeof(struct stats_file_slot));
	layout->rows = layout->records + align_size(types * sizeof(struct stats_file_record));
	layout->row_bytes = align_size(types * sizeof(struct type_stats_cpu));
	layout->slot_bytes = layout->rows + cpus * layout->row_bytes;
	layout->text = STATS_FILE_ALIGN + 2 * layout->slot_bytes;
	layout->text_bytes = align_size(types * (uint64_t)STATS_FILE_NAME_BYTES);
	layout->more = layout->bytes = layout->text + layout->text_bytes;
	layout->more_slot_bytes = layout->type_more_bytes = 0;
}

void stats_file_layout_more(struct stats_file_layout *layout, uint64_t type_more_bytes)
{
	layout->type_more_bytes = type_more_bytes;
	layout->more_slot_bytes = align_size(layout->types * type_more_bytes);
	layout->bytes = layout->more + 2 * layout->more_slot_bytes;
}
