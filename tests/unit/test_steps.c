/* test_steps.c - the annotations of serving engines, and which of a trace's are its steps.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "check.h"
#include "steps/split.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool side_is(const char *side, const struct tl_step_side *got, const int64_t *want)
{
	const int64_t all[] = { got->requests, got->tokens, got->sq, got->sk, got->sqsq, got->sqsk };
	bool ok = true;

	for (int i = 0; i < 6; i++) {
		if (all[i] != want[i])
			printf("# %s: number %d is %" PRId64 ", expected %" PRId64 "\n", side, i, all[i], want[i]);
		ok = ok && all[i] == want[i];
	}
	return ok;
}

struct expected {
	const char *text, *kind;
	int tier;
	enum tl_phase phase;
	int64_t batch_size;
	bool usable;
	int64_t context[6], generation[6]; /* in the order of struct tl_step_side */
};

static bool is(const struct expected *e)
{
	struct tl_step_text step;

	tl_step_text_read(e->text, &step);
	bool context = side_is("context", &step.context, e->context);
	bool generation = side_is("generation", &step.generation, e->generation);
	bool ok = context && generation && !strcmp(tl_step_kind_name(step.kind), e->kind) && step.tier == e->tier &&
	          tl_step_phase(&step) == e->phase && step.batch_size == e->batch_size && step.usable == e->usable;
	if (!ok)
		printf("# '%s': kind '%s' tier %d phase %d batch %" PRId64 " usable %d\n", e->text, tl_step_kind_name(step.kind),
		       step.tier, (int)tl_step_phase(&step), step.batch_size, step.usable);
	return ok;
}

static const struct expected known[] = {
	{ "execute_9_context_1(sq6sk7sqsq36sqsk42)_generation_3(sq3sk60sqsq3sqsk61) tail", "vllm_detailed", 1, TL_PHASE_MIXED, 9,
	  true, { 1, 6, 6, 7, 36, 42 }, { 3, 3, 3, 60, 3, 61 } },
	{ "execute_9_context_1(sq6sk7sqsq36sqsk42)_generation_3(sq3sk60sqsq3sqsk)", "", 0, TL_PHASE_UNKNOWN, 1, false, { 0 }, { 0 } },
	{ "execute_context_2(14)_generation_0(0)", "vllm_native", 2, TL_PHASE_PREFILL, 14, false, { 2, 14, 14 }, { 0 } },
	{ "a execute_context_2(14)_generation_0(0)", "", 0, TL_PHASE_UNKNOWN, 1, false, { 0 }, { 0 } },
	{ "step[EXTEND bs=2 toks=9 c_sq=8 c_sqsq=32 c_sqsk=40 c_sk=10 g_sq=5]", "sglang_detailed", 1, TL_PHASE_PREFILL, 13, true,
	  { 2, 8, 8, 10, 32, 40 }, { 0, 0, 5 } },
	{ "step[MIXED bs=3 c=1 g=2 c_sqsq=4 c_sq=2 g_sq=2 bs=7]", "sglang_detailed", 1, TL_PHASE_MIXED, 4, true,
	  { 1, 2, 2, 0, 4 }, { 2, 2, 2 } },
	{ "step[DECODE bs=4 g_sqsq=1 bs= g_sq=4 g_sq=]", "sglang_detailed", 1, TL_PHASE_DECODE, 4, true, { 0 }, { 4, 4, 4, 0, 1 } },
	{ "decode[bs=4 tok=4 sqsq=4 sqsk=9 bs= tok= ]", "atom_detailed", 1, TL_PHASE_DECODE, 4, true, { 0 }, { 4, 4, 4, 0, 4, 9 } },
	{ "step[DECODE toks=3 g_sqsq=1]", "sglang_detailed", 1, TL_PHASE_UNKNOWN, 3, true, { 0 }, { 0, 0, 0, 0, 1 } },
	{ "step[DECODE bs=4]", "sglang_native", 2, TL_PHASE_DECODE, 4, false, { 0 }, { 4, 4, 4 } },
	{ "step[EXTEND  bs=4 \ttoks=90]", "sglang_native", 2, TL_PHASE_PREFILL, 90, false, { 4, 90, 90 }, { 0 } },
	{ "step[DECODE bs=4 foo=1]", "", 2, TL_PHASE_UNKNOWN, 1, false, { 0 }, { 0 } },
	{ "step[DECODE bs=4 foo=1\n]", "", 0, TL_PHASE_UNKNOWN, 1, false, { 0 }, { 0 } },
	{ "step[DECODED bs=4]", "", 0, TL_PHASE_UNKNOWN, 1, false, { 0 }, { 0 } },
	{ "step[DECODE bs=4 g_sqsq=] sqsq=3]", "", 2, TL_PHASE_UNKNOWN, 1, false, { 0 }, { 0 } },
	{ "prefill[bs=2 tok=30 ctx=[10, bs=20]...+3 sqsq=500 sqsk=600 sk=31]", "atom_detailed", 1, TL_PHASE_PREFILL, 30, true,
	  { 2, 30, 30, 31, 500, 600 }, { 0 } },
	{ "decode[bs=117/128 tok=118 d=117]", "atom_native", 2, TL_PHASE_DECODE, 118, false, { 0 }, { 117, 118, 118 } },
	{ "decode[bs=x tok=5 sqsq=9]", "atom_detailed", 1, TL_PHASE_UNKNOWN, 5, false, { 0 }, { 0, 5, 5, 0, 9 } },
	{ "decode[bs=3 tok=5x", "", 0, TL_PHASE_UNKNOWN, 1, false, { 0 }, { 0 } },
	{ "decode[bs=3 tok=5x]", "atom_native", 2, TL_PHASE_DECODE, 0, false, { 0 }, { 3 } },
	{ "prefill[bs=[ tok=5]", "atom_native", 2, TL_PHASE_UNKNOWN, 5, false, { 0, 5, 5 }, { 0 } },
	{ "execute_diffusion_3_512x256", "diffusion_native", 2, TL_PHASE_UNKNOWN, 3, false, { 0 }, { 0 } },
	{ "execute_context_1(99999999999999999999)_generation_0(1)", "vllm_native", 2, TL_PHASE_PREFILL, 1000000000000001, false,
	  { 1, 1000000000000000, 1000000000000000 }, { 0, 1, 1 } },
	{ "execute_context_1(999999999999999)_generation_0(0)", "vllm_native", 2, TL_PHASE_PREFILL, 999999999999999, false,
	  { 1, 999999999999999, 999999999999999 }, { 0 } },
	{ "execute_context_1(1000000000000009)_generation_0(0)", "vllm_native", 2, TL_PHASE_PREFILL, 1000000000000000, false,
	  { 1, 1000000000000000, 1000000000000000 }, { 0 } },
	{ "", "", 0, TL_PHASE_UNKNOWN, 1, false, { 0 }, { 0 } },
	{ "execute_context_1(888_788544)_generation_0(0)", "vllm_squares", 2, TL_PHASE_PREFILL, 888, false,
	  { 1, 888, 888, 0, 788544 }, { 0 } },
	{ "execute_context_1(8_64)_generation_2(2_2)", "vllm_squares", 2, TL_PHASE_MIXED, 10, false,
	  { 1, 8, 8, 0, 64 }, { 2, 2, 2, 0, 2 } },
	{ "execute_context_0(0)_generation_2(3_5)", "vllm_squares", 2, TL_PHASE_DECODE, 3, false, { 0 }, { 2, 3, 3, 0, 5 } },
};

