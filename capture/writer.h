/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes one CPU's stream: takes records in slot order, puts them in time order, makes packets
 * and writes each as a whole. Every program that makes a capture uses it.
 */
#ifndef CAPTURE_WRITER_H
#define CAPTURE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/format.h"
#include "capture/loss.h"
#include "capture/packer.h"

#define WRITER_PACKET_BYTES (sizeof(struct packet_header) + PACKET_RECORDS_BYTES_MAX)

/* A second receiver of the records: gets each packet once it is written, in stream order. */
struct writer_sink {
	/*
	 * packet: memory of WRITER_PACKET_BYTES with the records after the place of the header;
	 * size: bytes of the records. Returns such memory for the next packet: the same; or other
	 * memory from malloc(), in exchange for it.
	 */
	unsigned char *(*take)(void *data, const struct packet_header *header,
			       unsigned char *packet, size_t size);
	void *data;
};

struct writer {
	int fd; /* -1: a stream without a file */
	char *path;
	struct writer_sink sink;     /* set it after writer_open(); take NULL: no sink */
	int error;		     /* of the write that failed, until writer_retry(); else 0 */
	uint64_t size;		     /* bytes written, whole packets */
	struct packet_header header; /* of the packet that is being filled */
	unsigned char *packet;	     /* header and records */
	size_t packet_size;	     /* bytes of the records in it */
	struct packer *packer;	     /* NULL: packets stay raw */
	bool is_unnumbered;	     /* a stream of a checkpoint: its numbers have gaps */
	uint64_t time_last;	     /* of the last record or packet written */
	uint64_t packet_end;	     /* ns: time_last of the last packet on disk */
	struct loss loss;	     /* loss.records: records in packets, written or not */
	struct kmt_record *held;     /* records kept back because a record with an earlier time may
					still come; the latest first */
	size_t held_count, held_space;
	uint64_t *held_more; /* of long records in held: their further words, in held's order */
	size_t held_more_count, held_more_space;
	uint64_t clamped;     /* records whose time was clamped to keep the order */
	uint64_t clamped_max; /* ns */
	uint64_t first_time;  /* ns: of the first packet */
	uint64_t first_sequence;
	char errmsg[160]; /* after a failure */
};

/*
 * Writes the empty packet that every stream begins with, at time begin (ns), to the empty file fd,
 * which the writer closes, now if it fails. fd -1: nothing is written. path: the name of the file,
 * for messages. A writer that could not be opened need not be closed.
 * All functions return 0 or -errno, with errmsg set. After a failed write the file is cut back to
 * its last whole packet, records that are not on disk count as lost, and records put until
 * writer_retry() are dropped.
 */
int writer_open(struct writer *writer, int fd, const char *path, const uint8_t uuid[16],
		uint32_t cpu, uint64_t begin);
void writer_close(struct writer *writer);

/*
 * Packs later packets if that makes them smaller, with the caller's packer; NULL: they stay raw.
 * May change at any time.
 */
void writer_pack(struct writer *writer, struct packer *packer);

/* The counters of a stream that writer_switch() has ended. */
struct writer_ended {
	struct loss loss; /* the caller calls loss_deinit() */
	uint64_t size;	  /* bytes */
	uint64_t clamped, clamped_max;
};

/*
 * Ends the stream with a packet at time (ns), and begins the next one in the empty file fd, named
 * path: its first event has the next number, all its counters begin at 0. No record may be held,
 * and every number that was taken must have come, or be confirmed as lost. skipped: of the last
 * packet. If the last packet cannot be written, the stream has not ended: fd is closed, and *ended
 * stays as it is. If the first packet of the next stream cannot be written, writer_flush() writes
 * it after writer_retry().
 */
int writer_switch(struct writer *writer, int fd, const char *path, uint64_t time, uint64_t skipped,
		  struct writer_ended *ended);

/* The file was renamed: error messages use the new path. */
int writer_rename(struct writer *writer, const char *path);

/*
 * Puts a record, in slot order, in this machine's byte order, with all its words. It drops a record
 * with a repeated number or with a number that counts as lost: each number is written or lost,
 * once.
 */
int writer_put(struct writer *writer, const struct kmt_record *record);

/*
 * Appends the held records to the packet. The caller knows that no record with an earlier time can
 * come any more.
 */
int writer_release(struct writer *writer);

/*
 * Every number below sequence has come or is lost (see struct kmt_control), by time (ns).
 * Works after a failed write, too: records dropped since then are lost.
 */
int writer_confirm_losses(struct writer *writer, uint64_t sequence, uint64_t time);

/*
 * Closes the packet if it has records. force: also a packet without records, for the losses.
 * time (ns) becomes the end of the packet, unless a record is held: the time of an earlier record
 * put later is clamped to it. skipped as in the header.
 */
int writer_flush(struct writer *writer, uint64_t time, uint64_t skipped, bool force);

/*
 * No record earlier than time (ns) is to come; if one comes, its time is clamped. Returns the
 * watermark, this time or a later one: all later records are not before it. No record may be held.
 */
uint64_t writer_watermark(struct writer *writer, uint64_t time);

/* Clears the error of a failed write, since there is room again: later records are written. */
void writer_retry(struct writer *writer);

#endif
