// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From an address in a process to the name of its function: mappings over time, and ELF files. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/user_symbols.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"
#include "tracer/host/elf_names.h"
#include "tracer/host/process_maps.h"

static void add_mapping_of(struct process_maps *maps, uint32_t pid, uint64_t begin, uint64_t end,
			   const char *path)
{
	struct mapping mapping = { .begin = begin, .end = end };

	if (path)
		assert_int_equal(process_maps_file(maps, "-", 1, path, &mapping.file), 0);
	assert_int_equal(process_maps_add(maps, pid, &mapping), 0);
}

/* The path of the file that is mapped there; "": none, but code; NULL: no code. */
static const char *path_at(const struct process_maps *maps, uint32_t pid, uint64_t address)
{
	const struct mapping *mapping = process_maps_find(maps, pid, address);

	if (!mapping || !mapping->file)
		return mapping ? "" : NULL;
	return strchr(texts_get(&maps->files, mapping->file), '/');
}

static void mappings_change_with_time(void **state)
{
	struct process_maps maps;

	(void)state;
	assert_int_equal(process_maps_init(&maps), 0);
	add_mapping_of(&maps, 7, 0x1000, 0x5000, "/one");
	assert_null(path_at(&maps, 7, 0xfff));
	assert_string_equal(path_at(&maps, 7, 0x1000), "/one");
	assert_null(path_at(&maps, 7, 0x5000));
	assert_null(path_at(&maps, 8, 0x1000));
	/* a later mapping covers a part; one that it covers is forgotten */
	add_mapping_of(&maps, 7, 0x2000, 0x3000, "/two");
	add_mapping_of(&maps, 7, 0x2000, 0x3000, NULL);
	assert_string_equal(path_at(&maps, 7, 0x1fff), "/one");
	assert_string_equal(path_at(&maps, 7, 0x2000), "");
	assert_string_equal(path_at(&maps, 7, 0x3000), "/one");
	/* a child has the mappings of its parent, until it executes another program */
	assert_int_equal(process_maps_fork(&maps, 8, 7), 0);
	add_mapping_of(&maps, 8, 0x8000, 0x9000, "/three");
	assert_null(path_at(&maps, 7, 0x8000));
	assert_string_equal(path_at(&maps, 8, 0x1000), "/one");
	process_maps_exec(&maps, 8);
	assert_null(path_at(&maps, 8, 0x1000));
	assert_non_null(process_maps_find_before(&maps, 8, 0x1000));
	assert_null(process_maps_find_before(&maps, 8, 0x9000));
	assert_string_equal(path_at(&maps, 7, 0x1000), "/one");
	process_maps_deinit(&maps);
}

/* Each address has the offset of the last mapping that was added there. */
static void later_mappings_cover_earlier_ones(void **state)
{
	uint64_t expected[64] = { 0 }, number = 1;
	struct process_maps maps;

	(void)state;
	assert_int_equal(process_maps_init(&maps), 0);
	for (uint32_t round = 0; round < 2000; round++, number = number * 25214903917 + 11) {
		uint64_t begin = number >> 20 & 63, size = 1 + (number >> 30) % 9;
		struct mapping mapping = { .begin = begin,
					   .end = begin + size < 64 ? begin + size : 64,
					   .offset = (uint64_t)(round + 1) << 8 };

		assert_int_equal(process_maps_add(&maps, 1, &mapping), 0);
		for (uint64_t i = mapping.begin; i < mapping.end; i++)
			expected[i] = mapping.offset + i - begin;
		for (uint64_t i = 0; i < 64; i++) {
			const struct mapping *found = process_maps_find(&maps, 1, i);

			assert_true(found ? expected[i] == found->offset + i - found->begin
					  : !expected[i]);
		}
	}
	process_maps_deinit(&maps);
}

