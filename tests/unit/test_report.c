// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Dates, each kind of cell in each format, column widths with huge numbers, hostile names, wide
 * terminals. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "base/utc.h"
#include "report/render/curve.h"
#include "report/render/render.h"

static void expect_date(uint64_t ns, const char *expected)
{
	char text[40];

	utc_text(ns, text, sizeof(text));
	assert_string_equal(text, expected);
}

static void test_dates(void **state)
{
	const uint64_t second = 1000000000;

	(void)state;
	expect_date(0, "1970-01-01T00:00:00.000000000Z");
	expect_date(951782400 * second, "2000-02-29T00:00:00.000000000Z");
	expect_date(951868800 * second - 1, "2000-02-29T23:59:59.999999999Z");
	expect_date(951868800 * second, "2000-03-01T00:00:00.000000000Z");
	expect_date(978307199 * second + 5, "2000-12-31T23:59:59.000000005Z");
	expect_date(2147483648 * second, "2038-01-19T03:14:08.000000000Z");
	expect_date(4107542400 * second, "2100-03-01T00:00:00.000000000Z");
	expect_date(UINT64_MAX, "2554-07-21T23:34:33.709551615Z");
}

static const struct column columns[] = {
	{ "name", "name", "", COLUMN_TEXT, 0, COLUMN_ALWAYS, NULL, false },
	{ "a", "a", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS, NULL, false },
	{ "b", "b", "bytes", COLUMN_NUMBER, 0, COLUMN_ALWAYS, "so many", false },
	{ "c", "c", "bytes", COLUMN_NUMBER, 0, COLUMN_ALWAYS, NULL, false },
	{ "d", "d", "bytes", COLUMN_NUMBER, 0, COLUMN_ALWAYS, NULL, false },
	{ "e", "e", "", COLUMN_NUMBER, 0, COLUMN_IN_TEXT_IF_USED, NULL, false },
};

static char *render_number(const char *name, uint64_t number)
{
	struct header header = { 0 };
	struct table table;
	struct cell *row;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	const struct output output = { .file = file, .legend = true };

	assert_non_null(file);
	table_init(&table, columns, 6);
	row = table_add(&table);
	assert_non_null(row);
	row[0].text = strdup(name);
	for (int i = 1; i < 5; i++)
		row[i].number = number;
	assert_int_equal(renderer_text.print(&output, &header, &table, 1), 0);
	assert_int_equal(fclose(file), 0);
	table_deinit(&table);
	return text;
}

static void test_small(void **state)
{
	char *text = render_number("name", 1234567);

	(void)state;
	assert_string_equal(
		text,
		"\n"
		"name       a     b     c     d\n"
		"             bytes bytes bytes\n"
		"name 1234567 1.18M 1.18M 1.18M\n"
		"\n"
		"b bytes = so many\n"
		"K, M, G, T = KiB, MiB, GiB, TiB: 1024 bytes, 1024 KiB, 1024 MiB, 1024 GiB\n");
	free(text);
}

/* 2^64 - 1 has 20 digits: numbers of bytes have units, so that all fit. */
static void test_huge(void **state)
{
	char *text = render_number("name", UINT64_MAX);

	(void)state;
	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n");

		assert_in_range(length, 0, 79);
		line += length + 1;
	}
	assert_non_null(strstr(text, " 18446744073709551615 "));
	assert_non_null(strstr(text, " 18446744073709551615 16.0E 16.0E 16.0E"));
	assert_non_null(strstr(text, "\nK, M, G, T = "));
	free(text);
}

