// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The format of pprof: a message Profile of profile.proto, compressed with gzip. The few messages
 * are written here, since a generator and its library would be larger than they are.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/printable.h"
#include "base/text.h"
#include "base/texts.h"
#include "report/render/render.h"

#define COMPRESSION 6
#define VALUES 6
#define KERNEL "[kernel.kallsyms]" /* as perf names it */

/* Numbers of the fields in profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING_TABLE = 6,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_SAMPLE_TYPE = 14,
	VALUE_TYPE_TYPE = 1,
	VALUE_TYPE_UNIT = 2,
	SAMPLE_LOCATION_ID = 1,
	SAMPLE_VALUE = 2,
	SAMPLE_LABEL = 3,
	LABEL_KEY = 1,
	LABEL_STR = 2,
	MAPPING_ID = 1,
	MAPPING_FILENAME = 5,
	MAPPING_HAS_FUNCTIONS = 7,
	LOCATION_ID = 1,
	LOCATION_MAPPING_ID = 2,
	LOCATION_LINE = 4,
	LINE_FUNCTION_ID = 1,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILENAME = 4,
};

enum {
	WIRE_VARINT = 0,
	WIRE_BYTES = 2,
};

/* A profile that is being written. */
struct pprof {
	const struct flame *flame;
	FILE *file;
	struct texts strings; /* number 0 is the empty string */
	uint32_t *mappings; /* by the string of a frame: the string of its module; 0: another string
			     */
	size_t mapping_space;
	bool failed; /* no memory */
};

static void put_varint(FILE *file, uint64_t number)
{
	for (; number > 0x7f; number >>= 7)
		putc((int)(number & 0x7f) | 0x80, file);
	putc((int)number, file);
}

static void put_number(FILE *file, unsigned int field, uint64_t number)
{
	put_varint(file, field << 3 | WIRE_VARINT);
	put_varint(file, number);
}

static void put_bytes(FILE *file, unsigned int field, const char *bytes, size_t size)
{
	put_varint(file, field << 3 | WIRE_BYTES);
	put_varint(file, size);
	fwrite(bytes, 1, size, file);
}

/* A message inside of another: begin_message() opens a file for it, end_message() writes it. */
struct pprof_message {
	FILE *file;
	char *bytes;
	size_t size;
};

/* false: no memory. */
static bool begin_message(struct pprof *pprof, struct pprof_message *message)
{
	*message = (struct pprof_message){ 0 };
	message->file = text_open(&message->bytes, &message->size);
	pprof->failed |= !message->file;
	return message->file;
}

static void end_message(struct pprof *pprof, struct pprof_message *message, FILE *parent,
			unsigned int field)
{
	if (text_close(message->file, &message->bytes))
		pprof->failed = true;
	else
		put_bytes(parent, field, message->bytes, message->size);
	free(message->bytes);
}

/* The number of a text, which becomes valid UTF-8. */
static uint32_t take_string(struct pprof *pprof, const char *text)
{
	char *valid = NULL;
	uint32_t number;
	size_t size;
	FILE *file = *text ? text_open(&valid, &size) : NULL;

	if (!*text)
		return 0;
	if (file) {
		printable_write(file, text);
		text_close(file, &valid);
	}
	number = texts_take(&pprof->strings, valid);
	pprof->failed |= !number;
	return number;
}

static void put_value_type(struct pprof *pprof, unsigned int field, const char *type,
			   const char *unit)
{
	struct pprof_message message;

	if (!begin_message(pprof, &message))
		return;
	put_number(message.file, VALUE_TYPE_TYPE, take_string(pprof, type));
	put_number(message.file, VALUE_TYPE_UNIT, take_string(pprof, unit));
	end_message(pprof, &message, pprof->file, field);
}

/* "[ext4]" at the end of a name; else the kernel itself. */
static uint32_t find_module(struct pprof *pprof, const char *name)
{
	const char *bracket = strrchr(name, '[');

	return take_string(pprof, bracket && name[strlen(name) - 1] == ']' ? bracket : KERNEL);
}

