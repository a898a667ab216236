/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Captures made from readable text, with the code that kmemtraced writes them with. Numbers are
 * as in C; times are ns or have a suffix us, ms or s; optional words are KEY=VALUE.
 *
 *	host NAME			kernel RELEASE			machine NAME
 *	endian little|big		word 32|64
 *	begin TIME			end TIME		attached TIME
 *	cache NAME ADDRESS OBJECT_SIZE SIZE [since=TIME]	gone ADDRESS TIME
 *	has NAME			(one of kmalloc's caches that the kernel has)
 *	slab TIME NAME ACTIVE TOTAL	(as /proc/slabinfo has it)
 *	alias NAME OTHER[,OTHER…]	task TID TGID COMM
 *	symbol ADDRESS NAME [MODULE]	cpu N node M		gfp BITS NAME
 *	alloc TIME CPU POINTER REQUESTED/ALLOCATED SITE [task=] [gfp=] [node=]
 *	ualloc				as alloc, but from a slab cache that is not told
 *	free TIME CPU POINTER SITE [task=]
 *	calloc TIME CPU POINTER CACHE SITE [task=] [gfp=] [node=]
 *	cfree TIME CPU POINTER CACHE SITE [task=]
 *	balloc, bfree			as calloc and cfree, but in bulk
 *	rfree, rcfree			as free and cfree, but told by the second program
 *	resize TIME CPU POINTER REQUESTED SITE [task=] [gfp=]
 *	raw TIME CPU ID			an event of any id
 *	lose CPU COUNT			numbers that no record will have
 *	skip COUNT			hidden by the kernel so far
 *	skips AFTER BEFORE COUNT	hidden by the kernel between two times: so many more
 *	path NAME observed		path NAME unobserved WHY…
 *	flush				closes all packets
 *	own TID		wanted TGID	include_self
 *	complete yes|no|repaired
 *
 * SITE and POINTER are addresses or a symbol, defined before, with or without +OFFSET; CACHE is a
 * cache's name or its address; in a free 0 is none. Everything was attached at the begin, unless
 * attached tells a later time.
 */
#ifndef TESTS_UNIT_FIXTURE_H
#define TESTS_UNIT_FIXTURE_H

#include <stdio.h>

/* Makes the directory and the capture in it. 0 or -errno, with making->errmsg set. */
int fixture_make(FILE *text, const char *directory, char *errmsg, size_t errmsg_size);

#endif
