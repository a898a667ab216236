// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Messages that carry open files. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd_message.h"
#include "tests/unit/unit.h"

#define FILES_MAX 3

static int lowest_free_fd(void)
{
	int fd = dup(STDIN_FILENO);

	assert_true(fd >= 0);
	close(fd);
	return fd;
}

/* As another program may do it: fd_message_send() sends one file at most. */
static void send_files(int socket, const char *text, size_t count)
{
	union {
		char bytes[CMSG_SPACE(FILES_MAX * sizeof(int))];
		struct cmsghdr header;
	} control = { 0 };
	struct iovec part = { (char *)text, strlen(text) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = CMSG_SPACE(count * sizeof(int)) };
	int files[FILES_MAX] = { socket, socket, socket };

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
	memcpy(CMSG_DATA(&control.header), files, count * sizeof(int));
	assert_int_equal(sendmsg(socket, &message, 0), strlen(text));
}

static void opens_one_file_of_a_message(void **state)
{
	int sockets[2], free_fd, fd;
	char text[8];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
	free_fd = lowest_free_fd();
	for (size_t count = 1; count <= FILES_MAX; count++) {
		send_files(sockets[0], "file x", count);
		assert_int_equal(fd_message_receive(sockets[1], text, sizeof(text), &fd), 6);
		assert_string_equal(text, "file x");
		assert_int_equal(fd, free_fd);
		close(fd);
		assert_int_equal(lowest_free_fd(), free_fd);
	}
	close(sockets[0]);
	close(sockets[1]);
}

static void cuts_off_a_long_text(void **state)
{
	int sockets[2], fd;
	char text[4];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
	assert_int_equal(fd_message_send(sockets[0], "abcdef", 6, -1), 0);
	assert_int_equal(fd_message_receive(sockets[1], text, sizeof(text), &fd), 3);
	assert_string_equal(text, "abc");
	assert_int_equal(fd, -1);
	assert_int_equal(fd_message_receive(sockets[1], text, sizeof(text), &fd), -EAGAIN);
	close(sockets[0]);
	assert_int_equal(fd_message_receive(sockets[1], text, sizeof(text), &fd), 0);
	close(sockets[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_one_file_of_a_message),
		cmocka_unit_test(cuts_off_a_long_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
