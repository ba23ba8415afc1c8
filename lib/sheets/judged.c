/* judged.c - how much of the kernels' time is judged, and how.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/findings_sheets.h"

#include "work/calls.h"
#include "work/device_events.h"
#include "work/kept.h"
#include "work/launchers.h"
#include "base/map.h"
#include "base/text.h"
#include "work/name_rules.h"
#include "sheet/findings.h"
#include "sheet/kcat.h"
#include "sheet/roofline.h"
#include "sheets/roofline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const part_names[TL_JUDGED_PARTS] = {
	"rated", "judged by name", "communication", "copies", "not judged: own kernel", "not judged: graph without captures",
	"not judged: no shapes", "not judged: no peak", "not judged: no model"
};
/* Of these the name tells all that rules ask; and of what is in fp32 without matrix units. */
static const char *const by_name[] = { "layout", "quantise", "cast", "pointwise", "fused", "fill", "optimizer", NULL };

/* What is told of a row of kernel_kinds, and its kernels: those without a roofline, those with one. */
struct kind {
	int part;                          /* of those without a roofline, if the row tells it; else TL_JUDGED_PARTS */
	bool slow;                         /* products in fp32 */
	struct half { int64_t count, ticks; uint32_t uid; double faster_us; } halves[2];
};

struct judge {
	const struct tl_judging *in;
	struct kind *kinds;                /* by row */
	double *rated;                     /* by row of headroom: the share of its time that tensor cores save; negative: no roofline */
	struct tl_map rows[2];             /* the row by 1 + uid: of kernel_kinds, of headroom */
	struct tl_name_answers *calls;
	double saved;                      /* the share of their time that products in fp32 save at the next precision */
};

static void map_rows(struct tl_map *m, const struct tl_table *t)
{
	int uid = t ? tl_table_column(t, "ex_UID") : -1;

	for (size_t i = 0; uid >= 0 && i < t->n_rows; i++)
		*tl_map_put(m, (uint64_t)tl_table_cell(t, i, (size_t)uid).i + 1, NULL) = (uint32_t)i;
}

static void look_at_kind(struct kind *k, const struct tl_table *t, size_t row)
{
	static const char *const multiply[] = { "product", "convolution", "experts", NULL };
	const char *kind = tl_table_text(t, row, tl_table_column(t, "kind"), "");
	bool fp32 = !strcmp(tl_table_text(t, row, tl_table_column(t, "precision"), ""), "fp32");
	bool no_units = !strcmp(tl_table_text(t, row, tl_table_column(t, "tensor_cores"), ""), "no");

	k->slow = fp32 && tl_is_one_of(multiply, kind);
	k->part = !strcmp(kind, "communication") ? TL_COMMUNICATION : !strcmp(kind, "unknown") ? TL_OWN_KERNEL :
		tl_is_one_of(by_name, kind) || (fp32 && no_units) ? TL_BY_NAME : TL_JUDGED_PARTS;
}

static void look_at_headroom(struct judge *j)
{
	const struct tl_table *t = j->in->headroom;

	for (size_t i = 0; i < t->n_rows; i++) {
		double roof = tl_table_number(t, i, tl_table_column(t, "roofline_ms"));
		double faster = tl_table_number(t, i, tl_table_column(t, "tensor_core_ms"));
		double ms = tl_table_number(t, i, tl_table_column(t, "kernel_ms"));
		j->rated[i] = !(roof > 0) ? -1 : isnan(faster) || !(ms > 0) ? j->saved : faster / ms;
	}
}

