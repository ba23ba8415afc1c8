/* findings_sheets.c - the sheets of findings of a trace.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/findings_sheets.h"

#include "work/device_events.h"
#include "work/counters.h"
#include "work/kept.h"
#include "work/launchers.h"
#include "base/escape.h"
#include "base/map.h"
#include "base/number.h"
#include "base/text.h"
#include "sheet/findings.h"
#include "sheets/timeline.h"
#include "steps/one_off.h"
#include "steps/step_find.h"
#include "table/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char idle_summary[] = "idle_summary", setup[] = "setup";
const char *const tl_findings_read[] = {
	"idle_summary", "step_times", "exposed_communication", "exposed_copies", "headroom", "kernel_chains", "kernel_sequences",
	"kernel_config", "kernel_kinds", "trace_health", "ledger", setup, "clock_falls", "kernel_limits", NULL
};
enum { MAX_SHEETS = 16 };

/* A sheet that was taken, and which device events its rows are about. */
struct taken {
	const char *name;
	struct tl_strtab strings;
	struct tl_table *table;
	struct tl_split_events events;  /* by row; empty until a rule asks */
	bool split;
};

struct tl_trace_findings {
	struct taken sheets[MAX_SHEETS]; size_t n;
	struct tl_trace *trace;
	const struct tl_window *window;
	struct tl_finding_fact facts[64]; size_t n_facts;
	double window_ms, least_share;
	const struct tl_findings_input *input; /* while findings are made */
	struct tl_judged judged;        /* what there is of kernel_kinds */
	bool unsure;                    /* the GPU's peaks are estimated, or not known */
	struct tl_findings found;
	bool made;
	const struct tl_table *before;
};

struct tl_trace_findings *tl_trace_findings_new(void)
{
	return tl_calloc(1, sizeof(struct tl_trace_findings));
}

void tl_trace_findings_take(struct tl_trace_findings *f, const char *sheet, const struct tl_table *t)
{
	for (size_t i = 0; tl_findings_read[i]; i++) {
		if (strcmp(tl_findings_read[i], sheet) || f->n == MAX_SHEETS)
			continue;
		struct taken *s = &f->sheets[f->n++];
		s->name = tl_findings_read[i];
		s->table = tl_table_new(&s->strings, t->ticks_per_us, NULL);
		tl_table_append(s->table, t);
	}
}

static struct taken *find(struct tl_trace_findings *f, const char *sheet)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->sheets[i].name, sheet))
			return &f->sheets[i];
	return NULL;
}

static const struct tl_table *sheet_of(void *ctx, const char *name)
{
	const struct taken *s = name ? find(ctx, name) : NULL;

	return s ? s->table : NULL;
}

/* ---- what rows are about ----------------------------------------------------------------------------- */

static void split(struct tl_trace_findings *f, struct taken *s)
{
	const uint32_t *uid_of = tl_row_events(f->trace, s->name);
	int column = tl_table_column(s->table, "ex_UID");
	uint32_t *row_of = tl_alloc(((size_t)f->trace->n_events + 1) * sizeof *row_of), *events = tl_alloc(((size_t)f->trace->n_gpus + 1) * sizeof *events);
	size_t n = 0;
	struct tl_map rows = { 0 };

	for (size_t i = 0; column >= 0 && i < s->table->n_rows; i++) {
		struct tl_cell c = tl_table_cell(s->table, i, (size_t)column);
		if (c.type == TL_CELL_INT)
			*tl_map_put(&rows, (uint64_t)c.i + 1, NULL) = (uint32_t)i;
	}
	const struct tl_launchers *l = tl_launchers_of(f->trace);
	for (uint32_t i = 0; i < l->n_gpus; i++) {
		uint32_t uid = uid_of[tl_trace_gpu(f->trace, l->gpus[i])];
		const uint32_t *row = uid ? tl_map_get(&rows, uid) : NULL;
		if (!row)
			continue;
		row_of[l->gpus[i]] = *row;
		events[n++] = l->gpus[i];
	}
	s->events = tl_split_events(row_of, s->table->n_rows, events, n);
	s->split = true;
	tl_map_release(&rows);
	free(row_of);
	free(events);
}

static size_t events_of(void *ctx, const char *sheet, size_t row, const uint32_t **events)
{
	struct tl_trace_findings *f = ctx;
	struct taken *s = find(f, sheet);

	if (tl_table_column(s->table, "ex_UID") < 0)
		return 0;
	if (!s->split)
		split(f, s);
	*events = s->events.items + s->events.start[row];
	return s->events.start[row + 1] - s->events.start[row];
}

