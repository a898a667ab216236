/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rings of the CPUs: their size, their NUMA node, and their mapping in this process. */
#ifndef TRACER_RINGS_H
#define TRACER_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/ring.h"
#include "kernel/topology.h"

#define RINGS_DEFAULT_MIB 64 /* of one CPU */
#define RINGS_SHARE 16	     /* all rings together: at most 1/16 of the machine's memory */

struct ring {
	int fd;			  /* the BPF map; -1: this CPU has no ring */
	struct kmt_record *slots; /* mapped; NULL: a BPF ring buffer */
};

struct rings {
	uint32_t slots; /* of each ring: a power of two, except in BPF ring buffers */
	unsigned int mib;
	bool buffered; /* BPF ring buffers, which libbpf maps */
	unsigned int possible_cpus;
	struct ring *list;	      /* by CPU, possible_cpus of them; then the spare ring */
	struct kmt_control *controls; /* mapped; by CPU */
	size_t controls_size;	      /* bytes */
	char errmsg[160];
};

/*
 * The default size of one CPU's ring in mebibytes: RINGS_DEFAULT_MIB, or less so that all rings
 * take at most 1/RINGS_SHARE of memory_bytes, but at least 1.
 */
unsigned int rings_default_mib(unsigned int online_cpus, uint64_t memory_bytes);

/* The bytes of a ring of mib mebibytes after rounding: its slots, or bytes, are a power of two. */
uint64_t rings_bytes(unsigned int mib, bool buffered);

/* All below return 0, or -errno with errmsg set. buffered: use BPF ring buffers. */
int rings_init(struct rings *rings, unsigned int possible_cpus, unsigned int mib, bool buffered);
void rings_deinit(struct rings *rings);

/* Makes and maps the ring of a CPU on its node (-1: anywhere). */
int rings_add(struct rings *rings, unsigned int cpu, int node);

/* Maps the control blocks of all CPUs. */
int rings_map_controls(struct rings *rings, int controls_fd);

/*
 * Puts the ring of a CPU, made by rings_add(), into the map rings of the programs. When it returns,
 * all programs use it.
 */
int rings_insert(struct rings *rings, unsigned int cpu, int rings_fd);

/*
 * Makes the spare ring, for the next CPU that comes online without a ring: see find_ring_map() of
 * bpf/emit.bpf.h. The fds are those of the maps rings and spare_taken.
 */
int rings_add_spare(struct rings *rings, int rings_fd, int spare_taken_fd);

/*
 * Gives the spare ring to the CPU, if the events of this CPU have taken it. True: call
 * rings_insert() before there is another spare ring.
 */
bool rings_take_spare(struct rings *rings, unsigned int cpu, int spare_taken_fd);

/* Loads a word of a control block or a slot, and all that the programs wrote before it. */
static inline uint64_t rings_load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

#endif
