// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * messages NUMBER: sends NUMBER messages to a System V queue, which stays there with them when the
 * program has ended; prints NUMBER and the id of the queue. The kernel needs 1024 bytes for each
 * message: its header of 48 and the text of 976.
 * messages remove ID: removes the queue.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/msg.h>

#define TEXT 976

static int fail_with_error(const char *what)
{
	perror(what);
	return 1;
}

int main(int argc, char **argv)
{
	struct {
		long type;
		char text[TEXT];
	} message = { .type = 1 };
	long number;
	int queue;
	struct msqid_ds limits;

	if (argc == 3)
		return msgctl(atoi(argv[2]), IPC_RMID, NULL) ? fail_with_error("msgctl") : 0;
	number = argc == 2 ? atol(argv[1]) : 0;
	queue = msgget(IPC_PRIVATE, 0600);
	if (queue < 0 || msgctl(queue, IPC_STAT, &limits))
		return fail_with_error("msgget");
	limits.msg_qbytes = (unsigned long)number * TEXT;
	if (msgctl(queue, IPC_SET, &limits))
		return fail_with_error("msgctl");
	for (long i = 0; i < number; i++)
		if (msgsnd(queue, &message, TEXT, IPC_NOWAIT))
			return fail_with_error("msgsnd");
	printf("%ld %d\n", number, queue);
	return 0;
}
