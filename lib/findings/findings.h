/* findings.h - what is wrong, ranked by the time at stake: rules over the rows of sheets. What the sheets are of, a trace or a
 * job, and what repairing the rows of a finding would save, is the caller's matter.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#ifndef TL_FINDINGS_H
#define TL_FINDINGS_H

#include "findings/rules.h"
#include "table/table.h"

#define TL_LEAST_FINDING_MS 0.05 /* what is less is no finding */
struct tl_finding_fact { const char *name; struct tl_value value; };

/* A rule and rows that belong together. */
struct tl_finding {
	const struct tl_rule *rule;
	const char *title, *advice, *next, *evidence; /* in the arena; evidence: SHEET: ROWS */
	const char *slice;                      /* a command that shows its time in Perfetto's viewer, or NULL; the caller sets it */
	struct tl_buf also;                     /* titles of findings that have nothing left beside this one */
	struct tl_value key;                    /* what the rows have in common */
	char id[80];
	uint32_t *rows; size_t n_rows;          /* of the rule's sheet, the largest first */
	double *row_ms, rows_ms;                /* what the rule says of each row, and the sum */
	/* Ms; NAN: not known, of tier 0 all: what devices would do less; how much earlier the window would end without this and
	 * the picks before; and without this alone. */
	double device_ms, stake_ms, alone_ms;
	double per_step_ms;                     /* of stake_ms; the caller sets it */
	bool leads;                             /* a limit, and nothing else has a tenth of the window at stake: it stands first */
	unsigned pick;                          /* from 1: in which order to repair what is wrong; 0: behind those */
	unsigned after;                         /* the pick without which less than half of stake_ms would be saved; 0: none */
	unsigned joins;                         /* the pick beside which nothing is left of this: it only gets its title; 0: none */
};

struct tl_findings_input {
	const struct tl_rule_table *rules;
	/* The sheet, or NULL: it was not made. */
	const struct tl_table *(*sheet)(void *ctx, const char *name);
	const char *const *sheets;              /* those that rules may name, NULL ends; NULL: any */
	/* The device events that a row of a sheet is about; none: it is about something else. NULL: no row is about any. */
	size_t (*events)(void *ctx, const char *sheet, size_t row, const uint32_t **events);
	/* Says what the findings of tiers 1 to 4 are worth: sets device_ms, stake_ms, alone_ms, pick, after, joins. Those that it gets
	 * have at least least_share in their rows. NULL: at stake is what the rows say. */
	void (*weigh)(void *ctx, struct tl_finding *, size_t n);
	void *ctx;
	const struct tl_finding_fact *facts; size_t n_facts; /* names that are no column of the rule's sheet */
	double window_ms, least_share;          /* a finding below this share of the window, or below 50 us, is none */
	struct tl_buf *explain;                 /* NULL, or where the rule explain_id shows its conditions and stake with the values of a row */
	const char *explain_id;
};

struct tl_findings {
	struct tl_finding *items; size_t n, cap; /* those of tier 0 first, then the picks, then by what is at stake */
	struct tl_unasked { const struct tl_rule *rule; const char *why; bool failed; } *unasked; size_t n_unasked, cap_unasked;
	struct tl_arena arena;
};
/* Makes the findings. TL_ERR_DATA: a rule names a sheet that is none, or a column that its sheet does not have;
 * there is nothing to release then. A row of a sheet is of the first rule that makes a finding of it. No finding has more at stake
 * than the window, nor have all together. Of a rule of which some expressions failed, `unasked` has a row (failed), too.
 * Takes time in proportion to rules times rows. */
enum tl_status tl_findings_make(struct tl_findings *, struct tl_findings_input *, struct tl_error *);
void tl_findings_release(struct tl_findings *);

#endif
