// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads CPUs and nodes from sysfs and /proc, or from the table of a capture. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/inside.h"
#include "base/number.h"
#include "base/text.h"
#include "kernel/topology.h"

static int compare_cpus(const void *left, const void *right)
{
	const struct topology_cpu *a = left, *b = right;

	return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

static struct topology_cpu *find_topology_cpu(const struct topology *topology, unsigned int cpu)
{
	const struct topology_cpu key = { .cpu = cpu };

	if (!topology->count)
		return NULL;
	return bsearch(&key, topology->list, topology->count, sizeof(key), compare_cpus);
}

const struct topology_cpu *topology_find(const struct topology *topology, unsigned int cpu)
{
	return find_topology_cpu(topology, cpu);
}

static int append_cpu(struct topology *topology, const struct topology_cpu *cpu)
{
	struct topology_cpu *list = array_grow(topology->list, topology->count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	topology->list = list;
	list[topology->count++] = *cpu;
	return 0;
}

int topology_list(const char *text, int (*each)(unsigned int number, void *data), void *data)
{
	uint64_t lowest = 0;

	while (*text && *text != '\n') {
		uint64_t first, last;

		if (!number_parse(&text, 10, &first))
			return -EINVAL;
		last = first;
		if (*text == '-') {
			text++;
			if (!number_parse(&text, 10, &last))
				return -EINVAL;
		}
		if (first < lowest || last < first || last > TOPOLOGY_NUMBER_MAX)
			return -EINVAL;
		lowest = last + 1;
		for (uint64_t number = first; number <= last; number++) {
			int err = each(number, data);

			if (err)
				return err;
		}
		if (*text == ',')
			text++;
		else if (*text && *text != '\n')
			return -EINVAL;
	}
	return 0;
}

/* Calls each() for the numbers in a file of sysfs. */
static int read_list(const char *path, int (*each)(unsigned int number, void *data), void *data)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	int err;

	if (!file)
		return -errno;
	errno = 0;
	if (getline(&text, &size, file) < 0)
		err = errno ? -errno : 0;
	else
		err = topology_list(text, each, data);
	free(text);
	fclose(file);
	return err;
}

static int add_possible(unsigned int number, void *data)
{
	const struct topology_cpu cpu = { .cpu = number, .node = -1 };

	return append_cpu(data, &cpu);
}

static int set_online(unsigned int number, void *data)
{
	struct topology_cpu *cpu = find_topology_cpu(data, number);

	if (cpu)
		cpu->online = true;
	return 0;
}

struct node {
	struct topology *topology;
	int number;
};

static int set_node(unsigned int number, void *data)
{
	struct node *node = data;
	struct topology_cpu *cpu = find_topology_cpu(node->topology, number);

	if (cpu)
		cpu->node = node->number;
	return 0;
}

/* A kernel without NUMA does not have this directory: the nodes stay unknown. */
static int read_nodes(struct topology *topology, const char *root)
{
	char path[4096];
	const char *entry;
	int err = 0;
	DIR *nodes;

	snprintf(path, sizeof(path), "%s/sys/devices/system/node", root);
	nodes = opendir(path);
	if (!nodes)
		return errno == ENOENT ? 0 : -errno;
	while ((entry = inside_next(nodes, &err))) {
		const char *at = entry + 4;
		struct node node = { .topology = topology };
		uint64_t number;

		if (strncmp(entry, "node", 4) || !number_parse(&at, 10, &number) || *at ||
		    number > TOPOLOGY_NUMBER_MAX)
			continue;
		node.number = number;
		snprintf(path, sizeof(path), "%s/sys/devices/system/node/%s/cpulist", root, entry);
		err = read_list(path, set_node, &node);
	}
	closedir(nodes);
	return err;
}

int topology_read(struct topology *topology, const char *root)
{
	char path[4096];
	int err;

	*topology = (struct topology){ 0 };
	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/possible", root);
	err = read_list(path, add_possible, topology);
	if (!err) {
		snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/online", root);
		err = read_list(path, set_online, topology);
	}
	if (!err)
		err = read_nodes(topology, root);
	if (!err && memory_nodes_read(&topology->memory, root, topology->memory_reason,
				      sizeof(topology->memory_reason)) == -ENOMEM)
		err = -ENOMEM;
	if (err)
		topology_deinit(topology);
	return err;
}

static bool parse_cpu(struct line *line, struct topology_cpu *cpu)
{
	uint32_t number, node = 0;
	bool unknown;

	if (!line_key(line, "cpu") || !line_u32(line, &number) || number > TOPOLOGY_NUMBER_MAX ||
	    !line_key(line, "node"))
		return false;
	unknown = line_key(line, "-1");
	if (!unknown && (!line_u32(line, &node) || node > TOPOLOGY_NUMBER_MAX))
		return false;
	*cpu = (struct topology_cpu){
		.cpu = number,
		.node = unknown ? -1 : (int)node,
		.online = line_key(line, "online"),
	};
	return true;
}

/* If lines contradict each other, the first line with the lowest node counts. */
static int compare_lines(const void *left, const void *right)
{
	const struct topology_cpu *a = left, *b = right;
	int differs = compare_cpus(a, b);

	if (differs)
		return differs;
	return a->node != b->node ? (a->node < b->node ? -1 : 1) : b->online - a->online;
}

int topology_parse(struct topology *topology, const char *text)
{
	struct line line;
	size_t last = 0;

	*topology = (struct topology){ 0 };
	while (line_next(&line, &text)) {
		struct topology_cpu cpu;
		int err;

		if (parse_cpu(&line, &cpu))
			err = append_cpu(topology, &cpu);
		else
			err = memory_nodes_parse_line(&topology->memory, &line);
		if (err) {
			topology_deinit(topology);
			return -ENOMEM;
		}
	}
	memory_nodes_sort(&topology->memory);
	if (!topology->count)
		return 0;
	qsort(topology->list, topology->count, sizeof(*topology->list), compare_lines);
	for (size_t i = 1; i < topology->count; i++)
		if (topology->list[i].cpu != topology->list[last].cpu)
			topology->list[++last] = topology->list[i];
	topology->count = last + 1;
	return 0;
}

int topology_write(const struct topology *topology, FILE *file)
{
	for (size_t i = 0; i < topology->count; i++) {
		const struct topology_cpu *cpu = &topology->list[i];

		fprintf(file, "cpu %u node %d %s\n", cpu->cpu, cpu->node,
			cpu->online ? "online" : "offline");
	}
	memory_nodes_write(&topology->memory, file);
	return text_write_result(file);
}

void topology_deinit(struct topology *topology)
{
	free(topology->list);
	memory_nodes_deinit(&topology->memory);
	*topology = (struct topology){ 0 };
}
