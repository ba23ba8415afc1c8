/* pytorch_event.c - one event: from text to a call of the sink.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/varint.h"
#include "readers/pytorch.h"

#include <string.h>

static inline bool is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* How many of the bytes loaded are digits before one that is none. */
static inline unsigned count_digits(uint64_t x)
{
	uint64_t t = x ^ 0x3030303030303030u, others = ((t + 0x7676767676767676u) | t) & 0x8080808080808080u;

	return others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
}

/* Value of the first n of the bytes loaded, digits all; 1 <= n <= 8. They go to
 * the high end, then pairs, fours and all eight are put together. */
static inline uint32_t digits_value(uint64_t x, unsigned n)
{
	const uint64_t two = 0x000000ff000000ffu;

	x = (x ^ 0x3030303030303030u) << (64 - 8 * n);
	x = x * 10 + (x >> 8);
	return (uint32_t)(((x & two) * 0x000f424000000064u + (x >> 16 & two) * 0x0000271000000001u) >> 32);
}

/* Value functions return the position after the value, or NULL with scan.at and
 * scan.what set. */
static const char *bad(struct reader *r, const char *at, const char *what)
{
	r->scan.at = at;
	r->scan.what = at >= r->scan.end ? NULL : what;
	return NULL;
}

static inline uint32_t intern(struct reader *r, const char *p, size_t len)
{
	return tl_add_string(&r->tables, p, len);
}

/* ---- texts ------------------------------------------------------------------------- */

/* The slow way: the checker reads the value, and its result is interned. */
static const char *text_slowly(struct reader *r, const char *p, bool string, uint32_t *id, bool *clean)
{
	const char *q;

	tl_buf_clear(&r->text);
	r->scan.problems = 0;
	q = string ? tl_json_string(&r->scan, p, &r->text) : tl_json_value(&r->scan, p, &r->text);
	if (!q)
		return NULL;
	if (r->scan.problems)
		tl_reader_note_problems(r, r->scan.problems, p);
	*clean = !r->scan.problems;
	*id = intern(r, r->text.len ? r->text.data : "", r->text.len);
	return q;
}

/* The same by way of the cache, q being where the value seems to end. Whether
 * it does matters only for what is not in the cache: a checked value is known
 * by its bytes. */
static const char *text_cached(struct reader *r, const char *p, const char *q, bool string, uint32_t *id)
{
	uint64_t hash = tl_rawcache_hash(p, (size_t)(q - p));
	const struct cache_entry *e = tl_rawcache_get(&r->cache, p, (size_t)(q - p), hash);
	const char *end = q;
	bool clean;

	if (e) {
		*id = e->id;
	} else {
		end = text_slowly(r, p, string, id, &clean);
		if (end == q && clean)
			e = tl_rawcache_put(&r->cache, p, (size_t)(q - p), hash, *id);
	}
	if (e)
		*tl_rawcache_guess(&r->cache) = (uint16_t)(e - r->cache.entries);
	return end;
}

/* p at a quote. Escapes are skipped, not looked at. */
static const char *string_searched(struct reader *r, const char *p, uint32_t *id)
{
	const char *q = r->ops->string_stop(p + 1);

	while (*q == '\\') {
		if (q + 1 >= r->scan.end)
			return bad(r, r->scan.end, NULL);
		q = r->ops->string_stop(q + 2);
	}
	if (q >= r->scan.end)
		return bad(r, r->scan.end, NULL);
	if (*q == '"')
		return text_cached(r, p, q + 1, true, id);
	return text_slowly(r, p, true, id, &(bool){ false });
}

/* p at a bracket. */
static const char *nested_searched(struct reader *r, const char *p, uint32_t *id)
{
	const char *q = r->ops->nested_stop(p, r->scan.end);

	if (q)
		return text_cached(r, p, q, false, id);
	return text_slowly(r, p, false, id, &(bool){ false });
}

/* p at a quote or bracket: a text that ends with its last byte, so that one
 * which is known is whole when its bytes are there. */
