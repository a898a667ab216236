// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * mktrace DIR [TEXT]: makes a capture from readable text, for tests. tests/unit/fixture.h
 * describes the text.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/fixture.h"

int main(int argc, char **argv)
{
	FILE *text = stdin;
	char errmsg[300];

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: mktrace DIR [TEXT]\n");
		return 2;
	}
	if (argc == 3)
		text = fopen(argv[2], "r");
	if (!text) {
		fprintf(stderr, "mktrace: %s: %s\n", argv[2], strerror(errno));
		return 2;
	}
	if (fixture_make(text, argv[1], errmsg, sizeof(errmsg))) {
		fprintf(stderr, "mktrace: %s: %s\n", argc == 3 ? argv[2] : "stdin", errmsg);
		return 2;
	}
	return 0;
}
