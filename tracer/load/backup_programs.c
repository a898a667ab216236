// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Chooses and attaches the backup programs, and switches them on and off. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "tracer/load/machine.h"
#include "tracer/load/backup_programs.h"

static void list_programs(const struct backup_programs *backup,
			  struct bpf_program *list[KMT_BACKUP_KINDS])
{
	list[KMT_BACKED_UP_KFREE] = bpf_variant_program(backup->variant, "kfree_backup");
	list[KMT_BACKED_UP_CACHE_FREE] =
		bpf_variant_program(backup->variant, "kmem_cache_free_backup");
}

static bool has_member(const struct btf *btf, const char *name, const char *member)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);
	const struct btf_type *type;

	if (id < 0)
		return false;
	type = btf__type_by_id(btf, id);
	for (unsigned int i = 0; i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(type)[i].name_off), member))
			return true;
	return false;
}

/*
 * The member came with 5.12, for the programs of trampolines; raw tracepoints use it since 6.1. On
 * the kernels between, this returns true although no run of a raw tracepoint program is skipped:
 * the count of recursion misses stays 0.
 */
bool backup_programs_has_recursion_guard(const struct btf *btf)
{
	return has_member(btf, "bpf_prog", "active");
}

void backup_programs_choose(struct backup_programs *backup, struct bpf_variant *variant,
			    const struct btf *btf, bool frees_have_cache,
			    const char *disabled_reason)
{
	struct bpf_program *programs[KMT_BACKUP_KINDS];
	const char *reason = disabled_reason;
	bool backup_enabled;

	memset(backup, 0, sizeof(*backup));
	backup->variant = variant;
	if (!reason && !frees_have_cache)
		reason =
			"no backup program can read the arguments of this kernel's kmem_cache_free";
	/*
	 * Without BTF the guard is unknown, and the backup programs are attached: on a kernel
	 * without a guard, each finds its mark and records nothing.
	 */
	if (!reason && btf && !backup_programs_has_recursion_guard(btf))
		reason = "this kernel skips no nested programs";
	/*
	 * A task that is preempted between the two programs may continue on another CPU. On a
	 * kernel that does so, disabled_reason is set; without BTF this is not known.
	 */
	if (!reason && machine_is_realtime())
		reason = "on a real-time kernel a task may move to another CPU inside a tracepoint";
	snprintf(backup->reason, sizeof(backup->reason), "%s", reason ? reason : "");
	backup_enabled = !reason;
	bpf_variant_set(variant, "backup_enabled", &backup_enabled, sizeof(backup_enabled));
	list_programs(backup, programs);
	for (size_t i = 0; i < KMT_BACKUP_KINDS; i++)
		bpf_program__set_autoload(programs[i], !reason);
}

/* After the next grace period, the programs on all CPUs see the new state. */
static void set_state(struct backup_programs *backup, unsigned int kind,
		      enum kmt_backup_state state)
{
	__atomic_store_n(&backup->variant->totals->backup_state[kind], state, __ATOMIC_SEQ_CST);
}

void backup_programs_attach(struct backup_programs *backup)
{
	struct bpf_program *programs[KMT_BACKUP_KINDS];

	if (backup->reason[0])
		return;
	list_programs(backup, programs);
	for (unsigned int i = 0; i < KMT_BACKUP_KINDS; i++) {
		backup->links[i] = bpf_program__attach(programs[i]);
		if (!backup->links[i]) {
			snprintf(backup->reason, sizeof(backup->reason), "cannot attach: %s",
				 strerror(errno));
			backup_programs_detach(backup);
			return;
		}
	}
	/*
	 * First programs may mark events only while backup programs clear the marks. An event that
	 * began before marking has no mark, and must have ended before the state
	 * becomes KMT_MARKING_COMPLETE.
	 */
	for (unsigned int i = 0; i < KMT_BACKUP_KINDS; i++)
		set_state(backup, i, KMT_MARKING_BEGUN);
	if (!machine_grace_period()) {
		snprintf(
			backup->reason, sizeof(backup->reason),
			"with nohz_full, kmemtraced cannot wait until running programs have ended");
		backup_programs_detach(backup);
		return;
	}
	backup_programs_poll(backup);
}

void backup_programs_poll(struct backup_programs *backup)
{
	const struct kmt_totals *totals;

	for (unsigned int i = 0; i < KMT_BACKUP_KINDS && backup->links[i]; i++) {
		totals = backup->variant->totals;
		if (totals->backup_state[i] == KMT_MARKING_BEGUN &&
		    __atomic_load_n(&totals->matched[i], __ATOMIC_RELAXED))
			set_state(backup, i, KMT_MARKING_COMPLETE);
	}
}

void backup_programs_detach(struct backup_programs *backup)
{
	/* off first: without backup programs the list of marks would fill up */
	for (unsigned int i = 0; i < KMT_BACKUP_KINDS; i++) {
		if (backup->variant && backup->variant->totals)
			set_state(backup, i, KMT_MARKING_OFF);
		bpf_link__destroy(backup->links[i]);
		backup->links[i] = NULL;
	}
}

const char *backup_programs_reason(const struct backup_programs *backup)
{
	const struct kmt_totals *totals = backup->variant->totals;

	if (backup->reason[0])
		return backup->reason;
	for (unsigned int i = 0; i < KMT_BACKUP_KINDS; i++)
		if (!totals->matched[i])
			return i == KMT_BACKED_UP_KFREE
				       ? "no kfree event showed that in-flight marks work"
				       : "no kmem_cache_free event showed that in-flight marks work";
	return "";
}