/* The events that a row of a finding is about; none: the rows of its sheet are not about events. */
static size_t events_of_row(struct tl_trace_findings *f, const struct tl_finding *x, size_t row, const uint32_t **events)
{
	return x->rule->tier ? events_of(f, x->rule->texts[TL_RULE_SHEET], row, events) : 0;
}

static double ms(const struct tl_trace_findings *f, int64_t ticks)
{
	return tl_trace_us(f->trace, ticks) / 1e3;
}

/* What findings are worth, also by what the host did while a device was idle, before it launched what came next. */
static void weigh(void *ctx, struct tl_finding *found, size_t n)
{
	struct tl_trace_findings *f = ctx;
	const struct taken *idle = find(f, idle_summary);
	const struct tl_idle_pieces *pieces = f->window->pieces;
	uint32_t *rows = idle ? tl_idle_rows(f->trace, idle->table) : NULL;
	struct tl_host_pieces host = { tl_alloc((pieces->n + 1) * sizeof *host.items), 0 };

	for (size_t i = 0; rows && i < pieces->n; i++) {
		const struct tl_idle_piece *x = &pieces->items[i];
		if (rows[i] != TL_NONE && x->track != TL_NONE && x->class != TL_IDLE_QUEUED)
			host.items[host.n++] = (struct tl_host_piece){ x->start, x->end, x->track, rows[i] };
	}
	free(rows);
	tl_finding_stakes(f->input, f->trace, f->window, &host, found, n);
	free(host.items);
}

/* ---- facts ---------------------------------------------------------------------------------------------- */

static void add_fact(struct tl_trace_findings *f, const char *name, struct tl_value v)
{
	f->facts[f->n_facts++] = (struct tl_finding_fact){ name, v };
}

static void add_number(struct tl_trace_findings *f, const char *name, double d)
{
	add_fact(f, name, d > 0 ? tl_v_real(d) : tl_v_null());
}

static struct tl_value text(const char *s)
{
	return s ? tl_v_text(s, strlen(s)) : tl_v_null();
}

/* What the sheet setup tells; what it does not know is null. */
static void take_setup(struct tl_trace_findings *f)
{
	const struct tl_table *t = sheet_of(f, setup);

	for (size_t i = 0; t && i < t->n_rows; i++) {
		struct tl_cell c = tl_table_cell(t, i, (size_t)tl_table_column(t, "value"));
		struct tl_value v = c.type == TL_CELL_TEXT ? text(tl_str(t->strings, c.text)) : c.type == TL_CELL_BOOL ? tl_v_bool(c.i) :
			c.type == TL_CELL_INT ? tl_v_int(c.i) : tl_v_real(tl_cell_number(c, t->ticks_per_us));
		add_fact(f, tl_table_text(t, i, tl_table_column(t, "fact"), ""), tl_v_is(&v, "unknown") ? tl_v_null() : v);
	}
}

/* How many requests a step that only decodes has, the median; 0: no step tells. */
static double decode_requests(struct tl_trace *t)
{
	const struct tl_steps *steps = tl_steps_of(t);
	double *requests = tl_alloc((steps->n + 1) * sizeof *requests);
	size_t n = 0;

	for (size_t i = 0; i < steps->n; i++)
		if (steps->items[i].text.generation.requests > 0 && !steps->items[i].text.context.requests)
			requests[n++] = (double)steps->items[i].text.generation.requests;
	double median = n ? tl_median(requests, n) : 0;
	free(requests);
	return median;
}

/* The last values of counters of this kind (counter-kinds.tsv), all together; not a number: none was recorded. */
static double last_of(struct tl_trace *t, const char *kind)
{
	const struct tl_counters *all = tl_counters_of(t, TL_COUNTER_RECORDED);
	double sum = NAN;

	for (size_t i = 0; i < all->n; i++) {
		const struct tl_series *s = &all->items[i].series;
		size_t n = tl_name_is(tl_kept_answers(t, TL_COUNTER_KINDS_TABLE), tl_counter_text(t, &all->items[i]), kind) ? s->n : 0;
		while (n && isnan(s->items[n - 1].value)) /* behind the last sample */
			n--;
		if (n)
			sum = (isnan(sum) ? 0 : sum) + s->items[n - 1].value;
	}
	return sum;
}

