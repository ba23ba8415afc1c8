/* xplane_event.c - the lines of a plane: streams and threads with their events.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/xplane.h"

#include <stdlib.h>
#include <string.h>

#include "base/merge_sort.h"
#include "base/number.h"
#include "base/text.h"

#define MAX_TICKS ((int64_t)1 << 62)

/* A line of the plane at hand. */
struct line {
	int64_t timestamp;      /* ns */
	struct tl_xp_text name; /* to show */
	struct tl_xp_text tid;  /* of its track */
	struct tl_made_id track; /* in the maker's tables */
	bool is_stream;         /* of a GPU or TPU */
	int64_t stream;         /* its number */
	bool is_counters;
	bool has_events;
};

/* An event of it, an XEvent. */
struct event {
	const uint8_t *at;
	struct tl_xp_name *name; /* NULL: the plane does not say */
	int64_t offset, duration; /* ps */
	bool is_around;          /* others lie in it */
	bool is_sum;             /* of several that the profiler added up, at no time */
	unsigned roles;          /* bits 1 << enum tl_xp_role: which facts it has */
	struct tl_xp_text details; /* of a kernel, a copy or a set */
	size_t numbers;          /* its own facts that are numbers; the last one: */
	enum tl_field_type number_type; int64_t number;
};

/* ---- fields --------------------------------------------------------------------------------- */

/* A field that the event has already is replaced, or kept. */
static void add_field(struct tl_xp_reader *r, const struct event *e, uint32_t key, enum tl_field_type type, int64_t value, bool replace)
{
	struct tl_maker *m = &r->make;
	uint32_t i = 0;

	while (i < m->layout.n_fields && m->fields[i].key != key)
		i++;
	if (i < m->layout.n_fields && !replace)
		return;
	if (i == TL_XP_MAX_STATS) {
		tl_xp_note(r, e->at, "facts of an event behind the 256th, left out");
		return;
	}
	m->layout.n_fields += i == m->layout.n_fields;
	m->fields[i] = (struct tl_field){ .key = key, .type = (uint8_t)type };
	m->values[i] = value;
}

static void add_known(struct tl_xp_reader *r, const struct event *e, const char *key, enum tl_field_type type, int64_t value)
{
	add_field(r, e, tl_make_constant(&r->make, key), type, value, true);
}

/* A number that is no integer of 64 bits, as JSON. */
static uint32_t number_text(struct tl_xp_reader *r, const struct tl_xp_stat *s)
{
	tl_buf_clear(&r->make.text);
	tl_xp_add_value(r, &r->make.text, s);
	return tl_add_string(&r->make.tables, r->make.text.data, r->make.text.len);
}

static void add_number(struct tl_xp_reader *r, struct event *e, uint32_t key, enum tl_field_type type, int64_t value, bool own)
{
	add_field(r, e, key, type, value, own);
	if (!own)
		return;
	e->numbers++;
	e->number_type = type;
	e->number = value;
}

static void add_fact(struct tl_xp_reader *r, struct event *e, struct tl_xp_stat *s, bool replace)
{
	struct tl_xp_text inline_text, *text = s->ref ? &s->ref->text : NULL;
	uint32_t key = tl_xp_string(r, &s->name->other);
	uint64_t v = s->value.value;

	switch (s->value.number) {
	case 3:
	case 4:
		if (s->value.number == 4 || v <= INT64_MAX) {
			add_number(r, e, key, TL_FIELD_INT, (int64_t)v, replace);
			break;
		}
		/* fall through */
	case 2:
		add_number(r, e, key, TL_FIELD_JSON, number_text(r, s), replace);
		break;
	case 5:
		inline_text = tl_xp_text(r, &s->value);
		text = &inline_text;
		/* fall through */
	case 7:
		if (!text) {
			tl_xp_note(r, e->at, "facts whose value is a text that is missing, left out");
			return;
		}
		add_field(r, e, key, TL_FIELD_STRING, tl_xp_string(r, text), replace);
		if (s->name->role >= TL_XP_KERNEL && s->name->role <= TL_XP_SET && text->len)
			e->details = *text;
		break;
	default: /* bytes */
		return;
	}
	bool empty = s->name->role == TL_XP_KERNEL && text && !text->len;
	e->roles |= empty ? 0 : 1u << s->name->role;
}

