// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The tree of the functions on the paths of a flame. The paths are sorted: those with an equal
 * begin follow each other, so that a path only continues the path before it.
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
		    size_t number)
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
			struct flame_node node = { .name = name,
						   .length = length,
						   .depth = at,
						   .path = number,
						   .next = tree->nodes[way->list[at]].first_child };

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
	way->count = at + 1;
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

int flame_tree_init(struct flame_tree *tree, const struct flame *flame)
{
	const struct flame_node top = { .name = "" };
	struct way way = { 0 };
	size_t *list = NULL;
	int err;

	memset(tree, 0, sizeof(*tree));
	err = add_node(tree, &top);
	if (!err)
		err = way_set(&way, 0, 0);
	for (size_t i = 0; i < flame->path_count && !err; i++)
		err = add_path(tree, &way, flame, i);
	if (!err) {
		list = calloc(tree->count, sizeof(*list));
		err = list ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < tree->count && !err; i++)
		sort_children(tree, &tree->nodes[i], list);
	free(list);
	free(way.list);
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
