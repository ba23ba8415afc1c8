/* rocprofv3.c - reads the JSON of rocprofv3, AMD's profiler: processes, their tables and the
 * lists of their records.
 *
 * A record becomes an event at once if its process's tables stand before it, as rocprofv3
 * writes them. Else its numbers are spooled to a file until the process ends, so that memory
 * grows with the tables only.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/rocprofv3.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "json/scan.h"
#include "json/value.h"
#include "model/fields.h"

#define TOP_KEY "rocprofiler-sdk-tool"
#define COMMAND_MAX ((size_t)64 * 1024)

/* ---- metadata --------------------------------------------------------------------- */

static void node(struct tl_json_doc *d, struct tl_rocprof_process *p)
{
	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		if (tl_json_doc_name_is(d, "hostname"))
			tl_rocprof_json(d, '"', &p->hostname);
		else
			tl_json_doc_value(d, NULL);
}

/* The process's name: the file name of its first word. */
static void name_process(struct tl_rocprof_process *p)
{
	struct tl_arena arena = { 0 };
	struct tl_value v = { 0 };

	if (!tl_value_parse(&arena, p->command.data, p->command.len, &v, NULL) && v.len && v.items[0].type == TL_V_TEXT) {
		const char *slash = strrchr(v.items[0].text, '/');
		tl_buf_clear(&p->name);
		tl_buf_adds(&p->name, slash ? slash + 1 : v.items[0].text);
	}
	tl_arena_release(&arena);
}

static void command(struct tl_json_doc *d, struct tl_rocprof_process *p)
{
	tl_rocprof_json(d, '[', &p->command);
	if (p->command.len > COMMAND_MAX)
		tl_buf_clear(&p->command);
	if (p->command.len)
		name_process(p);
}

static void metadata(struct tl_json_doc *d, struct tl_rocprof_process *p)
{
	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		if (tl_json_doc_name_is(d, "pid"))
			p->has_pid |= tl_rocprof_int(d, &p->pid);
		else if (tl_json_doc_name_is(d, "init_time"))
			p->has_init |= tl_rocprof_int(d, &p->init);
		else if (tl_json_doc_name_is(d, "fini_time"))
			p->has_fini |= tl_rocprof_int(d, &p->fini);
		else if (tl_json_doc_name_is(d, "command"))
			command(d, p);
		else if (tl_json_doc_name_is(d, "node") && tl_json_doc_peek(d) == '{')
			node(d, p);
		else
			tl_json_doc_value(d, NULL);
	p->has_metadata = true;
}

/* ---- records ----------------------------------------------------------------------- */

/* Gives the process's tracks their pid. Two processes with one pid, of two hosts or
 * containers, get different ones. */
static void choose_track(struct tl_rocprof_reader *r)
{
	struct tl_rocprof_process *p = &r->process;
	bool is_new;

	tl_buf_clear(&p->track);
	tl_map_put(&r->pids, (uint64_t)p->pid, &is_new);
	if (is_new)
		tl_buf_addf(&p->track, "%lld", (long long)p->pid);
	else
		tl_buf_addf(&p->track, "\"%lld (process %llu)\"", (long long)p->pid, (unsigned long long)p->number);
}

static bool push_record(void *ctx, const void *record)
{
	struct tl_rocprof_reader *r = ctx;

	if (!r->process.track.len) {
		choose_track(r);
		if (r->process.name.len && !tl_rocprof_push_process(r))
			return false;
	}
	return tl_rocprof_push(r, record);
}

/* Names the record in the error about its text. */
static void name_record(struct tl_rocprof_reader *r, const struct tl_rocprof_record *rec, uint64_t n)
{
	struct tl_error why = r->doc.error;

	if (why.status == TL_ERR_DATA && why.offset >= 0)
		tl_fail_at(&r->doc.error, why.status, why.offset, "record %llu of %.40s: %.500s", (unsigned long long)n,
		           tl_str(&r->lists, rec->list), why.text);
}

static bool tables_are_known(const struct tl_rocprof_process *p)
{
	return p->has_metadata && p->names.has_strings && p->names.has_symbols;
}

