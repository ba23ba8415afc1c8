/* perfetto_slice.c - a TrackEvent of a Perfetto trace to a slice: its name, category and arguments ("debug
 * annotations"), by what its sequence of packets has said before: names by number, clocks.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/check.h"
#include "base/json_writer.h"
#include "base/scan.h"
#include "readers/perfetto.h"

#include <stdlib.h>
#include <string.h>


enum { MAX_SEQUENCES = 65536, SMALL_NUMBERS = 4096 };

/* ---- sequences ------------------------------------------------------------------------- */

struct tl_pf_sequence *tl_pf_sequence(struct tl_pf_reader *r, uint32_t id)
{
	uint32_t *index = tl_map_put(&r->sequence_of, id, NULL);

	if (!*index) {
		if (r->n_sequences == MAX_SEQUENCES) {
			tl_pf_damaged(r, "more than 65536 sequences of packets");
			return NULL;
		}
		TL_GROW(r->sequences, r->cap_sequences, r->n_sequences + 1);
		r->sequences[r->n_sequences] = tl_calloc(1, sizeof **r->sequences);
		*index = (uint32_t)++r->n_sequences;
	}
	return r->sequences[*index - 1];
}

static void forget_names(struct tl_pf_sequence *s)
{
	for (int i = 0; i < TL_PF_INTERNED; i++) {
		tl_by_id_release(&s->numbers[i].small);
		tl_map_release(&s->numbers[i].large);
	}
	s->n_names = 0;
}

void tl_pf_clear(struct tl_pf_sequence *s)
{
	forget_names(s);
	tl_arena_clear(&s->arena);
	memset(s->clocks, 0, sizeof s->clocks);
	s->clock = 0;
	s->track = 0;
	s->has_state = true;
}

static void free_sequence(struct tl_pf_sequence *s)
{
	forget_names(s);
	free(s->names);
	tl_arena_release(&s->arena);
	free(s);
}

void tl_pf_release_sequences(struct tl_pf_reader *r)
{
	for (size_t i = 0; i < r->n_sequences; i++)
		free_sequence(r->sequences[i]);
	if (r->old)
		free_sequence(r->old);
	free(r->sequences);
	tl_map_release(&r->sequence_of);
	tl_map_release(&r->queues);
}

/* ---- names -------------------------------------------------------------------------------- */

/* The role that the name of an argument has. */
static uint8_t role_of(const char *s, size_t len)
{
	if (len == 8 && !memcmp(s, "begin_ns", 8))
		return TL_PF_BEGIN;
	if (len == 6 && !memcmp(s, "end_ns", 6))
		return TL_PF_END;
	return len == 8 && !memcmp(s, "delta_ns", 8) ? TL_PF_DELTA : TL_PF_NO_ROLE;
}

void tl_pf_name(struct tl_pf_sequence *s, enum tl_pf_interned kind, uint64_t number, struct tl_pf_text text, int64_t about)
{
	struct tl_pf_numbers *numbers = &s->numbers[kind];
	uint32_t *index = number < SMALL_NUMBERS ? tl_by_id(&numbers->small, (uint32_t)number) : tl_map_put(&numbers->large, number, NULL);
	if (!*index) {
		TL_GROW(s->names, s->cap_names, s->n_names + 1);
		s->names[s->n_names] = tl_arena_alloc(&s->arena, sizeof **s->names);
		*index = (uint32_t)++s->n_names;
	} else if (s->names[*index - 1]->len == text.len && s->names[*index - 1]->number == about &&
	           !memcmp(s->names[*index - 1]->s, text.s, text.len)) {
		return;
	}
	*s->names[*index - 1] = (struct tl_pf_name){
		.s = tl_arena_dup(&s->arena, text.s, text.len), .len = (uint32_t)text.len, .role = role_of(text.s, text.len),
		.number = about,
	};
}

/* An entry: field 1 is the number, 2 the text, or the process of a graphics context; 3 a kernel's demangled name, 4 the
 * category of a stage; of counters 2 is what describes them, 3 their GPU. */
