/* xplane.c - reads XPlane files, as JAX and TensorFlow write them (*.xplane.pb): the file's
 * planes, one after the other, and what the file says as a whole.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/xplane.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "base/json_writer.h"

#define MAX_PLANE ((uint64_t)INT32_MAX) /* bytes; protobuf's own limit for a message */
enum { MAX_TEXT = 1 << 20 };            /* bytes of the lists of hosts, errors and warnings */

/* ---- bytes of the file to planes in memory ------------------------------------------------- */

static int64_t file_offset(const struct tl_xp_reader *r)
{
	return r->offset + (int64_t)r->used;
}

/* Reads up to cap bytes. False: none are left, or the status tells why. */
static bool read_some(struct tl_xp_reader *r, void *to, size_t cap, size_t *n)
{
	int64_t got = r->at_end ? 0 : r->in->read(r->in, to, cap, &r->error);

	if (got < 0)
		r->status = r->error.status ? r->error.status : TL_ERR_IO;
	r->at_end |= got <= 0;
	*n = got > 0 ? (size_t)got : 0;
	return *n > 0;
}

static bool fill_window(struct tl_xp_reader *r)
{
	if (r->used < r->filled)
		return true;
	r->offset += (int64_t)r->filled;
	r->used = r->filled = 0;
	return read_some(r, r->window, sizeof r->window, &r->filled);
}

static bool take_varint(struct tl_xp_reader *r, uint64_t *v)
{
	uint8_t digits[TL_VARINT_MAX];
	size_t n = 0;

	do {
		if (!fill_window(r)) {
			r->cut_short = n > 0;
			return false;
		}
		digits[n++] = r->window[r->used++];
	} while (n < sizeof digits && digits[n - 1] >= 0x80);
	struct tl_bytes b = { digits, digits + n, false };
	*v = tl_take_varint(&b);
	if (b.bad)
		r->status = tl_fail_at(&r->error, TL_ERR_DATA, file_offset(r) - (int64_t)n, "a number of more than 64 bits");
	return !b.bad;
}

/* Takes the tag of a field of the file and its number or its length. False: the end, or the
 * status tells why. */
static bool take_tag(struct tl_xp_reader *r, uint64_t *tag, uint64_t *value)
{
	int64_t at = file_offset(r);

	if (!take_varint(r, tag))
		return false;
	unsigned wire = *tag & 7;
	if ((wire != TL_PB_BYTES && wire != TL_PB_VARINT) || *tag >> 3 == 0) {
		r->status = tl_fail_at(&r->error, TL_ERR_DATA, at, "expected a plane of an XPlane file, or its end");
		return false;
	}
	if (take_varint(r, value))
		return true;
	r->cut_short |= !r->status;
	return false;
}

/* Takes `len` bytes; memory grows with what the file has, not with len. False: the status
 * tells why, or the file ends too early (cut_short). */
static bool take_bytes(struct tl_xp_reader *r, uint64_t len, struct tl_buf *to)
{
	tl_buf_clear(to);
	while (to->len < len) {
		size_t want = len - to->len < to->len + sizeof r->window ? (size_t)(len - to->len) : to->len + sizeof r->window;
		size_t n = r->filled - r->used < want ? r->filled - r->used : want;
		tl_buf_reserve(to, want);
		memcpy(to->data + to->len, r->window + r->used, n);
		r->used += n;
		if (!n) {
			if (!read_some(r, to->data + to->len, want, &n)) {
				r->cut_short = !r->status;
				return false;
			}
			r->offset += (int64_t)n;
		}
		to->len += n;
	}
	return true;
}

/* ---- damage ---------------------------------------------------------------------------- */

/* After a failure, or where the file ends inside a plane: with --lenient what was read is the
 * trace. */
static void tolerate_end(struct tl_xp_reader *r)
{
	int64_t end = file_offset(r);
	bool bad_input = r->status == TL_ERR_DATA && r->at_end && !r->cut_short;

	if (r->cut_short)
		r->status = tl_fail_at(&r->error, TL_ERR_DATA, end, "the file ends inside plane %llu", (unsigned long long)r->plane.number + 1);
	if (!r->cut_short && !bad_input)
		return;
	r->report->lenient_helps = true;
	if (!r->options->lenient)
		return;
	tl_read_note(r->report, bad_input ? "the compressed data is damaged or cut short here, its plane is left out" :
	             "the file is cut short here, its last plane is left out", r->uid, end);
	r->status = TL_OK;
}