/* The facts among the fields of a message, which have that number. False: damage, which the
 * status tells. */
static bool add_facts(struct tl_xp_reader *r, struct event *e, struct tl_bytes m, uint32_t number, bool replace)
{
	struct tl_xp_stat s;
	struct tl_pb_field f;

	while (tl_pb_next(&m, &f)) {
		if (f.number != number)
			continue;
		if (!tl_xp_read_stat(r, tl_pb_message(&f), &s))
			return tl_xp_damaged(r, f.data, "a fact about an event is damaged");
		if (s.name)
			add_fact(r, e, &s, replace);
		else
			tl_xp_note(r, e->at, "facts whose name is missing, left out");
	}
	return true;
}

/* ---- what the facts say -------------------------------------------------------------------- */

/* The value of a word KEY:VALUE among others; *len its length. NULL: no such word. */
static const char *detail(const struct tl_xp_text *t, const char *key, size_t *len)
{
	const char *p = t->len ? t->s : "", *end = p + t->len;
	size_t n = strlen(key);

	while (p < end) {
		const char *blank = memchr(p, ' ', (size_t)(end - p)), *word = p;
		const char *stop = blank ? blank : end;
		p = blank ? blank + 1 : end;
		if ((size_t)(stop - word) > n && !memcmp(word, key, n) && word[n] == ':') {
			*len = (size_t)(stop - word) - n - 1;
			return word + n + 1;
		}
	}
	return NULL;
}

/* A size X,Y,Z as a list. */
static void add_size(struct tl_xp_reader *r, const struct event *e, const char *key, const char *word)
{
	size_t len, commas = 0;
	const char *s = detail(&e->details, word, &len);

	for (size_t i = 0; s && i < len; i++) {
		bool lone = i + 1 == len || !tl_is_digit(s[i + 1]) || !i;
		commas += s[i] == ',';
		if (!tl_is_digit(s[i]) && (s[i] != ',' || lone))
			return;
	}
	if (!s || commas != 2)
		return;
	tl_buf_clear(&r->make.text);
	tl_buf_addf(&r->make.text, "[%.*s]", (int)len, s);
	add_known(r, e, key, TL_FIELD_JSON, tl_add_string(&r->make.tables, r->make.text.data, r->make.text.len));
}

static void add_bytes(struct tl_xp_reader *r, const struct event *e)
{
	size_t len;
	const char *s = detail(&e->details, "size", &len);
	int64_t n = 0;

	if (!s)
		s = detail(&e->details, "num_bytes", &len);
	if (!s || !len || len > 18)
		return;
	for (size_t i = 0; i < len; i++, n *= i < len ? 10 : 1) {
		if (!tl_is_digit(s[i]))
			return;
		n += s[i] - '0';
	}
	add_known(r, e, TL_KEY_BYTES, TL_FIELD_INT, n);
}

static bool begins(const struct tl_xp_text *t, const char *lower)
{
	size_t n = strlen(lower);

	if (t->len < n)
		return false;
	for (size_t i = 0; i < n; i++)
		if ((t->s[i] | 0x20) != lower[i])
			return false;
	return true;
}

/* The facts say it; else the name does. */
static uint8_t stream_kind(const struct event *e)
{
	static const struct tl_xp_text none = { .s = "" };
	const struct tl_xp_text *name = e->name ? &e->name->text : &none;

	if (e->roles & 1u << TL_XP_KERNEL)
		return TL_KIND_KERNEL;
	if (e->roles & 1u << TL_XP_SET || begins(name, "memset"))
		return TL_KIND_MEMSET;
	if (e->roles & 1u << TL_XP_COPY || begins(name, "memcpy") || begins(name, "copy"))
		return TL_KIND_MEMCPY;
	return TL_KIND_KERNEL;
}

