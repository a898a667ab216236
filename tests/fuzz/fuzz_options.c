// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Texts that a user writes: lines of a configuration file with values of options of each kind, and
 * conditions of triggers.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/config_lines.h"
#include "cli/option_row.h"
#include "tests/fuzz/fuzz.h"
#include "tracer/triggers/trigger.h"

struct values {
	const char *text, *path;
	unsigned int choice, seconds;
	uint64_t number, duration, age, size;
	uint16_t small;
};

static const char *const choices[] = { "auto", "yes", "no", NULL };

static const struct option_row rows[] = {
	{ .name = "text", .argument = "X", OPTION_AT(struct values, text), .kind = ARGUMENT_TEXT },
	{ .name = "path", .argument = "X", OPTION_AT(struct values, path), .kind = ARGUMENT_PATH },
	{ .name = "choice",
	  .argument = "X",
	  OPTION_AT(struct values, choice),
	  .kind = ARGUMENT_CHOICE,
	  .choices = choices },
	{ .name = "number",
	  .argument = "X",
	  OPTION_AT(struct values, number),
	  .kind = ARGUMENT_NUMBER,
	  .least = 3,
	  .most = 300,
	  .unit = "threads",
	  .all = 7 },
	{ .name = "small",
	  .argument = "X",
	  OPTION_AT(struct values, small),
	  .kind = ARGUMENT_NUMBER,
	  .most = UINT16_MAX },
	{ .name = "duration",
	  .argument = "X",
	  OPTION_AT(struct values, duration),
	  .kind = ARGUMENT_DURATION },
	{ .name = "seconds",
	  .argument = "X",
	  OPTION_AT(struct values, seconds),
	  .kind = ARGUMENT_SECONDS,
	  .least = 1,
	  .most = UINT32_MAX * 1000000000ULL },
	{ .name = "age", .argument = "X", OPTION_AT(struct values, age), .kind = ARGUMENT_AGE },
	{ .name = "size",
	  .argument = "X",
	  OPTION_AT(struct values, size),
	  .kind = ARGUMENT_SIZE,
	  .least = 4096 },
};
#define ROWS (sizeof(rows) / sizeof(*rows))

static void store_value(const struct option_row *row, const char *text)
{
	struct values values = { .number = 5, .size = 4096, .seconds = 1 };
	char why[OPTION_WHY] = "";
	bool is_right = option_row_store(row, text, &values, why);

	FUZZ_EXPECT(is_right == !*why);
	FUZZ_EXPECT(values.number >= 3 && values.number <= 300);
	FUZZ_EXPECT(values.size >= 4096 && values.seconds >= 1 && values.choice < 3);
}

static void read_config(char *text)
{
	struct config_lines lines;

	FUZZ_EXPECT(!config_lines_parse(&lines, text));
	for (size_t i = 0; i < lines.count; i++) {
		const struct config_line *line = &lines.list[i];

		FUZZ_EXPECT(line->number && (!i || line->number > line[-1].number));
		FUZZ_EXPECT(!strpbrk(line->name, "\n") &&
			    (!line->value || !strpbrk(line->value, "\n")));
		for (size_t j = 0; j < ROWS && line->value; j++)
			if (!strcmp(line->name, rows[j].name))
				store_value(&rows[j], line->value);
		FUZZ_EXPECT(config_lines_agree(&lines, &lines, line->name));
	}
	config_lines_deinit(&lines);
}

static void read_trigger(const char *text)
{
	struct trigger_error error = { 0 };
	struct trigger trigger, again;
	int err = trigger_parse(&trigger, text, &error);

	FUZZ_EXPECT(!err || (err == -EINVAL && error.text[0] && error.column >= 1 &&
			     error.column <= strlen(text) + 1));
	if (err)
		return;
	FUZZ_EXPECT(trigger.kind < TRIGGER_KINDS && isfinite(trigger.percent));
	FUZZ_EXPECT(trigger.percent >= 0 && trigger.percent <= 100);
	FUZZ_EXPECT(!trigger.window_ns || (trigger.window_ns >= TRIGGER_WINDOW_MIN &&
					   trigger.window_ns <= TRIGGER_WINDOW_MAX));
	FUZZ_EXPECT((trigger.scope == TRIGGER_OF_ALL) == !*trigger.name);
	FUZZ_EXPECT(!trigger_parse(&again, trigger.text, &error));
	FUZZ_EXPECT(again.bytes == trigger.bytes && again.window_ns == trigger.window_ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	unsigned int how = fuzz_byte(&input);
	char *text = fuzz_text(&input);

	if (how % 16 == 0) {
		read_config(text);
		return 0;
	}
	if (how % 16 <= ROWS)
		store_value(&rows[how % 16 - 1], text);
	else
		read_trigger(text);
	free(text);
	return 0;
}
