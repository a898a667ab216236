// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How findings are printed: "PATH: byte OFFSET: what", ten of a kind in one file. */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "check/check.h"
#include "check/check_findings.h"
#include "cli/progress.h"

void findings_begin(struct check_findings *findings, const char *path)
{
	findings->path = path;
	memset(findings->kinds, 0, sizeof(findings->kinds));
}

void findings_end(struct check_findings *findings)
{
	for (size_t i = 0; i < FINDING_KINDS && findings->kinds[i].check; i++) {
		uint64_t count = findings->kinds[i].count;

		if (count <= FINDINGS_OF_A_KIND || findings->silent)
			continue;
		progress_line_clear();
		printf("%s: and %" PRIu64 " more of this kind (%s)\n", findings->path,
		       count - FINDINGS_OF_A_KIND, findings->kinds[i].check->name);
	}
	findings_begin(findings, findings->path);
}

void findings_add(struct check_findings *findings, const struct check *check, uint64_t offset,
		  const char *format, ...)
{
	va_list arguments;
	size_t kind = 0;

	while (kind + 1 < FINDING_KINDS && findings->kinds[kind].check &&
	       findings->kinds[kind].check != check)
		kind++;
	findings->kinds[kind].check = check;
	findings->count++;
	findings->mendable += check->mendable;
	if (++findings->kinds[kind].count > FINDINGS_OF_A_KIND || findings->silent)
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
