/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The second programs on frees, that tell what an interrupt kept from the first: whether this
 * kernel can have them, and when they may begin. bpf/rescue.bpf.h tells how they work.
 */
#ifndef TRACER_RESCUE_H
#define TRACER_RESCUE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/ring.h"
#include "tracer/objects.h"

struct bpf_link;
struct btf;

struct rescue {
	struct object *object;
	struct bpf_link *links[KMT_RESCUE_KINDS];
	char why[160]; /* why there are none; empty: there are */
};

/* Does the kernel keep a program from nesting in itself? Then, and only then, it skips runs. */
bool rescue_is_guarded(const struct btf *btf);

/* Before loading: decides. btf: NULL where the kernel has none; unwanted: NULL, or why nobody wants
 * them. */
void rescue_choose(struct rescue *rescue, struct object *object, const struct btf *btf,
		   bool frees_tell_caches, const char *unwanted);

/* After the first programs: attaches them; where that fails, why says so. */
void rescue_attach(struct rescue *rescue);

/* Lets them tell events as soon as they have shown that they find their marks. Call it often. */
void rescue_tend(struct rescue *rescue);

/* Before the first programs go. */
void rescue_detach(struct rescue *rescue);

/* Once more at the end: why one of the kinds was never told, or an empty text. */
const char *rescue_why(const struct rescue *rescue);

#endif
