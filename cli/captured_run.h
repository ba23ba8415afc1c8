/* captured_run.h - programs of the system, run for what they print.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_CAPTURED_RUN_H
#define TL_CAPTURED_RUN_H

#include "base/base.h"

struct tl_captured_run {
	const char *const *argv;        /* up to a NULL; argv[0] is looked up in PATH */
	const char *const *environment; /* NAME, VALUE, ... up to a NULL, which are added to that of this program; may be NULL */
	const char *errors;             /* file for what it writes to standard error; NULL: that of this program */
};
/* Runs it without a shell, input or terminal; what it prints, up to some megabytes, becomes *out. It ends with this program. Returns
 * its exit status; 128 and the signal's number if a signal ended it. If it cannot be started, this program ends. */
int tl_run_captured(const struct tl_captured_run *, struct tl_buf *out);

#endif
