// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A store of SQLite that two programs write to: a load remembers no id of a run that another
 * program drops between two of its transactions.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "fleet/store.h"

#define DAY (24 * 3600 * UINT64_C(1000000000))

static void put_host(struct store *store, const char *name, uint64_t number)
{
	char kernel[] = "6.1.0", arch[] = "x86_64", role[] = "web", boot[] = "boot";
	char *host = strdup(name);
	const struct summary_source source = { host, boot, DAY, number, number };
	const struct summary_host facts = { kernel, arch, role, 1, 1 << 20, 0, 0 };
	struct summary summary;

	assert_int_equal(summary_init(&summary), 0);
	assert_int_equal(summary_add_source(&summary, &source), 0);
	assert_int_equal(summary_set_host(&summary, &facts), 0);
	summary.begin = (number + 1) * DAY;
	summary.end = summary.live_at = summary.begin + DAY / 2;
	assert_int_equal(store->ops->begin(store), 0);
	assert_int_equal(store->ops->put(store, &summary), 1);
	assert_int_equal(store->ops->commit(store), 0);
	summary_deinit(&summary);
	free(host);
}

static int add_text(void *data, const struct store_row *row)
{
	char *text = data;

	strcat(text, store_text(row, 0));
	strcat(text, " ");
	return 0;
}

static void test_forgets_ids(void **state)
{
	char path[] = "/tmp/test_fleet_store-XXXXXX", hosts[200] = "";
	const struct store_reader reader = { .row = add_text, .data = hosts };
	const struct store_settings settings = { 0 };
	struct store load, other;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	if (store_open(&load, path, STORE_WRITE, &settings) == -EOPNOTSUPP) {
		unlink(path);
		skip();
	}
	assert_int_equal(store_open(&other, path, STORE_WRITE, &settings), 0);
	put_host(&load, "first", 0);
	assert_int_equal(other.ops->drop(&other, 10 * DAY), 0);
	put_host(&other, "second", 20);
	put_host(&load, "first", 30);
	assert_int_equal(
		load.ops->query(&load, "SELECT host FROM intervals ORDER BY host", &reader), 0);
	assert_string_equal(hosts, "first second ");
	store_close(&load);
	store_close(&other);
	unlink(path);
}

static void test_refuses_numbers(void **state)
{
	static const char *const wrong[] = { "-inf", "-nan", "inf", "1e999", "+1", " 1", "1 ", "" };
	const struct store_reader reader = { .rest = "d" };
	const char *names[] = { "share" }, *texts[1] = { "-1.5e3" };
	const struct store_row row = { .count = 1, .names = names, .texts = texts };
	struct store store = { 0 };

	(void)state;
	assert_int_equal(store_check_row(&store, "server", &reader, &row), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		texts[0] = wrong[i];
		assert_int_equal(store_check_row(&store, "server", &reader, &row), -EPROTO);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refuses_numbers),
		cmocka_unit_test(test_forgets_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
