// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Drains the rings every few milliseconds until the capture is over. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/stop.h"
#include "tracer/host/snapshot.h"
#include "tracer/load/machine.h"
#include "tracer/publishing.h"
#include "tracer/session.h"

#define MILLISECOND 1000000ULL
#define PAUSE (5 * MILLISECOND) /* between rounds; a shorter one costs the tasks CPU time */
#define PROFILE_PAUSE (50 * MILLISECOND) /* of a profile whose samples are limited */
#define SHORT_PAUSE (1 * MILLISECOND)	 /* after a ring was a quarter full */
#define SWITCH_WAIT (1000 * MILLISECOND) /* at the end, for a switch that has begun */
#define FLUSH_EVERY (100 * MILLISECOND)	 /* a SIGKILL loses at most this time */

/*
 * Is there time to pack? All rings together must have fewer records than a quarter of one ring:
 * packing those takes less time than any CPU needs to fill the rest of its ring.
 */
static bool has_time_to_pack(const struct session *session)
{
	return !session->streams.packer ||
	       streams_waiting(&session->streams) <= session->streams.rings.slots / 4;
}

/*
 * Samples less often while the samples come too fast. The longest interval is the longest that a
 * CPU took, which may be longer than that of kmemtraced (bpf/sampling.bpf.h).
 */
static void adapt_samples(struct session *session, uint64_t now)
{
	uint64_t *most = &session->pieces.present.status.sampling.interval_most;
	uint64_t samples = 0;

	for (unsigned int i = 0; i < session->streams.rings.possible_cpus; i++) {
		const struct kmt_control *control = &session->streams.rings.controls[i];

		samples += control->samples + control->dropped;
		*most = MAX(*most, control->sample_interval);
	}
	session->programs.variant.totals->sample_interval =
		sample_rate_step(&session->sample_rate, samples, now);
}

/* Ten times a second. */
static int read_counters(struct session *session, uint64_t now)
{
	int err = 0;

	/* time spans of skipped events are written in a capture only; without one, they would fill
	 * the memory of a session that runs for months */
	if (!pieces_are_switching(&session->pieces))
		err = recursion_misses_read(
			&session->misses, &session->programs, &session->streams.rings,
			session->options->no_capture ? NULL : &session->pieces.present.status);
	if (err)
		return error_set_at(&session->error, err, "the spans of skipped events");
	programs_poll(&session->programs);
	pieces_poll_guard(&session->pieces);
	if (session->options->sampling.interval)
		adapt_samples(session, now);
	session->next_flush = now + FLUSH_EVERY;
	return 0;
}

static int drain_cpu(struct session *session, unsigned int cpu, bool flush, bool *filling)
{
	struct drain *drain = &session->streams.drains[cpu];
	long got = drain_run(drain);
	int err = got < 0 ? (int)got : 0;

	if (got > (long)(session->streams.rings.slots / 4))
		*filling = true;
	if (drain->has_oom_kill) {
		trigger_watch_oom_kill(&session->triggers, &drain->last_oom_kill);
		memory_reader_request(&session->memory.reader);
	}
	drain->has_oom_kill = false;
	if (!err && flush)
		err = writer_flush(&drain->writer, 0, pieces_skipped(&session->pieces, cpu), false);
	return err ? error_set(&session->error, err, drain->writer.errmsg)
		   : pieces_switch_stream(&session->pieces, cpu);
}

static int drain_cpus(struct session *session, bool flush, bool *filling)
{
	struct packer *packer = has_time_to_pack(session) ? session->streams.packer : NULL;
	bool has_room = pieces_divide_room(&session->pieces);
	int err = 0;

	for (unsigned int i = 0; i < session->streams.rings.possible_cpus && !err; i++) {
		if (!session->streams.draining[i]) {
			if (session->streams.rings.controls[i].sequence)
				err = pieces_add_stream(&session->pieces, i);
			continue;
		}
		writer_pack(&session->streams.drains[i].writer, packer);
		if (has_room)
			err = drain_cpu(session, i, flush, filling);
		else
			session->streams.drains[i].caught_up = false;
	}
	return err;
}

/* One round over all rings. Returns 1 if one was filling up, 0, or -errno. */
static int drain_all(struct session *session, uint64_t now)
{
	bool flush = now >= session->next_flush, filling = false;
	int err = flush ? read_counters(session, now) : 0;

	if (!err)
		err = drain_cpus(session, flush, &filling);
	session->streams.last_round = now;
	if (!err)
		err = name_tables_read(&session->names);
	if (!err)
		err = memory_table_step(&session->memory, now);
	if (!err)
		trigger_watch_dump(&session->triggers);
	if (!err)
		err = pieces_switch_step(&session->pieces, now);
	if (!err && flush)
		err = publishing_watermark(&session->pieces, now);
	if (!err && flush)
		trigger_watch_step(&session->triggers, now);
	if (!err && flush)
		err = stream_output_step(&session->output, &session->pieces, now);
	return err ? err : filling;
}

