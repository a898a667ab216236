/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes one CPU's stream: takes records in slot order, puts them in time order, makes packets
 * and writes each whole. Used by kmemtraced, by repair and by whatever makes a capture.
 */
#ifndef CAPTURE_WRITER_H
#define CAPTURE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/format.h"
#include "capture/loss.h"
#include "capture/packer.h"

/* Who else wants the records: those of each packet, in the order of the stream, once it is written.
 */
struct writer_sink {
	void (*take)(void *data, const struct packet_header *header,
		     const struct kmt_record *records, size_t size); /* size: bytes of records */
	void *data;
};

struct writer {
	int fd; /* -1: of a stream without a file */
	char *path;
	struct writer_sink sink;     /* take NULL: none; set it after writer_open() */
	int error;		     /* of the write that failed, until writer_retry(); else 0 */
	uint64_t size;		     /* bytes written, whole packets */
	struct packet_header header; /* of the packet that is being filled */
	unsigned char *packet;	     /* header and records */
	size_t packet_size;	     /* bytes of the records in it */
	struct packer *packer;	     /* packs packets that get smaller; NULL: they stay raw */
	uint64_t time_last;	     /* of the last record or packet written */
	uint64_t packet_end;	     /* ns: time_last of the last packet on disk */
	struct loss loss;	     /* loss.records of them are in packets or will be */
	struct kmt_record *held;     /* records that an earlier one may still follow, by time */
	size_t held_count, held_space;
	uint64_t *held_more; /* of long records in held: their further words, in held's order */
	size_t held_more_count, held_more_space;
	uint64_t clamped;      /* records whose time was raised to keep the order */
	uint64_t clamped_max; /* ns */
	char errmsg[160];     /* after a failure */
};

/*
 * Opens path anew and writes the empty packet that every stream begins with, at time begin (ns);
 * path NULL: nothing is written, all else is as if it were. A writer that could not be opened need
 * not be closed. All functions return 0 or -errno, with errmsg set. After a failed write the file
 * is cut back to its last whole packet, what was not yet on disk counts as lost, and whatever is
 * put until writer_retry() is dropped.
 */
int writer_open(struct writer *writer, const char *path, const uint8_t uuid[16], uint32_t cpu,
		uint64_t begin);
void writer_close(struct writer *writer);

/*
 * From here on packets are packed where that makes them smaller, by a packer that is the caller's;
 * NULL: they stay raw. May change at any time.
 */
void writer_pack(struct writer *writer, struct packer *packer);

/* The file was renamed: what the sentences shall call it. */
int writer_rename(struct writer *writer, const char *path);

/*
 * A record in slot order, in this machine's byte order, with all its words. One whose number has
 * already come, or is already stated as lost, is dropped: a number is written or lost, once.
 */
int writer_put(struct writer *writer, const struct kmt_record *record);

/* Nothing earlier than what was put can come any more: writes out what was held. */
int writer_settle(struct writer *writer);

/*
 * Every number below sequence has come or is lost (see struct kmt_control), by time (ns).
 * Works after a failed write too: what was dropped since then is lost.
 */
int writer_settle_losses(struct writer *writer, uint64_t sequence, uint64_t time);

/*
 * Closes the packet, if it has records, or if not and force is set: a packet without records
 * that states the losses. time is the end of what it speaks for (ns): no earlier record may be
 * put later, or its time is raised. skipped as in the header.
 */
int writer_flush(struct writer *writer, uint64_t time, uint64_t skipped, bool force);

/*
 * Nothing earlier than time (ns) is to come: if it does, its time is raised. Returns the time
 * before which nothing can come any more, which may be a later one. Nothing may be held.
 */
uint64_t writer_reach(struct writer *writer, uint64_t time);

/* Forgets a failed write: there is room again. What comes from here on is written. */
void writer_retry(struct writer *writer);

#endif
