/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the preempt count, which each architecture, and x86 in some versions, keeps elsewhere. */
#ifndef BPF_PREEMPT_COUNT_BPF_H
#define BPF_PREEMPT_COUNT_BPF_H

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

struct task_struct___preemptible_rcu {
	int rcu_read_lock_nesting;
};

struct lowcore {
	uint32_t preempt_count;
};

#pragma clang attribute pop

extern const int __preempt_count __ksym __weak;	     /* x86 */
extern const struct pcpu_hot pcpu_hot __ksym __weak; /* x86, 6.2 to 6.14 */
/*
 * Only where it may exist: for a function that is not in the kernel's BTF, libbpf reads the BTF of
 * all modules, which needs CAP_SYS_ADMIN.
 */
#ifdef __TARGET_ARCH_s390
extern struct lowcore *bpf_get_lowcore(void) __ksym __weak;
#endif

#define PREEMPT_COUNT_UNKNOWN UINT32_MAX
#define PREEMPT_COUNT_BITS 0x00ffffff /* without the flag that the task is to be preempted */
/* Of the preempt count, the same from 5.10 to 7.2. */
#define PREEMPT_SOFTIRQ 0x00000100 /* a softirq runs; a task that disables them adds 0x200 */
#define PREEMPT_HARDIRQ 0x000f0000
#define PREEMPT_NMI 0x00f00000
#define PREEMPT_INTERRUPT (PREEMPT_SOFTIRQ | PREEMPT_HARDIRQ | PREEMPT_NMI)

/*
 * The preempt count of a program, at an event of a task that may be preempted. A program runs under
 * rcu_read_lock(), which switches preemption off without CONFIG_PREEMPT_RCU, as on arm64 with
 * CONFIG_PREEMPT_LAZY only. Such a task is still preempted between two programs.
 */
static __always_inline uint32_t preempt_count_base(void)
{
	struct task_struct___preemptible_rcu *task = NULL;

	return bpf_core_field_exists(task->rcu_read_lock_nesting) ? 0 : 1;
}

#ifdef KMT_WITHOUT_PREEMPT_COUNT

static __always_inline uint32_t preempt_count(void)
{
	return PREEMPT_COUNT_UNKNOWN;
}

#else

static __always_inline uint32_t preempt_count(void)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct task_struct___count *with_count = (void *)task;
	struct task_struct___word *with_word = (void *)task;

	if (&__preempt_count)
		return *(const int *)bpf_this_cpu_ptr(&__preempt_count) & PREEMPT_COUNT_BITS;
	if (&pcpu_hot && bpf_core_field_exists(struct pcpu_hot, preempt_count)) {
		const struct pcpu_hot *hot = bpf_this_cpu_ptr(&pcpu_hot);

		return BPF_CORE_READ(hot, preempt_count) & PREEMPT_COUNT_BITS;
	}
	if (bpf_core_field_exists(with_count->thread_info.preempt.count)) /* arm64 */
		return BPF_CORE_READ(with_count, thread_info.preempt.count) & PREEMPT_COUNT_BITS;
	if (bpf_core_field_exists(with_word->thread_info.preempt_count)) /* riscv64 and others */
		return BPF_CORE_READ(with_word, thread_info.preempt_count) & PREEMPT_COUNT_BITS;
#ifdef __TARGET_ARCH_s390
	if (bpf_get_lowcore)
		return BPF_CORE_READ(bpf_get_lowcore(), preempt_count) & PREEMPT_COUNT_BITS;
#endif
	return PREEMPT_COUNT_UNKNOWN;
}

#endif
#endif
