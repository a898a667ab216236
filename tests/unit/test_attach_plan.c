// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The programs that are chosen for each kernel: from prototypes as kernels had them over the years,
 * and from the format files of real kernels.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

#include "tests/unit/unit.h"
#include "tracer/load/formats.h"
#include "tracer/load/attach_plan.h"

/*
 * A kernel: for each tracepoint its arguments, a letter each, or NULL if the kernel does not have
 * it; and the program that reads it. l unsigned long, p const void *, s size_t, g gfp_t, i int,
 * c struct kmem_cache *, C const struct kmem_cache *, t const char *.
 */
static const struct kernel {
	const char *name;
	const char *arguments[ATTACH_TRACEPOINTS];
	const char *programs[ATTACH_TRACEPOINTS];
	bool allocations_have_cache, frees_have_name;
} kernels[] = {
	{ "5.8 to 5.11",
	  { "lp", "lp", "lpssg", "lpssg", "lpssgi", "lpssgi" },
	  { "kfree", "kmem_cache_free_anonymous", "kmalloc_sizes", "kmem_cache_alloc_sizes",
	    "kmalloc_node_sizes", "kmem_cache_alloc_node_sizes" },
	  false,
	  false },
	{ "5.12 to 5.19",
	  { "lp", "lpt", "lpssg", "lpssg", "lpssgi", "lpssgi" },
	  { "kfree", "kmem_cache_free_name", "kmalloc_sizes", "kmem_cache_alloc_sizes",
	    "kmalloc_node_sizes", "kmem_cache_alloc_node_sizes" },
	  false,
	  true },
	{ "6.0",
	  { "lp", "lpt", "lpcssg", "lpcssg", "lpcssgi", "lpcssgi" },
	  { "kfree", "kmem_cache_free_name", "kmalloc_both", "kmem_cache_alloc_both",
	    "kmalloc_node_both", "kmem_cache_alloc_node_both" },
	  true,
	  true },
	{ "6.1 and later",
	  { "lp", "lpC", "lpssgi", "lpcgi", NULL, NULL },
	  { "kfree", "kmem_cache_free", "kmalloc", "kmem_cache_alloc", NULL, NULL },
	  true,
	  false },
};

#define KERNELS (sizeof(kernels) / sizeof(kernels[0]))

/* The types of the arguments, by their letters. */
struct types {
	struct btf *btf;
	int of[128];
};

static void make_types(struct types *types, int word)
{
	struct btf *btf = types->btf = btf__new_empty();
	int character, cache, unsigned_int, as_const;

	assert_non_null(btf);
	types->of['i'] = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	unsigned_int = btf__add_int(btf, "unsigned int", 4, 0);
	types->of['l'] = btf__add_int(btf, "long unsigned int", word, 0);
	character = btf__add_int(btf, "char", 1, BTF_INT_SIGNED);
	types->of['s'] = btf__add_typedef(btf, "size_t", types->of['l']);
	types->of['g'] = btf__add_typedef(btf, "gfp_t", unsigned_int);
	cache = btf__add_struct(btf, "kmem_cache", 4);
	assert_int_equal(btf__add_field(btf, "size", unsigned_int, 0, 0), 0);
	types->of['c'] = btf__add_ptr(btf, cache);
	as_const = btf__add_const(btf, cache);
	types->of['C'] = btf__add_ptr(btf, as_const);
	as_const = btf__add_const(btf, character);
	types->of['t'] = btf__add_ptr(btf, as_const);
	as_const = btf__add_const(btf, 0);
	types->of['p'] = btf__add_ptr(btf, as_const);
}

/* typedef void (*btf_trace_NAME)(void *, …) */
static void add_tracepoint(struct types *types, const char *name, const char *arguments)
{
	struct btf *btf = types->btf;
	char type[64];
	int id, data = btf__add_ptr(btf, 0);

	id = btf__add_func_proto(btf, 0);
	assert_true(id > 0);
	assert_int_equal(btf__add_func_param(btf, "__data", data), 0);
	for (; *arguments; arguments++)
		assert_int_equal(btf__add_func_param(btf, "argument", types->of[(int)*arguments]),
				 0);
	id = btf__add_ptr(btf, id);
	snprintf(type, sizeof(type), "btf_trace_%s", name);
	assert_true(btf__add_typedef(btf, type, id) > 0);
}