static inline const char *text(struct reader *r, const char *p, uint32_t *id)
{
	struct cache *c = &r->cache;
	const struct cache_entry *e = &c->entries[*tl_rawcache_guess(c)];

	if (e->len && e->len <= (size_t)(r->scan.end - p) && r->ops->same(c->bytes + e->offset, p, e->len)) {
		*id = e->id;
		p += e->len;
	} else {
		p = *p == '"' ? string_searched(r, p, id) : nested_searched(r, p, id);
	}
	tl_rawcache_push(c, *id);
	return p;
}

/* ---- values of each role --------------------------------------------------------------- */

/* An integer of at most 18 digits that ends before the text does: its end, else
 * NULL. Its text is the only one of its value. */
static inline const char *small_int(const struct reader *r, const char *p, int64_t *value)
{
	const char *from = p + (*p == '-'), *q = from;
	uint64_t first = tl_load_le64(from), x = 0; /* may run over; then it is too long anyway */
	unsigned n = count_digits(first);

	if (n) {
		x = digits_value(first, n);
		q += n;
	}
	if (n == 8)
		while (is_digit(*q))
			x = x * 10 + (uint64_t)(*q++ - '0');
	if (q == from || q - from > 18 || (*from == '0' && (q - from > 1 || from != p)) || q >= r->scan.end
	    || *q == '.' || (*q | 0x20) == 'e')
		return NULL;
	*value = from == p ? (int64_t)x : -(int64_t)x;
	return q;
}

static bool int64_of(const char *p, const char *end, int64_t *value)
{
	bool negative = *p == '-';
	int64_t x = 0;

	for (p += negative; p < end; p++)
		if (__builtin_mul_overflow(x, 10, &x) || __builtin_sub_overflow(x, *p - '0', &x))
			return false;
	if (!negative && x == INT64_MIN)
		return false;
	*value = negative ? x : -x;
	return true;
}

static const char *number_field(struct reader *r, const char *p, size_t slot)
{
	bool integer;
	uint32_t id;
	const char *q = tl_json_number(&r->scan, p, &integer);

	if (!q)
		return NULL;
	if (integer && int64_of(p, q, &r->values[slot])) {
		r->types[slot] = TL_FIELD_INT;
		return q;
	}
	r->types[slot] = TL_FIELD_JSON;
	q = text_cached(r, p, q, false, &id);
	r->values[slot] = id;
	return q;
}

static inline const char *take_field(struct reader *r, const char *p, size_t slot)
{
	const char *q;
	uint32_t id = 0;

	if (*p == '"') {
		q = text(r, p, &id);
		r->types[slot] = TL_FIELD_STRING;
	} else if (*p == '[' || *p == '{') {
		q = text(r, p, &id);
		r->types[slot] = TL_FIELD_JSON;
	} else if ((q = small_int(r, p, &r->values[slot]))) {
		r->types[slot] = TL_FIELD_INT;
		return q;
	} else if (is_digit(*p) || *p == '-' || *p == 'N' || *p == 'I') {
		return number_field(r, p, slot);
	} else {
		q = text_slowly(r, p, false, &id, &(bool){ false });
		r->types[slot] = TL_FIELD_JSON;
	}
	r->values[slot] = id;
	return q;
}

static const char *take_null(struct reader *r, const char *p)
{
	return tl_json_value(&r->scan, p, NULL);
}

static inline const char *take_name(struct reader *r, const char *p)
{
	const char *q;

	r->flags |= TL_HAS_NAME;
	if (*p == '"')
		return text(r, p, &r->name);
	if (*p == 'n') {
		r->flags &= (uint8_t)~TL_HAS_NAME;
		r->name = 0;
		return take_null(r, p);
	}
	q = text_slowly(r, p, false, &r->name, &(bool){ false });
	return q;
}

