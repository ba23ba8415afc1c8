/* xplane_names.c - what the numbers in a plane mean: names of events, facts and their values.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/json_writer.h"
#include "readers/xplane.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "model/fields.h"

enum { MAX_NAMES = 1 << 22 };

/* ---- damage, members about the trace --------------------------------------------------- */

static int64_t place(const struct tl_xp_reader *r, const uint8_t *at)
{
	return r->plane.offset + (at ? at - r->plane.bytes.p : 0);
}

bool tl_xp_damaged(struct tl_xp_reader *r, const uint8_t *at, const char *what)
{
	r->report->lenient_helps = true;
	if (r->options->lenient) {
		tl_read_note(r->report, "dropped: damaged", r->uid, place(r, at));
		return true;
	}
	r->status = tl_fail_at(&r->error, TL_ERR_DATA, place(r, at), "plane %llu (%.*s): %s", (unsigned long long)r->plane.number,
	                       (int)(r->plane.name.len < 60 ? r->plane.name.len : 60), r->plane.name.s ? r->plane.name.s : "", what);
	return false;
}

void tl_xp_note(struct tl_xp_reader *r, const uint8_t *at, const char *reason)
{
	tl_read_note(r->report, reason, r->uid, place(r, at));
}

bool tl_xp_member(struct tl_xp_reader *r, const char *key, size_t key_len, const struct tl_buf *json)
{
	r->status = r->make.sink->ops->meta(r->make.sink, key, key_len, json->data, json->len, &r->error);
	return !r->status;
}

/* ---- texts ------------------------------------------------------------------------------ */

static bool is_utf8(const char *s, size_t len)
{
	for (size_t used; len; s += used, len -= used) {
		used = 1;
		if ((unsigned char)*s >= 0x80 && tl_utf8_decode(s, len, &used) == TL_UTF8_MALFORMED)
			return false;
	}
	return true;
}

static struct tl_xp_text repaired(struct tl_xp_reader *r, const char *s, size_t len)
{
	tl_buf_clear(&r->make.text);
	tl_buf_add_utf8(&r->make.text, s, len);
	return (struct tl_xp_text){ tl_arena_dup(&r->plane.texts, r->make.text.data, r->make.text.len), r->make.text.len, { 0, 0 } };
}

struct tl_xp_text tl_xp_text(struct tl_xp_reader *r, const struct tl_pb_field *f)
{
	const char *s = (const char *)f->data;
	size_t len = f->wire == TL_PB_BYTES ? (size_t)f->value : 0;

	if (is_utf8(s, len))
		return (struct tl_xp_text){ s, len, { 0, 0 } };
	tl_xp_note(r, f->data, "bytes that are not UTF-8, replaced by U+FFFD");
	return repaired(r, s, len);
}

uint32_t tl_xp_string(struct tl_xp_reader *r, struct tl_xp_text *t)
{
	return tl_make_known(&r->make, &t->id, t->s ? t->s : "", t->len);
}

/* ---- what a name says --------------------------------------------------------------------- */

/* Facts that have a key of the model, or are for more than being shown. */
static const struct { const char *name, *key; uint8_t role; } facts[] = {
	{ "correlation_id", TL_KEY_CORRELATION, TL_XP_CORRELATION },
	{ "kernel_details", NULL, TL_XP_KERNEL },
	{ "memcpy_details", NULL, TL_XP_COPY },
	{ "memset_details", NULL, TL_XP_SET },
	{ "step_num", NULL, TL_XP_STEP },
	{ "Hlo Proto", NULL, TL_XP_HLO },
};

static void know_fact(struct tl_xp_name *n)
{
	n->other = n->text;
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
		if (tl_text_is(n->text.s, n->text.len, facts[i].name)) {
			n->role = facts[i].role;
			if (facts[i].key)
				n->other = (struct tl_xp_text){ facts[i].key, strlen(facts[i].key), { 0, 0 } };
			return;
		}
}

/* What an event on the host is by the beginning of its name. `upper`: a capital follows. */
static const struct { const char *prefix; bool upper; uint8_t kind; } host_names[] = {
	{ "$", false, TL_KIND_PYTHON }, /* $FILE:LINE FUNCTION */
	{ "hip", true, TL_KIND_RUNTIME },
	{ "cuda", true, TL_KIND_RUNTIME },
	{ "cu", true, TL_KIND_DRIVER },
	{ "hsa_", false, TL_KIND_DRIVER },
	{ "MemoryAllocation", false, TL_KIND_OTHER },
	{ "MemoryDeallocation", false, TL_KIND_OTHER },
};

static uint8_t host_kind(const struct tl_xp_text *name)
{
	for (size_t i = 0; i < sizeof host_names / sizeof *host_names; i++) {
		size_t n = strlen(host_names[i].prefix);
		bool begins = name->len > n - !host_names[i].upper && !memcmp(name->s, host_names[i].prefix, n);
		if (begins && (!host_names[i].upper || (name->s[n] >= 'A' && name->s[n] <= 'Z')))
			return host_names[i].kind;
	}
	return TL_KIND_CPU_OP;
}

