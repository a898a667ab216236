// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes a ring as a memory-mapped BPF array of one huge value, or as a BPF ring buffer, on its
 * CPU's node.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "tracer/load/refusal.h"
#include "tracer/rings.h"

unsigned int rings_default_mib(unsigned int online_cpus, uint64_t memory_bytes)
{
	uint64_t each = (memory_bytes >> 20) / RINGS_SHARE / (online_cpus ? online_cpus : 1);

	if (each > RINGS_DEFAULT_MIB)
		return RINGS_DEFAULT_MIB;
	return each ? each : 1;
}

static uint32_t slots_of(unsigned int mib)
{
	uint64_t bytes = (uint64_t)mib << 20;
	uint32_t slots = 4 * KMT_RING_MARGIN;

	while (2ULL * slots * sizeof(struct kmt_record) <= bytes)
		slots *= 2;
	return slots;
}

/* The size of a BPF ring buffer is a power of two. */
static uint32_t buffer_bytes(unsigned int mib)
{
	uint32_t bytes = 1 << 20;

	while (2ULL * bytes <= (uint64_t)mib << 20 && bytes < 1U << 30)
		bytes *= 2;
	return bytes;
}

static uint64_t mapped_bytes(uint32_t slots)
{
	return ((uint64_t)slots + KMT_RING_OVERHANG) * sizeof(struct kmt_record);
}

uint64_t rings_bytes(unsigned int mib, bool buffered)
{
	return buffered ? buffer_bytes(mib) : mapped_bytes(slots_of(mib));
}

static int fail_rings(struct rings *rings, int err, const char *action)
{
	char advice[REFUSAL_ADVICE];

	snprintf(rings->errmsg, sizeof(rings->errmsg), "%s: %s%s", action, strerror(err),
		 err == EPERM	 ? refusal_advice(err, 1, advice)
		 : err == ENOMEM ? ": make the rings smaller with -m"
				 : "");
	return -err;
}

int rings_init(struct rings *rings, unsigned int possible_cpus, unsigned int mib, bool buffered)
{
	memset(rings, 0, sizeof(*rings));
	rings->slots = buffered ? buffer_bytes(mib) / KMT_BUFFERED_RECORD : slots_of(mib);
	rings->buffered = buffered;
	rings->mib = mib;
	rings->possible_cpus = possible_cpus;
	rings->list = calloc((size_t)possible_cpus + 1, sizeof(*rings->list));
	if (!rings->list)
		return fail_rings(rings, ENOMEM, "rings");
	for (unsigned int i = 0; i <= possible_cpus; i++)
		rings->list[i].fd = -1;
	return 0;
}

void rings_deinit(struct rings *rings)
{
	for (unsigned int i = 0; rings->list && i <= rings->possible_cpus; i++) {
		struct ring *ring = &rings->list[i];

		if (ring->slots)
			munmap(ring->slots, mapped_bytes(rings->slots));
		if (ring->fd >= 0)
			close(ring->fd);
	}
	free(rings->list);
	rings->list = NULL;
	if (rings->controls)
		munmap(rings->controls, rings->controls_size);
	rings->controls = NULL;
}

static int add_buffer(struct rings *rings, struct ring *ring, int node)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_NUMA_NODE, .numa_node = node);

	ring->fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, buffer_bytes(rings->mib),
				  &options);
	return ring->fd < 0 ? fail_rings(rings, errno, "cannot make a ring") : 0;
}

int rings_add(struct rings *rings, unsigned int cpu, int node)
{
	size_t size = mapped_bytes(rings->slots);
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE | BPF_F_NUMA_NODE,
		    .numa_node = node);
	struct ring *ring = &rings->list[cpu];
	void *slots;

	if (rings->buffered)
		return add_buffer(rings, ring, node);
	/* every ring has the same flags: the kernel requires equal maps in an array of maps */
	ring->fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "ring", sizeof(uint32_t), size, 1, &options);
	if (ring->fd < 0)
		return fail_rings(rings, errno, "cannot make a ring");
	slots = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (slots == MAP_FAILED)
		return fail_rings(rings, errno, "cannot map a ring");
	ring->slots = slots;
	return 0;
}

int rings_map_controls(struct rings *rings, int controls_fd)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *controls;

	rings->controls_size = (rings->possible_cpus * sizeof(struct kmt_control) + page - 1) &
			       ~(page - 1);
	controls = mmap(NULL, rings->controls_size, PROT_READ | PROT_WRITE, MAP_SHARED, controls_fd,
			0);
	if (controls == MAP_FAILED)
		return fail_rings(rings, errno, "cannot map the control blocks of the CPUs");
	rings->controls = controls;
	return 0;
}

int rings_insert(struct rings *rings, unsigned int cpu, int rings_fd)
{
	if (bpf_map_update_elem(rings_fd, &cpu, &rings->list[cpu].fd, 0))
		return fail_rings(rings, errno, "cannot give a ring to the programs");
	return 0;
}

int rings_add_spare(struct rings *rings, int rings_fd, int spare_taken_fd)
{
	unsigned int spare = rings->possible_cpus;
	uint32_t first = 0;
	int err = rings_add(rings, spare, -1);

	if (!err)
		err = rings_insert(rings, spare, rings_fd);
	if (!err)
		bpf_map_delete_elem(spare_taken_fd, &first); /* the CPU has it as its own ring */
	return err;
}

bool rings_take_spare(struct rings *rings, unsigned int cpu, int spare_taken_fd)
{
	struct ring *spare = &rings->list[rings->possible_cpus];
	uint32_t first = 0, taken;

	if (spare->fd < 0 || bpf_map_lookup_elem(spare_taken_fd, &first, &taken) || taken != cpu)
		return false;
	rings->list[cpu] = *spare;
	*spare = (struct ring){ .fd = -1 };
	return true;
}
