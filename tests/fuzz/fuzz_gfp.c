// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* GFP flags: the format file of a tracepoint, the table of a capture, names in a recording. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/import/gfp_bits.h"
#include "kernel/c_expression.h"
#include "kernel/gfp.h"
#include "tests/fuzz/fuzz.h"

static char *write_gfp(const struct gfp_table *table)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	FUZZ_EXPECT(file && !gfp_write(table, file) && !fclose(file));
	return text;
}

/* Each text fits and ends, however little space it has. */
static void use_gfp(const struct gfp_table *table, uint64_t flags, size_t size)
{
	char *text = malloc(size);

	FUZZ_EXPECT(text);
	FUZZ_EXPECT(gfp_text(table, flags, text, size) == text);
	FUZZ_EXPECT(strlen(text) < size);
	FUZZ_EXPECT(size < 2 || text[0]);
	free(text);
}

/* A table that is written and read is the same. */
static void round_trip(const struct gfp_table *table)
{
	char *text = write_gfp(table), *again;
	struct gfp_table read;

	FUZZ_EXPECT(!gfp_parse(&read, text));
	again = write_gfp(&read);
	FUZZ_EXPECT(!strcmp(text, again));
	free(again);
	free(text);
	gfp_deinit(&read);
}

static void add_bits(const char *text)
{
	struct gfp_table table = { 0 };
	struct gfp_bits gfp = { 0 };
	uint32_t bits;

	FUZZ_EXPECT(!gfp_bits_parse(&gfp, &table, text, &bits));
	use_gfp(&table, bits, 200);
	round_trip(&table);
	gfp_deinit(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	unsigned int how = fuzz_byte(&input);
	uint64_t flags = fuzz_number(&input);
	struct gfp_table table = { 0 };
	struct c_expression expression;
	char *text = fuzz_text(&input);
	int err = 0;

	switch (how % 4) {
	case 0:
		err = gfp_parse(&table, text);
		break;
	case 1:
		err = gfp_parse_format(&table, text);
		FUZZ_EXPECT(!err == !!table.count);
		break;
	case 2:
		expression = (struct c_expression){ .at = text };
		c_expression_evaluate(&expression);
		FUZZ_EXPECT(expression.at >= text && expression.at <= text + input.left);
		break;
	default:
		add_bits(text);
	}
	FUZZ_EXPECT(!err || err == -ENODATA);
	use_gfp(&table, flags, 1 + how / 4 * 4);
	if (table.count)
		use_gfp(&table, table.list[0].bits, 60);
	round_trip(&table);
	gfp_deinit(&table);
	free(text);
	return 0;
}
