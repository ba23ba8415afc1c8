/* overview.c - the sheet overview: what a trace is, how it was read, what was left out.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/overview.h"

#include "work/calls.h"
#include "work/device_events.h"
#include "work/devices.h"
#include "steps/step_find.h"
#include "work/trace_facts.h"
#include "sheet/overview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- rows ----------------------------------------------------------------------- */

/* A sheet that is being made. */
struct making {
	const struct tl_overview *o;
	struct tl_table *table;
	struct tl_trace_facts facts;
	size_t n_ranks;                /* of the devices with work, if the trace says … */
	int64_t rank;                  /* … and the last of them */
	const char *section;           /* of the rows that come next */
};

static void add(struct making *m, const char *item, struct tl_cell value, const char *unit, const char *sheet)
{
	struct tl_strtab *s = m->table->strings;

	tl_table_add_row(m->table, (struct tl_cell[N_ITEM]){ [ITEM_SECTION] = tl_cell_str(s, m->section), [ITEM_ITEM] = tl_cell_str(s, item),
		[ITEM_VALUE] = value, [ITEM_UNIT] = tl_cell_str(s, unit), [ITEM_SHEET] = tl_cell_str(s, sheet) });
}

static void add_count(struct making *m, const char *item, uint64_t n, const char *unit)
{
	add(m, item, tl_cell_int((int64_t)n), unit, "");
}

/* No row for an empty text. */
static void add_text(struct making *m, const char *item, const char *text)
{
	if (text && *text)
		add(m, item, tl_cell_str(m->table->strings, text), "", "");
}

/* ---- the trace ----------------------------------------------------------------------- */

/* What the events are, in one pass. */
struct census {
	uint32_t kinds[TL_KIND_COUNT];
	uint32_t copies, first_copy;   /* of captures of graphs: how many, and their lowest number; they are in nothing else */
	int64_t first, last;           /* ticks: of host and device events */
};

static struct census count_events(struct tl_trace *t)
{
	const struct tl_copies *copies = tl_copies_of(t);
	struct census c = { .first = INT64_MAX, .last = INT64_MIN, .first_copy = copies->first_uid };

	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		bool is_copy = tl_is_copy(copies, i);

		c.copies += is_copy;
		if (is_copy || e->kind == TL_KIND_PYTHON) /* frames are kept for some options only */
			continue;
		c.kinds[e->kind]++;
		if (tl_ev_has_span(e)) {
			int64_t end = tl_ev_end(e);
			c.first = e->ts < c.first ? e->ts : c.first;
			c.last = end > c.last ? end : c.last;
		}
	}
	return c;
}

/* The value of a member that is a text; "" for any other. It lives as long as m. */
static const char *member_text(struct making *m, const char *key)
{
	struct tl_value v;

	return tl_trace_member(m->o->trace, key, &m->facts.arena, &v) && v.type == TL_V_TEXT ? v.text : "";
}

/* PyTorch states stamps relative to baseTimeNanoseconds since 1970. */
static void add_date(struct making *m, int64_t first)
{
	struct tl_value base;
	char text[64];
	struct tm tm;
	int64_t us;

	if (first == INT64_MAX || !tl_trace_member(m->o->trace, "baseTimeNanoseconds", &m->facts.arena, &base) ||
	    base.type != TL_V_INT || base.i <= 0 || base.i > INT64_MAX)
		return;
	us = tl_ticks_add((int64_t)base.i / 1000, first / m->o->trace->ticks_per_us);
	time_t seconds = (time_t)(us / 1000000);
	if (us > 0 && gmtime_r(&seconds, &tm) && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm))
		add(m, "begins", tl_cell_str(m->table->strings, text), "UTC", "");
}

