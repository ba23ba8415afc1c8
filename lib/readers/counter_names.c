/* counter_names.c - the names of counters; counters of Chrome's JSON form.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/counter_names.h"

#include "base/decimal.h"
#include "base/number.h"
#include "base/rows.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const char tl_data_counter_units[];
extern const size_t tl_data_counter_units_len;

enum tl_status tl_counter_units_check(const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct tl_rows r = { .file = file, .text = text, .len = len, .columns = "unit, quantity", .err = err };

	while (tl_rows_next(&r))
		;
	return r.status;
}

/* Is the text the first cell of a line of the table? */
static bool is_unit(const char *s, size_t len)
{
	const char *end = tl_data_counter_units + tl_data_counter_units_len;

	for (const char *line = tl_data_counter_units; len && line < end;) {
		const char *cut = memchr(line, '\n', (size_t)(end - line));
		size_t n = (size_t)((cut ? cut : end) - line);
		if (n > len && *line != '#' && line[len] == '\t' && !memcmp(line, s, len))
			return true;
		line += n + 1;
	}
	return false;
}

/* Takes what is in brackets at the name's end, if it is a device or a unit. */
static bool take_brackets(struct tl_counter_name *n)
{
	char close = n->len ? n->name[n->len - 1] : 0;
	const char *open = close == ')' || close == ']' ? memrchr(n->name, close == ')' ? '(' : '[', n->len) : NULL;

	if (!open)
		return false;
	size_t len = (size_t)(n->name + n->len - 1 - (open + 1));
	int64_t device;
	if (len && n->device < 0 && close == ']' && tl_json_int64(open + 1, open + 1 + len, &device) && device >= 0)
		n->device = device;
	else if (len && !n->unit_len && (close == ']' || is_unit(open + 1, len)))
		n->unit = open + 1, n->unit_len = len;
	else
		return false;
	n->len = (size_t)(open - n->name);
	return true;
}

/* Takes a last word that is a unit. */
static void take_word(struct tl_counter_name *n)
{
	const char *blank = n->len ? memrchr(n->name, ' ', n->len) : NULL;
	const char *word = blank ? blank + 1 : n->name;
	size_t len = (size_t)(n->name + n->len - word);

	if (n->unit_len || !is_unit(word, len))
		return;
	n->unit = word;
	n->unit_len = len;
	n->len = blank ? (size_t)(blank - n->name) : 0;
}

struct tl_counter_name tl_counter_name(const char *text, size_t len)
{
	struct tl_counter_name n = { .name = text, .unit = "", .len = len, .device = -1 };

	do
		while (n.len && n.name[n.len - 1] == ' ')
			n.len--;
	while (take_brackets(&n));
	take_word(&n);
	return n;
}

void tl_make_counter(struct tl_maker *m, uint64_t uid, const struct tl_counter_name *n, double value)
{
	char text[TL_DOUBLE_TEXT];

	tl_make_event(m, uid, TL_KIND_COUNTER, 'C');
	tl_make_name(m, n->name, n->len);
	if (value == trunc(value) && fabs(value) < 9e15)
		tl_make_int(m, TL_KEY_VALUE, (int64_t)value);
	else
		tl_make_field(m, TL_KEY_VALUE, TL_FIELD_JSON, tl_add_string(&m->tables, text, tl_format_double(text, value)));
	if (n->unit_len)
		tl_make_text(m, TL_KEY_UNIT, n->unit, n->unit_len);
	if (n->device >= 0)
		tl_make_int(m, TL_KEY_DEVICE, n->device);
}

/* ---- Chrome's JSON form ------------------------------------------------------------------ */

/* An event with ph C, and what its counters share. */
struct record {
	struct tl_tables *tables;
	struct tl_layout layout;
	struct tl_event event;
	struct tl_counter_name name;
	const struct tl_field *part; int64_t part_value; /* the argument that tells instances apart; NULL: there is none */
	unsigned values;
};

static const char *key_of(const struct record *r, const struct tl_field *f)
{
	return tl_str(&r->tables->strings, f->key);
}

/* Arguments, and the member id of the event, that tell counters of one name apart. */
static bool is_part(const struct record *r, const struct tl_field *f)
{
	return !strcmp(key_of(r, f), "id") || (!f->top && !strcmp(key_of(r, f), "acc_id"));
}