/* headroom: the kernel's row there; NULL: it has none */
static int part_of(struct judge *j, uint32_t event, const struct kind *k, const uint32_t *headroom)
{
	const struct tl_ev *e = &j->in->trace->events[event];

	if (tl_gpu_is_comm(e) || k->part == TL_COMMUNICATION)
		return TL_COMMUNICATION;
	if (tl_gpu_work(e) == TL_GPU_MEMCPY)
		return TL_COPIES;
	if (headroom && j->rated[*headroom] >= 0)
		return TL_RATED;
	if (k->part < TL_JUDGED_PARTS)
		return k->part;
	uint32_t call = tl_launching_call(tl_copies_of(j->in->trace), event);
	if (call != TL_NONE && tl_name_is(j->calls, j->in->trace->events[call].name, "launch-graph"))
		return TL_IN_GRAPH;
	return !j->in->has_shapes ? TL_NO_SHAPES : !j->in->arch || !(j->in->arch->bandwidth > 0) ? TL_NO_PEAK : TL_NO_MODEL;
}

/* Returns the uid of the row that the kernel is in from now on. */
static uint32_t judge_kernel(struct judge *j, uint32_t event, struct kind *k, const uint32_t *headroom, struct tl_judged *out)
{
	const struct tl_ev *e = &j->in->trace->events[event];
	int part = part_of(j, event, k, headroom);
	struct half *h = &k->halves[part == TL_RATED];

	h->uid = h->count++ ? h->uid : e->uid;
	h->ticks = tl_ticks_add(h->ticks, e->dur);
	out->ticks[part] = tl_ticks_add(out->ticks[part], e->dur);
	out->all = tl_ticks_add(out->all, e->dur);
	if (k->slow)
		h->faster_us += tl_trace_us(j->in->trace, e->dur) * (part == TL_RATED ? j->rated[*headroom] : j->saved);
	return h->uid;
}

/* A row for each half of each row. */
static struct tl_table *split_rows(const struct judge *j, const struct tl_judged *judged)
{
	const struct tl_table *from = j->in->kinds;
	struct tl_table *out = tl_table_new(from->strings, from->ticks_per_us, NULL);
	size_t uid = (size_t)tl_table_column(from, "ex_UID"), count = (size_t)tl_table_column(from, "count"), ms = (size_t)tl_table_column(from, "ms");
	size_t percent = (size_t)tl_table_column(from, "Percent of kernels time (%)");

	for (size_t c = 0; c < from->n_columns; c++)
		tl_table_add_column(out, from->columns[c].name);
	size_t rated = tl_table_add_column(out, "rated"), faster = tl_table_add_column(out, "tensor_core_ms");
	struct tl_cell *cells = tl_calloc(out->n_columns, sizeof *cells);
	for (size_t i = 0; i < 2 * from->n_rows; i++) {
		const struct half *h = &j->kinds[i / 2].halves[i % 2];
		for (size_t c = 0; c < from->n_columns; c++)
			cells[c] = tl_table_cell(from, i / 2, c);
		cells[uid] = tl_cell_int(h->uid);
		cells[count] = tl_cell_int(h->count);
		cells[ms] = tl_cell_ms(h->ticks);
		cells[percent] = tl_cell_real(tl_judged_percent(judged, h->ticks));
		cells[rated] = tl_cell_bool(i % 2);
		cells[faster] = h->faster_us > 0 ? tl_cell_real(h->faster_us / 1e3) : tl_cell_null();
		if (h->count)
			tl_table_add_row(out, cells);
	}
	free(cells);
	return out;
}

/* What products in fp32 save at the next precision; without peaks half of their time, by experience. */
static double saved_share(const struct tl_arch *arch)
{
	double fp32 = arch ? tl_arch_peak(arch, "matrix_fp32") : 0, next = arch ? tl_headroom_faster(arch) : 0;

	return !arch || !(fp32 > 0) ? 0.5 : next > fp32 ? 1 - fp32 / next : 0;
}

struct tl_table *tl_judge_kernels(const struct tl_judging *in, struct tl_judged *out)
{
	uint32_t *row_of = tl_row_events(in->trace, tl_kcat_kernel_kinds_sheet.name);
	const uint32_t *headroom_of = tl_row_events(in->trace, tl_roofline_headroom_sheet.name);
	struct judge j = { .in = in, .saved = saved_share(in->arch), .kinds = tl_calloc(in->kinds->n_rows + 1, sizeof *j.kinds),
	                   .rated = tl_calloc(in->headroom ? in->headroom->n_rows + 1 : 1, sizeof *j.rated) };