static bool is_over(struct session *session, uint64_t now)
{
	struct status *status = &session->pieces.present.status;

	if (stop_signal())
		stop_signal_name(status->stopped, sizeof(status->stopped));
	else if (session->output.ended)
		snprintf(status->stopped, sizeof(status->stopped), "the reader ended");
	else if (session->options->command && command_poll(&session->command))
		snprintf(status->stopped, sizeof(status->stopped), "the command ended");
	else if (session->deadline && now >= session->deadline)
		snprintf(status->stopped, sizeof(status->stopped), "the duration was over");
	else
		return false;
	return true;
}

/*
 * A profile has few records, and may stay on for months: a round without a record costs as much as
 * one with some. Stacks of processes have to be read before the processes end.
 */
static uint64_t usual_pause(const struct options *options)
{
	return options->sampling.is_profile && options->sampling.most &&
			       !options->sampling.user_stacks
		       ? PROFILE_PAUSE
		       : PAUSE;
}

static void pause_until_next_round(const struct session *session, uint64_t now, bool filling)
{
	uint64_t pause = filling ? SHORT_PAUSE : usual_pause(session->options);
	struct timespec time = { 0 };

	if (session->deadline && session->deadline - now < pause)
		pause = session->deadline - now;
	time.tv_nsec = pause;
	nanosleep(&time, NULL);
}

/*
 * A switch to the next piece ends before the capture does: so the last piece has the end of the
 * capture and the last reading of /proc/slabinfo, and does not begin after them. If the CPUs are
 * too busy for that, pieces_switch_finish() ends it later.
 */
static int end_switch(struct session *session)
{
	uint64_t now = machine_now(), deadline = now + SWITCH_WAIT;
	const struct timespec pause = { .tv_nsec = SHORT_PAUSE };
	int result = 0;

	while (pieces_are_switching(&session->pieces) && result >= 0 && now < deadline) {
		result = drain_all(session, now);
		nanosleep(&pause, NULL);
		now = machine_now();
	}
	return result < 0 ? result : 0;
}

static int drain_meanwhile(void *data)
{
	struct session *session = data;
	uint64_t now = machine_now();
	int result = 0;

	if (now - session->streams.last_round >= PAUSE)
		result = drain_all(session, now);
	return result < 0 ? result : 0;
}

/* At the begin and at the end. 0 or -errno. */
static int read_heap(struct session *session)
{
	const struct heap_meanwhile meanwhile = { drain_meanwhile, session };

	return heap_audit_read(&session->audit, &meanwhile);
}

/* The readings for published figures. 0 or -errno. */
static int read_heap_again(struct session *session, uint64_t now)
{
	const struct heap_meanwhile meanwhile = { drain_meanwhile, session };
	bool is_urgent = trigger_watch_needs_audit(&session->triggers);
	int err;

	if (!heap_audit_is_due(&session->audit, now, is_urgent) ||
	    !publishing_takes_reading(&session->pieces))
		return 0;
	err = heap_audit_read_published(&session->audit, &meanwhile,
					__atomic_load_n(&session->publish.reading_cpu_ns,
							__ATOMIC_RELAXED));
	session->triggers.is_audited = heap_audit_works(&session->audit);
	publishing_reading(&session->pieces, &session->audit.published);
	return err;
}

/* The last reading is also that for the published figures, instead of one that is not used yet. */
static int read_heap_at_end(struct session *session)
{
	struct heap_audit *audit = &session->audit;
	size_t before = audit->count;
	int err;

	/* a capture needs both */
	if (!before && !options_aggregate(session->options))
		return 0;
	err = read_heap(session);
	if (audit->count > before)
		publishing_reading(&session->pieces, &audit->readings[before]);
	return err;
}

int session_run(struct session *session)
{
	uint64_t now = machine_now();
	struct stream_sums sums;
	int filling, err = 0;

	kernel_figures_read(&session->figures);
	if (!session->options->no_capture)
		err = read_heap(session);
	if (err)
		return err;
	while (!is_over(session, now)) {
		filling = drain_all(session, now);
		if (filling < 0)
			return filling;
		err = read_heap_again(session, now);
		if (err)
			return err;
		service_step(&session->service, now);
		session_reload_step(session);
		if (session->progress.enabled) {
			sums = streams_sums(&session->streams);
			progress_line_events(&session->progress, sums.recorded, sums.lost);
		}
		now = machine_now();
		if (session->deadline && now >= session->deadline)
			continue;
		pause_until_next_round(session, now, filling);
		now = machine_now();
	}
	filling = end_switch(session);
	kernel_figures_read(&session->figures);
	return filling ? filling : read_heap_at_end(session);
}
