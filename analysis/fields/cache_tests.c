// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Comparisons of the name of a slab cache with a text. */
#include "config.h"

#include <string.h>

#include "analysis/fields/expression_nodes.h"
#include "analysis/fields/query.h"
#include "base/text.h"
#include "kernel/cache_aliases.h"

static bool is_cache_name(const struct expression_node *node)
{
	return node->operation == OPERATION_FIELD && node->field->get == value_get_cache;
}

static bool is_text(const struct expression_node *node)
{
	return node->operation == OPERATION_CONSTANT && node->type == VALUE_TEXT;
}

static void bind_cache_test(struct expression_node *node, const struct expression_node *nodes)
{
	uint32_t left = node->left;

	if (is_cache_name(&nodes[node->right]) && is_text(&nodes[left])) {
		node->left = node->right;
		node->right = left;
	}
	if (is_cache_name(&nodes[node->left]) && is_text(&nodes[node->right]))
		node->cache_text = nodes[node->right].text;
}

void cache_tests_bind(struct expression *expression)
{
	for (size_t i = 0; i < expression->count; i++) {
		struct expression_node *node = &expression->nodes[i];

		if (node->operation == OPERATION_EQUAL || node->operation == OPERATION_UNEQUAL ||
		    node->operation == OPERATION_MATCH || node->operation == OPERATION_NO_MATCH)
			bind_cache_test(node, expression->nodes);
	}
}

static int passes_one_name(const struct expression_node *node, const char *name)
{
	return node->regex ? text_matches(node->regex, name) : !strcmp(name, node->cache_text);
}

int cache_test_passes(const struct expression_node *node, const struct caches *caches,
		      const char *name)
{
	const char *aliases = caches_find_aliases(caches, name);
	int passes = passes_one_name(node, name);
	char alias[CACHE_NAME];

	while (!passes && cache_aliases_next(&aliases, alias))
		passes = passes_one_name(node, alias);
	return passes;
}

static int some_cache_passes(const struct expression_node *node, const struct analysis *analysis)
{
	int passes = 0;

	for (size_t i = 0; i < analysis->cache_count && !passes; i++)
		passes = cache_test_passes(node, &analysis->capture->caches,
					   analysis->caches[i].name);
	return passes;
}

int query_find_unknown_cache(const struct query *query, const struct analysis *analysis,
			     const char **text)
{
	const struct expression *where = &query->where;

	*text = NULL;
	for (size_t i = 0; query->has_where && i < where->count; i++) {
		const struct expression_node *node = &where->nodes[i];
		int passes = node->cache_text ? some_cache_passes(node, analysis) : 1;

		if (passes < 0)
			return passes;
		if (!passes) {
			*text = node->cache_text;
			return 0;
		}
	}
	return 0;
}
