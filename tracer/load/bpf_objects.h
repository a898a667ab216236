/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The BPF objects: the same programs and maps, by the same names, compiled for what a kernel may
 * lack. libbpf refuses a whole object for one relocation by BTF where there is no BTF, and older
 * kernels do so for one instruction that they do not know.
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
	struct kmt_totals *totals; /* of the programs; mapped once it is loaded */
	void *mapped;
	size_t mapped_size;
};

/* What the kernel lacks. */
struct missing_features {
	bool btf;
	bool fetch; /* atomic instructions with a result: each CPU gets a BPF ring buffer */
};

/* 0 or -errno. */
int bpf_variant_open(struct bpf_variant *variant, const struct missing_features *missing_features);
int bpf_variant_load(struct bpf_variant *variant);
void bpf_variant_close(struct bpf_variant *variant);

/* By their names in bpf/; NULL: this object has none. */
struct bpf_program *bpf_variant_program(const struct bpf_variant *variant, const char *name);
struct bpf_map *bpf_variant_map(const struct bpf_variant *variant, const char *name);
int bpf_variant_map_fd(const struct bpf_variant *variant, const char *name);

/* Before loading: sets a setting of the programs (bpf/filter.bpf.h). */
void bpf_variant_set(struct bpf_variant *variant, const char *name, const void *value, size_t size);

#endif
