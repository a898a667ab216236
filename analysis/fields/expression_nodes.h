/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tree of an expression: for the parser, the check of types, and the evaluation. */
#ifndef ANALYSIS_FIELDS_EXPRESSION_NODES_H
#define ANALYSIS_FIELDS_EXPRESSION_NODES_H

#include <regex.h>

#include "analysis/fields/expression.h"

enum operation {
	OPERATION_FIELD,
	OPERATION_CALL,	    /* left, right: the first and second argument */
	OPERATION_CONSTANT, /* text: the characters of a VALUE_TEXT, or of a GFP flag's name */
	OPERATION_OR,
	OPERATION_AND,
	OPERATION_NOT,
	OPERATION_EQUAL,
	OPERATION_UNEQUAL,
	OPERATION_LESS,
	OPERATION_LESS_EQUAL,
	OPERATION_MORE,
	OPERATION_MORE_EQUAL,
	OPERATION_MATCH,
	OPERATION_NO_MATCH,
	OPERATION_BITS_OR,
	OPERATION_BITS_AND,
	OPERATION_ADD,
	OPERATION_SUBTRACT,
	OPERATION_MULTIPLY,
	OPERATION_DIVIDE,
	OPERATION_REMAINDER,
	OPERATION_NEGATE,
};

struct expression_node {
	enum operation operation;
	enum value_type type;
	uint32_t left, right; /* operands; of a unary operator: left */
	size_t column;	      /* from 1 */
	bool is_integer;      /* a constant without a unit: it has no type of its own yet */
	const struct event_field *field;
	const struct event_function *function;
	struct value value; /* of a constant */
	char *text;
	regex_t *regex;		 /* of a match */
	unsigned char *verdicts; /* of a match, by number of a text: 0 not known, 1 no, 2 yes */
	size_t verdict_count;
	/* of == != =~ !~ with the name of a slab cache: the text beside it; else NULL */
	const char *cache_text;
};

static inline bool type_is_number(enum value_type type)
{
	return type == VALUE_NUMBER || type == VALUE_BYTES || type == VALUE_ADDRESS ||
	       type == VALUE_FLAGS;
}

static inline bool type_is_time(enum value_type type)
{
	return type == VALUE_TIME || type == VALUE_DURATION;
}

/*
 * Sets the type of an operator's node from the types of its operands; right is NULL for a unary
 * one. 0, or -EINVAL with error set.
 */
int expression_check(struct expression_node *node, const struct expression_node *left,
		     const struct expression_node *right, const char *sign,
		     struct expression_error *error);

/*
 * The same of argument number `position` of a call, from 0; argument is NULL if it is missing, at
 * column.
 */
int expression_check_argument(const struct event_function *function, size_t position,
			      const struct expression_node *argument, size_t column,
			      struct expression_error *error);

/*
 * Tests of the name of a slab cache. Merged caches are one, which has the name of any: == and =~
 * are true if one of its names passes, != and !~ if none does.
 *
 * cache_tests_bind(): sets cache_text of the nodes; the operand with the name becomes the left one.
 * cache_test_passes(): does the cache of this name pass == or =~ of the node: 1, 0 or -ENOMEM.
 */
void cache_tests_bind(struct expression *expression);
int cache_test_passes(const struct expression_node *node, const struct caches *caches,
		      const char *name);

__attribute__((format(printf, 3, 4))) int expression_fail(struct expression_error *error,
							  size_t column, const char *format, ...);

#endif
