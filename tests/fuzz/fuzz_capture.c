// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A whole capture: the views of kmemtrace-report in each format, kmemtrace-check, its repair,
 * kmemtrace-pack, with --anonymize too, and libmemstat. The first bytes of an input choose what is
 * done.
 */
#include "config.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "capture/pack/apply.h"
#include "check/check.h"
#include "check/check_heap.h"
#include "check/repair/repair.h"
#include "cli/exit_status.h"
#include "live/memstat/memstat.h"
#include "report/report.h"
#include "tests/fuzz/fuzz.h"

#define VIEW_ADDRESS(name) &view_##name,
#define RENDERER_ADDRESS(name) &renderer_##name,
#define STREAM_MAX (1 << 26)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct view *const views[] = { VIEWS(VIEW_ADDRESS) };
static const struct renderer *const renderers[] = { RENDERERS(RENDERER_ADDRESS) };
static const struct renderer *const flame_renderers[] = { FLAME_RENDERERS(RENDERER_ADDRESS) };

static void open_capture(struct capture *capture, bool *is_open)
{
	int err = capture_open(capture, fuzz_path("in"));

	*is_open = !err;
	FUZZ_EXPECT(!err || capture->error.text[0]);
}

/* A filter of the user, none of which depends on the capture. */
static void set_filter(struct report_options *options, unsigned int which)
{
	struct select *select = &options->select;
	int err = 0;

	switch (which) {
	case 1:
		err = select_time(select, "1ms,1s");
		break;
	case 2:
		err = select_site(select, "alloc|0x");
		break;
	case 3:
		err = select_cache(select, "^k|dentry");
		break;
	case 4:
		err = select_list(select, &select->nodes, "--node", "0");
		break;
	case 5:
		err = select_list(select, &select->cpus, "--cpu", "1-17");
		break;
	case 6:
		err = select_older(select, "1us");
		break;
	case 7:
		err = select_list(select, &select->pids, "--pid", "0-100");
		break;
	default:
		return;
	}
	FUZZ_EXPECT(!err);
	options->filters[options->filter_count++] = strdup("a filter");
}

/* Questions of the user, where the view answers them. */
static void set_query(struct report_options *options, unsigned int which)
{
	static const char *const wheres[] = {
		"gfp_flags & __GFP_ZERO == __GFP_ZERO",
		"age > 3us || missed_site != null",
		"size > 64 && size % 8 == 0 && site =~ \"alloc|0x\"",
		"proc_mem_rss() > 0 || proc_mem_age_pid(pid) > 1us || bytes_alloc < "
		"mem_page_size()",
	};
	static const char *const groups[] = { "comm,cross_cpu", "type,operation,name",
					      "bytes_req / 100,outcome", "site,age",
					      "bytes_to_string(bytes_alloc),proc_mem_string()" };
	struct query *query = options->query;
	int err = 0;

	if (which & 1)
		err = query_where(query, "--where", wheres[which % COUNT(wheres)]);
	/* a name of a flag that this capture does not have is an error, as it should be */
	if (!err && options->view->has_query)
		err = query_by(query, "--by", groups[which % COUNT(groups)]);
	if (!err && options->view->has_query)
		err = query_statistic(query, "--sum", STATISTIC_SUM, "bytes_req,age");
	if (!err && options->view->has_query && which & 2)
		err = query_statistic(query, "--hist", STATISTIC_HIST, "bytes_alloc - bytes_req");
	if (!err && options->view->has_query && which & 4)
		err = query_statistic(query, "--linear", STATISTIC_LINEAR, "age,1us,6us,1.5us");
	if (err)
		fuzz_fail(__FILE__, __LINE__, "a query", query->error.text);
}

/* The options of the view flame. */
static void set_flame(struct report_options *options, unsigned int format, unsigned int by)
{
	static const char *const measures[] = { NULL, "peak", "allocated", "temporary", "leaked" };
	static const char *const groups[] = { NULL, "comm,stack", "stack", "cpu,syscall,size" };

	if (!options->view->has_flame)
		return;
	if (format & 4)
		options->renderer = flame_renderers[format % COUNT(flame_renderers)];
	options->measure_text = measures[by % COUNT(measures)];
	options->by_text = groups[by / 8 % COUNT(groups)];
	options->bottom_up = by & 0x20;
}

static void expect_json(const char *text, size_t size, bool lines)
{
	const char *end = text + size;
	json_error_t error;

	while (text < end) {
		const char *next = lines ? memchr(text, '\n', (size_t)(end - text)) : end - 1;
		json_t *json;

		FUZZ_EXPECT(next);
		json = json_loadb(text, (size_t)(next - text), JSON_ALLOW_NUL, &error);
		if (!json)
			fuzz_fail(__FILE__, __LINE__, error.text, text);
		json_decref(json);
		text = next + 1;
	}
}

