// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does this kernel preempt a task in a tracepoint? The program reads the preempt count, in the
 * events of one thread, as it is and again after it has switched preemption off. If the count was 0
 * and became 1, the tracepoint had not switched preemption off. (A kernel that keeps no preempt
 * count never shows a 1.)
 */
#include "bpf/vmlinux.h"

#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "kernel/ring.h"

/* Kernels without these functions, before 6.10, preempt no task in a tracepoint. */
extern void bpf_preempt_disable(void) __ksym __weak;
extern void bpf_preempt_enable(void) __ksym __weak;

const volatile uint32_t own_task;

struct kmt_preemption preemption;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct pcpu_hot {
	int preempt_count;
};

struct thread_info___count {
	struct {
		uint32_t count;
	} preempt;
};

struct thread_info___word {
	int preempt_count;
};

struct task_struct___count {
	struct thread_info___count thread_info;
};

struct task_struct___word {
	struct thread_info___word thread_info;
};

struct lowcore {
	uint32_t preempt_count;
};

#pragma clang attribute pop

extern const int __preempt_count __ksym __weak;		    /* x86 */
extern const struct pcpu_hot pcpu_hot __ksym __weak;	    /* x86, 6.2 to 6.14 */
extern struct lowcore *bpf_get_lowcore(void) __ksym __weak; /* s390x */

#define UNKNOWN UINT32_MAX
#define COUNT_BITS 0x00ffffff /* without the flag that the task is to be preempted */

static __always_inline uint32_t preempt_count(void)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct task_struct___count *with_count = (void *)task;
	struct task_struct___word *with_word = (void *)task;

	if (&__preempt_count)
		return *(const int *)bpf_this_cpu_ptr(&__preempt_count) & COUNT_BITS;
	if (&pcpu_hot && bpf_core_field_exists(struct pcpu_hot, preempt_count)) {
		const struct pcpu_hot *hot = bpf_this_cpu_ptr(&pcpu_hot);

		return BPF_CORE_READ(hot, preempt_count) & COUNT_BITS;
	}
	if (bpf_core_field_exists(with_count->thread_info.preempt.count)) /* arm64 */
		return BPF_CORE_READ(with_count, thread_info.preempt.count) & COUNT_BITS;
	if (bpf_core_field_exists(with_word->thread_info.preempt_count)) /* riscv64 and others */
		return BPF_CORE_READ(with_word, thread_info.preempt_count) & COUNT_BITS;
	if (bpf_get_lowcore)
		return BPF_CORE_READ(bpf_get_lowcore(), preempt_count) & COUNT_BITS;
	return UNKNOWN;
}

SEC("raw_tp/kfree")
int probe_preemption(void *ctx)
{
	uint32_t before, inside;

	if ((uint32_t)bpf_get_current_pid_tgid() != own_task)
		return 0;
	preemption.events++;
	if (!bpf_preempt_disable || !bpf_preempt_enable)
		return 0;
	before = preempt_count();
	bpf_preempt_disable();
	inside = preempt_count();
	bpf_preempt_enable();
	if (before == UNKNOWN)
		preemption.unknown++;
	else if (!before && inside == 1)
		preemption.preemptible++;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
