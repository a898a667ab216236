/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The option --max-memory of programs that read captures and recordings of any origin: a few
 * kilobytes of packed records can describe gigabytes of live objects. At the limit the kernel
 * refuses more memory to the process (RLIMIT_DATA), which then ends as it does on a machine without
 * free memory: with a message and EXIT_TROUBLE.
 */
#ifndef CLI_MEMORY_LIMIT_H
#define CLI_MEMORY_LIMIT_H

#include <stddef.h>
#include <stdint.h>

#include "cli/option_row.h"

/* ...: OPTION_AT() of a uint64_t that is MEMORY_LIMIT_DEFAULT; it gets bytes, or 0 for no limit. */
/* clang-format off */
#define MEMORY_LIMIT_ROW(...) \
	{ "max-memory", 0, "SIZE", \
	  "Use at most SIZE bytes of memory, as in 2G; 0 for no limit (default: half of the memory " \
	  "that this machine has, or that the control groups of the program allow)", \
	  __VA_ARGS__, .kind = ARGUMENT_SIZE, .words = "1G|4G|16G" }
/* clang-format on */

/* A limit that no option has set. */
#define MEMORY_LIMIT_DEFAULT UINT64_MAX

/*
 * Limits the memory of this process and its children; call it before a capture is read. The default
 * leaves a lower limit that the process inherited. With the address or thread sanitizer nothing is
 * limited: they reserve terabytes.
 */
void memory_limit_set(uint64_t bytes);

/*
 * If the text of an error says that memory is missing: the limit and what to do, to append to the
 * text. Empty: the text says something else, or no limit was set. Returns hint.
 */
const char *memory_limit_hint(const char *text, char *hint, size_t size);

#endif
