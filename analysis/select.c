// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses the options that select a part of a capture, and applies them. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "base/utc.h"
#include "analysis/select.h"
#include "kernel/context_names.h"

void select_deinit(struct select *select)
{
	free(select->comm);
	if (select->has_site)
		regfree(&select->site);
	if (select->has_cache)
		regfree(&select->cache);
	memset(select, 0, sizeof(*select));
}

/* Times. */

static int parse_moment(struct select *select, const char *option, const char *text, size_t length,
			uint64_t *ns, bool *is_date)
{
	*is_date = utc_parse(text, length, ns);
	if (*is_date || duration_parse(text, length, ns))
		return 0;
	return error_format(&select->error, -EINVAL,
			    "%s: \"%.*s\" is not a time: give " DURATION_UNITS
			    ", or a date in UTC, such as " DATE_EXAMPLE,
			    option, (int)(length < 60 ? length : 60), text);
}

int select_time(struct select *select, const char *text)
{
	const char *comma = strchr(text, ',');
	bool after_is_date = false, before_is_date = false;
	uint64_t after = 0, before = 0;
	int err = 0;

	if (!comma)
		return error_format(
			&select->error, -EINVAL,
			"--time: \"%.60s\" has no comma: give A,B, such as 0.5,2 or 10ms,", text);
	if (comma != text)
		err = parse_moment(select, "--time", text, (size_t)(comma - text), &after,
				   &after_is_date);
	if (!err && comma[1]) {
		err = parse_moment(select, "--time", comma + 1, strlen(comma + 1), &before,
				   &before_is_date);
		if (!err && (!before || (after_is_date == before_is_date && before <= after)))
			err = error_format(&select->error, -EINVAL,
					   "--time: \"%.60s\": the end must be after the start",
					   text);
	}
	if (err)
		return err;
	select->after = after;
	select->before = before;
	select->after_is_date = after_is_date;
	select->before_is_date = before_is_date;
	return 0;
}

int select_at(struct select *select, const char *text)
{
	bool is_date;
	uint64_t before;
	int err = parse_moment(select, "--at", text, strlen(text), &before, &is_date);

	if (err)
		return err;
	if (!before)
		return error_format(&select->error, -EINVAL,
				    "--at: nothing is known about the heap before the capture");
	select->after = 0;
	select->before = before;
	select->after_is_date = false;
	select->before_is_date = is_date;
	select->is_at = true;
	return 0;
}

int select_older(struct select *select, const char *text)
{
	if (duration_parse(text, strlen(text), &select->older))
		return 0;
	return error_format(&select->error, -EINVAL,
			    "--older: \"%.60s\" is not a time: give " DURATION_UNITS, text);
}

/* Lists. */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int select_list(struct select *select, struct select_list *list, const char *option,
		const char *text)
{
	struct select_list new = { 0 };
	const char *at = text;

	for (;;) {
		uint64_t first, last;

		if (!is_digit(*at) || !number_parse(&at, 10, &first))
			break;
		last = first;
		if (*at == '-' && (!is_digit(*++at) || !number_parse(&at, 10, &last)))
			break;
		if (last < first || last > UINT32_MAX)
			break;
		if (new.count == SELECT_LIST_MAX)
			return error_format(&select->error, -EINVAL,
					    "%s: more than %d numbers or ranges", option,
					    SELECT_LIST_MAX);
		new.list[new.count++] = (struct select_range){ (uint32_t)first, (uint32_t)last };
		if (!*at) {
			*list = new;
			return 0;
		}
		if (*at++ != ',')
			break;
	}
	return error_format(
		&select->error, -EINVAL,
		"%s: \"%.60s\" is not a list of numbers, such as 3 or 0-3,8%s", option, text,
		strcmp(option, "--pid") ? "" : ": --comm=NAME takes the name of a task");
}

static bool list_holds(const struct select_list *list, uint32_t number)
{
	for (size_t i = 0; i < list->count; i++)
		if (number >= list->list[i].first && number <= list->list[i].last)
			return true;
	return false;
}

/* Texts. */

