// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prints a message Profile of pprof's profile.proto as text: zcat PROFILE | pprof_text. It shares
 * no code with kmemtrace-report, which writes them. It ends with 1 at a field that it does not
 * expect.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX (1 << 20)
#define STRINGS_MAX 10000

struct part {
	const unsigned char *at, *end;
};

static unsigned char bytes[BYTES_MAX];
static char *strings[STRINGS_MAX];
static unsigned long long string_count;
static struct part functions[STRINGS_MAX], locations[STRINGS_MAX], mappings[STRINGS_MAX];

static void fail_profile(const char *what)
{
	printf("wrong: %s\n", what);
	exit(1);
}

static unsigned long long read_varint(struct part *part)
{
	unsigned long long number = 0;

	for (int shift = 0; part->at < part->end && shift < 64; shift += 7) {
		unsigned char byte = *part->at++;

		number |= (unsigned long long)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return number;
	}
	fail_profile("a number is cut");
	return 0;
}

/* The next field: its number; a number, or the bytes of a text or message. 0: the end. */
static unsigned int read_next_field(struct part *message, unsigned long long *number,
				    struct part *value)
{
	unsigned long long tag;

	if (message->at == message->end)
		return 0;
	tag = read_varint(message);
	*number = read_varint(message);
	*value = (struct part){ NULL, NULL };
	if ((tag & 7) == 2) {
		if (*number > (unsigned long long)(message->end - message->at))
			fail_profile("a field is cut");
		*value = (struct part){ message->at, message->at + *number };
		message->at += *number;
	} else if ((tag & 7) != 0) {
		fail_profile("a type of a field");
	}
	return (unsigned int)(tag >> 3);
}

static const char *text_with_number(unsigned long long number)
{
	if (number >= string_count)
		fail_profile("the number of a string");
	return strings[number];
}

/* The number of a field in a message; 0: it has none. */
static unsigned long long find_field(struct part message, unsigned int which)
{
	unsigned long long number;
	struct part value;
	unsigned int field;

	while ((field = read_next_field(&message, &number, &value)))
		if (field == which)
			return number;
	return 0;
}

static struct part find_message(const struct part *list, unsigned long long id, const char *what)
{
	if (id >= STRINGS_MAX || !id || !list[id].at)
		fail_profile(what);
	return list[id];
}

static void print_type(struct part type)
{
	printf(" %s/%s", text_with_number(find_field(type, 1)),
	       text_with_number(find_field(type, 2)));
}

/* The name of the function of a location, and the file of its mapping. */
static void print_location(unsigned long long id)
{
	struct part location = find_message(locations, id, "a location"), value, line, function;
	unsigned long long number, mapping = find_field(location, 2);

	while (read_next_field(&location, &number, &value) != 4)
		;
	line = value;
	function = find_message(functions, find_field(line, 1), "a function");
	printf(" | %s", text_with_number(find_field(function, 2)));
	printf(" @%s",
	       text_with_number(find_field(find_message(mappings, mapping, "a mapping"), 5)));
}

static void print_sample(struct part sample)
{
	unsigned long long number;
	struct part value;
	unsigned int field;

	printf("sample");
	while ((field = read_next_field(&sample, &number, &value))) {
		if (field == 3)
			printf(" %s=%s", text_with_number(find_field(value, 1)),
			       text_with_number(find_field(value, 2)));
		for (; field < 3 && value.at < value.end;) {
			if (field == 1)
				print_location(read_varint(&value));
			else
				printf(" %llu", read_varint(&value));
		}
		if (field > 3)
			fail_profile("a field of a sample");
	}
	printf("\n");
}

int main(void)
{
	const struct part profile = { bytes, bytes + fread(bytes, 1, BYTES_MAX, stdin) };
	static const char *const names[] = { [9] = "time", [10] = "duration", [12] = "period" };
	unsigned long long number;
	struct part at = profile, value;
	unsigned int field;

	while ((field = read_next_field(&at, &number, &value))) {
		struct part *const lists[] = { [3] = mappings, [4] = locations, [5] = functions };

		if (field == 6 && string_count < STRINGS_MAX)
			strings[string_count++] =
				strndup((const char *)value.at, (size_t)(value.end - value.at));
		if (field >= 3 && field <= 5) {
			number = find_field(value, 1);
			if (number >= STRINGS_MAX || !number || lists[field][number].at)
				fail_profile("an id");
			lists[field][number] = value;
		}
	}
	for (at = profile; (field = read_next_field(&at, &number, &value));) {
		if (field == 1 || field == 11) {
			printf("%s", field == 1 ? "sample type" : "period type");
			print_type(value);
			printf("\n");
		} else if (field == 2) {
			print_sample(value);
		} else if (field == 9 || field == 10 || field == 12) {
			printf("%s %llu\n", names[field], number);
		} else if (field == 13 || field == 14) {
			printf("%s %s\n", field == 13 ? "comment" : "default",
			       text_with_number(number));
		} else if (field > 14 || field == 7 || field == 8) {
			fail_profile("a field of the profile");
		}
	}
	return 0;
}
