/* write.c - events as the profiler spells them.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "gen.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const struct style gen_styles[] = {
	{ .name = "kineto-2025" },
	{ .name = "kineto-2024", .stamps = NANOS },
	{ .name = "kineto-2023", .stamps = MICROS },
	{ .name = "kineto-2022", .stamps = MICROS, .each_line = true },
	{ .name = "kineto-2021", .stamps = MICROS, .old = true },
	{ .name = "kineto-2020", .stamps = MICROS, .old = true, .each_line = true },
	{ .name = "autograd", .autograd = true },
	{ .name = "json.dump", .stamps = NANOS, .blanks = ONE_LINE },
	{ .name = "json.dump-indent", .stamps = MICROS, .blanks = INDENTED },
	{ .name = "jq-c", .stamps = NANOS, .blanks = NO_BLANKS },
	{ .name = "crlf", .stamps = MICROS, .blanks = CRLF },
	{ .name = "mixed", .stamps = NANOS, .blanks = SCATTERED },
	{ .name = NULL }
};

enum { PID = 5432, AUTOGRAD_TID = 5529, RANKS_SAID = 30, DEVICES_OF_A_NODE = 8 };

/* Adds to the text of the event in hand. */
__attribute__((format(printf, 2, 3)))
static void put(struct out *o, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	o->n += (size_t)vsnprintf(o->buf + o->n, sizeof o->buf - o->n, format, args);
	va_end(args);
}

static void emit(struct out *o, char c)
{
	putc(c, o->file);
	o->bytes++;
}

static void new_line(struct out *o)
{
	emit(o, '\n');
	for (int i = 0; i < o->depth; i++) {
		emit(o, ' ');
		emit(o, ' ');
	}
}

/* A byte of a string. */
static void respell_text(struct out *o, char c)
{
	emit(o, c);
	o->in_string = c != '"' || o->escaped;
	o->escaped = c == '\\' && !o->escaped;
}

/* Decimals end with no zeros but the first; true: c is done. */
static bool respell_zeros(struct out *o, char c)
{
	if (o->decimals && c == '0' && o->last != '.') {
		o->zeros++;
		return true;
	}
	for (; isdigit((unsigned char)c) && o->zeros; o->zeros--)
		emit(o, '0');
	o->zeros = 0;
	o->decimals = c == '.' || (o->decimals && isdigit((unsigned char)c));
	return false;
}

/* As many blanks as chance wants. */
static void scatter(struct out *o)
{
	o->scatter = o->scatter * 6364136223846793005u + 1442695040888963407u;
	for (uint64_t n = o->scatter >> 62; n; n--)
		emit(o, ' ');
}

/* A byte outside of strings; blanks of the style in place of those that are there. */
static void respell(struct out *o, char c)
{
	bool open = c == '{' || c == '[', close = c == '}' || c == ']', lines = o->opt->style->blanks == INDENTED;

	if (isspace((unsigned char)c) || respell_zeros(o, c))
		return;
	o->depth -= close;
	if (lines && (close ? !o->opened : o->opened))
		new_line(o);
	o->opened = open;
	o->depth += open;
	emit(o, o->last = c);
	o->in_string = c == '"';
	if (c == ',' && lines)
		new_line(o);
	if (o->opt->style->blanks == SCATTERED && (open || close || c == ':' || c == ','))
		scatter(o);
	else if (o->opt->style->blanks != NO_BLANKS && (c == ':' || (c == ',' && !lines)))
		emit(o, ' ');
}

static void flush(struct out *o)
{
	for (size_t i = 0; i < o->n; i++) {
		char c = o->buf[i];

		if (o->opt->style->blanks <= CRLF) {
			if (c == '\n' && o->opt->style->blanks == CRLF)
				emit(o, '\r');
			emit(o, c);
		} else if (o->in_string) {
			respell_text(o, c);
		} else {
			respell(o, c);
		}
	}
	o->n = 0;
}

/* Nanoseconds as decimal microseconds. */
static void put_time(struct out *o, const char *key, int64_t ns)
{
	put(o, o->opt->style->stamps == MICROS ? "\"%s\": %lld" : "\"%s\": %lld.%03d", key, (long long)(ns / 1000), (int)(ns % 1000));
}

/* ---- inputs of operators ---- */

enum part { PART_CONCRETE, PART_TYPE, PART_STRIDES, PART_DIMS };

