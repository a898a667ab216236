// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sets a capture up and takes it down; the time between is in session_run.c. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/message.h"
#include "tracer/machine.h"
#include "tracer/load/paths.h"
#include "tracer/session.h"
#include "tracer/session_parts.h"
#include "tracer/snapshot.h"

int session_fail(struct session *session, int err, const char *errmsg)
{
	snprintf(session->errmsg, sizeof(session->errmsg), "%s", errmsg);
	return err;
}

/* What looks like the command may have been meant as the file of --publish. */
int session_fail_command(struct session *session, int err)
{
	const struct options *options = session->options;

	session_fail(session, err, session->command.errmsg);
	if (options->publish_default)
		snprintf(session->errmsg, sizeof(session->errmsg),
			 "%s: to publish in that file: --publish=%s", session->command.errmsg,
			 options->command[0]);
	return err;
}

static int make_rings(struct session *session)
{
	const struct options *options = session->options;
	struct topology *topology = &session->topology;
	struct rings *rings = &session->rings;
	unsigned int mib = options->ring_mib;
	int err;

	err = topology_read(topology, "");
	if (!err && !topology->count)
		err = -ENODATA;
	if (err) {
		snprintf(session->errmsg, sizeof(session->errmsg), "/sys/devices/system/cpu: %s",
			 strerror(-err));
		return err;
	}
	if (!mib)
		mib = rings_default_mib(machine_online_cpus(topology), machine_memory());
	err = rings_init(rings, machine_possible_cpus(topology), mib,
			 session->layout.missing_features.fetch);
	for (size_t i = 0; i < topology->count && !err; i++)
		if (topology->list[i].online)
			err = rings_add(rings, topology->list[i].cpu, topology->list[i].node);
	return err ? session_fail(session, err, rings->errmsg) : 0;
}

static int load_programs(struct session *session)
{
	const struct options *options = session->options;
	struct rings *rings = &session->rings;
	struct programs_settings settings = {
		.possible_cpus = rings->possible_cpus,
		.ring_slots = rings->slots,
		.pids = options->pids,
		.pid_count = options->pid_count,
		.no_backup_reason = options_no_backup_reason(options),
		.all_online = machine_online_cpus(&session->topology) == session->topology.count,
	};
	int err;

	for (unsigned int i = 0; i < rings->possible_cpus; i++)
		if (rings->list[i].fd >= 0) {
			settings.ring_fd = rings->list[i].fd;
			settings.any_cpu = i;
		}
	err = programs_load(&session->programs, &session->layout, &settings);
	if (err)
		return session_fail(session, err, session->programs.errmsg);
	err = rings_map_controls(rings, bpf_variant_map_fd(&session->programs.variant, "controls"));
	for (unsigned int i = 0; i < rings->possible_cpus && !err; i++)
		if (rings->list[i].fd >= 0)
			err = rings_publish(
				rings, i, bpf_variant_map_fd(&session->programs.variant, "rings"));
	return err ? session_fail(session, err, rings->errmsg) : 0;
}

/* The first statement stands if nobody lives to write the last. */
int session_write_status(struct session *session)
{
	struct directory *directory = &session->directory;
	char from[4096], to[4096];
	FILE *file = directory_open(directory, "kernel/.status", "we");
	int err, failed;

	if (!file)
		return session_fail(session, -EIO, directory->errmsg);
	err = status_write(&session->status, file);
	failed = directory_close(directory, file, "kernel/status");
	if (err || failed)
		return session_fail(session, err ? err : failed, directory->errmsg);
	if (rename(directory_name(directory, "kernel/.status", from, sizeof(from)),
		   directory_name(directory, "kernel/status", to, sizeof(to)))) {
		snprintf(session->errmsg, sizeof(session->errmsg), "%s: %s", to, strerror(errno));
		return -errno;
	}
	return 0;
}

/* What is more than the programs on tracepoints: as far as it is known now. */
int session_report_programs(struct session *session)
{
	const struct programs *programs = &session->programs;
	struct status *status = &session->status;

	status->rescue_known = true;
	snprintf(status->backup_programs_reason, sizeof(status->backup_programs_reason), "%s",
		 programs->backup.reason);
	status->hook_skipped = 0;
	for (unsigned int i = 0; i < HOOK_KINDS; i++)
		status->hook_skipped += hooks_skipped(&programs->hooks, i);
	return paths_report(status, &programs->paths, &programs->hooks);
}