static void texts(void)
{
	bool ok = true;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		ok &= is(&known[i]);
	check("the formats of annotations are read", ok);
}

/* Splits a line at its TABs; returns how many fields it has. */
static int fields(char *line, char **field, int max)
{
	int n = 0;

	line[strcspn(line, "\n")] = 0;
	for (char *s = line; s && n < max; n++) {
		field[n] = s;
		s = strchr(s, '\t');
		if (s)
			*s++ = 0;
	}
	return n;
}

/* What TraceLens read from many texts: a text, its kind, its numbers, its phase, its tier. */
static bool line_is(char *const *f)
{
	static const char *const phases[TL_PHASES] = { "", "prefill_only", "decode_only", "prefilldecode" };
	int64_t n[13];
	enum tl_phase phase = TL_PHASE_UNKNOWN;

	for (int i = 0; i < 13; i++)
		n[i] = strtoll(f[2 + i], NULL, 10);
	while (phase < TL_PHASES && strcmp(phases[phase], f[16]))
		phase++;
	struct expected e = {
		f[0], f[1], atoi(f[17]), phase, n[4], !strcmp(f[15], "True"),
		{ n[0], n[2], n[5], n[6], n[7], n[8] }, { n[1], n[3], n[9], n[10], n[11], n[12] },
	};
	return is(&e);
}

static void table_of_texts(void)
{
	char path[4096], line[4096], *f[24];
	const char *root = getenv("TL_ROOT");
	int n = 0, wrong = 0;

	snprintf(path, sizeof path, "%s/../shared/traces/inference/annotations.tsv", root ? root : ".");
	FILE *file = fopen(path, "r");
	if (!file || !fgets(line, sizeof line, file)) {
		printf("ok the annotations that TraceLens read # skip %s is not here\n", path);
		return;
	}
	for (; fgets(line, sizeof line, file); n++)
		wrong += fields(line, f, 24) != 21 || !line_is(f);
	fclose(file);
	check("the annotations that TraceLens read", n > 100 && !wrong);
}

