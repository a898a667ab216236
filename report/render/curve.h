/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A line of characters as a picture of numbers over time. */
#ifndef REPORT_RENDER_CURVE_H
#define REPORT_RENDER_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Prints width characters: blocks of UTF-8 of eight heights, or eight characters of ASCII. Each
 * shows the most of its part of the numbers; the largest number is as high as a character.
 */
void curve_print(FILE *file, const uint64_t *numbers, size_t count, size_t width, bool utf8);

#endif
