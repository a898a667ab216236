// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Code moves in ranges, see code_ranges.h. Everything else moves in blocks: objects in blocks that
 * no slab exceeds, so that pages and slabs stay whole; code without symbols in single pages, since
 * kernels load modules at a random page.
 *
 * An address that is known from elsewhere reveals the originals in its own range or block only.
 * Kernels randomize the addresses of their code by whole pages, and those of all memory by 512 MiB
 * or more: so the kept offset in a page or block shows no part of them.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/number.h"
#include "capture/pack/substitutes.h"
#include "kernel/container.h"

#define FIRST_PAGE_BYTES 4096 /* NULL, ZERO_SIZE_PTR and other values that are no address */
#define ERROR_CODES 4095      /* the last addresses are error codes */
#define OBJECT_BITS 22	      /* 4 MiB: the largest block of the page allocator */
#define CODE_BITS 12
#define ADDRESS_DIGITS 16
#define IMPOSSIBLE 0xeeee000000000000 /* in addresses of more bits than those of the kernel */

/* The areas do not overlap. No 64-bit kernel has addresses that begin with 0xeeee. */
struct areas {
	uint64_t objects, object_blocks, code, code_bytes, other_code, other_code_pages;
};

static const struct areas areas_64 = {
	.objects = 0xeeee000000000000, /* 64 TiB */
	.object_blocks = 1 << 24,
	.code = 0xeeee400000000000, /* 32 TiB */
	.code_bytes = 1ULL << 45,
	.other_code = 0xeeee800000000000, /* 4 TiB */
	.other_code_pages = 1 << 30,
};
static const struct areas areas_32 = {
	.objects = 0x00400000, /* 3 GiB */
	.object_blocks = 767,
	.code = 0xc0000000, /* 512 MiB */
	.code_bytes = 1 << 29,
	.other_code = 0xe0000000, /* 256 MiB */
	.other_code_pages = 1 << 16,
};

