/* test_hlo.c - programs of XLA: which operation an event belongs to, and what it says.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "check.h"
#include "work/hlo_work.h"
#include "model/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is(const char *s, const char *expected)
{
	if (s && expected && strcmp(s, expected) != 0)
		printf("# %s\n", s);
	return s && expected ? !strcmp(s, expected) : s == expected;
}

/* ---- a trace: programs, and a kernel for each operation asked for -------------------- */

struct ask { int64_t program; const char *module, *op; }; /* program 0: none; module, op NULL: none */
struct program { const char *key, *json; };

static uint32_t add(struct tl_tables *t, const char *s)
{
	return tl_add_string(t, s, strlen(s));
}

static void push(struct tl_sink *s, struct tl_tables *t, const struct ask *a, uint64_t uid)
{
	struct tl_field fields[3];
	int64_t values[3];
	struct tl_layout l = { .kind = TL_KIND_KERNEL, .ph = 'X', .flags = TL_HAS_TS | TL_HAS_DUR | TL_HAS_NAME, .fields = fields };
	struct tl_event e = { .uid = uid, .name = add(t, "kernel"), .values = values };

	if (a->program) {
		fields[l.n_fields] = (struct tl_field){ add(t, "program_id"), TL_FIELD_INT, 0 };
		values[l.n_fields++] = a->program;
	}
	if (a->module) {
		fields[l.n_fields] = (struct tl_field){ add(t, "hlo_module"), TL_FIELD_STRING, 0 };
		values[l.n_fields++] = add(t, a->module);
	}
	if (a->op) {
		fields[l.n_fields] = (struct tl_field){ add(t, "hlo_op"), TL_FIELD_STRING, 0 };
		values[l.n_fields++] = add(t, a->op);
	}
	e.layout = tl_add_layout(t, &l);
	s->ops->event(s, &e, NULL);
}

static struct tl_trace *trace(const struct program *programs, const struct ask *asks, size_t n)
{
	struct tl_trace_options o = { 0 };
	struct tl_header h = { .source = "xplane", .ticks_per_us = 1000000 };
	struct tl_tables tables = { 0 };
	struct tl_trace *t;
	struct tl_sink *s = tl_trace_sink_new(&t, &o);

	s->ops->begin(s, &h, &tables, NULL);
	for (; programs->key; programs++)
		s->ops->meta(s, programs->key, strlen(programs->key), programs->json, strlen(programs->json), NULL);
	for (size_t i = 0; i < n; i++)
		push(s, &tables, &asks[i], i);
	s->ops->end(s, NULL);
	tl_trace_sink_free(s);
	tl_tables_release(&tables);
	return t;
}

/* ---- pieces of an operation ------------------------------------------------------------ */

#define PARAMETER(id, shape) "{\"id\":" #id ",\"name\":\"p." #id "\",\"opcode\":\"parameter\",\"shape\":\"" shape "\"}"
#define CONFIG "{\\\"gemm_backend_config\\\":{\\\"beta\\\":0, \\\"epilogue\\\":\\\"DEFAULT\\\"}}"
static const struct program one_program[] = {
	{ "hlo module 5", "{\"name\":\"jit_f\",\"computations\":[{\"root\":90,\"instructions\":["
		PARAMETER(1, "bf16[8,16]{1,0}") "," PARAMETER(2, "bf16[16,4]{1,0}") "," PARAMETER(3, "f32[]") "," PARAMETER(4, "u8[3]{0}") ","
		"{\"id\":10,\"name\":\"gemm.1\",\"opcode\":\"custom-call\",\"shape\":\"(bf16[8,4]{1,0}, s8[64]{0})\",\"operands\":[1,2],"
		"\"custom_call_target\":\"__cublas$gemm\",\"backend_config\":\"" CONFIG "\","
		"\"metadata\":{\"op_name\":\"jit(f)/dot_general[x]\",\"source_file\":\"f.py\",\"source_line\":7}},"
		"{\"id\":11,\"name\":\"many\",\"opcode\":\"fusion\",\"shape\":\"f32[4]{0}\",\"operands\":[1,3,90,99,2,1],"
		"\"metadata\":{\"op_name\":\"a), b %c\",\"source_line\":3}},"
		"{\"id\":12,\"name\":\"nested\",\"opcode\":\"fusion\",\"shape\":\"((f32[2]{0}, u8[1]{0}), f32[3]{0}, s8[])\",\"operands\":[1]},"
		"{\"id\":13,\"name\":\"mixed\",\"opcode\":\"custom-call\",\"shape\":\"f32[4]{0}\",\"operands\":[1,3],"
		"\"custom_call_target\":\"matmul\",\"backend_config\":\"not JSON\",\"metadata\":{\"source_line\":3}},"
		"{\"id\":14,\"name\":\"fp8\",\"opcode\":\"custom-call\",\"shape\":\"f32[4]{0}\",\"operands\":[1,3],\"custom_call_target\":\"cublas$lt$f8\"},"
		"{\"id\":15,\"name\":\"bytes\",\"opcode\":\"add\",\"shape\":\"u8[3]{0}\",\"operands\":[4,4]},"
		"{\"id\":90,\"name\":\"result\",\"opcode\":\"tuple\",\"shape\":\"(f32[4]{0})\",\"metadata\":{\"op_name\":\"r\"}}]}]}" },
	{ NULL, NULL }
};