	*out = (struct tl_judged){ 0 };
	map_rows(&j.rows[0], in->kinds);
	map_rows(&j.rows[1], in->headroom);
	j.calls = tl_kept_answers(in->trace, TL_GRAPH_NAMES);
	for (size_t i = 0; i < in->kinds->n_rows; i++)
		look_at_kind(&j.kinds[i], in->kinds, i);
	if (in->headroom)
		look_at_headroom(&j);
	const struct tl_launchers *l = tl_launchers_of(in->trace);
	for (uint32_t i = 0; i < l->n_gpus; i++) {
		uint32_t gpu = tl_trace_gpu(in->trace, l->gpus[i]);
		const uint32_t *row = tl_map_get(&j.rows[0], row_of[gpu]);
		if (row)
			row_of[gpu] = 1 + judge_kernel(&j, l->gpus[i], &j.kinds[*row], tl_map_get(&j.rows[1], headroom_of[gpu]), out);
	}
	struct tl_table *rows = split_rows(&j, out);
	tl_map_release(&j.rows[0]);
	tl_map_release(&j.rows[1]);
	free(j.kinds);
	free(j.rated);
	return rows;
}

double tl_judged_percent(const struct tl_judged *j, int64_t ticks)
{
	return j->all > 0 ? (double)ticks / (double)j->all * 100 : 0;
}

struct tl_table *tl_judged_rows(const struct tl_judged *j, struct tl_trace *t)
{
	struct tl_table *out = tl_table_new(&t->strings, t->ticks_per_us, tl_findings_judged_rows);

	for (size_t i = 0; i < TL_JUDGED_PARTS; i++)
		if (j->ticks[i])
			tl_table_add_row(out, (struct tl_cell[N_JUDGED]){ [JUDGED_PART] = tl_cell_str(&t->strings, part_names[i]),
				[JUDGED_MS] = tl_cell_ms(j->ticks[i]), [JUDGED_PERCENT] = tl_cell_real(tl_judged_percent(j, j->ticks[i])) });
	return out;
}

/* ---- the sheet gpu_work ------------------------------------------------------------------------------------ */

/* What kinds of another name are called there. */
static const struct { const char *kind, *words; } words[] = {
	{ "product", "products" }, { "gemv", "products of one row" }, { "convolution", "convolutions" }, { "norm", "norms" }, { "copy", "copies" },
	{ "cast", "casts" }, { "fused", "fused pointwise" }, { "unknown", "unknown kernels" },
};

struct tl_table *tl_gpu_work_rows(const struct tl_table *kinds, struct tl_trace *t)
{
	struct tl_table *out = tl_table_new(&t->strings, t->ticks_per_us, tl_findings_work_rows);
	struct tl_buf b = { 0 };

	for (size_t i = 0; i < kinds->n_rows; i++) {
		const char *kind = tl_table_text(kinds, i, tl_table_column(kinds, "kind"), "");
		const char *precision = tl_table_text(kinds, i, tl_table_column(kinds, "precision"), "");
		bool no_units = !strcmp(precision, "fp32") && !strcmp(tl_table_text(kinds, i, tl_table_column(kinds, "tensor_cores"), ""), "no");
		for (size_t k = 0; k < sizeof words / sizeof *words; k++)
			kind = strcmp(kind, words[k].kind) ? kind : words[k].words;
		tl_buf_clear(&b);
		tl_buf_addf(&b, "%s%s%s%s", precision, *precision ? " " : "", kind, no_units ? " without tensor cores" : "");
		tl_table_add_row(out, (struct tl_cell[N_WORK]){ [WORK_WORK] = tl_cell_str(&t->strings, b.data),
			[WORK_TIME] = tl_cell_time(tl_table_cell(kinds, i, (size_t)tl_table_column(kinds, "ms")).i, false) });
	}
	tl_buf_release(&b);
	return out;
}