static int start_status(struct session *session)
{
	const struct options *options = session->options;
	struct status *status = &session->status;
	int err;

	status->ring_bytes = rings_bytes(session->rings.mib, session->rings.buffered);
	status->include_self = options->include_self;
	status->begin = session->begin = machine_now();
	err = status_add_own(status, syscall(SYS_gettid));
	for (size_t i = 0; i < options->pid_count && !err; i++)
		err = status_add_wanted(status, options->pids[i]);
	if (!err)
		err = session_report_programs(session);
	return err ? session_fail(session, err, strerror(-err)) : session_write_status(session);
}

static int write_metadata(struct session *session)
{
	FILE *file;
	int err, failed;

	err = metadata_init(&session->metadata);
	if (err)
		return session_fail(session, err, strerror(-err));
	file = directory_open(&session->directory, "metadata", "we");
	if (!file)
		return session_fail(session, -EIO, session->directory.errmsg);
	err = metadata_write(&session->metadata, file);
	failed = directory_close(&session->directory, file, "metadata");
	return err || failed ? session_fail(session, err ? err : failed, session->directory.errmsg)
			     : 0;
}

static int fill_directory(struct session *session)
{
	struct directory *directory = &session->directory;
	int err;

	err = directory_make(directory);
	if (!err && !session->options->no_capture)
		err = directory_reserve(directory);
	if (err)
		return session_fail(session, err, directory->errmsg);
	err = write_metadata(session);
	if (!err)
		err = start_status(session);
	if (err)
		return err;
	err = directory_lock(directory);
	if (!err)
		err = snapshot_symbols(directory, 0);
	if (!err)
		err = snapshot_topology(directory, &session->topology);
	if (!err)
		err = snapshot_aliases(directory);
	if (!err)
		err = snapshot_kmalloc(directory);
	if (err)
		return session_fail(session, err, directory->errmsg);
	if (snapshot_formats(directory) && !session->options->quiet)
		info_msg("%s: GFP flags will be numbers", directory->errmsg);
	if (!snapshot_has_addresses() && !session->options->quiet)
		info_msg("/proc/kallsyms shows no addresses: call sites will be numbers: see "
			 "kernel.kptr_restrict, and run as root or with CAP_SYSLOG");
	err = name_messages_open(&session->names, session->options->no_capture ? NULL : directory,
				 bpf_variant_map_fd(&session->programs.variant, "names"));
	if (session->options->publish)
		session->names.publish = &session->publish;
	return err ? session_fail(session, err, session->names.errmsg) : 0;
}

static const char *stream_name(const struct session *session, unsigned int cpu, char *path,
			       size_t size)
{
	char name[32];

	snprintf(name, sizeof(name), "cpu%u", cpu);
	return directory_name(&session->directory, name, path, size);
}

/* All is ready: the capture takes the place of an older one. */
static int take_place(struct session *session)
{
	bool writes = !session->options->no_capture;
	char path[4096];
	int err;

	err = directory_place(&session->directory);
	if (err)
		return session_fail(session, err, session->directory.errmsg);
	for (unsigned int i = 0; i < session->rings.possible_cpus && !err && writes; i++)
		if (session->draining[i])
			err = writer_rename(&session->drains[i].writer,
					    stream_name(session, i, path, sizeof(path)));
	if (!err)
		err = modules_start(&session->modules, &session->directory,
				    session->options->publish ? &session->publish : NULL);
	if (!err)
		err = status_add_own(&session->status, session->modules.task);
	if (err)
		return session_fail(session, err, strerror(-err));
	err = session_publish_start(session);
	if (!err)
		err = session_write_status(session);
	return err ? err : session_publish_open(session);
}

int session_open_stream(struct session *session, unsigned int cpu)
{
	struct drain *drain = &session->drains[cpu];
	char path[4096];
	int err;

	drain->control = &session->rings.controls[cpu];
	drain->ring = session->rings.list[cpu].slots;
	drain->slots = session->rings.slots;
	drain->status = &session->status;
	stream_name(session, cpu, path, sizeof(path));
	err = drain_open(drain, session->options->no_capture ? NULL : path, session->metadata.uuid,
			 cpu, machine_now(),
			 session->rings.buffered ? session->rings.list[cpu].fd : -1);
	if (err)
		return session_fail(session, err, drain->writer.errmsg);
	if (session->options->publish)
		drain->writer.sink = publish_sink(&session->publish);
	writer_pack(&drain->writer, session->packer);
	session->draining[cpu] = true;
	return 0;
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
		if (tgid)
			snprintf(session->errmsg, sizeof(session->errmsg),
				 "-p %u: is a thread of process %u: name that", pid, tgid);
		else
			snprintf(session->errmsg, sizeof(session->errmsg),
				 "-p %u: there is no such process", pid);
		return -ESRCH;
	}
	return 0;
}