static void check_pieces(void)
{
	static const char *const names[] = { "gemm.1", "many", "nested", "mixed", "fp8", "bytes", "result", "p.3" };
	enum { GEMM, MANY, NESTED, MIXED, FP8, BYTES, RESULT, SCALAR, N };
	struct ask asks[N];
	const struct tl_hlo_op *op[N];

	for (size_t i = 0; i < N; i++)
		asks[i] = (struct ask){ 5, "jit_f", names[i] };
	struct tl_trace *t = trace(one_program, asks, N);
	struct tl_hlo *h = tl_hlo_new(t, false);
	for (uint32_t i = 0; i < N; i++)
		op[i] = tl_hlo_of_event(h, i);
	check("all but roots, and what has neither metadata nor one of the usual types",
	      op[GEMM] && op[MANY] && op[NESTED] && op[MIXED] && op[FP8] && !op[BYTES] && !op[RESULT] && op[SCALAR]);
	check("the output has no blanks", is(op[GEMM]->output, "(bf16[8,4]{1,0},s8[64]{0})") && is(op[GEMM]->name, "%gemm.1"));
	check("operands are shapes", op[GEMM]->n_operands == 2 && is(op[GEMM]->operands[0], "bf16[8,16]{1,0}") &&
	      is(op[GEMM]->operands[1], "bf16[16,4]{1,0}"));
	check("but not roots, operands that are not there, and each fifth", op[MANY]->n_operands == 6 &&
	      is(op[MANY]->operands[1], "f32[]") && is(op[MANY]->operands[2], "%result") && is(op[MANY]->operands[3], "%") &&
	      is(op[MANY]->operands[5], "/*index=5*/%p.1"));
	check("the target ends behind its quote", is(op[GEMM]->custom_call_target, "custom_call_target=\"__cublas$gemm\""));
	check("the metadata end at a bracket",
	      is(op[GEMM]->metadata, "metadata={op_name=\"jit(f)/dot_general"));
	check("blanks and commas are joined as TraceLens does", is(op[MANY]->metadata, "metadata={op_name=\"a) b"));
	check("the configuration is JSON", is(op[GEMM]->backend_config,
	      "backend_config={\"gemm_backend_config\":{\"beta\":0,\"epilogue\":\"DEFAULT\"}}") && !op[MIXED]->backend_config);
	check("no target, no metadata of a line number alone", !op[MANY]->custom_call_target && !op[MIXED]->metadata);
	check("a nested tuple is cut, the rest counts as operands", is(op[NESTED]->output, "((f32[2]{0},u8[1]{0})") &&
	      op[NESTED]->n_operands == 1 && is(op[NESTED]->operands[0], "f32[3]{0}"));
	check("the type of a product", op[GEMM]->is_gemm && is(op[GEMM]->type, "bf16") && op[MIXED]->is_gemm && !op[MIXED]->type &&
	      is(op[FP8]->type, "fp8") && !op[MANY]->is_gemm);
	check("no operands are one empty text", op[SCALAR]->n_operands == 1 && is(op[SCALAR]->operands[0], "0"));
	check("unknown is what the program does not have or TraceLens does not read, but no root",
	      tl_hlo_doubts(h).operations == 1 && is(tl_hlo_doubts(h).first, "bytes"));
	tl_hlo_free(h);
	h = tl_hlo_new(t, true);
	const struct tl_hlo_op *root = tl_hlo_of_event(h, RESULT);
	check("the root, where it is wanted", root && root->root && is(root->metadata, "metadata={op_name=\"r\""));
	tl_hlo_free(h);
	tl_trace_free(t);
}

/* ---- which program, which operation ------------------------------------------------------- */