static void find_facts(struct tl_trace_findings *f, const struct tl_trace_findings_options *o)
{
	struct tl_trace *t = f->trace;
	const struct tl_devices *d = f->window->devices;
	size_t n_kernels = 0, n = d->n;
	int64_t sums[TL_GPU_WORKS] = { 0 }, idle = 0;
	double devices = (double)(n ? n : 1);

	for (size_t i = 0; i < d->n_events; i++) {
		enum tl_gpu_work work = tl_gpu_work(&t->events[d->by_start[i]]);
		n_kernels += work == TL_GPU_COMPUTE;
		sums[work] = tl_ticks_add(sums[work], tl_fair_time_of(&f->window->fair, t, d->by_start[i]));
	}
	for (size_t i = 0; i < n; i++)
		idle = tl_ticks_add(idle, f->window->idle[i]);
	f->window_ms = ms(f, f->window->all_ticks) / devices;
	add_number(f, "window_ms", f->window_ms);
	add_fact(f, "total_idle_ms", tl_v_real(ms(f, idle) / devices));
	add_fact(f, "total_communication_ms", tl_v_real(ms(f, sums[TL_GPU_COMM]) / devices));
	add_fact(f, "total_copies_ms", tl_v_real(ms(f, sums[TL_GPU_MEMCPY]) / devices));
	add_fact(f, "kernels_ms", tl_v_real(ms(f, sums[TL_GPU_COMPUTE]) / devices));
	add_fact(f, "kernels", tl_v_int((int64_t)n_kernels));
	add_fact(f, "device_events", tl_v_int((int64_t)d->n_events));
	add_fact(f, "launches", tl_v_int((int64_t)t->n_launches));
	add_fact(f, "devices", tl_v_int((int64_t)n));
	add_number(f, "decode_requests", decode_requests(t));
	add_number(f, "memory_gbps", o->arch ? o->arch->bandwidth : 0);
	add_number(f, "host_gbps", o->arch ? o->arch->host : 0);
	add_number(f, "peer_gbps", o->arch ? o->arch->peers : 0);
	add_fact(f, "has_arch", tl_v_bool(o->arch && o->arch->bandwidth > 0));
	add_number(f, "cache_bytes", o->arch ? o->arch->cache : 0);
	add_number(f, "fp32_tflops", o->arch ? tl_arch_peak(o->arch, "matrix_fp32") : 0);
	add_number(f, "tf32_tflops", o->arch ? tl_arch_peak(o->arch, "matrix_tf32") : 0);
	add_fact(f, "has_clock", tl_v_bool(!isnan(last_of(t, "clock"))));
	add_fact(f, "has_memory_counter", tl_v_bool(!isnan(last_of(t, "memory"))));
	add_fact(f, "has_matrix_counter", tl_v_bool(!isnan(last_of(t, "matrix"))));
	add_number(f, "page_faults", last_of(t, "faults"));
	add_fact(f, "trace", text(o->input));
	take_setup(f);
}

/* ---- what is judged ----------------------------------------------------------------------------------------- */

static const struct tl_value *fact_of(const struct tl_trace_findings *f, const char *name)
{
	size_t i = 0;

	while (i < f->n_facts && strcmp(f->facts[i].name, name) != 0)
		i++;
	return i < f->n_facts ? &f->facts[i].value : NULL;
}

/* From now on kernel_kinds tells kernels with a roofline from others. */
static void judge(struct tl_trace_findings *f, const struct tl_arch *arch)
{
	struct taken *kinds = find(f, "kernel_kinds"), *headroom = find(f, "headroom");
	const struct tl_value *shapes = fact_of(f, "has_shapes");
	struct tl_judging in = { .trace = f->trace, .headroom = headroom ? headroom->table : NULL, .arch = arch, .has_shapes = shapes && tl_v_truth(shapes) };

	f->unsure = !arch || !strcmp(arch->basis, TL_ARCH_ESTIMATED);
	if (!kinds)
		return;
	in.kinds = kinds->table;
	kinds->table = tl_judge_kernels(&in, &f->judged);
	tl_table_free((struct tl_table *)in.kinds);
}

static const char *text_in(const struct tl_table *t, size_t row, const char *column)
{
	return tl_table_text(t, row, tl_table_column(t, column), "");
}

/* The longest piece of time of the row with the most at stake. False: it is not known. */
static bool longest_of(struct tl_trace_findings *f, const struct tl_finding *x, struct tl_span *at)
{
	const struct tl_trace *t = f->trace;
	const struct tl_table *s = x->n_rows ? sheet_of(f, x->rule->texts[TL_RULE_SHEET]) : NULL;
	int start = s ? tl_table_column(s, "longest_start_us") : -1, length = s ? tl_table_column(s, "longest_ms") : -1;
	const uint32_t *events;

	if (start >= 0 && length >= 0) {
		struct tl_cell from = tl_table_cell(s, x->rows[0], (size_t)start), ticks = tl_table_cell(s, x->rows[0], (size_t)length);
		*at = (struct tl_span){ from.i, tl_ticks_add(from.i, ticks.i) };
		return from.type == TL_CELL_TIME && ticks.type == TL_CELL_TIME;
	}
	size_t n = s ? events_of_row(f, x, x->rows[0], &events) : 0;
	uint32_t longest = n ? events[0] : 0;
	for (size_t i = 1; i < n; i++)
		if (t->events[events[i]].dur > t->events[longest].dur)
			longest = events[i];
	if (n)
		*at = (struct tl_span){ tl_ticks_sub(t->events[longest].ts, t->first_ts), tl_ticks_sub(tl_ev_end(&t->events[longest]), t->first_ts) };
	return n > 0;
}

