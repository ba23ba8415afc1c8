/* tl-gen - makes traces that look like those of the PyTorch profiler, of any
 * size, the same for the same options. For tests, the demo and benchmarks.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "gen.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"usage: tl-gen [OPTION]... > trace.json\n"
	"Write a PyTorch profiler trace of a made-up transformer to stdout.\n\n"
	"  -n, --events N       about N events (default 20000)\n"
	"      --size BYTES     about this many bytes (suffix K, M, G) instead\n"
	"      --seed N         other times and shapes (default 1)\n"
	"      --style NAME     kineto (the profiler's own spacing, default), pretty\n"
	"                       (indented, one value a line) or compact\n"
	"      --device NAME    h100 (default) or mi300\n"
	"      --layers N       layers of the model (default 4)\n"
	"      --graph-kernels N  kernels of each graph launch (default 40)\n"
	"      --origin US      clock at the first event, microseconds\n"
	"      --inference      no backward pass, no optimizer\n"
	"      --recompute      activation checkpointing\n"
	"      --no-arrows, --no-python, --no-nccl, --no-graphs\n"
	"                       leave these out\n"
	"      --gpu-only       device events only\n"
	"      --era-2021       category names of that year's profiler\n"
	"      --integer-time   whole microseconds\n"
	"  -h, --help\n";

static void fail(const char *what, const char *arg)
{
	fprintf(stderr, "tl-gen: error: %s: %s\n", what, arg);
	exit(2);
}

static uint64_t number(const char *s, bool suffix)
{
	char *end;
	unsigned long long x;

	errno = 0;
	x = strtoull(s, &end, 10);
	if (suffix && *end && strchr("KMG", *end))
		x <<= *end == 'K' ? 10 : *end == 'M' ? 20 : 30, end++;
	if (errno || end == s || *end || *s == '-')
		fail("not a number", s);
	return x;
}

/* Microseconds with up to three decimals, as nanoseconds. */
static int64_t clock_ns(const char *s)
{
	char *end;
	unsigned long long us = strtoull(s, &end, 10);
	int frac = 0, scale = 100;

	if (*end == '.')
		for (end++; *end >= '0' && *end <= '9' && scale; end++, scale /= 10)
			frac += (*end - '0') * scale;
	if (end == s || *end || *s == '-' || us > 9000000000000000u)
		fail("not a time in microseconds", s);
	return (int64_t)us * 1000 + frac;
}

static int style(const char *s)
{
	if (!strcmp(s, "kineto"))
		return STYLE_KINETO;
	if (!strcmp(s, "pretty"))
		return STYLE_PRETTY;
	if (strcmp(s, "compact"))
		fail("no such style", s);
	return STYLE_COMPACT;
}

static bool is_amd(const char *s)
{
	if (strcmp(s, "h100") && strcmp(s, "mi300"))
		fail("no such device", s);
	return *s == 'm';
}

static int bounded(const char *s, int min, int max)
{
	uint64_t x = number(s, false);

	if (x < (uint64_t)min || x > (uint64_t)max)
		fail("out of range", s);
	return (int)x;
}

enum {
	OPT_SIZE = 256, OPT_SEED, OPT_STYLE, OPT_DEVICE, OPT_LAYERS, OPT_GRAPH_KERNELS, OPT_ORIGIN,
	OPT_INFERENCE, OPT_RECOMPUTE, OPT_NO_ARROWS, OPT_NO_PYTHON, OPT_NO_NCCL, OPT_NO_GRAPHS,
	OPT_GPU_ONLY, OPT_ERA, OPT_INTEGER
};
static const struct option longs[] = {
	{ "events", 1, NULL, 'n' }, { "size", 1, NULL, OPT_SIZE }, { "seed", 1, NULL, OPT_SEED },
	{ "style", 1, NULL, OPT_STYLE }, { "device", 1, NULL, OPT_DEVICE }, { "layers", 1, NULL, OPT_LAYERS },
	{ "graph-kernels", 1, NULL, OPT_GRAPH_KERNELS }, { "origin", 1, NULL, OPT_ORIGIN },
	{ "inference", 0, NULL, OPT_INFERENCE }, { "recompute", 0, NULL, OPT_RECOMPUTE },
	{ "no-arrows", 0, NULL, OPT_NO_ARROWS }, { "no-python", 0, NULL, OPT_NO_PYTHON },
	{ "no-nccl", 0, NULL, OPT_NO_NCCL }, { "no-graphs", 0, NULL, OPT_NO_GRAPHS },
	{ "gpu-only", 0, NULL, OPT_GPU_ONLY }, { "era-2021", 0, NULL, OPT_ERA },
	{ "integer-time", 0, NULL, OPT_INTEGER }, { "help", 0, NULL, 'h' }, { NULL, 0, NULL, 0 }
};

