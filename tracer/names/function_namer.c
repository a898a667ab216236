// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The questions are lines "file NUMBER PID BUILD-ID INODE PATH" and "offset OFFSET". A file that
 * crashes its reader, or keeps it busy, loses its own names only.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/worker.h"
#include "kernel/user_symbols.h"
#include "tracer/host/elf_names.h"
#include "tracer/names/user_stacks.h"
#include "tracer/system/confine.h"

#define DEBUG_DIRECTORY "/usr/lib/debug"
#define READER_SECONDS 10
#define SECONDS 60
#define READER_MEMORY ((rlim_t)2 << 30)
#define ANSWER_MAX (64 << 20)

struct name_question {
	uint32_t number, pid;
	char build_id[64];
	uint64_t inode;
	char path[PATH_MAX];
	uint64_t *offsets;
	size_t count;
};

/* The text of a memory file: a new string, or NULL. */
static char *read_memory(int fd)
{
	struct stat about;
	size_t size;
	char *text;
	ssize_t got;

	if (fstat(fd, &about) || about.st_size > ANSWER_MAX)
		return NULL;
	size = (size_t)about.st_size;
	text = malloc(size + 1);
	got = text ? pread(fd, text, size, 0) : -1;
	if (got < 0) {
		free(text);
		return NULL;
	}
	text[got] = '\0';
	return text;
}

/* In the reader of one file: gives up everything but the two files and the debug directory. */
static int confine_reader(int file, int result)
{
	const struct rlimit memory = { READER_MEMORY, READER_MEMORY };
	const struct rlimit answer = { ANSWER_MAX, ANSWER_MAX };
	const struct confine_calls calls = { 0 };
	struct confinement confinement;
	int kept[] = { file, result }, err;

	alarm(READER_SECONDS);
	worker_close_others(kept, sizeof(kept) / sizeof(*kept));
	if (setrlimit(RLIMIT_AS, &memory) || setrlimit(RLIMIT_FSIZE, &answer))
		return -errno;
	confinement_open(&confinement);
	err = confinement_allow_reading(&confinement, DEBUG_DIRECTORY);
	if (!err)
		err = confine_thread(&confinement, 0);
	if (!err)
		confine_calls(&confinement, &calls);
	return err;
}

static void read_in_child(const struct name_question *question, int fd, int result)
{
	FILE *out = fdopen(result, "w");
	int err = out ? confine_reader(fd, result) : -ENOMEM;

	if (!err)
		err = elf_names_write(out, fd, question->build_id, DEBUG_DIRECTORY,
				      question->number, question->offsets, question->count);
	if (!out || fflush(out))
		err = -EIO;
	_exit(err ? 1 : 0);
}

/* Checks the answer of a reader: a hostile file may have taken the reader over. */
static void copy_answer(const struct name_question *question, int result, FILE *answers)
{
	__attribute__((cleanup(free_text))) char *text = read_memory(result);
	struct user_symbols symbols;

	if (!text || user_symbols_parse(&symbols, text))
		return;
	for (size_t i = 0; i < symbols.function_count; i++)
		if (symbols.functions[i].file == question->number)
			user_function_write(answers, question->number, symbols.functions[i].begin,
					    symbols.functions[i].end,
					    texts_get(&symbols.strings, symbols.functions[i].name));
	user_symbols_deinit(&symbols);
}

/* False: the path is not this file. */
static bool read_names(const struct name_question *question, const char *path, FILE *answers)
{
	int result, status = 1, fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat about;
	pid_t child;

	if (fd < 0)
		return false;
	/* a file whose build id is not known has to be the same file */
	if (fstat(fd, &about) || !S_ISREG(about.st_mode) ||
	    (!strcmp(question->build_id, "-") && about.st_ino != question->inode)) {
		close(fd);
		return false;
	}
	result = memfd_create("kmemtraced names", MFD_CLOEXEC);
	child = result < 0 ? -1 : fork();
	if (!child)
		read_in_child(question, fd, result);
	if (child > 0)
		status = worker_wait(child);
	if (child > 0 && !status)
		copy_answer(question, result, answers);
	if (result >= 0)
		close(result);
	close(fd);
	return !status;
}

/*
 * The path is below the root directory of the process, which may be another one than ours. Looks
 * there first: our file system may have another file with this path and inode. Looks in ours if the
 * process has ended.
 */
static void answer_question(struct name_question *question, FILE *answers)
{
	char path[PATH_MAX + 64];

	if (*question->path == '/' && question->count) {
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/root%s", question->pid,
			 question->path);
		if (!read_names(question, path, answers))
			read_names(question, question->path, answers);
	}
	free(question->offsets);
	question->offsets = NULL;
	question->count = 0;
}

