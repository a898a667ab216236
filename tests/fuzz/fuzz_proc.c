// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Files of /proc that kmemtraced reads: the mappings of processes, whose paths any user chooses,
 * symbols, modules, cgroups and mounts. The linker puts files of the target in their place.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "tests/fuzz/fuzz.h"
#include "tracer/host/kallsyms.h"
#include "tracer/host/module_list.h"
#include "tracer/host/process_maps.h"
#include "tracer/load/cgroup_hierarchy.h"

#define FILE_NAME "proc"

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);

static bool is_replaced;

FILE *__wrap_fopen(const char *path, const char *mode)
{
	return __real_fopen(is_replaced && !strncmp(path, "/proc/", strlen("/proc/"))
				    ? fuzz_path(FILE_NAME)
				    : path,
			    mode);
}

/* There is one process, 1. */
DIR *__wrap_opendir(const char *path)
{
	return __real_opendir(is_replaced && !strcmp(path, "/proc") ? fuzz_path("processes")
								    : path);
}

static void read_maps(uint64_t address)
{
	struct process_maps maps;
	const struct mapping *mapping;

	fuzz_empty("processes");
	fuzz_make("processes/1");
	FUZZ_EXPECT(!process_maps_init(&maps));
	is_replaced = true;
	FUZZ_EXPECT(!process_maps_read(&maps));
	is_replaced = false;
	mapping = process_maps_find(&maps, 1, address);
	FUZZ_EXPECT(!mapping || (mapping->begin <= address && address < mapping->end));
	FUZZ_EXPECT(!process_maps_fork(&maps, 2, 1) && !process_maps_fork(&maps, 2, 2));
	process_maps_exec(&maps, 1);
	mapping = process_maps_find_before(&maps, 1, address);
	FUZZ_EXPECT(!mapping || (mapping->begin <= address && address < mapping->end));
	FUZZ_EXPECT(!process_maps_find(&maps, 1, address));
	process_maps_exit(&maps, 1);
	process_maps_deinit(&maps);
}

static void read_symbols(void)
{
	gzFile file = gzopen(fuzz_path("symbols"), "wb1");
	off_t modules_at;

	FUZZ_EXPECT(file);
	is_replaced = true;
	FUZZ_EXPECT(kallsyms_copy(file, &modules_at) <= 0);
	is_replaced = false;
	gzclose(file);
}

static void read_modules(const char *text)
{
	struct module_list modules = { 0 }, now = { 0 };
	gzFile file = gzopen(fuzz_path("symbols"), "wb1");
	bool changed;

	FUZZ_EXPECT(file && !module_list_parse(&modules, text));
	FUZZ_EXPECT(!module_list_parse(&now, text + strlen(text) / 2));
	for (size_t i = 0; i < now.count && i < 20; i++)
		FUZZ_EXPECT(!module_list_load(&modules, &now.list[i]));
	FUZZ_EXPECT(!module_list_lose(&modules, &now));
	FUZZ_EXPECT(!module_list_sync(&modules, &now, &changed));
	for (size_t i = 0; i < now.count && i < 20; i++)
		FUZZ_EXPECT(module_list_find(&modules, now.list[i].name) || now.list[i].init);
	FUZZ_EXPECT(!module_list_write(&modules, file));
	gzclose(file);
	module_list_deinit(&modules);
	module_list_deinit(&now);
}

/* One text is /proc/PID/cgroup and /proc/self/mountinfo. */
static void read_cgroups(uint32_t number)
{
	struct cgroup_hierarchy hierarchy, other = { .exists = true, .number = number };
	char path[CGROUP_PATH_MAX];
	int fd;

	is_replaced = true;
	hierarchy = cgroup_hierarchy_find();
	FUZZ_EXPECT(hierarchy.exists || !hierarchy.number);
	if (cgroup_hierarchy_path(&other, "/proc/1/cgroup", path))
		FUZZ_EXPECT(*path == '/' && strlen(path) < sizeof(path) && !strchr(path, '\n'));
	fd = cgroup_hierarchy_open(&other);
	is_replaced = false;
	if (fd >= 0)
		close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	unsigned int how = fuzz_byte(&input);
	uint64_t address = fuzz_number(&input);
	char *text;

	fuzz_write(FILE_NAME, input.at, input.left);
	if (how % 4 == 0) {
		read_symbols();
	} else if (how % 4 == 1) {
		text = fuzz_text(&input);
		read_modules(text);
		free(text);
	} else if (how % 4 == 3) {
		read_cgroups((uint32_t)address);
	} else {
		read_maps(address);
	}
	return 0;
}
