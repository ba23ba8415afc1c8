/* tl-coll.c - collective communication of one rank: the sheet coll_analysis.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "sheets/collectives.h"

static int64_t rank = -1; /* what the trace says */

static const struct tl_opt options[] = {
	{ 0, "rank", "N", "only the rank N of a joined trace; the rank of a trace that does not say it", TL_OPT_INT, &rank, 0, INT32_MAX, NULL },
	TL_COMMUNICATION_OPTION,
	{ .long_name = NULL },
};

/* Adds the missing keys: "no 'dtype', 'stream' in 3; no 'Group size' in 5". */
static void add_reasons(struct tl_buf *b, const struct tl_collectives *made)
{
	const char *key;
	uint32_t n, last = 0;

	for (size_t i = 0; tl_collectives_reason(made, i, &key, &n); i++) {
		if (!n)
			continue;
		if (last && n != last)
			tl_buf_addf(b, " in %u; ", (unsigned)last);
		tl_buf_addf(b, "%s'%s'", last == n ? ", " : "no ", key);
		last = n;
	}
	tl_buf_addf(b, " in %u", (unsigned)last);
}

static void note_left_out(const struct tl_collectives *made, const struct tl_trace *t)
{
	struct tl_coll_left_out left = tl_collectives_left_out(made);
	struct tl_buf reasons = { 0 };

	if (tl_into_folder() && !tl_names_sheet("coll_analysis") && tl_trace_gpu_only(t) && left.all > left.kernels) {
		tl_note("the trace has no host operators, so coll_analysis is left out, with %u communication kernel%s%s",
		        (unsigned)left.all, left.all == 1 ? "" : "s", tl_advice("sheets", ": --sheets coll_analysis makes it"));
		return;
	}
	if (!left.kernels)
		return;
	add_reasons(&reasons, made);
	tl_note("%u of %u communication kernels (%s) are not in coll_analysis: %s", (unsigned)left.kernels,
	        (unsigned)left.all, tl_note_time(t, left.ticks).text, reasons.data);
	tl_buf_release(&reasons);
}

static void note_rank(const struct tl_collectives *made)
{
	struct tl_coll_left_out left = tl_collectives_left_out(made);
	bool has_rows = left.all > left.kernels || tl_wants_sheet("collectives");

	if (has_rows && tl_collectives_no_rank(made))
		tl_note("the trace does not say which rank it is of: collectives have the rank 0%s", tl_advice("rank", " (--rank N gives another)"));
}

static void run(struct tl_trace *trace, const char *input)
{
	struct tl_collectives *made = tl_collectives_new(trace, rank);

	(void)input;
	if (tl_wants_sheet("coll_analysis"))
		note_left_out(made, trace);
	note_rank(made);
	tl_write_sheets(&tl_coll_sheets, made, trace);
	tl_collectives_free(made);
}

const struct tl_filter tl_filter_coll = {
	.purpose = "collective communication of one rank", .sheets = &tl_coll_sheets,
	.options = options, .report = "pytorch", .run = run,
};
