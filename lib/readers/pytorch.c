/* pytorch.c - reads a Chrome-trace JSON file as PyTorch's profiler writes it: each event, which becomes a call of the
 * sink; the document around the events; and what to do about damage. span_pairs.c joins spans of two events,
 * event_templates.c reads events like those before, faster.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/decimal.h"
#include "base/document.h"
#include "base/scan.h"
#include "model/fields.h"
#include "readers/chrome_held.h"
#include "readers/chrome_writers.h"
#include "readers/counter_names.h"
#include "readers/closed_formats.h"
#include "readers/event_templates.h"
#include "readers/reader.h"
#include "readers/span_pairs.h"

#define MAX_PLACES 64
#define MOST_NAMES 200 /* bytes of names in a message, about */

/* What has been read of one event. */
struct event {
	struct tl_layout layout;
	int kind_by_cat;    /* what the category says, -1: nothing */
	bool has_cat, has_ph, bad_time;
	int64_t values[TL_EVENT_VALUES];
	struct tl_field fields[TL_MAX_FIELDS];
	/* for the templates: */
	int64_t start;      /* offset in the text */
	struct tl_place places[MAX_PLACES];
	size_t n_places;
	bool unusual;       /* the templates learn nothing from this event */
};

/* Which field of an event has that key. */
struct known_field {
	uint64_t stamp;     /* the entry is valid while this is the reader's stamp */
	uint32_t key;
	uint16_t index;
	bool top;
};

struct reader {
	struct tl_json_doc doc;
	const struct tl_read_options *options;
	struct tl_sink *sink;
	struct tl_tables tables;
	struct tl_read_report *report;
	uint64_t uid;         /* of the event at hand */
	bool has_list;        /* traceEvents has been read */
	bool autograd;        /* the trace is one of torch.autograd.profiler, before torch.profiler */
	uint32_t autograd_op; /* the operator before, a string id */
	int64_t autograd_id;  /* its correlation */
	bool ended;           /* the trace ended too early, and that is tolerated */
	struct tl_buf members; /* names of other top members, for a message */
	struct tl_buf room;
	struct tl_json_piece text; /* the value at hand; may be in room */
	struct event event;
	struct known_field known[2 * TL_MAX_FIELDS]; /* a hash table */
	uint64_t stamp;
	struct known_track { uint32_t pid, tid, id, label; } tracks[64];
	struct tl_strtab labels; /* of merged traces, in front of their pids */
	struct tl_templates *templates;
	struct tl_span_pairs *pairs; /* NULL: no event needs them */
	/* whose trace it is: */
	struct tl_chrome_writers writers;
	bool of_pytorch;      /* it has a sign of PyTorch's profiler */
	bool has_schema;      /* a member that only that profiler writes: what others added to its trace makes it no other one */
	bool has_phase;       /* an event has a phase letter */
	bool holds;           /* it may be of another writer: events are held until that is known */
	struct tl_held held;
	struct tl_buf keys;   /* of the first elements, until one has a phase: ", " between them */
};

/* Counts the event at hand under a reason; offset is that of the trouble. */
static void note(struct reader *r, const char *reason, int64_t offset)
{
	tl_read_note(r->report, reason, r->uid, offset);
}

/* Category to kind. The capitalised ones are what profilers of 2021 wrote. says: what is noted of each event. */
static const struct category { const char *cat; int kind; const char *says; } categories[] = {
	{ "cpu_op", TL_KIND_CPU_OP, NULL },
	{ "Operator", TL_KIND_CPU_OP, NULL },
	{ "cuda_runtime", TL_KIND_RUNTIME, NULL },
	{ "Runtime", TL_KIND_RUNTIME, NULL },
	{ "cuda_driver", TL_KIND_DRIVER, NULL },
	/* of other devices */
	{ "xpu_runtime", TL_KIND_RUNTIME, NULL },
	{ "xpu_driver", TL_KIND_DRIVER, NULL },
	{ "mtia_runtime", TL_KIND_RUNTIME, NULL },
	{ "privateuse1_runtime", TL_KIND_RUNTIME, NULL },
	{ "privateuse1_driver", TL_KIND_DRIVER, NULL },
	{ "kernel", TL_KIND_KERNEL, NULL },
	{ "Kernel", TL_KIND_KERNEL, NULL },
	{ "gpu_memcpy", TL_KIND_MEMCPY, NULL },
	{ "Memcpy", TL_KIND_MEMCPY, NULL },
	{ "gpu_memset", TL_KIND_MEMSET, NULL },
	{ "Memset", TL_KIND_MEMSET, NULL },
	{ "python_function", TL_KIND_PYTHON, NULL },
	{ "user_annotation", TL_KIND_ANNOTATION, NULL },
	{ "gpu_user_annotation", TL_KIND_GPU_ANNOTATION, NULL },
	{ "ac2g", TL_KIND_LAUNCH_FLOW, NULL },
	{ "fwdbwd", TL_KIND_FWDBWD_FLOW, NULL },
	{ "cpu_instant_event", TL_KIND_INSTANT, NULL },
	{ "overhead", TL_KIND_OVERHEAD, NULL },
	{ "Trace", TL_KIND_TRACE, NULL },
	/* what a device did, of which there are no device events */
	{ "mtia_ccp_events", -1, TL_NOT_ANALYSED "work of an MTIA device (mtia_ccp_events)" },
	{ "mtia_workloadd", -1, TL_NOT_ANALYSED "work of an MTIA device (mtia_workloadd)" },
	{ "hpu_op", -1, TL_NOT_ANALYSED "work of an HPU (hpu_op)" },
	{ "cuda_profiler_range", -1, TL_COUNTED " (cuda_profiler_range)" },
};