/* ---- members about the trace --------------------------------------------------------------- */

/* The facts about a plane as the members of a JSON object, without its braces. */
static bool plane_facts(struct tl_xp_reader *r, struct tl_buf *out)
{
	struct tl_bytes b = r->plane.bytes;
	struct tl_xp_stat s;
	struct tl_pb_field f;

	while (tl_pb_next(&b, &f)) {
		if (f.number != 6)
			continue;
		if (!tl_xp_read_stat(r, tl_pb_message(&f), &s)) {
			if (!tl_xp_damaged(r, f.data, "a fact about the plane is damaged"))
				return false;
			continue;
		}
		if (!s.name || s.value.number == 6)
			continue;
		tl_buf_adds(out, out->len ? "," : "");
		tl_json_quote(out, s.name->text.s, s.name->text.len);
		tl_buf_addc(out, ':');
		tl_xp_add_value(r, out, &s);
	}
	return true;
}

/* The number that a plane's facts give under a name; 0: none. */
static uint64_t number_fact(struct tl_xp_reader *r, const char *name)
{
	struct tl_bytes b = r->plane.bytes;
	struct tl_xp_stat s;
	struct tl_pb_field f;
	uint64_t found = 0;

	while (tl_pb_next(&b, &f))
		if (f.number == 6 && tl_xp_read_stat(r, tl_pb_message(&f), &s) && s.name &&
		    tl_text_is(s.name->text.s, s.name->text.len, name) && (s.value.number == 3 || s.value.number == 4))
			found = s.value.value;
	return found;
}

/* Describes the plane: a GPU or TPU in the list of them, as PyTorch does, any other as a member with
 * the plane's name. */
static bool describe_plane(struct tl_xp_reader *r)
{
	struct tl_xp_plane *p = &r->plane;
	struct tl_buf facts = { 0 }, json = { 0 };
	bool good = plane_facts(r, &facts);

	if (good && p->kind == TL_XP_TPU)
		tl_buf_addf(&r->make.gpus, "%c{\"id\":%lld,\"name\":\"TPU\"%s%s}", r->make.gpus.len ? ',' : '[', (long long)p->device,
		            facts.len ? "," : "", tl_buf_text(&facts));
	else if (good && p->kind == TL_XP_GPU)
		tl_buf_addf(&r->make.gpus, "%c{\"id\":%lld,\"numSms\":%llu,\"totalGlobalMem\":%llu%s%s}", r->make.gpus.len ? ',' : '[', (long long)p->device,
		            (unsigned long long)number_fact(r, "core_count"), (unsigned long long)number_fact(r, "memory_size"),
		            facts.len ? "," : "", tl_buf_text(&facts));
	else if (good && facts.len && p->name.len) {
		tl_buf_addf(&json, "{%s}", facts.data);
		good = tl_xp_member(r, p->name.s, p->name.len, &json);
	}
	tl_buf_release(&facts);
	tl_buf_release(&json);
	return good;
}

static bool push_members(struct tl_xp_reader *r)
{
	static const char hosts[] = "hostnames", base[] = "baseTimeNanoseconds";
	struct tl_buf number = { 0 };

	tl_buf_addf(&number, "%lld", (long long)r->base);
	tl_buf_adds(&r->hosts, r->hosts.len ? "]" : "");
	r->status = tl_push_members(&r->make, &r->error);
	bool good = !r->status && (!r->hosts.len || tl_xp_member(r, hosts, strlen(hosts), &r->hosts)) &&
	            (!r->base || tl_xp_member(r, base, strlen(base), &number));
	tl_buf_release(&number);
	return good;
}

/* ---- planes ------------------------------------------------------------------------------------ */

