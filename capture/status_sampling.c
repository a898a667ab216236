// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes and parses the lines of kernel/status about sampled allocations. */
#include "config.h"

#include <inttypes.h>
#include <stddef.h>

#include "capture/status_sampling.h"
#include "kernel/sampling.h"

static const struct {
	const char *key;
	size_t offset;
	uint64_t most;
} numbers[] = {
	{ "sample_interval", offsetof(struct status_sampling, interval), SAMPLING_MOST },
	{ "sample_interval_most", offsetof(struct status_sampling, interval_most), SAMPLING_MOST },
	{ "stacks_unwalked", offsetof(struct status_sampling, unwalked), UINT64_MAX },
	{ "stacks_no_room", offsetof(struct status_sampling, no_room), UINT64_MAX },
	{ "unsampled", offsetof(struct status_sampling, unsized), UINT64_MAX },
	{ "samples_dropped", offsetof(struct status_sampling, dropped), UINT64_MAX },
};
#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

void status_sampling_write(const struct status_sampling *sampling, FILE *file)
{
	if (!sampling->interval)
		return;
	if (sampling->is_profile)
		fputs("profile yes\n", file);
	if (sampling->user_stacks)
		fprintf(file, "user_stacks_unwalked %" PRIu64 "\nmappings_lost %" PRIu64 "\n",
			sampling->user_unwalked, sampling->mappings_lost);
	for (size_t i = 0; i < NUMBERS; i++)
		fprintf(file, "%s %" PRIu64 "\n", numbers[i].key,
			*(const uint64_t *)((const char *)sampling + numbers[i].offset));
}

bool status_sampling_parse(struct status_sampling *sampling, struct line *line)
{
	if (line_key(line, "profile")) {
		sampling->is_profile = line_key(line, "yes");
		return true;
	}
	if (line_key(line, "user_stacks_unwalked")) {
		sampling->user_stacks = line_u64(line, 10, &sampling->user_unwalked);
		return true;
	}
	if (line_key(line, "mappings_lost")) {
		line_u64(line, 10, &sampling->mappings_lost);
		return true;
	}
	for (size_t i = 0; i < NUMBERS; i++) {
		uint64_t number;

		if (!line_key(line, numbers[i].key))
			continue;
		if (line_u64(line, 10, &number) && number <= numbers[i].most)
			*(uint64_t *)((char *)sampling + numbers[i].offset) = number;
		return true;
	}
	return false;
}
