/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes a readable capture of one that was cut off or damaged anywhere: keeps every whole packet,
 * and states as lost whatever is not there.
 */
#ifndef REPAIR_REPAIR_H
#define REPAIR_REPAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/loss.h"
#include "capture/metadata.h"
#include "capture/reader.h"
#include "capture/status.h"

/* Whose packets are kept. */
struct repair_identity {
	uint8_t uuid[16];
	bool swap; /* their byte order is not this machine's */
};

/* A packet that is kept. */
struct repair_packet {
	uint64_t offset;
	uint64_t sequence_end;
};

/* One stream: what was found in it, then what is to be written. */
struct repair_stream {
	unsigned int cpu;
	char *path; /* NULL: it is missing */
	struct repair_packet *packets;
	size_t count, space;
	bool empty_first;	   /* the first that is kept is as a first packet must be */
	struct packet_header last; /* that is kept */
	uint64_t time_first;	   /* ns, of the first that is kept */
	uint64_t records, own, rescued;
	struct loss loss; /* settled once surveyed */
	uint64_t dropped_bytes, dropped_places;
	bool tail_dropped; /* nothing that is kept follows the last dropped bytes */
};

/* 0 or -errno. The identity of the first whole packet of the stream; -ENODATA: it has none. */
int repair_stream_identity(const char *path, struct repair_identity *identity);

/* Reads the stream and decides which packets are kept. status tells own tasks. 0 or -errno. */
int repair_stream_survey(struct repair_stream *stream, const struct repair_identity *identity,
			 const struct status *status);

/* What a final packet states beyond what the kept packets do. */
struct repair_end {
	uint64_t sequence_end, skipped;
	uint64_t begin, time; /* ns, of the capture and of the packet */
};

/* States that every number below end->sequence_end was given out. 0 or -errno. */
int repair_stream_settle(struct repair_stream *stream, const struct repair_end *end);

/* Writes the packets that are kept to a new file. 0 or -errno. */
int repair_stream_write(const struct repair_stream *stream, const struct repair_identity *identity,
			const struct repair_end *end, const char *path);
void repair_stream_deinit(struct repair_stream *stream);

/* A repair under way. */
struct repair {
	char *path;		       /* the original's directory itself, no link to it */
	char *work;		       /* where the new one is built; NULL once it has its place */
	struct repair_stream *streams; /* by cpu */
	size_t stream_count;
	struct repair_identity identity;
	struct metadata metadata;
	bool metadata_read;    /* the old one could be */
	bool metadata_rebuilt; /* the old one cannot be copied */
	struct status status;
	char status_errmsg[200]; /* what is wrong with the old one; or empty */
	bool status_sound;	 /* its figures add up, so they tell of lost tails too */
	struct repair_end end;
	bool quiet;
	char *errmsg;
	size_t errmsg_size;
};

__attribute__((format(printf, 3, 4))) int repair_fail(struct repair *repair, int err,
						      const char *format, ...);

/* A line on stdout, unless quiet: the capture's path and, without a space, what is said. */
__attribute__((format(printf, 2, 3))) void repair_say(const struct repair *repair,
						      const char *format, ...);

/* DIRECTORY/NAME, to be freed, or NULL. */
struct status_cpu *repair_status_cpu(const struct status *status, unsigned int cpu);

/* Finds out what is there, and decides what is kept and believed. 0 or -errno. */
int repair_gather(struct repair *repair);

/*
 * Repairs the capture at path. The result takes its place and the original is renamed to
 * PATH.damaged (.1, .2, …); or, if output is not NULL, the result goes there and path stays as it
 * is. Says on stdout what was lost, unless quiet. 0 or -errno with a text in errmsg.
 */
int repair_run(const char *path, const char *output, bool quiet, char *errmsg, size_t errmsg_size);

#endif