static void memo_process(struct reader *r, struct shape *s, const char *p, size_t len, int64_t x)
{
	s->memo = x;
	s->memo_id = intern(r, p, len);
	s->memo_len = (uint32_t)len;
	s->memo_mask = len < 8 && p[len] ? ~(uint64_t)0 >> (56 - 8 * len) : 0;
	s->memo_text = tl_load_le64(p);
}

/* pid, tid: the same few integers over and over. */
static inline const char *take_process(struct reader *r, const char *p, struct shape *s, uint32_t *id)
{
	int64_t x;
	const char *q;

	if (!((tl_load_le64(p) ^ s->memo_text) & s->memo_mask) && s->memo_mask) {
		*id = s->memo_id;
		return p + s->memo_len;
	}
	q = small_int(r, p, &x);
	if (q) {
		if (!s->memo_id || s->memo != x)
			memo_process(r, s, p, (size_t)(q - p), x);
		*id = s->memo_id;
		return q;
	}
	*id = 0;
	if (*p == 'n')
		return take_null(r, p);
	return text_slowly(r, p, false, id, &(bool){ false });
}

/* Anything but a plain number of sensible size. */
static const char *time_slowly(struct reader *r, const char *p, int64_t *ns, bool *integer, bool *absent)
{
	const char *q, *what = NULL;

	*ns = 0;
	*absent = *p == 'n';
	*integer = false;
	if (*p == 'n')
		return take_null(r, p);
	if (*p == '"')
		what = "a string, expected a number";
	else if (!is_digit(*p) && *p != '-' && *p != 'N' && *p != 'I')
		what = "not a number";
	q = what ? tl_json_value(&r->scan, p, NULL) : tl_json_number(&r->scan, p, integer);
	if (!q)
		return NULL;
	if (!what && (*p == 'N' || *p == 'I' || p[1] == 'I'))
		what = "not finite";
	else if (!what && !tl_time_parse(p, q, ns))
		what = "beyond 2^62 nanoseconds";
	if (!what)
		return q;
	*absent = true;
	if (!r->options->lenient)
		return bad(r, p, what);
	r->bad_time = true;
	return q;
}

/* Up to 15 digits and up to three decimals, the form profilers write. */
static inline const char *time_fast(const struct reader *r, const char *p, int64_t *ns, bool *integer)
{
	static const uint32_t power[8] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000 };
	uint64_t word = tl_load_le64(p), x;
	unsigned n = count_digits(word);
	const char *q = p + n;

	if (n == 0 || (*p == '0' && n > 1))
		return NULL;
	x = digits_value(word, n);
	if (n == 8) {
		word = tl_load_le64(q);
		n = count_digits(word);
		if (n == 8)
			return NULL;
		if (n)
			x = x * power[n] + digits_value(word, n);
		q += n;
	}
	x *= 1000;
	*integer = *q != '.';
	if (*q == '.') {
		word = tl_load_le64(q + 1);
		n = count_digits(word);
		if (n == 0 || n > 3)
			return NULL;
		word &= ~(~(uint64_t)0 << 8 * n); /* zeros for the digits that are not there */
		x += digits_value(word | 0x303030u << 8 * n, 3);
		q += 1 + n;
	}
	*ns = (int64_t)x;
	return q < r->scan.end && (*q | 0x20) != 'e' ? q : NULL;
}

static inline const char *take_time(struct reader *r, const char *p, int64_t *ns, uint8_t has, uint8_t is_int)
{
	bool integer, absent = false;
	const char *q = time_fast(r, p, ns, &integer);

	if (!q)
		q = time_slowly(r, p, ns, &integer, &absent);
	r->flags &= (uint8_t)~(has | is_int);
	if (!absent)
		r->flags |= (uint8_t)(has | (integer ? is_int : 0));
	return q;
}

