/* tl-parse.c - turns a profiler's trace into the event stream.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <string.h>

static struct tl_read_options read_options;
static struct tl_common common;
static bool no_python;
static uint32_t dropped, kept;

static const struct tl_opt options[] = {
	{ 0, "no-python", NULL, "leave out python function frames (--drop python)", TL_OPT_FLAG, &no_python, 0, 0, NULL },
	{ 0, "drop", "KIND[,KIND]...", "leave out events of these kinds", TL_OPT_CALL, &dropped, 0, 0, tl_add_kinds },
	{ 0, "keep", "KIND[,KIND]...", "leave out events of all other kinds", TL_OPT_CALL, &kept, 0, 0, tl_add_kinds },
	{ 0, "keep-ranges", NULL, "leave ranges (NVTX, rocTX) as annotations with their whole text",
	  TL_OPT_FLAG, &read_options.keep_ranges, 0, 0, NULL },
	{ 0, "lenient", NULL, "go on after damaged events and at a cut end, and count them",
	  TL_OPT_FLAG, &read_options.lenient, 0, 0, NULL },
	{ 0, NULL, NULL, NULL, 0, NULL, 0, 0, NULL },
};

static const struct tl_program program = {
	.name = "tl-parse",
	.synopsis = "[OPTION]... [FILE]",
	.purpose = "turn a profiler's trace into an event stream",
	.detail = "FILE is a trace: JSON of PyTorch's profiler, rocprofv3, rocprof, traceconv, Ascend's "
	          "profilers, ONNX Runtime, JAX, TensorFlow, unitrace or proton; packets of Perfetto; an "
	          "XPlane file of JAX; tables (CSV) of rocprofv3; a SQLite database of rocprofv3, "
	          "rocmProfileData or nsys export; a snapshot or timeline of PyTorch's memory; or an event "
	          "stream. Each may be compressed by gzip or zstd.\n"
	          "Without it, or with -, standard input is read.",
	.options = options,
	.common = TL_COMMON_OUTPUT | TL_COMMON_PROVENANCE | TL_COMMON_VERBOSE,
	.c = &common,
};

int main(int argc, char **argv)
{
	const char *path = tl_cli_start_one(&program, argc, argv);
	struct tl_pass pass;
	unsigned long long slow;

	read_options.drop_kinds = dropped | (kept ? ~kept : 0) | (no_python ? 1u << TL_KIND_PYTHON : 0);
	tl_pass_open(&pass, path, &common);
	tl_pass_read(&pass, &read_options, pass.writer);
	slow = pass.report.n_texts + pass.report.n_forms;
	if (common.verbose)
		tl_note("%llu events in %llu bytes of text", (unsigned long long)pass.report.n_events,
		        (unsigned long long)pass.report.n_bytes);
	if (common.verbose && slow)
		tl_note("%llu of them read slowly (%.2f %%): %llu written unlike those before, %llu but for the form of a value like them",
		        slow, 100.0 * (double)slow / (double)pass.report.n_events, (unsigned long long)pass.report.n_texts,
		        (unsigned long long)pass.report.n_forms);
	tl_pass_close(&pass);
	return 0;
}
