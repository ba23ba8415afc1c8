/* perfetto_model.c - events in the shape of traceconv's JSON to events of the model: kinds by
 * category, times and tracks from the arguments that rocprofv3 writes, well-known fields; and
 * traceconv's JSON itself.
 * Both readers of Perfetto's traces end here, so that they give the same events.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/perfetto.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/decimal.h"
#include "base/scan.h"
#include "readers/span_pairs.h"

/* The categories of writers other than rocprofv3 that TraceLens's reports know. */
static const struct { const char *category; uint8_t kind; } kinds[] = {
	{ "gpu_activity", TL_KIND_KERNEL },
	{ "cuda_api", TL_KIND_RUNTIME },
	{ "cupti", TL_KIND_RUNTIME },
};

/* Arguments that tell more than they say as they stand. */
enum arg { BEGIN, END, DELTA, THREAD, STREAM, QUEUE, AGENT, FROM, TO, BYTES, CORRELATION, N_ARGS };
static const char *const arg_names[N_ARGS] = {
	"begin_ns", "end_ns", "delta_ns", "tid", "stream_ID", "queue", "agent", "src_agent", "dst_agent", "copy_bytes", "corr_id",
};

/* A layout of the source. */
struct shape {
	bool known;
	uint8_t kind;
	char ph;
	int place[N_ARGS];     /* index of the field; -1: none, or no integer (but for agents) */
	bool is_text[N_ARGS];  /* of agents */
	uint32_t layouts[4];   /* the layouts made of it, by variant; 0: not yet */
};
enum { TIMED = 1, OTHER_PROCESS = 2 };

struct model {
	struct tl_sink base;
	struct tl_sink *next;
	struct tl_maker make;
	struct tl_translation translation;
	struct shape *shapes; size_t n_shapes, cap_shapes; /* by layout of the source */
	struct tl_by_id agents;    /* string id -> number of its device, + 1 */
	struct tl_strtab devices;  /* agents without a number in their name */
	struct tl_buf first_pid;
	struct tl_read_report *report;
	struct tl_span_pairs *pairs; /* NULL: slices come as one event each */
	uint64_t uid;              /* of the event at hand */
	bool known;                /* its layout: only its values are needed */
};

static struct model *self(struct tl_sink *s)
{
	return (struct model *)s;
}

/* Ids of the source, or of this stage, have become void. */
static void forget(struct model *m)
{
	tl_translation_forget(&m->translation);
	tl_by_id_forget(&m->agents);
	m->n_shapes = 0;
	if (m->pairs)
		tl_span_pairs_forget(m->pairs);
}

/* ---- layouts ------------------------------------------------------------------------------ */

static uint8_t kind_of(const struct tl_strtab *strings, const struct tl_layout *l)
{
	if (l->kind == TL_KIND_META || l->kind == TL_KIND_COUNTER)
		return l->kind;
	int kind = tl_rocprofv3_kind(tl_str(strings, l->cat), tl_str_len(strings, l->cat));
	for (size_t i = 0; kind < 0 && i < sizeof kinds / sizeof *kinds; i++)
		if (tl_text_is(tl_str(strings, l->cat), tl_str_len(strings, l->cat), kinds[i].category))
			kind = kinds[i].kind;
	return kind < 0 ? l->kind : (uint8_t)kind;
}

static struct shape read_shape(const struct tl_tables *from, const struct tl_layout *l)
{
	struct shape s = { .known = true, .kind = kind_of(&from->strings, l), .ph = l->ph };

	for (int a = 0; a < N_ARGS; a++) {
		s.place[a] = -1;
		for (uint32_t i = 0; i < l->n_fields; i++) {
			const struct tl_field *f = &l->fields[i];
			bool agent = a >= AGENT && a <= TO && f->type == TL_FIELD_STRING;
			if (!f->top && (f->type == TL_FIELD_INT || agent) &&
			    tl_text_is(tl_str(&from->strings, f->key), tl_str_len(&from->strings, f->key), arg_names[a])) {
				s.place[a] = (int)i;
				s.is_text[a] = agent;
			}
		}
	}
	if (s.kind == TL_KIND_OTHER && s.place[AGENT] >= 0)
		s.kind = TL_KIND_KERNEL; /* work of an agent */
	return s;
}

