/* filter.c - programs that make sheets of a trace: options, trace, filters.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/filter.h"
#include "steps/step_find.h"
#include "work/device_events.h"
#include "work/kept.h"
#include "sheets/window.h"

#define OTHERS (1u << TL_KIND_OTHER | 1u << TL_KIND_INSTANT)
#define ANNOTATIONS (1u << TL_KIND_ANNOTATION | 1u << TL_KIND_GPU_ANNOTATION)

void tl_prepare_filters(const struct tl_filter *const *filters, struct tl_load_options *load)
{
	struct tl_error err;

	if (tl_rule_settings.n && !tl_pseudo_ops)
		tl_usage("--set is for the rules of --enable_pseudo_ops");
	if (tl_pseudo_ops)
		load->rules = tl_edit_rules(NULL);
	load->recompute = tl_option_given("detect_recompute") > 0;
	tl_prepare_communication();
	for (; *filters; filters++) {
		tl_speak_as((*filters)->sheets->filter);
		for (const struct tl_sheet *s = (*filters)->sheets->sheets; s->name; s++)
			if (s->def && tl_sheet_check(s->def, &err) != TL_OK)
				tl_die("a mistake in the program: %s", err.text);
		if ((*filters)->prepare)
			(*filters)->prepare(load);
	}
}

struct choices { const struct tl_choice *items; size_t n; bool by_source; unsigned needs; };

/* Chooses the sheets as soon as the trace's source is known, since the source tells the
 * report. Returns the kinds of events that none of them reads. */
static uint32_t choose(void *ctx, const struct tl_header *h)
{
	const struct choices *c = ctx;
	const char *report = c->by_source ? tl_report_of(h->source) : NULL;
	uint32_t unused = TL_UNUSED_BY_SHEETS;

	tl_choose_sheets(report);
	if (report)
		tl_check_report_options(report, c->items, c->n);
	for (size_t i = 0; i <= c->n; i++) { /* sheets, then options */
		unsigned needs = i == c->n ? c->needs : c->items[i].wanted || c->items[i].read ? c->items[i].sheet->needs : 0;
		if (needs & (TL_NEEDS_ANNOTATIONS | TL_NEEDS_RANGES) || tl_step_marker.text)
			unused &= ~ANNOTATIONS;
		if (needs & TL_NEEDS_OTHERS)
			unused &= ~OTHERS;
		if (needs & TL_NEEDS_INSTANTS)
			unused &= ~(1u << TL_KIND_INSTANT);
		if (needs & TL_NEEDS_COUNTERS)
			unused &= ~(1u << TL_KIND_COUNTER);
		if (needs & TL_NEEDS_FRAMES)
			unused &= ~(1u << TL_KIND_PYTHON);
	}
	return unused;
}

/* The filters of one stage: those of which a sheet is wanted or read and that run last, or the others. */
struct stage { const struct tl_filter **filters; size_t *turn; size_t n; struct tl_trace *trace; const char *input; };

static void make_sheets_of(void *ctx, size_t i)
{
	const struct stage *s = ctx;

	s->filters[i]->run(s->trace, s->input);
}

static void turn_to_filter(void *ctx, size_t i)
{
	const struct stage *s = ctx;

	tl_speak_as(s->filters[i]->sheets->filter);
	tl_choose_filter(s->filters[i]);
}

static void take_sheet(void *ctx, enum tl_kept kind, const char *data, size_t len)
{
	(void)ctx;
	tl_take_kept_sheet(kind, data, len);
}

/* Puts it into the order in which filters begin. */
static void add_filter(struct stage *s, const struct tl_filter *f)
{
	size_t at = s->n;

	for (; at && s->filters[s->turn[at - 1]]->weight < f->weight; at--)
		s->turn[at] = s->turn[at - 1];
	s->turn[at] = s->n;
	s->filters[s->n++] = f;
}

/* With fewer of them it takes longer to start a process than to make the sheets. */
#define FEW_EVENTS 20000

