/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Growable arrays. Both functions return the array, maybe moved, or NULL: the old array stays. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>

/*
 * Makes room for one element more in an array that holds count elements of size bytes. The array
 * must have grown by this function only, one element at a time.
 */
void *array_grow(void *array, size_t count, size_t size);

/*
 * Makes room for at least count elements of size bytes. *space is the number of elements that the
 * array has room for, and is updated. All new elements are zero.
 */
void *array_grow_zeroed(void *array, size_t *space, size_t count, size_t size);

#endif
