/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checks: a table of those that need one stream only, called as it is read, and a table of
 * those that compare the streams with what the capture says about itself.
 */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check/check_findings.h"
#include "capture/capture.h"
#include "capture/loss.h"
#include "capture/reader.h"

/* A stream, as far as it has been read. */
#define CHECK_UNNAMED_MAX 64 /* caches without a name that are told apart */
#define CHECK_TOLD_BITS 8

struct check_stream {
	struct check_findings *findings;
	const struct check *check;     /* that is called now */
	const struct capture *capture; /* NULL: the stream stands alone */
	unsigned int cpu;	       /* as the file's name or else the first packet tells */
	bool cpu_known;
	uint64_t packets;		  /* whole and right ones */
	struct packet_header first, last; /* of them; last is the one before the packet */
	struct loss loss;
	const struct packet *packet;		    /* that is read now */
	const unsigned char *record;		    /* where it stands in that */
	uint64_t record_time;			    /* of the record before, ns */
	uint64_t packet_records;		    /* in this packet */
	uint64_t sequence_lowest, sequence_highest; /* in this packet */
	uint64_t records, own;
	uint32_t last_task;
	bool last_own;	  /* last_task is one of kmemtraced's own */
	uint64_t unknown; /* records of kinds that a later version may have written */
	uint64_t untold[CHECK_UNNAMED_MAX];
	size_t untold_count;
	uint64_t told[1 << CHECK_TOLD_BITS]; /* caches with one that were asked for lately */
	char errmsg[320];		     /* after -EPROTONOSUPPORT: the sentence */
};

struct check_capture {
	struct check_findings *findings;
	const struct check *check;
	const struct capture *capture;
	const struct check_stream *streams; /* as many as the capture has, read to the end */
};

struct check {
	const char *name;
	const char *sentence; /* what holds in a sound capture */
	bool mendable;	      /* holds again after --repair */
	void (*packet)(struct check_stream *stream, const struct packet *packet);
	void (*packet_end)(struct check_stream *stream, const struct packet *packet);
	void (*stream_end)(struct check_stream *stream);
	const char *file; /* in the capture, that a finding of the next is about */
	void (*whole)(struct check_capture *capture);
};

/* Of one stream, in the order in which they are listed. Those of records have no function here. */
enum stream_check {
	CHECK_PACKETS,
	CHECK_IDENTITY,
	CHECK_FIRST,
	CHECK_NUMBERS,
	CHECK_COUNTERS,
	CHECK_PACKET_TIME,
	CHECK_HEADER,
	CHECK_KIND,
	CHECK_TIME,
	CHECK_SEQUENCE,
	CHECK_SIZES,
	CHECK_FIELDS,
	CHECK_ADDRESSES,
	CHECK_CACHES,
	STREAM_CHECKS
};

extern const struct check stream_checks[STREAM_CHECKS];
extern const struct check capture_checks[];
extern const size_t capture_check_count;

/* What was read, all streams together. */
struct check_result {
	size_t cpus;
	uint64_t records, lost, skipped, own;
	bool own_known; /* else own is 0 */
	bool being_written;
	/* what could not be checked, since a later version wrote it */
	uint64_t unknown; /* records */
	bool status_unknown;
	char tracer_version[32];
};

/*
 * Reads one stream. capture is NULL for a stream alone; else cpu is known from the file's name.
 * 0 or -errno: -EINVAL, it is no stream at all; -EPROTONOSUPPORT, it has a packet that is not
 * known.
 */
int check_stream_run(struct check_stream *stream, const char *path);
void check_stream_deinit(struct check_stream *stream);

/* The records of a packet, which is of the stream. */
void check_records(struct check_stream *stream, const struct packet *packet);

/*
 * Reads a stream that stands alone, or a whole capture, and reports what it finds. 0, or -errno
 * with a text in errmsg: it could not be checked.
 */
int check_alone(const char *path, struct check_findings *findings, struct check_result *result,
		char *errmsg, size_t errmsg_size);
int check_all(const char *path, struct check_findings *findings, struct check_result *result,
	      char *errmsg, size_t errmsg_size);

/* 0 if the file holds what would be written for it, -EBADMSG if not, or another -errno. */
int check_metadata_text(const struct metadata *metadata, const char *path);

/* The CPU from the last part of a path, cpuN; false if it is none. */
bool check_cpu_of_path(const char *path, unsigned int *cpu);

#endif