static void mappings_of_a_process_are_limited(void **state)
{
	struct process_maps maps;

	(void)state;
	assert_int_equal(process_maps_init(&maps), 0);
	for (uint64_t i = 0; i < 3 * PROCESS_MAPS_MAX; i++)
		add_mapping_of(&maps, 7, i * 0x2000, i * 0x2000 + 0x1000, "/one");
	assert_int_equal(maps.list[0].count, PROCESS_MAPS_MAX);
	assert_int_equal(maps.lost, 2 * PROCESS_MAPS_MAX);
	assert_string_equal(path_at(&maps, 7, (PROCESS_MAPS_MAX - 1) * 0x2000), "/one");
	assert_null(path_at(&maps, 7, PROCESS_MAPS_MAX * 0x2000));
	/* in the place of another one; an address has no file rather than an earlier one */
	add_mapping_of(&maps, 7, 0, 0x1000, "/two");
	assert_string_equal(path_at(&maps, 7, 0), "/two");
	add_mapping_of(&maps, 7, 0x100, 0x200, "/three");
	assert_string_equal(path_at(&maps, 7, 0xff), "/two");
	assert_null(path_at(&maps, 7, 0x100));
	assert_int_equal(maps.lost, 2 * PROCESS_MAPS_MAX + 2);
	add_mapping_of(&maps, 8, 0, 0x1000, "/one");
	assert_string_equal(path_at(&maps, 8, 0), "/one");
	process_maps_deinit(&maps);
}

