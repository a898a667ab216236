/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The common part of the fuzz targets. A target is a function LLVMFuzzerTestOneInput(); libFuzzer
 * calls it for each input. All files of a target are in a new directory, which should be in memory.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the target with the input that it was called with: libFuzzer keeps that input in a file. */
#define FUZZ_EXPECT(condition)                                           \
	do {                                                             \
		if (!(condition))                                        \
			fuzz_fail(__FILE__, __LINE__, #condition, NULL); \
	} while (0)

__attribute__((noreturn)) void fuzz_fail(const char *file, int line, const char *condition,
					 const char *text);

/* The rest of an input. */
struct fuzz_input {
	const uint8_t *at;
	size_t left;
};

uint8_t fuzz_byte(struct fuzz_input *input);	/* 0 at the end */
uint64_t fuzz_number(struct fuzz_input *input); /* 8 bytes, little endian; 0 behind the end */

/* A copy with a NUL at its end. The sanitizer sees a byte read behind it. To be freed. */
char *fuzz_text(const struct fuzz_input *input);

/* The path of a file of the target; valid until the eighth call after this one. */
const char *fuzz_path(const char *name);

/* Writes a file of the target. */
void fuzz_write(const char *name, const void *bytes, size_t size);

/* Make a directory, or empty one that may exist. */
void fuzz_make(const char *name);
void fuzz_empty(const char *name);

/*
 * Between these two, standard output is kept in memory. fuzz_output_end() returns its text, to be
 * freed.
 */
void fuzz_output_begin(void);
char *fuzz_output_end(size_t *size);

/* Fails if a terminal could obey the text: it is UTF-8 whose only control characters end lines. */
void fuzz_expect_printable(const char *text, size_t size);

/* Takes the bytes up to the next FUZZ_MARK, or all. Returns their beginning. */
const uint8_t *fuzz_part(struct fuzz_input *input, size_t *size);

/*
 * Makes a capture in the directory of the archive, which is a file of the capture after another:
 * FUZZ_MARK, a byte that is the number of a name, and the file's bytes.
 */
void fuzz_unpack_archive(const struct fuzz_input *input, const char *directory);

#define FUZZ_MARK "\0\0FILE\0"
#define FUZZ_MARK_BYTES 7

/* The names of an archive, by number. */
extern const char *const fuzz_names[];
extern const size_t fuzz_name_count;

/* Parts that fuzz_repair_stream() repairs, so that a packet of mutated records is not refused. */
enum fuzz_repair {
	FUZZ_REPAIR_NOTHING,
	FUZZ_REPAIR_CRC,
	FUZZ_REPAIR_ALL, /* lengths too: a packet ends where the next one begins */
};

/* Repairs the headers of the packets in a stream of either byte order. */
void fuzz_repair_stream(uint8_t *bytes, size_t size, enum fuzz_repair what);

#endif
