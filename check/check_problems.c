// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Prints problems as "PATH: byte OFFSET: MESSAGE". */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "check/check_problems.h"
#include "cli/message.h"
#include "cli/progress.h"

void problems_begin(struct check_problems *problems, const char *path)
{
	problems->path = path;
	memset(problems->checks, 0, sizeof(problems->checks));
}

void problems_end(struct check_problems *problems)
{
	for (size_t i = 0; i < PROBLEM_CHECKS && problems->checks[i].check; i++) {
		uint64_t count = problems->checks[i].count;

		if (count <= PROBLEMS_PRINTED || problems->silent)
			continue;
		progress_line_clear();
		print_text("%s: and %" PRIu64 " more problems of the check %s\n", problems->path,
			   count - PROBLEMS_PRINTED, problems->checks[i].check->name);
	}
	problems_begin(problems, problems->path);
}

void problems_add(struct check_problems *problems, const struct check_info *check, uint64_t offset,
		  const char *format, ...)
{
	va_list arguments;
	size_t i = 0;

	while (i + 1 < PROBLEM_CHECKS && problems->checks[i].check &&
	       problems->checks[i].check != check)
		i++;
	problems->checks[i].check = check;
	problems->count++;
	problems->repairable += check->repairable;
	if (++problems->checks[i].count > PROBLEMS_PRINTED || problems->silent)
		return;
	progress_line_clear();
	print_text("%s: ", problems->path);
	if (offset != PROBLEM_NO_OFFSET)
		printf("byte %" PRIu64 ": ", offset);
	va_start(arguments, format);
	print_text_arguments(format, arguments);
	va_end(arguments);
	putchar('\n');
}
