// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes and parses checkpoint/state. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "capture/checkpoint_state.h"

#define STATE_FORMAT 1
/* of a file that is read: no kernel has so many slab caches, and each is searched */
#define CACHES_MAX 16384
#define CPUS_MAX 65536

static const struct {
	const char *key;
	size_t offset;
} numbers[] = {
	{ "begin", offsetof(struct checkpoint_state, begin) },
	{ "since", offsetof(struct checkpoint_state, since) },
	{ "objects", offsetof(struct checkpoint_state, objects) },
	{ "events", offsetof(struct checkpoint_state, events) },
	{ "nameless_frees", offsetof(struct checkpoint_state, nameless_frees) },
	{ "anonymous_allocations", offsetof(struct checkpoint_state, anonymous_allocations) },
};
#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

void checkpoint_state_deinit(struct checkpoint_state *state)
{
	free(state->cpus);
	free(state->numbers);
	free(state->caches);
	free(state->counts);
	*state = (struct checkpoint_state){ 0 };
}

int checkpoint_state_add_cpu(struct checkpoint_state *state, unsigned int cpu, uint64_t address)
{
	struct checkpoint_cpu *cpus;

	cpus = reallocarray(state->cpus, state->cpu_count + 1, sizeof(*cpus));
	if (!cpus)
		return -ENOMEM;
	state->cpus = cpus;
	cpus[state->cpu_count++] = (struct checkpoint_cpu){ cpu, address };
	return 0;
}

int checkpoint_state_add_cache(struct checkpoint_state *state, const char *name,
			       uint64_t missed_frees)
{
	struct checkpoint_cache *caches, *cache;

	caches = reallocarray(state->caches, state->cache_count + 1, sizeof(*caches));
	if (!caches)
		return -ENOMEM;
	state->caches = caches;
	cache = &caches[state->cache_count++];
	snprintf(cache->name, sizeof(cache->name), "%s", name);
	cache->missed_frees = missed_frees;
	return 0;
}

int checkpoint_state_add_count(struct checkpoint_state *state, const struct checkpoint_count *count)
{
	struct checkpoint_count *list, *sum;
	size_t at = 0;

	while (at < state->count_count && strcmp(state->counts[at].name, count->name) != 0)
		at++;
	if (at == state->count_count) {
		list = reallocarray(state->counts, state->count_count + 1, sizeof(*list));
		if (!list)
			return -ENOMEM;
		state->counts = list;
		list[state->count_count++] = *count;
		return 0;
	}
	sum = &state->counts[at];
	sum->allocations += count->allocations;
	sum->frees += count->frees;
	sum->missed_frees += count->missed_frees;
	sum->meanwhile += count->meanwhile;
	return 0;
}

