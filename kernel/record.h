/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The record ABI: one event as the BPF programs write it into a ring, and as a stream has it on
 * disk. Fixed width, no implicit padding, the byte order of the capturing machine.
 *
 * Its ancestor is the kmemtrace ABI of Linux 2.6.31 {u8 event, u8 type, u16 size, s32 sequence,
 * u64 call site, u64 pointer; + u64 requested, u64 allocated, u32 gfp, s32 node}. Here event and
 * type are one id, the size is counted in words, and time, task and cache are added.
 */
#ifndef KERNEL_RECORD_H
#define KERNEL_RECORD_H

#ifndef __bpf__
#include <stddef.h>
#include <stdint.h>
#endif

/* The kinds of records, see kernel/record_kinds.h. On disk: append only, never renumbered, never
 * reused. */
enum kmt_id {
	KMT_NONE = 0,	     /* never recorded: marks an unused ring slot */
	KMT_KMALLOC = 1,     /* requested and allocated are valid */
	KMT_KFREE = 2,	     /* the last 8 bytes are 0 */
	KMT_CACHE_ALLOC = 3, /* cache is valid; the sizes are the cache's */
	KMT_CACHE_FREE = 4,  /* cache is valid, or 0: unknown (before 5.12, or 6.0 without BTF) */
	/* functions without a tracepoint, hooked if the kernel allows it; one record per object */
	KMT_BULK_ALLOC = 5, /* kmem_cache_alloc_bulk(): cache is valid */
	KMT_BULK_FREE = 6,  /* kmem_cache_free_bulk(), kfree_bulk(): cache is valid, or 0 */
	/* krealloc(): requested is the new size; the object keeps its address if that size fits */
	KMT_REALLOC = 7,
	/* recorded by a backup program, since the kernel did not run the first program */
	KMT_BACKUP_KFREE = 8,	   /* as KMT_KFREE */
	KMT_BACKUP_CACHE_FREE = 9, /* as KMT_CACHE_FREE */
	/* kmem_cache_alloc() of a kernel before 6.0, which does not report the cache */
	KMT_ANONYMOUS_ALLOC = 10, /* requested and allocated are valid: they are the cache's */
	/*
	 * The probes of process memory, which are not about slab objects. pointer and call_site are
	 * addresses of the process; gfp is 0 and node KMT_NODE_ANY.
	 */
	KMT_PAGE_FAULT = 11, /* low: enum kmt_access; high: enum kmt_mode */
	/* low: enum kmt_fault_type; high: enum kmt_mode */
	KMT_PAGE_FAULT_RETURN = 12,
	KMT_WRITE_SHARED = 13,	    /* payload is 0 */
	KMT_WRITE_SHARED_COPY = 14, /* low: 1 if the page is the zero page, else 0 */
	KMT_MMAP = 15,		    /* payload: length in bytes; pointer: as requested */
	KMT_MUNMAP = 16,	    /* payload: length in bytes */
	/* payload, signed: bytes by which the heap would grow; 0: brk(0); KMT_LENGTH_UNKNOWN */
	KMT_BRK = 17,
	KMT_OOM_KILL = 18, /* low: process id of the victim; pointer is 0 */
	/*
	 * The stack of a sampled allocation, in its stream before the record of the allocation,
	 * which has the same pointer and call site, and the next sequence number. gfp: the sampling
	 * interval in bytes; 1: each allocation was sampled. payload: id of the kernel stack, or 0:
	 * it could not be walked. Then a word with the id of the user stack, or 0. kernel/stacks
	 * has the stacks.
	 */
	KMT_STACK = 19,
	KMT_ID_END /* one past the last id that this version knows */
};

enum kmt_access {
	KMT_ACCESS_READ,
	KMT_ACCESS_WRITE,
	KMT_ACCESS_UNKNOWN,
};

/* Of the code at call_site. */
enum kmt_mode {
	KMT_MODE_USER,
	KMT_MODE_KERNEL,
	KMT_MODE_UNKNOWN,
};

/* The numbers of SystemTap's fault_type. */
enum kmt_fault_type {
	KMT_FAULT_OOM,
	KMT_FAULT_SIGBUS,
	KMT_FAULT_MINOR,
	KMT_FAULT_MAJOR,
};

/* The code that the kernel ran at the event. On disk, as the kinds: append only. */
enum kmt_context {
	KMT_CONTEXT_TASK, /* also if it was not recorded: then kernel/status says so */
	KMT_CONTEXT_SOFTIRQ,
	KMT_CONTEXT_HARDIRQ,
	KMT_CONTEXT_NMI,
	KMT_CONTEXT_END /* one past the last that this version knows */
};

