// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Errors of a query: on the list, in errno and as text; nothing is printed. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "tests/unit/fake_source.h"

static void test_sentences(void **state)
{
	static const char *const sentences[] = {
		"Unknown error",    "Cannot allocate memory",
		"Version mismatch", "Permission denied",
		"Too many CPUs",    "Data format error",
		"KVM error",	    "KVM unable to find symbol",
		"KVM short read",   "Unknown error",
	};

	(void)state;
	for (int error = 0; error < 10; error++)
		assert_string_equal(memstat_strerror(error), sentences[error]);
	assert_string_equal(memstat_strerror(-1), "Unknown error");
	assert_string_equal(memstat_strerror(INT32_MAX), "Unknown error");
	assert_string_equal(memstat_strerror(INT32_MIN), "Unknown error");
}

static void test_before(void **state)
{
	assert_int_equal(memstat_mtl_geterror(*state), MEMSTAT_ERROR_UNDEFINED);
	assert_string_equal(memstat_mtl_errortext(*state), "");
	assert_int_equal(memstat_mtl_lost(*state, ALLOCATOR_ANY), 0);
	assert_int_equal(memstat_mtl_geterror(NULL), MEMSTAT_ERROR_UNDEFINED);
	assert_string_equal(memstat_mtl_errortext(NULL), "");
	assert_int_equal(memstat_mtl_lost(NULL, ALLOCATOR_ANY), 0);
}

static void test_no_list(void **state)
{
	struct fake fake = { .count = 0 };

	(void)state;
	errno = 0;
	assert_int_equal(fake_query(NULL, QUERY_ALL, &fake), -1);
	assert_int_equal(errno, EINVAL);
	errno = 0;
	assert_int_equal(query_flags(NULL, 1, QUERY_ALL, fake_read, &fake), -1);
	assert_int_equal(errno, EINVAL);
}

static void test_flags(void **state)
{
	struct source_type type = fake_type(ALLOCATOR_UMA, "a", 1, 0);
	struct fake fake = { .types = &type, .count = 1 };

	errno = 0;
	assert_int_equal(query_flags(*state, 1, QUERY_ALL, fake_read, &fake), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(memstat_mtl_geterror(*state), MEMSTAT_ERROR_DATAERROR);
	assert_non_null(strstr(memstat_mtl_errortext(*state), "0x1"));
	assert_null(memstat_mtl_first(*state));
	assert_int_equal(query_flags(*state, INT32_MIN, QUERY_ALL, fake_read, &fake), -1);
	assert_int_equal(query_flags(*state, 0, QUERY_ALL, fake_read, &fake), 0);
	assert_non_null(memstat_mtl_first(*state));
}

/* Each errno, with a message and without. */
static void test_kinds(void **state)
{
	static const struct {
		int err, error;
	} kinds[] = {
		{ ENOMEM, MEMSTAT_ERROR_NOMEMORY },   { EACCES, MEMSTAT_ERROR_PERMISSION },
		{ EPERM, MEMSTAT_ERROR_PERMISSION },  { EPROTONOSUPPORT, MEMSTAT_ERROR_VERSION },
		{ EBADMSG, MEMSTAT_ERROR_DATAERROR }, { ENOENT, MEMSTAT_ERROR_DATAERROR },
		{ EINVAL, MEMSTAT_ERROR_DATAERROR },  { EIO, MEMSTAT_ERROR_DATAERROR },
	};
	char expected[200];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct fake fake = { .err = kinds[i].err, .errmsg = "the source" };

		errno = 0;
		assert_int_equal(fake_query(*state, QUERY_ALL, &fake), -1);
		assert_int_equal(errno, kinds[i].err);
		assert_int_equal(memstat_mtl_geterror(*state), kinds[i].error);
		snprintf(expected, sizeof(expected), "the source: %s", strerror(kinds[i].err));
		assert_string_equal(memstat_mtl_errortext(*state), expected);

		fake.errmsg = NULL;
		errno = 0;
		assert_int_equal(fake_query(*state, QUERY_ALL, &fake), -1);
		assert_int_equal(errno, kinds[i].err);
		assert_int_equal(memstat_mtl_geterror(*state), kinds[i].error);
		assert_true(strlen(memstat_mtl_errortext(*state)) > 0);
		assert_string_not_equal(memstat_mtl_errortext(*state), expected);
	}
}

static int fails_by_name(struct update *update, void *handle)
{
	const int *error = handle;

	update_fail(update, *error, ENXIO, "first");
	return update_fail(update, MEMSTAT_ERROR_KVM, ENOMEM, "second");
}

static void test_named_kind(void **state)
{
	int error = MEMSTAT_ERROR_KVM_NOSYMBOL;

	assert_int_equal(query(*state, QUERY_ALL, fails_by_name, &error), -1);
	assert_int_equal(errno, ENXIO);
	assert_int_equal(memstat_mtl_geterror(*state), MEMSTAT_ERROR_KVM_NOSYMBOL);
	assert_string_equal(memstat_mtl_errortext(*state), "first");
}