/* A command that shows the longest piece of a finding's first row, and at least a millisecond before and behind it; the whole trace
 * if the time is not known. It is in the arena of the findings. */
static const char *slice_of(struct tl_trace_findings *f, const struct tl_finding *x, const char *input)
{
	struct tl_span at = { 0, 0 };
	struct tl_buf b = { 0 };

	if (longest_of(f, x, &at)) {
		int64_t unit = f->trace->ticks_per_us, around = tl_ticks_add(tl_ticks_sub(at.end, at.start) / 4, tl_ticks_of_us(1000, unit));
		int64_t from = at.start > around ? (at.start - around) / unit : 0;
		tl_buf_addf(&b, "tl-slice --from %lldus --to %lldus ", (long long)from, (long long)(tl_ticks_add(at.end, around) / unit + 1));
	} else {
		tl_buf_adds(&b, "tl-parse ");
	}
	tl_add_shell_word(&b, input);
	tl_buf_adds(&b, " | tl-view --perfetto -o finding.pftrace");
	const char *command = tl_arena_dup(&f->found.arena, b.data, b.len);
	tl_buf_release(&b);
	return command;
}

/* What a step has of it: of what the host does, a step of the steady part, of which alone findings tell; of all else any step. What is done once
 * belongs to none. */
static double per_step_of(struct tl_trace_findings *f, const struct tl_finding *x)
{
	const struct tl_steps *steps = tl_steps_of(f->trace);
	const struct tl_one_offs *once = tl_one_offs_of(f->trace);
	const struct taken *s = x->rule->tier && x->n_rows ? find(f, x->rule->texts[TL_RULE_SHEET]) : NULL;
	bool steady = s && tl_table_column(s->table, "steady") >= 0 && tl_table_cell(s->table, x->rows[0], (size_t)tl_table_column(s->table, "steady")).i;
	size_t n = 0;

	if (!s || steps->n < 2 || !strcmp(text_in(s->table, x->rows[0], "cause"), tl_idle_class_name(TL_IDLE_START_UP)))
		return NAN;
	for (size_t i = 0; i < steps->n; i++)
		n += !steady || (steps->items[i].from >= once->steady.start && steps->items[i].to <= once->steady.end);
	return n ? x->stake_ms / (double)n : NAN;
}

enum tl_status tl_trace_findings_make(struct tl_trace_findings *f, struct tl_trace *t, const struct tl_trace_findings_options *o,
                                      struct tl_error *err)
{
	f->trace = t;
	f->window = tl_window_of(t);
	find_facts(f, o);
	judge(f, o->arch);
	f->least_share = o->least_percent / 100;
	f->before = o->before;
	struct tl_findings_input in = {
		.rules = o->rules, .sheet = sheet_of, .sheets = tl_findings_read, .events = events_of, .weigh = weigh, .ctx = f, .facts = f->facts, .n_facts = f->n_facts,
		.window_ms = f->window_ms, .least_share = f->least_share, .explain = o->explain, .explain_id = o->explain_id,
	};
	f->input = &in;
	enum tl_status s = tl_findings_make(&f->found, &in, err);
	f->made = !s;
	for (size_t i = 0; f->made && i < f->found.n; i++) {
		f->found.items[i].slice = slice_of(f, &f->found.items[i], o->input ? o->input : "-");
		f->found.items[i].per_step_ms = per_step_of(f, &f->found.items[i]);
	}
	return s;
}

const struct tl_findings *tl_trace_findings_list(const struct tl_trace_findings *f, double *window_ms)
{
	*window_ms = f->window_ms;
	return &f->found;
}

void tl_trace_findings_free(struct tl_trace_findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->sheets[i].split)
			tl_split_events_release(&f->sheets[i].events);
		tl_table_free(f->sheets[i].table);
		tl_strtab_release(&f->sheets[i].strings);
	}
	if (f->made)
		tl_findings_release(&f->found);
	free(f);
}

/* ---- sheets ------------------------------------------------------------------------------------------------ */

