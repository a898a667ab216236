// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where the parts of a published file lie, by how much it has room for. */
#include "config.h"

#include "trace/published_layout.h"

static uint64_t aligned(uint64_t bytes)
{
	return (bytes + PUBLISHED_ALIGN - 1) & ~(uint64_t)(PUBLISHED_ALIGN - 1);
}

void published_layout(struct published_layout *layout, uint32_t cpus, uint32_t types)
{
	layout->cpus = cpus;
	layout->types = types;
	layout->records = aligned(sizeof(struct published_slot));
	layout->rows = layout->records + aligned(types * sizeof(struct published_record));
	layout->row_bytes = aligned(types * sizeof(struct tally_cpu));
	layout->slot_bytes = layout->rows + cpus * layout->row_bytes;
	layout->text = PUBLISHED_ALIGN + 2 * layout->slot_bytes;
	layout->text_bytes = aligned(types * (uint64_t)PUBLISHED_NAME_BYTES);
	layout->bytes = layout->text + layout->text_bytes;
}
