// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Expressions: their values and types, the errors of wrong texts with their columns, the bounds of
 * hostile texts; and random expressions against an evaluation of the tree that made their text.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fields/expression.h"
#include "tests/unit/unit.h"

#define CPU 3
#define TID 77
#define REQUESTED 100
#define ALLOCATED 128
#define GFP 0xdc0

static struct gfp_name gfp_names[] = { { 0xcc0, "GFP_KERNEL" }, { 0x100, "__GFP_ZERO" } };
static const struct capture capture = { .gfp = { gfp_names, 2 },
					.metadata = { .page_size = 65536 } };
static const struct analysis analysis = { .capture = &capture, .begin = 1000 };
static const struct event event = {
	.time = 51000000,
	.pointer = 0xffff888000001000,
	.call_site = 0xffffffff81000010,
	.task = TID,
	.gfp = GFP,
	.requested = REQUESTED,
	.allocated = ALLOCATED,
	.node = -1,
	.cpu = CPU,
	.id = KMT_KMALLOC,
};
static const struct transition transition = {
	.outcome = OUTCOME_ALLOCATED, .event = &event, .group = GROUP_NONE, .cache = CACHE_NONE
};

static int set_up_expression(void **state)
{
	struct value_source *source = malloc(sizeof(*source));

	if (!source || value_source_init(source))
		return -1;
	value_source_take(source, &analysis, &transition);
	*state = source;
	return 0;
}

static int tear_down_expression(void **state)
{
	value_source_deinit(*state);
	free(*state);
	return 0;
}

static struct value evaluate_text(struct value_source *source, const char *text,
				  enum value_type *type)
{
	struct expression expression;
	struct expression_error error;
	const char *at = text;
	struct value value;

	if (expression_parse(&expression, text, &at, &error))
		fail_msg("%s: column %zu: %s", text, error.column, error.text);
	if (*at || expression_bind(&expression, source, &capture.gfp, &error))
		fail_msg("%s: %s", text, *at ? "not parsed to its end" : error.text);
	value = expression_value(&expression, source, &transition);
	*type = expression.type;
	expression_deinit(&expression);
	return value;
}

static void expect_number(void **state, const char *text, enum value_type type, int64_t number)
{
	enum value_type got;
	struct value value = evaluate_text(*state, text, &got);

	if (!value.known || value.number != number || got != type)
		fail_msg("%s: %s %" PRId64 " of type %s instead of %" PRId64 " of type %s", text,
			 value.known ? "is" : "is null,", value.number, value_type_name(got),
			 number, value_type_name(type));
}

static void expect_true(void **state, const char *text)
{
	expect_number(state, text, VALUE_BOOL, 1);
}

static void expect_null(void **state, const char *text)
{
	enum value_type type;
	struct value value = evaluate_text(*state, text, &type);

	if (value.known || value.number)
		fail_msg("%s: is %" PRId64 " instead of null", text, value.number);
}

