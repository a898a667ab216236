/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A small file with the state of a running kmemtraced, for kmemtraced --status: "status.PID" in
 * STATUS_FILE_DIRECTORY. The writer replaces its text by one write, and needs no other system call
 * for it. A checksum shows a reader that it read while the text changed.
 */
#ifndef TRACER_STATUS_FILE_H
#define TRACER_STATUS_FILE_H

#include <stdbool.h>
#include <stdint.h>

#define STATUS_FILE_DIRECTORY "/run/kmemtrace"
#define STATUS_FILE_UNKNOWN UINT64_MAX

struct daemon_status {
	uint64_t pid, start;	   /* start: of the process, in ticks, as /proc/PID/stat has it */
	uint64_t since;		   /* ns since 1970: when all programs were attached */
	uint64_t events, lost;	   /* each number may be STATUS_FILE_UNKNOWN */
	uint64_t counted, skipped; /* counted: the events that a profile counts only */
	uint64_t disk, free;	   /* bytes of the capture; bytes that its file system has left */
	uint64_t fired;		   /* triggers */
	uint64_t pieces, dumps;	   /* of a set, on disk */
	uint64_t summaries;	   /* that were written */
	uint64_t summary_errors;   /* failed attempts to write some */
	uint64_t shipped;	   /* summaries that a server has got from this process */
	uint64_t ship_dropped;	   /* summaries that were removed before that */
	uint64_t ship_waiting;	   /* bytes of files that have summaries to send */
	char *capture, *published; /* absolute paths; NULL: none */
	char *options;		   /* as on a command line */
	char *doubts;		   /* triggers whose names the kernel does not have; NULL: none */
	char *trigger;		   /* when the last one fired, and why; NULL: none */
	/* the last dump of this process: its path, the time (UTC) and the trigger; NULL: none */
	char *dump, *dump_time, *dump_trigger;
	char *last_summary; /* the end of the last summary that was written; NULL: none */
	char *last_shipped; /* when the last summary was sent; NULL: none was */
	char *shipping; /* since when none can be sent, and why; NULL: they can, or none should */
	char *dump_failure; /* when and why the last dump could not be written; NULL: it was */
};

void daemon_status_deinit(struct daemon_status *status);

struct status_file {
	int directory;	     /* -1: there is no file */
	int fd;		     /* of the file */
	char name[40];	     /* in the directory */
	uint64_t pid, start; /* of this process */
};

/*
 * Makes the directory, if it is missing, and an empty file in it, and removes the files of
 * processes that have ended. 0 or -errno: there is no file.
 */
int status_file_open(struct status_file *file, const char *directory);

/* Removes the file. */
void status_file_close(struct status_file *file);

/* Writes the status, with pid and start of this process. 0 or -errno. */
int status_file_write(struct status_file *file, const struct daemon_status *status);

/*
 * Reads a file. 0, and the caller calls daemon_status_deinit(); -ENOENT: the process has ended;
 * -ENODATA: it has not written yet; or another -errno.
 */
int status_file_read(int directory, const char *name, struct daemon_status *status);

/* Does this name look like that of a status file? */
bool status_file_is_name(const char *name);

#endif
