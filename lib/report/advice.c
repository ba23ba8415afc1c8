/* advice.c - findings as people and programs read them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "report/advice.h"

#include "base/number.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/json_writer.h"

#include <math.h>
#include <string.h>

static struct tl_cell cell(const struct tl_table *t, size_t row, const char *column)
{
	int i = tl_table_column(t, column);

	return i < 0 ? tl_cell_null() : tl_table_cell(t, row, (size_t)i);
}

static const char *text(const struct tl_table *t, size_t row, const char *column)
{
	return tl_table_text(t, row, tl_table_column(t, column), "");
}

static double number(const struct tl_table *t, size_t row, const char *column)
{
	return tl_cell_number(cell(t, row, column), t->ticks_per_us);
}

/* ---- lines for a terminal --------------------------------------------------------------------------- */

enum { WIDTH = 80, LINES = 25, EVIDENCE = 10 /* rows of a finding in JSON */ };

/* A text while it is broken into lines. */
struct lines { struct tl_buf *to; size_t n; };

static void add_line(struct lines *l, const char *first, const char *other, const char *s)
{
	size_t column = strlen(first);

	tl_buf_adds(l->to, first);
	l->n++;
	for (bool begins = true; *s; begins = false) {
		size_t len = strcspn(s, " "), width = tl_utf8_count(s, len);
		if (!begins && column + 1 + width > WIDTH) {
			tl_buf_addf(l->to, "\n%s", other);
			column = strlen(other);
			l->n++;
			begins = true;
		}
		if (!begins)
			tl_buf_addc(l->to, ' ');
		tl_buf_add_shown(l->to, s, len);
		column += width + !begins;
		s += len + (s[len] == ' ');
	}
	tl_buf_addc(l->to, '\n');
}

/* The ms of a class in all rows of the ledger. */
static double class_ms(const struct tl_table *ledger, const char *class)
{
	double sum = 0;

	for (size_t i = 0; i < ledger->n_rows; i++)
		sum += strcmp(class, text(ledger, i, "class")) ? 0 : number(ledger, i, "time_ms");
	return sum;
}

/* "t.json: 1211 ms, kernels 45.6 %, idle 53.2 %": what the recorded time went to, the mean of the devices. */
static void add_window(const struct tl_advice *a, struct tl_buf *b)
{
	static const char *const classes[] = { "kernels", "exposed communication", "exposed copies", "idle" };
	double all = 0, unrecorded = a->ledger ? class_ms(a->ledger, "unrecorded") : 0;

	tl_buf_adds(b, a->trace);
	if (!a->job)
		tl_buf_addf(b, ": %.*f ms", a->window_ms < 100 ? 2 : 0, a->window_ms);
	for (size_t i = 0; a->ledger && i < 4; i++)
		all += class_ms(a->ledger, classes[i]);
	for (size_t i = 0; all > 0 && i < 4; i++)
		if (class_ms(a->ledger, classes[i]) > 0)
			tl_buf_addf(b, ", %s %.1f %%", classes[i], class_ms(a->ledger, classes[i]) / all * 100);
	if (a->busy)
		tl_buf_addf(b, "; %s", a->busy);
	if (unrecorded > 0)
		tl_buf_addf(b, "; besides, %.*f ms were not recorded", unrecorded < 100 ? 2 : 0, unrecorded * a->window_ms / (all > 0 ? all : 1));
}

/* "GPU work: 63 % fp32 products without tensor cores, 9 % optimizer; 37 % rated": the five largest kinds of 3 % and more of the
 * kernels' time. Nothing without kernels. */
static void add_work(const struct tl_advice *a, struct tl_buf *b)
{
	enum { MOST = 5, LEAST_PERCENT = 3 };
	double rated = 0;

	for (size_t i = 0; a->gpu_work && i < a->gpu_work->n_rows && i < MOST; i++)
		if (number(a->gpu_work, i, "percent") >= LEAST_PERCENT)
			tl_buf_addf(b, "%s%.0f %% %s", i ? ", " : "GPU work: ", number(a->gpu_work, i, "percent"), text(a->gpu_work, i, "work"));
	for (size_t i = 0; a->judged && i < a->judged->n_rows; i++)
		rated += strcmp(text(a->judged, i, "part"), "rated") ? 0 : number(a->judged, i, "percent");
	if (b->len)
		tl_buf_addf(b, "; %.0f %% rated%s", rated, a->estimated ? "; peaks estimated" : "");
}

