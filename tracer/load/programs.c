// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Loads and attaches the BPF programs: those of the attach plan, and the optional ones. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "capture/metadata.h"
#include "kernel/sampling.h"
#include "tracer/load/formats.h"
#include "tracer/load/machine.h"
#include "tracer/load/probe.h"
#include "tracer/load/programs.h"
#include "tracer/load/refusal.h"

static int quiet_printer(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level, (void)format, (void)arguments;
	return 0;
}

static int loud_printer(enum libbpf_print_level level, const char *format, va_list arguments)
{
	return level == LIBBPF_DEBUG ? 0 : vfprintf(stderr, format, arguments);
}

/* The inode of the initial PID namespace's file: a number of the kernel's ABI. */
#define INITIAL_PID_NAMESPACE 0xeffffffcU

/* BPF programs see the thread ids of the initial PID namespace. Other namespaces have other ids. */
static bool is_in_child_pid_namespace(void)
{
	struct stat namespace;

	return !stat("/proc/self/ns/pid", &namespace) && namespace.st_ino != INITIAL_PID_NAMESPACE;
}

int programs_plan(struct attach_plan *plan, bool verbose)
{
	const char *reason = NULL;

	libbpf_set_print(verbose ? loud_printer : quiet_printer);
	if (is_in_child_pid_namespace())
		reason =
			"kmemtraced runs in a PID namespace (of a container), whose process ids the kernel's events do not have: run it in the initial PID namespace";
	else if (machine_is_confidential())
		reason =
			"the kernel is locked down (/sys/kernel/security/lockdown: confidentiality), so no BPF program may read its memory: boot it with lockdown=integrity, or without lockdown=";
	if (!reason)
		return attach_plan_make(plan);
	memset(plan, 0, sizeof(*plan));
	snprintf(plan->errmsg, sizeof(plan->errmsg), "%s", reason);
	return -ENOTSUP;
}

int programs_check_cpus(struct cpu_numbers *numbers, const struct topology *topology, char *errmsg,
			size_t size)
{
	probe_cpu_numbers(numbers, topology);
	if (!numbers->wrong)
		return 0;
	cpu_numbers_explain(numbers, machine_jit_setting(), errmsg, size);
	return -ENOTSUP;
}

static int fail_programs(struct programs *programs, int err, const char *what)
{
	char text[128], advice[REFUSAL_ADVICE];

	libbpf_strerror(err, text, sizeof(text)); /* libbpf has errors of its own */
	snprintf(programs->errmsg, sizeof(programs->errmsg), "%s: %s%s", what,
		 err == REFUSAL_NOT_SUPPORTED ? refusal_text(err) : text,
		 refusal_advice(err, machine_jit_setting(), advice));
	return -err;
}

/*
 * bpf/profile_programs.bpf.h: raw tracepoints have a guard against recursion since 6.1, which
 * changed these arguments, too. Where a task may be preempted in a tracepoint, and continue on
 * another CPU, a plain addition would not be exact.
 */
static bool can_use_profile_programs(const struct attach_plan *plan,
				     const struct programs_settings *settings)
{
	return settings->sampling.is_profile && settings->sampling.interval != SAMPLING_EACH &&
	       !settings->pid_count && plan->preemption != PREEMPTION_POSSIBLE && plan->btf &&
	       backup_programs_has_recursion_guard(plan->btf) &&
	       !strcmp(plan->programs[ATTACH_CACHE_ALLOC], "kmem_cache_alloc");
}

/* The program of that name; for_profile: that of bpf/profile_programs.bpf.h, if there is one. */
static struct bpf_program *find_program(struct bpf_variant *variant, const char *name,
					bool for_profile)
{
	struct bpf_program *program = NULL;
	char in_profile[64];

	if (for_profile) {
		snprintf(in_profile, sizeof(in_profile), "%s_profile", name);
		program = bpf_variant_program(variant, in_profile);
	}
	return program ? program : bpf_variant_program(variant, name);
}

/*
 * Chooses the programs that this kernel can run. disabled_reason: NULL, or the reason why hooks and
 * backup programs are not to be loaded.
 */
