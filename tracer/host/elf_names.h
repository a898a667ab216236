/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names of functions in an ELF file, by offsets in the file. */
#ifndef TRACER_HOST_ELF_NAMES_H
#define TRACER_HOST_ELF_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Writes a line "function NUMBER BEGIN END NAME" of kernel/user_symbols for the function at each
 * offset, with symbols of the file, or, if it was stripped, of its debug file below the directory
 * debug, by its build id. build_id: the file must have it; "-": any. 0, or -ENOENT: the file is
 * another one, or not ELF.
 */
int elf_names_write(FILE *out, int fd, const char *build_id, const char *debug, uint32_t number,
		    const uint64_t *offsets, size_t count);

#endif
