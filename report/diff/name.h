/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of code for a comparison. Compilers add suffixes to the names of functions that they split
 * or specialise, and two builds of one function may have different ones: .isra.0, .constprop.0,
 * .part.0, .cold, .llvm.123, .lto_priv.0. Linux 6.10 and later call a function of the allocator
 * NAME_noprof. Both are left out of the text that is compared.
 */
#ifndef REPORT_DIFF_NAME_H
#define REPORT_DIFF_NAME_H

#include <stdbool.h>
#include <stdint.h>

#define DIFF_NAME_LENGTH 200

enum diff_scope {
	DIFF_OF_ALL,
	DIFF_OF_NAME, /* the slab cache; if there is none, the function or the call site */
	DIFF_OF_CACHE,
	DIFF_OF_FUNCTION,
};

struct diff_name {
	enum diff_scope scope;
	char text[DIFF_NAME_LENGTH];
};

/* Sets scope and text by "NAME", "cache:NAME" or "function:NAME" of length bytes. */
void diff_name_set(struct diff_name *name, const char *text, int length);

/* The text without suffixes of functions; a new string, or NULL: no memory. */
char *diff_name_strip(const char *text);

/* The place of a call site in its function. */
struct diff_offset {
	bool known;
	uint64_t offset, size; /* size 0: unknown */
};

/*
 * The text of a call site without its place: "symbol+0x1f/0x190 [module]" is "symbol [module]".
 * A new string, or NULL: no memory.
 */
char *diff_name_cut_offset(const char *text, struct diff_offset *offset);

/*
 * Does the call site have the name? "symbol" and "symbol [module]" name a function, "symbol+0x1f"
 * a call site. 1, 0 or -ENOMEM.
 */
int diff_name_is_site(const struct diff_name *name, const char *site);

#endif
