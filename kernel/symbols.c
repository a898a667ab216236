// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Snapshots of kallsyms, loaded and searched. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "kernel/escape.h"
#include "kernel/symbols.h"

#define SYMBOLS_MAX (1U << 22) /* a distribution's kernel has 300,000 */
#define TEXT_MAX (1U << 28)    /* bytes */
#define SNAPSHOTS_MAX 1024     /* later ones count as part of the last */
#define LINE_SIZE 1024	       /* Linux allows names of 512 */

/*
 * A module's last symbol ends nobody knows where: what follows in memory may be another module
 * or nothing for gigabytes. It is taken to hold no more than this.
 */
#define LAST_SIZE_MAX 65536

struct loader {
	struct symbols *symbols;
	size_t text_space;
	uint64_t since;
	unsigned int snapshots;
	uint32_t module; /* of the last line: most lines have the same */
};

struct fields {
	uint64_t address;
	const char *name, *module;
	size_t name_size, module_size;
};

/* Names that begin with $ mark code and data in ARM's object files. */
static bool split_line(const char *line, struct fields *fields)
{
	const char *at = line;

	if (!number_parse(&at, 16, &fields->address) || at[0] != ' ' || !at[1] ||
	    !strchr("tTwW", at[1]) || at[2] != ' ')
		return false;
	fields->name = at + 3;
	fields->name_size = strcspn(fields->name, " \t\n");
	if (!fields->name_size || *fields->name == '$')
		return false;
	at = fields->name + fields->name_size;
	at += strspn(at, " \t");
	fields->module = *at == '[' ? at + 1 : "";
	fields->module_size = strcspn(fields->module, "]\n");
	return true;
}

bool symbols_is_code(const char *line)
{
	struct fields fields;

	return split_line(line, &fields);
}

static int add_text(struct loader *loader, const char *text, size_t size, uint32_t *offset)
{
	struct symbols *symbols = loader->symbols;

	if (symbols->text_size + size + 1 > loader->text_space) {
		size_t space = loader->text_space ? 2 * loader->text_space : 1 << 20;
		char *more = space <= TEXT_MAX ? realloc(symbols->text, space) : NULL;

		if (!more)
			return space <= TEXT_MAX ? -ENOMEM : -EFBIG;
		symbols->text = more;
		loader->text_space = space;
	}
	*offset = symbols->text_size;
	memcpy(symbols->text + *offset, text, size);
	symbols->text[*offset + size] = '\0';
	symbols->text_size += size + 1;
	return 0;
}

