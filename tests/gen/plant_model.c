/* plant_model.c - the operators and kernels of programs in which faults are planted.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "plants.h"

#include <string.h>

/* ---- kernels: how long, by the roofline ---- */

/* The name of the same kernel for the program's type of elements, as its version of PyTorch spells it. */
static const char *spelled(const struct plant *p, const char *name)
{
	enum { FLOATS = 1, HALVES, OLDER };
	static const struct { int when; const char *from, *to; } others[] = {
		{ FLOATS, "c10::BFloat16", "float" },
		{ HALVES, "c10::BFloat16", "c10::Half" }, { HALVES, "__nv_bfloat16", "__half" }, { HALVES, "cutlass::bfloat16_t", "cutlass::half_t" },
		{ HALVES, "bfloat16_copy", "float16_copy" }, { HALVES, "bf16bf16_bf16f32", "f16f16_f16f32" }, { HALVES, "ampere_bf16_s16816gemm_bf16", "ampere_fp16_s16816gemm_fp16" },
		{ HALVES, "_bf16_s16", "_f16_s16" }, { HALVES, "gemm_bf16", "gemm_f16" }, { HALVES, "gemm_relu_bf16", "gemm_relu_f16" }, { HALVES, "optimized_bf16", "optimized_f16" },
		{ HALVES, "nvjet_tst", "nvjet_hsh" },
		{ OLDER, "std::array<char*, 2ul>", "at::detail::Array<char*, 2>" }, { OLDER, "std::array<char*, 3ul>", "at::detail::Array<char*, 3>" },
		{ OLDER, "pytorch_flash::", "" },
	};
	const char *at;

	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		bool when = others[i].when == FLOATS ? p->floats : others[i].when == HALVES ? p->fp16 : p->older;
		while (when && (at = strstr(name, others[i].from)))
			name = machine_text("%.*s%s%s", (int)(at - name), name, others[i].to, at + strlen(others[i].from));
	}
	return name;
}

static const char *name_of(const struct plant *p, enum role role)
{
	return spelled(p, kernel_name(role, p->gpu->major, p->choice + role));
}

static int64_t memory_ns(const struct plant *p, double bytes)
{
	double ns = bytes / p->gpu->memory / p->of_memory;

	return ns < 1500 ? 1500 : (int64_t)ns;
}

static int element(const struct plant *p)
{
	return p->floats ? 4 : 2;
}

static char type(const struct plant *p)
{
	return p->floats ? 'f' : 'b';
}

static bool without_tensor_cores(const struct plant *p)
{
	return has(p, FP32) || has(p, FP32_NOSHAPES) || has(p, FP32_GRAPH);
}

static double product_peak(const struct plant *p)
{
	return !p->floats ? p->gpu->bf16 : without_tensor_cores(p) ? p->gpu->fp32 : p->gpu->tf32;
}

/* Libraries take other kernels for wide outputs. */
static const char *product_name(const struct plant *p, bool wide)
{
	enum role role = !p->floats ? R_GEMM : without_tensor_cores(p) ? R_GEMM_FP32 : R_GEMM_TF32;

	return spelled(p, kernel_name(role, p->gpu->major, p->choice + wide));
}

/* A product that moves so many elements. */
static int64_t moving_product_ns(const struct plant *p, double flops, double elements)
{
	double compute = 1e-3 * flops / product_peak(p) / p->of_products;
	int64_t memory = memory_ns(p, elements * element(p));

	return compute > (double)memory ? (int64_t)compute : memory;
}

static int64_t product_ns(const struct plant *p, int64_t batch, int64_t m, int64_t n, int64_t k)
{
	double b = (double)batch, x = (double)m, y = (double)n, z = (double)k;

	return moving_product_ns(p, 2 * b * x * y * z, b * (x * z + z * y + x * y));
}

static int blocks(int64_t m, int64_t n)
{
	return (int)((m + 127) / 128 * ((n + 127) / 128));
}

static int pointwise_blocks(int64_t elements)
{
	return (int)(elements / 1024 + 1);
}

/* ---- operators of a transformer ---- */

static const char *sizes(const struct plant *p, int64_t last)
{
	return machine_text("%c%lld,%lld,%lld", type(p), (long long)p->batch, (long long)p->seq, (long long)last);
}

static void pointwise(struct plant *p, const char *op, const char *spec, enum role role, int64_t elements, int bytes_each)
{
	machine_kernel(&p->m, op, spec, name_of(p, role), memory_ns(p, (double)elements * bytes_each), pointwise_blocks(elements));
}