static void captures(void)
{
	const char *mode = "";
	int64_t n = 0;

	check("a capture is read", tl_capture_text_read("capture_128_decode x", &n, &mode) && n == 128 &&
	      !strcmp(mode, "decode x"));
	check("other texts are no capture", !tl_capture_text_read("capture__decode", &n, &mode) &&
	      !tl_capture_text_read("capture_1", &n, &mode) && !tl_capture_text_read("a capture_1_x", &n, &mode));
}

/* ---- steps of an engine ----------------------------------------------------------- */

static void add(struct tl_trace *t, uint8_t kind, int64_t ts, const char *name)
{
	TL_GROW(t->events, t->cap_events, t->n_events + 1);
	t->events[t->n_events++] = (struct tl_ev){ .kind = kind, .flags = TL_EV_HAS_TS | TL_EV_HAS_DUR, .ts = ts,
	                                           .name = tl_intern_str(&t->strings, name) };
}

static bool steps_are(const struct tl_trace *t, size_t n, const uint32_t *events)
{
	struct tl_steps steps;

	tl_steps_of_engine(&steps, t);
	bool ok = steps.n == n;
	for (size_t i = 0; ok && i < n; i++)
		ok = steps.items[i].event == events[i];
	tl_steps_release(&steps);
	return ok;
}

static void engine_steps(void)
{
	struct tl_trace t = { 0 };

	add(&t, TL_KIND_CPU_OP, 1, "step[DECODE bs=1]");
	add(&t, TL_KIND_ANNOTATION, 2, "forward");
	check("a trace without steps", steps_are(&t, 0, NULL));
	add(&t, TL_KIND_ANNOTATION, 9, "execute_context_1(5)_generation_0(0)");
	add(&t, TL_KIND_ANNOTATION, 4, "step[DECODE bs=1 x=y]");
	add(&t, TL_KIND_ANNOTATION, 9, "execute_diffusion_1_2x2");
	check("steps by start", steps_are(&t, 3, (uint32_t[]){ 3, 2, 4 }));
	add(&t, TL_KIND_ANNOTATION, 8, "decode[bs=1 sqsq=1]");
	add(&t, TL_KIND_GPU_ANNOTATION, 8, "decode[bs=1 sqsq=1]");
	check("detailed steps go before native ones", steps_are(&t, 1, (uint32_t[]){ 5 }));
	free(t.events);
	tl_strtab_release(&t.strings);
}

/* ---- windows --------------------------------------------------------------------- */

/* Steps from a text: of each letter a request that decodes, of each capital one that prefills
 * too; '.' is an idle step. a is 1, b 2, and so on. */
static size_t make_steps(const char *text, struct tl_step *steps)
{
	size_t n = strlen(text);

	for (size_t i = 0; i < n; i++) {
		bool prefills = text[i] >= 'A' && text[i] <= 'Z';
		int64_t requests = text[i] == '.' ? 0 : text[i] - (prefills ? 'A' : 'a') + 1;
		steps[i] = (struct tl_step){ .event = (uint32_t)i };
		steps[i].text.context.requests = prefills;
		steps[i].text.generation.requests = requests - prefills;
		steps[i].text.batch_size = 10 * requests;
	}
	return n;
}

/* The stretches as "FROM-TO FROM-TO". */
static bool stretches_are(const char *text, int64_t num_steps, const char *want)
{
	struct tl_step steps[100];
	struct tl_windows w;
	struct tl_buf b = { 0 };

	tl_steady_stretches(&w, steps, make_steps(text, steps), num_steps);
	for (size_t i = 0; i < w.n; i++)
		tl_buf_addf(&b, "%s%zu-%zu", i ? " " : "", w.items[i].from, w.items[i].to);
	bool ok = !strcmp(b.data, want);
	if (!ok)
		printf("# %s: %s, expected %s\n", text, b.data, want);
	tl_buf_release(&b);
	tl_windows_release(&w);
	return ok;
}

static void stretches(void)
{
	/* t and s are 20 and 19 requests */
	check("six near steps begin a stretch, the last step is not in it", stretches_are("aattttttttaa", 4, "2-11"));
	check("the sixth other step ends a stretch", stretches_are("ttttttatatatataaatt", 4, "0-15"));
	check("other steps before the sixth near one are in it", stretches_are("tttattt", 4, "1-6"));
	check("a second stretch", stretches_are("ttttttaaaaaattttttt", 4, "0-11 12-18"));
	check("a tenth less is near, more is not", stretches_are("rrrrrrrt", 4, "0-7") && stretches_are("qqqqqqqt", 4, "4-5"));
	check("a fifth is, in a short trace", stretches_are("ppppppppt", 20, "0-8"));
	check("without a stretch the middle counts", stretches_are("abcdefghijklmnopqrst", 4, "4-16") &&
	      stretches_are("t", 4, "0-1") && stretches_are("abt", 32, "1-2"));
}