/* The row of a category; NULL: there is none. */
static const struct category *find_category(const struct tl_json_piece *cat)
{
	TL_EACH_OF(const struct category, c, categories, sizeof categories / sizeof *categories)
		if (*cat->s == *c->cat && tl_text_is(cat->s, cat->len, c->cat))
			return c;
	return NULL;
}

static uint8_t kind_of(int kind_by_cat, char ph)
{
	bool arrow = ph == 's' || ph == 't' || ph == 'f';

	if (ph == 'M')
		return TL_KIND_META;
	if (ph == 'C')
		return TL_KIND_COUNTER;
	if (arrow && kind_by_cat != TL_KIND_LAUNCH_FLOW && kind_by_cat != TL_KIND_FWDBWD_FLOW)
		return TL_KIND_FLOW;
	if (kind_by_cat >= 0)
		return (uint8_t)kind_by_cat;
	return ph == 'i' || ph == 'I' ? TL_KIND_INSTANT : TL_KIND_OTHER;
}

/* ---- values ------------------------------------------------------------------- */

/* Notes what the checker has let pass in the text taken last; offset is that of the text. */
static void note_problems(struct reader *r, int64_t offset)
{
	unsigned problems = r->doc.text.problems;

	if (problems & TL_JSON_CONTROL)
		note(r, "raw control characters inside a string", offset);
	if (problems & TL_JSON_UTF8)
		note(r, "bytes that are not UTF-8, replaced by U+FFFD", offset);
	if (problems & TL_JSON_SURROGATE)
		note(r, "escaped surrogates without their pair, replaced by U+FFFD", offset);
	r->event.unusual = r->event.unusual || problems;
}

/* Takes the value at hand into r->text: its JSON text, but of a string its text if not as_json. Returns
 * the value's first byte, 0 if that failed. */
static int take_text(struct reader *r, bool as_json)
{
	int64_t from = tl_json_doc_offset(&r->doc);
	int c = tl_json_doc_peek(&r->doc);

	r->text = (struct tl_json_piece){ "", 0 };
	if (!tl_json_doc_text(&r->doc, as_json, &r->room, &r->text))
		return 0;
	if (r->doc.text.problems)
		note_problems(r, from);
	return c;
}

static uint32_t string_id(struct reader *r)
{
	return tl_add_string(&r->tables, r->text.s, r->text.len);
}

/* Keeps for the templates where the value, or the end, stands that was read last. */
static void add_place(struct reader *r, int64_t from, unsigned value, enum tl_form form)
{
	struct event *e = &r->event;
	int64_t to = tl_json_doc_offset(&r->doc);

	if (e->n_places == MAX_PLACES || to - e->start > UINT32_MAX)
		e->unusual = true;
	else
		e->places[e->n_places++] = (struct tl_place){ (uint32_t)(from - e->start), (uint32_t)(to - e->start), (uint16_t)value, (uint8_t)form, 0 };
}

/* ---- members that every event has ----------------------------------------------- */

static void take_phase(struct reader *r)
{
	int c = take_text(r, false);

	r->event.has_ph = r->has_phase = true;
	r->event.layout.ph = c == '"' && r->text.len == 1 && (unsigned char)*r->text.s < 0x80 ? *r->text.s : 0;
}

static void take_category(struct reader *r)
{
	int c = take_text(r, false);
	const struct category *known = c == '"' ? find_category(&r->text) : NULL;

	r->event.has_cat = true;
	r->event.layout.cat = c == 'n' || !r->text.len ? 0 : string_id(r);
	r->event.kind_by_cat = known ? known->kind : -1;
	r->of_pytorch = r->of_pytorch || r->event.kind_by_cat >= 0;
	if (known && known->says) {
		note(r, known->says, r->event.start);
		r->event.unusual = true; /* each is to be noted */
	}
	if (c == '"' && (r->holds || r->event.kind_by_cat < 0))
		tl_chrome_writers_see(&r->writers, TL_SIGN_CATEGORY, r->text.s, r->text.len);
}

static void take_name(struct reader *r)
{
	int64_t from = tl_json_doc_offset(&r->doc);
	int c = take_text(r, false);

	r->event.values[TL_EVENT_NAME] = c == 'n' ? 0 : string_id(r);
	r->event.layout.flags &= (uint8_t)~TL_HAS_NAME;
	r->event.layout.flags |= c == 'n' ? 0 : TL_HAS_NAME;
	r->event.unusual = r->event.unusual || c != '"';
	add_place(r, from, TL_EVENT_NAME, TL_FORM_TEXT);
}

