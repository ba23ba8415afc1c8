/* tl-view.c - an event stream as text, one record a line, and back.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include "work/device_events.h"
#include "work/spans.h"
#include "base/escape.h"
#include "model/part.h"
#include "model/trace.h"
#include "table/table_reader.h"
#include "table/tsv.h"
#include "writers/chrome.h"
#include "writers/perfetto_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool to_stream, to_chrome, to_perfetto, check_only, header_only, links_only, no_links;
static uint32_t kinds; /* bit (1u << kind): wanted; 0 = all */
static struct tl_perfetto_options perfetto;
static const char *findings_file;
static struct tl_common common;

static const struct tl_opt options[] = {
	{ 'b', "to-stream", NULL, "write a binary stream instead of text", TL_OPT_FLAG, &to_stream, 0, 0, NULL },
	{ 0, "chrome", NULL, "write Chrome trace JSON, as Perfetto and PyTorch read it, instead of text", TL_OPT_FLAG, &to_chrome, 0, 0, NULL },
	{ 0, "perfetto", NULL, "write Perfetto's packets, with tracks of what the trace shows, instead of text", TL_OPT_FLAG, &to_perfetto, 0, 0, NULL },
	{ 0, "critical-path", NULL, "with --perfetto: the critical path of the trace, too, as a track", TL_OPT_FLAG, &perfetto.path, 0, 0, NULL },
	{ 0, "findings", "FILE", "with --perfetto: the sheet finding_times of tl-findings, too, a track for each finding", TL_OPT_TEXT, &findings_file, 0, 0, NULL },
	{ 0, "check", NULL, "only check that the input is whole and sound", TL_OPT_FLAG, &check_only, 0, 0, NULL },
	{ 0, "header", NULL, "print only the header, provenance and schema", TL_OPT_FLAG, &header_only, 0, 0, NULL },
	{ 0, "kind", "KIND[,KIND]...", "only events of these kinds, and no links", TL_OPT_CALL, &kinds, 0, 0, tl_add_kinds },
	{ 0, "links", NULL, "only links", TL_OPT_FLAG, &links_only, 0, 0, NULL },
	{ 0, "no-links", NULL, "no links", TL_OPT_FLAG, &no_links, 0, 0, NULL },
	{ 0, NULL, NULL, NULL, 0, NULL, 0, 0, NULL },
};

static const struct tl_program program = {
	.name = "tl-view",
	.synopsis = "[OPTION]... [FILE]",
	.purpose = "print an event stream as text, or turn such text back",
	.detail = "FILE is an event stream or its text; without it, or with -, standard input is read.",
	.options = options,
	.common = TL_COMMON_OUTPUT | TL_COMMON_VERBOSE,
	.c = &common,
};

/* ---- a sink that prints header and schema -------------------------------------- */

struct schema {
	struct tl_sink sink;
	struct tl_output *out;
	const struct tl_tables *tables;
	struct tl_buf text;
	struct tl_strtab lines;  /* a layout each, as printed */
	struct tl_by_id line_of; /* layout id -> line */
	uint64_t *uses;          /* [line] */
	size_t n_uses, cap_uses;
	uint64_t links[TL_LINK_COUNT], n_meta;
};

static enum tl_status schema_begin(struct tl_sink *sink, const struct tl_header *h, const struct tl_tables *tables,
                                   struct tl_error *err)
{
	struct schema *s = (struct schema *)sink;

	(void)err;
	s->tables = tables;
	tl_text_header(&s->text, h);
	return TL_OK;
}

static void schema_reset(struct tl_sink *sink)
{
	tl_by_id_forget(&((struct schema *)sink)->line_of);
}

