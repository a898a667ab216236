// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The JSON file format of speedscope: one profile of bytes, and one of objects. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include <jansson.h>

#include "base/texts.h"
#include "report/render/json.h"
#include "report/render/render.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

/* The numbers of the frames of a path, the root first. */
static json_t *make_stack(struct texts *names, const char *text)
{
	json_t *stack = json_array();
	int failed = !stack;

	for (const char *name = text; !failed; name++) {
		size_t length = (size_t)(strchrnul(name, FLAME_SEPARATOR) - name);
		uint32_t number = texts_take(names, strndup(name, length));

		failed = !number || json_array_append_new(stack, json_from_number(number - 1));
		name += length;
		if (!*name)
			break;
	}
	if (!failed)
		return stack;
	json_decref(stack);
	return NULL;
}

/* NULL: no memory. */
static json_t *make_profile(const struct flame *flame, struct texts *names, bool objects)
{
	struct flame_values total = flame_total(flame);
	json_t *samples = json_array(), *weights = json_array();
	json_t *profile = json_pack("{s:s, s:s+, s:s, s:i, s:o, s:O, s:O}", "type", "sampled",
				    "name", flame_measures[flame->measure],
				    objects ? " objects" : " bytes", "unit",
				    objects ? "none" : "bytes", "startValue", 0, "endValue",
				    json_from_number(objects ? total.objects : total.bytes),
				    "samples", samples, "weights", weights);
	int failed = !profile;

	for (size_t i = 0; i < flame->path_count && !failed; i++) {
		const struct flame_values *shown = &flame->paths[i].shown;
		uint64_t weight = objects ? shown->objects : shown->bytes;

		if (!weight)
			continue;
		failed = json_array_append_new(samples, make_stack(names, flame->paths[i].text)) ||
			 json_array_append_new(weights, json_from_number(weight));
	}
	json_decref(samples);
	json_decref(weights);
	if (!failed)
		return profile;
	json_decref(profile);
	return NULL;
}

/* The names from number 1 on. */
static json_t *make_frames(const struct texts *names)
{
	json_t *frames = json_array();
	int failed = !frames;

	for (uint32_t i = 1; i < names->count && !failed; i++)
		failed = json_array_append_new(frames,
					       json_pack("{s:s}", "name", texts_get(names, i)));
	if (!failed)
		return frames;
	json_decref(frames);
	return NULL;
}

static int speedscope_print(const struct output *output, const struct flame *flame)
{
	json_t *bytes = NULL, *objects = NULL, *frames = NULL, *document = NULL;
	struct texts names;
	int err = texts_init(&names);

	if (!err) {
		bytes = make_profile(flame, &names, false);
		objects = make_profile(flame, &names, true);
		frames = make_frames(&names);
		document = json_pack("{s:s, s:s, s:s, s:{s:o}, s:[o, o]}", "$schema", SCHEMA,
				     "exporter", PACKAGE_STRING, "name", flame->title, "shared",
				     "frames", frames, "profiles", bytes, objects);
		err = document ? 0 : -ENOMEM;
	}
	if (!err) {
		/* it also fails if writing to the file fails: ferror() reports that */
		if (json_dumpf(document, output->file,
			       JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENSURE_ASCII) &&
		    !ferror(output->file))
			err = -ENOMEM;
		putc('\n', output->file);
	}
	json_decref(document);
	texts_deinit(&names);
	return err;
}

const struct renderer renderer_speedscope = {
	.name = "speedscope",
	.turns = true,
	.print_flame = speedscope_print,
};
