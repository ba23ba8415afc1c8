/* tl-gen - makes traces that look like those of the PyTorch profiler, of any
 * size, the same for the same options. For tests, the demo and benchmarks.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "gen.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* about: small traces are of a model with fewer layers */
enum { EVENTS_A_LAYER = 600, BYTES_AN_EVENT = 400, MAX_RANKS = 65536 };

static const char help[] =
	"usage: tl-gen [OPTION]... > trace.json\n"
	"Write a PyTorch profiler trace of a made-up transformer to stdout.\n\n"
	"  -n, --events N   about N events (default 20000)\n"
	"      --size BYTES about this many bytes (suffix K, M, G) instead\n"
	"      --seed N     other times and shapes (default 1)\n"
	"      --origin US  clock at the first event, in whole microseconds\n"
	"      --rank N     the trace of the rank N, from 0: the same work on each rank,\n"
	"                   which the rank begins somewhat later than others\n"
	"      --world-size N\n"
	"                   of how many ranks (default 8)\n"
	"      --tp N, --dp N\n"
	"                   the trace of --rank of a job of tp * dp ranks; neighbours\n"
	"                   are a tensor-parallel group, ranks tp apart a\n"
	"                   data-parallel one. What goes for such a job only:\n"
	"      --pp N       of so many stages, which send each other 4\n"
	"                   microbatches: tp * dp * pp ranks\n"
	"      --ep N       N neighbours share experts (tp 1, pp 1): all-to-alls and\n"
	"                   grouped GEMMs in each layer\n"
	"      --steps N    so many steps (default 12)\n"
	"      --layers N[,N ...]\n"
	"                   of so many layers (default 4), for each stage its own\n"
	"      --interleave N\n"
	"                   each stage has N chunks of so many layers; --pp 2 or 4\n"
	"      --graphs work|layers|all\n"
	"                   graphs launch what is between collectives, that with the\n"
	"                   tensor-parallel ones, or all\n"
	"      --sync US    after each layer the host waits for the device, then does\n"
	"                   something else for so many microseconds\n"
	"      --numbered   collectives have their sequence numbers\n"
	"      --clocks US  clocks are up to so much ahead or behind\n"
	"      --ahead RANK the clock of this rank is an hour ahead\n"
	"      --overlap    half of the data-parallel messages beside the backward pass\n"
	"      --slow-rank RANK\n"
	"                   its matrix products take a tenth longer\n"
	"      --slow-group GROUP\n"
	"                   this data-parallel group has half the bandwidth\n"
	"      --slow-stage STAGE\n"
	"                   its matrix products take 30 % longer\n"
	"      --hot-expert RANK\n"
	"                   it gets twice the tokens\n"
	"      --even       what the slow stage or the hot expert has too much is spread\n"
	"                   over the other stages or the other members of its group\n"
	"      --stalled RANK\n"
	"                   it waits for 3 ms in each step\n"
	"      --lossy RANK its trace lacks its first two tensor-parallel collectives\n"
	"      --loader US  before each step the host loads its batch for so many\n"
	"                   microseconds\n"
	"      --faster NAME/K\n"
	"                   device work, calls, and operators without children, of\n"
	"                   this name take K times less\n"
	"      --hiccups N  of N batches the last one takes four times as long to load\n"
	"      --memory     what operators allocate, with addresses: outputs stay until\n"
	"                   the backward pass\n"
	"      --recompute  activation checkpointing\n"
	"      --no-arrows, --no-python, --no-nccl\n"
	"                   leave these out\n"
	"      --gpu-only   device events only\n"
	"      --plant KIND[,KIND]\n"
	"                   a program with these faults, whose host and queues are\n"
	"                   simulated; list: print the kinds\n"
	"      --without KIND[,KIND]\n"
	"                   the same program without these of the faults\n"
	"      --warm N     with N more steps behind the others\n"
	"      --truth      print how long the program runs without these faults, how\n"
	"                   long with them, and the difference, in ms\n"
	"      --style NAME as this writer spells it (default kineto-2025, and for --plant\n"
	"                   one of several); list: print their names\n"
	"  -h, --help\n";