static char *rendered_sizes(size_t width)
{
	static const struct column sizes[] = {
		{ "name", "name", "", COLUMN_TEXT, 0, COLUMN_ALWAYS, NULL, false },
		{ "a", "a", "bytes", COLUMN_NUMBER, 0, COLUMN_ALWAYS, NULL, false },
		{ "b", "b", "bytes", COLUMN_NULLABLE, 0, COLUMN_ALWAYS, NULL, false },
		{ "c", "c", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS, NULL, false },
	};
	static const uint64_t numbers[] = {
		0, 7, 1023, 1024, 1047552, 13184440, (uint64_t)5 << 40, UINT64_MAX
	};
	const size_t count = sizeof(numbers) / sizeof(*numbers);
	struct header header = { 0 };
	struct table table;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	const struct output output = { .file = file, .width = width, .legend = true };

	assert_non_null(file);
	table_init(&table, sizes, 4);
	for (size_t i = 0; i < count; i++) {
		struct cell *row = table_add(&table);

		assert_non_null(row);
		row[0].text = strdup("a_name_of_a_call_site+0x10/0x200 [module]");
		row[1].number = numbers[i];
		row[2].number = numbers[count - 1 - i];
		row[3].number = UINT64_MAX;
	}
	assert_int_equal(renderer_text.print(&output, &header, &table, 1), 0);
	assert_int_equal(fclose(file), 0);
	table_deinit(&table);
	return text;
}

/* One large number does not round the other ones to 0: each has its own unit, digits aligned. */
static void test_units(void **state)
{
	char *text = rendered_sizes(40);

	(void)state;
	assert_string_equal(text, "\n"
				  "name        a     b                    c\n"
				  "        bytes bytes\n"
				  "a_name_of_a_call_site+0x10/0x200 [module]\n"
				  "           0     -  18446744073709551615\n"
				  "a_name_of_a_call_site+0x10/0x200 [module]\n"
				  "           7  5.00T 18446744073709551615\n"
				  "a_name_of_a_call_site+0x10/0x200 [module]\n"
				  "        1023  12.6M 18446744073709551615\n"
				  "a_name_of_a_call_site+0x10/0x200 [module]\n"
				  "        1.00K 1023K 18446744073709551615\n"
				  "a_name_of_a_call_site+0x10/0x200 [module]\n"
				  "        1023K 1.00K 18446744073709551615\n"
				  "a_name_of_a_call_site+0x10/0x200 [module]\n"
				  "        12.6M 1023  18446744073709551615\n"
				  "a_name_of_a_call_site+0x10/0x200 [module]\n"
				  "        5.00T    7  18446744073709551615\n"
				  "a_name_of_a_call_site+0x10/0x200 [module]\n"
				  "        16.0E    0  18446744073709551615\n"
				  "\n"
				  "K, M, G, T = KiB, MiB, GiB, TiB: 1024\n"
				  "    bytes, 1024 KiB, 1024 MiB, 1024 GiB\n");
	free(text);
}

/* A wide terminal shows names on the line of their numbers. */
static void test_wide(void **state)
{
	char *text = rendered_sizes(199);

	(void)state;
	assert_non_null(strstr(text, "\na_name_of_a_call_site+0x10/0x200 [module] 12.6M 1023  "
				     "18446744073709551615\n"));
	assert_non_null(strstr(text, "GiB"));
	free(text);
}

static void test_hostile_name(void **state)
{
	char *text = render_number("a\033[2Jb\n\xff", 1);

	(void)state;
	assert_non_null(strstr(text, "\na\\x1b[2Jb\\x0a\\xff 1 "));
	free(text);
}

static void test_long_name(void **state)
{
	char name[101];
	char *text;

	(void)state;
	memset(name, 'n', 100);
	name[100] = '\0';
	text = render_number(name, 1);
	assert_non_null(strstr(text, name));
	assert_int_equal(strstr(text, name)[100], '\n');
	free(text);
}