static struct shape *shape_of(struct model *m, uint32_t layout)
{
	if (layout >= m->n_shapes) {
		TL_GROW(m->shapes, m->cap_shapes, layout + 1);
		memset(m->shapes + m->n_shapes, 0, (layout + 1 - m->n_shapes) * sizeof *m->shapes);
		m->n_shapes = layout + 1;
	}
	if (!m->shapes[layout].known)
		m->shapes[layout] = read_shape(m->translation.from, tl_layout_of(m->translation.from, layout));
	return &m->shapes[layout];
}

/* ---- times and tracks ------------------------------------------------------------------------ */

/* Takes begin and duration from the arguments, which tell both. False: they make no span. */
static bool take_times(const struct shape *s, const int64_t *v, struct tl_event *e)
{
	int64_t begin = v[s->place[BEGIN]], dur;
	if (begin < 0 || begin > TL_JSON_FIXED_MAX)
		return false;
	if (s->place[DELTA] >= 0)
		dur = v[s->place[DELTA]];
	else
		dur = v[s->place[END]] < begin ? -1 : v[s->place[END]] - begin;
	if (dur < 0 || dur > TL_JSON_FIXED_MAX - begin)
		return false;
	e->ts = begin;
	e->dur = dur;
	return true;
}

/* Slices that are on no thread's track have the process as their thread; the arguments say
 * which thread or stream it was. */
static void set_track(struct model *m, const struct shape *s, const int64_t *v, uint32_t source)
{
	uint32_t track = tl_translate_track(&m->translation, source);
	int place = s->place[THREAD];

	m->make.pid = tl_track_of(&m->make.tables, track).pid;
	if (tl_kind_is_gpu(s->kind))
		place = s->place[STREAM] >= 0 ? s->place[STREAM] : s->place[QUEUE];
	if ((s->ph == 'b' || s->ph == 'n') && place >= 0)
		tl_make_thread(&m->make, v[place]);
	else
		m->make.event.track = track;
}

/* ---- devices ----------------------------------------------------------------------------------- */

/* "GPU-3" is the device 3; an agent whose name has no number at its end gets the next one. */
static int64_t device_of_text(struct model *m, uint32_t id)
{
	const struct tl_strtab *strings = &m->translation.from->strings;
	const char *s = tl_str(strings, id);
	size_t len = tl_str_len(strings, id), i = len;
	uint32_t *known = tl_by_id(&m->agents, id);
	int64_t number = 0;

	if (*known)
		return (int64_t)*known - 1;
	while (i > 0 && tl_is_digit(s[i - 1]) && len - i < 6)
		i--;
	for (size_t k = i; k < len; k++)
		number = number * 10 + (s[k] - '0');
	if (i == len)
		number = (int64_t)tl_intern(&m->devices, s, len) - 1;
	*known = (uint32_t)number + 1;
	return number;
}

/* Which argument names the device: the agent, or the end of a copy that is on a device. */
static enum arg device_arg(const struct model *m, const struct shape *s, uint32_t name)
{
	if (s->place[AGENT] >= 0)
		return AGENT;
	const char *text = tl_str(&m->translation.from->strings, name);
	return s->place[TO] >= 0 && !strstr(text, "DEVICE_TO_HOST") ? TO : FROM;
}

/* ---- events --------------------------------------------------------------------------------------- */

static bool other_process(struct model *m, const struct shape *s)
{
	if (s->place[CORRELATION] < 0)
		return false;
	const char *pid = m->make.pid ? tl_str(&m->make.tables.strings, m->make.pid) : "none";
	if (!m->first_pid.len)
		tl_buf_adds(&m->first_pid, pid);
	return strcmp(m->first_pid.data, pid) != 0;
}

static void add_field(struct model *m, const char *key, enum tl_field_type type, int64_t value)
{
	if (m->known)
		m->make.values[m->make.layout.n_fields++] = value;
	else
		tl_make_field(&m->make, key, type, value);
}

