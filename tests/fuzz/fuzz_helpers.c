// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The messages between kmemtraced and its processes, each read by the code of the other side: the
 * status of kmemtrace-ship and the report about it, the answers of the keeper and of the process of
 * triggers, and their requests, which these two serve here. The linker puts functions of the target
 * in the place of fork() and of all that changes the process.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd_message.h"
#include "capture/parts.h"
#include "tests/fuzz/fuzz.h"
#include "tracer/pieces/keeper.h"
#include "tracer/pieces/trigger_process.h"
#include "tracer/ship/shipper_report.h"
#include "tracer/system/confine.h"
#include "tracer/system/thread_list.h"

#define PIPE_BYTES 65536
#define REQUESTS_MAX 40
#define FIRST 3 /* the piece that kmemtraced writes at first */
#define LAST 9	/* of the set */

void confinement_open(struct confinement *confinement)
{
	*confinement = (struct confinement){ .ruleset = -1 };
}

void confinement_close(struct confinement *confinement)
{
	(void)confinement;
}

int confinement_allow(struct confinement *confinement, int directory, enum confine_use use)
{
	(void)confinement, (void)directory, (void)use;
	return 0;
}

int confinement_allow_reading(struct confinement *confinement, const char *path)
{
	(void)confinement, (void)path;
	return 0;
}

int confine_thread(const struct confinement *confinement, uint64_t capabilities)
{
	(void)confinement, (void)capabilities;
	return 0;
}

void process_state_restore(const struct saved_process_state *saved)
{
	(void)saved;
}

pid_t __wrap_fork(void);
int __wrap_prctl(int option, ...);
int __wrap_setpriority(int which, id_t who, int priority);
int __wrap_dup2(int from, int to);
void __wrap_worker_ignore_signals(void);
int __wrap_worker_start(struct worker *worker, int (*work)(void *data, int requests, int answers),
			void *data);
int __wrap_thread_list_read(struct thread_list *list);
void *__real_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);

pid_t __wrap_fork(void)
{
	errno = EAGAIN;
	return -1;
}

int __wrap_prctl(int option, ...)
{
	(void)option;
	return 0;
}

int __wrap_setpriority(int which, id_t who, int priority)
{
	(void)which, (void)who, (void)priority;
	return 0;
}

int __wrap_dup2(int from, int to)
{
	(void)from;
	return to;
}

void __wrap_worker_ignore_signals(void)
{
}

/* The work is done at once, with the descriptors that the worker has already. */
int __wrap_worker_start(struct worker *worker, int (*work)(void *data, int requests, int answers),
			void *data)
{
	return work(data, worker->requests, worker->answers);
}

int __wrap_thread_list_read(struct thread_list *list)
{
	*list = (struct thread_list){ 0 };
	return -EPERM;
}

/* The process of triggers keeps the memory of its answers until it ends. */
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	static struct trigger_answer answer;

	if (flags == (MAP_SHARED | MAP_ANONYMOUS) && size == sizeof(answer))
		return &answer;
	return __real_mmap(address, size, protection, flags, fd, offset);
}

static void expect_text(const char *text, size_t size)
{
	FUZZ_EXPECT(memchr(text, 0, size));
}

static void take_status(struct fuzz_input *input)
{
	struct shipper_report report = { 0 };

	do {
		uint64_t last_sent = report.last_sent;
		struct fuzz_input part;
		char *text;

		part.at = fuzz_part(input, &part.left);
		text = fuzz_text(&part);
		shipper_report_parse(&report, text);
		expect_text(report.failure, sizeof(report.failure));
		FUZZ_EXPECT(report.last_sent || !last_sent);
		free(text);
	} while (input->left);
}

/* Each message replaces the report, if it has its size. */
static void receive_reports(struct fuzz_input *input)
{
	/* on the heap, where the sanitizer sees a read behind it */
	struct shipper_report *report = calloc(1, sizeof(*report));
	size_t size, right = 0, received = 0;
	int sockets[2];

	FUZZ_EXPECT(report && !socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
					  sockets));
	while (input->left) {
		const uint8_t *part = fuzz_part(input, &size);

		if (send(sockets[0], part, size, MSG_NOSIGNAL) != (ssize_t)size)
			break;
		right += size >= sizeof(*report);
		/* the end of the messages is as long as an empty one */
		while (size && shipper_report_receive(report, sockets[1])) {
			expect_text(report->failure, sizeof(report->failure));
			received++;
		}
	}
	FUZZ_EXPECT(received == right);
	close(sockets[0]);
	close(sockets[1]);
	free(report);
}

/* A pipe with these bytes, whose writer has ended. */
static int open_pipe(const struct fuzz_input *input)
{
	size_t size = input->left < PIPE_BYTES ? input->left : PIPE_BYTES;
	int ends[2];

	FUZZ_EXPECT(!pipe2(ends, O_CLOEXEC | O_NONBLOCK));
	FUZZ_EXPECT(write(ends[1], input->at, size) == (ssize_t)size);
	close(ends[1]);
	return ends[0];
}

