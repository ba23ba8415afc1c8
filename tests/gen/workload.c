/* workload.c - what the trace is of: training steps of a transformer with a
 * convolutional stem, as tables of nested calls.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "gen.h"

const struct kernel_info gen_kernels[K_COUNT] = {
	[K_CONV] = { EV_KERNEL, "cudaLaunchKernel", 41000, 784, 256, 168, "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x64_warpgroupsize1x1x1_g1_execute_segment_k_off_kernel__5x_cudnn" },
	[K_NORM] = { EV_KERNEL, "cudaLaunchKernel", 6200, 2048, 128, 40, "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)" },
	[K_GEMM_QKV] = { EV_KERNEL, "cudaLaunchKernel", 31000, 384, 384, 168, "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas" },
	[K_GEMM_OUT] = { EV_KERNEL, "cudaLaunchKernel", 12000, 132, 384, 168, "nvjet_tst_128x128_64x6_1x2_h_bz_coopA_bias_TNT" },
	[K_GEMM_UP] = { EV_KERNEL, "cudaLaunchKernel", 46000, 512, 256, 242, "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8>(cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8::Params)" },
	[K_GEMM_DOWN] = { EV_KERNEL, "cudaLaunchKernel", 44000, 264, 384, 168, "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize256x128x64_warpgroupsize2x1x1_execute_segment_k_off_kernel__5x_cublas" },
	[K_FLASH] = { EV_KERNEL, "cudaLaunchKernel", 38000, 512, 128, 254, "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t> >, false, true, false, false, false, true, false>(pytorch_flash::Flash_fwd_params)" },
	[K_ADD] = { EV_KERNEL, "cudaLaunchKernel", 4300, 4096, 128, 24, "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)" },
	[K_GELU] = { EV_KERNEL, "cudaLaunchKernel", 8100, 8192, 128, 30, "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}, std::array<char*, 2ul> >(int, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}, std::array<char*, 2ul>)" },
	[K_COPY] = { EV_KERNEL, "cudaLaunchKernel", 5100, 2048, 128, 32, "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#12}::operator()() const::{lambda(c10::BFloat16)#1}>(at::TensorIteratorBase&, at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#12}::operator()() const::{lambda(c10::BFloat16)#1} const&)::{lambda(int)#1}>(int, at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#12}::operator()() const::{lambda(c10::BFloat16)#1}>)" },
	[K_SUM] = { EV_KERNEL, "cudaLaunchKernel", 5600, 64, 512, 32, "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16, at::native::func_wrapper_t<c10::BFloat16, at::native::sum_functor<c10::BFloat16, float, c10::BFloat16>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, c10::BFloat16, 4> >(at::native::ReduceOp<c10::BFloat16, at::native::func_wrapper_t<c10::BFloat16, at::native::sum_functor<c10::BFloat16, float, c10::BFloat16>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, c10::BFloat16, 4>)" },
	[K_EMBED] = { EV_KERNEL, "cudaLaunchKernel", 7100, 1024, 128, 28, "void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::BFloat16, long, unsigned int, 2, 2, -2, true>(at::cuda::detail::TensorInfo<c10::BFloat16, unsigned int>, at::cuda::detail::TensorInfo<c10::BFloat16 const, unsigned int>, at::cuda::detail::TensorInfo<long const, unsigned int>, int, int, unsigned int, unsigned int, long)" },
	[K_GEMM_DX] = { EV_KERNEL, "cudaLaunchKernelExC", 42000, 264, 384, 168, "sm90_xmma_gemm_bf16bf16_bf16f32_f32_nn_n_tilesize128x256x64_warpgroupsize2x1x1_execute_segment_k_off_kernel__5x_cublas" },
	[K_GEMM_DW] = { EV_KERNEL, "cudaLaunchKernel", 45000, 256, 384, 168, "sm90_xmma_gemm_bf16bf16_bf16f32_f32_nt_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas" },
	[K_NORM_BWD] = { EV_KERNEL, "cudaLaunchKernel", 9800, 2048, 128, 38, "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<c10::BFloat16, float>(c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, c10::BFloat16 const*, c10::BFloat16*, int)" },
	[K_FLASH_BWD] = { EV_KERNEL, "cudaLaunchKernel", 96000, 256, 256, 255, "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<pytorch_flash::Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, 4, false, false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<64, 128, 128, 8, cutlass::bfloat16_t> >, false, true, false, false, false, true, false>(pytorch_flash::Flash_bwd_params)" },
	[K_ADAM] = { EV_KERNEL, "cudaLaunchKernel", 61000, 320, 512, 48, "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, float const*, double, double, double, double, double, bool, float*, float*>(at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, float const*, double, double, double, double, double, bool, float*, float*)" },
	[K_CONV_BWD] = { EV_KERNEL, "cudaLaunchKernel", 72000, 1280, 256, 96, "void cudnn::cnn::wgrad2d_grouped_direct_kernel<__nv_bfloat16, __nv_bfloat16, __nv_bfloat16, float, float, true, true, 0, 0, 0>(cudnn::cnn::WgradGroupedDirectParams, __nv_bfloat16 const*, __nv_bfloat16 const*, __nv_bfloat16*, float, float)" },
	[K_TRITON] = { EV_KERNEL, "cuLaunchKernel", 6900, 1024, 256, 40, "triton_poi_fused_add_bitwise_and_gelu_mul_0" },
	[K_ROPE] = { EV_KERNEL, "cudaLaunchKernel", 2400, 128, 512, 26, "void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*, c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, int, long, long, long, int, int, int)" },
	[K_SPLITK] = { EV_KERNEL, "cudaLaunchKernel", 3100, 256, 512, 32, "void cublasLt::splitKreduce_kernel<32, 16, int, __nv_bfloat16, __nv_bfloat16, float, __nv_bfloat16, true, true, false>(cublasLt::cublasSplitKParams<float>, __nv_bfloat16 const*, __nv_bfloat16 const*, __nv_bfloat16*, float const*, float const*, __nv_bfloat16 const*, __nv_bfloat16 const*, __nv_bfloat16*, void*, long, float*, int*, float*)" },
	[K_MEMSET] = { EV_MEMSET, "cudaMemsetAsync", 900, 0, 0, 0, "Memset (Device)" },
	[K_HTOD] = { EV_MEMCPY, "cudaMemcpyAsync", 14000, 0, 0, 0, "Memcpy HtoD (Pinned -> Device)" },
	[K_DTOH] = { EV_MEMCPY, "cudaMemcpyAsync", 1700, 0, 0, 0, "Memcpy DtoH (Device -> Pinned)" },
	[K_DTOD] = { EV_MEMCPY, "cudaMemcpyAsync", 3600, 0, 0, 0, "Memcpy DtoD (Device -> Device)" },
	[K_ALL_REDUCE] = { EV_NCCL, "cudaLaunchKernelExC", 150000, 24, 512, 96, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)" },
	[K_ALL_GATHER] = { EV_NCCL, "cudaLaunchKernelExC", 60000, 24, 512, 96, "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)" },
	[K_SEND_RECV] = { EV_NCCL, "cudaLaunchKernelExC", 60000, 4, 544, 96, "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)" },
	[K_GROUPED] = { EV_KERNEL, "cudaLaunchKernelExC", 400000, 132, 384, 168, "void cutlass::device_kernel<at::cuda::detail::enable_3x_kernel_for_sm9x<cutlass::gemm::kernel::GemmUniversal<cutlass::gemm::GroupProblemShape<cute::tuple<int, int, int> > > > >" },
};

#define END { .depth = -1 }
#define PY(d, text) { .depth = d, .name = text }
#define OP(d, text, inputs) { .depth = d, .name = text, .spec = inputs }
#define RUN(d, text, inputs, k) { .depth = d, .name = text, .spec = inputs, .kernel = k }
/* an operator with a sequence number and a backward pass */
#define DIFF(d, text, inputs, k, b) { .depth = d, .name = text, .spec = inputs, .kernel = k, .backward = b }
/* how the backward pass of an operator begins */
#define EVALUATE(text, inputs) OP(0, "autograd::engine::evaluate_function: " text, ""), OP(1, text, inputs)
#define MODULE_CALL(d) \
	PY(d, "torch/nn/modules/module.py(1751): _wrapped_call_impl"), PY((d) + 1, "torch/nn/modules/module.py(1762): _call_impl")

