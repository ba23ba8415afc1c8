/* sqlite_nccl.c - what NCCL says of its calls in a database of Nsight Systems: the payloads of its NVTX ranges,
 * and which kernels these calls launched.
 *
 * NCCL marks each call with a range whose payload gives the communicator and the size of the message, by a schema that
 * NCCL registers (nvtx_payload_schemas.h of NCCL; numbers of schemas differ by version, so their fields go by name).
 * A kernel is of the call in whose range it was launched. Calls between ncclGroupStart and ncclGroupEnd are launched
 * at the end of the group, and share its kernels.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/sqlite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/merge_sort.h"
#include "base/rows.h"
#include "base/search.h"
#include "base/text.h"
#include "base/value.h"

extern const char tl_data_nccl_calls[];
extern const size_t tl_data_nccl_calls_len;

/* ---- the table of calls ------------------------------------------------------------------ */

enum { CALL, COLLECTIVE, KERNEL, GIVES, GETS };
enum { OF_SIZE, OF_RANKS, NOTHING };
static const char *const factors[] = { "size", "ranks", "-", NULL };

struct call {
	const char *name, *collective; /* NULL: it begins or ends a group */
	const char *kernel;
	uint8_t sides[2];              /* what the rank gives and gets: factors */
	int8_t group;                  /* 1: begins one; -1: ends it */
};
struct calls { struct call *items; size_t n, cap; struct tl_arena arena; };

static enum tl_status read_calls(struct calls *c, struct tl_rows r)
{
	r.columns = "call, collective, kernel, gives, gets";
	while (tl_rows_next(&r)) {
		struct call call = { .name = tl_rows_text(&r, CALL, &c->arena), .collective = tl_rows_text(&r, COLLECTIVE, &c->arena),
		                     .kernel = tl_rows_text(&r, KERNEL, &c->arena) };
		for (int i = 0; i < 2; i++)
			call.sides[i] = (uint8_t)tl_rows_word(&r, GIVES + (size_t)i, factors);
		call.group = !strcmp(call.collective, "begin") ? 1 : !strcmp(call.collective, "end") ? -1 : 0;
		call.collective = call.group ? NULL : call.collective;
		TL_PUSH(c->items, c->n, c->cap, call);
	}
	return r.status;
}

static void release_calls(struct calls *c)
{
	free(c->items);
	tl_arena_release(&c->arena);
}

enum tl_status tl_nccl_calls_check(const char *file, const char *text, size_t len, struct tl_error *err)
{
	struct calls c = { 0 };
	enum tl_status st = read_calls(&c, (struct tl_rows){ .file = file, .text = text, .len = len, .err = err });

	release_calls(&c);
	return st;
}

static void load_calls(struct calls *c)
{
	struct tl_error err;

	tl_must(read_calls(c, (struct tl_rows){ .file = "nccl-calls", .text = tl_data_nccl_calls, .len = tl_data_nccl_calls_len, .err = &err }), &err);
}

/* The number in the table + 1 of the call that a range is about; 0: it is none of them. */
static uint32_t find_call(const struct calls *c, const char *range, size_t len)
{
	static const char nccl[] = "nccl";
	const size_t n = sizeof nccl - 1;

	for (size_t i = 0; i < c->n && len > n; i++)
		if (!memcmp(range, nccl, n) && tl_text_is(range + n, len - n, c->items[i].name))
			return (uint32_t)i + 1;
	return 0;
}

bool tl_nccl_call(const char *range, char *words, size_t size)
{
	struct calls c = { 0 };

	load_calls(&c);
	uint32_t found = find_call(&c, range, strlen(range));
	const struct call *call = found ? &c.items[found - 1] : NULL;
	if (call)
		snprintf(words, size, "%s %s %s %s", call->collective ? call->collective : call->group > 0 ? "begin" : "end", call->kernel,
		         factors[call->sides[0]], factors[call->sides[1]]);
	release_calls(&c);
	return call;
}

/* ---- what is known ------------------------------------------------------------------------- */

