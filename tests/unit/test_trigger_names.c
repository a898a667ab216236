// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names in triggers that the kernel does not have. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"
#include "tracer/triggers/trigger_state.h"

static char *folder, *slab, *slabinfo, *kallsyms;

static void write_file_text(const char *path, const char *text)
{
	scratch_write(path, text, strlen(text));
}

static void make_cache(const char *name, const char *target)
{
	char *path = scratch_path(slab, name);

	assert_int_equal(target ? symlink(target, path) : mkdir(path, 0700), 0);
	free(path);
}

static int start_names(void **state)
{
	(void)state;
	folder = scratch_directory();
	slab = scratch_path(folder, "slab");
	slabinfo = scratch_path(folder, "slabinfo");
	kallsyms = scratch_path(folder, "kallsyms");
	assert_int_equal(mkdir(slab, 0700), 0);
	make_cache(":0000192", NULL);
	make_cache("dentry", NULL);
	make_cache("filp", ":0000192");
	make_cache("cred", ":0000192");
	write_file_text(slabinfo, "slabinfo - version: 2.1\n# name <active_objs>\nfilp 5 5\n"
				  "dentry 1 1\n");
	write_file_text(kallsyms,
			"0000000000000000 T alloc_empty_file\n0000000000000000 D filp_table\n"
			"0000000000000000 t nft_new\t[nf_tables]\n");
	return 0;
}

static int stop_names(void **state)
{
	(void)state;
	free(slab);
	free(slabinfo);
	free(kallsyms);
	scratch_remove(folder);
	return 0;
}

static void assert_doubt(const char *text, const char *expected)
{
	const struct trigger_name_files files = { slab, slabinfo, kallsyms };
	struct trigger_error error;
	struct trigger trigger;
	char doubt[TRIGGER_DOUBT] = "not set";

	assert_int_equal(trigger_parse(&trigger, text, &error), 0);
	trigger_names_check(&trigger, &files, doubt);
	assert_string_equal(doubt, expected);
}

static void known_names_give_no_doubt(void **state)
{
	(void)state;
	assert_doubt("live > 1", "");
	assert_doubt("oom", "");
	assert_doubt("live(dentry) > 1", "");
	assert_doubt("live(cache:filp) > 1", "");
	assert_doubt("growth(alloc_empty_file) > 1/1s", "");
	assert_doubt("live(function:nft_new) > 1", "");
}

static void near_names_are_suggested(void **state)
{
	(void)state;
	assert_doubt("growth(dentryy) > 100M/10m",
		     "no slab cache and no function has this name now: did you mean dentry?");
	assert_doubt("live(cache:Dentri) > 1",
		     "no slab cache has this name now: did you mean dentry?");
	assert_doubt("live(function:alloc_empty_fiel) > 1",
		     "no function has this name now: did you mean alloc_empty_file?");
	assert_doubt("live(alloc_empty_fiel) > 1", "no slab cache and no function has this name "
						   "now: did you mean alloc_empty_file?");
	assert_doubt("live(filp_table) > 1",
		     "no slab cache and no function has this name now: the trigger waits until a "
		     "module brings it");
	assert_doubt("live(:0000192) > 1",
		     "no slab cache and no function has this name now: the trigger waits until a "
		     "module brings it");
}

static void merged_caches_are_named(void **state)
{
	(void)state;
	assert_doubt("live(cred) > 1", "the kernel has merged this slab cache with filp, and all "
				       "objects count there: name that one");
	/* who may not read it does not know */
	assert_int_equal(unlink(slabinfo), 0);
	assert_doubt("live(cred) > 1", "");
}

static void nothing_is_said_without_a_list(void **state)
{
	(void)state;
	assert_int_equal(unlink(kallsyms), 0);
	assert_doubt("live(dentryy) > 1", "");
	assert_doubt("live(function:x) > 1", "");
	free(slab);
	slab = scratch_path(folder, "none");
	assert_doubt("live(cache:dentryy) > 1", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(known_names_give_no_doubt, start_names, stop_names),
		cmocka_unit_test_setup_teardown(near_names_are_suggested, start_names, stop_names),
		cmocka_unit_test_setup_teardown(merged_caches_are_named, start_names, stop_names),
		cmocka_unit_test_setup_teardown(nothing_is_said_without_a_list, start_names,
						stop_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
