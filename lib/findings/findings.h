/* findings.h - what is wrong, ranked by the time at stake: rules over the rows of sheets, by which each piece of time is
 * claimed once. What the sheets are of, a trace or a job, is the caller's matter.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_FINDINGS_H
#define TL_FINDINGS_H

#include "findings/rules.h"
#include "table/table.h"

struct tl_finding_fact { const char *name; struct tl_value value; };

/* Time that can be claimed, in pieces: a device event, a part of idle time. A piece belongs to a pool ("idle", "kernels", …),
 * and of a pool no more is claimed than there is. */
enum { TL_FINDING_POOLS = 4 };
struct tl_finding_time {
	int64_t *left;                          /* ticks by piece: what nobody claimed yet */
	uint8_t *pool;                          /* by piece */
	uint32_t *owner;                        /* by piece: 1 + the finding that claimed it; 0: none */
	size_t n;
	const char *pools[TL_FINDING_POOLS];    /* their names */
	double pool_ms[TL_FINDING_POOLS];       /* what is left of them */
	double ms_per_tick;                     /* of the window: with several devices of all their time on average */
};

struct tl_findings_input {
	const struct tl_rule_table *rules;
	/* The sheet, or NULL: it was not made. */
	const struct tl_table *(*sheet)(void *ctx, const char *name);
	const char *const *sheets;              /* those that rules may name, NULL ends; NULL: any */
	/* The pieces that a row of a sheet is about; none: the sheet's rows have no pieces of their own, and a pool line says
	 * where their time comes from. */
	size_t (*pieces)(void *ctx, const char *sheet, size_t row, const uint32_t **pieces);
	void *ctx;
	const struct tl_finding_fact *facts; size_t n_facts; /* names that are no column of the rule's sheet */
	struct tl_finding_time *time;
	double window_ms, least_share;          /* a finding below this share of the window, or below 50 us, is none */
	struct tl_buf *explain;                 /* NULL, or where the rule explain_id shows its conditions and stake with the values of a row */
	const char *explain_id;
};

struct tl_finding {
	const struct tl_rule *rule;
	const char *title, *advice, *next, *evidence; /* in the arena; evidence: SHEET: ROWS */
	const char *slice;                      /* a command that shows its time in Perfetto's viewer, or NULL; the caller sets it */
	struct tl_buf also;                     /* titles of findings whose time this one holds */
	char id[80];
	double stake_ms, reach_ms;              /* NAN: not known; of tier 0 both */
	uint32_t *rows; size_t n_rows;          /* of the rule's sheet, the largest first */
	double *row_ms;                         /* what of the stake is of each row */
	uint32_t number;                        /* in the order of claims, as `owner` has it */
};
struct tl_findings {
	struct tl_finding *items; size_t n, cap; /* those of tier 0 first, then by what is at stake */
	struct tl_unasked { const struct tl_rule *rule; const char *why; bool failed; } *unasked; size_t n_unasked, cap_unasked;
	struct tl_arena arena;
};
/* Makes the findings. TL_ERR_DATA: a rule names a sheet or pool that is none, or a column that its sheet does not have;
 * there is nothing to release then. No finding has more at stake than the window, nor have all together. Of a rule of which some
 * expressions failed, `unasked` has a row (failed), too.
 * Takes time in proportion to rules times rows. */
enum tl_status tl_findings_make(struct tl_findings *, struct tl_findings_input *, struct tl_error *);
void tl_findings_release(struct tl_findings *);

#endif
