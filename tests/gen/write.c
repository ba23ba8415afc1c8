/* write.c - the generator's writer: events as the profiler spells them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "gen.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { PID = 5432, AUTOGRAD_TID = 5529, HIDDEN = 1024, HEADS = 16, VOCAB = 32000 };

/* ---- text, re-indented on its way out unless it is the profiler's own style ---- */

static void byte(struct out *o, char c)
{
	if (o->n == o->cap)
		out_flush(o);
	o->buf[o->n++] = c;
}

static void line(struct out *o)
{
	if (o->style != STYLE_PRETTY)
		return;
	byte(o, '\n');
	for (int i = 0; i < o->depth * 2; i++)
		byte(o, ' ');
}

/* One byte of JSON through the indenter. An opening bracket's line break is
 * held back until it is known that the list is not empty. */
static void indent(struct out *o, char c)
{
	if (o->in_string) {
		byte(o, c);
		o->in_string = o->escaped || c != '"';
		o->escaped = !o->escaped && c == '\\';
		return;
	}
	if (c == ' ' || c == '\n')
		return;
	if (c == '}' || c == ']') {
		o->depth--;
		if (!o->fresh)
			line(o);
		o->fresh = false;
		byte(o, c);
		return;
	}
	if (o->fresh)
		line(o);
	o->fresh = c == '{' || c == '[';
	o->depth += o->fresh;
	o->in_string = c == '"';
	byte(o, c);
	if (c == ',')
		line(o);
	if (c == ':' && o->style == STYLE_PRETTY)
		byte(o, ' ');
}

static void put(struct out *o, const char *s, size_t len)
{
	if (o->style != STYLE_KINETO) {
		for (size_t i = 0; i < len; i++)
			indent(o, s[i]);
		return;
	}
	if (o->n + len > o->cap)
		out_flush(o);
	memcpy(o->buf + o->n, s, len);
	o->n += len;
}

void out_text(struct out *o, const char *s)
{
	put(o, s, strlen(s));
}

void out_int(struct out *o, int64_t x)
{
	char buf[24], *p = buf + sizeof buf;
	uint64_t u = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;

	do
		*--p = (char)('0' + u % 10);
	while (u /= 10);
	if (x < 0)
		*--p = '-';
	put(o, p, (size_t)(buf + sizeof buf - p));
}

/* Nanoseconds as decimal microseconds: the profiler writes three decimals,
 * JSON writers of later tools drop trailing zeros. */
void out_us(struct out *o, int64_t ns, bool integer)
{
	char frac[16];
	int64_t rest = ns % 1000;

	if (ns < 0) {
		put(o, "-", 1);
		ns = -ns;
		rest = -rest;
	}
	out_int(o, ns / 1000);
	if (integer)
		return;
	snprintf(frac, sizeof frac, ".%03d", (int)rest);
	if (o->style != STYLE_KINETO)
		for (size_t n = strlen(frac); n > 2 && frac[n - 1] == '0'; n--)
			frac[n - 1] = 0;
	out_text(o, frac);
}

void out_flush(struct out *o)
{
	o->bytes += o->n;
	if (o->file && o->n)
		fwrite(o->buf, 1, o->n, o->file);
	o->n = 0;
	if (!o->buf) {
		o->cap = 1 << 16;
		o->buf = malloc(o->cap);
		if (!o->buf)
			exit(1);
	}
}

static void text_field(struct out *o, const char *key, const char *value)
{
	out_text(o, key);
	out_text(o, "\"");
	out_text(o, value);
	out_text(o, "\"");
}

static void int_field(struct out *o, const char *key, int64_t value)
{
	out_text(o, key);
	out_int(o, value);
}

/* ---- inputs of ops ---- */

static int size_of(char symbol, const struct shape *s)
{
	switch (symbol) {
	case 'B': return s->batch;
	case 'S': return s->seq;
	case 'N': return s->batch * s->seq;
	case 'H': return HIDDEN;
	case 'Q': return 3 * HIDDEN;
	case 'F': return 4 * HIDDEN;
	case 'V': return VOCAB;
	case 'A': return HEADS;
	case 'D': return HIDDEN / HEADS;
	}
	return 0;
}