static void test_values(void **state)
{
	expect_number(state, "cpu", VALUE_NUMBER, CPU);
	expect_number(state, " bytes_requested ", VALUE_BYTES, REQUESTED);
	expect_number(state, "size", VALUE_BYTES, REQUESTED);
	expect_number(state, "gfp_flags & 0x100", VALUE_FLAGS, 0x100);
	expect_number(state, "1 + 2 * 3 - 4", VALUE_NUMBER, 3);
	expect_number(state, "(1 + 2) * 3 % 5", VALUE_NUMBER, 4);
	expect_number(state, "7 - 2 - 1", VALUE_NUMBER, 4);
	expect_number(state, "-cpu - -1", VALUE_NUMBER, -2);
	expect_number(state, "4k", VALUE_BYTES, 4096);
	expect_number(state, "2M/4k", VALUE_NUMBER, 512);
	expect_number(state, "1.5ms", VALUE_DURATION, 1500000);
	expect_number(state, "time - 20ms", VALUE_TIME, 30999000);
	expect_number(state, "time - time", VALUE_DURATION, 0);
	expect_number(state, "3 * 2us", VALUE_DURATION, 6000);
	expect_number(state, "10ms / 3us", VALUE_NUMBER, 3333);
	expect_number(state, "9223372036854775807", VALUE_NUMBER, INT64_MAX);
	expect_number(state, "ptr", VALUE_ADDRESS, (int64_t)0xffff888000001000);
	expect_number(state, "ptr % 4096", VALUE_ADDRESS, 0);
	expect_number(state, "1 | 6 & 3", VALUE_NUMBER, 3);
	expect_true(state, "gfp_flags & __GFP_ZERO == __GFP_ZERO");
	expect_true(state, "gfp_flags & GFP_KERNEL == 0xcc0 && bytes_req < 4k");
	expect_true(state, "name == \"kmalloc\" && outcome != 'freed'");
	expect_true(state, "name =~ '^km' && name !~ \"^(cache|kfree)$\"");
	expect_true(state, "ptr == 0xffff888000001000 && ptr > 5 && ptr > requested_node");
	expect_true(state, "requested_node < ptr && requested_node == -1");
	expect_true(state, "time > 10ms && time <= 51s");
	expect_true(state, "!(cpu > 3) && cpu>=3&&cpu<=3||false");
	expect_true(state, "true == !from_backup");
	expect_true(state, "operation == 'allocation'");
	expect_true(state, "'a\\'b' == \"a'b\" && 'a\\\\' != 'a\\.'");
}

/* A frees' age and the name of the task are not known. */
static void test_null(void **state)
{
	expect_null(state, "age");
	expect_null(state, "comm");
	expect_null(state, "age > 1ms");
	expect_null(state, "comm != 'sh'");
	expect_null(state, "comm =~ 's'");
	expect_null(state, "!(comm == 'sh')");
	expect_null(state, "-age");
	expect_null(state, "age + 1ms > 1ms && true");
	expect_null(state, "false || age > 1ms");
	expect_number(state, "age > 1ms && false", VALUE_BOOL, 0);
	expect_number(state, "false && age > 1ms", VALUE_BOOL, 0);
	expect_true(state, "age > 1ms || true");
	expect_true(state, "age == null && null == comm && cpu != null && null == null");
	expect_number(state, "cpu == null || age != null", VALUE_BOOL, 0);
	expect_null(state, "1 / 0");
	expect_null(state, "1 % (cpu - 3)");
	expect_null(state, "ptr / 0");
	expect_null(state, "9223372036854775807 + 1");
	expect_null(state, "-9223372036854775807 - 2");
	expect_null(state, "(-9223372036854775807 - 1) / -1");
	expect_null(state, "(-9223372036854775807 - 1) % -1");
	expect_null(state, "9223372036854775807 * 2 > 0");
	expect_null(state, "0xffffffffffffffff + 1");
	expect_null(state, "ptr + requested_node");
}

static void expect_error(const char *text, size_t column, const char *message)
{
	struct expression expression;
	struct expression_error error = { 0 };
	const char *at = text;

	assert_int_equal(expression_parse(&expression, text, &at, &error), -EINVAL);
	if (error.column != column || strcmp(error.text, message))
		fail_msg("%s: column %zu: %s\ninstead of column %zu: %s", text, error.column,
			 error.text, column, message);
	assert_null(expression.nodes);
}

