/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Expressions over the fields of an event: comparisons, && || !, arithmetic, and flags.
 *
 *	comparison  == != < <= > >=, and =~ !~ with an extended regular expression
 *	arithmetic  + - * / %, and & | of bits; negation: -
 *	constants   12 0x1f 4k, 10ms, "text" 'text', true, false, null, GFP_KERNEL, VM_FAULT_MAJOR
 *	functions   pages_to_string(cpu): rows of analysis/fields/function_table.c
 *
 * From loose to tight: ||, &&, comparison, |, &, + -, * / %, ! and -. A comparison has no other one
 * beside it. Types are checked while the text is parsed. A value that is not known is null, and
 * so is a result that does not fit 64 bits and a division by zero. A comparison with null is null,
 * except x == null and x != null; null && false is false, null || true is true. A function of null
 * is null.
 */
#ifndef ANALYSIS_FIELDS_EXPRESSION_H
#define ANALYSIS_FIELDS_EXPRESSION_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/fields/field_table.h"
#include "analysis/fields/function_table.h"
#include "analysis/fields/lexer.h"
#include "analysis/fields/values.h"

#define EXPRESSION_LENGTH 4096 /* bytes of a text */
#define EXPRESSION_NODES 512   /* of one expression; bounds the depth too */
#define EXPRESSION_DEPTH 64    /* of parentheses, signs and calls */

struct expression_node;

struct expression {
	struct expression_node *nodes; /* each after its operands */
	size_t count;
	uint32_t root;
	enum value_type type;
	char *text; /* as the user wrote it */
	/* if the whole expression is one field, or one call; else NULL */
	const struct event_field *field;
	const struct event_function *function;
};

struct expression_error {
	size_t column; /* from 1 */
	char text[200];
};

/*
 * Parses one expression at *at and moves *at behind it, to a ',' or the end. begin is the start of
 * the whole text, for the columns of errors. 0, -ENOMEM, or -EINVAL with error set.
 */
int expression_parse(struct expression *expression, const char *begin, const char **at,
		     struct expression_error *error);
void expression_deinit(struct expression *expression);

/*
 * Before the first event, when the capture is known: numbers the texts and looks up the names of
 * GFP flags. 0, -ENOMEM, or -EINVAL with error set.
 */
int expression_bind(struct expression *expression, struct value_source *source,
		    const struct gfp_table *gfp, struct expression_error *error);

/* The definition, if the whole expression is one field or one call; else NULL. */
static inline const char *expression_legend(const struct expression *expression)
{
	if (expression->field)
		return expression->field->legend;
	return expression->function ? expression->function->legend : NULL;
}

/* The value for the event that the source took. */
struct value expression_value(const struct expression *expression, struct value_source *source,
			      const struct transition *transition);

#endif