enum value { COMMUNICATOR, BYTES, RANKS, RANK, CUDA_DEVICE, ROOT, PEER, REDUCTION, N_VALUES };
static const char *const value_names[] = { "NCCL communicator ID", "Message size [bytes]", "No. of ranks", "Rank",
	"CUDA device", "Root", "Peer rank", "Reduction operation", NULL };
static const char *const reductions[] = { "Sum", "Product", "Max", "Min", "Avg" };

/* Where a payload of a schema has which value; of each the first that the file tells. */
struct schema { uint8_t given; struct { int64_t type, offset; } at[N_VALUES]; };

struct message {
	int64_t row;             /* of NVTX_EVENTS */
	int64_t thread, start, end;
	uint32_t process;        /* its number */
	uint32_t call;           /* 0: another one; else its number in the table + 1 */
	uint32_t parent, unit;   /* positions + 1 */
	uint8_t given;           /* bits 1 << enum value */
	bool damaged;
	int64_t values[N_VALUES]; /* REDUCTION: an id in texts */
};
/* The messages whose kernels are launched together, by their places in the order: one call, or a group. */
struct unit { uint32_t from, to; };
/* What a process has of a communicator, on one device or on any. */
struct place { int64_t ranks, rank; bool several; };
/* What messages are together. */
struct tally {
	const struct message *first, *in_group; /* the first, and the first that tells its communicator */
	int64_t n, sums[2];
	bool has[2], unknown[2];      /* by what the rank gives and gets */
	bool calls_differ, groups_differ, sizes_differ, beyond_transfers;
};
/* Kernels of a unit, all or those with a word in their name, and the messages that they are about. */
struct part { uint32_t kernels; bool is_tallied; struct tally tally; };

struct tl_nccl {
	struct tl_sqlite_reader *r;
	struct tl_db_names *strings;
	struct calls calls;
	struct TL_KEYED(struct schema) schemas; /* by domain and schema */
	struct tl_strtab texts;
	struct tl_map enums;          /* numbers of their domains and schemas */
	struct tl_map enum_texts;     /* such a number and a value -> id in texts */
	struct tl_map communicators;  /* numbers of them, by their id */
	struct tl_map memberships;    /* numbers of processes' communicators */
	struct TL_KEYED(struct place) places; /* by number of these and device + 1, 0: any */
	struct message *messages;     /* by process, thread and start */
	size_t n, cap;
	struct unit *units;
	size_t n_units, cap_units;
	struct tl_map rows;           /* number of a row of NVTX_EVENTS -> place of its message */
	struct tl_map processes;      /* numbers of processes, by their ids with that of the machine */
	struct tl_map launches;       /* process and correlation -> unit + 1 */
	struct TL_KEYED(struct part) parts; /* by unit and word of a kernel's name, 0: all */
	bool has_sizes, has_payloads; /* a schema tells of sizes of messages; a range has a payload */
};

static const struct call *call_of(const struct tl_nccl *n, const struct message *m)
{
	return m->call ? &n->calls.items[m->call - 1] : NULL;
}

/* ---- schemas ---------------------------------------------------------------------------------- */

enum { S_DOMAIN, S_SCHEMA, S_TYPE, S_NAME, S_OFFSET, S_VALUE };
static const struct tl_db_column entry_columns[] = {
	{ S_DOMAIN, 0, 0, "domainId" }, { S_SCHEMA, 0, 0, "schemaId" }, { S_TYPE, 0, 0, "type" }, { S_NAME, 0, TL_DB_TEXT, "name" },
	{ S_OFFSET, 0, 0, "offset" }, { .name = NULL } };
static const struct tl_db_query entries = { .table = "NVTX_PAYLOAD_SCHEMA_ENTRIES", .columns = entry_columns };
static const struct tl_db_column enum_columns[] = {
	{ S_DOMAIN, 0, 0, "domainId" }, { S_SCHEMA, 0, 0, "schemaId" }, { S_NAME, 0, TL_DB_TEXT, "name" }, { S_VALUE, 0, 0, "value" },
	{ .name = NULL } };
static const struct tl_db_query enums = { .table = "NVTX_PAYLOAD_ENUM_ENTRIES", .columns = enum_columns };

