/* tl-link.c - adds the call tree, launches and other relations to an event stream.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <stdlib.h>

static struct tl_link_options link_options;
static bool lenient;
static struct tl_common common;

static const struct tl_opt options[] = {
	{ 0, "python", NULL, "make Python frames part of the call tree", TL_OPT_FLAG, &link_options.python, 0, 0, NULL },
	{ 0, "detect_recompute", NULL, "mark work redone by activation checkpointing (implies --python)",
	  TL_OPT_FLAG, &link_options.recompute, 0, 0, NULL },
	{ 0, "lenient", NULL, "go on after damaged events of a raw trace, and count them",
	  TL_OPT_FLAG, &lenient, 0, 0, NULL },
	{ 0, NULL, NULL, NULL, 0, NULL, 0, 0, NULL },
};

static const struct tl_program program = {
	.name = "tl-link",
	.synopsis = "[OPTION]... [FILE]",
	.purpose = "add the call tree, launches and other relations to an event stream",
	.detail = "FILE is an event stream or a raw trace; without it, or with -, standard input is read.",
	.options = options,
	.common = TL_COMMON_OUTPUT | TL_COMMON_PROVENANCE | TL_COMMON_VERBOSE,
	.c = &common,
};

int main(int argc, char **argv)
{
	int n;
	char *line = tl_provenance_line(&program, argc, argv);
	char **operands = tl_cli_start(&program, argc, argv, &n);
	if (n > 1)
		tl_usage("one file expected, %d given", n);
	struct tl_pass pass;
	tl_pass_open(&pass, n ? operands[0] : NULL, &common, line);
	struct tl_sink *linker = tl_linker_new(pass.writer, &link_options);
	struct tl_read_options ro = { .lenient = lenient };
	tl_pass_read(&pass, &ro, linker);
	tl_warn_linker(tl_linker_report(linker));
	tl_show_linking(tl_linker_report(linker), common.verbose);
	tl_linker_free(linker);
	tl_pass_close(&pass);
	free(line);
	return 0;
}
