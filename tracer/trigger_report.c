// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Says what is true, who holds most, and what the figures do not include. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/text.h"
#include "base/utc.h"
#include "base/worker.h"
#include "cli/message.h"
#include "tracer/load/machine.h"
#include "tracer/trigger_watch.h"

#define SECOND 1000000000ULL

static void write_bytes(FILE *file, uint64_t bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes;
	unsigned int unit = 0;

	for (; value >= 1024 && unit < sizeof(units) / sizeof(*units) - 1; unit++)
		value /= 1024;
	fprintf(file, "%.*f %s", unit ? 1 : 0, value, units[unit]);
}

static void write_duration(FILE *file, uint64_t ns)
{
	if (ns % (60 * SECOND) && ns >= 1000 * SECOND)
		fprintf(file, "%" PRIu64 " min", (uint64_t)(ns / (60 * SECOND)));
	else if (ns % (60 * SECOND))
		fprintf(file, "%.3g s", (double)ns / SECOND);
	else
		fprintf(file, "%" PRIu64 " min", (uint64_t)(ns / (60 * SECOND)));
}

static void write_victim(FILE *file, const struct trigger_victim *victim, uint64_t kills)
{
	fprintf(file, "the kernel killed process %" PRIu32, victim->pid);
	if (*victim->name)
		fprintf(file, " (%s)", victim->name);
	fputs(" for lack of memory", file);
	if (kills > 1)
		fprintf(file, ", and %" PRIu64 " since the last message", kills - 1);
}

/* The time with which growth compares: the window may be longer than the time since the start. */
static void write_begin(FILE *file, const struct trigger_state *state)
{
	const bool since_start = state->span_ns < state->trigger.window_ns;

	fputs(since_start ? "at the start, " : "", file);
	write_duration(file, since_start ? state->span_ns : state->trigger.window_ns);
	fputs(" ago", file);
}

/* The value that is above the limit. */
static void write_value(FILE *file, const struct trigger_watch *watch,
			const struct trigger_state *state)
{
	const char *about = watch->pieces->options->sampling.is_profile ? "about " : "";

	switch (state->trigger.kind) {
	case TRIGGER_LIVE:
		fputs(about, file);
		write_bytes(file, state->value);
		fputs(" are live", file);
		return;
	case TRIGGER_GROWTH:
		fputs(about, file);
		write_bytes(file, state->value);
		fputs(" more than ", file);
		write_begin(file, state);
		return;
	case TRIGGER_OOM:
		write_victim(file, &watch->victim, state->value);
		return;
	default:
		fprintf(file, "%.3g %% of the events of the last ", state->percent);
		write_duration(file, state->trigger.window_ns);
		fprintf(file, ": %" PRIu64, state->value);
		return;
	}
}

/* seconds: of a growth, for its rate; 0: none. */
static void write_holders(FILE *file, const char *what, const struct figures_holder *holders,
			  double seconds)
{
	if (!*holders->name)
		return;
	fprintf(file, "; %s: ", what);
	for (unsigned int i = 0; i < FIGURES_HOLDERS && *holders[i].name; i++) {
		fprintf(file, "%s%s %s", i ? ", " : "", holders[i].name,
			holders[i].is_bound ? "<= " : "");
		write_bytes(file, holders[i].bytes);
		if (seconds <= 0)
			continue;
		fputs(" (", file);
		write_bytes(file, (uint64_t)((double)holders[i].bytes / seconds));
		fputs("/s)", file);
	}
}

/* Of the objects of this trigger: by function, and by process if that is known. */
static void write_culprits(FILE *file, const struct trigger_watch *watch,
			   const struct trigger_state *state)
{
	const struct options *options = watch->pieces->options;
	const struct figures *figures = &watch->figures;
	const struct figures_culprits *culprits = &figures->culprits[state - watch->states];
	double seconds = (double)culprits->growth_ns / SECOND;
	char what[100];

	snprintf(what, sizeof(what), "grew most in the last %.3g s", seconds);
	write_holders(file, what, culprits->growers, seconds);
	write_holders(file, "held most by function", culprits->holders, 0);
	if (!culprits->processes_time) {
		fprintf(file, "; by process: not known %s",
			options->sampling.is_profile ? "with --profile"
			: !options->publish	     ? "without --publish"
			: options->no_details	     ? "with --no-details"
						     : "yet");
		return;
	}
	snprintf(what, sizeof(what), "held most by process, %.2g s ago",
		 (double)(figures->time - culprits->processes_time) / SECOND);
	write_holders(file, what, culprits->processes, 0);
}

static void write_figures(FILE *file, const struct trigger_watch *watch,
			  const struct trigger_state *state)
{
	const struct figures *figures = &watch->figures;

	if (figures->time) {
		if (state->trigger.kind != TRIGGER_LIVE || *state->trigger.name) {
			fputs("; in all ", file);
			write_bytes(file, figures->live);
			fputs(" are live", file);
		}
		write_holders(file, "most by cache", figures->holders[METRICS_CACHE], 0);
		write_holders(file, "most by function", figures->holders[METRICS_FUNCTION], 0);
	}
	fprintf(file, "; since the start %" PRIu64 " lost, %" PRIu64 " skipped", watch->lost,
		watch->skipped);
	if (figures->time)
		fprintf(file, ", %" PRIu64 " not counted", figures->uncounted);
}

