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
#include "tracer/publish/publish_metrics.h"
#include "tracer/publish/publish_summaries.h"
#include "tracer/session.h"

struct reload {
	struct session *session;
	struct config_lines lines; /* the new ones */
	struct options options; /* values of the options that can change; defaults of the others */
	struct error error;
};

void session_reload_open(struct session *session)
{
	if (session->options->config.is_open)
		stop_make_request(SIGHUP);
}

static int refuse_line(struct reload *reload, const struct config_line *line, const char *why)
{
	return error_format(&reload->error, -EINVAL, "%s:%u: %s: %s",
			    reload->session->options->config.path, line->number, line->name, why);
}

static int take_trigger(struct reload *reload, const struct config_line *line)
{
	struct trigger_options *triggers = &reload->options.triggers;
	struct trigger *trigger = &triggers->list[triggers->count];
	const struct session *session = reload->session;
	struct trigger_error error;
	char why[300];

	if (triggers->count == TRIGGERS_MAX)
		return refuse_line(reload, line, "there are too many triggers");
	if (trigger_parse(trigger, line->value, &error)) {
		snprintf(why, sizeof(why), "character %zu: %s", error.column, error.text);
		return refuse_line(reload, line, why);
	}
	if (trigger_needs_figures(trigger) && !session->triggers.published)
		return refuse_line(
			reload, line,
			"live bytes are known only if kmemtraced was started with such a trigger: restart it");
	if (trigger->kind == TRIGGER_OOM && !session->programs.process.ways[PROBE_OOM_KILL])
		return refuse_line(
			reload, line,
			"OOM kills are recorded only if kmemtraced was started with this trigger: restart it");
	triggers->count++;
	return 0;
}

static int take_lines(struct reload *reload)
{
	const struct config_file *config = &reload->session->options->config;
	char why[OPTION_WHY];
	int err = 0;

	options_init(&reload->options);
	for (size_t i = 0; i < reload->lines.count && !err; i++) {
		const struct config_line *line = &reload->lines.list[i];
		const struct program_option *option = config_file_option(config, line->name);

		if (!config_line_store(option, line->value, &reload->options, why))
			err = refuse_line(reload, line, why);
		else if (!strcmp(line->name, "trigger"))
			err = take_trigger(reload, line);
	}
	/* the default of summaries-max-disk depends on what runs */
	reload->options.ship = reload->session->options->ship;
	return err;
}

static const struct config_lines *lines_before(const struct session *session)
{
	return session->reloaded.text ? &session->reloaded : &session->options->config.lines;
}

static bool has_changed(const struct reload *reload, const char *name)
{
	const struct config_file *config = &reload->session->options->config;

	return !config_file_option(config, name)->given &&
	       !config_lines_agree(lines_before(reload->session), &reload->lines, name);
}

/* 0, or -ENOMEM: nothing has changed. */
static int apply_changed_options(struct reload *reload)
{
	struct session *session = reload->session;
	struct trigger_watch *triggers = &session->triggers;

	if (has_changed(reload, "trigger")) {
		int err = trigger_watch_replace(&session->triggers, &reload->options.triggers);

		if (err)
			return err;
	}
	if (has_changed(reload, "trigger-pause"))
		triggers->pause_ns = reload->options.triggers.pause_ns;
	if (has_changed(reload, "metrics-interval") && session->options->metrics.path)
		publish_metrics_set_interval(&session->publish,
					     reload->options.metrics.interval_ns);
	if (has_changed(reload, "summaries-keep") && session->options->summaries.interval_ns)
		publish_summaries_set_keep(&session->publish, reload->options.summaries.keep_ns);
	if (has_changed(reload, "summaries-max-disk") && session->options->summaries.interval_ns)
		publish_summaries_set_max(&session->publish,
					  options_summaries_max(&reload->options));
	return 0;
}

static void write_names(const struct reload *reload, FILE *file, bool changeable)
{
	const struct config_file *config = &reload->session->options->config;
	const char *separator = "";

	for (size_t i = 0; i < config->option_count; i++) {
		const struct option_row *row = config->options[i].row;
		const char *name = row->name;

		if (row->reloads != changeable || config->options[i].given)
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
	FILE *file = text_open(&text, &size);

	if (!file)
		return NULL;
	write_names(reload, file, changeable);
	return text_close(file, &text) ? NULL : text;
}

static void say_result(const struct reload *reload, const char *changed)
{
	char *fixed = list_names(reload, false);

	info_msg("%s: read again: %s changed%s%s", reload->session->options->config.path,
		 changed && *changed ? changed : "nothing has",
		 fixed && *fixed ? "; these change at the next start only: " : "",
		 fixed ? fixed : "");
	free(fixed);
}

static int read_again(struct reload *reload)
{
	int err = config_file_reread(&reload->session->options->config, &reload->lines,
				     &reload->error);

	if (!err)
		err = take_lines(reload);
	return err == -ENOMEM
		       ? error_set_at(&reload->error, err, reload->session->options->config.path)
		       : err;
}

static void reload_options(struct session *session)
{
	struct reload reload = { .session = session };
	char *changed = NULL;
	int err = read_again(&reload);

	if (!err) {
		changed = list_names(&reload, true);
		err = apply_changed_options(&reload);
	}
	if (err) {
		error_msg("%s: the file is not used, and nothing changes",
			  *reload.error.text ? reload.error.text : strerror(-err));
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
		reload_options(session);
}
