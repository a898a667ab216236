// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Files that a program keeps for itself: the state of kmemtrace-ship, the status of kmemtraced,
 * checkpoint/state; and messages of another process.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/checkpoint_state.h"
#include "fleet/clickhouse/credentials.h"
#include "fleet/ship/accepted.h"
#include "fleet/ship/files.h"
#include "fleet/ship/receive.h"
#include "fleet/summary/summary_file.h"
#include "tests/fuzz/fuzz.h"
#include "tracer/status_file.h"

#define URL "clickhouse://server:8123/fleet"
#define STATE "state"
#define STATUS "status.1"

/* A saved state is read as the same. */
static void read_ship_state(const struct fuzz_input *input)
{
	char path[300];
	struct accepted accepted, again;
	size_t sources;
	int err;

	fuzz_write(STATE, input->at, input->left);
	snprintf(path, sizeof(path), "%s", fuzz_path(STATE));
	err = accepted_open(&accepted, path, URL);
	FUZZ_EXPECT(!err || *accepted.errmsg);
	FUZZ_EXPECT(!err || err == -EBADMSG || err == -EINVAL);
	sources = accepted.set.source_count;
	if (!err)
		accepted_save(&accepted);
	accepted_close(&accepted);
	if (err)
		return;
	FUZZ_EXPECT(!accepted_open(&again, path, URL));
	FUZZ_EXPECT(again.set.source_count == sources);
	accepted_close(&again);
}

static void read_daemon_status(const struct fuzz_input *input)
{
	struct daemon_status status;
	int directory = open(fuzz_path("."), O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;

	FUZZ_EXPECT(directory >= 0);
	fuzz_write(STATUS, input->at, input->left);
	err = status_file_read(directory, STATUS, &status);
	if (!err)
		daemon_status_deinit(&status);
	close(directory);
}

static void read_checkpoint_state(const char *text)
{
	struct checkpoint_state state;
	int err = checkpoint_state_parse(&state, text);
	uint64_t first;

	FUZZ_EXPECT(!err || err == -EBADMSG || err == -EPROTONOSUPPORT);
	if (err)
		return;
	FUZZ_EXPECT(state.begin);
	for (size_t i = 0; i < state.number_count && i < 100; i++)
		FUZZ_EXPECT(checkpoint_state_find_number(&state, state.numbers[i].cpu, &first));
	for (size_t i = 0; i < state.cache_count && i < 100; i++)
		checkpoint_state_missed_frees(&state, state.caches[i].name);
	checkpoint_state_deinit(&state);
}

#define FILES_MAX 3

/* Sends a message, which may bring files: its last byte says how many. */
static void send_files(int socket, const uint8_t *part, size_t size, int file)
{
	struct iovec bytes = { (void *)(uintptr_t)part, size > 20000 ? 20000 : size };
	size_t count = size ? part[bytes.iov_len - 1] % (FILES_MAX + 1) : 0;
	char control[CMSG_SPACE(FILES_MAX * sizeof(int))] = "";
	struct msghdr message = { .msg_iov = &bytes, .msg_iovlen = 1 };
	int files[FILES_MAX] = { file, file, file };
	struct cmsghdr *header;

	if (count) {
		message.msg_control = control;
		message.msg_controllen = CMSG_SPACE(count * sizeof(int));
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(header), files, count * sizeof(int));
	}
	sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static int lowest_free_fd(void)
{
	int fd = dup(STDERR_FILENO);

	FUZZ_EXPECT(fd >= 0);
	close(fd);
	return fd;
}

/* The messages to kmemtrace-ship, which leaves no file open. */
static void read_messages(struct fuzz_input *input)
{
	struct clickhouse_credentials credentials;
	struct ship_files files = { 0 };
	int sockets[2], free_fd = lowest_free_fd(), file, err;

	fuzz_write(STATE, "", 0);
	FUZZ_EXPECT(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets));
	file = open(fuzz_path(STATE), O_RDONLY | O_CLOEXEC);
	FUZZ_EXPECT(file >= 0);
	for (int i = 0; i < 8 && input->left; i++) {
		size_t size;
		const uint8_t *part = fuzz_part(input, &size);

		send_files(sockets[0], part, size, file);
	}
	close(file);
	close(sockets[0]);
	err = ship_receive_credentials(&credentials, sockets[1]);
	FUZZ_EXPECT(!err == !*credentials.error.text);
	clickhouse_credentials_deinit(&credentials);
	err = ship_receive_files(&files, sockets[1]);
	FUZZ_EXPECT(err >= 0 || *files.errmsg);
	ship_files_deinit(&files);
	close(sockets[1]);
	FUZZ_EXPECT(lowest_free_fd() == free_fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	unsigned int how = fuzz_byte(&input);
	char *text;

	switch (how % 4) {
	case 0:
		read_ship_state(&input);
		break;
	case 1:
		read_daemon_status(&input);
		break;
	case 2:
		text = fuzz_text(&input);
		read_checkpoint_state(text);
		free(text);
		break;
	default:
		read_messages(&input);
	}
	return 0;
}
