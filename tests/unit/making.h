/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A capture that a test is making: fixture.c parses a text, making.c writes the files. */
#ifndef TESTS_UNIT_MAKING_H
#define TESTS_UNIT_MAKING_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kernel/gfp.h"
#include "kernel/topology.h"
#include "capture/metadata.h"
#include "capture/status.h"
#include "capture/writer.h"

#define MAKING_WORDS_MAX 16

struct making_cpu {
	unsigned int cpu;
	uint64_t sequence, recorded, lost, own, from_backup;
	struct writer writer;
};

struct making_name {
	uint64_t address;
	char text[64];
};

struct making {
	const char *directory;
	struct metadata metadata;
	struct status status;
	struct making_cpu **cpus;
	size_t cpu_count;
	struct making_name *symbols, *caches;
	size_t symbol_count, cache_count;
	struct topology topology;
	struct gfp_table gfp;
	FILE *cache_lines, *task_lines, *symbol_lines; /* files of the capture */
	bool has_uid;				       /* of the tasks that follow */
	uint32_t uid;
	FILE *slab_lines, *stack_lines, *user_lines; /* NULL: no line asked for it yet */
	uint64_t now, begin, end;
	char *word[MAKING_WORDS_MAX]; /* of the current line */
	size_t words;
	char *errmsg;
	size_t errmsg_size;
};

/* 0 or -errno, with making->errmsg set. If it fails there is nothing to close. */
int making_open(struct making *making, const char *directory, char *errmsg, size_t errmsg_size);
void making_close(struct making *making);

/* A keyword that begins a line of the text, and its function. */
struct making_keyword {
	const char *word;
	size_t words; /* at least, with the keyword */
	int (*make)(struct making *making);
};

extern const struct making_keyword making_context_keywords[]; /* ends with a word of NULL */

/* Parse words of a line; 0 or -EINVAL, with making->errmsg set. */
int making_number(struct making *making, const char *text, uint64_t *value);
int making_address(struct making *making, const char *text, const struct making_name *names,
		   size_t count, uint64_t *value);

/* Parses the number behind KEY= in the line, if there is one. */
int making_option(struct making *making, const char *key, uint64_t *value);

/* Begins a file of the capture; NULL with errno. */
FILE *making_file(const struct making *making, const char *name);

/* Sets errmsg and returns err. */
int making_fail(struct making *making, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Grows a list by one zeroed element. */
void *making_grow(void *list, size_t count, size_t size);

/* Finds or begins the stream of a CPU; or NULL, with making->errmsg set. */
struct making_cpu *making_cpu(struct making *making, uint64_t number);

/* Closes all packets at the time; if force is set, also empty ones. */
int making_flush(struct making *making, uint64_t time, bool force);

/* Writes the files that are written at the end of a capture. */
int making_finish(struct making *making);

#endif
