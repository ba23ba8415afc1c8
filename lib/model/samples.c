/* samples.c - counters as series of samples.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "model/samples.h"

#include "base/number.h"
#include "model/fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const of_names[] = { "held", "before", "kernel", "change" };

const char *tl_sample_of_name(enum tl_sample_of of)
{
	return of_names[of];
}

/* What samples of a series agree in: without padding, as it is a key. */
struct key { uint32_t name, unit, part, rank, track, has_device, of, id; int64_t device; };

/* A sample as its event tells it. */
struct told { struct key key; double value; int64_t at; bool is_number; };

static uint32_t text_of(struct tl_strtab *strings, const struct tl_field *f, int64_t value)
{
	char digits[24];

	return f->type != TL_FIELD_INT ? (uint32_t)value : tl_intern(strings, digits, tl_format_int(digits, value));
}

static void take_value(struct told *s, const char *text)
{
	char *end;

	s->value = tl_parse_double(text, &end);
	s->is_number = end != text && !*end && isfinite(s->value);
}

static void take_of(struct told *s, const char *name)
{
	for (uint32_t i = 0; i < sizeof of_names / sizeof *of_names; i++)
		if (!strcmp(name, of_names[i]))
			s->key.of = i;
}

static void take_id(struct told *s, enum tl_sample_id id, int64_t value)
{
	if (s->key.id == TL_SAMPLE_DISPATCH)
		return;
	s->key.id = id;
	s->at = value;
}

static void take_field(struct told *s, struct tl_strtab *strings, const struct tl_field *f, int64_t value)
{
	const char *key = tl_str(strings, f->key);
	bool is_int = f->type == TL_FIELD_INT;
	int64_t device = value;

	if (!strcmp(key, TL_KEY_VALUE) && is_int) {
		s->value = (double)value;
		s->is_number = true;
	} else if (!strcmp(key, TL_KEY_VALUE) && f->type == TL_FIELD_JSON) {
		take_value(s, tl_str(strings, (uint32_t)value));
	} else if (!strcmp(key, TL_KEY_UNIT)) {
		s->key.unit = text_of(strings, f, value);
	} else if (!strcmp(key, TL_KEY_PART)) {
		s->key.part = text_of(strings, f, value);
	} else if (!strcmp(key, TL_KEY_RANK)) {
		s->key.rank = text_of(strings, f, value);
	} else if (!strcmp(key, TL_KEY_OF) && !is_int) {
		take_of(s, tl_str(strings, (uint32_t)value));
	} else if (!strcmp(key, TL_KEY_DISPATCH) && is_int) {
		take_id(s, TL_SAMPLE_DISPATCH, value);
	} else if (!strcmp(key, TL_KEY_CORRELATION)) {
		take_id(s, is_int ? TL_SAMPLE_CORRELATION : TL_SAMPLE_CORRELATION_TEXT, value);
	} else if (!strcmp(key, TL_KEY_DEVICE) &&
		   (is_int || tl_parse_whole(tl_str(strings, (uint32_t)value), tl_str_len(strings, (uint32_t)value), &device))) {
		s->key.has_device = 1;
		s->key.device = device;
	}
}

void tl_samples_add(struct tl_samples *to, struct tl_strtab *strings, const struct tl_layout *l, const struct tl_event *e)
{
	struct told s = { .key = { .name = e->name, .track = e->track } };

	for (uint32_t i = 0; i < l->n_fields; i++)
		if (!l->fields[i].top)
			take_field(&s, strings, &l->fields[i], e->values[i]);
	if (s.key.of != TL_SAMPLE_KERNEL) {
		s.key.id = TL_SAMPLE_NO_ID;
		s.at = e->ts;
	}
	bool has_time = s.key.of == TL_SAMPLE_KERNEL ? s.key.id != TL_SAMPLE_NO_ID : (l->flags & TL_HAS_TS) != 0;
	to->n_no_number += !s.is_number;
	to->n_no_time += s.is_number && !has_time;
	if (!s.is_number || !has_time)
		return;
	uint32_t known = to->keys.count, id = tl_intern(&to->keys, (const char *)&s.key, sizeof s.key);
	if (id > known) {
		TL_PUSH(to->items, to->n, to->cap, (struct tl_sample_series){ .name = s.key.name, .unit = s.key.unit, .part = s.key.part,
			.rank = s.key.rank, .track = s.key.track, .has_device = s.key.has_device, .device = s.key.device,
			.of = s.key.of, .id = s.key.id });
	}
	struct tl_sample_series *series = &to->items[id - 1];
	TL_PUSH(series->items, series->n, series->cap, (struct tl_point){ s.at, s.value });
	int64_t until;
	if (l->flags & TL_HAS_DUR && e->dur > 0 && s.key.of == TL_SAMPLE_HELD && !__builtin_add_overflow(e->ts, e->dur, &until))
		TL_PUSH(series->items, series->n, series->cap, (struct tl_point){ until, NAN });
}

void tl_samples_release(struct tl_samples *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->items[i].items);
	free(s->items);
	tl_strtab_release(&s->keys);
	*s = (struct tl_samples){ 0 };
}