static const struct column kinds[] = {
	{ "name", "name", "", COLUMN_TEXT, 0, COLUMN_ALWAYS, "who", false },
	{ "time", "time", "s", COLUMN_TIME, 0, COLUMN_ALWAYS, NULL, false },
	{ "age", "age", "", COLUMN_DURATION, 0, COLUMN_ALWAYS, NULL, false },
	{ "cpu", "cpu", "", COLUMN_ID, 0, COLUMN_ALWAYS, NULL, false },
	{ "text", "other", "", COLUMN_TEXT, 0, COLUMN_ALWAYS, NULL, false },
	{ "bar", "share", "", COLUMN_BAR, 0, COLUMN_ALWAYS, NULL, false },
	{ "missed", "missed", "frees", COLUMN_NUMBER, 0, COLUMN_BELOW, "unseen", false },
	{ "part", "part", "%", COLUMN_DECIMAL, 1, COLUMN_BELOW_IF_PART, NULL, false },
	{ "below", "below", "", COLUMN_TEXT, 0, COLUMN_BELOW, NULL, false },
	{ "never", "never", "", COLUMN_NUMBER, 0, COLUMN_BELOW, "not shown", false },
	{ "hidden", "hidden", "", COLUMN_NUMBER, 0, COLUMN_NOT_IN_TEXT, "not shown", false },
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

static void add_kinds(struct table *table, const char *name, int64_t time, uint64_t age,
		      uint64_t cpu, double share, uint64_t missed, double part, const char *below)
{
	struct cell *row = table_add(table);

	assert_non_null(row);
	row[0].text = strdup(name);
	row[1].time = time;
	row[2].number = age;
	row[3].number = cpu;
	row[4].text = strdup("it");
	row[5].decimal = share;
	row[6].number = missed;
	row[7].decimal = part;
	row[8].text = strdup(below);
	row[10].number = 1;
}

/* Every type of column; two tables with one legend; no spaces at the end of a line. */
static void test_kinds(void **state)
{
	struct header header = { 0 };
	struct table tables[3];
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	const struct output output = { .file = file, .legend = true };

	(void)state;
	assert_non_null(file);
	for (int i = 0; i < 3; i++) {
		table_init(&tables[i], kinds, KINDS);
		tables[i].key = "key";
		tables[i].empty = "There is nothing.";
	}
	add_kinds(&tables[0], "a", -1500000, 999, 3, 0.5, 2, 50, "");
	add_kinds(&tables[0], "b", 1234567890123, 999500, CELL_UNKNOWN, 1.5, 0, 100, "c d");
	add_kinds(&tables[0], "c", TIME_UNKNOWN, CELL_UNKNOWN, 0, 0, 1, 100, "e");
	tables[2].title = "Another one";
	add_kinds(&tables[2], "d", 0, 2500000000, 0, 0.01, 0, 99.9, "");
	add_kinds(&tables[2], "e", 0, 3600000000000, 0, 0.03, 0, 0, "");
	assert_int_equal(renderer_text.print(&output, &header, tables, 3), 0);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text, "\n"
				  "key\n"
				  "\n"
				  "name        time     age cpu other share\n"
				  "               s\n"
				  "a      -0.001500  999 ns   3 it    ##########\n"
				  "        missed frees: 2, part: 50.0 %\n"
				  "b    1234.567890 1.00 ms   - it    ####################\n"
				  "        below: c d\n"
				  "c              -       -   0 it\n"
				  "        missed frees: 1\n"
				  "        below: e\n"
				  "\n"
				  "key\n"
				  "\n"
				  "There is nothing.\n"
				  "\n"
				  "Another one\n"
				  "\n"
				  "name     time    age cpu other share\n"
				  "            s\n"
				  "d    0.000000 2.50 s   0 it\n"
				  "        part: 99.9 %\n"
				  "e    0.000000 3600 s   0 it    #\n"
				  "        part: 0.0 %\n"
				  "\n"
				  "name = who\n"
				  "missed frees = unseen\n");
	free(text);
	for (int i = 0; i < 3; i++)
		table_deinit(&tables[i]);
}

