/* timeline.c - the sheets gpu_timeline*: what the time of devices was spent on; idle_gaps.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/timeline.h"

#include "analysis/devices.h"
#include "analysis/gpu_times.h"
#include "sheets/exposed.h"
#include "sheets/one_off_sheet.h"
#include "sheets/populations.h"
#include "sheets/step_table.h"
#include "sheets/window.h"
#include "steps/recorded.h"

#include <stdlib.h>
#include <string.h>

/* Ticks by purpose, of one set of device events; idle = micro + macro. */
struct purposes { int64_t ticks[TL_TIMES], micro_idle, macro_idle; };

/* The same, with detect_recompute in two parts: work that is not recomputed, and recomputed
 * work. */
struct block {
	struct purposes parts[2];
	bool any[2]; /* does a part have device events? */
};

struct tl_timeline {
	struct tl_trace *trace;
	struct tl_timeline_options options;
	struct block all;
	const struct tl_devices *devices;
	struct block *of_device;  /* by number of the device */
};

static void add_idle(const struct tl_spans *busy, int64_t micro_ticks, struct purposes *out)
{
	for (size_t i = 1; i < busy->n; i++) {
		int64_t gap = tl_ticks_sub(busy->items[i].start, busy->items[i - 1].end);

		if (gap < micro_ticks)
			out->micro_idle = tl_ticks_add(out->micro_idle, gap);
		else
			out->macro_idle = tl_ticks_add(out->macro_idle, gap);
	}
}

static void measure(struct tl_timeline *l, const uint32_t *events, size_t n, struct purposes *out)
{
	const struct tl_trace *t = l->trace;
	struct tl_spans of[TL_GPU_WORKS] = { 0 }, all = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[events[i]];

		tl_spans_add(&of[tl_gpu_work(e)], e->ts, tl_ev_end(e));
	}
	tl_gpu_times(of, &all, out->ticks);
	add_idle(&all, tl_ticks_of_us(l->options.micro_idle_us, t->ticks_per_us), out);
	tl_spans_release(&all);
}

/* Measures the events of each device by themselves. */
static void measure_devices(struct tl_timeline *l, const uint32_t *events, size_t n, int part)
{
	struct tl_split_events by = tl_split_events(l->devices->of, l->devices->n, events, n);

	for (size_t i = 0; i < l->devices->n; i++) {
		size_t n_here = by.start[i + 1] - by.start[i];

		l->of_device[i].any[part] = n_here > 0;
		if (n_here)
			measure(l, by.items + by.start[i], n_here, &l->of_device[i].parts[part]);
	}
	tl_split_events_release(&by);
}

enum tl_status tl_timeline_new(struct tl_timeline **out, struct tl_trace *t, const struct tl_timeline_options *o,
                               bool *fell_back, struct tl_error *err)
{
	struct tl_timeline *l = tl_calloc(1, sizeof *l);

	tl_mark_work_once(t);
	l->trace = t;
	l->options = *o;
	l->devices = tl_devices_of(t);
	l->of_device = tl_calloc(l->devices->n + 1, sizeof *l->of_device);
	*fell_back = false;
	for (int part = 0; part <= o->select.detect_recompute; part++) {
		bool fell;
		size_t n;
		uint32_t *events = tl_gpu_events(t, &o->select, part, &n, &fell);

		*fell_back |= fell;
		l->all.any[part] = n > 0;
		if (n)
			measure(l, events, n, &l->all.parts[part]);
		if (l->devices->n > 1)
			measure_devices(l, events, n, part);
		free(events);
	}
	if (l->devices->n == 1)
		l->of_device[0] = l->all;
	*out = l;
	if (l->all.any[0] || l->all.any[1])
		return TL_OK;
	tl_timeline_free(l);
	return tl_no_gpu_events(t, err);
}

void tl_timeline_free(struct tl_timeline *l)
{
	if (!l)
		return;
	free(l->of_device);
	free(l);
}

size_t tl_timeline_devices(const struct tl_timeline *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->devices->n; i++)
		n += l->of_device[i].any[0] || l->of_device[i].any[1];
	return n;
}

/* ---- the sheets --------------------------------------------------------------- */

/* Where the rows of a part go; they begin with the cells of the device, if there is one. */
struct part { const struct tl_timeline *timeline; const struct tl_device *device; bool recomputed; struct tl_table *table; };

