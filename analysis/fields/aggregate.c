// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Groups by the values of expressions, and statistics of values. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fields/aggregate.h"
#include "base/array.h"

int aggregate_init(struct aggregate *aggregate, const struct query *query)
{
	memset(aggregate, 0, sizeof(*aggregate));
	aggregate->query = query;
	if (sampled_sums_init(&aggregate->sampled, 1 + query->statistic_count))
		return -ENOMEM;
	return hash_map_init(&aggregate->index);
}

void aggregate_deinit(struct aggregate *aggregate)
{
	for (size_t i = 0; i < aggregate->count; i++) {
		struct aggregate_group *group = aggregate->groups[i];

		for (size_t k = 0; k < aggregate->query->statistic_count; k++)
			free(group->statistics[k].buckets);
		free(group);
	}
	free(aggregate->groups);
	sampled_sums_deinit(&aggregate->sampled);
	hash_map_deinit(&aggregate->index);
}

/* The seed prevents a hostile capture from choosing values that all have the same hash. */
static uint64_t hash_keys(uint64_t seed, const struct value *keys, size_t count)
{
	uint64_t hash = seed;

	for (size_t i = 0; i < count; i++) {
		hash = (hash + (uint64_t)keys[i].number) * (seed | 1);
		hash ^= hash >> 32 ^ keys[i].known;
	}
	return hash;
}

static bool same_keys(const struct value *a, const struct value *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (a[i].number != b[i].number || a[i].known != b[i].known)
			return false;
	return true;
}

static struct aggregate_group *new_group(struct aggregate *aggregate, const struct value *keys)
{
	const struct query *query = aggregate->query;
	struct aggregate_group *group, **groups;

	groups = array_grow(aggregate->groups, aggregate->count, sizeof(struct aggregate_group *));
	if (!groups)
		return NULL;
	aggregate->groups = groups;
	/* one block: most events are of other groups than the event before, and not in a cache */
	group = calloc(1, sizeof(*group) + query->by_count * sizeof(*keys) +
				  query->statistic_count * sizeof(*group->statistics));
	if (!group)
		return NULL;
	group->statistics = (void *)&group->keys[query->by_count];
	memcpy(group->keys, keys, query->by_count * sizeof(*keys));
	groups[aggregate->count++] = group;
	return group;
}

int64_t aggregate_find(struct aggregate *aggregate, const struct value *keys)
{
	const size_t by_count = aggregate->query->by_count;
	uint64_t hash = hash_keys(aggregate->index.seed, keys, by_count);
	uint32_t first = hash_map_find(&aggregate->index, hash);
	struct aggregate_group *group;

	for (uint32_t i = first == HASH_MAP_NONE ? 0 : first + 1; i; i = group->next) {
		group = aggregate->groups[i - 1];
		if (same_keys(group->keys, keys, by_count))
			return i - 1;
	}
	group = new_group(aggregate, keys);
	if (!group || (first == HASH_MAP_NONE &&
		       hash_map_add(&aggregate->index, hash, (uint32_t)aggregate->count - 1)))
		return -ENOMEM;
	if (first != HASH_MAP_NONE) {
		group->next = aggregate->groups[first]->next;
		aggregate->groups[first]->next = (uint32_t)aggregate->count;
	}
	return (int64_t)aggregate->count - 1;
}

size_t aggregate_buckets(const struct statistic *statistic)
{
	if (statistic->function == STATISTIC_HIST)
		return AGGREGATE_LOG_BUCKETS;
	return (size_t)(((uint64_t)statistic->high - (uint64_t)statistic->low +
			 (uint64_t)statistic->step - 1) /
			(uint64_t)statistic->step) +
	       2;
}

int64_t aggregate_first(const struct statistic *statistic, size_t bucket)
{
	if (!bucket)
		return INT64_MIN;
	if (statistic->function == STATISTIC_HIST)
		return bucket == 1 ? 0 : (int64_t)1 << (bucket - 2);
	if (bucket + 1 == aggregate_buckets(statistic))
		return statistic->high;
	return (int64_t)((uint64_t)statistic->low +
			 (uint64_t)statistic->step * (uint64_t)(bucket - 1));
}