static uint8_t host_kind(const struct event *e)
{
	uint8_t kind = e->name ? e->name->kind : TL_KIND_CPU_OP;

	if (kind != TL_KIND_CPU_OP)
		return kind;
	if (e->roles & 1u << TL_XP_CORRELATION)
		return TL_KIND_RUNTIME;
	if (e->roles & 1u << TL_XP_STEP)
		return TL_KIND_ANNOTATION;
	return e->duration ? TL_KIND_CPU_OP : TL_KIND_INSTANT;
}

static uint8_t kind_of(const struct tl_xp_reader *r, const struct line *l, const struct event *e)
{
	if (l->is_counters)
		return TL_KIND_COUNTER;
	switch (r->plane.kind) {
	case TL_XP_GPU: return l->is_stream ? stream_kind(e) : TL_KIND_GPU_ANNOTATION;
	case TL_XP_TPU: return l->is_stream && !e->is_around ? TL_KIND_KERNEL : TL_KIND_GPU_ANNOTATION;
	case TL_XP_HOST: return host_kind(e);
	case TL_XP_DEVICE: return TL_KIND_GPU_ANNOTATION;
	default: return TL_KIND_OTHER;
	}
}

static void add_device_fields(struct tl_xp_reader *r, const struct line *l, const struct event *e)
{
	add_known(r, e, TL_KEY_DEVICE, TL_FIELD_INT, r->plane.device);
	if (!l->is_stream)
		return;
	add_known(r, e, TL_KEY_STREAM, TL_FIELD_INT, l->stream);
	if (r->plane.kind == TL_XP_TPU) {
		if (e->name && r->make.layout.kind == TL_KIND_KERNEL)
			add_field(r, e, tl_make_constant(&r->make, "hlo_op"), TL_FIELD_STRING, tl_xp_string(r, &e->name->text), false);
		return;
	}
	if (r->make.layout.kind != TL_KIND_KERNEL) {
		add_bytes(r, e);
		return;
	}
	add_size(r, e, TL_KEY_GRID, "grid"); /* in blocks */
	add_size(r, e, TL_KEY_BLOCK, "block");
}

/* ---- time ------------------------------------------------------------------------------------- */

/* The line's time and the event's, as far as they make sense. */
static void set_time(struct tl_xp_reader *r, const struct line *l, const struct event *e)
{
	int64_t ts, end;
	bool bad = __builtin_sub_overflow(l->timestamp, r->base, &ts) || __builtin_mul_overflow(ts, 1000, &ts) ||
	           __builtin_add_overflow(ts, e->offset, &ts) || ts > MAX_TICKS || ts < -MAX_TICKS;

	if (e->is_sum) {
		tl_xp_note(r, e->at, "sums of several events, without a time");
		return;
	}
	if (bad) {
		tl_xp_note(r, e->at, "without a time: it is out of range");
		return;
	}
	tl_make_start(&r->make, ts);
	if (e->duration < 0 || __builtin_add_overflow(ts, e->duration, &end) || end > MAX_TICKS) {
		tl_xp_note(r, e->at, "without a duration: it is negative or out of range");
		return;
	}
	if (r->make.layout.kind == TL_KIND_COUNTER || (!e->duration && !l->is_stream))
		return;
	tl_make_span(&r->make, ts, e->duration);
}

/* ---- events -------------------------------------------------------------------------------------- */

/* An event that names the process, or a thread of it if there is a line. */
static bool push_name(struct tl_xp_reader *r, struct line *l)
{
	struct tl_xp_text *name = l ? &l->name : &r->plane.name;
	uint32_t pid = tl_add_number(&r->make.tables, r->plane.pid);

	r->status = tl_push_name(&r->make, r->uid++, l ? "thread_name" : "process_name", pid, l ? tl_xp_string(r, &l->tid) : 0,
	                         name->s ? name->s : "", name->len, &r->error);
	return !r->status;
}

