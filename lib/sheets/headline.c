/* headline.c - the numbers that people look for first, taken from finished sheets.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "sheets/headline.h"

#include "work/args.h"
#include "work/device_events.h"
#include "sheets/populations.h"
#include "table/description.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number and where it comes from. take() returns NaN if the sheet does not have it, and
 * may add a name to `item`. */
struct source {
	size_t number;                 /* index in struct tl_headline */
	const char *item, *unit, *sheet;
	double (*take)(const struct source *, const struct tl_table *, struct tl_buf *item);
	const char *key, *value; /* columns, or for cell_of: the text in "type", and a column; NULL or not there: the label and the share */
};

/* The value in the first row whose type is the source's key. If the sheet tells recomputed
 * work apart, `item` says which work the row is about. */
static double cell_of(const struct source *s, const struct tl_table *t, struct tl_buf *item)
{
	int type = tl_table_column(t, "type"), value = tl_table_column(t, s->value);
	int recompute = tl_table_column(t, "is_recompute");

	for (size_t i = 0; type >= 0 && value >= 0 && i < t->n_rows; i++) {
		if (strcmp(tl_str(t->strings, tl_table_cell(t, i, (size_t)type).text), s->key))
			continue;
		if (recompute >= 0)
			tl_buf_addf(item, " %s recomputed work", tl_table_cell(t, i, (size_t)recompute).i ? "with" : "without");
		return tl_table_number(t, i, value);
	}
	return NAN;
}

/* The mean over rows for each device, those whose column `of` is the source's key; NaN if there are fewer than `fewest`. If there
 * are several, `item` says of how many, and the least and the greatest. */
static double mean_of_rows(const struct source *s, const struct tl_table *t, const char *of, size_t fewest, struct tl_buf *item)
{
	int type = tl_table_column(t, of), value = tl_table_column(t, s->value);
	int recompute = tl_table_column(t, "is_recompute");
	double sum = 0, least = INFINITY, most = -INFINITY;
	size_t n = 0;

	for (size_t i = 0; type >= 0 && value >= 0 && i < t->n_rows; i++) {
		double x = tl_table_number(t, i, value);
		if (strcmp(tl_str(t->strings, tl_table_cell(t, i, (size_t)type).text), s->key) || isnan(x) ||
		    (recompute >= 0 && tl_table_cell(t, i, (size_t)recompute).i))
			continue;
		sum += x;
		least = fmin(least, x);
		most = fmax(most, x);
		n++;
	}
	if (n < fewest || !n)
		return NAN;
	if (n > 1)
		tl_buf_addf(item, "%s, mean of %zu devices (from %.1f to %.1f)", recompute >= 0 ? " without recomputed work" : "",
		            n, least, most);
	return sum / (double)n;
}

/* Of a sheet with rows of what cell_of gives for each device, if there are several. */
static double mean_of_devices(const struct source *s, const struct tl_table *t, struct tl_buf *item)
{
	return mean_of_rows(s, t, "type", 2, item);
}

/* Of the sheet populations; key: which sheet it tells about. */
static double mean_of_population(const struct source *s, const struct tl_table *t, struct tl_buf *item)
{
	return mean_of_rows(s, t, "sheet", 1, item);
}

/* Of the ledger: which share of the recorded window, without what is unrecorded and without a server's waiting, has the class that is the source's key. */
static double share_of_class(const struct source *s, const struct tl_table *t, struct tl_buf *item)
{
	int class = tl_table_column(t, "class"), value = tl_table_column(t, s->value);
	double of = 0, all = 0;

	(void)item;
	for (size_t i = 0; i < t->n_rows; i++) {
		const char *name = tl_table_text(t, i, class, "");
		double x = tl_table_number(t, i, value);
		of += strcmp(name, s->key) ? 0 : x;
		all += strcmp(name, "unrecorded") && strcmp(name, "server idle") ? x : 0;
	}
	return of / all * 100;
}

/* NaN if that is not worth a word. */
static double unrecorded(const struct source *s, const struct tl_table *t, struct tl_buf *item)
{
	struct source window = *s;
	struct tl_buf unused = { 0 };

	window.value = "window_ms";
	double of = mean_of_population(&window, t, &unused), mean = mean_of_population(s, t, item);
	tl_buf_release(&unused);
	return mean > 0 && mean >= (of + mean) * TL_LEAST_UNRECORDED ? mean : NAN;
}

/* A NUL would end the item: it becomes a space. */
static void add_name(struct tl_buf *item, const struct tl_strtab *strings, uint32_t name)
{
	const char *s = tl_str(strings, name);
	size_t len = tl_str_len(strings, name);

	tl_buf_adds(item, ": ");
	for (size_t i = 0; i < len; i++)
		tl_buf_addc(item, s[i] ? s[i] : ' ');
}

