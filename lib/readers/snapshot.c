/* snapshot.c - reads snapshots of PyTorch's allocator (torch.cuda.memory._dump_snapshot): its history as events "[memory]",
 * as the profiler of PyTorch records them, with the Python frames in place of operators.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "base/utf8.h"
#include "readers/event_maker.h"
#include "readers/pickle.h"

#include <stdlib.h>
#include <string.h>

enum { TICKS = 1000, MAX_FRAMES = 64, MAX_FRAME_TEXT = 512 };
#define MAX_TIME (INT64_MAX / TICKS / 2)

struct stack { struct tl_made_id whole, frame; };
struct snapshot {
	struct tl_maker make;
	struct tl_pickle pickle;
	struct tl_read_report *report;
	struct tl_error *err;
	struct TL_KEYED(struct stack) stacks; /* by the number of a list of frames */
	struct tl_buf text, frame;
	uint64_t uid;
	struct totals { int64_t allocated, reserved; } *totals; /* by device: before the entry that is being read */
	int64_t device;                   /* whose history that is */
};

/* ---- values ----------------------------------------------------------------------------- */

static struct tl_pickle_value *item(const struct snapshot *s, const struct tl_pickle_value *list, uint32_t i)
{
	return &s->pickle.values[list->items[i]];
}

/* How many items a list has; 0: it is none. */
static uint32_t length(const struct tl_pickle_value *v)
{
	return v && v->type == TL_PICKLE_LIST ? v->n : 0;
}

static bool int_member(const struct snapshot *s, const struct tl_pickle_value *dict, const char *key, int64_t *i)
{
	const struct tl_pickle_value *v = tl_pickle_member(&s->pickle, dict, key);

	if (!v || v->type != TL_PICKLE_INT)
		return false;
	*i = v->i;
	return true;
}

static bool is_text(const struct tl_pickle_value *v, const char *text)
{
	return v && v->type == TL_PICKLE_TEXT && v->n == strlen(text) && !memcmp(v->text, text, v->n);
}

/* What an entry of the history adds to the bytes that are allocated or reserved; false: nothing. */
static bool change(const struct snapshot *s, const struct tl_pickle_value *entry, int64_t *allocated, int64_t *reserved)
{
	static const struct { const char *action; int allocated, reserved; } actions[] = {
		{ "alloc", 1, 0 }, { "free_completed", -1, 0 }, { "segment_alloc", 0, 1 }, { "segment_map", 0, 1 },
		{ "segment_free", 0, -1 }, { "segment_unmap", 0, -1 },
	};
	const struct tl_pickle_value *action = tl_pickle_member(&s->pickle, entry, "action");
	int64_t size;

	*allocated = *reserved = 0;
	if (!int_member(s, entry, "size", &size) || size < 0 || size > INT64_MAX / 4)
		return false;
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		if (is_text(action, actions[i].action)) {
			*allocated = actions[i].allocated * size;
			*reserved = actions[i].reserved * size;
			return true;
		}
	return false;
}

/* A sum that stays where numbers of hostile files would overflow. */
static int64_t sum(int64_t a, int64_t b)
{
	int64_t result;

	return __builtin_add_overflow(a, b, &result) ? a : result;
}

/* ---- frames --------------------------------------------------------------------------------- */

static void add_text(struct tl_buf *to, const struct tl_pickle_value *v)
{
	if (v && v->type == TL_PICKLE_TEXT)
		tl_buf_add_utf8(to, v->text, v->n < MAX_FRAME_TEXT ? v->n : MAX_FRAME_TEXT);
}

/* Adds "file(line): function". Is it the program's own Python, not PyTorch's? */
static bool add_frame(const struct snapshot *s, struct tl_buf *to, const struct tl_pickle_value *frame)
{
	size_t from = to->len;
	int64_t line;

	add_text(to, tl_pickle_member(&s->pickle, frame, "filename"));
	bool is_own = to->len > from + 3 && !memcmp(to->data + to->len - 3, ".py", 3) &&
	              !strstr(tl_buf_text(to) + from, "/torch/");
	if (int_member(s, frame, "line", &line))
		tl_buf_addf(to, "(%lld)", (long long)line);
	tl_buf_adds(to, ": ");
	add_text(to, tl_pickle_member(&s->pickle, frame, "name"));
	return is_own;
}