static void add_offset(struct name_question *question, struct line *line)
{
	uint64_t *offsets =
		array_grow(question->offsets, question->count, sizeof(*question->offsets));

	if (!offsets)
		return;
	question->offsets = offsets;
	if (line_u64(line, 16, &offsets[question->count]))
		question->count++;
}

static void answer_all(const char *text, FILE *answers)
{
	struct name_question *question = calloc(1, sizeof(*question));
	struct line line;

	while (question && line_next(&line, &text)) {
		if (line_key(&line, "offset")) {
			add_offset(question, &line);
		} else if (line_key(&line, "file")) {
			answer_question(question, answers);
			line_u32(&line, &question->number);
			line_u32(&line, &question->pid);
			line_word(&line, question->build_id, sizeof(question->build_id));
			line_u64(&line, 10, &question->inode);
			line_rest(&line, question->path, sizeof(question->path));
		}
	}
	if (question)
		answer_question(question, answers);
	free(question);
}

/* The process that waits: it needs to open the files of all processes, and nothing else. */
static int answer_questions(int go, int questions, int answers)
{
	struct confinement confinement = { .ruleset = -1 };
	__attribute__((cleanup(free_text))) char *text = NULL;
	int kept[] = { go, questions, answers }, null = open("/dev/null", O_RDWR | O_CLOEXEC);
	FILE *out = fdopen(answers, "w");
	char byte;

	/* a pipe at standard output ends only when each process has closed it */
	worker_ignore_signals();
	signal(SIGALRM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	/* the keeper waits for the end of its pipe */
	worker_close_others(kept, sizeof(kept) / sizeof(*kept));
	if (!out ||
	    confine_thread(&confinement, 1ULL << CAP_DAC_READ_SEARCH | 1ULL << CAP_SYS_PTRACE))
		return 1;
	if (read(go, &byte, 1) != 1)
		return 0;
	alarm(SECONDS);
	text = read_memory(questions);
	if (!text)
		return 1;
	answer_all(text, out);
	return fflush(out) ? 1 : 0;
}

int function_namer_start(struct function_namer *namer)
{
	int go[2] = { -1, -1 }, err = 0, questions;

	*namer = (struct function_namer){ .go = -1, .answers = -1 };
	questions = memfd_create("kmemtraced questions", MFD_CLOEXEC);
	namer->questions = questions < 0 ? NULL : fdopen(questions, "w");
	namer->answers = memfd_create("kmemtraced answers", MFD_CLOEXEC);
	if (!namer->questions || namer->answers < 0 || pipe2(go, O_CLOEXEC))
		err = -errno;
	namer->go = go[1];
	if (!err)
		namer->pid = fork();
	if (!err && namer->pid < 0)
		err = -errno;
	if (!err && !namer->pid) {
		close(go[1]);
		_exit(answer_questions(go[0], questions, namer->answers));
	}
	if (go[0] >= 0)
		close(go[0]);
	if (err)
		function_namer_close(namer);
	return err;
}

int function_namer_ask_file(struct function_namer *namer, uint32_t number, uint32_t pid,
			    const char *text)
{
	char build_id[64];
	uint64_t inode = 0;
	int at = 0;

	sscanf(text, "%63s %" SCNu64 " %n", build_id, &inode, &at);
	fprintf(namer->questions, "file %" PRIu32 " %" PRIu32 " %s %" PRIu64 " ", number, pid,
		build_id, inode);
	text_write_rest(namer->questions, text + at);
	putc('\n', namer->questions);
	return text_write_result(namer->questions);
}

int function_namer_ask_offset(struct function_namer *namer, uint64_t offset)
{
	fprintf(namer->questions, "offset %" PRIx64 "\n", offset);
	return text_write_result(namer->questions);
}

int function_namer_answer(struct function_namer *namer, char **text)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	int status = 0, waited = 0;
	pid_t ended = 0;

	/* EPIPE: it has ended */
	if (fflush(namer->questions) || (write(namer->go, "", 1) != 1 && errno != EPIPE))
		return -errno;
	while (!ended && waited++ < SECONDS * 200) {
		nanosleep(&pause, NULL);
		ended = waitpid(namer->pid, &status, WNOHANG);
	}
	if (!ended)
		return -ETIMEDOUT;
	namer->pid = 0;
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGALRM)
		return -ECHILD;
	if (ended < 0 || status)
		return -EIO;
	*text = read_memory(namer->answers);
	return *text ? 0 : -ENOMEM;
}

void function_namer_close(struct function_namer *namer)
{
	if (namer->questions)
		fclose(namer->questions);
	if (namer->answers >= 0)
		close(namer->answers);
	if (namer->go >= 0)
		close(namer->go);
	*namer = (struct function_namer){ .go = -1, .answers = -1 };
}
