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
#include "tracer/publishing.h"
#include "tracer/trigger_dump.h"
#include "tracer/trigger_report.h"
#include "tracer/trigger_watch.h"

#define WAIT_PAUSE_NS 5000000
#define WAIT_PAUSES 6000	  /* half a minute */
#define HOLDERS_WAIT 500000000ULL /* ns: an OOM kill is reported without them after it */

int session_triggers_start(struct session *session)
{
	const struct options *options = session->options;
	struct trigger_process_settings settings = {
		.command = options->triggers.command,
		.full = options->triggers.full,
		.saved = &session->saved_state,
		.other_pipes = { -1, -1 },
	};
	int err;

	if (!settings.command && !settings.full && !options->rotation.overwrite &&
	    !session->dump.left.count)
		return 0;
	settings.path = session->pieces.path;
	settings.dump = session_dump_settings(session);
	settings.left = &session->dump.left;
	if (options->rotation.enabled) {
		settings.other_pipes[0] = session->pieces.keeper.worker.requests;
		settings.other_pipes[1] = session->pieces.keeper.worker.answers;
	}
	err = trigger_process_start(&session->trigger_process, &settings);
	/* the process has them now */
	set_dump_left_deinit(&session->dump.left);
	return err ? error_set_at(&session->error, err, "the process for --trigger-command") : 0;
}

/* A name that is mostly mistyped. */
static void check_name(struct trigger_state *state)
{
	trigger_names_check(&state->trigger, &trigger_name_files, state->doubt);
	if (*state->doubt)
		error_msg("trigger '%s': %s", state->trigger.text, state->doubt);
}

int session_triggers_open(struct session *session)
{
	const struct trigger_options *options = &session->options->triggers;
	struct session_triggers *triggers = &session->triggers;
	int err;

	for (; triggers->count < options->count; triggers->count++) {
		err = trigger_state_init(&triggers->states[triggers->count],
					 &options->list[triggers->count]);
		if (err)
			return error_set_at(&session->error, err, "the triggers");
		check_name(&triggers->states[triggers->count]);
	}
	triggers->pause_ns = options->pause_ns;
	/* no other thread has the lock yet */
	if (session->publish.figures.enabled)
		publish_figures_want(&session->publish.figures, options->list, options->count);
	return 0;
}

/* Takes over the state of a trigger that was there before; else -ENOENT. */
static int keep_state(struct session_triggers *triggers, const struct trigger *trigger,
		      struct trigger_state *state)
{
	for (size_t i = 0; i < triggers->count; i++)
		if (!strcmp(triggers->states[i].trigger.text, trigger->text)) {
			*state = triggers->states[i];
			triggers->states[i] = (struct trigger_state){ 0 };
			return 0;
		}
	return -ENOENT;
}

/* An OOM kill before a trigger is there does not fire it. */
static int add_state(struct session_triggers *triggers, const struct trigger *trigger,
		     struct trigger_state *state)
{
	int err = trigger_state_init(state, trigger);

	if (trigger->kind == TRIGGER_OOM)
		state->seen = state->kills = triggers->kills;
	return err;
}

int session_triggers_replace(struct session *session, const struct trigger_options *options)
{
	struct session_triggers *triggers = &session->triggers;
	struct trigger_state states[TRIGGERS_MAX] = { 0 };
	int err = 0;

	for (size_t i = 0; i < options->count && !err; i++)
		err = add_state(triggers, &options->list[i], &states[i]);
	for (size_t i = 0; i < options->count && !err; i++) {
		struct trigger_state before;

		if (keep_state(triggers, &options->list[i], &before)) {
			check_name(&states[i]);
			continue;
		}
		trigger_state_deinit(&states[i]);
		states[i] = before;
	}
	for (size_t i = 0; i < (err ? options->count : triggers->count); i++)
		trigger_state_deinit(err ? &states[i] : &triggers->states[i]);
	if (err)
		return err;
	memcpy(triggers->states, states, sizeof(states));
	triggers->count = options->count;
	/* the publishing thread has the lock for a copy only */
	while (session->publish.figures.enabled &&
	       !publish_figures_want(&session->publish.figures, options->list, options->count))
		sched_yield();
	return 0;
}

int session_triggers_begin(struct session *session)
{
	const struct trigger_sample nothing = { .time = session->pieces.begin };
	const struct process_probes *process = &session->programs.process;

	for (size_t i = 0; i < session->triggers.count; i++) {
		struct trigger_state *state = &session->triggers.states[i];

		if (state->trigger.kind == TRIGGER_OOM && !process->ways[PROBE_OOM_KILL]) {
			return error_format(&session->error, -ENOTSUP,
					    "--trigger %s: OOM kills cannot be recorded here: %s",
					    state->trigger.text, process->reasons[PROBE_OOM_KILL]);
		}
		trigger_state_step(state, &nothing, session->triggers.pause_ns);
	}
	return 0;
}

