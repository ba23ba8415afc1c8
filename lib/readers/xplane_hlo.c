/* xplane_hlo.c - the programs that XLA compiled, as members about the trace.
 *
 * The profiler keeps each program as an HloProto (xla/service/hlo.proto of OpenXLA). Tables
 * say what of it becomes JSON. Members that a program does not have, or that are 0, are left
 * out, as protobuf does.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "json/json_writer.h"
#include "readers/xplane.h"

#include <stdio.h>

#include "base/number.h"
#include "model/fields.h"

enum { MAX_PROGRAM = 32 << 20, MAX_DEPTH = 32, MAX_MEMBER = 87 };

/* ---- fields ------------------------------------------------------------------------------ */

/* The last field of that number, which counts; false: none. */
static bool find(struct tl_bytes m, uint32_t number, struct tl_pb_field *found)
{
	struct tl_pb_field f;
	bool any = false;

	while (tl_pb_next(&m, &f))
		if (f.number == number) {
			*found = f;
			any = true;
		}
	return any;
}

static int64_t number_of(struct tl_bytes m, uint32_t number)
{
	struct tl_pb_field f;

	return find(m, number, &f) && f.wire == TL_PB_VARINT ? (int64_t)f.value : 0;
}

static struct tl_bytes message_of(struct tl_bytes m, uint32_t number)
{
	struct tl_pb_field f;

	return find(m, number, &f) && f.wire == TL_PB_BYTES ? tl_pb_message(&f) : (struct tl_bytes){ m.end, m.end, false };
}

static void add_number(struct tl_buf *b, int64_t n)
{
	char digits[24];

	tl_buf_add(b, digits, tl_format_int(digits, n));
}

/* The numbers of a repeated field, with commas between them; packed or not. Returns how many. */
static size_t add_numbers(struct tl_buf *b, struct tl_bytes m, uint32_t number)
{
	struct tl_pb_field f;
	size_t n = 0;

	while (tl_pb_next(&m, &f)) {
		struct tl_bytes packed = tl_pb_message(&f);
		if (f.number != number)
			continue;
		while (f.wire == TL_PB_VARINT || packed.p < packed.end) {
			tl_buf_adds(b, n++ ? "," : "");
			add_number(b, (int64_t)(f.wire == TL_PB_VARINT ? f.value : tl_take_varint(&packed)));
			if (f.wire == TL_PB_VARINT)
				break;
		}
	}
	return n;
}

/* ---- shapes as HLO's text has them ----------------------------------------------------------- */

/* PrimitiveType by number. */
static const char *const types[] = {
	"invalid", "pred", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "tuple", "opaque", "c64",
	"bf16", "token", "c128", "f8e5m2", "f8e4m3fn", "s4", "u4", "f8e4m3b11fnuz", "f8e5m2fnuz", "f8e4m3fnuz", "s2", "u2",
	"f8e4m3", "f8e3m4", "s1", "u1", "f4e2m1fn", "f8e8m0fnu", "buffer",
};
enum { TUPLE = 13 };

static const char *type_name(int64_t type)
{
	return type >= 0 && type < (int64_t)(sizeof types / sizeof *types) ? types[type] : types[0];
}

/* A number of a layout in its letter's parentheses, unless it is the usual one; `colon`: the
 * length of the text if nothing stands between it and the order of dimensions. */
static void add_extra(struct tl_buf *b, size_t colon, const char *letter, int64_t value, int64_t usual)
{
	if (value && value != usual)
		tl_buf_addf(b, "%s%s(%lld)", b->len == colon ? ":" : "", letter, (long long)value);
}

static void add_extra_type(struct tl_buf *b, size_t colon, const char *letter, int64_t type)
{
	if (type)
		tl_buf_addf(b, "%s%s(%s)", b->len == colon ? ":" : "", letter, type_name(type));
}

/* LayoutProto: 1 the dimensions, the fastest first, 6 tiles, 7 bits of an element, 8 memory
 * space, 11 and 12 types of indices and pointers, 16 alignment. An empty one is left out. */
static void add_layout(struct tl_buf *b, struct tl_bytes m)
{
	size_t start = b->len, colon;
	struct tl_bytes fields = m;
	struct tl_pb_field f;

	tl_buf_addc(b, '{');
	add_numbers(b, m, 1);
	colon = b->len;
	while (tl_pb_next(&fields, &f))
		if (f.number == 6) {
			tl_buf_adds(b, b->len == colon ? ":T(" : "(");
			add_numbers(b, tl_pb_message(&f), 1);
			tl_buf_addc(b, ')');
		}
	add_extra(b, colon, "L", number_of(m, 16), 1);
	add_extra_type(b, colon, "#", number_of(m, 11));
	add_extra_type(b, colon, "*", number_of(m, 12));
	add_extra(b, colon, "E", number_of(m, 7), 0);
	add_extra(b, colon, "S", number_of(m, 8), 0);
	if (b->len > start + 1)
		tl_buf_addc(b, '}');
	else
		b->len = start;
}

