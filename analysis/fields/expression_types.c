// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which types an operator takes, and the type of its result. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "analysis/fields/expression_nodes.h"

int expression_fail(struct expression_error *error, size_t column, const char *format, ...)
{
	va_list arguments;

	error->column = column;
	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return -EINVAL;
}

static int fail_types(const struct expression_node *node, const struct expression_node *left,
		      const struct expression_node *right, const char *sign,
		      struct expression_error *error)
{
	const struct expression_node *time = type_is_time(left->type) ? left : right;

	if (right && type_is_time(time->type) && (left->is_integer || right->is_integer))
		return expression_fail(error, (time == left ? right : left)->column,
				       "a time needs a unit, as in 10ms");
	if (!right)
		return expression_fail(error, left->column, "%s does not take a value of type %s",
				       sign, value_type_name(left->type));
	return expression_fail(error, node->column, "%s does not take the types %s and %s", sign,
			       value_type_name(left->type), value_type_name(right->type));
}

static bool may_compare(enum operation operation, enum value_type left, enum value_type right)
{
	bool same = operation == OPERATION_EQUAL || operation == OPERATION_UNEQUAL;

	if (left == VALUE_NULL || right == VALUE_NULL)
		return same;
	if (type_is_number(left))
		return type_is_number(right);
	if (type_is_time(left))
		return type_is_time(right);
	return same && left == right;
}

/* The type of a sum, difference, product, quotient, remainder or of bits; VALUE_NULL: none. */
static enum value_type arithmetic_type(enum operation operation, enum value_type left,
				       enum value_type right)
{
	if (type_is_number(left) && type_is_number(right)) {
		if (operation == OPERATION_DIVIDE && left == right)
			return VALUE_NUMBER;
		if (left == VALUE_ADDRESS || right == VALUE_ADDRESS)
			return VALUE_ADDRESS;
		if (operation == OPERATION_BITS_AND || operation == OPERATION_BITS_OR)
			return left == VALUE_FLAGS ? left : right;
		return left == VALUE_BYTES || right == VALUE_BYTES ? VALUE_BYTES : VALUE_NUMBER;
	}
	if (operation == OPERATION_ADD && type_is_time(left) && type_is_time(right) &&
	    (left == VALUE_DURATION || right == VALUE_DURATION))
		return left == VALUE_TIME || right == VALUE_TIME ? VALUE_TIME : VALUE_DURATION;
	if (operation == OPERATION_SUBTRACT && type_is_time(left) && type_is_time(right) &&
	    (left == VALUE_TIME || right == VALUE_DURATION))
		return left == right ? VALUE_DURATION : VALUE_TIME;
	if (operation == OPERATION_MULTIPLY && left == VALUE_DURATION && right == VALUE_NUMBER)
		return VALUE_DURATION;
	if (operation == OPERATION_MULTIPLY && left == VALUE_NUMBER && right == VALUE_DURATION)
		return VALUE_DURATION;
	if (operation == OPERATION_DIVIDE && type_is_time(left) && right == VALUE_NUMBER)
		return VALUE_DURATION;
	if (operation == OPERATION_DIVIDE && type_is_time(left) && right == VALUE_DURATION)
		return VALUE_NUMBER;
	if (operation == OPERATION_REMAINDER && type_is_time(left) && right == VALUE_DURATION)
		return VALUE_DURATION;
	return VALUE_NULL;
}

static bool may_pass(enum value_type type, enum value_type parameter)
{
	return type == parameter || (type == VALUE_NUMBER && type_is_number(parameter));
}

int expression_check_argument(const struct event_function *function, size_t position,
			      const struct expression_node *argument, size_t column,
			      struct expression_error *error)
{
	const struct function_argument *parameter = &function->arguments[position];

	if (!argument)
		return expression_fail(error, column, "%s() needs its argument %s of type %s",
				       function->name, parameter->name,
				       value_type_name(parameter->type));
	if (may_pass(argument->type, parameter->type))
		return 0;
	return expression_fail(error, column, "the argument %s of %s() is of type %s, not %s",
			       parameter->name, function->name, value_type_name(parameter->type),
			       value_type_name(argument->type));
}

int expression_check(struct expression_node *node, const struct expression_node *left,
		     const struct expression_node *right, const char *sign,
		     struct expression_error *error)
{
	bool fits = false;

	node->type = VALUE_BOOL;
	switch (node->operation) {
	case OPERATION_FIELD:
	case OPERATION_CALL:
	case OPERATION_CONSTANT:
		return 0;
	case OPERATION_OR:
	case OPERATION_AND:
		fits = left->type == VALUE_BOOL && right->type == VALUE_BOOL;
		break;
	case OPERATION_NOT:
		fits = left->type == VALUE_BOOL;
		break;
	case OPERATION_EQUAL:
	case OPERATION_UNEQUAL:
	case OPERATION_LESS:
	case OPERATION_LESS_EQUAL:
	case OPERATION_MORE:
	case OPERATION_MORE_EQUAL:
		fits = may_compare(node->operation, left->type, right->type);
		break;
	case OPERATION_MATCH:
	case OPERATION_NO_MATCH:
		if (left->type == VALUE_TEXT && right->operation != OPERATION_CONSTANT)
			return expression_fail(error, right->column,
					       "%s needs a regular expression in quotes", sign);
		fits = left->type == VALUE_TEXT && right->type == VALUE_TEXT;
		break;
	case OPERATION_NEGATE:
		node->type = left->type == VALUE_DURATION ? VALUE_DURATION : VALUE_NUMBER;
		fits = left->type == VALUE_NUMBER || left->type == VALUE_BYTES ||
		       left->type == VALUE_DURATION;
		break;
	case OPERATION_BITS_OR:
	case OPERATION_BITS_AND:
	case OPERATION_ADD:
	case OPERATION_SUBTRACT:
	case OPERATION_MULTIPLY:
	case OPERATION_DIVIDE:
	case OPERATION_REMAINDER:
		node->type = arithmetic_type(node->operation, left->type, right->type);
		fits = node->type != VALUE_NULL;
		break;
	}
	return fits ? 0 : fail_types(node, left, right, sign, error);
}
