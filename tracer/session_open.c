// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Everything before the programs are attached. */
#include "config.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "tracer/host/snapshot.h"
#include "tracer/load/machine.h"
#include "tracer/load/privileges.h"
#include "tracer/load/sampling.h"
#include "tracer/publishing.h"
#include "tracer/session.h"

static int load_programs(struct session *session)
{
	const struct options *options = session->options;
	struct rings *rings = &session->streams.rings;
	struct count_settings count = {
		.groups = options->count.groups,
		.own_tgid = options->include_self ? UINT32_MAX : (uint32_t)getpid(),
	};
	struct programs_settings settings = {
		.possible_cpus = rings->possible_cpus,
		.ring_slots = rings->slots,
		.count = options->count.enabled ? &count : NULL,
		.pids = options->pids,
		.pid_count = options->pid_count,
		.no_backup_reason = options_no_backup_reason(options),
		.sampling = options->sampling,
		.cgroups = options_have_streams(session->options) ||
					   (options->publish && !options->no_details)
				   ? &session->names.messages.cgroups.hierarchy
				   : NULL,
		.probes = options->has_probes ? options->probes : NULL,
		.all_online = machine_online_cpus(&session->streams.topology) ==
			      session->streams.topology.count,
	};
	struct cpu_numbers numbers;
	char why[300];
	int err;

	session->names.messages.cgroups.hierarchy = cgroup_hierarchy_find();
	live_counts_set(&count, options->count.parts);
	count.slots = live_counts_slots(rings, options->count.groups);
	err = programs_check_cpus(&numbers, &session->streams.topology, why, sizeof(why));
	if (err)
		return error_set(&session->error, err, why);
	for (unsigned int i = 0; i < rings->possible_cpus; i++)
		if (rings->list[i].fd >= 0) {
			settings.ring_fd = rings->list[i].fd;
			settings.any_cpu = i;
		}
	err = programs_load(&session->programs, &session->plan, &settings);
	if (err)
		return error_set(&session->error, err, session->programs.errmsg);
	err = rings_map_controls(rings, bpf_variant_map_fd(&session->programs.variant, "controls"));
	if (!err)
		sampling_start(session->programs.variant.totals, rings->controls,
			       rings->possible_cpus, options->sampling.interval);
	for (unsigned int i = 0; i < rings->possible_cpus && !err; i++)
		if (rings->list[i].fd >= 0)
			err = rings_insert(rings, i,
					   bpf_variant_map_fd(&session->programs.variant, "rings"));
	if (!err && session->streams.offline && !options->count.enabled)
		err = rings_add_spare(
			rings, bpf_variant_map_fd(&session->programs.variant, "rings"),
			bpf_variant_map_fd(&session->programs.variant, "spare_taken"));
	return err ? error_set(&session->error, err, rings->errmsg) : 0;
}