/* The sizes 3 of an array, those of 6 that are dynamic with <=. */
static void add_sizes(struct tl_buf *b, struct tl_bytes m)
{
	struct tl_buf sizes = { 0 }, dynamic = { 0 };
	struct tl_pb_field f;
	const char *flag;

	if (!find(m, 6, &f)) {
		add_numbers(b, m, 3);
		return;
	}
	add_numbers(&sizes, m, 3);
	add_numbers(&dynamic, m, 6);
	flag = tl_buf_text(&dynamic);
	for (const char *p = tl_buf_text(&sizes); *p; p++) {
		bool first = p == sizes.data || p[-1] == ',';
		if (first && *flag) {
			tl_buf_adds(b, *flag == '1' ? "<=" : "");
			flag += flag[1] ? 2 : 1;
		}
		tl_buf_addc(b, *p);
	}
	tl_buf_release(&sizes);
	tl_buf_release(&dynamic);
}

/* ShapeProto: 2 type, 3 sizes, 4 the shapes of a tuple, 5 layout. False: nested too deep. */
static bool add_shape(struct tl_buf *b, struct tl_bytes m, int depth)
{
	int64_t type = number_of(m, 2);
	struct tl_pb_field f;
	size_t i = 0;

	if (depth == MAX_DEPTH)
		return false;
	if (type != TUPLE) {
		tl_buf_adds(b, type_name(type));
		tl_buf_addc(b, '[');
		add_sizes(b, m);
		tl_buf_addc(b, ']');
		if (find(m, 5, &f))
			add_layout(b, tl_pb_message(&f));
		return true;
	}
	tl_buf_addc(b, '(');
	while (tl_pb_next(&m, &f)) {
		if (f.number != 4)
			continue;
		tl_buf_adds(b, i ? ", " : "");
		if (i && i % 5 == 0)
			tl_buf_addf(b, "/*index=%zu*/", i);
		if (!add_shape(b, tl_pb_message(&f), depth + 1))
			return false;
		i++;
	}
	tl_buf_addc(b, ')');
	return true;
}

/* ---- groups of devices as HLO's text has them -------------------------------------------------- */

/* Messages of that number as {{1,2},{3,4}}; their numbers are the fields `first` to `last`. */
static void add_groups(struct tl_buf *b, struct tl_bytes m, uint32_t number, uint32_t first, uint32_t last)
{
	struct tl_pb_field f;
	size_t n = 0;

	while (tl_pb_next(&m, &f)) {
		if (f.number != number)
			continue;
		tl_buf_adds(b, n++ ? ",{" : "{{");
		if (first == last)
			add_numbers(b, tl_pb_message(&f), first);
		else
			tl_buf_addf(b, "%lld,%lld", (long long)number_of(tl_pb_message(&f), first), (long long)number_of(tl_pb_message(&f), last));
		tl_buf_addc(b, '}');
	}
	tl_buf_adds(b, n ? "}" : "");
}

/* CollectiveDeviceListProto: 1 groups, or 2 how to count them: 1 groups of 2 devices each,
 * 3 sizes, 4 the order of these. */
static void add_device_list(struct tl_buf *b, struct tl_bytes m)
{
	struct tl_bytes iota = message_of(m, 2);

	if (iota.p == iota.end) {
		add_groups(b, m, 1, 1, 1);
		return;
	}
	tl_buf_addf(b, "[%lld,%lld]<=[", (long long)number_of(iota, 1), (long long)number_of(iota, 2));
	bool several = add_numbers(b, iota, 3) > 1;
	tl_buf_adds(b, several ? "]T(" : "]");
	if (several)
		add_numbers(b, iota, 4);
	tl_buf_adds(b, several ? ")" : "");
}

/* ---- messages as JSON --------------------------------------------------------------------------- */

enum form { TEXT, NUMBER, NUMBERS, SHAPE, GROUPS, PAIRS, DEVICES, MESSAGE, MESSAGES };
struct member { uint32_t number; enum form form; const char *key; const struct member *members; };

static const struct member metadata[] = {
	{ 1, TEXT, "op_type", NULL }, { 2, TEXT, "op_name", NULL }, { 3, TEXT, "source_file", NULL }, { 4, NUMBER, "source_line", NULL },
	{ 12, TEXT, "deduplicated_name", NULL }, { 16, TEXT, "scheduling_name", NULL }, { 0, 0, NULL, NULL },
};
static const struct member instruction[] = {
	{ 35, NUMBER, "id", NULL }, { 1, TEXT, "name", NULL }, { 2, TEXT, "opcode", NULL }, { 3, SHAPE, "shape", NULL },
	{ 36, NUMBERS, "operands", NULL }, { 38, NUMBERS, "calls", NULL }, { 9, NUMBER, "parameter_number", NULL },
	{ 11, TEXT, "fusion_kind", NULL }, { 13, NUMBER, "tuple_index", NULL }, { 14, NUMBERS, "dimensions", NULL },
	{ 26, NUMBER, "channel_id", NULL }, { 28, TEXT, "custom_call_target", NULL }, { 43, TEXT, "backend_config", NULL },
	{ 49, GROUPS, "replica_groups", NULL }, { 87, DEVICES, "replica_groups", NULL }, { 52, PAIRS, "source_target_pairs", NULL },
	{ 7, MESSAGE, "metadata", metadata }, { 0, 0, NULL, NULL },
};
static const struct member computation[] = {
	{ 5, NUMBER, "id", NULL }, { 1, TEXT, "name", NULL }, { 6, NUMBER, "root", NULL }, { 2, MESSAGES, "instructions", instruction },
	{ 0, 0, NULL, NULL },
};
static const struct member module[] = {
	{ 1, TEXT, "name", NULL }, { 6, NUMBER, "entry", NULL }, { 3, MESSAGES, "computations", computation }, { 0, 0, NULL, NULL },
};

