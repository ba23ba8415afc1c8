/* event_maker.c - what readers of traces share: notes, documents of JSON, events made of what they find; and
 * the reader of event streams.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/event_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "model/part.h"
#include "model/stream.h"

#define MEMBER_MAX ((size_t)16 << 20)

void tl_read_note(struct tl_read_report *r, const char *reason, uint64_t uid, int64_t offset)
{
	size_t i = 0;

	while (i < r->n_drops && strcmp(r->drops[i].what, reason))
		i++;
	if (i == sizeof r->drops / sizeof *r->drops)
		return;
	if (i == r->n_drops) {
		r->n_drops++;
		r->drops[i].what = reason;
		r->drops[i].first_offset = offset;
		r->drops[i].first_uid = uid;
	} else if (r->drops[i].last_uid == uid) {
		return;
	}
	r->drops[i].last_uid = uid;
	r->drops[i].count++;
}

void tl_read_note_many(struct tl_read_report *r, const char *reason, uint64_t count, uint64_t uid)
{
	size_t i = 0;

	tl_read_note(r, reason, uid, -1);
	while (i < r->n_drops && strcmp(r->drops[i].what, reason))
		i++;
	if (count && i < r->n_drops) {
		r->drops[i].count += count - 1;
		r->drops[i].last_uid = uid + count - 1;
	}
}

/* Reasons become keys of JSON, too: of what that cannot hold nothing stays. */
static void quote(char *out, size_t size, const char *before, const char *text)
{
	size_t n = (size_t)snprintf(out, size - 4, "%s", before), i = 0;

	for (; text[i] && n < size - 4; i++)
		out[n++] = text[i] == '"' || text[i] == '\\' ? '\'' : (unsigned char)text[i] < ' ' ? ' ' : text[i];
	while (text[i] && (unsigned char)out[n - 1] >= 0x80) /* no half of a character */
		n--;
	memcpy(out + n, text[i] ? "..." : "", text[i] ? 4 : 1);
}

static void take_quote(struct tl_read_report *r, const char *before, const char *text, uint64_t uid, bool note)
{
	char said[sizeof r->quoted[0]];
	size_t i = 0;

	quote(said, sizeof said, before, text);
	while (i < r->n_quoted && strcmp(r->quoted[i], said))
		i++;
	if (i == sizeof r->quoted / sizeof *r->quoted) {
		tl_read_note(r, "more that the profiler says of the recording", uid, -1);
		return;
	}
	r->n_quoted += i == r->n_quoted;
	memcpy(r->quoted[i], said, sizeof said);
	tl_read_note(r, r->quoted[i], uid, -1);
	for (size_t k = 0; note && k < r->n_drops; k++)
		r->drops[k].note |= r->drops[k].what == r->quoted[i];
}

void tl_read_quote(struct tl_read_report *r, const char *before, const char *text, uint64_t uid)
{
	take_quote(r, before, text, uid, false);
}

void tl_read_remark(struct tl_read_report *r, const char *before, const char *text, uint64_t uid)
{
	take_quote(r, before, text, uid, true);
}

/* ---- what several readers know of rocprofv3 (projects/rocprofiler-sdk, generatePerfetto.cpp) ---- */

int tl_rocprofv3_kind(const char *category, size_t len)
{
	static const struct { const char *category; uint8_t kind; } kinds[] = {
		{ "kernel_dispatch", TL_KIND_KERNEL }, { "memory_copy", TL_KIND_MEMCPY }, { "hip_api", TL_KIND_RUNTIME },
		{ "hsa_api", TL_KIND_DRIVER }, { "marker_api", TL_KIND_ANNOTATION }, { "rccl_api", TL_KIND_OTHER },
	};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (tl_text_is(category, len, kinds[i].category))
			return kinds[i].kind;
	return -1;
}

/* ---- what readers of JSON share ------------------------------------------------------ */

enum tl_match tl_match_json(const unsigned char *first, size_t len, const char *const *words, size_t *at)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t i = 0;

	if (!memcmp(first, mark, len < 3 ? len : 3))
		i = 3;
	for (; *words; words++) {
		while (i < len && tl_json_is_blank((char)first[i]))
			i++;
		for (const char *p = *words; *p; p++, i++)
			if (i >= len)
				return TL_MATCH_MORE;
			else if (first[i] != (unsigned char)*p)
				return TL_MATCH_NO;
	}
	*at = i;
	return TL_MATCH_YES;
}