static void add_time(const struct part *part, const char *type, int64_t ticks, int64_t total)
{
	const struct tl_device *d = part->device;
	struct tl_cell c[7] = { 0 };
	size_t n = 0;

	if (d) {
		c[n++] = d->rank;
		c[n++] = d->process;
		c[n++] = d->device;
	}
	c[n++] = tl_cell_str(part->table->strings, type);
	c[n++] = tl_cell_ms(ticks);
	if (total)
		c[n] = tl_cell_real(tl_trace_us(part->timeline->trace, ticks) / tl_trace_us(part->timeline->trace, total) * 100);
	c[++n] = tl_cell_bool(part->recomputed);
	tl_table_add_row(part->table, c);
}

static void add_part(const struct part *part, const struct purposes *p)
{
	int64_t total = p->ticks[TL_TIME_TOTAL];

	for (size_t i = 0; i < TL_TIMES; i++) {
		if (i != TL_TIME_IDLE || part->timeline->options.micro_idle_us < 0) {
			add_time(part, tl_gpu_time_names[i], p->ticks[i], total);
			continue;
		}
		add_time(part, "micro_idle_time", p->micro_idle, total);
		add_time(part, "macro_idle_time", p->macro_idle, total);
	}
}

static void add_block(const struct tl_timeline *l, const struct tl_device *d, const struct block *b, struct tl_table *table)
{
	for (int part = 0; part < 2; part++)
		if (b->any[part])
			add_part(&(struct part){ l, d, part == 1, table }, &b->parts[part]);
}

static struct tl_table *new_table(const struct tl_timeline *l, const char *const *columns)
{
	struct tl_table *table = tl_table_new(&l->trace->strings, l->trace->ticks_per_us, columns);

	if (l->options.select.detect_recompute)
		tl_table_add_column(table, "is_recompute");
	return table;
}

static void times_of_all(void *ctx, struct tl_sheet_input *in)
{
	static const char *const columns[] = { "type", "time ms", "percent", NULL };
	const struct tl_timeline *l = ctx;

	in->own_rows = new_table(l, columns);
	add_block(l, NULL, &l->all, in->own_rows);
}

static void times_by_device(void *ctx, struct tl_sheet_input *in)
{
	static const char *const columns[] = { "rank", "process", "device", "type", "time ms", "percent", NULL };
	const struct tl_timeline *l = ctx;

	if (tl_timeline_devices(l) < 2 && !l->options.one_device)
		return;
	in->own_rows = new_table(l, columns);
	for (size_t i = 0; i < l->devices->n; i++)
		add_block(l, &l->devices->items[i], &l->of_device[i], in->own_rows);
}

/* ---- idle_gaps: the longest times in which a device did nothing, and why ------------------ */

enum { RANK, PROCESS, DEVICE, START, LENGTH, SHARE, CAUSE, HOST_NAME, WAITING, BUSY, ELSEWHERE, LAUNCH, QUEUED, WAITING_CALL, CALL, CALL_UID,
	 BEFORE, BEFORE_UID, BEFORE_STREAM, AFTER, AFTER_UID, AFTER_STREAM, TS, N_COLUMNS };
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
static const struct tl_sheet_def idle_gaps_def = {
	.name = "idle_gaps", .rows = row_columns, .columns = columns, .ungrouped = true,
};

/* Which column has the time of a class; 0: none. */
static const uint8_t column_of_class[TL_IDLE_N_CLASSES] = {
	[TL_IDLE_PROFILER] = ELSEWHERE, [TL_IDLE_START_UP] = BUSY, [TL_IDLE_RECOMPILE] = BUSY, [TL_IDLE_MIGRATION] = ELSEWHERE,
	[TL_IDLE_LOADER] = ELSEWHERE, [TL_IDLE_SERVER] = ELSEWHERE, [TL_IDLE_WAITING] = WAITING, [TL_IDLE_ALLOCATOR] = BUSY, [TL_IDLE_BUSY] = BUSY,
	[TL_IDLE_ELSEWHERE] = ELSEWHERE, [TL_IDLE_LAUNCH] = LAUNCH, [TL_IDLE_QUEUED] = QUEUED,
};