static void mm(struct plant *p, int64_t m, int64_t n, int64_t k)
{
	char t = type(p);

	machine_kernel(&p->m, "aten::mm", machine_text("%c%lld,%lld %c%lld,%lld'", t, (long long)m, (long long)k, t, (long long)n, (long long)k),
	               product_name(p, n > k), product_ns(p, 1, m, n, k), blocks(m, n));
}

/* aten::linear of all tokens; odd: k is no multiple of 8, and the kernel is one for that. */
static void linear(struct plant *p, const char *label, int64_t n, int64_t k, bool odd)
{
	place(p);
	size_t module = machine_frame(&p->m, label), forward = machine_frame(&p->m, "torch/nn/modules/linear.py(125): forward");
	size_t op = machine_op(&p->m, "aten::linear", machine_text("%s %c%lld,%lld -", sizes(p, k), type(p), (long long)n, (long long)k));
	size_t matmul = machine_op(&p->m, "aten::matmul", machine_text("%s %c%lld,%lld'", sizes(p, k), type(p), (long long)n, (long long)k));

	if (odd)
		machine_kernel(&p->m, "aten::mm", machine_text("b%lld,%lld b%lld,%lld'", (long long)p->tokens, (long long)k, (long long)n, (long long)k),
		               name_of(p, R_GEMM_ODD), product_ns(p, 1, p->tokens, n, k) * 4, 4 * blocks(p->tokens, n));
	else
		mm(p, p->tokens, n, k);
	machine_end(&p->m, matmul);
	machine_end(&p->m, op);
	machine_end(&p->m, forward);
	machine_end(&p->m, module);
}

/* RMSNorm in eight kernels: half a dozen of 32 bits, and casts. */
static void norm_chain(struct plant *p)
{
	static const struct { const char *op; enum role role; int bytes; bool rows, half; } chain[] = {
		{ "aten::copy_", R_TO_FLOAT, 6, 0, 1 }, { "aten::pow", R_POW, 8, 0, 0 }, { "aten::mean", R_MEAN, 4, 0, 0 }, { "aten::add", R_ADD_F, 8, 1, 0 },
		{ "aten::rsqrt", R_RSQRT, 8, 1, 0 }, { "aten::mul", R_MUL_F, 8, 0, 0 }, { "aten::copy_", R_TO_HALF, 6, 0, 0 }, { "aten::mul", R_MUL, 4, 0, 1 }
	};
	int64_t all = p->tokens * p->hidden;
	long long b = p->batch, s = p->seq, h = p->hidden;
	size_t frame = machine_frame(&p->m, "model/llama.py(57): forward");

	for (size_t i = 0; i < sizeof chain / sizeof *chain; i++) {
		const char *spec = chain[i].rows ? machine_text("f%lld,%lld,1 s1e-06", b, s)
		                 : i == 0 ? machine_text("f%lld,%lld,%lld b%lld,%lld,%lld sFalse", b, s, h, b, s, h)
		                 : i == 1 ? machine_text("f%lld,%lld,%lld s2", b, s, h)
		                 : i == 2 ? machine_text("f%lld,%lld,%lld L[-1] sTrue -", b, s, h)
		                 : i == 5 ? machine_text("f%lld,%lld,%lld f%lld,%lld,1", b, s, h, b, s)
		                 : i == 6 ? machine_text("b%lld,%lld,%lld f%lld,%lld,%lld sFalse", b, s, h, b, s, h)
		                 : machine_text("b%lld b%lld,%lld,%lld", h, b, s, h);

		pointwise(p, chain[i].op, spec, chain[i].role, chain[i].rows ? p->tokens : all, chain[i].bytes);
	}
	machine_end(&p->m, frame);
}

static void norm(struct plant *p, int number)
{
	int64_t all = p->tokens * p->hidden;
	bool rms = asked(p, NORM_CHAIN);

	place(p);
	size_t module = machine_frame(&p->m, machine_text("nn.Module: %s_%d", rms ? "RMSNorm" : "LayerNorm", number));
	if (has(p, NORM_CHAIN)) {
		norm_chain(p);
	} else {
		const char *spec = machine_text("%s L[%lld] %c%lld %c%lld s1e-05", sizes(p, p->hidden), (long long)p->hidden, type(p), (long long)p->hidden, type(p), (long long)p->hidden);
		size_t op = machine_op(&p->m, rms ? "aten::rms_norm" : "aten::layer_norm", spec);

		pointwise(p, rms ? "aten::_fused_rms_norm" : "aten::native_layer_norm", spec, rms ? R_RMS : R_NORM, all, 2 * element(p));
		machine_end(&p->m, op);
	}
	machine_end(&p->m, module);
}

