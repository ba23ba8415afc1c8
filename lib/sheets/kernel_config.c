/* kernel_config.c - the sheets kernel_config and kernel_launches: how kernels fill the device.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/kernel_config.h"

#include "analysis/args.h"
#include "analysis/device_events.h"
#include "analysis/devices.h"
#include "analysis/launchers.h"
#include "analysis/waves.h"

#include <math.h>

enum { NAME, TIME, BLOCKS, UNITS, WAVES, TAIL, PER_UNIT, OCCUPANCY, OPERATOR, GRID, BLOCK, REGISTERS, SHARED, N_COLUMNS };
static const char *const row_columns[] = {
	"name", "time", "blocks", "units", "waves", "tail_share", "blocks_per_sm", "occupancy",
	"operator", "grid", "block", "registers_per_thread", "shared_memory_bytes", NULL /* from operator on: only of kernel_launches */
};

/* The means of tail_share, blocks_per_sm and occupancy, by time; null if no kernel has them. */
static void means(void *ctx, const size_t *rows, size_t n, struct tl_cell cells[TL_MAX_CALL_CELLS])
{
	for (size_t c = 0; c < 3; c++) {
		double sum = 0, weight = 0;
		for (size_t i = 0; i < n; i++) {
			struct tl_cell cell = tl_table_cell(ctx, rows[i], TAIL + c);
			double ticks = (double)tl_table_cell(ctx, rows[i], TIME).i;
			if (tl_cell_is_null(cell))
				continue;
			sum += cell.d * ticks;
			weight += ticks;
		}
		if (weight > 0)
			cells[c] = tl_cell_real(sum / weight);
	}
}

#define TIMES \
	{ "Count", .kind = TL_COUNT }, \
	{ "total", .kind = TL_SUM, .in = "time", .hidden = true }, \
	{ "ms", .kind = TL_MS, .in = "total" }, \
	{ "mean_us", .kind = TL_MEAN, .in = "time" }, { "min_us", .kind = TL_MIN, .in = "time" }, { "max_us", .kind = TL_MAX, .in = "time" }
#define FILLS \
	{ "waves", .kind = TL_MEDIAN }, \
	{ "tail_share", .kind = TL_CALL, .fn = means }, \
	{ "blocks_per_sm", .kind = TL_CALL, .fn = means, .cell = 1 }, \
	{ "blocks_known_count", .kind = TL_COUNT, .in = "blocks_per_sm" }, \
	{ "occupancy", .kind = TL_CALL, .fn = means, .cell = 2 }, \
	{ "occupancy_known_count", .kind = TL_COUNT, .in = "occupancy" }
static const struct tl_column columns[] = {
	{ "name", .kind = TL_KEY },
	TIMES,
	{ "blocks_median", .kind = TL_MEDIAN, .in = "blocks" },
	{ "units", .kind = TL_FIRST },
	FILLS,
	{ .name = NULL }
};
const struct tl_sheet_def tl_kernel_config_sheet = {
	.name = "kernel_config", .rows = row_columns, .columns = columns, .order = { { "total", true } },
};

static const struct tl_column launch_columns[] = {
	{ "name", .kind = TL_KEY },
	{ "operator", .kind = TL_KEY },
	{ "grid", .kind = TL_KEY }, { "block", .kind = TL_KEY },
	{ "registers_per_thread", .kind = TL_KEY }, { "shared_memory_bytes", .kind = TL_KEY },
	TIMES,
	FILLS,
	{ .name = NULL }
};
const struct tl_sheet_def tl_kernel_launches_sheet = {
	.name = "kernel_launches", .rows = row_columns, .columns = launch_columns, .order = { { "total", true } },
};

struct maker {
	struct tl_trace *t;
	struct tl_waves waves;
	struct tl_arg per_unit, occupancy;
	struct tl_nearest operators;
	const uint32_t *call_of; /* NULL: of kernel_config, where the columns from operator on are null and take no memory */
	struct tl_table *rows;
};

static void add_launch(struct maker *m, uint32_t event, struct tl_cell *c)
{
	const struct tl_arg *args[] = { &m->waves.grid, &m->waves.block, &m->waves.registers, &m->waves.shared };
	uint32_t call = m->call_of[event], op = tl_nearest(&m->operators, call);

	if (op != TL_NONE)
		c[OPERATOR] = tl_name_cell(m->t, m->t->events[op].name);
	else
		c[OPERATOR] = tl_cell_str(&m->t->strings, call == TL_NONE ? "(not launched)" : "(no operator)");
	for (size_t i = 0; i < sizeof args / sizeof *args; i++)
		c[GRID + i] = tl_arg_list_cell(m->t, args[i], event);
}

static void add_kernel(struct maker *m, uint32_t event)
{
	const struct tl_waves *w = &m->waves;
	const struct tl_ev *e = &m->t->events[event];
	int64_t blocks = tl_blocks_of(w, event), resident = tl_resident_blocks(w, event);
	double per_unit = tl_arg_positive(m->t, &m->per_unit, event), share = tl_arg_positive(m->t, &m->occupancy, event);
	struct tl_cell c[N_COLUMNS] = { [NAME] = tl_name_cell(m->t, e->name), [TIME] = tl_cell_time(e->dur, false) };

	if (blocks)
		c[BLOCKS] = tl_cell_int(blocks);
	if (w->gpu.units)
		c[UNITS] = tl_cell_int(w->gpu.units);
	if (per_unit > 0)
		c[PER_UNIT] = tl_cell_real(per_unit);
	if (share > 0)
		c[OCCUPANCY] = tl_cell_real(share);
	if (blocks && resident && w->gpu.units) {
		double waves = (double)blocks / ((double)w->gpu.units * (double)resident);
		c[WAVES] = tl_cell_real(waves);
		c[TAIL] = tl_cell_real(1 - waves / ceil(waves));
	}
	if (m->call_of)
		add_launch(m, event, c);
	tl_table_add_row(m->rows, c);
}

struct tl_table *tl_kernel_config_rows(struct tl_trace *t, bool launches)
{
	struct maker m = { .t = t, .per_unit = tl_arg_of(t, "blocks per SM"), .occupancy = tl_arg_of(t, "est. achieved occupancy %"),
	                   .operators = { t, tl_nearest_operator, 0, NULL }, .call_of = launches ? tl_calls_of_work(t) : NULL,
	                   .rows = tl_table_new(&t->strings, t->ticks_per_us, row_columns) };
	struct tl_trace_facts facts;

	tl_trace_facts_read(&facts, t);
	tl_waves_init(&m.waves, t, tl_working_gpu_kind(&facts, t));
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].kind == TL_KIND_KERNEL && tl_gpu_usable(&t->events[i]))
			add_kernel(&m, i);
	tl_trace_facts_release(&facts);
	tl_nearest_release(&m.operators);
	return m.rows;
}
