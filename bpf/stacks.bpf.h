/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stack of the current event. A record names it by an id, a hash of its frames, and kmemtraced
 * gets the frames of each id once, through a ring of their own.
 */
#ifndef BPF_STACKS_BPF_H
#define BPF_STACKS_BPF_H

/* The programs that may walk a stack at once on a CPU, since they interrupt one another. */
#define STACK_BUFFERS 4

struct stack_buffers {
	uint64_t taken[STACK_BUFFERS];
	struct kmt_stack_message list[STACK_BUFFERS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct stack_buffers);
} stack_buffers SEC(".maps");

/* The ids whose frames kmemtraced got. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 17);
	__type(key, uint64_t);
	__type(value, uint8_t);
} stack_ids SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
} stack_frames SEC(".maps");

/* Takes a buffer, which nothing else uses until its mark in taken is 0 again. */
static __always_inline bool take_buffer(volatile uint64_t *taken)
{
	if (*taken)
		return false;
#ifdef KMT_WITHOUT_FETCH
	/* an interrupt that takes it between these two lines gives it back before it ends, and no
	 * task is preempted in a program */
	*taken = 1;
	return true;
#else
	return !__sync_lock_test_and_set(taken, 1);
#endif
}

/*
 * Differs between the programs that a process executes, and between processes of one id: equal
 * addresses may be other functions.
 */
static __always_inline uint64_t hash_program(uint32_t tgid)
{
#ifdef KMT_WITHOUT_BTF
	return tgid;
#else
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();

	return tgid ^ BPF_CORE_READ(task, self_exec_id) << 32 ^
	       BPF_CORE_READ(task, group_leader, start_time) * 0x9e3779b97f4a7c15ULL;
#endif
}

/*
 * Not 0. A process chooses the frames of its own stack: without the seed, it could give it the id
 * of another stack, whose frames would then be taken for its own.
 */
static __always_inline uint64_t hash_frames(const struct kmt_stack_message *message)
{
	uint64_t hash = stack_seed ^ (message->tgid ? hash_program(message->tgid) : 0);
	uint64_t count = message->count;

	for (uint32_t i = 0; i < KMT_FRAMES_MAX; i++) {
		if (i >= count)
			break;
		hash = (hash ^ message->frames[i]) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 32;
	}
	return hash | !hash;
}

/* Sends the frames, unless they were sent. False: there is no room for them. */
static __always_inline bool send_frames(struct kmt_stack_message *message)
{
	uint64_t size = __builtin_offsetof(struct kmt_stack_message, frames) +
			(message->count & KMT_FRAMES_MAX) * sizeof(uint64_t);
	uint8_t yes = 1;

	if (bpf_map_lookup_elem(&stack_ids, &message->id))
		return true;
	message->time = bpf_ktime_get_ns();
	if (bpf_ringbuf_output(&stack_frames, message, size, BPF_RB_NO_WAKEUP))
		return false;
	/* if it finds no room, the frames are sent again, and kmemtraced skips them */
	bpf_map_update_elem(&stack_ids, &message->id, &yes, 0);
	return true;
}

static __always_inline uint64_t walk_stack(void *ctx, struct kmt_control *control,
					   struct kmt_stack_message *message, uint32_t tgid)
{
	long size = bpf_get_stack(ctx, message->frames, KMT_FRAMES_MAX * sizeof(uint64_t),
				  tgid ? BPF_F_USER_STACK : 0);

	if (size <= 0) {
		/* a thread of the kernel has an empty user stack */
		if (!tgid)
			__sync_fetch_and_add(&control->unwalked, 1);
		else if (size)
			__sync_fetch_and_add(&control->user_unwalked, 1);
		return 0;
	}
	message->tgid = tgid;
	message->count = size / sizeof(uint64_t);
	message->id = hash_frames(message);
	if (!send_frames(message)) {
		__sync_fetch_and_add(&control->no_room, 1);
		return 0;
	}
	return message->id;
}

/*
 * The id of the user stack of the current process tgid, or, with tgid 0, of the kernel stack. 0: it
 * could not be walked, or there is no room for it.
 */
static __always_inline uint64_t find_stack(void *ctx, struct kmt_control *control, uint32_t tgid)
{
	uint32_t first = 0;
	struct stack_buffers *buffers = bpf_map_lookup_elem(&stack_buffers, &first);
	uint64_t id;

	for (uint32_t i = 0; buffers && i < STACK_BUFFERS; i++) {
		if (!take_buffer(&buffers->taken[i]))
			continue;
		id = walk_stack(ctx, control, &buffers->list[i], tgid);
		*(volatile uint64_t *)&buffers->taken[i] = 0;
		return id;
	}
	__sync_fetch_and_add(&control->no_room, 1);
	return 0;
}

#endif