static void unfused_attention(struct plant *p, int64_t heads)
{
	long long ba = p->batch * heads, s = p->seq, d = p->dim;
	int64_t scores = ba * s * s, ns = product_ns(p, ba, s, s, d);
	size_t frame = machine_frame(&p->m, "model/attention.py(88): forward");

	machine_kernel(&p->m, "aten::bmm", machine_text("b%lld,%lld,%lld b%lld,%lld,%lld", ba, s, d, ba, d, s), name_of(p, R_BMM), ns, (int)ba * blocks(s, s));
	pointwise(p, chance(p, 10) ? "aten::div" : "aten::mul", machine_text("b%lld,%lld,%lld s0.125", ba, s, s), R_MUL, scores, 4);
	if (chance(p, 11)) /* a mask */
		pointwise(p, "aten::add", machine_text("b%lld,%lld,%lld b1,%lld,%lld s1", ba, s, s, s, s), R_ADD, scores, 4);
	size_t softmax = machine_op(&p->m, "aten::softmax", machine_text("b%lld,%lld,%lld s-1 -", ba, s, s));
	pointwise(p, "aten::_softmax", machine_text("b%lld,%lld,%lld s-1 sFalse", ba, s, s), R_SOFTMAX, scores, 4);
	machine_end(&p->m, softmax);
	machine_kernel(&p->m, "aten::bmm", machine_text("b%lld,%lld,%lld b%lld,%lld,%lld", ba, s, s, ba, s, d), name_of(p, R_BMM), ns, (int)ba * blocks(s, d));
	machine_end(&p->m, frame);
}

static int64_t flash_ns(const struct plant *p, double products)
{
	double flops = products * 2 * (double)p->tokens * (double)p->seq * (double)p->hidden;

	return (int64_t)(1e-3 * flops / p->gpu->bf16 / p->of_attention);
}

static void attention(struct plant *p)
{
	int64_t heads = p->hidden / p->dim;
	const char *q = machine_text("b%lld,%lld,%lld,%lld", (long long)p->batch, (long long)heads, (long long)p->seq, (long long)p->dim);
	const char *q3 = machine_text("%s %s %s", q, q, q);

	place(p);
	if (has(p, UNFUSED_ATTENTION)) {
		unfused_attention(p, heads);
		return;
	}
	size_t frame = machine_frame(&p->m, "<built-in function scaled_dot_product_attention>");
	size_t sdpa = machine_op(&p->m, "aten::scaled_dot_product_attention", machine_text("%s - s0. sFalse - sFalse", q3));
	size_t flash = machine_op(&p->m, "aten::_scaled_dot_product_flash_attention", machine_text("%s s0. sFalse sFalse -", q3));
	int64_t ns = flash_ns(p, 2);

	machine_kernel(&p->m, "aten::_flash_attention_forward", machine_text("%s - - s%lld s%lld s0. sFalse sFalse s0.125 - - - -", q3, (long long)p->seq, (long long)p->seq),
	               name_of(p, R_FLASH), has(p, ATTENTION_LOW) ? (int64_t)((double)ns * p->of_attention / 0.13) : ns, (int)(p->batch * heads * ((p->seq + 127) / 128)));
	machine_end(&p->m, flash);
	machine_end(&p->m, sdpa);
	machine_end(&p->m, frame);
}

static void gelu(struct plant *p)
{
	static const struct { const char *op, *more; enum role role; int bytes; } chain[] = {
		{ "aten::pow", " s3", R_POW, 4 }, { "aten::mul", " s0.044715", R_MUL, 4 }, { "aten::add", NULL, R_ADD, 6 }, { "aten::mul", " s0.797885", R_MUL, 4 },
		{ "aten::tanh", "", R_TANH, 4 }, { "aten::add", " s1.0 s1", R_ADD, 4 }, { "aten::mul", NULL, R_MUL, 6 }
	};
	int64_t all = p->tokens * 4 * p->hidden;
	const char *spec = sizes(p, 4 * p->hidden);

	place(p);
	size_t module = machine_frame(&p->m, has(p, POINTWISE_CHAIN) ? "nn.Module: NewGELUActivation_0" : "nn.Module: GELU_0");
	size_t frame = machine_frame(&p->m, has(p, POINTWISE_CHAIN) ? "model/activations.py(47): forward" : "<built-in function gelu>");
	for (size_t i = 0; has(p, POINTWISE_CHAIN) && i < sizeof chain / sizeof *chain; i++)
		pointwise(p, chain[i].op, chain[i].more ? machine_text("%s%s", spec, chain[i].more) : machine_text("%s %s", spec, spec), chain[i].role, all, chain[i].bytes);
	if (!has(p, POINTWISE_CHAIN))
		pointwise(p, "aten::gelu", machine_text("%s stanh", spec), R_GELU, all, 2 * element(p));
	machine_end(&p->m, frame);
	machine_end(&p->m, module);
}