static bool add_name(struct tl_pf_sequence *s, enum tl_pf_interned kind, struct tl_bytes entry)
{
	static const uint8_t about_field[TL_PF_INTERNED] = { [TL_PF_CONTEXTS] = 2, [TL_PF_STAGES] = 4, [TL_PF_COUNTERS] = 3 };
	struct tl_pf_text text = { "", 0, NULL };
	struct tl_pb_field f;
	uint64_t number = 0;
	int64_t about = kind == TL_PF_COUNTERS ? -1 : 0;

	while (tl_pb_next(&entry, &f)) {
		if (f.number == 1 && f.wire == TL_PB_VARINT)
			number = f.value;
		else if (f.wire == TL_PB_BYTES && (f.number == 2 || (kind == TL_PF_KERNELS && f.number == 3 && f.value)))
			text = tl_pf_text(&f);
		else if (f.wire == TL_PB_VARINT && f.number == about_field[kind])
			about = (int32_t)f.value;
	}
	if (!entry.bad)
		tl_pf_name(s, kind, number, text, about);
	return !entry.bad;
}

bool tl_pf_intern(struct tl_pf_reader *r, struct tl_pf_sequence *s, struct tl_bytes data)
{
	static const uint8_t kinds[48] = { /* by field number, + 1 */
		[1] = TL_PF_CATEGORIES + 1, [2] = TL_PF_NAMES + 1, [3] = TL_PF_ARG_NAMES + 1, [29] = TL_PF_ARG_TEXTS + 1,
		[23] = TL_PF_CONTEXTS + 1, [24] = TL_PF_STAGES + 1, [47] = TL_PF_COUNTERS + 1,
	};
	struct tl_pb_field f;

	while (tl_pb_next(&data, &f)) {
		uint8_t kind = f.number < 48 ? kinds[f.number] : f.number == 1000 ? TL_PF_KERNELS + 1 : f.number == 1001 ? TL_PF_KERNEL_ARGS + 1 : 0;
		if (kind && !add_name(s, kind - 1, tl_pb_message(&f)))
			data.bad = true;
	}
	return !data.bad || tl_pf_damaged(r, "damaged interned data");
}

/* ---- clocks --------------------------------------------------------------------------------- */

static struct tl_pf_clock *clock_of(struct tl_pf_reader *r, struct tl_pf_sequence *s, uint32_t id)
{
	if (id < TL_PF_FIRST_OWN_CLOCK)
		return &r->clocks[id];
	return id < TL_PF_CLOCKS ? &s->clocks[id - TL_PF_FIRST_OWN_CLOCK] : NULL;
}

/* Wraps around, as a damaged trace may need. */
static int64_t add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* One clock of a snapshot: 1 its id, 2 its time, 3 whether stamps count from the one before, 4 ns of
 * a tick. */
static bool read_clock(struct tl_bytes data, uint32_t *id, struct tl_pf_clock *c)
{
	struct tl_pb_field f;
	uint64_t value = 0;

	*id = 0;
	*c = (struct tl_pf_clock){ .known = true, .unit = 1 };
	while (tl_pb_next(&data, &f)) {
		if (f.wire != TL_PB_VARINT)
			continue;
		if (f.number == 1)
			*id = (uint32_t)f.value;
		else if (f.number == 2)
			value = f.value;
		else if (f.number == 3)
			c->incremental = f.value;
		else if (f.number == 4 && f.value)
			c->unit = f.value;
	}
	c->last = (int64_t)(value * c->unit);
	return !data.bad;
}