#define KMT_LENGTH_UNKNOWN ((uint64_t)1 << 63) /* INT64_MIN */

#define KMT_NODE_ANY (-1) /* no node was requested; also in every free */
#define KMT_NODE_BITS 12  /* of the node, which is signed, in kmt_record.node */
#define KMT_NODE_MAX 2047
#define KMT_SIZE_MAX UINT32_MAX /* a size of 4 GiB or more: only failed requests have it */
#define KMT_WORD 8		/* bytes: the unit of kmt_record.words */
#define KMT_RECORD_WORDS 6	/* of struct kmt_record: no record has fewer */
#define KMT_WORDS_MAX 7		/* of the longest kind that this version writes */
#define KMT_WORDS_LIMIT 255	/* of any record */
#define KMT_ZERO_SIZE_PTR 16	/* the result of kmalloc(0), which has no object */

struct kmt_record {
	uint64_t time; /* ns, the capture's clock; read after the slots were taken */
	union {
		struct {
			uint8_t id;    /* enum kmt_id */
			uint8_t words; /* size of the whole record, in words of 8 bytes */
			/*
			 * The requested node, or KMT_NODE_ANY, with the upper 4 bits exclusive-ored
			 * with the enum kmt_context: see kmt_node() and kmt_context(). In a task,
			 * and in captures of versions that recorded no context, it is the node.
			 */
			int16_t node;
			/*
			 * Number of the event on its CPU, modulo 2^32. In a BPF ring buffer: the
			 * number of lost events of the CPU before it.
			 */
			uint32_t sequence;
		};
		uint64_t tag; /* the same 8 bytes: not 0 once the record is whole */
	};
	uint64_t pointer;   /* the object; 0 in a failed allocation or kfree(NULL) */
	uint64_t call_site; /* return address in the caller; of a probe 0: unknown */
	uint32_t task;	    /* thread id of the current task; 0 is the idle task */
	uint32_t gfp;	    /* flags as the capturing kernel has them; 0 in a free */
	union {
		struct {
			uint32_t requested; /* bytes */
			uint32_t allocated; /* bytes */
		};
		/*
		 * Address of the struct kmem_cache. In a free of Linux 5.12 to 6.0 it can be the
		 * address of the cache's name. 0: unknown.
		 */
		uint64_t cache;
		/* Of a probe of process memory: one number, so that its byte order can be swapped.
		 */
		uint64_t payload;
	};
};

/* node: at most KMT_NODE_MAX */
static inline int16_t kmt_node_word(int node, unsigned int context)
{
	return (int16_t)(node ^ (int)(context << KMT_NODE_BITS));
}

static inline int16_t kmt_node(int16_t word)
{
	const unsigned int sign = 1U << (KMT_NODE_BITS - 1), bits = (uint16_t)word;

	return (int16_t)(((bits & (2 * sign - 1)) ^ sign) - sign);
}

/* An enum kmt_context, or a number below 16 of a later version. */
static inline unsigned int kmt_context(int16_t word)
{
	return (uint16_t)(word ^ kmt_node(word)) >> KMT_NODE_BITS;
}

/* The payload of two values of 32 bits. */
#define KMT_PAYLOAD(low, high) ((uint64_t)(high) << 32 | (uint32_t)(low))

/*
 * Room for any record. A long record has more words than KMT_RECORD_WORDS, after the fields that
 * all kinds have. Each of these words is one number of 64 bits, in the byte order of the capturing
 * machine. Narrower values share a word by shifts, so that a reader that does not know the kind can
 * still swap its byte order.
 */
struct kmt_long_record {
	struct kmt_record head;
	uint64_t more[KMT_WORDS_LIMIT - KMT_RECORD_WORDS];
};

_Static_assert(sizeof(struct kmt_record) == KMT_RECORD_WORDS * KMT_WORD, "record ABI");
_Static_assert(sizeof(struct kmt_long_record) == KMT_WORDS_LIMIT * KMT_WORD, "record ABI");
_Static_assert(__builtin_offsetof(struct kmt_record, tag) == 8, "record ABI");
_Static_assert(__builtin_offsetof(struct kmt_record, pointer) == 16, "record ABI");
_Static_assert(__builtin_offsetof(struct kmt_record, call_site) == 24, "record ABI");
_Static_assert(__builtin_offsetof(struct kmt_record, task) == 32, "record ABI");
_Static_assert(__builtin_offsetof(struct kmt_record, cache) == 40, "record ABI");

#endif