static void test_errors(void **state)
{
	(void)state;
	expect_error("", 1, "a field or a constant is missing at the end");
	expect_error("cpu ==", 7, "a field or a constant is missing at the end");
	expect_error("cpu == )", 8, "a field or a constant is missing before \")\"");
	expect_error("cpu 3", 5, "an operator is missing before \"3\"");
	expect_error("(cpu", 5, "a closing parenthesis is missing at the end");
	expect_error("(cpu, 3)", 5, "a closing parenthesis is missing before \",\"");
	expect_error("bytes_reg > 4k", 1,
		     "no field is named \"bytes_reg\": did you mean bytes_req?");
	expect_error("cpu > qqqqqq", 7,
		     "no field is named \"qqqqqq\": kmemtrace-report --list-fields lists them");
	expect_error("cpu = 3", 5, "at \"=\": to compare, write ==");
	expect_error("comm == \"sh", 9, "at \"\"sh\": the text has no closing quote");
	expect_error("comm == 'sh\\'", 9, "at \"'sh\\'\": the text has no closing quote");
	expect_error("comm == qqqqqq", 9,
		     "no field is named \"qqqqqq\": a text needs quotes, as in \"qqqqqq\"");
	expect_error("comm == conm", 9,
		     "no field is named \"conm\": did you mean comm? Or a text needs quotes, as in "
		     "\"conm\"");
	expect_error("comm == 'a' && qqqqqq", 16,
		     "no field is named \"qqqqqq\": kmemtrace-report --list-fields lists them");
	expect_error("cpu == 3 and tid == 4", 10, "at \"and\": write &&");
	expect_error("(cpu == 3 or tid == 4)", 11, "at \"or\": write ||");
	expect_error("comm ~ 'a'", 6, "at \"~\": to match a regular expression, write =~");
	expect_error("cpu == 3$", 9, "at \"$\": no expression has this character");
	expect_error(
		"cpu == 3x", 8,
		"at \"3x\": this is not a number: a unit is k, M, G, ns, us, ms, s, m, h or d");
	expect_error("cpu == 0xg", 8,
		     "at \"0xg\": this is not a hexadecimal number of up to 64 bits");
	expect_error("cpu == 9223372036854775808", 8,
		     "at \"9223372036854775808\": the number is above 2^63-1");
	expect_error("cpu == 99999999999G", 8,
		     "at \"99999999999G\": this is not a size of up to 2^63-1 bytes");
	expect_error("1 < cpu < 3", 9, "a comparison of a comparison: use && or ||");
	expect_error("age > 5", 7, "a time needs a unit, as in 10ms");
	expect_error("cpu > 5ms", 5, "> does not take the types number and duration");
	expect_error("comm == 5", 6, "== does not take the types text and number");
	expect_error("comm < 'b'", 6, "< does not take the types text and text");
	expect_error("cpu && true", 5, "&& does not take the types number and bool");
	expect_error("!cpu", 2, "! does not take a value of type number");
	expect_error("-comm", 2, "- does not take a value of type text");
	expect_error("cpu =~ '3'", 5, "=~ does not take the types number and text");
	expect_error("comm =~ site", 9, "=~ needs a regular expression in quotes");
	expect_error("comm =~ '('", 9, "this is not a regular expression: Unmatched ( or \\(");
	expect_error("time + time > 1s", 6, "+ does not take the types time and time");
	expect_error("age < null", 5, "< does not take the types duration and null");
}