static inline const char *take_value(struct reader *r, const char *p, struct shape *s)
{
	switch (s->role) {
	case ROLE_NAME:
		return take_name(r, p);
	case ROLE_PID:
		return take_process(r, p, s, &r->pid);
	case ROLE_TID:
		return take_process(r, p, s, &r->tid);
	case ROLE_TS:
		return take_time(r, p, &r->ts, TL_HAS_TS, TL_INT_TS);
	case ROLE_DUR:
		return take_time(r, p, &r->dur, TL_HAS_DUR, TL_INT_DUR);
	default:
		return take_field(r, p, s->slot);
	}
}

/* ---- handing on ------------------------------------------------------------------------- */

static uint32_t track_id(struct reader *r)
{
	size_t i = (r->pid * 31 + r->tid) % (sizeof r->tracks / sizeof *r->tracks);

	if (!r->tracks[i].id || r->tracks[i].pid != r->pid || r->tracks[i].tid != r->tid) {
		r->tracks[i].pid = r->pid;
		r->tracks[i].tid = r->tid;
		r->tracks[i].id = tl_add_track(&r->tables, r->pid, r->tid);
	}
	return r->tracks[i].id;
}

/* Fields in slot order, from the shapes that led here. Slots of args that a
 * second "args" replaced are closed up, and their values with them. */
static uint32_t collect_fields(struct reader *r, const struct shape *end)
{
	bool args_dead = false;
	uint32_t n = 0;

	for (uint32_t i = 0; i < end->n_fields; i++)
		r->fields[i].type = 0;
	for (const struct shape *s = end; s; s = s->up) {
		if (s->role == ROLE_FIELD && (s->top || !args_dead) && !r->fields[s->slot].type) {
			r->fields[s->slot].key = s->key;
			r->fields[s->slot].top = s->top;
			r->fields[s->slot].type = r->types[s->slot];
		}
		args_dead = args_dead || s->new_args;
	}
	for (uint32_t i = 0; i < end->n_fields; i++) {
		if (!r->fields[i].type)
			continue;
		r->fields[n] = r->fields[i];
		r->values[n++] = r->values[i];
	}
	return n;
}

static uint32_t layout_new(struct reader *r, const struct shape *end)
{
	struct tl_layout l = { 0 };

	l.n_fields = collect_fields(r, end);
	l.cat = end->cat;
	l.kind = end->kind;
	l.ph = end->ph;
	l.flags = (uint8_t)(r->flags | (end->has_args ? TL_HAS_ARGS : 0));
	l.fields = r->fields;
	return tl_add_layout(&r->tables, &l);
}

/* Layout of the event: remembered by what the shape leaves open, the types of
 * the values and which times are there. */
static uint32_t layout_id(struct reader *r, struct shape *end)
{
	uint64_t signature = 1;
	uint32_t id;
	int i;

	if (end->n_fields > 27 || end->any_dead)
		return layout_new(r, end);
	for (uint32_t k = 0; k < end->n_fields; k++)
		signature = signature << 2 | r->types[k];
	signature = signature << 8 | r->flags;
	for (i = 0; i < end->n_layouts; i++)
		if (end->layouts[i].signature == signature)
			return end->layouts[i].layout;
	id = layout_new(r, end);
	if (end->n_layouts < 4)
		end->n_layouts++;
	for (i = end->n_layouts - 1; i > 0; i--)
		end->layouts[i] = end->layouts[i - 1];
	end->layouts[0].signature = signature;
	end->layouts[0].layout = id;
	return id;
}

/* True if the event is left out, and counted where it is not the user's wish. */
static bool left_out(struct reader *r, const struct shape *end, const char *at)
{
	if (!end->ph)
		tl_reader_note(r, NOTE_NO_PHASE, at);
	else if (r->options->drop_kinds >> end->kind & 1)
		return true;
	else if (r->bad_time)
		tl_reader_note(r, NOTE_BAD_TIME, at);
	else if (r->flags & TL_HAS_DUR && r->dur < 0)
		tl_reader_note(r, NOTE_NEGATIVE, at);
	else
		return false;
	return true;
}

static enum parse hand_on(struct reader *r, struct shape *end, const char *at)
{
	struct tl_event e;