/* XEvent: 1 name, 2 offset, 3 duration, 4 facts, 5 of how many events it is the sum. False:
 * damaged. */
static bool read_event(struct tl_xp_reader *r, struct tl_bytes m, struct event *e)
{
	struct tl_pb_field f;
	int64_t number = 0;

	while (tl_pb_next(&m, &f)) {
		if (f.wire != TL_PB_VARINT)
			continue;
		switch (f.number) {
		case 1: number = (int64_t)f.value; break;
		case 2: e->offset = (int64_t)f.value; break;
		case 3: e->duration = (int64_t)f.value; break;
		case 5: e->is_sum = true; break;
		default: break;
		}
	}
	e->name = tl_xp_name(&r->plane.events, number);
	return !m.bad;
}

static bool push_event(struct tl_xp_reader *r, struct line *l, struct tl_bytes m, bool is_around)
{
	struct event e = { .at = m.p, .is_around = is_around };

	tl_make_event(&r->make, r->uid, TL_KIND_OTHER, 'X');
	if (!read_event(r, m, &e))
		return tl_xp_damaged(r, e.at, "an event is damaged");
	if (!e.name)
		tl_xp_note(r, e.at, "events whose name is missing, named by the empty text");
	if (!add_facts(r, &e, m, 4, true) || (e.name && e.name->has_stats && !add_facts(r, &e, e.name->message, 5, false)))
		return false;
	uint8_t kind = r->make.layout.kind = kind_of(r, l, &e);
	r->make.layout.ph = kind == TL_KIND_COUNTER ? 'C' : kind == TL_KIND_INSTANT ? 'i' : 'X';
	if (r->plane.kind >= TL_XP_GPU && r->plane.kind <= TL_XP_DEVICE)
		add_device_fields(r, l, &e);
	if (kind == TL_KIND_COUNTER && e.numbers == 1) /* the fact is called as the event is, or as the metric behind it */
		add_known(r, &e, TL_KEY_VALUE, e.number_type, e.number);
	if (e.name && e.name->other.len)
		add_known(r, &e, "long_name", TL_FIELD_STRING, tl_xp_string(r, &e.name->other));
	set_time(r, l, &e);
	r->make.event.name = e.name ? tl_xp_string(r, &e.name->text) : tl_add_string(&r->make.tables, "", 0);
	if (l->track.epoch != r->make.epoch) {
		uint32_t pid = tl_add_number(&r->make.tables, r->plane.pid);
		l->track = (struct tl_made_id){ tl_add_track(&r->make.tables, pid, tl_xp_string(r, &l->tid)), r->make.epoch };
	}
	r->make.event.track = l->track.id;
	r->status = tl_push_made(&r->make, &r->error);
	r->uid++;
	r->plane.n_events++;
	return !r->status;
}

/* ---- operations of a TPU in others ------------------------------------------------------------------ */

struct op { int64_t start, end; size_t number; };

TL_ORDER(by_start, struct op, TL_ASC(x->start) TL_DESC(x->end))

/* A while, a call or a conditional of XLA lies around the operations that it runs: of these alone the device's time
 * consists. So it is no operation of its own; nor is one that lasts no time. */
static bool *find_around(struct tl_xp_reader *r, struct tl_bytes line)
{
	struct op *ops = NULL;
	size_t n = 0, cap = 0, number = 0;
	struct tl_pb_field f;

	for (; tl_pb_next(&line, &f); number += f.number == 4) {
		struct event e = { 0 };
		struct op op = { .number = number };
		if (f.number != 4 || !read_event(r, tl_pb_message(&f), &e) || e.duration <= 0 ||
		    __builtin_add_overflow(e.offset, e.duration, &op.end))
			continue;
		op.start = e.offset;
		TL_PUSH(ops, n, cap, op);
	}
	bool *around = tl_calloc(number + 1, sizeof *around);
	tl_merge_sort(ops, n, sizeof *ops, by_start, NULL);
	for (size_t i = 0; i + 1 < n; i++)
		around[ops[i].number] = ops[i + 1].end <= ops[i].end;
	free(ops);
	return around;
}

