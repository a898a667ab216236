// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * process_load minor|major|heap FILE: does known numbers of page faults and system calls between
 * two calls of munmap() with the lengths BEGIN and END, of unused memory. Prints what it did,
 * and what the kernel's counters of this thread say: software events of perf, and getrusage().
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BEGIN 0x7b000
#define END 0x7e000
#define PAGES 64
#define READ_PAGES 10
#define BEYOND 5 /* accesses behind the end of the file */

static long page;
static char *reserved; /* memory that is only there to be unmapped */
static sigjmp_buf jump;
static volatile char sink;

struct figures {
	uint64_t faults, minor, major, rusage_minor, rusage_major;
};

static int counters[3];

static void open_counters(void)
{
	static const uint64_t configs[] = { PERF_COUNT_SW_PAGE_FAULTS,
					    PERF_COUNT_SW_PAGE_FAULTS_MIN,
					    PERF_COUNT_SW_PAGE_FAULTS_MAJ };

	for (int i = 0; i < 3; i++) {
		struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
						.size = sizeof(attr),
						.config = configs[i] };

		counters[i] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
		if (counters[i] < 0) {
			perror("perf_event_open");
			exit(77);
		}
	}
}

static void read_figures(struct figures *figures)
{
	uint64_t *counts = &figures->faults;
	struct rusage usage;

	for (int i = 0; i < 3; i++)
		if (read(counters[i], &counts[i], sizeof(counts[i])) != sizeof(counts[i]))
			exit(1);
	getrusage(RUSAGE_SELF, &usage);
	figures->rusage_minor = (uint64_t)usage.ru_minflt;
	figures->rusage_major = (uint64_t)usage.ru_majflt;
}

static void mark_phase(size_t length)
{
	munmap(reserved, length);
}

static void on_sigbus(int signal)
{
	(void)signal;
	siglongjmp(jump, 1);
}

static char *map_pages(int fd, size_t pages)
{
	char *memory = mmap(NULL, pages * (size_t)page, PROT_READ | PROT_WRITE,
			    fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		exit(1);
	madvise(memory, pages * (size_t)page, fd < 0 ? MADV_NOHUGEPAGE : MADV_RANDOM);
	return memory;
}

/* Reads some pages, then writes all: of these, some are of the zero page before. */
static void do_minor(const char *file)
{
	char *memory = map_pages(-1, PAGES);

	(void)file;
	for (int i = 0; i < READ_PAGES; i++)
		sink = memory[i * page];
	for (int i = 0; i < PAGES; i++)
		memory[i * page] = 1;
	munmap(memory, PAGES * (size_t)page);
}

/* The file is not in the page cache. Its last pages are behind its end. */
static void do_major(const char *file)
{
	int fd = open(file, O_RDWR | O_CLOEXEC);
	char *memory = map_pages(fd, PAGES + BEYOND);

	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	for (int i = 0; i < PAGES; i++)
		sink = memory[i * page];
	for (volatile int i = 0; i < BEYOND; i++)
		if (!sigsetjmp(jump, 1))
			sink = memory[(PAGES + i) * page];
	munmap(memory, (PAGES + BEYOND) * (size_t)page);
	close(fd);
}

static void do_heap(const char *file)
{
	char *end = sbrk(0);

	(void)file;
	for (int i = 0; i < 100; i++) {
		char *memory = map_pages(-1, 3);

		memory[0] = 1;
		munmap(memory, 3 * (size_t)page);
	}
	for (int i = 1; i <= 20; i++) {
		if (brk(end + i * page))
			exit(1);
		end[(i - 1) * page] = 1;
	}
	if (brk(end))
		exit(1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*work)(const char *file);
	} loads[] = { { "minor", do_minor }, { "major", do_major }, { "heap", do_heap } };
	struct sigaction action = { .sa_handler = on_sigbus };
	struct figures before, after;
	void (*work)(const char *) = NULL;

	page = sysconf(_SC_PAGESIZE);
	for (int i = 0; argc == 3 && i < 3; i++)
		if (!strcmp(argv[1], loads[i].name))
			work = loads[i].work;
	if (!work)
		return 2;
	reserved = mmap(NULL, END, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (reserved == MAP_FAILED)
		return 1;
	sigaction(SIGBUS, &action, NULL);
	open_counters();
	/* once before, so that code and stack are in memory */
	work(argv[2]);
	read_figures(&after);
	mark_phase(1);
	read_figures(&before);
	mark_phase(BEGIN);
	work(argv[2]);
	mark_phase(END);
	read_figures(&after);
	printf("tid %d\nfaults %llu\nminor %llu\nmajor %llu\nrusage_minor %llu\nrusage_major %llu\n",
	       (int)getpid(), (unsigned long long)(after.faults - before.faults),
	       (unsigned long long)(after.minor - before.minor),
	       (unsigned long long)(after.major - before.major),
	       (unsigned long long)(after.rusage_minor - before.rusage_minor),
	       (unsigned long long)(after.rusage_major - before.rusage_major));
	return 0;
}
