// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kmemtraced: records the slab allocations and frees of the running kernel into a capture. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tracer/doctor.h"
#include "tracer/options.h"
#include "tracer/session.h"
#include "tracer/signals.h"

static void say_cpus(const struct status *status)
{
	for (size_t i = 0; i < status->cpu_count; i++) {
		const struct status_cpu *cpu = &status->cpus[i];

		fprintf(stderr, "kmemtraced: cpu%u: %" PRIu64 " events, %" PRIu64 " lost, ",
			cpu->cpu, cpu->recorded, cpu->lost);
		if (cpu->skipped == STATUS_UNKNOWN)
			fprintf(stderr, "skipped unknown, ");
		else
			fprintf(stderr, "%" PRIu64 " skipped, ", cpu->skipped);
		fprintf(stderr, "%" PRIu64 " rescued, ", cpu->rescued);
		fprintf(stderr, "%" PRIu64 " own\n", cpu->own);
	}
}

static void say_end(const struct session *session)
{
	struct session_sums sums;

	session_sums(session, &sums);
	if (session->options->verbose)
		say_cpus(&session->status);
	if (session->options->publish)
		fprintf(stderr,
			"kmemtraced: %s: %" PRIu64 " events folded, %" PRIu64 " not, %" PRIu64
			" lost, %" PRIu64 " skipped, %.3f s\n",
			session->options->publish, publish_aggregated(&session->publish),
			publish_missing(&session->publish), sums.lost, session->skips.told,
			(session->end - session->begin) / 1e9);
	if (session->options->no_capture)
		return;
	fprintf(stderr,
		"kmemtraced: %s: %" PRIu64 " events, %" PRIu64 " lost, %" PRIu64
		" skipped, %" PRIu64 " bytes, %.3f s\n",
		session->directory.path, sums.recorded, sums.lost, session->skips.told, sums.bytes,
		(session->end - session->begin) / 1e9);
}

/* A capture that failed under way is still finished: what was captured is kept. */
static int capture(struct session *session)
{
	int err, failed;

	err = session_run(session);
	if (err) {
		progress_clear(&session->progress);
		fprintf(stderr, "kmemtraced: %s\n", session->errmsg);
		snprintf(session->status.stopped, sizeof(session->status.stopped), "%s",
			 session->errmsg);
	}
	failed = session_finish(session);
	if (failed && !err)
		fprintf(stderr, "kmemtraced: %s\n", session->errmsg);
	if (!session->options->quiet)
		say_end(session);
	return err ? err : failed;
}

int main(int argc, char **argv)
{
	struct session session;
	struct options options;
	struct signals signals;
	int err, result = 0;

	options_parse(&options, argc, argv);
	if (options.doctor) {
		result = doctor_run(&options);
		options_deinit(&options);
		return result;
	}
	signals_set(&signals);
	err = session_open(&session, &options, &signals);
	if (err) {
		fprintf(stderr, "kmemtraced: %s\n", session.errmsg);
	} else {
		err = capture(&session);
		/* whoever stops us, stops what we started; a terminal's ^C has reached it already
		 */
		command_wait(&session.command, signals_stop() ? SIGTERM : 0);
	}
	if (err)
		result = 2;
	else if (options.command)
		result = command_exit(&session.command);
	session_close(&session);
	options_deinit(&options);
	return result;
}