/* Numbers of domains and schemas are told with flags above the 32nd bit at times. */
static uint64_t schema_key(int64_t domain, int64_t schema)
{
	return tl_key_of_two((uint32_t)domain, (uint32_t)schema);
}

static enum value value_of(const char *name, size_t len)
{
	enum value v = 0;

	while (v < N_VALUES && !tl_text_is(name, len, value_names[v]))
		v++;
	return v;
}

static void add_entry(void *ctx, const struct tl_db_rows *rows)
{
	struct tl_nccl *n = ctx;
	size_t len;
	const char *name = tl_sqlite_text(n->r, rows, S_NAME, &len);
	enum value v = name ? value_of(name, len) : N_VALUES;

	if (v == N_VALUES)
		return;
	struct schema *s = TL_ITEM(&n->schemas, schema_key(rows->ints[S_DOMAIN], rows->ints[S_SCHEMA]), NULL);
	if (s->given >> v & 1)
		return;
	s->given |= (uint8_t)(1u << v);
	s->at[v].type = rows->ints[S_TYPE];
	s->at[v].offset = rows->ints[S_OFFSET];
	n->has_sizes |= v == BYTES;
}

static uint64_t enum_key(struct tl_nccl *n, int64_t domain, int64_t schema, int64_t value)
{
	return tl_key_of_two(tl_map_number(&n->enums, schema_key(domain, schema), NULL), (uint32_t)value);
}

static void add_enum(void *ctx, const struct tl_db_rows *rows)
{
	struct tl_nccl *n = ctx;
	size_t len;
	const char *name = tl_sqlite_text(n->r, rows, S_NAME, &len);

	if (name)
		*tl_map_put(&n->enum_texts, enum_key(n, rows->ints[S_DOMAIN], rows->ints[S_SCHEMA], rows->ints[S_VALUE]), NULL) =
			tl_intern(&n->texts, name, len);
}

static uint32_t reduction(struct tl_nccl *n, int64_t domain, int64_t type, int64_t value)
{
	const uint32_t *text = tl_map_get(&n->enum_texts, enum_key(n, domain, type, value));

	if (text)
		return *text;
	return value >= 0 && value < (int64_t)(sizeof reductions / sizeof *reductions) ? tl_intern_str(&n->texts, reductions[value]) : 0;
}

/* ---- payloads ------------------------------------------------------------------------------------ */

enum { HEADER = 32, FIRST_ENUM = 1 << 24 };

/* The bytes of a value of NVTX's payload types (nvToolsExtPayload.h); 0: no integer of 4 or 8 bytes. */
static size_t width_of(int64_t type)
{
	if (type == 5 || type == 6 || type == 15 || type == 16 || type >= FIRST_ENUM)
		return 4;
	return (type >= 7 && type <= 10) || type == 17 || type == 18 || type == 22 ? 8 : 0;
}

static uint64_t number_at(const uint8_t *p, size_t width)
{
	uint64_t v = 0;

	for (size_t i = width; i--;)
		v = v << 8 | p[i];
	return v;
}

static void set_value(struct message *m, enum value v, int64_t value)
{
	m->values[v] = value;
	m->given |= (uint8_t)(1u << v);
}

/* A payload: its domain, its schema, its size, another number (8 bytes each), then what the schema says. */
static void read_payload(struct tl_nccl *n, struct message *m, const uint8_t *p, size_t len)
{
	m->damaged = len < HEADER || number_at(p + 16, 8) > len - HEADER;
	if (m->damaged)
		return;
	uint64_t domain = number_at(p, 4), size = number_at(p + 16, 8);
	const struct schema *s = TL_ITEM_FIND(&n->schemas, schema_key((int64_t)domain, (int64_t)number_at(p + 8, 4)));
	for (enum value v = 0; s && v < N_VALUES; v++) {
		size_t width = width_of(s->at[v].type);
		if (!(s->given >> v & 1) || !width)
			continue;
		if (s->at[v].offset < 0 || size < width || (uint64_t)s->at[v].offset > size - width) {
			m->damaged = true;
			continue;
		}
		uint64_t value = number_at(p + HEADER + s->at[v].offset, width);
		int64_t number = width == 4 ? (int32_t)value : (int64_t)value;
		set_value(m, v, v == REDUCTION ? reduction(n, (int64_t)domain, s->at[v].type, number) : number);
	}
}

