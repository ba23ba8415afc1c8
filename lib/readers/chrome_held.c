/* chrome_held.c - makes events of other writers of Chrome's JSON form what those mean by them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/chrome_held.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/merge_sort.h"
#include "base/number.h"
#include "base/pattern.h"
#include "base/rows.h"
#include "base/search.h"
#include "base/value.h"
#include "model/fields.h"
#include "readers/counter_names.h"

#define FULL_NAME "name in the trace" /* an argument, where the event got another name */
#define ARROW_IDS ((int64_t)1000000000000) /* ids of launches that only arrows tell: above those of the writer */

extern const char tl_data_chrome_kinds[], tl_data_chrome_fields[];
extern const size_t tl_data_chrome_kinds_len, tl_data_chrome_fields_len;

/* ---- the tables -------------------------------------------------------------------------- */

struct test { struct tl_pattern pattern; bool asked; };

enum { KINDS_WRITER, KINDS_PROCESS, KINDS_NAME, KINDS_ARGUMENT, KINDS_THREAD, KINDS_CATEGORY, KINDS_KIND, KINDS_CALLED, KINDS_WITHIN };
struct kind_row {
	struct test process, name, argument, thread, category;
	const char *key;     /* of the argument */
	const char *called, *within; /* NULL: as it was */
	uint32_t of_process; /* the number of the expression for processes */
	uint8_t kind;
	bool unknown;
};

enum how { BY_INT, BY_TEXT, BY_GROUP, BY_TYPE, BY_SIZES, BY_TYPES, BY_LIST, BY_LAUNCH, BY_NAME };
static const char *const hows[] = { "int", "text", "group", "type", "sizes", "types", "list", "launch", "name", NULL };

enum { FIELDS_WRITER, FIELDS_KIND, FIELDS_FIELD, FIELDS_FROM, FIELDS_HOW, FIELDS_NAME };
struct field_row {
	int kind;            /* -1: it names a data type */
	const char *type, *field, *from;
	enum how how;
	struct test name;
};

struct knowledge {
	struct kind_row *kinds;
	struct field_row *fields;
	size_t n_kinds, cap_kinds, n_fields, cap_fields, weight;
	struct tl_arena arena;
	struct tl_strtab processes; /* their expressions */
};

/* Takes an expression, which "-" is none of. */
static struct test take_test(struct tl_rows *r, const char *text, const char *at, size_t *weight)
{
	struct test t = { .asked = strcmp(text, "-") != 0 };
	char why[200];

	if (t.asked && !r->status && !tl_pattern_compile(&t.pattern, text, 0, weight, why))
		tl_rows_fail(r, at, "expected an expression: %s", why);
	t.asked = t.asked && !r->status;
	return t;
}

static struct test take_cell(struct tl_rows *r, size_t cell, struct knowledge *k)
{
	return take_test(r, tl_rows_text(r, cell, &k->arena), r->fields[cell].s, &k->weight);
}

static const char *text_or_null(const struct tl_rows *r, size_t cell, struct tl_arena *arena)
{
	const char *s = tl_rows_text(r, cell, arena);

	return strcmp(s, "-") != 0 ? s : NULL;
}

static void take_kind(struct tl_rows *r, struct knowledge *k)
{
	const char *argument = text_or_null(r, KINDS_ARGUMENT, &k->arena), *rest = argument ? strchr(argument, '~') : "-";
	int kind = tl_kind_by_name(r->fields[KINDS_KIND].s, r->fields[KINDS_KIND].len);
	struct kind_row row = { .unknown = tl_text_is(r->fields[KINDS_KIND].s, r->fields[KINDS_KIND].len, "unknown") };

	if (kind < 0 && !row.unknown)
		tl_rows_fail(r, r->fields[KINDS_KIND].s, "expected a kind of events, or unknown");
	if (!rest)
		tl_rows_fail(r, r->fields[KINDS_ARGUMENT].s, "expected KEY~EXPRESSION");
	if (r->status)
		return;
	row.kind = (uint8_t)(row.unknown ? TL_KIND_OTHER : kind);
	row.process = take_cell(r, KINDS_PROCESS, k);
	row.of_process = tl_intern(&k->processes, r->fields[KINDS_PROCESS].s, r->fields[KINDS_PROCESS].len);
	row.name = take_cell(r, KINDS_NAME, k);
	row.key = argument ? tl_arena_dup(&k->arena, argument, (size_t)(rest - argument)) : NULL;
	row.argument = take_test(r, argument ? rest + 1 : rest, r->fields[KINDS_ARGUMENT].s, &k->weight);
	row.thread = take_cell(r, KINDS_THREAD, k);
	row.category = take_cell(r, KINDS_CATEGORY, k);
	row.called = text_or_null(r, KINDS_CALLED, &k->arena);
	row.within = text_or_null(r, KINDS_WITHIN, &k->arena);
	TL_PUSH(k->kinds, k->n_kinds, k->cap_kinds, row);
}

