/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Evaluates a C expression of unsigned 64-bit integers, as in the format files of tracepoints:
 * numbers, parentheses, casts (which are ignored), ~, unary -, |, ^, &, <<, >>, + and -.
 */
#ifndef KERNEL_C_EXPRESSION_H
#define KERNEL_C_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

struct c_expression {
	const char *at; /* the text that is not evaluated yet */
	int depth;	/* of nested operands; used in c_expression.c only */
	bool failed;	/* the text is not such an expression; the value is meaningless */
};

/* Evaluates the expression at expr->at and moves expr->at behind it. */
uint64_t c_expression_evaluate(struct c_expression *expr);

/* Moves expr->at to the next character that is not white space. */
void c_expression_skip_space(struct c_expression *expr);

#endif