static void option(struct options *o, int c)
{
	switch (c) {
	case 'n': o->events = number(optarg, true); break;
	case OPT_SIZE: o->size = number(optarg, true); break;
	case OPT_SEED: o->seed = number(optarg, false); break;
	case OPT_STYLE: o->style = style(optarg); break;
	case OPT_DEVICE: o->amd = is_amd(optarg); break;
	case OPT_LAYERS: o->layers = bounded(optarg, 1, 1000); break;
	case OPT_GRAPH_KERNELS: o->graph_kernels = bounded(optarg, 0, 100000); break;
	case OPT_ORIGIN: o->origin_ns = clock_ns(optarg); break;
	case OPT_INFERENCE: o->train = false; break;
	case OPT_RECOMPUTE: o->recompute = true; break;
	case OPT_NO_ARROWS: o->arrows = false; break;
	case OPT_NO_PYTHON: o->python = false; break;
	case OPT_NO_NCCL: o->nccl = false; break;
	case OPT_NO_GRAPHS: o->graphs = false; break;
	case OPT_GPU_ONLY: o->gpu_only = true; break;
	case OPT_ERA: o->era2021 = true; break;
	case OPT_INTEGER: o->integer = true; break;
	case 'h': fputs(help, stdout); exit(fflush(stdout) ? 1 : 0);
	default: fputs("Try 'tl-gen --help'.\n", stderr); exit(2);
	}
}

static bool wanted(const struct options *opt, const struct ev *e)
{
	if (opt->gpu_only)
		return e->what >= EV_KERNEL;
	return opt->arrows || (e->what != EV_ARROW_START && e->what != EV_ARROW_END);
}

/* Writes the wanted events of one part of the file that the step in hand has;
 * part -1 means all. Returns their number. */
static uint64_t write_step(struct out *o, const struct gen *g, int part)
{
	uint64_t n = 0;

	for (size_t i = 0; i < g->n_ev; i++) {
		if (!wanted(g->opt, &g->ev[i]) || (part >= 0 && event_part(&g->ev[i]) != part))
			continue;
		n++;
		write_event(o, g->opt, &g->ev[i]);
		out_text(o, ",\n");
	}
	return n;
}

/* How many steps make the amount asked for; shrinks the model when one step
 * would be too much already. Measures the first steps. */
static int plan(struct options *opt)
{
	struct gen g = { 0 };
	struct out o = { .style = opt->style };
	uint64_t events = 0, want = opt->size ? opt->size : opt->events, have;
	int n = 4;

	out_flush(&o);
	gen_start(&g, opt);
	for (int i = 0; i < n; i++) {
		gen_step(&g, i);
		events += write_step(&o, &g, -1);
	}
	out_flush(&o);
	have = (opt->size ? o.bytes : events) / (uint64_t)n;
	free(o.buf);
	gen_release(&g);
	if (have > want && (opt->layers > 1 || opt->graph_kernels > 4)) {
		opt->layers = opt->layers > 1 ? opt->layers - 1 : 1;
		opt->graph_kernels = opt->graph_kernels > 4 ? opt->graph_kernels / 2 : opt->graph_kernels;
		return plan(opt);
	}
	return have && want > have ? (int)((want + have / 2) / have) : 1;
}

/* The two python frames around the whole run. */
static void write_outer_frames(struct out *o, const struct options *opt, int64_t begin, int64_t end)
{
	struct ev e = { .what = EV_PYTHON, .name = "train.py(184): <module>", .ts = begin - 2000, .num = 1 };

	if (!opt->python || opt->gpu_only)
		return;
	e.dur = end - begin + 4000;
	write_event(o, opt, &e);
	out_text(o, ",\n");
	e = (struct ev){ .what = EV_PYTHON, .name = "train.py(150): main", .ts = begin - 1000, .num = 2, .parent = 1 };
	e.dur = end - begin + 2000;
	write_event(o, opt, &e);
	out_text(o, ",\n");
}

static void write_trace(struct out *o, const struct options *opt, int steps)
{
	struct gen g = { 0 };
	int64_t begin = opt->origin_ns, end;

	gen_start(&g, opt);
	for (int i = 0; i < steps; i++)
		gen_step(&g, i);
	end = g.now;
	write_head(o, opt);
	for (int part = 0; part < 3; part++) {
		gen_start(&g, opt);
		if (part == 1)
			write_outer_frames(o, opt, begin, end);
		for (int i = 0; i < steps; i++) {
			gen_step(&g, i);
			write_step(o, &g, part);
		}
	}
	write_tail(o, opt, begin, end);
	gen_release(&g);
}

int main(int argc, char **argv)
{
	struct options opt = {
		.seed = 1, .layers = 4, .graph_kernels = 40, .origin_ns = 1419116105957665,
		.arrows = true, .python = true, .nccl = true, .graphs = true, .train = true,
	};
	struct out o = { .file = stdout };
	int c, steps;

	while ((c = getopt_long(argc, argv, "n:h", longs, NULL)) != -1)
		option(&opt, c);
	if (optind < argc)
		fail("unexpected operand", argv[optind]);
	if (!opt.size && !opt.events)
		opt.events = 20000;
	o.style = opt.style;
	steps = plan(&opt);
	out_flush(&o);
	write_trace(&o, &opt, steps);
	out_flush(&o);
	free(o.buf);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "tl-gen: error: <stdout>: %s\n", strerror(errno));
		return 1;
	}
	return 0;
}
