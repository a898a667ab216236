// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Makes the readings of the triggers from the counters of the session and the published figures. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/message.h"
#include "tracer/host/victim_name.h"
#include "tracer/trigger_watch.h"

#define WAIT_PAUSE_NS 5000000
#define WAIT_PAUSES 6000	  /* half a minute */
#define HOLDERS_WAIT 500000000ULL /* ns: an OOM kill is reported without them after it */

int trigger_watch_start(struct trigger_watch *watch, const struct saved_process_state *saved)
{
	const struct options *options = watch->pieces->options;
	struct trigger_process_settings settings = {
		.command = options->triggers.command,
		.full = options->triggers.full,
		.saved = saved,
		.other_pipes = { -1, -1 },
	};
	int err;

	if (!settings.command && !settings.full && !options->rotation.overwrite &&
	    !watch->dumps.left.count)
		return 0;
	settings.path = watch->pieces->path;
	settings.dump = trigger_dump_settings(watch->pieces);
	settings.left = &watch->dumps.left;
	if (options->rotation.enabled) {
		settings.other_pipes[0] = watch->pieces->keeper.worker.requests;
		settings.other_pipes[1] = watch->pieces->keeper.worker.answers;
	}
	err = trigger_process_start(&watch->process, &settings);
	/* the process has them now */
	set_dump_left_deinit(&watch->dumps.left);
	return err ? error_set_at(watch->pieces->error, err, "the process for --trigger-command")
		   : 0;
}

void trigger_watch_close(struct trigger_watch *watch)
{
	journal_close(&watch->journal);
	worker_close(&watch->process);
	set_dump_left_deinit(&watch->dumps.left);
	for (size_t i = 0; i < watch->count; i++)
		trigger_state_deinit(&watch->states[i]);
}

/* A name that is mostly mistyped. */
static void check_name(struct trigger_state *state)
{
	trigger_names_check(&state->trigger, &trigger_name_files, state->doubt);
	if (*state->doubt)
		error_msg("trigger '%s': %s", state->trigger.text, state->doubt);
}

int trigger_watch_open(struct trigger_watch *watch)
{
	const struct trigger_options *options = &watch->pieces->options->triggers;
	struct publish *publish = watch->pieces->publish;
	int err;

	for (; watch->count < options->count; watch->count++) {
		err = trigger_state_init(&watch->states[watch->count],
					 &options->list[watch->count]);
		if (err)
			return error_set_at(watch->pieces->error, err, "the triggers");
		check_name(&watch->states[watch->count]);
	}
	watch->pause_ns = options->pause_ns;
	if (!publish || !publish->figures.enabled)
		return 0;
	watch->published = &publish->figures;
	/* no other thread has the lock yet */
	publish_figures_want(watch->published, options->list, options->count);
	return 0;
}

/* Takes over the state of a trigger that was there before; else -ENOENT. */
static int keep_state(struct trigger_watch *watch, const struct trigger *trigger,
		      struct trigger_state *state)
{
	for (size_t i = 0; i < watch->count; i++)
		if (!strcmp(watch->states[i].trigger.text, trigger->text)) {
			*state = watch->states[i];
			watch->states[i] = (struct trigger_state){ 0 };
			return 0;
		}
	return -ENOENT;
}

/* An OOM kill before a trigger is there does not fire it. */
static int add_state(struct trigger_watch *watch, const struct trigger *trigger,
		     struct trigger_state *state)
{
	int err = trigger_state_init(state, trigger);

	if (trigger->kind == TRIGGER_OOM)
		state->seen = state->kills = watch->kills;
	return err;
}

int trigger_watch_replace(struct trigger_watch *watch, const struct trigger_options *options)
{
	struct trigger_state states[TRIGGERS_MAX] = { 0 };
	int err = 0;

	for (size_t i = 0; i < options->count && !err; i++)
		err = add_state(watch, &options->list[i], &states[i]);
	for (size_t i = 0; i < options->count && !err; i++) {
		struct trigger_state before;

		if (keep_state(watch, &options->list[i], &before)) {
			check_name(&states[i]);
			continue;
		}
		trigger_state_deinit(&states[i]);
		states[i] = before;
	}
	for (size_t i = 0; i < (err ? options->count : watch->count); i++)
		trigger_state_deinit(err ? &states[i] : &watch->states[i]);
	if (err)
		return err;
	memcpy(watch->states, states, sizeof(states));
	watch->count = options->count;
	/* the publishing thread has the lock for a copy only */
	while (watch->published &&
	       !publish_figures_want(watch->published, options->list, options->count))
		sched_yield();
	return 0;
}

int trigger_watch_begin(struct trigger_watch *watch)
{
	const struct trigger_sample nothing = { .time = watch->pieces->begin };
	const struct process_probes *process = &watch->pieces->programs->process;

	for (size_t i = 0; i < watch->count; i++) {
		struct trigger_state *state = &watch->states[i];

		if (state->trigger.kind == TRIGGER_OOM && !process->ways[PROBE_OOM_KILL]) {
			return error_format(watch->pieces->error, -ENOTSUP,
					    "--trigger %s: OOM kills cannot be recorded here: %s",
					    state->trigger.text, process->reasons[PROBE_OOM_KILL]);
		}
		trigger_state_step(state, &nothing, watch->pause_ns);
	}
	return 0;
}

