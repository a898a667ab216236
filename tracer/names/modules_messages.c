// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The messages about modules, as the drain takes them, become changes for the thread. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tracer/names/modules.h"

/* The mutex is locked. */
static void set_error(struct modules *modules, int err, const char *what)
{
	if (modules->err)
		return;
	modules->err = err;
	snprintf(modules->directory.errmsg, sizeof(modules->directory.errmsg), "%s: %s", what,
		 strerror(-err));
}

/* Gives a change to the thread. The mutex is locked. NULL: it is not possible. */
static struct module_change *add_change(struct modules *modules, const struct kmt_message *message)
{
	struct module_change *changes =
		array_grow(modules->changes, modules->change_count, sizeof(*changes));

	if (!changes) {
		set_error(modules, -ENOMEM, "kernel/symbols");
		return NULL;
	}
	modules->changes = changes;
	changes += modules->change_count++;
	*changes = (struct module_change){ .message = *message };
	pthread_cond_broadcast(&modules->changed);
	return changes;
}

/* Gives the modules that are loaded now to the thread. */
static void add_list(struct modules *modules, const struct kmt_message *message)
{
	struct module_list now = { 0 };
	struct module_change *change;
	int err = module_list_read(&now);

	pthread_mutex_lock(&modules->mutex);
	if (err)
		set_error(modules, err, "/proc/modules");
	/* the addresses may have been hidden since the capture began (kernel.kptr_restrict) */
	change = err || now.hidden ? NULL : add_change(modules, message);
	if (change)
		change->now = now;
	pthread_mutex_unlock(&modules->mutex);
	if (!change)
		module_list_deinit(&now);
}

void modules_message(struct modules *modules, const struct kmt_message *message)
{
	struct module_message *messages;

	if (!modules->started || !modules->listed)
		return;
	messages = array_grow(modules->messages, modules->message_count, sizeof(*messages));
	if (!messages) {
		pthread_mutex_lock(&modules->mutex);
		set_error(modules, -ENOMEM, "kernel/symbols");
		pthread_mutex_unlock(&modules->mutex);
		return;
	}
	modules->messages = messages;
	messages[modules->message_count++] = (struct module_message){ .message = *message };
}

/* Is the message about a loaded module, and does not say where it lies? */
static bool lacks_address(const struct kmt_message *message)
{
	return message->kind == KMT_MESSAGE_MODULE && !message->key;
}

/* Is there a later message that the module was unloaded? */
static bool is_gone(const struct modules *modules, const struct module_message *load)
{
	const struct module_message *end = modules->messages + modules->message_count;

	for (const struct module_message *next = load + 1; next < end; next++)
		if (next->message.kind == KMT_MESSAGE_MODULE_GONE &&
		    !strcmp(next->message.name, load->message.name))
			return true;
	return false;
}

bool modules_locate(struct modules *modules)
{
	bool located = false;

	for (size_t i = 0; i < modules->message_count; i++) {
		struct module_message *load = &modules->messages[i];

		if (!lacks_address(&load->message) || load->part_count || is_gone(modules, load))
			continue;
		load->part_count = module_list_locate(load->message.name, load->parts);
		located = true;
	}
	return located;
}

static void add_message(struct modules *modules, const struct module_message *load)
{
	struct kmt_message change = load->message;

	if (!load->part_count || is_gone(modules, load)) {
		add_change(modules, &change);
		return;
	}
	for (size_t i = 0; i < load->part_count; i++) {
		change.kind = load->parts[i].init ? KMT_MESSAGE_MODULE_INIT : KMT_MESSAGE_MODULE;
		change.key = load->parts[i].address;
		change.size = load->parts[i].size;
		add_change(modules, &change);
	}
}

void modules_pass_messages(struct modules *modules, uint64_t time, uint64_t lost)
{
	const struct kmt_message change = {
		.kind = MODULES_LOST,
		.time = time,
		.key = modules->passed_at,
	};

	if (modules->started && modules->listed && lost != modules->lost) {
		add_list(modules, &change);
	} else if (modules->message_count) {
		pthread_mutex_lock(&modules->mutex);
		for (size_t i = 0; i < modules->message_count; i++)
			add_message(modules, &modules->messages[i]);
		pthread_mutex_unlock(&modules->mutex);
	}
	modules->message_count = 0;
	modules->passed_at = time;
	modules->lost = lost;
}

void modules_compare(struct modules *modules, uint64_t time)
{
	const struct kmt_message change = { .kind = MODULES_COMPARE, .time = time };

	if (modules->started && modules->listed)
		add_list(modules, &change);
	modules->passed_at = time;
}
