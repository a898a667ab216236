// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Joins the physical memory of the nodes with the kernel's direct map. */
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/number.h"
#include "kernel/memory_nodes.h"

/* Of one address space: physical or virtual. */
static int append_range(struct memory_nodes *nodes, uint64_t begin, uint64_t last, int node)
{
	struct memory_range *list = array_grow(nodes->list, nodes->count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	nodes->list = list;
	list[nodes->count++] = (struct memory_range){ begin, last, node };
	return 0;
}

static int compare_ranges(const void *left, const void *right)
{
	const struct memory_range *a = left, *b = right;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->last != b->last)
		return a->last < b->last ? -1 : 1;
	return a->node - b->node;
}

void memory_nodes_sort(struct memory_nodes *nodes)
{
	size_t kept = 0;

	if (!nodes->count)
		return;
	qsort(nodes->list, nodes->count, sizeof(*nodes->list), compare_ranges);
	for (size_t i = 0; i < nodes->count; i++)
		if (!kept || nodes->list[i].begin > nodes->list[kept - 1].last)
			nodes->list[kept++] = nodes->list[i];
	nodes->count = kept;
}

/* "name NUMBER" at the text, after blanks. */
static bool number_after(const char *text, const char *name, uint64_t *number)
{
	text += strspn(text, " ");
	if (strncmp(text, name, strlen(name)) != 0)
		return false;
	text += strlen(name);
	text += strspn(text, " ");
	return number_parse(&text, 10, number);
}

/* A zone of a node: spanned pages from start_pfn on. */
static int add_zone(struct memory_nodes *physical, int node, uint64_t start, uint64_t spanned)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	if (node < 0 || !spanned || start > UINT64_MAX / page - spanned)
		return 0;
	return append_range(physical, start * page, (start + spanned) * page - 1, node);
}

static int read_zones(struct memory_nodes *physical, FILE *zoneinfo)
{
	uint64_t spanned = 0, number;
	char *line = NULL;
	size_t size = 0;
	int node = -1, err = 0;

	errno = 0;
	while (!err && getline(&line, &size, zoneinfo) > 0) {
		if (number_after(line, "Node", &number)) {
			node = number <= MEMORY_NODE_MAX ? (int)number : -1;
			spanned = 0;
		} else if (number_after(line, "spanned", &number)) {
			spanned = number;
		} else if (number_after(line, "start_pfn:", &number)) {
			err = add_zone(physical, node, number, spanned);
		}
	}
	if (!err && !feof(zoneinfo))
		err = errno ? -errno : -EIO;
	free(line);
	return err;
}

/* The parts of each range that no other node has: their memory can be of either node. */
static int remove_overlaps(struct memory_nodes *physical)
{
	struct memory_nodes alone = { 0 };
	uint64_t begin, last;
	int err = 0;

	if (physical->count)
		qsort(physical->list, physical->count, sizeof(*physical->list), compare_ranges);
	for (size_t i = 0; i < physical->count && !err; i++) {
		const struct memory_range *range = &physical->list[i];

		begin = range->begin;
		last = range->last;
		for (size_t k = 0; k < physical->count && begin <= last; k++) {
			const struct memory_range *other = &physical->list[k];

			if (other->node == range->node || other->last < begin ||
			    other->begin > last)
				continue;
			/* in the order of addresses: what is before the other is range's alone */
			if (other->begin > begin)
				err = append_range(&alone, begin, other->begin - 1, range->node);
			if (err || other->last == UINT64_MAX) {
				begin = 1;
				last = 0;
			} else {
				begin = other->last + 1;
			}
		}
		if (!err && begin <= last)
			err = append_range(&alone, begin, last, range->node);
	}
	memory_nodes_deinit(physical);
	*physical = alone;
	return err;
}

static bool of_one_node(const struct memory_nodes *nodes)
{
	for (size_t i = 1; i < nodes->count; i++)
		if (nodes->list[i].node != nodes->list[0].node)
			return false;
	return nodes->count;
}

/* The segment maps physical memory: adds the addresses of its parts that belong to one node. */
static int add_segment(struct memory_nodes *nodes, const struct memory_nodes *physical,
		       const ElfW(Phdr) * segment)
{
	const uint64_t size = segment->p_memsz, mapped = segment->p_vaddr;
	const uint64_t first = segment->p_paddr, last = first + size - 1;
	int err = 0;

	/* the kernel gives -1 for memory that is not mapped at fixed addresses, as vmalloc()'s */
	if (segment->p_type != PT_LOAD || !size || last < first ||
	    segment->p_paddr == (ElfW(Addr)) - 1 || mapped > UINT64_MAX - (size - 1))
		return 0;
	for (size_t i = 0; i < physical->count && !err; i++) {
		const struct memory_range *range = &physical->list[i];
		uint64_t begin = range->begin > first ? range->begin : first;
		uint64_t end = range->last < last ? range->last : last;

		if (begin <= end)
			err = append_range(nodes, mapped + (begin - first), mapped + (end - first),
					   range->node);
	}
	return err;
}