/* The size that a letter stands for. */
static int64_t size_of(char symbol, int shape)
{
	static const int64_t batch[] = { 4, 8, 2, 1 }, sequence[] = { 512, 512, 2048, 4096 };
	static const int64_t sizes[] = { ['A'] = 16, ['D'] = 64, ['H'] = 1024, ['Q'] = 3072, ['F'] = 4096, ['V'] = 32000 };

	switch (symbol) {
	case 'B': return batch[shape];
	case 'S': return sequence[shape];
	case 'N': return batch[shape] * sequence[shape];
	}
	return sizes[(unsigned char)symbol];
}

/* Sizes or strides of the tensor with these sizes ("N,H" or "N,H'"). */
static void put_tensor(struct out *o, const char *t, const char *end, int shape, enum part part)
{
	struct { int64_t size, stride; } x[8];
	int64_t stride = 1;
	int n = 0;

	while (t < end && *t != '\'') {
		x[n++].size = isdigit((unsigned char)*t) ? strtol(t, (char **)&t, 10) : size_of(*t++, shape);
		t += *t == ',';
	}
	for (int i = n; i-- > 0; stride *= x[i].size)
		x[i].stride = stride;
	if (end[-1] == '\'') {
		x[n] = x[n - 1];
		x[n - 1] = x[n - 2];
		x[n - 2] = x[n];
	}
	put(o, "[");
	for (int i = 0; i < n; i++)
		put(o, i ? ", %lld" : "%lld", (long long)(part == PART_DIMS ? x[i].size : x[i].stride));
	put(o, "]");
}

/* What the list of this part says of one input. */
static void put_input(struct out *o, const char *t, const char *end, int shape, enum part part)
{
	static const char *const types[] = { ['b'] = "c10::BFloat16", ['f'] = "float", ['l'] = "long int",
	                                     ['s'] = "Scalar", ['L'] = "ScalarList", ['G'] = "TensorList", ['-'] = "" };
	bool scalar = *t == 's' || *t == 'L';

	if (part == PART_TYPE) {
		put(o, "\"%s\"", *t == 'b' && o->opt->fp16 ? "c10::Half" : types[(unsigned char)*t]);
	} else if (part == PART_CONCRETE) {
		put(o, "\"");
		for (const char *p = t + 1; scalar && p < end; p++)
			put(o, *p == ',' ? "%c " : "%c", *p);
		put(o, "\"");
	} else if (scalar || *t == '-') {
		put(o, "[]");
	} else if (*t == 'G') {
		put(o, "[");
		for (int i = 0; i < t[1] - '0'; i++) {
			put(o, i ? ", " : "");
			put_tensor(o, t + 4, end, shape, part);
		}
		put(o, "]");
	} else {
		put_tensor(o, t + 1, end, shape, part);
	}
}

static void put_inputs(struct out *o, const char *spec, int shape)
{
	static const char *const keys[] = { "Concrete Inputs", "Input type", "Input Strides", "Input Dims" };

	for (int part = PART_CONCRETE; part <= PART_DIMS; part++) {
		put(o, ", \"%s\": [", keys[part]);
		for (const char *t = spec, *end; *t; t = end + (*end == ' ')) {
			end = t + strcspn(t, " ");
			put(o, t == spec ? "" : ", ");
			put_input(o, t, end, shape, (enum part)part);
		}
		put(o, "]");
	}
}

/* ---- arguments ---- */

/* Of n ranks from the first on, as many as wanted. */
static void put_ranks(struct out *o, int64_t first, int64_t stride, int64_t n, int64_t most)
{
	for (int64_t i = 0; i < n && i < most; i++) {
		put(o, i ? ", %lld" : "[%lld", (long long)(first + i * stride));
		flush(o);
	}
	put(o, n > most ? ", ...]" : "]");
}

/* What the profiler says about a collective, on the operator and on the kernel. */
static void put_collective(struct out *o, const char *name)
{
	bool gather = name[0] == '_';
	long long elements = gather ? 25136 : 2873320, ranks = o->opt->ranks;

	put(o, ", \"Collective name\": \"%s\", \"In msg nelems\": %lld, \"Out msg nelems\": %lld, \"Group size\": %lld, \"dtype\": \"BFloat16\","
	       " \"In split size\": \"[]\", \"Out split size\": \"[]\", \"Process Group Name\": \"%d\", \"Process Group Description\": \"%s\","
	       " \"Process Group Ranks\": \"",
	    name, elements, gather ? elements * ranks : elements, ranks, gather ? 3 : 0, gather ? "undefined" : "default_pg");
	put_ranks(o, 0, 1, ranks, RANKS_SAID);
	put(o, "\"");
}

