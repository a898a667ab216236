/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A flame: the paths of allocations, each with its bytes, and the tree of the functions on them.
 * The renderers of flame graphs print it.
 */
#ifndef REPORT_RENDER_FLAME_H
#define REPORT_RENDER_FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define FLAME_SEPARATOR ';' /* between the names of a path; not in a name */
#define FLAME_LABELS_MAX 4

/* Which bytes and objects a flame shows. */
/* clang-format off */
#define FLAME_MEASURES(add) add(live) add(peak) add(allocated) add(temporary) add(leaked)
/* clang-format on */
#define FLAME_MEASURE_ID(name) FLAME_##name,
enum flame_measure {
	FLAME_MEASURES(FLAME_MEASURE_ID)
};

struct flame_values {
	uint64_t objects, bytes;
	double variance; /* of the bytes, if they are an estimate */
};

/* A further value of the allocations of a path, for formats that have such. */
struct flame_label {
	const char *key;
	const char *text; /* NULL: number */
	int64_t number;
};

struct flame_path {
	char *text;		   /* names of frames, the root first */
	struct flame_values shown; /* of the measure */
	struct flame_values allocated, live;
	bool is_bound;		    /* shown is an upper bound */
	size_t number;		    /* in the order of flame_add() */
	struct flame_label *labels; /* those that are known, or NULL */
	size_t label_count;	    /* at most FLAME_LABELS_MAX */
};

struct flame {
	struct flame_path *paths; /* after flame_sort(), by text */
	size_t path_count;
	enum flame_measure measure;
	/* For people: what is shown; of which capture; how to read a picture of it. */
	char *title, *source;
	const char *legend;
	uint64_t interval; /* bytes: see struct status_sampling; 0: every event counts */
	uint64_t time;	   /* ns since 1970: the begin; 0: unknown */
	uint64_t duration; /* ns; 0: unknown */
};

void flame_deinit(struct flame *flame);

extern const char *const flame_measures[]; /* "live", …, NULL: as --bytes and JSON name them */

bool flame_is_flow(const struct flame *flame); /* frees are not subtracted from it */

/* Is one of the shown values an upper bound? */
bool flame_is_bound(const struct flame *flame);

/* A new path without values and text. The text becomes the flame's own. NULL: no memory. */
struct flame_path *flame_add(struct flame *flame);

/* Writes a name, or length bytes of it: without the separator, and printable. */
void flame_put_name(FILE *file, const char *name, size_t length);

/* Orders the paths by text. With merge, equal texts become one path without labels. */
void flame_sort(struct flame *flame, bool merge);

struct flame_values flame_total(const struct flame *flame); /* of shown */

/* A function on paths that begin equally. Its name is part of a path's text. */
struct flame_node {
	const char *name;
	size_t length, depth;	   /* bytes of the name; 0: a root */
	struct flame_values total; /* of all paths through it */
	struct flame_values own;   /* of those that end here */
	bool is_bound;
	size_t path;		  /* the first path through it */
	size_t first_child, next; /* children with most bytes first; 0: none, and that of roots */
};

/* Node 0 has no name: its children are the roots. */
struct flame_tree {
	struct flame_node *nodes;
	size_t count;
	size_t with_bytes; /* nodes that have bytes, with those that were left out */
	uint64_t least;	   /* bytes: at most so many nodes as were asked for have these or more */
};

/*
 * most: the number of nodes that are needed, those with the most bytes; others may be left out. 0:
 * all. The paths must be sorted, and must not change afterwards. 0 or -ENOMEM.
 */
int flame_tree_init(struct flame_tree *tree, const struct flame *flame, size_t most);
void flame_tree_deinit(struct flame_tree *tree);

#endif