void trigger_watch_oom_kill(struct trigger_watch *watch, const struct oom_kill *kill)
{
	struct trigger_victim *victim = &watch->victim;

	if (!watch->count)
		return;
	*victim = (struct trigger_victim){ .pid = kill->victim, .time = kill->time };
	victim_name(kill->victim, watch->pieces->present.directory.fd, victim->name,
		    sizeof(victim->name));
}

static uint64_t count_oom_kills(const struct trigger_watch *watch)
{
	uint64_t kills = 0;

	for (unsigned int i = 0; i < watch->pieces->streams->rings.possible_cpus; i++)
		if (watch->pieces->streams->draining[i])
			kills += watch->pieces->streams->drains[i].oom_kills;
	return kills;
}

/* The message names the holders of that moment, as soon as they are known. */
static bool is_reportable(const struct trigger_watch *watch, uint64_t now)
{
	return !watch->published || watch->figures.time >= watch->victim.time ||
	       now >= watch->victim.time + HOLDERS_WAIT;
}

/* Counters of the whole session. */
static void take_counters(struct trigger_watch *watch, uint64_t now)
{
	struct stream_sums sums = streams_sums(watch->pieces->streams);
	uint64_t kills = count_oom_kills(watch);

	watch->recorded = sums.recorded;
	watch->lost = streams_lost(watch->pieces->streams);
	watch->skipped = watch->pieces->misses->reported;
	if (watch->published)
		publish_figures_get(watch->published, &watch->figures);
	if (kills != watch->kills && is_reportable(watch, now))
		watch->kills = kills;
}

/* The reading of a trigger. False: there is none. */
static bool make_reading(const struct trigger_watch *watch, size_t number, uint64_t now,
			 struct trigger_sample *reading)
{
	const struct figures *figures = &watch->figures;
	const struct trigger_state *state = &watch->states[number];

	*reading = (struct trigger_sample){ .time = now,
					    .whole = watch->recorded + watch->lost + watch->skipped,
					    .audited = UINT64_MAX };
	switch (state->trigger.kind) {
	case TRIGGER_LOST:
		reading->part = watch->lost;
		return true;
	case TRIGGER_SKIPPED:
		reading->part = watch->skipped;
		return true;
	case TRIGGER_OOM:
		reading->part = watch->kills;
		return true;
	default:
		reading->time = figures->time;
		reading->part = figures->live_of[number];
		if (watch->is_audited)
			reading->audited = figures->audited;
		return figures->time > watch->pieces->begin &&
		       figures->generation == watch->published->generation;
	}
}

/* The name of a trigger came with a module. */
static void forget_doubts(struct trigger_watch *watch)
{
	for (size_t i = 0; i < watch->count; i++)
		if (watch->figures.generation == watch->published->generation &&
		    (watch->figures.found >> i & 1))
			*watch->states[i].doubt = '\0';
}

char *trigger_watch_doubts(const struct trigger_watch *watch)
{
	const char *separator = "";
	bool has_doubts = false;
	char *text = NULL;
	size_t size;
	FILE *file;

	for (size_t i = 0; i < watch->count; i++)
		has_doubts |= *watch->states[i].doubt;
	file = has_doubts ? text_open(&text, &size) : NULL;
	if (!file)
		return NULL;
	for (size_t i = 0; i < watch->count; i++) {
		const struct trigger_state *state = &watch->states[i];

		if (!*state->doubt)
			continue;
		fprintf(file, "%s%s: %s", separator, state->trigger.text, state->doubt);
		separator = "; ";
	}
	return text_close(file, &text) ? NULL : text;
}

static void take_answers(struct trigger_watch *watch)
{
	struct trigger_answer answer;

	while (trigger_process_answer(&watch->process, &answer)) {
		trigger_report_answer(watch, &answer);
		if (*answer.path && !answer.is_full)
			trigger_dump_written(watch, &answer);
	}
}

int trigger_watch_finish(struct trigger_watch *watch)
{
	const struct timespec pause = { .tv_nsec = WAIT_PAUSE_NS };
	struct worker *process = &watch->process;
	int status = 0;
	bool ended;

	trigger_dump_finish(watch);
	ended = trigger_process_ends(process, &status);
	for (int i = 0; i < WAIT_PAUSES && !ended; i++) {
		nanosleep(&pause, NULL);
		take_answers(watch);
		ended = trigger_process_ends(process, &status);
	}
	take_answers(watch);
	if (ended && status)
		trigger_dump_fail(watch, status);
	if (!ended)
		info_msg(
			"a dump, or a command of --trigger-command, is not finished: kmemtraced does not wait for it any more");
	return *watch->failure ? error_set(watch->pieces->error, -ECHILD, watch->failure) : 0;
}

bool trigger_watch_needs_audit(const struct trigger_watch *watch)
{
	for (size_t i = 0; i < watch->count; i++)
		if (watch->states[i].needs_audit)
			return true;
	return false;
}

void trigger_watch_step(struct trigger_watch *watch, uint64_t now)
{
	take_answers(watch);
	trigger_dump_check(watch);
	if (!watch->count)
		return;
	take_counters(watch, now);
	if (watch->published)
		forget_doubts(watch);
	for (size_t i = 0; i < watch->count; i++) {
		struct trigger_sample reading;

		if (make_reading(watch, i, now, &reading) &&
		    trigger_state_step(&watch->states[i], &reading, watch->pause_ns))
			trigger_report(watch, &watch->states[i]);
	}
}