static void take_field(struct tl_rows *r, struct knowledge *k)
{
	struct field_row row = { .kind = tl_kind_by_name(r->fields[FIELDS_KIND].s, r->fields[FIELDS_KIND].len),
		.type = tl_rows_text(r, FIELDS_KIND, &k->arena), .field = tl_rows_text(r, FIELDS_FIELD, &k->arena),
		.from = tl_rows_text(r, FIELDS_FROM, &k->arena), .how = (enum how)tl_rows_word(r, FIELDS_HOW, hows) };

	if (row.kind < 0 && row.how != BY_NAME)
		tl_rows_fail(r, r->fields[FIELDS_KIND].s, "expected a kind of events");
	row.name = take_cell(r, FIELDS_NAME, k);
	TL_PUSH(k->fields, k->n_fields, k->cap_fields, row);
}

/* Takes the rows of a writer; NULL: of all. */
static enum tl_status read_rows(struct knowledge *k, const char *writer, struct tl_rows r, void take(struct tl_rows *, struct knowledge *))
{
	while (tl_rows_next(&r))
		if (!writer || tl_text_is(r.fields[0].s, r.fields[0].len, writer))
			take(&r, k);
	return r.status;
}

static const char kinds_columns[] = "writer, process, name, argument, thread, category, kind, called, within";
static const char fields_columns[] = "writer, kind, field, from, how, name";

static void release_test(struct test *t)
{
	if (t->asked)
		tl_pattern_release(&t->pattern);
}

static void release_knowledge(struct knowledge *k)
{
	TL_EACH_OF(struct kind_row, row, k->kinds, k->n_kinds) {
		release_test(&row->process);
		release_test(&row->name);
		release_test(&row->argument);
		release_test(&row->thread);
		release_test(&row->category);
	}
	TL_EACH_OF(struct field_row, row, k->fields, k->n_fields)
		release_test(&row->name);
	free(k->kinds);
	free(k->fields);
	tl_arena_release(&k->arena);
	tl_strtab_release(&k->processes);
}

static struct knowledge knowledge_of(const char *writer)
{
	struct knowledge k = { 0 };
	struct tl_error err;

	tl_must(read_rows(&k, writer, (struct tl_rows){ .file = "chrome-kinds", .text = tl_data_chrome_kinds,
		.len = tl_data_chrome_kinds_len, .columns = kinds_columns, .err = &err }, take_kind), &err);
	tl_must(read_rows(&k, writer, (struct tl_rows){ .file = "chrome-fields", .text = tl_data_chrome_fields,
		.len = tl_data_chrome_fields_len, .columns = fields_columns, .err = &err }, take_field), &err);
	return k;
}

enum tl_status tl_chrome_kinds_check(const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct knowledge k = { 0 };
	enum tl_status st = read_rows(&k, NULL, (struct tl_rows){ .file = file, .text = text, .len = len, .columns = kinds_columns, .err = err }, take_kind);

	release_knowledge(&k);
	return st;
}

enum tl_status tl_chrome_fields_check(const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct knowledge k = { 0 };
	enum tl_status st = read_rows(&k, NULL, (struct tl_rows){ .file = file, .text = text, .len = len, .columns = fields_columns, .err = err }, take_field);

	release_knowledge(&k);
	return st;
}

/* ---- what is held -------------------------------------------------------------------------- */

void tl_hold(struct tl_held *h, const struct tl_tables *t, const struct tl_event *e)
{
	uint32_t n = tl_layout_of(t, e->layout)->n_fields;
	int64_t *values = tl_arena_alloc(&h->values, n * sizeof *values);

	memcpy(values, e->values, n * sizeof *values);
	TL_PUSH(h->events, h->n, h->cap, *e);
	h->events[h->n - 1].values = values;
}

