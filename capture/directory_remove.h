/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The content of a directory: nothing, a capture, or files of a killed program. And its removal. */
#ifndef CAPTURE_DIRECTORY_REMOVE_H
#define CAPTURE_DIRECTORY_REMOVE_H

#include <stdbool.h>

/* The file into which kmemtrace-pack packs a stream. It is hidden: readers ignore it. */
#define DIRECTORY_PACK_NAME ".pack"

/* Hidden, too: disk space for the tables that are written at the end. */
#define DIRECTORY_RESERVE_NAME ".reserve"

/* A directory gets this between its name and six random characters until it is complete. */
#define DIRECTORY_NEW ".new."
#define DIRECTORY_NEW_RANDOM 6

/* Does the open directory hold the metadata and the tables of a capture? */
bool directory_is_capture(int fd);

/*
 * 1: the open directory is empty, or holds only what a program had made in it when it was killed
 * before it had anything to write; 0: it holds more; or -errno.
 */
int directory_is_unused(int fd);

/* Empties a directory that directory_is_unused(). 0 or -errno. */
int directory_empty_unused(int fd);

/* 0; or -ENOTEMPTY: the open directory holds files that are not of a capture; or another -errno. */
int directory_check_capture(int fd);

/*
 * Removes the files of a capture, and no others. 0 or -errno. -ENOTEMPTY: it holds another file,
 * and nothing was removed.
 */
int directory_remove_capture(int fd);

/*
 * Removes the directories of the caller in parent that are named like a new directory for name, and
 * that no program has locked: it was killed.
 */
void directory_remove_left(int parent, const char *name);

#endif
