/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends the cgroup of a new task, and each change of a cgroup or of its tasks, on a kernel with
 * BTF: of one hierarchy, which kmemtraced has chosen.
 */
#ifndef BPF_CGROUPS_BPF_H
#define BPF_CGROUPS_BPF_H

/* 0: it has none, or it is not known. */
static __always_inline uint64_t cgroup_of_new_task(struct task_struct *task)
{
	uint64_t css = 0, at;
	struct css_set *set;

	if (!reads_cgroups || !bpf_core_field_exists(task->cgroups))
		return 0;
	set = BPF_CORE_READ(task, cgroups);
	if (!cgroup_hierarchy)
		return BPF_CORE_READ(set, dfl_cgrp, kn, id);
	if (!bpf_core_enum_value_exists(enum cgroup_subsys_id, memory_cgrp_id))
		return 0;
	at = (unsigned long)set + bpf_core_field_offset(struct css_set, subsys) +
	     bpf_core_enum_value(enum cgroup_subsys_id, memory_cgrp_id) * sizeof(void *);
	bpf_probe_read_kernel(&css, sizeof(css), (const void *)(unsigned long)at);
	return BPF_CORE_READ((struct cgroup_subsys_state *)(unsigned long)css, cgroup, kn, id);
}

static __always_inline uint64_t current_cgroup(void)
{
	return cgroup_of_new_task((struct task_struct *)bpf_get_current_task());
}

static __always_inline bool is_in_hierarchy(struct cgroup *cgroup)
{
	return (uint32_t)BPF_CORE_READ(cgroup, root, hierarchy_id) == cgroup_hierarchy;
}

static __always_inline int send_cgroup(struct cgroup *cgroup, uint32_t kind, const char *path)
{
	if (is_in_hierarchy(cgroup))
		send_path(kind, BPF_CORE_READ(cgroup, kn, id), path);
	return 0;
}

static __always_inline int send_move(struct bpf_raw_tracepoint_args *ctx)
{
	struct cgroup *cgroup = (struct cgroup *)ctx->args[0];
	struct task_struct *task = (struct task_struct *)ctx->args[2];
	struct kmt_message *message;

	if (!is_in_hierarchy(cgroup))
		return 0;
	message = message_reserve(KMT_MESSAGE_CGROUP_TASK, (uint32_t)BPF_CORE_READ(task, pid));
	if (!message)
		return 0;
	message->tgid = BPF_CORE_READ(task, tgid);
	message->cgroup = BPF_CORE_READ(cgroup, kn, id);
	message->size = (bool)ctx->args[3];
	bpf_ringbuf_submit(message, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("raw_tp/cgroup_attach_task")
int cgroup_attach_task(struct bpf_raw_tracepoint_args *ctx)
{
	return send_move(ctx);
}

SEC("raw_tp/cgroup_transfer_tasks")
int cgroup_transfer_tasks(struct bpf_raw_tracepoint_args *ctx)
{
	return send_move(ctx);
}

SEC("raw_tp/cgroup_mkdir")
int cgroup_mkdir(struct bpf_raw_tracepoint_args *ctx)
{
	return send_cgroup((struct cgroup *)ctx->args[0], KMT_MESSAGE_CGROUP,
			   (const char *)ctx->args[1]);
}

SEC("raw_tp/cgroup_rename")
int cgroup_rename(struct bpf_raw_tracepoint_args *ctx)
{
	return send_cgroup((struct cgroup *)ctx->args[0], KMT_MESSAGE_CGROUP,
			   (const char *)ctx->args[1]);
}

SEC("raw_tp/cgroup_rmdir")
int cgroup_rmdir(struct bpf_raw_tracepoint_args *ctx)
{
	return send_cgroup((struct cgroup *)ctx->args[0], KMT_MESSAGE_CGROUP_GONE, NULL);
}

#endif
