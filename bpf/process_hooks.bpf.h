/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs on the functions of the kernel that handle a write to a shared page, and a fault for
 * which there is no memory: they have no tracepoints. Each function has a program for fentry and
 * one for a kprobe.
 */
#ifndef BPF_PROCESS_HOOKS_BPF_H
#define BPF_PROCESS_HOOKS_BPF_H

/* do_wp_page(fault): a write to a page that is mapped read-only. */
static __always_inline int emit_write_shared(const struct vm_fault *fault)
{
	return emit_process_preemptible(KMT_WRITE_SHARED, 0, BPF_CORE_READ(fault, address), 0);
}

/*
 * wp_page_copy(fault): the page must be copied. The zero page has no struct page as far as
 * vm_normal_page() says, and an anonymous mapping, which has no vm_ops, has no other such page.
 */
static __always_inline int emit_write_shared_copy(const struct vm_fault *fault)
{
	uint64_t zero = !BPF_CORE_READ(fault, page) && !BPF_CORE_READ(fault, vma, vm_ops);

	return emit_process_preemptible(KMT_WRITE_SHARED_COPY, 0, BPF_CORE_READ(fault, address),
					KMT_PAYLOAD(zero, 0));
}

/*
 * Where the compiler has put wp_page_copy() into do_wp_page(): the copy is new anonymous memory,
 * added to the reverse map by a task that is in do_wp_page().
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384); /* tasks that handle such a write at the same time */
	__type(key, uint32_t);	    /* tid */
	__type(value, uint64_t);    /* the struct vm_fault */
} shared_writes SEC(".maps");

SEC("fentry")
int write_shared_begin_hook(const uint64_t *ctx)
{
	uint32_t tid = bpf_get_current_pid_tgid();
	uint64_t fault = ctx[0];

	bpf_map_update_elem(&shared_writes, &tid, &fault, 0);
	return 0;
}

SEC("fexit")
int write_shared_end_hook(void *ctx)
{
	uint32_t tid = bpf_get_current_pid_tgid();

	bpf_map_delete_elem(&shared_writes, &tid);
	return 0;
}

/* folio_add_new_anon_rmap() or page_add_new_anon_rmap() */
SEC("fentry")
int new_memory_hook(void *ctx)
{
	uint32_t tid = bpf_get_current_pid_tgid();
	const uint64_t *fault = bpf_map_lookup_elem(&shared_writes, &tid);

	return fault ? emit_write_shared_copy((const struct vm_fault *)*fault) : 0;
}

/* pagefault_out_of_memory(): the fault of a process found no memory; its address is not known. */
static __always_inline int emit_fault_oom(void)
{
	return emit_process_preemptible(KMT_PAGE_FAULT_RETURN, 0, 0,
					KMT_PAYLOAD(KMT_FAULT_OOM, KMT_MODE_UNKNOWN));
}

SEC("fentry")
int write_shared_hook(const uint64_t *ctx)
{
	return emit_write_shared((const struct vm_fault *)ctx[0]);
}

SEC("fentry")
int write_shared_copy_hook(const uint64_t *ctx)
{
	return emit_write_shared_copy((const struct vm_fault *)ctx[0]);
}

SEC("fentry")
int fault_oom_hook(void *ctx)
{
	return emit_fault_oom();
}

/* The word of struct fault_regs that has the first argument of a function. */
#if defined(__TARGET_ARCH_x86)
#define REGS_ARGUMENT 14
#elif defined(__TARGET_ARCH_arm64)
#define REGS_ARGUMENT 0
#elif defined(__TARGET_ARCH_s390)
#define REGS_ARGUMENT 5
#elif defined(__TARGET_ARCH_riscv)
#define REGS_ARGUMENT 10
#endif

#ifdef REGS_ARGUMENT

SEC("kprobe")
int write_shared_kprobe(struct fault_regs *ctx)
{
	return emit_write_shared((const struct vm_fault *)ctx->words[REGS_ARGUMENT]);
}

SEC("kprobe")
int write_shared_copy_kprobe(struct fault_regs *ctx)
{
	return emit_write_shared_copy((const struct vm_fault *)ctx->words[REGS_ARGUMENT]);
}

#endif

SEC("kprobe")
int fault_oom_kprobe(void *ctx)
{
	return emit_fault_oom();
}

#endif