void tl_held_release(struct tl_held *h)
{
	free(h->events);
	tl_arena_release(&h->values);
	*h = (struct tl_held){ 0 };
}

/* ---- what is found about all of them ------------------------------------------------------------ */

struct shaper {
	const struct tl_held *held;
	struct tl_tables *tables;
	struct tl_read_report *report;
	struct knowledge known;
	struct tl_by_id processes, threads;  /* by pid and track: the id of the name */
	const struct kind_row **rows;        /* by event; NULL: none fits */
	int64_t *launched_by;                /* by event: an id of a launch that an arrow tells, 0: none */
	struct tl_map devices, n_devices;    /* by expression and pid; by expression */
	struct tl_map first_pids;            /* by device: the process of its first event */
	struct launch { uint32_t text; int64_t ts; uint64_t uid; } *launches; /* operators */
	size_t n_launches, cap_launches;
	/* the event at hand */
	struct tl_layout layout;
	struct tl_event event;
	struct tl_field fields[TL_MAX_FIELDS];
	int64_t values[TL_MAX_FIELDS];
	struct tl_buf text;
	struct tl_field_text group;          /* of an expression */
};

static const char *string(const struct shaper *s, uint32_t id)
{
	return tl_str(&s->tables->strings, id);
}

static bool is_key(const struct shaper *s, const struct tl_field *f, const char *key)
{
	return !strcmp(string(s, f->key), key);
}

/* Field of an event with the key: the place of an argument or, if there is none, of a member; -1: neither. */
static int place_of(const struct shaper *s, const struct tl_layout *l, const char *key)
{
	int at = -1;

	for (uint32_t i = 0; i < l->n_fields; i++)
		if (is_key(s, &l->fields[i], key) && (at < 0 || !l->fields[i].top))
			at = (int)i;
	return at;
}

/* A field of an event as text: "" if there is none. room: for a number. */
static const char *text_of(const struct shaper *s, const struct tl_event *e, const char *key, char room[24])
{
	const struct tl_layout *l = tl_layout_of(s->tables, e->layout);
	int at = place_of(s, l, key);

	if (at < 0)
		return "";
	if (l->fields[at].type != TL_FIELD_INT)
		return string(s, (uint32_t)e->values[at]);
	tl_format_int(room, e->values[at]);
	return room;
}

/* The whole number that a field is, in quotes or not. */
static bool number_of(const struct shaper *s, const struct tl_event *e, const char *key, int64_t *value)
{
	const char *tid = string(s, tl_track_of(s->tables, e->track).tid);
	char room[24];
	const char *text = strcmp(key, "@tid") != 0 ? text_of(s, e, key, room) : tid;

	return *text && tl_parse_whole(text, strlen(text), value);
}

static bool matches(const struct test *t, const char *text)
{
	return !t->asked || tl_pattern_matches(&t->pattern, text, strlen(text));
}

static void take_names(struct shaper *s)
{
	char room[24];

	for (size_t i = 0; i < s->held->n; i++) {
		const struct tl_event *e = &s->held->events[i];
		bool process = !strcmp(string(s, e->name), "process_name");

		if (tl_layout_of(s->tables, e->layout)->kind != TL_KIND_META || (!process && strcmp(string(s, e->name), "thread_name") != 0))
			continue;
		uint32_t name = tl_add_text(s->tables, text_of(s, e, TL_KEY_META_NAME, room));
		if (process)
			*tl_by_id(&s->processes, tl_track_of(s->tables, e->track).pid) = name;
		else
			*tl_by_id(&s->threads, e->track) = name;
	}
}

static const char *process_of(struct shaper *s, const struct tl_event *e)
{
	return string(s, *tl_by_id(&s->processes, tl_track_of(s->tables, e->track).pid));
}

static bool fits(struct shaper *s, const struct kind_row *row, const struct tl_event *e, const struct tl_layout *l)
{
	bool arrow = l->ph == 's' || l->ph == 'f' || l->ph == 't';
	char room[24];

	if (arrow != (row->kind == TL_KIND_LAUNCH_FLOW) || (!arrow && l->ph != 'X'))
		return false;
	return matches(&row->process, process_of(s, e)) && matches(&row->category, string(s, l->cat)) && matches(&row->name, string(s, e->name)) &&
		matches(&row->thread, string(s, *tl_by_id(&s->threads, e->track))) &&
		(!row->key || (place_of(s, l, row->key) >= 0 && matches(&row->argument, text_of(s, e, row->key, room))));
}