static int add_symbol(struct loader *loader, const struct fields *fields)
{
	struct symbols *symbols = loader->symbols;
	struct symbol symbol = { .address = fields->address, .since = loader->since };
	const char *module = symbols->text + loader->module;
	struct symbol *list;
	int err = 0;

	if (strncmp(module, fields->module, fields->module_size) || module[fields->module_size])
		err = add_text(loader, fields->module, fields->module_size, &loader->module);
	if (!err)
		err = add_text(loader, fields->name, fields->name_size, &symbol.name);
	if (err)
		return err;
	if (symbols->count == SYMBOLS_MAX)
		return -EFBIG;
	list = list_grow(symbols->list, symbols->count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	symbol.module = loader->module;
	symbols->list = list;
	list[symbols->count++] = symbol;
	return 0;
}

static int load_line(struct loader *loader, const char *text)
{
	const char *rest = text;
	struct fields fields;
	struct line line;

	if (*text == '#') {
		line_next(&line, &rest);
		if (line_key(&line, "#") && line_key(&line, "since") &&
		    loader->snapshots < SNAPSHOTS_MAX && line_u64(&line, 10, &loader->since))
			loader->snapshots++;
		return 0;
	}
	if (!split_line(text, &fields))
		return 0;
	if (!fields.address) {
		loader->symbols->hidden = true;
		return 0;
	}
	return add_symbol(loader, &fields);
}

/* What zlib says at the end of a file. A capture that was cut off ends in half a gzip member. */
static int load_end(struct symbols *symbols, gzFile file)
{
	int code;

	gzerror(file, &code);
	if (code == Z_MEM_ERROR)
		return -ENOMEM;
	if (code == Z_ERRNO)
		return errno ? -errno : -EIO;
	symbols->damaged = code != Z_OK && code != Z_STREAM_END;
	return 0;
}

static int load_lines(struct loader *loader, gzFile file)
{
	char text[LINE_SIZE];
	bool rest = false; /* of a line that was too long */
	int err = 0;

	errno = 0;
	while (!err && gzgets(file, text, sizeof(text))) {
		size_t size = strlen(text);
		bool whole = size && text[size - 1] == '\n';

		if (!rest && (whole || (gzeof(file) && !load_end(loader->symbols, file) &&
					!loader->symbols->damaged)))
			err = load_line(loader, text);
		rest = !whole;
	}
	return err ? err : load_end(loader->symbols, file);
}

static int compare_symbols(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	if (a->since != b->since)
		return a->since < b->since ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name; /* as listed */
}

static void sort_symbols(struct symbols *symbols)
{
	for (size_t i = 1; i < symbols->count; i++) {
		if (compare_symbols(&symbols->list[i - 1], &symbols->list[i]) > 0) {
			qsort(symbols->list, symbols->count, sizeof(*symbols->list),
			      compare_symbols);
			return;
		}
	}
}

static bool same_string(const struct symbols *symbols, uint32_t a, uint32_t b)
{
	return a == b || !strcmp(symbols->text + a, symbols->text + b);
}

/* Of several names of one address the first listed stays; each ends where the next begins. */
static void measure_symbols(struct symbols *symbols)
{
	struct symbol *list = symbols->list;
	size_t kept = 0;

	for (size_t i = 1; i < symbols->count; i++) {
		if (list[i].since == list[kept].since && list[i].address == list[kept].address)
			continue;
		if (list[i].since == list[kept].since &&
		    same_string(symbols, list[i].module, list[kept].module))
			list[kept].size = list[i].address - list[kept].address;
		list[++kept] = list[i];
	}
	if (symbols->count)
		symbols->count = kept + 1;
}

static int index_snapshots(struct symbols *symbols)
{
	symbols->snapshot_count = 0;
	for (size_t i = 0; i < symbols->count; i++) {
		struct symbols_snapshot *list = symbols->snapshots;

		if (i && symbols->list[i].since == symbols->list[i - 1].since)
			continue;
		list = list_grow(list, symbols->snapshot_count, sizeof(*list));
		if (!list)
			return -ENOMEM;
		symbols->snapshots = list;
		list[symbols->snapshot_count++] = (struct symbols_snapshot){
			.since = symbols->list[i].since,
			.first = i,
		};
	}
	return 0;
}

static size_t snapshot_end(const struct symbols *symbols, size_t snapshot)
{
	return snapshot + 1 < symbols->snapshot_count ? symbols->snapshots[snapshot + 1].first
						      : symbols->count;
}

/*
 * Drops from each snapshot what the one before already had. Not what an older one had: a module
 * may have gone, another have taken its place, and the first have come back to it.
 */
static int drop_repeats(struct symbols *symbols)
{
	struct symbol *list = symbols->list;
	size_t kept = 0;

	for (size_t snapshot = symbols->snapshot_count; snapshot-- > 1;) {
		size_t old = symbols->snapshots[snapshot - 1].first;
		size_t old_end = symbols->snapshots[snapshot].first;
		size_t end = snapshot_end(symbols, snapshot);

		for (size_t fresh = old_end; fresh < end; fresh++) {
			while (old < old_end && list[old].address < list[fresh].address)
				old++;
			if (old < old_end && list[old].address == list[fresh].address &&
			    same_string(symbols, list[old].name, list[fresh].name) &&
			    same_string(symbols, list[old].module, list[fresh].module))
				list[fresh].address = 0;
		}
	}
	for (size_t i = 0; i < symbols->count; i++)
		if (list[i].address)
			list[kept++] = list[i];
	symbols->count = kept;
	return index_snapshots(symbols);
}

int symbols_load(struct symbols *symbols, const char *path)
{
	struct loader loader = { .symbols = symbols };
	gzFile file;
	int err;

	*symbols = (struct symbols){ 0 };
	errno = 0;
	file = gzopen(path, "rbe");
	if (!file)
		return errno ? -errno : -ENOMEM;
	gzbuffer(file, 1 << 17);
	err = add_text(&loader, "", 0, &loader.module);
	if (!err)
		err = load_lines(&loader, file);
	gzclose(file);
	if (!err) {
		symbols->hidden = symbols->hidden && !symbols->count;
		sort_symbols(symbols);
		measure_symbols(symbols);
		err = index_snapshots(symbols);
	}
	if (!err && symbols->snapshot_count > 1)
		err = drop_repeats(symbols);
	if (err)
		symbols_deinit(symbols);
	return err;
}

void symbols_deinit(struct symbols *symbols)
{
	free(symbols->list);
	free(symbols->snapshots);
	free(symbols->text);
	*symbols = (struct symbols){ 0 };
}

static const struct symbol *find_in_snapshot(const struct symbols *symbols, size_t snapshot,
					     uint64_t address)
{
	size_t first = symbols->snapshots[snapshot].first, low = first;
	size_t high = snapshot_end(symbols, snapshot);
	const struct symbol *symbol;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == first)
		return NULL;
	symbol = &symbols->list[low - 1];
	if (address - symbol->address >= (symbol->size ? symbol->size : LAST_SIZE_MAX))
		return NULL;
	return symbol;
}

