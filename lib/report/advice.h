/* advice.h - findings as people and programs read them: lines for a terminal, Markdown for a pull request, JSON.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_ADVICE_H
#define TL_ADVICE_H

#include "table/table.h"

/* The sheets of findings (tl-findings(1)), and what else is told. */
struct tl_advice {
	const struct tl_table *findings, *evidence, *unasked, *ledger, *gpu_work, *judged; /* all but the first may be NULL */
	bool estimated;          /* the peaks of the GPU are */
	const char *trace;       /* its name without folders */
	double window_ms;
	bool job;                /* trace says what a job is, and how long it takes */
	const char *busy;        /* how busy devices are in another time than that, or NULL */
};
/* At most 25 lines of 80 columns: the most important sentence first. */
void tl_advice_as_text(const struct tl_advice *, struct tl_buf *);
/* A table, and the details of each finding folded. */
void tl_advice_as_markdown(const struct tl_advice *, struct tl_buf *);
/* A line for each finding, with the rows of its evidence and what the window went to; then one for each rule that was not asked. */
void tl_advice_as_json(const struct tl_advice *, struct tl_buf *);

#endif