int64_t aggregate_last(const struct statistic *statistic, size_t bucket)
{
	return bucket + 1 == aggregate_buckets(statistic)
		       ? INT64_MAX
		       : aggregate_first(statistic, bucket + 1) - 1;
}

static size_t bucket_of(const struct statistic *statistic, int64_t value)
{
	if (statistic->function == STATISTIC_HIST)
		return value < 0 ? 0 : value ? 65 - (size_t)__builtin_clzll((uint64_t)value) : 1;
	if (value < statistic->low)
		return 0;
	if (value >= statistic->high)
		return aggregate_buckets(statistic) - 1;
	return (size_t)(((uint64_t)value - (uint64_t)statistic->low) / (uint64_t)statistic->step) +
	       1;
}

static int add_to_bucket(const struct statistic *statistic, struct accumulator *accumulator,
			 int64_t value, uint64_t weight)
{
	if (!accumulator->buckets)
		accumulator->buckets = calloc(aggregate_buckets(statistic), sizeof(uint64_t));
	if (!accumulator->buckets)
		return -ENOMEM;
	accumulator->buckets[bucket_of(statistic, value)] += weight;
	return 0;
}

/* Addresses have no sign. */
static bool is_less(const struct statistic *statistic, int64_t a, int64_t b)
{
	return statistic->expression.type == VALUE_ADDRESS ? (uint64_t)a < (uint64_t)b : a < b;
}

static void add_to_sum(struct accumulator *accumulator, int64_t value, uint64_t weight)
{
	int64_t product;

	accumulator->overflowed |=
		__builtin_mul_overflow(value, weight, &product) ||
		__builtin_add_overflow(accumulator->number, product, &accumulator->number);
}

static int add_value(const struct statistic *statistic, struct accumulator *accumulator,
		     int64_t value, uint64_t weight)
{
	bool first = !accumulator->values;

	accumulator->values += weight;

	switch (statistic->function) {
	case STATISTIC_COUNT:
		break;
	case STATISTIC_SUM:
	case STATISTIC_AVG:
		add_to_sum(accumulator, value, weight);
		break;
	case STATISTIC_MIN:
		if (first || is_less(statistic, value, accumulator->number))
			accumulator->number = value;
		break;
	case STATISTIC_MAX:
		if (first || is_less(statistic, accumulator->number, value))
			accumulator->number = value;
		break;
	case STATISTIC_HIST:
	case STATISTIC_LINEAR:
		return add_to_bucket(statistic, accumulator, value, weight);
	}
	return 0;
}

int aggregate_add(struct aggregate *aggregate, struct value_source *source,
		  const struct transition *transition, uint64_t weight,
		  const struct sampled_object *object)
{
	const struct query *query = aggregate->query;
	struct value keys[QUERY_KEYS_MAX], value;
	struct aggregate_group *group;
	double *sums = NULL;
	int64_t number;
	bool is_new;
	int err = 0;

	if (!query_takes(query, source, transition)) {
		aggregate->excluded += weight;
		return source->err;
	}
	for (size_t i = 0; i < query->by_count; i++)
		keys[i] = expression_value(&query->by[i], source, transition);
	number = aggregate_find(aggregate, keys);
	if (number < 0)
		return (int)number;
	group = aggregate->groups[number];
	aggregate->events += weight;
	group->events += weight;
	if (object) {
		sums = sampled_sums_find(&aggregate->sampled, (uint64_t)number, object, &is_new);
		if (!sums)
			return -ENOMEM;
		group->samples += is_new;
		group->bytes += weight * object->allocated;
		group->variance += sampled_sums_add(&sums[0], 1, object);
	}
	for (size_t i = 0; i < query->statistic_count && !err; i++) {
		value = expression_value(&query->statistics[i].expression, source, transition);
		if (!value.known)
			continue;
		err = add_value(&query->statistics[i], &group->statistics[i], value.number, weight);
		if (object)
			group->statistics[i].variance +=
				sampled_sums_add(&sums[1 + i],
						 query->statistics[i].function == STATISTIC_SUM
							 ? (double)value.number
							 : 1,
						 object);
	}
	return err ? err : source->err;
}
