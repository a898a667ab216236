/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the slab allocator of the running kernel, with the programs of bpf/heap.bpf.c. The contents
 * of objects do not reach this process: see kernel/heap_programs.h.
 */
#ifndef TRACER_HEAP_HEAP_READER_H
#define TRACER_HEAP_HEAP_READER_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/heap.h"

struct heap_reader;

/*
 * Loads the programs. Needs the privileges of a capture and CAP_SYS_ADMIN, which shows the page
 * frame number of a page of this process. 0, or -errno with reason set: this kernel's allocator
 * cannot be read.
 */
int heap_reader_open(struct heap_reader **reader, char *reason, size_t size);

/* Called again and again while a reading lasts; an error of step() ends the reading. */
struct heap_meanwhile {
	int (*step)(void *data); /* 0 or -errno */
	void *data;
};

/*
 * Reads all slabs; now() is the capture's clock. It takes about 10 ns of CPU time a page of memory
 * and 2 µs a slab. Needs no privilege on kernels since 5.19. 0, or -errno with reason set; the
 * reading is then empty.
 */
int heap_reader_read(struct heap_reader *reader, uint64_t (*now)(void),
		     const struct heap_meanwhile *meanwhile, struct heap_reading *reading,
		     char *reason, size_t size);
void heap_reader_close(struct heap_reader *reader);

#endif