static bool is_value(const struct record *r, const struct tl_field *f)
{
	return !f->top && !is_part(r, f) && f->type != TL_FIELD_STRING;
}

/* The name of one counter: that of the event, and of several in one event that of the argument, if it is more than a unit. */
static uint32_t name_of(const struct record *r, const struct tl_counter_name *key)
{
	struct tl_buf b = { 0 };

	if (r->values < 2 || !key->len)
		return tl_add_string(r->tables, r->name.name, r->name.len);
	tl_buf_add(&b, r->name.name, r->name.len);
	tl_buf_adds(&b, r->name.len ? " " : "");
	tl_buf_add(&b, key->name, key->len);
	uint32_t id = tl_add_string(r->tables, b.data, b.len);
	tl_buf_release(&b);
	return id;
}

static void add_field(struct record *r, struct tl_field *fields, int64_t *values, const char *key, uint8_t type, int64_t value)
{
	fields[r->layout.n_fields] = (struct tl_field){ .key = tl_add_text(r->tables, key), .type = type };
	values[r->layout.n_fields++] = value;
}

static enum tl_status push_value(struct record *r, const struct tl_field *f, int64_t value, struct tl_sink *sink, struct tl_error *err)
{
	const char *text = key_of(r, f);
	struct tl_counter_name key = tl_counter_name(text, strlen(text)), *unit = key.unit_len ? &key : &r->name;
	struct tl_field fields[4];
	int64_t values[4];

	r->layout.n_fields = 0;
	r->layout.fields = fields;
	r->event.values = values;
	r->event.name = name_of(r, &key);
	add_field(r, fields, values, TL_KEY_VALUE, f->type, value);
	if (unit->unit_len)
		add_field(r, fields, values, TL_KEY_UNIT, TL_FIELD_STRING, tl_add_string(r->tables, unit->unit, unit->unit_len));
	if (r->name.device >= 0)
		add_field(r, fields, values, TL_KEY_DEVICE, TL_FIELD_INT, r->name.device);
	if (r->part)
		add_field(r, fields, values, TL_KEY_PART, r->part->type, r->part_value);
	r->event.layout = tl_add_layout(r->tables, &r->layout);
	return sink->ops->event(sink, &r->event, err);
}

/* Is it a number? JSON has no others than finite ones, but writers have. */
static bool is_number(const struct record *r, const struct tl_field *f, int64_t value)
{
	char *end;

	if (f->type == TL_FIELD_INT)
		return true;
	const char *text = tl_str(&r->tables->strings, (uint32_t)value);
	return isfinite(tl_parse_double(text, &end)) && end != text && !*end;
}

enum tl_status tl_push_chrome_counters(struct tl_tables *tables, const struct tl_event *e, const struct tl_layout *l, struct tl_sink *sink,
                                       struct tl_read_report *report, struct tl_error *err)
{
	struct record r = { .tables = tables, .layout = *l, .event = *e };
	const struct tl_field *fields = l->fields; /* stay where they are when the tables get more */
	const int64_t *values = e->values;
	char *name = tl_strndup(tl_str(&tables->strings, e->name), tl_str_len(&tables->strings, e->name));
	enum tl_status st = TL_OK;
	uint32_t n = l->n_fields;
	bool own = false;

	r.name = tl_counter_name(name, strlen(name));
	for (uint32_t i = 0; i < n; i++) {
		own |= !fields[i].top && (!strcmp(key_of(&r, &fields[i]), TL_KEY_OF) || !strcmp(key_of(&r, &fields[i]), TL_KEY_UNIT));
		r.values += is_value(&r, &fields[i]);
		if (is_part(&r, &fields[i]))
			r.part = &fields[i], r.part_value = values[i];
	}
	if (own || !n)
		st = sink->ops->event(sink, e, err);
	for (uint32_t i = 0; !own && !st && i < n; i++) {
		if (is_value(&r, &fields[i]) && is_number(&r, &fields[i], values[i]))
			st = push_value(&r, &fields[i], values[i], sink, err);
		else if (!fields[i].top && !is_part(&r, &fields[i]))
			tl_read_note(report, TL_NO_NUMBER, e->uid, -1);
	}
	free(name);
	return st;
}