static const struct kind_row *row_of(struct shaper *s, const struct tl_event *e)
{
	const struct tl_layout *l = tl_layout_of(s->tables, e->layout);

	TL_EACH_OF(const struct kind_row, row, s->known.kinds, s->known.n_kinds)
		if (fits(s, row, e, l))
			return row;
	return NULL;
}

/* The row that makes this field of events of the kind; NULL: there is none. */
static const struct field_row *field_row(const struct shaper *s, int kind, const char *field)
{
	TL_EACH_OF(const struct field_row, row, s->known.fields, s->known.n_fields)
		if (row->kind == kind && !strcmp(row->field, field))
			return row;
	return NULL;
}

/* ---- launches by a text that operator and device event share ---------------------------------------- */

TL_ORDER(by_text, struct launch, TL_ASC(x->text) TL_ASC(x->ts) TL_ASC(x->uid))

static uint32_t shared_text(const struct shaper *s, const struct field_row *row, const struct tl_event *e)
{
	char room[24];

	return strcmp(row->from, "@name") != 0 ? tl_add_text(s->tables, text_of(s, e, row->from, room)) : e->name;
}

static void find_launches(struct shaper *s)
{
	const struct field_row *row = field_row(s, TL_KIND_CPU_OP, TL_KEY_CORRELATION);

	for (size_t i = 0; row && i < s->held->n; i++) {
		const struct tl_event *e = &s->held->events[i];
		if (s->rows[i] && s->rows[i]->kind == TL_KIND_CPU_OP)
			TL_PUSH(s->launches, s->n_launches, s->cap_launches, (struct launch){ shared_text(s, row, e), e->ts, e->uid });
	}
	tl_merge_sort(s->launches, s->n_launches, sizeof *s->launches, by_text, NULL);
}

/* The operator of the text that began last before the event; 0: there is none, else its uid + 1. */
static int64_t operator_of(const struct shaper *s, uint32_t text, int64_t ts)
{
	size_t at;

	TL_SEARCH(at, s->n_launches, mid, s->launches[mid].text < text || (s->launches[mid].text == text && s->launches[mid].ts <= ts));
	return at && s->launches[at - 1].text == text ? (int64_t)s->launches[at - 1].uid + 1 : 0;
}

/* ---- launches by arrows ------------------------------------------------------------------------------ */

static uint64_t moment(uint32_t track, int64_t ts)
{
	return tl_hash_u64((uint64_t)ts) ^ tl_hash_u64(track);
}

/* The id that calls and device events of a launch have; false: this one has none. */
static bool launch_id(const struct shaper *s, size_t event, int64_t *id)
{
	const struct field_row *row = s->rows[event] ? field_row(s, s->rows[event]->kind, TL_KEY_CORRELATION) : NULL;

	return row && row->how == BY_INT && number_of(s, &s->held->events[event], row->from, id);
}

/* What is where: device events by the moment when they begin, ends of arrows by their ids, and which thread made calls of which id. */
struct places { struct tl_map devices, ends, calls; };

static uint64_t arrow_id(const struct shaper *s, const struct tl_event *e)
{
	char room[24];
	const char *id = text_of(s, e, TL_KEY_FLOW_ID, room);

	return tl_hash(id, strlen(id));
}

static void see_place(struct shaper *s, struct places *p, size_t i)
{
	const struct tl_event *e = &s->held->events[i];
	uint8_t kind = s->rows[i]->kind;
	int64_t id;

	if (tl_kind_is_gpu(kind))
		*tl_map_put(&p->devices, moment(e->track, e->ts), NULL) = (uint32_t)i;
	else if (tl_kind_is_launch(kind) && launch_id(s, i, &id))
		tl_map_add(&p->calls, moment(tl_track_of(s->tables, e->track).tid, id));
	else if (kind == TL_KIND_LAUNCH_FLOW && tl_layout_of(s->tables, e->layout)->ph != 's')
		*tl_map_put(&p->ends, arrow_id(s, e), NULL) = (uint32_t)i;
}