/* Bytes may stand there as hexadecimal digits. */
static void read_bytes(struct tl_nccl *n, struct message *m, const char *s, size_t len)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	struct tl_buf bytes = { 0 };
	size_t skip = len > 2 && s[0] == '0' && (s[1] | 0x20) == 'x' ? 2 : 0;
	bool hex = len % 2 == 0;

	for (size_t i = skip; i < len && hex; i++) {
		const char *digit = s[i] ? strchr(digits, s[i]) : NULL;
		hex = digit != NULL;
		if (hex && i % 2)
			bytes.data[bytes.len - 1] = (char)(bytes.data[bytes.len - 1] | ((digit - digits) & 15));
		else if (hex)
			tl_buf_addc(&bytes, (char)(((digit - digits) & 15) << 4));
	}
	read_payload(n, m, (const uint8_t *)(hex ? tl_buf_text(&bytes) : s), hex ? bytes.len : len);
	tl_buf_release(&bytes);
}

static void read_json(struct tl_nccl *n, struct message *m, const char *s, size_t len)
{
	struct tl_arena arena = { 0 };
	struct tl_value object;
	struct tl_error err;

	m->damaged = tl_value_parse(&arena, s, len, &object, &err) != TL_OK;
	for (enum value v = 0; !m->damaged && v < N_VALUES; v++) {
		const struct tl_value *value = tl_value_member(&object, value_names[v]);
		if (value && value->type == TL_V_INT)
			set_value(m, v, v == REDUCTION ? reduction(n, -1, -1, (int64_t)value->i) : (int64_t)value->i);
		else if (value && value->type == TL_V_TEXT && v == REDUCTION)
			set_value(m, v, tl_intern(&n->texts, value->text, value->len));
	}
	tl_arena_release(&arena);
}

/* ---- ranges -------------------------------------------------------------------------------------- */

enum { START, END, TYPE, TEXT, TEXT_ID, GLOBAL, DOMAIN, JSON, JSON_ID, BINARY };
enum { PUSH_POP = 59, PUSH_POP_T = 70 };
static const struct tl_db_column range_columns[] = {
	{ START, 0, TL_DB_NEEDED | TL_DB_TIME, "start" }, { END, 0, TL_DB_TIME, "end" }, { TYPE, 0, TL_DB_NEEDED, "eventType" },
	{ TEXT, 0, TL_DB_TEXT, "text" }, { TEXT_ID, 0, 0, "textId" }, { GLOBAL, 0, 0, "globalTid" }, { DOMAIN, 0, 0, "domainId" },
	{ JSON, 0, TL_DB_TEXT, "jsonText" }, { JSON_ID, 0, 0, "jsonTextId" }, { BINARY, 0, TL_DB_BYTES, "binaryData" }, { .name = NULL } };
static const struct tl_db_query ranges = { .table = "NVTX_EVENTS", .columns = range_columns };

/* A text of the row, or the one whose number it has; NULL: it has none. */
static const char *text_of(struct tl_nccl *n, const struct tl_db_rows *rows, int slot, int id_slot, size_t *len)
{
	const char *text = tl_sqlite_text(n->r, rows, slot, len);

	return *len || !tl_db_given(rows, id_slot) ? text : tl_sqlite_name(n->r, n->strings, rows->ints[id_slot], len);
}

