// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Growable arrays: the room doubles, so that growing by one takes constant time on average. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The sanitizers report a size that overflows as an error of the program: check it before. */
static void *resize_array(void *array, size_t count, size_t size)
{
	return size && count > SIZE_MAX / size ? NULL : reallocarray(array, count, size);
}

/* The room doubles when count reaches a power of two, so that no array has to store its room. */
void *array_grow(void *array, size_t count, size_t size)
{
	if (array && count & (count - 1))
		return array;
	return count > SIZE_MAX / 2 ? NULL : resize_array(array, count ? 2 * count : 1, size);
}

void *array_grow_zeroed(void *array, size_t *space, size_t count, size_t size)
{
	size_t more = count > 2 * *space ? count : 2 * *space;
	char *grown;

	if (array && count <= *space)
		return array;
	grown = resize_array(array, more, size);
	if (!grown)
		return NULL;
	memset(grown + *space * size, 0, (more - *space) * size);
	*space = more;
	return grown;
}