/* A start of an arrow is a call, unless a call of its thread has the id of the device event where the arrow ends. */
static void take_start(struct shaper *s, const struct places *p, size_t i)
{
	const struct tl_event *e = &s->held->events[i];
	const uint32_t *end = tl_map_get(&p->ends, arrow_id(s, e));
	const struct tl_event *to = end ? &s->held->events[*end] : NULL;
	const uint32_t *device = to ? tl_map_get(&p->devices, moment(to->track, to->ts)) : NULL;
	int64_t id;

	if (!device || s->launched_by[*device] ||
	    (launch_id(s, *device, &id) && tl_map_get(&p->calls, moment(tl_track_of(s->tables, e->track).tid, id))))
		return;
	s->launched_by[i] = s->launched_by[*device] = ARROW_IDS + (int64_t)e->uid;
}

static void follow_arrows(struct shaper *s)
{
	struct places p = { 0 };

	for (size_t i = 0; i < s->held->n; i++)
		if (s->rows[i])
			see_place(s, &p, i);
	for (size_t i = 0; i < s->held->n; i++)
		if (s->rows[i] && s->rows[i]->kind == TL_KIND_LAUNCH_FLOW && tl_layout_of(s->tables, s->held->events[i].layout)->ph == 's')
			take_start(s, &p, i);
	tl_map_release(&p.devices);
	tl_map_release(&p.ends);
	tl_map_release(&p.calls);
}

/* ---- an event anew ---------------------------------------------------------------------------------- */

/* Sets an argument of the event at hand; in one that has 4096 fields there is no place for another. */
static void set(struct shaper *s, const char *key, enum tl_field_type type, int64_t value)
{
	uint32_t i = 0;

	while (i < s->layout.n_fields && (s->fields[i].top || !is_key(s, &s->fields[i], key)))
		i++;
	if (i == TL_MAX_FIELDS)
		return;
	s->layout.n_fields += i == s->layout.n_fields;
	s->layout.flags |= TL_HAS_ARGS;
	s->fields[i] = (struct tl_field){ .key = tl_add_text(s->tables, key), .type = (uint8_t)type };
	s->values[i] = value;
}

static void set_text(struct shaper *s, const char *key, enum tl_field_type type, const char *text, size_t len)
{
	set(s, key, type, tl_add_string(s->tables, text, len));
}

static bool group_of(const struct test *t, const char *text, struct tl_field_text *group)
{
	return t->asked && tl_pattern_groups(&t->pattern) && tl_pattern_group(&t->pattern, text, strlen(text), 1, &group->s, &group->len);
}

static void set_number_or_text(struct shaper *s, const char *key, const struct tl_field_text *text)
{
	int64_t number;

	if (tl_parse_whole(text->s, text->len, &number))
		set(s, key, TL_FIELD_INT, number);
	else
		set_text(s, key, TL_FIELD_STRING, text->s, text->len);
}

static const char *type_name(const struct shaper *s, const char *type, size_t len)
{
	TL_EACH_OF(const struct field_row, row, s->known.fields, s->known.n_fields)
		if (row->how == BY_NAME && tl_text_is(type, len, row->type))
			return row->field;
	return NULL;
}

/* Writes the sizes, or else the types, of [{"TYPE":[SIZE,...]},...] as a list. False: what stands there is something else. */
static bool add_shapes(struct shaper *s, const char *json, bool sizes)
{
	const char *type, *list, *end;
	struct tl_arena arena = { 0 };
	struct tl_value made;
	struct tl_error err;

	tl_buf_addc(&s->text, '[');
	for (const char *at = json; (type = strstr(at, "{\"")) && (list = strstr(type + 2, "\":[")) && (end = strchr(list, ']')); at = end) {
		const char *name = type_name(s, type + 2, (size_t)(list - type - 2));
		tl_buf_adds(&s->text, s->text.len > 1 ? "," : "");
		if (sizes)
			tl_buf_add(&s->text, list + 2, (size_t)(end - list - 1));
		else
			tl_buf_addf(&s->text, "\"%.*s\"", name ? (int)strlen(name) : (int)(list - type - 2), name ? name : type + 2);
	}
	tl_buf_addc(&s->text, ']');
	bool good = tl_value_parse(&arena, s->text.data, s->text.len, &made, &err) == TL_OK;
	tl_arena_release(&arena);
	return good;
}

