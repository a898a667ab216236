/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a source hands its figures to a list, and what lists and types are inside.
 *
 * An update is all or nothing: what a source tells is laid beside the figures that the list
 * shows, and takes their place only when the source has told everything. Taking place cannot
 * fail, and from the second query on it allocates nothing.
 */
#ifndef MEMSTAT_INTERNAL_H
#define MEMSTAT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memstat/memstat.h"
#include "stats/type_stats.h"

/* Sets of allocators. */
#define QUERY_MALLOC (1u << ALLOCATOR_MALLOC)
#define QUERY_UMA (1u << ALLOCATOR_UMA)
#define QUERY_ALL (QUERY_MALLOC | QUERY_UMA)

#define ALLOCATORS 3   /* by ALLOCATOR_MALLOC and ALLOCATOR_UMA */
#define CLASSES_MAX 64 /* bits of a sizemask */

/* Objects and bytes. Of UMA, memalloced and memfreed are worked out, and sizemask is 0. */
struct type_counters {
	uint64_t size, rsize; /* UMA; stay when the type is told no more */
	uint64_t countlimit;  /* UMA; 0: none */
	uint64_t numallocs, numfrees;
	uint64_t memalloced, memfreed; /* MALLOC: allocated, not requested */
	uint64_t sizemask;	       /* MALLOC */
	uint64_t failures, sleeps, xdomain;
	uint64_t zonefree, kegfree;
};

struct percpu_counters {
	uint64_t numallocs, numfrees;
	uint64_t memalloced, memfreed; /* MALLOC */
	uint64_t sizemask;	       /* MALLOC */
	uint64_t free;
};

/* What one query tells of a type. */
struct snapshot {
	struct type_counters figures;
	struct percpu_counters *percpu;
	size_t cpus;   /* of percpu: the type's own; 0: none were told */
	size_t space;  /* of percpu */
	char *aliases; /* separated by commas; or NULL */
};

struct caller_slots {
	void *pointer[MEMSTAT_MAXCALLER];
	uint64_t number[MEMSTAT_MAXCALLER];
};

struct memory_type {
	struct memory_type *next; /* the next in age; or of those that wait for the commit */
	struct memory_type *same; /* next of the same bucket */
	struct memory_type_list *list;
	char *name;
	int allocator;
	uint64_t serial; /* a newer type's is higher */
	uint64_t told;	 /* the last update that told it */
	struct snapshot shown, staged;
	struct caller_slots caller;
	struct caller_slots **percpu_caller; /* by CPU; NULL where nothing was set */
	size_t percpu_callers;
};

struct failure {
	int error; /* MEMSTAT_ERROR_* */
	int err;   /* errno */
	char errmsg[400];
};

struct memory_type_list {
	struct memory_type *first;
	struct memory_type **buckets; /* by name; a power of two of them */
	size_t bucket_count, type_count;
	uint64_t updates; /* begun */
	uint64_t serials; /* given */
	size_t cpus;	  /* the most that any query told */
	size_t cpus_told; /* by the last one */
	uint64_t lost[ALLOCATORS];
	uint64_t time;	/* ns: the moment of the last query */
	uint64_t begin; /* ns: when tracing began, of the last query */
	bool with_base; /* caches start with the objects that were there before */
	/* what memstat_sysctl_*() keep; or NULL */
	struct stats_file_view *live;
	struct failure failure; /* the last */
};

struct type_classes {
	size_t count;
	size_t bytes[CLASSES_MAX]; /* smallest first */
};

/*
 * The source's side.
 */

struct update {
	struct memory_type_list *list;
	unsigned int allocators; /* that are asked for: QUERY_* */
	size_t cpus;
	struct memory_type *fresh; /* types that the list does not show yet, newest first */
	struct type_classes classes;
	uint64_t lost, time, begin;
	int err; /* errno of the first thing that went wrong: the commit is refused */
	bool cut;
	struct failure failure;	      /* why, if told */
	struct percpu_counters *room; /* of update_put_type_stats() */
	size_t room_cpus;
};

