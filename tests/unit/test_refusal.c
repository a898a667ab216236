// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The words for the errors with which a kernel refuses BPF programs. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tracer/load/refusal.h"

static void errors_of_the_kernel_have_words(void **state)
{
	(void)state;
	assert_string_equal(refusal_text(REFUSAL_NOT_SUPPORTED), "not supported");
	assert_string_equal(refusal_text(EINVAL), strerror(EINVAL));
}

static void advice_fits_the_error(void **state)
{
	static const char off[] =
		": this kernel's BPF JIT compiler, which the programs may need, is "
		"off: switch it on with sysctl net.core.bpf_jit_enable=1";
	char text[REFUSAL_ADVICE];

	(void)state;
	assert_string_equal(refusal_advice(REFUSAL_NOT_SUPPORTED, 1, text),
			    ": this kernel's BPF JIT compiler cannot compile the programs: switch "
			    "it off with sysctl net.core.bpf_jit_enable=0, if this kernel can run "
			    "BPF programs without it");
	assert_string_equal(refusal_advice(REFUSAL_NOT_SUPPORTED, 0, text), off);
	assert_string_equal(refusal_advice(EINVAL, 0, text), off);
	/* which one depends on the user who runs the test: see test_privileges.c */
	assert_non_null(strstr(refusal_advice(EPERM, 0, text), "CAP_BPF and CAP_PERFMON"));
	assert_string_equal(refusal_advice(ENOMEM, 0, text), "");
	assert_string_equal(refusal_advice(EINVAL, 1, text), "");
	assert_string_equal(refusal_advice(REFUSAL_NOT_SUPPORTED, -1, text), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_of_the_kernel_have_words),
		cmocka_unit_test(advice_fits_the_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