static void cause_cells(struct tl_trace *t, const struct tl_gap *g, const struct tl_idle_pieces *pieces, size_t gap, struct tl_cell *c)
{
	int64_t ticks[TL_IDLE_N_CLASSES], of_column[QUEUED + 1] = { 0 };
	uint32_t name;

	c[CAUSE] = tl_cell_str(&t->strings, tl_idle_class_name(tl_idle_main(pieces, gap, ticks, &name)));
	if (g->call == TL_NONE)
		return;
	c[CALL] = tl_name_cell(t, t->events[g->call].name);
	c[CALL_UID] = tl_cell_int(t->events[g->call].uid);
	c[HOST_NAME] = tl_cell_text(name);
	for (int i = 0; i < TL_IDLE_N_CLASSES; i++)
		of_column[column_of_class[i]] += ticks[i];
	for (int i = WAITING; i <= QUEUED; i++)
		c[i] = tl_cell_time(of_column[i], false);
	for (size_t i = pieces->of_gap[gap]; i < pieces->of_gap[gap + 1]; i++)
		if (pieces->items[i].class == TL_IDLE_WAITING && tl_cell_is_null(c[WAITING_CALL]))
			c[WAITING_CALL] = tl_cell_text(pieces->items[i].name);
}

struct row_maker {
	struct tl_trace *t;
	const struct tl_devices *devices;
	struct tl_gaps gaps;
	int64_t *idle;  /* by device: the length of all its gaps but those that are unrecorded */
	struct tl_arg stream;
	struct tl_table *rows;
};

static void add_row(struct row_maker *m, const struct tl_idle_pieces *pieces, size_t gap)
{
	const struct tl_gap *g = &m->gaps.items[gap];
	struct tl_trace *t = m->t;
	const struct tl_device *d = &m->devices->items[g->device];
	struct tl_cell c[N_COLUMNS] = { 0 };

	c[RANK] = d->rank;
	c[PROCESS] = d->process;
	c[DEVICE] = d->device;
	c[START] = tl_start_cell(t, g->start);
	c[LENGTH] = tl_cell_time(tl_gap_length(g), false);
	if (!g->unrecorded)
		c[SHARE] = tl_cell_real(tl_trace_us(t, tl_gap_length(g)) / tl_trace_us(t, m->idle[g->device]) * 100);
	cause_cells(t, g, pieces, gap, c);
	c[BEFORE] = tl_name_cell(t, t->events[g->before].name);
	c[BEFORE_UID] = tl_cell_int(t->events[g->before].uid);
	c[BEFORE_STREAM] = tl_arg_cell(t, &m->stream, g->before);
	c[AFTER] = tl_name_cell(t, t->events[g->after].name);
	c[AFTER_UID] = tl_cell_int(t->events[g->after].uid);
	c[AFTER_STREAM] = tl_arg_cell(t, &m->stream, g->after);
	c[TS] = tl_cell_time(g->start, false);
	tl_table_add_row(m->rows, c);
}

/* A row for each of the longest gaps of each device, at most options.top_gaps of one. All device events
 * count, linked or not. Takes the time of sorting device events and the host events that the gaps need. */
static void idle_gaps(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_timeline *l = ctx;
	struct tl_trace *t = l->trace;
	struct row_maker m = { .t = t, .devices = l->devices,
	                       .rows = in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, row_columns) };

	tl_recorded_gaps(&m.gaps, t, NULL, l->options.top_gaps);
	m.idle = tl_unrecorded_between(t);
	for (size_t i = 0; i < l->devices->n; i++)
		m.idle[i] = tl_ticks_sub(m.gaps.idle[i], m.idle[i]);
	struct tl_idle_pieces pieces;
	tl_idle_pieces_find(&pieces, t, &m.gaps);
	m.stream = tl_arg_of(t, TL_KEY_STREAM);
	for (size_t i = 0; i < m.gaps.n; i++)
		add_row(&m, &pieces, i);
	tl_idle_pieces_release(&pieces);
	tl_gaps_release(&m.gaps);
	free(m.idle);
}

/* ---- idle_summary: all idle time, by what the host did ------------------------------------------------- */

enum { S_RANK, S_PROCESS, S_DEVICE, S_CAUSE, S_HOST_NAME, S_FRAME, S_CHAIN, S_RANGE, S_WHERE, S_STEADY, S_COUNT, S_TIME, S_LONGEST, S_START, S_IDLE, S_WINDOW, S_COLUMNS };
static const char *const summary_rows[] = {
	"rank", "process", "device", "cause", "host_name", "frame", "frame_chain", "range", "where", "steady", "pieces", "idle", "longest piece", "start", "all idle",
	"window", NULL
};

