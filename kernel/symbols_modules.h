/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The addresses that each module of the kernel occupied, and when: from the lists of modules in a
 * file of symbols. A module that is loaded again is another entry.
 */
#ifndef KERNEL_SYMBOLS_MODULES_H
#define KERNEL_SYMBOLS_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_map.h"

#define MODULE_NOT_UNLOADED UINT64_MAX

struct symbols_module {
	uint64_t address, end; /* end: the first address behind it; address 0: unknown */
	uint64_t since, until; /* ns; until: unloaded then, or MODULE_NOT_UNLOADED */
	uint64_t reach;	       /* the highest end up to here in the list */
	uint32_t name;	       /* offset in symbols.text */
	uint32_t round;	       /* while loading: the last list that has it */
	bool init;	       /* its init functions, which the kernel frees when they have run */
};

struct symbols_modules {
	struct symbols_module *list; /* by address, then since */
	size_t count;
	uint64_t *changes; /* ns, sorted: a module was loaded or unloaded */
	size_t change_count;
	bool listed; /* the file has a list of modules */
};

/* While the file is read. */
struct symbols_modules_loader {
	struct symbols_modules *modules;
	struct hash_map names; /* address ^ hash of name -> index in newest */
	uint32_t *newest;      /* index in modules->list */
	size_t newest_count;
	uint32_t *loaded; /* indexes of the modules that are not unloaded */
	size_t loaded_count;
	uint64_t time; /* ns, of this list */
	uint32_t round;
};

/* 0 or -ENOMEM. */
int symbols_modules_loader_init(struct symbols_modules_loader *loader,
				struct symbols_modules *modules);

/* A list of all modules at the time begins: a module that it does not have was unloaded then. */
void symbols_modules_begin(struct symbols_modules_loader *loader, uint64_t time);

/*
 * The next module of the list. Sets *known if it was loaded already; of several sizes, the smallest
 * counts. Otherwise adds it: *known is false, and the caller sets the name of the last module.
 * 0, -ENOMEM, or -EFBIG: more than any kernel has.
 */
int symbols_modules_add(struct symbols_modules_loader *loader, uint64_t address, uint64_t size,
			const char *name, bool *known);

/* Ends the last list, and sorts the modules. 0 or -ENOMEM. */
int symbols_modules_sort(struct symbols_modules_loader *loader);

/* Frees what only loading needs. */
void symbols_modules_loader_deinit(struct symbols_modules_loader *loader);

void symbols_modules_deinit(struct symbols_modules *modules);

/*
 * The module that occupied the address at this time or, if none did, the first later one; or NULL.
 */
const struct symbols_module *symbols_modules_find(const struct symbols_modules *modules,
						  uint64_t address, uint64_t time);

/*
 * The number of modules at this time whose address is unknown: they were removed before kmemtraced
 * had read it. 2 or more if it is not known which modules there were. *module gets one of them.
 */
size_t symbols_modules_unlocated(const struct symbols_modules *modules, uint64_t time,
				 const struct symbols_module **module);

/* The first time after this at which a module was loaded or unloaded; or UINT64_MAX. */
uint64_t symbols_modules_next_change(const struct symbols_modules *modules, uint64_t time);

/*
 * The last module before *index in the list that contains the address; *index becomes its own.
 * NULL: there is none.
 */
const struct symbols_module *symbols_modules_next(const struct symbols_modules *modules,
						  uint64_t address, size_t *index);

/* The index behind the last module that begins at the address or before. */
size_t symbols_modules_behind(const struct symbols_modules *modules, uint64_t address);

#endif
