/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The modules that are loaded now, with the addresses of their code; and how they are saved. */
#ifndef TRACER_HOST_MODULE_LIST_H
#define TRACER_HOST_MODULE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <zlib.h>

#include "kernel/ring.h"

struct listed_module {
	char name[KMT_NAME_SIZE];
	uint64_t address,
		size; /* of its code; the size in /proc/modules includes data; 0: unknown */
	bool init;    /* these are the module's init functions */
};

#define MODULE_PARTS 2

struct module_list {
	struct listed_module *list;
	size_t count;
	bool hidden; /* the kernel did not show the addresses */
};

/* Adds the modules of a text in the form of /proc/modules. 0 or -ENOMEM. */
int module_list_parse(struct module_list *modules, const char *text);

/* Adds the modules of /proc/modules. 0 or -errno; -ENOENT: this kernel has no modules. */
int module_list_read(struct module_list *modules);

/* Is a module being loaded now: does its init function still run? */
bool module_list_is_loading(void);
void module_list_deinit(struct module_list *modules);

/* The module of this name, without its init functions; NULL: it is not loaded. */
const struct listed_module *module_list_find(const struct module_list *modules, const char *name);

/*
 * Reads from /proc/modules and /sys/module where a module lies that was loaded just now. Returns
 * the number of its parts: maybe its init functions, then the others. The address of a part is 0 if
 * the module was removed before it was read.
 */
size_t module_list_locate(const char *name, struct listed_module parts[MODULE_PARTS]);

/*
 * Adds a module, or the init functions of one, in place of an entry that it had. Init functions
 * whose addresses it occupies are removed: the kernel frees them when the module is ready, without
 * an event. 0 or -ENOMEM.
 */
int module_list_load(struct module_list *modules, const struct listed_module *module);

/* Removes a module and its init functions. */
void module_list_unload(struct module_list *modules, const char *name);

/*
 * Makes the names equal to those in now, which was read later. *changed is set to whether a module
 * was added or removed. 0 or -ENOMEM.
 */
int module_list_sync(struct module_list *modules, const struct module_list *now, bool *changed);

/*
 * Messages were lost: removes the modules that are not in now, which was read later, or not at the
 * same address, and adds an entry without name and address for modules that may have been loaded.
 * module_list_sync() removes it. 0 or -ENOMEM.
 */
int module_list_lose(struct module_list *modules, const struct module_list *now);

/* Writes the list as lines of kernel/symbols. 0, or -EIO with errno set if a write failed. */
int module_list_write(const struct module_list *modules, gzFile file);

#endif
