/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The second programs on frees, that tell what an interrupt kept from the first: whether this
 * kernel can have them, and when they may begin. bpf/rescue.bpf.h tells how they work.
 */
#ifndef TRACER_LOAD_BACKUP_PROGRAMS_H
#define TRACER_LOAD_BACKUP_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/ring.h"
#include "tracer/load/bpf_objects.h"

struct bpf_link;
struct btf;

struct backup_programs {
	struct bpf_variant *variant;
	struct bpf_link *links[KMT_BACKUP_KINDS];
	char reason[160]; /* why there are none; empty: there are */
};

/* Does the kernel keep a program from nesting in itself? Then, and only then, it skips runs. */
bool backup_programs_has_recursion_guard(const struct btf *btf);

/* Before loading: decides. btf: NULL where the kernel has none; unwanted: NULL, or why nobody wants
 * them. */
void backup_programs_choose(struct backup_programs *backup, struct bpf_variant *variant,
			    const struct btf *btf, bool frees_tell_caches,
			    const char *disabled_reason);

/* After the first programs: attaches them; where that fails, reason says so. */
void backup_programs_attach(struct backup_programs *backup);

/* Lets them tell events as soon as they have shown that they find their marks. Call it often. */
void backup_programs_poll(struct backup_programs *backup);

/* Before the first programs go. */
void backup_programs_detach(struct backup_programs *backup);

/* Once more at the end: why one of the kinds was never told, or an empty text. */
const char *backup_programs_reason(const struct backup_programs *backup);

#endif