static void texts_of_files_are_limited(void **state)
{
	struct process_maps maps;
	char path[4000];
	uint32_t file, first;

	(void)state;
	assert_int_equal(process_maps_init(&maps), 0);
	memset(path, 'a', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(process_maps_file(&maps, "-", 0, path, &first), 0);
	for (uint64_t i = 1; i <= PROCESS_MAPS_FILE_BYTES / sizeof(path); i++)
		assert_int_equal(process_maps_file(&maps, "-", i, path, &file), 0);
	assert_int_equal(file, 0);
	assert_true(maps.lost);
	assert_in_range(maps.files.count, 16000, PROCESS_MAPS_FILE_BYTES / sizeof(path));
	assert_int_equal(process_maps_file(&maps, "-", 0, path, &file), 0);
	assert_int_equal(file, first);
	process_maps_deinit(&maps);
}

static void ended_processes_are_kept_for_a_while(void **state)
{
	struct process_maps maps;

	(void)state;
	assert_int_equal(process_maps_init(&maps), 0);
	for (uint32_t pid = 1; pid <= PROCESS_MAPS_ENDED + 2; pid++) {
		add_mapping_of(&maps, pid, 0x1000, 0x2000, "/one");
		process_maps_exit(&maps, pid);
		/* its id belongs to another process now */
		if (pid == 2) {
			assert_int_equal(process_maps_fork(&maps, 2, 1), 0);
			assert_string_equal(path_at(&maps, 2, 0x1000), "/one");
		}
	}
	assert_null(path_at(&maps, 1, 0x1000));
	assert_string_equal(path_at(&maps, 2, 0x1000), "/one");
	assert_string_equal(path_at(&maps, 3, 0x1000), "/one");
	assert_string_equal(path_at(&maps, PROCESS_MAPS_ENDED + 2, 0x1000), "/one");
	process_maps_deinit(&maps);
}

/* The label of an offset in a file with this build id, by the first size bytes of the file. */
static char *name_of(const char *path, size_t size, const char *build_id, uint64_t offset)
{
	int file = open(path, O_RDONLY | O_CLOEXEC), copy = memfd_create("copy", MFD_CLOEXEC);
	const struct user_frame frame = { 3, offset };
	struct user_symbols symbols;
	char *text = NULL, *label;
	size_t text_size;
	FILE *out = open_memstream(&text, &text_size);
	int err;

	assert_true(file >= 0 && copy >= 0 && out);
	while (size) {
		char buffer[65536];
		ssize_t got = read(file, buffer, size < sizeof(buffer) ? size : sizeof(buffer));

		if (got <= 0)
			break;
		assert_int_equal(write(copy, buffer, (size_t)got), got);
		size -= (size_t)got;
	}
	err = elf_names_write(out, copy, build_id, "debug", 3, &offset, 1);
	fclose(out);
	close(copy);
	close(file);
	assert_true(!err || err == -ENOENT);
	assert_int_equal(user_symbols_parse(&symbols, err ? "" : text), 0);
	label = user_symbols_label(&symbols, &frame);
	user_symbols_deinit(&symbols);
	free(text);
	return label;
}

static void own_functions_have_names(void **state)
{
	uint64_t address = (uint64_t)(uintptr_t)name_of;
	const struct mapping *mapping;
	struct process_maps maps;
	char *label, path[4096];
	uint64_t offset;
	ssize_t length;

	(void)state;
	assert_int_equal(process_maps_init(&maps), 0);
	assert_int_equal(process_maps_read(&maps), 0);
	mapping = process_maps_find(&maps, (uint32_t)getpid(), address);
	assert_non_null(mapping);
	length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	assert_true(length > 0);
	path[length] = '\0';
	assert_string_equal(path_at(&maps, (uint32_t)getpid(), address), path);
	offset = address - mapping->begin + mapping->offset;
	label = name_of(path, SIZE_MAX, "-", offset + 1);
	assert_string_equal(label, "name_of");
	free(label);
	/* another file, or a part of it: no name, and no crash */
	label = name_of(path, SIZE_MAX, "0123456789abcdef", offset);
	assert_string_not_equal(label, "name_of");
	free(label);
	for (size_t size = 0; size < 3000; size += 37) {
		label = name_of(path, size, "-", offset);
		assert_string_not_equal(label, "name_of");
		free(label);
	}
	process_maps_deinit(&maps);
}

/* A program without symbols is named by the file of its build id below debug. */
static void stripped_files_have_debug_files(void **state)
{
	static const char make_files[] =
		"id=$(readelf -n /proc/$PPID/exe | sed -n 's/.*Build ID: //p') && [ \"$id\" ] &&"
		"strip -o stripped /proc/$PPID/exe && mkdir -p debug/.build-id/${id%${id#??}} &&"
		"objcopy --only-keep-debug /proc/$PPID/exe "
		"debug/.build-id/${id%${id#??}}/${id#??}.debug";
	uint64_t address = (uint64_t)(uintptr_t)name_of;
	const struct mapping *mapping;
	struct process_maps maps;
	uint64_t offset;
	char *label, *directory = scratch_directory();

	(void)state;
	assert_int_equal(chdir(directory), 0);
	if (system(make_files)) {
		scratch_remove(directory);
		skip();
	}
	assert_int_equal(process_maps_init(&maps), 0);
	assert_int_equal(process_maps_read(&maps), 0);
	mapping = process_maps_find(&maps, (uint32_t)getpid(), address);
	assert_non_null(mapping);
	offset = address - mapping->begin + mapping->offset;
	label = name_of("stripped", SIZE_MAX, "-", offset);
	assert_string_equal(label, "name_of");
	free(label);
	assert_int_equal(rename("debug", "another"), 0);
	label = name_of("stripped", SIZE_MAX, "-", offset);
	assert_non_null(strstr(label, "0x"));
	free(label);
	process_maps_deinit(&maps);
	scratch_remove(directory);
}

/* A name or an offset of another line with the same key, or of a damaged line, is not taken. */
static void damaged_stacks_are_skipped(void **state)
{
	static const char text[] = "file 1 - /a\\x20b\n"
				   "file 0 - /zero\n"
				   "file 1 - /second\n"
				   "file x - /letter\n"
				   "function 1 10 20 first\n"
				   "function 1 10 20 second\n"
				   "function 1 30 30 empty\n"
				   "function 1 40 50\n"
				   "function 1 60 7g bad\n"
				   "frames 5 1 18 1 30 1\n"
				   "frames 5 1 30\n"
				   "frames 0 1 18\n"
				   "frames 6\n"
				   "other 1\n"
				   "frames 7 1 18"; /* not whole */
	const struct user_frames *frames;
	struct user_symbols symbols;
	char *label;

	(void)state;
	assert_int_equal(user_symbols_parse(&symbols, text), 0);
	assert_int_equal(symbols.file_count, 1);
	assert_int_equal(symbols.function_count, 1);
	assert_int_equal(symbols.stack_count, 2);
	assert_null(user_symbols_find(&symbols, 7));
	assert_int_equal(user_symbols_find(&symbols, 6)->count, 0);
	frames = user_symbols_find(&symbols, 5);
	assert_int_equal(frames->count, 2);
	label = user_symbols_label(&symbols, &symbols.frames[frames->first]);
	assert_string_equal(label, "first");
	free(label);
	label = user_symbols_label(&symbols, &symbols.frames[frames->first + 1]);
	assert_string_equal(label, "a b+0x30");
	free(label);
	user_symbols_deinit(&symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mappings_change_with_time),
		cmocka_unit_test(later_mappings_cover_earlier_ones),
		cmocka_unit_test(mappings_of_a_process_are_limited),
		cmocka_unit_test(texts_of_files_are_limited),
		cmocka_unit_test(ended_processes_are_kept_for_a_while),
		cmocka_unit_test(own_functions_have_names),
		cmocka_unit_test(stripped_files_have_debug_files),
		cmocka_unit_test(damaged_stacks_are_skipped),
	};

	return cmocka_run_group_tests_name("user_stacks", tests, NULL, NULL);
}
