/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Captures made from readable text, with the code that kmemtraced writes them with. Numbers are
 * as in C; times are ns or have a suffix us, ms or s; optional words are KEY=VALUE.
 *
 *	host NAME			kernel RELEASE			machine NAME
 *	endian little|big		word 32|64
 *	begin TIME			end TIME		attached TIME
 *	cache NAME ADDRESS OBJECT_SIZE SIZE [since=TIME]	gone ADDRESS TIME
 *	has NAME			(a kmalloc cache of the kernel)
 *	debugged NAME OBJECT_SIZE SIZE BYTES FLAGS	(a cache with slab debugging, as has too)
 *	reclaim NAME 0|1
 *	slab TIME NAME ACTIVE TOTAL [held=] [until=TIME] [object= size=]	(as /proc/slabinfo)
 *	alias NAME OTHER[,OTHER…]	task TID TGID COMM
 *	memory NODE BEGIN LAST	(of kernel addresses)
 *	symbol ADDRESS NAME [MODULE]	cpu N node M		gfp BITS NAME
 *	alloc TIME CPU POINTER REQUESTED/ALLOCATED SITE [task=] [gfp=] [node=] [context=]
 *	ualloc				as alloc, but without the slab cache
 *	free TIME CPU POINTER SITE [task=]
 *	calloc TIME CPU POINTER CACHE SITE [task=] [gfp=] [node=]
 *	cfree TIME CPU POINTER CACHE SITE [task=]
 *	balloc, bfree			as calloc and cfree, but in bulk
 *	rfree, rcfree			as free and cfree, but from the backup program
 *	resize TIME CPU POINTER REQUESTED SITE [task=] [gfp=]
 *	pagefault TIME CPU ADDRESS IP ACCESS [mode=] [task=]	as enum kmt_access, kmt_mode
 *	pagefault.return TIME CPU ADDRESS IP TYPE [mode=] [task=]	as enum kmt_fault_type
 *	write_shared TIME CPU ADDRESS [task=]	write_shared_copy TIME CPU ADDRESS ZERO [task=]
 *	mmap TIME CPU ADDRESS LENGTH [task=]	munmap		as mmap
 *	brk TIME CPU ADDRESS LENGTH|unknown [task=]	oom_kill TIME CPU VICTIM [task=]
 *	stack ID TGID ADDRESS…		(of kernel/stacks)	sampling BYTES [profile=1]
 *	stack_of TIME CPU POINTER SITE ID [user=ID] [task=]	of the CPU's next allocation
 *	raw TIME CPU ID			an event of any id
 *	lose CPU COUNT			sequence numbers without a record
 *	skip COUNT			skipped by the kernel so far
 *	skips AFTER BEFORE COUNT	COUNT more skipped between two times
 *	no_slab			probe NAME COUNTED SKIPPED WAY…		no_probe NAME WHY…
 *	path NAME observed		path NAME unobserved WHY…
 *	flush				closes all packets
 *	own TID		wanted TGID	include_self	contexts	(the records have them)
 *	complete yes|no|repaired
 *
 * SITE and POINTER are addresses or a symbol, defined before, with or without +OFFSET; CACHE is a
 * cache's name or its address; in a free 0 is none. All programs are attached at begin, unless
 * attached is a later time.
 */
#ifndef TESTS_UNIT_FIXTURE_H
#define TESTS_UNIT_FIXTURE_H

#include <stdio.h>

/* Makes the directory and the capture in it. 0 or -errno with errmsg set. */
int fixture_make(FILE *text, const char *directory, char *errmsg, size_t errmsg_size);

#endif
