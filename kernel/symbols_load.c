// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads snapshots of kallsyms. The names of the lines are moved to the front of the buffer into
 * which the lines were inflated: a name with its NUL is shorter than its line.
 */
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <unistd.h>

#include "base/number.h"
#include "base/text.h"
#include "kernel/symbols_order.h"
#include "base/unzip.h"

#define SYMBOLS_MAX (1U << 22) /* the kernel of a distribution has 300,000 */
#define TEXT_MAX (1U << 28)    /* bytes; a gzip file can inflate to a thousand times its size */
#define SNAPSHOTS_MAX 1024     /* symbols of further snapshots belong to the last one */
#define LINE_SIZE 1023	       /* Linux allows names of 512 */
#define LINE_SIZE_ESTIMATE 36  /* bytes; the average line is a little longer */
#define LARGE_SIZE (4U << 20)

struct loader {
	struct symbols *symbols;
	size_t text_space, list_space;
	size_t at, end; /* text[at] up to text[end]: lines that are not parsed yet */
	bool has_nul;	/* these lines may contain a NUL */
	bool rest;	/* text[at] continues a line that is too long */
	uint64_t since; /* of symbols */
	uint64_t time;	/* of the last line "# since": later than since after SNAPSHOTS_MAX lines */
	unsigned int snapshots;
	struct symbols_modules_loader modules;
	uint32_t module; /* of the last line; most lines have the same as the line before */
};

struct fields {
	char type;
	uint64_t address;
	const char *name, *module;
	size_t name_size, module_size;
	size_t code_end; /* the index in symbols.ends; SYMBOLS_ENDS: of another symbol */
};

static bool is_code(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Is one of the eight characters a blank or a control character? Names have neither. */
static bool has_blank(const char *text)
{
	uint64_t word;

	memcpy(&word, text, sizeof(word));
	return (word - 0x2121212121212121) & ~word & 0x8080808080808080;
}

static const char *find_blank(const char *at, const char *end)
{
	while (end - at >= 8 && !has_blank(at))
		at += 8;
	while (at < end && !is_blank(*at))
		at++;
	return at;
}

/* Parses eight lower-case hex digits, as in kallsyms. False: use number_parse(). */
static bool parse_eight(const char *text, uint32_t *value)
{
	const uint64_t ones = 0x0101010101010101;
	uint64_t word, digits, letters;

	memcpy(&word, text, sizeof(word));
	word = be64toh(word);
	digits = (word & ones * 15) + (word >> 6 & ones) * 9;
	letters = (digits + ones * 6) >> 4 & ones;
	if (digits & ones * 240 || word != digits + ones * '0' + letters * ('a' - '9' - 1))
		return false;
	digits = (digits | digits >> 4) & 0x00ff00ff00ff00ff;
	digits = (digits | digits >> 8) & 0x0000ffff0000ffff;
	*value = (uint32_t)(digits | digits >> 16);
	return true;
}

static bool parse_address(const char **at, const char *end, uint64_t *address)
{
	uint32_t high, low;

	if (end - *at <= 16 || (*at)[16] != ' ' || !parse_eight(*at, &high) ||
	    !parse_eight(*at + 8, &low))
		return number_parse(at, 16, address);
	*address = (uint64_t)high << 32 | low;
	*at += 16;
	return true;
}

/*
 * Is it a label within a function? Mapping symbols of ARM and RISC-V begin with $. On RISC-V,
 * modules also keep the assembler's local labels, .L… and L0….
 */
static bool is_label(const char *name, size_t size)
{
	return *name == '$' || (size > 1 && ((name[0] == '.' && name[1] == 'L') ||
					     (name[0] == 'L' && name[1] == '0')));
}

/* The index in symbols.ends of a symbol of the kernel, or SYMBOLS_ENDS. */
static size_t find_end_symbol(const struct fields *fields)
{
	static const char *const names[SYMBOLS_ENDS] = { "_etext", "_einittext", "__exittext_end" };
	const char *name = fields->name;
	size_t i = 0;

	if (fields->name_size < strlen(names[0]) || name[0] != '_' || fields->module_size ||
	    (name[1] != 'e' && name[2] != 'e'))
		return SYMBOLS_ENDS;
	while (i < SYMBOLS_ENDS && (fields->name_size != strlen(names[i]) ||
				    memcmp(name, names[i], fields->name_size) != 0))
		i++;
	return i;
}

/* Parses a line that ends with a newline or a NUL. */
static bool split_line(const char *at, const char *end, struct fields *fields)
{
	if (!parse_address(&at, end, &fields->address) || at[0] != ' ' || !at[1] || at[2] != ' ')
		return false;
	fields->type = at[1];
	fields->name = at + 3;
	/* most symbols that are not code are skipped here; an end of code may have any type */
	if (!is_code(fields->type) && *fields->name != '_')
		return false;
	at = find_blank(fields->name, end);
	fields->name_size = (size_t)(at - fields->name);
	if (!fields->name_size || is_label(fields->name, fields->name_size))
		return false;
	while (is_blank(*at))
		at++;
	fields->module = at + (*at == '[');
	fields->module_size = *at == '[' ? strcspn(fields->module, "]\n") : 0;
	fields->code_end = find_end_symbol(fields);
	return is_code(fields->type) || fields->code_end < SYMBOLS_ENDS;
}

bool symbols_is_code(const char *line)
{
	struct fields fields;

	return split_line(line, strchrnul(line, '\n'), &fields);
}

static int append_text(struct symbols *symbols, const char *text, size_t size, uint32_t *offset)
{
	if (size + 1 > TEXT_MAX - symbols->text_size)
		return -EFBIG;
	*offset = symbols->text_size;
	memmove(symbols->text + *offset, text, size);
	symbols->text[*offset + size] = '\0';
	symbols->text_size += size + 1;
	return 0;
}

static bool same_module(const char *module, const struct fields *fields)
{
	if (!fields->module_size)
		return !*module;
	return !strncmp(module, fields->module, fields->module_size) &&
	       !module[fields->module_size];
}

/*
 * Asks for huge pages of 2 MB: page faults then take a quarter of the time. The kernel may refuse.
 * The range is extended to whole pages: madvise() on a part of a mapping splits the mapping, and
 * realloc() then copies it instead of extending it.
 */
static void advise_large_pages(void *memory, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)memory & -page;
	uintptr_t end = ((uintptr_t)memory + size + page - 1) & -page;

	if (size >= LARGE_SIZE)
		madvise((void *)start, end - start, MADV_HUGEPAGE);
}