static void choose_programs(struct programs *programs, const struct programs_settings *settings,
			    const char *disabled_reason, const char *no_process_reason)
{
	static const bool none[PROBES];
	const struct attach_plan *plan = programs->plan;
	struct bpf_variant *variant = &programs->variant;
	const struct btf *btf = plan->btf;
	const char *no_backup_reason = settings->no_backup_reason ? settings->no_backup_reason
								  : disabled_reason;
	const bool for_profile = can_use_profile_programs(plan, settings);
	struct bpf_program *program;

	if (!programs->records_slab)
		disabled_reason = no_backup_reason = "no slab events are recorded";

	bpf_object__for_each_program (program, variant->bpf)
		bpf_program__set_autoload(program, false);
	programs->has_recursion_guard = !btf || backup_programs_has_recursion_guard(btf);
	aux_programs_choose(&programs->aux, variant, plan, programs->has_recursion_guard,
			    settings->cgroups && settings->cgroups->exists, settings->any_cpu);
	copies_choose(&programs->copies, variant, plan, no_backup_reason,
		      settings->pid_count ? "with -p there are none" : NULL);
	for (unsigned int i = 0; i < ATTACH_TRACEPOINTS; i++) {
		if (!plan->programs[i] || !programs->records_slab)
			continue;
		programs->list[i] = programs->copies.count && i < KMT_COPIED_KINDS
					    ? programs->copies.programs[0][i]
					    : find_program(variant, plan->programs[i], for_profile);
		bpf_program__set_autoload(programs->list[i], true);
	}
	hooks_choose(&programs->hooks, variant, btf, disabled_reason);
	if (!no_backup_reason && settings->sampling.is_profile)
		no_backup_reason = "a profile has none";
	if (!no_backup_reason && plan->preemption == PREEMPTION_POSSIBLE)
		no_backup_reason =
			"on this kernel a task may move to another CPU inside a tracepoint";
	backup_programs_choose(&programs->backup, variant, btf,
			       !strcmp(plan->programs[ATTACH_CACHE_FREE], "kmem_cache_free"),
			       no_backup_reason);
	process_probes_choose(&programs->process, variant,
			      settings->probes ? settings->probes : none, settings->possible_cpus,
			      settings->any_cpu, no_process_reason);
}

static void set_fields(struct bpf_variant *variant)
{
	struct kmt_field_position fields[KMT_FIELDS] = { 0 };
	int tracefs = formats_open();

	if (tracefs < 0)
		return;
	formats_fields(tracefs, fields);
	close(tracefs);
	bpf_variant_set(variant, "fields", fields, sizeof(fields));
}

static void set_counting(struct bpf_variant *variant, const struct count_settings *count)
{
	struct bpf_map *counts = bpf_variant_map(variant, "counts");
	const uint32_t no_ring = 0;

	bpf_variant_set(variant, "ring_slots", &no_ring, sizeof(no_ring));
	bpf_variant_set(variant, "count_parts", &count->parts, sizeof(count->parts));
	bpf_variant_set(variant, "count_slots", &count->slots, sizeof(count->slots));
	bpf_variant_set(variant, "count_head", &count->head, sizeof(count->head));
	bpf_variant_set(variant, "count_task", &count->task, sizeof(count->task));
	bpf_variant_set(variant, "count_own_tgid", &count->own_tgid, sizeof(count->own_tgid));
	bpf_map__set_key_size(counts, count->key_size);
	bpf_map__set_max_entries(counts, count->groups);
}

static void set_settings(struct bpf_variant *variant, const struct attach_plan *plan,
			 const struct programs_settings *settings)
{
	uint32_t traced = settings->pid_count > 1 ? KMT_TRACED_LIST : 0;
	uint32_t table = KMT_TABLE_NONE;

	bpf_variant_set(variant, "ring_slots", &settings->ring_slots, sizeof(settings->ring_slots));
	bpf_variant_set(variant, "possible_cpus", &settings->possible_cpus,
			sizeof(settings->possible_cpus));
	if (settings->pid_count == 1)
		traced = settings->pids[0];
	bpf_variant_set(variant, "traced_tgid", &traced, sizeof(traced));
	if (traced)
		table = KMT_TABLE_OF_UNTRACED;
	else if (settings->count && !(settings->count->parts & (KMT_COUNT_TID | KMT_COUNT_PID)))
		table = KMT_TABLE_OF_OTHERS;
	bpf_variant_set(variant, "task_table", &table, sizeof(table));
	bpf_variant_set(variant, "frees_have_name", &plan->frees_have_name,
			sizeof(plan->frees_have_name));
	bpf_variant_set(variant, "allocations_have_cache", &plan->allocations_have_cache,
			sizeof(plan->allocations_have_cache));
	if (settings->count)
		set_counting(variant, settings->count);
	bpf_variant_set(variant, "context_source", &plan->context_source,
			sizeof(plan->context_source));
	if (settings->cgroups) {
		bpf_variant_set(variant, "reads_cgroups", &settings->cgroups->exists,
				sizeof(settings->cgroups->exists));
		bpf_variant_set(variant, "cgroup_hierarchy", &settings->cgroups->number,
				sizeof(settings->cgroups->number));
	}
	sampling_choose(variant, &settings->sampling);
	if (plan->missing_features.btf)
		set_fields(variant);
}

/*
 * May the untraced-task table be used (bpf/untraced.bpf.h)? Only if the memory of a task's stack is
 * never used for another stack before the program on new tasks runs. A kernel that allocates an
 * interrupt stack during the capture may break this: s390x allocates one when a CPU comes online,
 * x86 when a CPU comes online for the first time. A real-time kernel may skip the program on new
 * tasks. The kernel's source was checked for x86 and arm64 only.
 */