/* Makes a plan for the kernel; the tracepoint `which`, if any, has the arguments `instead`. */
static int choose_plan(struct attach_plan *plan, const struct kernel *kernel, int word,
		       enum tracepoint_id which, const char *instead)
{
	struct types types = { 0 };
	int err;

	memset(plan, 0, sizeof(*plan));
	make_types(&types, word);
	for (unsigned int event = 0; event < ATTACH_TRACEPOINTS; event++) {
		const char *arguments = event == which ? instead : kernel->arguments[event];

		if (arguments)
			add_tracepoint(&types, attach_plan_tracepoint_name(event), arguments);
	}
	err = attach_plan_from_btf(plan, types.btf);
	btf__free(types.btf);
	return err;
}

static void assert_chosen(const struct attach_plan *plan, const struct kernel *kernel)
{
	for (unsigned int event = 0; event < ATTACH_TRACEPOINTS; event++) {
		if (!kernel->programs[event])
			assert_null(plan->programs[event]);
		else
			assert_string_equal(plan->programs[event], kernel->programs[event]);
	}
	assert_int_equal(plan->allocations_have_cache, kernel->allocations_have_cache);
	assert_int_equal(plan->frees_have_name, kernel->frees_have_name);
}

static void chooses_the_programs_of_each_kernel(void **state)
{
	struct attach_plan plan;

	(void)state;
	for (size_t i = 0; i < KERNELS; i++)
		for (int word = 4; word <= 8; word += 4) {
			assert_int_equal(
				choose_plan(&plan, &kernels[i], word, ATTACH_TRACEPOINTS, NULL), 0);
			assert_chosen(&plan, &kernels[i]);
		}
}

/* kmem_cache_alloc has five arguments before 6.0 and since 6.1: the type of the third decides. */
static void refuses_unknown_signatures(void **state)
{
	static const struct {
		enum tracepoint_id id;
		const char *arguments;
		const char *errmsg;
	} cases[] = {
		{ ATTACH_KMALLOC, "lpssgii", "tracepoint kmalloc passes" },
		{ ATTACH_KMALLOC, "lpssg", NULL }, /* known, from another kernel */
		{ ATTACH_KMALLOC, "lpssii", "tracepoint kmalloc passes" },
		{ ATTACH_CACHE_ALLOC, "lppgi", "tracepoint kmem_cache_alloc passes" },
		{ ATTACH_CACHE_ALLOC, "plcgi", "tracepoint kmem_cache_alloc passes" },
		{ ATTACH_KFREE, "lpc", "tracepoint kfree passes" },
		{ ATTACH_KFREE, "l", "tracepoint kfree passes" },
		{ ATTACH_CACHE_FREE, "lpp", "tracepoint kmem_cache_free passes" },
		{ ATTACH_KMALLOC_NODE, "lpssg", "tracepoint kmalloc_node passes" },
		{ ATTACH_KFREE, NULL, "no tracepoint kfree:" },
		{ ATTACH_CACHE_ALLOC, NULL, "no tracepoint kmem_cache_alloc:" },
	};
	struct attach_plan plan;
	int err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		err = choose_plan(&plan, &kernels[3], 8, cases[i].id, cases[i].arguments);
		assert_int_equal(err, cases[i].errmsg ? -ENOTSUP : 0);
		if (cases[i].errmsg)
			assert_non_null(strstr(plan.errmsg, cases[i].errmsg));
	}
}

static char *read_format(const char *kernel, const char *event)
{
	char path[512], *text = calloc(1, 65536);
	FILE *file;

	snprintf(path, sizeof(path), "%s/data/formats/%s/%s.format", getenv("srcdir"), kernel,
		 event);
	file = fopen(path, "r");
	if (!file) {
		free(text);
		return NULL;
	}
	assert_true(fread(text, 1, 65535, file) > 100);
	fclose(file);
	return text;
}

