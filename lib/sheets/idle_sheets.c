/* idle_sheets.c - sheets about the window of a recording: idle_gaps, idle_summary, ledger, one_off.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "work/calls.h"
#include "work/devices.h"
#include "sheet/timeline.h"
#include "sheets/populations.h"
#include "sheets/timeline.h"
#include "sheets/window.h"
#include "steps/one_off.h"
#include "steps/recorded.h"

#include <stdlib.h>
#include <string.h>

/* ---- idle_gaps: the longest times in which a device did nothing, and why ------------------ */

/* Which column has the time of a class; 0: none. */
static const uint8_t column_of_class[TL_IDLE_N_CLASSES] = {
	[TL_IDLE_PROFILER] = GAP_HOST_ELSEWHERE_US, [TL_IDLE_START_UP] = GAP_HOST_BUSY_US, [TL_IDLE_RECOMPILE] = GAP_HOST_BUSY_US,
	[TL_IDLE_MIGRATION] = GAP_HOST_ELSEWHERE_US, [TL_IDLE_LOADER] = GAP_HOST_ELSEWHERE_US, [TL_IDLE_SERVER] = GAP_HOST_ELSEWHERE_US,
	[TL_IDLE_WAITING] = GAP_HOST_WAITING_US, [TL_IDLE_ALLOCATOR] = GAP_HOST_BUSY_US, [TL_IDLE_BUSY] = GAP_HOST_BUSY_US,
	[TL_IDLE_ELSEWHERE] = GAP_HOST_ELSEWHERE_US, [TL_IDLE_LAUNCH] = GAP_LAUNCH_US, [TL_IDLE_QUEUED] = GAP_QUEUED_US,
};

static void cause_cells(struct tl_trace *t, const struct tl_gap *g, const struct tl_idle_pieces *pieces, size_t gap, struct tl_cell *c)
{
	int64_t ticks[TL_IDLE_N_CLASSES], of_column[N_GAP] = { 0 };
	uint32_t name;

	c[GAP_CAUSE] = tl_cell_str(&t->strings, tl_idle_class_name(tl_idle_main(pieces, gap, ticks, &name)));
	if (g->call == TL_NONE)
		return;
	c[GAP_LAUNCH_CALL] = tl_name_cell(t, t->events[g->call].name);
	c[GAP_LAUNCH_CALL_UID] = tl_cell_int(t->events[g->call].uid);
	c[GAP_HOST_NAME] = tl_cell_text(name);
	for (int i = 0; i < TL_IDLE_N_CLASSES; i++)
		of_column[column_of_class[i]] += ticks[i];
	for (int i = GAP_HOST_WAITING_US; i <= GAP_QUEUED_US; i++)
		c[i] = tl_cell_time(of_column[i], false);
	for (size_t i = pieces->of_gap[gap]; i < pieces->of_gap[gap + 1]; i++)
		if (pieces->items[i].class == TL_IDLE_WAITING && tl_cell_is_null(c[GAP_WAITING_CALL]))
			c[GAP_WAITING_CALL] = tl_cell_text(pieces->items[i].name);
}

/* Do all device events run within the recorded window? Then the gaps between them are those of the recording. */
static bool are_recorded(const struct tl_trace *t, const struct tl_devices *d, const struct tl_span *window)
{
	bool within = true;

	for (size_t i = 0; i < d->n_events; i++)
		within &= t->events[d->by_start[i]].ts >= window->start && tl_ev_end(&t->events[d->by_start[i]]) <= window->end;
	return within;
}

/* By device: the length of the gaps between its events that are recorded, also of those that are left out. */
static int64_t *idle_between(struct tl_trace *t, const struct tl_gaps *gaps)
{
	int64_t *idle = tl_unrecorded_between(t);

	for (size_t d = 0; d < tl_devices_of(t)->n; d++)
		idle[d] = tl_ticks_sub(gaps->idle[d], idle[d]);
	for (size_t i = 0; i < gaps->n; i++)
		if (gaps->items[i].where != TL_GAP_BETWEEN)
			idle[gaps->items[i].device] -= tl_gap_length(&gaps->items[i]);
	return idle;
}

/* A row for each of the longest gaps between events of each device, at most options.top_gaps of one. All device events
 * count, linked or not. */
