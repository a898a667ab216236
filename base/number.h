/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sums and comparisons of numbers, and numbers in text: digits, sizes and durations with a unit,
 * the number of a CPU in a file name. Every parser is strict: no blanks, no sign, no exponent; an
 * overflow is an error.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Adds to a sum, which does not exceed UINT64_MAX. */
static inline void number_add(uint64_t *sum, uint64_t number)
{
	if (__builtin_add_overflow(*sum, number, sum))
		*sum = UINT64_MAX;
}

/* The value of a digit in a base up to 16; of any other character, more than 16. */
unsigned int digit_value(char c);

/*
 * Reads the digits at *at in base 10 or 16 (with or without "0x") and moves *at behind them.
 * False, with nothing changed: there are no digits, or the number is above UINT64_MAX.
 */
bool number_parse(const char **at, unsigned int base, uint64_t *number);

/* The text is a decimal number from least to most, and nothing else. */
bool number_in_range(const char *text, uint64_t least, uint64_t most, uint64_t *number);

/* Texts that describe the units, for error messages. */
#define DURATION_UNITS "seconds, or a number with ns, us, ms, s, m, h or d"
#define AGE_UNITS "a number with ns, us, ms, s, m, h or d"
#define SIZE_UNITS "a number of bytes, or one with k, M or G"

/*
 * "1.5", "10ms": length characters that are a decimal number, with or without a fraction, and a
 * unit: ns, us, ms, s, m (minutes), h, d (days), or none for seconds. A part of a nanosecond is cut
 * off. False: the text is not a duration, or the duration is longer than INT64_MAX ns (292 years).
 */
bool duration_parse(const char *text, size_t length, uint64_t *ns);

/*
 * An age ends with s, m, h or d (days), and a size does not: "500ms", "10m", "7d". False: the
 * text is not one.
 */
bool age_parse(const char *text, uint64_t *ns);

/*
 * "64M": a whole number, and k or K, M or G for the powers of 1024; without such a suffix the
 * number counts units of `unit` bytes. False: the text is not a size, or the size is above
 * UINT64_MAX.
 */
bool size_parse(const char *text, uint64_t unit, uint64_t *bytes);

/*
 * Reads "cpu12" at *at and moves *at behind it. False, with nothing changed: the text is something
 * else, or the number is above most.
 */
bool cpu_name_parse(const char **at, unsigned int most, unsigned int *cpu);

/* For qsort() and bsearch() of numbers: the lowest first. */
int compare_u32(const void *left, const void *right);
int compare_u64(const void *left, const void *right);

#endif
