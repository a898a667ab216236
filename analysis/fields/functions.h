/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The computations of the functions of the table. */
#ifndef ANALYSIS_FIELDS_FUNCTIONS_H
#define ANALYSIS_FIELDS_FUNCTIONS_H

#include "analysis/fields/values.h"

typedef struct value function_call(struct value_source *source, const struct transition *transition,
				   const struct value *arguments);

function_call call_vm_fault_contains, call_mem_page_size, call_bytes_to_string,
	call_pages_to_string, call_proc_mem_size, call_proc_mem_size_pid, call_proc_mem_rss,
	call_proc_mem_rss_pid, call_proc_mem_shr, call_proc_mem_shr_pid, call_proc_mem_txt,
	call_proc_mem_txt_pid, call_proc_mem_data, call_proc_mem_data_pid, call_proc_mem_string,
	call_proc_mem_string_pid, call_proc_mem_age, call_proc_mem_age_pid, call_addr_to_node;

#define SIZE_TEXT 32 /* bytes: any number of bytes_to_string() */

/*
 * bytes_to_string() of SystemTap: five characters or more. Below 1024 the number, else whole K, M
 * or G; below 100 of them with the first digits of the fraction, which are cut off: " 1023",
 * "1.50K", "15.0M", " 150M".
 */
void size_text(int64_t bytes, char text[SIZE_TEXT]);

#endif
