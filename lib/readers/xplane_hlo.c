/* xplane_hlo.c - the programs that XLA compiled, as members about the trace.
 *
 * The profiler keeps each program as an HloProto (hlo.proto), which becomes JSON. Members that a program does not have
 * are left out, as protobuf does.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/json_writer.h"
#include "readers/hlo.pb-c.h"
#include "readers/xplane.h"

#include <stdio.h>

#include "base/number.h"
#include "model/fields.h"

enum { MAX_PROGRAM = 32 << 20, MAX_MEMORY = 512 << 20, MAX_DEPTH = 32 };

/* A program while it becomes JSON. */
struct program {
	struct tl_buf json;
	struct tl_arena messages;
	size_t left;               /* bytes that the messages may still take */
	ProtobufCAllocator allocator; /* of the two */
	bool bad;                  /* damaged, or nested too deep */
};

/* ---- numbers and texts ------------------------------------------------------------------------ */

static void add_number(struct tl_buf *b, int64_t n)
{
	char digits[24];

	tl_buf_add(b, digits, tl_format_int(digits, n));
}

/* With commas between them. */
static void add_numbers(struct tl_buf *b, const int64_t *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			tl_buf_addc(b, ',');
		add_number(b, numbers[i]);
	}
}

/* A key as KEY has it, with the comma only behind another member. */
#define KEY(name) ",\"" name "\":"
static void add_key(struct tl_buf *b, const char *key)
{
	tl_buf_adds(b, key + (b->data[b->len - 1] == '{'));
}

static void add_text(struct tl_buf *b, const char *key, ProtobufCBinaryData text)
{
	add_key(b, key);
	tl_json_quote(b, (const char *)text.data, text.len);
}

static void add_list(struct tl_buf *b, const char *key, const int64_t *numbers, size_t n)
{
	if (!n)
		return;
	add_key(b, key);
	tl_buf_addc(b, '[');
	add_numbers(b, numbers, n);
	tl_buf_addc(b, ']');
}

/* The member of that name, if the message has the field. */
#define ADD_TEXT(b, name, m, field) ((m)->has_##field ? add_text(b, KEY(name), (m)->field) : (void)0)
#define ADD_INT(b, name, m, field) ((m)->has_##field ? (add_key(b, KEY(name)), add_number(b, (m)->field)) : (void)0)
#define ADD_LIST(b, name, m, field) add_list(b, KEY(name), (m)->field, (m)->n_##field)

/* ---- shapes as HLO's text has them ------------------------------------------------------------ */

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

/* An empty one is left out. */
static void add_layout(struct tl_buf *b, const Tl__LayoutProto *l)
{
	size_t start = b->len, colon;

	tl_buf_addc(b, '{');
	add_numbers(b, l->minor_to_major, l->n_minor_to_major);
	colon = b->len;
	for (size_t i = 0; i < l->n_tiles; i++) {
		tl_buf_adds(b, b->len == colon ? ":T(" : "(");
		add_numbers(b, l->tiles[i]->dimensions, l->tiles[i]->n_dimensions);
		tl_buf_addc(b, ')');
	}
	add_extra(b, colon, "L", l->tail_padding_alignment_in_elements, 1);
	add_extra_type(b, colon, "#", l->index_primitive_type);
	add_extra_type(b, colon, "*", l->pointer_primitive_type);
	add_extra(b, colon, "E", l->element_size_in_bits, 0);
	add_extra(b, colon, "S", l->memory_space, 0);
	if (b->len > start + 1)
		tl_buf_addc(b, '}');
	else
		b->len = start;
}

static void add_array(struct tl_buf *b, const Tl__ShapeProto *s)
{
	tl_buf_adds(b, type_name(s->element_type));
	tl_buf_addc(b, '[');
	for (size_t i = 0; i < s->n_dimensions; i++) {
		tl_buf_adds(b, i ? "," : "");
		tl_buf_adds(b, i < s->n_is_dynamic_dimension && s->is_dynamic_dimension[i] ? "<=" : "");
		add_number(b, s->dimensions[i]);
	}
	tl_buf_addc(b, ']');
	if (s->layout)
		add_layout(b, s->layout);
}

