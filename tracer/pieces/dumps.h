/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The dumps of a set of pieces. They lie beside it: "NAME.dump.20261123T130500Z", with the time in
 * UTC; those after the first of a second end in ".2", ".3" and so on. A dump that is not finished
 * has another ".new" at its end, and one that is being removed ".removed".
 */
#ifndef TRACER_PIECES_DUMPS_H
#define TRACER_PIECES_DUMPS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "tracer/triggers/trigger.h"

#define DUMP_NEW ".new"
#define DUMP_REMOVED ".removed"

enum dump_state {
	DUMP_IS_FINISHED,
	DUMP_IS_NEW,
	DUMP_IS_REMOVED,
};

struct dump_list {
	char **names;
	size_t count;
};

/*
 * Lists the dumps of the set with this name in this state, the oldest first. Only directories of
 * the caller that no other user can write. parent: the open directory that holds the set. 0 or
 * -errno.
 */
int dump_list_read(struct dump_list *list, int parent, const char *set_name, enum dump_state state);
void dump_list_deinit(struct dump_list *list); /* all zero is allowed */

/*
 * The directory of a dump is locked (flock) while it is written, and has a file with the request,
 * so that a dump can be finished after a kill.
 */

#define DUMP_PATH 2048 /* bytes of the path of a dump; a longer one is cut off in messages */

/* The trigger and the pieces of a dump. */
struct dump_request {
	unsigned int first, last;     /* numbers of its pieces */
	char trigger[TRIGGER_LENGTH]; /* its text, or the name of a signal */
};

struct dump_directory {
	int parent, fd; /* -1: not open */
	char name[NAME_MAX], new_name[NAME_MAX];
	char path[DUMP_PATH]; /* of name */
};

/*
 * Makes the directory beside the set, whose absolute path is set_path, with the present time, and
 * writes the request into it. 0 or -errno, as all functions below.
 */
int dump_directory_make(struct dump_directory *directory, const char *set_path,
			const struct dump_request *request);

/*
 * Opens one that is not finished, and reads its request: of one without, both numbers
 * are 0. -EWOULDBLOCK:
 * another process writes it.
 */
int dump_directory_open(struct dump_directory *directory, const char *set_path,
			const char *new_name, struct dump_request *request);

/* All pieces are there: gives it its name, once all of it is on disk. */
int dump_directory_finish(struct dump_directory *directory);

/* Removes it. */
void dump_directory_abandon(struct dump_directory *directory);
void dump_directory_close(struct dump_directory *directory);

/* Opens the directory that holds the set. *name: the last part of set_path. Or -errno. */
int dump_directory_open_parent(const char *set_path, const char **name);

/*
 * The pieces of a dump that is being written: links to the files of a set, or copies where links
 * are refused. A piece gets its name in the dump when it has all files: so after a kill all pieces
 * with a name are whole. Functions return 0 or -errno.
 */

struct dump_pieces {
	int from;	       /* the open directory of the set; -1: there is none */
	int to;		       /* that of the dump */
	unsigned int *numbers; /* of the pieces that are in the dump, ascending */
	size_t count;
};

void dump_pieces_deinit(struct dump_pieces *pieces);

/*
 * Takes the pieces from the first to the last. The oldest may be removed from the set meanwhile:
 * then the dump begins with a later one. -ENOENT: there are none.
 */
int dump_pieces_take(struct dump_pieces *pieces, unsigned int first, unsigned int last);

/*
 * In a dump that was not finished: removes what is not whole, and takes the pieces before those in
 * the dump, down to the first, until one is missing. -ENOENT: the dump has no pieces.
 */
int dump_pieces_take_rest(struct dump_pieces *pieces, unsigned int first);

/* Makes the checkpoints that the pieces do not have yet. Sets error if it fails. */
int dump_pieces_make_checkpoints(struct dump_pieces *pieces, struct error *error);

/* How many pieces a dump of limited size may have. */

/*
 * The pieces of the set, an open directory, from *first to the last: makes *first larger until they
 * take at most so many bytes on disk. A file of several pieces counts once. The last piece is never
 * left out. 0 or -errno.
 */
int dump_size_limit(int set, unsigned int last, uint64_t max_bytes, unsigned int *first);

/*
 * The limits of the dumps of a set: their number (--max-dumps), and with the pieces of the set
 * their bytes on disk (--max-disk). The oldest dumps are removed. For the limit of bytes, the
 * newest dump is kept if it has at most half of max_disk. A dump is renamed before it is removed,
 * so that each dump is whole.
 */

#define DUMP_LIMITS_SHARE 2 /* the newest dump is kept if it has at most max_disk / this */

struct dump_limits {
	int parent;	      /* the open directory that holds the dumps; -1: no limits */
	const char *set_path; /* absolute, of the set */
	unsigned int most;    /* dumps; 0: any number */
	uint64_t max_disk;    /* bytes; 0: no limit */
};

/* Removes the rest of dumps whose removal was interrupted. */
void dump_limits_clean(const struct dump_limits *limits);

/* The bytes of all dumps, also of unfinished ones, and the number of finished ones. 0 or -errno. */
int dump_limits_measure(const struct dump_limits *limits, uint64_t *bytes, uint32_t *count);

/*
 * Removes the oldest dump, if there are too many. False: their number is allowed. text: for the
 * user.
 */
bool dump_limits_keep_most(const struct dump_limits *limits, char *text, size_t size);

/* Removes the oldest dump, because room is needed. False: the dumps that are left stay. */
bool dump_limits_make_room(const struct dump_limits *limits, char *text, size_t size);

/*
 * Writes a part of a set of pieces as a set of its own, beside it: "NAME.dump.20261123T130500Z".
 * Where both are in one file system, the files are links.
 */

struct set_dump_settings {
	int set;	    /* the open directory; -1: there is none */
	unsigned int first; /* the first piece of this run */
	const char *path;   /* absolute: ".dump." and the time are added */
	bool in_memory;	    /* it is in another file system, and pieces must be copied */
	uint64_t max_bytes; /* of a dump: of more, it has the last pieces; 0: no limit */
};

/* The result of a dump. */
struct set_dump_result {
	char path[DUMP_PATH];
	unsigned int pieces;
	unsigned int incomplete; /* the first one, if it gets no checkpoint; else 0 */
	struct error error;
};

/*
 * Writes the pieces up to the last, which all must be finished. 0, or -errno with error set:
 * nothing is left. asked->first is not used.
 */
int set_dump_make(const struct set_dump_settings *settings, const struct dump_request *asked,
		  struct set_dump_result *result);

/* A dump that was not finished when kmemtraced was killed. It is locked. */
struct set_dump_left {
	struct dump_directory directory;
	struct dump_pieces pieces;
	struct dump_request request;
};

struct set_dump_left_list {
	struct set_dump_left *list;
	size_t count;
};

/*
 * Finds unfinished dumps. Takes those of their pieces that the set still has, and removes a dump
 * without pieces. Leaves a dump alone that another process writes. Call it before pieces are
 * removed from the set. say: gets texts for the user. 0 or -errno.
 */
int set_dump_find_left(struct set_dump_left_list *left, const struct set_dump_settings *settings,
		       void (*say)(const char *text));

/* Completes it. 0, or -errno with error set: it stays as it is. */
int set_dump_finish_left(struct set_dump_left *left, struct set_dump_result *result);

void set_dump_left_deinit(struct set_dump_left_list *left); /* all zero is allowed */

#endif
