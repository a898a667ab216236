// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * loopback N FILTER: sends messages to itself over TCP, which the kernel receives in softirqs,
 * until perf has counted N slab events of this task that match the filter of the trace event.
 * Prints the task, the two times of the capture's clock between which it counted, and the number.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/live/counters.h"
#include "tracer/load/formats.h"

static void connect_pair(int ends[2])
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || ends[0] < 0 || bind(listener, (struct sockaddr *)&address, size) ||
	    getsockname(listener, (struct sockaddr *)&address, &size) || listen(listener, 1) ||
	    connect(ends[0], (struct sockaddr *)&address, size))
		counters_die("a connection over loopback");
	ends[1] = accept(listener, NULL, NULL);
	if (ends[1] < 0)
		counters_die("accept");
}

static void send_messages(const int ends[2])
{
	char bytes[1000] = "";

	for (int i = 0; i < 100; i++)
		if (send(ends[0], bytes, sizeof(bytes), 0) != sizeof(bytes) ||
		    recv(ends[1], bytes, sizeof(bytes), MSG_WAITALL) != sizeof(bytes))
			counters_die("a message");
}

int main(int argc, char **argv)
{
	uint64_t wanted = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	struct counters_reading before, after;
	struct counters counters;
	int ends[2];

	if (!wanted)
		return 2;
	connect_pair(ends);
	counters_open(&counters, formats_open());
	for (int i = 0; i < COUNTERS; i++)
		if (ioctl(counters.list[i], PERF_EVENT_IOC_SET_FILTER, argv[2]))
			counters_die("the filter");
	counters_read(&counters, &before);
	/* the softirqs may run in a task of the kernel: then only a part of them counts here */
	for (uint64_t sent = 0;; sent += 100) {
		send_messages(ends);
		counters_read(&counters, &after);
		if (counters_between(&before, &after) >= wanted)
			break;
		if (sent > 100 * wanted) {
			fprintf(stderr, "softirqs do not run in the task that sends\n");
			return 77;
		}
	}
	printf("task %d\nbegin %" PRIu64 "\nend %" PRIu64 "\nall %" PRIu64 "\n",
	       (int)syscall(SYS_gettid), before.time, after.time,
	       counters_between(&before, &after));
	return 0;
}