static void add_shape(struct program *p, const Tl__ShapeProto *s, int depth)
{
	struct tl_buf *b = &p->json;

	if (s->element_type != TUPLE) {
		add_array(b, s);
		return;
	}
	tl_buf_addc(b, '(');
	for (size_t i = 0; i < s->n_tuple_shapes && !p->bad; i++) {
		const ProtobufCBinaryData *bytes = &s->tuple_shapes[i];
		Tl__ShapeProto *part = depth + 1 < MAX_DEPTH ? tl__shape_proto__unpack(&p->allocator, bytes->len, bytes->data) : NULL;
		tl_buf_adds(b, i ? ", " : "");
		if (i && i % 5 == 0)
			tl_buf_addf(b, "/*index=%zu*/", i);
		if (part)
			add_shape(p, part, depth + 1);
		p->bad |= !part;
	}
	tl_buf_addc(b, ')');
}

/* ---- groups of devices as HLO's text has them -------------------------------------------------- */

/* {{1,2},{3,4}}. */
static void add_groups(struct tl_buf *b, Tl__ReplicaGroup **groups, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		tl_buf_adds(b, i ? ",{" : "{{");
		add_numbers(b, groups[i]->replica_ids, groups[i]->n_replica_ids);
		tl_buf_addc(b, '}');
	}
	tl_buf_adds(b, n ? "}" : "");
}

static void add_pairs(struct tl_buf *b, Tl__SourceTarget **pairs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		tl_buf_addf(b, "%s%lld,%lld}", i ? ",{" : "{{", (long long)pairs[i]->source, (long long)pairs[i]->target);
	tl_buf_adds(b, n ? "}" : "");
}

/* Groups, or how to count them. */
static void add_device_list(struct tl_buf *b, const Tl__CollectiveDeviceListProto *list)
{
	const Tl__IotaReplicaGroupListProto *iota = list->iota_replica_group_list;

	if (!iota) {
		add_groups(b, list->replica_groups, list->n_replica_groups);
		return;
	}
	tl_buf_addf(b, "[%lld,%lld]<=[", (long long)iota->num_replica_groups, (long long)iota->num_devices_per_group);
	add_numbers(b, iota->iota_reshape_dims, iota->n_iota_reshape_dims);
	tl_buf_addc(b, ']');
	if (iota->n_iota_reshape_dims < 2)
		return;
	for (size_t i = 0; i < iota->n_iota_transpose_perm; i++)
		tl_buf_addf(b, "%s%d", i ? "," : "T(", (int)iota->iota_transpose_perm[i]);
	tl_buf_addc(b, ')');
}

/* ---- messages as JSON --------------------------------------------------------------------------- */

static void add_metadata(struct tl_buf *b, const Tl__OpMetadata *m)
{
	add_key(b, KEY("metadata") "{");
	ADD_TEXT(b, "op_type", m, op_type);
	ADD_TEXT(b, "op_name", m, op_name);
	ADD_TEXT(b, "source_file", m, source_file);
	ADD_INT(b, "source_line", m, source_line);
	ADD_TEXT(b, "deduplicated_name", m, deduplicated_name);
	ADD_TEXT(b, "scheduling_name", m, scheduling_name);
	tl_buf_addc(b, '}');
}

/* Shapes and groups need no escapes. */
static void add_instruction(struct program *p, const Tl__HloInstructionProto *i)
{
	struct tl_buf *b = &p->json;

	tl_buf_addc(b, '{');
	ADD_INT(b, "id", i, id);
	ADD_TEXT(b, "name", i, name);
	ADD_TEXT(b, "opcode", i, opcode);
	if (i->shape) {
		add_key(b, KEY("shape") "\"");
		add_shape(p, i->shape, 0);
		tl_buf_addc(b, '"');
	}
	ADD_LIST(b, "operands", i, operand_ids);
	ADD_LIST(b, "calls", i, called_computation_ids);
	ADD_INT(b, "parameter_number", i, parameter_number);
	ADD_TEXT(b, "fusion_kind", i, fusion_kind);
	ADD_INT(b, "tuple_index", i, tuple_index);
	ADD_LIST(b, "dimensions", i, dimensions);
	ADD_INT(b, "channel_id", i, channel_id);
	ADD_TEXT(b, "custom_call_target", i, custom_call_target);
	ADD_TEXT(b, "backend_config", i, backend_config);
	if (i->n_replica_groups) {
		add_key(b, KEY("replica_groups") "\"");
		add_groups(b, i->replica_groups, i->n_replica_groups);
		tl_buf_addc(b, '"');
	}
	if (i->collective_device_list) {
		add_key(b, KEY("replica_groups") "\"");
		add_device_list(b, i->collective_device_list);
		tl_buf_addc(b, '"');
	}
	if (i->n_source_target_pairs) {
		add_key(b, KEY("source_target_pairs") "\"");
		add_pairs(b, i->source_target_pairs, i->n_source_target_pairs);
		tl_buf_addc(b, '"');
	}
	if (i->metadata)
		add_metadata(b, i->metadata);
	tl_buf_addc(b, '}');
}