/* pid and tid: their JSON text, so that 7 and "7" differ. */
static void take_track(struct reader *r, unsigned value)
{
	int64_t from = tl_json_doc_offset(&r->doc);
	int c = take_text(r, true);

	r->event.values[value] = c == 'n' ? 0 : string_id(r);
	r->event.unusual = r->event.unusual || c == 'n';
	add_place(r, from, value, TL_FORM_TRACK);
}

/* Reads a time off its text, whose first byte was c. Returns why it is none, else NULL. */
static const char *time_of(const struct tl_json_piece *text, int c, int64_t *ns)
{
	bool decimals;

	if (c == '"') /* behind the text stands a quote or a NUL */
		return tl_json_usual_number(text->s, 1000, &decimals, ns) == text->s + text->len ? NULL : "a string, expected a number";
	if (!tl_is_digit(c) && c != '-' && c != 'N' && c != 'I')
		return "not a number";
	if (c == 'N' || c == 'I' || text->s[1] == 'I')
		return "not finite";
	return tl_json_fixed(text->s, text->s + text->len, 3, ns) ? NULL : "beyond 2^62 nanoseconds";
}

/* has, is_int: the layout's flags for this time. */
static void take_time(struct reader *r, unsigned value, uint8_t has, uint8_t is_int)
{
	struct event *e = &r->event;
	int64_t from = tl_json_doc_offset(&r->doc), ns = 0, whole;
	bool decimals, usual = tl_json_doc_usual_number(&r->doc, 1000, &decimals, &ns);
	int c = usual ? '0' : take_text(r, false);
	const char *what = !usual && c && c != 'n' ? time_of(&r->text, c, &ns) : NULL;

	if (what && !r->options->lenient)
		tl_json_doc_fail(&r->doc, from, what);
	e->layout.flags &= (uint8_t)~(has | is_int);
	e->values[value] = what ? 0 : ns;
	e->bad_time = e->bad_time || what;
	if (!c || c == 'n' || what) {
		e->unusual = true;
		return;
	}
	bool integer = usual ? !decimals : tl_json_int64(r->text.s, r->text.s + r->text.len, &whole);

	e->unusual = e->unusual || c == '"';
	e->layout.flags |= (uint8_t)(has | (integer ? is_int : 0));
	add_place(r, from, value, integer ? TL_FORM_MICROS : TL_FORM_DECIMAL);
}

/* ---- fields ---------------------------------------------------------------------- */

static void start_fields(struct reader *r)
{
	r->event.layout.n_fields = 0;
	r->stamp++; /* empties the table */
}

/* The field with that key, an earlier one or a new one. */
static struct known_field *find_field(struct reader *r, uint32_t key, bool top)
{
	const size_t n = sizeof r->known / sizeof *r->known;
	size_t i = tl_hash_u64((uint64_t)key << 1 | top) % n;

	while (r->known[i].stamp == r->stamp && (r->known[i].key != key || r->known[i].top != top))
		i = (i + 1) % n;
	return &r->known[i];
}

/* Index of the field with that key, made if there is none; -1: too many. */
static int add_field(struct reader *r, uint32_t key, bool top)
{
	struct known_field *f = find_field(r, key, top);
	struct tl_layout *l = &r->event.layout;

	if (f->stamp == r->stamp)
		return f->index;
	if (l->n_fields == TL_MAX_FIELDS)
		return -1;
	*f = (struct known_field){ r->stamp, key, (uint16_t)l->n_fields, top };
	r->event.fields[l->n_fields] = (struct tl_field){ .key = key, .top = top };
	return (int)l->n_fields++;
}

/* A member of the event, or of its args, that is none of those that every event has. */
static void take_field(struct reader *r, bool top)
{
	const struct tl_json_piece *name = &r->doc.name;
	int64_t from = tl_json_doc_offset(&r->doc), *value;
	uint32_t known = r->tables.strings.count, key = tl_add_string(&r->tables, name->s, name->len);
	int i = add_field(r, key, top), c;
	struct tl_field *f = &r->event.fields[i < 0 ? 0 : i];
	bool decimals, usual;

	if (key > known && !top) /* new to the tables */
		tl_chrome_writers_see(&r->writers, TL_SIGN_ARGUMENT, name->s, name->len);
	if (i < 0) {
		tl_json_doc_fail(&r->doc, from, "more than 4096 members in an event");
		return;
	}
	value = &r->event.values[TL_EVENT_FIELDS + i];
	usual = tl_json_doc_usual_number(&r->doc, 1, &decimals, value);
	c = usual ? '0' : take_text(r, false);
	if (!c)
		return;
	if (usual || ((tl_is_digit(c) || c == '-') && tl_json_int64(r->text.s, r->text.s + r->text.len, value))) {
		f->type = TL_FIELD_INT;
		add_place(r, from, TL_EVENT_FIELDS + (unsigned)i, TL_FORM_INT);
		return;
	}
	*value = string_id(r);
	f->type = c == '"' ? TL_FIELD_STRING : TL_FIELD_JSON;
	add_place(r, from, TL_EVENT_FIELDS + (unsigned)i, c == '"' ? TL_FORM_TEXT : TL_FORM_JSON);
}