int checkpoint_state_add_number(struct checkpoint_state *state, unsigned int cpu, uint64_t first)
{
	struct checkpoint_number *list;

	list = reallocarray(state->numbers, state->number_count + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	state->numbers = list;
	list[state->number_count++] = (struct checkpoint_number){ cpu, first };
	return 0;
}

bool checkpoint_state_find_number(const struct checkpoint_state *state, unsigned int cpu,
				  uint64_t *first)
{
	for (size_t i = 0; i < state->number_count; i++)
		if (state->numbers[i].cpu == cpu) {
			*first = state->numbers[i].first;
			return true;
		}
	return false;
}

uint64_t checkpoint_state_missed_frees(const struct checkpoint_state *state, const char *cache)
{
	uint64_t missed = 0;

	for (size_t i = 0; i < state->cache_count; i++)
		if (!strcmp(state->caches[i].name, cache))
			missed += state->caches[i].missed_frees;
	return missed;
}

int checkpoint_state_write(const struct checkpoint_state *state, FILE *file)
{
	fprintf(file, "format %d\n", STATE_FORMAT);
	for (size_t i = 0; i < NUMBERS; i++)
		fprintf(file, "%s %" PRIu64 "\n", numbers[i].key,
			*(const uint64_t *)((const char *)state + numbers[i].offset));
	fprintf(file, "lost %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", state->lost, state->lost_after,
		state->lost_before);
	if (state->skipped == STATUS_UNKNOWN)
		fputs("skipped unknown\n", file);
	else
		fprintf(file, "skipped %" PRIu64 "\n", state->skipped);
	for (size_t i = 0; i < state->cpu_count; i++)
		fprintf(file, "last_allocation %u %" PRIx64 "\n", state->cpus[i].cpu,
			state->cpus[i].address);
	for (size_t i = 0; i < state->cache_count; i++) {
		fprintf(file, "missed_frees %" PRIu64 " ", state->caches[i].missed_frees);
		text_write_word(file, state->caches[i].name);
		putc('\n', file);
	}
	for (size_t i = 0; i < state->count_count; i++) {
		const struct checkpoint_count *count = &state->counts[i];

		fprintf(file, "counted %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " ",
			count->allocations, count->frees, count->missed_frees, count->meanwhile);
		text_write_word(file, count->name);
		putc('\n', file);
	}
	for (size_t i = 0; i < state->number_count; i++)
		fprintf(file, "first_event %u %" PRIu64 "\n", state->numbers[i].cpu,
			state->numbers[i].first);
	fputs("end\n", file);
	return text_write_result(file);
}

static int parse_count(struct checkpoint_state *state, struct line *line)
{
	struct checkpoint_count count = { 0 };

	if (!line_u64(line, 10, &count.allocations) || !line_u64(line, 10, &count.frees) ||
	    !line_u64(line, 10, &count.missed_frees) || !line_u64(line, 10, &count.meanwhile))
		return 0;
	line_word(line, count.name, sizeof(count.name));
	return checkpoint_state_add_count(state, &count);
}

/* 0 or -errno. */
static int parse_line(struct checkpoint_state *state, struct line *line)
{
	uint64_t address, missed_frees;
	char name[80];
	uint32_t cpu;

	if (state->cache_count > CACHES_MAX || state->count_count > CACHES_MAX ||
	    state->cpu_count > CPUS_MAX || state->number_count > CPUS_MAX)
		return -EBADMSG;
	if (line_key(line, "missed_frees")) {
		if (!line_u64(line, 10, &missed_frees))
			return 0;
		line_word(line, name, sizeof(name));
		return checkpoint_state_add_cache(state, name, missed_frees);
	}
	if (line_key(line, "counted"))
		return parse_count(state, line);
	if (line_key(line, "lost")) {
		line_u64(line, 10, &state->lost);
		line_u64(line, 10, &state->lost_after);
		line_u64(line, 10, &state->lost_before);
		return 0;
	}
	if (line_key(line, "first_event"))
		return line_u32(line, &cpu) && cpu <= UINT16_MAX && line_u64(line, 10, &address)
			       ? checkpoint_state_add_number(state, cpu, address)
			       : 0;
	if (line_key(line, "skipped")) {
		if (!line_u64(line, 10, &state->skipped))
			state->skipped = STATUS_UNKNOWN;
		return 0;
	}
	if (line_key(line, "last_allocation"))
		return line_u32(line, &cpu) && cpu <= UINT16_MAX && line_u64(line, 16, &address)
			       ? checkpoint_state_add_cpu(state, cpu, address)
			       : 0;
	for (size_t i = 0; i < NUMBERS; i++)
		if (line_key(line, numbers[i].key))
			line_u64(line, 10, (uint64_t *)((char *)state + numbers[i].offset));
	return 0;
}

int checkpoint_state_parse(struct checkpoint_state *state, const char *text)
{
	uint64_t format = 0;
	bool has_end = false;
	struct line line;
	int err = 0;

	*state = (struct checkpoint_state){ 0 };
	while (!err && line_next(&line, &text)) {
		if (line_key(&line, "end"))
			has_end = true;
		else if (!line_key(&line, "format"))
			err = parse_line(state, &line);
		else if (line_u64(&line, 10, &format) && format > STATE_FORMAT)
			err = -EPROTONOSUPPORT;
	}
	if (!err && (!format || !state->begin || !has_end))
		err = -EBADMSG;
	if (err)
		checkpoint_state_deinit(state);
	return err;
}
