// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Loads and attaches the BPF programs. What the kernel has is found in its BTF, never by its
 * version.
 */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "tracer/machine.h"
#include "tracer/programs.h"
#include "bpf/kmemtrace.skel.h"

static int quiet_printer(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level, (void)format, (void)arguments;
	return 0;
}

static int loud_printer(enum libbpf_print_level level, const char *format, va_list arguments)
{
	return level == LIBBPF_DEBUG ? 0 : vfprintf(stderr, format, arguments);
}

/* The type of a tracepoint's argument (from 0), as struct NAME * has it; NULL if it is another. */
static const char *argument_struct(const struct btf *btf, const char *tracepoint,
				   unsigned int index)
{
	const struct btf_type *type;
	char name[64];
	int id;

	snprintf(name, sizeof(name), "btf_trace_%s", tracepoint);
	id = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
	if (id < 0)
		return NULL;
	type = btf__type_by_id(btf, id);
	if (!btf_is_ptr(type = btf__type_by_id(btf, type->type)))
		return NULL;
	type = btf__type_by_id(btf, type->type);
	/* the first parameter is the tracepoint's own data */
	if (!btf_is_func_proto(type) || btf_vlen(type) <= index + 1)
		return NULL;
	type = btf__type_by_id(btf, btf_params(type)[index + 1].type);
	if (!btf_is_ptr(type))
		return NULL;
	do {
		type = btf__type_by_id(btf, type->type);
	} while (btf_is_mod(type));
	return btf_is_struct(type) ? btf__name_by_offset(btf, type->name_off) : NULL;
}

/* The inode of the first PID namespace's file: a number of the kernel's ABI. */
#define FIRST_PID_NAMESPACE 0xeffffffcU

/* Programs see the kernel's own thread ids: in another namespace ours would be somebody else's. */
static bool has_own_pids(void)
{
	struct stat namespace;

	return !stat("/proc/self/ns/pid", &namespace) && namespace.st_ino != FIRST_PID_NAMESPACE;
}

int programs_probe(char *why, size_t why_size)
{
	static const char *const with_cache[] = { "kmem_cache_alloc", "kmem_cache_free" };
	struct btf *btf;
	int err = 0;

	if (has_own_pids()) {
		snprintf(why, why_size,
			 "this PID namespace (a container's) has process ids of its "
			 "own, which are not the kernel's: run it in the first one");
		return -ENOTSUP;
	}
	libbpf_set_print(quiet_printer);
	btf = btf__load_vmlinux_btf();
	if (!btf) {
		snprintf(why, why_size,
			 "this kernel has no BTF (/sys/kernel/btf/vmlinux): "
			 "it needs CONFIG_DEBUG_INFO_BTF");
		return -ENOENT;
	}
	for (size_t i = 0; i < 2 && !err; i++) {
		const char *name = argument_struct(btf, with_cache[i], 2);

		if (!name || strcmp(name, "kmem_cache")) {
			snprintf(why, why_size,
				 "this kernel's tracepoint %s does not pass the slab cache "
				 "as its third argument: kernels from 6.1 on do",
				 with_cache[i]);
			err = -ENOTSUP;
		}
	}
	btf__free(btf);
	return err;
}

static int fail(struct programs *programs, int err, const char *what)
{
	const char *advice = err == EPERM || err == EACCES
				     ? ": run as root, or with CAP_BPF and CAP_PERFMON"
				     : "";

	snprintf(programs->why, sizeof(programs->why), "%s: %s%s", what, strerror(err), advice);
	return -err;
}

/* Programs that a kernel has no place for are left out. unwanted: why extras are to be. */
static void choose_programs(struct programs *programs, const struct programs_settings *settings,
			    const char *unwanted)
{
	struct kmemtrace_bpf *skeleton = programs->skeleton;
	const struct {
		struct bpf_program *program;
		const char *type;
		uint32_t kind;
	} places[] = {
		{ skeleton->progs.misses, "bpf_iter__bpf_prog", BTF_KIND_STRUCT },
		{ skeleton->progs.module_load, "btf_trace_module_load", BTF_KIND_TYPEDEF },
		{ skeleton->progs.module_free, "btf_trace_module_free", BTF_KIND_TYPEDEF },
	};
	struct btf *btf = programs->btf;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (btf__find_by_name_kind(btf, places[i].type, places[i].kind) <= 0)
			bpf_program__set_autoload(places[i].program, false);
	hooks_choose(&programs->hooks, skeleton, btf, unwanted);
	rescue_choose(&programs->rescue, skeleton, btf,
		      settings->rescue ? unwanted : "--no-rescue was given");
}