static const struct column formats[] = {
	{ "name", "name", "", COLUMN_TEXT, 0, COLUMN_ALWAYS, NULL, false },
	{ "number", "number", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS, NULL, true },
	{ "null", "null", "bytes", COLUMN_NULLABLE, 0, COLUMN_ALWAYS, NULL, false },
	{ "live", "live", "", COLUMN_LIVE, 0, COLUMN_ALWAYS, NULL, false },
	{ "bound", "bound", "", COLUMN_BOUND, 0, COLUMN_NOT_IN_TEXT, NULL, false },
	{ "part", "part", "%", COLUMN_DECIMAL, 2, COLUMN_ALWAYS, NULL, false },
	{ "hex", "hex", "", COLUMN_HEX, 0, COLUMN_ALWAYS, NULL, false },
	{ "signed", "signed", "", COLUMN_SIGNED, 0, COLUMN_ALWAYS, NULL, false },
	{ "bool", "bool", "", COLUMN_BOOL, 0, COLUMN_ALWAYS, NULL, false },
	{ "id", "id", "", COLUMN_ID, 0, COLUMN_ALWAYS, NULL, false },
	{ "time", "time", "s", COLUMN_TIME, 0, COLUMN_ALWAYS, NULL, false },
	{ "events", "time", "event", COLUMN_TIME, 0, COLUMN_ALWAYS, NULL, false },
	{ "change", "change", "", COLUMN_CHANGE, 0, COLUMN_ALWAYS, NULL, false },
	{ "age", "age", "", COLUMN_DURATION, 0, COLUMN_ALWAYS, NULL, false },
	{ "bar", "bar", "", COLUMN_BAR, 0, COLUMN_ALWAYS, NULL, false },
};

#define FORMATS (sizeof(formats) / sizeof(*formats))

static void add_formats(struct table *table, const char *name, uint64_t number, int64_t change,
			double decimal, bool truth)
{
	struct cell *row = table_add(table);

	assert_non_null(row);
	for (size_t i = 0; i < FORMATS; i++) {
		enum column_type type = formats[i].type;

		if (type == COLUMN_TEXT)
			row[i].text = name ? strdup(name) : NULL;
		else if (type == COLUMN_DECIMAL || type == COLUMN_BAR)
			row[i].decimal = decimal;
		else if (type == COLUMN_TIME || type == COLUMN_SIGNED || type == COLUMN_CHANGE)
			row[i].change = change;
		else if (type == COLUMN_BOUND)
			row[i].truth = truth;
		else
			row[i].number = number;
	}
}

/* A JSON document in few lines: each newline with its indentation becomes a blank. */
static void join_lines(char *text)
{
	char *to = text;

	for (const char *at = text; *at; to++) {
		bool is_end = *at == '\n';

		*to = is_end ? ' ' : *at;
		at += is_end ? 1 + strspn(at + 1, " ") : 1;
	}
	*to = '\0';
}

static void expect_format(const struct renderer *renderer, const struct header *header,
			  const struct table *table, const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	const struct output output = { .file = file, .width = 120 };

	assert_non_null(file);
	assert_int_equal(renderer->print(&output, header, table, 1), 0);
	assert_int_equal(fclose(file), 0);
	if (renderer == &renderer_json)
		join_lines(text);
	assert_string_equal(text, expected);
	free(text);
}