static bool can_use_untraced_table(const struct programs *programs)
{
	struct utsname names;

	return aux_programs_see_new_tasks(&programs->aux) && programs->all_online &&
	       !machine_is_realtime() && !uname(&names) &&
	       (!strcmp(names.machine, "x86_64") || !strcmp(names.machine, "aarch64"));
}

/*
 * 32-bit kernels store the maps of an array of maps 4 bytes apart but read them 8 bytes apart, so
 * that only the first is found. A hash of maps costs more, but does not have this bug.
 */
static void set_rings(struct bpf_map *rings, const struct programs_settings *settings)
{
	bpf_map__set_max_entries(rings, settings->possible_cpus + 1); /* the last: the spare ring */
	bpf_map__set_inner_map_fd(rings, settings->ring_fd);
	if (metadata_word_bits() == 32)
		bpf_map__set_type(rings, BPF_MAP_TYPE_HASH_OF_MAPS);
}

static int load_variant(struct programs *programs, const struct programs_settings *settings,
			const char *disabled_reason, const char *no_process_reason)
{
	struct bpf_variant *variant = &programs->variant;
	int err;

	err = bpf_variant_open(variant, &programs->plan->missing_features,
			       programs->plan->preemption == PREEMPTION_POSSIBLE);
	if (err)
		return fail_programs(programs, -err, "cannot open the BPF programs");
	set_settings(variant, programs->plan, settings);
	bpf_map__set_max_entries(bpf_variant_map(variant, "controls"), settings->possible_cpus);
	set_rings(bpf_variant_map(variant, "rings"), settings);
	if (settings->pid_count)
		bpf_map__set_max_entries(bpf_variant_map(variant, "traced_pids"),
					 settings->pid_count);
	choose_programs(programs, settings, disabled_reason, no_process_reason);
	err = bpf_variant_load(variant);
	return err ? fail_programs(programs, -err, "cannot load the BPF programs") : 0;
}

/* 0, or -ENOTSUP with errmsg set: nothing can be recorded. */
static int check_probes(struct programs *programs)
{
	const struct process_probes *process = &programs->process;
	const char *reason = "";

	if (programs->records_slab)
		return 0;
	for (unsigned int probe = PROBE_SLAB_END; probe < PROBES; probe++) {
		if (process->ways[probe])
			return 0;
		if (process->wanted[probe] && !*reason) {
			reason = process->reasons[probe];
			snprintf(programs->errmsg, sizeof(programs->errmsg),
				 "no probe of --probes can be recorded here: %s: %s",
				 probes[probe].name, reason);
		}
	}
	return -ENOTSUP;
}

int programs_load(struct programs *programs, const struct attach_plan *plan,
		  const struct programs_settings *settings)
{
	static const char refused[] = "the kernel refused to load the program";
	uint8_t yes = 1;
	int err;

	memset(programs, 0, sizeof(*programs));
	programs->plan = plan;
	programs->possible_cpus = settings->possible_cpus;
	programs->all_online = settings->all_online;
	programs->records_slab = !settings->probes;
	for (unsigned int probe = 0; settings->probes && probe < PROBE_SLAB_END; probe++)
		programs->records_slab |= settings->probes[probe];
	paths_find(&programs->paths, plan->btf);
	err = load_variant(programs, settings, NULL, NULL);
	/* optional programs must not make a capture impossible: try again without them */
	if (err && err != -EPERM && programs->variant.bpf) {
		bpf_variant_close(&programs->variant);
		err = load_variant(programs, settings, refused, NULL);
	}
	if (err && err != -EPERM && programs->variant.bpf && settings->probes) {
		bpf_variant_close(&programs->variant);
		err = load_variant(programs, settings, refused, refused);
	}
	if (!err)
		err = check_probes(programs);
	if (err)
		return err;
	for (size_t i = 0; i < settings->pid_count; i++) {
		err = bpf_map_update_elem(bpf_variant_map_fd(&programs->variant, "traced_pids"),
					  &settings->pids[i], &yes, 0);
		if (err)
			return fail_programs(programs, -err, "cannot set the process filter");
	}
	return 0;
}

/*
 * Attaches the events from first up to end. Frees come first: an object that is allocated while
 * only the frees are attached becomes an unmatched free, not a false leak.
 */
