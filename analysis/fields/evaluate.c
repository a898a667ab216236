// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The value of an expression for an event. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fields/expression_nodes.h"
#include "base/array.h"
#include "base/text.h"

static int bind_node(struct expression_node *node, struct value_source *source,
		     const struct gfp_table *gfp, struct expression_error *error)
{
	if (node->operation != OPERATION_CONSTANT || !node->text)
		return 0;
	if (node->type == VALUE_TEXT) {
		node->value = value_of(texts_add(&source->texts, node->text));
		return node->value.number ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < gfp->count; i++) {
		if (strcmp(gfp->list[i].name, node->text))
			continue;
		node->value = value_of((int64_t)gfp->list[i].bits);
		return 0;
	}
	return expression_fail(error, node->column, "the kernel of this capture has no GFP flag %s",
			       node->text);
}

int expression_bind(struct expression *expression, struct value_source *source,
		    const struct gfp_table *gfp, struct expression_error *error)
{
	int err = 0;

	cache_tests_bind(expression);
	for (size_t i = 0; i < expression->count && !err; i++)
		err = bind_node(&expression->nodes[i], source, gfp, error);
	return err;
}

struct evaluation {
	struct expression_node *nodes;
	struct value_source *source;
	const struct transition *transition;
};

static struct value evaluate_node(const struct evaluation *evaluation, uint32_t number);

/* Whether the text matches, or is one of a cache's names; each text is compared once. */
static struct value match_text(struct expression_node *node, struct value_source *source,
			       struct value text)
{
	size_t number = (size_t)text.number;
	bool wanted = node->operation == OPERATION_MATCH || node->operation == OPERATION_EQUAL;
	unsigned char *verdicts;
	int matches;

	if (!text.known)
		return value_unknown();
	if (number >= node->verdict_count) {
		verdicts = array_grow_zeroed(node->verdicts, &node->verdict_count, number + 1, 1);
		if (!verdicts) {
			source->err = -ENOMEM;
			return value_unknown();
		}
		node->verdicts = verdicts;
	}
	if (!node->verdicts[number]) {
		const char *got = texts_get(&source->texts, (uint32_t)number);

		matches = node->cache_text ? cache_test_passes(node, &source->capture->caches, got)
					   : text_matches(node->regex, got);
		if (matches < 0) {
			source->err = matches;
			return value_unknown();
		}
		node->verdicts[number] = matches ? 2 : 1;
	}
	return value_of((node->verdicts[number] == 2) == wanted);
}

/* -1, 0 or 1. An address has no sign. */
static int compare_values(struct value a, bool a_unsigned, struct value b, bool b_unsigned)
{
	if (a_unsigned != b_unsigned) {
		/* without a sign and above INT64_MAX: larger than any number with a sign */
		if (a_unsigned && a.number < 0)
			return 1;
		if (b_unsigned && b.number < 0)
			return -1;
	} else if (a_unsigned) {
		return ((uint64_t)a.number > (uint64_t)b.number) -
		       ((uint64_t)a.number < (uint64_t)b.number);
	}
	return (a.number > b.number) - (a.number < b.number);
}

static struct value compared_value(enum operation operation, int order)
{
	switch (operation) {
	case OPERATION_EQUAL:
		return value_of(order == 0);
	case OPERATION_UNEQUAL:
		return value_of(order != 0);
	case OPERATION_LESS:
		return value_of(order < 0);
	case OPERATION_LESS_EQUAL:
		return value_of(order <= 0);
	case OPERATION_MORE:
		return value_of(order > 0);
	default:
		return value_of(order >= 0);
	}
}

static struct value calculate_signed(enum operation operation, int64_t a, int64_t b)
{
	int64_t result = 0;
	bool wrong = false;

	switch (operation) {
	case OPERATION_ADD:
		wrong = __builtin_add_overflow(a, b, &result);
		break;
	case OPERATION_SUBTRACT:
		wrong = __builtin_sub_overflow(a, b, &result);
		break;
	case OPERATION_MULTIPLY:
		wrong = __builtin_mul_overflow(a, b, &result);
		break;
	case OPERATION_DIVIDE:
	case OPERATION_REMAINDER:
		wrong = !b || (b == -1 && a == INT64_MIN);
		if (!wrong)
			result = operation == OPERATION_DIVIDE ? a / b : a % b;
		break;
	case OPERATION_BITS_OR:
		result = a | b;
		break;
	default:
		result = a & b;
		break;
	}
	return wrong ? value_unknown() : value_of(result);
}

/* A negative number beside an address has no meaning but in a sum. */
static struct value calculate_unsigned(enum operation operation, uint64_t a, uint64_t b)
{
	uint64_t result = 0;
	bool wrong = false;