/* What a plane is by its name. The pids are those of JAX's own viewers. */
static const struct { const char *name; bool whole; enum tl_xp_plane_kind kind; int64_t pid; } plane_kinds[] = {
	{ "/device:GPU:", false, TL_XP_GPU, 1 },
	{ "/device:TPU:", false, TL_XP_TPU, 1 },
	{ "/device:CUSTOM:", false, TL_XP_DEVICE, 501 },
	{ "/host:metadata", true, TL_XP_PROGRAMS, 0 },
	{ "/host:CPU", true, TL_XP_HOST, TL_JAX_HOST_PID },
	{ "/host:", false, TL_XP_HOST, 0 },
};
enum { FIRST_OTHER_PID = 10001 };

/* The number at the end of a plane's name, else the plane's own, and *named is false. */
static int64_t device_number(const struct tl_xp_plane *p, size_t prefix, bool *named)
{
	int64_t n = 0;
	size_t i = prefix;

	while (i < p->name.len && i < prefix + 9 && tl_is_digit(p->name.s[i]))
		n = n * 10 + p->name.s[i++] - '0';
	*named = i > prefix && i == p->name.len;
	return *named ? n : p->id;
}

static void classify(struct tl_xp_reader *r)
{
	struct tl_xp_plane *p = &r->plane;
	bool is_new = false, named = false;

	for (size_t i = 0; i < sizeof plane_kinds / sizeof *plane_kinds && !p->kind; i++) {
		size_t n = strlen(plane_kinds[i].name);
		if (p->name.len < n || (plane_kinds[i].whole && p->name.len > n) || memcmp(p->name.s, plane_kinds[i].name, n) != 0)
			continue;
		p->kind = plane_kinds[i].kind;
		p->pid = plane_kinds[i].pid;
		p->device = device_number(p, n, &named);
	}
	if (p->kind == TL_XP_TPU && !named) /* "/device:TPU:0 SparseCore 1" */
		p->kind = TL_XP_DEVICE;
	if (p->kind >= TL_XP_GPU && p->kind <= TL_XP_DEVICE && p->id >= 0 && p->id < FIRST_OTHER_PID / 2)
		p->pid += p->id;
	if (p->pid)
		tl_map_put(&r->pids, (uint64_t)p->pid, &is_new);
	if (!is_new)
		p->pid = FIRST_OTHER_PID + (int64_t)p->number;
}

/* XPlane: 1 number, 2 name, 3 lines, 4 and 5 what numbers mean, 6 facts. */
static bool read_head(struct tl_xp_reader *r)
{
	struct tl_bytes b = r->plane.bytes;
	struct tl_pb_field f;

	while (tl_pb_next(&b, &f))
		if (f.number == 1 && f.wire == TL_PB_VARINT)
			r->plane.id = (int64_t)f.value;
		else if (f.number == 2)
			r->plane.name = tl_xp_text(r, &f);
	return !b.bad || tl_xp_damaged(r, r->plane.bytes.p, "a field of the plane is damaged");
}

static bool read_lines(struct tl_xp_reader *r)
{
	struct tl_bytes b = r->plane.bytes;
	struct tl_pb_field f;

	while (tl_pb_next(&b, &f))
		if (f.number == 3 && !tl_xp_read_line(r, tl_pb_message(&f)))
			return false;
	if (tl_starts_with(r->plane.name.s ? r->plane.name.s : "", "/device:TPU:") && !r->plane.has_work)
		tl_read_note_many(r->report, r->plane.kind == TL_XP_TPU ? "events of a TPU without the line XLA Ops, which has its operations" :
		                  "events of other parts of a TPU (SparseCore), in no sum", r->plane.n_events, r->uid - r->plane.n_events);
	return true;
}

static bool read_plane(struct tl_xp_reader *r, uint64_t len)
{
	struct tl_xp_plane *p = &r->plane;
	int64_t at = file_offset(r);

	if (len > MAX_PLANE) {
		r->status = tl_fail_at(&r->error, TL_ERR_DATA, at, "a plane of %llu bytes: planes have at most 2 GiB", (unsigned long long)len);
		return false;
	}
	if (!take_bytes(r, len, &r->data))
		return false;
	const uint8_t *data = (const uint8_t *)tl_buf_text(&r->data);
	*p = (struct tl_xp_plane){ .bytes = { data, data + len, false }, .offset = at, .number = p->number + 1 };
	bool good = read_head(r) && tl_xp_read_names(r);
	if (good)
		classify(r);
	good = good && describe_plane(r) && (p->kind == TL_XP_PROGRAMS ? tl_xp_read_programs(r) : read_lines(r));
	tl_xp_release_names(p);
	tl_map_release(&p->tids);
	tl_arena_release(&p->texts);
	return good;
}

