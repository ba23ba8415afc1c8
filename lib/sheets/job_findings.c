/* job_findings.c - ranks_overview: what is wrong in a job, in a sentence.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/job_findings.h"

#include "sheet/findings.h"
#include "sheet/ranks.h"
#include "sheets/findings_sheets.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double much_own = 0.01; /* of the job */

const char *const tl_job_sheets[TL_JOB_SHEETS] = { "ranks_communication", "ranks_judged", "ranks_causes" };

struct job {
	struct tl_table *const *sheets;
	const struct tl_table *communication, *judged;
	int64_t waiting; /* ranks that have collectives in which they may wait for another rank */
};

static const struct tl_table *sheet_of(void *ctx, const char *name)
{
	const struct job *j = ctx;

	for (size_t i = 0; i < TL_JOB_SHEETS; i++)
		if (!strcmp(name, tl_job_sheets[i]))
			return j->sheets[i];
	return NULL;
}

/* 0: not known. */
static double cell_of(const struct tl_table *t, size_t row, size_t column)
{
	double d = tl_cell_number(tl_table_cell(t, row, column), t->ticks_per_us);

	return isnan(d) ? 0 : d;
}

static void add_text(struct tl_table *t, int64_t rank, const char *severity, const char *title, const char *evidence)
{
	struct tl_cell c[N_FINDING] = { [FINDING_RANK] = tl_cell_int(rank), [FINDING_SEVERITY] = tl_cell_str(t->strings, severity),
		[FINDING_TITLE] = tl_cell_str(t->strings, title),
		[FINDING_EVIDENCE] = tl_cell_str(t->strings, *evidence ? evidence : NULL) };

	tl_table_add_row(t, c);
}

/* For which rank the others wait longest, also in collectives that are not judged. */
static void add_longest(struct tl_buf *b, const struct tl_table *t)
{
	size_t most = 0;

	for (size_t i = 0; i < t->n_rows; i++)
		most = cell_of(t, i, COMM_CAUSED_WAIT_MS) > cell_of(t, most, COMM_CAUSED_WAIT_MS) ? i : most;
	if (t->n_rows && cell_of(t, most, COMM_CAUSED_WAIT_MS) > 0)
		tl_buf_addf(b, "; of the ranks at hand, others wait longest for rank %.0f: %.4g ms in all",
		            cell_of(t, most, COMM_RANK), cell_of(t, most, COMM_CAUSED_WAIT_MS));
}

/* What a rank at hand does too much, where ranks are missing that hide what it costs. */
static void add_slow(struct tl_buf *b, const struct job *j)
{
	const struct tl_table *causes = j->sheets[TL_JOB_CAUSES];
	double ms = cell_of(j->judged, 0, REPLAYED_SLOW_MS), rank = cell_of(j->judged, 0, REPLAYED_SLOW_RANK);

	for (size_t i = 0; causes && i < causes->n_rows; i++)
		if (!tl_cell_is_null(tl_table_cell(causes, i, LOSS_RANK)) && cell_of(causes, i, LOSS_RANK) == rank && cell_of(causes, i, LOSS_LOSS_MS) > ms / 2)
			return;
	if (ms > much_own * cell_of(j->judged, 0, REPLAYED_RECORDED_MS))
		tl_buf_addf(b, "; rank %.0f needs %.3g ms longer than ranks alike, and what that costs is not known", rank, ms);
}

/* Where no rule found anything: that nothing is lost, as far as it was judged, or why it was not. */
static void add_nothing(struct tl_table *t, const struct job *j, const struct tl_job_facts *f)
{
	const char *not_judged = tl_table_text(j->judged, 0, REPLAYED_NOT_JUDGED, NULL);
	struct tl_buf title = { 0 }, evidence = { 0 };
	const struct tl_table *ranks = j->communication;
	double wait_ms = 0, recorded = cell_of(j->judged, 0, REPLAYED_RECORDED_MS);

	for (size_t i = 0; i < ranks->n_rows; i++)
		wait_ms += cell_of(ranks, i, COMM_WAIT_MS);
	if (j->waiting && recorded > 0)
		tl_buf_addf(&evidence, "a rank waits %.1f %% of its time in the mean", 100 * wait_ms / (double)j->waiting / recorded);
	add_longest(&evidence, ranks);
	if (not_judged) {
		tl_buf_addf(&title, "not judged: %s", not_judged);
	} else {
		double judged = cell_of(j->judged, 0, REPLAYED_JUDGED_RANKS), ranks_of_job = fmax((double)f->world, cell_of(j->judged, 0, REPLAYED_RANKS));
		if (judged < ranks_of_job)
			tl_buf_addf(&title, "judged in part, %.0f of %.0f ranks: ", judged, ranks_of_job);
		tl_buf_addf(&title, "no cause above %.1f %%: the ideal job takes %.4g of %.4g ms", 100 * TL_LEAST_LOSS,
			cell_of(j->judged, 0, REPLAYED_IDEAL_MS), recorded);
		double groups = cell_of(j->judged, 0, REPLAYED_GROUPS), alone = groups - cell_of(j->judged, 0, REPLAYED_JUDGED_GROUPS);
		if (alone > 0)
			tl_buf_addf(&title, "; the links of %.0f of %.0f groups are not judged: no other group is alike", alone, groups);
	}
	add_text(t, 1, not_judged ? "unknown" : "none", title.data, tl_buf_text(&evidence));
	tl_buf_release(&title);
	tl_buf_release(&evidence);
}

