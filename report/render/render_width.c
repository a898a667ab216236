// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Asks the terminal. */
#include "config.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "report/render/render.h"

size_t render_width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ||
	    size.ws_col <= RENDER_WIDTH)
		return RENDER_WIDTH;
	return size.ws_col - 1;
}