static void fail(const char *what, const char *arg)
{
	fprintf(stderr, "tl-gen: error: %s: %s\n", what, arg);
	exit(2);
}

static uint64_t number(const char *s)
{
	char *end;
	unsigned long long x;

	errno = 0;
	x = strtoull(s, &end, 10);
	if (*end && strchr("KMG", *end))
		x <<= *end == 'K' ? 10 : *end == 'M' ? 20 : 30, end++;
	if (errno || end == s || *end || *s == '-' || x > INT64_MAX / 1000)
		fail("not a number", s);
	return x;
}

static const struct style *style(const char *name)
{
	const struct style *s = gen_styles;

	while (s->name && strcmp(s->name, name) != 0)
		s++;
	if (s->name)
		return s;
	if (strcmp(name, "list") != 0)
		fail("no such style", name);
	for (s = gen_styles; s->name; s++)
		puts(s->name);
	exit(fflush(stdout) ? 1 : 0);
}

static void faster(struct options *o, char *text)
{
	char *slash = strrchr(text, '/');

	if (!slash)
		fail("not NAME/K", text);
	*slash = '\0';
	o->faster = text;
	o->times = (int64_t)number(slash + 1);
	if (!o->times)
		fail("not a number from 1", slash + 1);
}

/* One number, or one for each stage. */
static void layers(struct options *o, char *text)
{
	size_t n = 0;

	for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
		if (n == sizeof o->job.layers / sizeof *o->job.layers)
			fail("--layers", "expected at most 64 numbers");
		o->job.layers[n++] = (int64_t)number(word);
	}
	o->layers = n ? (int)o->job.layers[0] : 0;
	o->job.layers[0] = n > 1 ? o->job.layers[0] : 0;
}

static int graphs(const char *what)
{
	static const char *const names[] = { [GRAPHS_OF_WORK] = "work", [GRAPHS_OF_LAYERS] = "layers", [GRAPHS_OF_ALL] = "all" };

	for (int i = GRAPHS_OF_WORK; i <= GRAPHS_OF_ALL; i++)
		if (!strcmp(what, names[i]))
			return i;
	fail("--graphs: expected work, layers or all", what);
	return NO_GRAPHS;
}

static const struct option longs[] = {
	{ "events", 1, NULL, 'n' }, { "size", 1, NULL, 'S' }, { "seed", 1, NULL, 's' }, { "origin", 1, NULL, 'o' },
	{ "loader", 1, NULL, 'L' }, { "recompute", 0, NULL, 'r' }, { "faster", 1, NULL, 'F' }, { "no-arrows", 0, NULL, 'a' }, { "no-python", 0, NULL, 'p' }, { "no-nccl", 0, NULL, 'c' },
	{ "memory", 0, NULL, 'm' },
	{ "hiccups", 1, NULL, 'U' },
	{ "gpu-only", 0, NULL, 'g' }, { "rank", 1, NULL, 'R' }, { "world-size", 1, NULL, 'W' },
	{ "tp", 1, NULL, 'T' }, { "dp", 1, NULL, 'D' }, { "pp", 1, NULL, 'P' }, { "ep", 1, NULL, 'X' },
	{ "slow-stage", 1, NULL, 'Z' }, { "hot-expert", 1, NULL, 'H' }, { "steps", 1, NULL, 'E' }, { "layers", 1, NULL, 'y' }, { "numbered", 0, NULL, 'N' },
	{ "clocks", 1, NULL, 'C' }, { "ahead", 1, NULL, 'A' }, { "slow-rank", 1, NULL, 'w' }, { "slow-group", 1, NULL, 'G' },
	{ "overlap", 0, NULL, '8' }, { "stalled", 1, NULL, 'l' }, { "lossy", 1, NULL, 'x' },
	{ "interleave", 1, NULL, '2' }, { "graphs", 1, NULL, '3' }, { "sync", 1, NULL, '4' }, { "even", 0, NULL, '5' },
	{ "plant", 1, NULL, 'I' }, { "without", 1, NULL, 'O' }, { "warm", 1, NULL, 'k' }, { "truth", 0, NULL, 't' },
	{ "style", 1, NULL, 'Y' }, { "help", 0, NULL, 'h' }, { NULL, 0, NULL, 0 }
};

