/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages between two processes over a socket of type SOCK_SEQPACKET; one can carry an open file.
 */
#ifndef BASE_FD_MESSAGE_H
#define BASE_FD_MESSAGE_H

#include <stddef.h>
#include <sys/types.h>

/* Sends the text, with fd unless it is -1. Never waits. 0 or -errno; -EAGAIN: there is no room. */
int fd_message_send(int socket, const char *text, size_t size, int fd);

/*
 * Receives the next message, with a NUL behind the text, which is cut off at size - 1 bytes. *fd:
 * its first file, which the caller closes, or -1; more files are not opened. Never waits. Returns
 * the length of the text; 0: the other side has ended; -EAGAIN: no message is there; or another
 * -errno.
 */
ssize_t fd_message_receive(int socket, char *text, size_t size, int *fd);

#endif