/* Sizes of a tensor token (after its type letter); returns their number. */
static int parse_sizes(const char *t, const char *end, const struct shape *shape, int64_t *sizes)
{
	int n = 0;

	while (t < end && *t != '\'') {
		if (isdigit((unsigned char)*t))
			sizes[n++] = strtol(t, (char **)&t, 10);
		else
			sizes[n++] = size_of(*t++, shape);
		if (t < end && *t == ',')
			t++;
	}
	return n;
}

static void write_list(struct out *o, const int64_t *x, int n)
{
	out_text(o, "[");
	for (int i = 0; i < n; i++) {
		if (i)
			out_text(o, ", ");
		out_int(o, x[i]);
	}
	out_text(o, "]");
}

enum part { PART_CONCRETE, PART_TYPE, PART_STRIDES, PART_DIMS };

static void write_tensor(struct out *o, const char *t, const char *end, const struct shape *shape, enum part part)
{
	static const char *const types[] = { ['b'] = "c10::BFloat16", ['f'] = "float", ['l'] = "long int", ['o'] = "bool" };
	int64_t sizes[8], strides[8], stride = 1;
	int n = parse_sizes(t + 1, end, shape, sizes);
	bool transposed = end[-1] == '\'';

	if (part == PART_CONCRETE) {
		out_text(o, "\"\"");
		return;
	}
	if (part == PART_TYPE) {
		text_field(o, "", types[(unsigned char)*t]);
		return;
	}
	for (int i = n; i-- > 0; stride *= sizes[i])
		strides[i] = stride;
	if (transposed) {
		int64_t a = sizes[n - 1], b = strides[n - 1];

		sizes[n - 1] = sizes[n - 2], strides[n - 1] = strides[n - 2];
		sizes[n - 2] = a, strides[n - 2] = b;
	}
	write_list(o, part == PART_DIMS ? sizes : strides, n);
}

static void write_scalar(struct out *o, const char *t, const char *end, enum part part)
{
	if (part == PART_TYPE) {
		out_text(o, *t == '-' ? "\"\"" : *t == 'L' ? "\"ScalarList\"" : "\"Scalar\"");
	} else if (part != PART_CONCRETE) {
		out_text(o, "[]");
	} else {
		out_text(o, "\"");
		for (const char *p = t + 1; *t != '-' && p < end; p++) {
			char c[3] = { *p == 'V' ? '3' : *p, *p == ',' ? ' ' : 0, 0 };

			out_text(o, c);
		}
		out_text(o, "\"");
	}
}

static void write_token(struct out *o, const char *t, const char *end, const struct shape *shape, enum part part)
{
	int n;

	if (*t != 'G') {
		if (*t == 's' || *t == 'L' || *t == '-')
			write_scalar(o, t, end, part);
		else
			write_tensor(o, t, end, shape, part);
		return;
	}
	n = t[1] - '0';
	if (part == PART_TYPE || part == PART_CONCRETE) {
		out_text(o, part == PART_TYPE ? "\"TensorList\"" : "\"\"");
		return;
	}
	out_text(o, "[");
	for (int i = 0; i < n; i++) {
		if (i)
			out_text(o, ", ");
		write_tensor(o, t + 3, end, shape, part);
	}
	out_text(o, "]");
}

void write_inputs(struct out *o, const char *spec, const struct shape *shape)
{
	static const char *const keys[] = { ", \"Concrete Inputs\": [", ", \"Input type\": [", ", \"Input Strides\": [", ", \"Input Dims\": [" };

	for (int part = PART_CONCRETE; part <= PART_DIMS; part++) {
		out_text(o, keys[part]);
		for (const char *t = spec; *t; ) {
			const char *end = t + strcspn(t, " ");

			if (t != spec)
				out_text(o, ", ");
			write_token(o, t, end, shape, (enum part)part);
			t = *end ? end + 1 : end;
		}
		out_text(o, "]");
	}
}