/* The texts of a list of frames, the innermost first: all of them, and the first one of the program's own. */
static void read_frames(struct snapshot *s, const struct tl_pickle_value *frames)
{
	uint32_t n = length(frames);
	bool found = false;

	tl_buf_clear(&s->text);
	tl_buf_clear(&s->frame);
	for (uint32_t i = 0; i < n && i < MAX_FRAMES; i++) {
		size_t from;

		tl_buf_adds(&s->text, i ? "; " : "");
		from = s->text.len;
		bool is_own = add_frame(s, &s->text, item(s, frames, i));
		if (i && (found || !is_own))
			continue;
		found = is_own;
		tl_buf_clear(&s->frame);
		tl_buf_add(&s->frame, s->text.data + from, s->text.len - from);
	}
}

/* Gives the event at hand its frames. */
static void make_frames(struct snapshot *s, const struct tl_pickle_value *entry)
{
	const struct tl_pickle_value *frames = tl_pickle_member(&s->pickle, entry, "frames");

	if (!length(frames))
		return;
	struct stack *known = TL_ITEM(&s->stacks, (uint64_t)(frames - s->pickle.values), NULL);
	if (known->whole.epoch != s->make.epoch || !known->whole.id)
		read_frames(s, frames);
	tl_make_field(&s->make, TL_KEY_FRAME, TL_FIELD_STRING, tl_make_known(&s->make, &known->frame, s->frame.data, s->frame.len));
	tl_make_field(&s->make, TL_KEY_STACK, TL_FIELD_STRING, tl_make_known(&s->make, &known->whole, s->text.data, s->text.len));
}

/* ---- history -------------------------------------------------------------------------------- */

/* Takes off the totals what the history changed: they are those before it then. */
static void find_start(const struct snapshot *s, const struct tl_pickle_value *history)
{
	struct totals *t = &s->totals[s->device];
	int64_t allocated, reserved;

	for (uint32_t i = 0; i < length(history); i++)
		if (change(s, item(s, history, i), &allocated, &reserved)) {
			t->allocated = sum(t->allocated, -allocated);
			t->reserved = sum(t->reserved, -reserved);
		}
}

static enum tl_status push_entry(struct snapshot *s, const struct tl_pickle_value *entry, uint32_t number)
{
	struct totals *totals = &s->totals[s->device];
	int64_t allocated, reserved, time = number, address = 0, bytes = 0;
	bool changes = change(s, entry, &allocated, &reserved);
	bool is_oom = is_text(tl_pickle_member(&s->pickle, entry, "action"), "oom");

	if (int_member(s, entry, "time_us", &time) && (time < 0 || time > MAX_TIME)) {
		tl_read_note(s->report, "entries with a time that cannot be are left out", s->uid, -1);
		changes = is_oom = false;
	}
	if (changes) {
		totals->allocated = sum(totals->allocated, allocated);
		totals->reserved = sum(totals->reserved, reserved);
	}
	if (!is_oom && (!changes || !allocated)) {
		s->uid++;
		return TL_OK;
	}
	tl_make_event(&s->make, s->uid++, TL_KIND_INSTANT, 0);
	tl_make_name(&s->make, is_oom ? TL_MEMORY_OOM : TL_MEMORY_EVENT, strlen(is_oom ? TL_MEMORY_OOM : TL_MEMORY_EVENT));
	tl_make_instant(&s->make, time * TICKS);
	tl_make_thread(&s->make, 0);
	if (int_member(s, entry, "addr", &address))
		tl_make_int(&s->make, "Addr", address);
	if (is_oom && int_member(s, entry, "size", &bytes))
		allocated = bytes;
	tl_make_int(&s->make, "Bytes", allocated);
	tl_make_int(&s->make, "Device Type", 1);
	tl_make_int(&s->make, "Device Id", s->device);
	tl_make_int(&s->make, "Total Allocated", totals->allocated);
	tl_make_int(&s->make, "Total Reserved", totals->reserved);
	if (is_oom && int_member(s, entry, "device_free", &bytes))
		tl_make_int(&s->make, "Device Free", bytes);
	make_frames(s, entry);
	const struct tl_pickle_value *category = tl_pickle_member(&s->pickle, entry, "category");
	if (category && category->type == TL_PICKLE_TEXT) {
		tl_buf_clear(&s->text);
		add_text(&s->text, category);
		tl_make_text(&s->make, TL_KEY_CATEGORY, tl_buf_text(&s->text), s->text.len);
	}
	return tl_push_made(&s->make, s->err);
}

