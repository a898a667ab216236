/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The backup programs, which record frees that interrupt a free (bpf/backup.bpf.h explains how):
 * whether this kernel can run them, and when they may begin to record.
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
	char reason[160]; /* why there are no backup programs; empty: there are */
};

/*
 * Can the kernel skip a nested run of a BPF program, and count it as a recursion miss? Also true
 * for 5.12 to 6.0, which do not skip raw tracepoint programs.
 */
bool backup_programs_has_recursion_guard(const struct btf *btf);

/*
 * Before loading: decides whether to use backup programs. btf: NULL if the kernel has none.
 * frees_have_cache: kmem_cache_free passes the cache. disabled_reason: NULL, or why not to use
 * them.
 */
void backup_programs_choose(struct backup_programs *backup, struct bpf_variant *variant,
			    const struct btf *btf, bool frees_have_cache,
			    const char *disabled_reason);

/* Attaches them, after the first programs; if that fails, reason says why. */
void backup_programs_attach(struct backup_programs *backup);

/* Lets the backup programs of a kind record events once they have found a mark. Call it often. */
void backup_programs_poll(struct backup_programs *backup);

/* Detaches them, before the first programs. */
void backup_programs_detach(struct backup_programs *backup);

/* At the end: the reason why the backup programs of a kind recorded nothing; else an empty text. */
const char *backup_programs_reason(const struct backup_programs *backup);

#endif
