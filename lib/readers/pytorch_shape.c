/* pytorch_shape.c - the text between values: read once, then recognised.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/pytorch.h"

#include <string.h>

/* Category -> kind. The capitalised ones are what profilers of 2021 wrote. */
static const struct { const char *cat; uint8_t kind; } categories[] = {
	{ "cpu_op", TL_KIND_CPU_OP },
	{ "Operator", TL_KIND_CPU_OP },
	{ "cuda_runtime", TL_KIND_RUNTIME },
	{ "Runtime", TL_KIND_RUNTIME },
	{ "cuda_driver", TL_KIND_DRIVER },
	{ "kernel", TL_KIND_KERNEL },
	{ "Kernel", TL_KIND_KERNEL },
	{ "gpu_memcpy", TL_KIND_MEMCPY },
	{ "Memcpy", TL_KIND_MEMCPY },
	{ "gpu_memset", TL_KIND_MEMSET },
	{ "Memset", TL_KIND_MEMSET },
	{ "python_function", TL_KIND_PYTHON },
	{ "user_annotation", TL_KIND_ANNOTATION },
	{ "gpu_user_annotation", TL_KIND_GPU_ANNOTATION },
	{ "ac2g", TL_KIND_LAUNCH_FLOW },
	{ "fwdbwd", TL_KIND_FWDBWD_FLOW },
	{ "cpu_instant_event", TL_KIND_INSTANT },
	{ "overhead", TL_KIND_OVERHEAD },
	{ "Trace", TL_KIND_TRACE },
};

static int8_t kind_of_category(const char *s, size_t len)
{
	for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
		if (strlen(categories[i].cat) == len && !memcmp(categories[i].cat, s, len))
			return (int8_t)categories[i].kind;
	return -1;
}

static uint8_t kind_of(int8_t cat_kind, char ph)
{
	bool arrow = ph == 's' || ph == 't' || ph == 'f';

	if (ph == 'M')
		return TL_KIND_META;
	if (ph == 'C')
		return TL_KIND_COUNTER;
	if (arrow && cat_kind != TL_KIND_LAUNCH_FLOW && cat_kind != TL_KIND_FWDBWD_FLOW)
		return TL_KIND_FLOW;
	if (cat_kind >= 0)
		return (uint8_t)cat_kind;
	return ph == 'i' || ph == 'I' ? TL_KIND_INSTANT : TL_KIND_OTHER;
}

/* ---- learning --------------------------------------------------------------------- */

/* A shape being read off the text. */
struct draft {
	struct reader *r;
	struct shape *s;
	bool keep; /* may stand in the tree */
};

static const char *bad(struct draft *d, const char *at, const char *what)
{
	d->r->scan.at = at;
	d->r->scan.what = at >= d->r->scan.end ? NULL : what;
	return NULL;
}

/* A string as text in r->key; what was repaired is counted, each time. */
static const char *plain_string(struct draft *d, const char *p)
{
	struct reader *r = d->r;
	const char *at = p;

	tl_buf_clear(&r->key);
	r->scan.problems = 0;
	p = tl_json_string(&r->scan, p, &r->key);
	if (p && r->scan.problems) {
		tl_reader_note_problems(r, r->scan.problems, at);
		d->keep = false;
	}
	return p;
}

/* The value of "cat" or "ph", as text in r->key; empty for null. */
static const char *constant(struct draft *d, const char *p)
{
	struct reader *r = d->r;

	if (*p == '"')
		return plain_string(d, p);
	tl_buf_clear(&r->key);
	p = tl_json_value(&r->scan, p, &r->key);
	if (p && r->key.len == 4 && !memcmp(r->key.data, "null", 4))
		tl_buf_clear(&r->key);
	d->keep = d->keep && r->key.len <= 64;
	return p;
}

static const char *category(struct draft *d, const char *p)
{
	struct reader *r = d->r;
	bool text = *p == '"';

	p = constant(d, p);
	if (!p)
		return NULL;
	d->s->has_cat = true;
	d->s->cat = r->key.len ? tl_add_string(&r->tables, r->key.data, r->key.len) : 0;
	d->s->cat_kind = text ? kind_of_category(r->key.len ? r->key.data : "", r->key.len) : -1;
	return p;
}

static const char *phase(struct draft *d, const char *p)
{
	struct reader *r = d->r;
	bool text = *p == '"';

	p = constant(d, p);
	if (!p)
		return NULL;
	d->s->has_ph = true;
	d->s->ph = text && r->key.len == 1 && (unsigned char)r->key.data[0] < 0x80 ? r->key.data[0] : 0;
	return p;
}