/* The last args of an event count: removes the fields of earlier ones. */
static void forget_args(struct reader *r)
{
	struct event *e = &r->event;
	uint32_t n = e->layout.n_fields;

	start_fields(r);
	for (uint32_t i = 0; i < n; i++)
		if (e->fields[i].top) {
			int64_t value = e->values[TL_EVENT_FIELDS + i];
			struct tl_field f = e->fields[i];
			int to = add_field(r, f.key, true);

			e->fields[to] = f;
			e->values[TL_EVENT_FIELDS + to] = value;
		}
	e->unusual = true;
}

/* The members of args are fields. An args of null counts as none; any other value is a
 * field of the event itself. */
static void take_args(struct reader *r)
{
	struct tl_layout *l = &r->event.layout;
	int c = tl_json_doc_peek(&r->doc);

	if (c != '{' && c != 'n') {
		take_field(r, true);
		r->event.unusual = true;
		return;
	}
	if (l->flags & TL_HAS_ARGS)
		forget_args(r);
	l->flags &= (uint8_t)~TL_HAS_ARGS;
	if (c == 'n') {
		tl_json_doc_value(&r->doc, NULL);
		return;
	}
	l->flags |= TL_HAS_ARGS;
	tl_json_doc_enter(&r->doc, '{');
	while (tl_json_doc_member(&r->doc)) {
		note_problems(r, tl_json_doc_offset(&r->doc));
		take_field(r, false);
	}
}

/* Adds a name to a list of them. */
static void add_name(struct tl_buf *names, const struct tl_json_piece *name)
{
	tl_buf_addf(names, "%s%.*s", names->len ? ", " : "", name->len > 40 ? 40 : (int)name->len, name->s);
}

static void take_member(struct reader *r)
{
	const struct tl_json_doc *d = &r->doc;

	if (d->text.problems)
		note_problems(r, tl_json_doc_offset(d));
	if (!r->has_phase && r->keys.len < MOST_NAMES)
		add_name(&r->keys, &d->name);
	if (tl_json_doc_name_is(d, "ph"))
		take_phase(r);
	else if (tl_json_doc_name_is(d, "cat"))
		take_category(r);
	else if (tl_json_doc_name_is(d, "name"))
		take_name(r);
	else if (tl_json_doc_name_is(d, "pid"))
		take_track(r, TL_EVENT_PID);
	else if (tl_json_doc_name_is(d, "tid"))
		take_track(r, TL_EVENT_TID);
	else if (tl_json_doc_name_is(d, "ts"))
		take_time(r, TL_EVENT_TS, TL_HAS_TS, TL_INT_TS);
	else if (tl_json_doc_name_is(d, "dur"))
		take_time(r, TL_EVENT_DUR, TL_HAS_DUR, TL_INT_DUR);
	else if (tl_json_doc_name_is(d, "args"))
		take_args(r);
	else
		take_field(r, true);
}

/* ---- the event --------------------------------------------------------------------- */

/* The track, mostly without a search, since a trace has few tracks. */
static const struct known_track *track_of(struct reader *r, uint32_t pid, uint32_t tid)
{
	struct known_track *t = &r->tracks[(pid * 31 + tid) % (sizeof r->tracks / sizeof *r->tracks)];

	if (t->id && t->pid == pid && t->tid == tid)
		return t;
	const char *text = tl_str(&r->tables.strings, pid);
	*t = (struct known_track){ pid, tid, tl_add_track(&r->tables, pid, tid), tl_merger_label(&r->labels, text) };
	if (*text == '"')
		tl_chrome_writers_see(&r->writers, TL_SIGN_PID, text + 1, strlen(text) - 1);
	return t;
}

static bool is_pair(char ph)
{
	return ph == 'B' || ph == 'E';
}

/* A begin waits for its end; an end becomes the span. False: there is no event yet. */
static bool join_pair(struct reader *r, char ph, uint8_t flags, struct tl_event *e)
{
	int64_t offset = tl_json_doc_offset(&r->doc);

	if (!r->pairs)
		r->pairs = tl_span_pairs_new(&r->tables);
	if (!(flags & TL_HAS_TS)) {
		note(r, "dropped: begin or end (ph B, E) without ts", offset);
	} else if (ph == 'B') {
		if (!tl_span_pairs_begin(r->pairs, e, e->track, 'X'))
			note(r, "dropped: begin (ph B) while a million others have no end", offset);
	} else if (!tl_span_pairs_end(r->pairs, e, e->track)) {
		note(r, "dropped: end (ph E) without its begin", offset);
	} else if (e->dur < 0) {
		note(r, "dropped: end (ph E) before its begin", offset);
	} else {
		return true;
	}
	return false;
}