static bool is_health(const struct tl_advice *a, size_t i)
{
	return !strcmp(text(a->findings, i, "severity"), "health");
}

/* How many lines add_line makes of these. */
static size_t count_lines(const char *first, const char *other, const char *s)
{
	struct tl_buf b = { 0 };
	struct lines l = { &b, 0 };

	add_line(&l, first, other, s);
	tl_buf_release(&b);
	return l.n;
}

/* The title, and what devices would do less if the window would not end as much earlier; b holds the text. */
static const char *title_of(const struct tl_advice *a, size_t i, struct tl_buf *b)
{
	double device = number(a->findings, i, "device_ms"), stake = number(a->findings, i, "at_stake_ms");

	tl_buf_clear(b);
	tl_buf_adds(b, text(a->findings, i, "title"));
	if (stake >= a->window_ms / 100 && device > 2 * stake)
		tl_buf_addf(b, "; on the device %.*f ms", tl_decimals(device), device);
	return tl_buf_text(b);
}

/* What repairing the finding changes: "host", "device", or "" if that is not known. */
static const char *side_of(const struct tl_advice *a, size_t i)
{
	const char *effect = i < a->findings->n_rows ? text(a->findings, i, "effect") : "";

	return !strcmp(effect, "host") || !strcmp(effect, "launches") ? "host" : !strcmp(effect, "less") || !strcmp(effect, "gone") ? "device" : "";
}

/* Below the first finding: which side holds the other one up, and what comes behind it. "Now the host limits: 23.8 ms; behind 1 and 2,
 * on the device: 4.3 ms (3)". */
static void add_limit(const struct tl_advice *a, size_t first, struct lines *l)
{
	const char *side = side_of(a, first);
	struct tl_buf s = { 0 };
	double sum = 0;
	size_t i = first;

	for (; *side && !strcmp(side_of(a, i), side); i++)
		sum += number(a->findings, i, "at_stake_ms");
	if (*side && *side_of(a, i)) {
		double next = number(a->findings, i, *side == 'h' ? "device_ms" : "at_stake_ms");
		tl_buf_addf(&s, "Now the %s limits: %.*f ms; behind 1", side, tl_decimals(sum), sum);
		if (i > first + 1)
			tl_buf_addf(&s, " %s %zu", i > first + 2 ? "to" : "and", i - first);
		tl_buf_addf(&s, "%s: %.*f ms (%zu)", *side == 'h' ? ", on the device" : " the host", tl_decimals(next), next, i - first + 1);
		add_line(l, "    ", "    ", s.data);
	}
	tl_buf_release(&s);
}

/* A finding with a title; its advice where there is room for it. */
static void add_finding(const struct tl_advice *a, size_t i, struct lines *l)
{
	const char *advice = text(a->findings, i, "what_to_do");
	struct tl_buf first = { 0 }, title = { 0 };

	tl_buf_addf(&first, "%2.0f. ", number(a->findings, i, "rank"));
	add_line(l, first.data, "    ", title_of(a, i, &title));
	if (number(a->findings, i, "rank") == 1)
		add_limit(a, i, l);
	tl_buf_release(&first);
	tl_buf_release(&title);
	if (*advice && l->n + count_lines("    -> ", "       ", advice) + 6 <= LINES)
		add_line(l, "    -> ", "       ", advice);
}

static void add_health(const struct tl_advice *a, struct lines *l)
{
	for (size_t i = 0; i < a->findings->n_rows; i++)
		if (is_health(a, i) && l->n + count_lines("!   ", "    ", text(a->findings, i, "title")) + 2 <= LINES)
			add_line(l, "!   ", "    ", text(a->findings, i, "title"));
}