static void add_message(void *ctx, const struct tl_db_rows *rows)
{
	struct tl_nccl *n = ctx;
	struct message m = { .row = rows->rowid, .thread = rows->ints[GLOBAL] & 0xffffff, .start = rows->ints[START], .end = rows->ints[END] };
	size_t len, json_len;

	/* The default domain is the program's own. */
	if ((rows->ints[TYPE] != PUSH_POP && rows->ints[TYPE] != PUSH_POP_T) || !rows->ints[DOMAIN] || !tl_db_given(rows, END))
		return;
	const char *text = text_of(n, rows, TEXT, TEXT_ID, &len);
	if (!text || !tl_starts_with(text, "nccl"))
		return;
	m.process = tl_map_number(&n->processes, (uint64_t)rows->ints[GLOBAL] >> 24, NULL);
	m.call = find_call(&n->calls, text, len);
	const char *json = text_of(n, rows, JSON, JSON_ID, &json_len);
	if (json)
		read_json(n, &m, json, json_len);
	else if (tl_db_given(rows, BINARY)) {
		const char *bytes = tl_db_text(rows, BINARY, &len);
		read_bytes(n, &m, bytes ? bytes : "", len);
	}
	n->has_payloads |= m.given || m.damaged;
	TL_PUSH(n->messages, n->n, n->cap, m);
}

static struct place *place_of(struct tl_nccl *n, const struct message *m, int64_t device)
{
	uint32_t communicator = tl_map_number(&n->communicators, (uint64_t)m->values[COMMUNICATOR], NULL);
	uint32_t member = tl_map_number(&n->memberships, tl_key_of_two(m->process, communicator), NULL);
	bool is_new;
	struct place *p = TL_ITEM(&n->places, tl_key_of_two(member, (uint32_t)(device + 1)), &is_new);

	if (is_new)
		p->rank = -1;
	return p;
}

/* A process may have several ranks of a communicator, each on a device of its own. */
static void add_place(struct tl_nccl *n, const struct message *m, int64_t device)
{
	struct place *p = place_of(n, m, device);

	p->several |= p->rank >= 0 && p->rank != m->values[RANK];
	p->rank = m->values[RANK];
	p->ranks = m->values[RANKS];
}

static void add_places(struct tl_nccl *n)
{
	const uint8_t needed = 1u << COMMUNICATOR | 1u << RANKS | 1u << RANK;

	for (size_t i = 0; i < n->n; i++) {
		const struct message *m = &n->messages[i];
		if ((m->given & needed) != needed)
			continue;
		add_place(n, m, -1);
		if (m->given >> CUDA_DEVICE & 1 && m->values[CUDA_DEVICE] >= 0)
			add_place(n, m, m->values[CUDA_DEVICE]);
	}
}

/* ---- groups ----------------------------------------------------------------------------------------- */

TL_ORDER(by_thread, struct message, TL_ASC(x->process) TL_ASC(x->thread) TL_ASC(x->start) TL_DESC(x->end))

static bool of_one_thread(const struct message *a, const struct message *b)
{
	return a->process == b->process && a->thread == b->thread;
}

static uint32_t new_unit(struct tl_nccl *n, uint32_t from)
{
	struct unit u = { from, from + 1 };

	TL_PUSH(n->units, n->n_units, n->cap_units, u);
	return (uint32_t)n->n_units;
}

/* Groups nest; the outermost counts. */
static void find_units(struct tl_nccl *n)
{
	uint32_t group = 0, depth = 0;

	for (uint32_t i = 0; i < n->n; i++) {
		struct message *m = &n->messages[i];
		bool same = i && of_one_thread(m, m - 1);
		const struct call *call = call_of(n, m);
		*tl_map_put(&n->rows, (uint64_t)m->row, NULL) = i;
		for (m->parent = same ? i : 0; m->parent && n->messages[m->parent - 1].end <= m->start;)
			m->parent = n->messages[m->parent - 1].parent;
		depth = same ? depth : 0;
		if (!call)
			continue;
		if (call->group > 0 && !depth++)
			group = new_unit(n, i);
		m->unit = depth ? group : new_unit(n, i);
		n->units[m->unit - 1].to = i + 1;
		depth -= call->group < 0 && depth;
	}
}

/* ---- kernels ------------------------------------------------------------------------------------------ */