static int load(struct programs *programs, const struct programs_settings *settings,
		const char *unwanted)
{
	struct kmemtrace_bpf *skeleton = programs->skeleton = kmemtrace_bpf__open();
	int err;

	if (!skeleton)
		return fail(programs, errno, "cannot open the BPF programs");

	skeleton->rodata->ring_slots = settings->ring_slots;
	skeleton->rodata->possible_cpus = settings->possible_cpus;
	skeleton->rodata->wanted_count = settings->pid_count;
	skeleton->rodata->wanted_tgid = settings->pid_count ? settings->pids[0] : 0;
	bpf_map__set_max_entries(skeleton->maps.controls, settings->possible_cpus);
	bpf_map__set_max_entries(skeleton->maps.rings, settings->possible_cpus);
	if (settings->pid_count)
		bpf_map__set_max_entries(skeleton->maps.wanted, settings->pid_count);
	bpf_map__set_inner_map_fd(skeleton->maps.rings, settings->ring_fd);
	choose_programs(programs, settings, unwanted);
	err = kmemtrace_bpf__load(skeleton);
	return err ? fail(programs, -err, "cannot load the BPF programs") : 0;
}

int programs_load(struct programs *programs, const struct programs_settings *settings)
{
	struct kmemtrace_bpf *skeleton;
	uint8_t yes = 1;
	int err;

	memset(programs, 0, sizeof(*programs));
	programs->possible_cpus = settings->possible_cpus;
	libbpf_set_print(settings->verbose ? loud_printer : quiet_printer);
	programs->btf = btf__load_vmlinux_btf();
	if (!programs->btf)
		return fail(programs, ENOENT, "cannot read /sys/kernel/btf/vmlinux");
	err = load(programs, settings, NULL);
	/* what a capture can do without must not keep it from what it can have */
	if (err && err != -EPERM && programs->skeleton) {
		kmemtrace_bpf__destroy(programs->skeleton);
		err = load(programs, settings, "this kernel does not load the program");
	}
	if (err)
		return err;
	skeleton = programs->skeleton;
	for (size_t i = 0; i < settings->pid_count; i++) {
		err = bpf_map_update_elem(bpf_map__fd(skeleton->maps.wanted), &settings->pids[i],
					  &yes, 0);
		if (err)
			return fail(programs, -err, "cannot set the process filter");
	}
	return 0;
}

/* The programs whose skipped runs count: one for each kind of event. Frees come first: an object
 * allocated while only the frees are watched is an unmatched free, not a false leak.
 */
static void event_programs(const struct programs *programs,
			   struct bpf_program *list[PROGRAMS_EVENTS])
{
	list[0] = programs->skeleton->progs.kfree;
	list[1] = programs->skeleton->progs.kmem_cache_free;
	list[2] = programs->skeleton->progs.kmalloc;
	list[3] = programs->skeleton->progs.kmem_cache_alloc;
}

static int program_info(const struct bpf_program *program, struct bpf_prog_info *info)
{
	uint32_t size = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return bpf_obj_get_info_by_fd(bpf_program__fd(program), info, &size);
}

/* The events from first up to end. */
static int attach_events(struct programs *programs, size_t first, size_t end)
{
	struct bpf_program *events[PROGRAMS_EVENTS];
	struct bpf_prog_info info;
	uint8_t yes = 1;

	event_programs(programs, events);
	for (size_t i = first; i < end; i++) {
		programs->events[i] = bpf_program__attach(events[i]);
		if (!programs->events[i]) {
			char what[80];

			snprintf(what, sizeof(what), "cannot attach to the tracepoint %s",
				 bpf_program__name(events[i]));
			return fail(programs, errno, what);
		}
		if (!program_info(events[i], &info))
			bpf_map_update_elem(bpf_map__fd(programs->skeleton->maps.own_programs),
					    &info.id, &yes, 0);
	}
	return 0;
}

static void detach_events(struct programs *programs, size_t first, size_t end)
{
	for (size_t i = end; i-- > first;) {
		bpf_link__destroy(programs->events[i]);
		programs->events[i] = NULL;
	}
}

