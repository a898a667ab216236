// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sets up the sampling of allocations. */
#include "config.h"

#include <sys/random.h>
#include <time.h>

#include <bpf/libbpf.h>

#include "kernel/sampling.h"
#include "tracer/load/bpf_objects.h"
#include "tracer/load/machine.h"
#include "tracer/load/sampling.h"

void sampling_choose(struct bpf_variant *variant, uint32_t interval)
{
	static const char *const maps[] = { "stack_buffers", "stack_ids", "stack_frames" };

	bpf_variant_set(variant, "sample_interval", &interval, sizeof(interval));
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		bpf_map__set_autocreate(bpf_variant_map(variant, maps[i]), interval);
}

void sampling_start(struct kmt_control *controls, unsigned int cpus, uint32_t interval)
{
	uint64_t random;

	for (unsigned int i = 0; interval && i < cpus; i++) {
		/* the kernel has had enough entropy since long before it could run this program */
		if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
			random = machine_now() * 0x9e3779b97f4a7c15ULL * (i + 1);
		controls[i].until_sample = (int64_t)sampling_draw(random, interval);
	}
}