static const struct tl_column summary_columns[] = {
	{ "rank", .kind = TL_KEY }, { "process", .kind = TL_KEY }, { "device", .kind = TL_KEY },
	{ "cause", .kind = TL_KEY }, { "host_name", .kind = TL_KEY }, { "frame", .kind = TL_KEY },
	{ "frame_chain", .kind = TL_KEY }, { "range", .kind = TL_KEY },
	{ "count", .kind = TL_SUM, .in = "pieces" },
	{ "time", .kind = TL_SUM, .in = "idle", .hidden = true }, { "idle_ms", .kind = TL_MS, .in = "time" },
	{ "all idle", .kind = TL_FIRST, .hidden = true }, { "window", .kind = TL_FIRST, .hidden = true },
	{ "Percent of idle time (%)", .kind = TL_PERCENT, .in = "time", .of = "all idle" },
	{ "Percent of window (%)", .kind = TL_PERCENT, .in = "time", .of = "window" },
	{ "longest", .kind = TL_MAX, .in = "longest piece", .hidden = true }, { "longest_ms", .kind = TL_MS, .in = "longest" },
	{ "longest_start_us", .kind = TL_FIRST, .in = "start" },
	{ "where", .kind = TL_KEY },
	{ "steady", .kind = TL_KEY },
	{ .name = NULL }
};
static const struct tl_sheet_def idle_summary_def = {
	.name = "idle_summary", .rows = summary_rows, .columns = summary_columns, .order = { { "time", true } },
};

struct summary_maker {
	struct tl_trace *t;
	const struct tl_window *window;
	struct tl_buf chain;
	struct tl_strtab callers; /* frames, as events */
	uint32_t *chains; size_t cap_chains; /* by id of these */
	struct tl_strtab keys;    /* of groups */
	struct group { uint32_t longest; int64_t count, ticks; } *groups; size_t cap_groups; /* by id of these; longest: a piece */
	struct tl_table *rows;
};

/* "file(line): function" in two parts; a name without a place is all function. */
static const char *function_of(const char *frame, size_t *place)
{
	const char *end = strstr(frame, "): ");

	*place = end ? (size_t)(end - frame) + 1 : 0;
	return end ? end + 3 : frame;
}

/* A frame and those that called it: "fft.py(10): fft < model.py(7): forward < run". The place stands where the
 * file is another one than before; callers stand without their folders. */
static uint32_t make_chain(struct tl_trace *t, const uint32_t *frames, struct tl_buf *chain)
{
	const char *file = "";
	size_t file_length = 0;

	tl_buf_clear(chain);
	for (size_t i = 0; i < TL_IDLE_FRAMES && frames[i] != TL_NONE; i++) {
		size_t place, folders = 0;
		const char *frame = tl_str(&t->strings, t->events[frames[i]].name), *function = function_of(frame, &place);

		for (size_t c = 0; c < place; c++)
			folders = frame[c] == '/' ? c + 1 : folders;
		size_t length = strcspn(frame + folders, "(");
		tl_buf_adds(chain, i ? " < " : "");
		if (!i)
			tl_buf_add(chain, frame, (size_t)(function - frame));
		else if (length != file_length || memcmp(frame + folders, file, length))
			tl_buf_add(chain, frame + folders, (size_t)(function - frame) - folders);
		tl_buf_adds(chain, function);
		file = frame + folders;
		file_length = place ? length : 0;
	}
	return tl_intern(&t->strings, chain->data, chain->len);
}

/* The chain of these frames; it is made once. */
static uint32_t frame_chain(struct summary_maker *m, const uint32_t *frames)
{
	uint32_t n = m->callers.count, id = tl_intern(&m->callers, (const char *)frames, TL_IDLE_FRAMES * sizeof *frames);

	TL_GROW(m->chains, m->cap_chains, (size_t)id + 1);
	if (id > n)
		m->chains[id] = make_chain(m->t, frames, &m->chain);
	return m->chains[id];
}

static int64_t length_of(const struct tl_idle_piece *p)
{
	return tl_ticks_sub(p->end, p->start);
}

