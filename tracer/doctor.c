// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tries everything that a capture needs or can use, and prints the results. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "cli/message.h"
#include "kernel/sampling.h"
#include "tracer/heap/heap_reader.h"
#include "tracer/host/allocinfo_file.h"
#include "tracer/host/snapshot.h"
#include "tracer/host/track_files.h"
#include "tracer/load/formats.h"
#include "tracer/load/machine.h"
#include "tracer/load/paths.h"
#include "tracer/load/privileges.h"
#include "tracer/load/programs.h"
#include "tracer/modes.h"
#include "tracer/rings.h"
#include "tracer/system/confine.h"

#define KFENCE_INTERVAL "/sys/module/kfence/parameters/sample_interval"

enum verdict {
	VERDICT_OK,
	VERDICT_LIMITED, /* a capture is possible, but something will be missing */
	VERDICT_NO,	 /* no capture is possible */
};

__attribute__((format(printf, 3, 4))) static void
print_check(enum verdict verdict, const char *subject, const char *format, ...)
{
	static const char *const words[] = { "ok", "limited", "NO" };
	va_list arguments;

	printf("%-7s %-12s ", words[verdict], subject);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

static void print_skipped(const struct programs *programs, unsigned int cpus)
{
	uint64_t *skipped = calloc(cpus, sizeof(*skipped));

	if (!skipped)
		return;
	programs_recursion_misses_by_cpu(programs, skipped);
	if (!programs->has_recursion_guard)
		print_check(VERDICT_OK, "skipped", "this kernel skips no events");
	else if (skipped[0] == STATUS_UNKNOWN)
		print_check(
			VERDICT_LIMITED, "skipped",
			"events that the kernel skips are counted for all CPUs together, not by CPU");
	else
		print_check(VERDICT_OK, "skipped",
			    "events that the kernel skips are counted by CPU");
	free(skipped);
}

static void print_preemption(const struct programs *programs)
{
	switch (programs->plan->preemption) {
	case PREEMPTION_UNKNOWN:
		print_check(
			VERDICT_LIMITED, "preemption",
			"it is not known whether this kernel preempts a task in a tracepoint; if it does, it skips more events, and nested frees may be recorded twice");
		break;
	case PREEMPTION_OFF:
		print_check(VERDICT_OK, "preemption",
			    "this kernel preempts no task in a tracepoint");
		break;
	case PREEMPTION_POSSIBLE:
		if (copies_have_front(&programs->copies))
			print_check(
				VERDICT_OK, "preemption",
				"this kernel preempts tasks in tracepoints: front programs (kprobe.multi) and %u copies of each program record nearly all events that it would skip; the rest is counted",
				programs->copies.count);
		else if (programs->copies.count)
			print_check(
				VERDICT_LIMITED, "preemption",
				"this kernel preempts tasks in tracepoints: %u copies of each program record most events that it would skip; the rest is counted; no front programs record more: %s",
				programs->copies.count, programs->copies.front.reason);
		else
			print_check(
				VERDICT_LIMITED, "preemption",
				"this kernel preempts tasks in tracepoints, and skips events of other tasks meanwhile: %s",
				programs->copies.reason);
		break;
	}
}

static void print_context(const struct programs *programs)
{
	switch (programs->context_source) {
	case KMT_CONTEXT_FROM_COUNT:
		print_check(
			VERDICT_OK, "context",
			"events in softirqs, hard interrupts and NMIs are distinguished from those of tasks");
		break;
	case KMT_CONTEXT_FROM_SOFTIRQS:
		print_check(
			VERDICT_LIMITED, "context",
			"events in softirqs are distinguished from those of tasks; those in hard interrupts are not, since programs cannot read the preempt count");
		break;
	default:
		print_check(
			VERDICT_LIMITED, "context",
			"events in interrupts are not distinguished from those of the current task");
	}
}

static void print_nested_frees(const struct programs *programs)
{
	if (!programs->has_recursion_guard)
		return; /* no free is skipped */
	if (programs->copies.count)
		print_check(VERDICT_OK, "nested frees",
			    "frees that interrupt a free are recorded by the copies");
	else if (programs->backup.reason[0])
		print_check(VERDICT_LIMITED, "nested frees",
			    "frees that interrupt a free are only counted: %s",
			    programs->backup.reason);
	else
		print_check(VERDICT_OK, "nested frees",
			    "frees that interrupt a free are recorded by backup programs");
}

static void print_paths(const struct programs *programs)
{
	struct status status = { 0 };
	bool hooked = true;

	for (size_t i = 0; i < HOOK_KINDS; i++)
		hooked &= !programs->hooks.list[i].reason[0];
	if (hooked)
		print_check(
			VERDICT_OK, "hooks",
			"bulk allocation and free, and krealloc in place, are recorded by hooks");
	if (!paths_report(&status, &programs->paths, &programs->hooks))
		for (size_t i = 0; i < status.path_count; i++)
			if (!status.paths[i].observed)
				print_check(VERDICT_LIMITED, "unobserved", "%s: %s",
					    status.paths[i].name, status.paths[i].reason);
	status_deinit(&status);
}

static void print_probes(const struct programs *programs)
{
	const struct process_probes *process = &programs->process;
	const char *separator = "";

	printf("%-7s %-12s ", "ok", "probes");
	for (unsigned int probe = PROBE_SLAB_END; probe < PROBES; probe++)
		if (process->ways[probe]) {
			printf("%s%s", separator, probes[probe].name);
			separator = ", ";
		}
	printf("%s\n", *separator ? "" : "of slab events only");
	for (unsigned int probe = PROBE_SLAB_END; probe < PROBES; probe++)
		if (!process->ways[probe])
			print_check(VERDICT_LIMITED, "probes", "%s: %s", probes[probe].name,
				    process->reasons[probe]);
}

/* False: no capture is possible. */
static bool check_cpu_numbers(const struct topology *topology)
{
	struct cpu_numbers numbers;
	char why[300];

	if (programs_check_cpus(&numbers, topology, why, sizeof(why))) {
		print_check(VERDICT_NO, "cpu numbers", "%s", why);
		return false;
	}
	if (numbers.unknown)
		print_check(
			VERDICT_LIMITED, "cpu numbers",
			"on %u of %u CPUs no BPF program could be run to verify that it sees the right CPU number",
			numbers.unknown, numbers.unknown + numbers.right);
	else
		print_check(VERDICT_OK, "cpu numbers",
			    "a BPF program sees the right CPU number on each CPU");
	return true;
}

/* Prints the reason that libbpf gives if the kernel refuses a program. */
static int print_reason(enum libbpf_print_level level, const char *format, va_list arguments)
{
	if (level != LIBBPF_WARN)
		return 0;
	printf("        ");
	return vprintf(format, arguments);
}

/* The programs that walk stacks, attached for a moment. */
static void print_stacks(const struct attach_plan *plan, struct programs_settings settings)
{
	struct programs programs = { 0 };

	settings.sampling.interval = SAMPLING_EACH;
	settings.probes = NULL;
	if (programs_load(&programs, plan, &settings) || programs_attach(&programs))
		print_check(VERDICT_LIMITED, "stacks", "no stacks can be recorded: %s",
			    programs.errmsg);
	else
		print_check(VERDICT_OK, "stacks",
			    "kernel stacks of sampled allocations can be recorded");
	programs_close(&programs);
}

/* Makes a ring, loads and attaches the programs, and detaches them again. */
static bool try_programs(const struct options *options, const struct attach_plan *plan,
			 const struct topology *topology)
{
	unsigned int cpus = machine_possible_cpus(topology), online = machine_online_cpus(topology);
	unsigned int mib = options->ring_mib;
	struct programs programs = { 0 };
	bool fine = false, wanted[PROBES];
	struct rings rings;

	if (!mib)
		mib = rings_default_mib(online, machine_memory());
	if (rings_init(&rings, cpus, mib, plan->missing_features.fetch) ||
	    rings_add(&rings, topology->list[0].cpu, -1)) {
		print_check(VERDICT_NO, "rings", "%s", rings.errmsg);
		rings_deinit(&rings);
		return false;
	}
	print_check(VERDICT_OK, "rings", "%u rings of %" PRIu64 " KiB, together %" PRIu64 " MiB",
		    online, rings_bytes(mib, rings.buffered) >> 10,
		    rings_bytes(mib, rings.buffered) * online >> 20);

	struct programs_settings settings = {
		.possible_cpus = cpus,
		.any_cpu = topology->list[0].cpu,
		.all_online = online == topology->count,
		.ring_slots = rings.slots,
		.ring_fd = rings.list[topology->list[0].cpu].fd,
		.pids = options->pids,
		.pid_count = options->pid_count,
		.no_backup_reason = options_no_backup_reason(options),
		.probes = wanted,
	};

	memset(wanted, true, sizeof(wanted));
	if (programs_load(&programs, plan, &settings)) {
		print_check(VERDICT_NO, "programs", "%s", programs.errmsg);
	} else if (programs_attach(&programs)) {
		print_check(VERDICT_NO, "programs", "%s", programs.errmsg);
	} else {
		print_check(VERDICT_OK, "programs", "loaded, and attached to all tracepoints");
		print_skipped(&programs, cpus);
		print_preemption(&programs);
		print_context(&programs);
		print_nested_frees(&programs);
		print_paths(&programs);
		print_probes(&programs);
		fine = true;
	}
	programs_close(&programs);
	if (fine)
		print_stacks(plan, settings);
	rings_deinit(&rings);
	return fine;
}

static void print_plan(const struct attach_plan *plan)
{
	printf("%-7s %-12s ", "ok", "tracepoints");
	for (unsigned int i = 0; i < ATTACH_TRACEPOINTS; i++)
		if (plan->programs[i])
			printf("%s%s", i ? ", " : "", attach_plan_tracepoint_name(i));
	printf(": their arguments are known from %s\n", plan->btf ? "BTF" : "their format files");
	if (!plan->btf)
		print_check(
			VERDICT_LIMITED, "btf",
			"this kernel has no BTF: names come from the trace event entries, and hooks are not possible");
	if (plan->missing_features.fetch)
		print_check(
			VERDICT_LIMITED, "rings",
			"this kernel has no BPF atomic instructions that return a value (BPF_FETCH): the rings are BPF ring buffers, which cost more");
	if (!plan->allocations_have_cache)
		print_check(VERDICT_LIMITED, "caches",
			    "on this kernel allocations do not have their slab cache%s",
			    plan->frees_have_name ? "; frees have its name" : "");
}

static void print_names(void)
{
	int tracefs = formats_open();
	char advice[PRIVILEGES_TEXT];

	if (snapshot_has_addresses())
		print_check(VERDICT_OK, "symbols", "/proc/kallsyms shows addresses");
	else
		print_check(
			VERDICT_LIMITED, "symbols",
			"/proc/kallsyms shows no addresses, so call sites will be numbers%s; see also kernel.kptr_restrict",
			privileges_own_advice(PRIVILEGE(CAP_SYSLOG), advice));
	if (tracefs < 0) {
		print_check(VERDICT_LIMITED, "gfp names",
			    "tracefs cannot be read, so GFP flags will be numbers: %s",
			    strerror(-tracefs));
	} else {
		print_check(VERDICT_OK, "gfp names", "tracefs has the names of the GFP flags");
		close(tracefs);
	}
	if (access("/sys/kernel/slab", R_OK))
		print_check(
			VERDICT_LIMITED, "aliases",
			"/sys/kernel/slab cannot be read, so the names of merged slab caches are unknown");
	else
		print_check(VERDICT_OK, "aliases",
			    "/sys/kernel/slab has the names of merged slab caches");
}

/* Reads the slab allocator, as a capture does at its begin. */
static void print_allocator(void)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct heap_reading reading = { 0 };
	struct heap_reader *reader;
	char reason[300];
	int err = heap_reader_open(&reader, reason, sizeof(reason));

	if (!err)
		err = heap_reader_read(reader, machine_now, NULL, &reading, reason, sizeof(reason));
	if (err)
		print_check(
			VERDICT_LIMITED, "allocator",
			"its lists cannot be read, so live numbers are upper bounds where frees are not observed: %s",
			reason);
	else
		print_check(
			VERDICT_OK, "allocator",
			"its lists can be read: %zu slabs, in %.3f s: what was freed without an event does not count as live, unless the object was allocated again without one",
			reading.slab_count, (double)(reading.end - reading.begin) / 1e9);
	heap_reading_deinit(&reading);
	heap_reader_close(reader);
	libbpf_set_print(print);
}

