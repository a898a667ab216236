// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Prints findings as "PATH: byte OFFSET: what". */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "check/check_findings.h"
#include "cli/progress.h"

void findings_begin(struct check_findings *findings, const char *path)
{
	findings->path = path;
	memset(findings->checks, 0, sizeof(findings->checks));
}

void findings_end(struct check_findings *findings)
{
	for (size_t i = 0; i < FINDING_CHECKS && findings->checks[i].check; i++) {
		uint64_t count = findings->checks[i].count;

		if (count <= FINDINGS_PRINTED || findings->silent)
			continue;
		progress_line_clear();
		printf("%s: and %" PRIu64 " more findings of the check %s\n", findings->path,
		       count - FINDINGS_PRINTED, findings->checks[i].check->name);
	}
	findings_begin(findings, findings->path);
}

void findings_add(struct check_findings *findings, const struct check_info *check, uint64_t offset,
		  const char *format, ...)
{
	va_list arguments;
	size_t i = 0;

	while (i + 1 < FINDING_CHECKS && findings->checks[i].check &&
	       findings->checks[i].check != check)
		i++;
	findings->checks[i].check = check;
	findings->count++;
	findings->repairable += check->repairable;
	if (++findings->checks[i].count > FINDINGS_PRINTED || findings->silent)
		return;
	progress_line_clear();
	printf("%s: ", findings->path);
	if (offset != FINDING_NO_OFFSET)
		printf("byte %" PRIu64 ": ", offset);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}