void tl_advice_as_text(const struct tl_advice *a, struct tl_buf *b)
{
	struct lines l = { b, 0 };
	struct tl_buf s = { 0 };
	static const char *const silent[] = { "none", "unknown", NULL };
	size_t left = 0;
	bool nothing = false; /* then what is wrong with the recording is the most important sentence */

	for (size_t i = 0; i < a->findings->n_rows; i++)
		nothing |= tl_is_one_of(silent, text(a->findings, i, "severity"));
	add_work(a, &s);
	if (s.len)
		add_line(&l, "    ", "    ", s.data);
	if (nothing)
		add_health(a, &l);
	for (size_t i = 0; i < a->findings->n_rows; i++) {
		if (is_health(a, i) || !strcmp(text(a->findings, i, "severity"), "job")) /* which the last line says */
			continue;
		if (l.n + count_lines("    ", "    ", title_of(a, i, &s)) + 5 <= LINES)
			add_finding(a, i, &l);
		else
			left++;
	}
	tl_buf_clear(&s);
	if (left) {
		tl_buf_addf(&s, "%zu further finding%s: --format tsv", left, left == 1 ? "" : "s");
		add_line(&l, "    ", "    ", s.data);
	}
	if (!nothing)
		add_health(a, &l);
	tl_buf_clear(&s);
	add_window(a, &s);
	add_line(&l, "    ", "    ", s.data);
	if (a->unasked && a->unasked->n_rows && l.n < LINES) {
		tl_buf_clear(&s);
		tl_buf_addf(&s, "%zu rule%s could not be asked: --sheets findings_unasked", a->unasked->n_rows, a->unasked->n_rows == 1 ? "" : "s");
		add_line(&l, "    ", "    ", s.data);
	}
	tl_buf_release(&s);
}

/* ---- Markdown ------------------------------------------------------------------------------------------ */

/* A text in a cell, where characters of Markdown and HTML are themselves. */
static void add_escaped(struct tl_buf *b, const char *s)
{
	for (; *s; s++) {
		if (*s == '<' || *s == '>' || *s == '&')
			tl_buf_adds(b, *s == '<' ? "&lt;" : *s == '>' ? "&gt;" : "&amp;");
		else if ((unsigned char)*s < ' ')
			tl_buf_addc(b, ' ');
		else {
			if (strchr("|\\`*_[]", *s))
				tl_buf_addc(b, '\\');
			tl_buf_addc(b, *s);
		}
	}
}

static void add_number(struct tl_buf *b, double x)
{
	if (!isnan(x))
		tl_buf_addf(b, "%.*f", tl_decimals(x), x);
}

void tl_advice_as_markdown(const struct tl_advice *a, struct tl_buf *b)
{
	const struct tl_table *t = a->findings;
	bool changes = tl_table_column(t, "change") >= 0;
	struct tl_buf window = { 0 };

	add_window(a, &window);
	add_escaped(b, window.data);
	tl_buf_clear(&window);
	add_work(a, &window);
	tl_buf_adds(b, window.len ? "\n\n" : "");
	add_escaped(b, tl_buf_text(&window));
	tl_buf_release(&window);
	tl_buf_addf(b, "\n\n| rank | finding | ms | %% | confidence |%s\n|---:|---|---:|---:|---|%s\n", changes ? " change |" : "", changes ? "---|" : "");
	for (size_t i = 0; i < t->n_rows; i++) {
		double rank = number(t, i, "rank");
		if (isnan(rank))
			tl_buf_adds(b, "| | ");
		else
			tl_buf_addf(b, "| %.0f | ", rank);
		add_escaped(b, text(t, i, "title"));
		tl_buf_adds(b, " | ");
		add_number(b, number(t, i, "at_stake_ms"));
		tl_buf_adds(b, " | ");
		add_number(b, number(t, i, "Percent of window (%)"));
		tl_buf_addf(b, " | %s |", text(t, i, "confidence"));
		tl_buf_addf(b, changes ? " %s |\n" : "%s\n", changes ? text(t, i, "change") : "");
	}
	for (size_t i = 0; i < t->n_rows; i++) {
		if (!*text(t, i, "what_to_do"))
			continue;
		tl_buf_adds(b, "\n<details><summary>");
		add_escaped(b, text(t, i, "title"));
		tl_buf_adds(b, "</summary>\n\n");
		add_escaped(b, text(t, i, "what_to_do"));
		tl_buf_addf(b, "\n\n%s; id %s\n</details>\n", text(t, i, "evidence"), text(t, i, "id"));
	}
}

