// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The tree of the functions on the paths of a flame. The paths are sorted: those with an equal
 * begin follow each other, so that a path only continues the path before it. A node that the next
 * path does not pass through is complete: if enough nodes have more bytes, it is left out at once.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/render/flame.h"

/* Nodes on the way from node 0 to the last node. */
struct way {
	size_t *list, count, space;
};

static int way_set(struct way *way, size_t depth, size_t node)
{
	size_t *list = array_grow_zeroed(way->list, &way->space, depth + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	way->list = list;
	list[depth] = node;
	way->count = depth + 1;
	return 0;
}

/* The bytes of the nodes with the most, in descending order. */
struct largest {
	uint64_t *list;
	size_t count, room; /* room 0: all nodes stay */
};

static uint64_t least_of(const struct largest *largest)
{
	return largest->room && largest->count == largest->room ? largest->list[largest->room - 1]
								: 0;
}

static void take_bytes(struct largest *largest, uint64_t bytes)
{
	size_t at;

	if (!largest->room || bytes <= least_of(largest))
		return;
	largest->count += largest->count < largest->room;
	for (at = largest->count - 1; at && largest->list[at - 1] < bytes; at--)
		largest->list[at] = largest->list[at - 1];
	largest->list[at] = bytes;
}

/* Takes the nodes from the depth on off the way. All nodes that are behind them are below them. */
static void leave_nodes(struct flame_tree *tree, struct way *way, size_t depth,
			struct largest *largest)
{
	while (way->count > depth) {
		size_t number = way->list[--way->count];
		struct flame_node *node = &tree->nodes[number];

		tree->with_bytes += node->total.bytes > 0;
		take_bytes(largest, node->total.bytes);
		if (!largest->room || node->total.bytes > least_of(largest))
			continue;
		tree->nodes[way->list[way->count - 1]].first_child = node->next;
		tree->count = number;
	}
}

static int add_node(struct flame_tree *tree, const struct flame_node *node)
{
	struct flame_node *nodes = array_grow(tree->nodes, tree->count, sizeof(*nodes));

	if (!nodes)
		return -ENOMEM;
	tree->nodes = nodes;
	nodes[tree->count++] = *node;
	return 0;
}

static void add_values(struct flame_node *node, const struct flame_path *path)
{
	node->total.objects += path->shown.objects;
	node->total.bytes += path->shown.bytes;
	node->total.variance += path->shown.variance;
	node->is_bound |= path->is_bound;
}

/* way: the nodes of the path before. */
static int add_path(struct flame_tree *tree, struct way *way, const struct flame *flame,
		    size_t number, struct largest *largest)
{
	const struct flame_path *path = &flame->paths[number];
	const char *name = path->text;
	size_t at = 0;

	add_values(&tree->nodes[0], path);
	for (;;) {
		size_t length = (size_t)(strchrnul(name, FLAME_SEPARATOR) - name), depth = at + 1;
		const struct flame_node *old = depth < way->count ? &tree->nodes[way->list[depth]]
								  : NULL;

		if (!old || old->length != length || memcmp(old->name, name, length)) {
			struct flame_node node = {
				.name = name, .length = length, .depth = at, .path = number
			};

			leave_nodes(tree, way, depth, largest);
			node.next = tree->nodes[way->list[at]].first_child;
			if (add_node(tree, &node) || way_set(way, depth, tree->count - 1))
				return -ENOMEM;
			tree->nodes[way->list[at]].first_child = tree->count - 1;
		}
		at = depth;
		add_values(&tree->nodes[way->list[at]], path);
		name += length;
		if (!*name)
			break;
		name++;
	}
	leave_nodes(tree, way, at + 1, largest);
	tree->nodes[way->list[at]].own.objects += path->shown.objects;
	tree->nodes[way->list[at]].own.bytes += path->shown.bytes;
	return 0;
}

static int compare_nodes(const void *left, const void *right, void *data)
{
	const struct flame_node *nodes = data;
	const struct flame_node *a = &nodes[*(const size_t *)left],
				*b = &nodes[*(const size_t *)right];

	if (a->total.bytes != b->total.bytes)
		return a->total.bytes > b->total.bytes ? -1 : 1;
	if (a->total.objects != b->total.objects)
		return a->total.objects > b->total.objects ? -1 : 1;
	return (a->path > b->path) - (a->path < b->path);
}

static void sort_children(struct flame_tree *tree, struct flame_node *parent, size_t *list)
{
	size_t count = 0;

	for (size_t child = parent->first_child; child; child = tree->nodes[child].next)
		list[count++] = child;
	if (!count)
		return;
	qsort_r(list, count, sizeof(*list), compare_nodes, tree->nodes);
	parent->first_child = list[0];
	for (size_t i = 0; i < count; i++)
		tree->nodes[list[i]].next = i + 1 < count ? list[i + 1] : 0;
}

int flame_tree_init(struct flame_tree *tree, const struct flame *flame, size_t most)
{
	const struct flame_node top = { .name = "" };
	/* nodes with as many bytes as the first that is too many are left out, too */
	struct largest largest = { .list = calloc(most + 1, sizeof(uint64_t)),
				   .room = most ? most + 1 : 0 };
	struct way way = { 0 };
	size_t *list = NULL;
	int err;

	memset(tree, 0, sizeof(*tree));
	err = largest.list ? add_node(tree, &top) : -ENOMEM;
	if (!err)
		err = way_set(&way, 0, 0);
	for (size_t i = 0; i < flame->path_count && !err; i++)
		err = add_path(tree, &way, flame, i, &largest);
	if (!err) {
		leave_nodes(tree, &way, 1, &largest);
		tree->least = least_of(&largest) + 1;
		list = calloc(tree->count, sizeof(*list));
		err = list ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < tree->count && !err; i++)
		sort_children(tree, &tree->nodes[i], list);
	free(list);
	free(way.list);
	free(largest.list);
	if (err)
		flame_tree_deinit(tree);
	return err;
}

void flame_tree_deinit(struct flame_tree *tree)
{
	free(tree->nodes);
	tree->nodes = NULL;
	tree->count = 0;
}