/* XEventMetadata: 2 name, 4 the name to show, 5 facts. */
static bool read_event_name(struct tl_xp_reader *r, struct tl_bytes m, struct tl_xp_name *n)
{
	struct tl_xp_text shown = { 0 };
	struct tl_pb_field f;

	n->message = m;
	while (tl_pb_next(&m, &f))
		switch (f.number) {
		case 2: n->text = tl_xp_text(r, &f); break;
		case 4: shown = tl_xp_text(r, &f); break;
		case 5: n->has_stats = true; break;
		default: break;
		}
	n->kind = host_kind(&n->text);
	if (shown.len) {
		n->other = n->text;
		n->text = shown;
	}
	return !m.bad;
}

/* XStatMetadata: 2 name. */
static bool read_stat_name(struct tl_xp_reader *r, struct tl_bytes m, struct tl_xp_name *n)
{
	struct tl_pb_field f;

	while (tl_pb_next(&m, &f))
		if (f.number == 2)
			n->text = tl_xp_text(r, &f);
	know_fact(n);
	return !m.bad;
}

/* ---- tables -------------------------------------------------------------------------------- */

struct tl_xp_name *tl_xp_name(const struct tl_xp_names *t, int64_t number)
{
	const uint32_t *i = tl_map_get(&t->numbers, (uint64_t)number);

	return i ? &t->items[*i] : NULL;
}

/* An entry of one of the two tables of a plane: 1 number, 2 what it means. */
static bool read_entry(struct tl_xp_reader *r, struct tl_bytes entry, bool of_events)
{
	struct tl_xp_names *t = of_events ? &r->plane.events : &r->plane.stats;
	const uint8_t *at = entry.p;
	struct tl_bytes message = { at, at, false };
	struct tl_pb_field f;
	uint64_t number = 0;

	while (tl_pb_next(&entry, &f))
		if (f.number == 1 && f.wire == TL_PB_VARINT)
			number = f.value;
		else if (f.number == 2)
			message = tl_pb_message(&f);
	if (t->n >= MAX_NAMES)
		return tl_xp_damaged(r, at, "more than 4194304 names in a plane");
	struct tl_xp_name *name = TL_ITEM(t, number, NULL);
	*name = (struct tl_xp_name){ 0 }; /* of two entries for one number the last counts */
	bool good = !entry.bad && (of_events ? read_event_name : read_stat_name)(r, message, name);
	return good || tl_xp_damaged(r, at, "the name of an event or a fact is damaged");
}

bool tl_xp_read_names(struct tl_xp_reader *r)
{
	struct tl_bytes b = r->plane.bytes;
	struct tl_pb_field f;

	while (tl_pb_next(&b, &f))
		if ((f.number == 4 || f.number == 5) && !read_entry(r, tl_pb_message(&f), f.number == 4))
			return false;
	return true; /* who reads the lines finds the same damage */
}

void tl_xp_release_names(struct tl_xp_plane *p)
{
	struct tl_xp_names *tables[] = { &p->events, &p->stats };

	for (size_t i = 0; i < 2; i++) {
		TL_KEYED_RELEASE(tables[i]);
		*tables[i] = (struct tl_xp_names){ 0 };
	}
}

/* ---- facts ---------------------------------------------------------------------------------- */

bool tl_xp_read_stat(struct tl_xp_reader *r, struct tl_bytes m, struct tl_xp_stat *s)
{
	struct tl_pb_field f;
	int64_t number = 0;

	*s = (struct tl_xp_stat){ 0 };
	while (tl_pb_next(&m, &f))
		if (f.number == 1 && f.wire == TL_PB_VARINT)
			number = (int64_t)f.value;
		else if (f.number >= 2 && f.number <= 7)
			s->value = f;
	static const uint8_t wires[] = { 0, 0, TL_PB_FIXED64, TL_PB_VARINT, TL_PB_VARINT, TL_PB_BYTES, TL_PB_BYTES, TL_PB_VARINT };
	s->name = tl_xp_name(&r->plane.stats, number);
	if (s->value.number == 7)
		s->ref = tl_xp_name(&r->plane.stats, (int64_t)s->value.value);
	return !m.bad && (!s->value.number || s->value.wire == wires[s->value.number]);
}

void tl_xp_add_value(struct tl_xp_reader *r, struct tl_buf *b, const struct tl_xp_stat *s)
{
	struct tl_xp_text text = s->ref ? s->ref->text : (struct tl_xp_text){ .s = "" };
	double d;

	switch (s->value.number) {
	case 2:
		memcpy(&d, &s->value.value, sizeof d);
		tl_json_double(b, d);
		break;
	case 3: tl_buf_addf(b, "%llu", (unsigned long long)s->value.value); break;
	case 4: tl_buf_addf(b, "%lld", (long long)s->value.value); break;
	case 5:
		text = tl_xp_text(r, &s->value);
		tl_json_quote(b, text.s, text.len);
		break;
	case 7: tl_json_quote(b, text.s, text.len); break;
	default: tl_buf_adds(b, "null"); break;
	}
}
