// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs a command, one of whose system calls fails, as with a failing disk: also those that
 *libraries make. The calls of all its threads count, from its entry point on, but not those of its
 *children.
 *
 *	inject CALL N ERROR MARK COMMAND…
 *
 * The N-th call of CALL fails with ERROR, as EIO; or, with KILL, the process is killed before it.
 * When that call comes, the file MARK is created. With N = 0 no call fails, and MARK gets their
 * number. Exits as the command does; if a signal ended that, with 128 + its number. 77: this
 *machine or kernel cannot do it.
 */
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __x86_64__
#include <sys/user.h>

#define KILL_INSTEAD (-1)
#define NUMBERS_MAX 4

static const struct kind {
	const char *name;
	long numbers[NUMBERS_MAX]; /* -1: no more */
} kinds[] = {
	{ "bpf", { SYS_bpf, -1 } },
	{ "close", { SYS_close, -1 } },
	{ "fallocate", { SYS_fallocate, -1 } },
	{ "flock", { SYS_flock, -1 } },
	{ "getdents", { SYS_getdents64, -1 } },
	{ "mkdir", { SYS_mkdir, SYS_mkdirat, -1 } },
	{ "mmap", { SYS_mmap, SYS_mremap, -1 } },
	{ "open", { SYS_open, SYS_openat, -1 } },
	{ "read", { SYS_read, SYS_pread64, -1 } },
	{ "readlink", { SYS_readlink, SYS_readlinkat, -1 } },
	{ "rename", { SYS_rename, SYS_renameat, SYS_renameat2, -1 } },
	{ "stat", { SYS_stat, SYS_fstat, SYS_newfstatat, -1 } },
	{ "thread", { SYS_clone, SYS_clone3, -1 } },
	{ "truncate", { SYS_ftruncate, -1 } },
	{ "unlink", { SYS_unlink, SYS_unlinkat, -1 } },
	{ "write", { SYS_write, SYS_pwrite64, SYS_writev, -1 } },
};

struct injection {
	const struct kind *kind;
	long call; /* that fails */
	long calls;
	int error;
	const char *mark;
	pid_t failing; /* the thread that is in the failing call; 0: none */
	bool done;
};

static void quit_with(const char *what)
{
	fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
	exit(errno == EPERM || errno == ENOSYS ? 77 : 99);
}

static void write_mark(const struct injection *injection, const char *text)
{
	FILE *mark = fopen(injection->mark, "we");

	if (!mark || fputs(text, mark) < 0 || fclose(mark))
		quit_with(injection->mark);
}

/* The address where the program begins, after ld.so has loaded its libraries. */
static unsigned long entry_point(pid_t pid)
{
	char path[64];
	Elf64_auxv_t value = { 0 };
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/auxv", pid);
	file = fopen(path, "re");
	while (file && value.a_type != AT_ENTRY && fread(&value, sizeof(value), 1, file) == 1)
		;
	if (!file || value.a_type != AT_ENTRY)
		quit_with(path);
	fclose(file);
	return value.a_un.a_val;
}

/* Lets the loader work; the process has stopped in its exec. */
static void run_to_entry(pid_t pid)
{
	unsigned long entry = entry_point(pid);
	struct user_regs_struct registers;
	long code;
	int status;

	errno = 0;
	code = ptrace(PTRACE_PEEKTEXT, pid, entry, 0);
	if (errno || ptrace(PTRACE_POKETEXT, pid, entry, (code & ~0xffL) | 0xcc))
		quit_with("ptrace of the entry point");
	if (ptrace(PTRACE_CONT, pid, 0, 0) || waitpid(pid, &status, 0) != pid)
		quit_with("ptrace");
	if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP) {
		fprintf(stderr, "inject: the program did not begin: status %#x\n",
			(unsigned int)status);
		exit(99);
	}
	if (ptrace(PTRACE_GETREGS, pid, 0, &registers))
		quit_with("ptrace");
	registers.rip = entry;
	if (ptrace(PTRACE_SETREGS, pid, 0, &registers) || ptrace(PTRACE_POKETEXT, pid, entry, code))
		quit_with("ptrace");
}

static bool is_of_kind(const struct kind *kind, long number)
{
	for (size_t i = 0; i < NUMBERS_MAX && kind->numbers[i] >= 0; i++)
		if (kind->numbers[i] == number)
			return true;
	return false;
}

/*
 * A call begins. The one that shall fail gets arguments with which it does nothing: a filter of
 * system calls (seccomp), which comes after this, sees the same number.
 */