/* ", process 7, device 1" */
static void add_device(struct tl_buf *item, const struct tl_table *t, size_t row, const size_t columns[3])
{
	char text[TL_DOUBLE_TEXT];

	for (size_t i = 0; i < 3; i++) {
		struct tl_cell c = tl_table_cell(t, row, columns[i]);
		if (tl_cell_is_null(c))
			continue;
		tl_buf_addf(item, ", %s ", t->columns[columns[i]].name);
		if (c.type == TL_CELL_TEXT)
			tl_buf_adds(item, tl_str(t->strings, c.text));
		else
			tl_buf_add(item, text, tl_cell_format(text, c, t->ticks_per_us));
	}
}

/* The largest sum of a column, the share, over the rows that have one key, the label, which goes to `item`; of a sheet that has devices apart over those of
 * one device, which goes there too if there are several. Rows without a value do not count. */
static double largest(const struct source *s, const struct tl_table *t, struct tl_buf *item)
{
	const struct tl_description *d = tl_table_description(t, s->sheet);
	const struct tl_described_column *label = d ? tl_label_column(d) : NULL, *share = d ? tl_column_of_role(d, TL_ROLE_SHARE) : NULL;
	const char *const names[] = { (s->key && tl_table_column(t, s->key) >= 0) || !label ? s->key : label->name, "rank", "process", "device" };
	const char *part = s->value || !share ? s->value : share->name;
	size_t columns[4], n = 0, best = SIZE_MAX;

	if (!names[0] || !part)
		return NAN;
	int value = tl_table_column(t, part);
	while (n < 4 && tl_table_column(t, names[n]) >= 0) {
		columns[n] = (size_t)tl_table_column(t, names[n]);
		n++;
	}
	if (!n || value < 0)
		return NAN;
	uint32_t *group = tl_alloc((t->n_rows + 1) * sizeof *group);
	bool several = n == 4 && tl_table_group(t, columns + 1, 3, NULL, t->n_rows, group) > 1;
	double *sum = tl_calloc(tl_table_group(t, columns, n < 4 ? 1 : 4, NULL, t->n_rows, group) + 1, sizeof *sum);
	for (size_t i = 0; i < t->n_rows; i++) {
		double x = tl_table_number(t, i, value);
		sum[group[i]] += isnan(x) ? 0 : x;
	}
	for (size_t i = 0; i < t->n_rows; i++)
		if (sum[group[i]] > (best == SIZE_MAX ? 0 : sum[group[best]]))
			best = i;
	double most = best == SIZE_MAX ? NAN : sum[group[best]];
	if (best != SIZE_MAX)
		add_name(item, t->strings, tl_table_cell(t, best, columns[0]).text);
	if (best != SIZE_MAX && several)
		add_device(item, t, best, columns + 1);
	free(group);
	free(sum);
	return most;
}

/* The least time that rows need, as a percentage of the time that they took. A row with
 * operation_count operators needs so many times its roofline time. Rows that were faster than
 * that make the number too high: `item` tells how many there are. */
static double share_of_roofline(const struct source *s, const struct tl_table *t, struct tl_buf *item)
{
	int least = tl_table_column(t, s->key), took = tl_table_column(t, s->value);
	int count = tl_table_column(t, "operation_count");
	int percent = tl_table_column(t, "Pct Roofline_mean");
	double least_us = 0, took_us = 0, all_us = 0;
	size_t above = 0;

	for (size_t i = 0; least >= 0 && took >= 0 && count >= 0 && i < t->n_rows; i++) {
		double one = tl_table_number(t, i, least);
		double us = tl_table_number(t, i, took);
		all_us += isnan(us) ? 0 : us;
		if (isnan(one) || isnan(us))
			continue;
		least_us += one * tl_table_number(t, i, count);
		took_us += us;
		above += tl_table_number(t, i, percent) > 100;
	}
	if (took_us > 0)
		tl_buf_addf(item, " by %.1f %% of the kernel time", took_us / all_us * 100);
	if (above)
		tl_buf_addf(item, " (rows above 100 %%: %zu)", above);
	return took_us > 0 ? least_us / took_us * 100 : NAN;
}

#define KERNEL "largest kernel"
#define KERNELS_TIME "% of the kernels' time"
#define OPERATORS_TIME "% of the operators' kernel time, communication left out"

#define OF_WINDOW "% of the recorded window"