static void casts(struct plant *p)
{
	const char *b = sizes(p, 4 * p->hidden), *f = machine_text("f%s", b + 1);

	aside(p, CAST_CHAIN);
	for (int i = 0; i < 4; i++) {
		const char *from = i % 2 ? f : b, *to = i % 2 ? b : f;
		size_t op = machine_op(&p->m, "aten::to", machine_text("%s s%d sFalse sFalse -", from, i % 2 ? 15 : 6));
		size_t copy = machine_op(&p->m, "aten::_to_copy", machine_text("%s s%d - - - sFalse -", from, i % 2 ? 15 : 6));

		pointwise(p, "aten::copy_", machine_text("%s %s sFalse", to, from), i % 2 ? R_TO_HALF : R_TO_FLOAT, p->tokens * 4 * p->hidden, 6);
		machine_end(&p->m, copy);
		machine_end(&p->m, op);
	}
}

static void residual(struct plant *p, bool slow)
{
	int64_t all = p->tokens * p->hidden, ns = memory_ns(p, (double)all * 3 * element(p));
	const char *spec = sizes(p, p->hidden);

	place(p);
	machine_kernel(&p->m, "aten::add", machine_text("%s %s s1", spec, spec), name_of(p, R_ADD), slow ? ns * 1000 : ns, pointwise_blocks(all));
}

void plant_item(struct plant *p, const char *frame)
{
	size_t python = machine_frame(&p->m, frame), built_in = machine_frame(&p->m, "<built-in method item of Tensor object at 0x7fdc681d0910>");
	size_t op = machine_op(&p->m, "aten::item", "f"), local = machine_op(&p->m, "aten::_local_scalar_dense", "f");

	machine_copy(&p->m, "Memcpy DtoH (Device -> Pinned)", 4, 1400);
	machine_wait(&p->m, "cudaStreamSynchronize");
	machine_end(&p->m, local);
	machine_end(&p->m, op);
	machine_end(&p->m, built_in);
	machine_end(&p->m, python);
}

/* An all-reduce behind half a layer: a large one, which computation should hide, or a small one, for which it waits anyway. */
static void all_reduce(struct plant *p, int number)
{
	int64_t elements = p->tokens * p->hidden;
	double moved = 2.0 * 7 / 8 * (double)elements * 2 / p->gpu->peer;
	bool moving = asked(p, ALLREDUCE_MOVING);

	place(p);
	int64_t ns = machine_about(&p->m, moving ? (int64_t)moved : 40 * US, 3);
	bool late = has(p, ALLREDUCE_WAITING) && (p->step * 2 * p->layers + number) % 4 == 3;
	machine_collective(&p->m, moving ? elements : 8192, late ? ns + machine_about(&p->m, p->size[ALLREDUCE_WAITING], 40) : ns);
	if (has(p, ALLREDUCE_MOVING) || !moving) /* else computation goes on */
		machine_join(&p->m, NCCL_STREAM);
}

static void allocation(struct plant *p)
{
	size_t op;

	place(p);
	op = machine_op(&p->m, "aten::empty", machine_text("L[%lld,%lld] s15 s0 - - -", (long long)p->tokens, (long long)(4 * p->hidden)));
	if (has(p, MEMORY_ALLOC)) {
		aside(p, MEMORY_ALLOC);
		if (machine_device_end(&p->m) > p->m.now) /* cudaFree returns when the device is done */
			machine_call(&p->m, "cudaFree", machine_device_end(&p->m) - p->m.now + p->size[MEMORY_ALLOC] / 3);
		else
			machine_call(&p->m, "cudaFree", p->size[MEMORY_ALLOC] / 3);
		machine_call(&p->m, "cudaMalloc", p->size[MEMORY_ALLOC] * 2 / 3);
	}
	machine_end(&p->m, op);
}

static void few_blocks(struct plant *p)
{
	static const char *const spec = "b256,131072 b131072,256";
	int64_t ns;

	place(p);
	ns = product_ns(p, 1, 256, 256, 131072);
	size_t op = machine_op(&p->m, "aten::mm", spec);
	machine_launch(&p->m, name_of(p, R_GEMM_SPLIT), has(p, GEMM_FEW_BLOCKS) ? (int64_t)(2e-3 * 256 * 256 * 131072 / (p->gpu->bf16 * 4 / p->gpu->sms) / 0.94) : ns - 2500,
	               has(p, GEMM_FEW_BLOCKS) ? 4 : 4 * p->gpu->sms, 256);
	if (!has(p, GEMM_FEW_BLOCKS))
		machine_launch(&p->m, name_of(p, R_SPLIT_SUM), 1500, 256, 256);
	machine_end(&p->m, op);
}