/* The location of a name has the number of its string, as its function. */
static uint32_t find_location(struct pprof *pprof, const char *name, size_t length)
{
	uint32_t number = texts_take(&pprof->strings, strndup(name, length)), *mappings;

	pprof->failed |= !number;
	mappings = array_grow_zeroed(pprof->mappings, &pprof->mapping_space, number + 1,
				     sizeof(*mappings));
	pprof->failed |= !mappings;
	if (pprof->failed)
		return 0;
	pprof->mappings = mappings;
	if (!mappings[number])
		mappings[number] = find_module(pprof, texts_get(&pprof->strings, number));
	return number;
}

/* Locations begin with the function that called the allocator: the end of the path. */
static void put_locations(struct pprof *pprof, FILE *file, const char *text)
{
	const char *end = text + strlen(text);
	struct pprof_message message;

	if (!begin_message(pprof, &message))
		return;
	for (;;) {
		const char *name = memrchr(text, FLAME_SEPARATOR, (size_t)(end - text));

		name = name ? name + 1 : text;
		put_varint(message.file, find_location(pprof, name, (size_t)(end - name)));
		if (name == text)
			break;
		end = name - 1;
	}
	end_message(pprof, &message, file, SAMPLE_LOCATION_ID);
}

static void put_label(struct pprof *pprof, FILE *file, const struct flame_label *label)
{
	struct pprof_message message;
	char number[24];

	if (!begin_message(pprof, &message))
		return;
	/* as a text: pprof does not show the number 0 */
	snprintf(number, sizeof(number), "%" PRId64, label->number);
	put_number(message.file, LABEL_KEY, take_string(pprof, label->key));
	put_number(message.file, LABEL_STR, take_string(pprof, label->text ? label->text : number));
	end_message(pprof, &message, file, SAMPLE_LABEL);
}

/* Live and allocated bytes are in each profile. */
static bool has_more(const struct flame *flame)
{
	return flame->measure != FLAME_live && flame->measure != FLAME_allocated;
}

static void put_sample(struct pprof *pprof, const struct flame_path *path)
{
	const struct flame_values *values[] = { &path->allocated, &path->live, &path->shown };
	size_t count = has_more(pprof->flame) ? 3 : 2;
	struct pprof_message message, packed;

	if (!begin_message(pprof, &message))
		return;
	put_locations(pprof, message.file, path->text);
	if (begin_message(pprof, &packed)) {
		for (size_t i = 0; i < count; i++) {
			put_varint(packed.file, values[i]->objects);
			put_varint(packed.file, values[i]->bytes);
		}
		end_message(pprof, &packed, message.file, SAMPLE_VALUE);
	}
	for (size_t i = 0; i < path->label_count; i++)
		put_label(pprof, message.file, &path->labels[i]);
	end_message(pprof, &message, pprof->file, PROFILE_SAMPLE);
}

static void put_mapping(struct pprof *pprof, uint32_t module)
{
	struct pprof_message message;

	if (!begin_message(pprof, &message))
		return;
	put_number(message.file, MAPPING_ID, module);
	put_number(message.file, MAPPING_FILENAME, module);
	put_number(message.file, MAPPING_HAS_FUNCTIONS, true);
	end_message(pprof, &message, pprof->file, PROFILE_MAPPING);
}

static void put_location(struct pprof *pprof, uint32_t number)
{
	struct pprof_message message, line;

	if (!begin_message(pprof, &message))
		return;
	put_number(message.file, LOCATION_ID, number);
	put_number(message.file, LOCATION_MAPPING_ID, pprof->mappings[number]);
	if (begin_message(pprof, &line)) {
		put_number(line.file, LINE_FUNCTION_ID, number);
		end_message(pprof, &line, message.file, LOCATION_LINE);
	}
	end_message(pprof, &message, pprof->file, PROFILE_LOCATION);
}

static void put_function(struct pprof *pprof, uint32_t number)
{
	struct pprof_message message;

	if (!begin_message(pprof, &message))
		return;
	put_number(message.file, FUNCTION_ID, number);
	put_number(message.file, FUNCTION_NAME, number);
	put_number(message.file, FUNCTION_SYSTEM_NAME, number);
	put_number(message.file, FUNCTION_FILENAME, pprof->mappings[number]);
	end_message(pprof, &message, pprof->file, PROFILE_FUNCTION);
}