/* A ring and a stream for each CPU need more files than is usual. */
static void raise_limits(struct session *session)
{
	struct rlimit files;

	getrlimit(RLIMIT_NOFILE, &session->before.files);
	files = session->before.files;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

int session_open(struct session *session, const struct options *options,
		 const struct saved_signals *signals)
{
	int err;

	memset(session, 0, sizeof(*session));
	session->options = options;
	session->before.signals = *signals;
	raise_limits(session);
	err = programs_plan(&session->layout, options->verbose);
	if (err)
		return session_fail(session, err, session->layout.errmsg);
	err = make_rings(session);
	if (!err)
		err = check_pids(session);
	if (err)
		return err;
	err = session_choose_directory(session);
	if (err)
		return err;
	if (options->command) {
		err = command_probe(&session->command, options->command);
		if (err)
			return session_fail_command(session, err);
	}
	session->drains = calloc(session->rings.possible_cpus, sizeof(*session->drains));
	session->draining = calloc(session->rings.possible_cpus, sizeof(*session->draining));
	if (!session->drains || !session->draining)
		return session_fail(session, -ENOMEM, strerror(ENOMEM));
	if (options->pack && packer_create(&session->packer))
		return session_fail(session, -ENOMEM, strerror(ENOMEM));
	err = load_programs(session);
	if (!err)
		err = fill_directory(session);
	for (unsigned int i = 0; i < session->rings.possible_cpus && !err; i++)
		if (session->rings.list[i].fd >= 0)
			err = session_open_stream(session, i);
	if (!err)
		err = take_place(session);
	if (err)
		directory_abandon(&session->directory);
	return err;
}

void session_sums(const struct session *session, struct session_sums *sums)
{
	memset(sums, 0, sizeof(*sums));
	for (unsigned int i = 0; i < session->rings.possible_cpus; i++) {
		const struct writer *writer = &session->drains[i].writer;

		if (!session->draining[i])
			continue;
		sums->recorded += writer->loss.records;
		sums->lost += loss_missing(&writer->loss);
		sums->bytes += writer->size;
	}
}

static int add_cpu(struct session *session, unsigned int cpu, uint64_t skipped)
{
	struct drain *drain = &session->drains[cpu];
	struct status_cpu *about = status_add_cpu(&session->status, cpu);
	bool full = false;
	char path[4096];

	if (!about)
		return -ENOMEM;
	about->recorded = drain->writer.loss.records;
	about->lost = loss_missing(&drain->writer.loss);
	about->skipped = skipped;
	about->seen = about->recorded + about->lost + (skipped == STATUS_UNKNOWN ? 0 : skipped);
	about->rescued = drain->control->from_backup;
	session->status.rescued += about->rescued;
	for (unsigned int i = 0; i < KMT_BACKUP_KINDS; i++)
		full |= drain->control->marks[i].full;
	session->status.rescue_off += full;
	about->own = drain_count_own(drain, stream_name(session, cpu, path, sizeof(path)));
	session->status.raised += drain->writer.raised;
	if (drain->writer.raised_most > session->status.raised_most)
		session->status.raised_most = drain->writer.raised_most;
	return status_add_spans(&session->status, cpu, &drain->writer.loss);
}

/* It came up, and no stream could be made for it. */
static int add_lost_cpu(struct status *status, unsigned int cpu, uint64_t lost)
{
	struct status_cpu *about = status_add_cpu(status, cpu);

	if (!about)
		return -ENOMEM;
	about->seen = about->lost = lost;
	about->skipped = STATUS_UNKNOWN;
	return 0;
}

static int finish_status(struct session *session)
{
	struct status *status = &session->status;
	const struct kmt_totals *totals = session->programs.variant.totals;
	uint64_t *skipped, lost = 0, lost_of_tasks = 0;
	int err = 0;

	skipped = calloc(session->rings.possible_cpus, sizeof(*skipped));
	if (!skipped)
		return session_fail(session, -ENOMEM, strerror(ENOMEM));
	recursion_misses_by_cpu(&session->programs, &session->rings, skipped);
	for (unsigned int i = 0; i < session->rings.possible_cpus && !err; i++) {
		if (session->draining[i])
			err = add_cpu(session, i, skipped[i]);
		else if (session->rings.controls[i].sequence)
			err = add_lost_cpu(status, i, session->rings.controls[i].sequence);
	}
	free(skipped);
	if (!err)
		err = programs_add_lost_tasks(&session->programs, status);
	if (!err)
		err = session_report_programs(session);
	if (err)
		return session_fail(session, err, strerror(-err));
	snprintf(status->backup_programs_reason, sizeof(status->backup_programs_reason), "%s",
		 backup_programs_reason(&session->programs.backup));
	status->complete = STATUS_COMPLETE;
	status->begin = session->begin;
	status->end = session->end;
	status->skipped = session->misses.reported;
	status->names_lost = totals->names_lost + session->names.unknown_caches;
	/* what found no room in the table of tasks, or on the disk */
	for (size_t i = 0; i < status->cpu_count; i++)
		lost += status->cpus[i].lost;
	for (size_t i = 0; i < status->lost_task_count; i++)
		lost_of_tasks += status->lost_tasks[i].count;
	status->lost_unattributed = lost - lost_of_tasks;
	return session_write_status(session);
}

/* The streams: first what is left, as far as there is room; then, with the room kept, the ends. */
static int finish_streams(struct session *session, uint64_t end)
{
	int err = 0, failed;

	for (unsigned int i = 0; i < session->rings.possible_cpus; i++) {
		/* a CPU that came up and never got a ring has events all the same */
		if (!session->draining[i] && session->rings.controls[i].sequence) {
			failed = session_open_stream(session, i);
			err = err ? err : failed;
		}
		if (!session->draining[i])
			continue;
		failed = drain_rest(&session->drains[i], session->misses.reported);
		if (failed && !err)
			err = session_fail(session, failed, session->drains[i].writer.errmsg);
	}
	directory_release(&session->directory);
	for (unsigned int i = 0; i < session->rings.possible_cpus; i++) {
		if (!session->draining[i])
			continue;
		failed = drain_finish(&session->drains[i], end, session->misses.reported);
		if (failed && !err)
			err = session_fail(session, failed, session->drains[i].writer.errmsg);
	}
	return err;
}

int session_finish(struct session *session)
{
	int err, failed;

	session->end = machine_now();
	programs_detach(&session->programs);
	failed = recursion_misses_finish(&session->misses, &session->programs, &session->rings,
					 &session->status);
	progress_line_clear();
	err = finish_streams(session, machine_now());
	if (failed && !err)
		err = session_fail(session, failed, strerror(-failed));
	failed = name_messages_read(&session->names);
	if (!failed && session->layout.missing_features.btf)
		failed = name_messages_add_incomplete(&session->names,
						      bpf_variant_map_fd(&session->programs.variant,
									 "known_caches"));
	if (failed && !err)
		err = session_fail(session, failed, session->names.errmsg);
	if (session->names.modules_changed)
		modules_change(&session->modules, session->end);
	failed = modules_end(&session->modules);
	if (failed && !err)
		err = session_fail(session, failed, session->modules.directory.errmsg);
	failed = name_messages_close(&session->names);
	if (!failed)
		failed = snapshot_aliases(&session->directory);
	if (!failed)
		failed = snapshot_slabinfo(&session->directory, session->end);
	if (failed && !err)
		err = session_fail(session, failed, session->directory.errmsg);
	failed = finish_status(session);
	directory_unlock(&session->directory);
	err = err ? err : failed;
	failed = session_publish_end(session);
	return err ? err : failed;
}

void session_close(struct session *session)
{
	for (unsigned int i = 0; session->draining && i < session->rings.possible_cpus; i++)
		if (session->draining[i])
			drain_close(&session->drains[i]);
	free(session->drains);
	free(session->draining);
	packer_destroy(session->packer);
	modules_end(&session->modules);
	publish_close(&session->publish);
	name_messages_close(&session->names);
	programs_close(&session->programs);
	attach_plan_deinit(&session->layout);
	rings_deinit(&session->rings);
	topology_deinit(&session->topology);
	status_deinit(&session->status);
	directory_release(&session->directory);
	if (session->options->no_capture)
		directory_abandon(&session->directory);
	directory_deinit(&session->directory);
	tempdir_close(&session->tempdir);
}
