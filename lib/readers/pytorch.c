/* pytorch.c - reads a Chrome-trace JSON file as PyTorch's profiler writes it: the
 * document around the events, and what to do about damage.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "readers/pytorch.h"

#include <stdlib.h>
#include <string.h>

#include "json/scan.h"

/* ---- damage ------------------------------------------------------------------- */

/* Whether an event seems to start at the brace: its first member is one that events
 * have. */
static bool looks_like_event(const char *brace)
{
	static const char *const names[] = {
		"\"ph\"", "\"cat\"", "\"name\"", "\"pid\"", "\"tid\"", "\"ts\"", "\"dur\"", "\"id\"", "\"args\"", "\"s\"", "\"bp\"",
	};
	const char *p = tl_json_blanks(brace + 1);

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strncmp(p, names[i], strlen(names[i])))
			return *tl_json_blanks(p + strlen(names[i])) == ':';
	return false;
}

/* After a failure in the list of events: true if reading goes on with another event.
 * If there is none, the trace ends here. */
static bool tolerate_damage(struct reader *r, int64_t start)
{
	struct tl_json_doc *d = &r->doc;

	r->report->lenient_helps = d->bad;
	if (!d->bad || !r->options->lenient) {
		r->ended |= tl_read_tolerates_end(d, r->options, r->report, r->uid);
		return false;
	}
	tl_pytorch_note(r, "dropped: damaged", start);
	if (tl_json_doc_resync(d, looks_like_event))
		return true;
	if (d->cut_short) {
		tl_pytorch_note(r, "no event found after the damage, the rest of the trace is lost", d->error.offset);
		d->status = TL_OK;
		r->ended = true;
	}
	return false;
}

/* ---- the list of events ------------------------------------------------------------- */

/* Names the event in the error about its text. */
static void name_event(struct reader *r)
{
	struct tl_error why = r->doc.error;

	if (why.offset < 0)
		return;
	tl_fail_at(&r->doc.error, why.status, why.offset, "event %llu: %.500s", (unsigned long long)r->uid, why.text);
	r->doc.error.record = (int64_t)r->uid;
}

static void element(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;
	int64_t start = tl_json_doc_offset(d);

	if (*d->p == '{')
		tl_pytorch_event(r);
	else if (!r->options->lenient)
		tl_json_doc_expected(d, "an object");
	else if (tl_json_doc_value(d, NULL))
		tl_pytorch_note(r, "dropped: not an object", start);
	if (d->status)
		name_event(r);
}

/* False after a failure, and if the trace ends in the list. */
static bool event_list(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;
	bool going_on = tl_json_doc_enter(d, '[');

	while (going_on) {
		bool is_element = tl_json_doc_element(d);
		int64_t start = tl_json_doc_offset(d);

		if (!is_element && !d->status)
			return true;
		if (is_element)
			element(r);
		if (d->status)
			going_on = tolerate_damage(r, start);
		r->uid += is_element;
		r->report->n_events = r->uid;
		if (tl_source_reset(&r->tables, r->sink)) {
			tl_templates_forget(r->templates);
			memset(r->tracks, 0, sizeof r->tracks);
			r->autograd_op = 0;
			if (r->pairs)
				tl_span_pairs_forget(r->pairs);
		}
	}
	return false;
}

/* ---- the document --------------------------------------------------------------------- */

static bool trace_events(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;

	if (tl_json_doc_peek(d) != '[')
		return tl_json_doc_expected(d, "a list of events as traceEvents");
	if (!r->has_list) {
		r->has_list = true;
		return event_list(r);
	}
	r->report->lenient_helps = true;
	if (!r->options->lenient)
		return tl_json_doc_fail(d, tl_json_doc_offset(d), "a second traceEvents");
	tl_pytorch_note(r, "another traceEvents, ignored", tl_json_doc_offset(d));
	return tl_json_doc_value(d, NULL);
}