/* Reads the program headers of the kernel's memory, which is an ELF file of this machine. */
static int read_map(struct memory_nodes *nodes, const struct memory_nodes *physical, int kcore)
{
	ElfW(Ehdr) header;
	ElfW(Phdr) * segments;
	size_t size;
	int err = 0;

	if (pread(kcore, &header, sizeof(header), 0) != sizeof(header))
		return -EIO;
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_phentsize != sizeof(*segments) || !header.e_phnum)
		return -EBADMSG;
	size = header.e_phnum * sizeof(*segments);
	segments = malloc(size);
	if (!segments)
		return -ENOMEM;
	if (pread(kcore, segments, size, (off_t)header.e_phoff) != (ssize_t)size)
		err = -EIO;
	for (size_t i = 0; i < header.e_phnum && !err; i++)
		err = add_segment(nodes, physical, &segments[i]);
	free(segments);
	return err;
}

static int open_memory_file(const char *root, const char *path, int *fd, char *reason, size_t size)
{
	char whole[4096];
	int err = 0;

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	*fd = open(whole, O_RDONLY | O_CLOEXEC);
	if (*fd < 0) {
		err = -errno;
		snprintf(reason, size, "%s: %s", path, strerror(-err));
	}
	return err;
}

int memory_nodes_read_physical(struct memory_nodes *physical, const char *root, char *reason,
			       size_t size)
{
	FILE *zoneinfo;
	int fd, err = open_memory_file(root, "/proc/zoneinfo", &fd, reason, size);

	if (err)
		return err;
	zoneinfo = fdopen(fd, "r");
	if (!zoneinfo) {
		err = -errno;
		close(fd);
		return err;
	}
	err = read_zones(physical, zoneinfo);
	fclose(zoneinfo);
	if (!err && !physical->count) {
		snprintf(reason, size, "/proc/zoneinfo: it names no memory");
		err = -ENODATA;
	}
	return err;
}

int memory_nodes_read(struct memory_nodes *nodes, const char *root, char *reason, size_t size)
{
	struct memory_nodes physical = { 0 };
	int kcore, err;

	*nodes = (struct memory_nodes){ 0 };
	err = memory_nodes_read_physical(&physical, root, reason, size);
	if (!err && of_one_node(&physical)) {
		err = append_range(nodes, 0, UINT64_MAX, physical.list[0].node);
	} else if (!err) {
		err = remove_overlaps(&physical);
		if (!err)
			err = open_memory_file(root, "/proc/kcore", &kcore, reason, size);
		if (!err) {
			err = read_map(nodes, &physical, kcore);
			if (err)
				snprintf(reason, size, "/proc/kcore: %s", strerror(-err));
			close(kcore);
			memory_nodes_sort(nodes);
		}
	}
	memory_nodes_deinit(&physical);
	if (err)
		memory_nodes_deinit(nodes);
	return err;
}

int memory_nodes_parse_line(struct memory_nodes *nodes, struct line *line)
{
	uint64_t begin, last;
	uint32_t node;

	if (!line_key(line, "memory") || !line_u32(line, &node) || node > MEMORY_NODE_MAX ||
	    !line_u64(line, 16, &begin) || !line_u64(line, 16, &last) || last < begin)
		return 0;
	return append_range(nodes, begin, last, (int)node);
}

void memory_nodes_write(const struct memory_nodes *nodes, FILE *file)
{
	for (size_t i = 0; i < nodes->count; i++)
		fprintf(file, "memory %d 0x%" PRIx64 " 0x%" PRIx64 "\n", nodes->list[i].node,
			nodes->list[i].begin, nodes->list[i].last);
}

void memory_nodes_deinit(struct memory_nodes *nodes)
{
	free(nodes->list);
	*nodes = (struct memory_nodes){ 0 };
}

int memory_nodes_find(const struct memory_nodes *nodes, uint64_t address)
{
	size_t low = 0, high = nodes->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (nodes->list[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address <= nodes->list[low - 1].last ? nodes->list[low - 1].node : -1;
}