/* Adds the row of a group, with the longest of its pieces. */
static void add_group(struct summary_maker *m, const struct group *group)
{
	static const char *const where[] = { "head", "between", "tail" };
	struct tl_trace *t = m->t;
	const struct tl_idle_piece *p = &m->window->pieces->items[group->longest];
	const struct tl_gap *g = &m->window->recorded->gaps.items[p->gap];
	const struct tl_device *d = &m->window->devices->items[g->device];
	struct tl_cell c[S_COLUMNS] = { [S_RANK] = d->rank, [S_PROCESS] = d->process, [S_DEVICE] = d->device,
		[S_CAUSE] = tl_cell_str(&t->strings, tl_idle_class_name(p->class)), [S_HOST_NAME] = tl_cell_text(p->name),
		[S_WHERE] = tl_cell_str(&t->strings, where[g->where]), [S_STEADY] = tl_cell_bool(p->steady), [S_START] = tl_start_cell(t, p->start),
		[S_COUNT] = tl_cell_int(group->count), [S_TIME] = tl_cell_time(group->ticks, false), [S_LONGEST] = tl_cell_time(length_of(p), false) };

	if (p->class != TL_IDLE_UNRECORDED && p->class != TL_IDLE_SERVER) {
		c[S_IDLE] = tl_cell_time(m->window->idle[g->device], false);
		c[S_WINDOW] = tl_cell_time(m->window->ticks[g->device], false);
	}
	if (p->frames[0] != TL_NONE) {
		c[S_FRAME] = tl_name_cell(t, t->events[p->frames[0]].name);
		c[S_CHAIN] = tl_cell_text(frame_chain(m, p->frames));
	}
	if (p->range != TL_NONE)
		c[S_RANGE] = tl_name_cell(t, t->events[p->range].name);
	tl_table_add_row(m->rows, c);
}

/* The group of a piece, from 0: those of a group have the same keys in idle_summary. */
static uint32_t group_of(struct summary_maker *m, uint32_t piece)
{
	const struct tl_idle_piece *p = &m->window->pieces->items[piece];
	const struct tl_gap *g = &m->window->recorded->gaps.items[p->gap];
	const struct tl_ev *events = m->t->events;
	uint32_t key[] = { g->device, p->class, p->name, p->frames[0] == TL_NONE ? 0 : events[p->frames[0]].name,
		p->frames[0] == TL_NONE ? 0 : frame_chain(m, p->frames), p->range == TL_NONE ? TL_NONE : events[p->range].name, g->where, p->steady };
	uint32_t n = m->keys.count, id = tl_intern(&m->keys, (const char *)key, sizeof key);

	TL_GROW(m->groups, m->cap_groups, (size_t)id + 1);
	struct group *of = &m->groups[id];
	if (id > n)
		*of = (struct group){ .longest = piece };
	of->count++;
	of->ticks = tl_ticks_add(of->ticks, length_of(p));
	if (length_of(p) > length_of(&m->window->pieces->items[of->longest]))
		of->longest = piece;
	return id - 1;
}

/* A row for each group of pieces; of: by piece its row, unless it is NULL. */
static struct tl_table *make_rows(struct tl_trace *t, uint32_t *of)
{
	const struct tl_window *w = tl_window_of(t);
	struct summary_maker m = { .t = t, .window = w, .rows = tl_table_new(&t->strings, t->ticks_per_us, summary_rows) };

	for (size_t i = 0; i < w->pieces->n; i++) {
		uint32_t group = group_of(&m, (uint32_t)i);
		if (of)
			of[i] = group;
	}
	for (size_t i = 1; i <= m.keys.count; i++)
		add_group(&m, &m.groups[i]);
	tl_buf_release(&m.chain);
	tl_strtab_release(&m.callers);
	tl_strtab_release(&m.keys);
	free(m.groups);
	free(m.chains);
	return m.rows;
}

static void idle_summary(void *ctx, struct tl_sheet_input *in)
{
	in->own_rows = make_rows(((const struct tl_timeline *)ctx)->trace, NULL);
}

/* A number for the cells of a row that are keys of idle_summary: the same for the same cells, of any table. */
static uint32_t key_of(struct tl_strtab *keys, struct tl_buf *b, const struct tl_table *t, size_t row)
{
	tl_buf_clear(b);
	for (const struct tl_column *c = summary_columns; c->name; c++) {
		char number[TL_DOUBLE_TEXT];
		int column = c->kind == TL_KEY ? tl_table_column(t, c->name) : -1;
		if (column < 0)
			continue;
		struct tl_cell cell = tl_table_cell(t, row, (size_t)column);
		if (cell.type == TL_CELL_TEXT)
			tl_buf_adds(b, tl_str(t->strings, cell.text));
		else if (!tl_cell_is_null(cell))
			tl_buf_add(b, number, tl_cell_format(number, cell, t->ticks_per_us));
		tl_buf_addc(b, '\t');
	}
	return tl_intern(keys, b->data, b->len);
}