int select_comm(struct select *select, const char *text)
{
	char *comm = strdup(text);

	if (!comm)
		return -ENOMEM;
	free(select->comm);
	select->comm = comm;
	return 0;
}

static int select_regex(struct select *select, regex_t *regex, bool *has, const char *option,
			const char *text)
{
	char errmsg[100];
	regex_t new;
	int err;

	err = regcomp(&new, text, REG_EXTENDED | REG_NOSUB);
	if (err == REG_ESPACE)
		return -ENOMEM;
	if (err) {
		regerror(err, &new, errmsg, sizeof(errmsg));
		return error_format(&select->error, -EINVAL,
				    "%s: \"%.60s\" is not a regular expression: %s", option, text,
				    errmsg);
	}
	if (*has)
		regfree(regex);
	*regex = new;
	*has = true;
	return 0;
}

int select_site(struct select *select, const char *text)
{
	return select_regex(select, &select->site, &select->has_site, "--site", text);
}

int select_cache(struct select *select, const char *text)
{
	int taken, err = select_regex(select, &select->cache, &select->has_cache, "--cache", text);

	if (err)
		return err;
	taken = select_takes_cache(select, "");
	select->leaves_unknown_cache = !taken;
	return taken < 0 ? taken : 0;
}

/* Sizes. */

static int parse_size(struct select *select, const char *option, const char *text, uint32_t *size)
{
	uint64_t bytes;

	if (!size_parse(text, 1, &bytes) || bytes > UINT32_MAX)
		return error_format(
			&select->error, -EINVAL,
			"%s: \"%.60s\" is not a size: give bytes, or a number with k, M or G, below 4G",
			option, text);
	*size = (uint32_t)bytes;
	return 0;
}

static int check_sizes(struct select *select)
{
	if (!select->has_max_size || select->min_size <= select->max_size)
		return 0;
	return error_format(&select->error, -EINVAL, "--min-size %u is more than --max-size %u",
			    select->min_size, select->max_size);
}

int select_min_size(struct select *select, const char *text)
{
	int err = parse_size(select, "--min-size", text, &select->min_size);

	return err ? err : check_sizes(select);
}

int select_max_size(struct select *select, const char *text)
{
	int err = parse_size(select, "--max-size", text, &select->max_size);

	if (err)
		return err;
	select->has_max_size = true;
	return check_sizes(select);
}

/* The selected events. */

bool select_is_partial(const struct select *select)
{
	return select->pids.count || select->cpus.count || select->nodes.count || select->comm ||
	       select->has_site || select->has_cache || select->has_max_size || select->min_size;
}

bool select_takes_size(const struct select *select, uint32_t requested)
{
	return requested >= select->min_size &&
	       (!select->has_max_size || requested <= select->max_size);
}

int select_takes_site(const struct select *select, const char *text)
{
	return select->has_site ? text_matches(&select->site, text) : 1;
}

int select_takes_cache(const struct select *select, const char *name)
{
	return select->has_cache ? text_matches(&select->cache, name) : 1;
}

bool select_takes_cpu(const struct select *select, const struct topology *topology, uint16_t cpu)
{
	const struct topology_cpu *known;

	if (select->cpus.count && !list_holds(&select->cpus, cpu))
		return false;
	if (!select->nodes.count)
		return true;
	known = topology_find(topology, cpu);
	return known && known->node >= 0 && list_holds(&select->nodes, (uint32_t)known->node);
}

bool select_takes_task(const struct select *select, const struct tasks *tasks,
		       const struct event *event)
{
	const struct task *task;

	if (!select->pids.count && !select->comm)
		return true;
	if (event->context != KMT_CONTEXT_TASK)
		return !select->pids.count && !strcmp(context_name(event->context), select->comm);
	task = tasks_find(tasks, event->task, event->time);
	if (select->comm && (!task || strcmp(task->comm, select->comm)))
		return false;
	/* an unknown thread may be the first of its process, whose pid equals its tid */
	return !select->pids.count || list_holds(&select->pids, task ? task->tgid : event->task);
}