static int grow_list(struct loader *loader)
{
	struct symbols *symbols = loader->symbols;
	size_t lines = (loader->end - loader->at) / LINE_SIZE_ESTIMATE + 1;
	size_t space = symbols->count + MAX(symbols->count, lines);
	struct symbol *list = reallocarray(symbols->list, space, sizeof(*list));

	if (!list)
		return -ENOMEM;
	symbols->list = list;
	loader->list_space = space;
	advise_large_pages(list, space * sizeof(*list));
	return 0;
}

static int add_symbol(struct loader *loader, const struct fields *fields)
{
	struct symbols *symbols = loader->symbols;
	uint32_t name;
	int err;

	err = append_text(symbols, fields->name, fields->name_size, &name);
	if (!err && !same_module(symbols->text + loader->module, fields))
		err = append_text(symbols, fields->module, fields->module_size, &loader->module);
	if (err)
		return err;
	if (symbols->count == SYMBOLS_MAX)
		return -EFBIG;
	err = symbols->count == loader->list_space ? grow_list(loader) : 0;
	if (err)
		return err;
	symbols->list[symbols->count++] = (struct symbol){
		.address = fields->address,
		.since = loader->since,
		.name = name,
		.module = loader->module,
	};
	return 0;
}

/* # module ADDRESS BYTES NAME [init] */
static int load_module(struct loader *loader, struct line *line)
{
	struct symbols_modules *modules = &loader->symbols->modules;
	uint64_t address, size;
	char name[64], part[8];
	bool known;
	int err;

	if (!modules->listed || !line_u64(line, 16, &address) || !line_u64(line, 10, &size))
		return 0;
	line_word(line, name, sizeof(name));
	err = symbols_modules_add(&loader->modules, address, size, name, &known);
	if (err || known || !*name)
		return err;
	line_word(line, part, sizeof(part));
	modules->list[modules->count - 1].init = !strcmp(part, "init");
	return append_text(loader->symbols, name, strlen(name),
			   &modules->list[modules->count - 1].name);
}

static int load_comment(struct loader *loader, const char *text)
{
	struct line line;

	line_next(&line, &text);
	if (!line_key(&line, "#"))
		return 0;
	if (line_key(&line, "module"))
		return load_module(loader, &line);
	if (line_key(&line, "modules"))
		symbols_modules_begin(&loader->modules, loader->time);
	else if (line_key(&line, "since") && line_u64(&line, 10, &loader->time) &&
		 loader->snapshots < SNAPSHOTS_MAX) {
		loader->since = loader->time;
		loader->snapshots++;
	}
	return 0;
}

