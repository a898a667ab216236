// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds the fields of kmem's tracepoints by name, and reads them. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "capture/import/dat_layout.h"

/* Linux 6.1 removed the _node events and gave the others a node. */
static const struct dat_layout kinds[DAT_LAYOUTS] = {
	{ .name = "kmalloc", .id = KMT_KMALLOC },
	{ .name = "kmalloc_node", .id = KMT_KMALLOC },
	{ .name = "kfree", .id = KMT_KFREE },
	{ .name = "kmem_cache_alloc", .id = KMT_CACHE_ALLOC },
	{ .name = "kmem_cache_alloc_node", .id = KMT_CACHE_ALLOC },
	{ .name = "kmem_cache_free", .id = KMT_CACHE_FREE },
};

void dat_layouts_find(struct dat_layout layouts[DAT_LAYOUTS], struct tep_handle *tep)
{
	memcpy(layouts, kinds, sizeof(kinds));
	for (size_t i = 0; i < DAT_LAYOUTS; i++) {
		struct dat_layout *layout = &layouts[i];
		struct tep_event *event = tep_find_event_by_name(tep, "kmem", layout->name);

		if (!event)
			continue;
		layout->call_site = tep_find_field(event, "call_site");
		layout->pointer = tep_find_field(event, "ptr");
		layout->requested = tep_find_field(event, "bytes_req");
		layout->allocated = tep_find_field(event, "bytes_alloc");
		layout->gfp = tep_find_field(event, "gfp_flags");
		layout->node = tep_find_field(event, "node");
		layout->cache = tep_find_field(event, "name");
		if (layout->call_site && layout->pointer)
			layout->event = event;
	}
}

const struct dat_layout *dat_layout_of(const struct dat_layout layouts[DAT_LAYOUTS],
				       const struct tep_event *event)
{
	for (size_t i = 0; event && i < DAT_LAYOUTS; i++)
		if (layouts[i].event && layouts[i].event->id == event->id)
			return &layouts[i];
	return NULL;
}

/* libtraceevent does not check that the record holds the field. */
bool dat_field_read(struct tep_format_field *field, const struct tep_record *record,
		    uint64_t *value)
{
	unsigned long long number;

	if (!field || field->offset < 0 || field->size <= 0 ||
	    (uint64_t)field->offset + (uint64_t)field->size > (uint64_t)record->size ||
	    tep_read_number_field(field, record->data, &number))
		return false;
	*value = number;
	return true;
}

/* A dynamic string: its field holds the offset in the record and the size. */
static bool read_name(struct tep_format_field *field, const struct tep_record *record, char *name,
		      size_t size)
{
	uint64_t location, offset, length;

	if (!field || !(field->flags & TEP_FIELD_IS_DYNAMIC) ||
	    !dat_field_read(field, record, &location))
		return false;
	offset = location & 0xffff;
	length = location >> 16 & 0xffff;
	if (!length || offset + length > (uint64_t)record->size)
		return false;
	snprintf(name, size, "%.*s", (int)length, (const char *)record->data + offset);
	return *name;
}

bool dat_layout_read(const struct dat_layout *layout, const struct tep_record *record,
		     struct import_event *event, char *cache, size_t size)
{
	uint64_t number;

	if (!dat_field_read(layout->call_site, record, &event->call_site) ||
	    !dat_field_read(layout->pointer, record, &event->pointer) ||
	    (layout->requested && (!dat_field_read(layout->requested, record, &event->requested) ||
				   !dat_field_read(layout->allocated, record, &event->allocated))))
		return false;
	event->id = layout->id;
	event->node = KMT_NODE_ANY;
	if (dat_field_read(layout->gfp, record, &number))
		event->gfp = (uint32_t)number;
	if (dat_field_read(layout->node, record, &number))
		event->node = (int32_t)number;
	if (read_name(layout->cache, record, cache, size))
		event->cache = cache;
	return true;
}
