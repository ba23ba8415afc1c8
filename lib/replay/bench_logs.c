/* bench_logs.c - logs of libraries, output of benchmarks.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "replay/bench_logs.h"

#include "base/rows.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *tl_bench_program(enum tl_bench bench)
{
	static const char *const names[] = { "hipblaslt-bench", "MIOpenDriver", "cublasMatmulBench" };

	return names[bench];
}

/* ---- logs --------------------------------------------------------------------------------- */

/* What in a line of hipBLASLt's log becomes what. A "#" is any run of digits, also none; only the first
 * --solution_index counts. They apply one after the other. */
static const struct { const char *from, *to; bool once; } edits[] = {
	{ "--algo_method index", "--algo_method heuristic", false },
	{ "--solution_index #", "--requested_solution 1", true },
	{ "--cold_iters #", "--cold_iters 100", false },
	{ "--iters #", "--iters 100", false },
};
static const char measure[] = " --flush --initialization trig_float --use_gpu_timer --print_kernel_info";
static const char unused[] = "--aux_type f32_r"; /* the program warns of it */

/* How much of s the pattern matches; 0: it does not. */
static size_t match(const char *s, const char *pattern)
{
	const char *start = s;

	for (; *pattern; pattern++)
		if (*pattern == '#')
			while (tl_is_digit(*s))
				s++;
		else if (*s++ != *pattern)
			return 0;
	return (size_t)(s - start);
}

static void replace(struct tl_buf *line, const char *from, const char *to, bool once)
{
	struct tl_buf edited = { 0 };
	bool done = false;

	for (const char *s = line->data; *s;) {
		size_t n = done && once ? 0 : match(s, from);
		if (n) {
			tl_buf_adds(&edited, to);
			s += n;
			done = true;
		} else {
			tl_buf_addc(&edited, *s++);
		}
	}
	tl_buf_clear(line);
	tl_buf_adds(line, tl_buf_text(&edited));
	tl_buf_release(&edited);
}

static void edit_hipblaslt(const char *s, size_t len, int64_t rotate, struct tl_buf *to)
{
	struct tl_buf line = { 0 };
	char rotating[48];

	tl_buf_add(&line, s, len);
	for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
		replace(&line, edits[i].from, edits[i].to, edits[i].once);
	snprintf(rotating, sizeof rotating, "--rotating %" PRId64, rotate);
	replace(&line, "--rotating #", rotating, false);
	tl_buf_adds(&line, measure);
	replace(&line, unused, "", false);
	tl_buf_adds(to, line.data);
	tl_buf_release(&line);
}

/* Returns whether the line stays. */
static bool edit_miopen(const char *s, size_t len, struct tl_buf *to)
{
	static const char call[] = "[LogCmdConvolution]", folder[] = "./bin/";
	const char *start = s, *found;

	if (!memmem(s, len, call, sizeof call - 1))
		return false;
	while ((found = memmem(start, len - (size_t)(start - s), folder, sizeof folder - 1)))
		start = found + sizeof folder - 1;
	tl_buf_add(to, start, len - (size_t)(start - s));
	return true;
}

void tl_bench_edit_log(enum tl_bench bench, const char *log, size_t len, int64_t rotate, struct tl_buf *commands)
{
	while (len) {
		const char *end = memchr(log, '\n', len);
		size_t n = end ? (size_t)(end - log) : len;
		bool stays = true;

		if (bench == TL_BENCH_MIOPEN)
			stays = edit_miopen(log, n, commands);
		else
			edit_hipblaslt(log, n, rotate, commands);
		if (stays && end)
			tl_buf_addc(commands, '\n');
		log += end ? n + 1 : n;
		len -= end ? n + 1 : n;
	}
}

/* ---- results --------------------------------------------------------------------------------- */

/* Without the blanks around it. */
static struct tl_field_text trimmed(struct tl_field_text f)
{
	for (; f.len && tl_is_blank(*f.s); f.s++)
		f.len--;
	while (f.len && tl_is_blank(f.s[f.len - 1]))
		f.len--;
	return f;
}

static bool number_in(struct tl_field_text f, double *number)
{
	char text[64], *end;

	f = trimmed(f);
	if (!f.len || f.len >= sizeof text)
		return false;
	memcpy(text, f.s, f.len);
	text[f.len] = 0;
	double x = tl_parse_double(text, &end);
	if (*end)
		return false;
	*number = x;
	return true;
}

/* The number in the column of the last row, and the sum of all rows. */
static bool numbers_of(const char *text, const char *column, double *last, double *sum)
{
	struct tl_field_text *fields = NULL;
	size_t cap = 0, n_columns = 0, at = 0;
	bool found = false;

	while (*text) {
		size_t len = strcspn(text, "\n"), n = tl_cut_fields(text, len, ',', SIZE_MAX - 1, &fields, &cap), i = 0;
		while (i < n && !tl_text_is(trimmed(fields[i]).s, trimmed(fields[i]).len, column))
			i++;
		if (i < n) { /* a header */
			at = i;
			n_columns = n;
		} else if (n == n_columns) {
			if (number_in(fields[at], last)) {
				*sum += *last;
				found = true;
			}
		}
		text += len + (text[len] == '\n');
	}
	free(fields);
	return found;
}

bool tl_last_number(const char *text, const char *column, double *number)
{
	double sum = 0;

	return numbers_of(text, column, number, &sum);
}

/* "... mean 0.381 ms, ..." */
static bool cublas_time(const char *output, double *us)
{
	static const char before[] = "gpu time statistics:", mean[] = "mean ";
	bool found = false;

	while ((output = strstr(output, before))) {
		size_t len = strcspn(output, "\n");
		const char *number = memmem(output, len, mean, sizeof mean - 1);
		char *end;
		if (number) {
			double ms = tl_parse_double(number + sizeof mean - 1, &end);
			if (tl_starts_with(end, " ms")) {
				*us = ms * 1e3;
				found = true;
			}
		}
		output += len;
	}
	return found;
}

bool tl_bench_time(enum tl_bench bench, const char *output, bool passes, double *us)
{
	double ms, sum = 0;

	switch (bench) {
	case TL_BENCH_HIPBLASLT: return tl_last_number(output, "us", us);
	case TL_BENCH_CUBLAS: return cublas_time(output, us);
	default: break;
	}
	if (!numbers_of(output, "timeMs", &ms, &sum))
		return false;
	*us = (passes ? sum : ms) * 1e3;
	return true;
}