/* "kind<TAB>category<TAB>phase<TAB>what the event has<TAB>fields" */
static uint32_t layout_line(struct schema *s, const struct tl_layout *l)
{
	static const struct { unsigned flag; const char *text; } has[] = {
		{ TL_HAS_TS, "ts" }, { TL_HAS_DUR, "dur" }, { TL_HAS_NAME, "name" }, { TL_HAS_ARGS, "args" },
		{ TL_INT_TS, "whole_ts" }, { TL_INT_DUR, "whole_dur" },
	};
	struct tl_buf b = { 0 };
	const char *comma = "";

	tl_buf_addf(&b, "%s\t", tl_kind_name(l->kind));
	tl_escape(&b, tl_str(&s->tables->strings, l->cat), tl_str_len(&s->tables->strings, l->cat));
	tl_buf_addc(&b, '\t');
	tl_escape(&b, &l->ph, l->ph ? 1 : 0);
	tl_buf_addc(&b, '\t');
	for (size_t i = 0; i < sizeof has / sizeof has[0]; i++) {
		if (!(l->flags & has[i].flag))
			continue;
		tl_buf_addf(&b, "%s%s", comma, has[i].text);
		comma = ",";
	}
	for (uint32_t i = 0; i < l->n_fields; i++)
		tl_text_field_name(&b, s->tables, &l->fields[i]);
	uint32_t line = tl_intern(&s->lines, b.data, b.len);
	tl_buf_release(&b);
	return line;
}

static enum tl_status schema_meta(struct tl_sink *sink, const char *key, size_t key_len, const char *json,
                                  size_t json_len, struct tl_error *err)
{
	(void)key, (void)key_len, (void)json, (void)json_len, (void)err;
	((struct schema *)sink)->n_meta++;
	return TL_OK;
}

static enum tl_status schema_event(struct tl_sink *sink, const struct tl_event *ev, struct tl_error *err)
{
	struct schema *s = (struct schema *)sink;
	uint32_t *line = tl_by_id(&s->line_of, ev->layout);

	(void)err;
	if (!*line)
		*line = layout_line(s, tl_layout_of(s->tables, ev->layout));
	TL_GROW(s->uses, s->cap_uses, *line + (size_t)1);
	for (; s->n_uses <= *line; s->n_uses++)
		s->uses[s->n_uses] = 0;
	s->uses[*line]++;
	return TL_OK;
}

static enum tl_status schema_link(struct tl_sink *sink, const struct tl_link *k, struct tl_error *err)
{
	(void)err;
	((struct schema *)sink)->links[k->type]++;
	return TL_OK;
}

static enum tl_status schema_end(struct tl_sink *sink, struct tl_error *err)
{
	struct schema *s = (struct schema *)sink;

	for (uint32_t i = 1; i <= s->lines.count; i++) {
		tl_buf_addf(&s->text, "layout\t%" PRIu64 "\t", s->uses[i]);
		tl_buf_add(&s->text, tl_str(&s->lines, i), tl_str_len(&s->lines, i));
		tl_buf_addc(&s->text, '\n');
	}
	for (unsigned i = 1; i < TL_LINK_COUNT; i++)
		if (s->links[i])
			tl_buf_addf(&s->text, "links\t%" PRIu64 "\t%s\n", s->links[i], tl_link_name(i));
	tl_buf_addf(&s->text, "members\t%" PRIu64 "\n", s->n_meta);
	return s->out->write(s->out, s->text.data, s->text.len, err);
}

static struct tl_sink *schema_new(struct tl_output *out)
{
	static const struct tl_sink_ops ops = {
		.begin = schema_begin, .reset = schema_reset, .meta = schema_meta,
		.event = schema_event, .link = schema_link, .end = schema_end,
	};
	struct schema *s = tl_calloc(1, sizeof *s);

	s->sink.ops = &ops;
	s->out = out;
	return &s->sink;
}

static void schema_free(struct tl_sink *sink)
{
	struct schema *s = (struct schema *)sink;

	tl_strtab_release(&s->lines);
	tl_buf_release(&s->text);
	tl_by_id_release(&s->line_of);
	free(s->uses);
	free(s);
}

/* ---- input ------------------------------------------------------------------------ */

static void die_of_foreign(const char *name, const char *p, size_t n)
{
	size_t i = n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

	if (n == 0)
		tl_die("%s: byte 0: empty input, an event stream or its text was expected", name);
	if (n >= 2 && !memcmp(p, "\x1f\x8b", 2))
		tl_die("%s: byte 0: is compressed with gzip: pipe a trace through tl-parse, a stream through "
		       "gzip -dc", name);
	while (i < n && (p[i] == ' ' || p[i] == '\t' || p[i] == '\n' || p[i] == '\r'))
		i++;
	if (i < n && (p[i] == '{' || p[i] == '['))
		tl_die("%s: byte 0: is a PyTorch trace, pipe it through tl-parse", name);
	tl_die("%s: byte 0: neither an event stream nor its text", name);
}