/* The host does something else between two launches. */
static void stretch(struct plant *p)
{
	if (!has(p, HOST_STRETCH) && !has(p, SHORT_STRETCH))
		return;
	aside(p, HOST_STRETCH);
	size_t frame = machine_frame(&p->m, "model/router.py(66): plan_tokens");
	machine_host(&p->m, p->size[has(p, HOST_STRETCH) ? HOST_STRETCH : SHORT_STRETCH]);
	machine_end(&p->m, frame);
}

static void layer(struct plant *p, int number)
{
	int64_t h = p->hidden;
	size_t module = machine_frame(&p->m, machine_text("nn.Module: Block_%d", number)), forward = machine_frame(&p->m, "model/block.py(143): forward");

	norm(p, 2 * number);
	if (!p->floats) {
		linear(p, "nn.Module: QkvLinear_0", 3 * h, h, false);
		attention(p);
		linear(p, "nn.Module: OutLinear_0", h, h, false);
		if (asked(p, ALLREDUCE_MOVING) || asked(p, ALLREDUCE_WAITING))
			all_reduce(p, 2 * number);
		residual(p, has(p, OUTLIER) && p->step == p->steps / 2 && number == 1);
		norm(p, 2 * number + 1);
	}
	linear(p, "nn.Module: UpLinear_0", 4 * h, h, false);
	gelu(p);
	if (has(p, CAST_CHAIN))
		casts(p);
	linear(p, "nn.Module: DownLinear_0", h, has(p, GEMM_MISALIGNED) ? 4 * h - 5 : 4 * h, has(p, GEMM_MISALIGNED));
	if (asked(p, ALLREDUCE_WAITING))
		all_reduce(p, 2 * number + 1);
	residual(p, false);
	if (asked(p, GEMM_FEW_BLOCKS) && number < 2)
		few_blocks(p);
	if (number == 0 && asked(p, MEMORY_ALLOC))
		allocation(p);
	if (has(p, SYNC_ITEM)) {
		aside(p, SYNC_ITEM);
		plant_item(p, "model/block.py(171): log_activation");
	}
	stretch(p);
	machine_end(&p->m, forward);
	machine_end(&p->m, module);
}

static void backward_mm(struct plant *p, int64_t n, int64_t k)
{
	place(p);
	size_t evaluate = machine_op(&p->m, "autograd::engine::evaluate_function: MmBackward0", ""), op = machine_op(&p->m, "MmBackward0", "");

	mm(p, p->tokens, k, n);
	mm(p, k, n, p->tokens);
	machine_end(&p->m, op);
	machine_end(&p->m, evaluate);
}

static void backward_kernel(struct plant *p, const char *node, const char *name, const char *spec, enum role role, int64_t ns, int grid)
{
	place(p);
	size_t evaluate = machine_op(&p->m, machine_text("autograd::engine::evaluate_function: %s", node), ""), op = machine_op(&p->m, node, "");

	machine_kernel(&p->m, name, spec, name_of(p, role), ns, grid);
	machine_end(&p->m, op);
	machine_end(&p->m, evaluate);
}

static void layer_backward(struct plant *p)
{
	int64_t h = p->hidden, heads = h / p->dim, all = p->tokens * h;
	long long b = p->batch, s = p->seq;
	const char *q = machine_text("b%lld,%lld,%lld,%lld", b, (long long)heads, s, (long long)p->dim), *x = sizes(p, h), *wide = sizes(p, 4 * h);

	backward_mm(p, h, 4 * h);
	backward_kernel(p, "GeluBackward0", "aten::gelu_backward", machine_text("%s %s stanh", wide, wide), R_GELU_BWD, memory_ns(p, (double)all * 4 * 3 * element(p)), pointwise_blocks(4 * all));
	backward_mm(p, 4 * h, h);
	if (p->floats)
		return;
	backward_mm(p, h, h);
	backward_kernel(p, "ScaledDotProductFlashAttentionBackward0", "aten::_scaled_dot_product_flash_attention_backward",
	                machine_text("%s %s %s %s %s f%lld,%lld,%lld - - s%lld s%lld s0. sFalse l l s0.125", q, q, q, q, q, b, (long long)heads, s, s, s),
	                R_FLASH_BWD, flash_ns(p, 5), (int)(b * heads * ((s + 127) / 128)));
	backward_mm(p, 3 * h, h);
	backward_kernel(p, "NativeLayerNormBackward0", "aten::native_layer_norm_backward",
	                machine_text("%s %s L[%lld] f%lld,%lld,1 f%lld,%lld,1 b%lld b%lld L[True,True,True]", x, x, (long long)h, b, s, b, s, (long long)h, (long long)h),
	                R_NORM_BWD, memory_ns(p, (double)all * 6), (int)p->tokens);
}

