/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A capture that is read from a stream of frames while it is recorded: see stream_frame.h. Its
 * files are in a temporary directory, which is removed as soon as all are open.
 */
#ifndef CAPTURE_LIVE_CAPTURE_H
#define CAPTURE_LIVE_CAPTURE_H

#include "capture/capture.h"
#include "capture/stream_frame.h"

#define LIVE_CACHES_MAX 65536 /* more caches have no name */
/* Tables that change: names of caches and tasks, cgroups, stacks, and the status. */
#define LIVE_TABLES 5

struct live_table {
	const char *name;
	char *text;
	size_t size;
	bool changed;
};

struct live_capture {
	FILE *input;
	struct capture *capture;
	char directory[1024]; /* "": removed */
	struct live_table tables[LIVE_TABLES];
	int *streams;	    /* file descriptors for writing, by index of capture->streams */
	uint64_t *released; /* bytes of each stream that are read, and take no space any more */
	size_t stream_count;
	int nowhere;		/* file descriptor of /dev/null */
	struct caches sorted;	/* the table of caches as it is now */
	struct cache **entries; /* for each of its caches, the entry in capture->caches */
	size_t entry_count;	/* used entries of capture->caches: these never move */
	uint64_t watermark;	/* ns: all events before it have come */
	bool has_packets;	/* came since the tables were read */
	bool ended;		/* nothing more comes */
	bool is_whole;		/* the sender has finished the capture */
	/* Called before the program waits for more; or NULL. */
	int (*before_wait)(void *data);
	void *data;
};

/*
 * Reads the begin of the stream and opens the capture, whose member live becomes this. 0, or -errno
 * with capture->error.text set.
 */
int live_capture_open(struct live_capture *live, struct capture *capture, FILE *input);
void live_capture_close(struct live_capture *live);

/*
 * Waits for more events, and updates live->watermark; and the tables of the capture if packets
 * came, which need them. 0, or -errno with capture->error.text set.
 */
int live_capture_more(struct live_capture *live);

/* Updates the tables of the capture, before its events are taken. 0 or -errno, as above. */
int live_capture_read_changed(struct live_capture *live);

/* The first bytes of a stream, up to end, were read: gives their space on the disk back. */
void live_capture_release(struct live_capture *live, size_t stream, uint64_t end);

/* The cache of an address at a time, or NULL. */
const struct cache *live_capture_find_cache(const struct live_capture *live, uint64_t address,
					    uint64_t time);

#endif
