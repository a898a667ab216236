/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs on the probes of process memory: page faults and their results, mmap(), munmap(), brk()
 * and OOM kills. tracer/load/process_probes.c chooses the ones that this kernel can run.
 */
#ifndef BPF_PROCESS_BPF_H
#define BPF_PROCESS_BPF_H

/* The runs of the programs on software events, which the kernel counts too. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, KMT_RUN_COUNTERS);
	__type(key, uint32_t);
	__type(value, uint64_t);
} process_runs SEC(".maps");

static __always_inline void count_run(uint32_t counter)
{
	uint64_t *runs = bpf_map_lookup_elem(&process_runs, &counter);

	if (runs)
		*runs += 1; /* of this CPU; the kernel does not nest programs on perf events */
}

static __always_inline int emit_process(uint8_t id, uint64_t call_site, uint64_t address,
					uint64_t payload)
{
	struct event_context event;

	if (!find_context(&event))
		return 0;
	if (profile)
		name_task(event.ids);
	return emit(&event, id, call_site, address, 0, KMT_NODE_ANY, payload);
}

/* The same on a tracepoint in which the kernel may preempt the task: see copies.bpf.h. */
static __always_inline int emit_process_preemptible(uint8_t id, uint64_t call_site,
						    uint64_t address, uint64_t payload)
{
#ifdef KMT_WITH_COPIES
	int result;

	bpf_preempt_disable();
	result = emit_process(id, call_site, address, payload);
	bpf_preempt_enable();
	return result;
#else
	return emit_process(id, call_site, address, payload);
#endif
}

/* The registers of the code that faulted, and the context of a program on a perf event. */
#if defined(__TARGET_ARCH_x86)
#define HAS_REGS
struct fault_regs {
	uint64_t words[21];
};
#define REGS_IP(regs) ((regs)->words[16])
#define REGS_MODE(regs) ((regs)->words[17] & 3 ? KMT_MODE_USER : KMT_MODE_KERNEL)
#elif defined(__TARGET_ARCH_arm64)
#define HAS_REGS
struct fault_regs {
	uint64_t words[34];
};
#define REGS_IP(regs) ((regs)->words[32])
#define REGS_MODE(regs) ((regs)->words[33] & 15 ? KMT_MODE_KERNEL : KMT_MODE_USER)
#elif defined(__TARGET_ARCH_s390)
#define HAS_REGS
struct fault_regs {
	uint64_t words[19];
};
#define REGS_IP(regs) ((regs)->words[2])
#define REGS_MODE(regs) ((regs)->words[1] >> 48 & 1 ? KMT_MODE_USER : KMT_MODE_KERNEL)
#elif defined(__TARGET_ARCH_riscv)
#define HAS_REGS
struct fault_regs {
	uint64_t words[32];
};
#define REGS_IP(regs) ((regs)->words[0])
#define REGS_MODE(regs) ((regs)->words[0] >> 63 ? KMT_MODE_KERNEL : KMT_MODE_USER)
#elif defined(__TARGET_ARCH_arm)
#define HAS_REGS
struct fault_regs {
	uint32_t words[18];
};
#define REGS_IP(regs) ((regs)->words[15])
#define REGS_MODE(regs) (((regs)->words[16] & 31) == 16 ? KMT_MODE_USER : KMT_MODE_KERNEL)
#endif

#ifdef HAS_REGS

struct fault_event {
	struct fault_regs regs;
	uint64_t sample_period, address;
};

static __always_inline int emit_fault_event(struct fault_event *ctx, uint32_t counter, uint8_t id,
					    uint32_t low)
{
	uint64_t ip = REGS_IP(&ctx->regs);
	uint32_t mode = REGS_MODE(&ctx->regs);

	count_run(counter);
	return emit_process(id, ip, ctx->address, KMT_PAYLOAD(low, mode));
}

SEC("perf_event")
int page_fault_event(struct fault_event *ctx)
{
	return emit_fault_event(ctx, KMT_RUNS_FAULT, KMT_PAGE_FAULT, KMT_ACCESS_UNKNOWN);
}

SEC("perf_event")
int minor_fault_event(struct fault_event *ctx)
{
	return emit_fault_event(ctx, KMT_RUNS_MINOR, KMT_PAGE_FAULT_RETURN, KMT_FAULT_MINOR);
}

SEC("perf_event")
int major_fault_event(struct fault_event *ctx)
{
	return emit_fault_event(ctx, KMT_RUNS_MAJOR, KMT_PAGE_FAULT_RETURN, KMT_FAULT_MAJOR);
}

#endif

#if defined(__TARGET_ARCH_x86) || defined(__TARGET_ARCH_riscv)

#ifdef __TARGET_ARCH_x86
#define IS_WRITE(error_code) ((error_code) >> 1 & 1)
#else
#define IS_WRITE(error_code) ((error_code) == 15) /* the cause: a store */
#endif

/* (address, regs, error_code) */
static __always_inline int emit_exception(struct bpf_raw_tracepoint_args *ctx, uint32_t mode)
{
	const struct fault_regs *regs = (const struct fault_regs *)ctx->args[1];
	uint64_t ip = 0;

	bpf_probe_read_kernel(&ip, sizeof(ip), &REGS_IP(regs));
	return emit_process_preemptible(KMT_PAGE_FAULT, ip, ctx->args[0],
					KMT_PAYLOAD(IS_WRITE(ctx->args[2]), mode));
}

SEC("raw_tp/page_fault_user")
int page_fault_user(struct bpf_raw_tracepoint_args *ctx)
{
	return emit_exception(ctx, KMT_MODE_USER);
}

