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

	(void)state;
	assert_string_equal(refusal_advice(REFUSAL_NOT_SUPPORTED, 1),
			    ": this kernel's BPF JIT compiler cannot compile the programs: switch "
			    "it off with sysctl net.core.bpf_jit_enable=0, if this kernel can run "
			    "BPF programs without it");
	assert_string_equal(refusal_advice(REFUSAL_NOT_SUPPORTED, 0), off);
	assert_string_equal(refusal_advice(EINVAL, 0), off);
	assert_string_equal(refusal_advice(EPERM, 0),
			    ": run as root, or with CAP_BPF and CAP_PERFMON");
	assert_string_equal(refusal_advice(ENOMEM, 0), "");
	assert_string_equal(refusal_advice(EINVAL, 1), "");
	assert_string_equal(refusal_advice(REFUSAL_NOT_SUPPORTED, -1), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_of_the_kernel_have_words),
		cmocka_unit_test(advice_fits_the_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