static struct tl_cell cell_of(struct tl_table *t, const char *s)
{
	return tl_cell_str(t->strings, s && *s ? s : NULL);
}

/* To the nanosecond, if these are ms. */
static struct tl_cell number(double d)
{
	return isnan(d) ? tl_cell_null() : tl_cell_real(round(d * 1e6) / 1e6);
}

/* Was the finding gone even then? */
static bool was_gone(const struct tl_table *before, size_t row)
{
	return !strcmp(text_in(before, row, "change"), "gone");
}

/* What became of a finding: a tenth more or less is a change. */
static const char *change_of(const struct tl_table *before, const struct tl_finding *x)
{
	size_t row = 0;

	while (row < before->n_rows && (was_gone(before, row) || strcmp(text_in(before, row, "id"), x->id) != 0))
		row++;
	if (row == before->n_rows)
		return "new";
	double was = tl_table_number(before, row, tl_table_column(before, "at_stake_ms"));
	return x->stake_ms > was * 1.1 ? "grown" : x->stake_ms < was / 1.1 ? "shrunk" : "same";
}

void tl_finding_row(struct tl_table *t, const struct tl_finding *x, int64_t rank, double window_ms, const char *change)
{
	double share = window_ms > 0 ? x->stake_ms / window_ms : 0;
	const char *severity = !x->rule->tier ? "health" : share >= .1 ? "high" : share >= .03 ? "medium" : "low";
	struct tl_cell c[N_FINDING] = {
		[FINDING_RANK] = tl_cell_int(rank), [FINDING_SEVERITY] = cell_of(t, severity), [FINDING_TITLE] = cell_of(t, x->title),
		[FINDING_AT_STAKE_MS] = number(x->stake_ms), [FINDING_PERCENT_OF_WINDOW] = number(share * 100),
		[FINDING_PER_STEP_MS] = number(x->per_step_ms), [FINDING_DEVICE_MS] = number(x->device_ms),
		[FINDING_ALONE_MS] = number(x->alone_ms), [FINDING_AFTER] = x->after ? tl_cell_int(x->after) : tl_cell_null(),
		[FINDING_EFFECT] = cell_of(t, x->rule->tier ? tl_rule_effects[x->rule->effect] : NULL),
		[FINDING_CONFIDENCE] = cell_of(t, x->rule->texts[TL_RULE_CONFIDENCE]), [FINDING_EFFORT] = cell_of(t, x->rule->texts[TL_RULE_EFFORT]),
		[FINDING_EVIDENCE] = cell_of(t, x->evidence), [FINDING_WHAT_TO_DO] = cell_of(t, x->advice), [FINDING_NEXT_COMMAND] = cell_of(t, x->next),
		[FINDING_SLICE_COMMAND] = cell_of(t, x->slice),
		[FINDING_ALSO] = cell_of(t, tl_buf_text(&x->also)), [FINDING_RULE] = cell_of(t, x->rule->id), [FINDING_ID] = cell_of(t, x->id),
		[FINDING_CHANGE] = cell_of(t, change),
	};

	tl_table_add_row(t, c);
}

/* ---- where no rule found anything -------------------------------------------------------------------------- */

#define ENOUGH_JUDGED 70   /* percent of the kernels' time: then nothing found is nothing wrong */
#define MUCH_UNJUDGED 20   /* percent, which must be told beside findings, too */
#define MUCH_IDLE 30       /* percent of the window */

static void add_row(struct tl_table *t, int64_t rank, const char *severity, const char *title, const char *evidence)
{
	struct tl_cell none = rank ? tl_cell_real(0) : tl_cell_null();

	tl_table_add_row(t, (struct tl_cell[N_FINDING]){ [FINDING_RANK] = tl_cell_int(rank), [FINDING_SEVERITY] = cell_of(t, severity),
		[FINDING_TITLE] = cell_of(t, title), [FINDING_AT_STAKE_MS] = none, [FINDING_PERCENT_OF_WINDOW] = none, [FINDING_EVIDENCE] = cell_of(t, evidence) });
}

/* The three largest entries of the ledger: what the time went to. */
static void add_ledger(struct tl_trace_findings *f, struct tl_buf *evidence)
{
	const struct tl_table *t = sheet_of(f, "ledger");
	int share = t ? tl_table_column(t, "Percent of window (%)") : -1;
	bool *told = tl_calloc(t ? t->n_rows + 1 : 1, 1);

	for (size_t k = 0; t && k < 3 && k < t->n_rows; k++) {
		size_t most = t->n_rows;
		for (size_t i = 0; i < t->n_rows; i++)
			if (!told[i] && (most == t->n_rows || tl_table_number(t, i, share) > tl_table_number(t, most, share)))
				most = i;
		told[most] = true;
		tl_buf_addf(evidence, "%s%s %.1f %%", k ? ", " : "ledger: ", text_in(t, most, "class"), tl_table_number(t, most, share));
	}
	free(told);
}