#define ONE(op, shape) "\"computations\":[{\"root\":9,\"instructions\":[{\"id\":1,\"name\":\"" op "\",\"opcode\":\"add\",\"shape\":\"" shape "\"}]}]"
static const struct program several[] = {
	{ "hlo module 1", "{\"name\":\"jit_dot\"," ONE("a", "f32[1]{0}") "}" },
	{ "hlo module 2", "{\"name\":\"jit_dot\"," ONE("a", "f32[2]{0}") "}" },
	{ "hlo module 3", "{\"name\":\"jit_dot_general\"," ONE("a", "f32[3]{0}") "}" },
	{ "hlo module 4", "damaged" },
	{ "hlo module 6", "[]" },
	{ "another", "{\"name\":\"jit_x\"," ONE("a", "f32[4]{0}") "}" },
	{ NULL, NULL }
};

static void check_programs(void)
{
	static const struct ask asks[] = {
		{ 2, "jit_dot", "a" }, { 7, "jit_dot", "a" }, { 0, "jit_dot_g", "a" }, { 0, "jit_x", "a" }, { 2, NULL, "a" },
		{ 7, NULL, "a" }, { 2, "jit_dot", NULL }, { 2, "jit_dot", "b" }, { 4, "jit_dot", "a" }, { 2, "jit_dot", "b" },
	};
	static const char *const outputs[] = {
		"f32[2]{0}", "f32[1]{0}", "f32[3]{0}", NULL, "f32[2]{0}", NULL, NULL, NULL, NULL, NULL,
	};
	enum { N = sizeof asks / sizeof *asks };
	struct tl_trace *t = trace(several, asks, N);
	struct tl_hlo *h = tl_hlo_new(t, false);
	const struct tl_hlo_op *ops;
	size_t n;

	for (uint32_t i = 0; i < N; i++) {
		const struct tl_hlo_op *op = tl_hlo_of_event(h, i);
		char what[64];
		snprintf(what, sizeof what, "program of %lld %s %s", (long long)asks[i].program, asks[i].module, asks[i].op);
		check(what, is(op ? op->output : NULL, outputs[i]));
	}
	struct tl_hlo_doubts d = tl_hlo_doubts(h);
	check("each is counted once", d.operations == 2 && d.without_program == 2 && d.damaged == 1 && is(d.first, "a"));
	check("all operations of the programs of a name", tl_hlo_program(h, "jit_dot", 0, &ops, &n) && n == 1 &&
	      is(ops->output, "f32[1]{0}") && tl_hlo_program(h, "jit_dot", 1, &ops, &n) && is(ops->output, "f32[2]{0}") &&
	      !tl_hlo_program(h, "jit_dot", 2, &ops, &n) && !n && !tl_hlo_program(h, "jit_y", 0, &ops, &n));
	tl_hlo_free(h);
	tl_trace_free(t);
}

#define OP(id, name) "{\"id\":" #id ",\"name\":\"" name "\",\"opcode\":\"x\",\"shape\":\"f32[" #id "]{0}\"}"
static const struct program collectives[] = {
	{ "hlo module 1", "{\"name\":\"jit_f\",\"computations\":[{\"root\":99,\"instructions\":["
		OP(1, "all-gather-start.7") "," OP(2, "all-gather-start.3") "," OP(3, "all-gather-done.3") ","
		OP(4, "reduce-scatter-done.1") "," OP(5, "all-gather.4") "]}]}" },
	{ NULL, NULL }
};

static void check_collectives(void)
{
	static const struct ask asks[] = {
		{ 1, "jit_f", "all-gather.20" }, { 1, "jit_f", "all-gather.9" }, { 1, "jit_f", "all-gather.100" },
		{ 1, "jit_f", "all-gather.4" }, { 1, "jit_f", "reduce-scatter.8" }, { 1, "jit_f", "all-to-all.1" },
		{ 1, "jit_f", "all-gather.9x" },
	};
	static const char *const names[] = {
		"%all-gather-start.7", "%all-gather-start.3", "%all-gather-start.7", "%all-gather.4", "%reduce-scatter-done.1", NULL, NULL,
	};
	enum { N = sizeof asks / sizeof *asks };
	struct tl_trace *t = trace(collectives, asks, N);
	struct tl_hlo *h = tl_hlo_new(t, false);

	for (uint32_t i = 0; i < N; i++) {
		const struct tl_hlo_op *op = tl_hlo_of_event(h, i);
		check(asks[i].op, is(op ? op->name : NULL, names[i]));
	}
	tl_hlo_free(h);
	tl_trace_free(t);
}

/* ---- the work of an operation ------------------------------------------------------------------ */