/* A location and a function for each frame; a mapping for each module, and the kernel's first. */
static void put_frames(struct pprof *pprof)
{
	uint32_t kernel = take_string(pprof, KERNEL);
	size_t count = pprof->mapping_space;
	bool *seen = calloc(pprof->strings.count + 1, sizeof(*seen));

	pprof->failed |= !seen;
	if (pprof->failed) {
		free(seen);
		return;
	}
	put_mapping(pprof, kernel);
	seen[kernel] = true;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t module = pprof->mappings[i];

		if (!module)
			continue;
		if (!seen[module])
			put_mapping(pprof, module);
		seen[module] = true;
		put_location(pprof, i);
		put_function(pprof, i);
	}
	free(seen);
}

/* The type that a reader shows first: live bytes are no answer where nothing is live. */
static size_t default_type(const struct flame *flame, size_t count)
{
	const size_t alloc_space = 1;

	if (flame->measure == FLAME_allocated ||
	    (flame->measure == FLAME_live && !flame_total(flame).bytes))
		return alloc_space;
	return count - 1;
}

static void put_profile(struct pprof *pprof)
{
	static const char *const units[] = { "count", "bytes" };
	const struct flame *flame = pprof->flame;
	char types[VALUES][40] = { "alloc_objects", "alloc_space", "inuse_objects", "inuse_space" };
	size_t count = has_more(flame) ? VALUES : VALUES - 2;

	snprintf(types[4], sizeof(types[4]), "%s_objects", flame_measures[flame->measure]);
	snprintf(types[5], sizeof(types[5]), "%s_space", flame_measures[flame->measure]);
	for (size_t i = 0; i < count; i++)
		put_value_type(pprof, PROFILE_SAMPLE_TYPE, types[i], units[i % 2]);
	for (size_t i = 0; i < flame->path_count; i++)
		if (flame->paths[i].allocated.objects)
			put_sample(pprof, &flame->paths[i]);
	put_frames(pprof);
	put_number(pprof->file, PROFILE_TIME_NANOS, flame->time);
	put_number(pprof->file, PROFILE_DURATION_NANOS, flame->duration);
	put_value_type(pprof, PROFILE_PERIOD_TYPE, "space", "bytes");
	put_number(pprof->file, PROFILE_PERIOD, flame->interval ? flame->interval : 1);
	put_number(pprof->file, PROFILE_COMMENT, take_string(pprof, flame->title));
	put_number(pprof->file, PROFILE_DEFAULT_SAMPLE_TYPE,
		   take_string(pprof, types[default_type(flame, count)]));
	put_bytes(pprof->file, PROFILE_STRING_TABLE, "", 0);
	for (uint32_t i = 1; i < pprof->strings.count; i++) {
		const char *text = texts_get(&pprof->strings, i);

		put_bytes(pprof->file, PROFILE_STRING_TABLE, text, strlen(text));
	}
}

/* 0 or -ENOMEM. */
static int put_gzip(FILE *file, const char *bytes, size_t size)
{
	struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(COMPRESSION);
	size_t space = compressor ? libdeflate_gzip_compress_bound(compressor, size) : 0;
	char *compressed = malloc(space + 1);

	if (compressor && compressed) {
		size = libdeflate_gzip_compress(compressor, bytes, size, compressed, space);
		fwrite(compressed, 1, size, file);
	}
	libdeflate_free_compressor(compressor);
	free(compressed);
	return compressed && space ? 0 : -ENOMEM;
}

static int pprof_print(const struct output *output, const struct flame *flame)
{
	struct pprof pprof = { .flame = flame };
	char *bytes = NULL;
	size_t size;
	int err = texts_init(&pprof.strings);

	if (!err) {
		pprof.file = text_open(&bytes, &size);
		err = pprof.file ? 0 : -ENOMEM;
	}
	if (!err) {
		put_profile(&pprof);
		err = text_close(pprof.file, &bytes);
		if (!err)
			err = pprof.failed ? -ENOMEM : put_gzip(output->file, bytes, size);
	}
	free(bytes);
	free(pprof.mappings);
	texts_deinit(&pprof.strings);
	return err;
}

const struct renderer renderer_pprof = {
	.name = "pprof",
	.has_labels = true,
	.turns = true,
	.print_flame = pprof_print,
};
