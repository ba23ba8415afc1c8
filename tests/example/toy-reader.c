/* toy-reader.c - reads a made-up trace format and writes it as an event stream: an
 * example of a reader.
 *   {"made by": "toy 1", "spans": [
 *     {"name": "mm", "kind": "kernel", "queue": 7, "from ns": 100, "to ns": 250, "call": 1}, ...]}
 *   toy-reader < toy.json | tl-timeline
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <tl.h>

#include <stdio.h>

static int64_t read_stdin(struct tl_input *in, void *buf, size_t cap, struct tl_error *err)
{
	size_t n = fread(buf, 1, cap, stdin);

	if (n == 0 && ferror(stdin))
		return tl_fail(err, TL_ERR_IO, "%s: cannot read", in->name), -1;
	return (int64_t)n;
}

static enum tl_status write_stdout(struct tl_output *out, const void *buf, size_t len, struct tl_error *err)
{
	return fwrite(buf, 1, len, stdout) == len ? TL_OK : tl_fail(err, TL_ERR_IO, "%s: cannot write", out->name);
}

static struct tl_tables tables; /* strings, tracks and layouts by id */

/* One span becomes one event, with the field "correlation". */
static void read_span(struct tl_json_doc *d, struct tl_sink *sink, uint64_t uid)
{
	int64_t call = 0, end = 0, at = tl_json_doc_offset(d);
	struct tl_field field = { .key = tl_add_string(&tables, "correlation", 11), .type = TL_FIELD_INT };
	struct tl_layout layout = { .ph = 'X', .flags = TL_HAS_TS | TL_HAS_DUR | TL_HAS_NAME, .n_fields = 1, .fields = &field };
	struct tl_event event = { .uid = uid, .values = &call };
	struct tl_buf text = { 0 };
	int kind = TL_KIND_OTHER;

	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		if (tl_json_doc_name_is(d, "name") && tl_json_doc_string(d, &text))
			event.name = tl_add_string(&tables, tl_buf_text(&text), text.len);
		else if (tl_json_doc_name_is(d, "kind") && tl_json_doc_string(d, &text))
			kind = tl_kind_by_name(text.data, text.len);
		else if (tl_json_doc_name_is(d, "queue") && tl_json_doc_value(d, &text))
			event.track = tl_add_track(&tables, 0, tl_add_string(&tables, text.data, text.len));
		else if (tl_json_doc_name_is(d, "from ns"))
			tl_json_doc_int(d, &event.ts);
		else if (tl_json_doc_name_is(d, "to ns"))
			tl_json_doc_int(d, &end);
		else if (tl_json_doc_name_is(d, "call"))
			tl_json_doc_int(d, &call);
		else
			tl_json_doc_value(d, NULL);
	if (kind < 0)
		tl_json_doc_fail(d, at, "a span of an unknown kind");
	layout.kind = (uint8_t)kind;
	event.layout = tl_add_layout(&tables, &layout);
	event.dur = end - event.ts;
	if (!d->status)
		d->status = sink->ops->event(sink, &event, &d->error);
	tl_buf_release(&text);
}

static void read_trace(struct tl_json_doc *d, struct tl_sink *sink)
{
	uint64_t uid = 0;

	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d)) {
		if (!tl_json_doc_name_is(d, "spans"))
			tl_json_doc_value(d, NULL);
		else if (tl_json_doc_enter(d, '['))
			while (tl_json_doc_element(d))
				read_span(d, sink, uid++), tl_source_reset(&tables, sink);
	}
	tl_json_doc_end(d);
}

int main(void)
{
	struct tl_input in = { .name = "<stdin>", .read = read_stdin };
	struct tl_output out = { .name = "<stdout>", .write = write_stdout };
	struct tl_header header = { .source = "toy", .ticks_per_us = 1000 };
	struct tl_sink *sink = tl_writer_new(&out, NULL);
	struct tl_json_doc d;

	tl_json_doc_init(&d, &in);
	d.status = sink->ops->begin(sink, &header, &tables, &d.error);
	read_trace(&d, sink);
	if (!d.status)
		d.status = sink->ops->end(sink, &d.error);
	if (d.status)
		fprintf(stderr, "toy-reader: error: byte %lld: %s\n", (long long)d.error.offset, d.error.text);
	tl_writer_free(sink);
	tl_tables_release(&tables);
	tl_json_doc_release(&d);
	return d.status != TL_OK || fflush(stdout) != 0;
}
