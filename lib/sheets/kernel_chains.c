/* kernel_chains.c - the sheet kernel_chains: operators one after another that one kernel could do.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/roofline_rows.h"

#include "work/kept.h"
#include "perf/chains.h"

struct maker { struct tl_trace *t; struct tl_table *rows; struct tl_chains chains; uint32_t *row_of; /* see tl_row_events */ };

/* The sums of floor and saved, null if one of them is not known, and the number of the first operator. */
void tl_roofline_chain_sums(void *ctx, const size_t *rows, size_t n, struct tl_cell cells[TL_MAX_CALL_CELLS])
{
	static const size_t from[] = { CHAIN_FLOOR, CHAIN_SAVED };
	const struct maker *m = ctx;
	uint32_t uid = m->t->events[m->chains.items[tl_table_cell(m->rows, rows[0], CHAIN_CHAIN).i].first].uid;

	cells[2] = tl_cell_int(uid);
	for (size_t i = 0; i < n; i++) {
		const struct tl_chain *c = &m->chains.items[tl_table_cell(m->rows, rows[i], CHAIN_CHAIN).i];
		for (uint32_t k = 0; k < c->n; k++)
			m->row_of[tl_trace_gpu(m->t, m->chains.kernels[c->kernel + k])] = uid + 1;
	}
	for (int c = 0; c < 2; c++) {
		int64_t sum = 0;
		for (size_t i = 0; i < n; i++) {
			struct tl_cell cell = tl_table_cell(m->rows, rows[i], from[c]);
			if (tl_cell_is_null(cell))
				return;
			sum = tl_ticks_add(sum, cell.i);
		}
		cells[c] = tl_cell_ms(sum);
	}
}

/* Sizes in a trace may be nonsense. */
static int64_t whole(double x)
{
	return x < 0x1p63 ? (int64_t)x : INT64_MAX;
}

struct tl_table *tl_kernel_chains(struct tl_measure *measure, int64_t top)
{
	struct tl_trace *t = measure->trace;
	struct maker m = { .t = t, .rows = tl_table_new(&t->strings, t->ticks_per_us, tl_roofline_chain_rows),
	                   .row_of = tl_row_events(t, tl_roofline_kernel_chains_sheet.name) };
	struct tl_arg dims = tl_arg_of(t, "Input Dims");

	tl_chains_find(&m.chains, measure);
	for (size_t i = 0; i < m.chains.n; i++) {
		const struct tl_chain *c = &m.chains.items[i];
		int64_t floor = whole(c->floor_us * (double)t->ticks_per_us + 0.5);
		struct tl_cell row[N_CHAIN] = {
			[CHAIN_KIND] = tl_cell_text(c->kind), [CHAIN_MODULE] = tl_cell_text(c->module), [CHAIN_NAMES] = tl_cell_text(c->names),
			[CHAIN_KERNELS] = tl_cell_int(c->n), [CHAIN_TIME] = tl_cell_time(c->ticks, false), [CHAIN_BYTES_MOVED] = tl_cell_int(whole(c->moved)),
			[CHAIN_BYTES_MIN] = tl_cell_int(whole(c->least)), [CHAIN_INPUT_DIMS] = tl_arg_cell(t, &dims, c->first),
			[CHAIN_CHAIN] = tl_cell_int((int64_t)i),
		};

		if (c->floor_us >= 0 && floor < INT64_MAX) {
			row[CHAIN_FLOOR] = tl_cell_time(floor, false);
			row[CHAIN_SAVED] = tl_cell_time(c->ticks > floor ? tl_ticks_sub(c->ticks, floor) : 0, false);
		}
		tl_table_add_row(m.rows, row);
	}
	struct tl_table *sheet = tl_sheet_make(&tl_roofline_kernel_chains_sheet, &(struct tl_sheet_input){ .own_rows = m.rows, .ctx = &m, .top = &top });
	tl_chains_release(&m.chains);
	return sheet;
}