static void option(struct options *o, int c)
{
	switch (c) {
	case 'n': o->events = number(optarg); break;
	case 'S': o->bytes = number(optarg); break;
	case 's': o->seed = number(optarg); break;
	case 'o': o->origin_ns = (int64_t)number(optarg) * 1000; break;
	case 'L': o->loader_ns = (int64_t)number(optarg) * 1000; break;
	case 'R': o->rank = (int64_t)number(optarg); break;
	case 'W': o->ranks = (int64_t)number(optarg); break;
	case 'T': o->job.tp = (int64_t)number(optarg); break;
	case 'D': o->job.dp = (int64_t)number(optarg); break;
	case 'P': o->job.pp = (int64_t)number(optarg); break;
	case 'X': o->job.ep = (int64_t)number(optarg); break;
	case 'Z': o->job.slow_stage = (int64_t)number(optarg); break;
	case 'H': o->job.hot_expert = (int64_t)number(optarg); break;
	case 'E': o->job.steps = (int64_t)number(optarg); break;
	case 'y': layers(o, optarg); break;
	case '2': o->job.chunks = (int64_t)number(optarg); break;
	case '3': o->job.graphs = graphs(optarg); break;
	case '4': o->job.sync_ns = (int64_t)number(optarg) * 1000; break;
	case '5': o->job.even = true; break;
	case 'N': o->job.numbered = true; break;
	case 'C': o->job.clocks_ns = (int64_t)number(optarg) * 1000; break;
	case 'A': o->job.ahead_rank = (int64_t)number(optarg); break;
	case '8': o->job.overlap = true; break;
	case 'w': o->job.slow_rank = (int64_t)number(optarg); break;
	case 'G': o->job.slow_group = (int64_t)number(optarg); break;
	case 'l': o->job.stalled_rank = (int64_t)number(optarg); break;
	case 'x': o->job.lossy_rank = (int64_t)number(optarg); break;
	case 'Y': o->style = style(optarg); break;
	case 'F': faster(o, optarg); break;
	case 'U': o->hiccups = (int64_t)number(optarg); break;
	case 'I': o->plant = optarg; break;
	case 'O': o->without = optarg; break;
	case 'k': o->warm = (int64_t)number(optarg); break;
	case 't': o->truth = true; break;
	case 'm': o->memory = true; break;
	case 'r': o->recompute = true; break;
	case 'a': o->arrows = false; break;
	case 'p': o->python = false; break;
	case 'c': o->nccl = false; break;
	case 'g': o->gpu_only = true; break;
	case 'h': fputs(help, stdout); exit(fflush(stdout) ? 1 : 0);
	default: fputs("Try 'tl-gen --help'.\n", stderr); exit(2);
	}
}

static bool wanted(const struct options *opt, const struct event *e)
{
	if (opt->gpu_only)
		return e->what >= EV_KERNEL;
	return opt->arrows || (e->what != EV_ARROW_START && e->what != EV_ARROW_END);
}

/* The events of the step in hand: those of the host, of Python, of the device. */
static void write_step(struct out *o, const struct gen *g)
{
	for (int part = -1; part <= 1; part++)
		for (const struct event *e = g->events; e < g->events + g->n_events; e++)
			if (wanted(g->opt, e) && (e->what > EV_PYTHON) - (e->what < EV_PYTHON) == part)
				write_event(o, e);
}

/* Writes steps until one more would make the trace too large. */
static void write_trace(struct out *o, const struct options *opt)
{
	static struct gen g;
	uint64_t n = 0;

	gen_start(&g, opt);
	write_head(o);
	do {
		gen_step(&g, (int)n++);
		write_step(o, &g);
	} while (o->events + o->events / n / 2 < opt->events || o->bytes + o->bytes / n / 2 < opt->bytes);
	write_tail(o, g.now);
}