uint32_t *tl_idle_rows(struct tl_trace *t, const struct tl_table *sheet)
{
	size_t n = tl_window_of(t)->pieces->n;
	uint32_t *out = tl_alloc((n + 1) * sizeof *out), *row_of;
	struct tl_table *groups = make_rows(t, out);
	struct tl_strtab keys = { 0 };
	struct tl_buf b = { 0 };

	for (size_t i = 0; i < sheet->n_rows; i++)
		key_of(&keys, &b, sheet, i); /* rows differ in their keys: the number is that of the row, from 1 */
	row_of = tl_alloc((groups->n_rows + 1) * sizeof *row_of);
	for (size_t i = 0; i < groups->n_rows; i++) {
		uint32_t row = key_of(&keys, &b, groups, i);
		row_of[i] = row <= sheet->n_rows ? row - 1 : TL_NONE;
	}
	for (size_t i = 0; i < n; i++)
		out[i] = row_of[out[i]];
	tl_table_free(groups);
	free(row_of);
	tl_strtab_release(&keys);
	tl_buf_release(&b);
	return out;
}

/* ---- ledger: what each moment of a device went to ---------------------------------------------------------- */

enum { L_RANK, L_PROCESS, L_DEVICE, L_CLASS, L_CAUSE, L_TIME, L_WINDOW, L_COLUMNS };
static const char *const ledger_rows[] = { "rank", "process", "device", "class", "cause", "time", "window", NULL };
static const struct tl_column ledger_columns[] = {
	{ "rank", .kind = TL_KEY }, { "process", .kind = TL_KEY }, { "device", .kind = TL_KEY },
	{ "class", .kind = TL_KEY }, { "cause", .kind = TL_KEY }, { "time", .kind = TL_SUM, .hidden = true },
	{ "time_ms", .kind = TL_MS, .in = "time" }, { "window", .kind = TL_FIRST, .hidden = true },
	{ "Percent of window (%)", .kind = TL_PERCENT, .in = "time", .of = "window" },
	{ .name = NULL }
};
static const struct tl_sheet_def ledger_def = { .name = "ledger", .rows = ledger_rows, .columns = ledger_columns };

static void add_entry(struct summary_maker *m, size_t device, const char *class, const char *cause, int64_t ticks)
{
	struct tl_trace *t = m->t;
	const struct tl_device *d = &m->window->devices->items[device];

	tl_table_add_row(m->rows, (struct tl_cell[L_COLUMNS]){ d->rank, d->process, d->device,
		tl_cell_str(&t->strings, class), tl_cell_text(cause ? tl_intern_str(&t->strings, cause) : 0),
		tl_cell_time(ticks, false), tl_cell_time(tl_ticks_sub(m->window->recorded->window.end, m->window->recorded->window.start), false) });
}

static void add_idle_entry(struct summary_maker *m, const struct tl_idle_piece *p)
{
	const char *name = tl_idle_class_name(p->class);
	bool alone = p->class == TL_IDLE_UNRECORDED || p->class == TL_IDLE_PROFILER || p->class == TL_IDLE_SERVER; /* not the program's idle time */

	add_entry(m, m->window->recorded->gaps.items[p->gap].device, alone ? name : "idle", alone ? NULL : name, tl_ticks_sub(p->end, p->start));
}

/* The rows of a device sum up to the window. */
static void ledger(void *ctx, struct tl_sheet_input *in)
{
	static const char *const classes[TL_GPU_WORKS] = { "kernels", "exposed communication", "exposed copies" };
	struct tl_trace *t = ((const struct tl_timeline *)ctx)->trace;
	const struct tl_window *w = tl_window_of(t);
	struct summary_maker m = { .t = t, .window = w, .rows = in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, ledger_rows) };
	int64_t (*sums)[TL_GPU_WORKS] = tl_calloc(w->devices->n + 1, sizeof *sums);

	for (uint32_t i = 0; i < t->n_events; i++)
		if (w->devices->of[i] != TL_NONE)
			sums[w->devices->of[i]][tl_gpu_work(&t->events[i])] += w->fair.ticks[i];
	for (size_t d = 0; d < w->devices->n; d++)
		for (int i = 0; i < TL_GPU_WORKS; i++)
			if (sums[d][i])
				add_entry(&m, d, classes[i], NULL, sums[d][i]);
	for (size_t i = 0; i < w->pieces->n; i++)
		add_idle_entry(&m, &w->pieces->items[i]);
	free(sums);
}