bool tl_read_json_member(struct tl_json_doc *d, struct tl_buf *text, struct tl_sink *sink, struct tl_read_report *r, uint64_t uid)
{
	char *name = tl_strndup(d->name.s, d->name.len);
	size_t len = d->name.len;
	int64_t start = tl_json_doc_offset(d);

	if (tl_json_doc_value(d, text) && text->len > MEMBER_MAX)
		tl_read_note(r, "top-level member of more than 16 MB, left out", uid, start);
	else if (!d->status)
		d->status = sink->ops->meta(sink, name, len, text->data, text->len, &d->error);
	free(name);
	return !d->status;
}

bool tl_read_tolerates_end(struct tl_json_doc *d, const struct tl_read_options *o, struct tl_read_report *r, uint64_t uid)
{
	bool damaged = d->bad && uid; /* with an event before it there is a trace */

	r->lenient_helps |= uid && (d->cut_short || d->bad_input || damaged);
	if (!(d->cut_short || damaged) || !o->lenient)
		return false;
	tl_read_note(r, d->bad_input ? "the compressed data is damaged or cut short here" : d->cut_short ? "the trace is cut short here" :
	             "the text is damaged here, the rest of the file is not read", uid, d->error.offset);
	d->status = TL_OK;
	tl_json_doc_drain(d);
	return true;
}

enum tl_status tl_read_end_json(struct tl_json_doc *d, const struct tl_read_options *o, struct tl_read_report *r, struct tl_error *err)
{
	enum tl_status st = d->status;

	if (st && err)
		*err = d->error;
	r->n_bytes = (uint64_t)tl_json_doc_offset(d);
	r->lenient_helps &= st && !o->lenient;
	tl_json_doc_release(d);
	return st;
}

/* ---- our own stream ------------------------------------------------------------ */

static enum tl_match match_stream(const unsigned char *first, size_t len)
{
	/* its reader finds out whether the stream is whole and of this version */
	return len && first[0] == (unsigned char)TL_STREAM_MAGIC[0] ? TL_MATCH_YES : TL_MATCH_NO;
}

static enum tl_status read_stream(struct tl_input *in, const struct tl_read_options *o, struct tl_sink *sink,
                                  struct tl_read_report *report, struct tl_error *err)
{
	struct tl_part part;

	(void)report;
	if (!o->drop_kinds || o->drop_raw_only)
		return tl_stream_read(in, NULL, 0, sink, err);
	tl_part_init(&part, sink);
	part.drop_kinds = o->drop_kinds;
	part.refuse_linked = part.tell_count = true;
	return tl_stream_read(in, NULL, 0, &part.sink, err);
}

const struct tl_reader tl_reader_stream = { "an event stream", match_stream, read_stream };

/* ---- the maker ----------------------------------------------------------------------------- */

enum tl_status tl_maker_begin(struct tl_maker *m, struct tl_sink *sink, struct tl_read_report *report, const struct tl_header *h, struct tl_error *err)
{
	m->sink = sink;
	m->report = report;
	m->epoch = 1;
	return sink->ops->begin(sink, h, &m->tables, err);
}

void tl_maker_release(struct tl_maker *m)
{
	tl_tables_release(&m->tables);
	tl_ranges_free(m->ranges);
	tl_map_release(&m->pids);
	tl_buf_release(&m->text);
	tl_buf_release(&m->processes);
	tl_buf_release(&m->gpus);
}

void tl_make_event(struct tl_maker *m, uint64_t uid, unsigned kind, char ph)
{
	m->layout = (struct tl_layout){ .kind = (uint8_t)kind, .ph = ph, .flags = TL_HAS_NAME | TL_HAS_ARGS, .fields = m->fields };
	m->event = (struct tl_event){ .uid = uid, .values = m->values };
	m->pid = 0;
	m->has_tid = false;
}

/* ---- fields ------------------------------------------------------------------------------ */

uint32_t tl_make_constant(struct tl_maker *m, const char *s)
{
	struct tl_make_key *k = &m->keys[tl_hash_u64((uintptr_t)s) % TL_MAKE_KNOWN];

	if (k->key != s)
		*k = (struct tl_make_key){ s, tl_add_text(&m->tables, s) };
	return k->id;
}

void tl_make_field(struct tl_maker *m, const char *key, enum tl_field_type type, int64_t value)
{
	m->fields[m->layout.n_fields] = (struct tl_field){ .key = tl_make_constant(m, key), .type = (uint8_t)type };
	m->values[m->layout.n_fields++] = value;
}

void tl_make_int(struct tl_maker *m, const char *key, int64_t value)
{
	tl_make_field(m, key, TL_FIELD_INT, value);
}

void tl_make_text(struct tl_maker *m, const char *key, const char *s, size_t len)
{
	tl_make_field(m, key, TL_FIELD_STRING, tl_add_string(&m->tables, s, len));
}