/* Writes the numbers of three keys, commas between them, as a list. */
static bool add_numbers(struct shaper *s, const struct tl_event *e, const char *keys)
{
	char key[64];
	int64_t number;

	for (const char *end; *keys; keys = *end ? end + 1 : end) {
		end = strchrnul(keys, ',');
		tl_buf_adds(&s->text, s->text.len ? "," : "[");
		if ((size_t)(end - keys) >= sizeof key)
			return false;
		memcpy(key, keys, (size_t)(end - keys));
		key[end - keys] = '\0';
		if (!number_of(s, e, key, &number))
			return false;
		tl_buf_addf(&s->text, "%lld", (long long)number);
	}
	tl_buf_addc(&s->text, ']');
	return true;
}

/* Sets the field of a row; e is the event as it was. */
static void set_field(struct shaper *s, const struct field_row *row, const struct tl_event *e)
{
	char room[24];
	const char *text = text_of(s, e, row->from, room), *type;
	int64_t number;

	tl_buf_clear(&s->text);
	if (row->how == BY_GROUP && group_of(&row->name, string(s, e->name), &s->group)) {
		set_number_or_text(s, row->field, &s->group);
	} else if (row->how == BY_TEXT) {
		set_text(s, row->field, TL_FIELD_STRING, row->from, strlen(row->from));
	} else if (row->how == BY_LAUNCH) {
		number = s->layout.kind == TL_KIND_CPU_OP ? (int64_t)e->uid + 1 : operator_of(s, shared_text(s, row, e), e->ts);
		if (number)
			set(s, row->field, TL_FIELD_INT, number);
	} else if (row->how == BY_INT && number_of(s, e, row->from, &number)) {
		set(s, row->field, TL_FIELD_INT, number);
	} else if (row->how == BY_TYPE && *text) {
		type = type_name(s, text, strlen(text));
		set_text(s, row->field, TL_FIELD_STRING, type ? type : text, strlen(type ? type : text));
	} else if (row->how == BY_LIST && add_numbers(s, e, row->from)) {
		set_text(s, row->field, TL_FIELD_JSON, s->text.data, s->text.len);
	} else if ((row->how == BY_SIZES || row->how == BY_TYPES) && *text == '[' && add_shapes(s, text, row->how == BY_SIZES)) {
		set_text(s, row->field, TL_FIELD_JSON, s->text.data, s->text.len);
	}
}

/* The device: the number that the name of the process tells, else the place of the process among those of the row. */
static int64_t device_of(struct shaper *s, const struct kind_row *row)
{
	bool is_new;
	int64_t number;

	if (group_of(&row->process, process_of(s, &s->event), &s->group) && tl_parse_whole(s->group.s, s->group.len, &number))
		return number;
	uint32_t *n = tl_map_put(&s->devices, tl_key_of_two(row->of_process, tl_track_of(s->tables, s->event.track).pid), &is_new);
	if (is_new)
		*n = (*tl_map_put(&s->n_devices, row->of_process, NULL))++;
	return *n;
}

/* Gives a device event its device and, where the thread's name tells it, its stream. What several processes have of one device
 * goes to the first of them, to a thread that is called as that was where it stood. */
static void set_device(struct shaper *s, const struct kind_row *row)
{
	struct tl_track track = tl_track_of(s->tables, s->event.track);
	int64_t device = device_of(s, row);
	const char *thread = string(s, *tl_by_id(&s->threads, s->event.track)), *name = *thread ? thread : process_of(s, &s->event);
	uint32_t *pid = tl_map_put(&s->first_pids, (uint64_t)device, NULL);

	set(s, TL_KEY_DEVICE, TL_FIELD_INT, device);
	if (group_of(&row->thread, thread, &s->group))
		set_number_or_text(s, TL_KEY_STREAM, &s->group);
	*pid = *pid ? *pid : track.pid;
	if (*pid == track.pid)
		return;
	tl_buf_clear(&s->text);
	tl_buf_addf(&s->text, "\"%s\"", name);
	s->event.track = tl_add_track(s->tables, *pid, tl_add_string(s->tables, s->text.data, s->text.len));
}

/* Calls the event as the row says, and keeps what it was called. */
static void rename_event(struct shaper *s, const struct kind_row *row, const struct tl_event *e)
{
	const char *name = string(s, e->name);
	char room[24];

	tl_buf_clear(&s->text);
	if (*row->called == '=')
		tl_buf_adds(&s->text, text_of(s, e, row->called + 1, room));
	else
		tl_pattern_replace(&row->name.pattern, row->called, name, strlen(name), &s->text);
	if (!s->text.len)
		return;
	s->event.name = tl_add_string(s->tables, s->text.data, s->text.len);
	set(s, FULL_NAME, TL_FIELD_STRING, e->name);
}

