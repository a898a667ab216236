// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * All tables come from one text of details, so that they are of one moment and add up to the same.
 * Without details, the statistics file has caches, and functions that call kmalloc().
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "live/top/model.h"

#define SITE_BYTES 512
#define OWNER_BYTES 4200

const char *const top_keys[KEYS] = {
	[KEY_SITE] = "site",   [KEY_FUNCTION] = "function", [KEY_CACHE] = "cache",
	[KEY_COMM] = "comm",   [KEY_PROCESS] = "process",   [KEY_CGROUP] = "cgroup",
	[KEY_STACK] = "stack", [KEY_SYSCALL] = "syscall",
};

int model_init(struct model *model, const char *path)
{
	int err = 0;

	memset(model, 0, sizeof(*model));
	model->path = path;
	for (size_t i = 0; i < KEYS && !err; i++)
		err = top_table_init(&model->tables[i]);
	return err;
}

void model_deinit(struct model *model)
{
	for (size_t i = 0; i < KEYS; i++)
		top_table_deinit(&model->tables[i]);
	stats_file_view_deinit(&model->view);
	details_view_deinit(&model->details);
}

bool model_has_key(const struct model *model, enum top_key key)
{
	if (model_is_sampled(key))
		return model->has_details && model->details.interval;
	if (model_is_profile(model))
		return false;
	return model->has_details || key == KEY_CACHE || key == KEY_FUNCTION;
}

enum top_key model_default_key(const struct model *model)
{
	return model_is_profile(model) ? KEY_STACK : model->has_details ? KEY_SITE : KEY_FUNCTION;
}

const char *model_key_missing(const struct model *model, enum top_key key)
{
	if (model_is_sampled(key))
		return "kmemtraced takes no stacks: start it with --stacks, without --no-details";
	return model_is_profile(model)
		       ? "kmemtraced --profile has stacks only: start it without --profile"
		       : "kmemtraced publishes them without --no-details";
}

void model_set_mark(struct model *model)
{
	for (size_t i = 0; i < KEYS; i++)
		table_set_mark(&model->tables[i]);
}

/* "function+0x10/0x80 [module]": the function without the offset. */
static void function_of(const char *site, char function[SITE_BYTES])
{
	const char *plus = strchr(site, '+'), *module = strchr(site, ' ');
	int length = (int)(plus ? (size_t)(plus - site) : strlen(site));

	snprintf(function, SITE_BYTES, "%.*s%s", length, site, plus && module ? module : "");
}

static int put_pairs(struct model *model)
{
	const struct details_view *details = &model->details;
	int err = 0;

	for (size_t i = 0; i < details->pair_count && !err; i++) {
		const struct details_view_pair *pair = &details->pairs[i];
		const char *site, *cache;
		char function[SITE_BYTES];

		if (!pair->exists)
			continue;
		site = details->sites[pair->site].text;
		cache = details->caches[pair->cache].text;
		function_of(site, function);
		err = table_put(&model->tables[KEY_SITE], site, site, &pair->counts);
		if (!err)
			err = table_put(&model->tables[KEY_FUNCTION], function, function,
					&pair->counts);
		if (!err)
			err = table_put(&model->tables[KEY_CACHE], cache, cache, &pair->counts);
	}
	return err;
}

static int put_owners(struct model *model, enum details_owner owner, enum top_key key)
{
	static const char *const first[DETAILS_FIRST] = {
		[DETAILS_REST] = "(other tasks)",
		[DETAILS_INTERRUPT] = "(interrupts)",
		[DETAILS_UNKNOWN] = "(unknown)",
	};
	const struct details_view *details = &model->details;
	int err = 0;

	for (size_t i = 0; i < details->owner_counts[owner] && !err; i++) {
		const struct details_view_owner *row = &details->owners[owner][i];
		char id[24], name[OWNER_BYTES];

		if (!row->name)
			continue;
		if (i < DETAILS_FIRST) {
			err = table_put(&model->tables[key], first[i], first[i], &row->counts);
		} else if (owner == DETAILS_PROCESS) {
			snprintf(id, sizeof(id), "%" PRIu64, row->id);
			snprintf(name, sizeof(name), "%s %s", id, row->name);
			err = table_put(&model->tables[key], id, name, &row->counts);
		} else {
			err = table_put(&model->tables[key], row->name, row->name, &row->counts);
		}
	}
	return err;
}

