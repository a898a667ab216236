// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Chooses, attaches and detaches the front programs, and makes the events that they learn from. */
#include "config.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "tracer/load/copies.h"
#include "tracer/load/formats.h"
#include "tracer/load/machine.h"
#include "tracer/load/probe.h"

#define LEARN_ROUNDS 200
/* bytes; an interrupt saves more registers than this on the stack that it interrupts */
#define DISTANCES_DIFFER_MOST 128

static const struct {
	const char *program, *function;
} kinds[KMT_COPIED_KINDS] = {
	[KMT_COPIED_KFREE] = { "front_kfree", "__traceiter_kfree" },
	[KMT_COPIED_CACHE_FREE] = { "front_kmem_cache_free", "__traceiter_kmem_cache_free" },
	[KMT_COPIED_KMALLOC] = { "front_kmalloc", "__traceiter_kmalloc" },
	[KMT_COPIED_CACHE_ALLOC] = { "front_kmem_cache_alloc", "__traceiter_kmem_cache_alloc" },
};

/* The reason why there are no front programs, or NULL. */
static const char *find_programs(struct front *front)
{
	for (unsigned int kind = 0; kind < KMT_COPIED_KINDS; kind++) {
		front->programs[kind] = bpf_variant_program(front->variant, kinds[kind].program);
		if (!front->programs[kind])
			return "kmemtraced has none for this architecture, or for a kernel that does not show its preempt count to programs";
		if (!probe_function(kinds[kind].function))
			return "this kernel attaches no kprobe.multi program to the functions __traceiter_* (CONFIG_FPROBE)";
	}
	return NULL;
}

void front_choose(struct front *front, struct bpf_variant *variant, const char *disabled_reason)
{
	const char *reason = disabled_reason;

	memset(front, 0, sizeof(*front));
	front->variant = variant;
	if (!reason)
		reason = find_programs(front);
	front->enabled = !reason;
	snprintf(front->reason, sizeof(front->reason), "%s", reason ? reason : "");
	bpf_variant_set(variant, "front_enabled", &front->enabled, sizeof(front->enabled));
	for (unsigned int kind = 0; kind < KMT_COPIED_KINDS && front->enabled; kind++)
		bpf_program__set_autoload(front->programs[kind], true);
}

/*
 * Has each front program learned its distance? And do these differ so little that no nested event
 * looks like one that is over?
 */
static bool have_learned(const struct kmt_front fronts[KMT_COPIED_KINDS])
{
	uint64_t least = UINT64_MAX, most = 0;

	for (unsigned int kind = 0; kind < KMT_COPIED_KINDS; kind++) {
		uint64_t distance = __atomic_load_n(&fronts[kind].distance, __ATOMIC_RELAXED);

		if (!distance)
			return false;
		least = distance < least ? distance : least;
		most = distance > most ? distance : most;
	}
	return most - least <= DISTANCES_DIFFER_MOST;
}

/* Makes events of all four tracepoints. */
static void make_events(void)
{
	struct stat root;
	int ends[2];

	if (!pipe(ends)) {
		close(ends[0]);
		close(ends[1]);
	}
	/* the kernel allocates and frees memory for a path */
	if (stat("/", &root))
		return;
}

static bool learn_fronts(struct kmt_front fronts[KMT_COPIED_KINDS])
{
	for (int round = 0; round < LEARN_ROUNDS && !have_learned(fronts); round++)
		make_events();
	return have_learned(fronts);
}

static int attach_front(struct front *front, unsigned int kind)
{
	LIBBPF_OPTS(bpf_kprobe_multi_opts, options);
	const char *function = kinds[kind].function;

	options.syms = &function;
	options.cnt = 1;
	front->links[kind] =
		bpf_program__attach_kprobe_multi_opts(front->programs[kind], NULL, &options);
	return front->links[kind] ? 0 : -errno;
}

static void set_learner(struct front *front, uint32_t tid)
{
	for (unsigned int kind = 0; kind < KMT_COPIED_KINDS; kind++)
		__atomic_store_n(&front->variant->totals->fronts[kind].learner, tid,
				 __ATOMIC_SEQ_CST);
}

void front_attach(struct front *front)
{
	int err = 0;

	if (!front->enabled)
		return;
	set_learner(front, (uint32_t)syscall(SYS_gettid));
	for (unsigned int kind = 0; kind < KMT_COPIED_KINDS && !err; kind++)
		err = attach_front(front, kind);
	if (err)
		snprintf(front->reason, sizeof(front->reason), "cannot attach: %s", strerror(-err));
	else if (!learn_fronts(front->variant->totals->fronts))
		snprintf(
			front->reason, sizeof(front->reason),
			"they did not learn where on the stack the arguments of the tracepoints will be");
	if (front->reason[0])
		front_detach(front);
}

/*
 * Waits until all tasks have left the tracepoints that they are in, preempted tasks too: the kernel
 * does so when the last perf event of a tracepoint, of any, is closed.
 */
static void wait_for_tracepoints(void)
{
	struct perf_event_attr attributes = { .type = PERF_TYPE_TRACEPOINT,
					      .size = sizeof(attributes) };
	int tracefs = formats_open(), event = -1;
	long id = tracefs < 0 ? -1 : formats_id(tracefs, "task/task_rename");

	if (id >= 0) {
		attributes.config = (uint64_t)id;
		event = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1,
				     PERF_FLAG_FD_CLOEXEC);
	}
	if (event >= 0)
		close(event);
	if (tracefs >= 0)
		close(tracefs);
	machine_grace_period();
}

void front_detach(struct front *front)
{
	if (!front->enabled || !front->variant->totals)
		return;
	/* from now on front programs record nothing, and copy 1 relies on none of them */
	set_learner(front, UINT32_MAX); /* of no task */
	for (unsigned int kind = 0; kind < KMT_COPIED_KINDS; kind++)
		__atomic_store_n(&front->variant->totals->fronts[kind].distance, 0,
				 __ATOMIC_SEQ_CST);
	for (unsigned int kind = 0; kind < KMT_COPIED_KINDS; kind++) {
		bpf_link__destroy(front->links[kind]);
		front->links[kind] = NULL;
	}
	wait_for_tracepoints();
}