/* What the job is, and how much of it was judged. */
static void add_job(struct tl_table *t, const struct job *j, const struct tl_job_facts *f, struct tl_buf *what, size_t found)
{
	const struct tl_table *judged = j->judged;
	struct tl_buf evidence = { 0 };

	tl_buf_addf(what, "%" PRId64 " rank%s", f->ranks, f->ranks == 1 ? "" : "s");
	if (f->world)
		tl_buf_addf(what, " of %" PRId64, f->world);
	if (f->steps)
		tl_buf_addf(what, ", %" PRId64 " step%s", f->steps, f->steps == 1 ? "" : "s");
	tl_buf_addf(what, ", %" PRId64 " process group%s", f->groups, f->groups == 1 ? "" : "s");
	if (!tl_table_text(judged, 0, REPLAYED_NOT_JUDGED, NULL)) {
		tl_buf_addf(&evidence, "judged: %.0f of %.0f ranks, %.0f of %.0f groups", cell_of(judged, 0, REPLAYED_JUDGED_RANKS), cell_of(judged, 0, REPLAYED_RANKS),
			cell_of(judged, 0, REPLAYED_JUDGED_GROUPS), cell_of(judged, 0, REPLAYED_GROUPS));
		if (found)
			tl_buf_addf(&evidence, "; without all causes the job takes %.4g of %.4g ms in all", cell_of(judged, 0, REPLAYED_IDEAL_MS),
				cell_of(judged, 0, REPLAYED_RECORDED_MS));
		double apart = cell_of(judged, 0, REPLAYED_STARTS_APART_MS);
		if (apart > much_own * cell_of(judged, 0, REPLAYED_RECORDED_MS))
			tl_buf_addf(&evidence, "; ranks start up to %.3g ms apart", apart);
		if (cell_of(judged, 0, REPLAYED_JUDGED_RANKS) < (double)f->world)
			add_slow(&evidence, j);
		tl_buf_addf(what, "; %s", evidence.data);
	}
	add_text(t, 0, "job", what->data, tl_buf_text(&evidence));
	tl_buf_release(&evidence);
}

static void fill(struct tl_table *t, const struct tl_findings *found, const struct job *j, const struct tl_job_facts *f, double window_ms, struct tl_buf *job)
{
	struct tl_buf b = { 0 };
	int64_t rank = 0;

	for (size_t i = 0; i < found->n; i++)
		tl_finding_row(t, &found->items[i], ++rank, window_ms, NULL);
	if (!strcmp(tl_table_text(j->judged, 0, REPLAYED_CONFIDENCE, ""), "low"))
		for (size_t i = 0; i < found->n; i++)
			tl_table_set(t, i, FINDING_CONFIDENCE, tl_cell_str(t->strings, "low"));
	if (!rank)
		add_nothing(t, j, f);
	for (size_t i = 0; i < f->n_remarks; i++)
		if (f->remarks[i].warning)
			add_text(t, 0, "health", f->remarks[i].text, "");
	add_job(t, j, f, job ? job : &b, found->n);
	tl_buf_release(&b);
}

enum tl_status tl_job_findings(struct tl_table **out, struct tl_strtab *strings, struct tl_table *const *sheets,
                               const struct tl_job_facts *f, struct tl_buf *job, struct tl_error *err)
{
	const struct tl_table *communication = sheets[TL_JOB_COMMUNICATION];
	struct job j = { .sheets = sheets, .communication = communication, .judged = sheets[TL_JOB_JUDGED] };
	double window_ms = cell_of(j.judged, 0, REPLAYED_RECORDED_MS);

	for (size_t i = 0; i < communication->n_rows; i++)
		j.waiting += !tl_cell_is_null(tl_table_cell(communication, i, COMM_WAIT_MS));
	const struct tl_finding_fact facts[] = { { "steps", tl_v_int(f->steps) } };
	struct tl_rule_table rules = { 0 };
	struct tl_findings found;
	enum tl_status st = tl_rule_table_job(&rules, err);

	if (!st) {
		struct tl_findings_input in = { .rules = &rules, .sheet = sheet_of, .ctx = &j, .facts = facts,
			.n_facts = sizeof facts / sizeof *facts, .window_ms = window_ms, .least_share = TL_LEAST_LOSS / 2 };
		st = tl_findings_make(&found, &in, err);
	}
	if (!st) {
		*out = tl_table_new(strings, 1000, tl_ranks_overview_rows); /* those of findings, but the last */
		fill(*out, &found, &j, f, window_ms, job);
		tl_findings_release(&found);
	}
	tl_rule_table_release(&rules);
	return st;
}
