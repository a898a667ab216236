/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the symbols of addresses in snapshots of kallsyms. A module that is loaded later adds a
 * snapshot with its time; if two modules have used one address, the time of the event decides.
 */
#ifndef KERNEL_SYMBOLS_H
#define KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/symbols_modules.h"

struct symbol {
	uint64_t address;
	uint64_t size;	 /* bytes to the next symbol of its module; 0: its end is unknown */
	uint64_t since;	 /* ns, the capture's clock; 0: since before the capture */
	uint32_t name;	 /* offset in symbols.text */
	uint32_t module; /* offset in symbols.text; of the kernel itself: of an empty string */
};

/* The symbols of one time: list[first] up to the first of the next snapshot. */
struct symbols_snapshot {
	uint64_t since;
	size_t first;
};

/* Where code of the kernel itself ends: _etext, _einittext, __exittext_end. */
#define SYMBOLS_ENDS 3

/*
 * Code of a module outside of the module's known addresses, such as its init functions, begins and
 * ends with a page of at least this size. Init functions whose size is unknown are listed up to the
 * end of the first such page.
 */
#define SYMBOLS_PAGE_MIN 4096

struct symbols {
	struct symbol *list; /* by since, then address */
	size_t count;
	struct symbols_snapshot *snapshots; /* by since */
	size_t snapshot_count;
	struct symbols_modules modules;
	uint64_t ends[SYMBOLS_ENDS]; /* 0: unknown */
	char *text;
	size_t text_size;
	bool hidden;  /* the kernel showed only zero addresses (kptr_restrict) */
	bool damaged; /* the file is damaged; the symbols before the damage are in the list */
};

/*
 * Reads a file in the form of kallsyms ("ADDRESS TYPE NAME [MODULE]" a line), plain or gzip;
 * only code is read. A line "# since NS" gives the time of the lines that follow: of the symbols
 * that are new then, or of all symbols of modules. A line "# modules" begins a list of the modules
 * at that time, with a line "# module ADDRESS BYTES NAME [init]" for each.
 * 0 or -errno; -EFBIG: more than any kernel has.
 */
int symbols_load(struct symbols *symbols, const char *path);
void symbols_deinit(struct symbols *symbols);

/* The index in the list behind the last symbol of a snapshot. */
size_t symbols_snapshot_end(const struct symbols *symbols, size_t snapshot);

/*
 * Returns the symbol that contains the address: the newest symbol at the time, or else the first
 * symbol after that time; or NULL. If a module is known to have occupied the address, the symbol is
 * one of that module.
 */
const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address, uint64_t time);
const char *symbols_string(const struct symbols *symbols, uint32_t offset);

/*
 * The module that occupied the address; NULL: none, or the file has no lists of modules. If nothing
 * is known at the address, now or before, and the address of one module of that time is unknown, it
 * is that module. Without the symbols of the kernel (_etext), it is NULL.
 */
const struct symbols_module *symbols_find_module(const struct symbols *symbols, uint64_t address,
						 uint64_t time);

/*
 * Writes "name+0xoff/0xsize [module]", without "/0xsize" if the size is unknown. If no symbol
 * contains the address: "0xADDRESS [module]", "0xADDRESS [module, unloaded]" if the module was
 * unloaded later, or "0xADDRESS". Returns text.
 */
char *symbols_text(const struct symbols *symbols, uint64_t address, uint64_t time, char *text,
		   size_t size);

/* An index of the symbols, sorted by name, module and index, to find symbols of the same name. */
struct symbols_names {
	const struct symbols *symbols;
	struct symbols_name *list;
	size_t count;
};

/* The symbols must not change afterwards. 0 or -ENOMEM. */
int symbols_names_init(struct symbols_names *names, const struct symbols *symbols);
void symbols_names_deinit(struct symbols_names *names);

/*
 * Returns the position of the symbol among the symbols with the same name, module and since, from
 * 1, in the order of addresses. *count gets the number of these symbols.
 */
size_t symbols_rank(const struct symbols_names *names, const struct symbol *symbol, size_t *count);

/*
 * Does symbols_load() use this line of kallsyms? It uses code, and the ends of the kernel's code,
 * but no labels within functions. It uses lines with a zero address too: they show
 * that the kernel hides its addresses.
 */
bool symbols_is_code(const char *line);

#endif