static void add_kinds(struct making *m, const struct census *c)
{
	const uint32_t *kinds = c->kinds;
	struct tl_value slices; /* what tl-slice chose, if the trace is a slice */
	bool is_slice = tl_trace_member(m->o->trace, TL_META_SLICES, &m->facts.arena, &slices) && slices.type == TL_V_LIST;

	for (uint32_t i = 0; is_slice && i < slices.len; i++)
		if (slices.items[i].type == TL_V_TEXT)
			add_text(m, "slice", slices.items[i].text);
	add_count(m, "events", c->copies ? c->first_copy : m->o->trace->n_source_events, is_slice ? "events of the whole trace" : "events");
	add_count(m, "operators on the host", kinds[TL_KIND_CPU_OP], "events");
	add_count(m, "runtime and driver calls", (uint64_t)kinds[TL_KIND_RUNTIME] + kinds[TL_KIND_DRIVER], "events");
	add_count(m, "kernels", kinds[TL_KIND_KERNEL], "events");
	add_count(m, "copies and fills of memory", (uint64_t)kinds[TL_KIND_MEMCPY] + kinds[TL_KIND_MEMSET], "events");
	if (c->copies)
		add_count(m, "added from captures of graphs", c->copies, "events");
}

/* Of a trace that tells of its processes: the one with most device time, else most calls, and how many others there are. */
static void add_processes(struct making *m)
{
	struct did { uint32_t process; int64_t device_time; uint64_t calls; };
	const struct tl_trace *t = m->o->trace;
	struct TL_KEYED(struct did) all = { 0 };
	const struct did *most = NULL;
	struct tl_value processes;

	if (!tl_trace_member(t, TL_META_PROCESSES, &m->facts.arena, &processes) || processes.type != TL_V_LIST || processes.len < 2)
		return;
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct tl_ev *e = &t->events[i];
		bool call = tl_kind_is_launch(e->kind), work = tl_gpu_usable(e);
		if ((!call && !work) || !t->tracks[e->track].pid)
			continue;
		struct did *d = TL_ITEM(&all, t->tracks[e->track].pid, NULL);
		d->process = e->track;
		d->calls += call;
		d->device_time = tl_ticks_add(d->device_time, work ? e->dur : 0);
	}
	for (size_t i = 0; i < all.n; i++)
		if (!most || all.items[i].device_time > most->device_time ||
		    (all.items[i].device_time == most->device_time && all.items[i].calls > most->calls))
			most = &all.items[i];
	if (most) {
		const struct tl_trace_track *track = &t->tracks[most->process];
		struct tl_buf text = { 0 };
		tl_buf_addf(&text, "%s (%s)", tl_str(&t->strings, track->process_name), tl_str(&t->strings, track->pid));
		add_text(m, "main process", text.data);
		add_count(m, "other processes", processes.len - 1, "with events");
		tl_buf_release(&text);
	}
	TL_KEYED_RELEASE(&all);
}

/* How many steps there are, and why these. */
static void add_steps(struct making *m)
{
	const struct tl_trace *t = m->o->trace;
	const struct tl_steps *steps = tl_numbered_steps_of(t);
	struct tl_map names = { 0 };
	struct tl_buf why = { 0 };

	TL_EACH(const struct tl_step, s, *steps)
		if (steps->source == TL_STEPS_PROFILER && t->events[s->event].kind == TL_KIND_ANNOTATION)
			tl_map_add(&names, tl_step_name(t, s));
	if (steps->source == TL_STEPS_MARKER)
		tl_buf_addf(&why, "what --step-marker '%.100s' names", steps->marked);
	else if (steps->source == TL_STEPS_TOLD)
		tl_buf_addf(&why, "\"%.100s\", chosen because it tells its step; --step-marker REGEX chooses another", steps->marked);
	else if (steps->source == TL_STEPS_NAMED)
		tl_buf_addf(&why, "\"%.100s\", chosen because it repeats; --step-marker REGEX chooses another", steps->marked);
	else
		tl_buf_adds(&why, steps->source == TL_STEPS_ENGINE ? "annotations of a serving engine" : "annotations ProfilerStep#N");
	add_count(m, "steps", steps->source == TL_STEPS_PROFILER ? names.count : tl_steps_are_marked(steps) ? steps->n : 0, why.data);
	tl_map_release(&names);
	tl_buf_release(&why);
}

