// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds programs, maps, settings and totals by their names, in any variant. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "tracer/load/bpf_objects.h"

/* Embeds an object file between two symbols. */
#define EMBED(name)                                          \
	__asm__(".pushsection .rodata\n"                     \
		".balign 8\n"                                \
		".globl " #name "_begin\n" #name "_begin:\n" \
		".incbin \"bpf/" #name ".bpf.o\"\n"          \
		".globl " #name "_end\n" #name "_end:\n"     \
		".popsection");                              \
	extern const char name##_begin[], name##_end[]

EMBED(kmemtrace);
EMBED(without_fetch);
EMBED(without_btf);
EMBED(without_both);
EMBED(with_preempt_count);
EMBED(with_copies);
EMBED(without_preempt_count);
EMBED(preemption);
EMBED(heap);

int bpf_variant_open(struct bpf_variant *variant, const struct missing_features *missing_features,
		     bool preemptible)
{
	static const struct {
		const char *begin, *end;
	} list[] = {
		{ kmemtrace_begin, kmemtrace_end },
		{ without_fetch_begin, without_fetch_end },
		{ without_btf_begin, without_btf_end },
		{ without_both_begin, without_both_end },
		{ with_preempt_count_begin, with_preempt_count_end },
		{ with_copies_begin, with_copies_end },
		{ without_preempt_count_begin, without_preempt_count_end },
	};
	size_t which = (size_t)missing_features->btf << 1 | missing_features->fetch;

	if (!which && preemptible)
		which = missing_features->preempt_count ? 6 : 5;
	else if (!which && !missing_features->preempt_count)
		which = 4;

	memset(variant, 0, sizeof(*variant));
	variant->bpf = bpf_object__open_mem(list[which].begin,
					    (size_t)(list[which].end - list[which].begin), NULL);
	return variant->bpf ? 0 : -errno;
}

static int open_object(struct bpf_variant *variant, const char *begin, const char *end)
{
	memset(variant, 0, sizeof(*variant));
	variant->bpf = bpf_object__open_mem(begin, (size_t)(end - begin), NULL);
	return variant->bpf ? 0 : -errno;
}

int bpf_variant_open_preemption(struct bpf_variant *variant)
{
	return open_object(variant, preemption_begin, preemption_end);
}

int bpf_variant_open_heap(struct bpf_variant *variant)
{
	return open_object(variant, heap_begin, heap_end);
}

/* Finds a variable of a section by the object's own BTF. Returns the section's map, and sets
 * offset.
 */
static struct bpf_map *find_variable(const struct bpf_variant *variant, const char *section,
				     const char *name, size_t *offset)
{
	const struct btf *btf = bpf_object__btf(variant->bpf);
	int id = btf__find_by_name_kind(btf, section, BTF_KIND_DATASEC);
	const struct btf_type *type, *variable;

	if (id < 0)
		return NULL;
	type = btf__type_by_id(btf, id);
	for (unsigned int i = 0; i < btf_vlen(type); i++) {
		variable = btf__type_by_id(btf, btf_var_secinfos(type)[i].type);
		if (strcmp(btf__name_by_offset(btf, variable->name_off), name))
			continue;
		*offset = btf_var_secinfos(type)[i].offset;
		return bpf_object__find_map_by_name(variant->bpf, section);
	}
	return NULL;
}

void bpf_variant_set(struct bpf_variant *variant, const char *name, const void *value, size_t size)
{
	size_t offset, whole;
	struct bpf_map *map = find_variable(variant, ".rodata", name, &offset);
	/* the settings are read-only for the programs, but not for us before loading */
	char *initial = map ? (char *)(uintptr_t)bpf_map__initial_value(map, &whole) : NULL;

	if (initial && offset + size <= whole)
		memcpy(initial + offset, value, size);
}

int bpf_variant_load(struct bpf_variant *variant)
{
	struct bpf_map *map;
	size_t offset;
	void *mapped;
	int err;

	err = bpf_object__load(variant->bpf);
	if (err)
		return err;
	map = find_variable(variant, ".bss", "totals", &offset);
	if (!map)
		return -ENOENT;
	variant->mapped_size = bpf_map__value_size(map);
	mapped = mmap(NULL, variant->mapped_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		      bpf_map__fd(map), 0);
	if (mapped == MAP_FAILED)
		return -errno;
	variant->mapped = mapped;
	variant->totals = (struct kmt_totals *)((char *)mapped + offset);
	return 0;
}

void bpf_variant_close(struct bpf_variant *variant)
{
	if (variant->mapped)
		munmap(variant->mapped, variant->mapped_size);
	bpf_object__close(variant->bpf);
	memset(variant, 0, sizeof(*variant));
}

struct bpf_program *bpf_variant_program(const struct bpf_variant *variant, const char *name)
{
	return bpf_object__find_program_by_name(variant->bpf, name);
}

struct bpf_map *bpf_variant_map(const struct bpf_variant *variant, const char *name)
{
	return bpf_object__find_map_by_name(variant->bpf, name);
}

int bpf_variant_map_fd(const struct bpf_variant *variant, const char *name)
{
	struct bpf_map *map = bpf_variant_map(variant, name);

	return map ? bpf_map__fd(map) : -ENOENT;
}