/* The texts are those of SystemTap's bytes_to_string(), by its definition. */
static void test_functions(void **state)
{
	static const struct {
		const char *bytes, *text;
	} sizes[] = {
		{ "0", "    0" },	   { "1023", " 1023" },
		{ "-5", "   -5" },	   { "-2048", "-2048" },
		{ "1k", "1.00K" },	   { "1k + 512", "1.50K" },
		{ "10k - 1", "9.99K" },	   { "10k", "10.0K" },
		{ "100k - 1", "99.9K" },   { "100k", " 100K" },
		{ "1M - 1", "1023K" },	   { "1M", "1.00M" },
		{ "15M + 512k", "15.5M" }, { "1G - 1", "1023M" },
		{ "1G", "1.00G" },	   { "9999G", "9999G" },
		{ "12345G", "12345G" },	   { "9223372036854775807", "8589934591G" },
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char text[80];

		snprintf(text, sizeof(text), "bytes_to_string(%s) == '%s'", sizes[i].bytes,
			 sizes[i].text);
		expect_true(state, text);
	}
	expect_number(state, "mem_page_size()", VALUE_BYTES, 65536);
	expect_number(state, "1M / mem_page_size( ) + 1", VALUE_NUMBER, 17);
	expect_true(state, "pages_to_string (16) == '1.00M'");
	expect_true(state, "pages_to_string(cpu) =~ '^ 192K$'");
	expect_true(state, "vm_fault_contains(3, VM_FAULT_MAJOR)");
	expect_true(state, "vm_fault_contains(VM_FAULT_MINOR, 2) && cpu == VM_FAULT_MAJOR");
	expect_number(state, "vm_fault_contains(VM_FAULT_MAJOR, VM_FAULT_OOM)", VALUE_BOOL, 0);
	expect_number(state, "vm_fault_contains((1 + 1) * 1, VM_FAULT_SIGBUS)", VALUE_BOOL, 0);
	expect_null(state, "pages_to_string(1 / 0)");
	expect_null(state, "vm_fault_contains(1, 1 / 0)");
	expect_null(state, "pages_to_string(9223372036854775807)");
}

static void test_function_errors(void **state)
{
	(void)state;
	expect_error("mem_page_siz() > 1", 1,
		     "no function is named \"mem_page_siz\": did you mean mem_page_size?");
	expect_error("1 > cpu(3)", 5, "cpu is a field: write it without parentheses");
	expect_error("execname() == 'a'", 1, "execname is a field: write it without parentheses");
	expect_error("1 > qqqqqq(3)", 5,
		     "no function is named \"qqqqqq\": kmemtrace-report --functions lists them");
	expect_error("mem_page_size > 1", 1,
		     "mem_page_size is a function: write mem_page_size(...)");
	expect_error("mem_page_size(1)", 15, "mem_page_size() takes no arguments");
	expect_error("mem_page_size(", 15, "mem_page_size() takes no arguments");
	expect_error("bytes_to_string()", 17,
		     "bytes_to_string() needs its argument bytes of type bytes");
	expect_error("bytes_to_string(1, 2)", 18, "bytes_to_string() takes no more arguments");
	expect_error("bytes_to_string(1", 18, "a closing parenthesis is missing at the end");
	expect_error("bytes_to_string(1 2)", 19, "a closing parenthesis is missing before \"2\"");
	expect_error("vm_fault_contains(1)", 20,
		     "vm_fault_contains() needs its argument test of type number");
	expect_error("vm_fault_contains(1 2)", 21, "a comma is missing before \"2\"");
	expect_error("vm_fault_contains(1, 2, 3)", 23,
		     "vm_fault_contains() takes no more arguments");
	expect_error("vm_fault_contains(1,", 21, "a field or a constant is missing at the end");
	expect_error("bytes_to_string(comm)", 17,
		     "the argument bytes of bytes_to_string() is of type bytes, not text");
	expect_error("pages_to_string(bytes_req)", 17,
		     "the argument pages of pages_to_string() is of type number, not bytes");
	expect_error("bytes_to_string(null)", 17,
		     "the argument bytes of bytes_to_string() is of type bytes, not null");
	expect_error("mem_page_size() == 'a'", 17, "== does not take the types bytes and text");
	expect_error(
		"VM_FAULT_NEW == 1", 1,
		"no field is named \"VM_FAULT_NEW\": kmemtrace-report --list-fields lists them");
}

static void test_unknown_flag(void **state)
{
	static const char text[] = "gfp_flags == __GFP_NEW";
	struct expression expression;
	struct expression_error error;
	const char *at = text;

	assert_int_equal(expression_parse(&expression, text, &at, &error), 0);
	assert_int_equal(expression_bind(&expression, *state, &capture.gfp, &error), -EINVAL);
	assert_int_equal(error.column, 14);
	assert_string_equal(error.text, "the kernel of this capture has no GFP flag __GFP_NEW");
	expression_deinit(&expression);
}

