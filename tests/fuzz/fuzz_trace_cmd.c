// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A trace.dat, as kmemtrace-import reads it with libtracecmd: in a child process, since damage may
 * crash that library. A crash of the library is not an error here; a crash of our code is. With
 * $FUZZ_COVERAGE each child adds its coverage to the profile, which takes long.
 */
#include "config.h"

#include <errno.h>
#include <sanitizer/asan_interface.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fuzz/import.h"

#define CODE_LIBRARY 3 /* exit status of a child in which the library crashed */
#define CHILD_KB (1 << 20)
#define CHILD_SECONDS 20

/*
 * The counters of the edges that were run, which libFuzzer reads after each input: where they begin
 * and end. The compiler uses the names of these symbols itself, so that C cannot declare them.
 */
extern uint8_t *const fuzz_counters[2];
__asm__(".pushsection .data.rel.ro,\"aw\",@progbits\n"
	".balign 8\n"
	"fuzz_counters: .dc.a __start___sancov_cntrs, __stop___sancov_cntrs\n"
	".popsection\n");

int __llvm_profile_write_file(void);

static uint8_t *shared; /* the child's counters */

static size_t counter_bytes(void)
{
	return (size_t)(fuzz_counters[1] - fuzz_counters[0]);
}

/* Byte by byte: the sanitizer's memcpy() does not copy over its red zones. */
__attribute__((no_sanitize("address", "coverage"))) static void
copy_counters(volatile uint8_t *to, const volatile uint8_t *from)
{
	for (size_t i = 0; i < counter_bytes(); i++)
		to[i] = from[i];
}

__attribute__((noreturn)) static void end_child(int code)
{
	copy_counters(shared, fuzz_counters[0]);
	if (getenv("FUZZ_COVERAGE"))
		__llvm_profile_write_file();
	_exit(code);
}

/* The first line of a stack "#N" that is not of the sanitizer. */
static const char *find_culprit(const char *report)
{
	const char *line = strstr(report, "    #0 ");

	while (line) {
		size_t length = strcspn(line, "\n");

		if (!memmem(line, length, "__interceptor_", 14) &&
		    !memmem(line, length, "__asan", 6) && !memmem(line, length, "sanitizer", 9))
			return line;
		line = strstr(line + length, "    #");
	}
	return NULL;
}

static void on_report(const char *report)
{
	const char *line = find_culprit(report);

	if (line && memmem(line, strcspn(line, "\n"), "libtrace", 8))
		end_child(CODE_LIBRARY);
}

__attribute__((noreturn)) static void run_child(char *const *paths)
{
	__asan_set_error_report_callback(on_report);
	signal(SIGALRM, SIG_DFL);
	alarm(CHILD_SECONDS);
	fuzz_import(&source_trace_cmd, paths, 1);
	end_child(0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rusage usage;
	char *paths[1];
	pid_t child;
	int status;

	if (!shared)
		shared = mmap(NULL, counter_bytes(), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	FUZZ_EXPECT(shared != MAP_FAILED);
	copy_counters(shared, fuzz_counters[0]);
	fuzz_write("trace.dat", data, size);
	source_trace_cmd.is(data, size < SOURCE_PEEK ? size : SOURCE_PEEK);
	paths[0] = (char *)(uintptr_t)fuzz_path("trace.dat");
	child = fork();
	FUZZ_EXPECT(child >= 0);
	if (!child)
		run_child(paths);
	/* libFuzzer's timer interrupts it */
	while (wait4(child, &status, 0, &usage) < 0)
		FUZZ_EXPECT(errno == EINTR);
	copy_counters(fuzz_counters[0], shared);
	FUZZ_EXPECT(usage.ru_maxrss < CHILD_KB);
	FUZZ_EXPECT(WIFEXITED(status));
	FUZZ_EXPECT(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == CODE_LIBRARY);
	return 0;
}
