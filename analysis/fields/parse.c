// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Parses expressions by precedence climbing over a table of operators. The alternative, a grammar
 * of bison, is shorter by 40 lines, but needs bison to build, and reports "syntax error, unexpected
 * ')'" where this parser reports which operand is missing.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fields/expression_nodes.h"
#include "base/array.h"

struct expression_parser {
	struct expression *expression;
	struct expression_error *error;
	const char *begin;
	struct token token; /* the next one */
	const char *end;    /* of the token before it */
	unsigned int depth;
};

/* Binary operators. A higher level binds tighter. */
static const struct binary {
	const char *sign;
	unsigned int level;
	enum operation operation;
} binaries[] = {
	{ "||", 1, OPERATION_OR },	 { "&&", 2, OPERATION_AND },
	{ "==", 3, OPERATION_EQUAL },	 { "!=", 3, OPERATION_UNEQUAL },
	{ "<", 3, OPERATION_LESS },	 { "<=", 3, OPERATION_LESS_EQUAL },
	{ ">", 3, OPERATION_MORE },	 { ">=", 3, OPERATION_MORE_EQUAL },
	{ "=~", 3, OPERATION_MATCH },	 { "!~", 3, OPERATION_NO_MATCH },
	{ "|", 4, OPERATION_BITS_OR },	 { "&", 5, OPERATION_BITS_AND },
	{ "+", 6, OPERATION_ADD },	 { "-", 6, OPERATION_SUBTRACT },
	{ "*", 7, OPERATION_MULTIPLY },	 { "/", 7, OPERATION_DIVIDE },
	{ "%", 7, OPERATION_REMAINDER },
};

#define LEVEL_COMPARISON 3

static size_t column_of(const struct expression_parser *parser, const char *at)
{
	return (size_t)(at - parser->begin) + 1;
}

static bool token_is(const struct token *token, const char *text)
{
	return token->length == strlen(text) && !memcmp(token->at, text, token->length);
}

static void read_next_token(struct expression_parser *parser)
{
	parser->end = parser->token.at + parser->token.length;
	parser->token = token_read(parser->end);
}