const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address, uint64_t time)
{
	const struct symbol *best = NULL;
	size_t count = symbols->snapshot_count, now = count;

	while (now > 0 && symbols->snapshots[now - 1].since > time)
		now--;
	/* From now back to the first, then those that came later. */
	for (size_t i = 0; i < count && !(best && best->size); i++) {
		const struct symbol *symbol =
			find_in_snapshot(symbols, i < now ? now - 1 - i : i, address);

		/* How far one without a size goes is a guess: one that begins nearer is better. */
		if (symbol && (!best || symbol->address > best->address))
			best = symbol;
	}
	return best;
}

const char *symbols_string(const struct symbols *symbols, uint32_t offset)
{
	return offset < symbols->text_size ? symbols->text + offset : "";
}

char *symbols_text(const struct symbols *symbols, uint64_t address, uint64_t time, char *text,
		   size_t size)
{
	const struct symbol *symbol = symbols_find(symbols, address, time);
	const char *module;
	char extent[24] = "";

	if (!symbol) {
		snprintf(text, size, "0x%" PRIx64, address);
		return text;
	}
	module = symbols_string(symbols, symbol->module);
	if (symbol->size)
		snprintf(extent, sizeof(extent), "/0x%" PRIx64, symbol->size);
	snprintf(text, size, "%s+0x%" PRIx64 "%s%s%s%s", symbols_string(symbols, symbol->name),
		 address - symbol->address, extent, *module ? " [" : "", module,
		 *module ? "]" : "");
	return text;
}

/* Comparing numbers first: 300,000 names are sorted in a tenth of the time. */
struct symbols_name {
	uint32_t hash;	 /* of name and module */
	uint32_t symbol; /* index */
};

static uint32_t hash_text(uint32_t hash, const char *text)
{
	while (*text)
		hash = (hash ^ (unsigned char)*text++) * 0x01000193; /* FNV-1a */
	return hash;
}

static int compare_texts(const struct symbols *symbols, uint32_t a, uint32_t b)
{
	return a == b ? 0 : strcmp(symbols->text + a, symbols->text + b);
}

/* By name and module. */
static int compare_words(const struct symbols *symbols, const struct symbols_name *a,
			 const struct symbols_name *b)
{
	const struct symbol *x = &symbols->list[a->symbol], *y = &symbols->list[b->symbol];
	int order;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	order = compare_texts(symbols, x->name, y->name);
	return order ? order : compare_texts(symbols, x->module, y->module);
}

static int compare_names(const void *left, const void *right, void *data)
{
	const struct symbols_name *a = left, *b = right;
	int order = compare_words(data, a, b);

	return order ? order : (a->symbol > b->symbol) - (a->symbol < b->symbol);
}

static struct symbols_name name_of(const struct symbols *symbols, size_t index)
{
	const struct symbol *symbol = &symbols->list[index];
	uint32_t hash = hash_text(0x811c9dc5, symbols->text + symbol->name);

	return (struct symbols_name){ hash_text(hash, symbols->text + symbol->module),
				      (uint32_t)index };
}

int symbols_names_init(struct symbols_names *names, const struct symbols *symbols)
{
	*names = (struct symbols_names){ .symbols = symbols };
	if (!symbols->count)
		return 0;
	names->list = malloc(symbols->count * sizeof(*names->list));
	if (!names->list)
		return -ENOMEM;
	for (size_t i = 0; i < symbols->count; i++)
		names->list[names->count++] = name_of(symbols, i);
	qsort_r(names->list, names->count, sizeof(*names->list), compare_names,
		(void *)(uintptr_t)symbols);
	return 0;
}

void symbols_names_deinit(struct symbols_names *names)
{
	free(names->list);
	*names = (struct symbols_names){ 0 };
}

/* How many are before those of the name that came at since, or, if past is set, up to them. */
static size_t find_edge(const struct symbols_names *names, const struct symbols_name *name,
			uint64_t since, bool past)
{
	size_t low = 0, high = names->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct symbols_name *other = &names->list[middle];
		uint64_t came = names->symbols->list[other->symbol].since;
		int order = compare_words(names->symbols, other, name);

		if (order < 0 || (!order && (came < since || (past && came == since))))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t symbols_rank(const struct symbols_names *names, const struct symbol *symbol, size_t *count)
{
	size_t index = (size_t)(symbol - names->symbols->list);
	struct symbols_name name = name_of(names->symbols, index);
	size_t first = find_edge(names, &name, symbol->since, false);
	size_t end = find_edge(names, &name, symbol->since, true);
	size_t low = first, high = end;

	*count = end - first;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (names->list[middle].symbol < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low - first + 1;
}
