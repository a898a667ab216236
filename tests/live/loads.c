// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Loads the slab programs of all variants, with each kind of process filter: this kernel's verifier
 * must accept all of them, also those for other kernels. Attaches none. Prints how many programs
 * were loaded; exit status 77: BPF is not possible here.
 */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "kernel/ring.h"
#include "tracer/load/bpf_objects.h"
#include "tracer/load/preemption.h"
#include "tracer/rings.h"

static int print_warning(enum libbpf_print_level level, const char *format, va_list arguments)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, format, arguments) : 0;
}

/* The number of programs, or -errno. */
static int load_all(const struct missing_features *missing_features, bool preemptible,
		    bool allocations_have_cache, uint32_t tgids)
{
	const bool frees_have_name = true;
	const uint32_t source = missing_features->preempt_count ? KMT_CONTEXT_FROM_SOFTIRQS
								: KMT_CONTEXT_FROM_COUNT;
	struct bpf_program *program;
	struct bpf_variant variant;
	struct rings rings;
	int err, count = 0;

	err = rings_init(&rings, 1, 1, missing_features->fetch);
	if (!err)
		err = rings_add(&rings, 0, -1);
	if (err) {
		fprintf(stderr, "%s\n", rings.errmsg);
		rings_deinit(&rings);
		return err;
	}
	err = bpf_variant_open(&variant, missing_features, preemptible);
	if (!err) {
		bpf_variant_set(&variant, "frees_have_name", &frees_have_name,
				sizeof(frees_have_name));
		bpf_variant_set(&variant, "allocations_have_cache", &allocations_have_cache,
				sizeof(allocations_have_cache));
		bpf_variant_set(&variant, "context_source", &source, sizeof(source));
		bpf_variant_set(&variant, "traced_tgid", &tgids, sizeof(tgids));
		bpf_map__set_inner_map_fd(bpf_variant_map(&variant, "rings"), rings.list[0].fd);
		bpf_object__for_each_program (program, variant.bpf) {
			bool is_slab = strstr(bpf_program__section_name(program), "kmalloc") ||
				       strstr(bpf_program__section_name(program), "kfree") ||
				       strstr(bpf_program__section_name(program), "kmem_cache") ||
				       strstr(bpf_program__section_name(program), "newtask");

			bpf_program__set_autoload(program, is_slab);
			count += is_slab;
		}
		err = bpf_variant_load(&variant);
		bpf_variant_close(&variant);
	}
	rings_deinit(&rings);
	return err ? err : count;
}

int main(void)
{
	static const uint32_t tgids[] = { 0, 1, KMT_TRACED_LIST };
	bool has_count;
	struct btf *btf;
	int all = 0;

	libbpf_set_print(print_warning);
	btf = btf__load_vmlinux_btf();
	preemption_probe(btf, &has_count);
	btf__free(btf);
	if (!has_count)
		printf("programs that read the preempt count cannot be loaded on this kernel\n");
	for (int i = 0; i < 42; i++) {
		int variant = i % 7;
		bool preemptible = variant == 4 || variant == 5;
		const struct missing_features missing_features = {
			.btf = variant < 4 && variant & 1,
			.fetch = variant < 4 && variant & 2,
			.preempt_count = variant != 4 && variant != 6
		};
		int count;

		if (!missing_features.preempt_count && !has_count)
			continue;
		count = load_all(&missing_features, preemptible, i / 7 & 1, tgids[i / 14]);
		if (count == -EPERM && i == 0)
			return 77;
		if (count < 16) {
			fprintf(stderr,
				"without btf %d, without fetch %d, with copies %d: %d: %s\n",
				missing_features.btf, missing_features.fetch, preemptible, count,
				count < 0 ? strerror(-count) : "too few");
			return 1;
		}
		all += count;
	}
	printf("%d programs were loaded\n", all);
	return 0;
}
