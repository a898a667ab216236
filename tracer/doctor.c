// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tries each thing that a capture needs or would like, and says what came of it. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/message.h"
#include "tracer/doctor.h"
#include "tracer/load/formats.h"
#include "tracer/machine.h"
#include "tracer/load/paths.h"
#include "tracer/load/programs.h"
#include "tracer/rings.h"
#include "tracer/snapshot.h"

enum verdict {
	FINE,
	LESS, /* a capture is possible and will lack something */
	FATAL,
};

__attribute__((format(printf, 3, 4))) static void say(enum verdict verdict, const char *subject,
						      const char *format, ...)
{
	static const char *const words[] = { "ok", "less", "NO" };
	va_list arguments;

	printf("%-5s %-12s ", words[verdict], subject);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

static void say_skipped(const struct programs *programs, unsigned int cpus)
{
	uint64_t *skipped = calloc(cpus, sizeof(*skipped));

	if (!skipped)
		return;
	programs_recursion_misses_by_cpu(programs, skipped);
	if (!programs->has_recursion_guard)
		say(FINE, "skipped", "this kernel hides no event from the programs");
	else if (skipped[0] == STATUS_UNKNOWN)
		say(LESS, "skipped",
		    "events that the kernel hides from the programs are counted in "
		    "all, not by CPU");
	else
		say(FINE, "skipped",
		    "events that the kernel hides from the programs are counted by CPU");
	free(skipped);
}

static void say_rescue(const struct programs *programs)
{
	if (!programs->has_recursion_guard)
		return; /* nothing is to be rescued */
	if (programs->backup.reason[0])
		say(LESS, "rescue", "frees that interrupt a free are counted only: %s",
		    programs->backup.reason);
	else
		say(FINE, "rescue", "frees that interrupt a free are told by a second program");
}

static void say_paths(const struct programs *programs)
{
	struct status status = { 0 };
	bool hooked = true;

	for (size_t i = 0; i < HOOK_KINDS; i++)
		hooked &= !programs->hooks.list[i].reason[0];
	if (hooked)
		say(FINE, "hooks",
		    "bulk allocation and free, and krealloc in place, are told by hooks");
	if (!paths_report(&status, &programs->paths, &programs->hooks))
		for (size_t i = 0; i < status.path_count; i++)
			if (!status.paths[i].observed)
				say(LESS, "unobserved", "%s: %s", status.paths[i].name,
				    status.paths[i].reason);
	status_deinit(&status);
}

/* Really makes a ring, loads and attaches, and takes it all down again. */
static bool try_programs(const struct options *options, const struct attach_plan *layout,
			 const struct topology *topology)
{
	unsigned int cpus = machine_possible_cpus(topology), online = machine_online_cpus(topology);
	unsigned int mib = options->ring_mib;
	struct programs programs = { 0 };
	struct rings rings;
	bool fine = false;

	if (!mib)
		mib = rings_default_mib(online, machine_memory());
	if (rings_init(&rings, cpus, mib, layout->missing_features.fetch) ||
	    rings_add(&rings, topology->list[0].cpu, -1)) {
		say(FATAL, "rings", "%s", rings.errmsg);
		rings_deinit(&rings);
		return false;
	}
	say(FINE, "rings", "%u of %" PRIu64 " KiB, %" PRIu64 " MiB in all", online,
	    rings_bytes(mib, rings.buffered) >> 10,
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
	};

	if (programs_load(&programs, layout, &settings)) {
		say(FATAL, "programs", "%s", programs.errmsg);
	} else if (programs_attach(&programs)) {
		say(FATAL, "programs", "%s", programs.errmsg);
	} else {
		say(FINE, "programs", "loaded and attached to all of them");
		say_skipped(&programs, cpus);
		say_rescue(&programs);
		say_paths(&programs);
		fine = true;
	}
	programs_close(&programs);
	rings_deinit(&rings);
	return fine;
}

static void say_layout(const struct attach_plan *layout)
{
	printf("%-5s %-12s ", "ok", "tracepoints");
	for (unsigned int i = 0; i < ATTACH_EVENTS; i++)
		if (layout->programs[i])
			printf("%s%s", i ? ", " : "", attach_plan_tracepoint(i));
	printf(": %s describe%s a form that the programs read\n",
	       layout->btf ? "BTF" : "their format files", layout->btf ? "s" : "");
	if (!layout->btf)
		say(LESS, "btf",
		    "this kernel has none: names come from the tracepoints' records, and what "
		    "needs hooks is not observed");
	if (layout->missing_features.fetch)
		say(LESS, "rings",
		    "this kernel lacks atomic instructions with a result: BPF ring buffers cost "
		    "more, and are counted here");
	if (!layout->allocations_have_cache)
		say(LESS, "caches", "this kernel does not tell the slab cache of an allocation%s",
		    layout->frees_have_name ? "; frees tell its name" : "");
}

static void say_names(void)
{
	int tracefs = formats_open();

	if (snapshot_has_addresses())
		say(FINE, "symbols", "/proc/kallsyms shows addresses");
	else
		say(LESS, "symbols",
		    "/proc/kallsyms shows no addresses: call sites will be numbers "
		    "(see kernel.kptr_restrict; run as root)");
	if (tracefs < 0) {
		say(LESS, "gfp names", "tracefs cannot be read: %s: GFP flags will be numbers",
		    strerror(-tracefs));
	} else {
		say(FINE, "gfp names", "tracefs has them");
		close(tracefs);
	}
	if (access("/sys/kernel/slab", R_OK))
		say(LESS, "aliases",
		    "/sys/kernel/slab cannot be read: merged slab caches cannot be told");
	else
		say(FINE, "aliases", "/sys/kernel/slab tells merged slab caches");
}

static void say_privileges(void)
{
	const uint64_t bpf = 1ULL << 39, perfmon = 1ULL << 38, admin = 1ULL << 21;
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long long rights = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "CapEff: %llx", &rights) == 1)
			break;
	if (file)
		fclose(file);
	if (!geteuid())
		say(FINE, "privileges", "root");
	else if ((rights & bpf && rights & perfmon) || rights & admin)
		say(FINE, "privileges", "not root, with CAP_BPF and CAP_PERFMON");
	else
		say(FATAL, "privileges", "not root: BPF needs CAP_BPF and CAP_PERFMON");
}

int doctor_run(const struct options *options)
{
	struct topology topology;
	struct utsname kernel;
	bool fine = true;
	struct attach_plan layout;
	int err;

	if (!uname(&kernel))
		say(FINE, "kernel", "%s %s", kernel.release, kernel.machine);
	say_privileges();
	fine = !programs_plan(&layout, options->verbose);
	if (fine)
		say_layout(&layout);
	else
		say(FATAL, "tracepoints", "%s", layout.errmsg);
	err = topology_read(&topology, "");
	if (!err && !topology.count)
		err = -ENODATA;
	if (err) {
		say(FATAL, "cpus", "/sys/devices/system/cpu cannot be read: %s", strerror(-err));
		fine = false;
	} else {
		say(FINE, "cpus", "%u online of %u possible", machine_online_cpus(&topology),
		    machine_possible_cpus(&topology));
		fine = fine && try_programs(options, &layout, &topology);
		topology_deinit(&topology);
	}
	attach_plan_deinit(&layout);
	say_names();
	printf("%s\n", fine ? "A capture is possible." : "No capture is possible here.");
	return close_stdout(fine ? EXIT_OK : EXIT_FINDINGS);
}