/* A name of a process or thread may tell who wrote the trace. */
static void take_names(struct reader *r, const struct tl_event *e, const struct tl_layout *l)
{
	const char *what = tl_str(&r->tables.strings, e->name);
	bool process = !strcmp(what, "process_name");

	for (uint32_t i = 0; i < l->n_fields && (process || !strcmp(what, "thread_name")); i++)
		if (l->fields[i].type == TL_FIELD_STRING && !strcmp(tl_str(&r->tables.strings, l->fields[i].key), TL_KEY_META_NAME))
			tl_chrome_writers_see(&r->writers, process ? TL_SIGN_PROCESS : TL_SIGN_THREAD,
			                      tl_str(&r->tables.strings, (uint32_t)e->values[i]), tl_str_len(&r->tables.strings, (uint32_t)e->values[i]));
}

/* Fails if the trace is of a writer whose traces are not read. */
static bool is_readable(struct reader *r)
{
	const struct tl_chrome_writer *w = r->has_schema ? NULL : r->writers.found;

	if (w && w->hint && !r->doc.status && !r->options->known_writer)
		r->doc.status = tl_fail(&r->doc.error, TL_ERR_DATA, "not a trace that can be read: %s; %s", w->what, w->hint);
	return !r->doc.status;
}

/* Gives the event to the sink. */
static bool pass_on(struct reader *r, uint32_t layout)
{
	const int64_t *v = r->event.values;
	const struct known_track *track = track_of(r, (uint32_t)v[TL_EVENT_PID], (uint32_t)v[TL_EVENT_TID]);
	struct tl_event e = {
		.uid = r->uid, .layout = layout, .name = (uint32_t)v[TL_EVENT_NAME], .track = track->id,
		.ts = v[TL_EVENT_TS], .dur = v[TL_EVENT_DUR], .values = v + TL_EVENT_FIELDS,
	};

	const struct tl_layout *l = tl_layout_of(&r->tables, layout);
	if (track->label)
		tl_merger_move_ids(&r->tables, l, r->event.values + TL_EVENT_FIELDS, track->label, &r->room);
	if (l->kind == TL_KIND_META) {
		take_names(r, &e, l);
		if (!is_readable(r))
			return false;
	}
	if (is_pair(l->ph) && !join_pair(r, l->ph, l->flags, &e))
		return true;
	if (r->holds) {
		tl_hold(&r->held, &r->tables, &e);
		return true;
	}
	r->doc.status = l->kind == TL_KIND_COUNTER && !r->options->keep_counters ? tl_push_chrome_counters(&r->tables, &e, l, r->sink, r->report, &r->doc.error)
	                                           : r->sink->ops->event(r->sink, &e, &r->doc.error);
	return !r->doc.status;
}

/* Lets the templates learn from the event up to here. */
static void learn(struct reader *r, uint32_t layout)
{
	struct event *e = &r->event;
	int64_t here = tl_json_doc_offset(&r->doc);

	if (r->templates && !e->unusual && e->start >= r->doc.base) /* its text is still in the window */
		tl_templates_learn(r->templates, r->doc.p - (here - e->start), e->places, e->n_places, layout);
}

/* Once the event is read: hands it to the sink, or leaves it out and notes why. */
static bool finish(struct reader *r)
{
	struct event *e = &r->event;
	int64_t ts = e->values[TL_EVENT_TS], dur = e->values[TL_EVENT_DUR];
	bool too_late = dur >= 0 && ts > TL_JSON_FIXED_MAX - dur;

	if (!r->holds && e->layout.ph && !is_pair(e->layout.ph) && r->options->drop_kinds >> e->layout.kind & 1)
		return true;
	if (too_late && e->layout.ph && !r->options->lenient)
		return tl_json_doc_fail(&r->doc, e->start, "ts + dur is beyond 2^62 nanoseconds");
	const char *why = !e->layout.ph ? "dropped: no phase letter (ph)" : e->bad_time || too_late ? "dropped: ts or dur is no usable number" :
		dur < 0 ? "dropped: negative dur" : NULL;
	if (why) {
		note(r, why, e->start);
		return true;
	}
	e->layout.fields = e->fields;
	uint32_t layout = tl_add_layout(&r->tables, &e->layout);
	add_place(r, tl_json_doc_offset(&r->doc), 0, TL_FORM_END);
	learn(r, layout);
	return pass_on(r, layout);
}

/* Whether the member read last is the duration of a Python frame that lasts less than is asked for. */
static bool is_short(struct reader *r)
{
	struct event *e = &r->event;
	struct tl_place *last = e->n_places ? &e->places[e->n_places - 1] : NULL;

	if (e->layout.kind != TL_KIND_PYTHON || e->unusual || !e->values[TL_EVENT_NAME] || !last || last->value != TL_EVENT_DUR ||
	    e->start + last->to != tl_json_doc_offset(&r->doc))
		return false;
	last->least = r->options->least_frame_us * 1000;
	return e->values[TL_EVENT_DUR] >= 0 && e->values[TL_EVENT_DUR] < last->least &&
		!tl_is_module_frame(tl_str(&r->tables.strings, (uint32_t)e->values[TL_EVENT_NAME]));
}

/* Whether what has been read tells that the event is to be left out; *too_short: by its duration. The templates
 * learn it. */
