// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Attaches the program of bpf/preemption.bpf.c for a moment, in which this thread frees memory. */
#include "config.h"

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "tracer/load/bpf_objects.h"
#include "tracer/load/preemption.h"

#define PIPES 16

/* The kernel frees the memory of a pipe with kfree(), mostly while this task may be preempted. */
static void free_in_kernel(void)
{
	int ends[2];

	for (int i = 0; i < PIPES; i++)
		if (!pipe(ends)) {
			close(ends[0]);
			close(ends[1]);
		}
}

static bool count_events(struct bpf_variant *variant, struct kmt_preemption *counts)
{
	struct bpf_program *program = bpf_variant_program(variant, "probe_preemption");
	struct bpf_link *link = bpf_program__attach(program);
	uint32_t first = 0;

	if (!link)
		return false;
	free_in_kernel();
	bpf_link__destroy(link);
	return !bpf_map_lookup_elem(bpf_variant_map_fd(variant, "counts"), &first, counts);
}

static enum preemption run_probe(bool *has_count)
{
	struct kmt_preemption counts = { 0 };
	uint32_t own = syscall(SYS_gettid);
	struct bpf_variant variant;
	bool counted = false;

	if (bpf_variant_open_preemption(&variant))
		return PREEMPTION_UNKNOWN;
	bpf_variant_set(&variant, "own_task", &own, sizeof(own));
	if (!bpf_object__load(variant.bpf))
		counted = count_events(&variant, &counts);
	bpf_variant_close(&variant);
	*has_count = counted && counts.events && !counts.unknown;
	if (counted && counts.preemptible)
		return PREEMPTION_POSSIBLE;
	return !counted || !counts.events || counts.unknown ? PREEMPTION_UNKNOWN : PREEMPTION_OFF;
}

enum preemption preemption_probe(const struct btf *btf, bool *has_count)
{
	enum preemption found;

	*has_count = false;
	found = run_probe(has_count);

	if (found != PREEMPTION_UNKNOWN)
		return found;
	return btf__find_by_name_kind(btf, "class_srcu_fast_notrace_t", BTF_KIND_TYPEDEF) > 0
		       ? PREEMPTION_POSSIBLE
		       : PREEMPTION_OFF;
}