static void backward(struct plant *p)
{
	size_t frame = machine_frame(&p->m, "torch/autograd/graph.py(824): _engine_run_backward");
	uint32_t outer = p->m.frame;

	p->m.thread = 1;
	p->m.frame = 0;
	for (int i = 0; i < p->layers; i++)
		layer_backward(p);
	p->m.thread = 0;
	p->m.frame = outer;
	machine_end(&p->m, frame);
}

/* ---- optimizers ---- */

static void optimizer_loop(struct plant *p)
{
	static const struct { const char *op; enum role role; int tensors; } chain[] = {
		{ "aten::mul_", R_MUL_F, 2 }, { "aten::lerp_", R_LERP_F, 3 }, { "aten::mul_", R_MUL_F, 2 }, { "aten::addcmul_", R_ADDCMUL_F, 4 },
		{ "aten::sqrt", R_SQRT_F, 2 }, { "aten::div", R_DIV_F, 2 }, { "aten::add_", R_ADD_F, 2 }, { "aten::addcdiv_", R_ADDCDIV_F, 4 }
	};
	long long rows[] = { 3 * p->hidden, p->hidden, 4 * p->hidden, 4 * p->hidden }, h = p->hidden;
	size_t frame = machine_frame(&p->m, "torch/optim/adamw.py(353): _single_tensor_adamw");

	for (int i = 0; i < 4 * p->layers; i++) {
		for (size_t k = 0; k < sizeof chain / sizeof *chain; k++) {
			const char *w = machine_text("f%lld,%lld", rows[i % 4], h);
			const char *spec = chain[k].tensors == 4 ? machine_text("%s %s %s s1", w, w, w) : chain[k].tensors == 3 ? machine_text("%s %s s0.1", w, w) : machine_text("%s s0.999", w);

			pointwise(p, chain[k].op, spec, chain[k].role, rows[i % 4] * h, 4 * chain[k].tensors);
		}
	}
	machine_end(&p->m, frame);
}

static void optimizer_foreach(struct plant *p, const char *tensors, int64_t elements)
{
	static const struct { const char *op; enum role role; int tensors; } chain[] = {
		{ "aten::_foreach_add_", R_FOREACH_ADD, 2 }, { "aten::_foreach_mul_", R_FOREACH_MUL, 2 }, { "aten::_foreach_lerp_", R_FOREACH_LERP, 3 },
		{ "aten::_foreach_mul_", R_FOREACH_MUL, 2 }, { "aten::_foreach_addcmul_", R_FOREACH_ADDCMUL, 4 }, { "aten::_foreach_sqrt", R_FOREACH_SQRT, 2 },
		{ "aten::_foreach_div_", R_FOREACH_DIV, 2 }, { "aten::_foreach_add_", R_FOREACH_ADD, 2 }, { "aten::_foreach_addcdiv_", R_FOREACH_ADDCMUL, 4 }
	};
	size_t frame = machine_frame(&p->m, "torch/optim/adamw.py(480): _multi_tensor_adamw");

	for (size_t i = 0; i < sizeof chain / sizeof *chain; i++) {
		size_t op = machine_op(&p->m, chain[i].op, machine_text("%s %s", tensors, chain[i].tensors > 2 ? tensors : "s1"));

		for (int k = 0; k < 3; k++) {
			machine_host(&p->m, p->size[OPTIMIZER_FOREACH] / 27); /* the lists of tensors are taken apart */
			machine_launch(&p->m, name_of(p, chain[i].role), memory_ns(p, (double)elements / 3 * 4 * chain[i].tensors), 320, 512);
		}
		machine_end(&p->m, op);
	}
	machine_end(&p->m, frame);
}