static void take_text(const char *text)
{
	expect_text(text, sizeof(((struct keeper_answer *)NULL)->text));
}

static void read_keeper_answers(const struct fuzz_input *input)
{
	struct keeper keeper = { .worker = { .requests = -1, .answers = open_pipe(input) } };

	FUZZ_EXPECT(keeper_read(&keeper, take_text) == -ECHILD);
	FUZZ_EXPECT(keeper.partial_size == input->left % sizeof(struct keeper_answer) ||
		    input->left > PIPE_BYTES);
	FUZZ_EXPECT(keeper.worker.answers == -1);
}

static void read_trigger_answers(const struct fuzz_input *input)
{
	struct worker process = { .requests = -1, .answers = open_pipe(input) };
	struct trigger_answer answer;
	size_t count = 0;

	for (; trigger_process_answer(&process, &answer); count++) {
		expect_text(answer.trigger, sizeof(answer.trigger));
		expect_text(answer.path, sizeof(answer.path));
		expect_text(answer.error.text, sizeof(answer.error.text));
	}
	FUZZ_EXPECT(input->left > PIPE_BYTES || count == input->left / sizeof(answer));
	worker_close(&process);
}

static void make_set(void)
{
	char name[64];

	fuzz_empty("set");
	for (unsigned int piece = 1; piece <= LAST; piece += piece < FIRST ? 1 : LAST - FIRST) {
		snprintf(name, sizeof(name), "set/piece.%06u", piece);
		fuzz_make(name);
		snprintf(name, sizeof(name), "set/piece.%06u/cpu0", piece);
		fuzz_write(name, "x", 1);
	}
}

/* The first piece that kmemtraced never said to have ended. */
static unsigned int find_unfinished(const struct fuzz_input *input)
{
	unsigned int first = FIRST;
	struct keeper_request request;

	for (size_t i = 0; i < input->left / sizeof(request); i++) {
		memcpy(&request, input->at + i * sizeof(request), sizeof(request));
		if (request.kind == KEEPER_ENDED && request.piece + 1 > first)
			first = request.piece + 1;
	}
	return first;
}

/* It ends, and removes no piece that is being written. */
static void serve_keeper(struct fuzz_input *input)
{
	unsigned int how = fuzz_byte(input), kept = find_unfinished(input), *numbers;
	struct keeper_settings settings = {
		.first = FIRST,
		.max_files = how % 4,
		.has_max_disk = how & 4,
		.dumps = { .parent = -1 },
	};
	size_t count, found = 0;
	int requests, answers;
	struct fuzz_input some = *input;

	if (some.left > REQUESTS_MAX * sizeof(struct keeper_request))
		some.left = REQUESTS_MAX * sizeof(struct keeper_request);
	make_set();
	settings.set = open(fuzz_path("set"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	requests = open_pipe(&some);
	answers = open("/dev/null", O_WRONLY | O_CLOEXEC);
	FUZZ_EXPECT(settings.set >= 0 && answers >= 0);
	FUZZ_EXPECT(!keeper_work(&settings, requests, answers));
	FUZZ_EXPECT(!parts_list_pieces_at(settings.set, &numbers, &count));
	for (size_t i = 0; i < count; i++)
		found += numbers[i] >= kept;
	FUZZ_EXPECT(found == (size_t)(kept <= FIRST) + (kept <= LAST));
	free(numbers);
	close(settings.set);
	close(requests);
	close(answers);
}

/* An answer for each command, whose trigger is the request's. */
static void serve_triggers(struct fuzz_input *input)
{
	struct saved_process_state saved = { 0 };
	struct trigger_process_settings settings = { .path = "/nowhere",
						     .saved = &saved,
						     .dump = { .set = -1 },
						     .other_pipes = { -1, -1 } };
	struct trigger_answer answer;
	struct worker process;
	int ends[2];

	settings.command = fuzz_byte(input) & 1 ? "true" : NULL;
	FUZZ_EXPECT(!pipe2(ends, O_CLOEXEC | O_NONBLOCK));
	process = (struct worker){ .requests = open_pipe(input), .answers = ends[1] };
	FUZZ_EXPECT(!trigger_process_start(&process, &settings));
	worker_close(&process);
	process = (struct worker){ .requests = -1, .answers = ends[0] };
	while (trigger_process_answer(&process, &answer))
		FUZZ_EXPECT(answer.err && strlen(answer.trigger) < TRIGGER_LENGTH);
	worker_close(&process);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };

	switch (fuzz_byte(&input) % 6) {
	case 0:
		take_status(&input);
		break;
	case 1:
		receive_reports(&input);
		break;
	case 2:
		read_keeper_answers(&input);
		break;
	case 3:
		read_trigger_answers(&input);
		break;
	case 4:
		serve_keeper(&input);
		break;
	default:
		serve_triggers(&input);
	}
	return 0;
}
