/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The capture's metadata file: CTF 1.8 TSDL text that babeltrace2 reads, and the values that our
 * readers need. Written from one template; read by searching for the keys in the whole text.
 */
#ifndef CAPTURE_METADATA_H
#define CAPTURE_METADATA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

#define METADATA_TEXT 128

/* The clock of the streams' times. */
enum metadata_clock {
	METADATA_CLOCK_MONOTONIC, /* ns of the capturing kernel's CLOCK_MONOTONIC */
	METADATA_CLOCK_OTHER,	  /* ns of the clock that the imported recording used */
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
	uint64_t wall_offset;	/* ns from a time to the time since 1970; 0: unknown */
	unsigned int piece;	/* its number in a set of pieces; 0: no piece of a set */
	char hostname[METADATA_TEXT];
	char release[METADATA_TEXT]; /* kernel release, as uname -r */
	char version[METADATA_TEXT]; /* as uname -v */
	char machine[METADATA_TEXT]; /* as uname -m */
	char tracer_version[32];     /* of the program that wrote the capture */
	/* of an imported capture; else 0 */
	char source[METADATA_TEXT]; /* the imported recording: "a recording of trace-cmd" */
	enum metadata_clock clock;
	enum metadata_order source_order; /* byte order of the recorded machine */
	/* bytes of the first kmalloc() whose allocated bytes are the size of no class; 0: none */
	uint32_t odd_requested, odd_allocated;
};

/* The word size of the running kernel, in bits: 32 or 64. */
unsigned int metadata_word_bits(void);

/* Fills in this machine and its running kernel, and a new random uuid. 0 or -errno. */
int metadata_init(struct metadata *metadata);

/* "monotonic", "other" or "events" */
const char *metadata_clock_text(const struct metadata *metadata);

/* Byte order of the machine that was recorded. */
enum metadata_order metadata_order(const struct metadata *metadata);

/* Writes the text. 0 or -errno. */
int metadata_write(const struct metadata *metadata, FILE *file);

/*
 * 0 if the file has the text that metadata_write() writes, -EBADMSG if not, or another -errno. The
 * last kinds of records may be missing: they are newer than the capture.
 */
int metadata_compare_file(const struct metadata *metadata, const char *path);

/*
 * Reads the text of a metadata file. 0; -EINVAL: not a capture's; -EPROTONOSUPPORT: a newer
 * format. error gets the text.
 */
int metadata_parse(struct metadata *metadata, const char *text, struct error *error);

/*
 * The end of a message about something that this version does not know: which version wrote it,
 * and to use a newer kmemtrace; or that it is damage, if this same version wrote it. tracer_version
 * may be empty: unknown.
 */
char *metadata_newer_text(const char *tracer_version, char *text, size_t size);

#endif