/* ---- events ---- */

int event_part(const struct ev *e)
{
	return e->what < EV_PYTHON ? 0 : e->what == EV_PYTHON ? 1 : 2;
}

static const char *category(const struct options *opt, int what)
{
	if (opt->era2021)
		switch (what) {
		case EV_OP: return "Operator";
		case EV_RUNTIME: case EV_DRIVER: return "Runtime";
		case EV_KERNEL: case EV_NCCL: return "Kernel";
		case EV_MEMCPY: return "Memcpy";
		case EV_MEMSET: return "Memset";
		}
	switch (what) {
	case EV_OP: return "cpu_op";
	case EV_ANNOTATION: return "user_annotation";
	case EV_PYTHON: return "python_function";
	case EV_RUNTIME: return "cuda_runtime";
	case EV_DRIVER: return "cuda_driver";
	case EV_KERNEL: case EV_NCCL: return "kernel";
	case EV_MEMCPY: return "gpu_memcpy";
	case EV_MEMSET: return "gpu_memset";
	case EV_GPU_ANNOTATION: return "gpu_user_annotation";
	}
	return "";
}

static bool on_device(const struct ev *e)
{
	return e->what >= EV_KERNEL || (e->what == EV_ARROW_END && e->num);
}

static void write_track(struct out *o, const struct ev *e)
{
	bool device = on_device(e);

	int_field(o, "\"pid\": ", device ? 0 : PID);
	int_field(o, ", \"tid\": ", device ? e->tid : e->tid ? AUTOGRAD_TID : PID);
}

/* Arrows, one line shorter than spans. */
static void write_arrow(struct out *o, const struct options *opt, const struct ev *e)
{
	bool start = e->what == EV_ARROW_START || e->what == EV_FWD;
	bool flow = e->what == EV_FWD || e->what == EV_BWD;

	out_text(o, start ? "  {\n    \"ph\": \"s\", \"id\": " : "  {\n    \"ph\": \"f\", \"id\": ");
	out_int(o, e->corr);
	out_text(o, ", ");
	write_track(o, e);
	out_text(o, ", \"ts\": ");
	out_us(o, e->ts, opt->integer);
	text_field(o, ",\n    \"cat\": ", flow ? "fwdbwd" : opt->era2021 ? "async" : "ac2g");
	text_field(o, ", \"name\": ", flow ? "fwdbwd" : opt->era2021 ? "launch" : "ac2g");
	out_text(o, start ? "\n  }" : ", \"bp\": \"e\"\n  }");
}

static void write_memory(struct out *o, const struct options *opt, const struct ev *e)
{
	out_text(o, "  {\n    \"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": \"[memory]\",\n    ");
	write_track(o, e);
	out_text(o, ",\n    \"ts\": ");
	out_us(o, e->ts, opt->integer);
	out_text(o, ",\n    \"args\": {\n      \"Total Reserved\": 2629828608");
	int_field(o, ", \"Total Allocated\": ", e->dur);
	int_field(o, ", \"Bytes\": ", e->num);
	int_field(o, ", \"Addr\": ", 139000000000000 + e->dur);
	int_field(o, ", \"Device Id\": 0, \"Device Type\": 1, \"Ev Idx\": ", e->index);
	out_text(o, "\n    }\n  }");
}

static void write_counter(struct out *o, const struct options *opt, const struct ev *e)
{
	text_field(o, "  {\n    \"ph\": \"C\", \"name\": ", e->name);
	int_field(o, ", \"pid\": ", PID);
	out_text(o, ", \"ts\": ");
	out_us(o, e->ts, opt->integer);
	int_field(o, ",\n    \"args\": {\n      \"Total Allocated\": ", e->num);
	out_text(o, "\n    }\n  }");
}