/* Reads what a capture reads. False: no capture is possible. */
static bool check_slabinfo(const struct topology *topology)
{
	struct slabinfo_snapshot snapshot;
	int err = snapshot_read_slabinfo(&snapshot, 0);

	if (err == -ENODATA) {
		print_check(
			VERDICT_LIMITED, "slabinfo",
			"/proc/slabinfo cannot be read, or has another format: the growth of each cache is unknown");
		return true;
	}
	if (err) {
		print_check(VERDICT_NO, "slabinfo", "/proc/slabinfo: %s", strerror(-err));
		return false;
	}
	err = slab_layout_add_held(&snapshot, topology);
	if (!err)
		err = slab_layout_add_sizes(&snapshot);
	if (err)
		print_check(VERDICT_NO, "slabinfo", "/sys/kernel/slab: %s", strerror(-err));
	else
		print_check(VERDICT_OK, "slabinfo",
			    "/proc/slabinfo shows how much each cache grows");
	slabinfo_snapshot_deinit(&snapshot);
	return !err;
}

/* The stacks that the kernel itself keeps: a gift, so their absence limits nothing. */
static void print_tracks(void)
{
	struct tracks tracks = { 0 };
	uint64_t objects[TRACK_SOURCES] = { 0 };
	int debugfs = track_files_open();
	int err = track_files_read(debugfs, machine_now, &tracks);

	for (size_t i = 0; i < tracks.count; i++)
		objects[tracks.list[i].source] += tracks.list[i].objects;
	if (err || debugfs < 0)
		print_check(VERDICT_OK, "tracks", "the kernel's own stacks cannot be read: %s",
			    strerror(err ? -err : -debugfs));
	else if (tracks.count)
		print_check(VERDICT_OK, "tracks",
			    "the kernel keeps the stacks of live objects: %" PRIu64
			    " of KFENCE's sample, %" PRIu64 " of caches with slub_debug=U",
			    objects[TRACK_KFENCE], objects[TRACK_SLUB]);
	else
		print_check(VERDICT_OK, "tracks",
			    "the kernel keeps no stacks of objects from before a capture%s",
			    !access(KFENCE_INTERVAL, F_OK)
				    ? "; KFENCE would, of a sample: echo 100 >" KFENCE_INTERVAL
				    : "; it would with slub_debug=U");
	tracks_deinit(&tracks);
	if (debugfs >= 0)
		close(debugfs);
}