/* ---- what was held at the end ---------------------------------------------------------------- */

struct room { int64_t blocks, free_blocks, free, largest; };

static struct room room_of(const struct snapshot *s, const struct tl_pickle_value *blocks)
{
	struct room r = { 0 };
	int64_t bytes;

	for (uint32_t i = 0; i < length(blocks); i++) {
		const struct tl_pickle_value *block = item(s, blocks, i);
		r.blocks++;
		if (!is_text(tl_pickle_member(&s->pickle, block, "state"), "inactive") || !int_member(s, block, "size", &bytes))
			continue;
		r.free_blocks++;
		r.free = sum(r.free, bytes);
		r.largest = bytes > r.largest ? bytes : r.largest;
	}
	return r;
}

static enum tl_status push_segment(struct snapshot *s, const struct tl_pickle_value *segment)
{
	static const struct { const char *member, *field; } members[] = {
		{ "device", "Device Id" }, { "address", "Addr" }, { "stream", TL_KEY_STREAM }, { "total_size", "Bytes" },
		{ "active_size", "Total Active" }, { "allocated_size", "Total Allocated" },
	};
	struct tl_pickle_value *blocks = tl_pickle_member(&s->pickle, segment, "blocks");
	const struct tl_pickle_value *type = tl_pickle_member(&s->pickle, segment, "segment_type");
	int64_t value;

	if (blocks && blocks->seen) /* else a small file could stand for any number of blocks */
		return tl_fail(s->err, TL_ERR_DATA, "the blocks of two segments are one list, which _dump_snapshot does not write");
	tl_make_event(&s->make, s->uid++, TL_KIND_INSTANT, 'i');
	tl_make_name(&s->make, TL_MEMORY_SEGMENT, strlen(TL_MEMORY_SEGMENT));
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (int_member(s, segment, members[i].member, &value))
			tl_make_int(&s->make, members[i].field, value);
	if (length(blocks)) {
		struct room r = room_of(s, blocks);
		blocks->seen = true;
		tl_make_int(&s->make, "Blocks", r.blocks);
		tl_make_int(&s->make, "Free Blocks", r.free_blocks);
		tl_make_int(&s->make, "Free", r.free);
		tl_make_int(&s->make, "Largest Free", r.largest);
	}
	if (type && type->type == TL_PICKLE_TEXT) {
		tl_buf_clear(&s->text);
		add_text(&s->text, type);
		tl_make_text(&s->make, "Segment Type", tl_buf_text(&s->text), s->text.len);
	}
	return tl_push_made(&s->make, s->err);
}

static enum tl_status push_history(struct snapshot *s, const struct tl_pickle_value *root)
{
	const struct tl_pickle_value *segments = tl_pickle_member(&s->pickle, root, "segments");
	struct tl_pickle_value *traces = tl_pickle_member(&s->pickle, root, "device_traces");
	enum tl_status st = TL_OK;

