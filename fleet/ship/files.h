/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The files of summaries that are shipped: those that the user named, and those in directories. */
#ifndef FLEET_SHIP_FILES_H
#define FLEET_SHIP_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fleet/summary/summary_file.h"

struct ship_file {
	char *path;
	int fd; /* open while it has summaries that are not sent; -1: it is opened by its path */
	dev_t device;
	ino_t inode;
	uint64_t size, changed_ns;
	uint64_t offset;    /* all summaries before it are in the store */
	uint64_t reported;  /* damage before this offset was reported */
	uint64_t sent_size; /* all summaries of the file were in the store when it was so long */
	uint64_t left_size; /* of the file, when some summaries had to wait; 0: none had */
	uint64_t left_turn; /* ship.turn at that time */
	bool unusable;	    /* it was reported that it is not a file of summaries */
	bool failed;	    /* it was reported that it cannot be read now */
	bool unsuitable;    /* it was reported that a store does not take one of its summaries */
	bool in_directory;  /* the user did not name it */
	bool received;	    /* over a socket: it has no path */
	bool is_there;	    /* in the last scan */
};

struct ship_files {
	struct ship_file *list; /* in order of the arguments; of a directory: of their age */
	size_t count;
	struct ship_file *gone; /* that were removed before all was sent */
	size_t gone_count;
	size_t open_count;
	char errmsg[400];
};

/*
 * Looks again which files there are. A file that was removed, with summaries that were not sent, is
 * in `gone` until ship_files_forget_gone(). 0 or -errno with errmsg set: an argument cannot be
 * read.
 */
int ship_files_scan(struct ship_files *files, char *const *paths, size_t count);

/* Adds an open file, whose name is for messages; the descriptor is taken. 0 or -errno. */
int ship_files_receive(struct ship_files *files, const char *name, int fd);

void ship_files_forget_gone(struct ship_files *files);
void ship_files_deinit(struct ship_files *files);

/* As summary_reader_open(). */
int ship_file_read(const struct ship_file *file, struct summary_reader *reader);

/* Is there something behind what was sent? */
bool ship_file_has_more(const struct ship_file *file);

#endif