/* The percent of the kernels' time that nothing judges, with why. */
static double add_unjudged(struct tl_trace_findings *f, struct tl_buf *title)
{
	const struct tl_table *parts = f->judged.all > 0 ? tl_judged_rows(&f->judged, f->trace) : NULL;
	static const char start[] = "not judged: ";
	struct tl_buf why = { 0 };
	double sum = 0;

	for (size_t i = 0; parts && i < parts->n_rows; i++) {
		const char *part = tl_table_text(parts, i, JUDGED_PART, "");
		double percent = tl_table_cell(parts, i, JUDGED_PERCENT).d;
		if (strncmp(part, start, sizeof start - 1) != 0)
			continue;
		sum += percent;
		if (percent >= 1)
			tl_buf_addf(&why, "%s%s", why.len ? ", " : "", part + sizeof start - 1);
	}
	tl_buf_addf(title, "not judged: %.0f %% of the kernels' time (%s)", sum, tl_buf_text(&why));
	const struct tl_table *kinds = sheet_of(f, "kernel_kinds");
	bool much = tl_judged_percent(&f->judged, f->judged.ticks[TL_OWN_KERNEL]) >= MUCH_UNJUDGED;
	for (size_t i = 0; much && i < kinds->n_rows; i++) /* the longest stands first */
		if (!strcmp(text_in(kinds, i, "kind"), "unknown")) {
			tl_buf_addf(title, "; %s is no kernel of a known library", text_in(kinds, i, "top_name"));
			much = false;
		}
	tl_buf_release(&why);
	tl_table_free((struct tl_table *)parts);
	return sum;
}

/* The file without work of a device: what it is, and its three largest operators, those within others not counted. */
static void add_host_work(struct tl_trace_findings *f, struct tl_buf *title)
{
	const struct tl_trace *t = f->trace;
	const struct tl_value *framework = fact_of(f, "framework");
	int64_t *ticks = tl_calloc((size_t)t->strings.count + 1, sizeof *ticks);
	struct tl_buf not_analysed = { 0 };

	bool other = tl_add_not_analysed(&not_analysed, t, TL_NOT_ANALYSED) > 0; /* which trace_health tells of */
	tl_buf_release(&not_analysed);
	tl_buf_addf(title, "not judged: no work of a device %s; a trace of %s", other ? "is analysed" : "was recorded", tl_trace_profiler(t));
	if (framework && framework->type == TL_V_TEXT && strcmp(framework->text, tl_trace_profiler(t)) != 0)
		tl_buf_addf(title, " and %s", framework->text);
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		bool inner = e->parent != TL_NONE && t->events[e->parent].kind == TL_KIND_CPU_OP;
		if (e->kind == TL_KIND_CPU_OP && tl_ev_has_span(e) && !inner)
			ticks[e->name] = tl_ticks_add(ticks[e->name], e->dur);
	}
	for (int k = 0; k < 3; k++) {
		uint32_t most = 0;
		for (uint32_t i = 1; i <= t->strings.count; i++)
			most = ticks[i] > ticks[most] ? i : most;
		if (!ticks[most])
			break;
		tl_buf_addf(title, "%s%s %.*f ms", k ? ", " : ", whose host spends ", tl_str(&t->strings, most), tl_decimals(ms(f, ticks[most])), ms(f, ticks[most]));
		ticks[most] = 0;
	}
	free(ticks);
}

static double idle_percent(struct tl_trace_findings *f)
{
	const struct tl_table *t = sheet_of(f, "ledger");
	double idle = 0, all = 0;

	for (size_t i = 0; t && i < t->n_rows; i++) {
		double time = tl_table_number(t, i, tl_table_column(t, "time_ms"));
		all += time;
		idle += strcmp(text_in(t, i, "class"), "idle") ? 0 : time;
	}
	return all > 0 ? idle / all * 100 : 0;
}