static void test_formats(void **state)
{
	static const struct header none;
	struct table table;

	(void)state;
	table_init(&table, formats, FORMATS);
	table.key = "rows";
	add_formats(&table, "a,\"b\"\n\xff", 1000, -1500000, 0.125, true);
	add_formats(&table, NULL, CELL_UNKNOWN, TIME_UNKNOWN, NAN, true);
	add_formats(&table, "-1", 0, 10, 0, false);
	expect_format(&renderer_text, &none, &table,
		      "\n"
		      "name                          number  null   live part   hex   signed  bool "
		      "  id      time     time   change     age bar\n"
		      "                                     bytes           %                      "
		      "             s    event\n"
		      "a,\"b\"\\x0a\\xff                 >=1000 1000  <=1000 0.12 0x3e8 -1500000  "
		      "true 1000 -0.001500 -1500000 -1500000 1.00 us ###\n"
		      "-             >=18446744073709551615    -       -    -     -        -     - "
		      "   -         -        -        -       -\n"
		      "-1                                 0    0       0 0.00   0x0       10 false "
		      "   0  0.000000       10      +10    0 ns\n");
	expect_format(
		&renderer_csv, &none, &table,
		"name,number,null,live,bound,part,hex,signed,bool,id,time,events,change,age\r\n"
		"\"a,\"\"b\"\"\\x0a\\xff\",1000,1000,1000,true,0.125000,0x3e8,-1500000,true,1000,-"
		"1500000,-1500000,-1500000,1000\r\n"
		",18446744073709551615,,,true,,,,,,,,,\r\n"
		"'-1,0,0,0,false,0.000000,0x0,10,false,0,10,10,10,0\r\n");
	expect_format(
		&renderer_json, &none, &table,
		"{ \"schema\": 2, \"rows\": [ { \"name\": \"a,\\\"b\\\"\\n\\uFFFD\", \"number\": "
		"1000, \"null\": 1000, \"live\": 1000, \"bound\": true, \"part\": 0.125, \"hex\": "
		"\"0x3e8\", \"signed\": -1500000, \"bool\": true, \"id\": 1000, \"time\": "
		"-1500000, \"events\": -1500000, \"change\": -1500000, \"age\": 1000 }, { "
		"\"name\": null, \"number\": 9223372036854775807, \"null\": null, \"live\": null, "
		"\"bound\": true, \"part\": null, \"hex\": null, \"signed\": null, \"bool\": null, "
		"\"id\": null, \"time\": null, \"events\": null, \"change\": null, \"age\": null "
		"}, { \"name\": \"-1\", \"number\": 0, \"null\": 0, \"live\": 0, \"bound\": false, "
		"\"part\": 0.0, \"hex\": \"0x0\", \"signed\": 10, \"bool\": false, \"id\": 0, "
		"\"time\": 10, \"events\": 10, \"change\": 10, \"age\": 0 } ] } ");
	table_deinit(&table);
}

/* Each kind of field, also a table in it. */
static void test_header(void **state)
{
	static const struct column columns_of_list[] = {
		{ .key = "pid", .type = COLUMN_ID },
		{ .key = "comm", .type = COLUMN_TEXT },
	};
	struct header header = { 0 };
	struct table list, empty;
	struct cell *row;

	(void)state;
	table_init(&list, columns_of_list, 2);
	row = table_add(&list);
	row[0].number = 7;
	row[1].text = strdup("sh");
	table_init(&empty, columns_of_list, 1);
	empty.key = "rows";
	header_add_section(&header, "one");
	header_add_number(&header, "number", UINT64_MAX);
	header_add_text(&header, "text", "a\xff");
	header_add_bool(&header, "bool", true);
	header_add_field(&header, "decimal", FIELD_DECIMAL)->decimal = 0.5;
	header_add_field(&header, "time", FIELD_TIME)->time = -5;
	header_add_field(&header, "unknown", FIELD_UNKNOWN);
	header_add_section(&header, "other");
	header_add_field(&header, "table", FIELD_TABLE)->table = &list;
	header_add_field(&header, "list", FIELD_LIST)->table = &list;
	expect_format(&renderer_json, &header, &empty,
		      "{ \"schema\": 2, \"one\": { \"number\": 9223372036854775807, \"text\": "
		      "\"a\\uFFFD\", \"bool\": true, \"decimal\": 0.5, \"time\": -5, \"unknown\": "
		      "null }, \"other\": { \"table\": [ { \"pid\": 7, \"comm\": \"sh\" } ], "
		      "\"list\": [ 7 ] }, \"rows\": [] } ");
	header_deinit(&header);
	table_deinit(&list);
	table_deinit(&empty);
}