/* before repeated, middle, after repeated */
static char *repeat_text(const char *before, const char *middle, const char *after, size_t count)
{
	size_t size = count * (strlen(before) + strlen(after)) + strlen(middle) + 1;
	char *text = malloc(size), *to = text;

	assert_non_null(text);
	for (size_t i = 0; i < count; i++)
		to = stpcpy(to, before);
	to = stpcpy(to, middle);
	for (size_t i = 0; i < count; i++)
		to = stpcpy(to, after);
	return text;
}

static void expect_hostile(char *text, size_t column, const char *message)
{
	expect_error(text, column, message);
	free(text);
}

static void test_hostile(void **state)
{
	static const char deep[] = "more than 64 parentheses or signs are nested",
			  many[] = "the expression has more than 512 operators and values";
	char *text = repeat_text("(", "cpu", ")", EXPRESSION_DEPTH - 1);

	expect_number(state, text, VALUE_NUMBER, CPU);
	free(text);
	expect_hostile(repeat_text("(", "cpu", ")", EXPRESSION_DEPTH), EXPRESSION_DEPTH + 1, deep);
	expect_hostile(repeat_text("(", "", "", 4000), EXPRESSION_DEPTH + 1, deep);
	expect_hostile(repeat_text("!", "true", "", 100), EXPRESSION_DEPTH + 1, deep);
	expect_hostile(repeat_text("-", "1", "", 100), EXPRESSION_DEPTH + 1, deep);
	text = repeat_text("1+", "1", "", 255);
	expect_number(state, text, VALUE_NUMBER, 256);
	free(text);
	expect_hostile(repeat_text("1+", "1", "", 256), 512, many);
	expect_hostile(repeat_text(" ", "1", "", 5000), EXPRESSION_LENGTH,
		       "the expression is longer than 4096 bytes");
}

/* A random tree, its text with as few parentheses as possible, and its value. */

static const struct {
	const char *sign;
	unsigned int level;
} signs[] = { { "*", 7 },  { "/", 7 }, { "%", 7 },  { "+", 6 },	 { "-", 6 },
	      { "&", 5 },  { "|", 4 }, { "==", 3 }, { "!=", 3 }, { "<", 3 },
	      { "<=", 3 }, { ">", 3 }, { ">=", 3 }, { "&&", 2 }, { "||", 1 } };

static unsigned int draw_random(unsigned int limit)
{
	static uint64_t random = 16;

	random = random * 6364136223846793005 + 1442695040888963407;
	return (unsigned int)(random >> 33) % limit;
}

struct made {
	char text[2000];
	unsigned int level;
	struct value value;
};

static struct value apply_operator(const char *sign, struct value a, struct value b)
{
	int64_t x = a.number, y = b.number, result = 0;
	bool wrong = !a.known || !b.known;

	if (!strcmp(sign, "&&") || !strcmp(sign, "||")) {
		int64_t decides = *sign == '|';

		if ((a.known && x == decides) || (b.known && y == decides))
			return value_of(decides);
		return wrong ? value_unknown() : value_of(!decides);
	}
	if (wrong)
		return value_unknown();
	if (!strcmp(sign, "*"))
		wrong = __builtin_mul_overflow(x, y, &result);
	else if (!strcmp(sign, "+"))
		wrong = __builtin_add_overflow(x, y, &result);
	else if (!strcmp(sign, "-"))
		wrong = __builtin_sub_overflow(x, y, &result);
	else if (!strcmp(sign, "/") || !strcmp(sign, "%"))
		wrong = !y || (x == INT64_MIN && y == -1);
	if (wrong)
		return value_unknown();
	if (!strcmp(sign, "/"))
		result = x / y;
	if (!strcmp(sign, "%"))
		result = x % y;
	if (!strcmp(sign, "&"))
		result = x & y;
	if (!strcmp(sign, "|"))
		result = x | y;
	if (!strcmp(sign, "=="))
		result = x == y;
	if (!strcmp(sign, "!="))
		result = x != y;
	if (*sign == '<')
		result = sign[1] ? x <= y : x < y;
	if (*sign == '>')
		result = sign[1] ? x >= y : x > y;
	return value_of(result);
}