/* ---- the file ------------------------------------------------------------------------------------ */

/* What the file says besides planes: 2 errors, 3 warnings, 4 hosts. */
static bool read_text(struct tl_xp_reader *r, uint64_t number, uint64_t len)
{
	static const char *const notes[] = { "errors of the profiler", "warnings of the profiler" };
	int64_t at = file_offset(r);

	if (len > MAX_TEXT) {
		r->status = tl_fail_at(&r->error, TL_ERR_DATA, at, "expected a plane of an XPlane file, or its end");
		return false;
	}
	if (!take_bytes(r, len, &r->data))
		return false;
	if (number == 2 || number == 3)
		tl_read_note(r->report, notes[number - 2], r->uid, at);
	if (number == 4 && r->hosts.len < MAX_TEXT) {
		tl_buf_addc(&r->hosts, r->hosts.len ? ',' : '[');
		tl_json_quote(&r->hosts, tl_buf_text(&r->data), r->data.len);
	}
	return true;
}

/* A file begins with a plane, and a plane with its number or its name, which is plain text. */
static enum tl_match match_xplane(const unsigned char *first, size_t len)
{
	struct tl_bytes b = { first, first + len, false };
	uint64_t size = 0;

	while (!size && b.p < b.end) {
		if (*b.p++ != 0x0a)
			return TL_MATCH_NO;
		size = tl_take_varint(&b);
	}
	if (!b.bad && b.p < b.end && *b.p == 0x08) {
		b.p++;
		tl_take_varint(&b);
	}
	if (!b.bad && b.p < b.end && *b.p++ != 0x12)
		return TL_MATCH_NO;
	uint64_t name = b.p < b.end ? tl_take_varint(&b) : 0;
	if (b.bad || b.p == b.end)
		return b.bad && len >= 64 ? TL_MATCH_NO : TL_MATCH_MORE;
	size_t shown = name < (size_t)(b.end - b.p) ? (size_t)name : (size_t)(b.end - b.p);
	for (size_t i = 0; i < shown; i++)
		if (b.p[i] < 0x20 || b.p[i] > 0x7e)
			return TL_MATCH_NO;
	return name > size || !name ? TL_MATCH_NO : shown < name && shown < 8 ? TL_MATCH_MORE : TL_MATCH_YES;
}

static enum tl_status read_xplane(struct tl_input *in, const struct tl_read_options *options, struct tl_sink *sink,
                                  struct tl_read_report *report, struct tl_error *err)
{
	static const struct tl_header header = { .source = "xplane", .ticks_per_us = 1000000 };
	struct tl_xp_reader *r = tl_calloc(1, sizeof *r);
	enum tl_status st;

	r->in = in;
	r->options = options;
	r->report = report;
	r->status = tl_maker_begin(&r->make, sink, report, &header, &r->error);
	if (!r->status) {
		uint64_t tag, value;
		bool good = true;
		while (good && take_tag(r, &tag, &value))
			if ((tag & 7) == TL_PB_BYTES)
				good = tag >> 3 == 1 ? read_plane(r, value) : read_text(r, tag >> 3, value);
		if (r->status || r->cut_short)
			tolerate_end(r);
		r->report->n_bytes = (uint64_t)file_offset(r);
		if (!r->status)
			push_members(r);
	}
	st = r->status;
	if (st && err)
		*err = r->error;
	report->lenient_helps &= st && !options->lenient;
	tl_maker_release(&r->make);
	tl_buf_release(&r->data);
	tl_buf_release(&r->hosts);
	tl_map_release(&r->pids);
	free(r);
	return st;
}

const struct tl_reader tl_reader_xplane = { "XPlane", match_xplane, read_xplane };