/* ---- JSON ------------------------------------------------------------------------------------------------ */

static void put_cell(struct tl_json *j, const struct tl_table *t, size_t row, size_t column)
{
	struct tl_cell c = tl_table_cell(t, row, column);
	const char *key = t->columns[column].name;

	if (tl_cell_is_null(c))
		tl_json_put(j, key, "null");
	else if (c.type == TL_CELL_TEXT)
		tl_json_put_text(j, key, tl_str(t->strings, c.text), tl_str_len(t->strings, c.text));
	else if (c.type == TL_CELL_INT)
		tl_json_put_int(j, key, c.i);
	else if (c.type == TL_CELL_BOOL)
		tl_json_put(j, key, c.i ? "true" : "false");
	else if (c.type == TL_CELL_TIME) { /* exact, where a double of it may not be */
		char exact[TL_DOUBLE_TEXT];
		exact[tl_cell_format(exact, c, t->ticks_per_us)] = 0;
		tl_json_put(j, key, exact);
	} else
		tl_json_put_real(j, key, tl_cell_number(c, t->ticks_per_us));
}

static void put_row(struct tl_json *j, const struct tl_table *t, size_t row)
{
	for (size_t i = 0; i < t->n_columns; i++)
		put_cell(j, t, row, i);
}

/* The rows with the id, all for NULL, but no more than `most`; returns how many there are. */
static int64_t put_rows(struct tl_json *j, const char *key, const struct tl_table *t, const char *id, int64_t most)
{
	int64_t n = 0;

	tl_json_open(j, key, '[');
	for (size_t i = 0; t && i < t->n_rows; i++) {
		if (id && strcmp(text(t, i, "id"), id) != 0)
			continue;
		if (n++ >= most)
			continue;
		tl_json_open(j, NULL, '{');
		put_row(j, t, i);
		tl_json_close(j, '}');
	}
	tl_json_close(j, ']');
	return n;
}

static void open_line(struct tl_json *j, const struct tl_advice *a)
{
	tl_json_open(j, NULL, '{');
	tl_json_put_int(j, "schema", 1);
	tl_json_put_string(j, "trace", a->trace);
	tl_json_put_real(j, "window_ms", a->window_ms);
}

void tl_advice_as_json(const struct tl_advice *a, struct tl_buf *b)
{
	for (size_t i = 0; i < a->findings->n_rows || !i; i++) { /* a line, too, if nothing was found */
		struct tl_json j = { .to = b, .in_line = true };
		open_line(&j, a);
		if (a->findings->n_rows) {
			put_row(&j, a->findings, i);
			tl_json_put_int(&j, "evidence_total", put_rows(&j, "evidence_rows", a->evidence, text(a->findings, i, "id"), EVIDENCE));
		} else {
			tl_json_put_int(&j, "findings", 0);
		}
		if (!i) /* of the trace, not of a finding: once */
			put_rows(&j, "ledger", a->ledger, NULL, INT64_MAX);
		tl_json_close(&j, '}');
		tl_buf_addc(b, '\n');
	}
	for (size_t i = 0; a->unasked && i < a->unasked->n_rows; i++) {
		struct tl_json j = { .to = b, .in_line = true };
		tl_json_open(&j, NULL, '{');
		tl_json_put_int(&j, "schema", 1);
		tl_json_put_string(&j, "not_asked", text(a->unasked, i, "rule"));
		tl_json_put_string(&j, "why", text(a->unasked, i, "why"));
		tl_json_close(&j, '}');
		tl_buf_addc(b, '\n');
	}
}