static void make_leaf(struct made *made)
{
	static const struct {
		const char *text;
		int64_t number;
	} leaves[] = { { "cpu", CPU },
		       { "tid", TID },
		       { "bytes_req", REQUESTED },
		       { "bytes_alloc", ALLOCATED },
		       { "gfp_flags", GFP },
		       { "requested_node", -1 },
		       { "0", 0 },
		       { "1", 1 },
		       { "9223372036854775807", INT64_MAX } };
	unsigned int leaf = draw_random(12);

	made->level = 9;
	if (leaf < 9) {
		strcpy(made->text, leaves[leaf].text);
		made->value = value_of(leaves[leaf].number);
	} else {
		made->value = value_of(draw_random(200));
		sprintf(made->text, "0x%" PRIx64, (uint64_t)made->value.number);
	}
}

static void make_tree(struct made *made, unsigned int depth, bool is_bool)
{
	struct made left, right;
	unsigned int number;
	bool join;

	if (!is_bool && (!depth || !draw_random(3))) {
		make_leaf(made);
		return;
	}
	join = is_bool && depth > 1 && draw_random(2);
	number = join ? 13 + draw_random(2) : is_bool ? 7 + draw_random(6) : draw_random(7);
	depth -= depth > 0;
	make_tree(&left, depth, join);
	make_tree(&right, depth, join);
	made->level = signs[number].level;
	made->value = apply_operator(signs[number].sign, left.value, right.value);
	snprintf(made->text, sizeof(made->text), left.level < made->level ? "(%s)" : "%s",
		 left.text);
	snprintf(made->text + strlen(made->text), sizeof(made->text) - strlen(made->text),
		 right.level <= made->level ? "%s%s%s(%s)" : "%s%s%s%s", draw_random(2) ? " " : "",
		 signs[number].sign, draw_random(2) ? " " : "", right.text);
}

static void test_random(void **state)
{
	const char *rounds = getenv("KMEMTRACE_ROUNDS");
	unsigned int count = rounds ? (unsigned int)atoi(rounds) * 10 : 20000, nulls = 0;

	for (unsigned int i = 0; i < count; i++) {
		bool is_bool = draw_random(2);
		enum value_type type;
		struct made made;
		struct value value;

		make_tree(&made, 4, is_bool);
		value = evaluate_text(*state, made.text, &type);
		if (value.known != made.value.known || value.number != made.value.number)
			fail_msg("%s: %s %" PRId64 " instead of %s %" PRId64, made.text,
				 value.known ? "is" : "null,", value.number,
				 made.value.known ? "" : "null,", made.value.number);
		nulls += !value.known;
	}
	/* all kinds of results were compared */
	assert_in_range(nulls, count / 100, count / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_values, set_up_expression,
						tear_down_expression),
		cmocka_unit_test_setup_teardown(test_null, set_up_expression, tear_down_expression),
		cmocka_unit_test(test_errors),
		cmocka_unit_test_setup_teardown(test_functions, set_up_expression,
						tear_down_expression),
		cmocka_unit_test(test_function_errors),
		cmocka_unit_test_setup_teardown(test_unknown_flag, set_up_expression,
						tear_down_expression),
		cmocka_unit_test_setup_teardown(test_hostile, set_up_expression,
						tear_down_expression),
		cmocka_unit_test_setup_teardown(test_random, set_up_expression,
						tear_down_expression),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
