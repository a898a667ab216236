/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hooks on kernel functions that fire no tracepoint (fentry and fexit programs). All of them are
 * optional: what a kernel refuses stays unobserved, and reason says why.
 */
#ifndef TRACER_LOAD_AUX_PROGRAMS_H
#define TRACER_LOAD_AUX_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer/load/bpf_objects.h"

struct bpf_link;
struct bpf_program;
struct btf;

enum aux_program_kind {
	AUX_BULK_FREE,
	AUX_REALLOC,
	AUX_BULK_ALLOC,
	AUX_KINDS,
};

struct aux_program {
	/* the first tells the objects; the other, or NULL, is attached before it */
	struct bpf_program *programs[2];
	struct bpf_link *links[2];
	char reason[160]; /* why it is not there; empty: it is */
};

struct aux_programs {
	struct aux_program list[AUX_KINDS];
	const struct bpf_variant *variant;
};

/*
 * Before loading: finds the functions, looks at what they take, and tries whether the kernel
 * lets itself be hooked. btf is NULL where the kernel has none; unwanted: NULL, or why none are to
 * be there.
 */
void aux_programs_choose(struct aux_programs *aux, struct bpf_variant *variant,
			 const struct btf *btf, const char *unwanted);

void aux_programs_attach(struct aux_programs *aux,
			 enum aux_program_kind kind); /* if it was chosen */
void aux_programs_detach(struct aux_programs *aux, enum aux_program_kind kind);

/* Calls that the kernel kept from a hook: nobody knows of how many objects. */
uint64_t aux_programs_skipped(const struct aux_programs *aux, enum aux_program_kind kind);

#endif
