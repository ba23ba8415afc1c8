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

static const double least_share = 0.002; /* of the window */
static const double much_waiting = 5;   /* percent of the window */

const char *const tl_job_sheets[TL_JOB_SHEETS] = { "ranks_communication", "ranks_stragglers", "ranks_stages", "ranks_experts" };

struct job {
	struct tl_table *const *sheets;
	const struct tl_table *communication;
	/* Ranks that have collectives; that have some in which they may wait for another rank; that could be compared with others in some. */
	int64_t joining, waiting, compared;
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

/* Where no rule found anything: how alike the ranks are, and how long they wait anyway. Nothing is said of ranks and collectives
 * that could not be compared. */
static void add_nothing(struct tl_table *t, const struct job *j, const struct tl_job_facts *f)
{
	struct tl_buf title = { 0 }, evidence = { 0 };
	const struct tl_table *ranks = j->communication;
	double wait_ms = 0, most_extra = 0;
	for (size_t i = 0; i < ranks->n_rows; i++) {
		wait_ms += cell_of(ranks, i, COMM_WAIT_MS);
		most_extra = fmax(most_extra, cell_of(ranks, i, COMM_EXTRA_PCT));
	}
	double waits = j->waiting && f->window_ms > 0 ? 100 * wait_ms / (double)j->waiting / f->window_ms : 0;
	bool all = f->judged == f->joint && f->ranks >= f->world && j->compared >= j->waiting;

	if (j->waiting)
		tl_buf_addf(&evidence, "a rank waits %.1f %% of its time in the mean", waits);
	if (!all || !j->compared)
		add_longest(&evidence, j->communication);
	if (f->ranks < 2)
		tl_buf_adds(&title, "one rank alone: there is none to compare it with");
	else if (!f->joint)
		tl_buf_addf(&title, "%sno collective that all ranks must join: who waits for whom is not known",
			j->sheets[TL_JOB_STAGES] ? "no stage of the pipeline stands out, and " : "");
	else if (!f->judged)
		tl_buf_addf(&title, "not judged: 0 of %" PRId64 " collectives have all their ranks", f->joint);
	else if (!j->compared)
		tl_buf_adds(&title, "not judged: no collective follows another one of its group on all ranks, so what they need between them is not known");
	else if (!all)
		tl_buf_addf(&title, "judged in part: nothing stands out among %" PRId64 " of %" PRId64 " ranks, "
		            "in the %" PRId64 " of %" PRId64 " collectives that have all their ranks",
		            j->compared, f->world > f->ranks ? f->world : f->ranks, f->judged, f->joint);
	else if (waits > 100)
		tl_buf_addf(&title, "no rank and no link stands out, but ranks wait %.1f times as long as the trace lasts, in collectives that overlap", waits / 100);
	else if (waits >= much_waiting)
		tl_buf_addf(&title, "no rank and no link stands out, but ranks wait %.1f %% of the time", waits);
	else
		tl_buf_addf(&title, "no straggler: spread of %.2g %%", most_extra);
	add_text(t, 1, f->ranks > 1 && f->judged && j->compared ? "none" : "unknown", title.data, tl_buf_text(&evidence));
	tl_buf_release(&title);
	tl_buf_release(&evidence);
}

static void fill(struct tl_table *t, const struct tl_findings *found, const struct job *j, const struct tl_job_facts *f, struct tl_buf *job)
{
	struct tl_buf b = { 0 };
	int64_t rank = 0;

	for (size_t i = 0; i < found->n; i++)
		tl_finding_row(t, &found->items[i], ++rank, f->window_ms, NULL);
	if (!rank)
		add_nothing(t, j, f);
	for (size_t i = 0; i < f->n_remarks; i++)
		if (f->remarks[i].warning)
			add_text(t, 0, "health", f->remarks[i].text, "");
	struct tl_buf *what = job ? job : &b;
	tl_buf_addf(what, "%" PRId64 " rank%s", f->ranks, f->ranks == 1 ? "" : "s");
	if (f->world)
		tl_buf_addf(what, " of %" PRId64, f->world);
	if (f->steps)
		tl_buf_addf(what, ", %" PRId64 " step%s", f->steps, f->steps == 1 ? "" : "s");
	tl_buf_addf(what, ", %" PRId64 " process group%s", f->groups, f->groups == 1 ? "" : "s");
	add_text(t, 0, "job", what->data, "");
	tl_buf_release(&b);
}

enum tl_status tl_job_findings(struct tl_table **out, struct tl_strtab *strings, struct tl_table *const *sheets,
                               const struct tl_job_facts *f, struct tl_buf *job, struct tl_error *err)
{
	const struct tl_table *communication = sheets[TL_JOB_COMMUNICATION];
	struct job j = { .sheets = sheets, .communication = communication };

	for (size_t i = 0; i < communication->n_rows; i++) {
		j.joining += cell_of(communication, i, COMM_COLLECTIVES) > 0;
		j.waiting += !tl_cell_is_null(tl_table_cell(communication, i, COMM_WAIT_MS));
		j.compared += !tl_cell_is_null(tl_table_cell(communication, i, COMM_EXTRA_MS));
	}
	const struct tl_finding_fact facts[] = { { "job_ranks", tl_v_int(j.joining) }, { "steps", tl_v_int(f->steps) } };
	struct tl_rule_table rules = { 0 };
	struct tl_findings found;
	enum tl_status st = tl_rule_table_job(&rules, err);

	if (!st) {
		struct tl_findings_input in = { .rules = &rules, .sheet = sheet_of, .ctx = &j, .facts = facts,
			.n_facts = sizeof facts / sizeof *facts, .window_ms = f->window_ms, .least_share = least_share };
		st = tl_findings_make(&found, &in, err);
	}
	if (!st) {
		*out = tl_table_new(strings, 1000, tl_ranks_overview_rows); /* those of findings, but the last */
		fill(*out, &found, &j, f, job);
		tl_findings_release(&found);
	}
	tl_rule_table_release(&rules);
	return st;
}
