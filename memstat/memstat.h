/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interface of FreeBSD's libmemstat(3), for the slab allocator of Linux. See libmemstat(3)
 * for what the figures mean here.
 *
 * A list holds memory types, and a query fills or refreshes it. Types are never removed: a
 * struct memory_type * and its name are valid until memstat_mtl_free(). Nothing is ever printed.
 * Several threads may use several lists; one list belongs to one thread at a time.
 */
#ifndef MEMSTAT_MEMSTAT_H
#define MEMSTAT_MEMSTAT_H

#include <stddef.h>
#include <stdint.h>

/* Slots for the caller's own data in a type, and in a type for each CPU: index 0..15. */
#define MEMSTAT_MAXCALLER 16

#define ALLOCATOR_UNKNOWN 0 /* of NULL */
#define ALLOCATOR_MALLOC 1  /* functions that call kmalloc() */
#define ALLOCATOR_UMA 2	    /* slab caches */
#define ALLOCATOR_ANY 255   /* memstat_mtl_find() only */

/* As FreeBSD defines it. Names here may be longer and are never cut: do not size buffers by it. */
#define MEMTYPE_MAXNAME 32

#define MEMSTAT_ERROR_UNDEFINED 0     /* nothing has failed yet */
#define MEMSTAT_ERROR_NOMEMORY 1      /* out of memory */
#define MEMSTAT_ERROR_VERSION 2	      /* made by a version that this one does not know */
#define MEMSTAT_ERROR_PERMISSION 3    /* EACCES or EPERM */
#define MEMSTAT_ERROR_TOOMANYCPUS 4   /* historic: there is no such limit */
#define MEMSTAT_ERROR_DATAERROR 5     /* no data, wrong data, wrong flags */
#define MEMSTAT_ERROR_KVM 6	      /* the machine kept a capture from being read */
#define MEMSTAT_ERROR_KVM_NOSYMBOL 7  /* historic: what has no symbol is named by its address */
#define MEMSTAT_ERROR_KVM_SHORTREAD 8 /* a capture that was cut: the figures up to there */

struct memory_type;
struct memory_type_list;

