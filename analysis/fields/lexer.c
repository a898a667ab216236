// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Splits an expression into words. */
#include "config.h"

#include <string.h>

#include "analysis/fields/lexer.h"
#include "base/number.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool in_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static struct token wrong_token(struct token token, const char *problem)
{
	token.kind = TOKEN_WRONG;
	token.problem = problem;
	return token;
}

static struct token read_text_token(struct token token)
{
	const char *end = token.at + 1;

	while (*end && *end != *token.at)
		end += *end == '\\' && end[1] ? 2 : 1;
	token.length = (size_t)(end - token.at) + (*end != '\0');
	token.kind = TOKEN_TEXT;
	return *end ? token : wrong_token(token, "the text has no closing quote");
}

/* "12", "0x1f", "4k", "1.5ms". */
static struct token read_number_token(struct token token)
{
	const char *end = token.at;
	char copy[40];

	while (in_word(*end) || *end == '.')
		end++;
	token.length = (size_t)(end - token.at);
	token.kind = TOKEN_NUMBER;
	if (token.length >= sizeof(copy))
		return wrong_token(token, "the number is too long");
	memcpy(copy, token.at, token.length);
	copy[token.length] = '\0';
	end = copy;
	if (copy[0] == '0' && (copy[1] == 'x' || copy[1] == 'X')) {
		if (!number_parse(&end, 16, &token.number) || *end)
			return wrong_token(token,
					   "this is not a hexadecimal number of up to 64 bits");
		token.type = token.number > INT64_MAX ? VALUE_ADDRESS : VALUE_NUMBER;
		return token;
	}
	if (strspn(copy, "0123456789") == token.length) {
		if (!number_parse(&end, 10, &token.number) || token.number > INT64_MAX)
			return wrong_token(token, "the number is above 2^63-1");
		token.type = VALUE_NUMBER;
		return token;
	}
	if (strchr("kKMG", copy[token.length - 1])) {
		if (!size_parse(copy, 1, &token.number) || token.number > INT64_MAX)
			return wrong_token(token, "this is not a size of up to 2^63-1 bytes");
		token.type = VALUE_BYTES;
		return token;
	}
	if (is_digit(copy[token.length - 1]) || !duration_parse(copy, token.length, &token.number))
		return wrong_token(
			token, "this is not a number: a unit is k, M, G, ns, us, ms, s, m, h or d");
	token.type = VALUE_DURATION;
	return token;
}

struct token token_read(const char *at)
{
	static const char *const pairs[] = { "==", "!=", "<=", ">=", "=~", "!~", "&&", "||" };
	struct token token = { .kind = TOKEN_OPERATOR };

	at += strspn(at, " \t\n");
	token.at = at;
	if (!*at) {
		token.kind = TOKEN_END;
		return token;
	}
	if (is_digit(*at))
		return read_number_token(token);
	if (*at == '"' || *at == '\'')
		return read_text_token(token);
	while (in_word(at[token.length]))
		token.length++;
	if (token.length) {
		token.kind = TOKEN_NAME;
		return token;
	}
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (!strncmp(at, pairs[i], 2)) {
			token.length = 2;
			return token;
		}
	}
	token.length = 1;
	if (strchr("<>!+-*/%&|(),:", *at))
		return token;
	if (*at == '=')
		return wrong_token(token, "to compare, write ==");
	if (*at == '~')
		return wrong_token(token, "to match a regular expression, write =~");
	return wrong_token(token, "no expression has this character");
}

void token_text(const struct token *token, char *buffer)
{
	const char quote = *token->at, *end = token->at + token->length - 1;

	for (const char *at = token->at + 1; at < end; at++) {
		if (*at == '\\' && (at[1] == quote || at[1] == '\\') && at + 1 < end)
			at++;
		*buffer++ = *at;
	}
	*buffer = '\0';
}