/* ---- backward ---- */

static const struct node backward_addmm[] = {
	EVALUATE("AddmmBackward0", "bN,H"),
	OP(2, "aten::t", "bH,F"), OP(3, "aten::transpose", "bH,F s0 s1"), OP(4, "aten::as_strided", "bH,F L[4096,1024] L[1,4096] -"),
	RUN(2, "aten::mm", "bN,H bH,F", K_GEMM_DX),
	OP(2, "aten::t", "bN,H"), OP(3, "aten::transpose", "bN,H s0 s1"), OP(4, "aten::as_strided", "bN,H L[1024,4096] L[1,1024] -"),
	RUN(2, "aten::mm", "bH,N bN,F", K_GEMM_DW),
	RUN(2, "aten::sum", "bN,H L[0] sTrue -", K_SUM),
	OP(2, "aten::view", "b1,H L[1024]"),
	EVALUATE("torch::autograd::AccumulateGrad", "bH,H"),
	RUN(2, "aten::add_", "bH,H bH,H s1", K_ADD),
	END
};
static const struct node backward_norm[] = {
	EVALUATE("NativeLayerNormBackward0", "bB,S,H"),
	RUN(2, "aten::native_layer_norm_backward", "bB,S,H bB,S,H L[1024] fB,S,1 fB,S,1 bH bH L[True,True,True]", K_NORM_BWD),
	OP(3, "aten::empty", "L[4,512,1024] s15 s0 - - s0"),
	END
};
static const struct node backward_flash[] = {
	EVALUATE("ScaledDotProductFlashAttentionBackward0", "bB,A,S,D"),
	OP(2, "aten::_scaled_dot_product_flash_attention_backward",
	   "bB,A,S,D bB,A,S,D bB,A,S,D bB,A,S,D bB,A,S,D fB,A,S - - s512 s512 s0. sTrue l l s0.125"),
	RUN(3, "aten::_flash_attention_backward",
	    "bB,S,A,D bB,S,A,D bB,S,A,D bB,S,A,D bB,S,A,D fB,A,S - - s512 s512 s0. sTrue l l s0.125 - -", K_FLASH_BWD),
	END
};
static const struct node backward_gelu[] = {
	EVALUATE("GeluBackward0", "bB,S,F"), RUN(2, "aten::gelu_backward", "bB,S,F bB,S,F snone", K_GELU),
	END
};
static const struct node backward_add[] = { EVALUATE("AddBackward0", "bB,S,H"), END };
static const struct node backward_conv[] = {
	EVALUATE("ConvolutionBackward0", "bB,H,14,14"),
	RUN(2, "aten::convolution_backward",
	    "bB,H,14,14 bB,3,224,224 bH,3,16,16 L[1024] L[16,16] L[0,0] L[1,1] sFalse L[0,0] s1 L[False,True,True]", K_CONV_BWD),
	RUN(3, "aten::zero_", "bH,3,16,16", K_MEMSET),
	END
};

