/* comparison.c - --comparison_json_path: the trace that the trace at hand is compared with.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/device_events.h"
#include "cli/filter.h"
#include "compare/diff_tables.h"

#include <string.h>

const char *tl_comparison_trace, *tl_comparison_capture_folder;

void tl_prepare_comparison(void)
{
	if (tl_comparison_capture_folder && !tl_comparison_trace)
		tl_usage("--comparison_capture_folder is for the trace of --comparison_json_path");
	if (tl_comparison_trace)
		tl_will_read(tl_comparison_trace);
}

struct tl_trace *tl_load_comparison(const struct tl_load_options *first)
{
	struct tl_load_options o = { .path = tl_comparison_trace, .drop_kinds = TL_UNUSED_BY_SHEETS, .python = first->python,
		.lenient = first->lenient };
	const char *captures = tl_capture_folder;

	if (!strcmp(tl_input_name(o.path), tl_input_name("-")) && !strcmp(tl_input_name(first->path), tl_input_name("-")))
		tl_usage("standard input cannot be both traces");
	if (tl_pseudo_ops)
		o.rules = tl_edit_rules(NULL);
	tl_capture_folder = tl_comparison_capture_folder;
	struct tl_trace *t = tl_load_trace(&o);
	tl_capture_folder = captures;
	tl_rules_free(o.rules);
	return t;
}

void tl_compare_traces(struct tl_diff **diff, struct tl_diff_tables *tables, struct tl_trace *traces[2], const char *names[2])
{
	struct tl_error err;

	if (tl_diff_new(diff, traces[0], traces[1], &err) != TL_OK || tl_diff_tables_make(tables, *diff, &err) != TL_OK)
		tl_die("%s, %s: %s", tl_input_name(names[0]), tl_input_name(names[1]), err.text);
	if (tables->identical)
		tl_note("the traces are identical: the tables of what differs have the first one only");
	if ((*diff)->tree->n_cut)
		tl_note("%u lists of more than %d children were aligned in pieces", (*diff)->tree->n_cut, TL_EDIT_PIECE);
	if ((*diff)->tree->n_left)
		tl_note("children of one name were too many and too different to be paired by what is below them, %u times",
		        (*diff)->tree->n_left);
}