/* The key of a correlation of a process; a table that tells no process is one of the only process. False: it has no key. */
static bool launch_key(struct tl_nccl *n, bool has_global, int64_t global, int64_t correlation, uint64_t *key)
{
	uint32_t *number = has_global ? tl_map_get(&n->processes, (uint64_t)global >> 24) : NULL;

	if (correlation <= 0 || correlation > UINT32_MAX || (has_global ? !number : n->processes.count != 1))
		return false;
	*key = tl_key_of_two(number ? *number : 0, (uint32_t)correlation);
	return true;
}

void tl_nccl_launch(struct tl_nccl *n, int64_t global, int64_t start, int64_t end, int64_t correlation)
{
	struct message call = { .thread = global & 0xffffff, .start = start, .end = INT64_MIN }; /* behind those with its start */
	size_t at;
	uint64_t key;

	if (!n || !launch_key(n, true, global, correlation, &key))
		return;
	call.process = (uint32_t)(key >> 32);
	TL_SEARCH(at, n->n, mid, by_thread(&n->messages[mid], &call, NULL) < 0);
	if (!at || !of_one_thread(&n->messages[at - 1], &call))
		return;
	while (at && (n->messages[at - 1].end < end || !n->messages[at - 1].unit))
		at = n->messages[at - 1].parent;
	if (at)
		*tl_map_put(&n->launches, key, NULL) = n->messages[at - 1].unit;
}

enum { K_NAME, K_NAME_2, K_GLOBAL, K_CORRELATION };
static const struct tl_db_column kernel_columns[] = {
	{ K_NAME, 0, 0, "demangledName" }, { K_NAME_2, 0, 0, "shortName" }, { K_GLOBAL, 0, 0, "globalPid" },
	{ K_CORRELATION, 0, 0, "correlationId" }, { .name = NULL } };
static const struct tl_db_query kernels = { .table = "CUPTI_ACTIVITY_KIND_KERNEL", .columns = kernel_columns };

static uint32_t unit_of(struct tl_nccl *n, bool has_global, int64_t global, int64_t correlation)
{
	uint64_t key;
	const uint32_t *unit = launch_key(n, has_global, global, correlation, &key) ? tl_map_get(&n->launches, key) : NULL;

	return unit ? *unit : 0;
}

/* What the name of a kernel says that it does: the number in the table + 1 of the first call with such kernels. */
static uint32_t word_of(const struct tl_nccl *n, const char *name)
{
	for (size_t i = 0; name && i < n->calls.n; i++)
		if (n->calls.items[i].collective && strstr(name, n->calls.items[i].kernel))
			return (uint32_t)i + 1;
	return 0;
}

static void count_kernel(void *ctx, const struct tl_db_rows *rows)
{
	struct tl_nccl *n = ctx;
	uint32_t unit = unit_of(n, tl_db_given(rows, K_GLOBAL), rows->ints[K_GLOBAL], rows->ints[K_CORRELATION]);
	size_t len;
	const char *name = unit ? tl_sqlite_name(n->r, n->strings, rows->ints[K_NAME], &len) : NULL;
	uint32_t word = word_of(n, name);

	if (!unit)
		return;
	TL_ITEM(&n->parts, tl_key_of_two(unit, 0), NULL)->kernels++;
	if (word)
		TL_ITEM(&n->parts, tl_key_of_two(unit, word), NULL)->kernels++;
}

void tl_nccl_count_kernels(struct tl_nccl *n)
{
	if (n && n->launches.count)
		tl_sqlite_each(n->r, &kernels, "", count_kernel, n);
}

/* ---- fields ----------------------------------------------------------------------------------------------- */

/* Where there are several ranks, that of the device. */
static const struct place *place_at(struct tl_nccl *n, const struct message *m, int64_t device)
{
	const struct place *any = place_of(n, m, -1);

	return device >= 0 && any->several ? place_of(n, m, device) : any;
}