static void optimizer(struct plant *p)
{
	/* where the host is to take longer than the GPU, a part of the parameters is trained */
	int64_t elements = 12 * p->hidden * p->hidden * p->layers / (asked(p, OPTIMIZER_FOREACH) ? 12 : 1);
	const char *tensors = machine_text("G8:f%lld,%lld", (long long)(elements / 8 / p->hidden), (long long)p->hidden);

	place(p);
	if (asked(p, OPTIMIZER_FOREACH)) /* gradients are clipped by their norm, which the host reads */
		plant_item(p, "torch/nn/utils/clip_grad.py(63): clip_grad_norm_");
	place(p);
	size_t note = machine_note(&p->m, p->older ? "Optimizer.step#Adam.step" : "Optimizer.step#AdamW.step"), frame = machine_frame(&p->m, "torch/optim/adamw.py(220): step");
	if (has(p, OPTIMIZER_LOOP))
		optimizer_loop(p);
	else if (has(p, OPTIMIZER_FOREACH))
		optimizer_foreach(p, tensors, elements);
	else
		machine_kernel(&p->m, "aten::_fused_adamw_", machine_text("%s %s %s %s - G8:f1 s0.0001 s0.9 s0.999 s0.01 s1e-08 sFalse sFalse - -", tensors, tensors, tensors, tensors),
		               name_of(p, R_ADAM), memory_ns(p, (double)elements * 28), 4 * p->gpu->sms);
	machine_end(&p->m, frame);
	machine_end(&p->m, note);
}

/* ---- other programs' work ---- */

static void change_layout(struct plant *p, enum role role, int64_t elements)
{
	if (!has(p, LAYOUT_COPIES))
		return;
	aside(p, LAYOUT_COPIES);
	machine_launch(&p->m, name_of(p, role), memory_ns(p, (double)elements * 4), pointwise_blocks(elements), 256);
}

/* What cudnn.benchmark does for new sizes: each algorithm once. */
static void try_algorithms(struct plant *p, int grid)
{
	enum kind kind = has(p, RETUNE) ? RETUNE : AUTOTUNE;

	aside(p, AUTOTUNE);
	size_t frame = machine_frame(&p->m, "<built-in method conv2d of type object at 0x7f5d1c9a4f80>");
	for (int i = 0; i < 6; i++) {
		machine_host(&p->m, p->size[kind]);
		machine_launch(&p->m, machine_text("void cudnn::cnn::implicit_convolve_%s<__nv_bfloat16, __nv_bfloat16, %d, %d, 3, 3, 3, 0, 1>()", i % 2 ? "hgemm" : "sgemm", 128 << i % 3, 3 + i),
		               machine_draw(&p->m, 100 * US, 300 * US), grid, 128);
		machine_call(&p->m, "cudaEventRecord", 2 * US);
		machine_wait(&p->m, "cudaEventSynchronize");
	}
	machine_end(&p->m, frame);
}

/* A block of a convolution net. Tensors of the size hidden x dim x dim. */
static void conv_block(struct plant *p, int number)
{
	int64_t c = p->hidden, pixels = p->batch * p->dim * p->dim, all = pixels * c;
	const char *x = machine_text("b%lld,%lld,%lld,%lld", (long long)p->batch, (long long)c, (long long)p->dim, (long long)p->dim);
	const char *conv = machine_text("%s b%lld,%lld,3,3", x, (long long)c, (long long)c);
	int64_t ns = moving_product_ns(p, 18 * (double)all * (double)c, 2 * (double)all + 9 * (double)(c * c));

	place(p);
	size_t module = machine_frame(&p->m, machine_text("nn.Module: Conv2d_%d", number)), frame = machine_frame(&p->m, "torch/nn/modules/conv.py(554): forward");
	size_t op = machine_op(&p->m, "aten::conv2d", machine_text("%s - L[1,1] L[1,1] L[1,1] s1", conv));
	size_t convolution = machine_op(&p->m, "aten::convolution", machine_text("%s - L[1,1] L[1,1] L[1,1] sFalse L[0,0] s1", conv));
	size_t inner = machine_op(&p->m, "aten::_convolution", machine_text("%s - L[1,1] L[1,1] L[1,1] sFalse L[0,0] s1 sFalse sFalse sTrue sTrue", conv));
	size_t cudnn = machine_op(&p->m, "aten::cudnn_convolution", machine_text("%s L[1,1] L[1,1] L[1,1] s1 sFalse sFalse sTrue", conv));
	if (number == 0 && p->step > 0 && (has(p, RETUNE) || (has(p, AUTOTUNE) && p->step == 1)))
		try_algorithms(p, blocks(pixels, c));
	change_layout(p, R_TO_NHWC, all);
	place(p);
	machine_launch(&p->m, name_of(p, R_CONV), ns, blocks(pixels, c), 256);
	change_layout(p, R_TO_NCHW, all);
	machine_end(&p->m, cudnn);
	machine_end(&p->m, inner);
	machine_end(&p->m, convolution);
	machine_end(&p->m, op);
	machine_end(&p->m, frame);
	machine_end(&p->m, module);
	place(p);
	pointwise(p, "aten::clamp_min_", machine_text("%s s0", x), R_RELU, all, 4);
	if (number == 0 && asked(p, MEMORY_ALLOC))
		allocation(p);
	if (has(p, SYNC_ITEM)) {
		aside(p, SYNC_ITEM);
		plant_item(p, "model/resnet.py(171): log_activation");
	}
	stretch(p);
}

