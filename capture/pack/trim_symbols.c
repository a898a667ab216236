// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Chooses symbols by address, and copies their lines. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/unzip.h"
#include "capture/pack/trim_symbols.h"

#define TEXT_MAX ((size_t)1 << 28)	/* bytes of all lines, as symbols_load() reads at most */
#define ADDRESSES_MAX ((size_t)1 << 24) /* a kernel has fewer call sites than symbols */

int address_set_add(struct address_set *set, uint64_t address)
{
	int err = set->map.slots ? 0 : hash_map_init(&set->map);

	if (err || hash_map_find(&set->map, address) != HASH_MAP_NONE)
		return err;
	if (set->count == ADDRESSES_MAX)
		return -EFBIG;
	if (set->count == set->space) {
		size_t space = MAX(2 * set->space, (size_t)1024);
		uint64_t *list = reallocarray(set->list, space, sizeof(*list));

		if (!list)
			return -ENOMEM;
		set->list = list;
		set->space = space;
	}
	err = hash_map_add(&set->map, address, (uint32_t)set->count);
	if (!err)
		set->list[set->count++] = address;
	return err;
}

bool address_set_has(const struct address_set *set, uint64_t address)
{
	return set->map.slots && hash_map_find(&set->map, address) != HASH_MAP_NONE;
}

void address_set_deinit(struct address_set *set)
{
	if (set->map.slots)
		hash_map_deinit(&set->map);
	free(set->list);
	*set = (struct address_set){ 0 };
}

/* The index behind the last symbol of a snapshot that begins at or before the address. */
static size_t find_behind(const struct symbols *symbols, size_t snapshot, uint64_t address)
{
	size_t low = symbols->snapshots[snapshot].first;
	size_t high = symbols_snapshot_end(symbols, snapshot);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int keep_around(struct address_set *kept, bool *is_named, const struct symbols *symbols,
		       size_t snapshot, uint64_t address)
{
	size_t behind = find_behind(symbols, snapshot, address);
	int err = 0;

	if (behind > symbols->snapshots[snapshot].first) {
		const struct symbol *symbol = &symbols->list[behind - 1];

		is_named[behind - 1] = true;
		err = address_set_add(kept, symbol->address);
		/* the next symbol may be in the list of an earlier snapshot */
		if (!err)
			err = address_set_add(kept, symbol->address + symbol->size);
	}
	if (!err && behind < symbols_snapshot_end(symbols, snapshot))
		err = address_set_add(kept, symbols->list[behind].address);
	return err;
}

/* A report numbers the functions of one name: all of these stay. */
static int keep_names(struct address_set *kept, const bool *is_named, const struct symbols *symbols)
{
	struct address_set names = { 0 };
	int err = 0;

	for (size_t i = 0; i < symbols->count && !err; i++)
		if (is_named[i])
			err = address_set_add(
				&names,
				hash_text(0, symbols_string(symbols, symbols->list[i].name)));
	for (size_t i = 0; i < symbols->count && !err; i++)
		if (address_set_has(&names,
				    hash_text(0, symbols_string(symbols, symbols->list[i].name))))
			err = address_set_add(kept, symbols->list[i].address);
	address_set_deinit(&names);
	return err;
}

int trim_symbols_keep(struct address_set *kept, const struct symbols *symbols,
		      const struct address_set *used)
{
	bool *is_named = calloc(symbols->count + 1, sizeof(*is_named));
	int err = is_named ? 0 : -ENOMEM;

	for (size_t i = 0; i < symbols->snapshot_count; i++)
		for (size_t j = 0; j < used->count && !err; j++)
			err = keep_around(kept, is_named, symbols, i, used->list[j]);
	for (size_t i = 0; i < SYMBOLS_ENDS && !err; i++)
		err = address_set_add(kept, symbols->ends[i]);
	if (!err)
		err = keep_names(kept, is_named, symbols);
	free(is_named);
	return err;
}

/* All lines, to be freed. */
static int read_lines(const char *path, char **text, size_t *size)
{
	struct unzip unzip;
	size_t got = 1;
	int err = unzip_open(&unzip, path);

	*text = NULL;
	*size = 0;
	if (err)
		return err;
	while (!err && got) {
		size_t room = unzip_room(&unzip);
		char *more = *size + room < TEXT_MAX ? realloc(*text, *size + room + 1) : NULL;

		if (!more) {
			err = *size + room < TEXT_MAX ? -ENOMEM : -EFBIG;
			break;
		}
		*text = more;
		err = unzip_read(&unzip, *text + *size, room, &got);
		*size += err ? 0 : got;
	}
	unzip_close(&unzip);
	if (!err)
		(*text)[*size] = '\0';
	return err;
}

static bool is_kept(const struct address_set *kept, const char *line)
{
	uint64_t address;

	if (*line == '#')
		return true;
	return number_parse(&line, 16, &address) && address_set_has(kept, address);
}

static int write_kept_lines(const struct address_set *kept, gzFile file, char *text, size_t size)
{
	char *line = text, *newline;
	bool ok = gzputs(file, "# trimmed\n") > 0;

	while (ok && line < text + size) {
		newline = memchr(line, '\n', (size_t)(text + size - line));
		if (!newline)
			newline = text + size;
		*newline = '\0';
		/* a second trim does not add the first line again */
		if (is_kept(kept, line) && strcmp(line, "# trimmed") != 0)
			ok = gzwrite(file, line, (unsigned int)strlen(line)) >= 0 &&
			     gzputc(file, '\n') == '\n';
		line = newline + 1;
	}
	return ok ? 0 : -EIO;
}

int trim_symbols_write(const struct address_set *kept, const char *path)
{
	__attribute__((cleanup(free_text))) char *text = NULL;
	__attribute__((cleanup(free_text))) char *next = NULL;
	size_t size;
	gzFile file;
	int err = read_lines(path, &text, &size);

	if (err)
		return err;
	if (asprintf(&next, "%s.new", path) < 0) {
		next = NULL;
		return -ENOMEM;
	}
	file = gzopen(next, "wxb9");
	if (!file)
		return errno ? -errno : -ENOMEM;
	err = write_kept_lines(kept, file, text, size);
	if (gzclose(file) != Z_OK && !err)
		err = -EIO;
	if (!err && rename(next, path))
		err = -errno;
	if (err)
		unlink(next);
	return err;
}