/* What the profiler says about a collective, on the op and on the kernel. */
static void write_collective(struct out *o, const char *name, int64_t elements, bool op)
{
	bool gather = name[1] == 'a' && name[2] == 'l' && name[3] == 'l' && name[4] == 'g';

	if (op)
		text_field(o, ", \"Collective name\": ", gather ? "_allgather_base" : "allreduce");
	else
		text_field(o, ", \"Collective name\": ", name);
	int_field(o, ", \"In msg nelems\": ", elements);
	int_field(o, ", \"Out msg nelems\": ", gather ? elements * 8 : elements);
	out_text(o, ", \"Group size\": 8, \"dtype\": \"BFloat16\", \"In split size\": \"[]\", \"Out split size\": \"[]\", \"Process Group Name\": \"");
	out_text(o, gather ? "3" : "0");
	out_text(o, "\", \"Process Group Description\": \"");
	out_text(o, gather ? "undefined" : "default_pg");
	out_text(o, "\", \"Process Group Ranks\": \"[0, 1, 2, 3, 4, 5, 6, 7]\"");
	if (op)
		out_text(o, ", \"Rank\": 0, \"Global rank start\": 0, \"Global rank stride\": 1");
}

static void write_op_args(struct out *o, const struct ev *e)
{
	int_field(o, "      \"External id\": ", e->ext);
	if (e->seq) {
		int_field(o, ",\"Sequence number\": ", e->seq);
		int_field(o, ", \"Fwd thread id\": ", e->tid);
		out_text(o, ", \"Record function id\": 0");
	} else {
		out_text(o, ",\"Record function id\": 0");
	}
	if (e->spec && e->spec[0] == '#')
		write_collective(o, e->spec, e->num, true);
	else if (e->spec && e->spec[0])
		write_inputs(o, e->spec, &gen_shapes[e->shape]);
	int_field(o, ", \"Ev Idx\": ", e->index);
}

static void write_runtime_args(struct out *o, const struct options *opt, const struct ev *e)
{
	out_text(o, "      ");
	if (e->ext) {
		int_field(o, opt->era2021 ? "\"external id\": " : "\"External id\": ", e->ext);
		out_text(o, ", ");
	}
	if (opt->amd && e->spec)
		text_field(o, "\"kernel\": ", e->spec), out_text(o, ", ");
	int_field(o, opt->amd ? "\"cid\": " : "\"cbid\": ", e->what == EV_DRIVER ? 307 : e->grid ? 211 : 41);
	int_field(o, ", \"correlation\": ", e->corr);
	if (opt->amd && e->grid) {
		int_field(o, ", \"grid\": [", e->grid);
		int_field(o, ", 1, 1], \"block\": [", e->block);
		out_text(o, ", 1, 1], \"shared memory\": 0");
	}
}

static void write_kernel_args(struct out *o, const struct options *opt, const struct ev *e)
{
	uint32_t per_sm = opt->amd ? 304 : 132;
	char buf[120];

	if (opt->amd) {
		out_text(o, ", \"kind\": \"Dispatch Kernel\"");
	} else {
		int_field(o, ", \"registers per thread\": ", e->regs);
		snprintf(buf, sizeof buf, ", \"shared memory\": %u, \"blocks per SM\": %.6f, \"warps per SM\": %.6f",
		         e->block >= 256 ? 32768u : 16u, (double)e->grid / per_sm, (double)e->grid * e->block / 32 / per_sm);
		out_text(o, buf);
	}
	snprintf(buf, sizeof buf, ", \"grid\": [%u, 1, 1], \"block\": [%u, 1, 1]", e->grid, e->block);
	out_text(o, buf);
	if (!opt->amd)
		int_field(o, ", \"est. achieved occupancy %\": ", e->grid > 500 ? 100 : e->grid / 5);
	if (e->what == EV_NCCL)
		write_collective(o, e->spec, e->num, false);
}