static int load_line(struct loader *loader, const char *text, const char *end)
{
	struct fields fields;

	if (*text == '#')
		return load_comment(loader, text);
	if (!split_line(text, end, &fields))
		return 0;
	if (!fields.address) {
		loader->symbols->hidden = true;
		return 0;
	}
	if (fields.code_end < SYMBOLS_ENDS) {
		loader->symbols->ends[fields.code_end] = fields.address;
		return 0;
	}
	return add_symbol(loader, &fields);
}

/*
 * Loads each whole line. It skips a line that is too long, a line with a NUL, and the line behind a
 * line with a NUL.
 */
static int load_lines(struct loader *loader)
{
	int err = 0;

	while (!err) {
		const char *line = loader->symbols->text + loader->at;
		size_t left = loader->end - loader->at, size = MIN(left, LINE_SIZE);
		const char *newline = memchr(line, '\n', size);
		bool whole;

		if (!newline && left < LINE_SIZE)
			break;
		if (newline)
			size = (size_t)(newline - line) + 1;
		whole = newline && !(loader->has_nul && memchr(line, '\0', size));
		if (whole && !loader->rest)
			err = load_line(loader, line, newline);
		loader->rest = !whole;
		loader->at += size;
	}
	return err;
}

/* Makes room behind the names and the lines that are not parsed yet for `room` bytes and a NUL. */
static int make_text_room(struct loader *loader, size_t room)
{
	struct symbols *symbols = loader->symbols;
	size_t left = loader->end - loader->at, space;
	char *more;

	if (left)
		memmove(symbols->text + symbols->text_size, symbols->text + loader->at, left);
	loader->at = symbols->text_size;
	loader->end = loader->at + left;
	space = loader->end + room + 1;
	if (space <= loader->text_space)
		return 0;
	space = MAX(space, loader->text_space + loader->text_space / 2);
	more = realloc(symbols->text, space);
	if (!more)
		return -ENOMEM;
	symbols->text = more;
	loader->text_space = space;
	advise_large_pages(more, space);
	return 0;
}

static int load_text(struct loader *loader, struct unzip *unzip)
{
	struct symbols *symbols = loader->symbols;
	const char *last;
	size_t size = 0, inflated = 0;
	int err;

	do {
		size_t room = unzip_room(unzip);

		err = make_text_room(loader, room);
		if (!err)
			err = unzip_read(unzip, symbols->text + loader->end, room, &size);
		if (err)
			return err;
		loader->has_nul |= memchr(symbols->text + loader->end, '\0', size) != NULL;
		inflated += size;
		if (inflated > TEXT_MAX)
			return -EFBIG;
		loader->end += size;
		symbols->text[loader->end] = '\0';
		err = load_lines(loader);
	} while (!err && size);
	last = symbols->text + loader->at;
	/* the last line of an undamaged file may lack its newline */
	if (!err && loader->at < loader->end && !loader->rest && !unzip->damaged)
		err = load_line(loader, last, last + strlen(last));
	symbols->damaged = unzip->damaged;
	return err;
}

static void release_room(struct symbols *symbols)
{
	char *less = realloc(symbols->text, symbols->text_size);

	if (less)
		symbols->text = less;
}

int symbols_load(struct symbols *symbols, const char *path)
{
	struct loader loader = { .symbols = symbols };
	struct unzip unzip;
	int err;

	*symbols = (struct symbols){ 0 };
	err = unzip_open(&unzip, path);
	if (err)
		return err;
	err = symbols_modules_loader_init(&loader.modules, &symbols->modules);
	if (!err)
		err = make_text_room(&loader, UNZIP_PIECE);
	if (!err)
		err = append_text(symbols, "", 0, &loader.module);
	loader.at = loader.end = symbols->text_size;
	if (!err)
		err = load_text(&loader, &unzip);
	unzip_close(&unzip);
	if (!err) {
		release_room(symbols);
		symbols->hidden = symbols->hidden && !symbols->count;
		err = symbols_modules_sort(&loader.modules);
		if (!err)
			err = symbols_order(symbols);
	}
	symbols_modules_loader_deinit(&loader.modules);
	if (err)
		symbols_deinit(symbols);
	return err;
}