#define CONFIG_OF(lhs, rhs, beta, epilogue) "backend_config={\"gemm_backend_config\":{\"beta\":" beta ",\"dot_dimension_numbers\":{" \
	"\"lhs_contracting_dimensions\":" lhs ",\"rhs_contracting_dimensions\":" rhs "},\"epilogue\":\"" epilogue "\"}}"
#define PLAIN CONFIG_OF("[\"1\"]", "[\"0\"]", "0", "DEFAULT")
#define A "bf16[8,16]{1,0}"
#define B "bf16[16,4]{1,0}"

/* The numbers are those of TraceLens, but of the last one, which it cannot read. */
static const struct product {
	const char *output, *operands[6], *config;
	int64_t batch, m, n, k; /* batch 0: not known */
	bool beta;
} products[] = {
	{ "(bf16[8,4]{1,0},s8[64]{0})", { A, B }, PLAIN, 1, 4, 8, 16, false },
	{ "(bf16[8,4]{0,1},s8[64]{0})", { A, B }, PLAIN, 1, 8, 4, 16, false },
	{ "(f32[],f8e5m2[8,4]{1,0},s8[64]{0})", { "f8e4m3fn[16,8]{1,0}", "f8e4m3fn[4,16]{1,0}", "f32[]", "f32[]" },
	  CONFIG_OF("[\"0\"]", "[\"1\"]", "0", "DEFAULT"), 1, 4, 8, 16, false },
	{ "(f32[3,8,4]{2,1,0},s8[64]{0})", { "f32[3,8,16]{2,1,0}", "f32[3,16,4]{2,1,0}", "f32[3,8,4]{2,1,0}" },
	  CONFIG_OF("[\"2\"]", "[\"1\"]", "1", "DEFAULT"), 3, 4, 8, 16, true },
	{ "(f32[8,16]{1,0},s8[64]{0})", { "f32[8,8]{1,0}", "f32[8,16]{1,0}", "f32[16]{0}", "f32[8,16]{1,0}" },
	  CONFIG_OF("[\"1\"]", "[\"0\"]", "1", "BIAS"), 1, 16, 8, 8, true },
	{ "(f32[8]{0},s8[64]{0})", { "f32[8,16]{1,0}", "f32[16]{0}" }, PLAIN, 1, 1, 8, 16, false },
	{ "(bf16[8,4]{1,0},s8[64]{0})", { A, B, "bf16[4]{0}", "bf16[4]{0}" }, PLAIN, 0, 0, 0, 0, false },
	{ "(bf16[8,4]{1,0},s8[64]{0})", { A, "bf16[15,4]{1,0}" }, PLAIN, 0, 0, 0, 0, false },
	{ "(bf16[8,4]{1,0},s8[64]{0})", { A, B }, CONFIG_OF("[\"0\",\"1\"]", "[\"0\"]", "0", "DEFAULT"), 0, 0, 0, 0, false },
	{ "(bf16[8,4]{1,0},s8[64]{0})", { A, B }, CONFIG_OF("[]", "[]", "0", "DEFAULT"), 0, 0, 0, 0, false },
	{ "(bf16[8,4]{1,0},s8[64]{0})", { A }, PLAIN, 0, 0, 0, 0, false },
	{ "(bf16[8,4]{1,0},s8[64]{0})", { A, B }, "backend_config={\"beta", 0, 0, 0, 0, false },
	{ "(bf16[8,4]{1,0},s8[64]{0})", { A, B }, NULL, 0, 0, 0, 0, false },
	{ "(s8[64]{0})", { A, B }, PLAIN, 0, 0, 0, 0, false },
	{ "(bf16[2,2,8,4]{1,0},s8[64]{0})", { A, B }, PLAIN, 0, 0, 0, 0, false },
	{ "bf16[8,4]{1,0}", { A, B }, PLAIN, 1, 4, 8, 16, false },
};

static void check_products(void)
{
	for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
		const struct product *p = &products[i];
		const char *operands[6], *reason = NULL;
		struct tl_hlo_op op = { .output = p->output, .operands = operands, .backend_config = p->config, .type = "bf16" };
		struct tl_hlo_gemm g;
		char what[80];

		for (; p->operands[op.n_operands]; op.n_operands++)
			operands[op.n_operands] = p->operands[op.n_operands];
		snprintf(what, sizeof what, "product %zu: %s", i, p->output);
		bool known = tl_hlo_gemm(&op, &g, &reason);
		check(what, p->batch ? known && g.batch == p->batch && g.m == p->m && g.n == p->n && g.k == p->k && g.beta == p->beta :
		      !known && reason);
		op.type = NULL;
		check("not without the type", !tl_hlo_gemm(&op, &g, &reason));
	}
}