static void put_group_collective(struct out *o, const char *name, const struct gen_group *g)
{
	char splits[2048] = "";

	for (int64_t i = 0, n = 0; i < g->parts; i++)
		n += snprintf(splits + n, sizeof splits - (size_t)n, "%s%lld", i ? ", " : "", (long long)(i == g->hot ? 2 * g->share : g->share));
	put(o, ", \"Collective name\": \"%s\", \"In msg nelems\": %lld, \"Out msg nelems\": %lld, \"Group size\": %lld, \"dtype\": \"%s\","
	       " \"In split size\": \"[%s]\", \"Out split size\": \"[]\", \"Process Group Name\": \"%s%lld\", \"Process Group Description\": \"%s\","
	       " \"Process Group Ranks\": \"",
	    name, (long long)g->in, (long long)g->out, (long long)g->n, o->opt->fp16 ? "Half" : "BFloat16", splits, g->kind, (long long)g->number, g->description);
	put_ranks(o, g->first, g->stride, g->n, RANKS_SAID);
	put(o, "\"");
	if (g->peer >= 0)
		put(o, ", \"%s Rank\": %lld", g->sends ? "Dst" : "Src", (long long)g->peer);
	if (g->sequence)
		put(o, ", \"Seq\": %u", g->sequence);
}

static long long rank_of(const struct options *opt)
{
	return opt->rank < 0 ? 0 : opt->rank;
}

static void put_op_args(struct out *o, const struct event *e)
{
	put(o, "\"External id\": %u,", e->external_id);
	if (e->sequence)
		put(o, "\"Sequence number\": %u, \"Fwd thread id\": %d, ", e->sequence, e->thread);
	put(o, "\"Record function id\": 0");
	if (!strcmp(e->name, "record_param_comms")) {
		e->group ? put_group_collective(o, e->spec, e->group) : put_collective(o, e->spec);
		put(o, ", \"Rank\": %lld, \"Global rank start\": 0, \"Global rank stride\": 1", rank_of(o->opt));
	} else if (e->spec[0]) {
		put_inputs(o, e->spec, e->shape);
	}
	put(o, ", \"Ev Idx\": %u", e->index);
}

static void put_device_args(struct out *o, const struct event *e)
{
	const struct kernel_info *k = e->kernel;
	int sms = o->opt->gpu->sms;

	if (e->external_id)
		put(o, "\"External id\": %u, ", e->external_id);
	put(o, "\"queued\": 0, \"device\": %d, \"context\": 1, \"stream\": %d, \"correlation\": %u", o->opt->device, e->thread, e->correlation);
	if (!k->grid) {
		put(o, ", \"bytes\": %lld, \"memory bandwidth (GB/s)\": %.17g", (long long)e->bytes, (double)e->bytes / (double)e->dur);
		return;
	}
	put(o, ", \"registers per thread\": %d, \"shared memory\": %d, \"blocks per SM\": %.6f, \"warps per SM\": %.6f",
	    k->regs, k->block >= 256 ? 32768 : 16, (double)k->grid / sms, (double)(k->grid * k->block / 32) / sms);
	put(o, ", \"grid\": [%d, 1, 1], \"block\": [%d, 1, 1], \"est. achieved occupancy %%\": %d", k->grid, k->block, k->grid > 500 ? 100 : k->grid / 5);
	if (e->node)
		put(o, ", \"graph id\": 3, \"graph node id\": %u", e->node);
	if (e->what == EV_NCCL)
		e->group ? put_group_collective(o, e->spec, e->group) : put_collective(o, e->spec);
}