static void add_trace(struct making *m, const struct census *c)
{
	const struct tl_overview *o = m->o;

	m->section = "trace";
	add_text(m, "file", o->input);
	add_count(m, "size", o->n_bytes, o->gzip ? "bytes of gzip" : "bytes");
	if (o->gzip)
		add_count(m, "size of the text", o->n_text_bytes, "bytes");
	add_text(m, "profiler", tl_trace_profiler(o->trace));
	add_text(m, "trace name", member_text(m, "traceName"));
	add_text(m, "trace id", member_text(m, "trace_id"));
	add_date(m, c->first);
	if (c->first <= c->last)
		add(m, "first event to last", tl_cell_ms(tl_ticks_sub(c->last, c->first)), "ms", "");
	add_kinds(m, c);
	add_steps(m);
	add_processes(m);
}

/* ---- headline and remarks ---------------------------------------------------------- */

static void add_headline(struct making *m, const struct census *c)
{
	bool any = false;

	m->section = "headline";
	for (size_t i = 0; i < TL_HEADLINE_NUMBERS; i++) {
		const struct tl_headline_number *n = &m->o->headline.numbers[i];
		if (n->item)
			add(m, n->item, tl_cell_real(n->value), n->unit, n->sheet);
		any |= n->item != NULL;
	}
	const char *other = tl_other_device(m->o->trace);
	if (!any && other)
		add(m, "device work", tl_cell_str(m->table->strings, "not analysed: no operations of it are in the trace"), other, "");
	else if (!any)
		add_text(m, "device work", c->kinds[TL_KIND_KERNEL] || c->kinds[TL_KIND_MEMCPY] || c->kinds[TL_KIND_MEMSET] ?
		         "the sheets of this run have none of these numbers" : "none in this trace");
}

static void add_remarks(struct making *m)
{
	m->section = "left out";
	for (size_t i = 0; i < m->o->n_remarks; i++) {
		const struct tl_remark *r = &m->o->remarks[i];
		struct tl_buf item = { 0 };

		tl_buf_addf(&item, "%s of %s", r->warning ? "warning" : "note", r->by);
		add_text(m, item.data, r->text);
		tl_buf_release(&item);
	}
	if (m->o->n_more_remarks)
		add_count(m, "more of these", m->o->n_more_remarks, "messages");
	else if (!m->o->n_remarks)
		add_text(m, "warnings and notes", "none");
}

/* ---- hardware, job, software --------------------------------------------------------- */

static void add_gpu(struct making *m, const struct tl_gpu_facts *g, const char *item)
{
	struct tl_buf unit = { 0 };

	if (g->units)
		tl_buf_addf(&unit, "%lld SMs or CUs", (long long)g->units);
	if (g->memory)
		tl_buf_addf(&unit, "%s%.1f GiB", unit.len ? ", " : "", (double)g->memory / (1 << 30));
	add(m, item, tl_cell_str(m->table->strings, g->name), tl_buf_text(&unit), "");
	tl_buf_release(&unit);
}

/* Do the devices differ in rank, process and device number? */
struct differences { bool of[3]; };

static struct differences find_differences(const struct tl_devices *d, const struct tl_strtab *strings)
{
	struct differences differ = { { false, false, true } }; /* the device number is always worth a word */
	struct tl_cell first[3], other[3];

	for (size_t i = 0; i < d->n; i++) {
		tl_device_cells(&d->items[0], first);
		tl_device_cells(&d->items[i], other);
		for (size_t k = 0; k < 3; k++)
			differ.of[k] |= tl_cell_compare(strings, first[k], other[k]) != 0;
	}
	/* processes that go with the ranks tell nothing more */
	differ.of[1] &= !differ.of[0];
	return differ;
}

