/* gate.h - conditions on what a comparison tells, by which a build fails.
 *
 * CONDITION is NAME OPERATOR NUMBER [UNIT]: "gpu_timeline.busy_time > +3 %", "kernel_summary.slower > 1 % of time". The
 * language of performance models (lang) has neither units nor names of sheets and columns.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_GATE_H
#define TL_GATE_H

#include "compare/changes.h"

enum tl_gate_what {
	TL_GATE_ROW,      /* a row of gpu_timeline: how much more than in the baseline */
	TL_GATE_SUM,      /* of rows that belong together */
	TL_GATE_COLUMN,   /* a metric: how much more the row has that changed most, upwards or downwards as the operator says */
};
enum tl_gate_unit { TL_GATE_NUMBER, TL_GATE_PERCENT, TL_GATE_TIME };

struct tl_limit {
	bool less, equal; /* < or <=; >= or <= */
	double limit;     /* percent, µs, or a number */
	enum tl_gate_unit unit;
};
/* Reads OPERATOR NUMBER [UNIT]; TL_ERR_DATA tells what was expected. */
enum tl_status tl_limit_parse(struct tl_limit *, const char *operator, struct tl_error *);
bool tl_limit_exceeds(const struct tl_limit *, double x);

struct tl_gate {
	const char *text;
	char *sheet, *name;       /* name: of a row or a metric */
	const struct tl_comparison *of; /* of the sheet; the first one if there are several */
	enum tl_gate_what what;
	enum tl_change_kind kind; /* of a sum */
	struct tl_limit limit;
};
/* Reads a condition, which must outlive the gate. runs: several runs a side are compared, so all times of rows
 * get verdicts. TL_ERR_DATA tells what is wrong and what could stand there. Release it also then. */
enum tl_status tl_gate_parse(struct tl_gate *, const char *text, bool runs, struct tl_error *);
void tl_gate_release(struct tl_gate *);
/* Does it depend on verdicts? */
bool tl_gate_needs_verdicts(const struct tl_gate *);

enum tl_gate_answer { TL_GATE_PASSED, TL_GATE_HOLDS, TL_GATE_NOT_JUDGED };
/* Whether the condition holds for report number `other`; then appends what was found to `told`. "Not judged" is a condition about rows
 * of both reports of which there is none, or none with a verdict if it is about verdicts; `told` tells why. Rows with less than min_share
 * percent of the time of their sheet in both reports do not count. Of several runs a side, a time must differ by more than chance,
 * too: that of a row of gpu_timeline by its p, that of one of many rows by its verdict. TL_ERR_DATA: the reports do not tell. */
enum tl_status tl_gate_try(const struct tl_gate *, const struct tl_compared_list *, const char *const *tags, size_t other,
                           double min_share, enum tl_gate_answer *, struct tl_buf *told, struct tl_error *);

#endif