/* A member about the trace as a whole: it goes to the sink. */
static bool about_trace(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;
	int64_t start = tl_json_doc_offset(d);

	if (r->members.len < 200)
		tl_buf_addf(&r->members, "%s%.*s", r->members.len ? ", " : "", d->name.len > 40 ? 40 : (int)d->name.len, d->name.s);
	tl_pytorch_problems(r, start);
	if (!tl_read_json_member(d, &r->room, r->sink, r->report, r->uid))
		return false;
	tl_pytorch_problems(r, start);
	return true;
}

static void top_object(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;

	tl_json_doc_enter(d, '{');
	while (tl_json_doc_member(d))
		if (!(tl_json_doc_name_is(d, "traceEvents") ? trace_events : about_trace)(r))
			break;
}

/* What may stand behind the document. */
static void trailer(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;

	if (r->options->lenient && tl_json_doc_peek(d) >= 0) {
		tl_pytorch_note(r, "text after the end of the trace, ignored", tl_json_doc_offset(d));
		tl_json_doc_drain(d);
	}
	tl_json_doc_end(d);
	r->report->lenient_helps = d->status == TL_ERR_DATA;
	if (d->bad_input)
		tl_pytorch_note(r, "the compressed data is damaged or cut short here", tl_json_doc_offset(d));
}

static void document(struct reader *r)
{
	struct tl_json_doc *d = &r->doc;
	int c = tl_json_doc_peek(d);

	r->has_list = c == '[';
	if (c != '{' && c != '[')
		tl_json_doc_expected(d, "'{' or '['");
	else if (c == '[')
		event_list(r);
	else
		top_object(r);
	if (d->status)
		r->ended |= tl_read_tolerates_end(d, r->options, r->report, r->uid);
	else if (!r->ended)
		trailer(r);
	for (uint64_t i = 0; r->pairs && i < tl_span_pairs_open(r->pairs); i++)
		tl_read_note(r->report, "dropped: begin (ph B) without its end", r->uid + i, tl_json_doc_offset(d));
	if (!d->status && !r->has_list)
		d->status = tl_fail(&d->error, TL_ERR_DATA, "no traceEvents in the trace; %s%s",
		                    r->members.len ? "its members are: " : "it has no members",
		                    tl_buf_text(&r->members));
}

static enum tl_match match_pytorch(const unsigned char *first, size_t len)
{
	size_t i = len >= 3 && !memcmp(first, "\xef\xbb\xbf", 3) ? 3 : 0; /* byte order mark */

	while (i < len && tl_json_is_blank((char)first[i]))
		i++;
	if (i == len || (i == 0 && first[0] == 0xef && len < 3))
		return TL_MATCH_MORE;
	return first[i] == '{' || first[i] == '[' ? TL_MATCH_DEFAULT : TL_MATCH_NO; /* any JSON */
}

static enum tl_status read_pytorch(struct tl_input *in, const struct tl_read_options *options, struct tl_sink *sink,
                                   struct tl_read_report *report, struct tl_error *err)
{
	static const struct tl_header header = { .source = "pytorch", .ticks_per_us = 1000 };
	struct reader *r = tl_calloc(1, sizeof *r);

	r->options = options;
	r->sink = sink;
	r->report = report;
	tl_json_doc_init(&r->doc, in);
	r->doc.lenient = options->lenient;
	r->templates = options->plain ? NULL : tl_templates_new(&r->tables);
	r->doc.status = sink->ops->begin(sink, &header, &r->tables, &r->doc.error);
	if (!r->doc.status)
		document(r);
	enum tl_status st = tl_read_end_json(&r->doc, options, report, err);
	tl_templates_misses(r->templates, &report->n_texts, &report->n_forms);
	tl_span_pairs_free(r->pairs);
	tl_templates_free(r->templates);
	tl_tables_release(&r->tables);
	tl_buf_release(&r->room);
	tl_buf_release(&r->members);
	tl_strtab_release(&r->labels);
	free(r);
	return st;
}

const struct tl_reader tl_reader_pytorch = { "PyTorch's JSON", match_pytorch, read_pytorch };