static void tally_message(struct tl_nccl *n, struct tally *t, const struct message *m)
{
	const struct call *call = call_of(n, m);
	const struct message *first = t->n++ ? t->first : (t->first = m);
	bool in_group = m->given >> COMMUNICATOR & 1;
	int64_t ranks = in_group ? place_at(n, m, -1)->ranks : 0;

	t->calls_differ |= strcmp(call->collective, call_of(n, first)->collective) != 0;
	t->in_group = in_group && !t->in_group ? m : t->in_group;
	t->groups_differ |= in_group && m->values[COMMUNICATOR] != t->in_group->values[COMMUNICATOR];
	t->sizes_differ |= m->values[BYTES] != first->values[BYTES];
	t->beyond_transfers |= call->sides[0] != NOTHING && call->sides[1] != NOTHING;
	for (int i = 0; i < 2; i++) {
		int64_t bytes = m->values[BYTES];
		if (call->sides[i] == NOTHING)
			continue;
		t->has[i] = true;
		t->unknown[i] |= !(m->given >> BYTES & 1) || bytes < 0 || (call->sides[i] == OF_RANKS && ranks <= 0) ||
		                 (call->sides[i] == OF_RANKS && __builtin_mul_overflow(bytes, ranks, &bytes)) ||
		                 __builtin_add_overflow(t->sums[i], bytes, &t->sums[i]);
	}
}

static void add_text(struct tl_nccl *n, const char *key, const char *text)
{
	tl_make_text(&n->r->make, key, text, strlen(text));
}

static void add_group(struct tl_nccl *n, const struct message *m, int64_t device)
{
	struct tl_maker *make = &n->r->make;
	const struct place *p = place_at(n, m, device);

	tl_buf_clear(&make->text);
	tl_buf_addf(&make->text, "0x%llx", (unsigned long long)m->values[COMMUNICATOR]);
	tl_make_field(make, TL_KEY_GROUP_NAME, TL_FIELD_STRING, tl_add_string(&make->tables, make->text.data, make->text.len));
	if (p->ranks > 0)
		tl_make_int(make, TL_KEY_GROUP_SIZE, p->ranks);
	if (p->rank >= 0 && !p->several)
		tl_make_int(make, TL_KEY_GROUP_RANK, p->rank);
}

/* A rank that only gives, or only gets, has one message: both sides, as PyTorch tells it. */
static void add_sizes(struct tl_nccl *n, const struct tally *t, int64_t share)
{
	static const char *const keys[] = { TL_KEY_IN_NELEMS, TL_KEY_OUT_NELEMS };
	bool any = false;

	for (int i = 0; i < 2; i++) {
		int side = t->has[i] ? i : !i;
		if (!t->has[side] || t->unknown[side])
			continue;
		tl_make_int(&n->r->make, keys[i], t->sums[side] / share);
		any = true;
	}
	if (!any)
		return;
	add_text(n, TL_KEY_DTYPE, "Byte");
	add_text(n, TL_KEY_IN_SPLIT, "[]");
	add_text(n, TL_KEY_OUT_SPLIT, "[]");
}

/* The messages of an event, which has a part of them: one of `share` alike. */
static void add_fields(struct tl_nccl *n, const struct tally *t, int64_t share, int64_t device)
{
	if (!t->calls_differ)
		add_text(n, TL_KEY_COLLECTIVE, call_of(n, t->first)->collective);
	else if (!t->beyond_transfers)
		add_text(n, TL_KEY_COLLECTIVE, "coalesced");
	if (t->in_group && !t->groups_differ) /* a kernel is of one communicator */
		add_group(n, t->in_group, device);
	add_sizes(n, t, share);
}

void tl_nccl_add_range(struct tl_nccl *n, int64_t rowid)
{
	const uint32_t *at = n ? tl_map_get(&n->rows, (uint64_t)rowid) : NULL;
	const struct message *m = at ? &n->messages[*at] : NULL;
	struct tally t = { 0 };

	if (!m)
		return;
	const struct call *call = call_of(n, m);
	struct tl_maker *make = &n->r->make;
	if (m->damaged)
		tl_read_note(make->report, "calls of NCCL whose payload is cut short or damaged", make->event.uid, -1);
	if (!n->has_payloads && n->has_sizes && call && call->collective)
		tl_read_note(make->report, "calls of NCCL without the sizes of their messages, which nsys export --include-blobs=true keeps", make->event.uid, -1);
	if (call && call->collective && m->given) {
		tally_message(n, &t, m);
		add_fields(n, &t, 1, -1);
	} else if (m->given >> COMMUNICATOR & 1) {
		add_group(n, m, m->given >> CUDA_DEVICE & 1 ? m->values[CUDA_DEVICE] : -1);
	}
	if (m->given >> ROOT & 1)
		tl_make_int(make, "Root rank", m->values[ROOT]);
	if (m->given >> PEER & 1)
		tl_make_int(make, "Peer rank", m->values[PEER]);
	if (m->given >> REDUCTION & 1 && m->values[REDUCTION])
		add_text(n, "Reduction operation", tl_str(&n->texts, (uint32_t)m->values[REDUCTION]));
}

