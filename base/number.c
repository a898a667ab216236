// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses numbers, with or without a unit. */
#include "config.h"

#include <limits.h>
#include <string.h>

#include "base/number.h"

#define NS_PER_S ((uint64_t)1000000000)
#define SECONDS_OF_DAY 86400

/* The value of each digit, plus one. */
static const unsigned char digits[UCHAR_MAX + 1] = {
	['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
	['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

unsigned int digit_value(char c)
{
	return digits[(unsigned char)c] - 1U;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool number_parse(const char **at, unsigned int base, uint64_t *number)
{
	const char *digit = *at;
	uint64_t value = 0;
	unsigned int add;

	if (base == 16 && digit[0] == '0' && (digit[1] == 'x' || digit[1] == 'X'))
		digit += 2;
	if (digit_value(*digit) >= base)
		return false;
	for (; base == 16 && (add = digit_value(*digit)) < 16; digit++) {
		if (value >> 60)
			return false;
		value = value << 4 | add;
	}
	for (; (add = digit_value(*digit)) < base; digit++) {
		if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)add, &value))
			return false;
	}
	*number = value;
	*at = digit;
	return true;
}

bool number_in_range(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
	uint64_t value;

	if (!number_parse(&text, 10, &value) || *text || value < least || value > most)
		return false;
	*number = value;
	return true;
}

/* The nanoseconds of the unit that the text, of that length, names; 0: there is no such unit. */
static uint64_t duration_unit(const char *text, size_t length)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "", NS_PER_S },	  { "ns", 1 },
		{ "us", 1000 },		  { "ms", 1000000 },
		{ "s", NS_PER_S },	  { "m", 60 * NS_PER_S },
		{ "h", 3600 * NS_PER_S }, { "d", SECONDS_OF_DAY * NS_PER_S },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strlen(units[i].name) == length && !memcmp(units[i].name, text, length))
			return units[i].ns;
	return 0;
}

bool duration_parse(const char *text, size_t length, uint64_t *ns)
{
	const char *end = text + length, *fraction = end, *at = text;
	uint64_t unit, whole = 0, part = 0;

	if (at < end && is_digit(*at) && !number_parse(&at, 10, &whole))
		return false;
	if (at == text && (length < 2 || *at != '.' || !is_digit(at[1])))
		return false;
	if (at < end && *at == '.') {
		fraction = ++at;
		while (at < end && is_digit(*at))
			at++;
	}
	unit = duration_unit(at, (size_t)(end - at));
	if (!unit || whole > INT64_MAX / unit)
		return false;
	whole *= unit;
	unit *= 1000; /* picoseconds: the divisions below cut off far less than 1 ns */
	for (; fraction < at; fraction++) {
		unit /= 10;
		part += (uint64_t)(*fraction - '0') * unit;
	}
	part /= 1000;
	if (whole > INT64_MAX - part)
		return false;
	*ns = whole + part;
	return true;
}

bool age_parse(const char *text, uint64_t *ns)
{
	size_t length = strlen(text);
	char last = length ? text[length - 1] : '\0';

	return last && strchr("smhd", last) && duration_parse(text, length, ns);
}

bool size_parse(const char *text, uint64_t unit, uint64_t *bytes)
{
	static const char suffixes[] = "kMG";
	const char *suffix;
	uint64_t number;

	if (!number_parse(&text, 10, &number))
		return false;
	if (*text) {
		suffix = strchr(suffixes, *text == 'K' ? 'k' : *text);
		if (!suffix || text[1])
			return false;
		unit = (uint64_t)1 << 10 * (suffix - suffixes + 1);
	}
	return !__builtin_mul_overflow(number, unit, bytes);
}

bool cpu_name_parse(const char **at, unsigned int most, unsigned int *cpu)
{
	const char *digit = *at;
	uint64_t number;

	if (strncmp(digit, "cpu", 3))
		return false;
	digit += 3;
	if (!number_parse(&digit, 10, &number) || number > most)
		return false;
	*cpu = (unsigned int)number;
	*at = digit;
	return true;
}

int compare_u32(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

int compare_u64(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}