	switch (operation) {
	case OPERATION_ADD:
		wrong = __builtin_add_overflow(a, b, &result);
		break;
	case OPERATION_SUBTRACT:
		wrong = __builtin_sub_overflow(a, b, &result);
		break;
	case OPERATION_MULTIPLY:
		wrong = __builtin_mul_overflow(a, b, &result);
		break;
	case OPERATION_DIVIDE:
	case OPERATION_REMAINDER:
		wrong = !b;
		if (!wrong)
			result = operation == OPERATION_DIVIDE ? a / b : a % b;
		break;
	case OPERATION_BITS_OR:
		result = a | b;
		break;
	default:
		result = a & b;
		break;
	}
	return wrong ? value_unknown() : value_of((int64_t)result);
}

static struct value calculate_value(const struct expression_node *node,
				    const struct expression_node *left,
				    const struct expression_node *right, struct value a,
				    struct value b)
{
	bool a_unsigned = left->type == VALUE_ADDRESS, b_unsigned = right->type == VALUE_ADDRESS;

	if (!a.known || !b.known)
		return value_unknown();
	if (!a_unsigned && !b_unsigned)
		return calculate_signed(node->operation, a.number, b.number);
	if ((!a_unsigned && a.number < 0) || (!b_unsigned && b.number < 0))
		return value_unknown();
	return calculate_unsigned(node->operation, (uint64_t)a.number, (uint64_t)b.number);
}

/* false && null is false, true || null is true; else null makes null. */
static struct value evaluate_logic(const struct evaluation *evaluation,
				   const struct expression_node *node)
{
	const int64_t decides = node->operation == OPERATION_OR;
	struct value a = evaluate_node(evaluation, node->left), b;

	if (a.known && a.number == decides)
		return a;
	b = evaluate_node(evaluation, node->right);
	if (b.known && b.number == decides)
		return b;
	return a.known ? b : a;
}

static struct value evaluate_binary(const struct evaluation *evaluation,
				    struct expression_node *node)
{
	const struct expression_node *left = &evaluation->nodes[node->left],
				     *right = &evaluation->nodes[node->right];
	struct value a = evaluate_node(evaluation, node->left), b;

	if (node->operation == OPERATION_MATCH || node->operation == OPERATION_NO_MATCH ||
	    node->cache_text)
		return match_text(node, evaluation->source, a);
	b = evaluate_node(evaluation, node->right);
	if (node->operation > OPERATION_NO_MATCH)
		return calculate_value(node, left, right, a, b);
	if (left->type == VALUE_NULL || right->type == VALUE_NULL)
		return value_of((a.known == b.known) == (node->operation == OPERATION_EQUAL));
	if (!a.known || !b.known)
		return value_unknown();
	return compared_value(node->operation, compare_values(a, left->type == VALUE_ADDRESS, b,
							      right->type == VALUE_ADDRESS));
}

static struct value call_function(const struct evaluation *evaluation,
				  const struct expression_node *node)
{
	const uint32_t operands[FUNCTION_ARGUMENTS_MAX] = { node->left, node->right };
	struct value arguments[FUNCTION_ARGUMENTS_MAX] = { 0 };

	for (size_t i = 0; i < event_function_arity(node->function); i++) {
		arguments[i] = evaluate_node(evaluation, operands[i]);
		if (!arguments[i].known)
			return value_unknown();
	}
	return node->function->call(evaluation->source, evaluation->transition, arguments);
}

static struct value evaluate_node(const struct evaluation *evaluation, uint32_t number)
{
	struct expression_node *node = &evaluation->nodes[number];
	struct value value;

	switch (node->operation) {
	case OPERATION_FIELD:
		return node->field->get(evaluation->source, evaluation->transition);
	case OPERATION_CALL:
		return call_function(evaluation, node);
	case OPERATION_CONSTANT:
		return node->value;
	case OPERATION_OR:
	case OPERATION_AND:
		return evaluate_logic(evaluation, node);
	case OPERATION_NOT:
		value = evaluate_node(evaluation, node->left);
		value.number = value.known && !value.number;
		return value;
	case OPERATION_NEGATE:
		value = evaluate_node(evaluation, node->left);
		if (!value.known)
			return value;
		return calculate_signed(OPERATION_SUBTRACT, 0, value.number);
	default:
		return evaluate_binary(evaluation, node);
	}
}

struct value expression_value(const struct expression *expression, struct value_source *source,
			      const struct transition *transition)
{
	const struct evaluation evaluation = { expression->nodes, source, transition };

	if (expression->field)
		return expression->field->get(source, transition);
	return evaluate_node(&evaluation, expression->root);
}
