// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Symbol tables with libelf, which may not withstand each file: the caller is a confined process.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>

#include "kernel/user_symbols.h"
#include "tracer/host/elf_names.h"

#define BUILD_ID_MAX 20 /* bytes, as the kernel takes */
#define NAME_MAX_BYTES 1024

struct build_id {
	char text[2 * BUILD_ID_MAX + 1]; /* "": none */
};

/* The best symbol at an address so far. */
struct best_symbol {
	GElf_Sym symbol;
	const char *name; /* NULL: none */
};

static void take_notes(Elf_Data *data, struct build_id *id)
{
	size_t next, name, content, at = 0;
	GElf_Nhdr note;

	while (data && (next = gelf_getnote(data, at, &note, &name, &content)) > 0) {
		const unsigned char *bytes = (const unsigned char *)data->d_buf + content;

		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp((const char *)data->d_buf + name, "GNU", sizeof("GNU"))) {
			for (size_t i = 0; i < note.n_descsz && i < BUILD_ID_MAX; i++)
				snprintf(id->text + 2 * i, 3, "%02x", bytes[i]);
			return;
		}
		at = next;
	}
}

static void find_build_id(Elf *elf, struct build_id *id)
{
	size_t count = 0;
	GElf_Phdr header;

	*id->text = '\0';
	if (elf_getphdrnum(elf, &count))
		return;
	for (size_t i = 0; i < count && !*id->text; i++)
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_NOTE)
			take_notes(elf_getdata_rawchunk(
					   elf, (int64_t)header.p_offset, header.p_filesz,
					   header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR),
				   id);
}

/* The address of an offset in the file, before relocation. */
static bool find_address(Elf *elf, uint64_t offset, uint64_t *address)
{
	size_t count = 0;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    offset < header.p_offset || offset - header.p_offset >= header.p_filesz ||
		    !(header.p_flags & PF_X))
			continue;
		*address = offset - header.p_offset + header.p_vaddr;
		return true;
	}
	return false;
}

static unsigned int count_underscores(const char *name)
{
	return (unsigned int)strspn(name, "_");
}

/* The innermost symbol; of aliases that with fewer underscores, then a global one. */
static bool is_better(const GElf_Sym *symbol, const char *name, const struct best_symbol *best)
{
	bool global = GELF_ST_BIND(symbol->st_info) == STB_GLOBAL;

	if (!best->name)
		return true;
	if (symbol->st_value != best->symbol.st_value)
		return symbol->st_value > best->symbol.st_value;
	if (count_underscores(name) != count_underscores(best->name))
		return count_underscores(name) < count_underscores(best->name);
	if (global != (GELF_ST_BIND(best->symbol.st_info) == STB_GLOBAL))
		return global;
	return strcmp(name, best->name) < 0;
}

static void search_section(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, uint64_t address,
			   struct best_symbol *best)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
	GElf_Sym symbol;

	for (size_t i = 0; i < count && i < INT_MAX; i++) {
		const char *name;
		int type;

		if (!gelf_getsym(data, (int)i, &symbol))
			return;
		type = GELF_ST_TYPE(symbol.st_info);
		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF ||
		    address < symbol.st_value || address - symbol.st_value >= symbol.st_size)
			continue;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (name && *name && is_better(&symbol, name, best))
			*best = (struct best_symbol){ symbol, name };
	}
}

static bool has_section(Elf *elf, GElf_Word type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == type)
			return true;
	return false;
}

static void search_symbols(Elf *elf, uint64_t address, struct best_symbol *best)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (elf && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			search_section(elf, section, &header, address, best);
}

/* NULL: there is none, or it is of another file. */
static Elf *open_debug_file(const char *debug, const struct build_id *id, int *fd)
{
	struct build_id found;
	char path[PATH_MAX];
	Elf *elf;

	if (strlen(id->text) < 4)
		return NULL;
	snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", debug, id->text, id->text + 2);
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	elf = *fd < 0 ? NULL : elf_begin(*fd, ELF_C_READ, NULL);
	if (!elf)
		return NULL;
	find_build_id(elf, &found);
	if (!strcmp(found.text, id->text))
		return elf;
	elf_end(elf);
	return NULL;
}

static int write_name(FILE *out, Elf *elf, Elf *debug, uint32_t number, uint64_t offset)
{
	struct best_symbol best = { .name = NULL };
	uint64_t address, begin;
	char name[NAME_MAX_BYTES];

	if (!find_address(elf, offset, &address))
		return 0;
	search_symbols(elf, address, &best);
	search_symbols(debug, address, &best);
	if (!best.name)
		return 0;
	snprintf(name, sizeof(name), "%s", best.name);
	name[strcspn(name, "@")] = '\0'; /* a version */
	begin = offset - (address - best.symbol.st_value);
	return user_function_write(out, number, begin, begin + best.symbol.st_size, name);
}

int elf_names_write(FILE *out, int fd, const char *build_id, const char *debug, uint32_t number,
		    const uint64_t *offsets, size_t count)
{
	int err = 0, debug_fd = -1;
	struct build_id id;
	Elf *elf, *stripped = NULL;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		return -ENOENT;
	find_build_id(elf, &id);
	if (elf_kind(elf) != ELF_K_ELF || (strcmp(build_id, "-") && strcmp(build_id, id.text)))
		err = -ENOENT;
	if (!err && !has_section(elf, SHT_SYMTAB))
		stripped = open_debug_file(debug, &id, &debug_fd);
	for (size_t i = 0; i < count && !err; i++)
		err = write_name(out, elf, stripped, number, offsets[i]);
	if (stripped)
		elf_end(stripped);
	if (debug_fd >= 0)
		close(debug_fd);
	elf_end(elf);
	return err;
}
