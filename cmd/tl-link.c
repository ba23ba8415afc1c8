/* tl-link.c - adds the call tree, launches and other relations to an event stream.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"

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
	const char *path = tl_cli_start_one(&program, argc, argv);
	struct tl_pass pass;

	tl_pass_open(&pass, path, &common);
	tl_pass_link(&pass, &(struct tl_read_options){ .lenient = lenient }, &link_options, pass.writer, true, common.verbose);
	tl_pass_close(&pass);
	return 0;
}
