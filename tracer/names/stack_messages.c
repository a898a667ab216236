// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes each message (struct kmt_stack_message) as a line of kernel/stacks. */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "kernel/ring.h"
#include "kernel/stacks.h"
#include "live/stats/details_stacks.h"
#include "tracer/names/stack_messages.h"
#include "tracer/names/table_switch.h"
#include "tracer/names/user_stacks.h"

#define TABLE "kernel/stacks"
#define TABLE_BYTES_MAX ((long)60 << 20) /* a reader of captures takes 64 MiB */

_Static_assert(KMT_FRAMES_MAX == STACK_FRAMES_MAX, "the table has all frames of a message");

static int fail_stack_messages(struct stack_messages *stacks, int err)
{
	if (!stacks->err) {
		stacks->err = err;
		snprintf(stacks->errmsg, sizeof(stacks->errmsg), "%s/" TABLE ": %s",
			 stacks->directory->path, strerror(-err));
	}
	return stacks->err;
}

static int publish_stack(struct stack_messages *stacks, const struct stack *stack,
			 const uint64_t *frames)
{
	int err;

	if (!stacks->published || !*stacks->published || stack->tgid ||
	    stacks->sent.count == DETAILS_STACKS_MAX ||
	    hash_map_find(&stacks->sent, stack->id) != HASH_MAP_NONE)
		return 0;
	err = hash_map_add(&stacks->sent, stack->id, 0);
	return err ? err : stack_write(*stacks->published, stack, frames);
}

/* Two CPUs that see a new stack at once both send it. */
static int take_message(void *context, void *data, size_t size)
{
	struct stack_messages *stacks = context;
	const struct kmt_stack_message *message = data;
	struct stack stack;
	int err, failed;

	if (size < offsetof(struct kmt_stack_message, frames) || message->count > KMT_FRAMES_MAX ||
	    size < offsetof(struct kmt_stack_message, frames) + message->count * sizeof(uint64_t) ||
	    hash_map_find(&stacks->written, message->id) != HASH_MAP_NONE)
		return 0;
	stack = (struct stack){ .id = message->id,
				.since = message->time,
				.tgid = message->tgid,
				.frame_count = message->count };
	failed = publish_stack(stacks, &stack, message->frames);
	if (failed)
		fail_stack_messages(stacks, failed);
	if (failed || stacks->is_full)
		return 0;
	err = hash_map_add(&stacks->written, message->id, 0);
	if (!err)
		err = stack_write(stacks->file, &stack, message->frames);
	if (!err && stacks->user && message->tgid)
		err = user_stacks_add(stacks->user, message);
	if (err)
		fail_stack_messages(stacks, err);
	stacks->count++;
	return 0;
}

int stack_messages_open(struct stack_messages *stacks, struct directory *directory, int frames_fd,
			struct user_stacks *user)
{
	memset(stacks, 0, sizeof(*stacks));
	stacks->directory = directory;
	stacks->user = user;
	if (hash_map_init(&stacks->written) || hash_map_init(&stacks->sent))
		return fail_stack_messages(stacks, -ENOMEM);
	stacks->file = directory_open(directory, TABLE, true);
	if (!stacks->file)
		return fail_stack_messages(stacks, -errno);
	stacks->buffer = ring_buffer__new(frames_fd, take_message, stacks, NULL);
	return stacks->buffer ? 0 : fail_stack_messages(stacks, -errno);
}

int stack_messages_read(struct stack_messages *stacks)
{
	int got;

	if (!stacks->buffer)
		return 0;
	got = ring_buffer__consume(stacks->buffer);
	if (got < 0)
		fail_stack_messages(stacks, got);
	if (got > 0 && fflush(stacks->file))
		fail_stack_messages(stacks, -errno);
	if (got > 0)
		stacks->is_full |= ftell(stacks->file) > TABLE_BYTES_MAX;
	return stacks->err;
}

int stack_messages_switch(struct stack_messages *stacks, struct directory *to, uint64_t mark)
{
	int err = table_switch(&stacks->file, stacks->directory, to, TABLE, mark);

	stacks->is_full = false;
	return err ? fail_stack_messages(stacks, err) : 0;
}

int stack_messages_close(struct stack_messages *stacks)
{
	int err = 0;

	ring_buffer__free(stacks->buffer);
	stacks->buffer = NULL;
	hash_map_deinit(&stacks->written);
	hash_map_deinit(&stacks->sent);
	if (stacks->file)
		err = directory_close(stacks->directory, stacks->file, TABLE);
	stacks->file = NULL;
	return err ? fail_stack_messages(stacks, err) : 0;
}