void tl_make_size(struct tl_maker *m, const char *key, const int64_t size[3])
{
	uint64_t hash = tl_hash_u64((uint64_t)size[0] * 31 + (uint64_t)size[1] * 7 + (uint64_t)size[2]);
	struct tl_make_size *known = &m->sizes[hash % TL_MAKE_KNOWN];

	if (!known->id || memcmp(known->size, size, sizeof known->size)) {
		tl_buf_clear(&m->text);
		tl_buf_addf(&m->text, "[%lld,%lld,%lld]", (long long)size[0], (long long)size[1], (long long)size[2]);
		memcpy(known->size, size, sizeof known->size);
		known->id = tl_add_string(&m->tables, m->text.data, m->text.len);
	}
	tl_make_field(m, key, TL_FIELD_JSON, known->id);
}

void tl_make_work_items(struct tl_maker *m, const int64_t *items, const int64_t *block)
{
	int64_t grid[3];

	if (items)
		tl_make_size(m, TL_KEY_WORK_ITEMS, items);
	if (block)
		tl_make_size(m, TL_KEY_BLOCK, block);
	for (int i = 0; i < 3; i++) {
		if (!items || !block || items[i] <= 0 || block[i] <= 0 || items[i] % block[i])
			return;
		grid[i] = items[i] / block[i];
	}
	tl_make_size(m, TL_KEY_GRID, grid);
}

void tl_make_correlation(struct tl_maker *m, uint64_t scope, int64_t id)
{
	if (scope == 1 && id)
		tl_make_int(m, TL_KEY_CORRELATION, id);
	if (scope == 1 || !id)
		return;
	tl_buf_clear(&m->text);
	tl_buf_addf(&m->text, "%llu:%lld", (unsigned long long)scope, (long long)id);
	tl_make_text(m, TL_KEY_CORRELATION, m->text.data, m->text.len);
}

static void add_range_field(struct tl_maker *m, const struct tl_range_field *f)
{
	uint32_t i = m->layout.n_fields++;

	m->fields[i] = (struct tl_field){ .key = tl_add_string(&m->tables, f->key, f->key_len), .type = (uint8_t)f->type };
	m->values[i] = f->type == TL_FIELD_INT ? f->number : tl_add_string(&m->tables, f->text, f->len);
}

/* Of an operator the style tells that it is a range. */
static void make_operator(struct tl_maker *m, bool backward)
{
	static const char style[] = "PushPop";
	uint32_t key = tl_make_constant(m, TL_KEY_STYLE), i = 0;

	m->layout.kind = TL_KIND_CPU_OP;
	while (i < m->layout.n_fields && m->fields[i].key != key)
		i++;
	if (i == m->layout.n_fields)
		tl_make_text(m, TL_KEY_STYLE, style, sizeof style - 1);
	if (backward)
		tl_make_int(m, TL_KEY_BACKWARD, 1);
}

void tl_make_range(struct tl_maker *m, const char *text, size_t len, const char *domain, size_t domain_len, bool nests)
{
	struct tl_range r;

	if (m->keep_ranges || m->layout.kind != TL_KIND_ANNOTATION || m->layout.n_fields + TL_RANGE_FIELDS + 2 > TL_MAX_FIELDS)
		return;
	if (!m->ranges)
		m->ranges = tl_ranges_new();
	tl_range_read(m->ranges, text, len, domain, domain_len, &r);
	if ((r.class == TL_RANGE_OPERATOR || r.class == TL_RANGE_BACKWARD) && nests)
		make_operator(m, r.class == TL_RANGE_BACKWARD);
	if (r.class == TL_RANGE_MARK) {
		m->layout.kind = TL_KIND_INSTANT;
		m->layout.ph = 'i';
		m->layout.flags &= (uint8_t)~(TL_HAS_DUR | TL_INT_DUR);
		m->event.dur = 0;
	}
	tl_make_name(m, r.name, r.len);
	for (size_t i = 0; i < r.n; i++)
		add_range_field(m, &r.fields[i]);
	if (r.cut)
		tl_read_note(m->report, "texts of ranges that the profiler cut: what is left of their last field is left out", m->event.uid, -1);
	if (r.left_out)
		tl_read_note(m->report, "texts of ranges with more fields than are read: the last ones are left out", m->event.uid, -1);
}

/* ---- the event --------------------------------------------------------------------------- */

/* The id of the event's layout, which mostly is that of the event before. */
static uint32_t layout_id(struct tl_maker *m)
{
	const struct tl_layout *l = &m->layout, *last = &m->last;

	if (m->last_id && l->cat == last->cat && l->kind == last->kind && l->ph == last->ph && l->flags == last->flags &&
	    l->n_fields == last->n_fields && !memcmp(l->fields, last->fields, l->n_fields * sizeof *l->fields))
		return m->last_id;
	m->last_id = tl_add_layout(&m->tables, l);
	m->last = *tl_layout_of(&m->tables, m->last_id);
	return m->last_id;
}