static void read_all(struct tl_input *in, struct tl_sink *sink)
{
	static char first[TL_FOREIGN_LOOK];
	struct tl_error err = { 0 };
	enum tl_status st = TL_OK;
	int64_t start = tl_read_start(in, first, sizeof first, &err);
	size_t n = start < 0 ? 0 : (size_t)start;

	if (start < 0)
		tl_die_error(in->name, &err);
	if (n && first[0] == TL_STREAM_MAGIC[0])
		st = tl_stream_read(in, first, n, sink, &err);
	else if (n && memcmp(first, "tls\t", n < 4 ? n : 4) == 0)
		st = tl_text_read(in, first, n, sink, &err);
	else
		die_of_foreign(in->name, first, n);
	if (st != TL_OK)
		tl_die_error(in->name, &err);
}

/* ---- Perfetto's packets: of the whole trace, in memory ---------------------------------- */

static struct tl_trace *trace;
static struct tl_sink *in_memory;

static struct tl_sink *open_trace(void)
{
	const struct tl_link_options links = { .keep = true };

	in_memory = tl_trace_sink_new(&trace, &(struct tl_trace_options){ .samples = true, .counters = true });
	return tl_linker_new(in_memory, &links);
}

static enum tl_cell_type times_column(const char *name)
{
	return !strcmp(name, "title") || !strcmp(name, "id") ? TL_CELL_TEXT : TL_CELL_INT;
}

/* The times of findings as marks of the trace; those outside of it are left out. The marks, and the texts, which live in `strings`,
 * are the caller's. */
static struct tl_perfetto_mark *read_findings(struct tl_strtab *strings, size_t *n)
{
	struct tl_buf ts = { 0 }, dur = { 0 }, track = { 0 };
	const char *names[] = { "rank", "title", NULL, NULL, "id", NULL };
	const struct tl_tsv_columns columns = { names, NULL, times_column };
	struct tl_input *in = tl_open_input(findings_file);
	struct tl_span all = { INT64_MAX, INT64_MIN };
	struct tl_error err;
	struct tl_table *t;

	tl_buf_addf(&ts, "ts_%s", tl_ticks_unit(trace->ticks_per_us));
	tl_buf_addf(&dur, "dur_%s", tl_ticks_unit(trace->ticks_per_us));
	names[2] = ts.data;
	names[3] = dur.data;
	if (tl_tsv_read_table(in, strings, &columns, &t, &err) != TL_OK)
		tl_die_of_sheet(findings_file, &err);
	tl_close_input(in);
	for (uint32_t i = 0; i < trace->n_events; i++) {
		const struct tl_ev *e = &trace->events[i];
		if (!tl_ev_has_span(e))
			continue;
		all.start = e->ts < all.start ? e->ts : all.start;
		all.end = tl_ev_end(e) > all.end ? tl_ev_end(e) : all.end;
	}
	struct tl_perfetto_mark *marks = tl_alloc((t->n_rows + 1) * sizeof *marks);
	*n = 0;
	for (size_t i = 0; i < t->n_rows; i++) {
		int64_t start = tl_table_cell(t, i, 2).i, end = tl_ticks_add(start, tl_table_cell(t, i, 3).i);
		if (start >= all.end || end <= all.start)
			continue;
		tl_buf_clear(&track);
		tl_buf_addf(&track, "finding %lld", (long long)tl_table_cell(t, i, 0).i);
		marks[(*n)++] = (struct tl_perfetto_mark){ tl_str(strings, tl_intern(strings, track.data, track.len)), tl_table_text(t, i, 1, ""), start, end };
	}
	if (*n < t->n_rows)
		tl_note("%s: %zu of %zu times are outside of the trace, left out", findings_file, t->n_rows - *n, t->n_rows);
	tl_table_free(t);
	tl_buf_release(&ts);
	tl_buf_release(&dur);
	tl_buf_release(&track);
	return marks;
}

