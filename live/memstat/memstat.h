/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interface of FreeBSD's libmemstat(3), for the slab allocator of Linux. libmemstat(3)
 * describes what the counters mean on Linux.
 *
 * A list holds memory types, and a query fills or refreshes it. Types are never removed: a
 * struct memory_type * and its name are valid until memstat_mtl_free(). The library never prints.
 * Several threads may use several lists; one list may be used by one thread at a time.
 */
#ifndef LIVE_MEMSTAT_MEMSTAT_H
#define LIVE_MEMSTAT_MEMSTAT_H

#include <stddef.h>
#include <stdint.h>

/* Slots for the caller's own data in a type, and in a type for each CPU: index 0..15. */
#define MEMSTAT_MAXCALLER 16

/*
 * The headers of FreeBSD 6 to 8 have this constant, for programs that visit each CPU: no CPU has a
 * higher number. The kernel has at most so many; memstat_mtl_cpus() returns how many a machine has.
 */
#define MEMSTAT_MAXCPU 8192

#define ALLOCATOR_UNKNOWN 0 /* the allocator of NULL */
#define ALLOCATOR_MALLOC 1  /* functions that call kmalloc() */
#define ALLOCATOR_UMA 2	    /* slab caches */
#define ALLOCATOR_ANY 255   /* memstat_mtl_find() only */

/* FreeBSD's limit. Names on Linux may be longer and are never cut: do not size buffers by it. */
#define MEMTYPE_MAXNAME 32

#define MEMSTAT_ERROR_UNDEFINED 0     /* no query has failed yet */
#define MEMSTAT_ERROR_NOMEMORY 1      /* out of memory */
#define MEMSTAT_ERROR_VERSION 2	      /* written by an unknown version */
#define MEMSTAT_ERROR_PERMISSION 3    /* EACCES or EPERM */
#define MEMSTAT_ERROR_TOOMANYCPUS 4   /* never: there is no such limit */
#define MEMSTAT_ERROR_DATAERROR 5     /* no data, wrong data, wrong flags */
#define MEMSTAT_ERROR_KVM 6	      /* an I/O error while reading a capture */
#define MEMSTAT_ERROR_KVM_NOSYMBOL 7  /* never: an address without a symbol is the name */
#define MEMSTAT_ERROR_KVM_SHORTREAD 8 /* the capture was cut: counters up to the cut */

struct memory_type;
struct memory_type_list;

