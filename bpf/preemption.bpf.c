// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does this kernel preempt a task in a tracepoint? The program reads the preempt count, in the
 * events of one thread, as it is and again after it has switched preemption off. If the count was
 * preempt_count_base() and became larger, the tracepoint had not switched preemption off. (The
 * count of a kernel that keeps none never becomes larger.)
 */
#include "bpf/vmlinux.h"

#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "kernel/ring.h"

#include "bpf/preempt_count.bpf.h"

/* Kernels without these functions, before 6.10, preempt no task in a tracepoint. */
extern void bpf_preempt_disable(void) __ksym __weak;
extern void bpf_preempt_enable(void) __ksym __weak;

const volatile uint32_t own_task;

/*
 * A map, not a variable: libbpf 1.1 crashes if memory for the BTF of an object without such a map
 * is short, since it then counts the BTF as optional and loads the object without all of it.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct kmt_preemption);
} counts SEC(".maps");

SEC("raw_tp/kfree")
int probe_preemption(void *ctx)
{
	uint32_t before, inside, first = 0;
	struct kmt_preemption *preemption = bpf_map_lookup_elem(&counts, &first);

	if (!preemption || (uint32_t)bpf_get_current_pid_tgid() != own_task)
		return 0;
	preemption->events++;
	if (!bpf_preempt_disable || !bpf_preempt_enable)
		return 0;
	before = preempt_count();
	bpf_preempt_disable();
	inside = preempt_count();
	bpf_preempt_enable();
	if (before == PREEMPT_COUNT_UNKNOWN)
		preemption->unknown++;
	else if (before == preempt_count_base() && inside == before + 1)
		preemption->preemptible++;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