#ifdef __cplusplus
extern "C" {
#endif

/* The sentence for MEMSTAT_ERROR_*; "Unknown error" for any other number. Never NULL. */
const char *memstat_strerror(int error);

/* An empty list, or NULL with errno ENOMEM. */
struct memory_type_list *memstat_mtl_alloc(void);

/* The newest type, and the one that is next in age; NULL where there is none, and of NULL. */
struct memory_type *memstat_mtl_first(struct memory_type_list *list);
struct memory_type *memstat_mtl_next(struct memory_type *mtp);

/*
 * The first type with exactly this name, of ALLOCATOR_MALLOC, ALLOCATOR_UMA or ALLOCATOR_ANY; a
 * slab cache is found by each of its aliases too. NULL, which is no error, where there is none,
 * and of NULL.
 */
struct memory_type *memstat_mtl_find(struct memory_type_list *list, int allocator,
				     const char *name);

/* Frees the list and all its types; NULL is allowed. */
void memstat_mtl_free(struct memory_type_list *list);

/* MEMSTAT_ERROR_* of the last query that failed: success does not clear it. Of NULL, 0. */
int memstat_mtl_geterror(struct memory_type_list *list);

/*
 * Query the running system, from what kmemtraced --publish tells. flags is 0. 0; or -1 with the
 * error on the list and errno set: the list is then as it was before.
 */
int memstat_sysctl_all(struct memory_type_list *list, int flags);
int memstat_sysctl_malloc(struct memory_type_list *list, int flags);
int memstat_sysctl_uma(struct memory_type_list *list, int flags);

/*
 * Query a capture: kvm_handle is what memstat_capture_open() returned. 0; or -1 as above, but
 * with MEMSTAT_ERROR_KVM_SHORTREAD the figures are those up to where the capture was cut.
 */
int memstat_kvm_all(struct memory_type_list *list, void *kvm_handle);
int memstat_kvm_malloc(struct memory_type_list *list, void *kvm_handle);
int memstat_kvm_uma(struct memory_type_list *list, void *kvm_handle);

/*
 * The size classes of kmalloc(), smallest first: how many, and the bytes of each. They belong to
 * the process: the last query of ALLOCATOR_MALLOC that succeeded, or told the figures of a cut
 * capture, of any list and thread, sets them. 0 before, and for an index out of range. Bit n of a
 * sizemask is class n; memstat_malloc_zone_used() is 1 where the type has it, otherwise 0.
 */
size_t memstat_malloc_zone_get_count(void);
size_t memstat_malloc_zone_get_size(size_t n);
int memstat_malloc_zone_used(const struct memory_type *mtp, size_t n);

/*
 * Figures of a type, as of the last query. None of these can fail: NULL, an index or a CPU out of
 * range reads 0 or NULL, and nothing is written there. What an allocator does not have is 0.
 */
const char *memstat_get_name(const struct memory_type *mtp);
int memstat_get_allocator(const struct memory_type *mtp);

uint64_t memstat_get_countlimit(const struct memory_type *mtp); /* objects; 0: no limit */
uint64_t memstat_get_byteslimit(const struct memory_type *mtp); /* bytes; 0: no limit */
uint64_t memstat_get_sizemask(const struct memory_type *mtp);	/* of MALLOC */
uint64_t memstat_get_size(const struct memory_type *mtp);	/* of UMA: bytes of an object */
uint64_t memstat_get_rsize(const struct memory_type *mtp);	/* of UMA: bytes it takes */

uint64_t memstat_get_memalloced(const struct memory_type *mtp); /* bytes, ever */
uint64_t memstat_get_memfreed(const struct memory_type *mtp);	/* bytes, ever */
uint64_t memstat_get_numallocs(const struct memory_type *mtp);	/* objects, ever */
uint64_t memstat_get_numfrees(const struct memory_type *mtp);	/* objects, ever */
uint64_t memstat_get_bytes(const struct memory_type *mtp);	/* memalloced - memfreed */
uint64_t memstat_get_count(const struct memory_type *mtp);	/* numallocs - numfrees */
uint64_t memstat_get_free(const struct memory_type *mtp);	/* objects kept for later use */
uint64_t memstat_get_failures(const struct memory_type *mtp);	/* allocations that failed */
uint64_t memstat_get_sleeps(const struct memory_type *mtp);	/* times that one waited */
uint64_t memstat_get_xdomain(const struct memory_type *mtp);	/* frees from another node */
uint64_t memstat_get_zonefree(const struct memory_type *mtp);	/* objects */
uint64_t memstat_get_kegfree(const struct memory_type *mtp);	/* objects */

/*
 * The caller's own data: 0 and NULL in a new type; queries do not touch it. What is set for a CPU
 * takes memory: where there is none, errno is ENOMEM and nothing is written.
 */
void *memstat_get_caller_pointer(const struct memory_type *mtp, int index);
void memstat_set_caller_pointer(struct memory_type *mtp, int index, void *value);
uint64_t memstat_get_caller_uint64(const struct memory_type *mtp, int index);
void memstat_set_caller_uint64(struct memory_type *mtp, int index, uint64_t value);

/* The same by CPU: objects and bytes of what that CPU allocated, and of what it freed. */
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
 * What follows is not in FreeBSD's library.
 */

/* What failed, why and what to do, of memstat_mtl_geterror(); "" before and of NULL. Never NULL. */
const char *memstat_mtl_errortext(const struct memory_type_list *list);

#define MEMSTAT_LOST_UNKNOWN UINT64_MAX

/*
 * How many events were seen to happen and yet are in no figure, because their records were lost,
 * as of the last query of that allocator (ALLOCATOR_ANY: the greater one); a query of both gives
 * both the same. No numallocs, numfrees, failures or count of any type is further off than this.
 * 0: they are exact, from when tracing began, or there was no query yet, or there is no such
 * allocator; MEMSTAT_LOST_UNKNOWN: that is not known, as after a cut.
 */
uint64_t memstat_mtl_lost(const struct memory_type_list *list, int allocator);

/*
 * The moment that the figures of the last query stand for: ns of CLOCK_MONOTONIC of the machine
 * that was traced. 0 before. Capture and running system tell the same figures of the same moment,
 * but for free, zonefree and kegfree, which the kernel told at another time. Of a kmemtraced that
 * was stopped it goes on being the last moment: the clock tells how old that is.
 */
uint64_t memstat_mtl_time(const struct memory_type_list *list);

/*
 * When tracing began, of the last query: ns of the same clock. 0 before. No event that happened
 * earlier is in any figure.
 */
uint64_t memstat_mtl_begin(const struct memory_type_list *list);

/*
 * How many CPUs the machine that was traced may have, of the last query: the highest number + 1,
 * so that cpu from 0 below it are all that the figures by CPU have. 0 before.
 */
size_t memstat_mtl_cpus(const struct memory_type_list *list);

/*
 * on not 0: from the next query on, slab caches start with the objects that the kernel said they
 * had when tracing began (an upper bound: SLUB counts what a CPU keeps for later as in use), so
 * that frees of these count too. They are no CPU's. kmalloc()'s caches have no such base, for
 * frees of their objects tell no cache. Without it, as in a new list, what was before tracing
 * began is in no figure. Where slabinfo could not be read it changes nothing.
 */
void memstat_mtl_set_base(struct memory_type_list *list, int on);

/* A capture that kmemtraced or kmemtrace-import made: what memstat_kvm_*() take. */
struct memstat_capture;

#define MEMSTAT_CAPTURE_END UINT64_MAX

/*
 * The capture in the directory, standing at its end; or NULL with errno set. Each query reads it
 * anew, since it may be written still. For one thread at a time.
 */
struct memstat_capture *memstat_capture_open(const char *path);

/*
 * The next queries show the moment that many ns after the capture's start: all that happened
 * before it. Of a later one than the last, as of MEMSTAT_CAPTURE_END, its end. 0; or -1 with errno
 * EINVAL for NULL.
 */
int memstat_capture_at(struct memstat_capture *capture, uint64_t time);

/* NULL is allowed. Lists that were filled from it stay. */
void memstat_capture_close(struct memstat_capture *capture);

/*
 * What failed last with this capture, in place of kvm_geterr(); of NULL, why the last
 * memstat_capture_open() of this thread that failed did so. "" before. Never NULL.
 */
const char *memstat_capture_errortext(const struct memstat_capture *capture);

#ifdef __cplusplus
}
#endif

#endif
