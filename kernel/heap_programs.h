/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interface between the programs of bpf/heap.bpf.c, which read the slab allocator's own lists,
 * and the process that runs them. The process freezes the maps that the programs write, so that it
 * can only read them (kernels allow no mapping of a map that was made read-only), and the programs
 * put only numbers of pages, counts, and addresses of objects into them that they have checked to
 * lie in a slab: never a word that some other code may have stored in an object.
 */
#ifndef KERNEL_HEAP_PROGRAMS_H
#define KERNEL_HEAP_PROGRAMS_H

#ifndef __bpf__
#include <stdint.h>
#endif

#define KMT_HEAP_CACHES_MAX 2048
#define KMT_HEAP_NAME 64
/* pages that one run of heap_scan looks at: with preemption off, for less than 0.1 ms */
#define KMT_HEAP_SCAN_PAGES 8192
#define KMT_HEAP_OUTPUT (256 * 1024) /* bytes */
#define KMT_HEAP_SLABS 64	     /* that one run of heap_walk walks at most */
#define KMT_HEAP_OBJECTS 8192	     /* of a slab whose lists are walked */

/* A slab cache, as heap_caches puts them into the output, one behind the other. */
struct kmt_heap_cache {
	uint64_t address;
	uint32_t size;	      /* bytes from one object to the next */
	uint32_t object_size; /* bytes */
	uint32_t first;	      /* bytes of a slab before the first object's address */
	uint32_t order;	      /* of a slab, as log2 of pages */
	char name[KMT_HEAP_NAME];
};

/* A page that begins a slab, as heap_scan puts them into its own map. */
struct kmt_heap_page {
	uint64_t pfn;	/* page frame number */
	uint64_t cache; /* address of the struct kmem_cache */
};

enum kmt_heap_state {
	KMT_HEAP_WALKED,  /* the list has all free objects that the slab itself knows */
	KMT_HEAP_CHANGED, /* it changed each time that it was walked: its list is not known */
	KMT_HEAP_GONE,	  /* the page does not belong to a slab of this cache any more */
	KMT_HEAP_CPU,	  /* a list of a CPU: objects that the slab itself does not know as free */
};

/*
 * A slab and its free objects: offset[free] follows, each the bytes from begin to an object, and
 * then the next struct at a multiple of 8 bytes.
 */
struct kmt_heap_slab {
	uint64_t pfn;	/* of KMT_HEAP_CPU: 0 */
	uint64_t begin; /* address of the slab's memory; 0: unknown, as no object is free */
	uint32_t objects, free;
	uint32_t state; /* enum kmt_heap_state */
	uint32_t bytes; /* of the slab's memory */
	uint32_t offset[];
};

/* The knowledge of the programs; each run sets count and next. */
struct kmt_heap_state_of_programs {
	uint64_t page_zero;    /* address of the struct page of page frame 0; 0: unknown */
	uint64_t address_zero; /* where the struct page of address 0 would be; 0: unknown */
	uint64_t first_cache;  /* address of a struct kmem_cache; 0: unknown */
	uint32_t count;	       /* caches, pages or slabs that the run has put out */
	uint32_t next;	       /* heap_walk: the first page of the last scan that is left */
	uint32_t rejected;     /* heap_lists: entries that are no objects of the cache */
	uint32_t unread;       /* the same: lists that changed each time that the run read them */
};

#endif
