/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A writer with a file, for the tests of the writer. */
#ifndef TESTS_UNIT_WRITER_FILES_H
#define TESTS_UNIT_WRITER_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "capture/format.h"
#include "capture/writer.h"

struct files {
	char *directory, *path;
	struct writer writer;
	struct packer *packer;
};

/* Of cmocka: *state becomes a struct files, whose stream of CPU 3 begins at 1000 ns. */
int writer_files_setup(void **state);
int writer_files_teardown(void **state);

/* Puts a kfree(). */
void writer_files_put(struct writer *writer, uint32_t sequence, uint64_t time);

/*
 * Reads the stream, checks the invariants of every packet, and returns the number of packets, their
 * headers and the number of records. numbers: gets the sequence numbers, or NULL.
 */
size_t writer_files_read(const char *path, struct packet_header *headers, size_t max,
			 size_t *record_count, uint32_t *numbers);

#endif