/* The fields that the source has. */
static void take_fields(struct model *m, const struct tl_layout *from, const int64_t *values)
{
	for (uint32_t i = 0; i < from->n_fields; i++) {
		struct tl_field field = from->fields[i];
		m->make.values[i] = field.type == TL_FIELD_INT ? values[i] : tl_translate_string(&m->translation, (uint32_t)values[i]);
		if (m->known)
			continue;
		field.key = tl_translate_string(&m->translation, field.key);
		m->make.fields[i] = field;
	}
	m->make.layout.n_fields = from->n_fields;
}

/* Ids of a process mean nothing in another one, whose get its pid. */
static void add_correlation(struct model *m, int64_t id, bool other)
{
	struct tl_buf *b = &m->make.text;

	if (!other) {
		add_field(m, TL_KEY_CORRELATION, TL_FIELD_INT, id);
		return;
	}
	tl_buf_clear(b);
	tl_buf_addf(b, "%s:%lld", tl_str(&m->make.tables.strings, m->make.pid), (long long)id);
	add_field(m, TL_KEY_CORRELATION, TL_FIELD_STRING, tl_add_string(&m->make.tables, b->data, b->len));
}

static void add_number(struct model *m, const char *key, int place, const int64_t *v)
{
	if (place >= 0)
		add_field(m, key, TL_FIELD_INT, v[place]);
}

static void add_fields(struct model *m, const struct shape *s, const struct tl_event *e, bool other)
{
	const int64_t *v = e->values;

	if (s->place[CORRELATION] >= 0)
		add_correlation(m, v[s->place[CORRELATION]], other);
	add_number(m, TL_KEY_STREAM, s->place[STREAM], v);
	if (!tl_kind_is_gpu(s->kind))
		return;
	enum arg device = device_arg(m, s, e->name);
	if (s->place[device] >= 0 && s->is_text[device])
		add_field(m, TL_KEY_DEVICE, TL_FIELD_INT, device_of_text(m, (uint32_t)v[s->place[device]]));
	else
		add_number(m, TL_KEY_DEVICE, s->place[device], v);
	add_number(m, TL_KEY_THREAD, s->place[THREAD], v);
	add_number(m, TL_KEY_BYTES, s->place[BYTES], v);
}

static enum tl_status send(struct model *m, struct tl_error *err)
{
	uint64_t epoch = m->make.epoch;
	enum tl_status st = tl_push_made(&m->make, err);

	if (m->make.epoch != epoch)
		forget(m);
	return st;
}

/* ---- slices whose begin and end are two events --------------------------------------------------- */

static void note(struct model *m, const char *reason)
{
	tl_read_note(m->report, reason, m->uid, -1);
}

/* Where the slices nest: those of a process that have the same category and id, as a track. */
static uint32_t place_of(struct model *m, const struct tl_event *e)
{
	const struct tl_strtab *strings = &m->translation.from->strings;
	const struct tl_layout *l = tl_layout_of(m->translation.from, e->layout);
	uint32_t pid = tl_track_of(&m->make.tables, tl_translate_track(&m->translation, e->track)).pid;

	tl_buf_clear(&m->make.text);
	tl_buf_adds(&m->make.text, tl_str(strings, l->cat));
	for (uint32_t i = 0; i < l->n_fields; i++) {
		const struct tl_field *f = &l->fields[i];
		if (!f->top || strncmp(tl_str(strings, f->key), "id", 2) != 0)
			continue;
		if (f->type == TL_FIELD_INT)
			tl_buf_addf(&m->make.text, " %lld", (long long)e->values[i]);
		else
			tl_buf_addf(&m->make.text, " %s", tl_str(strings, (uint32_t)e->values[i]));
	}
	return tl_add_track(&m->make.tables, pid, tl_add_string(&m->make.tables, m->make.text.data, m->make.text.len));
}

/* The end of a slice whose arguments say when it ends has no begin that waits. */
static enum tl_status end_pair(struct model *m, const struct tl_event *source, struct tl_error *err)
{
	struct tl_event e = *source;

	if (!tl_span_pairs_end(m->pairs, &e, place_of(m, source)))
		return TL_OK;
	if (e.dur >= 0) {
		tl_make_event(&m->make, e.uid, TL_KIND_OTHER, 0);
		m->make.event = e;
		return send(m, err);
	}
	note(m, "dropped: end (ph e) before its begin");
	return TL_OK;
}

