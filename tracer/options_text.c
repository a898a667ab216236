// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Joins the words that the user wrote. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "tracer/options_text.h"

#define OPTIONS_TEXT_MAX 4000 /* bytes; a list of process ids may be longer, and is cut off */

char *options_text(const struct options *options)
{
	char *text = NULL;
	size_t size;
	FILE *stream = text_open(&text, &size);

	if (!stream)
		return NULL;
	for (char **word = options->argv + 1; *word && word != options->command; word++)
		if (strcmp(*word, "--") != 0)
			fprintf(stream, "%s%s", word == options->argv + 1 ? "" : " ", *word);
	if (options->config.used)
		fputs(options->config.used, stream);
	if (text_close(stream, &text))
		return NULL;
	if (size > OPTIONS_TEXT_MAX)
		strcpy(text + OPTIONS_TEXT_MAX, "...");
	return text;
}
