/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Least privilege: the rights that kmemtraced gives up for good before it captures. Capabilities,
 * landlock and no_new_privs belong to a thread, so each thread calls confine_thread(). The filter
 * of system calls (seccomp) is set once for all threads. A restriction that the kernel lacks is
 * left out.
 */
#ifndef TRACER_SYSTEM_CONFINE_H
#define TRACER_SYSTEM_CONFINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct confinement {
	int ruleset;	      /* of landlock: a file descriptor; -1: none */
	uint64_t handled;     /* the rights that landlock of this kernel can refuse */
	char no_landlock[80]; /* why files are not restricted; "": they are */
	char no_seccomp[80];  /* the same for system calls */
};

/* The rights in a directory and below. */
enum confine_use {
	CONFINE_READ,
	CONFINE_WRITE,	 /* read and write files, make and remove them, remove directories */
	CONFINE_RENAME,	 /* rename and remove files, but not open them */
	CONFINE_REPLACE, /* make, write, rename and remove files, but not read them */
	CONFINE_REMOVE,	 /* remove directories */
	CONFINE_SET,	 /* as CONFINE_WRITE, and rename directories */
	CONFINE_KEEP,	 /* the same, and make directories and links */
	CONFINE_PRUNE,	 /* rename and remove directories with all that is in them */
};

/* Finds what this kernel has. No file may be opened yet. */
void confinement_open(struct confinement *confinement);
void confinement_close(struct confinement *confinement);

/* For the threads that are confined after this call. 0 or -errno. */
int confinement_allow(struct confinement *confinement, int directory, enum confine_use use);

/* The same for reading in a directory, which need not exist. */
int confinement_allow_reading(struct confinement *confinement, const char *path);

/*
 * The calling thread keeps those of these capabilities (1 << CAP_...) that it has, can get no new
 * ones, and opens files only where that is allowed. 0 or -errno.
 */
int confine_thread(const struct confinement *confinement, uint64_t capabilities);

struct confine_calls {
	pid_t command;	  /* a process that may be killed; 0: none */
	pid_t keeper;	  /* another one */
	bool metrics;	  /* files get the mode of metrics */
	bool perf_events; /* perf events are opened during the capture */
};

/*
 * All threads can only make the system calls of a capture: none executes a program, makes a thread,
 * a socket or executable memory, or loads a BPF program. Sets no_seccomp if that is not possible.
 */
void confine_calls(struct confinement *confinement, const struct confine_calls *calls);

#endif