static uint32_t track_id(struct tl_maker *m)
{
	struct tl_make_track *t = &m->tracks[tl_hash_u64((uint64_t)m->tid ^ (uint64_t)m->pid << 32) % TL_MAKE_KNOWN];

	if (!m->has_tid)
		return tl_add_track(&m->tables, m->pid, 0);
	if (!t->id || t->pid != m->pid || t->tid != m->tid)
		*t = (struct tl_make_track){ m->tid, m->pid, tl_add_track(&m->tables, m->pid, tl_add_number(&m->tables, m->tid)) };
	return t->id;
}

void tl_make_place(struct tl_maker *m)
{
	if (!m->event.track)
		m->event.track = track_id(m);
}

void tl_maker_rest(struct tl_maker *m)
{
	if (!tl_source_reset(&m->tables, m->sink))
		return;
	m->epoch++;
	m->last_id = 0;
	memset(m->keys, 0, sizeof m->keys);
	memset(m->sizes, 0, sizeof m->sizes);
	memset(m->tracks, 0, sizeof m->tracks);
}

enum tl_status tl_push_made(struct tl_maker *m, struct tl_error *err)
{
	if (!m->event.layout)
		m->event.layout = layout_id(m);
	tl_make_place(m);
	m->report->n_events = m->event.uid + 1;
	enum tl_status st = m->sink->ops->event(m->sink, &m->event, err);
	tl_maker_rest(m);
	return st;
}

enum tl_status tl_push_name(struct tl_maker *m, uint64_t uid, const char *what, uint32_t pid, uint32_t tid,
                            const char *name, size_t len, struct tl_error *err)
{
	tl_make_event(m, uid, TL_KIND_META, 'M');
	m->event.name = tl_make_constant(m, what);
	m->event.track = tl_add_track(&m->tables, pid, tid);
	tl_make_text(m, TL_KEY_META_NAME, name, len);
	return tl_push_made(m, err);
}

/* ---- about the trace ----------------------------------------------------------------------- */

void tl_process_place(struct tl_maker *m, struct tl_process *p)
{
	bool is_new;

	tl_map_put(&m->pids, (uint64_t)p->pid, &is_new);
	if (is_new)
		tl_buf_addf(&p->track, "%lld", (long long)p->pid);
	else
		tl_buf_addf(&p->track, "\"%lld (process %llu)\"", (long long)p->pid, (unsigned long long)p->number);
}

static void add_number(struct tl_buf *b, const char *key, bool given, int64_t value)
{
	if (given)
		tl_buf_addf(b, ",\"%s\":%lld", key, (long long)value);
}

static void add_json(struct tl_buf *b, const char *key, const struct tl_buf *json)
{
	if (json->len)
		tl_buf_addf(b, ",\"%s\":%s", key, json->data);
}

void tl_process_describe(struct tl_maker *m, const struct tl_process *p)
{
	struct tl_buf *b = &m->processes;

	tl_buf_addf(b, "%c{\"track\":%s", b->len ? ',' : '[', p->track.data);
	add_number(b, "pid", p->has_pid, p->pid);
	add_json(b, "hostname", &p->hostname);
	add_json(b, "command", &p->command);
	add_number(b, "init_time", p->has_init, p->init);
	add_number(b, "fini_time", p->has_fini, p->fini);
	tl_buf_addc(b, '}');
}

void tl_process_release(struct tl_process *p)
{
	tl_buf_release(&p->hostname);
	tl_buf_release(&p->command);
	tl_buf_release(&p->track);
}

void tl_gpu_describe(struct tl_buf *list, int64_t number, const char *name, bool has_units, int64_t units)
{
	tl_buf_addf(list, "%c{\"id\":%lld,\"name\":%s", list->len ? ',' : '[', (long long)number, name);
	add_number(list, "numSms", has_units, units);
	tl_buf_addc(list, '}');
}

static enum tl_status push_list(struct tl_maker *m, const char *key, struct tl_buf *list, struct tl_error *err)
{
	if (!list->len)
		return TL_OK;
	tl_buf_addc(list, ']');
	return m->sink->ops->meta(m->sink, key, strlen(key), list->data, list->len, err);
}

enum tl_status tl_push_members(struct tl_maker *m, struct tl_error *err)
{
	enum tl_status st = push_list(m, TL_META_PROCESSES, &m->processes, err);

	return st ? st : push_list(m, "deviceProperties", &m->gpus, err); /* as PyTorch names it */
}
