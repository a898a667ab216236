/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lists and types inside, and the interface between a list and a source of types.
 *
 * An update is all or nothing. The counters of a source are staged beside the counters that the
 * list shows, and replace them only when the source has put all of its types. The commit cannot
 * fail, and from the second query on it allocates nothing.
 */
#ifndef LIVE_MEMSTAT_INTERNAL_H
#define LIVE_MEMSTAT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/memstat/memstat.h"
#include "live/stats/type_stats.h"

/* Sets of allocators. */
#define QUERY_MALLOC (1u << ALLOCATOR_MALLOC)
#define QUERY_UMA (1u << ALLOCATOR_UMA)
#define QUERY_ALL (QUERY_MALLOC | QUERY_UMA)

#define ALLOCATORS 3   /* array size for ALLOCATOR_MALLOC and ALLOCATOR_UMA */
#define CLASSES_MAX 64 /* bits of a sizemask */

/* Objects and bytes. For UMA, memalloced and memfreed are computed, and sizemask is 0. */
struct type_counters {
	uint64_t size, rsize; /* UMA; kept when the source no longer has the type */
	uint64_t countlimit;  /* UMA; 0: none */
	uint64_t numallocs, numfrees;
	uint64_t memalloced, memfreed; /* MALLOC: allocated, not requested */
	uint64_t sizemask;	       /* MALLOC */
	uint64_t failures, sleeps, xdomain;
	uint64_t zonefree, kegfree;
	uint64_t observed_frees; /* numfrees without the missed ones, and without a base */
	uint64_t missed_frees;	 /* or MEMSTAT_MISSED_UNKNOWN */
};

struct percpu_counters {
	uint64_t numallocs, numfrees;
	uint64_t memalloced, memfreed; /* MALLOC */
	uint64_t sizemask;	       /* MALLOC */
	uint64_t free;
};

/* The values of a type that one query found. */
struct type_state {
	struct type_counters counters;
	struct percpu_counters *percpu;
	size_t cpus;   /* elements of percpu that are valid */
	size_t space;  /* elements of percpu that are allocated */
	char *aliases; /* separated by commas; or NULL */
};

struct caller_slots {
	void *pointer[MEMSTAT_MAXCALLER];
	uint64_t number[MEMSTAT_MAXCALLER];
};

struct memory_type {
	struct memory_type *next; /* the next older type, in the list or in update.new_types */
	struct memory_type *same; /* the next type of the same bucket */
	struct memory_type_list *list;
	char *name;
	int allocator;
	uint64_t serial;      /* a newer type's is higher */
	uint64_t last_update; /* that had this type: memory_type_list.updates */
	struct type_state shown, staged;
	struct caller_slots caller;
	struct caller_slots **percpu_caller; /* by CPU; NULL where nothing was set */
	size_t percpu_callers;
};

/* Do the counters of slab caches include the objects that existed when tracing began? */
enum base_choice {
	BASE_OF_SOURCE, /* as the source says: see --publish-base of kmemtraced */
	BASE_OFF,
	BASE_ON,
};

struct failure {
	int error; /* MEMSTAT_ERROR_* */
	int err;   /* errno */
	char errmsg[400];
};

struct memory_type_list {
	struct memory_type *first;
	struct memory_type **buckets; /* by name; the count is a power of two */
	size_t bucket_count, type_count;
	uint64_t updates;    /* updates begun */
	uint64_t serials;    /* serial numbers given */
	size_t cpus;	     /* the most possible CPUs of any query */
	size_t machine_cpus; /* possible CPUs of the last query */
	uint64_t lost[ALLOCATORS];
	uint64_t time;	       /* ns: of the snapshot of the last query */
	uint64_t begin;	       /* ns: when tracing began, by the last query */
	enum base_choice base; /* by memstat_mtl_set_base() or KMEMTRACE_MEMSTAT_BASE */
	char *paths; /* the unobserved paths, each with a NUL, and an empty one; NULL: unknown */
	struct stats_file_view *live; /* kept by memstat_sysctl_*(); or NULL */
	struct failure failure;	      /* the last */
};

struct type_classes {
	size_t count;
	size_t bytes[CLASSES_MAX]; /* smallest first */
};

/*
 * For sources.
 */

