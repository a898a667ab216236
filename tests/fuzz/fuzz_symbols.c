// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Symbols and the lists of modules, plain or gzip, whole or damaged, and the search in them. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "kernel/symbols.h"
#include "tests/fuzz/fuzz.h"

#define FILE_NAME "symbols"
#define LOOKUPS 50

/* The input as one or two gzip members, which are damaged then if how says so. */
static void write_gzip(const struct fuzz_input *input, unsigned int how)
{
	size_t half = how & 8 ? input->left / 2 : input->left, size = 0;
	size_t room = 2 * compressBound(input->left) + 100;
	uint8_t *bytes = malloc(room);

	FUZZ_EXPECT(bytes);
	for (size_t at = 0, take = half; take || !at; at += take, take = input->left - at) {
		z_stream stream = { .next_in = (Bytef *)(uintptr_t)(input->at + at),
				    .avail_in = (uInt)take,
				    .next_out = bytes + size,
				    .avail_out = (uInt)(room - size) };

		FUZZ_EXPECT(deflateInit2(&stream, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) ==
			    Z_OK);
		FUZZ_EXPECT(deflate(&stream, Z_FINISH) == Z_STREAM_END);
		size += stream.total_out;
		deflateEnd(&stream);
		if (!input->left)
			break;
	}
	if (how & 16)
		bytes[size * (how >> 5) / 8] ^= 1;
	else if (how & 4)
		size -= size * (how >> 5) / 8;
	fuzz_write(FILE_NAME, bytes, size);
	free(bytes);
}

static void look_up(const struct symbols *symbols, uint64_t address, uint64_t time)
{
	const struct symbol *symbol = symbols_find(symbols, address, time);
	const struct symbols_module *module = symbols_find_module(symbols, address, time);
	char text[300], small[7];

	if (symbol) {
		FUZZ_EXPECT(symbol->address <= address);
		FUZZ_EXPECT(symbols_string(symbols, symbol->name)[0]);
		FUZZ_EXPECT(strlen(symbols_string(symbols, symbol->module)) < symbols->text_size);
	}
	if (module)
		FUZZ_EXPECT(strlen(symbols_string(symbols, module->name)) < symbols->text_size);
	FUZZ_EXPECT(symbols_text(symbols, address, time, text, sizeof(text))[0]);
	symbols_text(symbols, address, time, small, sizeof(small));
	FUZZ_EXPECT(strlen(small) < sizeof(small));
}

static void use_symbols(const struct symbols *symbols, uint64_t address)
{
	struct symbols_names names;
	size_t count;

	for (size_t i = 0; i < symbols->count && i < LOOKUPS; i++) {
		const struct symbol *symbol = &symbols->list[i];

		look_up(symbols, symbol->address, symbol->since);
		look_up(symbols, symbol->address - 1, 0);
		look_up(symbols, symbol->address + symbol->size, UINT64_MAX);
	}
	for (size_t i = 0; i < symbols->modules.count && i < LOOKUPS; i++) {
		const struct symbols_module *module = &symbols->modules.list[i];

		look_up(symbols, module->address, module->since);
		look_up(symbols, module->end, module->until);
	}
	look_up(symbols, address, 5);
	FUZZ_EXPECT(!symbols_names_init(&names, symbols));
	for (size_t i = 0; i < symbols->count && i < LOOKUPS; i++) {
		size_t rank = symbols_rank(&names, &symbols->list[i], &count);

		FUZZ_EXPECT(rank >= 1 && rank <= count);
	}
	symbols_names_deinit(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	unsigned int how = fuzz_byte(&input);
	uint64_t address = fuzz_number(&input);
	struct symbols symbols;
	int err;

	if (how & 1)
		write_gzip(&input, how);
	else
		fuzz_write(FILE_NAME, input.at, input.left);
	err = symbols_load(&symbols, fuzz_path(FILE_NAME));
	FUZZ_EXPECT(!err || err == -EFBIG);
	if (!err)
		use_symbols(&symbols, address);
	symbols_deinit(&symbols);
	return 0;
}
