// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <errno.h>

#include "cli/message.h"
#include "tracer/name_tables.h"
#include "tracer/names/table_switch.h"

int name_tables_open(struct name_tables *names, struct directory *directory,
		     const struct programs *programs, struct publish *publish)
{
	const struct options *options = names->options;
	const struct bpf_variant *variant = &programs->variant;
	int err = name_messages_open(&names->messages,
				     options_have_streams(options) ? directory : NULL,
				     bpf_variant_map_fd(variant, "names"));

	names->messages.modules = &names->modules;
	names->messages.lost = &variant->totals->names_lost;
	if (publish) {
		names->messages.publish = publish;
		names->messages.cgroups.published = &publish->names;
	}
	if (err)
		return error_set(names->error, err, names->messages.errmsg);
	if (options->sampling.user_stacks)
		err = user_stacks_open(&names->user_stacks, directory, programs->possible_cpus);
	if (err)
		return error_set(names->error, err, names->user_stacks.errmsg);
	if (options->sampling.interval)
		err = stack_messages_open(
			&names->stacks, directory, bpf_variant_map_fd(variant, "stack_frames"),
			options->sampling.user_stacks ? &names->user_stacks : NULL);
	if (err)
		return error_set(names->error, err, names->stacks.errmsg);
	if (publish)
		names->stacks.published = &publish->names;
	/* without a capture, stacks are received, and published or thrown away */
	names->stacks.is_full = options->no_capture;
	return 0;
}

void name_tables_close(struct name_tables *names)
{
	name_messages_close(&names->messages);
	stack_messages_close(&names->stacks);
	user_stacks_close(&names->user_stacks);
	function_namer_close(&names->namer);
}

int name_tables_add_tasks(struct name_tables *names)
{
	const struct name_messages *messages = &names->messages;
	int err = names->options->count.enabled ? 0 : name_messages_add_tasks(&names->messages);

	if (err)
		return error_set(names->error, err, messages->errmsg);
	if (messages->tasks && fflush(messages->tasks))
		return error_set_at(names->error, -errno, "kernel/tasks");
	if (messages->cgroups.file && fflush(messages->cgroups.file))
		return error_set_at(names->error, -errno, "kernel/cgroups");
	return 0;
}

static int read_messages(struct name_tables *names)
{
	int err = name_messages_read(&names->messages);

	return err ? error_set(names->error, err, names->messages.errmsg) : 0;
}

static int read_stacks(struct name_tables *names)
{
	int err = stack_messages_read(&names->stacks);

	return err ? error_set(names->error, err, names->stacks.errmsg) : 0;
}

static int fail_user_stacks(struct name_tables *names, int err)
{
	return err ? error_set(names->error, err, names->user_stacks.errmsg) : 0;
}

int name_tables_read_last(struct name_tables *names)
{
	int err = read_messages(names);

	return err ? err : read_stacks(names);
}

int name_tables_read(struct name_tables *names)
{
	bool was_full = names->stacks.is_full;
	int err = name_tables_read_last(names);

	if (err)
		return err;
	if (names->stacks.is_full && !was_full && !names->options->quiet)
		info_msg(
			"kernel/stacks has its largest size: stacks that are new from now on are not written");
	return fail_user_stacks(names, user_stacks_step(&names->user_stacks));
}

void name_tables_mark(struct name_tables *names)
{
	names->marks[MARK_CACHES] = table_mark(names->messages.caches);
	names->marks[MARK_TASKS] = table_mark(names->messages.tasks);
	names->marks[MARK_CGROUPS] = table_mark(names->messages.cgroups.file);
	names->marks[MARK_STACKS] = table_mark(names->stacks.file);
	names->marks[MARK_USER_SYMBOLS] = table_mark(names->user_stacks.file);
}

/* Without BTF, the programs know caches whose names did not come. */
static int add_incomplete(struct name_tables *names, const struct programs *programs)
{
	return programs->plan->missing_features.btf
		       ? name_messages_add_incomplete(&names->messages,
						      bpf_variant_map_fd(&programs->variant,
									 "known_caches"))
		       : 0;
}

int name_tables_switch(struct name_tables *names, const struct programs *programs,
		       struct directory *to, uint64_t begin)
{
	const uint64_t *marks = names->marks;
	int err = add_incomplete(names, programs);

	if (!err)
		err = name_messages_switch(&names->messages, to, begin, marks);
	if (err)
		return error_set(names->error, err, names->messages.errmsg);
	if (names->stacks.file)
		err = stack_messages_switch(&names->stacks, to, marks[MARK_STACKS]);
	if (err)
		return error_set(names->error, err, names->stacks.errmsg);
	if (names->user_stacks.file)
		err = user_stacks_switch(&names->user_stacks, to, marks[MARK_USER_SYMBOLS]);
	return fail_user_stacks(names, err);
}

static int finish_user_stacks(struct name_tables *names, struct status *status)
{
	struct user_stacks *stacks = &names->user_stacks;
	int err = user_stacks_step(stacks), unnamed;

	if (err)
		return fail_user_stacks(names, err);
	status->sampling.mappings_lost = stacks->events.lost;
	/* without names, the capture has what a reader needs to find them */
	unnamed = user_stacks_name(stacks, &names->namer);
	if (unnamed == -ECHILD)
		error_msg("%s", stacks->errmsg);
	else if (unnamed && !names->options->quiet)
		info_msg("%s", stacks->errmsg);
	return fail_user_stacks(names, user_stacks_close(stacks));
}

int name_tables_finish(struct name_tables *names, const struct programs *programs,
		       struct status *status)
{
	int err = read_messages(names), failed;

	failed = err ? 0 : add_incomplete(names, programs);
	if (failed)
		err = error_set(names->error, failed, names->messages.errmsg);
	failed = read_stacks(names);
	if (!failed && names->options->sampling.user_stacks)
		failed = finish_user_stacks(names, status);
	err = err ? err : failed;
	failed = stack_messages_close(&names->stacks);
	if (failed)
		error_set(names->error, failed, names->stacks.errmsg);
	return err ? err : failed;
}
