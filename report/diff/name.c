// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Texts of code: without suffixes, without the place of a call site. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "report/diff/name.h"

static const char *const suffixes[] = {
	".isra.", ".constprop.", ".part.", ".cold.", ".cold", ".llvm.", ".lto_priv.", "_noprof",
};

/* The length of the suffix at the text, with its number; 0: there is none. */
static size_t suffix_length(const char *text)
{
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t length = strlen(suffixes[i]);

		if (strncmp(text, suffixes[i], length))
			continue;
		if (suffixes[i][length - 1] == '.') {
			size_t digits = strspn(text + length, "0123456789");

			if (!digits)
				continue;
			length += digits;
		}
		/* the name ends here, or another suffix follows */
		if (!isalnum((unsigned char)text[length]) && text[length] != '_')
			return length;
		if (suffix_length(text + length))
			return length;
	}
	return 0;
}

char *diff_name_strip(const char *text)
{
	char *stripped = strdup(text), *to = stripped;

	if (!stripped)
		return NULL;
	while (*text) {
		size_t length = to > stripped ? suffix_length(text) : 0;

		if (length)
			text += length;
		else
			*to++ = *text++;
	}
	*to = '\0';
	return stripped;
}

char *diff_name_cut_offset(const char *text, struct diff_offset *offset)
{
	const char *plus = strstr(text, "+0x"), *at = plus ? plus + 1 : NULL;
	char *cut = NULL;

	*offset = (struct diff_offset){ 0 };
	if (!plus || !number_parse(&at, 16, &offset->offset))
		return strdup(text);
	offset->known = true;
	if (*at == '/') {
		at++;
		if (!number_parse(&at, 16, &offset->size))
			offset->size = 0;
	}
	if (asprintf(&cut, "%.*s%s", (int)(plus - text), text, at) < 0)
		return NULL;
	return cut;
}

void diff_name_set(struct diff_name *name, const char *text, int length)
{
	static const struct {
		const char *prefix;
		enum diff_scope scope;
	} scopes[] = { { "cache:", DIFF_OF_CACHE }, { "function:", DIFF_OF_FUNCTION } };

	name->scope = DIFF_OF_NAME;
	for (size_t i = 0; i < sizeof(scopes) / sizeof(*scopes); i++) {
		int prefix = (int)strlen(scopes[i].prefix);

		if (length > prefix && !strncmp(text, scopes[i].prefix, (size_t)prefix)) {
			name->scope = scopes[i].scope;
			text += prefix;
			length -= prefix;
		}
	}
	snprintf(name->text, sizeof(name->text), "%.*s", length, text);
}

/* Is the name the text, or the text without " [module]"? */
static bool is_named(const char *name, const char *text)
{
	size_t length = strlen(name);

	return !strncmp(name, text, length) && (!text[length] || !strncmp(text + length, " [", 2));
}

int diff_name_is_site(const struct diff_name *name, const char *site)
{
	struct diff_offset offset, wanted;
	char *code = diff_name_cut_offset(site, &offset);
	char *function = code ? diff_name_strip(code) : NULL;
	char *named = diff_name_cut_offset(name->text, &wanted);
	char *stripped = named ? diff_name_strip(named) : NULL;
	int is = -ENOMEM;

	if (function && stripped)
		is = is_named(stripped, function) &&
		     (!wanted.known || (offset.known && offset.offset == wanted.offset));
	free(code);
	free(function);
	free(named);
	free(stripped);
	return is;
}
