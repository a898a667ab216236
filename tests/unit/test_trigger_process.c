// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The process of --trigger-command: what the command gets, its failures, and the end; and the
 * descriptors that such a process keeps.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"
#include "tracer/pieces/trigger_process.h"

struct scene {
	char *folder, *output, *command;
	struct saved_process_state saved;
	struct worker process;
};

/* command: with %s for the path of a file in the folder. */
static void open_process_scene(struct scene *scene, const char *command, const char *path)
{
	struct trigger_process_settings settings = {
		.path = path,
		.saved = &scene->saved,
		.other_pipes = { -1, -1 },
		.dump = { .set = -1, .path = "/nowhere/set" },
	};

	memset(scene, 0, sizeof(*scene));
	getrlimit(RLIMIT_NOFILE, &scene->saved.files);
	scene->folder = scratch_directory();
	scene->output = scratch_path(scene->folder, "out");
	assert_true(asprintf(&scene->command, command, scene->output) > 0);
	settings.command = scene->command;
	assert_int_equal(trigger_process_start(&scene->process, &settings), 0);
}

static void close_process_scene(struct scene *scene)
{
	worker_close(&scene->process);
	assert_int_equal(scene->process.requests, -1);
	scratch_remove(scene->folder);
	free(scene->output);
	free(scene->command);
}

static struct trigger_answer next_answer(struct scene *scene)
{
	struct trigger_answer answer;
	unsigned int polls = 0;

	while (!trigger_process_answer(&scene->process, &answer))
		scratch_wait(&polls);
	return answer;
}

static struct trigger_answer answer_of(struct scene *scene, const struct trigger_request *request)
{
	assert_true(trigger_process_request(&scene->process, request));
	return next_answer(scene);
}

static void assert_output(const struct scene *scene, const char *expected)
{
	size_t size;
	char *text = (char *)scratch_read(scene->output, &size);

	if (size != strlen(expected) || memcmp(text, expected, size))
		fail_msg("%.*s", (int)size, text);
	free(text);
}

static void command_gets_path_and_variables(void **state)
{
	static const struct trigger_request kill = {
		.trigger = "oom", .message = "a $message", .victim = 7, .victim_name = "hog"
	};
	static const struct trigger_request live = { .trigger = "live > 1", .message = "m" };
	struct trigger_answer answer;
	struct scene scene;

	(void)state;
	open_process_scene(
		&scene,
		"(env | sed -n 's/^KMEMTRACE_\\([MPTV]\\)/\\1/p' | sort; cat; echo $#) >%s; "
		"printf '%%s\\n' >&2",
		"/a path");
	answer = answer_of(&scene, &kill);
	assert_string_equal(answer.trigger, "oom");
	assert_int_equal(answer.err, 0);
	assert_int_equal(answer.status, 0);
	assert_output(&scene, "MESSAGE=a $message\nPATH=/a path\nTRIGGER=oom\nVICTIM=7\n"
			      "VICTIM_NAME=hog\n1\n");
	answer = answer_of(&scene, &live);
	assert_string_equal(answer.trigger, "live > 1");
	assert_output(&scene, "MESSAGE=m\nPATH=/a path\nTRIGGER=live > 1\n1\n");
	close_process_scene(&scene);
	/* without a capture there is no path */
	open_process_scene(&scene, "echo ${KMEMTRACE_PATH-none} $# >%s; :", NULL);
	answer_of(&scene, &live);
	assert_output(&scene, "none 0\n");
	close_process_scene(&scene);
}

/* A kmemtraced that was taken over may send any bytes. */
static void texts_of_a_request_end(void **state)
{
	struct trigger_request request = { .victim = 7 };
	struct trigger_answer answer;
	struct scene scene;
	char expected[80];

	(void)state;
	memset(request.trigger, 't', sizeof(request.trigger));
	memset(request.message, 'm', sizeof(request.message));
	memset(request.victim_name, 'v', sizeof(request.victim_name));
	open_process_scene(
		&scene,
		"echo ${#KMEMTRACE_TRIGGER} ${#KMEMTRACE_MESSAGE} ${#KMEMTRACE_VICTIM_NAME} >%s; :",
		"/a path");
	answer = answer_of(&scene, &request);
	assert_int_equal(answer.status, 0);
	assert_int_equal(strlen(answer.trigger), sizeof(request.trigger) - 1);
	snprintf(expected, sizeof(expected), "%zu %zu %zu\n", sizeof(request.trigger) - 1,
		 sizeof(request.message) - 1, sizeof(request.victim_name) - 1);
	assert_output(&scene, expected);
	close_process_scene(&scene);
}

