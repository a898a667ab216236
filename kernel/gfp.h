/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * GFP flags by name. The bits differ by version and configuration, so a capture has
 * the table of its kernel, from the print format of its kmalloc tracepoint.
 */
#ifndef KERNEL_GFP_H
#define KERNEL_GFP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct gfp_name {
	uint64_t bits;
	char name[40];
};

struct gfp_table {
	struct gfp_name *list; /* in the kernel's order: the first match is printed */
	size_t count;
};

/* Parses the text of a tracepoint's format file. 0, -ENOMEM, or -ENODATA: it has no table. */
int gfp_parse_format(struct gfp_table *table, const char *format);

/* Lines "0xBITS NAME" of kernel/gfp. 0 or -errno. */
int gfp_parse(struct gfp_table *table, const char *text);
int gfp_write(const struct gfp_table *table, FILE *file);
void gfp_deinit(struct gfp_table *table);

/* The bits of a flag, "__GFP_DMA"; 0: the table does not have it. */
uint64_t gfp_find(const struct gfp_table *table, const char *name);

/*
 * "GFP_KERNEL|__GFP_ZERO", as the kernel prints them; unknown bits in hex; "none" for 0.
 * Cut to size with a NUL; returns text.
 */
char *gfp_text(const struct gfp_table *table, uint64_t flags, char *text, size_t size);

#endif