static void write_device_args(struct out *o, const struct options *opt, const struct ev *e)
{
	char buf[80];

	out_text(o, "      ");
	if (e->ext && e->what != EV_GPU_ANNOTATION && !opt->gpu_only) {
		int_field(o, opt->era2021 ? "\"external id\": " : "\"External id\": ", e->ext);
		out_text(o, ", ");
	}
	if (e->what == EV_GPU_ANNOTATION) {
		int_field(o, "\"External id\": ", e->ext);
		return;
	}
	out_text(o, opt->amd ? "\"device\": 0" : "\"queued\": 0, \"device\": 0, \"context\": 1");
	int_field(o, ", \"stream\": ", e->tid);
	int_field(o, ", \"correlation\": ", e->corr);
	if (e->what == EV_KERNEL || e->what == EV_NCCL) {
		write_kernel_args(o, opt, e);
		return;
	}
	if (opt->amd)
		text_field(o, ", \"kind\": ", e->spec ? e->spec : "Device");
	int_field(o, ", \"bytes\": ", e->num);
	snprintf(buf, sizeof buf, ", \"memory bandwidth (GB/s)\": %.17g", (double)e->num / (double)(e->dur ? e->dur : 1));
	out_text(o, buf);
}

static void write_args(struct out *o, const struct options *opt, const struct ev *e)
{
	switch (e->what) {
	case EV_OP:
		write_op_args(o, e);
		break;
	case EV_ANNOTATION:
		int_field(o, "      \"External id\": ", e->ext);
		int_field(o, ",\"Record function id\": 0, \"Ev Idx\": ", e->index);
		break;
	case EV_PYTHON:
		out_text(o, "      \"Python parent id\": ");
		if (e->parent)
			out_int(o, e->parent);
		else
			out_text(o, "null");
		int_field(o, ", \"Python id\": ", e->num);
		int_field(o, ", \"Ev Idx\": ", e->index);
		break;
	case EV_RUNTIME:
	case EV_DRIVER:
		write_runtime_args(o, opt, e);
		break;
	default:
		write_device_args(o, opt, e);
	}
}

void write_event(struct out *o, const struct options *opt, const struct ev *e)
{
	switch (e->what) {
	case EV_FWD: case EV_BWD: case EV_ARROW_START: case EV_ARROW_END:
		write_arrow(o, opt, e);
		return;
	case EV_MEMORY:
		write_memory(o, opt, e);
		return;
	case EV_COUNTER:
		write_counter(o, opt, e);
		return;
	}
	text_field(o, "  {\n    \"ph\": \"X\", \"cat\": ", category(opt, e->what));
	text_field(o, ", \"name\": ", e->name);
	out_text(o, ", ");
	write_track(o, e);
	out_text(o, ",\n    \"ts\": ");
	out_us(o, e->ts, opt->integer);
	out_text(o, ", \"dur\": ");
	if (opt->integer) /* whole microseconds that keep children inside */
		out_int(o, (e->ts + e->dur) / 1000 - e->ts / 1000);
	else
		out_us(o, e->dur, false);
	out_text(o, ",\n    \"args\": {\n");
	write_args(o, opt, e);
	out_text(o, "\n    }\n  }");
}

/* ---- the file around the events ---- */

void write_head(struct out *o, const struct options *opt)
{
	out_text(o, "\n{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n      \"id\": 0, \"name\": \"");
	out_text(o, opt->amd ? "AMD Instinct MI300X" : "NVIDIA H100 80GB HBM3");
	out_text(o, opt->amd ? "\", \"totalGlobalMem\": 206141652992,\n      \"computeMajor\": 9, \"computeMinor\": 4,\n"
	                       "      \"maxThreadsPerBlock\": 1024, \"maxThreadsPerMultiprocessor\": 2048,\n"
	                       "      \"regsPerBlock\": 65536, \"warpSize\": 64,\n      \"sharedMemPerBlock\": 65536, \"numSms\": 304\n    }\n  ],\n  \"roctracer_version\": 4.1,\n"
	                     : "\", \"totalGlobalMem\": 85018279936,\n      \"computeMajor\": 9, \"computeMinor\": 0,\n"
	                       "      \"maxThreadsPerBlock\": 1024, \"maxThreadsPerMultiprocessor\": 2048,\n"
	                       "      \"regsPerBlock\": 65536, \"warpSize\": 32,\n      \"sharedMemPerBlock\": 49152, \"numSms\": 132\n    }\n  ],\n  \"cupti_version\": 22,\n");
	if (opt->nccl)
		out_text(o, "  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 0, \"world_size\": 8, \"pg_count\": 1, \"pg_config\": [{\"pg_name\": \"0\", \"pg_desc\": \"default_pg\", \"backend_config\": \"cuda:nccl\", \"pg_size\": 8, \"ranks\": [0, 1, 2, 3, 4, 5, 6, 7]}], \"nccl_version\": \"2.22.3\"},\n");
	out_text(o, "  \"record_shapes\": 1,\n  \"with_stack\": 1,\n  \"trace_id\": \"E2DD41CB5FBC4E7C9464E0B56B6B3E2B\",\n  \"traceEvents\": [\n");
}

