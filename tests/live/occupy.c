// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Holds memory in stages: occupy PAGES.... For each number it maps and touches so many pages more,
 * says so and waits for a line. Then it makes pipes, says so and waits for a line.
 */
#include "config.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIPES 200

static void make_pipes(void)
{
	for (int i = 0; i < PIPES; i++) {
		int ends[2];

		if (pipe(ends))
			exit(1);
		close(ends[0]);
		close(ends[1]);
	}
}

static void wait_for_line(const char *said, size_t size)
{
	char byte;

	if (write(STDOUT_FILENO, said, size) < 0 || read(STDIN_FILENO, &byte, 1) != 1)
		exit(1);
}

int main(int argc, char **argv)
{
	make_pipes();
	for (int i = 1; i < argc; i++) {
		size_t size = strtoul(argv[i], NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);

		if (mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0) == MAP_FAILED)
			return 1;
		wait_for_line("mapped\n", sizeof("mapped\n") - 1);
		make_pipes();
		wait_for_line("piped\n", sizeof("piped\n") - 1);
	}
	return 0;
}