#ifdef __cplusplus
extern "C" {
#endif

/* The text for MEMSTAT_ERROR_*; "Unknown error" for any other number. Never NULL. */
const char *memstat_strerror(int error);

/* An empty list, or NULL with errno ENOMEM. */
struct memory_type_list *memstat_mtl_alloc(void);

/* The newest type, and the next older type; NULL at the end of the list, and for NULL. */
struct memory_type *memstat_mtl_first(struct memory_type_list *list);
struct memory_type *memstat_mtl_next(struct memory_type *mtp);

/*
 * The first type with exactly this name, of ALLOCATOR_MALLOC, ALLOCATOR_UMA or ALLOCATOR_ANY; a
 * slab cache is also found by each of its aliases. NULL if there is no such type, which is not an
 * error, and for NULL.
 */
struct memory_type *memstat_mtl_find(struct memory_type_list *list, int allocator,
				     const char *name);

/* Frees the list and all its types; NULL is allowed. */
void memstat_mtl_free(struct memory_type_list *list);

/* MEMSTAT_ERROR_* of the last query that failed: success does not clear it. For NULL, 0. */
int memstat_mtl_geterror(struct memory_type_list *list);

/*
 * Query the running system, whose counters kmemtraced --publish publishes. flags must be 0. Return
 * 0; or -1 with the error on the list and errno set, and the list is unchanged.
 */
int memstat_sysctl_all(struct memory_type_list *list, int flags);
int memstat_sysctl_malloc(struct memory_type_list *list, int flags);
int memstat_sysctl_uma(struct memory_type_list *list, int flags);

/*
 * Query a capture: kvm_handle is the result of memstat_capture_open(). Return 0, or -1 as above;
 * but with MEMSTAT_ERROR_KVM_SHORTREAD the list shows the counters up to where the capture was cut.
 */
int memstat_kvm_all(struct memory_type_list *list, void *kvm_handle);
int memstat_kvm_malloc(struct memory_type_list *list, void *kvm_handle);
int memstat_kvm_uma(struct memory_type_list *list, void *kvm_handle);

/*
 * The size classes of kmalloc(), smallest first: how many, and the bytes of each. They belong to
 * the process: the last query of ALLOCATOR_MALLOC that succeeded, or that showed the counters of a
 * cut capture, of any list and thread, sets them. 0 before, and for an index out of range. Bit n of
 * a sizemask is class n; memstat_malloc_zone_used() is 1 if the type has used it, otherwise 0.
 */
size_t memstat_malloc_zone_get_count(void);
size_t memstat_malloc_zone_get_size(size_t n);
int memstat_malloc_zone_used(const struct memory_type *mtp, size_t n);

/*
 * Counters of a type, as of the last query. None of these can fail: for NULL, and for an index or a
 * CPU out of range, they return 0 or NULL, and set nothing. Values that an allocator does not have
 * are 0.
 */
const char *memstat_get_name(const struct memory_type *mtp);
int memstat_get_allocator(const struct memory_type *mtp);

uint64_t memstat_get_countlimit(const struct memory_type *mtp); /* objects; 0: no limit */
uint64_t memstat_get_byteslimit(const struct memory_type *mtp); /* bytes; 0: no limit */
uint64_t memstat_get_sizemask(const struct memory_type *mtp);	/* MALLOC */
uint64_t memstat_get_size(const struct memory_type *mtp);	/* UMA: bytes of an object */
uint64_t memstat_get_rsize(const struct memory_type *mtp);	/* UMA: bytes in its slab */

uint64_t memstat_get_memalloced(const struct memory_type *mtp); /* bytes, total */
uint64_t memstat_get_memfreed(const struct memory_type *mtp);	/* bytes, total */
uint64_t memstat_get_numallocs(const struct memory_type *mtp);	/* objects, total */
uint64_t memstat_get_numfrees(const struct memory_type *mtp);	/* objects, total */
uint64_t memstat_get_bytes(const struct memory_type *mtp);	/* memalloced - memfreed */
uint64_t memstat_get_count(const struct memory_type *mtp);	/* numallocs - numfrees */
uint64_t memstat_get_free(const struct memory_type *mtp);	/* objects kept for later use */
uint64_t memstat_get_failures(const struct memory_type *mtp);	/* allocations that failed */
uint64_t memstat_get_sleeps(const struct memory_type *mtp);	/* allocations that waited */
uint64_t memstat_get_xdomain(const struct memory_type *mtp);	/* frees on another node */
uint64_t memstat_get_zonefree(const struct memory_type *mtp);	/* objects */
uint64_t memstat_get_kegfree(const struct memory_type *mtp);	/* objects */

/*
 * The caller's own data: 0 and NULL in a new type; queries do not change it. Setting a value for a
 * CPU may allocate memory: if there is none, errno is ENOMEM and nothing is set.
 */
void *memstat_get_caller_pointer(const struct memory_type *mtp, int index);
void memstat_set_caller_pointer(struct memory_type *mtp, int index, void *value);
uint64_t memstat_get_caller_uint64(const struct memory_type *mtp, int index);
void memstat_set_caller_uint64(struct memory_type *mtp, int index, uint64_t value);

/* The same by CPU: objects and bytes that the CPU allocated, and that it freed. */
uint64_t memstat_get_percpu_memalloced(const struct memory_type *mtp, int cpu);
uint64_t memstat_get_percpu_memfreed(const struct memory_type *mtp, int cpu);
uint64_t memstat_get_percpu_numallocs(const struct memory_type *mtp, int cpu);
uint64_t memstat_get_percpu_numfrees(const struct memory_type *mtp, int cpu);
uint64_t memstat_get_percpu_sizemask(const struct memory_type *mtp, int cpu);
void *memstat_get_percpu_caller_pointer(const struct memory_type *mtp, int cpu, int index);
void memstat_set_percpu_caller_pointer(struct memory_type *mtp, int cpu, int index, void *value);
uint64_t memstat_get_percpu_caller_uint64(const struct memory_type *mtp, int cpu, int index);
void memstat_set_percpu_caller_uint64(struct memory_type *mtp, int cpu, int index, uint64_t value);
uint64_t memstat_get_percpu_free(const struct memory_type *mtp, int cpu);

/*
 * The following functions are not in FreeBSD's library.
 */

/* The last failure, its cause and what to do; "" before the first one and for NULL. Never NULL. */
const char *memstat_mtl_errortext(const struct memory_type_list *list);

#define MEMSTAT_LOST_UNKNOWN UINT64_MAX

/*
 * The number of events that happened but that no counter includes, since their records were lost,
 * as of the last query of that allocator (ALLOCATOR_ANY: the greater number); a query of both sets
 * both to the same number. No numallocs, numfrees, failures or count of any type is wrong by more
 * than this, except by unobserved paths (see below). 0: the counters are exact for the observed
 * paths, counted from when tracing began; or there was no query yet; or there is no such allocator.
 * MEMSTAT_LOST_UNKNOWN: the number is unknown, as after a cut.
 */
uint64_t memstat_mtl_lost(const struct memory_type_list *list, int allocator);

/*
 * The time of the snapshot of the last query: ns of CLOCK_MONOTONIC of the traced machine. 0 before
 * the first query. A capture and the running system have the same counters at the same time, except
 * free, zonefree and kegfree, which were read from the kernel at another time. While kmemtraced is
 * suspended the time does not advance: compare it with the clock to see how old the snapshot is.
 */
uint64_t memstat_mtl_time(const struct memory_type_list *list);

/*
 * When tracing began, by the last query: ns of the same clock. 0 before the first query. No counter
 * includes earlier events.
 */
uint64_t memstat_mtl_begin(const struct memory_type_list *list);

/*
 * The number of possible CPUs of the traced machine, by the last query: the highest number + 1. All
 * counters by CPU belong to CPUs below it. 0 before the first query.
 */
size_t memstat_mtl_cpus(const struct memory_type_list *list);

/*
 * on not 0: from the next query on, the counters of slab caches include the objects that existed
 * when tracing began, by /proc/slabinfo, and the frees of these. Their number is mostly too high,
 * since SLUB reports the free objects that it reserves for a CPU as in use, and it is an estimate
 * from about Linux 6.10. They belong to no CPU.
 * kmalloc()'s caches have no such base, since frees of their objects name no cache. Without a base
 * no counter includes objects from before tracing began. Where slabinfo could not be read this
 * changes nothing.
 * A list for which this was not called follows the environment variable KMEMTRACE_MEMSTAT_BASE, as
 * it was when the list was created: 0 is off, other values are on. If that is not set, queries of
 * the running system follow kmemtraced --publish-base, and queries of a capture have no base.
 */
void memstat_mtl_set_base(struct memory_type_list *list, int on);

/*
 * memstat_mtl_lost() counts events whose records are known to be missing. An unobserved path is a
 * way of the kernel to allocate or free without an event, such as bulk allocation: no counter
 * includes its allocations and frees, and their number is unknown. The following functions show how
 * complete the counters of the last query are.
 */

#define MEMSTAT_MISSED_UNKNOWN UINT64_MAX
#define MEMSTAT_COVERAGE_UNKNOWN (-1.0)

/*
 * Missed frees: the part of numfrees that no event reported, known since the address was allocated
 * again. While they are not 0, objects that are counted as in use may be free. May decrease, since
 * some kernels report a free late. MEMSTAT_MISSED_UNKNOWN: the statistics file is of an older
 * version.
 */
uint64_t memstat_get_missedfrees(const struct memory_type *mtp);

/*
 * Coverage, in percent: the share of the frees that events reported. 100 if there were no frees;
 * MEMSTAT_COVERAGE_UNKNOWN where the missed frees are unknown; 0 for NULL.
 */
double memstat_get_coverage(const struct memory_type *mtp);

/*
 * The name of the unobserved path number n, from 0, that may allocate or free objects of this type;
 * NULL: there are no more. Valid until the next query of the list.
 */
const char *memstat_get_unobserved(const struct memory_type *mtp, size_t n);

/* The same of all types of an allocator. ALLOCATOR_ANY: the more missed frees, or the less
 * coverage, of both. */
uint64_t memstat_mtl_missedfrees(const struct memory_type_list *list, int allocator);
double memstat_mtl_coverage(const struct memory_type_list *list, int allocator);

/* The same of all paths of the traced kernel. */
const char *memstat_mtl_unobserved(const struct memory_type_list *list, size_t n);

/*
 * 1: the last query knows which paths are unobserved. 0: there was no query yet, or it does not
 * know it, as in an imported capture; then no path has a name.
 */
int memstat_mtl_knows_paths(const struct memory_type_list *list);

/* A capture of kmemtraced or kmemtrace-import, for memstat_kvm_*(). */
struct memstat_capture;

#define MEMSTAT_CAPTURE_END UINT64_MAX

/*
 * Opens the capture in a directory; queries show its end. Returns NULL with errno set on failure.
 * Each query reads the capture again, since it may still grow. For one thread at a time.
 */
struct memstat_capture *memstat_capture_open(const char *path);

/*
 * The next queries show the capture at this time, ns after its start: they include every event
 * before it. A time after the last event, such as MEMSTAT_CAPTURE_END, is its end. Returns 0; or -1
 * with errno EINVAL for NULL.
 */
int memstat_capture_at(struct memstat_capture *capture, uint64_t time);

/* NULL is allowed. Lists that were filled from the capture stay valid. */
void memstat_capture_close(struct memstat_capture *capture);

/*
 * The message of the last failed query of this capture, in place of kvm_geterr(); for NULL, of the
 * last memstat_capture_open() that failed in this thread. "" before the first failure. Never NULL.
 */
const char *memstat_capture_errortext(const struct memstat_capture *capture);

#ifdef __cplusplus
}
#endif

#endif
