// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A recursive-descent evaluator, with the precedence of C's operators. */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "base/number.h"
#include "kernel/c_expression.h"

#define DEPTH_MAX 100 /* of operands; Linux 6.18 nests 13 parentheses */

static uint64_t evaluate_binary(struct c_expression *expr, int level);

void c_expression_skip_space(struct c_expression *expr)
{
	while (isspace((unsigned char)*expr->at))
		expr->at++;
}

/* Skips a cast, such as "( unsigned long)": only words in parentheses. False: not a cast. */
static bool skip_cast(struct c_expression *expr)
{
	const char *at = expr->at + 1;

	while (isspace((unsigned char)*at))
		at++;
	if (!isalpha((unsigned char)*at) && *at != '_')
		return false;
	while (isalnum((unsigned char)*at) || isspace((unsigned char)*at) || *at == '_')
		at++;
	if (*at != ')')
		return false;
	expr->at = at + 1;
	return true;
}

static uint64_t evaluate_number(struct c_expression *expr)
{
	unsigned int base = expr->at[0] == '0' && tolower((unsigned char)expr->at[1]) == 'x' ? 16
											     : 10;
	uint64_t number = 0;

	if (!number_parse(&expr->at, base, &number))
		expr->failed = true;
	while (*expr->at && strchr("uUlL", *expr->at))
		expr->at++;
	return number;
}

static uint64_t evaluate_unary(struct c_expression *expr)
{
	uint64_t value = 0;

	c_expression_skip_space(expr);
	if (expr->failed || ++expr->depth > DEPTH_MAX) {
		expr->failed = true;
		return 0;
	}
	if (*expr->at == '~') {
		expr->at++;
		value = ~evaluate_unary(expr);
	} else if (*expr->at == '-') {
		expr->at++;
		value = -evaluate_unary(expr);
	} else if (*expr->at != '(') {
		value = evaluate_number(expr);
	} else if (skip_cast(expr)) {
		value = evaluate_unary(expr);
	} else {
		expr->at++;
		value = evaluate_binary(expr, 0);
		c_expression_skip_space(expr);
		if (*expr->at == ')')
			expr->at++;
		else
			expr->failed = true;
	}
	expr->depth--;
	return value;
}

/* The operators from the loosest level to the tightest, as C binds them. */
static const char *const operators[][2] = {
	{ "|", "|" }, { "^", "^" }, { "&", "&" }, { "<<", ">>" }, { "+", "-" },
};
#define LEVELS (int)(sizeof(operators) / sizeof(operators[0]))

static uint64_t apply_operator(struct c_expression *expr, char sign, uint64_t left, uint64_t right)
{
	switch (sign) {
	case '|':
		return left | right;
	case '^':
		return left ^ right;
	case '&':
		return left & right;
	case '+':
		return left + right;
	case '-':
		return left - right;
	}
	if (right > 63) {
		expr->failed = true;
		return 0;
	}
	return sign == '<' ? left << right : left >> right;
}

static uint64_t evaluate_binary(struct c_expression *expr, int level)
{
	uint64_t value;

	if (level == LEVELS)
		return evaluate_unary(expr);
	value = evaluate_binary(expr, level + 1);
	while (!expr->failed) {
		size_t size = strlen(operators[level][0]);
		char sign;

		c_expression_skip_space(expr);
		sign = *expr->at;
		if (strncmp(expr->at, operators[level][0], size) &&
		    strncmp(expr->at, operators[level][1], size))
			break;
		expr->at += size;
		value = apply_operator(expr, sign, value, evaluate_binary(expr, level + 1));
	}
	return value;
}

uint64_t c_expression_evaluate(struct c_expression *expr)
{
	return evaluate_binary(expr, 0);
}