/* An access of the kernel to its own memory is not about a process. */
SEC("raw_tp/page_fault_kernel")
int page_fault_kernel(struct bpf_raw_tracepoint_args *ctx)
{
	return ctx->args[0] >> 63 ? 0 : emit_exception(ctx, KMT_MODE_KERNEL);
}

#endif

#define SIGNAL_BUS 7
#define CODE_ADDRESS 2	/* BUS_ADRERR */
#define CODE_HARDWARE 4 /* BUS_MCEERR_AR */

struct signal_info {
	int32_t signal, error, code;
#ifdef __TARGET_ARCH_arm
	uint32_t address;
#else
	uint32_t unused;
	uint64_t address;
#endif
};

/* (signal, info, task, group, result): the kernel sends a SIGBUS to the task that accessed. */
SEC("raw_tp/signal_generate")
int fault_sigbus(struct bpf_raw_tracepoint_args *ctx)
{
	const void *info = (const void *)ctx->args[1];
	struct signal_info copy = {};

	/* the lowest values of info are no addresses */
	if ((int32_t)ctx->args[0] != SIGNAL_BUS || ctx->args[1] <= 2 ||
	    ctx->args[2] != bpf_get_current_task() ||
	    bpf_probe_read_kernel(&copy, sizeof(copy), info) ||
	    (copy.code != CODE_ADDRESS && copy.code != CODE_HARDWARE))
		return 0;
	return emit_process_preemptible(KMT_PAGE_FAULT_RETURN, 0, copy.address,
					KMT_PAYLOAD(KMT_FAULT_SIGBUS, KMT_MODE_UNKNOWN));
}

/* The entry of a system call's tracepoint: its arguments have the size of a word. */
struct system_call {
#ifdef __TARGET_ARCH_arm
	uint32_t common[2], number, args[6];
#else
	uint64_t common, number, args[6];
#endif
};

SEC("tp/syscalls/sys_enter_mmap")
int mmap_entry(struct system_call *ctx)
{
	return emit_process(KMT_MMAP, 0, ctx->args[0], ctx->args[1]);
}

/* s390x: the arguments are in the memory of the process */
SEC("tp/syscalls/sys_enter_old_mmap")
int old_mmap_entry(struct system_call *ctx)
{
	uint64_t args[2] = {};

	bpf_probe_read_user(args, sizeof(args), (const void *)(unsigned long)ctx->args[0]);
	return emit_process(KMT_MMAP, 0, args[0], args[1]);
}

SEC("tp/syscalls/sys_enter_munmap")
int munmap_entry(struct system_call *ctx)
{
	return emit_process(KMT_MUNMAP, 0, ctx->args[0], ctx->args[1]);
}

static __always_inline uint64_t heap_growth(uint64_t requested)
{
#ifdef KMT_WITHOUT_BTF
	return requested ? KMT_LENGTH_UNKNOWN : 0;
#else
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();

	return requested ? requested - BPF_CORE_READ(task, mm, brk) : 0;
#endif
}

SEC("tp/syscalls/sys_enter_brk")
int brk_entry(struct system_call *ctx)
{
	return emit_process(KMT_BRK, 0, ctx->args[0], heap_growth(ctx->args[0]));
}

/*
 * The same from the raw tracepoint that all system calls have, for users who may not read tracefs:
 * each call of any task runs the program. The numbers are those of tasks of 64 bits; others have
 * other numbers.
 */
#if defined(__TARGET_ARCH_x86)
#define CALL_MMAP 9
#define CALL_MUNMAP 11
#define CALL_BRK 12
#define REGS_FIRST 14
#define REGS_SECOND 13
#define IS_64_BIT(regs) ((regs)->words[17] == 0x33) /* the code segment */
#elif defined(__TARGET_ARCH_arm64)
#define CALL_MMAP 222
#define CALL_MUNMAP 215
#define CALL_BRK 214
#define REGS_FIRST 0
#define REGS_SECOND 1
#define IS_64_BIT(regs) (!((regs)->words[33] & 16))
#endif

#ifdef CALL_MMAP

/* (regs, number). False: the call is another. */
static __always_inline bool read_call(struct bpf_raw_tracepoint_args *ctx, uint64_t number,
				      uint64_t args[2])
{
	struct fault_regs regs;

	if (ctx->args[1] != number ||
	    bpf_probe_read_kernel(&regs, sizeof(regs), (const void *)ctx->args[0]) ||
	    !IS_64_BIT(&regs))
		return false;
	args[0] = regs.words[REGS_FIRST];
	args[1] = regs.words[REGS_SECOND];
	return true;
}

SEC("raw_tp/sys_enter")
int mmap_call(struct bpf_raw_tracepoint_args *ctx)
{
	uint64_t args[2];

	if (!read_call(ctx, CALL_MMAP, args))
		return 0;
	return emit_process_preemptible(KMT_MMAP, 0, args[0], args[1]);
}

SEC("raw_tp/sys_enter")
int munmap_call(struct bpf_raw_tracepoint_args *ctx)
{
	uint64_t args[2];

	if (!read_call(ctx, CALL_MUNMAP, args))
		return 0;
	return emit_process_preemptible(KMT_MUNMAP, 0, args[0], args[1]);
}

SEC("raw_tp/sys_enter")
int brk_call(struct bpf_raw_tracepoint_args *ctx)
{
	uint64_t args[2];

	if (!read_call(ctx, CALL_BRK, args))
		return 0;
	return emit_process_preemptible(KMT_BRK, 0, args[0], heap_growth(args[0]));
}

#endif

SEC("tp/oom/mark_victim")
int oom_kill_entry(void *ctx)
{
	uint32_t victim = 0;

	bpf_probe_read_kernel(&victim, sizeof(victim), ctx + victim_offset);
	return emit_process(KMT_OOM_KILL, 0, 0, victim);
}

#endif
