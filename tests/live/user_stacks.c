// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls eventfd() on two paths: user_stacks COUNT COUNT [PROGRAM COUNT COUNT]. Each call allocates
 * once in the kernel's function do_eventfd(). Then it executes the program with its counts.
 */
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define KEPT __attribute__((noinline)) static
/* Keeps a call from becoming a jump, and, by its number, two functions from becoming one. */
#define RETURN(number) __asm__ volatile("" ::"r"(number))

/* The C library's function may have no frame: then the stack lacks its caller. */
KEPT void make_event(void)
{
	int fd = eventfd(0, 0);

	if (fd < 0)
		_exit(1);
	close(fd);
	RETURN(1);
}

KEPT void make_events(int count)
{
	while (count-- > 0)
		make_event();
	RETURN(2);
}

KEPT void first_path(int count)
{
	make_events(count);
	RETURN(3);
}

KEPT void second_path(int count)
{
	make_events(count);
	RETURN(4);
}

int main(int argc, char **argv)
{
	if (argc != 3 && argc != 6)
		return 2;
	first_path(atoi(argv[1]));
	second_path(atoi(argv[2]));
	if (argc == 6)
		execv(argv[3], argv + 3);
	return argc == 6;
}
