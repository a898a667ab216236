// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CPUs and nodes, from a made-up sysfs and from lines. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "kernel/topology.h"
#include "tests/unit/scratch.h"

static char *root;

static int make_root(void **state)
{
	(void)state;
	root = scratch_directory();
	return 0;
}

static int remove_root(void **state)
{
	(void)state;
	scratch_remove(root);
	return 0;
}

static void put_system_file(const char *name, const char *text)
{
	char *path = scratch_path("sys/devices/system", name);

	scratch_put(root, path, text);
	free(path);
}

static void reads_sysfs(void **state)
{
	struct topology topology, copy;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(topology_read(&topology, root), -ENOENT);
	put_system_file("cpu/possible", "0-3,8\n");
	put_system_file("cpu/online", "0,2-3,9\n");
	assert_int_equal(topology_read(&topology, root), 0);
	assert_int_equal(topology.count, 5);
	assert_int_equal(topology.list[0].node, -1);
	topology_deinit(&topology);
	put_system_file("node/node0/cpulist", "0-1\n");
	put_system_file("node/node12/cpulist", "2-3,77\n");
	put_system_file("node/node13/cpulist", "\n");
	put_system_file("node/possible", "0,12-13\n");
	assert_int_equal(topology_read(&topology, root), 0);
	assert_int_equal(topology_write(&topology, file), 0);
	fclose(file);
	assert_string_equal(text, "cpu 0 node 0 online\n"
				  "cpu 1 node 0 offline\n"
				  "cpu 2 node 12 online\n"
				  "cpu 3 node 12 online\n"
				  "cpu 8 node -1 offline\n");
	assert_int_equal(topology_parse(&copy, text), 0);
	assert_int_equal(copy.count, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(copy.list[i].cpu, topology.list[i].cpu);
		assert_int_equal(copy.list[i].node, topology.list[i].node);
		assert_int_equal(copy.list[i].online, topology.list[i].online);
	}
	assert_ptr_equal(topology_find(&copy, 8), &copy.list[4]);
	assert_null(topology_find(&copy, 4));
	topology_deinit(&topology);
	topology_deinit(&copy);
	assert_null(topology_find(&copy, 8));
	free(text);
	put_system_file("cpu/possible", "0-x\n");
	assert_int_equal(topology_read(&topology, root), -EINVAL);
}

static void reads_this_machine(void **state)
{
	struct topology topology;

	(void)state;
	if (access("/sys/devices/system/cpu/possible", R_OK))
		skip();
	assert_int_equal(topology_read(&topology, ""), 0);
	assert_true(topology.count >= (size_t)sysconf(_SC_NPROCESSORS_ONLN));
	topology_deinit(&topology);
}

static int add_up(unsigned int number, void *data)
{
	unsigned int *sum = data;

	*sum += number;
	return number == 100 ? -ECANCELED : 0;
}

static int sum_of(const char *text)
{
	unsigned int sum = 0;
	int err = topology_list(text, add_up, &sum);

	return err ? err : (int)sum;
}

static void parses_lists_of_sysfs(void **state)
{
	(void)state;
	assert_int_equal(sum_of("1-3,8\n"), 14);
	assert_int_equal(sum_of("7"), 7);
	assert_int_equal(sum_of("\n"), 0);
	assert_int_equal(sum_of(""), 0);
	assert_int_equal(sum_of("99-200"), -ECANCELED);
	assert_int_equal(sum_of("3-1"), -EINVAL);
	assert_int_equal(sum_of("1-3,2"), -EINVAL);
	assert_int_equal(sum_of("1-"), -EINVAL);
	assert_int_equal(sum_of("-1"), -EINVAL);
	assert_int_equal(sum_of("1 2"), -EINVAL);
	assert_int_equal(sum_of("200-4294967295"), -EINVAL);
	assert_int_equal(sum_of("18446744073709551616"), -EINVAL);
}

static void damaged_topology_is_skipped(void **state)
{
	struct topology topology;

	(void)state;
	assert_int_equal(topology_parse(&topology,
					"cpu 1 node 0 online\ncpu 70000 node 0 online\n"
					"cpu 2 node 99999 online\ncpu 3\ncpu 4 node -2 "
					"online\ncpu 0 node 3\ncpu 1 node 0 online\nnode\n"),
			 0);
	assert_int_equal(topology.count, 2);
	assert_int_equal(topology.list[0].node, 3);
	assert_false(topology.list[0].online);
	assert_true(topology.list[1].online);
	topology_deinit(&topology);
	assert_int_equal(topology_parse(&topology, ""), 0);
	assert_int_equal(topology.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_sysfs, make_root, remove_root),
		cmocka_unit_test(reads_this_machine),
		cmocka_unit_test(parses_lists_of_sysfs),
		cmocka_unit_test(damaged_topology_is_skipped),
	};

	return cmocka_run_group_tests_name("topology", tests, NULL, NULL);
}
