// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * pages: writes to shared pages: SHARED private pages that a child has too, first in the child,
 * then in the parent, and ZERO pages that were only read before. Prints each area with its process.
 * pages hog: touches memory until it is killed; pages hog N: with an alarm after N seconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHARED 40
#define ZERO 30
#define HOG (256UL << 20)

static long page;

static volatile char *map_area(size_t size)
{
	volatile char *area =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	madvise((void *)area, size, MADV_NOHUGEPAGE);
	return area;
}

static void touch_pages(volatile char *area, int pages)
{
	for (int i = 0; i < pages; i++)
		area[i * page] = 1;
}

static int hog_memory(unsigned int seconds)
{
	volatile char *area = map_area(HOG);

	alarm(seconds);
	touch_pages(area, (int)(HOG / page));
	puts("all of it was there");
	return 1;
}

int main(int argc, char **argv)
{
	volatile char *shared, *zero;
	int status = 0;
	char sum = 0;
	pid_t child;

	page = sysconf(_SC_PAGESIZE);
	if (argc > 1)
		return hog_memory(argc > 2 ? (unsigned int)atoi(argv[2]) : 0);
	shared = map_area(SHARED * page);
	zero = map_area(ZERO * page);
	touch_pages(shared, SHARED);
	for (int i = 0; i < ZERO; i++)
		sum = (char)(sum + zero[i * page]);
	child = fork();
	if (!child) {
		touch_pages(shared, SHARED);
		_exit(sum);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		return 1;
	touch_pages(shared, SHARED);
	touch_pages(zero, ZERO);
	printf("child %d 0x%lx %d\n", child, (unsigned long)shared, SHARED);
	printf("parent %d 0x%lx %d\n", getpid(), (unsigned long)shared, SHARED);
	printf("zero %d 0x%lx %d\n", getpid(), (unsigned long)zero, ZERO);
	printf("page %ld\n", page);
	return 0;
}