/* ---- forward ---- */

#define CONV_INPUTS "bB,3,224,224 bH,3,16,16 bH L[16,16] L[0,0] L[1,1]"
const struct node gen_begin[] = {
	PY(0, "train.py(88): move_batch"), PY(1, "<built-in method to of Tensor object at 0x7ce279d2c5a0>"),
	OP(2, "aten::to", "lB,S s4 s0 sTrue sFalse -"), OP(3, "aten::_to_copy", "lB,S s4 s0 s0 sTrue sFalse -"),
	OP(4, "aten::empty_strided", "L[4,512] L[512,1] s4 s0 s0 -"), RUN(4, "aten::copy_", "lB,S lB,S sTrue", K_HTOD),
	MODULE_CALL(0), PY(2, "nn.Module: PatchEmbedding_0"), PY(3, "model/stem.py(31): forward"),
	PY(4, "nn.Module: Conv2d_0"), PY(5, "torch/nn/modules/conv.py(553): forward"), PY(6, "<built-in method conv2d of type object at 0x7fe155633c40>"),
	OP(7, "aten::conv2d", CONV_INPUTS " s1"),
	DIFF(8, "aten::convolution", CONV_INPUTS " sFalse L[0,0] s1", K_NONE, backward_conv),
	OP(9, "aten::_convolution", CONV_INPUTS " sFalse L[0,0] s1 sFalse sFalse sTrue sTrue"),
	RUN(10, "aten::cudnn_convolution", "bB,3,224,224 bH,3,16,16 L[0,0] L[16,16] L[1,1] s1 sFalse sFalse sTrue", K_CONV),
	RUN(10, "aten::add_", "bB,H,14,14 b1,H,1,1 s1", K_ADD),
	PY(4, "nn.Module: Embedding_0"), PY(5, "torch/nn/modules/sparse.py(190): forward"), PY(6, "torch/nn/functional.py(2465): embedding"),
	OP(7, "aten::embedding", "bV,H lB,S s-1 sFalse sFalse"),
	OP(8, "aten::reshape", "lB,S L[-1]"), OP(9, "aten::view", "lB,S L[-1]"), RUN(8, "aten::index_select", "bV,H s0 lN", K_EMBED),
	END
};
#define LINEAR(d, label, in, weight, bias, mat, kernel) \
	MODULE_CALL(d), PY((d) + 2, "<built-in method _get_tracing_state of PyCapsule object at 0x7d6af4f5f4e0>"), \
	PY((d) + 2, "nn.Module: " label), PY((d) + 3, "torch/nn/modules/linear.py(124): forward"), \
	PY((d) + 4, "torch/nn/modules/module.py(1915): __getattr__"), PY((d) + 4, "<built-in function linear>"), \
	OP((d) + 5, "aten::linear", in " " weight " " bias), \
	OP((d) + 6, "aten::t", weight), OP((d) + 7, "aten::transpose", weight " s0 s1"), \
	OP((d) + 8, "aten::as_strided", weight " L[1024,3072] L[1,1024] -"), OP((d) + 6, "aten::view", in " L[2048,1024]"), \
	DIFF((d) + 6, "aten::addmm", bias " " mat " " weight "' s1 s1", kernel, backward_addmm), \
	OP((d) + 6, "aten::view", mat " L[4,512,1024]")
