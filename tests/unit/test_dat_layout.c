// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tracepoints of a trace.dat, with the format files of kernels of all layouts. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "capture/import/dat_gfp.h"
#include "capture/import/dat_layout.h"
#include "tests/unit/unit.h"

/* Offsets in a record, by hand from the format files; 0: it has no such field. */
struct fields {
	const char *event;
	unsigned int requested, gfp, node, name;
};

static const struct {
	const char *kernel;
	bool big_endian;
	unsigned int word, gfp_size; /* bytes */
	struct fields events[7];
} kernels[] = {
	{ "5.10.0-32-amd64-x86_64",
	  false,
	  8,
	  4,
	  { { "kmalloc", 24, 40, 0, 0 },
	    { "kmalloc_node", 24, 40, 44, 0 },
	    { "kfree", 0, 0, 0, 0 },
	    { "kmem_cache_alloc", 24, 40, 0, 0 },
	    { "kmem_cache_alloc_node", 24, 40, 44, 0 },
	    { "kmem_cache_free", 0, 0, 0, 0 } } },
	{ "6.1.0-50-amd64-x86_64",
	  false,
	  8,
	  8,
	  { { "kmalloc", 24, 40, 48, 0 },
	    { "kfree", 0, 0, 0, 0 },
	    { "kmem_cache_alloc", 24, 40, 48, 0 },
	    { "kmem_cache_free", 0, 0, 0, 24 } } },
	{ "6.1.0-50-armmp-lpae-armv7l",
	  false,
	  4,
	  4,
	  { { "kmalloc", 16, 24, 28, 0 },
	    { "kfree", 0, 0, 0, 0 },
	    { "kmem_cache_alloc", 16, 24, 28, 0 },
	    { "kmem_cache_free", 0, 0, 0, 16 } } },
	{ "6.1.0-50-s390x-s390x",
	  true,
	  8,
	  8,
	  { { "kmalloc", 24, 40, 48, 0 },
	    { "kfree", 0, 0, 0, 0 },
	    { "kmem_cache_alloc", 24, 40, 48, 0 },
	    { "kmem_cache_free", 0, 0, 0, 24 } } },
	{ "6.18.44-x86_64",
	  false,
	  8,
	  8,
	  { { "kmalloc", 24, 40, 48, 0 },
	    { "kfree", 0, 0, 0, 0 },
	    { "kmem_cache_alloc", 32, 48, 56, 24 },
	    { "kmem_cache_free", 0, 0, 0, 24 } } },
};
#define KERNELS (sizeof(kernels) / sizeof(*kernels))

#define NAME_AT 100
#define CALL_SITE 0x80123456
#define POINTER 0x81abcde0
#define GFP 0x500cc0

static void parse_event_format(struct tep_handle *tep, const char *kernel, const char *event)
{
	char path[4096], *text = calloc(1, 65536);
	size_t size;
	FILE *file;

	assert_non_null(getenv("srcdir"));
	assert_non_null(text);
	snprintf(path, sizeof(path), "%s/data/formats/%s/%s.format", getenv("srcdir"), kernel,
		 event);
	file = fopen(path, "re");
	assert_non_null(file);
	size = fread(text, 1, 65535, file);
	fclose(file);
	assert_int_equal(tep_parse_event(tep, text, size, "kmem"), 0);
	free(text);
}

static void put_field(unsigned char *data, unsigned int offset, unsigned int size, bool big_endian,
		      uint64_t value)
{
	for (unsigned int i = 0; i < size; i++)
		data[offset + i] = (unsigned char)(value >> 8 * (big_endian ? size - 1 - i : i));
}

static void check_event(struct tep_handle *tep, const struct dat_layout *layouts, size_t kernel,
			const struct fields *fields)
{
	const unsigned int word = kernels[kernel].word;
	const bool big = kernels[kernel].big_endian;
	unsigned char data[NAME_AT + 7] = { 0 };
	struct tep_record record = { .data = data, .size = sizeof(data) };
	const struct dat_layout *layout =
		dat_layout_of(layouts, tep_find_event_by_name(tep, "kmem", fields->event));
	struct import_event event = { 0 };
	char cache[64];

	assert_non_null(layout);
	assert_string_equal(layout->name, fields->event);
	put_field(data, 8, word, big, CALL_SITE);
	put_field(data, 8 + word, word, big, POINTER);
	if (fields->requested) {
		put_field(data, fields->requested, word, big, 100);
		put_field(data, fields->requested + word, word, big, 128);
		put_field(data, fields->gfp, kernels[kernel].gfp_size, big, GFP);
	}
	if (fields->node)
		put_field(data, fields->node, 4, big, 3);
	if (fields->name)
		put_field(data, fields->name, 4, big, 7 << 16 | NAME_AT);
	memcpy(data + NAME_AT, "dentry", 7);
	assert_true(dat_layout_read(layout, &record, &event, cache, sizeof(cache)));
	assert_true(event.call_site == CALL_SITE);
	assert_true(event.pointer == POINTER);
	assert_true(event.requested == (fields->requested ? 100 : 0));
	assert_true(event.allocated == (fields->requested ? 128 : 0));
	assert_true(event.gfp == (fields->requested ? GFP : 0));
	assert_true(event.node == (fields->node ? 3 : KMT_NODE_ANY));
	if (fields->name)
		assert_string_equal(event.cache, "dentry");
	else
		assert_null(event.cache);
	if (fields->node) {
		put_field(data, fields->node, 4, big, UINT32_MAX);
		assert_true(dat_layout_read(layout, &record, &event, cache, sizeof(cache)));
		assert_true(event.node == -1);
	}

	/* cut off: never read further, and no name that does not end in it */
	for (record.size = 0; record.size < (int)sizeof(data); record.size++) {
		unsigned char *cut = malloc((size_t)record.size + 1);

		memcpy(cut, data, (size_t)record.size);
		record.data = cut;
		event.cache = NULL;
		dat_layout_read(layout, &record, &event, cache, sizeof(cache));
		assert_null(event.cache);
		free(cut);
	}
}

static void formats_of_all_layouts(void **state)
{
	(void)state;
	for (size_t i = 0; i < KERNELS; i++) {
		struct dat_layout layouts[DAT_LAYOUTS];
		struct tep_handle *tep = tep_alloc();
		struct gfp_table gfp = { 0 };

		assert_non_null(tep);
		tep_set_file_bigendian(tep,
				       kernels[i].big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
		tep_set_long_size(tep, (int)kernels[i].word);
		for (const struct fields *at = kernels[i].events; at->event; at++)
			parse_event_format(tep, kernels[i].kernel, at->event);
		dat_layouts_find(layouts, tep);
		for (size_t j = 0; j < DAT_LAYOUTS && kernels[i].events[j].event; j++)
			check_event(tep, layouts, i, &kernels[i].events[j]);
		assert_int_equal(dat_gfp(&gfp, tep_find_event_by_name(tep, "kmem", "kmalloc")), 0);
		assert_true(gfp.count >= 35);
		gfp_deinit(&gfp);
		tep_free(tep);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_of_all_layouts),
	};

	tep_set_loglevel(TEP_LOG_NONE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
