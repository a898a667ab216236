/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kinds of records: one row for each id of enum kmt_id, with its names, its properties and
 * its fields. All programs look up the meaning of an id here.
 */
#ifndef KERNEL_RECORD_KINDS_H
#define KERNEL_RECORD_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/record.h"

/* Properties of a kind. */
enum record_flag {
	RECORD_ALLOCATION = 1 << 0,
	RECORD_FREE = 1 << 1,
	RECORD_RESIZE =
		1 << 2, /* krealloc(): if the object moves, a kmalloc() and a kfree() follow */
	RECORD_SIZES = 1 << 3,		/* requested and allocated are valid */
	RECORD_CACHE = 1 << 4,		/* cache is valid */
	RECORD_CACHE_OPTIONAL = 1 << 5, /* the cache may be 0: unknown */
	RECORD_ANONYMOUS = 1 << 6,	/* of a slab cache that the kernel does not name */
	/* frees objects of any cache, as kfree() does; with RECORD_CACHE: only if the cache is 0 */
	RECORD_KFREE = 1 << 7,
	RECORD_BACKUP = 1 << 8,	 /* recorded by a backup program */
	RECORD_PROCESS = 1 << 9, /* a probe of process memory */
	RECORD_STACK = 1 << 10,	 /* the stack of an allocation: an addition to its event */
};

/*
 * ROW(argument, id, words, CTF name, name in kmemtrace-report, flags, CTF fields behind gfp).
 * words is the size of the whole record as this version writes it. A CTF name and CTF fields are
 * on disk in each capture's metadata: they never change. A kind without RECORD_ALLOCATION,
 * RECORD_FREE and RECORD_RESIZE is not about slab objects: the matcher gives it to the observers as
 * OUTCOME_OTHER.
 */
#define RECORD_KINDS(ROW, argument)                                                                \
	ROW(argument, KMT_KMALLOC, 6, "kmalloc", "kmalloc", RECORD_ALLOCATION | RECORD_SIZES,      \
	    "u32 requested; u32 allocated;")                                                       \
	ROW(argument, KMT_KFREE, 6, "kfree", "kfree", RECORD_FREE | RECORD_KFREE, "u64 reserved;") \
	ROW(argument, KMT_CACHE_ALLOC, 6, "kmem_cache_alloc", "kmem_cache_alloc",                  \
	    RECORD_ALLOCATION | RECORD_CACHE, "x64 cache;")                                        \
	ROW(argument, KMT_CACHE_FREE, 6, "kmem_cache_free", "kmem_cache_free",                     \
	    RECORD_FREE | RECORD_CACHE | RECORD_CACHE_OPTIONAL, "x64 cache;")                      \
	ROW(argument, KMT_BULK_ALLOC, 6, "kmem_cache_alloc_bulk", "bulk_alloc",                    \
	    RECORD_ALLOCATION | RECORD_CACHE, "x64 cache;")                                        \
	ROW(argument, KMT_BULK_FREE, 6, "kmem_cache_free_bulk", "bulk_free",                       \
	    RECORD_FREE | RECORD_CACHE | RECORD_CACHE_OPTIONAL | RECORD_KFREE, "x64 cache;")       \
	ROW(argument, KMT_REALLOC, 6, "krealloc", "krealloc", RECORD_RESIZE | RECORD_SIZES,        \
	    "u32 requested; u32 allocated;")                                                       \
	ROW(argument, KMT_BACKUP_KFREE, 6, "kfree_rescued", "kfree",                               \
	    RECORD_FREE | RECORD_KFREE | RECORD_BACKUP, "u64 reserved;")                           \
	ROW(argument, KMT_BACKUP_CACHE_FREE, 6, "kmem_cache_free_rescued", "kmem_cache_free",      \
	    RECORD_FREE | RECORD_CACHE | RECORD_CACHE_OPTIONAL | RECORD_BACKUP, "x64 cache;")      \
	ROW(argument, KMT_ANONYMOUS_ALLOC, 6, "kmem_cache_alloc_unnamed", "kmem_cache_alloc",      \
	    RECORD_ALLOCATION | RECORD_SIZES | RECORD_ANONYMOUS, "u32 requested; u32 allocated;")  \
	ROW(argument, KMT_PAGE_FAULT, 6, "page_fault", "pagefault", RECORD_PROCESS, "x64 access;") \
	ROW(argument, KMT_PAGE_FAULT_RETURN, 6, "page_fault_return", "pagefault.return",           \
	    RECORD_PROCESS, "x64 result;")                                                         \
	ROW(argument, KMT_WRITE_SHARED, 6, "write_shared", "write_shared", RECORD_PROCESS,         \
	    "u64 reserved;")                                                                       \
	ROW(argument, KMT_WRITE_SHARED_COPY, 6, "write_shared_copy", "write_shared_copy",          \
	    RECORD_PROCESS, "u64 zero;")                                                           \
	ROW(argument, KMT_MMAP, 6, "mmap", "mmap", RECORD_PROCESS, "u64 length;")                  \
	ROW(argument, KMT_MUNMAP, 6, "munmap", "munmap", RECORD_PROCESS, "u64 length;")            \
	ROW(argument, KMT_BRK, 6, "brk", "brk", RECORD_PROCESS, "s64 length;")                     \
	ROW(argument, KMT_OOM_KILL, 6, "oom_kill", "oom_kill", RECORD_PROCESS, "u64 victim;")      \
	ROW(argument, KMT_STACK, 7, "stack", "stack", RECORD_STACK,                                \
	    "x64 kernel_stack; x64 user_stack;")

#define RECORD_KIND_BIT_IF(required, id, words, ctf_name, name, flags, ctf_fields) \
	| (((flags) & (required)) == (required) ? 1ULL << (id) : 0)

/* The ids of all kinds that have all of the flags: bit 1 << id of each. A constant. */
#define RECORD_KINDS_WITH(flags) (0ULL RECORD_KINDS(RECORD_KIND_BIT_IF, flags))

/* The ids of the kinds that are not about slab objects. */
#define RECORD_KINDS_OTHER                                                         \
	(RECORD_KINDS_WITH(0) &                                                    \
	 ~(RECORD_KINDS_WITH(RECORD_ALLOCATION) | RECORD_KINDS_WITH(RECORD_FREE) | \
	   RECORD_KINDS_WITH(RECORD_RESIZE)))

_Static_assert(KMT_ID_END <= 64, "the ids fit a mask");

struct record_kind {
	const char *ctf_name, *name; /* name: in kmemtrace-report */
	const char *ctf_fields;
	uint16_t flags; /* enum record_flag */
	uint8_t words;
};

/* By id. The first is KMT_NONE's and has no names. */
extern const struct record_kind record_kinds[KMT_ID_END];

/* Does this version know the id? A capture of a later version may have more. */
static inline bool record_kind_is_known(uint8_t id)
{
	return id != KMT_NONE && id < KMT_ID_END;
}

/* kinds: a mask of RECORD_KINDS_WITH(). False for an unknown id. */
static inline bool record_kind_is_one_of(uint8_t id, uint64_t kinds)
{
	return id < KMT_ID_END && kinds >> id & 1;
}

#endif
