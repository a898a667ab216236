/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The capture's metadata file: CTF 1.8 TSDL text that babeltrace2 reads, and what our readers
 * need of it. Written from one template; read back by looking for the keys, wherever they stand.
 */
#ifndef CAPTURE_METADATA_H
#define CAPTURE_METADATA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define METADATA_TEXT 128

/* What the times of the streams are. */
enum metadata_clock {
	METADATA_CLOCK_MONOTONIC, /* ns of the capturing kernel's CLOCK_MONOTONIC */
	METADATA_CLOCK_OTHER,	  /* ns of a clock that the imported recording chose */
	METADATA_CLOCK_EVENTS,	  /* numbers of events: the imported recording has no times */
};

enum metadata_order {
	METADATA_ORDER_UNKNOWN,
	METADATA_ORDER_LITTLE,
	METADATA_ORDER_BIG,
};

struct metadata {
	uint8_t uuid[16];
	bool big_endian;	/* byte order of the streams */
	unsigned int format;	/* CAPTURE_FORMAT */
	unsigned int word_bits; /* of the capturing kernel: 32, 64, or 0: unknown */
	unsigned int page_size; /* bytes; 0: unknown */
	uint64_t wall_offset;	/* ns to add to a time for that since 1970; 0: unknown */
	char hostname[METADATA_TEXT];
	char release[METADATA_TEXT]; /* kernel release, as uname -r */
	char version[METADATA_TEXT]; /* as uname -v */
	char machine[METADATA_TEXT]; /* as uname -m */
	char tracer_version[32];     /* of what wrote the capture */
	/* of an imported capture; else as 0 */
	char source[METADATA_TEXT]; /* what was imported: "a recording of trace-cmd" */
	enum metadata_clock clock;
	enum metadata_order source_order; /* byte order of the recorded machine */
};

/* Of a kernel whose uname tells this machine. */
unsigned int metadata_word_bits(const char *machine);

/* Fills in what this machine and its running kernel are; a new random uuid. 0 or -errno. */
int metadata_init(struct metadata *metadata);

/* "monotonic", "other" or "events" */
const char *metadata_clock_text(const struct metadata *metadata);

/* Byte order of the machine that was recorded. */
enum metadata_order metadata_order(const struct metadata *metadata);

/* Writes the text. 0 or -errno. */
int metadata_write(const struct metadata *metadata, FILE *file);

/* 0 if the file has the text that metadata_write() writes, -EBADMSG if not, or another -errno. */
int metadata_compare_file(const struct metadata *metadata, const char *path);

/*
 * Reads the text of a metadata file. 0; -EINVAL: not a capture's; -EPROTONOSUPPORT: a newer
 * format. errmsg gets the error text.
 */
int metadata_parse(struct metadata *metadata, const char *text, char *errmsg, size_t errmsg_size);

/*
 * The end of a sentence about what this version does not know: who wrote it, and to take a newer
 * kmemtrace; or that it is damaged, if this very version wrote it. tracer_version may be empty:
 * not known.
 */
char *metadata_newer_text(const char *tracer_version, char *text, size_t size);

#endif