static bool to_be_skipped(struct reader *r, bool *too_short)
{
	const struct event *e = &r->event;
	bool known = ((e->has_cat && e->has_ph) || e->layout.ph == 'M' || e->layout.ph == 'C') && !is_pair(e->layout.ph);
	bool dropped = known && !r->holds && r->options->drop_kinds >> e->layout.kind & 1;

	*too_short = known && !dropped && is_short(r);
	if (dropped)
		add_place(r, tl_json_doc_offset(&r->doc), 0, TL_FORM_SKIP);
	if (dropped || *too_short)
		learn(r, 0);
	return dropped || *too_short;
}

/* ---- events of torch.autograd.profiler: without categories, their pids tell what they are ------------- */

static bool has_pid(const struct reader *r, const char *json)
{
	uint32_t pid = (uint32_t)r->event.values[TL_EVENT_PID];

	return pid && !strcasecmp(tl_str(&r->tables.strings, pid), json);
}

/* Adds an argument; no place for it is left in an event of 4096 members only. */
static void add_int(struct reader *r, const char *key, int64_t value)
{
	struct event *e = &r->event;
	int i = add_field(r, tl_add_string(&r->tables, key, strlen(key)), false);

	if (i < 0)
		return;
	e->fields[i].type = TL_FIELD_INT;
	e->values[TL_EVENT_FIELDS + i] = value;
	e->layout.flags |= TL_HAS_ARGS;
}

/* The thread is the device. Without CUPTI the profiler measured operators, not kernels: then the name is that of the
 * operator before; a kernel was launched by that operator. */
static void take_device_event(struct reader *r)
{
	struct event *e = &r->event;
	const char *tid = tl_str(&r->tables.strings, (uint32_t)e->values[TL_EVENT_TID]);
	int64_t device;

	e->layout.kind = TL_KIND_KERNEL;
	if (e->values[TL_EVENT_TID] && tl_json_int64(tid, tid + strlen(tid), &device))
		add_int(r, TL_KEY_DEVICE, device);
	if (!r->autograd_op || r->autograd_op != (uint32_t)e->values[TL_EVENT_NAME])
		add_int(r, TL_KEY_CORRELATION, r->autograd_id);
	else
		note(r, "the time of an operator on the device, by CUDA events: its kernels are not in the trace", e->start);
}

/* Such a trace begins with an operator. Its events are read plainly, since templates do not look at the pid. */
static void take_autograd(struct reader *r)
{
	struct event *e = &r->event;

	if ((r->uid && !r->autograd) || e->has_cat || e->layout.ph != 'X')
		return;
	if (has_pid(r, "\"CPU functions\"")) {
		r->autograd = true;
		tl_templates_free(r->templates);
		r->templates = NULL;
		e->layout.kind = TL_KIND_CPU_OP;
		r->autograd_op = (uint32_t)e->values[TL_EVENT_NAME];
		r->autograd_id = (int64_t)r->uid + 1;
		add_int(r, TL_KEY_CORRELATION, r->autograd_id);
	} else if (r->autograd && has_pid(r, "\"CUDA functions\"")) {
		take_device_event(r);
	}
}

static bool parse_plainly(struct reader *r)
{
	struct event *e = &r->event;
	bool may_skip = true, too_short;

	e->layout = (struct tl_layout){ .kind = TL_KIND_OTHER };
	e->kind_by_cat = -1;
	e->has_cat = e->has_ph = e->bad_time = e->unusual = false;
	memset(e->values, 0, TL_EVENT_FIELDS * sizeof *e->values);
	e->start = tl_json_doc_offset(&r->doc);
	e->n_places = 0;
	start_fields(r);
	tl_json_doc_enter(&r->doc, '{');
	while (tl_json_doc_member(&r->doc)) {
		take_member(r);
		e->layout.kind = kind_of(e->kind_by_cat, e->layout.ph);
		if (may_skip && to_be_skipped(r, &too_short)) {
			may_skip = tl_json_doc_skip_rest(&r->doc);
			r->report->n_short_frames += may_skip && too_short;
			if (may_skip)
				return true;
		}
	}
	if (!r->doc.status)
		take_autograd(r);
	return is_readable(r) && finish(r);
}

/* Parses the event at the document's place, an opening brace, and hands it to the
 * sink if it is not left out. False: the document's status tells why. */
static bool read_event(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;
	uint32_t layout;
	const char *end = r->templates ? tl_templates_parse(r->templates, d->p, d->text.end, r->event.values, &layout) : NULL;

	if (!end)
		return parse_plainly(r);
	d->p = end;
	r->report->n_short_frames += layout == TL_TOO_SHORT;
	return !layout || layout == TL_TOO_SHORT || pass_on(r, layout);
}

/* ---- damage ------------------------------------------------------------------- */

/* Whether an event seems to start at the brace: its first member is one that events
 * have. */
static bool looks_like_event(const char *brace)
{
	static const char *const names[] = {
		"\"ph\"", "\"cat\"", "\"name\"", "\"pid\"", "\"tid\"", "\"ts\"", "\"dur\"", "\"id\"", "\"args\"", "\"s\"", "\"bp\"",
	};
	const char *p = tl_json_blanks(brace + 1);

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strncmp(p, names[i], strlen(names[i])))
			return *tl_json_blanks(p + strlen(names[i])) == ':';
	return false;
}