static void put_args(struct out *o, const struct event *e)
{
	switch (e->what) {
	case EV_OP:
		put_op_args(o, e);
		break;
	case EV_ANNOTATION:
		put(o, "\"External id\": %u,\"Record function id\": 0, \"Ev Idx\": %u", e->external_id, e->index);
		break;
	case EV_GPU_ANNOTATION:
		put(o, "\"External id\": %u", e->external_id);
		break;
	case EV_PYTHON:
		put(o, e->parent ? "\"Python parent id\": %u" : "\"Python parent id\": null", e->parent);
		put(o, ", \"Python id\": %u, \"Ev Idx\": %u", e->python_id, e->index);
		break;
	case EV_RUNTIME: case EV_DRIVER:
		if (e->external_id)
			put(o, "\"External id\": %u, ", e->external_id);
		put(o, "\"cbid\": %d, \"correlation\": %u", e->what == EV_DRIVER ? 307 : e->kernel ? 211 : 41, e->correlation);
		break;
	case EV_OVERHEAD:
		break;
	case EV_MEMORY:
		put(o, "\"Total Reserved\": %lld, \"Total Allocated\": %lld, \"Bytes\": %lld, \"Addr\": %lld, \"Device Id\": 0, \"Device Type\": 1, \"Ev Idx\": %u",
		    (long long)e->reserved, (long long)e->dur, (long long)e->bytes, (long long)e->address, e->index);
		break;
	default:
		put_device_args(o, e);
	}
}

/* ---- events ---- */

static const char *old_category(const char *category)
{
	static const char *const names[][2] = { { "cpu_op", "Operator" }, { "cuda_runtime", "Runtime" }, { "kernel", "Kernel" },
	                                        { "gpu_memcpy", "Memcpy" }, { "gpu_memset", "Memset" } };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i][0], category))
			return names[i][1];
	return category;
}

/* Times are differences of floating-point numbers. */
static void write_autograd(struct out *o, const struct event *e, bool span, int pid, int tid)
{
	o->events++;
	if (!span)
		return;
	put(o, "{\"name\": \"");
	put(o, e->name, e->number);
	put(o, "\", \"ph\": \"X\", \"ts\": %.17g, \"dur\": %.17g, \"tid\": %d, \"pid\": \"%s functions\", \"args\": {}}, ", (double)(e->ts - o->opt->origin_ns) / 1e3,
	    (double)e->dur / 1e3, tid, pid ? "CPU" : "CUDA");
	flush(o);
}

void write_event(struct out *o, const struct event *e)
{
	static const struct { char phase; const char *category; } kinds[] = {
		[EV_OP] = { 'X', "cpu_op" }, [EV_ANNOTATION] = { 'X', "user_annotation" }, [EV_PYTHON] = { 'X', "python_function" },
		[EV_RUNTIME] = { 'X', "cuda_runtime" }, [EV_DRIVER] = { 'X', "cuda_driver" }, [EV_MEMORY] = { 'i', "cpu_instant_event" },
		[EV_KERNEL] = { 'X', "kernel" }, [EV_NCCL] = { 'X', "kernel" }, [EV_MEMCPY] = { 'X', "gpu_memcpy" },
		[EV_MEMSET] = { 'X', "gpu_memset" }, [EV_GPU_ANNOTATION] = { 'X', "gpu_user_annotation" },
		[EV_OVERHEAD] = { 'X', "overhead" },
		[EV_ARROW_START] = { 's', "ac2g" }, [EV_ARROW_END] = { 'f', "ac2g" }, [EV_FORWARD] = { 's', "fwdbwd" }, [EV_BACKWARD] = { 'f', "fwdbwd" },
	};
	const struct style *style = o->opt->style;
	bool device = e->what >= EV_KERNEL || e->what == EV_ARROW_END;
	char phase = kinds[e->what].phase;
	int pid = device ? o->opt->device : PID, main_tid = o->opt->main_tid ? o->opt->main_tid : PID;
	int tid = device ? e->thread : e->thread ? AUTOGRAD_TID + 8 * (e->thread - 1) : main_tid;

	if (e->what == EV_OVERHEAD) {
		pid = -1;
		tid = 0;
	}

	if (style->autograd) {
		write_autograd(o, e, phase == 'X', pid, tid);
		return;
	}
	put(o, "  {\n    \"ph\": \"%c\", \"cat\": \"%s\",%s \"name\": \"", phase, style->old ? old_category(kinds[e->what].category) : kinds[e->what].category,
	    style->old ? "\n   " : "");
	put(o, e->name, e->number);
	put(o, style->old ? "\", \"pid\": %d, \"tid\": \"%d\",\n    " : "\", \"pid\": %d, \"tid\": %d,\n    ", pid, tid);
	put_time(o, "ts", e->ts);
	if (phase == 'X') {
		put(o, ", ");
		put_time(o, "dur", e->dur);
	} else if (phase == 'i') {
		put(o, ", \"s\": \"t\"");
	} else {
		put(o, ", \"id\": %u%s", e->correlation, phase == 'f' ? ", \"bp\": \"e\"" : "");
	}
	if (phase == 'X' || phase == 'i') {
		put(o, ",\n    \"args\": {\n      ");
		size_t from = o->n;
		put_args(o, e);
		for (size_t i = from; style->each_line && i + 2 < o->n; i++)
			if (o->buf[i] == ',' && o->buf[i + 1] == ' ' && o->buf[i + 2] == '"' && strchr("0123456789]", o->buf[i - 1]))
				o->buf[i + 1] = '\n';
		put(o, "\n    }");
	}
	put(o, "\n  },\n");
	flush(o);
	o->events++;
}