static void print_allocinfo(void)
{
	struct allocinfo_reading reading;
	int err = allocinfo_file_read(&reading, 0), is_on = allocinfo_file_is_on();

	if (err && err != -ENODATA)
		print_check(VERDICT_OK, "allocinfo", "/proc/allocinfo: %s", strerror(-err));
	else if (err)
		print_check(
			VERDICT_OK, "allocinfo",
			"this kernel has no /proc/allocinfo, which shows what each source line holds (Linux 6.10, CONFIG_MEM_ALLOC_PROFILING)");
	else if (is_on)
		print_check(VERDICT_OK, "allocinfo",
			    "/proc/allocinfo shows what %zu source lines hold, of all allocators",
			    reading.count);
	else
		print_check(
			VERDICT_OK, "allocinfo",
			"/proc/allocinfo is switched off: sysctl vm.mem_profiling=1 counts from then on, sysctl.vm.mem_profiling=1 on the kernel's command line from the boot");
	allocinfo_reading_deinit(&reading);
}

static void print_privileges(void)
{
	const struct privileges privileges = privileges_read();
	const char *user = privileges.is_root ? "root" : "not root";
	char advice[PRIVILEGES_TEXT];

	if (privileges_missing(&privileges, PRIVILEGES_TO_TRACE))
		print_check(VERDICT_NO, "privileges", "%s%s", user,
			    privileges_advice(&privileges, PRIVILEGES_TO_TRACE, advice));
	else
		print_check(VERDICT_OK, "privileges", "%s, with CAP_BPF and CAP_PERFMON", user);
}