/* "rank 0, device 1" */
static void add_device(struct making *m, const struct tl_device *d, const struct differences *differ)
{
	static const char *const words[] = { "rank", "process", "device" };
	struct tl_buf name = { 0 };
	struct tl_cell cells[3];
	char text[TL_DOUBLE_TEXT];

	tl_device_cells(d, cells);
	for (size_t k = 0; k < 3; k++) {
		if (!differ->of[k] || tl_cell_is_null(cells[k]))
			continue;
		tl_buf_addf(&name, "%s%s ", name.len ? ", " : "", words[k]);
		if (cells[k].type == TL_CELL_TEXT)
			tl_buf_adds(&name, tl_str(m->table->strings, cells[k].text));
		else
			tl_buf_add(&name, text, tl_cell_format(text, cells[k], 1));
	}
	add_text(m, "with work", tl_buf_text(&name));
	tl_buf_release(&name);
}

/* How many devices have work, and which. */
static void add_devices(struct making *m)
{
	const size_t most = 64;
	const struct tl_devices *d = tl_devices_of(m->o->trace);
	struct differences differ = find_differences(d, m->table->strings);

	for (size_t i = 0; i < d->n; i++) { /* they are sorted by rank first */
		struct tl_cell rank = d->items[i].rank;
		if (rank.type != TL_CELL_INT || (m->n_ranks && rank.i == m->rank))
			continue;
		m->n_ranks++;
		m->rank = rank.i;
	}
	add_count(m, "devices with work", d->n, d->n == 1 ? "device" : "devices");
	for (size_t i = 0; i < d->n && i < most; i++)
		add_device(m, &d->items[i], &differ);
	if (d->n > most)
		add_count(m, "more of these", d->n - most, "devices");
}

static void add_gpus(struct making *m)
{
	const struct tl_trace_facts *f = &m->facts;
	bool all_the_same = tl_only_gpu_kind(f);

	m->section = "gpu";
	if (all_the_same) {
		add_gpu(m, &f->gpus[0], "name");
		add_count(m, "GPUs that the process saw", f->n_gpus, "GPUs");
	} else if (!f->n_gpus) {
		add_text(m, "name", "not in the trace");
	}
	for (size_t i = 0; !all_the_same && i < f->n_gpus; i++) {
		char item[40];
		snprintf(item, sizeof item, "name of GPU %lld", (long long)f->gpus[i].id);
		add_gpu(m, &f->gpus[i], item);
	}
	add_devices(m);
}

static void add_job(struct making *m)
{
	const struct tl_trace_facts *f = &m->facts;
	int64_t rank = m->n_ranks ? m->rank : f->rank;

	m->section = "job";
	if (m->n_ranks > 1)
		add_count(m, "ranks in this trace", m->n_ranks, "ranks");
	else if (rank >= 0)
		add(m, "rank", tl_cell_int(rank), "", "");
	if (f->world_size >= 0)
		add_count(m, "world size", (uint64_t)f->world_size, "ranks");
	add_text(m, "backend", f->backend);
	if (rank < 0 && f->world_size < 0 && m->n_ranks < 2)
		add_text(m, "rank", "not in the trace");
}

/* How a version is written as a number. */
enum version { AS_IT_IS, CUDA, HIP };

static void add_version(struct making *m, const char *item, const struct tl_value *v, enum version how)
{
	struct tl_buf b = { 0 };
	long long n = v->type == TL_V_INT && v->i > 0 && v->i < INT32_MAX ? (long long)v->i : 0;

	if (how == CUDA && n) /* 1000 * major + 10 * minor */
		tl_buf_addf(&b, "%lld.%lld", n / 1000, n % 1000 / 10);
	else if (how == HIP && n) /* 10^7 * major + 10^5 * minor + patch */
		tl_buf_addf(&b, "%lld.%lld.%lld", n / 10000000, n / 100000 % 100, n % 100000);
	else if (v->type == TL_V_TEXT || v->type == TL_V_INT || v->type == TL_V_REAL)
		tl_value_str(&b, v, false);
	add_text(m, item, tl_buf_text(&b));
	tl_buf_release(&b);
}