/* The messages of a unit whose kernels have a word in their name, or (0) any. */
static void tally_part(struct tl_nccl *n, struct part *p, const struct unit *unit, uint32_t word)
{
	for (uint32_t i = unit->from; i < unit->to && !p->is_tallied; i++) {
		const struct call *call = call_of(n, &n->messages[i]);
		if (call && call->collective && (!word || !strcmp(call->kernel, n->calls.items[word - 1].kernel)))
			tally_message(n, &p->tally, &n->messages[i]);
	}
	p->is_tallied = true;
}

/* Each of several kernels has as many of messages that are all alike; else nothing tells which are whose. */
void tl_nccl_add_kernel(struct tl_nccl *n, bool has_global, int64_t global, int64_t correlation, int64_t name, int64_t device)
{
	uint32_t unit = n ? unit_of(n, has_global, global, correlation) : 0, word = 0;
	struct part *p = unit ? TL_ITEM_FIND(&n->parts, tl_key_of_two(unit, 0)) : NULL;
	bool several = p && p->kernels > 1;
	size_t len;

	if (several)
		word = word_of(n, tl_sqlite_name(n->r, n->strings, name, &len));
	if (word)
		p = TL_ITEM_FIND(&n->parts, tl_key_of_two(unit, word));
	if (!p)
		return;
	tally_part(n, p, &n->units[unit - 1], word);
	struct tally t = p->tally;
	int64_t share = word || !several ? p->kernels : 0;
	if (t.n && share != 1 && (!share || t.calls_differ || t.groups_differ || t.sizes_differ || t.n % share)) {
		tl_read_note(n->r->make.report, "kernels of NCCL whose messages cannot be told from those of other kernels of their group",
		             n->r->make.event.uid, -1);
		t.unknown[0] = t.unknown[1] = true;
	}
	if (t.n)
		add_fields(n, &t, share ? share : 1, device);
}

/* ---- the whole ------------------------------------------------------------------------------------------ */

struct tl_nccl *tl_nccl_read(struct tl_sqlite_reader *r, struct tl_db_names *strings)
{
	struct tl_nccl *n = tl_calloc(1, sizeof *n);

	n->r = r;
	n->strings = strings;
	load_calls(&n->calls);
	tl_sqlite_each(r, &entries, "", add_entry, n);
	tl_sqlite_each(r, &enums, "", add_enum, n);
	tl_sqlite_each(r, &ranges, "", add_message, n);
	if (!n->n) {
		tl_nccl_free(n);
		return NULL;
	}
	tl_merge_sort(n->messages, n->n, sizeof *n->messages, by_thread, NULL);
	add_places(n);
	find_units(n);
	return n;
}

void tl_nccl_free(struct tl_nccl *n)
{
	if (!n)
		return;
	release_calls(&n->calls);
	TL_KEYED_RELEASE(&n->schemas);
	tl_strtab_release(&n->texts);
	tl_map_release(&n->enums);
	tl_map_release(&n->enum_texts);
	tl_map_release(&n->communicators);
	tl_map_release(&n->memberships);
	TL_KEYED_RELEASE(&n->places);
	TL_KEYED_RELEASE(&n->parts);
	tl_map_release(&n->rows);
	tl_map_release(&n->processes);
	tl_map_release(&n->launches);
	free(n->messages);
	free(n->units);
	free(n);
}