static int fill_directory(struct session *session)
{
	char advice[PRIVILEGES_TEXT];
	struct directory *directory = &session->pieces.present.directory;
	int err;

	err = options_is_temporary(session->options) || session->options->rotation.enabled
		      ? directory_make_folders(directory)
		      : directory_make(directory);
	if (!err && !options_is_temporary(session->options))
		err = directory_reserve(directory);
	if (err)
		return error_set(&session->error, err, directory->errmsg);
	err = metadata_init(&session->pieces.metadata);
	if (err)
		return error_set_at(&session->error, err, "the metadata");
	session->pieces.metadata.piece = session->pieces.number;
	err = pieces_write_metadata(&session->pieces, directory);
	if (!err)
		err = pieces_status_start(&session->pieces);
	if (err)
		return err;
	err = directory_lock(directory);
	modules_init(&session->names.modules);
	if (!err)
		err = snapshot_symbols(directory, &session->names.modules.modules_at);
	if (!err)
		err = snapshot_topology(directory, &session->streams.topology);
	if (!err)
		err = snapshot_aliases(directory);
	if (!err)
		err = snapshot_kmalloc(directory);
	if (!err && session->options->records_slab)
		err = snapshot_slab_sizes(directory);
	if (err)
		return error_set(&session->error, err, directory->errmsg);
	err = snapshot_formats(directory);
	if (err < 0)
		return error_set(&session->error, err, directory->errmsg);
	if (err && !session->options->quiet)
		info_msg("%s: reports will show GFP flags as numbers", directory->errmsg);
	if (!snapshot_has_addresses() && !session->options->quiet)
		info_msg(
			"/proc/kallsyms shows no addresses: reports will show call sites as numbers%s; see also kernel.kptr_restrict",
			privileges_own_advice(PRIVILEGE(CAP_SYSLOG), advice));
	if (session->options->records_slab && eaccess("/proc/slabinfo", R_OK) && errno == EACCES &&
	    !session->options->quiet)
		info_msg("/proc/slabinfo cannot be read: the growth of each cache is unknown%s",
			 privileges_own_advice(PRIVILEGE(CAP_DAC_READ_SEARCH), advice));
	err = name_tables_open(&session->names, directory, &session->programs,
			       session->pieces.publish);
	if (err)
		return err;
	return session->options->proc_mem ? memory_table_open(&session->memory, directory,
							      session->options->proc_mem_ns)
					  : 0;
}

/* The threads for modules and for publishing, and the file to publish in. */
static int start_threads(struct session *session)
{
	int err;

	service_make_file(&session->service);
	err = session_confine_prepare(session);
	if (err)
		return err;
	session->names.modules.on_start = session_confine_modules;
	session->names.modules.on_start_data = session;
	err = modules_start(&session->names.modules, &session->pieces.present.directory,
			    session->pieces.publish);
	if (!err)
		err = status_add_own(&session->pieces.present.status, session->names.modules.task);
	if (err)
		return error_set_at(&session->error, err, "the thread for modules");
	err = publishing_start(&session->pieces, session_confine_publish, session);
	if (!err)
		err = trigger_watch_open(&session->triggers);
	if (!err)
		err = pieces_status_write(&session->pieces);
	return err ? err : publishing_open(&session->pieces);
}