static void add_software(struct making *m)
{
	static const struct { const char *key, *item; enum version how; } versions[] = {
		{ "pytorch_version", "PyTorch", AS_IT_IS },
		{ "cuda_runtime_version", "CUDA runtime", CUDA },
		{ "cuda_driver_version", "CUDA driver", CUDA },
		{ "cupti_version", "CUPTI", AS_IT_IS },
		{ "hip_runtime_version", "HIP runtime", HIP },
		{ "hip_driver_version", "HIP driver", HIP },
		{ "roctracer_version", "roctracer", AS_IT_IS },
	};
	struct tl_value v;
	const struct tl_value *nccl;
	size_t before = m->table->n_rows;

	m->section = "software";
	for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
		if (tl_trace_member(m->o->trace, versions[i].key, &m->facts.arena, &v))
			add_version(m, versions[i].item, &v, versions[i].how);
	if (tl_trace_member(m->o->trace, "distributedInfo", &m->facts.arena, &v) &&
	    (nccl = tl_value_member(&v, "nccl_version")))
		add_version(m, "NCCL or RCCL", nccl, AS_IT_IS);
	if (m->table->n_rows == before)
		add_text(m, "versions", "not in the trace");
}

static const char *how_to_get_rooflines(struct making *m)
{
	const struct tl_gpu_facts *g = tl_working_gpu_kind(&m->facts, m->o->trace);
	struct tl_buf name = { 0 };
	bool built_in = g && tl_arch_for_device(g->name, g->units, &name);

	tl_buf_release(&name);
	if (tl_trace_gpu_only(m->o->trace))
		return ""; /* they are for operators */
	return built_in ? "--arch auto adds rooflines" : "--arch NAME adds rooflines";
}

/* What operators are compared with: in sheets with rooflines, or without these by headroom and findings only. */
static void add_arch(struct making *m)
{
	const struct tl_arch *a = m->o->arch ? m->o->arch : m->o->registry ? m->o->rated : NULL;
	const char *how = m->o->arch ? "" : how_to_get_rooflines(m);
	struct tl_buf unit = { 0 };

	m->section = "roofline";
	if (a)
		tl_buf_addf(&unit, "%s%s%s", a->basis, m->o->arch ? "" : ", of findings and headroom", *how ? "; " : "");
	tl_buf_adds(&unit, how);
	add(m, "architecture", tl_cell_str(m->table->strings, a ? a->name : "none"), tl_buf_text(&unit), "");
	tl_buf_release(&unit);
	if (!a)
		return;
	add_text(m, "source", a->source);
	if (a->bandwidth > 0)
		add(m, "memory bandwidth", tl_cell_real(a->bandwidth), "GB/s", "");
	for (size_t i = 0; i < a->n_peaks; i++)
		add(m, a->peaks[i].spec, tl_cell_real(a->peaks[i].tflops), "TFLOP/s", "");
}

/* ---- the sheet -------------------------------------------------------------------------- */

void tl_overview_items(void *ctx, struct tl_sheet_input *in)
{
	const struct tl_overview *o = ctx;
	struct making m = { .o = o, .table = tl_table_new(&o->trace->strings, o->trace->ticks_per_us, tl_overview_item_rows) };
	struct census c = count_events(o->trace);

	tl_trace_facts_read(&m.facts, o->trace);
	add_headline(&m, &c);
	add_remarks(&m);
	add_trace(&m, &c);
	add_gpus(&m);
	add_arch(&m);
	add_job(&m);
	add_software(&m);
	m.section = "tool";
	add_text(&m, "tl-tools", o->version);
	add_text(&m, "options", *o->options ? o->options : "none");
	tl_trace_facts_release(&m.facts);
	in->own_rows = m.table;
}

void tl_overview_populations(void *ctx, struct tl_sheet_input *in)
{
	struct tl_overview *o = ctx;

	in->own_rows = o->populations;
	o->populations = NULL;
}