/* Says that nothing was found, or that this is not known; beside findings only what much of the time is not judged. */
static void add_nothing(struct tl_trace_findings *f, struct tl_table *t, bool found)
{
	struct tl_buf title = { 0 }, evidence = { 0 }, unjudged = { 0 };
	double percent = add_unjudged(f, &unjudged);

	add_ledger(f, &evidence);
	if (found && percent >= MUCH_UNJUDGED) {
		add_row(t, 0, "health", unjudged.data, "judged");
	} else if (!found && !(f->window_ms > 0)) {
		add_host_work(f, &title);
		add_row(t, 1, "unknown", title.data, tl_buf_text(&evidence));
	} else if (!found && percent > 100 - ENOUGH_JUDGED) {
		add_row(t, 1, "unknown", unjudged.data, tl_buf_text(&evidence));
	} else if (!found && idle_percent(f) >= MUCH_IDLE) {
		tl_buf_addf(&title, "not judged: the GPU is idle for %.0f %% of the time, and no rule tells why", idle_percent(f));
		add_row(t, 1, "unknown", title.data, tl_buf_text(&evidence));
	} else if (!found) {
		tl_buf_addf(&title, "no finding of %g %% or more", f->least_share * 100);
		add_row(t, 1, "none", title.data, tl_buf_text(&evidence));
	}
	tl_buf_release(&title);
	tl_buf_release(&evidence);
	tl_buf_release(&unjudged);
}

/* Adds those of the earlier run that are no more. */
static void add_gone(const struct tl_trace_findings *f, struct tl_table *t)
{
	const struct tl_table *b = f->before;
	static const char *const kept[] = { "title", "rule", "id" };
	static const unsigned to[] = { FINDING_TITLE, FINDING_RULE, FINDING_ID };

	for (size_t i = 0; i < b->n_rows; i++) {
		struct tl_cell c[N_FINDING] = { [FINDING_SEVERITY] = cell_of(t, "gone"), [FINDING_CHANGE] = cell_of(t, "gone") };
		const char *id = text_in(b, i, "id");
		bool stays = !*id || was_gone(b, i);
		for (size_t k = 0; k < f->found.n; k++)
			stays = stays || !strcmp(f->found.items[k].id, id);
		for (size_t k = 0; k < 3; k++) {
			int column = tl_table_column(b, kept[k]);
			c[to[k]] = column < 0 ? tl_cell_null() : tl_cell_copy(tl_table_cell(b, i, (size_t)column), b->strings, t->strings);
		}
		if (!stays)
			tl_table_add_row(t, c);
	}
}

void tl_findings_rows(void *ctx, struct tl_sheet_input *in)
{
	struct tl_trace_findings *f = ctx;
	int64_t rank = 0;

	in->own_rows = tl_table_new(&f->trace->strings, f->trace->ticks_per_us, tl_findings_finding_rows);
	in->conditions = f->before ? TL_FINDINGS_IF_BEFORE : 0;
	for (size_t i = 0; i < f->found.n; i++) {
		const struct tl_finding *x = &f->found.items[i];
		tl_finding_row(in->own_rows, x, x->rule->tier ? ++rank : 0, f->window_ms, f->before ? change_of(f->before, x) : NULL);
		if (f->unsure && tl_is_one_of((const char *const[]){ "headroom", "kernel_kinds", NULL }, x->rule->texts[TL_RULE_SHEET]))
			tl_table_set(in->own_rows, i, FINDING_CONFIDENCE, cell_of(in->own_rows, "low"));
	}
	add_nothing(f, in->own_rows, rank > 0);
	if (f->before)
		add_gone(f, in->own_rows);
}

enum { EVIDENCE_ROWS = 10 };

static void add_evidence(struct tl_trace_findings *f, struct tl_table *t, const struct tl_finding *x, uint32_t row)
{
	const struct tl_table *of = sheet_of(f, x->rule->texts[TL_RULE_SHEET]);
	int start = tl_table_column(of, "longest_start_us"), uid = tl_table_column(of, "ex_UID"), idle = tl_table_column(of, "idle_ms");
	struct tl_cell c[N_EVIDENCE] = { [EVIDENCE_ID] = cell_of(t, x->id), [EVIDENCE_SHEET] = cell_of(t, x->rule->texts[TL_RULE_SHEET]),
		[EVIDENCE_ROW] = tl_cell_int((int64_t)row + 1) };
	const uint32_t *events;
	size_t n = events_of_row(f, x, row, &events);
	int64_t ticks = 0;

	for (size_t i = 0; i < n; i++)
		ticks = tl_ticks_add(ticks, tl_fair_time_of(&f->window->fair, f->trace, events[i]));
	if (uid >= 0)
		c[EVIDENCE_UID] = tl_table_cell(of, row, (size_t)uid);
	if (n)
		c[EVIDENCE_START_US] = tl_start_cell(f->trace, f->trace->events[events[0]].ts);
	else if (start >= 0)
		c[EVIDENCE_START_US] = tl_cell_copy(tl_table_cell(of, row, (size_t)start), of->strings, t->strings);
	if (n)
		c[EVIDENCE_MS] = tl_cell_ms(ticks);
	else if (idle >= 0)
		c[EVIDENCE_MS] = tl_table_cell(of, row, (size_t)idle);
	tl_table_add_row(t, c);
}