	if (left_out(r, end, at))
		return PARSE_OK;
	if (r->ts > TIME_MAX - r->dur) {
		if (!r->options->lenient) {
			bad(r, at, "ts + dur is beyond 2^62 nanoseconds");
			return PARSE_BAD;
		}
		tl_reader_note(r, NOTE_BAD_TIME, at);
		return PARSE_OK;
	}
	e.uid = r->uid;
	e.layout = layout_id(r, end);
	e.name = r->name;
	e.track = r->pid || r->tid ? track_id(r) : 0;
	e.ts = r->ts;
	e.dur = r->dur;
	e.values = r->values;
	r->passed_on = e.uid + 1;
	r->status = r->sink->ops->event(r->sink, &e, r->err);
	return r->status ? PARSE_STATUS : PARSE_OK;
}

/* ---- the event --------------------------------------------------------------------------- */

static void event_clear(struct reader *r)
{
	r->bad_time = false;
	r->flags = 0;
	r->name = r->pid = r->tid = 0;
	r->ts = r->dur = 0;
}

static struct shape *first_shape(struct reader *r, const char *p)
{
	struct shape *s = r->last ? r->last->follower : NULL;

	if (s && tl_shape_matches(s, p))
		return s;
	s = tl_shape_find(r, &r->root, p);
	if (s && r->last && s->text)
		r->last->follower = s;
	return s;
}

static inline struct shape *next_shape(struct reader *r, struct shape *s, const char *p)
{
	return s->child && tl_shape_matches(s->child, p) ? s->child : tl_shape_find(r, s, p);
}

static enum parse failed(const struct reader *r)
{
	return r->scan.what ? PARSE_BAD : PARSE_MORE;
}

/* Learns what stands between the event passed over last and the one at p, if
 * they are alike. */
static void learn_run(struct reader *r, const struct shape *s, const char *p)
{
	int64_t gap = offset_of(r, p) - r->run.end;
	const char *from;

	if (r->last != s || s->up || gap > p - r->w.buf || gap + s->len > RUN_TEXT)
		return;
	from = p - gap;
	if (*from != ',' || r->ops->blanks(from + 1) != p) /* something else came between */
		return;
	r->run.of = s;
	r->run.len = (size_t)gap + s->len;
	memcpy(r->run.text, from, r->run.len);
}

/* Steps over an event of a kind that is dropped, known at its shape s, and those
 * that follow and start alike: brackets and strings are looked at, no more.
 * False when it does not end in the text at hand: if that is all there is, its
 * values tell what is wrong. */
static bool skip_events(struct reader *r, struct shape *s, const char **pos)
{
	size_t n = 1;
	const char *past;

	learn_run(r, s, *pos);
	past = r->run.of == s ? r->ops->nested_run(*pos, r->scan.end, r->run.text, r->run.len, &n)
		: r->ops->nested_stop(*pos, r->scan.end);
	if (!past)
		return false;
	r->uid += n - 1;
	r->report->n_events += n - 1;
	r->last = s;
	r->run.end = offset_of(r, past);
	*pos = past;
	return true;
}

enum parse tl_event_parse(struct reader *r, const char **pos)
{
	const char *p = *pos;
	struct shape *s = first_shape(r, p);
	enum parse res;

	event_clear(r);
	for (; s; s = next_shape(r, s, p)) {
		p += s->len;
		if (s->role == ROLE_END)
			break;
		if (s->skip) {
			if (skip_events(r, s, pos))
				return PARSE_OK;
			if (!r->w.eof) /* what it holds must not depend on how much of it is here */
				return PARSE_MORE;
		}
		if (tl_json_is_blank(*p))
			p = r->ops->blanks(p);
		p = take_value(r, p, s);
		if (!p)
			return failed(r);
	}
	if (!s)
		return failed(r);
	res = hand_on(r, s, *pos);
	if (res == PARSE_OK) {
		r->last = s;
		*pos = p;
	}
	return res;
}