struct update {
	struct memory_type_list *list;
	unsigned int allocators; /* requested: QUERY_* */
	size_t cpus;
	struct memory_type *new_types; /* that the list does not show yet, newest first */
	struct type_classes classes;
	uint64_t lost, time, begin;
	bool with_base;
	char *paths; /* as memory_type_list.paths */
	int err;     /* errno of the first failure, which prevents the commit */
	bool cut;
	struct failure failure;		/* described by the source, or all 0 */
	struct percpu_counters *percpu; /* buffer of update_put_type_stats() */
	size_t percpu_space;
};

/* A type of a source. */
struct source_type {
	int allocator; /* ALLOCATOR_MALLOC or ALLOCATOR_UMA, if requested */
	const char *name;
	const char *aliases; /* separated by commas; or NULL */
	struct type_counters counters;
	uint64_t initial_count;		      /* UMA: objects that existed when tracing began */
	uint64_t frees_unmatched;	      /* UMA: frees of objects that no counter includes */
	const struct percpu_counters *percpu; /* by CPU; or NULL */
	size_t cpus;			      /* of percpu; other CPUs have only 0 */
};

/*
 * Puts the types of the requested allocators into the update, those of MALLOC before those of UMA,
 * which is the order of the list. Returns 0, or -errno, preferably from update_fail(). A source
 * need not check the results of the functions below: the first failure is kept and ends the query.
 */
typedef int source_read(struct update *update, void *handle);

/*
 * A whole query. Returns 0; or -1 with the error on the list and errno set: the list is then
 * unchanged, unless the source called update_cut(). EINVAL if list is NULL.
 */
int query(struct memory_type_list *list, unsigned int allocators, source_read *read, void *handle);

/* The same for memstat_sysctl_*(), whose flags must be 0. */
int query_flags(struct memory_type_list *list, int flags, unsigned int allocators,
		source_read *read, void *handle);

/* The possible CPUs of the machine: the highest number + 1. */
void update_set_cpus(struct update *update, size_t cpus);

/* Before the first type of MALLOC: the size classes in bytes, smallest first. 0 or -EBADMSG. */
int update_set_classes(struct update *update, const size_t *bytes, size_t count);

/* Events that happened and that no counter includes, or MEMSTAT_LOST_UNKNOWN. */
void update_set_lost(struct update *update, uint64_t lost);

/* The time of the snapshot: ns, CLOCK_MONOTONIC of the traced machine. */
void update_set_time(struct update *update, uint64_t time);

/* When tracing began, by the same clock. */
void update_set_begin_time(struct update *update, uint64_t begin);

/* The unobserved paths, separated by commas. Without a call, they are unknown. 0 or -ENOMEM. */
int update_set_paths(struct update *update, const char *names);

/* Before the first type: what the source says where the list makes no choice; initially off. */
void update_set_base(struct update *update, bool with_base);

/*
 * Puts a type, each once. 0; -ENOMEM; -EEXIST: it was put before; -EINVAL: no name, or an
 * allocator that is not requested; -EBADMSG: more freed than allocated, or a bit without a size
 * class.
 */
int update_put(struct update *update, const struct source_type *type);

/*
 * Puts a struct type_stats_type, as update_put(). Returns 0 and does nothing if its allocator is
 * not requested.
 */
int update_put_type_stats(struct update *update, const struct type_stats_type *type);

/* The source ends early: the types up to here are committed, but the query fails with SHORTREAD. */
void update_cut(struct update *update, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The query has failed. error is MEMSTAT_ERROR_*, or MEMSTAT_ERROR_UNDEFINED for the one that fits
 * err (an errno); the message says what failed, why, and what to do. Returns -err.
 */
int update_fail(struct update *update, int error, int err, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * For query() only.
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

/* By allocator and own name, types of an unfinished update included; or NULL. */
struct memory_type *names_find(const struct memory_type_list *list, int allocator,
			       const char *name);
void names_add(struct memory_type_list *list, struct memory_type *type);
void names_remove(struct memory_type_list *list, struct memory_type *type);

/* Frees what memstat_sysctl_*() keep on the list. */
void live_view_free(struct memory_type_list *list);

/* Keeps the failure on the list and sets errno. Returns -1. */
int list_fail(struct memory_type_list *list, const struct failure *failure);

/* The MEMSTAT_ERROR_* that fits an errno. */
int error_of(int err);

/* Replaces the size classes of the process. */
void classes_publish(const struct type_classes *classes);

#endif