static void add_computation(struct program *p, const Tl__HloComputationProto *c)
{
	struct tl_buf *b = &p->json;

	tl_buf_addc(b, '{');
	ADD_INT(b, "id", c, id);
	ADD_TEXT(b, "name", c, name);
	ADD_INT(b, "root", c, root_id);
	if (c->n_instructions)
		add_key(b, KEY("instructions"));
	for (size_t i = 0; i < c->n_instructions && !p->bad; i++) {
		tl_buf_addc(b, i ? ',' : '[');
		add_instruction(p, c->instructions[i]);
	}
	tl_buf_adds(b, c->n_instructions ? "]}" : "}");
}

static void add_module(struct program *p, const Tl__HloModuleProto *m)
{
	struct tl_buf *b = &p->json;

	tl_buf_addc(b, '{');
	ADD_TEXT(b, "name", m, name);
	ADD_INT(b, "entry", m, entry_computation_id);
	if (m->n_computations)
		add_key(b, KEY("computations"));
	for (size_t i = 0; i < m->n_computations && !p->bad; i++) {
		tl_buf_addc(b, i ? ',' : '[');
		add_computation(p, m->computations[i]);
	}
	tl_buf_adds(b, m->n_computations ? "]}" : "}");
}

/* ---- programs --------------------------------------------------------------------------------- */

static void *take_memory(void *data, size_t size)
{
	struct program *p = data;

	if (size > p->left) {
		p->left = 0;
		return NULL;
	}
	p->left -= size;
	return tl_arena_alloc(&p->messages, size);
}

/* The arena frees all. */
static void leave_memory(void *data, void *memory)
{
	(void)data;
	(void)memory;
}

/* Gives the sink the program of an HloProto, as the member TL_META_PROGRAM. */
static bool push_program(struct tl_xp_reader *r, int64_t id, struct tl_bytes proto)
{
	struct program p = { .left = MAX_MEMORY, .allocator = { take_memory, leave_memory, &p } };
	const Tl__HloProto *hlo;
	char key[40];
	bool good = true;

	if (proto.end - proto.p > MAX_PROGRAM) {
		tl_xp_note(r, proto.p, "programs of more than 32 MiB, left out");
		return true;
	}
	hlo = proto.bad ? NULL : tl__hlo_proto__unpack(&p.allocator, (size_t)(proto.end - proto.p), proto.p);
	if (hlo && hlo->hlo_module)
		add_module(&p, hlo->hlo_module);
	else
		tl_buf_adds(&p.json, "{}");
	if (!p.left)
		tl_xp_note(r, proto.p, "programs that take more than 512 MiB of memory, left out");
	else if (!hlo || p.bad)
		good = tl_xp_damaged(r, proto.p, "a program is damaged, or its shapes are nested too deep");
	else
		good = tl_xp_member(r, key, (size_t)snprintf(key, sizeof key, TL_META_PROGRAM "%lld", (long long)id), &p.json);
	tl_buf_release(&p.json);
	tl_arena_release(&p.messages);
	return good;
}

/* Hands on the programs among the facts of the event's metadata. */
static bool read_metadata(struct tl_xp_reader *r, struct tl_bytes entry)
{
	struct tl_bytes meta = { entry.end, entry.end, false };
	struct tl_pb_field f;
	struct tl_xp_stat s;
	int64_t id = 0;

	while (tl_pb_next(&entry, &f))
		if (f.number == 1 && f.wire == TL_PB_VARINT)
			id = (int64_t)f.value;
		else if (f.number == 2 && f.wire == TL_PB_BYTES)
			meta = tl_pb_message(&f);
	while (tl_pb_next(&meta, &f))
		if (f.number == 5 && tl_xp_read_stat(r, tl_pb_message(&f), &s) && s.name && s.name->role == TL_XP_HLO && s.value.number == 6 &&
		    !push_program(r, id, tl_pb_message(&s.value)))
			return false;
	return true;
}

bool tl_xp_read_programs(struct tl_xp_reader *r)
{
	struct tl_bytes b = r->plane.bytes;
	struct tl_pb_field f;

	while (tl_pb_next(&b, &f))
		if (f.number == 4 && !read_metadata(r, tl_pb_message(&f)))
			return false;
	return !r->status;
}
