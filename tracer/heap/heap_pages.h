/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The things by which the program heap_begin finds the kernel's array of struct page. */
#ifndef TRACER_HEAP_HEAP_PAGES_H
#define TRACER_HEAP_HEAP_PAGES_H

#include <stddef.h>
#include <stdint.h>

/* A pipe that holds a page of this process, and a socket, whose objects have a slab cache. */
struct heap_page {
	int pipe[2], socket;
	void *memory;
	size_t size;
	uint64_t pfn; /* page frame number of the page in the pipe */
};

/* 0, or -errno with reason set: the kernel does not show the page frame number. */
int heap_page_open(struct heap_page *page, char *reason, size_t size);
void heap_page_close(struct heap_page *page);

#endif