static void enter_call(struct injection *injection, pid_t thread)
{
	struct user_regs_struct registers;

	if (ptrace(PTRACE_GETREGS, thread, 0, &registers))
		return; /* it was killed */
	if (!is_of_kind(injection->kind, (long)registers.orig_rax) ||
	    ++injection->calls != injection->call)
		return;
	write_mark(injection, "failed\n");
	injection->done = true;
	if (injection->error == KILL_INSTEAD) {
		kill(thread, SIGKILL);
		return;
	}
	injection->failing = thread;
	registers.rdi = (unsigned long)-1;
	registers.rsi = registers.rdx = registers.r10 = 0;
	registers.r8 = (unsigned long)-1;
	ptrace(PTRACE_SETREGS, thread, 0, &registers);
}

static void leave_call(struct injection *injection, pid_t thread)
{
	struct user_regs_struct registers;

	injection->failing = 0;
	if (ptrace(PTRACE_GETREGS, thread, 0, &registers))
		return;
	registers.rax = (unsigned long)-injection->error;
	ptrace(PTRACE_SETREGS, thread, 0, &registers);
}

/* A thread has stopped at a system call. */
static void handle_call(struct injection *injection, pid_t thread)
{
	struct __ptrace_syscall_info about = { 0 };

	if (injection->failing == thread)
		leave_call(injection, thread);
	else if (!injection->done &&
		 ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof(about), &about) > 0 &&
		 about.op == PTRACE_SYSCALL_INFO_ENTRY)
		enter_call(injection, thread);
}

/* Returns the wait status of the process. */
static int run_process(struct injection *injection, pid_t pid)
{
	int status, result = -1;
	pid_t thread;

	if (ptrace(PTRACE_SYSCALL, pid, 0, 0))
		quit_with("ptrace");
	while ((thread = waitpid(-1, &status, __WALL)) > 0) {
		int signal_number = WSTOPSIG(status);

		if (!WIFSTOPPED(status)) {
			if (thread == pid)
				result = status;
			continue;
		}
		if (signal_number == (SIGTRAP | 0x80))
			handle_call(injection, thread);
		/* a thread stops when it makes another one, which begins with a stop, too */
		if ((signal_number & 0x7f) == SIGTRAP || signal_number == SIGSTOP)
			signal_number = 0;
		/* after the call, the threads run at full speed */
		ptrace(injection->done && !injection->failing ? PTRACE_DETACH : PTRACE_SYSCALL,
		       thread, 0, signal_number);
	}
	return result;
}

static pid_t start_command(char **command)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0))
			quit_with("ptrace");
		raise(SIGSTOP);
		execvp(command[0], command);
		quit_with(command[0]);
	}
	if (pid < 0)
		quit_with("fork");
	if (waitpid(pid, &status, 0) != pid)
		quit_with("waitpid");
	if (!WIFSTOPPED(status))
		exit(WEXITSTATUS(status));
	if (ptrace(PTRACE_SETOPTIONS, pid, 0,
		   PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
			   PTRACE_O_EXITKILL) ||
	    ptrace(PTRACE_CONT, pid, 0, 0) || waitpid(pid, &status, 0) != pid)
		quit_with("ptrace");
	if (!WIFSTOPPED(status))
		exit(WEXITSTATUS(status));
	return pid;
}

static const struct kind *find_kind(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	fprintf(stderr, "inject: %s: unknown\n", name);
	exit(99);
}

static int find_error(const char *name)
{
	if (!strcmp(name, "KILL"))
		return KILL_INSTEAD;
	for (int error = 1; error < 134; error++)
		if (strerrorname_np(error) && !strcmp(strerrorname_np(error), name))
			return error;
	fprintf(stderr, "inject: %s: unknown\n", name);
	exit(99);
}

int main(int argc, char **argv)
{
	struct injection injection = { 0 };
	char text[32];
	pid_t pid;
	int status;

	if (argc < 6)
		return 99;
	injection.kind = find_kind(argv[1]);
	injection.call = atol(argv[2]);
	injection.error = find_error(argv[3]);
	injection.mark = argv[4];
	pid = start_command(argv + 5);
	run_to_entry(pid);
	status = run_process(&injection, pid);
	if (!injection.call) {
		snprintf(text, sizeof(text), "%ld\n", injection.calls);
		write_mark(&injection, text);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

#else

int main(void)
{
	fprintf(stderr, "inject: it knows the registers of x86_64 only\n");
	return 77;
}
#endif