static char *make_message(const struct trigger_watch *watch, const struct trigger_state *state)
{
	char *text = NULL;
	size_t size;
	FILE *file = text_open(&text, &size);

	if (!file)
		return NULL;
	fprintf(file, "trigger '%s': ", state->trigger.text);
	write_value(file, watch, state);
	if (trigger_needs_figures(&state->trigger))
		write_culprits(file, watch, state);
	write_figures(file, watch, state);
	return text_close(file, &text) ? NULL : text;
}

static void send_message(const struct trigger_watch *watch, const struct trigger_state *state,
			 const char *message)
{
	const bool is_kill = state->trigger.kind == TRIGGER_OOM;
	char lost[24], skipped[24], victim[24];
	const struct journal_field fields[] = {
		{ "KMEMTRACE_TRIGGER", state->trigger.text },
		{ "KMEMTRACE_LOST", lost },
		{ "KMEMTRACE_SKIPPED", skipped },
		{ "KMEMTRACE_VICTIM", victim },
		{ "KMEMTRACE_VICTIM_NAME", watch->victim.name },
	};
	const size_t count = sizeof(fields) / sizeof(*fields) - (is_kill ? 0 : 2);

	snprintf(lost, sizeof(lost), "%" PRIu64, watch->lost);
	snprintf(skipped, sizeof(skipped), "%" PRIu64, watch->skipped);
	snprintf(victim, sizeof(victim), "%" PRIu32, watch->victim.pid);
	if (!journal_send(&watch->journal, JOURNAL_WARNING, message, fields, count))
		info_msg("%s", message);
}

/* For --status. Without memory, the message is only in the journal. */
static void add_to_status(struct trigger_watch *watch, const char *message)
{
	struct daemon_status *status = watch->daemon_status;
	char *text, when[40];

	utc_text_second(utc_now(), when, sizeof(when));
	if (asprintf(&text, "%s %s", when, message) < 0)
		return;
	free(status->trigger);
	status->trigger = text;
	status->fired++;
}

/* Asks for a dump and for the command. */
static void request_work(struct trigger_watch *watch, const struct trigger_state *state,
			 const char *message)
{
	const struct trigger_options *options = &watch->pieces->options->triggers;
	struct trigger_request request = { 0 };

	if (!options->command && !options->full && !watch->pieces->options->rotation.overwrite)
		return;
	request.time = machine_now();
	snprintf(request.trigger, sizeof(request.trigger), "%s", state->trigger.text);
	snprintf(request.message, sizeof(request.message), "%s", message);
	if (state->trigger.kind == TRIGGER_OOM) {
		request.victim = watch->victim.pid;
		snprintf(request.victim_name, sizeof(request.victim_name), "%s",
			 watch->victim.name);
	}
	trigger_dump_request(watch, &request);
}

static void report_dump(const struct trigger_watch *watch, const struct trigger_answer *answer)
{
	const struct journal_field fields[] = { { "KMEMTRACE_TRIGGER", answer->trigger },
						{ "KMEMTRACE_PATH", answer->path } };
	char message[DUMP_PATH + TRIGGER_LENGTH + 500], incomplete[100] = "";

	if (answer->incomplete)
		snprintf(incomplete, sizeof(incomplete),
			 "; piece.%06" PRIu32 " gets no checkpoint: the piece before it is removed",
			 answer->incomplete);
	if (answer->is_full && answer->err)
		snprintf(message, sizeof(message), "%s: %s cannot be recorded: %s", answer->trigger,
			 answer->path, strerror(-answer->err));
	else if (answer->is_full && answer->status)
		snprintf(message, sizeof(message),
			 "%s: %s: kmemtraced ended with status %d, and says above why",
			 answer->trigger, answer->path, WEXITSTATUS(answer->status));
	else if (answer->is_full)
		snprintf(message, sizeof(message), "%s: %s has every event of the next %s",
			 answer->trigger, answer->path, watch->pieces->options->triggers.full);
	else if (answer->err)
		snprintf(message, sizeof(message), "%s: %s cannot be written: %s", answer->trigger,
			 answer->path, answer->error.text);
	else
		snprintf(
			message, sizeof(message), "%s: %s has the last %" PRIu32 " piece%s%s%s",
			answer->trigger, answer->path, answer->pieces,
			answer->pieces == 1 ? "" : "s",
			answer->is_left
				? ": kmemtraced was killed while it wrote this dump, which is finished now"
				: "",
			incomplete);
	if (!journal_send(&watch->journal, answer->err ? JOURNAL_WARNING : JOURNAL_NOTICE, message,
			  fields, sizeof(fields) / sizeof(*fields)))
		info_msg("%s", message);
}

/* Not the text of the command: others may read the message, but not the configuration file. */
void trigger_report_answer(const struct trigger_watch *watch, const struct trigger_answer *answer)
{
	char text[100];

	if (*answer->path)
		report_dump(watch, answer);
	else if (answer->err)
		error_msg("trigger '%s': --trigger-command: cannot be run: %s", answer->trigger,
			  strerror(-answer->err));
	else if (answer->status)
		error_msg("trigger '%s': --trigger-command: %s", answer->trigger,
			  worker_end_text(answer->status, text, sizeof(text)));
}

void trigger_report(struct trigger_watch *watch, const struct trigger_state *state)
{
	char *message = make_message(watch, state);

	send_message(watch, state, message ? message : state->trigger.text);
	request_work(watch, state, message ? message : state->trigger.text);
	if (message)
		add_to_status(watch, message);
	free(message);
}
