// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Addresses of stores, passwords in files, and summaries as rows of the tables. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fleet/clickhouse/credentials.h"
#include "fleet/clickhouse/rows.h"
#include "fleet/clickhouse/url.h"
#include "tests/unit/unit.h"

static void addresses_have_servers_and_a_database(void **state)
{
	struct clickhouse_url url;

	(void)state;
	assert_int_equal(clickhouse_url_parse(&url, "clickhouse://db1,db2:81,[::1]:9/fleet_1"), 0);
	assert_false(url.tls);
	assert_int_equal(url.server_count, 3);
	assert_string_equal(url.servers[0], "db1:8123");
	assert_string_equal(url.servers[1], "db2:81");
	assert_string_equal(url.servers[2], "[::1]:9");
	assert_string_equal(url.database, "fleet_1");
	clickhouse_url_deinit(&url);
	assert_int_equal(clickhouse_url_parse(&url, "clickhouses://[::1]/f"), 0);
	assert_true(url.tls);
	assert_string_equal(url.servers[0], "[::1]:8443");
	clickhouse_url_deinit(&url);
}

static void refuses_wrong_addresses_without_repeating_them(void **state)
{
	static const char *const texts[] = {
		"",
		"http://a/b",
		"clickhouse:/a/b",
		"clickhouse://",
		"clickhouse:///b",
		"clickhouse://a",
		"clickhouse://a/",
		"clickhouse://a,/b",
		"clickhouse://,a/b",
		"clickhouse://a:/b",
		"clickhouse://a:0/b",
		"clickhouse://a:65536/b",
		"clickhouse://a:1x/b",
		"clickhouse://a b/c",
		"clickhouse://-a/b",
		"clickhouse://[::1/b",
		"clickhouse://a?/b",
		"clickhouse://a/b/c",
		"clickhouse://a/b.c",
		"clickhouse://a/1b",
		"clickhouse://a/b?x=y",
		"clickhouse://user:secret@a/b",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct clickhouse_url url;

		if (clickhouse_url_parse(&url, texts[i]) != -EINVAL)
			fail_msg("\"%s\" is accepted", texts[i]);
		assert_non_null(strstr(url.error.text, ", as in clickhouse://"));
		assert_null(strstr(url.error.text, "secret"));
		clickhouse_url_deinit(&url);
	}
}

/* A store of several servers is right only as long as no version changes this. */
static void a_host_stays_on_its_server(void **state)
{
	size_t hosts[4] = { 0 };
	struct clickhouse_url url;

	(void)state;
	assert_int_equal(clickhouse_url_parse(&url, "clickhouse://a,b,c,d/e"), 0);
	assert_int_equal(clickhouse_url_server(&url, "web1"), 2);
	assert_int_equal(clickhouse_url_server(&url, "web2"), 3);
	for (int i = 0; i < 1000; i++) {
		char host[16];

		snprintf(host, sizeof(host), "host%d", i);
		hosts[clickhouse_url_server(&url, host)]++;
	}
	for (size_t i = 0; i < 4; i++)
		assert_in_range(hosts[i], 200, 300);
	clickhouse_url_deinit(&url);
}

static int load_credentials(struct clickhouse_credentials *credentials, const char *text,
			    mode_t mode)
{
	char path[] = "/tmp/kmemtrace-credentials-XXXXXX";
	int fd = mkstemp(path), err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
	err = clickhouse_credentials_load(credentials, path);
	unlink(path);
	return err;
}

static void passwords_come_from_files_of_their_owner(void **state)
{
	struct clickhouse_credentials credentials;

	(void)state;
	assert_int_equal(
		load_credentials(&credentials, "# comment\nuser me\npassword  a b\n", 0600), 0);
	assert_string_equal(credentials.user, "me");
	assert_string_equal(credentials.password, " a b");
	clickhouse_credentials_deinit(&credentials);
	assert_int_equal(load_credentials(&credentials, "password secret\n", 0640), -EACCES);
	assert_null(credentials.password);
	assert_int_equal(load_credentials(&credentials, "password secret\n", 0602), -EACCES);
	assert_int_equal(load_credentials(&credentials, "secret\n", 0600), -EINVAL);
	assert_null(strstr(credentials.error.text, "secret"));
	clickhouse_credentials_deinit(&credentials);
	/* a line break would begin another header */
	assert_int_equal(load_credentials(&credentials, "password secret\rX: y\n", 0600), -EINVAL);
	assert_null(strstr(credentials.error.text, "secret"));
	clickhouse_credentials_deinit(&credentials);
}

static void rows_escape_names(void **state)
{
	const char *const names[SUMMARY_NAMES] = { "a\tb\nc\\d", "m", "k" };
	char host[] = "h", boot[] = "b", kernel[] = "6.1", arch[] = "x", role[] = "";
	const struct summary_source source = { host, boot, 7, 3, 3 };
	const struct summary_host facts = { kernel, arch, role, 2, 100, 10, 20 };
	struct clickhouse_rows rows;
	struct summary summary;

	(void)state;
	assert_int_equal(summary_init(&summary), 0);
	assert_int_equal(summary_add_source(&summary, &source), 0);
	assert_int_equal(summary_set_host(&summary, &facts), 0);
	summary.begin = 5;
	summary.end = 60;
	summary.missing.names_lost = true;
	summary_get_row(&summary, SUMMARY_CODE, names)->counts.allocations = 9;
	assert_int_equal(clickhouse_rows_init(&rows), 0);
	assert_int_equal(clickhouse_rows_add(&rows, &summary), 0);
	assert_string_equal(
		rows.interval_text,
		"h\tb\t7\t3\t5\t60\t6.1\tx\t\t2\t100\t10\t20\t0\t0\t0\t0\t0\t0\t0\t0\t1\n");
	assert_string_equal(
		rows.figure_text,
		"h\tb\t7\t3\t60\t6.1\t\tcode\ta\\tb\\nc\\\\d\tm\tk\t9\t0\t0\t0\t0\t0\t0\t"
		"0\t0\t0\t0\n");
	assert_int_equal(rows.rows, 2);
	clickhouse_rows_deinit(&rows);
	summary_deinit(&summary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_have_servers_and_a_database),
		cmocka_unit_test(refuses_wrong_addresses_without_repeating_them),
		cmocka_unit_test(a_host_stays_on_its_server),
		cmocka_unit_test(passwords_come_from_files_of_their_owner),
		cmocka_unit_test(rows_escape_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