/* ---- fields seen before ------------------------------------------------------------ */

static struct seen *seen_entry(struct reader *r, uint32_t key, bool top)
{
	const size_t n = sizeof r->seen / sizeof *r->seen;
	size_t i = tl_hash_u64((uint64_t)key << 1 | top) % n;

	while (r->seen[i].epoch == r->seen_epoch && (r->seen[i].key != key || r->seen[i].top != top))
		i = (i + 1) % n;
	return &r->seen[i];
}

/* Brings the table up to the shape at hand: what is new since the last time,
 * or, on another path, all. */
static void seen_update(struct reader *r, const struct shape *up)
{
	const struct shape *s;

	for (s = up; s && s != r->seen_tip; s = s->up)
		;
	if (!s) {
		r->seen_tip = NULL;
		if (++r->seen_epoch == 0) {
			memset(r->seen, 0, sizeof r->seen);
			r->seen_epoch = 1;
		}
	}
	for (s = up; s && s != r->seen_tip; s = s->up)
		if (s->role == ROLE_FIELD)
			*seen_entry(r, s->key, s->top) = (struct seen){ s->key, r->seen_epoch, s->slot, s->top };
	r->seen_tip = up;
}

/* Slot of an earlier member of the same name, or -1. Few shapes are walked, and
 * those with args replaced by other args; many are looked up. */
static int slot_before(struct reader *r, const struct shape *of, uint32_t key, bool top)
{
	bool args_dead = of->new_args;

	if (of->n_fields > 16 && !of->any_dead) {
		const struct seen *e;

		seen_update(r, of->up);
		e = seen_entry(r, key, top);
		return e->epoch == r->seen_epoch ? e->slot : -1;
	}
	for (const struct shape *s = of->up; s; s = s->up) {
		if (s->role == ROLE_FIELD && s->key == key && s->top == top && (top || !args_dead))
			return s->slot;
		args_dead = args_dead || s->new_args;
	}
	return -1;
}

/* Makes the draft a field: in the slot of an earlier member of the same name
 * (the last one counts), or in a new one. */
static const char *field(struct draft *d, const char *p, uint32_t key, bool top)
{
	int slot = slot_before(d->r, d->s, key, top);

	d->s->role = ROLE_FIELD;
	d->s->key = key;
	d->s->top = top;
	if (slot < 0 && d->s->n_fields == TL_MAX_FIELDS)
		return bad(d, p, "more than 4096 members in an event");
	d->s->slot = slot >= 0 ? (uint16_t)slot : d->s->n_fields++;
	return p;
}

static uint32_t key_id(struct reader *r)
{
	return tl_add_string(&r->tables, r->key.len ? r->key.data : "", r->key.len);
}

/* "args": an object opens, null is as if absent, all else is a field. Earlier
 * args, if there were any, count no more. */
static const char *args(struct draft *d, const char *p, bool *first)
{
	struct shape *s = d->s;

	if (*p != '{' && *p != 'n')
		return field(d, p, key_id(d->r), true);
	s->any_dead = s->any_dead || s->has_args;
	s->new_args = s->new_args || s->has_args;
	s->has_args = *p == '{';
	if (*p == 'n')
		return tl_json_value(&d->r->scan, p, NULL);
	s->in_args = true;
	*first = true;
	return p + 1;
}

static bool key_is(const struct reader *r, const char *name)
{
	return r->key.len == strlen(name) && !memcmp(r->key.data, name, r->key.len);
}

/* A member of the event whose name is in r->key, p at its value. Sets *stop
 * when the shape ends here. */
static const char *member(struct draft *d, const char *p, bool *first, bool *stop)
{
	static const struct { const char *name; uint8_t role; } known[] = {
		{ "name", ROLE_NAME }, { "pid", ROLE_PID }, { "tid", ROLE_TID },
		{ "ts", ROLE_TS }, { "dur", ROLE_DUR },
	};
	struct reader *r = d->r;

	if (!d->s->in_args && r->key.len) {
		if (key_is(r, "ph"))
			return phase(d, p);
		if (key_is(r, "cat"))
			return category(d, p);
		if (key_is(r, "args")) {
			p = args(d, p, first);
			*stop = d->s->role == ROLE_FIELD;
			return p;
		}
		for (size_t i = 0; i < sizeof known / sizeof *known; i++)
			if (key_is(r, known[i].name)) {
				d->s->role = known[i].role;
				*stop = true;
				return p;
			}
	}
	*stop = true;
	return field(d, p, key_id(r), !d->s->in_args);
}