int programs_attach(struct programs *programs)
{
	struct kmemtrace_bpf *skeleton = programs->skeleton;
	struct bpf_program *const names[] = { skeleton->progs.task_newtask,
					      skeleton->progs.task_rename,
					      skeleton->progs.module_load,
					      skeleton->progs.module_free };
	int err;

	programs->attached = true;
	/* names are worth having, not needed */
	for (size_t i = 0; i < 4; i++)
		if (bpf_program__autoload(names[i]))
			programs->names[i] = bpf_program__attach(names[i]);
	err = attach_events(programs, 0, PROGRAMS_FREES);
	if (err)
		return err;
	hooks_attach(&programs->hooks, HOOK_BULK_FREE);
	err = attach_events(programs, PROGRAMS_FREES, PROGRAMS_EVENTS);
	if (err)
		return err;
	hooks_attach(&programs->hooks, HOOK_REALLOC);
	hooks_attach(&programs->hooks, HOOK_BULK_ALLOC);
	rescue_attach(&programs->rescue);
	if (bpf_program__autoload(skeleton->progs.misses))
		programs->misses = bpf_program__attach(skeleton->progs.misses);
	return 0;
}

void programs_detach(struct programs *programs)
{
	if (!programs->attached)
		return;
	programs->attached = false;
	hooks_detach(&programs->hooks, HOOK_BULK_ALLOC);
	hooks_detach(&programs->hooks, HOOK_REALLOC);
	detach_events(programs, PROGRAMS_FREES, PROGRAMS_EVENTS);
	hooks_detach(&programs->hooks, HOOK_BULK_FREE);
	rescue_detach(&programs->rescue);
	detach_events(programs, 0, PROGRAMS_FREES);
	for (size_t i = 0; i < 4; i++) {
		bpf_link__destroy(programs->names[i]);
		programs->names[i] = NULL;
	}
	/* whatever still ran when it was detached has ended */
	machine_grace_period();
}

void programs_close(struct programs *programs)
{
	btf__free(programs->btf);
	programs->btf = NULL;
	if (!programs->skeleton)
		return;
	programs_detach(programs);
	bpf_link__destroy(programs->misses);
	kmemtrace_bpf__destroy(programs->skeleton);
	programs->skeleton = NULL;
}

int programs_controls_fd(const struct programs *programs)
{
	return bpf_map__fd(programs->skeleton->maps.controls);
}

int programs_rings_fd(const struct programs *programs)
{
	return bpf_map__fd(programs->skeleton->maps.rings);
}

int programs_names_fd(const struct programs *programs)
{
	return bpf_map__fd(programs->skeleton->maps.names);
}

const struct kmt_totals *programs_totals(const struct programs *programs)
{
	return &programs->skeleton->bss->totals;
}

uint64_t programs_missed(const struct programs *programs)
{
	struct bpf_program *list[PROGRAMS_EVENTS];
	struct bpf_prog_info info;
	uint64_t sum = 0;

	event_programs(programs, list);
	for (size_t i = 0; i < PROGRAMS_EVENTS; i++)
		if (!program_info(list[i], &info))
			sum += info.recursion_misses;
	return sum;
}

void programs_missed_by_cpu(const struct programs *programs, uint64_t *missed)
{
	uint64_t counts[512];
	size_t index = 0;
	ssize_t got = 0;
	int fd = -1;

	for (size_t i = 0; i < programs->possible_cpus; i++)
		missed[i] = programs->misses ? 0 : STATUS_UNKNOWN;
	if (!programs->misses)
		return;
	fd = bpf_iter_create(bpf_link__fd(programs->misses));
	/* possible_cpus counts of each program of ours, one after another */
	while (fd >= 0 && (got = read(fd, counts, sizeof(counts))) > 0) {
		for (size_t i = 0; i < got / sizeof(counts[0]); i++, index++) {
			uint64_t *cpu = &missed[index % programs->possible_cpus];

			if (counts[i] == UINT64_MAX)
				*cpu = STATUS_UNKNOWN;
			else if (*cpu != STATUS_UNKNOWN)
				*cpu += counts[i];
		}
	}
	if (fd < 0 || got < 0 || index != (size_t)programs->possible_cpus * PROGRAMS_EVENTS)
		for (size_t i = 0; i < programs->possible_cpus; i++)
			missed[i] = STATUS_UNKNOWN;
	if (fd >= 0)
		close(fd);
}

int programs_lost_tasks(const struct programs *programs, struct status *status)
{
	int fd = bpf_map__fd(programs->skeleton->maps.lost_by_task);
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