void session_triggers_oom_kill(struct session *session, const struct oom_kill *kill)
{
	struct trigger_victim *victim = &session->triggers.victim;

	if (!session->triggers.count)
		return;
	*victim = (struct trigger_victim){ .pid = kill->victim, .time = kill->time };
	victim_name(kill->victim, session->pieces.present.directory.fd, victim->name,
		    sizeof(victim->name));
}

static uint64_t count_oom_kills(const struct session *session)
{
	uint64_t kills = 0;

	for (unsigned int i = 0; i < session->streams.rings.possible_cpus; i++)
		if (session->streams.draining[i])
			kills += session->streams.drains[i].oom_kills;
	return kills;
}

/* The message names the holders of that moment, as soon as they are known. */
static bool is_reportable(const struct session *session, uint64_t now)
{
	const struct session_triggers *triggers = &session->triggers;

	return !session->publish.figures.enabled ||
	       triggers->figures.time >= triggers->victim.time ||
	       now >= triggers->victim.time + HOLDERS_WAIT;
}

/* Counters of the whole session. */
static void take_counters(struct session *session, uint64_t now)
{
	struct session_triggers *triggers = &session->triggers;
	struct stream_sums sums = streams_sums(&session->streams);
	uint64_t kills = count_oom_kills(session);

	triggers->recorded = sums.recorded;
	triggers->lost = streams_lost(&session->streams);
	triggers->skipped = session->misses.reported;
	if (session->publish.figures.enabled)
		publish_figures_get(&session->publish.figures, &triggers->figures);
	if (kills != triggers->kills && is_reportable(session, now))
		triggers->kills = kills;
}

/* The reading of a trigger. False: there is none. */
static bool make_reading(const struct session *session, size_t number, uint64_t now,
			 struct trigger_sample *reading)
{
	const struct session_triggers *triggers = &session->triggers;
	const struct figures *figures = &triggers->figures;
	const struct trigger_state *state = &triggers->states[number];

	*reading = (struct trigger_sample){
		.time = now, .whole = triggers->recorded + triggers->lost + triggers->skipped
	};
	switch (state->trigger.kind) {
	case TRIGGER_LOST:
		reading->part = triggers->lost;
		return true;
	case TRIGGER_SKIPPED:
		reading->part = triggers->skipped;
		return true;
	case TRIGGER_OOM:
		reading->part = triggers->kills;
		return true;
	default:
		reading->time = figures->time;
		reading->part = figures->live_of[number];
		return figures->time > session->pieces.begin &&
		       figures->generation == session->publish.figures.generation;
	}
}

/* The name of a trigger came with a module. */
static void forget_doubts(struct session_triggers *triggers, uint64_t generation)
{
	for (size_t i = 0; i < triggers->count; i++)
		if (triggers->figures.generation == generation &&
		    (triggers->figures.found >> i & 1))
			*triggers->states[i].doubt = '\0';
}

char *session_triggers_doubts(const struct session *session)
{
	const struct session_triggers *triggers = &session->triggers;
	const char *separator = "";
	bool has_doubts = false;
	char *text = NULL;
	size_t size;
	FILE *file;

	for (size_t i = 0; i < triggers->count; i++)
		has_doubts |= *triggers->states[i].doubt;
	file = has_doubts ? open_memstream(&text, &size) : NULL;
	if (!file)
		return NULL;
	for (size_t i = 0; i < triggers->count; i++) {
		const struct trigger_state *state = &triggers->states[i];

		if (!*state->doubt)
			continue;
		fprintf(file, "%s%s: %s", separator, state->trigger.text, state->doubt);
		separator = "; ";
	}
	return text_close(file, &text) ? NULL : text;
}

static void take_answers(struct session *session)
{
	struct trigger_answer answer;

	while (trigger_process_answer(&session->trigger_process, &answer)) {
		trigger_report_answer(session, &answer);
		if (*answer.path && !answer.is_full)
			session_dump_written(session, &answer);
	}
}

void session_triggers_finish(struct session *session)
{
	const struct timespec pause = { .tv_nsec = WAIT_PAUSE_NS };
	struct worker *process = &session->trigger_process;
	bool ended;

	session_dump_finish(session);
	ended = trigger_process_ends(process);
	for (int i = 0; i < WAIT_PAUSES && !ended; i++) {
		nanosleep(&pause, NULL);
		take_answers(session);
		ended = trigger_process_ends(process);
	}
	take_answers(session);
	if (!ended)
		info_msg(
			"a dump, or a command of --trigger-command, is not finished: kmemtraced does not wait for it any more");
}

void session_triggers_step(struct session *session, uint64_t now)
{
	struct session_triggers *triggers = &session->triggers;

	take_answers(session);
	if (!triggers->count)
		return;
	take_counters(session, now);
	forget_doubts(triggers, session->publish.figures.generation);
	for (size_t i = 0; i < triggers->count; i++) {
		struct trigger_sample reading;

		if (make_reading(session, i, now, &reading) &&
		    trigger_state_step(&triggers->states[i], &reading, triggers->pause_ns))
			trigger_report(session, &triggers->states[i]);
	}
}