static void report_view(struct fuzz_input *input)
{
	const struct view *view = views[fuzz_byte(input) % COUNT(views)];
	unsigned int format = fuzz_byte(input), by = fuzz_byte(input);
	struct report_options options = {
		.input = "in",
		.view = view,
		.renderer = renderers[format % COUNT(renderers)],
		.has_by = view->has_by && by % (GROUP_BY_GFP + 2),
		.by = (enum group_by)(by % (GROUP_BY_GFP + 2) ? by % (GROUP_BY_GFP + 2) - 1 : 0),
		.possible = view == &view_findings && format & 0x20,
		.color = format & 0x40 ? COLOR_ALWAYS : COLOR_NEVER,
		.threads = format & 0x80 ? 3 : 1,
		.max_loss = -1,
	};
	struct capture capture;
	char *text;
	size_t size;
	bool is_open;
	unsigned int which = fuzz_byte(input);
	int status;

	if (view->streams && !options.renderer->rows.add)
		options.renderer = &renderer_text;
	options.query = calloc(1, sizeof(*options.query));
	FUZZ_EXPECT(options.query);
	set_filter(&options, which % 8);
	set_query(&options, which / 8);
	set_flame(&options, format, by);
	fuzz_unpack_archive(input, "in");
	open_capture(&capture, &is_open);
	if (is_open) {
		fuzz_output_begin();
		status = report_print(&options, &capture);
		text = fuzz_output_end(&size);
		/* DEL, which a JSON string may hold, commands nothing */
		for (size_t i = 0; options.renderer == &renderer_json && i < size; i++)
			if (text[i] == '\x7f')
				text[i] = '?';
		if (options.color == COLOR_NEVER && options.renderer != &renderer_pprof)
			fuzz_expect_printable(text, size);
		if (status == EXIT_OK && options.renderer == &renderer_json)
			expect_json(text, size, view->streams);
		free(text);
		capture_close(&capture);
	}
	report_options_deinit(&options);
}

static void check_capture_of(const char *name, bool is_repaired)
{
	struct check_problems problems = { .verbose = true };
	struct check_result result = { 0 };
	char *text;
	struct error error = { 0 };
	size_t size;
	int err;

	fuzz_output_begin();
	err = check_capture(fuzz_path(name), &problems, &result, &error);
	text = fuzz_output_end(&size);
	fuzz_expect_printable(text, size);
	if (is_repaired && problems.repairable)
		fuzz_fail(__FILE__, __LINE__, "nothing to repair", text);
	free(text);
	FUZZ_EXPECT(!err == !*error.text);
}

static void check_streams(void)
{
	struct check_problems problems = { .verbose = true };
	struct check_result result = { 0 };
	struct error error = { 0 };

	if (check_stream(fuzz_path("in/cpu0"), &problems, &result, &error))
		FUZZ_EXPECT(*error.text);
}

static void check_all(struct fuzz_input *input)
{
	struct check_heap result;
	char *text;
	struct error error = { 0 };
	size_t size;
	int err;

	fuzz_unpack_archive(input, "in");
	check_capture_of("in", false);
	check_streams();
	fuzz_output_begin();
	err = check_heap_run(fuzz_path("in"), true, NULL, &result, &error);
	text = fuzz_output_end(&size);
	fuzz_expect_printable(text, size);
	free(text);
	FUZZ_EXPECT(!err == !*error.text);
}

/*
 * A repair makes a capture that needs no repair. But a repair changes no record of a whole
 * packet, and with forged checksums such packets have any records.
 */
static void repair_copy(struct fuzz_input *input)
{
	bool is_forged = input->left && *input->at % 3 != FUZZ_REPAIR_NOTHING;
	struct capture capture;
	struct error error = { 0 };
	int err;

	fuzz_unpack_archive(input, "in");
	fuzz_empty("out");
	err = repair_run(fuzz_path("in"), fuzz_path("out/repaired"), false, &error);
	FUZZ_EXPECT(!err == !*error.text);
	if (err)
		return;
	check_capture_of("out/repaired", !is_forged);
	err = capture_open(&capture, fuzz_path("out/repaired"));
	FUZZ_EXPECT(!err);
	FUZZ_EXPECT(capture.status.complete == STATUS_REPAIRED);
	capture_close(&capture);
}

static char *read_stream(const char *directory, const char *name, size_t *size)
{
	char path[200], *bytes = NULL;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return read_file(AT_FDCWD, fuzz_path(path), STREAM_MAX, &bytes, size) ? NULL : bytes;
}

