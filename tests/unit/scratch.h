/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files of unit tests: a new directory, captures in it, whole files. */
#ifndef TESTS_UNIT_SCRATCH_H
#define TESTS_UNIT_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Any failure ends the test. */
char *scratch_directory(void);	      /* a new one, to be given to scratch_remove() */
void scratch_remove(char *directory); /* with its contents; frees the name too */
int scratch_tear_down(void **state);  /* of a test whose state is such a directory */
char *scratch_path(const char *directory, const char *name); /* to be freed */
char *scratch_capture(const char *text);      /* text: see fixture.h; in a new directory */
char *scratch_capture_file(const char *name); /* of $srcdir/data; in a new directory */
unsigned char *scratch_read(const char *path, size_t *size); /* to be freed */
int scratch_create(const char *path);			     /* an empty file, open for writing */
void scratch_write(const char *path, const void *bytes, size_t size);

/* Writes the text to a file of the directory, and makes the folders of its name. NULL: these only.
 */
void scratch_put(const char *directory, const char *name, const char *text);
bool scratch_has(const char *directory, const char *name); /* something of that name, also a link */

/* A piece of a set, of a run with this number: a stream, the metadata, and the empty folder. */
void scratch_put_piece(const char *directory, const char *name, const char *folder, uint8_t run);

/* The next of a sequence of random numbers, the same each time; the same as a share, 0 to 1. */
uint64_t scratch_random(uint64_t *state);
double scratch_random_share(uint64_t *state);

/*
 * Waits a moment for something that another thread or process does: "for (polls = 0; !is_done() &&
 * scratch_wait(&polls);)". Fails the test after minutes: the limit finds what never happens.
 */
bool scratch_wait(unsigned int *polls);

/* The number in an environment variable, or the default. */
uint64_t scratch_setting(const char *name, uint64_t default_value);

#endif
