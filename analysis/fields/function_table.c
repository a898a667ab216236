// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of the functions and constants, and the lists that are made from it. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fields/field_table.h"
#include "analysis/fields/function_table.h"
#include "analysis/fields/functions.h"
#include "base/suggest.h"
#include "base/text.h"

#define NOT_READ "null if the process was not there, or without kmemtraced --proc-mem"
#define PAGE_SIZE_UNKNOWN "null if the capture does not have the size of a page"

const struct event_function event_functions[] = {
	{ "vm_fault_contains",
	  { { "value", VALUE_NUMBER }, { "test", VALUE_NUMBER } },
	  VALUE_BOOL,
	  "whether the fault_type value is test, a constant such as VM_FAULT_MAJOR",
	  "",
	  call_vm_fault_contains },
	{ "addr_to_node",
	  { { "address", VALUE_ADDRESS } },
	  VALUE_NUMBER,
	  "NUMA node of the memory at a kernel address, as memory_node",
	  "null if the kernel did not let kmemtraced read where its memory lies",
	  call_addr_to_node },
	{ "mem_page_size",
	  { { NULL, 0 } },
	  VALUE_BYTES,
	  "bytes of a page on the machine that captured",
	  PAGE_SIZE_UNKNOWN,
	  call_mem_page_size },
	{ "bytes_to_string",
	  { { "bytes", VALUE_BYTES } },
	  VALUE_TEXT,
	  "bytes in at least five characters: up to 1023, then in K, M or G; below 100 of these with digits of the fraction, which is cut off, as 4.29K",
	  "",
	  call_bytes_to_string },
	{ "pages_to_string",
	  { { "pages", VALUE_NUMBER } },
	  VALUE_TEXT,
	  "bytes_to_string() of pages times mem_page_size()",
	  PAGE_SIZE_UNKNOWN,
	  call_pages_to_string },
	{ "proc_mem_size",
	  { { NULL, 0 } },
	  VALUE_NUMBER,
	  "pages of virtual memory of the event's process, as last read at or before the event",
	  NOT_READ,
	  call_proc_mem_size },
	{ "proc_mem_rss",
	  { { NULL, 0 } },
	  VALUE_NUMBER,
	  "pages of the resident set of the event's process, as last read at or before the event",
	  NOT_READ,
	  call_proc_mem_rss },
	{ "proc_mem_shr",
	  { { NULL, 0 } },
	  VALUE_NUMBER,
	  "resident pages of files and shared memory of the event's process, as last read at or before the event",
	  NOT_READ,
	  call_proc_mem_shr },
	{ "proc_mem_txt",
	  { { NULL, 0 } },
	  VALUE_NUMBER,
	  "pages of the program's code of the event's process, as last read at or before the event",
	  NOT_READ,
	  call_proc_mem_txt },
	{ "proc_mem_data",
	  { { NULL, 0 } },
	  VALUE_NUMBER,
	  "pages of data and stack of the event's process, as last read at or before the event",
	  NOT_READ,
	  call_proc_mem_data },
	{ "proc_mem_string",
	  { { NULL, 0 } },
	  VALUE_TEXT,
	  "these five by pages_to_string(): size: 301M, rss: 11.0M, shr: 8.00M, txt:  100K, data: 2.20M",
	  NOT_READ,
	  call_proc_mem_string },
	{ "proc_mem_age",
	  { { NULL, 0 } },
	  VALUE_DURATION,
	  "time since the reading that these functions use began",
	  NOT_READ,
	  call_proc_mem_age },
	{ "proc_mem_size_pid",
	  { { "pid", VALUE_NUMBER } },
	  VALUE_NUMBER,
	  "proc_mem_size() of the process pid at the time of the event",
	  NOT_READ,
	  call_proc_mem_size_pid },
	{ "proc_mem_rss_pid",
	  { { "pid", VALUE_NUMBER } },
	  VALUE_NUMBER,
	  "proc_mem_rss() of the process pid at the time of the event",
	  NOT_READ,
	  call_proc_mem_rss_pid },
	{ "proc_mem_shr_pid",
	  { { "pid", VALUE_NUMBER } },
	  VALUE_NUMBER,
	  "proc_mem_shr() of the process pid at the time of the event",
	  NOT_READ,
	  call_proc_mem_shr_pid },
	{ "proc_mem_txt_pid",
	  { { "pid", VALUE_NUMBER } },
	  VALUE_NUMBER,
	  "proc_mem_txt() of the process pid at the time of the event",
	  NOT_READ,
	  call_proc_mem_txt_pid },
	{ "proc_mem_data_pid",
	  { { "pid", VALUE_NUMBER } },
	  VALUE_NUMBER,
	  "proc_mem_data() of the process pid at the time of the event",
	  NOT_READ,
	  call_proc_mem_data_pid },
	{ "proc_mem_string_pid",
	  { { "pid", VALUE_NUMBER } },
	  VALUE_TEXT,
	  "proc_mem_string() of the process pid at the time of the event",
	  NOT_READ,
	  call_proc_mem_string_pid },
	{ "proc_mem_age_pid",
	  { { "pid", VALUE_NUMBER } },
	  VALUE_DURATION,
	  "proc_mem_age() of the process pid at the time of the event",
	  NOT_READ,
	  call_proc_mem_age_pid },
};