/* Reads on from p, which is after a value, or at the event's brace. */
static const char *draft_text(struct draft *d, const char *p)
{
	const struct tl_json_ops *ops = d->r->ops;
	bool first = !d->s->up, stop = false;

	if (first)
		p++; /* the brace */
	while (!stop) {
		p = ops->blanks(p);
		if (*p == '}') {
			p++;
			first = false;
			if (!d->s->in_args) {
				d->s->role = ROLE_END;
				return p;
			}
			d->s->in_args = false;
			continue;
		}
		if (!first) {
			if (*p != ',')
				return bad(d, p, "expected ',' or '}'");
			p = ops->blanks(p + 1);
		}
		first = false;
		if (*p != '"')
			return bad(d, p, "expected a member name in quotes");
		if (!(p = plain_string(d, p)))
			return NULL;
		p = ops->blanks(p);
		if (*p != ':')
			return bad(d, p, "expected ':'");
		p = ops->blanks(p + 1);
		if (p >= d->r->scan.end) /* blanks may follow: they are part of it */
			return bad(d, p, NULL);
		p = member(d, p, &first, &stop);
		if (!p)
			return NULL;
	}
	return p;
}

/* What is known so far goes on to the next shape; what is this one's does not. */
static void inherit(struct shape *s, struct shape *up, const struct shape *root)
{
	memset(s, 0, sizeof *s);
	s->cat_kind = -1;
	s->role = ROLE_END;
	if (up == root)
		return;
	s->up = up;
	s->ph = up->ph;
	s->cat = up->cat;
	s->cat_kind = up->cat_kind;
	s->has_cat = up->has_cat;
	s->has_ph = up->has_ph;
	s->in_args = up->in_args;
	s->has_args = up->has_args;
	s->any_dead = up->any_dead;
	s->n_fields = up->n_fields;
}

static uint64_t head_of(const char *text, uint32_t len, uint64_t *mask)
{
	unsigned char m[8];
	uint64_t x;

	memset(m, 0xff, sizeof m);
	if (len < 8)
		memset(m + len, 0, 8 - len);
	memcpy(mask, m, 8);
	memcpy(&x, text, 8);
	return x & *mask;
}

/* Keeps a node's list of children short: the ones used last stay. */
static void trim(struct shape *up)
{
	struct shape *s = up->child;
	int n = 0;

	for (; s && n < SHAPE_MAX_SIBLINGS; s = s->next)
		n++;
	if (!s)
		return;
	for (s = up->child, n = 1; n < SHAPE_MAX_SIBLINGS / 2; s = s->next)
		n++;
	s->next = NULL;
}

static void plant(struct reader *r, struct shape *up, struct shape *s, const char *p)
{
	char *text = tl_arena_alloc(&r->shape_arena, (size_t)s->len + 8);

	r->shape_bytes += s->len;
	memcpy(text, p, s->len);
	memset(text + s->len, 0, 8);
	s->text = text;
	s->head = head_of(text, s->len, &s->mask);
	s->next = up->child;
	up->child = s;
	trim(up);
}

static struct shape *learn(struct reader *r, struct shape *up, const char *p)
{
	struct shape *s = tl_arena_alloc(&r->shape_arena, sizeof *s);
	struct draft d = { r, s, true };
	const char *q;

	r->shape_bytes += sizeof *s;
	inherit(s, up, &r->root);
	q = draft_text(&d, p);
	if (!q)
		return NULL;
	s->kind = kind_of(s->cat_kind, s->ph);
	if ((s->has_ph && s->has_cat) || s->ph == 'M' || s->ph == 'C')
		s->skip = r->options->drop_kinds >> s->kind & 1;
	s->len = (uint32_t)(q - p);
	if (d.keep && s->len <= SHAPE_MAX_TEXT)
		plant(r, up, s, p);
	return s;
}

/* ---- recognising --------------------------------------------------------------------- */

struct shape *tl_shape_find(struct reader *r, struct shape *up, const char *p)
{
	struct shape *s = up->child, **link;

	if (s && tl_shape_matches(s, p))
		return s;
	if (s)
		for (link = &s->next; (s = *link); link = &s->next)
			if (tl_shape_matches(s, p)) { /* the one used last comes first */
				*link = s->next;
				s->next = up->child;
				up->child = s;
				return s;
			}
	return learn(r, up, p);
}

void tl_shapes_clear(struct reader *r)
{
	tl_arena_clear(&r->shape_arena);
	r->shape_bytes = 0;
	memset(&r->root, 0, sizeof r->root);
	r->last = NULL;
	r->run.of = NULL;
	r->seen_tip = NULL;
}