/* ---- an event ---------------------------------------------------------------------------------------- */

static enum tl_status push_event(struct model *m, const struct tl_event *e, struct tl_error *err)
{
	const struct tl_layout *from = tl_layout_of(m->translation.from, e->layout);
	struct tl_maker *make = &m->make;
	struct shape *s = shape_of(m, e->layout);
	bool tells = s->place[BEGIN] >= 0 && (s->place[DELTA] >= 0 || s->place[END] >= 0);

	tl_make_event(make, e->uid, s->kind, s->ph);
	make->event.ts = e->ts;
	make->event.dur = e->dur;
	unsigned variant = tells && take_times(s, e->values, &make->event) ? TIMED : 0;
	if (tells && !variant)
		note(m, "begin_ns, end_ns and delta_ns make no span, not used");
	set_track(m, s, e->values, e->track);
	make->event.name = tl_translate_string(&m->translation, e->name);
	bool other = other_process(m, s);
	variant |= other ? OTHER_PROCESS : 0;
	make->event.layout = s->layouts[variant];
	m->known = make->event.layout;
	take_fields(m, from, e->values);
	add_fields(m, s, e, other);
	if (!m->known) {
		make->layout.cat = tl_translate_string(&m->translation, from->cat);
		make->layout.flags = from->flags;
		if (variant & TIMED)
			make->layout.flags = (uint8_t)((from->flags & ~(TL_INT_TS | TL_INT_DUR)) | TL_HAS_TS | TL_HAS_DUR);
		make->event.layout = s->layouts[variant] = tl_add_layout(&make->tables, &make->layout);
	}
	if (!m->pairs || from->ph != 'b' || variant & TIMED || !(from->flags & TL_HAS_TS))
		return send(m, err);
	tl_make_place(make);
	if (!tl_span_pairs_begin(m->pairs, &m->make.event, place_of(m, e), 'b'))
		note(m, "dropped: begin (ph b) while a million others have no end");
	return TL_OK;
}

/* ---- the sink --------------------------------------------------------------------------------------- */

static enum tl_status begin(struct tl_sink *sink, const struct tl_header *h, const struct tl_tables *tables, struct tl_error *err)
{
	struct model *m = self(sink);
	struct tl_header out = *h;

	out.source = "perfetto";
	m->translation = (struct tl_translation){ .from = tables, .to = &m->make.tables };
	return tl_maker_begin(&m->make, m->next, m->report, &out, err);
}

static void reset(struct tl_sink *sink)
{
	forget(self(sink));
}

static enum tl_status meta(struct tl_sink *sink, const char *key, size_t key_len, const char *json, size_t json_len, struct tl_error *err)
{
	struct tl_sink *next = self(sink)->next;

	return next->ops->meta(next, key, key_len, json, json_len, err);
}

static enum tl_status event(struct tl_sink *sink, const struct tl_event *e, struct tl_error *err)
{
	struct model *m = self(sink);

	m->uid = e->uid;
	if (m->pairs && tl_layout_of(m->translation.from, e->layout)->ph == 'e')
		return end_pair(m, e, err);
	return push_event(m, e, err);
}

static enum tl_status link(struct tl_sink *sink, const struct tl_link *k, struct tl_error *err)
{
	struct tl_sink *next = self(sink)->next;

	return next->ops->link(next, k, err);
}

static enum tl_status end(struct tl_sink *sink, struct tl_error *err)
{
	struct tl_sink *next = self(sink)->next;

	return next->ops->end(next, err);
}

struct tl_sink *tl_pf_model_new(struct tl_sink *next, struct tl_read_report *report, bool pairs)
{
	static const struct tl_sink_ops ops = {
		.begin = begin, .reset = reset, .meta = meta, .event = event, .link = link, .end = end,
	};
	struct model *m = tl_calloc(1, sizeof *m);

	m->base.ops = &ops;
	m->next = next;
	m->report = report;
	m->pairs = pairs ? tl_span_pairs_new(&m->make.tables) : NULL;
	return &m->base;
}