/* A type as a source tells it. */
struct source_type {
	int allocator; /* ALLOCATOR_MALLOC or ALLOCATOR_UMA, one that is asked for */
	const char *name;
	const char *aliases; /* separated by commas; or NULL */
	struct type_counters figures;
	uint64_t initial_count;		      /* UMA: objects that were there at the start */
	uint64_t frees_unmatched;	      /* UMA: of objects that figures do not have */
	const struct percpu_counters *percpu; /* by CPU; or NULL */
	size_t cpus;			      /* of percpu; behind them all is 0 */
};

/*
 * Reads all that update->allocators asks for and tells it, those of MALLOC before those of UMA: in
 * this order, for that is the order of the list. 0, or -errno, best from update_fail(). What the
 * functions below return need not be looked at: the first failure is kept and ends the query.
 */
typedef int source_read(struct update *update, void *handle);

/*
 * The whole of a query: 0; or -1 with the error on the list and errno set, and then the list is
 * as it was, but after update_cut(). list NULL is EINVAL.
 */
int query(struct memory_type_list *list, unsigned int allocators, source_read *read, void *handle);

/* The same for memstat_sysctl_*(), of which the flags must be 0. */
int query_flags(struct memory_type_list *list, int flags, unsigned int allocators,
		source_read *read, void *handle);

/* How many CPUs the machine may have, by the highest number. */
void update_cpus(struct update *update, size_t cpus);

/* Before the first type of MALLOC: the size classes in bytes, smallest first. 0 or -EBADMSG. */
int update_classes(struct update *update, const size_t *bytes, size_t count);

/* Events that happened and that no figure tells, or MEMSTAT_LOST_UNKNOWN. */
void update_lost(struct update *update, uint64_t lost);

/* The moment that the figures stand for: ns, CLOCK_MONOTONIC of the machine that was traced. */
void update_time(struct update *update, uint64_t time);

/* When tracing began, by the same clock. */
void update_begun(struct update *update, uint64_t begin);

/*
 * A type, each once. 0; -ENOMEM; -EEXIST: it was told already; -EINVAL: no name, or an allocator
 * that is not asked for; -EBADMSG: more freed than allocated, or a bit that is no size class.
 */
int update_put(struct update *update, const struct source_type *type);

/*
 * A type as a tally has it: 0 and nothing done if its allocator is not asked for, else as
 * update_put(). All of the type that is no figure (its name, aliases and CPUs) must be set.
 */
int update_put_type_stats(struct update *update, const struct type_stats_type *type);

/* The source ends before its time: what was told stands, and the query fails with SHORTREAD. */
void update_cut(struct update *update, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The query has failed. error is MEMSTAT_ERROR_*, or MEMSTAT_ERROR_UNDEFINED for the one that err
 * (an errno) stands for; the sentence says what, why and what to do. Returns -err.
 */
int update_fail(struct update *update, int error, int err, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Of query() alone.
 */

void update_begin(struct update *update, struct memory_type_list *list, unsigned int allocators);
void update_commit(struct update *update);
void update_abandon(struct update *update);

/*
 * The parts of a list.
 */

struct memory_type *type_create(struct memory_type_list *list, int allocator, const char *name);
void type_destroy(struct memory_type *type); /* NULL is allowed */
bool type_has_alias(const struct memory_type *type, const char *name);

/* By allocator and own name, of an update under way too; or NULL. */
struct memory_type *names_find(const struct memory_type_list *list, int allocator,
			       const char *name);
void names_add(struct memory_type_list *list, struct memory_type *type);
void names_remove(struct memory_type_list *list, struct memory_type *type);

/* Frees what memstat_sysctl_*() keep. */
void live_view_free(struct memory_type_list *list);

/* Puts it on the list and sets errno. Returns -1. */
int list_fail(struct memory_type_list *list, const struct failure *failure);

/* MEMSTAT_ERROR_* that an errno stands for. */
int error_of(int err);

/* The table of the process. */
void classes_publish(const struct type_classes *classes);

#endif