static int attach_events(struct programs *programs, size_t first, size_t end)
{
	struct bpf_prog_info info;
	uint8_t yes = 1;
	int own = bpf_variant_map_fd(&programs->variant, "own_programs"), err;

	for (size_t i = first; i < end; i++) {
		if (!programs->list[i])
			continue;
		programs->events[i] = bpf_program__attach(programs->list[i]);
		err = programs->events[i] ? copies_attach(&programs->copies, i) : -errno;
		if (err) {
			char what[80];

			snprintf(what, sizeof(what), "cannot attach to the tracepoint %s",
				 attach_plan_tracepoint_name(i));
			return fail_programs(programs, -err, what);
		}
		aux_programs_attach(&programs->aux, i);
		programs->event_count++;
		if (own >= 0 && !programs_info(programs->list[i], &info))
			bpf_map_update_elem(own, &info.id, &yes, 0);
	}
	return 0;
}

/* The programs of process events, for programs_recursion_misses_by_cpu(). */
static void count_process_programs(struct programs *programs)
{
	int own = bpf_variant_map_fd(&programs->variant, "own_programs");

	for (size_t i = 0; i < programs->process.program_count; i++) {
		const struct process_program *program = &programs->process.programs[i];
		struct bpf_prog_info info;
		uint8_t yes = 1;

		if (!programs->process.ways[program->probe] || program->event.cpus)
			continue;
		programs->event_count++;
		if (own >= 0 && !programs_info(program->program, &info))
			bpf_map_update_elem(own, &info.id, &yes, 0);
	}
}

static void detach_events(struct programs *programs, size_t first, size_t end)
{
	for (size_t i = end; i-- > first;) {
		copies_detach(&programs->copies, i);
		bpf_link__destroy(programs->events[i]);
		programs->events[i] = NULL;
	}
}

int programs_attach(struct programs *programs)
{
	int err;

	programs->attached = true;
	aux_programs_attach(&programs->aux, ATTACH_TRACEPOINTS);
	programs->context_source = programs->plan->context_source;
	if (programs->context_source == KMT_CONTEXT_FROM_SOFTIRQS &&
	    !aux_programs_see_softirqs(&programs->aux))
		programs->context_source = KMT_CONTEXT_UNKNOWN;
	programs->untraced_table_used = can_use_untraced_table(programs);
	programs->variant.totals->untraced_table_valid = programs->untraced_table_used;
	process_probes_attach(&programs->process);
	count_process_programs(programs);
	err = check_probes(programs);
	if (err || !programs->records_slab)
		return err;
	err = attach_events(programs, 0, ATTACH_FREES);
	if (err)
		return err;
	hooks_attach(&programs->hooks, HOOK_BULK_FREE);
	err = attach_events(programs, ATTACH_FREES, ATTACH_TRACEPOINTS);
	if (err)
		return err;
	hooks_attach(&programs->hooks, HOOK_REALLOC);
	hooks_attach(&programs->hooks, HOOK_BULK_ALLOC);
	backup_programs_attach(&programs->backup);
	front_attach(&programs->copies.front);
	return 0;
}

const char *programs_backup_reason(const struct programs *programs)
{
	return programs->plan->preemption == PREEMPTION_POSSIBLE
		       ? copies_reason(&programs->copies)
		       : backup_programs_reason(&programs->backup);
}

void programs_poll(struct programs *programs)
{
	backup_programs_poll(&programs->backup);
	process_probes_poll(&programs->process);
	if (programs_missed_new_task(programs))
		__atomic_store_n(&programs->variant.totals->untraced_table_valid, 0,
				 __ATOMIC_RELAXED);
	if (programs->plan->missing_features.btf)
		aux_programs_poll(&programs->aux);
}

void programs_detach(struct programs *programs)
{
	if (!programs->attached)
		return;
	programs->attached = false;
	front_detach(&programs->copies.front);
	hooks_detach(&programs->hooks, HOOK_BULK_ALLOC);
	hooks_detach(&programs->hooks, HOOK_REALLOC);
	detach_events(programs, ATTACH_FREES, ATTACH_TRACEPOINTS);
	hooks_detach(&programs->hooks, HOOK_BULK_FREE);
	backup_programs_detach(&programs->backup);
	detach_events(programs, 0, ATTACH_FREES);
	process_probes_detach(&programs->process);
	aux_programs_detach(&programs->aux);
	/* wait for the programs that still ran when they were detached */
	machine_grace_period();
}

void programs_close(struct programs *programs)
{
	if (!programs->variant.bpf)
		return;
	programs_detach(programs);
	process_probes_close(&programs->process);
	aux_programs_close(&programs->aux);
	bpf_variant_close(&programs->variant);
}

int programs_add_lost_tasks(const struct programs *programs, struct status *status)
{
	int fd = bpf_variant_map_fd(&programs->variant, "lost_by_task");
	uint32_t task, *previous = NULL;
	uint64_t count;
	int err = 0;

	while (!err && !bpf_map_get_next_key(fd, previous, &task)) {
		if (!bpf_map_lookup_elem(fd, &task, &count))
			err = status_add_lost_task(status, task, count);
		previous = &task;
	}
	return err;
}
