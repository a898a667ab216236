// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Advice by capabilities, not by the user. */
#include "config.h"

#include <linux/capability.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracer/load/privileges.h"

static void root_without_capabilities_is_told_which(void **state)
{
	struct privileges root = { .is_root = true };
	char text[PRIVILEGES_TEXT];

	(void)state;
	assert_string_equal(privileges_advice(&root, PRIVILEGES_TO_TRACE, text),
			    ": this root lacks CAP_BPF and CAP_PERFMON: its container or service "
			    "must allow this");
	root.effective = PRIVILEGE(38);
	assert_string_equal(privileges_advice(&root, PRIVILEGES_TO_TRACE, text),
			    ": this root lacks CAP_BPF: its container or service must allow this");
	root.effective = PRIVILEGES_TO_TRACE;
	assert_string_equal(privileges_advice(&root, PRIVILEGES_TO_TRACE, text), "");
}

static void another_user_may_become_root(void **state)
{
	struct privileges user = { 0 };
	char text[PRIVILEGES_TEXT];

	(void)state;
	assert_string_equal(privileges_advice(&user, PRIVILEGES_TO_TRACE, text),
			    ": run as root, or with CAP_BPF and CAP_PERFMON");
	assert_string_equal(privileges_advice(&user, PRIVILEGE(CAP_SYSLOG), text),
			    ": run as root, or with CAP_SYSLOG");
	user.effective = PRIVILEGE(CAP_SYS_ADMIN);
	assert_string_equal(privileges_advice(&user, PRIVILEGES_TO_TRACE, text), "");
	assert_int_equal(privileges_missing(&user, PRIVILEGE(CAP_SYSLOG)), PRIVILEGE(CAP_SYSLOG));
}

static void the_kernel_is_asked(void **state)
{
	(void)state;
	assert_int_equal(privileges_read().is_root, !geteuid());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(root_without_capabilities_is_told_which),
		cmocka_unit_test(another_user_may_become_root),
		cmocka_unit_test(the_kernel_is_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