static void write_job(struct out *o, const struct options *opt)
{
	static struct gen g;

	gen_start(&g, opt);
	gen_job_start(&g);
	write_head(o);
	for (int step = 0; step < opt->job.steps; step++) {
		gen_job_step(&g, step);
		write_step(o, &g);
	}
	write_tail(o, g.now);
}

/* A job has its own options; those of a single trace do not apply. */
static void check_job(struct options *o)
{
	struct gen_job *j = &o->job;

	j->dp = j->dp ? j->dp : 1;
	j->tp = j->tp ? j->tp : 1;
	j->pp = j->pp ? j->pp : 1;
	j->chunks = j->chunks ? j->chunks : 1;
	if (j->chunks > 1 && ((j->pp != 2 && j->pp != 4) || j->chunks > 8))
		fail("--interleave", "expected at most 8, and --pp 2 or 4");
	for (int64_t i = 0; i < 64; i++)
		if (j->layers[0] && (j->layers[i] > 64 || (j->layers[i] > 0) != (i < j->pp)))
			fail("--layers", "expected one number, or one for each stage, up to 64");
	if (j->sync_ns > INT64_C(1000000000))
		fail("--sync", "expected at most a second");
	if (j->ep && (j->tp > 1 || j->pp > 1 || j->dp % j->ep || j->ep > 128))
		fail("--ep", "expected a divisor of dp, at most 128, tp 1 and pp 1");
	if (o->layers < 1 || o->layers > 64 || j->pp > 64 || j->tp * j->dp * j->pp > MAX_RANKS)
		fail("a job", "expected up to 65536 ranks and 64 layers");
	o->ranks = j->tp * j->dp * j->pp;
	o->rank = o->rank < 0 ? 0 : o->rank;
}

/* The exit status. */
static int done(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	fprintf(stderr, "tl-gen: error: <stdout>: %s\n", strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	static const struct gpu gpu = { .name = "NVIDIA H100 80GB HBM3", .major = 9, .sms = 132, .gb = 80 };
	struct options opt = {
		.gpu = &gpu, .seed = 1, .layers = 4,
		.job = { .steps = 12, .ahead_rank = -1, .slow_rank = -1, .slow_group = -1, .stalled_rank = -1, .slow_stage = -1, .hot_expert = -1, .lossy_rank = -1 },
		.rank = -1, .ranks = 8, .arrows = true, .python = true, .nccl = true,
	};
	struct out o = { .file = stdout, .opt = &opt };
	uint64_t want;
	int c;

	while ((c = getopt_long(argc, argv, "n:h", longs, NULL)) != -1)
		option(&opt, c);
	if (optind < argc)
		fail("unexpected operand", argv[optind]);
	if (opt.plant && !strcmp(opt.plant, "list"))
		plant_list();
	else if (opt.plant)
		plant(&opt);
	if (opt.plant)
		return done();
	opt.style = opt.style ? opt.style : gen_styles;
	if (opt.without || opt.truth || opt.warm)
		fail("expected as well", "--plant");
	bool job = opt.job.tp || opt.job.dp || opt.job.pp;
	if (job)
		check_job(&opt);
	if (opt.rank >= opt.ranks || opt.ranks < 1 || opt.ranks > MAX_RANKS)
		fail("ranks", "expected 1 to 65536, and a rank below");
	if (!opt.events && !opt.bytes)
		opt.events = 20000;
	want = opt.events + opt.bytes / BYTES_AN_EVENT;
	if (!opt.origin_ns)
		opt.origin_ns = opt.style->stamps == REBASED ? 1419116105957665 : 1623143089861790000;
	for (opt.layers = job ? opt.layers : 1; !job && opt.layers < MAX_LAYERS && want >= EVENTS_A_LAYER * (uint64_t)(opt.layers + 1);)
		opt.layers++;
	(job ? write_job : write_trace)(&o, &opt);
	return done();
}