static char *rendered_rooms(size_t width, enum column_where where, bool is_compact)
{
	const struct column rooms[] = {
		{ "name", "name", "", COLUMN_TEXT, 0, COLUMN_ALWAYS, NULL, false },
		{ "a", "a", "bytes", COLUMN_NUMBER, 0, COLUMN_ALWAYS, NULL, false },
		{ "b", "b", "waste", COLUMN_NUMBER, 0, where, "legend", false },
		{ "c", "c", "", COLUMN_NUMBER, 0, COLUMN_ALWAYS, NULL, false },
	};
	struct header header = { 0 };
	struct table table;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	const struct output output = { .file = file, .width = width };
	struct cell *row;

	assert_non_null(file);
	table_init(&table, rooms, 4);
	table.is_compact = is_compact;
	row = table_add(&table);
	assert_non_null(row);
	row[0].text = strdup("a_name");
	row[1].number = row[2].number = 2000000;
	row[3].number = 7;
	assert_int_equal(renderer_text.print(&output, &header, &table, 1), 0);
	assert_int_equal(fclose(file), 0);
	table_deinit(&table);
	return text;
}

static void expect_rooms(size_t width, enum column_where where, bool is_compact,
			 const char *expected)
{
	char *text = rendered_rooms(width, where, is_compact);

	assert_string_equal(text, expected);
	free(text);
}

/* A column comes only if it fits, or others give way; those without room are named. */
static void test_rooms(void **state)
{
	(void)state;
	expect_rooms(24, COLUMN_IF_ROOM, false,
		     "\n"
		     "name       a     b c\n"
		     "       bytes waste\n"
		     "a_name 1.91M 1.91M 7\n"
		     "\n"
		     "(--legend explains the\n"
		     "columns)\n");
	expect_rooms(19, COLUMN_IF_ROOM, false,
		     "\n"
		     "name       a c\n"
		     "       bytes\n"
		     "a_name 1.91M 7\n"
		     "(no room for b)\n");
	expect_rooms(12, COLUMN_INSTEAD, false,
		     "\n"
		     "name       b\n"
		     "       waste\n"
		     "a_name 1.91M\n"
		     "(no room for a, c)\n"
		     "\n"
		     "(--legend\n"
		     "explains the\n"
		     "columns)\n");
	expect_rooms(80, COLUMN_IF_ROOM, true,
		     "\n"
		     "name       a     b c\n"
		     "a_name 1.91M 1.91M 7\n");
}

static void expect_curve(const uint64_t *numbers, size_t count, size_t width, bool utf8,
			 const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	curve_print(file, numbers, count, width, utf8);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text, expected);
	free(text);
}

/* Each character is the most of its part; nothing is a space, and none ends the line. */
static void test_curve(void **state)
{
	static const uint64_t numbers[] = { 0, 1, 0, 400, 800, 20, UINT64_MAX, 0 };

	(void)state;
	expect_curve(numbers, 6, 6, false, " _ -#_");
	expect_curve(numbers, 6, 3, false, "_-#");
	expect_curve(numbers, 4, 8, false, "  __  ##");
	expect_curve(numbers, 6, 6, true, " \u2581 \u2584\u2588\u2581");
	expect_curve(numbers, 8, 8, false, " _ ___#");
	expect_curve(numbers, 0, 8, false, "");
	expect_curve(numbers, 1, 8, false, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rooms),	  cmocka_unit_test(test_curve),
		cmocka_unit_test(test_dates),	  cmocka_unit_test(test_small),
		cmocka_unit_test(test_huge),	  cmocka_unit_test(test_hostile_name),
		cmocka_unit_test(test_long_name), cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_units),	  cmocka_unit_test(test_wide),
		cmocka_unit_test(test_formats),	  cmocka_unit_test(test_header),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