	if (!traces || traces->type != TL_PICKLE_LIST)
		return tl_fail(s->err, TL_ERR_DATA, "this pickle is no snapshot of torch.cuda.memory._dump_snapshot: it has no list device_traces");
	if (length(traces) > UINT16_MAX)
		return tl_fail(s->err, TL_ERR_DATA, "device_traces is of %lu devices", (unsigned long)length(traces));
	s->totals = tl_calloc((size_t)length(traces) + 1, sizeof *s->totals);
	/* the totals of the devices when the snapshot was made */
	int64_t device, bytes;
	for (uint32_t i = 0; i < length(segments); i++) {
		const struct tl_pickle_value *segment = item(s, segments, i);
		if (!int_member(s, segment, "device", &device) || device < 0 || device >= length(traces))
			continue;
		struct totals *t = &s->totals[device];
		if (int_member(s, segment, "active_size", &bytes) || int_member(s, segment, "allocated_size", &bytes))
			t->allocated = sum(t->allocated, bytes);
		if (int_member(s, segment, "total_size", &bytes))
			t->reserved = sum(t->reserved, bytes);
	}
	for (uint32_t i = 0; i < length(traces) && !st; i++) {
		struct tl_pickle_value *history = item(s, traces, i);
		if (history->seen) /* else a small file could stand for any number of events */
			return tl_fail(s->err, TL_ERR_DATA, "the histories of two devices are one list, which _dump_snapshot does not write");
		history->seen = history->type == TL_PICKLE_LIST && history->n;
		if (!history->seen)
			continue;
		s->device = i;
		find_start(s, history);
		for (uint32_t k = 0; k < length(history) && !st; k++)
			st = push_entry(s, item(s, history, k), k);
	}
	for (uint32_t i = 0; i < length(segments) && !st; i++)
		st = push_segment(s, item(s, segments, i));
	return st;
}

/* ---- the reader ------------------------------------------------------------------------------ */

/* Protocols 2 to 5; a dictionary comes first. */
static enum tl_match match_snapshot(const unsigned char *first, size_t len)
{
	size_t at = len > 2 && first[2] == 0x95 ? 11 : 2;

	if (len && first[0] != 0x80)
		return TL_MATCH_NO;
	if (len > 1 && (first[1] < 2 || first[1] > 5))
		return TL_MATCH_NO;
	if (len <= at)
		return TL_MATCH_MORE;
	return first[at] == '}' ? TL_MATCH_YES : TL_MATCH_NO;
}

static enum tl_status read_snapshot(struct tl_input *in, const struct tl_read_options *options, struct tl_sink *sink,
                                    struct tl_read_report *report, struct tl_error *err)
{
	static const struct tl_header header = { .source = "memory snapshot", .ticks_per_us = TICKS };
	struct tl_error own = { 0 };
	struct snapshot s = { .report = report, .err = err ? err : &own };
	struct tl_buf file = { 0 };
	enum tl_status st = tl_maker_begin(&s.make, sink, report, &header, s.err);

	(void)options;
	if (!st) {
		enum { CHUNK = 1 << 18 };
		int64_t got;
		do {
			tl_buf_reserve(&file, file.len < CHUNK ? CHUNK : file.len);
			got = in->read(in, file.data + file.len, file.len < CHUNK ? CHUNK : file.len, s.err);
			file.len += got > 0 ? (size_t)got : 0;
		} while (got > 0);
		st = got < 0 ? (s.err->status ? s.err->status : TL_ERR_IO) : TL_OK;
	}
	report->n_bytes = file.len;
	if (!st)
		st = tl_pickle_read(&s.pickle, file.data, file.len, s.err);
	if (!st)
		st = push_history(&s, &s.pickle.values[s.pickle.root]);
	report->n_events = s.uid;
	tl_maker_release(&s.make);
	tl_pickle_release(&s.pickle);
	TL_KEYED_RELEASE(&s.stacks);
	free(s.totals);
	tl_buf_release(&s.text);
	tl_buf_release(&s.frame);
	tl_buf_release(&file);
	return st;
}

const struct tl_reader tl_reader_snapshot = { "snapshots of PyTorch's memory", match_snapshot, read_snapshot };