void tl_pf_model_free(struct tl_sink *sink)
{
	struct model *m = self(sink);

	for (uint64_t i = 1; m->pairs && i <= tl_span_pairs_open(m->pairs); i++)
		tl_read_note(m->report, "dropped: begin (ph b) without its end", m->uid + i, -1);
	tl_maker_release(&m->make);
	tl_translation_release(&m->translation);
	tl_span_pairs_free(m->pairs);
	tl_by_id_release(&m->agents);
	tl_strtab_release(&m->devices);
	tl_buf_release(&m->first_pid);
	free(m->shapes);
	free(m);
}

/* ---- traceconv's JSON: PyTorch's reader knows the document ---------------------------------- */

extern const struct tl_reader tl_reader_pytorch;

enum { PEEK = 4096 };

/* Categories of early events, besides those of rocprofv3. The records about processes and threads of any trace of Chrome's
 * are __metadata; one that PyTorch's profiler wrote, and some tool of Perfetto has written
 * again, stays PyTorch's. */
static const struct { const char *name; enum tl_match match; } categories[] = {
	{ "cpu_op", TL_MATCH_NO }, { "user_annotation", TL_MATCH_NO }, { "python_function", TL_MATCH_NO },
	{ "cuda_runtime", TL_MATCH_NO }, { "cuda_driver", TL_MATCH_NO }, { "gpu_memcpy", TL_MATCH_NO }, { "kernel", TL_MATCH_NO },
	{ "__metadata", TL_MATCH_MORE },
};

/* What the category that the text begins with tells; TL_MATCH_DEFAULT: nothing. */
static enum tl_match match_category(const char *text, size_t len)
{
	const char *end = memchr(text, '"', len);

	if (end && tl_rocprofv3_kind(text, (size_t)(end - text)) >= 0)
		return TL_MATCH_YES;
	for (size_t i = 0; end && i < sizeof categories / sizeof *categories; i++)
		if (tl_text_is(text, (size_t)(end - text), categories[i].name))
			return categories[i].match;
	return TL_MATCH_DEFAULT;
}

/* Does the text, but for blanks, end as a document does? */
static bool has_end(const char *text, size_t len)
{
	while (len && tl_json_is_blank(text[len - 1]))
		len--;
	return len && text[len - 1] == '}';
}

/* A list of events alone, of which the first one that tells more than __metadata decides; if
 * none does, __metadata counts. */
static enum tl_match match_json(const unsigned char *first, size_t len)
{
	static const char *const start[] = { "{", "\"traceEvents\"", ":", "[", NULL }, *const text_follows[] = { ":", "\"", NULL };
	const char *text = (const char *)first;
	size_t at = 0, size;
	enum tl_match m = tl_match_json(first, len, start, &at);
	bool metadata = false;

	if (m != TL_MATCH_YES)
		return m;
	for (const char *p = text + at; (p = memmem(p, (size_t)(text + len - p), "\"cat\"", 5)); p += 5) {
		if (tl_match_json((const unsigned char *)p + 5, (size_t)(text + len - p) - 5, text_follows, &size) != TL_MATCH_YES)
			continue;
		const char *cat = p + 5 + size;
		m = match_category(cat, (size_t)(text + len - cat));
		if (m == TL_MATCH_YES || m == TL_MATCH_NO)
			return m;
		metadata |= m == TL_MATCH_MORE;
	}
	if (metadata && (len == PEEK || has_end(text, len)))
		return TL_MATCH_YES;
	return len < PEEK ? TL_MATCH_MORE : TL_MATCH_NO;
}

static enum tl_status read_json(struct tl_input *in, const struct tl_read_options *options, struct tl_sink *sink,
                                struct tl_read_report *report, struct tl_error *err)
{
	struct tl_sink *model = tl_pf_model_new(sink, report, true);
	struct tl_read_options all = *options;
	enum tl_status st;

	all.drop_kinds = 0; /* kinds are found out behind that reader */
	all.known_writer = true;
	st = tl_reader_pytorch.read(in, &all, model, report, err);
	tl_pf_model_free(model);
	return st;
}

const struct tl_reader tl_reader_perfetto_json = { "traceconv's JSON", match_json, read_json };
