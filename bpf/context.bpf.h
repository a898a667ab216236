/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The context of an event: a task, or an interrupt that has interrupted the current task. The
 * preempt count shows all contexts. Where programs cannot read it, two programs on the tracepoints
 * of softirqs show when one runs: on one CPU, a softirq is not interrupted by another, and does not
 * move to another CPU. Hard interrupts then count as what they interrupted.
 */
#ifndef BPF_CONTEXT_BPF_H
#define BPF_CONTEXT_BPF_H

static __always_inline enum kmt_context find_kernel_context(const struct kmt_control *control)
{
#ifdef KMT_WITH_PREEMPT_COUNT
	if (context_source == KMT_CONTEXT_FROM_COUNT) {
		uint32_t count = preempt_count() & PREEMPT_INTERRUPT;

		if (!count)
			return KMT_CONTEXT_TASK;
		return count & PREEMPT_NMI	 ? KMT_CONTEXT_NMI
		       : count & PREEMPT_HARDIRQ ? KMT_CONTEXT_HARDIRQ
						 : KMT_CONTEXT_SOFTIRQ;
	}
#endif
	if (context_source == KMT_CONTEXT_FROM_SOFTIRQS && control->in_softirq)
		return KMT_CONTEXT_SOFTIRQ;
	return KMT_CONTEXT_TASK;
}

static __always_inline int set_softirq(uint64_t in_softirq)
{
	uint32_t cpu = bpf_get_smp_processor_id();
	struct kmt_control *control = bpf_map_lookup_elem(&controls, &cpu);

	if (control)
		*(volatile uint64_t *)&control->in_softirq = in_softirq;
	return 0;
}

SEC("raw_tp/softirq_entry")
int softirq_entry(void *ctx)
{
	return set_softirq(1);
}

SEC("raw_tp/softirq_exit")
int softirq_exit(void *ctx)
{
	return set_softirq(0);
}

#endif
