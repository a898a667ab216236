/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The variants of the BPF object: the same programs and maps, under the same names, compiled for
 * kernels without some features; with the preempt count, which the programs read; and with copies
 * and front programs, with and without the preempt count. One object for all kernels is not
 * possible: without BTF, libbpf refuses a whole object because of a single BTF relocation, and an
 * older kernel refuses it because of a single instruction that it does not know. Some functions and
 * variables of the kernel that the last three use are missing in other kernels, where libbpf looks
 * for them with CAP_SYS_ADMIN only.
 */
#ifndef TRACER_LOAD_BPF_OBJECTS_H
#define TRACER_LOAD_BPF_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/ring.h"

struct bpf_object;

struct bpf_variant {
	struct bpf_object *bpf;	   /* NULL: not open */
	struct kmt_totals *totals; /* of the programs; mapped after loading */
	void *mapped;
	size_t mapped_size;
};

/* The features that the kernel does not have. */
struct missing_features {
	bool btf;
	bool fetch; /* BPF atomics with BPF_FETCH; without, each CPU gets a BPF ring buffer */
	bool preempt_count; /* programs can read it; on x86 that needs CONFIG_KALLSYMS_ALL */
};

/* preemptible: the kernel may preempt a task in a tracepoint. 0 or -errno. */
int bpf_variant_open(struct bpf_variant *variant, const struct missing_features *missing_features,
		     bool preemptible);
/*
 * Open the objects of bpf/preemption.bpf.c and bpf/heap.bpf.c, which have no totals:
 * bpf_variant_load() cannot load them. 0 or -errno.
 */
int bpf_variant_open_preemption(struct bpf_variant *variant);
int bpf_variant_open_heap(struct bpf_variant *variant);
/* Loads the programs and maps totals. 0 or -errno. */
int bpf_variant_load(struct bpf_variant *variant);
void bpf_variant_close(struct bpf_variant *variant);

/* Find by the name in bpf/. NULL, or -ENOENT: this variant does not have it. */
struct bpf_program *bpf_variant_program(const struct bpf_variant *variant, const char *name);
struct bpf_map *bpf_variant_map(const struct bpf_variant *variant, const char *name);
int bpf_variant_map_fd(const struct bpf_variant *variant, const char *name);

/* Before loading: sets a setting of the programs (bpf/settings.bpf.h), if this variant has it. */
void bpf_variant_set(struct bpf_variant *variant, const char *name, const void *value, size_t size);

#endif
