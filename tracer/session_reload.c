// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A file with an error changes nothing. Options that cannot change while kmemtraced runs are only
 * compared: one message names them.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/message.h"
#include "cli/stop.h"
#include "cli/value_range.h"
#include "tracer/publish/publish_metrics.h"
#include "tracer/publish/publish_summaries.h"
#include "tracer/session_reload.h"
#include "tracer/session_triggers.h"

struct reload {
	struct session *session;
	struct config_lines lines; /* the new ones */
	struct trigger_options triggers;
	uint64_t metrics_interval_ns;
	uint64_t summaries_keep_ns, summaries_max;
	char errmsg[500];
};

void session_reload_open(struct session *session)
{
	if (session->options->config.is_open)
		stop_make_request(SIGHUP);
}

static int fail(struct reload *reload, const struct config_line *line, const char *why)
{
	snprintf(reload->errmsg, sizeof(reload->errmsg), "%s:%u: %s: %s",
		 reload->session->options->config.origin.file, line->number, line->name, why);
	return -EINVAL;
}

static int take_trigger(struct reload *reload, const struct config_line *line)
{
	struct trigger_options *triggers = &reload->triggers;
	struct trigger *trigger = &triggers->list[triggers->count];
	const struct session *session = reload->session;
	struct trigger_error error;
	char why[300];

	if (triggers->count == TRIGGERS_MAX)
		return fail(reload, line, "there are too many triggers");
	if (!line->value)
		return fail(reload, line, "needs a value: trigger = CONDITION");
	if (trigger_parse(trigger, line->value, &error)) {
		snprintf(why, sizeof(why), "character %zu: %s", error.column, error.text);
		return fail(reload, line, why);
	}
	if (trigger_needs_figures(trigger) && !session->publish.figures.enabled)
		return fail(
			reload, line,
			"live bytes are known only if kmemtraced was started with such a trigger: restart it");
	if (trigger->kind == TRIGGER_OOM && !session->programs.process.ways[PROBE_OOM_KILL])
		return fail(
			reload, line,
			"OOM kills are recorded only if kmemtraced was started with this trigger: restart it");
	triggers->count++;
	return 0;
}

static int take_value(struct reload *reload, const struct config_line *line,
		      const struct value_range *range, uint64_t *value)
{
	char why[400];

	return value_parse(range, line->value, value, why, sizeof(why)) ? 0
									: fail(reload, line, why);
}

static int take_pause(struct reload *reload, const struct config_line *line)
{
	return take_value(reload, line, &trigger_pause, &reload->triggers.pause_ns);
}

static int take_interval(struct reload *reload, const struct config_line *line)
{
	return take_value(reload, line, &metrics_interval, &reload->metrics_interval_ns);
}

static int take_keep(struct reload *reload, const struct config_line *line)
{
	return take_value(reload, line, &summaries_keep, &reload->summaries_keep_ns);
}

static int take_max(struct reload *reload, const struct config_line *line)
{
	int err = take_value(reload, line, &summaries_max, &reload->summaries_max);

	if (reload->summaries_max == UINT64_MAX)
		reload->summaries_max = 0;
	return err;
}

/* The options that can change. */
static const struct changeable {
	const char *name;
	int (*take)(struct reload *reload, const struct config_line *line);
} changeables[] = {
	{ "trigger", take_trigger },	       { "trigger-pause", take_pause },
	{ "metrics-interval", take_interval }, { "summaries-keep", take_keep },
	{ "summaries-max-disk", take_max },
};
#define CHANGEABLES (sizeof(changeables) / sizeof(*changeables))

static const struct changeable *find_changeable(const char *name)
{
	for (size_t i = 0; i < CHANGEABLES; i++)
		if (!strcmp(changeables[i].name, name))
			return &changeables[i];
	return NULL;
}

static int take_lines(struct reload *reload)
{
	int err = 0;

	reload->triggers.pause_ns = TRIGGER_PAUSE_DEFAULT;
	reload->metrics_interval_ns = METRICS_INTERVAL_DEFAULT;
	reload->summaries_keep_ns = SUMMARIES_KEEP_DEFAULT;
	reload->summaries_max = reload->session->options->ship.url ? SUMMARIES_SHIP_MAX : 0;
	for (size_t i = 0; i < reload->lines.count && !err; i++) {
		const struct config_line *line = &reload->lines.list[i];
		const struct changeable *changeable = find_changeable(line->name);

		err = changeable ? changeable->take(reload, line) : 0;
	}
	return err;
}