void tl_timeline_idle_gaps(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_timeline *l = ctx;
	struct tl_trace *t = l->trace;
	struct tl_arg stream = tl_arg_of(t, TL_KEY_STREAM);
	bool recorded = are_recorded(t, l->devices, &tl_recorded_of(t)->window);
	struct tl_gaps found = { 0 };
	struct tl_idle_pieces found_pieces = { 0 };

	in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_timeline_gap_rows);
	if (!recorded) {
		tl_recorded_gaps(&found, t, NULL, l->options.top_gaps);
		tl_idle_pieces_find(&found_pieces, t, &found);
	}
	const struct tl_gaps *gaps = recorded ? &tl_recorded_of(t)->gaps : &found;
	const struct tl_idle_pieces *pieces = recorded ? tl_idle_pieces_of(t) : &found_pieces;
	int64_t *idle = idle_between(t, gaps), *rows = tl_calloc(l->devices->n + 1, sizeof *rows); /* by device */
	for (size_t i = 0; i < gaps->n; i++) {
		const struct tl_gap *g = &gaps->items[i];
		if (g->where != TL_GAP_BETWEEN || rows[g->device] == l->options.top_gaps)
			continue;
		rows[g->device]++;
		const struct tl_ev *before = &t->events[g->before], *after = &t->events[g->after];
		int64_t length = tl_gap_length(g);
		struct tl_cell c[N_GAP] = { [GAP_START_US] = tl_start_cell(t, g->start), [GAP_IDLE_TIME_US] = tl_cell_time(length, false),
			[GAP_BEFORE_NAME] = tl_name_cell(t, before->name), [GAP_BEFORE_UID] = tl_cell_int(before->uid),
			[GAP_BEFORE_STREAM] = tl_arg_cell(t, &stream, g->before), [GAP_AFTER_NAME] = tl_name_cell(t, after->name),
			[GAP_AFTER_UID] = tl_cell_int(after->uid), [GAP_AFTER_STREAM] = tl_arg_cell(t, &stream, g->after),
			[GAP_START] = tl_cell_time(g->start, false) };

		tl_device_cells(&l->devices->items[g->device], c);
		if (!g->unrecorded)
			c[GAP_PERCENT_OF_IDLE_TIME] = tl_cell_real(tl_trace_us(t, length) / tl_trace_us(t, idle[g->device]) * 100);
		cause_cells(t, g, pieces, i, c);
		tl_table_add_row(in->own_rows, c);
	}
	tl_idle_pieces_release(&found_pieces);
	tl_gaps_release(&found);
	free(idle);
	free(rows);
}

/* ---- idle_summary: all idle time, by what the host did ------------------------------------------------- */

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

/* A frame and those that called it: "fft.py(10): fft < model.py(7): forward < run". A frame without "file(line): " is all function. The place stands where the
 * file is another one than before; callers stand without their folders. */