/* ---- the file around the events ---- */

static void put_job(struct out *o)
{
	long long ranks = o->opt->ranks;

	put(o, "  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": %lld, \"world_size\": %lld, \"pg_count\": 1, \"pg_config\": [{\"pg_name\": \"0\","
	       " \"pg_desc\": \"default_pg\", \"backend_config\": \"cuda:nccl\", \"pg_size\": %lld, \"ranks\": ", rank_of(o->opt), ranks, ranks);
	put_ranks(o, 0, 1, ranks, ranks);
	put(o, "}], \"nccl_version\": \"2.22.3\"},\n");
}

void write_head(struct out *o)
{
	if (o->opt->style->autograd) {
		put(o, "[");
		return;
	}
	const struct gpu *gpu = o->opt->gpu;

	put(o, "\n{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n");
	for (int id = 0; id < (o->opt->device ? DEVICES_OF_A_NODE : 1); id++)
		put(o, "%s    {\n      \"id\": %d, \"name\": \"%s\", \"totalGlobalMem\": %lld,\n"
		       "      \"computeMajor\": %d, \"computeMinor\": %d, \"warpSize\": 32, \"numSms\": %d\n    }",
		    id ? ",\n" : "", id, gpu->name, gpu->gb * 1062728499LL + 16, gpu->major, gpu->minor, gpu->sms);
	put(o, "\n  ],\n  \"cupti_version\": 22,\n");
	if (o->opt->nccl)
		put_job(o);
	put(o, "  \"record_shapes\": %d,\n  \"with_stack\": %d,\n", !o->opt->no_shapes, !o->opt->no_stacks);
	put(o, "  \"trace_id\": \"E2DD41CB5FBC4E7C9464E0B56B6B3E2B\",\n  \"traceEvents\": [\n");
	flush(o);
}

void write_tail(struct out *o, int64_t end)
{
	int64_t begin = o->opt->origin_ns;
	static const char *const tracks[] = {
		"\"pid\": 5432, \"tid\": 0, \"name\": \"process_name\", \"args\": {\"name\": \"python3\"}",
		"\"pid\": 0, \"tid\": 0, \"name\": \"process_labels\", \"args\": {\"labels\": \"GPU 0\"}",
		"\"pid\": 0, \"tid\": 7, \"name\": \"thread_name\", \"args\": {\"name\": \"stream 7\"}",
		"\"pid\": 5432, \"tid\": 5529, \"name\": \"thread_name\", \"args\": {\"name\": \"thread 5529 (pt_autograd_0)\"}",
	};

	if (o->opt->style->autograd) {
		put(o, "{\"name\": \"end\", \"ph\": \"X\", \"ts\": %.17g, \"dur\": 0.0, \"tid\": 0, \"pid\": \"CPU functions\", \"args\": {}}]", (double)(end - begin) / 1e3);
		flush(o);
		return;
	}
	for (size_t i = 0; i < sizeof tracks / sizeof *tracks; i++) {
		put(o, "  {\n    \"ph\": \"M\", ");
		put_time(o, "ts", begin);
		put(o, ", %s\n  },\n", tracks[i]);
	}
	put(o, "  {\n    \"ph\": \"X\", \"cat\": \"Trace\", ");
	put_time(o, "ts", begin);
	put(o, ", ");
	put_time(o, "dur", end - begin);
	put(o, ",\n    \"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\",\n    \"name\": \"PyTorch Profiler (0)\",\n    \"args\": {\n      \"Op count\": 0\n    }\n  },\n"
	       "  {\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n    \"pid\": \"\", \"tid\": \"\", ");
	put_time(o, "ts", end);
	put(o, "\n  }\n  ],\n  \"traceName\": \"/tmp/trace \\u00b5s.json\",\n  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": 1767189312000000000\n}\n");
	flush(o);
}