static bool add_object(struct tl_buf *b, struct tl_bytes m, const struct member *members);

static bool add_list(struct tl_buf *b, struct tl_bytes m, const struct member *member)
{
	struct tl_pb_field f;
	size_t n = 0;
	bool good = true;

	tl_buf_addc(b, '[');
	while (good && tl_pb_next(&m, &f))
		if (f.number == member->number) {
			tl_buf_adds(b, n++ ? "," : "");
			good = add_object(b, tl_pb_message(&f), member->members);
		}
	tl_buf_addc(b, ']');
	return good;
}

/* The value of a field; false: it is damaged. */
static bool add_value(struct tl_buf *b, struct tl_bytes m, const struct member *member, const struct tl_pb_field *f)
{
	bool good = true;

	switch (member->form) {
	case NUMBER: add_number(b, (int64_t)f->value); return f->wire == TL_PB_VARINT;
	case MESSAGE: return add_object(b, tl_pb_message(f), member->members);
	case MESSAGES: return add_list(b, m, member);
	case TEXT: tl_json_quote(b, (const char *)f->data, f->wire == TL_PB_BYTES ? f->value : 0); return f->wire == TL_PB_BYTES;
	case NUMBERS:
		tl_buf_addc(b, '[');
		add_numbers(b, m, member->number);
		tl_buf_addc(b, ']');
		return true;
	default: break;
	}
	tl_buf_addc(b, '"'); /* these need no escapes */
	switch (member->form) {
	case SHAPE: good = add_shape(b, tl_pb_message(f), 0); break;
	case GROUPS: add_groups(b, m, member->number, 1, 1); break;
	case PAIRS: add_groups(b, m, member->number, 1, 2); break;
	case DEVICES: add_device_list(b, tl_pb_message(f)); break;
	default: break;
	}
	tl_buf_addc(b, '"');
	return good;
}

/* A message as a JSON object; false: it is damaged, or nested too deep. */
static bool add_object(struct tl_buf *b, struct tl_bytes m, const struct member *members)
{
	struct tl_pb_field last[MAX_MEMBER + 1], f; /* by number: the last one counts */
	struct tl_bytes whole = m;
	bool given[MAX_MEMBER + 1] = { false };
	char between = '{';

	while (tl_pb_next(&whole, &f))
		if (f.number <= MAX_MEMBER) {
			last[f.number] = f;
			given[f.number] = true;
		}
	for (; members->key; members++) {
		if (!given[members->number])
			continue;
		tl_buf_addc(b, between);
		tl_buf_addc(b, '"');
		tl_buf_adds(b, members->key);
		tl_buf_adds(b, "\":");
		between = ',';
		if (!add_value(b, m, members, &last[members->number]))
			return false;
	}
	tl_buf_adds(b, between == '{' ? "{}" : "}");
	return !whole.bad;
}

/* ---- programs --------------------------------------------------------------------------------- */

/* Gives the sink the program of an HloProto, as the member TL_META_PROGRAM. */
static bool push_program(struct tl_xp_reader *r, int64_t id, struct tl_bytes proto)
{
	struct tl_buf json = { 0 };
	char key[40];
	bool good;

	if (proto.end - proto.p > MAX_PROGRAM) {
		tl_xp_note(r, proto.p, "programs of more than 32 MiB, left out");
		return true;
	}
	int len = snprintf(key, sizeof key, TL_META_PROGRAM "%lld", (long long)id);
	if (proto.bad || !add_object(&json, message_of(proto, 1), module))
		good = tl_xp_damaged(r, proto.p, "a program is damaged, or its shapes are nested too deep");
	else
		good = tl_xp_member(r, key, (size_t)len, &json);
	tl_buf_release(&json);
	return good;
}

bool tl_xp_read_programs(struct tl_xp_reader *r)
{
	struct tl_bytes b = r->plane.bytes;
	struct tl_xp_stat s;
	struct tl_pb_field f, g;

	while (tl_pb_next(&b, &f)) {
		if (f.number != 4)
			continue;
		struct tl_bytes entry = tl_pb_message(&f), meta = message_of(entry, 2);
		while (tl_pb_next(&meta, &g))
			if (g.number == 5 && tl_xp_read_stat(r, tl_pb_message(&g), &s) && s.name && s.name->role == TL_XP_HLO &&
			    s.value.number == 6 && !push_program(r, number_of(entry, 1), tl_pb_message(&s.value)))
				return false;
	}
	return !r->status;
}