static int64_t add_node(struct expression_parser *parser, enum operation operation, const char *at)
{
	struct expression *expression = parser->expression;
	struct expression_node *nodes;

	if (expression->count == EXPRESSION_NODES)
		return expression_fail(parser->error, column_of(parser, at),
				       "the expression has more than %d operators and values",
				       EXPRESSION_NODES);
	nodes = array_grow(expression->nodes, expression->count, sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	expression->nodes = nodes;
	nodes[expression->count] =
		(struct expression_node){ .operation = operation, .column = column_of(parser, at) };
	return (int64_t)expression->count++;
}

static int64_t parse_level(struct expression_parser *parser, unsigned int level);

static int64_t fail_token(struct expression_parser *parser, const char *expected)
{
	const struct token *token = &parser->token;

	if (token->kind == TOKEN_WRONG)
		return expression_fail(parser->error, column_of(parser, token->at),
				       "at \"%.*s\": %s",
				       (int)(token->length < 40 ? token->length : 40), token->at,
				       token->problem);
	if (token->kind == TOKEN_END)
		return expression_fail(parser->error, column_of(parser, token->at),
				       "%s is missing at the end", expected);
	if (token_is(token, "and") || token_is(token, "or"))
		return expression_fail(parser->error, column_of(parser, token->at),
				       "at \"%.*s\": write %s", (int)token->length, token->at,
				       *token->at == 'a' ? "&&" : "||");
	return expression_fail(parser->error, column_of(parser, token->at),
			       "%s is missing before \"%.*s\"", expected,
			       (int)(token->length < 40 ? token->length : 40), token->at);
}

/* A constant by its name; its value is known later if it is a GFP flag. */
static bool set_named_constant(struct expression_node *node, const struct token *token)
{
	node->operation = OPERATION_CONSTANT;
	if (token_is(token, "null")) {
		node->type = VALUE_NULL;
		return true;
	}
	node->type = VALUE_BOOL;
	node->value = value_of(token_is(token, "true"));
	if (node->value.number || token_is(token, "false"))
		return true;
	node->value = named_constant_find(token->at, token->length);
	node->type = node->value.known ? VALUE_NUMBER : VALUE_FLAGS;
	return node->value.known || !strncmp(token->at, "GFP_", 4) ||
	       !strncmp(token->at, "__GFP_", 6);
}

/* The argument at this position; -EINVAL: the types, or the number of arguments, do not fit. */
static int64_t parse_argument(struct expression_parser *parser,
			      const struct event_function *function, size_t position)
{
	size_t column = column_of(parser, parser->token.at);
	int64_t number;
	int err;

	if (token_is(&parser->token, ")"))
		return expression_check_argument(function, position, NULL, column, parser->error);
	if (position) {
		if (!token_is(&parser->token, ","))
			return fail_token(parser, "a comma");
		read_next_token(parser);
		column = column_of(parser, parser->token.at);
	}
	number = parse_level(parser, 1);
	if (number < 0)
		return number;
	err = expression_check_argument(function, position, &parser->expression->nodes[number],
					column, parser->error);
	return err ? err : number;
}

/* "(", arguments and ")"; the token is the name. */
static int64_t parse_call(struct expression_parser *parser, const struct event_function *function)
{
	const char *at = parser->token.at;
	int64_t arguments[FUNCTION_ARGUMENTS_MAX] = { 0 }, number;
	size_t count = event_function_arity(function);
	struct expression_node *node;

	read_next_token(parser);
	read_next_token(parser);
	for (size_t i = 0; i < count; i++) {
		arguments[i] = parse_argument(parser, function, i);
		if (arguments[i] < 0)
			return arguments[i];
	}
	if (token_is(&parser->token, ",") || (!count && !token_is(&parser->token, ")")))
		return expression_fail(parser->error, column_of(parser, parser->token.at),
				       "%s() takes no %sarguments", function->name,
				       count ? "more " : "");
	if (!token_is(&parser->token, ")"))
		return fail_token(parser, "a closing parenthesis");
	number = add_node(parser, OPERATION_CALL, at);
	if (number < 0)
		return number;
	read_next_token(parser);
	node = &parser->expression->nodes[number];
	node->function = function;
	node->type = function->type;
	node->left = (uint32_t)arguments[0];
	node->right = (uint32_t)arguments[1];
	return number;
}

/* Is the node before the last one a field that is a text, as in comm == nginx? */
static bool follows_text(const struct expression_parser *parser)
{
	const struct expression *expression = parser->expression;
	const struct expression_node *node = expression->nodes + expression->count - 2;

	return expression->count > 1 && node->operation == OPERATION_FIELD &&
	       node->type == VALUE_TEXT;
}

static int64_t fail_name(struct expression_parser *parser, const struct token *token, bool is_call)
{
	char name[41], suggestion[80];

	snprintf(name, sizeof(name), "%.*s", (int)token->length, token->at);
	if (!is_call && event_function_find(token->at, token->length))
		return expression_fail(parser->error, column_of(parser, token->at),
				       "%s is a function: write %s(...)", name, name);
	if (is_call && event_field_find(token->at, token->length))
		return expression_fail(parser->error, column_of(parser, token->at),
				       "%s is a field: write it without parentheses", name);
	if (is_call)
		event_function_suggest(name, suggestion, sizeof(suggestion));
	else
		event_field_suggest(name, suggestion, sizeof(suggestion));
	if (!is_call && follows_text(parser))
		return expression_fail(
			parser->error, column_of(parser, token->at),
			"no field is named \"%s\"%s%s a text needs quotes, as in \"%s\"", name,
			suggestion, *suggestion ? " Or" : ":", name);
	if (!*suggestion)
		snprintf(suggestion, sizeof(suggestion), ": kmemtrace-report %s lists them",
			 is_call ? "--functions" : "--list-fields");
	return expression_fail(parser->error, column_of(parser, token->at),
			       "no %s is named \"%s\"%s", is_call ? "function" : "field", name,
			       suggestion);
}

static int64_t parse_field(struct expression_parser *parser)
{
	const struct token token = parser->token, next = token_read(token.at + token.length);
	const struct event_field *field = event_field_find(token.at, token.length);
	const struct event_function *function = event_function_find(token.at, token.length);
	bool is_call = token_is(&next, "(");
	struct expression_node *node;
	int64_t number;

	if (is_call)
		return function ? parse_call(parser, function) : fail_name(parser, &token, true);
	number = add_node(parser, OPERATION_FIELD, token.at);
	if (number < 0)
		return number;
	node = &parser->expression->nodes[number];
	if (field) {
		node->field = field;
		node->type = field->type;
	} else if (!set_named_constant(node, &token)) {
		return fail_name(parser, &token, false);
	} else if (node->type == VALUE_FLAGS) {
		node->text = strndup(token.at, token.length);
		if (!node->text)
			return -ENOMEM;
	}
	read_next_token(parser);
	return number;
}

static int64_t parse_constant(struct expression_parser *parser)
{
	const struct token *token = &parser->token;
	int64_t number = add_node(parser, OPERATION_CONSTANT, token->at);
	struct expression_node *node;

	if (number < 0)
		return number;
	node = &parser->expression->nodes[number];
	node->type = VALUE_TEXT;
	if (token->kind == TOKEN_NUMBER) {
		node->type = token->type;
		node->is_integer = token->type == VALUE_NUMBER;
		node->value = value_of((int64_t)token->number);
	} else {
		node->text = malloc(token->length + 1);
		if (!node->text)
			return -ENOMEM;
		token_text(token, node->text);
	}
	read_next_token(parser);
	return number;
}

static int64_t parse_operand(struct expression_parser *parser);

static int64_t parse_unary(struct expression_parser *parser, enum operation operation,
			   const char *sign)
{
	const char *at = parser->token.at;
	struct expression_node *nodes;
	int64_t operand, number;
	int err;

	read_next_token(parser);
	operand = parse_operand(parser);
	if (operand < 0)
		return operand;
	number = add_node(parser, operation, at);
	if (number < 0)
		return number;
	nodes = parser->expression->nodes;
	nodes[number].left = (uint32_t)operand;
	nodes[number].is_integer = nodes[operand].is_integer;
	err = expression_check(&nodes[number], &nodes[operand], NULL, sign, parser->error);
	return err ? err : number;
}

static int64_t parse_group(struct expression_parser *parser)
{
	int64_t number;

	read_next_token(parser);
	number = parse_level(parser, 1);
	if (number < 0)
		return number;
	if (!token_is(&parser->token, ")"))
		return fail_token(parser, "a closing parenthesis");
	read_next_token(parser);
	return number;
}

static int64_t parse_operand(struct expression_parser *parser)
{
	const struct token *token = &parser->token;
	int64_t number;

	if (++parser->depth > EXPRESSION_DEPTH)
		return expression_fail(parser->error, column_of(parser, token->at),
				       "more than %d parentheses or signs are nested",
				       EXPRESSION_DEPTH);
	if (token->kind == TOKEN_NAME)
		number = parse_field(parser);
	else if (token->kind == TOKEN_NUMBER || token->kind == TOKEN_TEXT)
		number = parse_constant(parser);
	else if (token_is(token, "("))
		number = parse_group(parser);
	else if (token_is(token, "!"))
		number = parse_unary(parser, OPERATION_NOT, "!");
	else if (token_is(token, "-"))
		number = parse_unary(parser, OPERATION_NEGATE, "-");
	else
		number = fail_token(parser, "a field or a constant");
	parser->depth--;
	return number;
}

static const struct binary *find_binary(const struct token *token)
{
	for (size_t i = 0; i < sizeof(binaries) / sizeof(binaries[0]); i++)
		if (token->kind == TOKEN_OPERATOR && token_is(token, binaries[i].sign))
			return &binaries[i];
	return NULL;
}

static int compile_regex(struct expression_parser *parser, struct expression_node *node)
{
	const struct expression_node *right = &parser->expression->nodes[node->right];
	char problem[120];
	int err;

	node->regex = calloc(1, sizeof(*node->regex));
	if (!node->regex)
		return -ENOMEM;
	err = regcomp(node->regex, right->text, REG_EXTENDED | REG_NOSUB);
	if (!err)
		return 0;
	regerror(err, node->regex, problem, sizeof(problem));
	free(node->regex);
	node->regex = NULL;
	if (err == REG_ESPACE)
		return -ENOMEM;
	return expression_fail(parser->error, right->column, "this is not a regular expression: %s",
			       problem);
}

static int64_t add_binary(struct expression_parser *parser, const struct binary *binary,
			  const char *at, int64_t left, int64_t right)
{
	int64_t number = add_node(parser, binary->operation, at);
	struct expression_node *nodes = parser->expression->nodes, *node;
	int err;

	if (number < 0)
		return number;
	node = &nodes[number];
	node->left = (uint32_t)left;
	node->right = (uint32_t)right;
	err = expression_check(node, &nodes[left], &nodes[right], binary->sign, parser->error);
	if (!err && (node->operation == OPERATION_MATCH || node->operation == OPERATION_NO_MATCH))
		err = compile_regex(parser, node);
	return err ? err : number;
}

/* Operators of this level and tighter ones. */
static int64_t parse_level(struct expression_parser *parser, unsigned int level)
{
	int64_t left = parse_operand(parser), right;
	const struct binary *binary;
	bool compared = false;

	while (left >= 0 && (binary = find_binary(&parser->token)) && binary->level >= level) {
		const char *at = parser->token.at;

		if (binary->level == LEVEL_COMPARISON && compared)
			return expression_fail(parser->error, column_of(parser, at),
					       "a comparison of a comparison: use && or ||");
		compared = binary->level == LEVEL_COMPARISON;
		read_next_token(parser);
		right = parse_level(parser, binary->level + 1);
		if (right < 0)
			return right;
		left = add_binary(parser, binary, at, left, right);
	}
	return left;
}

int expression_parse(struct expression *expression, const char *begin, const char **at,
		     struct expression_error *error)
{
	struct expression_parser parser = { .expression = expression,
					    .error = error,
					    .begin = begin };
	int64_t root;

	memset(expression, 0, sizeof(*expression));
	if (strnlen(*at, EXPRESSION_LENGTH + 1) > EXPRESSION_LENGTH)
		return expression_fail(error, EXPRESSION_LENGTH,
				       "the expression is longer than %d bytes", EXPRESSION_LENGTH);
	parser.token = token_read(*at);
	*at = parser.token.at;
	root = parse_level(&parser, 1);
	if (root >= 0 && parser.token.kind != TOKEN_END && !token_is(&parser.token, ","))
		root = fail_token(&parser, "an operator");
	if (root >= 0) {
		expression->root = (uint32_t)root;
		expression->type = expression->nodes[root].type;
		expression->field = expression->nodes[root].field;
		expression->function = expression->nodes[root].function;
		expression->text = strndup(*at, (size_t)(parser.end - *at));
		if (!expression->text)
			root = -ENOMEM;
	}
	*at = parser.token.at;
	if (root >= 0)
		return 0;
	expression_deinit(expression);
	return (int)root;
}

void expression_deinit(struct expression *expression)
{
	for (size_t i = 0; i < expression->count; i++) {
		free(expression->nodes[i].text);
		free(expression->nodes[i].verdicts);
		if (expression->nodes[i].regex)
			regfree(expression->nodes[i].regex);
		free(expression->nodes[i].regex);
	}
	free(expression->nodes);
	free(expression->text);
	memset(expression, 0, sizeof(*expression));
}
