/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The words of an expression. */
#ifndef ANALYSIS_FIELDS_LEXER_H
#define ANALYSIS_FIELDS_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/fields/values.h"

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,
	TOKEN_NUMBER, /* number and type: VALUE_NUMBER, _BYTES, _DURATION or _ADDRESS */
	TOKEN_TEXT,
	TOKEN_OPERATOR, /* one or two characters */
	TOKEN_WRONG,	/* with problem */
};

struct token {
	enum token_kind kind;
	const char *at; /* in the text */
	size_t length;
	uint64_t number;
	enum value_type type;
	const char *problem;
};

/* Reads the word at *at, behind blanks. Its end is at + length. */
struct token token_read(const char *at);

/*
 * The characters of a TOKEN_TEXT in buffer, which has room for its length. A backslash before the
 * quote or a backslash is removed; other backslashes stay, as regular expressions need.
 */
void token_text(const struct token *token, char *buffer);

#endif
