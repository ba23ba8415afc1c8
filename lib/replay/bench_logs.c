/* bench_logs.c - logs of libraries, output of benchmarks.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "replay/bench_logs.h"

#include "base/text.h"

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
	{ "--rotating #", "--rotating 512", false },
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

static void edit_hipblaslt(const char *s, size_t len, struct tl_buf *to)
{
	struct tl_buf line = { 0 };

	tl_buf_add(&line, s, len);
	for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
		replace(&line, edits[i].from, edits[i].to, edits[i].once);
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

void tl_bench_edit_log(enum tl_bench bench, const char *log, size_t len, struct tl_buf *commands)
{
	while (len) {
		const char *end = memchr(log, '\n', len);
		size_t n = end ? (size_t)(end - log) : len;
		bool stays = true;

		if (bench == TL_BENCH_MIOPEN)
			stays = edit_miopen(log, n, commands);
		else
			edit_hipblaslt(log, n, commands);
		if (stays && end)
			tl_buf_addc(commands, '\n');
		log += end ? n + 1 : n;
		len -= end ? n + 1 : n;
	}
}

/* ---- results --------------------------------------------------------------------------------- */

/* The i-th field of a line; *n: its bytes without blanks around it. NULL: it has fewer. */
static const char *field_at(const char *line, size_t len, size_t i, size_t *n)
{
	const char *end = line + len;

	for (; i; i--) {
		line = memchr(line, ',', (size_t)(end - line));
		if (!line)
			return NULL;
		line++;
	}
	const char *comma = memchr(line, ',', (size_t)(end - line));
	if (comma)
		end = comma;
	while (line < end && tl_is_blank(*line))
		line++;
	while (line < end && tl_is_blank(end[-1]))
		end--;
	*n = (size_t)(end - line);
	return line;
}

/* The place of a column if the line is a header; -1: it is none. The first column is not looked for: "[0]:" or "stats:"
 * may stand before its name. */
static int column_in(const char *line, size_t len, const char *column)
{
	const char *f;
	size_t n;

	for (int i = 0; (f = field_at(line, len, (size_t)i, &n)); i++)
		if (tl_text_is(f, n, column))
			return i;
	return -1;
}

static bool number_in(const char *line, size_t len, int column, double *number)
{
	size_t n;
	const char *f = column < 0 ? NULL : field_at(line, len, (size_t)column, &n);
	char text[64], *end;

	if (!f || !n || n >= sizeof text)
		return false;
	memcpy(text, f, n);
	text[n] = 0;
	double x = tl_parse_double(text, &end);
	if (*end)
		return false;
	*number = x;
	return true;
}

static size_t count_fields(const char *line, size_t len)
{
	size_t n = 1;

	for (size_t i = 0; i < len; i++)
		n += line[i] == ',';
	return n;
}

bool tl_last_number(const char *text, const char *column, double *number)
{
	bool found = false;
	size_t n_columns = 0;
	int at = -1;

	while (*text) {
		size_t len = strcspn(text, "\n");
		int here = column_in(text, len, column);
		if (here >= 0) {
			at = here;
			n_columns = count_fields(text, len);
		} else if (count_fields(text, len) == n_columns) {
			found |= number_in(text, len, at, number);
		}
		text += len + (text[len] == '\n');
	}
	return found;
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

bool tl_bench_time(enum tl_bench bench, const char *output, double *us)
{
	double ms;

	switch (bench) {
	case TL_BENCH_HIPBLASLT: return tl_last_number(output, "us", us);
	case TL_BENCH_CUBLAS: return cublas_time(output, us);
	default: break;
	}
	if (!tl_last_number(output, "timeMs", &ms))
		return false;
	*us = ms * 1e3;
	return true;
}
