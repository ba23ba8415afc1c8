/* tl-parse.c - turns a profiler's trace into the event stream.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "tl.h"

#include <stdlib.h>
#include <string.h>

static struct tl_read_options read_options;
static struct tl_common common;
static bool no_python;
static uint32_t dropped, kept;

/* A list of kinds, separated by commas, into a set of bits. */
static const char *add_kinds(void *dest, const char *arg)
{
	static char message[400];
	uint32_t *set = dest;

	for (;;) {
		size_t len = strcspn(arg, ",");
		int kind = tl_kind_by_name(arg, len);

		if (kind < 0) {
			struct tl_buf b = { 0 };

			tl_buf_addf(&b, "no event kind '%.*s', expected one of", (int)(len > 40 ? 40 : len), arg);
			for (unsigned k = 0; k < TL_KIND_COUNT; k++)
				tl_buf_addf(&b, " %s", tl_kind_name(k));
			memcpy(message, b.data, b.len < sizeof message ? b.len + 1 : sizeof message);
			message[sizeof message - 1] = 0;
			tl_buf_release(&b);
			return message;
		}
		*set |= (uint32_t)1 << kind;
		if (!arg[len])
			return NULL;
		arg += len + 1;
	}
}

static const struct tl_opt options[] = {
	{ 0, "no-python", NULL, "leave out python function frames (--drop python)", TL_OPT_FLAG, &no_python, 0, 0, NULL },
	{ 0, "drop", "KIND[,KIND]...", "leave out events of these kinds", TL_OPT_CALL, &dropped, 0, 0, add_kinds },
	{ 0, "keep", "KIND[,KIND]...", "leave out events of all other kinds", TL_OPT_CALL, &kept, 0, 0, add_kinds },
	{ 0, "lenient", NULL, "go on after damaged events and at a cut end, and count them",
	  TL_OPT_FLAG, &read_options.lenient, 0, 0, NULL },
	{ 0, NULL, NULL, NULL, 0, NULL, 0, 0, NULL },
};

static const struct tl_program program = {
	.name = "tl-parse",
	.synopsis = "[OPTION]... [FILE]",
	.purpose = "turn a profiler's trace into an event stream",
	.detail = "FILE is a trace of PyTorch's profiler (JSON) or an event stream, plain or gzip;\n"
	          "without it, or with -, standard input is read.",
	.options = options,
	.common = TL_COMMON_OUTPUT | TL_COMMON_THREADS | TL_COMMON_PROVENANCE | TL_COMMON_VERBOSE,
	.c = &common,
};

static void show_report(const struct tl_read_report *r)
{
	for (size_t i = 0; i < r->n_drops; i++)
		tl_warn("%llu event%s: %s (first at uid %llu, byte %lld)",
		        (unsigned long long)r->drops[i].count, r->drops[i].count == 1 ? "" : "s", r->drops[i].what,
		        (unsigned long long)r->drops[i].first_uid, (long long)r->drops[i].first_offset);
	if (common.verbose)
		tl_note("%llu events in %llu bytes of text", (unsigned long long)r->n_events,
		        (unsigned long long)r->n_bytes);
}

int main(int argc, char **argv)
{
	int n;
	char *line = tl_provenance_line(&program, argc, argv);
	char **operands = tl_cli_start(&program, argc, argv, &n);
	struct tl_read_report report;
	struct tl_error err;

	if (n > 1)
		tl_usage("one file expected, %d given", n);
	read_options.drop_kinds = dropped | (kept ? ~kept : 0) | (no_python ? 1u << TL_KIND_PYTHON : 0);
	read_options.threads = (int)common.threads;
	struct tl_input *in = tl_open_input(n ? operands[0] : NULL);
	struct tl_output *out = tl_open_output(common.output, true);
	struct tl_sink *writer = tl_writer_new(out, common.no_provenance ? NULL : line);

	if (tl_read(in, &read_options, writer, &report, &err) != TL_OK)
		tl_die_error(in->name, &err);
	tl_close_output(out);
	show_report(&report);
	tl_writer_free(writer);
	tl_close_input(in);
	free(line);
	return 0;
}
