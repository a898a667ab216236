// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Texts of call sites, tasks and flags. */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fields/labels.h"
#include "kernel/gfp.h"
#include "kernel/symbols.h"
#include "kernel/tasks.h"

#define GFP_TEXT 4096 /* bytes: 64 flags of 40 */

char *label_new(const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	return length < 0 ? NULL : text;
}

static char *symbol_label(const struct symbols *symbols, uint64_t address, uint64_t time,
			  bool with_offset)
{
	const struct symbol *symbol = symbols_find(symbols, address, time);
	const struct symbols_module *range = symbols_find_module(symbols, address, time);
	const char *name = "", *module = "";
	size_t size;
	char *text;

	if (symbol) {
		name = symbols_string(symbols, symbol->name);
		module = symbols_string(symbols, symbol->module);
	} else if (range) {
		module = symbols_string(symbols, range->name);
	}
	if (symbol && !with_offset)
		return label_new("%s%s%s%s", name, *module ? " [" : "", module, *module ? "]" : "");
	size = strlen(name) + strlen(module) + sizeof("+0x/0x [, unloaded]") + 2 * 16;
	text = malloc(size);
	return text ? symbols_text(symbols, address, time, text, size) : NULL;
}

char *label_site(const struct symbols *symbols, uint64_t address, uint64_t time)
{
	return symbol_label(symbols, address, time, true);
}

char *label_function(const struct symbols *symbols, uint64_t address, uint64_t time)
{
	return symbol_label(symbols, address, time, false);
}

char *label_module(const char *module)
{
	return *module ? label_new("[%s]", module) : strdup("kernel");
}

const char *label_find_module(const struct symbols *symbols, uint64_t address, uint64_t time)
{
	const struct symbol *symbol = symbols_find(symbols, address, time);
	const struct symbols_module *module;

	if (symbol)
		return symbols_string(symbols, symbol->module);
	module = symbols_find_module(symbols, address, time);
	return module ? symbols_string(symbols, module->name) : NULL;
}

char *label_task(const struct task *task, uint32_t tid)
{
	if (task)
		return label_new("%s (pid %" PRIu32 ")", task->comm, task->tgid);
	return label_new("? (tid %" PRIu32 ")", tid);
}

char *label_thread(const struct task *task, uint32_t tid)
{
	return label_new("%s/%" PRIu32, task ? task->comm : "?", tid);
}

char *label_user(const struct tasks *tasks, uint32_t uid)
{
	const struct user_name *user = users_find(&tasks->users, uid);

	return user ? strdup(user->name) : label_new("%" PRIu32, uid);
}

char *label_gfp(const struct gfp_table *gfp, uint64_t flags)
{
	char *text = malloc(GFP_TEXT);

	return text ? gfp_text(gfp, flags, text, GFP_TEXT) : NULL;
}