static void chooses_the_same_programs_from_formats(void **state)
{
	static const struct {
		const char *formats;
		size_t kernel; /* whose arguments it has */
	} cases[] = {
		{ "5.10.0-32-amd64-x86_64", 0 },
		{ "6.1.0-50-amd64-x86_64", 3 },
		{ "6.1.0-50-armmp-lpae-armv7l", 3 },
		{ "6.1.0-50-s390x-s390x", 3 },
		{ "6.18.44-x86_64", 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct kernel *kernel = &kernels[cases[i].kernel];
		struct tracepoint_info info[ATTACH_TRACEPOINTS] = { 0 };
		struct attach_plan plan = { 0 };

		for (unsigned int event = 0; event < ATTACH_TRACEPOINTS; event++) {
			info[event].format =
				read_format(cases[i].formats, attach_plan_tracepoint_name(event));
			assert_int_equal(!info[event].format, !kernel->arguments[event]);
			if (info[event].format)
				info[event].arguments = (int)strlen(kernel->arguments[event]);
		}
		if (attach_plan_from_formats(&plan, info))
			fail_msg("%s: %s", cases[i].formats, plan.errmsg);
		assert_chosen(&plan, kernel);
		/* unknown further arguments */
		info[ATTACH_CACHE_ALLOC].arguments += 3;
		memset(&plan, 0, sizeof(plan));
		assert_int_equal(attach_plan_from_formats(&plan, info), -ENOTSUP);
		for (unsigned int event = 0; event < ATTACH_TRACEPOINTS; event++)
			free((char *)(uintptr_t)info[event].format);
	}
}

/* The type of a free's third argument, since 5.12, is known without BTF from its allocations. */
static void knows_frees_from_allocations(void **state)
{
	static const char with_node[] = "field:int node;\toffset:48;\tsize:4;\tsigned:1;\n";
	static const char without[] = "field:gfp_t gfp_flags;\toffset:40;\tsize:4;\tsigned:0;\n";

	(void)state;
	for (size_t i = 0; i < KERNELS; i++) {
		const struct kernel *kernel = &kernels[i];
		struct tracepoint_info info[ATTACH_TRACEPOINTS] = { 0 };
		struct attach_plan plan = { 0 };

		for (unsigned int event = 0; event < ATTACH_TRACEPOINTS; event++) {
			const char *arguments = kernel->arguments[event];

			if (!arguments)
				continue;
			info[event].format = strchr(arguments, 'i') ? with_node : without;
			info[event].arguments = (int)strlen(arguments);
		}
		assert_int_equal(attach_plan_from_formats(&plan, info), 0);
		assert_chosen(&plan, kernel);
	}
}

static void finds_fields_in_formats(void **state)
{
	static const struct {
		const char *kernel, *event, *field;
		uint32_t offset, size; /* 0: there is none */
	} cases[] = {
		{ "5.10.0-32-amd64-x86_64", "kmem_cache_alloc", "ptr", 16, 8 },
		{ "5.10.0-32-amd64-x86_64", "kmem_cache_alloc", "node", 0, 0 },
		{ "5.10.0-32-amd64-x86_64", "kmem_cache_free", "name", 0, 0 },
		{ "6.1.0-50-s390x-s390x", "kmem_cache_alloc", "bytes_req", 24, 8 },
		{ "6.1.0-50-s390x-s390x", "kmem_cache_free", "name", 24, 4 },
		{ "6.1.0-50-armmp-lpae-armv7l", "kmem_cache_alloc", "ptr", 12, 4 },
		{ "6.1.0-50-armmp-lpae-armv7l", "kmem_cache_alloc", "bytes_alloc", 20, 4 },
		{ "6.1.0-50-armmp-lpae-armv7l", "kmem_cache_free", "name", 16, 4 },
		{ "6.18.44-x86_64", "kmem_cache_alloc", "name", 24, 4 },
		{ "6.18.44-x86_64", "kmem_cache_alloc", "bytes_req", 32, 8 },
		{ "6.18.44-x86_64", "kmem_cache_alloc", "req", 0, 0 },
	};
	static const char comm[] = "\tfield:char newcomm[16];\toffset:28;\tsize:16;\tsigned:0;\n";
	struct kmt_field_position position;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *format = read_format(cases[i].kernel, cases[i].event);

		assert_non_null(format);
		assert_int_equal(formats_find(format, cases[i].field, &position),
				 cases[i].size != 0);
		assert_int_equal(position.offset, cases[i].offset);
		assert_int_equal(position.size, cases[i].size);
		free(format);
	}
	assert_true(formats_find(comm, "newcomm", &position));
	assert_int_equal(position.offset, 28);
	assert_false(formats_find(comm, "comm", &position));
	assert_false(formats_find("field:int node", "node", &position));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chooses_the_programs_of_each_kernel),
		cmocka_unit_test(refuses_unknown_signatures),
		cmocka_unit_test(chooses_the_same_programs_from_formats),
		cmocka_unit_test(knows_frees_from_allocations),
		cmocka_unit_test(finds_fields_in_formats),
	};

	return cmocka_run_group_tests_name("attach_plan", tests, NULL, NULL);
}