/* A call stands on the thread of the same number of the process that made it. */
static void move_within(struct shaper *s, const char *within)
{
	for (uint32_t pid = 1; pid < s->processes.n; pid++)
		if (s->processes.of[pid] && !strncmp(string(s, s->processes.of[pid]), within, strlen(within))) {
			s->event.track = tl_add_track(s->tables, pid, tl_track_of(s->tables, s->event.track).tid);
			return;
		}
}

static void shape(struct shaper *s, const struct kind_row *row, const struct tl_event *e)
{
	char room[24];

	s->layout.kind = row->kind;
	if (row->unknown)
		tl_read_quote(s->report, "device events of an unknown type, not counted as work: ", text_of(s, e, row->key, room), e->uid);
	if (row->called)
		rename_event(s, row, e);
	if (tl_kind_is_gpu(row->kind) || row->kind == TL_KIND_GPU_ANNOTATION)
		set_device(s, row);
	TL_EACH_OF(const struct field_row, f, s->known.fields, s->known.n_fields)
		if (f->kind == row->kind && matches(&f->name, string(s, e->name)))
			set_field(s, f, e);
	if (row->within)
		move_within(s, row->within);
}

/* The start of an arrow that is a call, which takes no time. */
static void shape_arrow(struct shaper *s, int64_t launch)
{
	s->layout.kind = launch ? TL_KIND_RUNTIME : TL_KIND_FLOW;
	if (!launch)
		return;
	s->layout.ph = 'X';
	s->layout.flags |= TL_HAS_DUR | TL_INT_DUR;
}

static enum tl_status push(struct shaper *s, size_t i, struct tl_sink *sink, struct tl_error *err)
{
	const struct tl_event *e = &s->held->events[i];
	const struct tl_layout *l = tl_layout_of(s->tables, e->layout);

	if (l->kind == TL_KIND_COUNTER && !s->held->keep_counters)
		return tl_push_chrome_counters(s->tables, e, l, sink, s->report, err);
	if (!s->rows[i])
		return sink->ops->event(sink, e, err);
	s->layout = *l;
	memcpy(s->fields, l->fields, l->n_fields * sizeof *s->fields);
	memcpy(s->values, e->values, l->n_fields * sizeof *s->values);
	s->event = *e;
	if (s->rows[i]->kind == TL_KIND_LAUNCH_FLOW)
		shape_arrow(s, s->launched_by[i]);
	else
		shape(s, s->rows[i], e);
	if (s->launched_by[i])
		set(s, TL_KEY_CORRELATION, TL_FIELD_INT, s->launched_by[i]);
	s->layout.fields = s->fields;
	s->event.layout = tl_add_layout(s->tables, &s->layout);
	s->event.values = s->values;
	return sink->ops->event(sink, &s->event, err);
}

static void release(struct shaper *s)
{
	release_knowledge(&s->known);
	tl_by_id_release(&s->processes);
	tl_by_id_release(&s->threads);
	tl_map_release(&s->devices);
	tl_map_release(&s->n_devices);
	tl_map_release(&s->first_pids);
	tl_buf_release(&s->text);
	free(s->launches);
	free(s->launched_by);
	free(s->rows);
	free(s);
}

enum tl_status tl_held_push(struct tl_held *h, const char *writer, struct tl_tables *tables, struct tl_sink *sink, struct tl_read_report *report,
                            struct tl_error *err)
{
	struct shaper *s = tl_calloc(1, sizeof *s);
	enum tl_status st = TL_OK;

	s->held = h;
	s->tables = tables;
	s->report = report;
	s->known = knowledge_of(writer ? writer : "");
	s->rows = tl_calloc(h->n + 1, sizeof *s->rows);
	s->launched_by = tl_calloc(h->n + 1, sizeof *s->launched_by);
	if (s->known.n_kinds) {
		take_names(s);
		for (size_t i = 0; i < h->n; i++)
			s->rows[i] = row_of(s, &h->events[i]);
		find_launches(s);
		follow_arrows(s);
	}
	for (size_t i = 0; i < h->n && !st; i++)
		st = push(s, i, sink, err);
	release(s);
	tl_held_release(h);
	return st;
}
