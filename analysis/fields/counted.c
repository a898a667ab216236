// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds the parts of an event that a query needs, by the table of the fields. */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "analysis/fields/counted.h"
#include "analysis/fields/expression_nodes.h"
#include "analysis/fields/function_table.h"
#include "analysis/fields/probe_filter.h"

/* They need their arguments only. */
static const char *const functions[] = { "vm_fault_contains", "mem_page_size", "bytes_to_string",
					 "pages_to_string" };

static bool is_counted_function(const struct event_function *function)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i], function->name))
			return true;
	return false;
}

static int refuse_uncounted(struct query *query, const char *what, const char *name)
{
	return error_format(
		&query->error, -EINVAL,
		"--count: the %s %s needs a capture: record one, and use kmemtrace-report count%s",
		what, name, strcmp(name, "process") ? "" : "; or count by comm,pid");
}

static int add_expression(struct query *query, const struct expression *expression, uint32_t *parts)
{
	for (size_t i = 0; i < expression->count; i++) {
		const struct expression_node *node = &expression->nodes[i];

		if (node->operation == OPERATION_CALL && !is_counted_function(node->function))
			return refuse_uncounted(query, "function", node->function->name);
		if (node->operation != OPERATION_FIELD)
			continue;
		if (node->field->parts & COUNTED_NEVER)
			return refuse_uncounted(query, "field", node->field->name);
		*parts |= node->field->parts & ~FIELD_OF_TASK;
	}
	return 0;
}

static bool selects_frees_by_type(const struct probe_glob *glob)
{
	const char *type = glob->parts[2], *name = glob->parts[3];

	return glob->is_dtrace && *type && strcmp(type, "*") &&
	       (!*name || !fnmatch(name, "free", 0));
}

/* A probe of dtmalloc selects by type, which kfree() does not name. */
static int add_probes(struct query *query, uint32_t *parts)
{
	const struct probe_filter *filter = query->probes;

	*parts |= KMT_COUNT_KIND | KMT_COUNT_NODE;
	if (filter->has_types)
		*parts |= KMT_COUNT_OBJECT | KMT_COUNT_LAST;
	for (size_t i = 0; i < filter->globs.count; i++)
		if (selects_frees_by_type(&filter->globs.list[i]))
			return error_set(
				&query->error, -EINVAL,
				"--probes: the kernel cannot count the frees of one type, since kfree() names none: record a capture, and use kmemtrace-report count");
	return 0;
}

int counted_query(struct query *query, uint32_t *parts)
{
	int err;

	if (query->probes) {
		err = add_probes(query, parts);
		if (err)
			return err;
	}
	err = query->has_where ? add_expression(query, &query->where, parts) : 0;

	for (size_t i = 0; i < query->by_count && !err; i++)
		err = add_expression(query, &query->by[i], parts);
	for (size_t i = 0; i < query->statistic_count && !err; i++)
		err = add_expression(query, &query->statistics[i].expression, parts);
	/* only oom_kill has another task than the current one, and its kind says so */
	if (!query->probes || !query->probes->probes[PROBE_OOM_KILL])
		*parts &= ~KMT_COUNT_VICTIM;
	else if (*parts & KMT_COUNT_VICTIM)
		*parts |= KMT_COUNT_KIND;
	return err;
}