static bool window_is(const char *text, enum tl_window_kind kind, int64_t num_steps, double ratio, size_t from, size_t to)
{
	struct tl_step steps[100];
	struct tl_windows all = { 0 };
	struct tl_window w = { 0, 0 };

	tl_windows_add(&all, 0, make_steps(text, steps));
	bool found = tl_steady_window(steps, &all, kind, num_steps, ratio, &w);
	if (!found)
		w = (struct tl_window){ 0, 0 };
	bool ok = found == (to > from) && w.from == from && w.to == to;
	if (!ok)
		printf("# %s: %zu-%zu, expected %zu-%zu\n", text, w.from, w.to, from, to);
	tl_windows_release(&all);
	return ok;
}

static void windows(void)
{
	check("the window with the ratio", window_is("aaaaAAaaAa", TL_WINDOW_MIXED, 4, 0.5, 2, 6));
	check("of equal ones that with more requests", window_is("AabbBccc", TL_WINDOW_MIXED, 2, 0.5, 4, 6));
	check("then the first", window_is("AaaaAa", TL_WINDOW_MIXED, 2, 0.5, 0, 2));
	check("one that prefills goes before the ratio", window_is("aaaaaaaA", TL_WINDOW_MIXED, 4, 0, 4, 8));
	check("a short stretch is the window", window_is("aAa", TL_WINDOW_MIXED, 32, 0.1, 0, 3));
	check("the longest run that only decodes", window_is("aaAaaaa.aA", TL_WINDOW_DECODE, 3, 0, 3, 6));
	check("the longest run that prefills", window_is("AAaBBBaA", TL_WINDOW_PREFILL_DECODE, 9, 0, 3, 6));
	check("no such step", window_is("aaa", TL_WINDOW_PREFILL_DECODE, 9, 0, 0, 0) &&
	      window_is("A..", TL_WINDOW_DECODE, 9, 0, 0, 0));
}

static void sums(void)
{
	struct tl_step steps[10];
	size_t n = make_steps("AB.bc", steps);
	struct tl_window_sums s = tl_window_sums(steps, n);
	struct tl_buf b = { 0 };

	tl_split_add_sums(&b, &s);
	check("what is in a window", !strcmp(b.data, "prefill_1_prefilldecode_1_decode_2_bs16_conc1"));
	tl_buf_clear(&b);
	tl_split_add_label(&b, "a/b(c): d\n\x7f" "e");
	check("an annotation in a file's name", !strcmp(b.data, "a_b_c_d__e"));
	tl_buf_clear(&b);
	char *base = tl_split_base("/x.json/y.pt.trace.json.gz");
	check("a trace's name", !strcmp(base, "y"));
	free(base);
	tl_buf_release(&b);
}

/* The period of names that are letters, as "START PERIOD COUNT". */
static bool period_is(const char *text, size_t start, size_t period, size_t count)
{
	uint32_t names[200];
	size_t n = strlen(text), work = 100000;

	for (size_t i = 0; i < n; i++)
		names[i] = (uint32_t)text[i];
	struct tl_name_period p = tl_name_period(names, n, &work);
	bool ok = p.period == period && (!period || (p.start == start && p.count == count));
	if (!ok)
		printf("# %s: start %zu period %zu count %zu\n", text, p.start, p.period, p.count);
	return ok;
}

static void periods(void)
{
	check("names that repeat", period_is("abcabcabc", 0, 3, 3) && period_is("xyabcabcabc", 2, 3, 3) &&
	      period_is("aaaaab", 0, 1, 5) && period_is("abababxy", 0, 2, 3));
	check("too few, or too little of the names", period_is("abcabc", 0, 0, 0) && period_is("aaabcdefg", 0, 0, 0) &&
	      period_is("", 0, 0, 0) && period_is("ab", 0, 0, 0));
	static uint32_t many[100000];
	size_t work = 1000000;
	for (uint32_t i = 0; i < 100000; i++)
		many[i] = i;
	check("the search ends when it takes too long", !tl_name_period(many, 100000, &work).period && !work);
}

int main(void)
{
	stretches();
	windows();
	sums();
	periods();
	texts();
	table_of_texts();
	captures();
	engine_steps();
	return failures != 0;
}