/* "M" event; tid -1 stands for the process. */
static void write_meta(struct out *o, int64_t ts, int pid, int tid, const char *name, const char *key, const char *text, int64_t number)
{
	text_field(o, "  {\n    \"name\": ", name);
	out_text(o, ", \"ph\": \"M\", \"ts\": ");
	out_us(o, ts, false);
	int_field(o, ", \"pid\": ", pid);
	int_field(o, ", \"tid\": ", tid);
	text_field(o, ",\n    \"args\": {\n      ", key);
	out_text(o, ": ");
	if (text)
		text_field(o, "", text);
	else
		out_int(o, number);
	out_text(o, "\n    }\n  },\n");
}

void write_tail(struct out *o, const struct options *opt, int64_t begin, int64_t end)
{
	write_meta(o, begin, PID, 0, "process_name", "name", "python3", 0);
	write_meta(o, begin, PID, 0, "process_labels", "labels", "CPU", 0);
	write_meta(o, begin, PID, 0, "process_sort_index", "sort_index", NULL, PID);
	write_meta(o, begin, 0, 0, "process_name", "name", "python3", 0);
	write_meta(o, begin, 0, 0, "process_labels", "labels", "GPU 0", 0);
	write_meta(o, begin, 0, 0, "process_sort_index", "sort_index", NULL, 5000000);
	write_meta(o, begin, 0, 7, "thread_name", "name", "stream 7", 0);
	write_meta(o, begin, 0, 7, "thread_sort_index", "sort_index", NULL, 7);
	write_meta(o, begin, 0, 13, "thread_name", "name", "stream 13", 0);
	write_meta(o, begin, 0, 20, "thread_name", "name", "stream 20", 0);
	write_meta(o, begin, PID, PID, "thread_name", "name", "thread 5432 (python3)", 0);
	write_meta(o, begin, PID, PID, "thread_sort_index", "sort_index", NULL, PID);
	write_meta(o, begin, PID, AUTOGRAD_TID, "thread_name", "name", "thread 5529 (pt_autograd_0)", 0);
	out_text(o, "  {\n    \"ph\": \"X\", \"cat\": \"Trace\", \"ts\": ");
	out_us(o, begin, opt->integer);
	out_text(o, ", \"dur\": ");
	out_us(o, end - begin, opt->integer);
	out_text(o, ",\n    \"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\",\n    \"name\": \"PyTorch Profiler (0)\",\n    \"args\": {\n      \"Op count\": 0\n    }\n  },\n"
	            "  {\n    \"name\": \"Iteration Start: PyTorch Profiler\", \"ph\": \"i\", \"s\": \"g\",\n    \"pid\": \"Traces\", \"tid\": \"Trace PyTorch Profiler\", \"ts\": ");
	out_us(o, begin, opt->integer);
	out_text(o, "\n  },\n  {\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n    \"pid\": \"\", \"tid\": \"\", \"ts\": ");
	out_us(o, end, opt->integer);
	out_text(o, "\n  }\n  ],\n  \"traceName\": \"/tmp/trace \\u00b5s.json\",\n  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": 1767189312000000000\n}\n");
}