/* The name of the host, if it can be recognized in other texts. */
static const char *find_host(const struct capture *capture)
{
	static const char *const common[] = { "(none)", "localhost", "unknown", SUBSTITUTE_HOST };
	const char *host = capture->metadata.hostname;

	for (size_t i = 0; i < sizeof(common) / sizeof(*common); i++)
		if (!strcmp(host, common[i]))
			return "";
	return host[0] && host[1] ? host : "";
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

bool substitutes_show_host(const struct substitutes *substitutes, const char *text)
{
	const char *host = substitutes->host, *at = text;
	size_t size = strlen(host);

	for (; size && (at = strstr(at, host)); at++)
		if ((at == text || !is_word(at[-1])) && !is_word(at[size]))
			return true;
	return false;
}

static int make_uuid(struct substitutes *substitutes)
{
	int err = 0;

	for (size_t i = 0; i < sizeof(substitutes->uuid) && !err; i++) {
		uint64_t byte;

		err = random_below(&substitutes->random, 256, &byte);
		if (!err)
			substitutes->uuid[i] = (uint8_t)byte;
	}
	substitutes->uuid[6] = (substitutes->uuid[6] & 0x0f) | 0x40; /* version 4: random */
	substitutes->uuid[8] = (substitutes->uuid[8] & 0x3f) | 0x80;
	return err;
}

int substitutes_init(struct substitutes *substitutes, const struct capture *capture, bool of_tasks)
{
	bool narrow = capture->metadata.word_bits == 32;
	const struct areas *areas = narrow ? &areas_32 : &areas_64;
	int err;

	*substitutes = (struct substitutes){ .of_tasks = of_tasks, .narrow = narrow };
	substitutes->host = find_host(capture);
	memcpy(substitutes->old_uuid, capture->metadata.uuid, sizeof(substitutes->old_uuid));
	err = make_uuid(substitutes);
	if (!err)
		err = scattered_blocks_init(&substitutes->objects, OBJECT_BITS, areas->objects,
					    areas->object_blocks);
	if (!err)
		err = scattered_blocks_init(&substitutes->other_code, CODE_BITS, areas->other_code,
					    areas->other_code_pages);
	if (!err)
		err = hash_map_init(&substitutes->tasks);
	if (!err)
		err = hash_map_init(&substitutes->users);
	if (!err)
		err = hash_map_init(&substitutes->cgroups);
	if (!err)
		err = hash_map_init(&substitutes->stacks);
	if (!err)
		err = code_ranges_init(&substitutes->code, &capture->symbols, &substitutes->random,
				       areas->code, areas->code_bytes);
	if (err)
		substitutes_deinit(substitutes);
	return err;
}

void substitutes_deinit(struct substitutes *substitutes)
{
	scattered_blocks_deinit(&substitutes->objects);
	scattered_blocks_deinit(&substitutes->other_code);
	hash_map_deinit(&substitutes->tasks);
	hash_map_deinit(&substitutes->users);
	hash_map_deinit(&substitutes->cgroups);
	hash_map_deinit(&substitutes->stacks);
	code_ranges_deinit(&substitutes->code);
}

static uint64_t move_address(struct substitutes *substitutes, struct scattered_blocks *blocks,
			     uint64_t address)
{
	uint64_t highest = substitutes->narrow ? UINT32_MAX : UINT64_MAX;
	const struct code_range *range;
	uint64_t moved = 0;
	int err;

	if (address < FIRST_PAGE_BYTES || address > UINT64_MAX - ERROR_CODES ||
	    (address > highest - ERROR_CODES && address <= highest))
		return address;
	range = code_ranges_find(&substitutes->code, address);
	if (range)
		return range->moved + (address - range->begin);
	err = scattered_blocks_move(blocks, &substitutes->random, address, &moved);
	if (err && !substitutes->error)
		substitutes->error = err;
	return address > highest ? moved | IMPOSSIBLE : moved;
}

uint64_t substitute_object(struct substitutes *substitutes, uint64_t address)
{
	return move_address(substitutes, &substitutes->objects, address);
}

uint64_t substitute_code(struct substitutes *substitutes, uint64_t address)
{
	return move_address(substitutes, &substitutes->other_code, address);
}

static bool is_known_place(const struct scattered_blocks *blocks, uint64_t address)
{
	return hash_map_find(&blocks->places, address >> blocks->bits) != HASH_MAP_NONE;
}

/* digits: the number of hexadecimal digits at at, which are a whole word of a machine. */
static void substitute_digits(struct substitutes *substitutes, char *at, size_t digits)
{
	char text[ADDRESS_DIGITS + 1] = "";
	const char *number = text;
	uint64_t address;

	memcpy(text, at, digits);
	if (!number_parse(&number, 16, &address))
		return;
	if (is_known_place(&substitutes->objects, address) ||
	    code_ranges_find(&substitutes->code, address))
		address = substitute_object(substitutes, address);
	else if (is_known_place(&substitutes->other_code, address))
		address = substitute_code(substitutes, address);
	else
		return;
	snprintf(text, sizeof(text), "%0*" PRIx64, (int)digits, address);
	memcpy(at, text, digits);
}

void substitute_in_name(struct substitutes *substitutes, char *name)
{
	const size_t digits = substitutes->narrow ? ADDRESS_DIGITS / 2 : ADDRESS_DIGITS;

	while (*name) {
		size_t size = 0;

		while (digit_value(name[size]) < 16)
			size++;
		if (size == digits)
			substitute_digits(substitutes, name, digits);
		name += size ? size : 1;
	}
}

/* The number of the key, from 0; a new one if need be. */
static uint32_t find_number(struct substitutes *substitutes, struct hash_map *map, uint64_t key)
{
	uint32_t number = hash_map_find(map, key);

	if (number == HASH_MAP_NONE) {
		number = (uint32_t)map->count;
		if (hash_map_add(map, key, number) && !substitutes->error)
			substitutes->error = -ENOMEM;
	}
	return number;
}

static uint32_t find_name(struct substitutes *substitutes, struct hash_map *map, const char *name)
{
	return find_number(substitutes, map, hash_keyed_text(map->seed, name));
}

const char *substitute_task(struct substitutes *substitutes, const char *name, char *text)
{
	uint32_t number = find_name(substitutes, &substitutes->tasks, name);

	snprintf(text, SUBSTITUTE_TASK_SIZE, "task-%" PRIu32, number + 1);
	return text;
}

const char *substitute_user(struct substitutes *substitutes, const char *name, char *text)
{
	uint32_t number = find_name(substitutes, &substitutes->users, name);

	snprintf(text, SUBSTITUTE_USER_SIZE, "user-%" PRIu32, number + 1);
	return text;
}

const char *substitute_cgroup(struct substitutes *substitutes, const char *name, char *text)
{
	static const char *const suffixes[] = { ".service", ".scope", ".slice" };
	const char *suffix = "";
	uint32_t number = find_name(substitutes, &substitutes->cgroups, name);

	if (container_find_id(name, strlen(name))) {
		snprintf(text, SUBSTITUTE_CGROUP_SIZE, "container-%0*" PRIx32 "%0*d",
			 CONTAINER_SHORT_ID, number + 1, CONTAINER_ID - CONTAINER_SHORT_ID, 0);
		return text;
	}
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		const char *end = strrchr(name, '.');

		if (end && !strcmp(end, suffixes[i]))
			suffix = suffixes[i];
	}
	snprintf(text, SUBSTITUTE_CGROUP_SIZE, "cgroup-%" PRIu32 "%s", number + 1, suffix);
	return text;
}

uint64_t substitute_stack(struct substitutes *substitutes, uint64_t id)
{
	return id ? find_number(substitutes, &substitutes->stacks, id) + 1 : 0;
}