static void print_confinement(void)
{
	struct confinement confinement;

	confinement_open(&confinement);
	if (!confinement.no_seccomp[0] && !confinement.no_landlock[0])
		print_check(
			VERDICT_OK, "confinement",
			"during a capture kmemtraced makes only the system calls that it needs, and opens files only where it must");
	if (confinement.no_seccomp[0])
		print_check(VERDICT_LIMITED, "confinement",
			    "the system calls of kmemtraced are not restricted: %s",
			    confinement.no_seccomp);
	if (confinement.no_landlock[0])
		print_check(VERDICT_LIMITED, "confinement",
			    "the files that kmemtraced can open are not restricted: %s",
			    confinement.no_landlock);
	confinement_close(&confinement);
}

int doctor_run(const struct options *options)
{
	struct topology topology;
	struct utsname kernel;
	bool fine = true;
	struct attach_plan plan;
	int err;

	if (!uname(&kernel))
		print_check(VERDICT_OK, "kernel", "%s %s", kernel.release, kernel.machine);
	print_privileges();
	fine = !programs_plan(&plan, options->verbose);
	if (fine)
		print_plan(&plan);
	else
		print_check(VERDICT_NO, "tracepoints", "%s", plan.errmsg);
	err = topology_read(&topology, "");
	if (!err && !topology.count)
		err = -ENODATA;
	if (err) {
		print_check(VERDICT_NO, "cpus", "/sys/devices/system/cpu cannot be read: %s",
			    strerror(-err));
		fine = false;
	} else {
		print_check(VERDICT_OK, "cpus", "%u online of %u possible",
			    machine_online_cpus(&topology), machine_possible_cpus(&topology));
		if (topology.memory.count)
			print_check(VERDICT_OK, "memory", "its NUMA nodes are known");
		else
			print_check(VERDICT_LIMITED, "memory",
				    "its NUMA nodes are not known, and memory_node is null: %s",
				    topology.memory_reason);
		if (!options->verbose)
			libbpf_set_print(print_reason);
		fine = fine && check_cpu_numbers(&topology) &&
		       try_programs(options, &plan, &topology);
		fine = check_slabinfo(&topology) && fine;
		topology_deinit(&topology);
	}
	attach_plan_deinit(&plan);
	print_names();
	print_allocator();
	print_tracks();
	print_allocinfo();
	print_confinement();
	printf("%s\n", fine ? "A capture is possible." : "No capture is possible here.");
	return close_stdout(fine ? EXIT_OK : EXIT_FINDINGS);
}
