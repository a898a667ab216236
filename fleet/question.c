// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Asks a question and prints the answer. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/message.h"
#include "cli/pager.h"
#include "fleet/names.h"
#include "fleet/question.h"

#define ROWS_TEXT 20 /* of a table in a text, by default */

int question_set_table(struct question *question, const char *key, const struct column *columns,
		       size_t count, bool by)
{
	const char *name = fleet_by_names[question->scope.options->by];

	question->columns = calloc(count, sizeof(*columns));
	if (!question->columns)
		return -ENOMEM;
	memcpy(question->columns, columns, count * sizeof(*columns));
	if (by) {
		question->columns[0].key = question->columns[0].header = name;
		question->columns[0].legend = scope_legend(&question->scope);
	}
	table_init(&question->table, question->columns, count);
	question->table.key = key;
	return 0;
}

int64_t question_growth_of(struct question *question, uint64_t allocated, uint64_t freed)
{
	if (allocated < STORE_SUM_MAX && freed < STORE_SUM_MAX)
		return (int64_t)allocated - (int64_t)freed;
	question->has_sum_max = true;
	return CHANGE_UNKNOWN;
}

static int render_answer(const struct question *question)
{
	const struct fleet_options *options = question->scope.options;
	bool pages = options->renderer->for_people && !options->no_pager && pager_is_possible();
	struct output output = { .file = stdout,
				 .legend = options->legend,
				 .width = render_width() };
	char *text = NULL;
	size_t length;
	int err;

	if (pages)
		output.file = text_open(&text, &length);
	if (!output.file)
		return -ENOMEM;
	err = options->renderer->print(&output, &question->header, &question->table, 1);
	if (pages && fclose(output.file) && !err)
		err = -ENOMEM;
	if (pages && !err)
		err = pager_print(text, length);
	free(text);
	return err;
}

static int make_answer(struct question *question)
{
	const struct fleet_options *options = question->scope.options;
	size_t rows = options->renderer->for_people ? ROWS_TEXT : 0;
	int err = scope_init(&question->scope, question->scope.store, options);

	if (!err)
		err = names_check(&question->scope);
	if (!err)
		err = coverage_init(&question->coverage, &question->scope);
	if (!err)
		err = options->command->ask(question);
	/* "nothing grows" would be wrong then */
	if (!err && !question->coverage.seen && options->command->ask != question_sql)
		question->table.empty = "No interval of these hosts and of this time is stored.";
	if (question->has_sum_max && !*question->note)
		snprintf(question->note, sizeof(question->note),
			 "a figure of %" PRId64 " stands for that or more; growth is unknown there",
			 (int64_t)STORE_SUM_MAX);
	if (!err)
		err = coverage_add_header(&question->coverage, &question->header, question->note);
	if (!err && question->table.sort)
		err = table_sort(&question->table, question->table.sort);
	if (err)
		return err;
	if (options->renderer->for_people && question->table.text_rows)
		rows = question->table.text_rows;
	table_cut(&question->table, options->lines_given ? options->lines : rows);
	return render_answer(question);
}

/* A sentence about what is missing. The exit status. */
static int say_missing(const struct question *question)
{
	const struct coverage *coverage = &question->coverage;
	const struct missing *missing = &coverage->missing;
	const struct fleet_options *options = question->scope.options;
	char events[MISSING_TEXT], samples[MISSING_TEXT];
	char *sentence;

	if (!coverage->seen && !coverage->servers_missing) {
		error_msg("%s: no interval of these hosts and of this time is stored", options->db);
		return EXIT_FINDINGS;
	}
	if (!options->renderer->has_header && (missing_events(missing) || missing->sampling))
		info_msg("%s: %s%s%s", options->db, missing_message(missing, events),
			 missing->sampling ? "; " : "",
			 missing_text(missing, MISSING_ALL_BUT_SAMPLES, samples) ? samples : "");
	if (!coverage_has_gaps(coverage))
		return EXIT_OK;
	if (options->partial && options->renderer->has_header)
		return EXIT_OK;
	sentence = coverage_sentence(coverage);
	if (!sentence)
		return error_msg("%s", strerror(ENOMEM));
	error_msg("%s: %s%s", options->db, sentence,
		  options->partial ? "" : " (with --partial, the exit status is 0)");
	free(sentence);
	return options->partial ? EXIT_OK : EXIT_FINDINGS;
}

static void deinit_question(struct question *question)
{
	coverage_deinit(&question->coverage);
	header_deinit(&question->header);
	table_deinit(&question->table);
	free(question->columns);
	for (size_t i = 0; i < question->column_name_count; i++)
		free(question->column_names[i]);
	free(question->column_names);
}

/* Nothing was printed yet. The exit status. */
static int fail_question(const struct store *store, int err)
{
	if (err != -EAGAIN || !*store->errmsg)
		return error_msg("%s", *store->errmsg ? store->errmsg : strerror(-err));
	error_msg("%s%s", store->errmsg,
		  store->left_out + 1 < store->servers
			  ? "; with --partial, the answer is about the hosts of the others"
			  : "");
	return EXIT_FINDINGS;
}

int question_answer(struct store *store, const struct fleet_options *options)
{
	struct question question;
	int status, err;

	/* an answer without a server begins again: rows of it may be in the sums */
	for (;;) {
		question = (struct question){ .scope = { .options = options, .store = store } };
		err = make_answer(&question);
		if (err != -EAGAIN || !options->partial || !store->ops->leave_out ||
		    !store->ops->leave_out(store))
			break;
		info_msg("%s", store->errmsg);
		*store->errmsg = '\0';
		deinit_question(&question);
	}
	status = err ? fail_question(store, err) : say_missing(&question);
	deinit_question(&question);
	return close_stdout(status);
}