static void exposed_communication(void *ctx, struct tl_sheet_input *in)
{
	tl_exposed_communication(((const struct tl_timeline *)ctx)->trace, in);
}

static void exposed_copies(void *ctx, struct tl_sheet_input *in)
{
	tl_exposed_copies(((const struct tl_timeline *)ctx)->trace, in);
}

static void one_off(void *ctx, struct tl_sheet_input *in)
{
	in->own_rows = tl_one_off_rows(((const struct tl_timeline *)ctx)->trace);
}

static void step_times(void *ctx, struct tl_sheet_input *in)
{
	in->own_rows = tl_step_times(((const struct tl_timeline *)ctx)->trace);
}

static const struct tl_sheet sheets[] = {
	{ "gpu_timeline", "device time by what it was spent on", NULL, TL_SHEET_USUAL | TL_SHEET_LINKED_TIME, TL_NEEDS_ANNOTATIONS, NULL,
	  times_of_all, NULL },
	{ "gpu_timeline_by_device", "the same for each device, if the trace has several", NULL, TL_SHEET_LINKED_TIME, TL_NEEDS_ANNOTATIONS, NULL,
	  times_by_device, NULL },
	{ "idle_gaps", "the longest idle times of each device, and what the host did", NULL,
	  TL_SHEET_NEEDS_ROWS, TL_NEEDS_ANNOTATIONS | TL_NEEDS_FRAMES, &idle_gaps_def, idle_gaps, NULL },
	{ "idle_summary", "all idle time of each device by what the host did", NULL,
	  TL_SHEET_NEEDS_ROWS, TL_NEEDS_ANNOTATIONS | TL_NEEDS_FRAMES, &idle_summary_def, idle_summary, NULL },
	{ "one_off", "what processes do once: start-up, first use, compilation", NULL,
	  TL_SHEET_NEEDS_ROWS, TL_NEEDS_ANNOTATIONS | TL_NEEDS_FRAMES, &tl_one_off_sheet, one_off, NULL },
	{ "ledger", "what each moment of a device went to: the window of the recording", NULL,
	  TL_SHEET_NEEDS_ROWS, TL_NEEDS_ANNOTATIONS | TL_NEEDS_FRAMES, &ledger_def, ledger, NULL },
	{ "exposed_communication", "communication that no computation hides, by what is sent", NULL,
	  TL_SHEET_NEEDS_ROWS, TL_NEEDS_ANNOTATIONS, &tl_exposed_communication_def, exposed_communication, NULL },
	{ "exposed_copies", "copies that nothing else hides, by direction, memory and size", NULL,
	  TL_SHEET_NEEDS_ROWS, TL_NEEDS_ANNOTATIONS, &tl_exposed_copies_def, exposed_copies, NULL },
	{ "step_times", "what each step took, and which one is slow", NULL, TL_SHEET_NEEDS_ROWS, TL_NEEDS_ANNOTATIONS, NULL, step_times, NULL },
	{ .name = NULL },
};
const struct tl_sheet_family tl_timeline_sheets = { "tl-timeline", sheets };

/* ---- the total ---------------------------------------------------------------- */

double tl_timeline_total_us(const struct tl_trace *t, const struct tl_gpu_select *sel)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
	uint32_t *events = NULL;
	size_t n = 0;

	for (int part = 0; part <= sel->detect_recompute && !n; part++) {
		free(events);
		events = tl_gpu_events(t, sel, part, &n, NULL);
	}
	for (size_t i = 0; i < n; i++) {
		const struct tl_ev *e = &t->events[events[i]];
		int64_t end = tl_ev_end(e);

		first = e->ts < first ? e->ts : first;
		end = end < e->ts ? e->ts : end;
		last = end > last ? end : last;
	}
	free(events);
	/* TraceLens multiplies the ms of the sheet: the same rounding */
	return n ? tl_trace_us(t, tl_ticks_sub(last, first)) / 1e3 * 1e3 : 0;
}
