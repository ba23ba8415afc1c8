/* perfetto_model.c - events in the shape of traceconv's JSON to events of the model: kinds by
 * category, times and tracks from the arguments that rocprofv3 writes, well-known fields.
 * Both readers of Perfetto's traces end here, so that they give the same events.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/perfetto.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "json/decimal.h"
#include "model/fields.h"
#include "readers/span_pairs.h"

/* The categories of rocprofv3 (projects/rocprofiler-sdk, generatePerfetto.cpp), and of other
 * writers that TraceLens's reports know. */
static const struct { const char *category; uint8_t kind; } kinds[] = {
	{ "kernel_dispatch", TL_KIND_KERNEL },
	{ "memory_copy", TL_KIND_MEMCPY },
	{ "hip_api", TL_KIND_RUNTIME },
	{ "hsa_api", TL_KIND_DRIVER },
	{ "marker_api", TL_KIND_ANNOTATION },
	{ "rccl_api", TL_KIND_OTHER },
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

enum { MORE_FIELDS = 5 };
struct model {
	struct tl_sink base;
	struct tl_sink *next;
	struct tl_tables tables;
	struct tl_translation translation;
	struct shape *shapes; size_t n_shapes, cap_shapes; /* by layout of the source */
	struct tl_by_id agents;    /* string id -> number of its device, + 1 */
	struct tl_strtab devices;  /* agents without a number in their name */
	struct tl_buf first_pid, text;
	struct tl_read_report *report;
	struct tl_span_pairs *pairs; /* NULL: slices come as one event each */
	uint64_t uid;              /* of the event at hand */
	struct known { uint32_t pid, track; int64_t number; } tracks[64];
	struct tl_field fields[TL_MAX_FIELDS + MORE_FIELDS];
	int64_t values[TL_MAX_FIELDS + MORE_FIELDS];
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
	memset(m->tracks, 0, sizeof m->tracks);
	m->n_shapes = 0;
	if (m->pairs)
		tl_span_pairs_forget(m->pairs);
}

/* ---- layouts ------------------------------------------------------------------------------ */

static uint8_t kind_of(const struct tl_strtab *strings, const struct tl_layout *l)
{
	if (l->kind == TL_KIND_META || l->kind == TL_KIND_COUNTER)
		return l->kind;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (tl_text_is(tl_str(strings, l->cat), tl_str_len(strings, l->cat), kinds[i].category))
			return kinds[i].kind;
	return l->kind;
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

/* The track of a thread or stream of a process. */
static uint32_t track_of(struct model *m, uint32_t pid, int64_t number)
{
	struct known *k = &m->tracks[tl_hash_u64((uint64_t)number ^ (uint64_t)pid << 32) % (sizeof m->tracks / sizeof *m->tracks)];

	if (!k->track || k->pid != pid || k->number != number) {
		uint32_t tid = tl_add_number(&m->tables, number);
		*k = (struct known){ pid, tl_add_track(&m->tables, pid, tid), number };
	}
	return k->track;
}

/* Slices that are on no thread's track have the process as their thread; the arguments say
 * which thread or stream it was. */
static uint32_t set_track(struct model *m, const struct shape *s, const int64_t *v, uint32_t source)
{
	uint32_t track = tl_translate_track(&m->translation, source);
	int place = s->place[THREAD];

	if (s->ph != 'b' && s->ph != 'n')
		return track;
	if (tl_kind_is_gpu(s->kind))
		place = s->place[STREAM] >= 0 ? s->place[STREAM] : s->place[QUEUE];
	return place < 0 ? track : track_of(m, tl_track_of(&m->tables, track).pid, v[place]);
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

static bool other_process(struct model *m, const struct shape *s, uint32_t track)
{
	if (s->place[CORRELATION] < 0)
		return false;
	uint32_t pid = tl_track_of(&m->tables, track).pid;
	const char *text = tl_str(&m->tables.strings, pid);
	if (!m->first_pid.len)
		tl_buf_adds(&m->first_pid, pid ? text : "none");
	return strcmp(m->first_pid.data, pid ? text : "none") != 0;
}

/* The values of an event at hand; what they are of only if its layout is not known yet. */
struct fields { struct model *m; uint32_t n; bool known; };

static void add(struct fields *f, const char *key, enum tl_field_type type, int64_t value)
{
	struct model *m = f->m;

	if (!f->known)
		m->fields[f->n] = (struct tl_field){ .key = tl_add_text(&m->tables, key), .type = (uint8_t)type };
	m->values[f->n++] = value;
}

/* The fields that the source has. */
static void take_fields(struct fields *f, const struct tl_layout *from, const int64_t *values)
{
	struct model *m = f->m;

	for (uint32_t i = 0; i < from->n_fields; i++) {
		const struct tl_field *field = &from->fields[i];
		m->values[i] = field->type == TL_FIELD_INT ? values[i] : tl_translate_string(&m->translation, (uint32_t)values[i]);
		if (f->known)
			continue;
		m->fields[i] = *field;
		m->fields[i].key = tl_translate_string(&m->translation, field->key);
	}
	f->n = from->n_fields;
}

/* Ids of a process mean nothing in another one, whose get its pid. */
static void add_correlation(struct fields *f, uint32_t track, int64_t id, bool other)
{
	struct model *m = f->m;

	if (!other) {
		add(f, TL_KEY_CORRELATION, TL_FIELD_INT, id);
		return;
	}
	tl_buf_clear(&m->text);
	tl_buf_addf(&m->text, "%s:%lld", tl_str(&m->tables.strings, tl_track_of(&m->tables, track).pid), (long long)id);
	add(f, TL_KEY_CORRELATION, TL_FIELD_STRING, tl_add_string(&m->tables, m->text.data, m->text.len));
}

static void add_fields(struct fields *f, const struct shape *s, const struct tl_event *e, uint32_t track, bool other)
{
	const int64_t *v = e->values;

	if (s->place[CORRELATION] >= 0)
		add_correlation(f, track, v[s->place[CORRELATION]], other);
	if (s->place[STREAM] >= 0)
		add(f, TL_KEY_STREAM, TL_FIELD_INT, v[s->place[STREAM]]);
	if (!tl_kind_is_gpu(s->kind))
		return;
	enum arg device = device_arg(f->m, s, e->name);
	if (s->place[device] >= 0)
		add(f, TL_KEY_DEVICE, TL_FIELD_INT,
		    s->is_text[device] ? device_of_text(f->m, (uint32_t)v[s->place[device]]) : v[s->place[device]]);
	if (s->place[THREAD] >= 0)
		add(f, TL_KEY_THREAD, TL_FIELD_INT, v[s->place[THREAD]]);
	if (s->place[BYTES] >= 0)
		add(f, TL_KEY_BYTES, TL_FIELD_INT, v[s->place[BYTES]]);
}

/* The layout of the fields, which every event of the shape and variant has. */
static uint32_t add_layout(struct model *m, const struct shape *s, const struct tl_layout *from, uint32_t n, unsigned variant)
{
	struct tl_layout l = { .cat = tl_translate_string(&m->translation, from->cat), .kind = s->kind, .ph = s->ph,
	                       .flags = from->flags, .n_fields = n, .fields = m->fields };

	if (variant & TIMED)
		l.flags = (uint8_t)((from->flags & ~(TL_INT_TS | TL_INT_DUR)) | TL_HAS_TS | TL_HAS_DUR);
	return tl_add_layout(&m->tables, &l);
}

static enum tl_status send(struct model *m, const struct tl_event *e, struct tl_error *err)
{
	enum tl_status st = m->next->ops->event(m->next, e, err);

	if (tl_source_reset(&m->tables, m->next))
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
	uint32_t pid = tl_track_of(&m->tables, tl_translate_track(&m->translation, e->track)).pid;

	tl_buf_clear(&m->text);
	tl_buf_adds(&m->text, tl_str(strings, l->cat));
	for (uint32_t i = 0; i < l->n_fields; i++) {
		const struct tl_field *f = &l->fields[i];
		if (!f->top || strncmp(tl_str(strings, f->key), "id", 2) != 0)
			continue;
		if (f->type == TL_FIELD_INT)
			tl_buf_addf(&m->text, " %lld", (long long)e->values[i]);
		else
			tl_buf_addf(&m->text, " %s", tl_str(strings, (uint32_t)e->values[i]));
	}
	return tl_add_track(&m->tables, pid, tl_add_string(&m->tables, m->text.data, m->text.len));
}

static void begin_pair(struct model *m, const struct tl_event *source, const struct tl_event *e)
{
	if (!tl_span_pairs_begin(m->pairs, e, place_of(m, source), 'b'))
		note(m, "dropped: begin (ph b) while a million others have no end");
}

/* The end of a slice whose arguments say when it ends has no begin that waits. */
static enum tl_status end_pair(struct model *m, const struct tl_event *source, struct tl_error *err)
{
	struct tl_event e = *source;

	if (!tl_span_pairs_end(m->pairs, &e, place_of(m, source)))
		return TL_OK;
	if (e.dur >= 0)
		return send(m, &e, err);
	note(m, "dropped: end (ph e) before its begin");
	return TL_OK;
}

/* ---- an event ---------------------------------------------------------------------------------------- */

static enum tl_status push(struct model *m, const struct tl_event *e, struct tl_error *err)
{
	const struct tl_layout *from = tl_layout_of(m->translation.from, e->layout);
	struct shape *s = shape_of(m, e->layout);
	struct tl_event out = *e;
	bool tells = s->place[BEGIN] >= 0 && (s->place[DELTA] >= 0 || s->place[END] >= 0);
	unsigned variant = tells && take_times(s, e->values, &out) ? TIMED : 0;

	if (tells && !variant)
		note(m, "begin_ns, end_ns and delta_ns make no span, not used");

	out.track = set_track(m, s, e->values, e->track);
	out.name = tl_translate_string(&m->translation, e->name);
	bool other = other_process(m, s, out.track);
	variant |= other ? OTHER_PROCESS : 0;
	struct fields f = { m, 0, s->layouts[variant] != 0 };
	take_fields(&f, from, e->values);
	add_fields(&f, s, e, out.track, other);
	if (!f.known)
		s->layouts[variant] = add_layout(m, s, from, f.n, variant);
	out.layout = s->layouts[variant];
	out.values = m->values;
	if (!m->pairs || from->ph != 'b' || variant & TIMED || !(from->flags & TL_HAS_TS))
		return send(m, &out, err);
	begin_pair(m, e, &out);
	return TL_OK;
}

/* ---- the sink --------------------------------------------------------------------------------------- */

static enum tl_status begin(struct tl_sink *sink, const struct tl_header *h, const struct tl_tables *tables, struct tl_error *err)
{
	struct model *m = self(sink);
	struct tl_header out = *h;

	out.source = "perfetto";
	m->translation = (struct tl_translation){ .from = tables, .to = &m->tables };
	return m->next->ops->begin(m->next, &out, &m->tables, err);
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
	return push(m, e, err);
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
	m->pairs = pairs ? tl_span_pairs_new(&m->tables) : NULL;
	return &m->base;
}

void tl_pf_model_free(struct tl_sink *sink)
{
	struct model *m = self(sink);

	for (uint64_t i = 1; m->pairs && i <= tl_span_pairs_open(m->pairs); i++)
		tl_read_note(m->report, "dropped: begin (ph b) without its end", m->uid + i, -1);
	tl_tables_release(&m->tables);
	tl_translation_release(&m->translation);
	tl_span_pairs_free(m->pairs);
	tl_by_id_release(&m->agents);
	tl_strtab_release(&m->devices);
	tl_buf_release(&m->first_pid);
	tl_buf_release(&m->text);
	free(m->shapes);
	free(m);
}