static void write_perfetto(struct tl_output *out, const char *input)
{
	struct tl_perfetto_report r;
	struct tl_error err = { 0 };
	struct tl_strtab strings = { 0 };
	struct tl_perfetto_mark *marks = findings_file ? read_findings(&strings, &perfetto.n_marks) : NULL;

	perfetto.marks = marks;
	if (tl_perfetto_write(trace, &perfetto, out, &r, &err) != TL_OK)
		tl_die_error(err.status == TL_ERR_IO ? out->name : input, &err);
	if (r.n_rounded)
		tl_note("%s: times of %" PRIu64 " events are no whole nanoseconds, rounded for the viewer", input, r.n_rounded);
	if (r.n_unshown)
		tl_note("%s: %" PRIu64 " events begin before the time 0 or end beyond what the viewer knows, shown from and up to there", input, r.n_unshown);
	if (common.verbose)
		tl_note("%s: %" PRIu64 " spans, %" PRIu64 " instants, %" PRIu64 " arrows; %" PRIu64 " events on %" PRIu64
		        " further tracks, as they overlap; %" PRIu64 " events are kept, but not shown",
		        input, r.n_spans, r.n_instants, r.n_flows, r.n_moved, r.n_lanes, r.n_kept);
	free(marks);
	tl_strtab_release(&strings);
}

static struct tl_sink *open_sink(struct tl_output *out)
{
	if (check_only)
		return tl_null_sink();
	if (header_only)
		return schema_new(out);
	if (to_chrome)
		return tl_chrome_writer_new(out);
	if (to_perfetto)
		return open_trace();
	return to_stream ? tl_writer_new(out, NULL) : tl_text_writer_new(out);
}

static void close_sink(struct tl_sink *sink)
{
	if (check_only)
		return;
	if (header_only)
		schema_free(sink);
	else if (to_chrome)
		tl_chrome_writer_free(sink);
	else if (to_perfetto) {
		tl_linker_free(sink);
		tl_trace_sink_free(in_memory);
		tl_trace_free(trace);
	} else if (to_stream)
		tl_writer_free(sink);
	else
		tl_text_writer_free(sink);
}

int main(int argc, char **argv)
{
	const char *path = tl_cli_start_one(&program, argc, argv);
	struct tl_input *in;
	struct tl_output *out;
	struct tl_sink *sink;
	struct tl_part part;

	if (to_stream + to_chrome + to_perfetto + check_only + header_only > 1)
		tl_usage("--to-stream, --chrome, --perfetto, --check and --header exclude each other");
	if ((check_only || header_only) && (kinds || links_only || no_links))
		tl_usage("--check and --header look at the whole input: no --kind, --links or --no-links");
	if (links_only && (kinds || no_links))
		tl_usage("--links excludes --kind and --no-links");
	if (links_only && (to_stream || to_chrome || to_perfetto))
		tl_usage("links without events are of no use: no --links with --to-stream, --chrome or --perfetto");
	if ((perfetto.path || findings_file) && !to_perfetto)
		tl_usage(perfetto.path ? "--critical-path is a track of --perfetto" : "--findings makes tracks of --perfetto");
	if (check_only && common.output)
		tl_usage("--check writes nothing: no -o");
	in = tl_open_input(path);
	out = check_only ? NULL : tl_open_output(common.output, to_stream || to_perfetto);
	sink = open_sink(out);
	tl_part_init(&part, sink);
	part.drop_kinds = links_only ? UINT32_MAX : kinds ? ~kinds : 0;
	part.drop_links = no_links || kinds;
	part.drop_members = links_only;
	read_all(in, &part.sink);
	if (to_perfetto)
		write_perfetto(out, in->name);
	if (out)
		tl_close_output(out);
	if (common.verbose)
		tl_note("%s: %" PRIu64 " events, %" PRIu64 " links, %" PRIu64 " members", in->name,
		        part.n_events, part.n_links, part.n_members);
	close_sink(sink);
	tl_close_input(in);
	return 0;
}