static bool is_value(const struct tl_value *v, const char *expected)
{
	struct tl_buf b = { 0 };

	tl_value_repr(&b, v, true);
	bool good = is(b.data, expected);
	tl_buf_release(&b);
	return good;
}

static void check_inputs(void)
{
	const char *operands[] = {
		"bf16[8,16]{1,0}", "f32[]", "pred[2]{0}", "(f32[4]{0},s32[5]{0})", "%x", "f8e4m3fn[2]{0}", "f8e5m2[7]{0}", "bf16[<=4]{0}",
		"u8[3]{0:S(5)}", "f16[0]{0}", "c_64[1]{0}",
	};
	const char *attention[] = {
		"bf16[2,3,4,5]{3,2,1,0}", "bf16[2,3,4,6]{3,2,1,0}", "f16[2,3,4,7]{3,2,1,0}", "bf16[0]{0}", "u32[2]{0}",
	};
	struct tl_hlo_op op = { .output = "(f32[],bf16[8,4]{1,0})", .operands = operands, .n_operands = sizeof operands / sizeof *operands };
	struct tl_arena a = { 0 };
	struct tl_hlo_inputs in = tl_hlo_inputs(&op, NULL, &a);
	struct tl_value out = tl_hlo_output_dims(&op, &a);

	check("operands that are arrays as TraceLens reads them", is_value(&in.dims, "((8, 16), (4,), (7,), (0,))") &&
	      is_value(&in.types, "('bf16', 'f32', 'm2', 'f16')") && is_value(&in.concrete, "()"));
	check("the first array of the output", is_value(&out, "((8, 4),)"));
	in = tl_hlo_inputs(&(struct tl_hlo_op){ .operands = attention, .n_operands = 5 }, "jax_te_fused_attn_bwd", &a);
	check("attention has three inputs, and a bias", is_value(&in.dims, "((2, 3, 4, 5), (2, 3, 4, 6), (2, 3, 4, 7))") &&
	      is_value(&in.types, "('bf16', 'bf16', 'f16')") && is_value(&in.concrete, "((0,),)"));
	in = tl_hlo_inputs(&(struct tl_hlo_op){ .operands = attention, .n_operands = 3 }, "jax_te_fused_attn", &a);
	check("or none", in.dims.len == 3 && is_value(&in.concrete, "()"));
	in = tl_hlo_inputs(&(struct tl_hlo_op){ .operands = attention + 1, .n_operands = 4 }, "jax_te_fused_attn", &a);
	check("packed it has all", in.dims.len == 4 && in.types.len == 4 && is_value(&in.concrete, "()"));
	in = tl_hlo_inputs(NULL, NULL, &a);
	check("nothing of no operation", is_value(&in.dims, "()") && is_value(&in.types, "()") && is_value(&in.concrete, "()"));
	tl_arena_release(&a);
}

static void check_models(void)
{
	static const struct { const char *category, *target, *model; } vectors[] = {
		{ "GEMM", "custom_call_target=\"__cublas$lt$matmul\"", "jax_gemm" },
		{ "TE", "custom_call_target=\"__cublas$gemm\"", NULL },
		{ "TE", "custom_call_target=\"te_fused_attn_forward_ffi\"", "jax_te_fused_attn" },
		{ "FA BWD", "custom_call_target=\"te_fused_attn_backward_ffi\"", "jax_te_fused_attn_bwd" },
		{ "Conv", "custom_call_target=\"__cudnn$convForward\"", "jax_conv" },
		{ "Conv", "custom_call_target=\"__cudnn$convBiasActivationForward\"", "jax_conv" },
		{ "Conv", "custom_call_target=\"__cudnn$convBackwardFilter\"", "jax_conv_bwd" },
		{ "GEMM", "custom_call_target=\"__cudnn$convForward\"", NULL },
		{ "GEMM", NULL, NULL },
	};
	struct tl_name_rules *rules = tl_name_rules_new(TL_JAX_MODELS);

	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
		check("a model", is(tl_hlo_model(rules, vectors[i].category,
		                                 &(struct tl_hlo_op){ .custom_call_target = vectors[i].target }), vectors[i].model));
	check("no model of no operation", !tl_hlo_model(rules, "GEMM", NULL));
	tl_name_rules_free(rules);
}

int main(void)
{
	check_products();
	check_inputs();
	check_models();

	check_pieces();
	check_programs();
	check_collectives();
	return failures != 0;
}