/* The process that a thread belongs to; 0: there is no such thread. */
static uint32_t process_of(uint32_t task)
{
	char path[64], line[256];
	unsigned int tgid = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/status", task);
	file = fopen(path, "re");
	while (file && !tgid && fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %u", &tgid) != 1)
			tgid = 0;
	if (file)
		fclose(file);
	return tgid;
}

static int check_pids(struct session *session)
{
	const struct options *options = session->options;

	for (size_t i = 0; i < options->pid_count; i++) {
		uint32_t pid = options->pids[i], tgid = process_of(pid);

		if (tgid == pid)
			continue;
		return tgid ? error_format(&session->error, -ESRCH,
					   "-p %u: is a thread of process %u: use -p %u", pid, tgid,
					   tgid)
			    : error_format(&session->error, -ESRCH,
					   "-p %u: there is no such process", pid);
	}
	return 0;
}

/* The rings count as its memory, so it would be the first that the kernel kills. */
static void protect_from_oom(struct session *session)
{
	char advice[PRIVILEGES_TEXT];
	int err;

	if (!trigger_options_have(&session->options->triggers, TRIGGER_OOM))
		return;
	err = process_state_protect(&session->saved_state);
	if (err && !session->options->quiet)
		info_msg(
			"--trigger oom: the kernel may kill kmemtraced itself for lack of memory: /proc/self/oom_score_adj: %s%s",
			strerror(-err), privileges_own_advice(PRIVILEGE(CAP_SYS_RESOURCE), advice));
}

static int start_shipper(struct session *session)
{
	const struct options *options = session->options;
	const struct shipper_settings settings = {
		.options = &options->ship,
		.directory = options->summaries.directory,
		.saved = &session->saved_state,
		.quiet = options->quiet,
	};

	return options->ship.url ? shipper_start(&session->shipper, &settings, &session->error) : 0;
}

static int open_parts(struct session *session)
{
	const struct options *options = session->options;
	int err = 0;

	err = pieces_find_path(&session->pieces);
	if (!err && options->rotation.enabled)
		err = pieces_open_set(&session->pieces);
	if (!err)
		err = trigger_watch_find_dumps(&session->triggers);
	if (!err && options->rotation.enabled)
		err = pieces_start_keeper(&session->pieces);
	if (!err)
		err = trigger_watch_start(&session->triggers, &session->saved_state);
	if (!err)
		err = start_shipper(session);
	if (err)
		return err;
	if (options->sampling.user_stacks) {
#ifdef __riscv
		/*
		 * Its stack walker (6.12) reads user memory with page faults enabled: a task that
		 * has locked its address space, as in execve(), may then wait for itself.
		 */
		return error_set(
			&session->error, -EOPNOTSUPP,
			"--user-stacks: on RISC-V, walking a user stack may block its task forever: record without this option");
#endif
		err = function_namer_start(&session->names.namer);
		if (err)
			return error_set_at(&session->error, err,
					    "the process that names functions");
	}
	err = programs_plan(&session->plan, options->verbose);
	if (err)
		return error_set(&session->error, err, session->plan.errmsg);
	err = streams_init(&session->streams, options->ring_mib,
			   session->plan.missing_features.fetch);
	if (!err)
		err = pieces_check_room(&session->pieces);
	if (!err)
		err = check_pids(session);
	if (err)
		return err;
	err = pieces_make_directory(&session->pieces);
	if (err)
		return err;
	if (options->command) {
		err = command_probe(&session->command, options->command);
		if (err)
			return session_fail_command(session, err);
	}
	if (options->pack && packer_create(&session->streams.packer))
		return error_set_at(&session->error, -ENOMEM, "the packer of -z");
	if (options_audit(options))
		heap_audit_open(&session->audit);
	kernel_figures_open(&session->figures,
			    !options->no_capture && !options->stream && !options->count.enabled,
			    options_audit(options));
	session->triggers.is_audited = heap_audit_works(&session->audit);
	if (*session->audit.reason && (options->audit || options->verbose) && !options->quiet)
		info_msg("the slab allocator is not read: %s", session->audit.reason);
	return load_programs(session);
}

int session_open(struct session *session, const struct options *options,
		 const struct saved_signals *signals)
{
	int err;

	memset(session, 0, sizeof(*session));
	session->confinement.ruleset = session->triggers.journal.fd = -1;
	session->triggers.process.requests = session->triggers.process.answers = -1;
	session->shipper.socket = session->figures.debugfs = -1;
	session->names.namer.go = session->names.namer.answers = -1;
	session->options = options;
	session->streams.error = session->memory.error = session->names.error = &session->error;
	session->pieces = (struct pieces){
		.options = options,
		.error = &session->error,
		.streams = &session->streams,
		.names = &session->names,
		.memory = &session->memory,
		.programs = &session->programs,
		.misses = &session->misses,
		.publish = options_aggregate(options) ? &session->publish : NULL,
	};
	session->names.options = options;
	session->memory.quiet = options->quiet;
	session->saved_state.signals = *signals;
	session->saved_state.output_to_stderr = options->stream;
	session->triggers.pieces = &session->pieces;
	session->triggers.daemon_status = &session->service.status;
	session->service.pieces = &session->pieces;
	session->service.triggers = &session->triggers;
	session->service.shipper = &session->shipper;
	service_open(&session->service);
	journal_open(&session->triggers.journal, JOURNAL_SOCKET);
	process_state_raise_files(&session->saved_state);
	protect_from_oom(session);
	session_reload_open(session);
	err = open_parts(session);
	if (!err)
		err = fill_directory(session);
	for (unsigned int i = 0; i < session->streams.rings.possible_cpus && !err; i++)
		if (session->streams.rings.list[i].fd >= 0)
			err = pieces_open_stream(&session->pieces, i, machine_now());
	return err ? err : start_threads(session);
}
