/* idle_gaps.c - the sheet idle_gaps: the longest times in which a device did nothing, and why.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/idle_gaps.h"

#include "analysis/gap_causes.h"

#include <stdlib.h>

static const char *const cause_names[TL_GAP_PARTS] = {
	"host waiting", "host busy", "host elsewhere", "launch-bound", "queued"
};

enum { RANK, PROCESS, DEVICE, START, LENGTH, SHARE, CAUSE, HOST_NAME, PARTS, WAITING_CALL = PARTS + TL_GAP_PARTS, CALL,
	CALL_UID, BEFORE, BEFORE_UID, BEFORE_STREAM, AFTER, AFTER_UID, AFTER_STREAM, TS, N_COLUMNS };
static const char *const row_columns[] = {
	"rank", "process", "device", "start_us", "idle_time_us", "Percent of idle time (%)", "cause", "host_name",
	"host_waiting_us", "host_busy_us", "host_elsewhere_us", "launch_us", "queued_us", "waiting_call", "launch_call",
	"launch_call_UID", "before_name", "before_UID", "before_stream", "after_name", "after_UID", "after_stream",
	"start", NULL
};
static const struct tl_column columns[] = {
	{ "all else", .kind = TL_REST },
	{ "start", .kind = TL_TICKS },
	{ .name = NULL }
};
const struct tl_sheet_def tl_idle_gaps_sheet = {
	.name = "idle_gaps", .rows = row_columns, .columns = columns, .ungrouped = true,
};

static void cause_cells(struct tl_trace *t, const struct tl_gap *g, const struct tl_gap_cause *cause, struct tl_cell *c)
{
	enum tl_gap_part main = tl_gap_main_cause(cause);

	if (g->call == TL_NONE) {
		c[CAUSE] = tl_cell_text(tl_intern_str(&t->strings, "unknown"));
		return;
	}
	c[CAUSE] = tl_cell_text(tl_intern_str(&t->strings, cause_names[main]));
	c[CALL] = tl_name_cell(t, t->events[g->call].name);
	c[CALL_UID] = tl_cell_int(t->events[g->call].uid);
	c[HOST_NAME] = tl_cell_text(cause->names[main]);
	c[WAITING_CALL] = tl_cell_text(cause->names[TL_GAP_WAITING]);
	for (int i = 0; i < TL_GAP_PARTS; i++)
		c[PARTS + i] = tl_cell_time(cause->parts[i], false);
}

struct row_maker {
	struct tl_trace *t;
	const struct tl_devices *devices;
	struct tl_gaps gaps;
	struct tl_arg stream;
	struct tl_arg_cells cells;
	struct tl_table *rows;
};

static void add_row(struct row_maker *m, const struct tl_gap *g, const struct tl_gap_cause *cause)
{
	struct tl_trace *t = m->t;
	const struct tl_device *d = &m->devices->items[g->device];
	struct tl_cell c[N_COLUMNS] = { 0 };

	c[RANK] = d->rank;
	c[PROCESS] = d->process;
	c[DEVICE] = d->device;
	c[START] = tl_start_cell(t, g->start);
	c[LENGTH] = tl_cell_time(tl_gap_length(g), false);
	c[SHARE] = tl_cell_real(tl_trace_us(t, tl_gap_length(g)) / tl_trace_us(t, m->gaps.idle[g->device]) * 100);
	cause_cells(t, g, cause, c);
	c[BEFORE] = tl_name_cell(t, t->events[g->before].name);
	c[BEFORE_UID] = tl_cell_int(t->events[g->before].uid);
	c[BEFORE_STREAM] = tl_arg_cell(&m->cells, &m->stream, g->before);
	c[AFTER] = tl_name_cell(t, t->events[g->after].name);
	c[AFTER_UID] = tl_cell_int(t->events[g->after].uid);
	c[AFTER_STREAM] = tl_arg_cell(&m->cells, &m->stream, g->after);
	c[TS] = tl_cell_time(g->start, false);
	tl_table_add_row(m->rows, c);
}

struct tl_table *tl_idle_gaps(struct tl_trace *t, const struct tl_devices *d, int64_t top)
{
	struct row_maker m = { .t = t, .devices = d, .cells = { .trace = t },
	                       .rows = tl_table_new(&t->strings, t->ticks_per_us, row_columns) };

	tl_gaps_find(&m.gaps, t, d, top);
	struct tl_gap_cause *causes = tl_gap_causes(t, &m.gaps);
	tl_arg_init(&m.stream, t, TL_KEY_STREAM);
	for (size_t i = 0; i < m.gaps.n; i++)
		add_row(&m, &m.gaps.items[i], &causes[i]);
	tl_arg_release(&m.stream);
	tl_arg_cells_release(&m.cells);
	tl_gaps_release(&m.gaps);
	free(causes);
	return tl_sheet_make(&tl_idle_gaps_sheet, &(struct tl_sheet_input){ .own_rows = m.rows });
}
