// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Chooses, attaches and detaches the copies. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "tracer/load/copies.h"

_Static_assert((int)KMT_COPIED_KFREE == (int)ATTACH_KFREE &&
		       (int)KMT_COPIED_CACHE_FREE == (int)ATTACH_CACHE_FREE &&
		       (int)KMT_COPIED_KMALLOC == (int)ATTACH_KMALLOC &&
		       (int)KMT_COPIED_CACHE_ALLOC == (int)ATTACH_CACHE_ALLOC,
	       "the same order");

static bool find_programs(struct copies *copies, const struct bpf_variant *variant,
			  const struct attach_plan *plan)
{
	char name[64];

	for (unsigned int n = 0; n < KMT_COPIES; n++)
		for (unsigned int kind = 0; kind < KMT_COPIED_KINDS; kind++) {
			snprintf(name, sizeof(name), "%s_%u", plan->programs[kind], n + 1);
			copies->programs[n][kind] = bpf_variant_program(variant, name);
			if (!copies->programs[n][kind])
				return false;
		}
	return true;
}

void copies_choose(struct copies *copies, struct bpf_variant *variant,
		   const struct attach_plan *plan, const char *disabled_reason,
		   const char *no_front_reason)
{
	struct bpf_map *marks = bpf_variant_map(variant, ".bss.marks");
	const char *reason = disabled_reason;
	uint32_t count = 0;

	memset(copies, 0, sizeof(*copies));
	copies->variant = variant;
	if (plan->preemption == PREEMPTION_POSSIBLE) {
		if (!reason && !find_programs(copies, variant, plan))
			reason = "the programs for this kernel's tracepoints have no copies";
		if (!reason)
			count = KMT_COPIES;
		snprintf(copies->reason, sizeof(copies->reason), "%s", reason ? reason : "");
	}
	front_choose(&copies->front, variant, count ? no_front_reason : "there are no copies");
	copies->count = count;
	bpf_variant_set(variant, "last_copy", &count, sizeof(count));
	if (marks)
		bpf_map__set_autocreate(marks, count);
	for (unsigned int n = 0; n < count; n++)
		for (unsigned int kind = 0; kind < KMT_COPIED_KINDS; kind++)
			bpf_program__set_autoload(copies->programs[n][kind], true);
}

bool copies_have_front(const struct copies *copies)
{
	return copies->front.enabled && !copies->front.reason[0];
}

int copies_attach(struct copies *copies, enum tracepoint_id id)
{
	for (unsigned int n = 1; n < copies->count && (int)id < (int)KMT_COPIED_KINDS; n++) {
		copies->links[n][id] = bpf_program__attach(copies->programs[n][id]);
		if (!copies->links[n][id])
			return -errno;
	}
	return 0;
}

void copies_detach(struct copies *copies, enum tracepoint_id id)
{
	for (unsigned int n = copies->count; n-- > 1 && (int)id < (int)KMT_COPIED_KINDS;) {
		bpf_link__destroy(copies->links[n][id]);
		copies->links[n][id] = NULL;
	}
}

const char *copies_reason(const struct copies *copies)
{
	if (copies->reason[0])
		return copies->reason;
	for (unsigned int kind = 0; copies->count && kind < KMT_COPIED_KINDS; kind++)
		if (!copies->variant->totals->copy_matched[kind])
			return "an event of each kind must show that in-flight marks work, and a kind had none";
	return "";
}
