/* split_report.c - the report about the parts that a trace was split into.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "steps/split_report.h"

#include "json/json_writer.h"
#include "table/tsv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_LABEL 150 /* file systems allow names of 255 bytes */

void tl_split_part_add(struct tl_split_part *p, const struct tl_step *steps, size_t n)
{
	TL_GROW(p->steps, p->cap_steps, p->n_steps + n);
	memcpy(p->steps + p->n_steps, steps, n * sizeof *steps);
	p->n_steps += n;
}

void tl_split_parts_release(struct tl_split_parts *parts)
{
	for (size_t i = 0; i < parts->n; i++) {
		free(parts->items[i].steps);
		free(parts->items[i].label);
		free(parts->items[i].path);
	}
	free(parts->items);
}

/* ---- names of files -------------------------------------------------------------- */

char *tl_split_base(const char *path)
{
	static const char *const endings[] = { ".pt.trace", ".json.gz", ".json", ".tls", ".zip" };
	const char *slash = strrchr(path, '/');
	char *base = tl_strdup(slash ? slash + 1 : path);

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t len = strlen(endings[i]);
		for (char *s = base; (s = strstr(s, endings[i]));)
			memmove(s, s + len, strlen(s + len) + 1);
	}
	return base;
}

void tl_split_add_sums(struct tl_buf *b, const struct tl_window_sums *s)
{
	tl_buf_addf(b, "prefill_%zu_prefilldecode_%zu_decode_%zu_bs%" PRId64 "_conc%" PRId64, s->phases[TL_PHASE_PREFILL],
	            s->phases[TL_PHASE_MIXED], s->phases[TL_PHASE_DECODE], s->batch_size, s->requests);
}

void tl_split_add_label(struct tl_buf *b, const char *annotation)
{
	size_t end = b->len + LONGEST_LABEL;

	for (const char *s = annotation; *s && b->len < end; s++) {
		if (*s == '/' || *s == '(' || (unsigned char)*s <= ' ' || *s == 0x7f)
			tl_buf_addc(b, '_');
		else if (*s != ')' && *s != ':')
			tl_buf_addc(b, *s);
	}
}

/* ---- execution_details ------------------------------------------------------------ */

static void add_part_json(struct tl_json *w, const struct tl_split_part *p)
{
	struct tl_window_sums sums = tl_window_sums(p->steps, p->n_steps);

	tl_json_open(w, NULL, '{');
	tl_json_put_int(w, "idx", (int64_t)p->number);
	tl_json_put_string(w, "output_path", p->path);
	tl_json_put_int(w, "event_count", (int64_t)p->n_events);
	tl_json_put_int(w, "num_gpu_events", (int64_t)p->n_device);
	tl_json_put_real(w, "gpu_duration", p->device_time);
	tl_json_put_real(w, "gpu_busy_duration", p->device_busy);
	tl_json_open(w, "steps", '[');
	for (size_t i = 0; i < p->n_steps; i++) {
		const struct tl_step *s = &p->steps[i];
		tl_json_open(w, NULL, '{');
		tl_json_put_int(w, "batch_size", s->text.batch_size);
		tl_json_put_int(w, "num_requests", tl_step_requests(s));
		tl_json_put_int(w, "context_requests", s->text.context.requests);
		tl_json_put_int(w, "context_sum", s->text.context.tokens);
		tl_json_put_int(w, "generation_requests", s->text.generation.requests);
		tl_json_put_int(w, "generation_sum", s->text.generation.tokens);
		tl_json_close(w, '}');
	}
	tl_json_close(w, ']');
	tl_json_open(w, "phase", '{');
	tl_json_put_int(w, "num_prefill", (int64_t)sums.phases[TL_PHASE_PREFILL]);
	tl_json_put_int(w, "num_prefilldecode", (int64_t)sums.phases[TL_PHASE_MIXED]);
	tl_json_put_int(w, "num_decode", (int64_t)sums.phases[TL_PHASE_DECODE]);
	tl_json_put_int(w, "avg_bs", sums.batch_size);
	tl_json_put_int(w, "avg_conc", sums.requests);
	tl_json_close(w, '}');
	tl_json_close(w, '}');
}

void tl_split_add_json(struct tl_buf *b, const struct tl_split_parts *parts)
{
	struct tl_json w = { .to = b };

	tl_json_open(&w, NULL, '[');
	for (size_t i = 0; i < parts->n; i++)
		add_part_json(&w, &parts->items[i]);
	tl_json_close(&w, ']');
	tl_buf_addc(b, '\n');
}

void tl_split_add_sheet(struct tl_buf *b, const struct tl_split_parts *parts)
{
	tl_buf_adds(b, "idx\toutput_path\tevent_count\tnum_gpu_events\tgpu_duration\tgpu_busy_duration\tphase_num_prefill\t"
	               "phase_num_prefilldecode\tphase_num_decode\tphase_avg_bs\tphase_avg_conc\tnum_steps\n");
	for (const struct tl_split_part *p = parts->items; p < parts->items + parts->n; p++) {
		struct tl_window_sums s = tl_window_sums(p->steps, p->n_steps);
		tl_buf_addf(b, "%zu\t", p->number);
		tl_tsv_add_text(b, p->path, strlen(p->path));
		tl_buf_addf(b, "\t%zu\t%zu\t%.2f\t%.2f\t%zu\t%zu\t%zu\t%" PRId64 "\t%" PRId64 "\t%zu\n", p->n_events, p->n_device,
		            p->device_time, p->device_busy, s.phases[TL_PHASE_PREFILL], s.phases[TL_PHASE_MIXED],
		            s.phases[TL_PHASE_DECODE], s.batch_size, s.requests, p->n_steps);
	}
}

/* ---- batch sizes ------------------------------------------------------------------ */

/* The first dimension of the first argument; 0 if it has none. */
static int64_t batch_of(struct tl_step_batches *b, uint32_t event)
{
	struct tl_value dims;
	int64_t batch = 0;

	if (tl_arg_list(&b->dims, b->trace, event, &dims) && dims.len && dims.items[0].type == TL_V_LIST &&
	    dims.items[0].len) {
		const struct tl_value *first = &dims.items[0].items[0];
		if (first->type == TL_V_INT && first->i > 0 && first->i <= INT32_MAX)
			batch = (int64_t)first->i;
	}
	return batch;
}

int64_t tl_step_batches_add(struct tl_step_batches *b, const uint32_t *events, size_t n)
{
	int64_t only = 0;
	bool several = false;

	if (!b->names.rules) {
		tl_name_answers_init(&b->names, TL_STEP_BATCHES, &b->trace->strings);
		b->dims = tl_arg_of(b->trace, TL_KEY_INPUT_DIMS);
	}
	for (size_t i = 0; i < n; i++) {
		int64_t batch = *tl_name_answer(&b->names, b->trace->events[events[i]].name) ? batch_of(b, events[i]) : 0;
		if (!batch)
			continue;
		tl_map_put(&b->sizes, (uint64_t)batch, NULL);
		several = several || (only && only != batch);
		only = batch;
	}
	return several ? 0 : only;
}

void tl_step_batches_clear(struct tl_step_batches *b)
{
	tl_map_release(&b->sizes);
	b->sizes = (struct tl_map){ 0 };
}

void tl_step_batches_release(struct tl_step_batches *b)
{
	tl_name_answers_release(&b->names);
	tl_map_release(&b->sizes);
	*b = (struct tl_step_batches){ 0 };
}
