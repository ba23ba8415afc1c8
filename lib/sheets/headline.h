/* headline.h - the numbers that people look for first, taken from finished sheets.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_HEADLINE_H
#define TL_HEADLINE_H

#include "model/trace.h"
#include "table/table.h"

struct tl_headline_number {
	char *item;        /* "largest operator: aten::mm"; NULL: no sheet gave the number */
	double value;
	const char *unit;  /* "%" or "ms", and of what the value is that */
	const char *sheet; /* where the number stands; "": in no sheet of this run */
	size_t source;     /* of several that give it the last one counts, whichever comes first */
};

enum {
	TL_HEADLINE_BUSY, TL_HEADLINE_BUSY_SPAN, TL_HEADLINE_BUSY_LIFE, TL_HEADLINE_UNRECORDED,
	TL_HEADLINE_IDLE, TL_HEADLINE_EXPOSED, TL_HEADLINE_CATEGORY, TL_HEADLINE_OPERATOR,
	TL_HEADLINE_ROOFLINE, TL_HEADLINE_KERNEL, TL_HEADLINE_NUMBERS
};
/* Zero bytes are a start. */
struct tl_headline { struct tl_headline_number numbers[TL_HEADLINE_NUMBERS]; };

/* Takes what it can from a sheet. Sheets that give no number are ignored. The ledger and populations give shares of the recorded
 * window in place of those of gpu_timeline, where one device's work hides idle time of another: take them later. */
void tl_headline_take(struct tl_headline *, const char *sheet, const struct tl_table *);
/* How busy devices are (tl_busy_of), which the sheet populations has, too; of other times than the recorded window if they are apart. */
void tl_headline_take_busy(struct tl_headline *, struct tl_trace *);
/* Gives the largest kernel as kernel_summary would, which takes much longer to make. No sheet has the number. */
void tl_headline_take_kernels(struct tl_headline *, struct tl_trace *);
/* Does a sheet give numbers? */
bool tl_headline_takes(const char *sheet);
/* Would the sheet give a number that is not known yet? */
bool tl_headline_lacks(const struct tl_headline *, const char *sheet);
void tl_headline_release(struct tl_headline *);

#endif
