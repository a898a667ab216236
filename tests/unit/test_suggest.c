// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The suggestion for a mistyped word: near words, prefixes, and words too far away. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "base/suggest.h"

static const char *const views[] = { "summary", "sites", "leaks", "lifetimes", "findings" };
#define VIEWS (sizeof(views) / sizeof(*views))

static void assert_suggested(const char *text, const char *expected)
{
	const char *word = suggest_word(text, views, VIEWS);

	if (!word || !expected)
		assert_true(word == expected);
	else
		assert_string_equal(word, expected);
}

static void suggests_one_edit(void **state)
{
	(void)state;
	assert_suggested("leak", "leaks");   /* a letter is missing */
	assert_suggested("leakss", "leaks"); /* one too many */
	assert_suggested("laeks", "leaks");  /* two are exchanged */
	assert_suggested("sifes", "sites");  /* one is wrong */
	assert_suggested("LEAKS", "leaks");  /* another case */
	assert_suggested("findigns", "findings");
}

static void suggests_more_edits_for_longer_words(void **state)
{
	(void)state;
	assert_suggested("lifteimse", "lifetimes");
	assert_suggested("lftms", NULL);
}

static void suggests_the_nearest_and_then_the_first(void **state)
{
	static const char *const words[] = { "node", "nodes", "code" };

	(void)state;
	assert_string_equal(suggest_word("nodess", words, 3), "nodes");
	assert_string_equal(suggest_word("mode", words, 3), "node");
}

static void suggests_by_prefix(void **state)
{
	(void)state;
	assert_suggested("find", "findings");
	assert_suggested("si", "sites");
}

static void suggests_nothing_far_away(void **state)
{
	char longer[200];

	(void)state;
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_suggested("", NULL);
	assert_suggested("x", NULL);
	assert_suggested("bogus", NULL);
	assert_suggested(longer, NULL);
	assert_null(suggest_word("leaks", views, 0));
}

static void words_longer_than_the_limit_are_skipped(void **state)
{
	static const char *const words[] = { "an_option_whose_name_has_more_than_forty_letters",
					     "an_option" };

	(void)state;
	assert_string_equal(suggest_word("an_optoin", words, 2), "an_option");
}

static void text_is_a_question(void **state)
{
	char text[80];

	(void)state;
	assert_string_equal(suggest_text("leak", views, VIEWS, text, sizeof(text)),
			    ": did you mean leaks?");
	assert_string_equal(suggest_text("bogus", views, VIEWS, text, sizeof(text)), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(suggests_one_edit),
		cmocka_unit_test(suggests_more_edits_for_longer_words),
		cmocka_unit_test(suggests_the_nearest_and_then_the_first),
		cmocka_unit_test(suggests_by_prefix),
		cmocka_unit_test(suggests_nothing_far_away),
		cmocka_unit_test(words_longer_than_the_limit_are_skipped),
		cmocka_unit_test(text_is_a_question),
	};

	return cmocka_run_group_tests_name("suggest", tests, NULL, NULL);
}
