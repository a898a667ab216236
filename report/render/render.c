// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of output formats. */
#include "config.h"

#include <string.h>

#include "report/render/render.h"

#define RENDERER_ADDRESS(name) &renderer_##name,
#define RENDERER_NAME(name) ", " #name

static const struct renderer *const renderers[] = { RENDERERS(RENDERER_ADDRESS) };
static const struct renderer *const flame_renderers[] = { FLAME_RENDERERS(RENDERER_ADDRESS) };
static const char names[] = RENDERERS(RENDERER_NAME);
static const char flame_names[] = FLAME_RENDERERS(RENDERER_NAME);

const char *renderer_names(void)
{
	return names + 2;
}

const char *renderer_flame_names(void)
{
	return flame_names + 2;
}

static const struct renderer *find_renderer(const struct renderer *const *list, size_t count,
					    const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i]->name, name) == 0)
			return list[i];
	return NULL;
}

const struct renderer *renderer_find(const char *name, bool flames)
{
	const struct renderer *renderer =
		find_renderer(renderers, sizeof(renderers) / sizeof(renderers[0]), name);

	if (renderer || !flames)
		return renderer;
	return find_renderer(flame_renderers, sizeof(flame_renderers) / sizeof(flame_renderers[0]),
			     name);
}