bool tl_pf_snapshot(struct tl_pf_reader *r, struct tl_pf_sequence *s, struct tl_bytes data)
{
	struct tl_bytes again = data;
	struct tl_pf_clock c;
	struct tl_pb_field f;
	uint32_t id;
	int64_t boot = 0;
	bool has_boot = false;

	while (tl_pb_next(&data, &f))
		if (f.number == 1 && read_clock(tl_pb_message(&f), &id, &c) && id == TL_PF_BOOTTIME) {
			boot = c.last;
			has_boot = true;
		}
	while (tl_pb_next(&again, &f)) {
		if (f.number != 1)
			continue;
		if (!read_clock(tl_pb_message(&f), &id, &c))
			return tl_pf_damaged(r, "a damaged clock snapshot");
		struct tl_pf_clock *to = clock_of(r, s, id);
		if (!to)
			continue;
		c.offset = has_boot ? add(boot, (int64_t)(0 - (uint64_t)c.last)) : to->offset;
		*to = c;
	}
	return !again.bad || tl_pf_damaged(r, "a damaged clock snapshot");
}

int64_t tl_pf_time(struct tl_pf_reader *r, struct tl_pf_sequence *s, uint64_t stamp, uint32_t clock)
{
	struct tl_pf_clock *c = clock_of(r, s, clock ? clock : s->clock ? s->clock : TL_PF_BOOTTIME);

	if (!c || !c->known)
		return (int64_t)stamp;
	int64_t ns = (int64_t)(stamp * c->unit);
	if (c->incremental)
		ns = c->last = add(c->last, ns);
	return add(ns, c->offset);
}

/* ---- the texts of a slice ----------------------------------------------------------------- */

enum { MAX_DEPTH = 64, MAX_CATEGORIES = 16 };
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };

struct tl_pf_text tl_pf_interned(struct tl_pf_reader *r, const struct tl_pf_sequence *s, enum tl_pf_interned kind, uint64_t number)
{
	const struct tl_pf_numbers *numbers = &s->numbers[kind];
	const uint32_t *index = number < numbers->small.n ? &numbers->small.of[number] : tl_map_get(&numbers->large, number);
	struct tl_pf_name *n = index && *index ? s->names[*index - 1] : NULL;

	if (!n) {
		tl_pf_note(r, "names given by a number that stands for none, left empty");
		return (struct tl_pf_text){ "", 0, NULL };
	}
	return (struct tl_pf_text){ n->s, n->len, n };
}

/* ---- values as JSON text ------------------------------------------------------------------ */

static void add_json_string(struct tl_buf *b, struct tl_pf_text t)
{
	tl_json_quote(b, t.s, t.len);
}

static void add_json_double(struct tl_buf *b, uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof d);
	tl_json_double(b, d);
}

/* DebugAnnotation, as far as it is not a value in a list: its name, and where the value is. */
struct annotation {
	struct tl_pb_field value;       /* the last one; number 0: none */
	const struct tl_pb_field *whole;
};

static bool read_annotation(struct tl_pf_reader *r, const struct tl_pf_sequence *s, const struct tl_pb_field *whole,
                            struct tl_pf_text *key, struct annotation *a)
{
	struct tl_bytes data = tl_pb_message(whole);
	struct tl_pb_field f;

	*key = (struct tl_pf_text){ "", 0, NULL };
	a->value.number = 0;
	a->whole = whole;
	while (tl_pb_next(&data, &f))
		switch (f.number) {
		case 1: *key = tl_pf_interned(r, s, TL_PF_ARG_NAMES, f.value); break;
		case 10: *key = tl_pf_text(&f); break;
		case 2: case 3: case 4: case 5: case 6: case 7: case 9: case 11: case 12: case 17: a->value = f; break;
		default: break;
		}
	return !data.bad;
}

static bool add_json(struct tl_pf_reader *, const struct tl_pf_sequence *, const struct annotation *, struct tl_buf *, int depth);

/* The entries of a dictionary or list. */
static bool add_json_entries(struct tl_pf_reader *r, const struct tl_pf_sequence *s, const struct annotation *a,
                             struct tl_buf *b, int depth)
{
	uint32_t number = a->value.number;
	struct tl_bytes data = tl_pb_message(a->whole);
	struct tl_pb_field f;
	struct annotation entry;
	struct tl_pf_text key;
	bool first = true;