static void small_layers(struct plant *p)
{
	static const struct { const char *op, *spec; enum role role; } ops[] = {
		{ "aten::mm", "b64,256 b256,256'", R_GEMM }, { "aten::add", "b64,256 b256 s1", R_ADD }, { "aten::gelu", "b64,256 snone", R_GELU },
		{ "aten::native_layer_norm", "b64,256 L[256] b256 b256 s1e-05", R_NORM }, { "aten::mul", "b64,256 b64,256", R_MUL }
	};

	for (int i = 0; i < 15 * p->layers; i++) {
		size_t k = (size_t)i % (sizeof ops / sizeof *ops);

		place(p);
		machine_kernel(&p->m, ops[k].op, ops[k].spec, name_of(p, ops[k].role), machine_draw(&p->m, 2200, 3800), 16);
	}
}

/* The layers of a decoder, in a graph. */
static void replay(struct plant *p)
{
	static const enum role roles[] = { R_NORM, R_GEMM, R_ROPE, R_FLASH, R_GEMM, R_ADD, R_GEMM, R_GELU, R_GEMM };
	struct graph_kernel kernels[64];
	size_t n = (size_t)(p->layers * 9);

	place(p);
	for (size_t i = 0; i < n; i++) {
		enum role role = roles[i % 9];
		bool product = role == R_GEMM;

		if (p->floats && (role == R_FLASH || role == R_ROPE))
			role = R_GELU;
		kernels[i].name = product ? product_name(p, i % 9 == 1 || i % 9 == 6) : name_of(p, role);
		kernels[i].grid = product ? 264 : 512;
		if (p->floats)
			kernels[i].ns = product ? product_ns(p, 1, 1024, 4096, 4096) : memory_ns(p, 1024 * 4096 * 8);
		else
			kernels[i].ns = ((product ? 6 : 4) + chance(p, (int64_t)i % 9)) * US * (!asked(p, HEALTHY_GRAPH) ? 1 : product ? 40 : 20);
	}
	machine_copy(&p->m, "Memcpy HtoD (Pinned -> Device)", 8192, 1600);
	machine_graph(&p->m, kernels, n);
}

void plant_copies(struct plant *p)
{
	int64_t n = has(p, SMALL_COPIES) ? p->size[SMALL_COPIES] : 1;
	const char *spec = machine_text("f%lld f%lld sTrue", (long long)(1024 * p->size[SMALL_COPIES] / n), (long long)(1024 * p->size[SMALL_COPIES] / n));

	place(p);
	for (int64_t i = 0; i < n; i++) {
		size_t op = machine_op(&p->m, "aten::copy_", spec);

		machine_copy(&p->m, "Memcpy HtoD (Pinned -> Device)", 4096 * p->size[SMALL_COPIES] / n, n > 1 ? 1300 : 1300 + (int64_t)(4096.0 * (double)p->size[SMALL_COPIES] / p->gpu->host));
		machine_end(&p->m, op);
	}
}

void plant_begin(struct plant *p)
{
	if (!asked(p, CONTEXT_START))
		machine_kernel(&p->m, "aten::fill_", "f1 s0", name_of(p, R_FILL), 1600, 1);
	if (asked(p, HEALTHY_ONE))
		mm(p, 8192, 8192, 8192);
	for (int i = 0; i < 6 && asked(p, FEW_LAUNCHES); i++) {
		aside(p, FEW_LAUNCHES);
		if (has(p, FEW_LAUNCHES))
			machine_host(&p->m, p->size[FEW_LAUNCHES] + product_ns(p, 1, 4096, 2048, 2048));
		place(p);
		mm(p, 4096, 2048, 2048);
	}
}

void plant_model(struct plant *p)
{
	switch (p->program) {
	case P_SMALL:
		small_layers(p);
		return;
	case P_GRAPH:
		replay(p);
		return;
	case P_CONV:
		for (int i = 0; i < p->layers; i++)
			conv_block(p, i);
		return;
	default:
		for (int i = 0; i < p->layers; i++)
			layer(p, i);
	}
	if (p->program == P_TRAIN) {
		backward(p);
		optimizer(p);
	}
}
