// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Chooses, attaches and switches the second programs on frees. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "tracer/machine.h"
#include "tracer/rescue.h"

static void list_programs(const struct rescue *rescue, struct bpf_program *list[KMT_RESCUE_KINDS])
{
	list[KMT_RESCUE_KFREE] = object_program(rescue->object, "kfree_rescue");
	list[KMT_RESCUE_CACHE_FREE] = object_program(rescue->object, "kmem_cache_free_rescue");
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

bool rescue_is_guarded(const struct btf *btf)
{
	return has_member(btf, "bpf_prog", "active");
}

void rescue_choose(struct rescue *rescue, struct object *object, const struct btf *btf,
		   bool frees_tell_caches, const char *unwanted)
{
	struct bpf_program *programs[KMT_RESCUE_KINDS];
	const char *why = unwanted;
	bool may_rescue;

	memset(rescue, 0, sizeof(*rescue));
	rescue->object = object;
	/* where nobody tells, they are tried: without a guard each finds its mark, and tells
	 * nothing */
	if (!why && !frees_tell_caches)
		why = "this kernel's kmem_cache_free is of a form that no second program reads";
	if (!why && btf && !rescue_is_guarded(btf))
		why = "this kernel has no guard against nested programs: it skips none";
	/* its tracepoints may be preempted between the two programs, and go on on another CPU */
	if (!why && machine_is_realtime())
		why = "on a real-time kernel a tracepoint may change its CPU";
	snprintf(rescue->why, sizeof(rescue->why), "%s", why ? why : "");
	may_rescue = !why;
	object_set(object, "may_rescue", &may_rescue, sizeof(may_rescue));
	list_programs(rescue, programs);
	for (size_t i = 0; i < KMT_RESCUE_KINDS; i++)
		bpf_program__set_autoload(programs[i], !why);
}

/* A store that the programs see, on all CPUs, before anything that follows a grace period. */
static void set_state(struct rescue *rescue, unsigned int kind, enum kmt_rescue_state state)
{
	__atomic_store_n(&rescue->object->totals->rescue[kind], state, __ATOMIC_SEQ_CST);
}

void rescue_attach(struct rescue *rescue)
{
	struct bpf_program *programs[KMT_RESCUE_KINDS];

	if (rescue->why[0])
		return;
	list_programs(rescue, programs);
	for (unsigned int i = 0; i < KMT_RESCUE_KINDS; i++) {
		rescue->links[i] = bpf_program__attach(programs[i]);
		if (!rescue->links[i]) {
			snprintf(rescue->why, sizeof(rescue->why), "cannot attach: %s",
				 strerror(errno));
			rescue_detach(rescue);
			return;
		}
	}
	/*
	 * Marks are left only while somebody wipes them. An event that began before has none, and
	 * must have ended before one without a mark is told.
	 */
	for (unsigned int i = 0; i < KMT_RESCUE_KINDS; i++)
		set_state(rescue, i, KMT_RESCUE_MARKING);
	if (!machine_grace_period()) {
		snprintf(rescue->why, sizeof(rescue->why),
			 "this kernel cannot tell when programs have ended (nohz_full)");
		rescue_detach(rescue);
		return;
	}
	rescue_tend(rescue);
}

void rescue_tend(struct rescue *rescue)
{
	const struct kmt_totals *totals;

	for (unsigned int i = 0; i < KMT_RESCUE_KINDS && rescue->links[i]; i++) {
		totals = rescue->object->totals;
		if (totals->rescue[i] == KMT_RESCUE_MARKING &&
		    __atomic_load_n(&totals->matched[i], __ATOMIC_RELAXED))
			set_state(rescue, i, KMT_RESCUE_ON);
	}
}

void rescue_detach(struct rescue *rescue)
{
	/* off first: without second programs the marks would fill up */
	for (unsigned int i = 0; i < KMT_RESCUE_KINDS; i++) {
		if (rescue->object && rescue->object->totals)
			set_state(rescue, i, KMT_RESCUE_OFF);
		bpf_link__destroy(rescue->links[i]);
		rescue->links[i] = NULL;
	}
}

const char *rescue_why(const struct rescue *rescue)
{
	const struct kmt_totals *totals = rescue->object->totals;

	if (rescue->why[0])
		return rescue->why;
	for (unsigned int i = 0; i < KMT_RESCUE_KINDS; i++)
		if (!totals->matched[i])
			return i == KMT_RESCUE_KFREE
				       ? "no kfree came by that showed that marks are found"
				       : "no kmem_cache_free came by that showed that marks are "
					 "found";
	return "";
}
