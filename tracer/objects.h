/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The BPF objects: the same programs and maps, by the same names, compiled for what a kernel may
 * lack. libbpf refuses a whole object for one relocation by BTF where there is no BTF, and older
 * kernels do so for one instruction that they do not know.
 */
#ifndef TRACER_OBJECTS_H
#define TRACER_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/ring.h"

struct bpf_object;

struct object {
	struct bpf_object *bpf;	   /* NULL: not open */
	struct kmt_totals *totals; /* of the programs; mapped once it is loaded */
	void *mapped;
	size_t mapped_size;
};

/* What the kernel lacks. */
struct lacks {
	bool btf;
	bool fetch; /* atomic instructions with a result: each CPU gets a BPF ring buffer */
};

/* 0 or -errno. */
int object_open(struct object *object, const struct lacks *lacks);
int object_load(struct object *object);
void object_close(struct object *object);

/* By their names in bpf/; NULL: this object has none. */
struct bpf_program *object_program(const struct object *object, const char *name);
struct bpf_map *object_map(const struct object *object, const char *name);
int object_map_fd(const struct object *object, const char *name);

/* Before loading: sets a setting of the programs (bpf/filter.bpf.h). */
void object_set(struct object *object, const char *name, const void *value, size_t size);

#endif
