// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The CPUs and nodes of a machine: the table of a capture, and the files of sysfs. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/topology.h"
#include "tests/fuzz/fuzz.h"

#define NODE_DIRECTORY "sys/devices/system/node"
#define CPU_DIRECTORY "sys/devices/system/cpu"

static char *write_topology(const struct topology *topology)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	FUZZ_EXPECT(file && !topology_write(topology, file) && !fclose(file));
	return text;
}

/* Each CPU is found, and the table is the same after it was written and read. */
static void use_topology(const struct topology *topology)
{
	struct topology read;
	char *text, *again;

	for (size_t i = 0; i < topology->count; i++) {
		const struct topology_cpu *cpu = &topology->list[i];

		FUZZ_EXPECT(cpu->cpu <= TOPOLOGY_NUMBER_MAX && cpu->node >= -1);
		FUZZ_EXPECT(i == 0 || cpu[-1].cpu < cpu->cpu);
		FUZZ_EXPECT(i > 100 || topology_find(topology, cpu->cpu) == cpu);
	}
	FUZZ_EXPECT(!topology_find(topology, TOPOLOGY_NUMBER_MAX + 1));
	if (topology->count > 1000)
		return;
	text = write_topology(topology);
	FUZZ_EXPECT(!topology_parse(&read, text));
	again = write_topology(&read);
	FUZZ_EXPECT(!strcmp(text, again));
	free(again);
	free(text);
	topology_deinit(&read);
}

/* Takes the bytes up to the next newline. */
static void write_line(struct fuzz_input *input, const char *name)
{
	const uint8_t *newline = input->left ? memchr(input->at, '\n', input->left) : NULL;
	size_t size = newline ? (size_t)(newline - input->at + 1) : input->left;

	fuzz_write(name, input->at, size);
	input->at += size;
	input->left -= size;
}

/* The lines are files: possible and online CPUs, then the lists of nodes. */
static void read_sysfs(struct fuzz_input *input, unsigned int how)
{
	static const char *const nodes[] = { "node0", "node3", "node65535", "node65536", "nodes" };
	struct topology topology;
	char path[200];
	int err;

	fuzz_empty("sys");
	fuzz_make("sys/devices");
	fuzz_make("sys/devices/system");
	fuzz_make(CPU_DIRECTORY);
	write_line(input, CPU_DIRECTORY "/possible");
	if (how & 4)
		write_line(input, CPU_DIRECTORY "/online");
	if (how & 8)
		fuzz_make(NODE_DIRECTORY);
	for (size_t i = 0; i < sizeof(nodes) / sizeof(*nodes) && how & 8 && input->left; i++) {
		snprintf(path, sizeof(path), NODE_DIRECTORY "/%s", nodes[i]);
		fuzz_make(path);
		strcat(path, "/cpulist");
		write_line(input, path);
	}
	snprintf(path, sizeof(path), "%s", fuzz_path("."));
	err = topology_read(&topology, path);
	if (!err)
		use_topology(&topology);
	FUZZ_EXPECT(!err || !topology.count);
	topology_deinit(&topology);
}

static int count_cpu(unsigned int number, void *data)
{
	unsigned int *last = data;

	FUZZ_EXPECT(number <= TOPOLOGY_NUMBER_MAX && (number > *last || *last == UINT32_MAX));
	*last = number;
	return number == 4711 ? 1 : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	unsigned int how = fuzz_byte(&input), last = UINT32_MAX;
	struct topology topology;
	char *text;

	if (how % 4 == 0) {
		read_sysfs(&input, how);
		return 0;
	}
	text = fuzz_text(&input);
	if (how % 4 == 1) {
		int err = topology_list(text, count_cpu, &last);

		FUZZ_EXPECT(!err || err == -EINVAL || (err == 1 && last == 4711));
	} else {
		FUZZ_EXPECT(!topology_parse(&topology, text));
		use_topology(&topology);
		topology_deinit(&topology);
	}
	free(text);
	return 0;
}