static void run_stage(const struct tl_choice *c, size_t n, int runs_last, struct tl_trace *trace, const char *input)
{
	struct stage s = { .filters = tl_alloc((n + 1) * sizeof *s.filters), .turn = tl_alloc((n + 1) * sizeof *s.turn), .trace = trace, .input = input };
	const struct tl_filter *last = NULL;

	for (size_t i = 0; i < n; i++) {
		if (c[i].read) { /* before there are several processes, which make the sheet and what is read of it */
			tl_row_events(trace, c[i].name);
			tl_window_of(trace);
		}
		if ((!c[i].wanted && !c[i].read) || c[i].filter == last || c[i].filter->runs_last != runs_last)
			continue;
		last = c[i].filter;
		add_filter(&s, last);
	}
	tl_work_as_crew(&(struct tl_crew_work){ .n = s.n, .turn = s.turn, .alone = trace->n_events < FEW_EVENTS && !tl_threads_asked,
		.turn_to = turn_to_filter, .work = make_sheets_of, .take = take_sheet, .ctx = &s });
	tl_choose_filter(NULL);
	free(s.filters);
	free(s.turn);
}

void tl_run_filters(const struct tl_choice *c, size_t n, bool by_source, struct tl_load_options *load)
{
	struct choices choices = { c, n, by_source, load->needs };

	tl_will_read(load->path);
	tl_check_sheet_outputs();
	load->drop_kinds_of = choose;
	load->ctx = &choices;
	load->python |= tl_may_need(TL_NEEDS_PYTHON);
	load->all_frames = tl_may_need(TL_NEEDS_ALL_FRAMES);
	load->frames = tl_may_need(TL_NEEDS_FRAMES);
	load->instants = tl_may_need(TL_NEEDS_INSTANTS);
	load->counters = tl_may_need(TL_NEEDS_COUNTERS);
	struct tl_trace *trace = tl_load_trace(load);
	if (tl_step_marker.text && !tl_steps_of(trace)->n)
		tl_warn("--step-marker: no annotation, operator or kernel matches %s: the trace has no steps", tl_step_marker.text);
	tl_rules_free(load->rules);
	load->rules = NULL;
	tl_choose_for_profiler(tl_trace_profiler(trace));
	tl_mark_communication(trace);
	tl_note_unlinked(trace, c, n);
	tl_note_no_operators(trace, c, n);
	tl_note_graphs(trace);
	tl_warn_of_no_device_events(trace, c, n);
	for (int last = 0; last <= 2; last++)
		run_stage(c, n, last, trace, tl_input_name(load->path));
	tl_remember_contents(trace);
	tl_trace_free(trace);
}

static void add_sheets(struct tl_buf *b, const struct tl_sheet_family *f)
{
	for (const struct tl_sheet *s = f->sheets; s->name; s++)
		tl_buf_addf(b, "\n  %-32s %s", s->name, s->help);
}

const char *tl_filter_detail(const struct tl_filter *const *filters)
{
	static struct tl_buf b;

	tl_buf_adds(&b, "FILE is a raw trace or an event stream; without it, or with -, standard input is read.\n\nSheets:");
	for (size_t i = 0; filters[i]; i++)
		add_sheets(&b, filters[i]->sheets);
	return b.data;
}

const char *tl_sheets_detail(const char *text, const struct tl_sheet_family *f)
{
	static struct tl_buf b;

	tl_buf_adds(&b, text);
	add_sheets(&b, f);
	return b.data;
}

int tl_filter_main(const struct tl_filter *f, const struct tl_filter *const *all, int argc, char **argv)
{
	const struct tl_filter *const alone[] = { f, NULL }, *const *filters = f->reads ? all : alone;
	static struct tl_load_options load;
	const struct tl_opt lenient[] = { TL_LENIENT_OPTION(&load.lenient), TL_THREADS_OPTION, { .long_name = NULL } };
	const struct tl_opt *const more[] = { tl_choice_options, tl_result_options, tl_part_options, lenient, NULL };
	struct tl_common common = { 0 };

	tl_speak_as(f->sheets->filter); /* before anything may fail */
	const struct tl_program program = {
		.name = f->sheets->filter, .synopsis = "[OPTION]... [FILE]", .purpose = f->purpose,
		.detail = tl_filter_detail(alone), .options = f->options, .more = more,
		.common = TL_COMMON_OUTPUT, .c = &common,
	};
	size_t n_choices;

	load.path = tl_cli_start_one(&program, argc, argv);
	if (f->reads && !tl_communication_named.n) /* no sheet of TraceLens: what all tables know counts */
		tl_add_names(&tl_communication_named, "table");
	tl_prepare_filters(filters, &load);
	tl_speak_as(f->sheets->filter);
	tl_choose_only(f);
	const struct tl_choice *choices = tl_list_choices(filters, &n_choices);
	tl_check_choice(common.output, load.path, true);
	tl_check_needs(f->needs, tl_asks_for_sheet);
	tl_run_filters(choices, n_choices, false, &load);
	tl_finish_sheets(load.path);
	return tl_end_status();
}