/* ---- lines ----------------------------------------------------------------------------------------- */

/* The thread of a line's track: the lower 32 bits of its number, as JAX's own viewers show it.
 * If another line of the plane has them, its place in the plane follows. */
static void choose_tid(struct tl_xp_reader *r, struct line *l, int64_t number)
{
	uint32_t low = (uint32_t)number;
	bool is_new;

	tl_map_put(&r->plane.tids, low, &is_new);
	tl_buf_clear(&r->make.text);
	r->plane.n_lines++;
	if (is_new)
		tl_buf_addf(&r->make.text, "%u", (unsigned)low);
	else
		tl_buf_addf(&r->make.text, "\"%u (line %llu)\"", (unsigned)low, (unsigned long long)r->plane.n_lines);
	l->tid = (struct tl_xp_text){ tl_arena_dup(&r->plane.texts, r->make.text.data, r->make.text.len), r->make.text.len, { 0, 0 } };
}

/* The number in "Stream #7(Kernel)"; false: it is no stream. */
static bool stream_number(const struct tl_xp_text *name, int64_t *number)
{
	static const char start[] = "Stream #";
	size_t i = strlen(start);

	if (name->len < i || memcmp(name->s, start, i) != 0)
		return false;
	for (*number = 0; i < name->len && tl_is_digit(name->s[i]) && *number < 100000000000000000; i++)
		*number = *number * 10 + name->s[i] - '0';
	return true;
}

/* XLine: 1 number, 2 name, 3 time, 4 events, 10 and 11 number and name to show. False: damage,
 * which the status tells. */
static bool read_head(struct tl_xp_reader *r, struct tl_bytes m, struct line *l)
{
	const uint8_t *at = m.p;
	struct tl_xp_text shown = { 0 };
	int64_t id = 0, shown_id = 0;
	struct tl_pb_field f;

	while (tl_pb_next(&m, &f))
		switch (f.number) {
		case 1: id = (int64_t)f.value; break;
		case 2: l->name = tl_xp_text(r, &f); break;
		case 3: l->timestamp = (int64_t)f.value; break;
		case 4: l->has_events = true; break;
		case 10: shown_id = (int64_t)f.value; break;
		case 11: shown = tl_xp_text(r, &f); break;
		default: break;
		}
	if (m.bad && !tl_xp_damaged(r, at, "a line is damaged"))
		return false;
	l->is_counters = tl_text_is(l->name.s, l->name.len, "_counters_");
	l->is_stream = r->plane.kind == TL_XP_GPU && stream_number(&l->name, &l->stream);
	if (r->plane.kind == TL_XP_TPU && tl_text_is(l->name.s, l->name.len, "XLA Ops")) {
		l->is_stream = true;
		l->stream = id;
	}
	if (shown.len)
		l->name = shown;
	choose_tid(r, l, shown_id ? shown_id : id);
	return true;
}

bool tl_xp_read_line(struct tl_xp_reader *r, struct tl_bytes m)
{
	struct line l = { 0 };
	struct tl_pb_field f;

	if (!read_head(r, m, &l))
		return false;
	if (!l.has_events)
		return true;
	/* Time since 1970 in ps does not fit: such a file's times count from its first line's. */
	if (!r->base_known && (l.timestamp > MAX_TICKS / 2000 || l.timestamp < -MAX_TICKS / 2000))
		r->base = l.timestamp;
	r->base_known = true;
	if (!r->plane.named && !push_name(r, NULL))
		return false;
	r->plane.named = true;
	if (!push_name(r, &l))
		return false;
	bool good = true, *around = r->plane.kind == TL_XP_TPU && l.is_stream ? find_around(r, m) : NULL;
	r->plane.has_work |= around != NULL;
	for (size_t i = 0; good && tl_pb_next(&m, &f); i += f.number == 4)
		good = f.number != 4 || push_event(r, &l, tl_pb_message(&f), around && around[i]);
	free(around);
	return good;
}