const size_t event_function_count = sizeof(event_functions) / sizeof(event_functions[0]);

static const struct {
	const char *name;
	int64_t number;
	const char *legend;
} named_constants[] = {
	{ "VM_FAULT_OOM", 0, "fault_type of a fault that found no memory" },
	{ "VM_FAULT_SIGBUS", 1, "fault_type of any other fault that failed" },
	{ "VM_FAULT_MINOR", 2, "fault_type of a minor fault" },
	{ "VM_FAULT_MAJOR", 3, "fault_type of a major fault" },
};

#define CONSTANTS (sizeof(named_constants) / sizeof(named_constants[0]))

static bool is_name(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && !memcmp(name, text, length);
}

size_t event_function_arity(const struct event_function *function)
{
	size_t count = 0;

	while (count < FUNCTION_ARGUMENTS_MAX && function->arguments[count].name)
		count++;
	return count;
}

const struct event_function *event_function_find(const char *name, size_t length)
{
	for (size_t i = 0; i < event_function_count; i++)
		if (is_name(event_functions[i].name, name, length))
			return &event_functions[i];
	return NULL;
}

const char *event_function_suggest(const char *name, char *buffer, size_t size)
{
	const char **names = calloc(event_function_count, sizeof(*names));

	*buffer = '\0';
	for (size_t i = 0; names && i < event_function_count; i++)
		names[i] = event_functions[i].name;
	if (names)
		suggest_text(name, names, event_function_count, buffer, size);
	free(names);
	return buffer;
}

struct value named_constant_find(const char *name, size_t length)
{
	for (size_t i = 0; i < CONSTANTS; i++)
		if (is_name(named_constants[i].name, name, length))
			return value_of(named_constants[i].number);
	return value_unknown();
}

/* "(value, test)" */
static void put_arguments(FILE *file, const struct event_function *function)
{
	putc('(', file);
	for (size_t i = 0; i < event_function_arity(function); i++)
		fprintf(file, "%s%s", i ? ", " : "", function->arguments[i].name);
	putc(')', file);
}

/* "number of number and number", "bytes": the types of the result and of the arguments. */
static void put_function_types(FILE *file, const struct event_function *function)
{
	fputs(value_type_name(function->type), file);
	for (size_t i = 0; i < event_function_arity(function); i++)
		fprintf(file, "%s%s", i ? " and " : " of ",
			value_type_name(function->arguments[i].type));
}

void event_function_list(FILE *file)
{
	for (size_t i = 0; i < event_function_count; i++) {
		const struct event_function *function = &event_functions[i];

		fputs(function->name, file);
		put_arguments(file, function);
		fputs(" (", file);
		put_function_types(file, function);
		fputs(")\n", file);
		text_write_wrapped(file, LIST_INDENT, function->legend);
		if (*function->captures)
			text_write_wrapped(file, LIST_INDENT, function->captures);
	}
	for (size_t i = 0; i < CONSTANTS; i++) {
		fprintf(file, "%s (%" PRId64 ")\n", named_constants[i].name,
			named_constants[i].number);
		text_write_wrapped(file, LIST_INDENT, named_constants[i].legend);
	}
}

void event_function_list_mdoc(FILE *file)
{
	for (size_t i = 0; i < event_function_count; i++) {
		const struct event_function *function = &event_functions[i];

		fprintf(file, ".It Cm %s Ns Pq Ar ", function->name);
		for (size_t j = 0; j < event_function_arity(function); j++)
			fprintf(file, "%s%s", j ? " , " : "", function->arguments[j].name);
		if (!event_function_arity(function))
			fputs("\\&", file);
		putc('\n', file);
		put_function_types(file, function);
		fprintf(file, ";\n%s%s%s.\n", function->legend, *function->captures ? ";\n" : "",
			function->captures);
	}
	for (size_t i = 0; i < CONSTANTS; i++)
		fprintf(file, ".It Cm %s\n%" PRId64 ":\n%s.\n", named_constants[i].name,
			named_constants[i].number, named_constants[i].legend);
}