static uint32_t make_chain(struct tl_trace *t, const uint32_t *frames, struct tl_buf *chain)
{
	const char *file = "";
	size_t file_length = 0;

	tl_buf_clear(chain);
	for (size_t i = 0; i < TL_IDLE_FRAMES && frames[i] != TL_NONE; i++) {
		const char *frame = tl_str(&t->strings, t->events[frames[i]].name), *end = strstr(frame, "): "), *function = end ? end + 3 : frame;
		size_t place = end ? (size_t)(end - frame) + 1 : 0, folders = 0;

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
	struct tl_cell c[N_IDLE] = { [IDLE_CAUSE] = tl_cell_str(&t->strings, tl_idle_class_name(p->class)), [IDLE_HOST_NAME] = tl_cell_text(p->name),
		[IDLE_WHERE] = tl_cell_str(&t->strings, where[g->where]), [IDLE_STEADY] = tl_cell_bool(p->steady), [IDLE_START] = tl_start_cell(t, p->start),
		[IDLE_PIECES] = tl_cell_int(group->count), [IDLE_IDLE] = tl_cell_time(group->ticks, false), [IDLE_LONGEST_PIECE] = tl_cell_time(length_of(p), false) };

	tl_device_cells(&m->window->devices->items[g->device], c);
	if (p->class != TL_IDLE_UNRECORDED && p->class != TL_IDLE_SERVER) {
		c[IDLE_ALL_IDLE] = tl_cell_time(m->window->idle[g->device], false);
		c[IDLE_WINDOW] = tl_cell_time(m->window->ticks[g->device], false);
	}
	if (p->frames[0] != TL_NONE) {
		c[IDLE_FRAME] = tl_name_cell(t, t->events[p->frames[0]].name);
		c[IDLE_FRAME_CHAIN] = tl_cell_text(frame_chain(m, p->frames));
	}
	if (p->range != TL_NONE)
		c[IDLE_RANGE] = tl_name_cell(t, t->events[p->range].name);
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

/* A row for each group of pieces, and by piece its row. */
struct groups { struct tl_table *rows; uint32_t *of; };

static void release_groups(void *kept)
{
	struct groups *g = kept;

	tl_table_free(g->rows);
	free(g->of);
}

/* Made once and kept with the trace. */
static const struct groups *groups_of(struct tl_trace *t)
{
	struct groups *kept = tl_trace_keep(t, sizeof *kept, release_groups);

	if (kept->rows)
		return kept;
	const struct tl_window *w = tl_window_of(t);
	struct summary_maker m = { .t = t, .window = w, .rows = tl_table_new(&t->strings, t->ticks_per_us, tl_timeline_idle_rows) };

	kept->of = tl_alloc((w->pieces->n + 1) * sizeof *kept->of);
	for (size_t i = 0; i < w->pieces->n; i++)
		kept->of[i] = group_of(&m, (uint32_t)i);
	for (size_t i = 1; i <= m.keys.count; i++)
		add_group(&m, &m.groups[i]);
	tl_buf_release(&m.chain);
	tl_strtab_release(&m.callers);
	tl_strtab_release(&m.keys);
	free(m.groups);
	free(m.chains);
	kept->rows = m.rows;
	return kept;
}

void tl_timeline_idle_summary(void *ctx, struct tl_sheet_input *in)
{
	in->rows = groups_of(((const struct tl_timeline *)ctx)->trace)->rows;
}

/* A number for the cells of a row that are keys of idle_summary: the same for the same cells, of any table. */
static uint32_t key_of(struct tl_strtab *keys, struct tl_buf *b, const struct tl_table *t, size_t row)
{
	tl_buf_clear(b);
	for (const struct tl_column *c = tl_timeline_idle_summary_sheet.columns; c->name; c++) {
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
	const struct groups *groups = groups_of(t);
	struct tl_strtab keys = { 0 };
	struct tl_buf b = { 0 };

	for (size_t i = 0; i < sheet->n_rows; i++)
		key_of(&keys, &b, sheet, i); /* rows differ in their keys: the number is that of the row, from 1 */
	row_of = tl_alloc((groups->rows->n_rows + 1) * sizeof *row_of);
	for (size_t i = 0; i < groups->rows->n_rows; i++) {
		uint32_t row = key_of(&keys, &b, groups->rows, i);
		row_of[i] = row <= sheet->n_rows ? row - 1 : TL_NONE;
	}
	for (size_t i = 0; i < n; i++)
		out[i] = row_of[groups->of[i]];
	free(row_of);
	tl_strtab_release(&keys);
	tl_buf_release(&b);
	return out;
}

/* ---- ledger: what each moment of a device went to ---------------------------------------------------------- */

static void add_entry(struct tl_table *rows, const struct tl_window *w, size_t device, const char *class, const char *cause, int64_t ticks)
{
	const struct tl_span *all = &w->recorded->window;
	struct tl_cell c[N_LEDGER] = { [LEDGER_CLASS] = tl_cell_str(rows->strings, class), [LEDGER_CAUSE] = tl_cell_str(rows->strings, cause),
		[LEDGER_TIME] = tl_cell_time(ticks, false), [LEDGER_WINDOW] = tl_cell_time(tl_ticks_sub(all->end, all->start), false) };

	tl_device_cells(&w->devices->items[device], c);
	tl_table_add_row(rows, c);
}

/* By device and class: the length of the pieces of its gaps. The caller frees it. */
static int64_t (*idle_by_class(const struct tl_window *w))[TL_IDLE_N_CLASSES]
{
	int64_t (*idle)[TL_IDLE_N_CLASSES] = tl_calloc(w->devices->n + 1, sizeof *idle);

	for (size_t i = 0; i < w->pieces->n; i++) {
		const struct tl_idle_piece *p = &w->pieces->items[i];
		int64_t *sum = &idle[w->recorded->gaps.items[p->gap].device][p->class];
		*sum = tl_ticks_add(*sum, length_of(p));
	}
	return idle;
}

/* The rows of a device sum up to the window. */
void tl_timeline_ledger(void *ctx, struct tl_sheet_input *in)
{
	static const char *const classes[TL_GPU_WORKS] = { "kernels", "exposed communication", "exposed copies" };
	struct tl_trace *t = ((const struct tl_timeline *)ctx)->trace;
	const struct tl_window *w = tl_window_of(t);
	int64_t (*sums)[TL_GPU_WORKS] = tl_calloc(w->devices->n + 1, sizeof *sums), (*idle)[TL_IDLE_N_CLASSES] = idle_by_class(w);

	in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_timeline_ledger_rows);
	for (size_t i = 0; i < w->devices->n_events; i++) {
		uint32_t event = w->devices->by_start[i];
		sums[w->devices->of[event]][tl_gpu_work(&t->events[event])] += tl_fair_time_of(&w->fair, t, event);
	}
	for (size_t d = 0; d < w->devices->n; d++)
		for (int i = 0; i < TL_GPU_WORKS; i++)
			if (sums[d][i])
				add_entry(in->own_rows, w, d, classes[i], NULL, sums[d][i]);
	for (size_t i = 0; i < w->pieces->n; i++) { /* the first piece of a class tells its place */
		const struct tl_idle_piece *p = &w->pieces->items[i];
		uint32_t device = w->recorded->gaps.items[p->gap].device;
		const char *name = tl_idle_class_name(p->class);
		bool alone = p->class == TL_IDLE_UNRECORDED || p->class == TL_IDLE_PROFILER || p->class == TL_IDLE_SERVER; /* not the program's idle time */

		if (idle[device][p->class])
			add_entry(in->own_rows, w, device, alone ? name : "idle", alone ? NULL : name, idle[device][p->class]);
		idle[device][p->class] = 0;
	}
	free(sums);
	free(idle);
}

/* ---- device_times: the same in a row for each device, overlap of kinds of work told --------------------------- */

/* Adds what is in the window. */
static void add_within(struct tl_spans *s, const struct tl_ev *e, const struct tl_span *window)
{
	int64_t start = e->ts > window->start ? e->ts : window->start, end = tl_ev_end(e) < window->end ? tl_ev_end(e) : window->end;

	if (start <= end)
		tl_spans_add(s, start, end);
}

static void busy_cells(struct tl_trace *t, const struct tl_window *w, size_t device, struct tl_cell *c)
{
	static const int columns[TL_TIMES] = { [TL_TIME_COMPUTATION] = DEVICE_COMPUTATION_MS, [TL_TIME_COMM] = DEVICE_COMMUNICATION_MS,
		[TL_TIME_EXPOSED_COMM] = DEVICE_EXPOSED_COMMUNICATION_MS, [TL_TIME_MEMCPY] = DEVICE_COPIES_MS,
		[TL_TIME_EXPOSED_MEMCPY] = DEVICE_EXPOSED_COPIES_MS, [TL_TIME_BUSY] = DEVICE_BUSY_MS };
	const struct tl_split_events *by = &w->devices->events;
	struct tl_arg migration = tl_arg_of(t, TL_KEY_MIGRATION);
	struct tl_spans of[TL_GPU_WORKS] = { 0 }, migrations = { 0 };
	int64_t ticks[TL_TIMES], value;

	for (size_t i = by->start[device]; i < by->start[device + 1]; i++) {
		const struct tl_ev *e = &t->events[by->items[i]];
		add_within(&of[tl_gpu_work(e)], e, &w->recorded->window);
		if (tl_arg_get(&migration, t, by->items[i], &value))
			add_within(&migrations, e, &w->recorded->window);
	}
	tl_gpu_times(of, NULL, ticks);
	for (size_t i = 0; i < TL_TIMES; i++)
		if (columns[i])
			c[columns[i]] = tl_cell_ms(ticks[i]);
	tl_spans_merge(&migrations);
	c[DEVICE_MIGRATIONS_MS] = tl_cell_ms(tl_spans_length(&migrations));
	tl_spans_release(&migrations);
}

void tl_timeline_device_times(void *ctx, struct tl_sheet_input *in)
{
	struct tl_trace *t = ((const struct tl_timeline *)ctx)->trace;
	const struct tl_window *w = tl_window_of(t);
	int64_t (*idle)[TL_IDLE_N_CLASSES] = idle_by_class(w);

	in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_timeline_device_rows);
	_Static_assert(N_DEVICE == DEVICE_UNRECORDED_MS + TL_IDLE_N_CLASSES, "a column for each class");
	for (size_t d = 0; d < w->devices->n; d++) {
		struct tl_cell c[N_DEVICE] = { [DEVICE_WINDOW_MS] = tl_cell_ms(w->ticks[d]), [DEVICE_IDLE_MS] = tl_cell_ms(w->idle[d]) };

		tl_device_cells(&w->devices->items[d], c);
		busy_cells(t, w, d, c);
		for (size_t i = 0; i < TL_IDLE_N_CLASSES; i++)
			c[DEVICE_UNRECORDED_MS + i] = tl_cell_ms(idle[d][i]);
		tl_table_add_row(in->own_rows, c);
	}
	free(idle);
}

/* ---- one_off: what processes do once, and how long the devices wait for it ---------------------------------- */

/* By item: the ticks in which it is the innermost, and those in which a device waits for it then. */
struct ticks { int64_t host, idle; };

static struct ticks *find_ticks(const struct tl_one_offs *once, const struct tl_idle_pieces *pieces)
{
	struct ticks *ticks = tl_calloc(once->n + 1, sizeof *ticks);
	struct tl_spans idle = { 0 };

	for (size_t i = 0; i < pieces->n; i++)
		if (pieces->items[i].class == TL_IDLE_START_UP || pieces->items[i].class == TL_IDLE_RECOMPILE)
			tl_spans_add(&idle, pieces->items[i].start, pieces->items[i].end);
	tl_spans_merge(&idle);
	for (size_t p = 0; p < once->of_process.n; p++) {
		const struct tl_innermost *m = &once->of_process.items[p];
		for (size_t i = 0; i < m->n_segments; i++) {
			struct ticks *of = &ticks[m->spans[m->segments[i].span].event];
			of->host = tl_ticks_add(of->host, tl_ticks_sub(m->segments[i].end, m->segments[i].start));
			of->idle = tl_ticks_add(of->idle, tl_spans_within(&idle, m->segments[i].start, m->segments[i].end));
		}
	}
	tl_spans_release(&idle);
	return ticks;
}

/* A row for each thing that is done once. */
void tl_timeline_one_off(void *ctx, struct tl_sheet_input *in)
{
	struct tl_trace *t = ((const struct tl_timeline *)ctx)->trace;
	const struct tl_one_offs *once = tl_one_offs_of(t);
	const struct tl_copies *copies = tl_copies_of(t);
	struct ticks *ticks = find_ticks(once, tl_window_of(t)->pieces);

	in->own_rows = tl_table_new(&t->strings, t->ticks_per_us, tl_timeline_once_rows);
	for (size_t i = 0; i < once->n; i++) {
		const struct tl_one_off *o = &once->items[i];
		const struct tl_ev *e = &t->events[o->event];
		uint32_t n;
		const uint32_t *launched = tl_launched_by(copies, o->event, &n);
		bool launches = tl_kind_is_launch(e->kind) && n;

		tl_table_add_row(in->own_rows, (struct tl_cell[N_ONCE]){
			[ONCE_PROCESS] = tl_whole_cell(tl_json_cell(t, t->tracks[e->track].pid)), [ONCE_KIND] = tl_cell_str(&t->strings, tl_one_off_name(o->kind)),
			[ONCE_NAME] = tl_name_cell(t, e->name),
			[ONCE_WHAT] = launches ? tl_name_cell(t, t->events[launched[0]].name) : tl_cell_null(), [ONCE_REPEATED] = tl_cell_bool(o->repeated),
			[ONCE_TIME] = tl_cell_time(ticks[i].host, false), [ONCE_GAP] = tl_cell_time(ticks[i].idle, false), [ONCE_START] = tl_start_cell(t, o->start) });
	}
	free(ticks);
}
