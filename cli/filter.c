/* filter.c - a program that is one filter: options, trace, sheets.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"

void tl_filter_run(const struct tl_filter *f, struct tl_trace *trace, const char *input)
{
	f->run(trace, input);
	tl_finish_stdout();
}

int tl_filter_main(const struct tl_filter *f, int argc, char **argv)
{
	int n;
	char **operands = tl_cli_start(f->program, argc, argv, &n);

	if (n > 1)
		tl_usage("one file expected, %d given", n);
	if (f->prepare(n)) {
		struct tl_trace *trace = tl_load_trace(n ? operands[0] : NULL, f->load, f->program->c);
		tl_filter_run(f, trace, tl_input_name(n ? operands[0] : NULL));
		tl_trace_free(trace);
	}
	if (f->release)
		f->release();
	tl_finish_stdout();
	return 0;
}