/* A list of records; its name is the member's. */
static void record_list(struct tl_rocprof_reader *r)
{
	struct tl_json_doc *d = &r->doc;
	bool early = !tables_are_known(&r->process);
	struct tl_rocprof_record rec = { .list = tl_intern(&r->lists, tl_buf_text(&d->name), d->name.len) };
	uint64_t n = 0;

	rec.kind = tl_rocprof_kind(tl_str(&r->lists, rec.list));
	tl_json_doc_enter(d, '[');
	for (; tl_json_doc_element(d); n++) {
		r->template.usable = r->template.usable && !r->options->plain;
		if (!tl_rocprof_record(d, &rec, &r->template))
			break;
		if (!early)
			push_record(r, &rec);
		else
			d->status = tl_spool_add(&r->process.early, &rec, sizeof rec, &d->error);
	}
	if (d->status)
		name_record(r, &rec, n);
}

/* Passes over a list of what is no event, and notes that unless the list is empty. */
static void leave_out(struct tl_rocprof_reader *r, const char *note)
{
	struct tl_json_doc *d = &r->doc;
	int64_t at = tl_json_doc_offset(d);
	bool any = false;

	tl_json_doc_enter(d, '[');
	for (; tl_json_doc_element(d); any = true)
		tl_json_doc_value(d, NULL);
	if (any)
		tl_read_note(r->report, note, r->uid, at);
}

static void buffer_records(struct tl_rocprof_reader *r)
{
	struct tl_json_doc *d = &r->doc;

	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		if (tl_starts_with(tl_buf_text(&d->name), "pc_sample"))
			leave_out(r, "samples of program counters, left out");
		else
			record_list(r);
}

static void callback_records(struct tl_rocprof_reader *r)
{
	struct tl_json_doc *d = &r->doc;

	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		if (tl_json_doc_name_is(d, "counter_collection"))
			leave_out(r, "values of hardware counters, left out");
		else
			tl_json_doc_value(d, NULL);
}

/* ---- processes ------------------------------------------------------------------------- */

static void add_number(struct tl_buf *b, const char *key, bool given, int64_t value)
{
	if (given)
		tl_buf_addf(b, ",\"%s\":%lld", key, (long long)value);
}

static void add_text(struct tl_buf *b, const char *key, const struct tl_buf *json)
{
	if (json->len)
		tl_buf_addf(b, ",\"%s\":%s", key, json->data);
}

/* Adds the process to the list of them. */
static void describe_process(struct tl_rocprof_reader *r)
{
	const struct tl_rocprof_process *p = &r->process;
	struct tl_buf *b = &r->processes;

	tl_buf_addf(b, "%c{\"track\":%s", b->len ? ',' : '[', p->track.data);
	add_number(b, "pid", p->has_pid, p->pid);
	add_text(b, "hostname", &p->hostname);
	add_text(b, "command", &p->command);
	add_number(b, "init_time", p->has_init, p->init);
	add_number(b, "fini_time", p->has_fini, p->fini);
	tl_buf_addc(b, '}');
}

static void release_process(struct tl_rocprof_process *p)
{
	tl_buf_release(&p->hostname);
	tl_buf_release(&p->command);
	tl_buf_release(&p->name);
	tl_buf_release(&p->track);
	tl_rocprof_names_release(&p->names);
	tl_spool_release(&p->early);
	*p = (struct tl_rocprof_process){ .number = p->number };
}

/* Makes events of the records that were spooled. */
static void end_process(struct tl_rocprof_reader *r)
{
	struct tl_json_doc *d = &r->doc;
	struct tl_error err;
	enum tl_status st = tl_spool_take(&r->process.early, push_record, r, &err);

	if (st && !d->status) {
		d->status = st;
		d->error = err;
	}
	if (!r->process.track.len)
		choose_track(r);
	describe_process(r);
	if (!r->gpu_list.len)
		tl_buf_adds(&r->gpu_list, tl_buf_text(&r->process.names.gpu_list));
	release_process(&r->process);
	tl_rocprof_forget_process(r);
}

