/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The capture's metadata file: CTF 1.8 TSDL text that babeltrace2 reads, and what our readers
 * need of it. Written from one template; read back by looking for the keys, wherever they stand.
 */
#ifndef TRACE_METADATA_H
#define TRACE_METADATA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define METADATA_TEXT 128

struct metadata {
	uint8_t uuid[16];
	bool big_endian;	/* byte order of the streams */
	unsigned int format;	/* CAPTURE_FORMAT */
	unsigned int word_bits; /* of the capturing kernel: 32, 64, or 0: unknown */
	unsigned int page_size; /* bytes */
	uint64_t wall_offset;	/* ns to add to a time for that since 1970; 0: unknown */
	char hostname[METADATA_TEXT];
	char release[METADATA_TEXT]; /* kernel release, as uname -r */
	char version[METADATA_TEXT]; /* as uname -v */
	char machine[METADATA_TEXT]; /* as uname -m */
	char tracer_version[32];     /* of kmemtraced */
};

/* Fills in what this machine and its running kernel are; a new random uuid. 0 or -errno. */
int metadata_init(struct metadata *metadata);

/* Writes the text. 0 or -errno. */
int metadata_write(const struct metadata *metadata, FILE *file);

/*
 * Reads the text of a metadata file. 0; -EINVAL: not a capture's; -EPROTONOSUPPORT: a newer
 * format. why gets the sentence.
 */
int metadata_parse(struct metadata *metadata, const char *text, char *why, size_t why_size);

#endif
