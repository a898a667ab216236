// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses the lines of a stack, and finds an address for each frame of the kernel. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "capture/import/text_stack.h"
#include "kernel/possible.h"

#define UNKNOWN "[unknown]"
#define FUNCTION_OFFSET "+0x1" /* a frame without an offset is behind the begin of its function */
#define PAGE_OFFSET_BITS 12    /* of an address: they are the same in memory and in vmlinux */

bool text_frame_parse(struct text_frame *frame, const char *line)
{
	const char *at = line + strspn(line, " \t"), *owner;
	bool is_ftrace = !strncmp(at, "=> ", 3);

	*frame = (struct text_frame){ 0 };
	if (is_ftrace)
		at += strlen("=> ");
	else if (at == line || !number_parse(&at, 16, &frame->address) || *at != ' ')
		return false;
	at += strspn(at, " ");
	snprintf(frame->name, sizeof(frame->name), "%.*s", (int)strcspn(at, " "), at);
	if (!strcmp(frame->name, UNKNOWN))
		frame->name[0] = '\0';
	owner = is_ftrace ? NULL : strrchr(at, '(');
	if (owner)
		snprintf(frame->owner, sizeof(frame->owner), "%.*s", (int)strcspn(owner + 1, ")"),
			 owner + 1);
	return *frame->name || frame->address || owner;
}

static bool is_kernel(const struct text_frame *frame)
{
	static const char *const others[] = { "[vdso]", "[vsyscall]", "[stack]", "[heap]",
					      UNKNOWN };
	const char *suffix;

	if (!frame->address && *frame->name)
		return true; /* of ftrace, which prints frames of the kernel only */
	if (frame->address >> 63)
		return true;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(frame->owner, others[i]))
			return false;
	suffix = strstr(frame->owner, ".ko");
	return *frame->owner == '[' || strstr(frame->owner, "vmlinux") ||
	       (suffix && (!suffix[3] || suffix[3] == '.'));
}

/*
 * Is the frame the call site, as the event prints it? Without an offset it is in the same function,
 * or at the same place of a page.
 */
static bool is_call_site(const struct text_frame *frame, uint64_t call_site, const char *text)
{
	size_t size = strlen(frame->name);
	uint64_t number;

	if (size && !strncmp(frame->name, text, size))
		return strchr(frame->name, '+') ? !text[size] || strchr("/ ", text[size])
						: text[size] == '+';
	return number_parse(&text, 16, &number) && (!*text || *text == ' ') &&
	       !strchr(frame->name, '+') && frame->address &&
	       !((frame->address ^ call_site) & ((1U << PAGE_OFFSET_BITS) - 1));
}

int text_stack_add(struct text_stack *stack, const struct text_frame *frame,
		   struct function_addresses *functions, struct import_target *target,
		   uint64_t call_site, const char *site_text, struct text_stack_counts *counts)
{
	char text[sizeof(frame->name) + 8];
	uint64_t address = frame->address;
	int err = 0;

	if (!address && !*frame->name)
		return 0; /* perf prints such a frame where a function saves no return address */
	stack->in_process |= !is_kernel(frame);
	if (stack->in_process) {
		counts->process_frames++;
		return 0;
	}
	if (stack->count == STACK_FRAMES_MAX)
		return 0;
	if (!stack->has_call_site && call_site && is_call_site(frame, call_site, site_text)) {
		stack->has_call_site = true;
		address = call_site;
	} else if (*frame->name) {
		bool has_offset = strchr(frame->name, '+');

		snprintf(text, sizeof(text), "%s%s", frame->name,
			 has_offset ? "" : FUNCTION_OFFSET);
		counts->without_offset += !has_offset;
		err = function_addresses_find(functions, target, text, &address);
	}
	if (!err && address_is_possible(address, target->metadata.word_bits))
		stack->frames[stack->count++] = address;
	return err;
}