static void test_stays(void **state)
{
	struct source_type type = fake_type(ALLOCATOR_UMA, "a", 1, 0);
	struct fake bad = { .err = EACCES, .errmsg = "closed" };
	struct fake good = { .types = &type, .count = 1 };

	assert_int_equal(fake_query(*state, QUERY_ALL, &bad), -1);
	errno = 12345;
	assert_int_equal(fake_query(*state, QUERY_ALL, &good), 0);
	assert_int_equal(errno, 12345);
	assert_int_equal(memstat_mtl_geterror(*state), MEMSTAT_ERROR_PERMISSION);
	assert_non_null(strstr(memstat_mtl_errortext(*state), "closed"));
	bad = (struct fake){ .err = ENOENT, .errmsg = "away" };
	assert_int_equal(fake_query(*state, QUERY_ALL, &bad), -1);
	assert_int_equal(memstat_mtl_geterror(*state), MEMSTAT_ERROR_DATAERROR);
	assert_null(strstr(memstat_mtl_errortext(*state), "closed"));
}

/* A cut source is shown up to the cut, and the query fails. */
static void test_cut_source(void **state)
{
	struct source_type type = fake_type(ALLOCATOR_UMA, "a", 3, 1);
	struct fake fake = {
		.types = &type, .count = 1, .cut = true, .lost = 9, .errmsg = "cut after 2 packets"
	};

	errno = 0;
	assert_int_equal(fake_query(*state, QUERY_UMA, &fake), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(memstat_mtl_geterror(*state), MEMSTAT_ERROR_KVM_SHORTREAD);
	assert_string_equal(memstat_mtl_errortext(*state), "cut after 2 packets");
	assert_int_equal(memstat_get_count(memstat_mtl_first(*state)), 2);
	assert_int_equal(memstat_mtl_lost(*state, ALLOCATOR_UMA), 9);
}

/* An error after a cut replaces the error of the cut. */
static void test_cut_and_failed(void **state)
{
	struct source_type type = fake_type(ALLOCATOR_UMA, "a", 3, 1);
	struct fake fake = { .types = &type,
			     .count = 1,
			     .cut = true,
			     .errmsg = "x",
			     .err = ENOMEM,
			     .fail_after = 1 };

	assert_int_equal(fake_query(*state, QUERY_UMA, &fake), -1);
	assert_int_equal(memstat_mtl_geterror(*state), MEMSTAT_ERROR_NOMEMORY);
	assert_memory_equal(memstat_mtl_errortext(*state), "x: ", 3);
	fake.errmsg = NULL;
	fake.err = EACCES;
	assert_int_equal(fake_query(*state, QUERY_UMA, &fake), -1);
	assert_int_equal(errno, EACCES);
	assert_int_equal(memstat_mtl_geterror(*state), MEMSTAT_ERROR_PERMISSION);
	assert_string_equal(memstat_mtl_errortext(*state), strerror(EACCES));
	assert_null(memstat_mtl_first(*state));
}

static void test_lost(void **state)
{
	struct fake fake = { .lost = 5 };

	assert_int_equal(fake_query(*state, QUERY_MALLOC, &fake), 0);
	fake.lost = 2;
	assert_int_equal(fake_query(*state, QUERY_UMA, &fake), 0);
	assert_int_equal(memstat_mtl_lost(*state, ALLOCATOR_MALLOC), 5);
	assert_int_equal(memstat_mtl_lost(*state, ALLOCATOR_UMA), 2);
	assert_int_equal(memstat_mtl_lost(*state, ALLOCATOR_ANY), 5);
	assert_int_equal(memstat_mtl_lost(*state, ALLOCATOR_UNKNOWN), 0);
	assert_int_equal(memstat_mtl_lost(*state, 7), 0);
	fake = (struct fake){ .lost = 77, .err = EACCES };
	assert_int_equal(fake_query(*state, QUERY_ALL, &fake), -1);
	assert_int_equal(memstat_mtl_lost(*state, ALLOCATOR_ANY), 5);
	fake = (struct fake){ .lost = MEMSTAT_LOST_UNKNOWN };
	assert_int_equal(fake_query(*state, QUERY_UMA, &fake), 0);
	assert_true(memstat_mtl_lost(*state, ALLOCATOR_ANY) == MEMSTAT_LOST_UNKNOWN);
	fake.lost = 0;
	assert_int_equal(fake_query(*state, QUERY_ALL, &fake), 0);
	assert_int_equal(memstat_mtl_lost(*state, ALLOCATOR_ANY), 0);
}

/* The errors above again: nothing is printed on either output. */
static void test_silent(void **state)
{
	FILE *heard = tmpfile();
	int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);

	assert_non_null(heard);
	fflush(NULL);
	dup2(fileno(heard), STDOUT_FILENO);
	dup2(fileno(heard), STDERR_FILENO);
	test_sentences(state);
	test_no_list(state);
	test_kinds(state);
	test_stays(state);
	test_cut_source(state);
	fflush(NULL);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	close(out);
	close(err);
	assert_int_equal(lseek(fileno(heard), 0, SEEK_END), 0);
	fclose(heard);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sentences),
		cmocka_unit_test_setup_teardown(test_before, fake_list_set_up, fake_list_tear_down),
		cmocka_unit_test(test_no_list),
		cmocka_unit_test_setup_teardown(test_flags, fake_list_set_up, fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_kinds, fake_list_set_up, fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_named_kind, fake_list_set_up,
						fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_stays, fake_list_set_up, fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_cut_source, fake_list_set_up,
						fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_cut_and_failed, fake_list_set_up,
						fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_lost, fake_list_set_up, fake_list_tear_down),
		cmocka_unit_test_setup_teardown(test_silent, fake_list_set_up, fake_list_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