static void process_member(struct tl_rocprof_reader *r)
{
	struct tl_json_doc *d = &r->doc;
	struct tl_rocprof_process *p = &r->process;

	if (tl_json_doc_name_is(d, "metadata"))
		metadata(d, p);
	else if (tl_json_doc_name_is(d, "agents"))
		tl_rocprof_agents(d, &p->names);
	else if (tl_json_doc_name_is(d, "strings"))
		tl_rocprof_strings(d, &p->names);
	else if (tl_json_doc_name_is(d, "kernel_symbols"))
		tl_rocprof_symbols(d, &p->names);
	else if (tl_json_doc_name_is(d, "buffer_records"))
		buffer_records(r);
	else if (tl_json_doc_name_is(d, "callback_records"))
		callback_records(r);
	else
		tl_json_doc_value(d, NULL);
}

static void process(struct tl_rocprof_reader *r)
{
	struct tl_json_doc *d = &r->doc;

	r->process.number++;
	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		process_member(r);
	if (d->status)
		r->ended |= tl_read_tolerates_end(d, r->options, r->report, r->uid);
	if (!d->status)
		end_process(r);
}

/* ---- the document ------------------------------------------------------------------------ */

/* What is said about the trace as a whole. */
static void push_members(struct tl_rocprof_reader *r)
{
	static const char gpus[] = "deviceProperties"; /* as PyTorch names it */
	struct tl_json_doc *d = &r->doc;
	struct tl_buf list = { 0 };

	tl_buf_addc(&r->processes, ']');
	d->status = r->sink->ops->meta(r->sink, TL_META_PROCESSES, strlen(TL_META_PROCESSES), r->processes.data, r->processes.len, &d->error);
	tl_buf_addf(&list, "[%s]", tl_buf_text(&r->gpu_list));
	if (!d->status && r->gpu_list.len)
		d->status = r->sink->ops->meta(r->sink, gpus, strlen(gpus), list.data, list.len, &d->error);
	tl_buf_release(&list);
}

static void document(struct tl_rocprof_reader *r)
{
	struct tl_json_doc *d = &r->doc;

	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d)) {
		if (!tl_json_doc_name_is(d, TOP_KEY) || r->process.number) {
			tl_json_doc_value(d, NULL);
			continue;
		}
		tl_json_doc_enter(d, '[');
		while (!r->ended && tl_json_doc_element(d))
			process(r);
		if (r->ended)
			break;
	}
	if (!r->ended)
		tl_json_doc_end(d);
	if (d->status)
		r->ended |= tl_read_tolerates_end(d, r->options, r->report, r->uid);
	if (!d->status && !r->process.number)
		d->status = tl_fail(&d->error, TL_ERR_DATA, "%s lists no process", TOP_KEY);
	if (!d->status)
		push_members(r);
}

/* Files of rocprofv3 have one member. */
static enum tl_match match_rocprofv3(const unsigned char *first, size_t len)
{
	static const char *const words[] = { "{", "\"" TOP_KEY "\"", NULL };
	size_t at;

	return tl_match_json(first, len, words, &at);
}

static enum tl_status read_rocprofv3(struct tl_input *in, const struct tl_read_options *options, struct tl_sink *sink,
                                     struct tl_read_report *report, struct tl_error *err)
{
	static const struct tl_header header = { .source = "rocprofv3", .ticks_per_us = 1000 };
	struct tl_rocprof_reader *r = tl_calloc(1, sizeof *r);

	r->options = options;
	r->sink = sink;
	r->report = report;
	tl_rocprof_ids_new(r);
	tl_json_doc_init(&r->doc, in);
	r->doc.lenient = options->lenient;
	r->doc.status = sink->ops->begin(sink, &header, &r->tables, &r->doc.error);
	if (!r->doc.status)
		document(r);
	enum tl_status st = tl_read_end_json(&r->doc, options, report, err);
	release_process(&r->process);
	tl_tables_release(&r->tables);
	tl_strtab_release(&r->lists);
	tl_map_release(&r->pids);
	tl_buf_release(&r->processes);
	tl_buf_release(&r->gpu_list);
	tl_buf_release(&r->text);
	tl_buf_release(&r->template.text);
	tl_rocprof_ids_free(r);
	free(r);
	return st;
}

const struct tl_reader tl_reader_rocprofv3 = { "rocprofv3's JSON", match_rocprofv3, read_rocprofv3 };