	tl_buf_addc(b, number == 11 ? '{' : '[');
	while (tl_pb_next(&data, &f)) {
		if (f.number != number)
			continue;
		if (!read_annotation(r, s, &f, &key, &entry))
			return false;
		if (!first)
			tl_buf_addc(b, ',');
		first = false;
		if (number == 11) {
			add_json_string(b, key);
			tl_buf_addc(b, ':');
		}
		if (!add_json(r, s, &entry, b, depth + 1))
			return false;
	}
	tl_buf_addc(b, number == 11 ? '}' : ']');
	return true;
}

static bool add_json(struct tl_pf_reader *r, const struct tl_pf_sequence *s, const struct annotation *a, struct tl_buf *b, int depth)
{
	const struct tl_pb_field *v = &a->value;

	switch (v->number) {
	case 2: tl_buf_adds(b, v->value ? "true" : "false"); return true;
	case 3: tl_buf_addf(b, "%llu", (unsigned long long)v->value); return true;
	case 4: tl_buf_addf(b, "%lld", (long long)v->value); return true;
	case 5: add_json_double(b, v->value); return true;
	case 6: case 9: add_json_string(b, tl_pf_text(v)); return true;
	case 7: tl_buf_addf(b, "\"0x%llx\"", (unsigned long long)v->value); return true;
	case 17: add_json_string(b, tl_pf_interned(r, s, TL_PF_ARG_TEXTS, v->value)); return true;
	case 11: case 12: return depth < MAX_DEPTH && add_json_entries(r, s, a, b, depth);
	default: tl_buf_adds(b, "null"); return true;
	}
}

/* ---- arguments ---------------------------------------------------------------------------- */

static struct tl_pf_text kept(struct tl_pf_reader *r, const struct tl_buf *b)
{
	return (struct tl_pf_text){ tl_arena_dup(&r->scratch, tl_buf_text(b), b->len), b->len, NULL };
}

struct tl_pf_text tl_pf_fraction(struct tl_pf_reader *r, uint64_t bits)
{
	tl_buf_clear(&r->text);
	add_json_double(&r->text, bits);
	return kept(r, &r->text);
}

bool tl_pf_check_json(struct tl_pf_reader *r, struct tl_pf_text *t)
{
	struct tl_json_text text = { 0 };
	size_t len = t->len;
	char *padded;

	tl_buf_clear(&r->text);
	tl_buf_reserve(&r->text, len + 1 + TL_JSON_PAD);
	padded = r->text.data;
	memcpy(padded, t->s, len);
	padded[len] = ' '; /* ends a number */
	memset(padded + len + 1, 0, TL_JSON_PAD);
	text.end = padded + len + 1;
	tl_buf_clear(&r->packed);
	const char *end = tl_json_value(&text, padded, &r->packed);
	bool ok = end && tl_json_blanks(end) == text.end;
	if (ok)
		*t = kept(r, &r->packed);
	return ok;
}

/* Sets type and value of an argument. */
static bool set_value(struct tl_pf_reader *r, const struct tl_pf_sequence *s, const struct annotation *a, struct tl_pf_arg *arg)
{
	const struct tl_pb_field *v = &a->value;

	arg->type = TL_FIELD_STRING;
	if ((v->number == 3 && v->value <= INT64_MAX) || v->number == 4) {
		arg->type = TL_FIELD_INT;
		arg->value = (int64_t)v->value;
	} else if (v->number == 9 && r->own) {
		arg->type = TL_FIELD_JSON;
		arg->text = tl_pf_text(v);
		return tl_pf_check_json(r, &arg->text);
	} else if (v->number == 6 || v->number == 9) {
		arg->text = tl_pf_text(v);
	} else if (v->number == 17) {
		arg->text = tl_pf_interned(r, s, TL_PF_ARG_TEXTS, v->value);
	} else {
		tl_buf_clear(&r->text);
		if (v->number == 7)
			tl_buf_addf(&r->text, "0x%llx", (unsigned long long)v->value);
		else {
			arg->type = TL_FIELD_JSON;
			if (!add_json(r, s, a, &r->text, 0))
				return false;
		}
		arg->text = kept(r, &r->text);
	}
	return true;
}

