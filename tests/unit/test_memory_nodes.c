// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The nodes of the memory, from /proc/zoneinfo and the program headers of /proc/kcore. */
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "kernel/memory_nodes.h"
#include "tests/unit/scratch.h"

#define BASE 0x80000000U /* where the direct map begins */

static char *root;
static uint64_t page;

static int make_root(void **state)
{
	(void)state;
	page = (uint64_t)sysconf(_SC_PAGESIZE);
	root = scratch_directory();
	return 0;
}

static int remove_root(void **state)
{
	(void)state;
	scratch_remove(root);
	return 0;
}

static void put_zones(const char *text)
{
	scratch_put(root, "proc/zoneinfo", text);
}

static void put_kcore(const ElfW(Phdr) * segments, size_t count)
{
	ElfW(Ehdr) header = { .e_ident = ELFMAG,
			      .e_phoff = sizeof(header),
			      .e_phentsize = sizeof(*segments),
			      .e_phnum = (ElfW(Half))count };
	char *path;
	FILE *file;

	scratch_put(root, "proc/kcore", "");
	path = scratch_path(root, "proc/kcore");
	file = fopen(path, "we");
	free(path);
	assert_non_null(file);
	fwrite(&header, sizeof(header), 1, file);
	fwrite(segments, sizeof(*segments), count, file);
	assert_int_equal(fclose(file), 0);
}

static void one_node(void **state)
{
	struct memory_nodes nodes;
	char reason[200];

	(void)state;
	assert_int_equal(memory_nodes_read(&nodes, root, reason, sizeof(reason)), -ENOENT);
	assert_memory_equal(reason, "/proc/zoneinfo: ", 16);
	put_zones("Node 3, zone DMA\n        spanned  0\n  start_pfn:           0\n"
		  "Node 3, zone   Normal\n  pages free 1\n        spanned  16\n"
		  "        present  9\n  start_pfn:           4\n");
	assert_int_equal(memory_nodes_read(&nodes, root, reason, sizeof(reason)), 0);
	assert_int_equal(nodes.count, 1);
	assert_int_equal(memory_nodes_find(&nodes, 0), 3);
	assert_int_equal(memory_nodes_find(&nodes, UINT64_MAX), 3);
	memory_nodes_deinit(&nodes);
	put_zones("nothing");
	assert_int_equal(memory_nodes_read(&nodes, root, reason, sizeof(reason)), -ENODATA);
}

/* Node 0 has pages 0 to 99 and 200 to 299, node 1 has 100 to 199 and, with node 0, 250 to 259. */
static void two_nodes(void **state)
{
	const ElfW(Phdr) segments[] = {
		/* vmalloc() */
		{ .p_type = PT_LOAD,
		  .p_paddr = (ElfW(Addr)) - 1,
		  .p_vaddr = page,
		  .p_memsz = page },
		{ .p_type = PT_NOTE, .p_paddr = 0, .p_vaddr = 0, .p_memsz = 100 * page },
		/* the direct map of pages 10 to 229 and of 240 on */
		{ .p_type = PT_LOAD,
		  .p_paddr = 10 * page,
		  .p_vaddr = BASE + 10 * page,
		  .p_memsz = 220 * page },
		{ .p_type = PT_LOAD,
		  .p_paddr = 240 * page,
		  .p_vaddr = BASE + 240 * page,
		  .p_memsz = 500 * page },
	};
	static const struct {
		unsigned int page;
		int node;
	} expected[] = { { 9, -1 },   { 10, 0 },   { 99, 0 },	{ 100, 1 },  { 199, 1 },
			 { 200, 0 },  { 229, 0 },  { 230, -1 }, { 239, -1 }, { 240, 0 },
			 { 249, 0 },  { 250, -1 }, { 259, -1 }, { 260, 0 },  { 299, 0 },
			 { 300, -1 }, { 739, -1 }, { 740, -1 } };
	struct memory_nodes nodes;
	char reason[200];

	(void)state;
	put_zones("Node 0, zone A\n        spanned  100\n  start_pfn:           0\n"
		  "Node 0, zone B\n        spanned  100\n  start_pfn:           200\n"
		  "Node 1, zone B\n        spanned  100\n  start_pfn:           100\n"
		  "Node 1, zone C\n        spanned  10\n  start_pfn:           250\n");
	assert_int_equal(memory_nodes_read(&nodes, root, reason, sizeof(reason)), -ENOENT);
	assert_memory_equal(reason, "/proc/kcore: ", 13);
	put_kcore(segments, 4);
	assert_int_equal(memory_nodes_read(&nodes, root, reason, sizeof(reason)), 0);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		uint64_t address = BASE + expected[i].page * page;

		if (memory_nodes_find(&nodes, address) != expected[i].node ||
		    memory_nodes_find(&nodes, address + page - 1) != expected[i].node)
			fail_msg("page %u: node %d", expected[i].page,
				 memory_nodes_find(&nodes, address));
	}
	assert_int_equal(memory_nodes_find(&nodes, 0), -1);
	memory_nodes_deinit(&nodes);
	put_kcore(segments, 0);
	assert_int_equal(memory_nodes_read(&nodes, root, reason, sizeof(reason)), -EBADMSG);
}

static void lines_are_parsed(void **state)
{
	const char *text = "memory 1 0x2000 0x2fff\nmemory 0 0x1000 0x1fff\n"
			   "memory 2 0x1800 0x20ff\nmemory 0 0x5000 0x4fff\n"
			   "memory 99999 0x9000 0x9fff\nmemory 0 0x9000\nmemorx 0 0x9000 0x9fff\n";
	struct memory_nodes nodes = { 0 };
	struct line line;
	char *written = NULL;
	size_t size;
	FILE *file;

	(void)state;
	while (line_next(&line, &text))
		assert_int_equal(memory_nodes_parse_line(&nodes, &line), 0);
	memory_nodes_sort(&nodes);
	file = open_memstream(&written, &size);
	assert_non_null(file);
	memory_nodes_write(&nodes, file);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(written, "memory 0 0x1000 0x1fff\nmemory 1 0x2000 0x2fff\n");
	free(written);
	memory_nodes_deinit(&nodes);
	assert_int_equal(memory_nodes_find(&nodes, 0x1000), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_node, make_root, remove_root),
		cmocka_unit_test_setup_teardown(two_nodes, make_root, remove_root),
		cmocka_unit_test(lines_are_parsed),
	};

	return cmocka_run_group_tests_name("memory_nodes", tests, NULL, NULL);
}
