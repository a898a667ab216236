// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A table of the auxiliary programs, and when each of them is attached. */
#include "config.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>

#include "tracer/load/aux_programs.h"
#include "tracer/load/formats.h"

#define BEFORE_EVENTS ATTACH_TRACEPOINTS
#define IDLE_TICKS 10

/* name: in bpf/. after: the tracepoint. type, kind: what BTF has if the kernel can run it. */
static const struct {
	const char *name;
	enum tracepoint_id after;
	const char *type;
	uint32_t kind;
} table[] = {
	{ "task_newtask", BEFORE_EVENTS, NULL, 0 },
	{ "task_rename", BEFORE_EVENTS, NULL, 0 },
	{ "module_load", BEFORE_EVENTS, "btf_trace_module_load", BTF_KIND_TYPEDEF },
	{ "module_free", BEFORE_EVENTS, "btf_trace_module_free", BTF_KIND_TYPEDEF },
	{ "cgroup_attach_task", BEFORE_EVENTS, "btf_trace_cgroup_attach_task", BTF_KIND_TYPEDEF },
	{ "cgroup_transfer_tasks", BEFORE_EVENTS, "btf_trace_cgroup_transfer_tasks",
	  BTF_KIND_TYPEDEF },
	{ "cgroup_mkdir", BEFORE_EVENTS, "btf_trace_cgroup_mkdir", BTF_KIND_TYPEDEF },
	{ "cgroup_rename", BEFORE_EVENTS, "btf_trace_cgroup_rename", BTF_KIND_TYPEDEF },
	{ "cgroup_rmdir", BEFORE_EVENTS, "btf_trace_cgroup_rmdir", BTF_KIND_TYPEDEF },
	{ "softirq_entry", BEFORE_EVENTS, NULL, 0 },
	{ "softirq_exit", BEFORE_EVENTS, NULL, 0 },
	{ "misses", BEFORE_EVENTS, "bpf_iter__bpf_prog", BTF_KIND_STRUCT },
	/* for kernels without BTF: they read the trace event entries */
	{ "kmem_cache_alloc_fields", ATTACH_CACHE_ALLOC, NULL, 0 },
	{ "kmem_cache_free_fields", ATTACH_CACHE_FREE, NULL, 0 },
};

/* Their indexes. */
#define NEWTASK 0
#define SOFTIRQ_ENTRY 9
#define SOFTIRQ_EXIT 10
_Static_assert(sizeof(table) / sizeof(table[0]) == AUX_PROGRAMS, "each program has a link");

void aux_programs_choose(struct aux_programs *aux, struct bpf_variant *variant,
			 const struct attach_plan *plan, bool reads_misses, bool reads_cgroups,
			 unsigned int any_cpu)
{
	const struct btf *btf = plan->btf;
	struct bpf_program *program;

	memset(aux, 0, sizeof(*aux));
	aux->variant = variant;
	aux->any_cpu = any_cpu;
	for (size_t i = 0; i < AUX_PROGRAMS; i++) {
		program = bpf_variant_program(variant, table[i].name);
		if (!program || (!reads_misses && !strcmp(table[i].name, "misses")))
			continue;
		if (!reads_cgroups && !strncmp(table[i].name, "cgroup_", strlen("cgroup_")))
			continue;
		if (plan->context_source != KMT_CONTEXT_FROM_SOFTIRQS &&
		    !strncmp(table[i].name, "softirq_", strlen("softirq_")))
			continue;
		if (!btf || !table[i].type ||
		    btf__find_by_name_kind(btf, table[i].type, table[i].kind) > 0)
			bpf_program__set_autoload(program, true);
	}
}

/*
 * The id of the trace event entry that a program gets (section "tp/…"), or -errno. It is read
 * once: tracefs cannot be mounted any more once the privileges are given up.
 */
static long event_id(struct aux_programs *aux, size_t i, const struct bpf_program *program)
{
	int tracefs;

	if (aux->events[i])
		return aux->events[i];
	tracefs = formats_open();
	if (tracefs < 0)
		return tracefs;
	aux->events[i] = formats_id(tracefs, strchr(bpf_program__section_name(program), '/') + 1);
	close(tracefs);
	return aux->events[i];
}

/* libbpf could do it only if tracefs were mounted. */
static struct bpf_link *attach_to_entry(struct aux_programs *aux, size_t i,
					struct bpf_program *program)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.size = sizeof(attr),
					.sample_period = 1,
					.wakeup_events = 1 };
	long id = event_id(aux, i, program);
	struct bpf_link *link;
	int event;

	if (id < 0)
		return NULL;
	attr.config = (uint64_t)id;
	/* the perf event is of one CPU, but its program runs on all of them */
	event = (int)syscall(SYS_perf_event_open, &attr, -1, aux->any_cpu, -1,
			     PERF_FLAG_FD_CLOEXEC);
	if (event < 0)
		return NULL;
	link = bpf_program__attach_perf_event(program, event);
	if (!link)
		close(event);
	return link;
}

/* A failure is not an error: the names are then missing. */
static void attach_aux_program(struct aux_programs *aux, size_t i)
{
	struct bpf_program *program = bpf_variant_program(aux->variant, table[i].name);

	if (!program || !bpf_program__autoload(program))
		return;
	aux->links[i] = bpf_program__type(program) == BPF_PROG_TYPE_TRACEPOINT
				? attach_to_entry(aux, i, program)
				: bpf_program__attach(program);
	if (!strcmp(table[i].name, "misses"))
		aux->misses = aux->links[i];
}

static void detach_aux_program(struct aux_programs *aux, size_t i)
{
	bpf_link__destroy(aux->links[i]);
	aux->links[i] = NULL;
}

void aux_programs_attach(struct aux_programs *aux, enum tracepoint_id after)
{
	for (size_t i = 0; i < AUX_PROGRAMS; i++)
		if (table[i].after == after)
			attach_aux_program(aux, i);
}

bool aux_programs_see_softirqs(const struct aux_programs *aux)
{
	return aux->links[SOFTIRQ_ENTRY] && aux->links[SOFTIRQ_EXIT];
}

bool aux_programs_see_new_tasks(const struct aux_programs *aux)
{
	return aux->links[NEWTASK];
}

void aux_programs_poll(struct aux_programs *aux)
{
	uint64_t *requested = &aux->variant->totals->names_requested;
	bool is_requested = __atomic_exchange_n(requested, 0, __ATOMIC_RELAXED);

	/* each of these programs slows down every event of its tracepoint */
	aux->idle_ticks = is_requested ? 0 : aux->idle_ticks + 1;
	for (size_t i = 0; i < AUX_PROGRAMS; i++) {
		if (table[i].after == BEFORE_EVENTS)
			continue;
		if (is_requested && !aux->links[i])
			attach_aux_program(aux, i);
		else if (aux->idle_ticks >= IDLE_TICKS && aux->links[i])
			detach_aux_program(aux, i);
	}
}

void aux_programs_detach(struct aux_programs *aux)
{
	for (size_t i = 0; i < AUX_PROGRAMS; i++)
		if (aux->links[i] != aux->misses)
			detach_aux_program(aux, i);
}

void aux_programs_close(struct aux_programs *aux)
{
	aux_programs_detach(aux);
	bpf_link__destroy(aux->misses);
	*aux = (struct aux_programs){ 0 };
}
