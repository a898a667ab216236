// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An array of modules in no order: there are some hundreds. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/array.h"
#include "base/files.h"
#include "kernel/symbols.h"
#include "tracer/host/module_list.h"

#define MODULES_BYTES_MAX ((size_t)16 << 20)

static int add_listed_module(struct module_list *modules, const struct listed_module *module)
{
	struct listed_module *list = array_grow(modules->list, modules->count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	modules->list = list;
	list[modules->count++] = *module;
	return 0;
}

int module_list_parse(struct module_list *modules, const char *text)
{
	int err = 0;

	/* NAME SIZE USES USERS STATE ADDRESS, and maybe the taints */
	for (; *text && !err; text = strchrnul(text, '\n'), text += *text == '\n') {
		struct listed_module module = { 0 };

		if (sscanf(text, "%63s %" SCNu64 " %*s %*s %*s %" SCNx64, module.name, &module.size,
			   &module.address) != 3)
			continue;
		if (module.address)
			err = add_listed_module(modules, &module);
		else
			modules->hidden = true;
	}
	return err;
}

int module_list_read(struct module_list *modules)
{
	char *text;
	int err = read_file(AT_FDCWD, "/proc/modules", MODULES_BYTES_MAX, &text, NULL);

	if (err)
		return err;
	err = module_list_parse(modules, text);
	free(text);
	return err;
}

bool module_list_is_loading(void)
{
	char *text;
	bool loading;

	if (read_file(AT_FDCWD, "/proc/modules", MODULES_BYTES_MAX, &text, NULL))
		return false;
	loading = strstr(text, " Loading ");
	free(text);
	return loading;
}

/* The number in a file of /sys/module/NAME; 0: there is no such file. */
static uint64_t read_number(const char *name, const char *file)
{
	char path[64 + KMT_NAME_SIZE], *text;
	uint64_t number;

	snprintf(path, sizeof(path), "/sys/module/%s/%s", name, file);
	if (read_file(AT_FDCWD, path, SYSFS_BYTES_MAX, &text, NULL))
		return 0;
	number = strtoull(text, NULL, 0);
	free(text);
	return number;
}

void module_list_deinit(struct module_list *modules)
{
	free(modules->list);
	*modules = (struct module_list){ 0 };
}

const struct listed_module *module_list_find(const struct module_list *modules, const char *name)
{
	for (size_t i = 0; i < modules->count; i++)
		if (!modules->list[i].init && !strcmp(modules->list[i].name, name))
			return &modules->list[i];
	return NULL;
}

static void find_core(struct listed_module *core)
{
	struct module_list now = { 0 };
	const struct listed_module *found;

	found = module_list_read(&now) ? NULL : module_list_find(&now, core->name);
	if (found)
		*core = *found;
	module_list_deinit(&now);
}

/*
 * /sys/module still shows the begin of the init functions after the kernel has freed them, but not
 * their size. Then they end with their first page, as symbols_find_module() expects it.
 */
static void find_init(struct listed_module *init)
{
	init->address = read_number(init->name, "sections/.init.text");
	if (!init->address)
		return;
	init->size = read_number(init->name, "initsize");
	if (!init->size)
		init->size = SYMBOLS_PAGE_MIN - init->address % SYMBOLS_PAGE_MIN;
}

size_t module_list_locate(const char *name, struct listed_module parts[MODULE_PARTS])
{
	struct listed_module core = { 0 }, init = { .init = true };
	uint64_t core_size = 0;
	size_t count = 0;

	snprintf(core.name, sizeof(core.name), "%s", name);
	snprintf(init.name, sizeof(init.name), "%s", name);
	find_core(&core);
	if (core.address) {
		find_init(&init);
		core_size = read_number(name, "coresize");
	}
	/* while the init functions are there, the size in /proc/modules includes them */
	if (core_size)
		core.size = MIN(core.size, core_size);
	/* Linux 7.x puts the init functions close behind the others */
	if (init.address > core.address)
		core.size = MIN(core.size, init.address - core.address);
	/* without core_size, the module was removed: it may have had init functions */
	if (core.address && (init.address || !core_size))
		parts[count++] = init;
	parts[count++] = core;
	return count;
}

static bool modules_overlap(const struct listed_module *a, const struct listed_module *b)
{
	return a->address - b->address < b->size || b->address - a->address < a->size;
}

int module_list_load(struct module_list *modules, const struct listed_module *module)
{
	size_t count = 0;

	for (size_t i = 0; i < modules->count; i++) {
		struct listed_module *old = &modules->list[i];
		bool same = old->init == module->init && !strcmp(old->name, module->name);

		if (!same && !(old->init && modules_overlap(old, module)))
			modules->list[count++] = *old;
	}
	modules->count = count;
	return add_listed_module(modules, module);
}

void module_list_unload(struct module_list *modules, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < modules->count; i++)
		if (strcmp(modules->list[i].name, name))
			modules->list[count++] = modules->list[i];
	modules->count = count;
}

int module_list_sync(struct module_list *modules, const struct module_list *now, bool *changed)
{
	int err = 0;

	*changed = false;
	for (size_t i = modules->count; i-- > 0;)
		if (i < modules->count && !module_list_find(now, modules->list[i].name)) {
			char name[KMT_NAME_SIZE];

			memcpy(name, modules->list[i].name, sizeof(name));
			module_list_unload(modules, name);
			*changed = true;
		}
	for (size_t i = 0; i < now->count && !err; i++)
		if (!module_list_find(modules, now->list[i].name)) {
			err = module_list_load(modules, &now->list[i]);
			*changed = true;
		}
	return err;
}

int module_list_lose(struct module_list *modules, const struct module_list *now)
{
	static const struct listed_module unknown;

	for (size_t i = modules->count; i-- > 0;) {
		const struct listed_module *old = i < modules->count ? &modules->list[i] : NULL;
		const struct listed_module *found = old ? module_list_find(now, old->name) : NULL;
		char name[KMT_NAME_SIZE];

		if (!old ||
		    (found && old->address && (old->init || found->address == old->address)))
			continue;
		memcpy(name, old->name, sizeof(name));
		module_list_unload(modules, name);
	}
	return module_list_load(modules, &unknown);
}

int module_list_write(const struct module_list *modules, gzFile file)
{
	bool failed = gzputs(file, "# modules\n") < 0;

	for (size_t i = 0; i < modules->count && !failed; i++)
		failed = gzprintf(file, "# module %" PRIx64 " %" PRIu64 " %s%s\n",
				  modules->list[i].address, modules->list[i].size,
				  modules->list[i].name, modules->list[i].init ? " init" : "") <= 0;
	return failed ? -EIO : 0;
}