/* The rest gives rows to the list, and takes them from it: then it has no rates. */
static int put_sampled(struct model *model, enum details_sampled kind, enum top_key key)
{
	static const char *const rest[DETAILS_SAMPLED] = {
		[DETAILS_STACK] = "(other stacks)",
		[DETAILS_SYSCALL] = "(other calls)",
	};
	const struct details_view *details = &model->details;
	struct top_table *table = &model->tables[key];
	size_t count_before = table->count;
	bool has_rest = false;
	int err = 0;

	table->sampling.interval = details->interval;
	table->sampling.interval_most = details->interval_most;
	for (size_t i = 0; i < details->sampled_counts[kind] && !err; i++) {
		const struct details_view_estimate *row = &details->sampled[kind][i];
		const struct table_errors errors = { row->allocated_error, row->live_error,
						     row->samples, row->live_samples };

		if (!row->name)
			continue;
		has_rest |= !i;
		err = table_put_estimate(table, i ? row->name : rest[kind], &row->counts, &errors);
	}
	if (has_rest && (table->count != count_before ||
			 model->sampled_drops[kind] != details->sampled_drops[kind]))
		table_set_new(table, rest[kind]);
	model->sampled_drops[kind] = details->sampled_drops[kind];
	return err;
}

static int put_details(struct model *model)
{
	int err = put_pairs(model);

	if (!err)
		err = put_owners(model, DETAILS_PROCESS, KEY_PROCESS);
	if (!err)
		err = put_owners(model, DETAILS_COMM, KEY_COMM);
	if (!err)
		err = put_owners(model, DETAILS_CGROUP, KEY_CGROUP);
	if (!err)
		err = put_sampled(model, DETAILS_STACK, KEY_STACK);
	return err ? err : put_sampled(model, DETAILS_SYSCALL, KEY_SYSCALL);
}

static int put_types(struct model *model)
{
	int err = 0;

	for (size_t i = 0; i < model->view.count && !err; i++) {
		const struct type_stats_type *type = &model->view.types[i];
		bool is_cache = type->kind == TYPE_STATS_CACHE;
		uint64_t size = type->object_size;
		const struct details_counts counts = {
			.allocations = type->numallocs,
			.frees = type->numfrees,
			.allocated = is_cache ? type->numallocs * size : type->memalloced,
			.freed = is_cache ? type->numfrees * size : type->memfreed,
		};

		if (type->numallocs)
			err = table_put(&model->tables[is_cache ? KEY_CACHE : KEY_FUNCTION],
					type->name, type->name, &counts);
	}
	return err;
}

static int begin_again(struct model *model, uint64_t begin)
{
	int err = 0;

	model->restarts += !!model->begin;
	model->begin = begin;
	model->time = 0;
	for (size_t i = 0; i < KEYS && !err; i++)
		err = table_reset(&model->tables[i]);
	return err;
}

/* Puts the figures of this moment into the tables. 1, 0 if they are not new, or -ENOMEM. */
static int take_figures(struct model *model, uint64_t time, uint64_t begin, uint64_t lost)
{
	int err = 0;

	if (begin != model->begin)
		err = begin_again(model, begin);
	model->lost = lost;
	if (err || time <= model->time)
		return err;
	model->time = time;
	for (size_t i = 0; i < KEYS; i++)
		table_begin(&model->tables[i], time,
			    model_is_sampled(i) || (i >= KEY_COMM && model->details.moment.drops));
	err = model->has_details ? put_details(model) : put_types(model);
	for (size_t i = 0; i < KEYS && !err; i++)
		err = table_end(&model->tables[i]);
	return err ? err : 1;
}

static int fail_model(struct model *model, int err)
{
	snprintf(model->errmsg, sizeof(model->errmsg), "%s: %s", model->path, strerror(-err));
	return err;
}

/* Nothing is published: that may change. */
static bool may_come_back(int err)
{
	return err == -ENOENT || err == -EAGAIN;
}

/* 0; -EAGAIN: there will be details soon; or -errno. */
static int read_details(struct model *model)
{
	int err = details_view_read(&model->details, model->path);

	if (err == -ENOENT || err == -EPROTONOSUPPORT) {
		model->has_details = false;
		return 0;
	}
	/*
	 * the details are of a kmemtraced that has ended: the present one will soon remove the file
	 */
	if (!err && model->details.moment.begin != model->view.snapshot.begin)
		return -EAGAIN;
	model->has_details |= !err;
	return err;
}

int model_update(struct model *model)
{
	const struct stats_snapshot *snapshot = &model->view.snapshot;
	bool had_details = model->has_details;
	int err = stats_file_read(&model->view, model->path);

	if (err) {
		snprintf(model->errmsg, sizeof(model->errmsg), "%s", model->view.errmsg);
		if (model->state == MODEL_RUNNING)
			model->state = MODEL_ENDED;
		return may_come_back(err) ? 0 : err;
	}
	model->errmsg[0] = '\0';
	model->state = MODEL_RUNNING;
	err = read_details(model);
	if (err == -EAGAIN)
		return 0;
	if (err)
		return fail_model(model, err);
	/* the counts of both sources are not those of one moment */
	if (model->has_details != had_details)
		model->begin = 0;
	err = model->has_details
		      ? take_figures(model, model->details.moment.time, model->details.moment.begin,
				     model->details.moment.lost)
		      : take_figures(model, snapshot->time, snapshot->begin, snapshot->lost);
	return err < 0 ? fail_model(model, err) : err;
}