static void failures_are_answered(void **state)
{
	static const struct trigger_request request = { .trigger = "oom" };
	struct scene scene;
	int status;

	(void)state;
	open_process_scene(&scene, ": %s; exit 3 #", NULL);
	status = answer_of(&scene, &request).status;
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
	close_process_scene(&scene);
	open_process_scene(&scene, ": %s; kill -TERM $$; :", NULL);
	status = answer_of(&scene, &request).status;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
	close_process_scene(&scene);
}

/* There is no set, so the dump fails, and says so once: then the command is run for each trigger.
 */
static void triggers_of_one_piece_have_one_dump(void **state)
{
	static const struct trigger_request request = { .trigger = "oom", .last_piece = 5 };
	struct trigger_answer answer;
	unsigned int polls = 0;
	struct scene scene;
	int status = -1;

	(void)state;
	open_process_scene(&scene, "echo >>%s; :", "/nowhere");
	assert_int_not_equal(answer_of(&scene, &request).err, 0);
	assert_int_equal(next_answer(&scene).err, 0);
	assert_int_equal(answer_of(&scene, &request).err, 0);
	while (!trigger_process_ends(&scene.process, &status))
		scratch_wait(&polls);
	assert_false(trigger_process_answer(&scene.process, &answer));
	assert_output(&scene, "\n\n");
	close_process_scene(&scene);
}

/* They are run one after the other, also after kmemtraced sends no more. */
static void waiting_commands_are_run_at_the_end(void **state)
{
	static const struct trigger_request request = { .trigger = "oom" };
	struct trigger_answer answer;
	unsigned int polls = 0;
	struct scene scene;
	int status = -1, sent = 0, answers = 0;
	size_t size;

	(void)state;
	/* the first command waits until all have been sent: paced: it only looks again */
	open_process_scene(&scene,
			   "until [ -e %1$s.sent ]; do sleep 0.01; done; echo >>%1$s; :", NULL);
	/* more than a pipe has room for are refused, and nothing waits */
	while (sent < 10000 && trigger_process_request(&scene.process, &request))
		sent++;
	assert_in_range(sent, 10, 9999);
	scratch_put(scene.folder, "out.sent", "");
	while (!trigger_process_ends(&scene.process, &status)) {
		while (trigger_process_answer(&scene.process, &answer))
			answers++;
		scratch_wait(&polls);
	}
	assert_int_equal(scene.process.pid, 0);
	assert_int_equal(status, 0);
	while (trigger_process_answer(&scene.process, &answer))
		answers++;
	assert_int_equal(answers, sent);
	free(scratch_read(scene.output, &size));
	assert_int_equal(size, sent);
	close_process_scene(&scene);
}

/* In a child: the descriptors from 0 to 15 that are open afterwards, as bits. */
static int open_after_closing(int *kept, size_t count)
{
	pid_t child = fork();
	int open_bits = 0, status;

	assert_true(child >= 0);
	if (!child) {
		for (int fd = 0; fd < 16; fd++)
			dup2(STDERR_FILENO, fd);
		worker_close_others(kept, count);
		for (int fd = 0; fd < 16; fd++)
			open_bits |= fcntl(fd, F_GETFD) >= 0 ? 1 << fd : 0;
		_exit((open_bits & 7) == 7 && !(open_bits & 0xf000) ? open_bits >> 4 & 0xff : 0);
	}
	status = worker_wait(child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status) << 4;
}

static void a_worker_keeps_the_descriptors_that_it_names(void **state)
{
	(void)state;
	assert_int_equal(open_after_closing((int[]){ 7, 5 }, 2), 1 << 5 | 1 << 7);
	/* none, and two that it keeps anyway */
	assert_int_equal(open_after_closing((int[]){ 6, -1, 0, 2 }, 4), 1 << 6);
	assert_int_equal(open_after_closing((int[]){ 11, 8, 8 }, 3), 1 << 8 | 1 << 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_keeps_the_descriptors_that_it_names),
		cmocka_unit_test(command_gets_path_and_variables),
		cmocka_unit_test(texts_of_a_request_end),
		cmocka_unit_test(failures_are_answered),
		cmocka_unit_test(triggers_of_one_piece_have_one_dump),
		cmocka_unit_test(waiting_commands_are_run_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