/* Of several sources of one item the last one counts. */
static const struct source sources[] = {
	{ TL_HEADLINE_UNRECORDED, "unrecorded", "ms, of work launched before the recording or left out of a slice: neither busy nor idle", "populations", unrecorded,
	  "idle_summary", "left_out_ms" },
	{ TL_HEADLINE_UNRECORDED, "unrecorded", "ms, of work launched before the recording: neither busy nor idle", "populations", unrecorded,
	  "findings", "left_out_ms" },
	{ TL_HEADLINE_IDLE, "largest idle time", OF_WINDOW, "idle_summary", largest, "cause", "Percent of window (%)" },
	{ TL_HEADLINE_EXPOSED, "exposed communication", "% of total_time", "gpu_timeline", cell_of, "exposed_comm_time", "percent" },
	{ TL_HEADLINE_EXPOSED, "exposed communication", "% of total_time", "gpu_timeline", mean_of_devices, "exposed_comm_time", "percent" },
	{ TL_HEADLINE_EXPOSED, "exposed communication", OF_WINDOW, "ledger", share_of_class, "exposed communication", "time_ms" },
	{ TL_HEADLINE_CATEGORY, "largest category", OPERATORS_TIME, "ops_summary_by_category", .take = largest },
	{ TL_HEADLINE_CATEGORY, "largest category", KERNELS_TIME, "kernel_summary_by_category", .take = largest },
	{ TL_HEADLINE_CATEGORY, "largest category", KERNELS_TIME, "kernel_launchers_summary_by_category", .take = largest },
	{ TL_HEADLINE_OPERATOR, "largest operator", OPERATORS_TIME, "ops_summary", .take = largest },
	{ TL_HEADLINE_ROOFLINE, "roofline reached", "% of the roofline, weighted by time, communication left out", "unified_perf_summary",
	  share_of_roofline, "Roofline Time (µs)_first", "Kernel Time (µs)_sum" },
	{ TL_HEADLINE_KERNEL, KERNEL, KERNELS_TIME, "kernel_summary", .take = largest, .key = "Kernel name" },
	{ TL_HEADLINE_KERNEL, KERNEL, KERNELS_TIME, "kernel_launchers_summary", .take = largest },
};

#define N_SOURCES (sizeof sources / sizeof sources[0])

void tl_headline_take(struct tl_headline *h, const char *sheet, const struct tl_table *t)
{
	for (size_t i = 0; i < N_SOURCES; i++) {
		const struct source *s = &sources[i];
		struct tl_headline_number *n = &h->numbers[s->number];
		struct tl_buf item = { 0 };

		if (strcmp(s->sheet, sheet) || (n->item && n->source > i))
			continue;
		tl_buf_adds(&item, s->item);
		double value = s->take(s, t, &item);
		if (isnan(value)) {
			tl_buf_release(&item);
			continue;
		}
		free(n->item);
		*n = (struct tl_headline_number){ item.data, value, s->unit, s->sheet, i };
	}
}

void tl_headline_take_busy(struct tl_headline *h, struct tl_trace *t)
{
	static const char *const items[TL_BUSY_TIMES] = { "GPU busy", "GPU busy between its first start and last end", "GPU busy in the life of the processes" };
	struct tl_busy busy = tl_busy_of(t);

	for (unsigned i = 0; i < TL_BUSY_TIMES; i++) {
		const struct tl_busy_time *b = &busy.times[i];
		struct tl_buf item = { 0 };
		if (!b->n || (i && !tl_busy_is_apart(&busy, i)))
			continue;
		tl_buf_adds(&item, items[i]);
		if (b->n > 1)
			tl_buf_addf(&item, ", mean of %zu devices (from %.1f to %.1f)", b->n, b->least, b->most);
		free(h->numbers[TL_HEADLINE_BUSY + i].item);
		h->numbers[TL_HEADLINE_BUSY + i] = (struct tl_headline_number){ item.data, b->percent, tl_busy_units[i], "populations", 0 };
	}
}

static bool is_kernel(const struct tl_ev *e)
{
	return e->kind == TL_KIND_KERNEL && tl_gpu_usable(e);
}

void tl_headline_take_kernels(struct tl_headline *h, struct tl_trace *t)
{
	struct tl_headline_number *number = &h->numbers[TL_HEADLINE_KERNEL];
	int64_t *ticks = tl_calloc((size_t)t->strings.count + 1, sizeof *ticks), all = 0; /* by name */
	struct tl_buf item = { 0 };
	uint32_t most = 0;

	for (uint32_t i = 0; i < t->n_events; i++)
		if (is_kernel(&t->events[i])) {
			ticks[t->events[i].name] = tl_ticks_add(ticks[t->events[i].name], t->events[i].dur);
			all = tl_ticks_add(all, t->events[i].dur);
		}
	for (uint32_t i = 0; i < t->n_events; i++) /* of equal ones the first in the trace */
		if (is_kernel(&t->events[i]) && ticks[t->events[i].name] > (most ? ticks[most] : INT64_MIN))
			most = t->events[i].name;
	if (most && all > 0) {
		tl_buf_addf(&item, KERNEL ": %s", tl_str(&t->strings, tl_name_cell(t, most).text));
		free(number->item);
		*number = (struct tl_headline_number){ item.data, (double)ticks[most] / (double)all * 100, KERNELS_TIME, "", 0 };
	}
	free(ticks);
}

bool tl_headline_takes(const char *sheet)
{
	for (size_t i = 0; i < N_SOURCES; i++)
		if (!strcmp(sources[i].sheet, sheet))
			return true;
	return false;
}

bool tl_headline_lacks(const struct tl_headline *h, const char *sheet)
{
	for (size_t i = 0; i < N_SOURCES; i++)
		if (!h->numbers[sources[i].number].item && !strcmp(sources[i].sheet, sheet))
			return true;
	return false;
}

void tl_headline_release(struct tl_headline *h)
{
	for (size_t i = 0; i < TL_HEADLINE_NUMBERS; i++)
		free(h->numbers[i].item);
	*h = (struct tl_headline){ 0 };
}
