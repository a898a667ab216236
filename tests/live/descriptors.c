// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Holds as many eventfds as each line of the standard input says, and then prints the number. The
 * kernel allocates an object for each of them in a function with "eventfd" in its name, and frees
 * it at once when it is closed.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#define DESCRIPTORS_MAX 8000

static int skip_with_error(const char *what)
{
	fprintf(stderr, "descriptors: %s: %s\n", what, strerror(errno));
	return 77;
}

int main(void)
{
	const struct rlimit files = { DESCRIPTORS_MAX + 100, DESCRIPTORS_MAX + 100 };
	static int descriptors[DESCRIPTORS_MAX];
	long held = 0;
	char line[32];

	if (setrlimit(RLIMIT_NOFILE, &files))
		return skip_with_error("setrlimit");
	while (fgets(line, sizeof(line), stdin)) {
		long wanted = strtol(line, NULL, 10);

		for (; held < wanted && held < DESCRIPTORS_MAX; held++) {
			descriptors[held] = eventfd(0, 0);
			if (descriptors[held] < 0)
				return skip_with_error("eventfd");
		}
		for (; held > wanted && held > 0; held--)
			close(descriptors[held - 1]);
		printf("%ld\n", held);
		fflush(stdout);
	}
	return 0;
}
