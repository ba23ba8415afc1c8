/* rocprofv3_record.c - one record of rocprofv3's JSON: from text to numbers.
 *
 * The records of a list are written alike: only the numbers differ. So the text between the
 * numbers of a record is kept as a template, and of the next record, if it has the same text,
 * only the numbers are read. Any other record is read member by member, and becomes the
 * template. Both ways give the same numbers.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/rocprofv3.h"

#include <string.h>

#include "base/text.h"

/* ---- member by member ---------------------------------------------------------------- */

/* Where a number stands: the member of a record or of `object` in it. dispatch_info has
 * members as if they stood in the record itself. */
static const struct { const char *object, *name; uint8_t slot; } places[] = {
	{ NULL, "kind", TL_ROCPROF_KIND },
	{ NULL, "operation", TL_ROCPROF_OPERATION },
	{ NULL, "thread_id", TL_ROCPROF_THREAD },
	{ "correlation_id", "internal", TL_ROCPROF_CORRELATION },
	{ NULL, "start_timestamp", TL_ROCPROF_START },
	{ NULL, "end_timestamp", TL_ROCPROF_END },
	{ "agent_id", "handle", TL_ROCPROF_AGENT },
	{ "queue_id", "handle", TL_ROCPROF_QUEUE },
	{ NULL, "kernel_id", TL_ROCPROF_KERNEL },
	{ NULL, "dispatch_id", TL_ROCPROF_DISPATCH },
	{ NULL, "private_segment_size", TL_ROCPROF_PRIVATE },
	{ NULL, "group_segment_size", TL_ROCPROF_LDS },
	{ "workgroup_size", "x", TL_ROCPROF_BLOCK },
	{ "workgroup_size", "y", TL_ROCPROF_BLOCK_Y },
	{ "workgroup_size", "z", TL_ROCPROF_BLOCK_Z },
	{ "grid_size", "x", TL_ROCPROF_ITEMS },
	{ "grid_size", "y", TL_ROCPROF_ITEMS_Y },
	{ "grid_size", "z", TL_ROCPROF_ITEMS_Z },
	{ "stream_id", "handle", TL_ROCPROF_STREAM },
	{ "src_agent_id", "handle", TL_ROCPROF_FROM },
	{ "dst_agent_id", "handle", TL_ROCPROF_TO },
	{ NULL, "bytes", TL_ROCPROF_BYTES },
	{ NULL, "allocation_size", TL_ROCPROF_ALLOCATED },
};
enum { N_PLACES = sizeof places / sizeof *places, MAX_DEPTH = 3 };

static bool same_object(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* The place of the member at hand, which stands in `object`; -1: none. */
static int place_of(const struct tl_json_doc *d, const char *object)
{
	for (int i = 0; i < N_PLACES; i++)
		if (same_object(places[i].object, object) && tl_json_doc_name_is(d, places[i].name))
			return i;
	return -1;
}

/* The name, as it stands in the table, of an object that has numbers; NULL: another member. */
static const char *object_named(const struct tl_json_doc *d)
{
	for (int i = 0; i < N_PLACES; i++)
		if (places[i].object && tl_json_doc_name_is(d, places[i].object))
			return places[i].object;
	return NULL;
}

/* Takes a number, and tells the template where it stands. */
static void take_number(struct tl_json_doc *d, struct tl_rocprof_record *rec, struct tl_rocprof_template *t, int slot)
{
	int64_t from = tl_json_doc_offset(d), number = 0;

	if (!tl_rocprof_int(d, &number))
		return;
	if (slot >= 0) {
		rec->slots[slot] = number;
		rec->given |= 1u << slot;
	}
	if (t->n == TL_ROCPROF_PARTS) {
		t->usable = false;
		return;
	}
	t->parts[t->n++] = (struct tl_rocprof_part){ .from = from - rec->offset, .to = tl_json_doc_offset(d) - rec->offset, .slot = slot };
}

/* The members of a record, or of `object` in it. */
static void take_members(struct tl_json_doc *d, struct tl_rocprof_record *rec, struct tl_rocprof_template *t,
                         const char *object, int depth)
{
	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d)) {
		int c = tl_json_doc_peek(d);
		bool nested = depth < MAX_DEPTH && c == '{';
		const char *inner = nested ? object_named(d) : NULL;
		int place = nested ? -1 : place_of(d, object);

		if (inner || (nested && tl_json_doc_name_is(d, "dispatch_info")))
			take_members(d, rec, t, inner, depth + 1);
		else if (c == '-' || tl_is_digit(c))
			take_number(d, rec, t, place < 0 ? -1 : places[place].slot);
		else
			tl_json_doc_value(d, NULL);
	}
}

static void read_plainly(struct tl_json_doc *d, struct tl_rocprof_record *rec, struct tl_rocprof_template *t)
{
	t->usable = true;
	t->n = 0;
	take_members(d, rec, t, NULL, 0);
}

/* ---- by a template ---------------------------------------------------------------------- */

/* Keeps the text of the record that was just read. */
static void learn(const struct tl_json_doc *d, const struct tl_rocprof_record *rec, struct tl_rocprof_template *t)
{
	int64_t len = tl_json_doc_offset(d) - rec->offset;
	const char *text = d->p - len;

	t->usable = t->usable && t->n && rec->offset >= d->base; /* else a part of it is not in the window any more */
	if (!t->usable)
		return;
	tl_buf_clear(&t->text);
	tl_buf_add(&t->text, text, (size_t)len);
	t->given = rec->given;
}

/* Reads an integer of up to 18 digits. NULL: the number is longer, or none. */
static inline const char *read_int(const char *p, int64_t *out)
{
	bool negative = *p == '-';
	const char *digits = p += negative;
	int64_t n = 0;

	while (*p >= '0' && *p <= '9' && p - digits < 18)
		n = n * 10 + (*p++ - '0');
	if (p == digits || (*p >= '0' && *p <= '9') || (*digits == '0' && p - digits > 1))
		return NULL;
	*out = negative ? -n : n;
	return p;
}

/* The place behind the record at p; NULL: it is not written like the template, or does not
 * lie before `end` for sure. */
static const char *match(const struct tl_rocprof_template *t, const char *p, const char *end, struct tl_rocprof_record *rec)
{
	const char *text = t->text.data;
	int64_t at = 0, unused;

	if (!t->usable || end - p < (ptrdiff_t)(t->text.len + 20 * t->n))
		return NULL;
	for (size_t i = 0; i < t->n; i++) {
		const struct tl_rocprof_part *part = &t->parts[i];
		if (memcmp(p, text + at, (size_t)(part->from - at)))
			return NULL;
		p = read_int(p + (part->from - at), part->slot < 0 ? &unused : &rec->slots[part->slot]);
		if (!p)
			return NULL;
		at = part->to;
	}
	if (memcmp(p, text + at, t->text.len - (size_t)at))
		return NULL;
	rec->given = t->given;
	return p + (t->text.len - (size_t)at);
}

bool tl_rocprof_record(struct tl_json_doc *d, struct tl_rocprof_record *rec, struct tl_rocprof_template *t)
{
	const char *end;

	memset(rec->slots, 0, sizeof rec->slots);
	rec->given = 0;
	rec->offset = tl_json_doc_offset(d);
	end = match(t, d->p, d->text.end, rec);
	if (end) {
		d->p = end;
		return true;
	}
	memset(rec->slots, 0, sizeof rec->slots);
	read_plainly(d, rec, t);
	if (!d->status)
		learn(d, rec, t);
	return !d->status;
}
