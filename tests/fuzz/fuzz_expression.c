// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Expressions, groups, statistics and columns as a user writes them: each text is refused with a
 * message, or parsed, and evaluated for an allocation and a free.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fields/aggregate.h"
#include "tests/fuzz/fuzz.h"

static struct gfp_name gfp_names[] = { { 0xcc0, "GFP_KERNEL" }, { 0x100, "__GFP_ZERO" } };
static const struct capture capture = { .gfp = { gfp_names, 2 },
					.metadata = { .page_size = 4096 } };
static struct group group = { .key = 0xffffffff81000010 };
static const struct analysis analysis = {
	.capture = &capture, .begin = 1000, .groups = &group, .group_count = 1
};

static int parse_query(struct query *query, unsigned int how, const char *text)
{
	switch (how % 8) {
	case 0:
	case 4:
		return query_where(query, "--where", text);
	case 1:
	case 5:
		return query_by(query, "--by", text);
	case 2:
		return query_statistic(query, "--max", STATISTIC_MAX, text);
	case 6:
		return query_statistic(query, "--linear", STATISTIC_LINEAR, text);
	default:
		return query_columns(query, "-F", text);
	}
}

static void evaluate_query(struct query *query, struct value_source *source, uint8_t id)
{
	const struct slab_object object = {
		.address = 4096, .time = 2000, .requested = 100, .allocated = 128, .task = 7
	};
	const struct event event = { .time = 51000000,
				     .pointer = 0xffff888000001000,
				     .call_site = 0x1000,
				     .task = 7,
				     .gfp = 0xdc0,
				     .requested = 100,
				     .allocated = 128,
				     .node = -1,
				     .id = id };
	const struct transition transition = {
		.outcome = id == KMT_KFREE ? OUTCOME_FREED : OUTCOME_ALLOCATED,
		.event = &event,
		.object = &object,
		.cache = CACHE_NONE,
	};
	struct aggregate aggregate;

	FUZZ_EXPECT(!aggregate_init(&aggregate, query));
	FUZZ_EXPECT(value_source_take(source, &analysis, &transition));
	for (size_t i = 0; i < query->column_count; i++)
		expression_value(&query->columns[i], source, &transition);
	FUZZ_EXPECT(!aggregate_add(&aggregate, source, &transition, 1, NULL));
	FUZZ_EXPECT(aggregate.events + aggregate.excluded == 1);
	FUZZ_EXPECT(aggregate.count == aggregate.events);
	aggregate_deinit(&aggregate);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	unsigned int how = fuzz_byte(&input);
	struct query *query = calloc(1, sizeof(*query));
	char *text = fuzz_text(&input);
	struct value_source source;
	int err;

	FUZZ_EXPECT(query && !value_source_init(&source));
	/* regcomp() of nested repetitions takes any amount of memory; --max-memory bounds it */
	err = strchr(text, '{') ? -EINVAL : parse_query(query, how, text);
	if (!err)
		err = query_bind(query, &source, &capture.gfp);
	FUZZ_EXPECT(!err || (err == -EINVAL && (*query->error.text || strchr(text, '{'))));
	if (!err) {
		evaluate_query(query, &source, KMT_KMALLOC);
		evaluate_query(query, &source, KMT_KFREE);
	}
	value_source_deinit(&source);
	query_deinit(query);
	free(query);
	free(text);
	return 0;
}