static bool add_arg(struct tl_pf_reader *r, const struct tl_pf_sequence *s, const struct tl_pb_field *f)
{
	struct tl_pf_slice *e = &r->slice;
	struct tl_pf_arg *arg = &e->args[e->n_args];
	struct annotation a;

	if (e->n_args == (r->own ? TL_PF_MAX_ARGS : TL_PF_FOREIGN_ARGS))
		return tl_pf_damaged(r, "more than 512 arguments of an event");
	if (!read_annotation(r, s, f, &arg->key, &a))
		return tl_pf_damaged(r, "a damaged argument of an event");
	if (!a.value.number) {
		tl_pf_note(r, "arguments of a type that is not known, left out");
		return true;
	}
	if (!set_value(r, s, &a, arg))
		return tl_pf_damaged(r, "a damaged argument of an event, or one nested more than 64 deep");
	e->n_args++;
	return true;
}

/* Whether the arguments say when the slice begins and ends. */
static bool is_timed(const struct tl_pf_slice *e)
{
	unsigned roles = 0;

	for (size_t i = 0; i < e->n_args; i++) {
		const struct tl_pf_text *k = &e->args[i].key;
		uint8_t role = k->name ? k->name->role : role_of(k->s, k->len);
		if (e->args[i].type == TL_FIELD_INT)
			roles |= 1u << role;
	}
	return roles >> TL_PF_BEGIN & 1 && (roles >> TL_PF_DELTA & 1 || roles >> TL_PF_END & 1);
}

/* ---- the event ---------------------------------------------------------------------------- */

struct categories { int n; struct tl_pf_text all[MAX_CATEGORIES]; };

static void add_category(struct categories *c, struct tl_pf_text t)
{
	if (c->n < MAX_CATEGORIES)
		c->all[c->n++] = t;
}

/* Numbers of categories, one or many in a field. */
static void add_category_numbers(struct tl_pf_reader *r, const struct tl_pf_sequence *s, const struct tl_pb_field *f, struct categories *c)
{
	struct tl_bytes packed = tl_pb_message(f);

	if (f->wire == TL_PB_VARINT)
		add_category(c, tl_pf_interned(r, s, TL_PF_CATEGORIES, f->value));
	else
		while (packed.p < packed.end)
			add_category(c, tl_pf_interned(r, s, TL_PF_CATEGORIES, tl_take_varint(&packed)));
}

static struct tl_pf_text joined(struct tl_pf_reader *r, const struct categories *c)
{
	if (c->n <= 1)
		return c->n ? c->all[0] : (struct tl_pf_text){ "", 0, NULL };
	tl_buf_clear(&r->text);
	for (int i = 0; i < c->n; i++) {
		if (i)
			tl_buf_addc(&r->text, ',');
		tl_buf_add(&r->text, c->all[i].s, c->all[i].len);
	}
	return kept(r, &r->text);
}

/* What a TrackEvent says besides what goes into the slice at once. */
struct event {
	uint64_t type;
	bool has_value, has_time;
	struct tl_pb_field value;
	struct categories categories;
};

static void tie(struct tl_pf_slice *s, enum tl_pf_tie which, uint64_t number)
{
	if (s->tied >> which & 1)
		return; /* the first one counts */
	s->tied |= (uint8_t)(1 << which);
	s->ties[which] = (int64_t)number;
}

/* GpuCorrelation: what the event submits. */
static void read_submissions(struct tl_pf_slice *s, struct tl_bytes data)
{
	struct tl_pb_field f;

	while (tl_pb_next(&data, &f)) {
		struct tl_bytes packed = tl_pb_message(&f);
		if (f.number == 1 && (f.wire == TL_PB_VARINT || (f.wire == TL_PB_BYTES && f.value)))
			tie(s, TL_PF_SUBMISSION, f.wire == TL_PB_VARINT ? f.value : tl_take_varint(&packed));
	}
}

