// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * loopback N FILTER: sends N messages to itself over TCP, so that the kernel receives them in
 * softirqs, as "sending". Prints how many slab events perf counted meanwhile that match the filter
 * of the trace event.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
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

int main(int argc, char **argv)
{
	struct counters_reading before, after;
	struct counters counters;
	char bytes[1000] = "";
	uint64_t events = 0;
	int ends[2];

	if (argc != 3)
		return 2;
	connect_pair(ends);
	counters_open(&counters, formats_open());
	for (int i = 0; i < COUNTERS; i++)
		if (ioctl(counters.list[i], PERF_EVENT_IOC_SET_FILTER, argv[2]))
			counters_die("the filter");
	prctl(PR_SET_NAME, "sending");
	counters_read(&counters, &before);
	for (int n = atoi(argv[1]); n > 0; n--)
		if (send(ends[0], bytes, sizeof(bytes), 0) != sizeof(bytes) ||
		    recv(ends[1], bytes, sizeof(bytes), MSG_WAITALL) != sizeof(bytes))
			counters_die("a message");
	counters_read(&counters, &after);
	prctl(PR_SET_NAME, "sent");
	for (int i = 0; i < COUNTERS; i++) {
		printf("%s %llu\n", counters_events[i],
		       (unsigned long long)(after.counts[i] - before.counts[i]));
		events += after.counts[i] - before.counts[i];
	}
	printf("all %llu\n", (unsigned long long)events);
	return 0;
}