/* After a failure in the list of events: true if reading goes on with another event.
 * If there is none, the trace ends here. */
static bool tolerate_damage(struct reader *r, int64_t start)
{
	struct tl_json_doc *d = &r->doc;

	r->report->lenient_helps = d->bad;
	if (!d->bad || !r->options->lenient) {
		r->ended |= tl_read_tolerates_end(d, r->options, r->report, r->uid);
		return false;
	}
	note(r, "dropped: damaged", start);
	if (tl_json_doc_resync(d, looks_like_event))
		return true;
	if (d->cut_short) {
		note(r, "no event found after the damage, the rest of the trace is lost", d->error.offset);
		d->status = TL_OK;
		r->ended = true;
	}
	return false;
}

/* ---- the list of events ------------------------------------------------------------- */

/* Names the event in the error about its text. */
static void name_event(struct reader *r)
{
	struct tl_error why = r->doc.error;

	if (why.offset < 0)
		return;
	tl_fail_at(&r->doc.error, why.status, why.offset, "event %llu: %.500s", (unsigned long long)r->uid, why.text);
	r->doc.error.record = (int64_t)r->uid;
}

static void element(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;
	int64_t start = tl_json_doc_offset(d);

	if (*d->p == '{')
		read_event(r);
	else if (!r->options->lenient)
		tl_json_doc_expected(d, "an object");
	else if (tl_json_doc_value(d, NULL))
		note(r, "dropped: not an object", start);
	if (d->status)
		name_event(r);
}

/* A sign that no other writer gives has been seen. */
static bool is_of_pytorch(const struct reader *r)
{
	return r->has_schema || (r->writers.found && !strcmp(r->writers.found->writer, "pytorch"));
}

/* Gives the sink what is held, as what the writer means by it; NULL: as it is. */
static void release_held(struct reader *r, const char *writer)
{
	r->holds = false;
	tl_templates_forget(r->templates); /* what is dropped was none of what they learnt */
	r->doc.status = tl_held_push(&r->held, writer, &r->tables, r->sink, r->report, &r->doc.error);
}

/* False after a failure, and if the trace ends in the list. */
static bool event_list(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;
	bool going_on = tl_json_doc_enter(d, '[');

	r->holds = !r->has_schema && !r->options->known_writer;
	while (going_on) {
		bool is_element = tl_json_doc_element(d);
		int64_t start = tl_json_doc_offset(d);

		if (!is_element && !d->status)
			return true;
		if (is_element)
			element(r);
		if (d->status)
			going_on = tolerate_damage(r, start);
		r->uid += is_element;
		r->report->n_events = r->uid;
		if (r->holds && is_of_pytorch(r))
			release_held(r, NULL);
		if (!r->holds && tl_source_reset(&r->tables, r->sink)) {
			tl_templates_forget(r->templates);
			memset(r->tracks, 0, sizeof r->tracks);
			r->autograd_op = 0;
			if (r->pairs)
				tl_span_pairs_forget(r->pairs);
		}
	}
	return false;
}

/* ---- the document --------------------------------------------------------------------- */

static bool trace_events(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;

	if (tl_json_doc_peek(d) != '[')
		return tl_json_doc_expected(d, "a list of events as traceEvents");
	if (!r->has_list) {
		r->has_list = true;
		return event_list(r);
	}
	r->report->lenient_helps = true;
	if (!r->options->lenient)
		return tl_json_doc_fail(d, tl_json_doc_offset(d), "a second traceEvents");
	note(r, "another traceEvents, ignored", tl_json_doc_offset(d));
	return tl_json_doc_value(d, NULL);
}

/* A member about the trace as a whole: it goes to the sink. */
static bool about_trace(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;
	int64_t start = tl_json_doc_offset(d);
	bool metadata = tl_json_doc_name_is(d, "metadata");

	r->has_schema = r->has_schema || tl_json_doc_name_is(d, "schemaVersion") || tl_json_doc_name_is(d, "deviceProperties");
	r->of_pytorch = r->of_pytorch || r->has_schema;
	if (r->members.len < MOST_NAMES)
		add_name(&r->members, &d->name);
	note_problems(r, start);
	if (!tl_read_json_member(d, &r->room, r->sink, r->report, r->uid))
		return false;
	if (metadata)
		tl_chrome_writers_see(&r->writers, TL_SIGN_METADATA, tl_buf_text(&r->room), r->room.len);
	note_problems(r, start);
	return true;
}

static void top_object(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;

	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		if (!(tl_json_doc_name_is(d, "traceEvents") ? trace_events : about_trace)(r))
			break;
}

static bool has_member(const void *names, const char *name, size_t len)
{
	const struct tl_buf *b = names;

	for (const char *s = tl_buf_text(b), *cut; s; s = cut ? cut + 2 : NULL) {
		cut = strstr(s, ", ");
		if ((cut ? (size_t)(cut - s) : strlen(s)) == len && !memcmp(s, name, len))
			return true;
	}
	return false;
}