static void expect_same_streams(const char *directory, const char *other)
{
	for (size_t i = 0; i < fuzz_name_count; i++) {
		size_t size, other_size;
		char *bytes, *other_bytes;

		if (strncmp(fuzz_names[i], "cpu", 3))
			continue;
		bytes = read_stream(directory, fuzz_names[i], &size);
		other_bytes = read_stream(other, fuzz_names[i], &other_size);
		FUZZ_EXPECT(!bytes == !other_bytes);
		FUZZ_EXPECT(!bytes || (size == other_size && !memcmp(bytes, other_bytes, size)));
		free(bytes);
		free(other_bytes);
	}
}

/* Packs, or unpacks, and back. If the input has raw packets only, each byte comes back. */
static void pack_and_back(struct fuzz_input *input)
{
	unsigned int how = fuzz_byte(input);
	const char *names[] = { "in", how & 2 ? "in" : "out/one" };
	uint64_t damaged[2] = { 0 }, changed[2] = { 0 };
	bool failed = false;

	fuzz_unpack_archive(input, "in");
	fuzz_empty("out");
	for (size_t i = 0; i < 2 && !failed; i++) {
		struct convert convert;
		struct capture capture;

		if (capture_open(&capture, fuzz_path(names[i]))) {
			FUZZ_EXPECT(i == 0);
			return;
		}
		FUZZ_EXPECT(!convert_init(&convert, (how + i) & 1));
		failed = how & 2 ? apply_in_place(&convert, &capture)
				 : apply_to(&convert, &capture,
					    fuzz_path(i ? "out/two" : "out/one"), NULL);
		FUZZ_EXPECT(failed == !!*convert.error.text);
		damaged[i] = convert.damaged_bytes;
		changed[i] = convert.changed;
		convert_deinit(&convert);
		capture_close(&capture);
	}
	FUZZ_EXPECT(failed || damaged[0] == damaged[1]);
	if (!failed && !(how & 3) && changed[0] == changed[1])
		expect_same_streams("in", "out/two");
}

/* The copy is a capture, too, unless damage makes it impossible. */
static void anonymize_copy(struct fuzz_input *input)
{
	unsigned int how = fuzz_byte(input);
	struct anonymize anonymize;
	struct capture capture, copy;
	struct convert convert;
	int err;

	fuzz_unpack_archive(input, "in");
	fuzz_empty("out");
	if (capture_open(&capture, fuzz_path("in")))
		return;
	FUZZ_EXPECT(!convert_init(&convert, how & 1));
	FUZZ_EXPECT(!anonymize_init(&anonymize, &capture, how & 2));
	err = apply_to(&convert, &capture, fuzz_path("out/copy"), &anonymize);
	FUZZ_EXPECT(!err == !*convert.error.text);
	anonymize_deinit(&anonymize);
	convert_deinit(&convert);
	capture_close(&capture);
	if (!err) {
		FUZZ_EXPECT(!capture_open(&copy, fuzz_path("out/copy")));
		capture_close(&copy);
	}
}

static void use_types(struct memory_type_list *list)
{
	for (struct memory_type *type = memstat_mtl_first(list); type;
	     type = memstat_mtl_next(type)) {
		FUZZ_EXPECT(memstat_get_numfrees(type) <= memstat_get_numallocs(type));
		FUZZ_EXPECT(memstat_get_memfreed(type) <= memstat_get_memalloced(type));
		FUZZ_EXPECT(memstat_get_name(type)[0]);
		memstat_get_unobserved(type, 0);
		for (int cpu = 0; cpu < 3; cpu++)
			memstat_get_percpu_numallocs(type, cpu);
	}
}

static void query_memstat(struct fuzz_input *input)
{
	unsigned int how = fuzz_byte(input);
	struct memory_type_list *list = memstat_mtl_alloc();
	struct memstat_capture *capture;

	FUZZ_EXPECT(list);
	fuzz_unpack_archive(input, "in");
	capture = memstat_capture_open(fuzz_path("in"));
	if (capture) {
		memstat_mtl_set_base(list, how & 1);
		if (how & 2)
			memstat_capture_at(capture, (uint64_t)how << 16);
		if (memstat_kvm_all(list, capture))
			FUZZ_EXPECT(memstat_mtl_errortext(list)[0]);
		use_types(list);
	}
	memstat_capture_close(capture);
	memstat_mtl_free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };

	switch (fuzz_byte(&input) % 8) {
	case 0:
		check_all(&input);
		break;
	case 1:
		repair_copy(&input);
		break;
	case 2:
		pack_and_back(&input);
		break;
	case 3:
		query_memstat(&input);
		break;
	case 7:
		anonymize_copy(&input);
		break;
	default:
		report_view(&input);
	}
	return 0;
}
