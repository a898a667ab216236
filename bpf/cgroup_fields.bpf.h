/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The same as bpf/cgroups.bpf.h on a kernel without BTF. A new task is in the cgroup of the task
 * that creates it; it is known in the hierarchy of version 2 only. A move does not say whether all
 * threads of the process move.
 */
#ifndef BPF_CGROUP_FIELDS_BPF_H
#define BPF_CGROUP_FIELDS_BPF_H

static __always_inline uint64_t cgroup_of_new_task(void)
{
	return reads_cgroups && !cgroup_hierarchy ? bpf_get_current_cgroup_id() : 0;
}

static __always_inline uint64_t current_cgroup(void)
{
	return cgroup_of_new_task();
}

static __always_inline int send_cgroup(void *entry, uint32_t kind)
{
	uint32_t offset = read_field(entry, KMT_FIELD_CGROUP_PATH) & 0xffff;

	if ((uint32_t)read_field(entry, KMT_FIELD_CGROUP_ROOT) == cgroup_hierarchy)
		send_path(kind, read_field(entry, KMT_FIELD_CGROUP_ID),
			  offset && kind != KMT_MESSAGE_CGROUP_GONE ? (const char *)entry + offset
								    : NULL);
	return DELIVER_TO_PERF;
}

static __always_inline int send_move(void *entry)
{
	struct kmt_message *message;

	if ((uint32_t)read_field(entry, KMT_FIELD_MOVE_ROOT) != cgroup_hierarchy)
		return DELIVER_TO_PERF;
	message = message_reserve(KMT_MESSAGE_CGROUP_TASK,
				  (uint32_t)read_field(entry, KMT_FIELD_MOVE_PID));
	if (!message)
		return DELIVER_TO_PERF;
	message->tgid = message->key;
	message->cgroup = read_field(entry, KMT_FIELD_MOVE_ID);
	message->size = true;
	bpf_ringbuf_submit(message, BPF_RB_NO_WAKEUP);
	return DELIVER_TO_PERF;
}

SEC("tp/cgroup/cgroup_attach_task")
int cgroup_attach_task(void *ctx)
{
	return send_move(ctx);
}

SEC("tp/cgroup/cgroup_transfer_tasks")
int cgroup_transfer_tasks(void *ctx)
{
	return send_move(ctx);
}

SEC("tp/cgroup/cgroup_mkdir")
int cgroup_mkdir(void *ctx)
{
	return send_cgroup(ctx, KMT_MESSAGE_CGROUP);
}

SEC("tp/cgroup/cgroup_rename")
int cgroup_rename(void *ctx)
{
	return send_cgroup(ctx, KMT_MESSAGE_CGROUP);
}

SEC("tp/cgroup/cgroup_rmdir")
int cgroup_rmdir(void *ctx)
{
	return send_cgroup(ctx, KMT_MESSAGE_CGROUP_GONE);
}

#endif
