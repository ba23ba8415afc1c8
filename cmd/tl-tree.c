/* tl-tree.c - the call tree of a trace: the sheets call_tree and stacks_*.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "sheets/call_tree.h"

#include <string.h>

static struct tl_call_tree tree = { .uid = -1, .depth = INT32_MAX, .nodes = 500 };
static struct tl_regex under;

/* Digits are a UID. */
static const char *take_under(void *dest, const char *text)
{
	tree.uid = -1;
	return !text[strspn(text, "0123456789")] && tl_parse_whole(text, strlen(text), &tree.uid) ? NULL : tl_take_regex(dest, text);
}

static const struct tl_opt options[] = {
	{ 0, "under", "WHAT", "call_tree: only this event (its UID), or those whose names match (REGEX), what is around and in them",
	  TL_OPT_CALL, &under, 0, 0, take_under },
	{ 0, "depth", "N", "call_tree: N levels below these (all)", TL_OPT_INT, &tree.depth, 0, INT32_MAX, NULL },
	{ 0, "nodes", "N", "call_tree: at most N rows (500), and one that sums up the rest", TL_OPT_INT, &tree.nodes, 1, INT32_MAX, NULL },
	{ .long_name = NULL },
};

static const struct tl_opt_need needs[] = {
	{ "under", "call_tree", NULL },
	{ "depth", "call_tree", NULL },
	{ "nodes", "call_tree", NULL },
	{ .option = NULL },
};

static void run_tree(struct tl_trace *trace, const char *input)
{
	tree.trace = trace;
	tree.match = under.text ? &under.pattern : NULL;
	tl_write_sheets(&tl_tree_sheets, &tree, trace);
	if (tree.none)
		tl_warn("%s: --under: no such operator, function, range, call or device event", input);
	if (tree.texts_cut)
		tl_warn("%s: stacks are too long to be written: some rows have none", input);
}

const struct tl_filter tl_filter_tree = {
	.purpose = "the call tree: event by event, and as stacks for flame graphs", .sheets = &tl_tree_sheets,
	.options = options, .needs = needs, .report = "pytorch", .run = run_tree, .weight = 3,
};
