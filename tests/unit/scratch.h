/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What unit tests need of files: a directory of their own, captures in it, whole files. */
#ifndef TESTS_UNIT_SCRATCH_H
#define TESTS_UNIT_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

/* Whatever fails here ends the test. */
char *scratch_directory(void);	      /* a new one, to be given to scratch_remove() */
void scratch_remove(char *directory); /* with all that is in it; frees the name too */
char *scratch_path(const char *directory, const char *name); /* to be freed */
char *scratch_capture(const char *text);      /* as fixture.h has it; a new directory */
char *scratch_capture_file(const char *name); /* of $srcdir/data; a new directory */
unsigned char *scratch_read(const char *path, size_t *size); /* to be freed */
void scratch_write(const char *path, const void *bytes, size_t size);

/* The number that a variable of the environment has, or what is usual. */
uint64_t scratch_setting(const char *name, uint64_t usual);

#endif