static const struct config_lines *lines_before(const struct session *session)
{
	return session->reloaded.text ? &session->reloaded : &session->options->config.lines;
}

static bool has_changed(const struct reload *reload, const char *name)
{
	const struct config_file *config = &reload->session->options->config;

	for (size_t i = 0; i < config->name_count; i++)
		if (!strcmp(config->names[i], name) && config->on_command_line[i])
			return false;
	return !config_lines_agree(lines_before(reload->session), &reload->lines, name);
}

/* 0, or -ENOMEM: nothing has changed. */
static int apply(struct reload *reload)
{
	struct session *session = reload->session;
	struct session_triggers *triggers = &session->triggers;

	if (has_changed(reload, "trigger")) {
		int err = session_triggers_replace(session, &reload->triggers);

		if (err)
			return err;
	}
	if (has_changed(reload, "trigger-pause"))
		triggers->pause_ns = reload->triggers.pause_ns;
	if (has_changed(reload, "metrics-interval") && session->options->metrics.path)
		publish_metrics_set_interval(&session->publish, reload->metrics_interval_ns);
	if (has_changed(reload, "summaries-keep") && session->options->summaries.interval_ns)
		publish_summaries_set_keep(&session->publish, reload->summaries_keep_ns);
	if (has_changed(reload, "summaries-max-disk") && session->options->summaries.interval_ns)
		publish_summaries_set_max(&session->publish, reload->summaries_max);
	return 0;
}

static void write_names(const struct reload *reload, FILE *file, bool changeable)
{
	const struct config_file *config = &reload->session->options->config;
	const char *separator = "";

	for (size_t i = 0; i < config->name_count; i++) {
		const char *name = config->names[i];

		if (!find_changeable(name) == changeable || config->on_command_line[i])
			continue;
		/* an option that needs a restart is the same as at the start */
		if (changeable ? !has_changed(reload, name)
			       : config_lines_agree(&config->lines, &reload->lines, name))
			continue;
		fprintf(file, "%s%s", separator, name);
		separator = ", ";
	}
}

/* The names, as in "trigger, trigger-pause", to be freed; NULL: no memory. */
static char *list_names(const struct reload *reload, bool changeable)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	write_names(reload, file, changeable);
	return text_close(file, &text) ? NULL : text;
}

static void say_result(const struct reload *reload, const char *changed)
{
	char *fixed = list_names(reload, false);

	info_msg("%s: read again: %s changed%s%s", reload->session->options->config.origin.file,
		 changed && *changed ? changed : "nothing has",
		 fixed && *fixed ? "; these change at the next start only: " : "",
		 fixed ? fixed : "");
	free(fixed);
}

static int read_again(struct reload *reload)
{
	int err = config_file_reread(&reload->session->options->config, &reload->lines,
				     reload->errmsg, sizeof(reload->errmsg));

	if (!err)
		err = take_lines(reload);
	if (err != -ENOMEM)
		return err;
	snprintf(reload->errmsg, sizeof(reload->errmsg), "%s: %s",
		 reload->session->options->config.origin.file, strerror(ENOMEM));
	return err;
}

static void reload(struct session *session)
{
	struct reload reload = { .session = session };
	char *changed = NULL;
	int err = read_again(&reload);

	if (!err) {
		changed = list_names(&reload, true);
		err = apply(&reload);
	}
	if (err) {
		error_msg("%s: the file is not used, and nothing changes",
			  *reload.errmsg ? reload.errmsg : strerror(-err));
		config_lines_deinit(&reload.lines);
	} else {
		say_result(&reload, changed);
		shipper_restart(&session->shipper);
		config_lines_deinit(&session->reloaded);
		session->reloaded = reload.lines;
	}
	free(changed);
}

void session_reload_step(struct session *session)
{
	if (stop_take_request(SIGHUP))
		reload(session);
}