void tl_findings_evidence(void *ctx, struct tl_sheet_input *in)
{
	struct tl_trace_findings *f = ctx;

	in->own_rows = tl_table_new(&f->trace->strings, f->trace->ticks_per_us, tl_findings_evidence_rows);
	for (size_t i = 0; i < f->found.n; i++)
		for (size_t k = 0; k < f->found.items[i].n_rows && k < EVIDENCE_ROWS; k++)
			add_evidence(f, in->own_rows, &f->found.items[i], f->found.items[i].rows[k]);
}

void tl_findings_unasked(void *ctx, struct tl_sheet_input *in)
{
	struct tl_trace_findings *f = ctx;
	struct tl_table *t = in->own_rows = tl_table_new(&f->trace->strings, f->trace->ticks_per_us, tl_findings_unasked_rows);

	for (size_t i = 0; i < f->found.n_unasked; i++)
		tl_table_add_row(t, (struct tl_cell[N_UNASKED]){ [UNASKED_RULE] = cell_of(t, f->found.unasked[i].rule->id),
			[UNASKED_WHY] = cell_of(t, f->found.unasked[i].why) });
}

void tl_findings_judged(void *ctx, struct tl_sheet_input *in)
{
	struct tl_trace_findings *f = ctx;

	in->own_rows = f->judged.all > 0 ? tl_judged_rows(&f->judged, f->trace) : NULL;
}

void tl_findings_gpu_work(void *ctx, struct tl_sheet_input *in)
{
	struct tl_trace_findings *f = ctx;
	const struct taken *kinds = find(f, "kernel_kinds");

	in->own_rows = kinds ? tl_gpu_work_rows(kinds->table, f->trace) : NULL;
}

/* ---- when the time of findings is ----------------------------------------------------------------------------- */

/* The pieces of gaps that rows of idle_summary are about. */
static void add_pieces(struct tl_trace_findings *f, const struct tl_finding *x, const uint32_t *idle_rows, struct tl_spans *spans)
{
	const struct tl_idle_pieces *pieces = f->window->pieces;
	bool *of_finding = tl_calloc(find(f, idle_summary)->table->n_rows + 1, sizeof *of_finding);

	for (size_t i = 0; i < x->n_rows; i++)
		of_finding[x->rows[i]] = true;
	for (size_t i = 0; i < pieces->n; i++)
		if (idle_rows[i] != TL_NONE && of_finding[idle_rows[i]])
			tl_spans_add(spans, pieces->items[i].start, pieces->items[i].end);
	free(of_finding);
}

/* For each finding the times of its device events, or the gaps of which it is the main cause; what touches or overlaps is one. */
void tl_findings_times(void *ctx, struct tl_sheet_input *in)
{
	struct tl_trace_findings *f = ctx;
	struct tl_strtab *strings = &f->trace->strings;
	const struct taken *idle = find(f, idle_summary);
	uint32_t *idle_rows = idle ? tl_idle_rows(f->trace, idle->table) : NULL;
	int64_t rank = 0;

	in->own_rows = tl_table_new(strings, f->trace->ticks_per_us, tl_findings_time_rows);
	TL_EACH(const struct tl_finding, x, f->found) {
		const char *sheet = x->rule->texts[TL_RULE_SHEET];
		struct tl_spans spans = { 0 };
		const uint32_t *events;

		if (x->rule->tier && sheet && !strcmp(sheet, idle_summary))
			add_pieces(f, x, idle_rows, &spans);
		for (size_t k = 0; k < x->n_rows; k++) {
			size_t n = events_of_row(f, x, x->rows[k], &events);
			for (size_t i = 0; i < n; i++)
				tl_spans_add(&spans, f->trace->events[events[i]].ts, tl_ev_end(&f->trace->events[events[i]]));
		}
		tl_spans_merge(&spans);
		rank += x->rule->tier != 0;
		for (size_t i = 0; i < spans.n; i++)
			tl_table_add_row(in->own_rows, (struct tl_cell[N_TIME]){ [TIME_RANK] = tl_cell_int(rank), [TIME_TITLE] = tl_cell_str(strings, x->title),
				[TIME_TS] = tl_cell_time(spans.items[i].start, false), [TIME_ID] = tl_cell_str(strings, x->id),
				[TIME_DUR] = tl_cell_time(tl_ticks_sub(spans.items[i].end, spans.items[i].start), false) });
		tl_spans_release(&spans);
	}
	free(idle_rows);
}
