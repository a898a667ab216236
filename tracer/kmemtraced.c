// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kmemtraced: records the slab allocations and frees of the running kernel into a capture. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/stop.h"
#include "tracer/modes.h"
#include "tracer/options.h"
#include "tracer/pieces.h"
#include "tracer/session.h"

static void print_cpus(const struct status *status)
{
	for (size_t i = 0; i < status->cpu_count; i++) {
		const struct status_cpu *cpu = &status->cpus[i];
		char skipped[40] = "skipped unknown";

		if (cpu->skipped != STATUS_UNKNOWN)
			snprintf(skipped, sizeof(skipped), "%" PRIu64 " skipped", cpu->skipped);
		info_msg("cpu%u: %" PRIu64 " events, %" PRIu64 " lost, %s, %" PRIu64
			 " recorded by backup programs, %" PRIu64 " own",
			 cpu->cpu, cpu->recorded, cpu->lost, skipped, cpu->from_backup, cpu->own);
	}
}

static void print_counted(const struct session *session, const char *place)
{
	struct status_counted sum = pieces_counted(&session->pieces);

	info_msg("%s: counted %" PRIu64 " allocations of %" PRIu64 " bytes, %" PRIu64 " frees",
		 place, sum.allocations, sum.bytes, sum.frees);
}

/* The output for which the events were aggregated. */
static const char *aggregate_name(const struct options *options)
{
	if (options->publish)
		return options->publish;
	if (options->metrics.path)
		return options->metrics.path;
	return options->summaries.interval_ns ? options->summaries.directory : "triggers";
}

/* The directory that the user named. */
static const struct directory *output_of(const struct session *session)
{
	return session->options->rotation.enabled ? &session->pieces.set
						  : &session->pieces.present.directory;
}

static void print_result(const struct session *session)
{
	const char *place = session->options->stream		   ? "standard output"
			    : session->options->rotation.in_memory ? session->options->output
								   : output_of(session)->path;
	double seconds = (double)(session->pieces.end - session->pieces.begin) / 1e9;
	struct stream_sums sums = streams_sums(&session->streams);

	if (session->options->verbose && !session->options->count.enabled)
		print_cpus(&session->pieces.present.status);
	if (session->pieces.publish)
		info_msg("%s: %" PRIu64 " events aggregated, %" PRIu64 " not aggregated, %" PRIu64
			 " lost, %" PRIu64 " skipped, %.3f s",
			 aggregate_name(session->options), publish_aggregated(&session->publish),
			 publish_missing(&session->publish), sums.lost, session->misses.reported,
			 seconds);
	if (session->options->no_capture)
		return;
	info_msg("%s: %" PRIu64 " events, %" PRIu64 " lost, %" PRIu64 " skipped, %" PRIu64
		 " bytes, %.3f s",
		 place, sums.recorded, sums.lost, session->misses.reported, sums.bytes, seconds);
	if (session->options->sampling.is_profile)
		print_counted(session, place);
	if (session->options->sampling.interval)
		info_msg("%s: %zu stacks of %" PRIu64 " samples", place,
			 session->names.stacks.count, sums.samples);
	if (session->pieces.present.status.sampling.unwalked ||
	    session->pieces.present.status.sampling.no_room)
		info_msg("%s: %" PRIu64 " kernel stacks not walked; %" PRIu64
			 " stacks without room",
			 place, session->pieces.present.status.sampling.unwalked,
			 session->pieces.present.status.sampling.no_room);
	if (session->pieces.present.status.sampling.user_unwalked ||
	    session->pieces.present.status.sampling.mappings_lost)
		info_msg("%s: %" PRIu64 " user stacks not walked; %" PRIu64
			 " changes of mappings lost: frames may have no name, or a wrong one",
			 place, session->pieces.present.status.sampling.user_unwalked,
			 session->pieces.present.status.sampling.mappings_lost);
}

/* A script that reads the capture must know that its path names another directory. */
static void print_place(const struct session *session)
{
	char link[64], place[4096] = "";

	if (options_is_temporary(session->options) || session->options->rotation.in_memory ||
	    directory_is_in_place(output_of(session)))
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", output_of(session)->fd);
	if (readlink(link, place, sizeof(place) - 1) < 0)
		snprintf(place, sizeof(place), "an unknown directory");
	info_msg("%s: another program moved the capture, which is complete, to %s",
		 output_of(session)->path, place);
}

/* If the capture fails, it is still finished, so that what was captured can be read. */
static int capture_events(struct session *session)
{
	int err, failed, printed;

	err = session_run(session);
	notify_stopping(&session->service.notify);
	if (err) {
		error_msg("%s", session->error.text);
		snprintf(session->pieces.present.status.stopped,
			 sizeof(session->pieces.present.status.stopped), "%s", session->error.text);
	}
	failed = session_finish(session);
	if (failed && !err)
		error_msg("%s", session->error.text);
	if (session->options->count.enabled && !err && !failed) {
		printed = live_counts_print(&session->counts, &session->pieces);
		if (printed)
			error_msg("%s", session->error.text);
		failed = failed ? failed : printed;
	}
	if (!session->options->quiet)
		print_result(session);
	print_place(session);
	return err ? err : failed;
}

int main(int argc, char **argv)
{
	struct session session;
	struct options options;
	struct saved_signals signals;
	int (*run)(const struct options *options) = NULL;
	int err, result = 0;

	options_parse(&options, argc, argv);
	if (options.doctor)
		run = doctor_run;
	else if (options.list_probes)
		run = list_probes_run;
	else if (options.status)
		run = status_list_run;
	else if (options.memory)
		run = memory_run;
	if (run) {
		result = run(&options);
		options_deinit(&options);
		return result;
	}
	stop_handle_signals(&signals);
	err = session_open(&session, &options, &signals);
	if (!err)
		err = session_start(&session);
	if (err)
		error_msg("%s", session.error.text);
	else
		err = capture_events(&session);
	/* a signal that stops kmemtraced stops the command too */
	command_wait(&session.command, stop_signal() ? SIGTERM : 0);
	if (err) {
		notify_failed(&session.service.notify, err, session.error.text);
		result = EXIT_TROUBLE;
	} else if (options.command)
		result = command_exit(&session.command);
	if (!result && session.counts.ungrouped)
		result = EXIT_FINDINGS;
	session_close(&session);
	options_deinit(&options);
	return result;
}
