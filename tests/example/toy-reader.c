/* toy-reader.c - reads a made-up trace format and writes it as an event stream: an example of a reader.
 * A line is a span: its kind, queue ("-": none), start and end in ns, number of the call, name.
 *   kernel 7 100 250 1 mm
 *   toy-reader < trace.toy | tl-timeline
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include <tl.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static enum tl_status write_stdout(struct tl_output *out, const void *buf, size_t len, struct tl_error *err)
{
	return fwrite(buf, 1, len, stdout) == len ? TL_OK : tl_fail(err, TL_ERR_IO, "%s: cannot write", out->name);
}

/* One line becomes one event, with the field "correlation". tables: strings, tracks and layouts by id. */
static enum tl_status read_span(struct tl_tables *tables, const char *line, struct tl_sink *sink, uint64_t uid, struct tl_error *err)
{
	struct tl_field field = { .key = tl_add_text(tables, "correlation"), .type = TL_FIELD_INT };
	struct tl_layout layout = { .ph = 'X', .flags = TL_HAS_TS | TL_HAS_DUR | TL_HAS_NAME, .n_fields = 1, .fields = &field };
	char kind[32], queue[32], name[1024];
	int64_t call, end;
	struct tl_event event = { .uid = uid, .values = &call };

	if (sscanf(line, "%31s %31s %" SCNd64 " %" SCNd64 " %" SCNd64 " %1023[^\n]", kind, queue, &event.ts, &end, &call, name) != 6)
		return tl_fail(err, TL_ERR_DATA, "expected kind, queue, start, end, call and name");
	int number = tl_kind_by_name(kind, strlen(kind));
	if (number < 0)
		return tl_fail(err, TL_ERR_DATA, "a span of an unknown kind, '%s'", kind);
	layout.kind = (uint8_t)number;
	event.layout = tl_add_layout(tables, &layout);
	event.name = tl_add_text(tables, name);
	if (strcmp(queue, "-"))
		event.track = tl_add_track(tables, 0, tl_add_text(tables, queue));
	event.dur = end - event.ts;
	return sink->ops->event(sink, &event, err);
}

static enum tl_status read_trace(struct tl_tables *tables, struct tl_sink *sink, uint64_t *uid, struct tl_error *err)
{
	struct tl_header header = { .source = "toy", .ticks_per_us = 1000 };
	enum tl_status status = sink->ops->begin(sink, &header, tables, err);
	char line[2048];

	for (; !status && fgets(line, sizeof line, stdin); ++*uid) {
		status = read_span(tables, line, sink, *uid, err);
		tl_source_reset(tables, sink); /* so that memory does not grow with the trace */
	}
	return status ? status : sink->ops->end(sink, err);
}

int main(void)
{
	struct tl_output out = { .name = "<stdout>", .write = write_stdout };
	struct tl_sink *sink = tl_writer_new(&out, NULL);
	struct tl_tables tables = { .n_fields = 0 };
	struct tl_error err;
	uint64_t lines = 0;
	enum tl_status status = read_trace(&tables, sink, &lines, &err);

	if (status)
		fprintf(stderr, "toy-reader: error: line %" PRIu64 ": %s\n", lines, err.text);
	tl_writer_free(sink);
	tl_tables_release(&tables);
	return status != TL_OK || fflush(stdout) != 0;
}
