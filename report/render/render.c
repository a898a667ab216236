// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of output formats. */
#include "config.h"

#include <string.h>

#include "report/render/render.h"

#define RENDERER_ADDRESS(name) &renderer_##name,
#define RENDERER_NAME(name) ", " #name

static const struct renderer *const renderers[] = { RENDERERS(RENDERER_ADDRESS) };
static const char names[] = RENDERERS(RENDERER_NAME);

const char *renderer_names(void)
{
	return names + 2;
}

const struct renderer *renderer_find(const char *name)
{
	for (size_t i = 0; i < sizeof(renderers) / sizeof(renderers[0]); i++)
		if (strcmp(renderers[i]->name, name) == 0)
			return renderers[i];
	return NULL;
}
