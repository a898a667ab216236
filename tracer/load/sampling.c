// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sets up the sampling of allocations. */
#include "config.h"

#include <stdio.h>
#include <sys/random.h>
#include <time.h>

#include <bpf/libbpf.h>

#include "base/hash.h"
#include "kernel/sampling.h"
#include "tracer/load/bpf_objects.h"
#include "tracer/load/machine.h"
#include "tracer/load/sampling.h"

/* Bytes in slabs, of the machine; 0: not known. */
static uint64_t read_slab_bytes(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	unsigned long long kib = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Slab: %llu kB", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib * 1024;
}

void sampling_choose(struct bpf_variant *variant, const struct sampling *sampling)
{
	static const char *const maps[] = { "stack_buffers", "stack_ids", "stack_frames" };
	static const char *const profile_maps[] = { ".bss.sampled", "sampled_objects",
						    "named_tasks" };
	bool raises_interval = sampling->is_profile && sampling->most;
	uint64_t seed = hash_seed();
	uint32_t mask;

	bpf_variant_set(variant, "stack_seed", &seed, sizeof(seed));
	bpf_variant_set(variant, "sample_interval", &sampling->interval,
			sizeof(sampling->interval));
	bpf_variant_set(variant, "profile", &sampling->is_profile, sizeof(sampling->is_profile));
	bpf_variant_set(variant, "raises_interval", &raises_interval, sizeof(raises_interval));
	bpf_variant_set(variant, "user_stacks", &sampling->user_stacks,
			sizeof(sampling->user_stacks));
	if (sampling->is_profile) {
		mask = sampling_mask(sampling->interval, read_slab_bytes());
		bpf_variant_set(variant, "sampled_mask", &mask, sizeof(mask));
	}
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		bpf_map__set_autocreate(bpf_variant_map(variant, maps[i]), sampling->interval);
	for (size_t i = 0; i < sizeof(profile_maps) / sizeof(profile_maps[0]); i++)
		bpf_map__set_autocreate(bpf_variant_map(variant, profile_maps[i]),
					sampling->is_profile);
}

void sampling_start(struct kmt_totals *totals, struct kmt_control *controls, unsigned int cpus,
		    uint32_t interval)
{
	uint64_t random;

	totals->sample_interval = interval;
	for (unsigned int i = 0; interval && i < cpus; i++) {
		/* the kernel has had enough entropy since long before it could run this program */
		if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
			random = machine_now() * 0x9e3779b97f4a7c15ULL * (i + 1);
		controls[i].sample_interval = interval;
		controls[i].until_sample = (int64_t)sampling_draw(random, interval);
	}
}