#define NORM(d, label) \
	MODULE_CALL(d), PY((d) + 2, "nn.Module: " label), PY((d) + 3, "torch/nn/modules/normalization.py(216): forward"), \
	PY((d) + 4, "torch/nn/functional.py(2889): layer_norm"), PY((d) + 5, "<built-in function _has_torch_function_variadic>"), \
	PY((d) + 5, "<built-in method layer_norm of type object at 0x7fe155633c40>"), \
	OP((d) + 6, "aten::layer_norm", "bB,S,H L[1024] bH bH s1.0000000000000001e-05 sTrue"), \
	DIFF((d) + 7, "aten::native_layer_norm", "bB,S,H L[1024] bH bH s1.0000000000000001e-05", K_NORM, backward_norm), \
	OP((d) + 8, "aten::empty_like", "bB,S,H s15 s0 - - s0"), OP((d) + 9, "aten::empty_strided", "L[4,512,1024] L[524288,1024,1] s15 s0 - -"), \
	OP((d) + 8, "aten::empty", "L[4,512,1] s6 s0 - - -"), OP((d) + 8, "aten::empty", "L[4,512,1] s6 s0 - - -")
static const struct node attention_and_feed_forward[] = {
	NORM(0, "LayerNorm_%d"),
	MODULE_CALL(0), PY(2, "nn.Module: SelfAttention_%d"), PY(3, "model/attention.py(64): forward"),
	LINEAR(4, "QkvLinear_%d", "bB,S,H", "bQ,H", "bQ", "bN,H", K_GEMM_QKV),
	PY(4, "<built-in method chunk of Tensor object at 0x7ce279d2ce60>"),
	OP(5, "aten::chunk", "bB,S,Q s3 s-1"), OP(6, "aten::split", "bB,S,Q s1024 s-1"), OP(7, "aten::narrow", "bB,S,Q s-1 s0 s1024"),
	OP(8, "aten::slice", "bB,S,Q s-1 s0 s1024 s1"),
	PY(4, "<built-in method view of Tensor object at 0x7ce279c5bf20>"), OP(5, "aten::view", "bB,S,H L[4,512,16,64]"),
	PY(4, "<built-in method transpose of Tensor object at 0x7ce279c59630>"), OP(5, "aten::transpose", "bB,S,A,D s1 s2"),
	OP(6, "aten::as_strided", "bB,S,A,D L[4,16,512,64] L[1572864,64,3072,1] -"),
	PY(4, "<built-in function scaled_dot_product_attention>"),
	OP(5, "aten::scaled_dot_product_attention", "bB,A,S,D bB,A,S,D bB,A,S,D - s0. sTrue - sFalse"),
	DIFF(6, "aten::_scaled_dot_product_flash_attention", "bB,A,S,D bB,A,S,D bB,A,S,D s0. sTrue sFalse -", K_NONE, backward_flash),
	OP(7, "aten::transpose", "bB,A,S,D s1 s2"), OP(8, "aten::as_strided", "bB,A,S,D L[4,512,16,64] L[1572864,3072,64,1] -"),
	RUN(7, "aten::_flash_attention_forward", "bB,S,A,D bB,S,A,D bB,S,A,D - - s512 s512 s0. sTrue sFalse s0.125 - - - -", K_FLASH),
	OP(8, "aten::empty_like", "bB,S,A,D s15 s0 - - s0"), OP(8, "aten::empty", "L[4,16,512] s6 s0 - - -"),
	PY(4, "<built-in method contiguous of Tensor object at 0x7d67180cc500>"), OP(5, "aten::contiguous", "bB,S,A,D s0"),
	OP(6, "aten::clone", "bB,S,A,D s0"), RUN(7, "aten::copy_", "bB,S,A,D bB,S,A,D sFalse", K_COPY),
	LINEAR(4, "OutLinear_%d", "bB,S,H", "bH,H", "bH", "bN,H", K_GEMM_OUT),
	DIFF(0, "aten::add", "bB,S,H bB,S,H s1", K_ADD, backward_add),
	NORM(0, "LayerNorm_%d"),
	MODULE_CALL(0), PY(2, "nn.Module: FeedForward_%d"), PY(3, "model/feed_forward.py(22): forward"),
	LINEAR(4, "UpLinear_%d", "bB,S,H", "bF,H", "bF", "bN,H", K_GEMM_UP),
	PY(4, "nn.Module: GELU_%d"), PY(5, "<built-in function gelu>"), DIFF(6, "aten::gelu", "bB,S,F snone", K_GELU, backward_gelu),
	LINEAR(4, "DownLinear_%d", "bB,S,F", "bH,F", "bH", "bN,F", K_GEMM_DOWN),
	RUN(4, "aten::mul", "bB,S,H f", K_ADD),
	DIFF(0, "aten::add", "bB,S,H bB,S,H s1", K_ADD, backward_add),
	END
};
const struct node gen_layer[] = {
	MODULE_CALL(0), PY(2, "nn.Module: DecoderLayer_%d"),
	{ .depth = 3, .name = "model/decoder.py(143): forward", .inside = attention_and_feed_forward },
	END
};
const struct node gen_recompute[] = {
	PY(0, "torch/autograd/function.py(307): apply"), PY(1, "torch/utils/checkpoint.py(1124): unpack_hook"),
	{ .depth = 2, .name = "torch/utils/checkpoint.py(1500): recompute_fn", .inside = gen_layer },
	END
};
const struct node gen_end[] = {
	PY(0, "torch/_inductor/utils.py(2404): run"), PY(1, "/tmp/torchinductor_root/fx/cfxkq2.py(61): call"),
	OP(2, "## Call CompiledFxGraph fx7rkkuml5nt ##", ""), RUN(2, "triton_poi_fused_add_bitwise_and_gelu_mul_0", "bN,H bN,H bN,H", K_TRITON),
	OP(0, "aten::matmul", "bB,H bH,V"), RUN(1, "aten::mm", "bB,H bH,V", K_GEMM_OUT), RUN(1, "aten::sum", "bB,V L[0] sTrue -", K_SPLITK),
	RUN(0, "aten::clone", "bB,V s0", K_DTOD),
	END
};
const struct node gen_optimizer[] = {
	OP(0, "Optimizer.step#AdamW.step", ""),
	PY(1, "torch/optim/adamw.py(220): step"), PY(2, "torch/optim/adam.py(930): adam"),
	RUN(3, "aten::_foreach_add_", "G4:f s1", K_ADD),
	RUN(3, "aten::_fused_adamw_", "G4:fH,H G4:fH,H G4:fH,H G4:fH,H - G4:f s0.0001 s0.9 s0.999 s0.01 s1e-08 sFalse sFalse - -", K_ADAM),
	END
};
const struct node gen_read_loss[] = {
	PY(0, "<built-in method item of Tensor object at 0x7fdc681d0910>"), OP(1, "aten::item", "f"), RUN(2, "aten::_local_scalar_dense", "f", K_DTOH),
	END
};
const struct node gen_all_reduce[] = {
	OP(0, "c10d::allreduce_", "G1:fH - - - s-1"), OP(1, "record_param_comms", "allreduce"), RUN(2, "nccl:all_reduce", "allreduce", K_ALL_REDUCE),
	END
};
const struct node gen_all_gather[] = {
	OP(0, "c10d::_allgather_base_", "G1:fH - - - s-1"), OP(1, "record_param_comms", "_allgather_base"),
	RUN(2, "nccl:_all_gather_base", "_allgather_base", K_ALL_GATHER),
	END
};
