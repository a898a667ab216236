/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Addresses to symbols, from a snapshot of kallsyms. A module that comes later adds a snapshot
 * of its own time; where two modules used one address, the time of the event decides.
 */
#ifndef KERNEL_SYMBOLS_H
#define KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t address;
	uint64_t size;	 /* bytes to the next symbol of its module; 0: it is the last one */
	uint64_t since;	 /* ns, the capture's clock: 0 was there from the start */
	uint32_t name;	 /* offset in symbols.text */
	uint32_t module; /* offset in symbols.text; the kernel's own: of an empty string */
};

/* Symbols of one time: list[first] up to the next snapshot's first. */
struct symbols_snapshot {
	uint64_t since;
	size_t first;
};

struct symbols {
	struct symbol *list; /* by since, then address */
	size_t count;
	struct symbols_snapshot *snapshots; /* by since */
	size_t snapshot_count;
	char *text;
	size_t text_size;
	bool hidden;  /* the kernel showed only zero addresses (kptr_restrict) */
	bool damaged; /* the file ends in damage; what came before it is here */
};

/*
 * Reads a file in the form of kallsyms ("ADDRESS TYPE NAME [MODULE]" a line), plain or gzip;
 * only code counts. A line "# since NS" dates all that follow: the symbols that are new then,
 * or all modules' symbols anew. 0 or -errno; -EFBIG: no kernel has so many.
 */
int symbols_load(struct symbols *symbols, const char *path);
void symbols_deinit(struct symbols *symbols);

/*
 * The symbol that holds address: of those that were there at the time the newest, else the
 * first that came later; or NULL.
 */
const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address, uint64_t time);
const char *symbols_string(const struct symbols *symbols, uint32_t offset);

/*
 * "name+0xoff/0xsize [module]", without "/0xsize" where the size is not known, or, if no symbol
 * holds it, "0xADDRESS". Returns text.
 */
char *symbols_text(const struct symbols *symbols, uint64_t address, uint64_t time, char *text,
		   size_t size);

/* Symbols by name and module, and then as listed: for those that have one name. */
struct symbols_names {
	const struct symbols *symbols;
	struct symbols_name *list;
	size_t count;
};

/* The symbols must stay as they are. 0 or -ENOMEM. */
int symbols_names_init(struct symbols_names *names, const struct symbols *symbols);
void symbols_names_deinit(struct symbols_names *names);

/*
 * Which one it is, by address and from 1, among the symbols of the same name, module and since;
 * and how many these are. The symbol is one of the list.
 */
size_t symbols_rank(const struct symbols_names *names, const struct symbol *symbol, size_t *count);

/*
 * Is this a line of kallsyms that symbols_load() would use? One with a zero address is: it
 * tells that the kernel hides them.
 */
bool symbols_is_code(const char *line);

#endif