static bool read_field(struct tl_pf_reader *r, const struct tl_pf_sequence *s, const struct tl_pb_field *f, struct event *e)
{
	struct tl_pf_slice *to = &r->slice;

	switch (f->number) {
	case 3: add_category_numbers(r, s, f, &e->categories); break;
	case 22: add_category(&e->categories, tl_pf_text(f)); break;
	case 4: return add_arg(r, s, f);
	case 9: e->type = f->value; break;
	case 10: to->name = tl_pf_interned(r, s, TL_PF_NAMES, f->value); break;
	case 23: to->name = tl_pf_text(f); break;
	case 11: to->track = f->value; break;
	case 16: /* µs; of old writers */
		if (!e->has_time)
			to->ts = (int64_t)(f->value * 1000);
		e->has_time = true;
		break;
	case 30: case 44:
		e->has_value = true;
		e->value = *f;
		break;
	case 47: case 48:
		if (f->wire == TL_PB_FIXED64)
			tie(to, f->number == 47 ? TL_PF_FLOW : TL_PF_FLOW_END, f->value);
		break;
	case 3000: read_submissions(to, tl_pb_message(f)); break;
	case 3001: to->is_call = true; break;
	default: break;
	}
	return true;
}

/* A counter's name is that of its track. */
static bool push_counter(struct tl_pf_reader *r, const struct event *e)
{
	struct tl_pf_slice *s = &r->slice;
	struct tl_pf_track *t = tl_pf_track(r, s->track);
	struct tl_pf_arg *arg = &s->args[0];

	if (!t)
		return false;
	s->what = TL_PF_COUNTER;
	s->n_args = 1;
	*arg = (struct tl_pf_arg){ .key = { "value", 5, NULL }, .type = TL_FIELD_INT, .value = (int64_t)e->value.value };
	if (e->value.number == 44) {
		arg->type = TL_FIELD_JSON;
		arg->text = tl_pf_fraction(r, e->value.value);
	} else if (t->facts.counts_up) {
		arg->value = t->sum = (int64_t)((uint64_t)t->sum + e->value.value);
	}
	if (!s->name.len)
		s->name = t->name;
	return tl_pf_push(r, s, false);
}

bool tl_pf_track_event(struct tl_pf_reader *r, struct tl_pf_sequence *s, struct tl_bytes data, bool has_time, int64_t ts)
{
	struct tl_pf_slice *to = &r->slice;
	struct event e;
	struct tl_pb_field f;

	e.type = 0;
	e.has_value = false;
	e.has_time = has_time;
	e.categories.n = 0;
	to->n_args = 0;
	to->what = TL_PF_SPAN;
	to->has_dur = to->timed = to->is_call = false;
	to->tied = 0;
	to->name = (struct tl_pf_text){ "", 0, NULL };
	to->track = s->track;
	to->ts = ts;
	to->offset = r->offset;
	if (r->scratch.total)
		tl_arena_clear(&r->scratch);
	while (tl_pb_next(&data, &f))
		if (!read_field(r, s, &f, &e))
			return false;
	if (data.bad)
		return tl_pf_damaged(r, "a damaged track event");
	to->has_ts = e.has_time;
	to->category = joined(r, &e.categories);
	switch (e.type) {
	case SLICE_BEGIN:
		to->timed = !r->own && is_timed(to);
		if (!to->has_ts && !to->timed)
			tl_pf_note(r, "slices whose packet has no time, given none");
		return tl_pf_open_slice(r, to);
	case SLICE_END:
		return tl_pf_close_slice(r, to->track, to->has_ts, to->ts);
	case INSTANT:
		to->what = TL_PF_INSTANT;
		return tl_pf_push(r, to, false);
	case COUNTER:
		return !e.has_value || push_counter(r, &e);
	default:
		tl_pf_note(r, "events of a type that is not read (of Chrome's old format), left out");
		return true;
	}
}