/* Fails if the document is no trace: what it is, by the names in it, if that is known. */
static void refuse(struct reader *r, const char *kind, const struct tl_buf *names, const char *what)
{
	struct tl_buf known = { 0 };

	r->doc.status = TL_ERR_DATA;
	if (tl_closed_by_names(kind, has_member, names, &known))
		tl_fail(&r->doc.error, TL_ERR_DATA, "not a trace that can be read: %s", known.data);
	else
		tl_fail(&r->doc.error, TL_ERR_DATA, "%s%s%s", what, names->len ? "; its members are: " : "; it has no members", tl_buf_text(names));
	tl_buf_release(&known);
}

/* Once all is read: is it a trace, and whose? */
static void tell_writer(struct reader *r)
{
	const char *found = r->writers.found ? r->writers.found->writer : r->of_pytorch || r->autograd || !r->uid ? NULL : "chrome";
	const char *writer = is_of_pytorch(r) ? NULL : found;
	char json[64];

	if (!r->has_list)
		refuse(r, "members", &r->members, "no traceEvents in the trace");
	else if (r->uid && !r->has_phase)
		refuse(r, "keys", &r->keys, "a list of objects, no trace: none has a phase (ph)");
	if (is_readable(r) && r->holds)
		release_held(r, writer);
	if (r->doc.status || !writer || r->options->known_writer)
		return;
	if (r->writers.found && r->writers.found->remark)
		tl_read_remark(r->report, "", r->writers.found->remark, 0);
	if (!r->writers.found)
		tl_read_note_many(r->report, "a Chrome trace of an unknown writer: no device work is known in it", r->uid, 0);
	int len = snprintf(json, sizeof json, "\"%s\"", writer);
	r->doc.status = r->sink->ops->meta(r->sink, TL_META_WRITER, sizeof TL_META_WRITER - 1, json, (size_t)len, &r->doc.error);
}

/* What may stand behind the document. */
static void trailer(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;

	if (r->options->lenient && tl_json_doc_peek(d) >= 0) {
		note(r, "text after the end of the trace, ignored", tl_json_doc_offset(d));
		tl_json_doc_drain(d);
	}
	tl_json_doc_end(d);
	r->report->lenient_helps = d->status == TL_ERR_DATA;
	if (d->bad_input)
		note(r, "the compressed data is damaged or cut short here", tl_json_doc_offset(d));
}

static void document(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;
	int c = tl_json_doc_peek(d);

	r->has_list = c == '[';
	if (c != '{' && c != '[')
		tl_json_doc_expected(d, "'{' or '['");
	else if (c == '[')
		event_list(r);
	else
		top_object(r);
	if (!d->status && !r->ended && c == '{' && !r->has_list)
		tell_writer(r);
	if (d->status)
		r->ended |= tl_read_tolerates_end(d, r->options, r->report, r->uid);
	else if (!r->ended)
		trailer(r);
	for (uint64_t i = 0; r->pairs && i < tl_span_pairs_open(r->pairs); i++)
		tl_read_note(r->report, "dropped: begin (ph B) without its end", r->uid + i, tl_json_doc_offset(d));
	if (!d->status)
		tell_writer(r);
}

static enum tl_match match_pytorch(const unsigned char *first, size_t len)
{
	static const char *const object[] = { "{", NULL }, *const list[] = { "[", NULL };
	size_t at;
	enum tl_match m = tl_match_json(first, len, object, &at);

	m = m == TL_MATCH_NO ? tl_match_json(first, len, list, &at) : m;
	return m == TL_MATCH_YES ? TL_MATCH_DEFAULT : m; /* any JSON */
}

static enum tl_status read_pytorch(struct tl_input *in, const struct tl_read_options *options, struct tl_sink *sink,
                                   struct tl_read_report *report, struct tl_error *err)
{
	static const struct tl_header header = { .source = "pytorch", .ticks_per_us = 1000 };
	struct reader *r = tl_calloc(1, sizeof *r);

	r->options = options;
	r->held.keep_counters = options->keep_counters;
	r->sink = sink;
	r->report = report;
	tl_json_doc_init(&r->doc, in);
	r->doc.lenient = options->lenient;
	r->templates = options->plain ? NULL : tl_templates_new(&r->tables);
	r->doc.status = sink->ops->begin(sink, &header, &r->tables, &r->doc.error);
	if (!r->doc.status)
		document(r);
	enum tl_status st = tl_read_end_json(&r->doc, options, report, err);
	tl_templates_misses(r->templates, &report->n_texts, &report->n_forms);
	tl_span_pairs_free(r->pairs);
	tl_templates_free(r->templates);
	tl_tables_release(&r->tables);
	tl_buf_release(&r->room);
	tl_buf_release(&r->members);
	tl_buf_release(&r->keys);
	tl_chrome_writers_release(&r->writers);
	tl_strtab_release(&r->labels);
	tl_held_release(&r->held);
	free(r);
	return st;
}

const struct tl_reader tl_reader_pytorch = { "PyTorch's JSON", match_pytorch, read_pytorch };
