/* model.c - the workload whose trace is made: training or inference steps of a
 * transformer with a convolutional stem, described as tables of nested calls.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

const struct shape gen_shapes[4] = { { 4, 512 }, { 8, 512 }, { 2, 2048 }, { 1, 4096 } };

/* ---- kernels ---- */

enum kernel {
	K_NONE, K_CONV, K_NORM, K_GEMM_QKV, K_GEMM_OUT, K_GEMM_UP, K_GEMM_DOWN, K_FLASH, K_ADD, K_GELU,
	K_COPY, K_MUL, K_SUM, K_SOFTMAX, K_EMBED, K_FILL, K_GEMM_DX, K_GEMM_DW, K_NORM_BWD, K_FLASH_BWD, K_GELU_BWD,
	K_ADAM, K_LOSS, K_CONV_BWD, K_TRITON, K_RMS, K_ROPE, K_SILU, K_SPLITK,
	K_MEMSET, K_HTOD, K_DTOH, K_DTOD, K_NCCL_AR, K_NCCL_AG, K_COUNT
};

static const struct {
	const char *cuda, *hip;
	int ns;             /* typical time */
	uint32_t grid, block, regs;
	bool driver;        /* launched through the driver interface */
} kernels[K_COUNT] = {
	[K_CONV] = { "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x64_warpgroupsize1x1x1_g1_execute_segment_k_off_kernel__5x_cudnn",
	             "igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x128x32_wt32x32x8_ws1x1_wr2x2_ta1x8x2x1_1x4x1x64_tb1x8x2x1_1x4x1x64", 41000, 784, 256, 168, false },
	[K_NORM] = { "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)",
	             "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)", 6200, 2048, 128, 40, false },
	[K_GEMM_QKV] = { "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas",
	                 "Cijk_Alik_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs_MT256x160x64_MI16x16x1_SN_LDSB0_AFC1_AFEM1_AFEM1_ASEM1_CLR1_CADS0_DTLA0_DTLB0_DTVA0_DTVB0_EPS0_ELFLR0_EMLLn1_FDSI0_GRPM1_GRVWA8_GRVWB8_GSUAMB_GLS0_ISA942_IU1_K1_LBSPPA512", 31000, 384, 384, 168, false },
	[K_GEMM_OUT] = { "nvjet_tst_128x128_64x6_1x2_h_bz_coopA_bias_TNT",
	                 "Cijk_Alik_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs_MT128x128x64_MI16x16x1_SN_LDSB1_AFC1_AFEM1_AFEM1_ASEM1_CLR1_CADS0_DTLA0_DTLB0_DTVA0_DTVB0_EPS0_ELFLR0_EMLLn1_FDSI0_GRPM1_GRVWA8_GRVWB8_GSUAMB_GLS0_ISA942_IU1_K1_LBSPPA1024", 12000, 132, 384, 168, false },
	[K_GEMM_UP] = { "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8>(cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8::Params)",
	                "Cijk_Ailk_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs_MT256x256x32_MI32x32x1_SN_LDSB1_AFC1_AFEM1_AFEM1_ASEM1_CLR1_CADS0_DTLA0_DTLB0_DTVA0_DTVB0_EPS0_ELFLR0_EMLLn1_FDSI0_GRPM1_GRVWA8_GRVWB8_GSUAMB_GLS0_ISA942_IU1_K1_LBSPPA2048", 46000, 512, 256, 242, false },
	[K_GEMM_DOWN] = { "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize256x128x64_warpgroupsize2x1x1_execute_segment_k_off_kernel__5x_cublas",
	                  "Cijk_Alik_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs_MT256x128x64_MI32x32x1_SN_LDSB1_AFC1_AFEM1_AFEM1_ASEM1_CLR1_CADS0_DTLA0_DTLB0_DTVA0_DTVB0_EPS0_ELFLR0_EMLLn1_FDSI0_GRPM1_GRVWA8_GRVWB8_GSUAMB_GLS0_ISA942_IU1_K1_LBSPPA512", 44000, 264, 384, 168, false },
	[K_FLASH] = { "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t> >, false, true, false, false, false, true, false>(pytorch_flash::Flash_fwd_params)",
	              "_ZN7ck_tile6kentryILi2ENS_13FmhaFwdKernelINS_39BlockFmhaPipelineQRKSVSAsyncInterleavedINS_24BlockFmhaPipelineProblemIDF16bDF16bDF16bfffhDF16bfDF16bDF16bNS_13TileFmhaShapeINS_8sequenceIJLi128ELi128ELi32ELi64ELi32ELi64EEEEEEEEEEEEEvDpT1_", 38000, 512, 128, 254, false },
	[K_ADD] = { "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)",
	            "void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)", 4300, 4096, 128, 24, false },
	[K_GELU] = { "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}, std::array<char*, 2ul> >(int, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}, std::array<char*, 2ul>)",
	             "void at::native::vectorized_elementwise_kernel<8, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::'lambda0'()::operator()() const::'lambda2'()::operator()() const::'lambda'(c10::BFloat16), std::array<char*, 2ul> >(int, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::'lambda0'()::operator()() const::'lambda2'()::operator()() const::'lambda'(c10::BFloat16), std::array<char*, 2ul>)", 8100, 8192, 128, 30, false },
	[K_COPY] = { "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#12}::operator()() const::{lambda(c10::BFloat16)#1}>(at::TensorIteratorBase&, at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#12}::operator()() const::{lambda(c10::BFloat16)#1} const&)::{lambda(int)#1}>(int, at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#12}::operator()() const::{lambda(c10::BFloat16)#1}>)",
	             "void at::native::elementwise_kernel_manual_unroll<128, 8, at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#12}::operator()() const::{lambda(c10::BFloat16)#1}>(at::TensorIteratorBase&)::{lambda(int, bool)#1}>(int, at::native::gpu_kernel_impl_nocast)", 5100, 2048, 128, 32, false },
	[K_MUL] = { "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul> >(int, at::native::BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul>)",
	            "void at::native::vectorized_elementwise_kernel<8, at::native::AUnaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 2ul> >(int, at::native::AUnaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 2ul>)", 3800, 4096, 128, 24, false },
	[K_SUM] = { "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16, at::native::func_wrapper_t<c10::BFloat16, at::native::sum_functor<c10::BFloat16, float, c10::BFloat16>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, c10::BFloat16, 4> >(at::native::ReduceOp<c10::BFloat16, at::native::func_wrapper_t<c10::BFloat16, at::native::sum_functor<c10::BFloat16, float, c10::BFloat16>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, c10::BFloat16, 4>)",
	            "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<c10::BFloat16, at::native::func_wrapper_t<c10::BFloat16, at::native::sum_functor<c10::BFloat16, float, c10::BFloat16>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, c10::BFloat16, 4, 4> >(at::native::ReduceOp)", 5600, 64, 512, 32, false },
	[K_SOFTMAX] = { "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, float, c10::BFloat16, at::native::(anonymous namespace)::LogSoftMaxForwardEpilogue>(c10::BFloat16*, c10::BFloat16 const*, int)",
	                "void at::native::(anonymous namespace)::cunn_SoftMaxForwardGmem<8, c10::BFloat16, float, c10::BFloat16, at::native::(anonymous namespace)::LogSoftMaxForwardEpilogue, long>(c10::BFloat16*, c10::BFloat16 const*, long)", 28000, 2048, 1024, 40, false },
	[K_EMBED] = { "void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::BFloat16, long, unsigned int, 2, 2, -2, true>(at::cuda::detail::TensorInfo<c10::BFloat16, unsigned int>, at::cuda::detail::TensorInfo<c10::BFloat16 const, unsigned int>, at::cuda::detail::TensorInfo<long const, unsigned int>, int, int, unsigned int, unsigned int, long)",
	              "void at::native::(anonymous namespace)::indexSelectSmallIndex<c10::BFloat16, long, unsigned int, 2, 2, -2>(at::cuda::detail::TensorInfo<c10::BFloat16, unsigned int>, at::cuda::detail::TensorInfo<c10::BFloat16 const, unsigned int>, at::cuda::detail::TensorInfo<long const, unsigned int>, int, int, unsigned int, long)", 7100, 1024, 128, 28, false },
	[K_FILL] = { "void at::native::vectorized_elementwise_kernel<8, at::native::FillFunctor<c10::BFloat16>, std::array<char*, 1ul> >(int, at::native::FillFunctor<c10::BFloat16>, std::array<char*, 1ul>)",
	             "__amd_rocclr_fillBufferAligned.kd", 1900, 256, 128, 16, false },
	[K_GEMM_DX] = { "sm90_xmma_gemm_bf16bf16_bf16f32_f32_nn_n_tilesize128x256x64_warpgroupsize2x1x1_execute_segment_k_off_kernel__5x_cublas",
	                "Cijk_Ailk_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs_MT192x256x64_MI16x16x1_SN_LDSB1_AFC1_AFEM1_AFEM1_ASEM1_CLR1_CADS0_DTLA0_DTLB0_EPS0_ELFLR0_EMLLn1_FDSI0_GRPM1_GRVWA8_GRVWB8_GSUAMB_GLS0_ISA942_IU1_K1_LBSPPA128", 42000, 264, 384, 168, false },
	[K_GEMM_DW] = { "sm90_xmma_gemm_bf16bf16_bf16f32_f32_nt_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas",
	                "Cijk_Ailk_Bjlk_BBS_BH_Bias_HAS_SAV_UserArgs_MT256x224x32_MI16x16x1_SN_LDSB1_AFC1_AFEM1_AFEM1_ASEM1_CLR1_CADS0_DTLA0_DTLB0_EPS0_ELFLR0_EMLLn1_FDSI0_GRPM1_GRVWA8_GRVWB8_GSUAMB_GLS0_ISA942_IU1_K1_LBSPPA256", 45000, 256, 384, 168, false },
	[K_NORM_BWD] = { "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<c10::BFloat16, float>(c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, c10::BFloat16 const*, c10::BFloat16*, int)",
	                 "void at::native::(anonymous namespace)::cuComputeGradInput<c10::BFloat16, float>(c10::BFloat16 const*, c10::BFloat16 const*, int, float const*, float const*, c10::BFloat16 const*, c10::BFloat16*)", 9800, 2048, 128, 38, false },
	[K_FLASH_BWD] = { "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<pytorch_flash::Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, 4, false, false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<64, 128, 128, 8, cutlass::bfloat16_t> >, false, true, false, false, false, true, false>(pytorch_flash::Flash_bwd_params)",
	                  "_ZN7ck_tile6kentryILi1ENS_22FmhaBwdDQDKDVKernelINS_36BlockFmhaBwdDQDKDVPipelineKRKTRVRIglpINS_28BlockFmhaBwdPipelineProblemIDF16bDF16bDF16bDF16bDF16bffDF16bDF16bhDF16bDF16bDF16bDF16bEEEEEEEEvDpT1_", 96000, 256, 256, 255, false },
	[K_GELU_BWD] = { "void at::native::vectorized_elementwise_kernel<4, at::native::GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16, c10::BFloat16)#1}, std::array<char*, 3ul> >(int, at::native::GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16, c10::BFloat16)#1}, std::array<char*, 3ul>)",
	                 "void at::native::vectorized_elementwise_kernel<8, at::native::GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::'lambda0'()::operator()() const::'lambda2'()::operator()() const::'lambda'(c10::BFloat16, c10::BFloat16), std::array<char*, 3ul> >(int)", 11000, 8192, 128, 32, false },
	[K_ADAM] = { "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, float const*, double, double, double, double, double, bool, float*, float*>(at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, float const*, double, double, double, double, double, bool, float*, float*)",
	             "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, float const*, double>(at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>)", 61000, 320, 512, 48, false },
	[K_LOSS] = { "void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<c10::BFloat16, float, long>(c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, long const*, c10::BFloat16 const*, bool, long, long, long, long)",
	             "void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<c10::BFloat16, float, long>(c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, long const*, c10::BFloat16 const*, bool, long, long, long, long)", 4100, 1, 32, 30, false },
	[K_CONV_BWD] = { "void cudnn::cnn::wgrad2d_grouped_direct_kernel<__nv_bfloat16, __nv_bfloat16, __nv_bfloat16, float, float, true, true, 0, 0, 0>(cudnn::cnn::WgradGroupedDirectParams, __nv_bfloat16 const*, __nv_bfloat16 const*, __nv_bfloat16*, float, float)",
	                 "igemm_wrw_gtcx3_nhwc_bf16_bx0_ex1_bt64x32x32_wt16x16x16_ws1x1_wr2x1_ta1x4x1x2_1x8x1x32_tb1x4x1x1_1x8x1x32_vs1_gkgs", 72000, 1280, 256, 96, false },
	[K_TRITON] = { "triton_poi_fused_add_bitwise_and_gelu_mul_0", "triton_poi_fused_add_bitwise_and_gelu_mul_0", 6900, 1024, 256, 40, true },
	[K_RMS] = { "std::enable_if<(((8)>(0)))&&vllm::_typeConvert<c10::BFloat16>::exists, void>::type vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*, long, c10::BFloat16*, c10::BFloat16 const*, float, int, int)",
	            "_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdINS_27Rmsnorm2dFwdPipelineOnePassINS_27Rmsnorm2dFwdPipelineProblemIDF16bDF16bfDF16bDF16bDF16bffEEEEEEvDpT1_", 3300, 128, 1024, 36, false },
	[K_ROPE] = { "void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*, c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, int, long, long, long, int, int, int)",
	             "void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*, c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, int, long, long, long, int, int, int)", 2400, 128, 512, 26, false },
	[K_SILU] = { "void vllm::act_and_mul_kernel<c10::BFloat16, &(c10::BFloat16 vllm::silu_kernel<c10::BFloat16>(c10::BFloat16 const&)), true>(c10::BFloat16*, c10::BFloat16 const*, int)",
	             "void vllm::act_and_mul_kernel<c10::BFloat16, &(c10::BFloat16 vllm::silu_kernel<c10::BFloat16>(c10::BFloat16 const&)), true>(c10::BFloat16*, c10::BFloat16 const*, int)", 3900, 128, 1024, 22, false },
	[K_SPLITK] = { "void cublasLt::splitKreduce_kernel<32, 16, int, __nv_bfloat16, __nv_bfloat16, float, __nv_bfloat16, true, true, false>(cublasLt::cublasSplitKParams<float>, __nv_bfloat16 const*, __nv_bfloat16 const*, __nv_bfloat16*, float const*, float const*, __nv_bfloat16 const*, __nv_bfloat16 const*, __nv_bfloat16*, void*, long, float*, int*, float*)",
	               "Cijk_BB_BiasS_HAS_ScaleAlphaVec_PostGSU8_VW4", 3100, 256, 512, 32, false },
	[K_MEMSET] = { "Memset (Device)", "Memset (Device)", 900, 0, 0, 0, false },
	[K_HTOD] = { "Memcpy HtoD (Pinned -> Device)", "Memcpy HtoD (Host -> Device)", 14000, 0, 0, 0, false },
	[K_DTOH] = { "Memcpy DtoH (Device -> Pinned)", "Memcpy DtoH (Device -> Host)", 1700, 0, 0, 0, false },
	[K_DTOD] = { "Memcpy DtoD (Device -> Device)", "Memcpy DtoD (Device -> Device)", 3600, 0, 0, 0, false },
	[K_NCCL_AR] = { "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)", 150000, 24, 512, 96, false },
	[K_NCCL_AG] = { "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)", 60000, 24, 512, 96, false },
};

/* ---- calls ----
 * A node is a call; the nodes after it with a greater depth are made inside it.
 * Names with '(' after ".py" or starting with '<' or "nn.Module" are python
 * frames. The spec lists an op's inputs, blank-separated:
 *   bN,H   tensor of type b (b bfloat16, f float, l long, o bool) and these
 *          sizes: numbers or B batch, S sequence, N = B*S, H hidden, Q = 3*H,
 *          F = 4*H, V vocabulary, A heads, D head size
 *   bN,H'  the same, transposed
 *   s1     scalar with this text; L[1,2] list of scalars (',' becomes ", ")
 *   G3:fH  list of 3 tensors; - nothing */
struct node {
	int depth;
	const char *name, *spec;
	int kernel;
	const struct node *backward; /* has a sequence number; run in the backward pass */
};

#define END { -1, NULL, NULL, 0, NULL }
#define PY(d, text) { d, text, NULL, 0, NULL }
#define OP(d, text, spec) { d, text, spec, 0, NULL }
#define RUN(d, text, spec, kernel) { d, text, spec, kernel, NULL }
#define CALL PY(0, "torch/nn/modules/module.py(1751): _wrapped_call_impl"), PY(1, "torch/nn/modules/module.py(1762): _call_impl")

static const struct node bwd_accumulate[] = {
	OP(0, "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", ""),
	OP(1, "torch::autograd::AccumulateGrad", "bH,H"),
	RUN(2, "aten::add_", "bH,H bH,H s1", K_ADD),
	END
};
static const struct node bwd_addmm[] = {
	OP(0, "autograd::engine::evaluate_function: AddmmBackward0", ""),
	OP(1, "AddmmBackward0", "bN,H"),
	OP(2, "aten::t", "bH,F"), OP(3, "aten::transpose", "bH,F s0 s1"), OP(4, "aten::as_strided", "bH,F L[4096,1024] L[1,4096] -"),
	RUN(2, "aten::mm", "bN,H bH,F", K_GEMM_DX),
	OP(2, "aten::t", "bN,H"), OP(3, "aten::transpose", "bN,H s0 s1"), OP(4, "aten::as_strided", "bN,H L[1024,4096] L[1,1024] -"),
	RUN(2, "aten::mm", "bH,N bN,F", K_GEMM_DW),
	RUN(2, "aten::sum", "bN,H L[0] sTrue -", K_SUM),
	OP(2, "aten::view", "b1,H L[1024]"),
	END
};
static const struct node bwd_norm[] = {
	OP(0, "autograd::engine::evaluate_function: NativeLayerNormBackward0", ""),
	OP(1, "NativeLayerNormBackward0", "bB,S,H"),
	RUN(2, "aten::native_layer_norm_backward", "bB,S,H bB,S,H L[1024] fB,S,1 fB,S,1 bH bH L[True,True,True]", K_NORM_BWD),
	OP(3, "aten::empty", "L[4,512,1024] s15 s0 - - s0"),
	END
};
static const struct node bwd_flash[] = {
	OP(0, "autograd::engine::evaluate_function: ScaledDotProductFlashAttentionBackward0", ""),
	OP(1, "ScaledDotProductFlashAttentionBackward0", "bB,A,S,D"),
	OP(2, "aten::_scaled_dot_product_flash_attention_backward", "bB,A,S,D bB,A,S,D bB,A,S,D bB,A,S,D bB,A,S,D fB,A,S - - s512 s512 s0. sTrue l l s0.125"),
	RUN(3, "aten::_flash_attention_backward", "bB,S,A,D bB,S,A,D bB,S,A,D bB,S,A,D bB,S,A,D fB,A,S - - s512 s512 s0. sTrue l l s0.125 - -", K_FLASH_BWD),
	END
};
static const struct node bwd_gelu[] = {
	OP(0, "autograd::engine::evaluate_function: GeluBackward0", ""),
	OP(1, "GeluBackward0", "bB,S,F"),
	RUN(2, "aten::gelu_backward", "bB,S,F bB,S,F snone", K_GELU_BWD),
	END
};
static const struct node bwd_add[] = {
	OP(0, "autograd::engine::evaluate_function: AddBackward0", ""),
	OP(1, "AddBackward0", "bB,S,H"),
	END
};
static const struct node bwd_conv[] = {
	OP(0, "autograd::engine::evaluate_function: ConvolutionBackward0", ""),
	OP(1, "ConvolutionBackward0", "bB,H,14,14"),
	RUN(2, "aten::convolution_backward", "bB,H,14,14 bB,3,224,224 bH,3,16,16 L[1024] L[16,16] L[0,0] L[1,1] sFalse L[0,0] s1 L[False,True,True]", K_CONV_BWD),
	RUN(3, "aten::zero_", "bH,3,16,16", K_MEMSET),
	END
};
static const struct node bwd_embed[] = {
	OP(0, "autograd::engine::evaluate_function: EmbeddingBackward0", ""),
	OP(1, "EmbeddingBackward0", "bB,S,H"),
	OP(2, "aten::embedding_dense_backward", "bB,S,H lB,S sV s-1 sFalse"),
	RUN(3, "aten::zero_", "bV,H", K_MEMSET),
	RUN(3, "aten::index_put_", "bV,H lN bN,H sTrue", K_EMBED),
	END
};
static const struct node bwd_loss[] = {
	OP(0, "autograd::engine::evaluate_function: NllLossBackward0", ""),
	OP(1, "NllLossBackward0", "f"),
	RUN(2, "aten::nll_loss_backward", "f fN,V lN - s1 s-100 f", K_LOSS),
	END
};

static const struct node input_copy[] = {
	PY(0, "train.py(88): move_batch"), PY(1, "<built-in method to of Tensor object at 0x7ce279d2c5a0>"),
	OP(2, "aten::to", "lB,S s4 s0 sTrue sFalse -"), OP(3, "aten::_to_copy", "lB,S s4 s0 s0 sTrue sFalse -"),
	OP(4, "aten::empty_strided", "L[4,512] L[512,1] s4 s0 s0 -"),
	RUN(4, "aten::copy_", "lB,S lB,S sTrue", K_HTOD),
	END
};
static const struct node stem[] = {
	CALL, PY(2, "nn.Module: PatchEmbedding_0"), PY(3, "model/stem.py(31): forward"),
	PY(4, "torch/nn/modules/module.py(1751): _wrapped_call_impl"), PY(5, "nn.Module: Conv2d_0"), PY(6, "torch/nn/modules/conv.py(553): forward"), PY(7, "<built-in method conv2d of type object at 0x7fe155633c40>"),
	OP(8, "aten::conv2d", "bB,3,224,224 bH,3,16,16 bH L[16,16] L[0,0] L[1,1] s1"),
	{ 9, "aten::convolution", "bB,3,224,224 bH,3,16,16 bH L[16,16] L[0,0] L[1,1] sFalse L[0,0] s1", 0, bwd_conv },
	OP(10, "aten::_convolution", "bB,3,224,224 bH,3,16,16 bH L[16,16] L[0,0] L[1,1] sFalse L[0,0] s1 sFalse sFalse sTrue sTrue"),
	RUN(11, "aten::cudnn_convolution", "bB,3,224,224 bH,3,16,16 L[0,0] L[16,16] L[1,1] s1 sFalse sFalse sTrue", K_CONV),
	RUN(11, "aten::add_", "bB,H,14,14 b1,H,1,1 s1", K_ADD),
	PY(4, "torch/nn/modules/module.py(1751): _wrapped_call_impl"), PY(5, "nn.Module: Embedding_0"), PY(6, "torch/nn/modules/sparse.py(190): forward"), PY(7, "torch/nn/functional.py(2465): embedding"),
	{ 8, "aten::embedding", "bV,H lB,S s-1 sFalse sFalse", 0, bwd_embed },
	OP(9, "aten::reshape", "lB,S L[-1]"), OP(10, "aten::view", "lB,S L[-1]"),
	RUN(9, "aten::index_select", "bV,H s0 lN", K_EMBED),
	END
};
#define LINEAR(d, label, in, weight, bias, mat, kernel) \
	PY(d, "torch/nn/modules/module.py(1751): _wrapped_call_impl"), PY((d) + 1, "torch/nn/modules/module.py(1762): _call_impl"), \
	PY((d) + 2, "<built-in method _get_tracing_state of PyCapsule object at 0x7d6af4f5f4e0>"), \
	PY((d) + 2, "nn.Module: " label), PY((d) + 3, "torch/nn/modules/linear.py(124): forward"), \
	PY((d) + 4, "torch/nn/modules/module.py(1915): __getattr__"), PY((d) + 4, "<built-in function linear>"), \
	OP((d) + 5, "aten::linear", in " " weight " " bias), \
	OP((d) + 6, "aten::t", weight), OP((d) + 7, "aten::transpose", weight " s0 s1"), OP((d) + 8, "aten::as_strided", weight " L[1024,3072] L[1,1024] -"), \
	OP((d) + 6, "aten::view", in " L[2048,1024]"), \
	{ (d) + 6, "aten::addmm", bias " " mat " " weight "' s1 s1", kernel, bwd_addmm }, \
	OP((d) + 6, "aten::view", mat " L[4,512,1024]")
#define NORM(d, label) \
	PY(d, "torch/nn/modules/module.py(1751): _wrapped_call_impl"), PY((d) + 1, "torch/nn/modules/module.py(1762): _call_impl"), \
	PY((d) + 2, "nn.Module: " label), PY((d) + 3, "torch/nn/modules/normalization.py(216): forward"), PY((d) + 4, "torch/nn/functional.py(2889): layer_norm"), \
	PY((d) + 5, "<built-in function _has_torch_function_variadic>"), PY((d) + 5, "<built-in method layer_norm of type object at 0x7fe155633c40>"), \
	OP((d) + 6, "aten::layer_norm", "bB,S,H L[1024] bH bH s1.0000000000000001e-05 sTrue"), \
	{ (d) + 7, "aten::native_layer_norm", "bB,S,H L[1024] bH bH s1.0000000000000001e-05", K_NORM, bwd_norm }, \
	OP((d) + 8, "aten::empty_like", "bB,S,H s15 s0 - - s0"), OP((d) + 9, "aten::empty_strided", "L[4,512,1024] L[524288,1024,1] s15 s0 - -"), \
	OP((d) + 8, "aten::empty", "L[4,512,1] s6 s0 - - -"), OP((d) + 8, "aten::empty", "L[4,512,1] s6 s0 - - -")

static const struct node attention[] = {
	NORM(0, "LayerNorm_%d"),
	PY(0, "torch/nn/modules/module.py(1751): _wrapped_call_impl"), PY(1, "torch/nn/modules/module.py(1762): _call_impl"), PY(2, "nn.Module: SelfAttention_%d"), PY(3, "model/attention.py(64): forward"),
	LINEAR(4, "QkvLinear_%d", "bB,S,H", "bQ,H", "bQ", "bN,H", K_GEMM_QKV),
	PY(4, "<built-in method chunk of Tensor object at 0x7ce279d2ce60>"),
	OP(5, "aten::chunk", "bB,S,Q s3 s-1"), OP(6, "aten::split", "bB,S,Q s1024 s-1"), OP(7, "aten::narrow", "bB,S,Q s-1 s0 s1024"), OP(8, "aten::slice", "bB,S,Q s-1 s0 s1024 s1"),
	PY(4, "<built-in method view of Tensor object at 0x7ce279c5bf20>"), OP(5, "aten::view", "bB,S,H L[4,512,16,64]"),
	PY(4, "<built-in method transpose of Tensor object at 0x7ce279c59630>"), OP(5, "aten::transpose", "bB,S,A,D s1 s2"), OP(6, "aten::as_strided", "bB,S,A,D L[4,16,512,64] L[1572864,64,3072,1] -"),
	PY(4, "<built-in function scaled_dot_product_attention>"),
	OP(5, "aten::scaled_dot_product_attention", "bB,A,S,D bB,A,S,D bB,A,S,D - s0. sTrue - sFalse"),
	{ 6, "aten::_scaled_dot_product_flash_attention", "bB,A,S,D bB,A,S,D bB,A,S,D s0. sTrue sFalse -", 0, bwd_flash },
	OP(7, "aten::transpose", "bB,A,S,D s1 s2"), OP(8, "aten::as_strided", "bB,A,S,D L[4,512,16,64] L[1572864,3072,64,1] -"),
	RUN(7, "aten::_flash_attention_forward", "bB,S,A,D bB,S,A,D bB,S,A,D - - s512 s512 s0. sTrue sFalse s0.125 - - - -", K_FLASH),
	OP(8, "aten::empty_like", "bB,S,A,D s15 s0 - - s0"), OP(8, "aten::empty", "L[4,16,512] s6 s0 - - -"),
	PY(4, "<built-in method contiguous of Tensor object at 0x7d67180cc500>"), OP(5, "aten::contiguous", "bB,S,A,D s0"), OP(6, "aten::clone", "bB,S,A,D s0"), RUN(7, "aten::copy_", "bB,S,A,D bB,S,A,D sFalse", K_COPY),
	LINEAR(4, "OutLinear_%d", "bB,S,H", "bH,H", "bH", "bN,H", K_GEMM_OUT),
	{ 0, "aten::add", "bB,S,H bB,S,H s1", K_ADD, bwd_add },
	END
};
static const struct node feed_forward[] = {
	NORM(0, "LayerNorm_%d"),
	PY(0, "torch/nn/modules/module.py(1751): _wrapped_call_impl"), PY(1, "torch/nn/modules/module.py(1762): _call_impl"), PY(2, "nn.Module: FeedForward_%d"), PY(3, "model/feed_forward.py(22): forward"),
	LINEAR(4, "UpLinear_%d", "bB,S,H", "bF,H", "bF", "bN,H", K_GEMM_UP),
	PY(4, "torch/nn/modules/module.py(1751): _wrapped_call_impl"), PY(5, "nn.Module: GELU_%d"), PY(6, "<built-in function gelu>"),
	{ 7, "aten::gelu", "bB,S,F snone", K_GELU, bwd_gelu },
	LINEAR(4, "DownLinear_%d", "bB,S,F", "bH,F", "bH", "bN,F", K_GEMM_DOWN),
	RUN(4, "aten::mul", "bB,S,H f", K_MUL),
	{ 0, "aten::add", "bB,S,H bB,S,H s1", K_ADD, bwd_add },
	END
};
static const struct node compiled[] = {
	PY(0, "torch/_inductor/utils.py(2404): run"), PY(1, "/tmp/torchinductor_root/fx/cfxkq2.py(61): call"),
	OP(2, "## Call CompiledFxGraph fx7rkkuml5nt ##", ""),
	RUN(2, "triton_poi_fused_add_bitwise_and_gelu_mul_0", "bN,H bN,H bN,H", K_TRITON),
	END
};
static const struct node loss[] = {
	PY(0, "torch/nn/functional.py(3479): cross_entropy"),
	OP(1, "aten::cross_entropy_loss", "bN,V lN - s1 s-100 s0."),
	RUN(2, "aten::log_softmax", "bN,V s1 -", K_SOFTMAX),
	{ 2, "aten::nll_loss_nd", "fN,V lN - s1 s-100", 0, bwd_loss }, OP(3, "aten::nll_loss", "fN,V lN - s1 s-100"), RUN(4, "aten::nll_loss_forward", "fN,V lN - s1 s-100", K_LOSS),
	END
};
static const struct node read_loss[] = {
	PY(0, "<built-in method item of Tensor object at 0x7fdc681d0910>"), OP(1, "aten::item", "f"), RUN(2, "aten::_local_scalar_dense", "f", K_DTOH),
	END
};
static const struct node optimizer[] = {
	PY(0, "torch/optim/adamw.py(220): step"), PY(1, "torch/optim/adam.py(930): adam"), PY(2, "torch/optim/optimizer.py(153): maybe_fallback"),
	RUN(3, "aten::_foreach_add_", "G4:f s1", K_ADD),
	RUN(3, "aten::_fused_adamw_", "G4:fH,H G4:fH,H G4:fH,H G4:fH,H - G4:f s0.0001 s0.9 s0.999 s0.01 s1e-08 sFalse sFalse - -", K_ADAM),
	PY(1, "torch/optim/optimizer.py(935): zero_grad"),
	RUN(2, "aten::_foreach_zero_", "G4:fH,H", K_FILL),
	END
};
static const struct node split_k[] = {
	OP(0, "aten::matmul", "bB,H bH,V"), RUN(1, "aten::mm", "bB,H bH,V", K_GEMM_OUT), RUN(1, "aten::sum", "bB,V L[0] sTrue -", K_SPLITK),
	RUN(0, "aten::clone", "bB,V s0", K_DTOD),
	END
};

static const int graph_cycle[] = { K_RMS, K_GEMM_QKV, K_ROPE, K_FLASH, K_GEMM_OUT, K_RMS, K_GEMM_UP, K_SILU, K_GEMM_DOWN, K_SPLITK };

/* ---- machinery ---- */

static uint64_t next(struct gen *g)
{
	uint64_t z = g->rng += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static int64_t between(struct gen *g, int64_t lo, int64_t hi)
{
	return lo + (int64_t)(next(g) % (uint64_t)(hi - lo + 1));
}

static void *grown(void *p, size_t *cap, size_t need, size_t size)
{
	if (need <= *cap)
		return p;
	*cap = need + need / 2 + 64;
	p = realloc(p, *cap * size);
	if (!p) {
		fputs("tl-gen: error: out of memory\n", stderr);
		exit(1);
	}
	return p;
}

static struct ev *add(struct gen *g, int what, const char *name)
{
	struct ev *e;

	g->ev = grown(g->ev, &g->cap_ev, g->n_ev + 1, sizeof *g->ev);
	e = &g->ev[g->n_ev++];
	*e = (struct ev){ .what = (uint8_t)what, .name = name, .ts = g->now, .tid = g->tid, .shape = g->shape };
	return e;
}

/* A name with the layer's number in it. The arena is sized ahead so that names
 * never move. */
static const char *numbered(struct gen *g, const char *format, int n)
{
	char *s = g->names + g->n_names;

	if (!strstr(format, "%d"))
		return format;
	g->n_names += (size_t)snprintf(s, g->cap_names - g->n_names, format, n) + 1;
	return s;
}

static bool is_python(const char *name)
{
	return name[0] == '<' || !strncmp(name, "nn.Module", 9) || strstr(name, ".py(");
}

static void arrow(struct gen *g, int what, uint32_t id, int64_t ts, uint16_t tid, bool on_device)
{
	struct ev *e = add(g, what, "ac2g");

	e->corr = id;
	e->ts = ts;
	e->tid = tid;
	e->num = on_device;
}

/* One piece of device work launched by the runtime call with this correlation. */
static struct ev *device_work(struct gen *g, int k, uint32_t corr, uint16_t stream, int64_t earliest)
{
	const char *name = g->opt->amd ? kernels[k].hip : kernels[k].cuda;
	int64_t start = earliest > g->stream_end[stream] ? earliest : g->stream_end[stream] + between(g, 300, 1400);
	struct ev *e = add(g, EV_KERNEL, name);

	e->what = k == K_MEMSET ? EV_MEMSET : k >= K_HTOD && k <= K_DTOD ? EV_MEMCPY : k >= K_NCCL_AR ? EV_NCCL : EV_KERNEL;
	if (e->what == EV_MEMCPY)
		e->spec = k == K_HTOD ? "HtoD" : k == K_DTOH ? "DtoH" : "DtoD";
	e->ts = start;
	e->dur = kernels[k].ns * between(g, 92, 110) / 100 + between(g, 0, 63);
	e->tid = stream;
	e->corr = corr;
	e->ext = g->op_ext;
	e->grid = kernels[k].grid;
	e->block = kernels[k].block;
	e->regs = kernels[k].regs;
	e->num = e->what == EV_MEMSET ? 4 << between(g, 0, 8) : 8 << between(g, 4, 10);
	g->stream_end[stream] = e->ts + e->dur;
	return e;
}

static const char *call_name(const struct gen *g, int k)
{
	if (k == K_MEMSET)
		return g->opt->amd ? "hipMemsetAsync" : "cudaMemsetAsync";
	if (k >= K_HTOD && k <= K_DTOD)
		return g->opt->amd ? "hipMemcpyAsync" : "cudaMemcpyAsync";
	if (k >= K_NCCL_AR || k == K_GEMM_DX)
		return g->opt->amd ? "hipExtLaunchKernel" : "cudaLaunchKernelExC";
	return g->opt->amd ? "hipLaunchKernel" : "cudaLaunchKernel";
}

static size_t runtime_call(struct gen *g, int what, const char *name)
{
	struct ev *e = add(g, what, name);

	e->corr = ++g->corr;
	e->ext = g->op_ext;
	return g->n_ev - 1;
}

static void launch(struct gen *g, int k, uint16_t stream)
{
	size_t call;
	uint32_t corr;
	int64_t begin;

	if (between(g, 0, 15) == 0) { /* a call that launches nothing */
		call = runtime_call(g, EV_RUNTIME, g->opt->amd ? "hipStreamIsCapturing" : "cudaStreamIsCapturing");
		g->now += between(g, 200, 900);
		g->ev[call].dur = g->now - g->ev[call].ts;
		g->now += between(g, 50, 300);
	}
	begin = g->now;
	call = kernels[k].driver ? runtime_call(g, EV_DRIVER, g->opt->amd ? "hipModuleLaunchKernel" : "cuLaunchKernel")
	                         : runtime_call(g, EV_RUNTIME, call_name(g, k));
	corr = g->corr;
	g->now += between(g, 2800, 7200);
	g->ev[call].dur = g->now - begin;
	g->ev[call].grid = kernels[k].grid;
	g->ev[call].block = kernels[k].block;
	g->ev[call].spec = g->opt->amd ? kernels[k].hip : NULL;
	arrow(g, EV_ARROW_START, corr, begin, g->tid, false);
	begin = device_work(g, k, corr, stream, g->now + between(g, 1500, 6000))->ts;
	arrow(g, EV_ARROW_END, corr, begin, stream, true);
	g->now += between(g, 300, 1200);
}

static size_t op_begin(struct gen *g, const char *name, const char *spec, uint32_t seq)
{
	struct ev *e = add(g, EV_OP, name);

	e->spec = spec;
	e->ext = g->op_ext = ++g->ext;
	e->seq = seq;
	e->index = g->index++;
	return g->n_ev - 1;
}

static size_t python_begin(struct gen *g, const char *name)
{
	struct ev *e = add(g, EV_PYTHON, name);

	e->num = ++g->python_id;
	e->parent = g->python_parent;
	e->index = g->index++;
	g->python_parent = g->python_id;
	return g->n_ev - 1;
}

static void span_end(struct gen *g, size_t i)
{
	g->ev[i].dur = g->now - g->ev[i].ts;
	if (g->ev[i].what == EV_PYTHON)
		g->python_parent = g->ev[i].parent;
	g->now += between(g, 40, 400);
}

static void memory_event(struct gen *g)
{
	struct ev *e = add(g, EV_MEMORY, "[memory]");

	e->num = between(g, 1, 64) * 524288;
	if (between(g, 0, 1))
		e->num = -e->num;
	e->index = g->index++;
	g->allocated += e->num;
	e->spec = NULL;
	e->dur = g->allocated;
}

static void queue_backward(struct gen *g, const struct node *nodes, uint32_t seq)
{
	struct pending *p;

	g->pending = grown(g->pending, &g->cap_pending, g->n_pending + 1, sizeof *g->pending);
	p = &g->pending[g->n_pending++];
	*p = (struct pending){ .seq = seq, .ts = g->now, .nodes = nodes, .flow = ++g->flow };
	add(g, EV_FWD, "fwdbwd")->corr = p->flow;
}

/* Makes the call at n and all inside it; returns the call after. `number` goes
 * into module names, `seq` (when not 0) is the sequence number of a backward
 * op's first two levels, `forward` queues the backward pass. */
static const struct node *walk(struct gen *g, const struct node *n, int number, uint32_t seq, bool forward)
{
	const struct node *self = n++;
	bool python = is_python(self->name);
	uint32_t outer_ext = g->op_ext;
	size_t span = SIZE_MAX;

	if (python && g->opt->python) {
		span = python_begin(g, numbered(g, self->name, number));
		g->now += between(g, 100, 1500);
	} else if (!python) {
		uint32_t s = self->backward ? ++g->seq : seq && self->depth < 2 ? seq : 0;

		span = op_begin(g, self->name, self->spec, s);
		if (self->backward && forward)
			queue_backward(g, self->backward, s);
		g->now += between(g, 200, 1800);
		if (!strncmp(self->name, "aten::empty", 11))
			memory_event(g);
	}
	while (n->depth > self->depth)
		n = walk(g, n, number, seq, forward);
	if (self->kernel)
		launch(g, self->kernel, 7);
	if (span != SIZE_MAX)
		span_end(g, span);
	g->op_ext = outer_ext;
	return n;
}

static void run(struct gen *g, const struct node *n, int number, uint32_t seq, bool forward)
{
	while (n->depth >= 0)
		n = walk(g, n, number, seq, forward);
}

static size_t annotate(struct gen *g, const char *name)
{
	struct ev *e = add(g, EV_ANNOTATION, name);

	e->ext = ++g->ext;
	e->index = g->index++;
	return g->n_ev - 1;
}

static void gpu_annotate(struct gen *g, const char *name, uint32_t ext, int64_t begin, int64_t end, uint16_t stream)
{
	struct ev *e = add(g, EV_GPU_ANNOTATION, name);

	e->ext = ext;
	e->ts = begin;
	e->dur = end > begin ? end - begin : 1000;
	e->tid = stream;
}

static void collective(struct gen *g, int k, int64_t elements)
{
	const bool gather = k == K_NCCL_AG;
	size_t outer, inner, note;
	int64_t begin, end;

	outer = op_begin(g, gather ? "c10d::_allgather_base_" : "c10d::allreduce_", "G1:fH - - - s-1", 0);
	g->now += between(g, 2000, 9000);
	inner = op_begin(g, "record_param_comms", gather ? "#allgather" : "#allreduce", 0);
	g->ev[inner].num = elements;
	g->now += between(g, 3000, 9000);
	note = annotate(g, gather ? "nccl:_all_gather_base" : "nccl:all_reduce");
	g->now += between(g, 500, 1500);
	launch(g, k, 20);
	for (size_t i = g->n_ev; i-- > note;)
		if (g->ev[i].what == EV_NCCL) {
			g->ev[i].num = elements;
			g->ev[i].spec = gather ? "_allgather_base" : "allreduce";
			break;
		}
	end = g->stream_end[20];
	begin = end - kernels[k].ns;
	span_end(g, note);
	gpu_annotate(g, g->ev[note].name, g->ev[note].ext, begin, end, 20);
	span_end(g, inner);
	span_end(g, outer);
}

static void layer(struct gen *g, int number, bool forward)
{
	size_t spans[4] = { 0 };
	bool python = g->opt->python;

	if (python) {
		spans[0] = python_begin(g, "torch/nn/modules/module.py(1751): _wrapped_call_impl");
		spans[1] = python_begin(g, "torch/nn/modules/module.py(1762): _call_impl");
		spans[2] = python_begin(g, numbered(g, "nn.Module: DecoderLayer_%d", number));
		spans[3] = python_begin(g, "model/decoder.py(143): forward");
		g->now += between(g, 500, 2500);
	}
	run(g, attention, number, 0, forward);
	run(g, feed_forward, number, 0, forward);
	for (int i = 4; python && i-- > 0;)
		span_end(g, spans[i]);
}

static void recompute(struct gen *g, int number)
{
	size_t spans[3];

	spans[0] = python_begin(g, "torch/autograd/function.py(307): apply");
	spans[1] = python_begin(g, "torch/utils/checkpoint.py(1124): unpack_hook");
	spans[2] = python_begin(g, "torch/utils/checkpoint.py(1500): recompute_fn");
	g->now += between(g, 500, 2500);
	layer(g, number, false);
	for (int i = 3; i-- > 0;)
		span_end(g, spans[i]);
}

/* The backward pass on the autograd thread, in reverse order. */
static void backward(struct gen *g)
{
	uint32_t outer = g->python_parent;
	size_t n = g->n_pending, each = n / (size_t)g->opt->layers + 1;

	g->tid = 1;
	g->python_parent = 0;
	while (g->n_pending) {
		struct pending p = g->pending[--g->n_pending];
		size_t done = n - g->n_pending;
		struct ev *e;

		if (g->opt->recompute && g->opt->python && done % each == 1)
			recompute(g, (int)(done / each));
		e = add(g, EV_BWD, "fwdbwd");
		e->corr = p.flow;
		run(g, p.nodes, 0, p.seq, false);
		if (p.nodes == bwd_addmm)
			run(g, bwd_accumulate, 0, 0, false);
		if (g->opt->nccl && done % each == 0)
			collective(g, K_NCCL_AR, 2873320 + 1024 * (int64_t)(done / each % 4));
	}
	g->tid = 0;
	g->python_parent = outer;
}

static void graph_replay(struct gen *g)
{
	size_t frame = 0, call;
	uint32_t corr;
	int64_t at;

	if (g->opt->python)
		frame = python_begin(g, "torch/cuda/graphs.py(137): replay");
	g->op_ext = 0;
	call = runtime_call(g, EV_RUNTIME, g->opt->amd ? "hipGraphLaunch" : "cudaGraphLaunch");
	corr = g->corr;
	arrow(g, EV_ARROW_START, corr, g->now, g->tid, false);
	g->now += between(g, 12000, 40000);
	g->ev[call].dur = g->now - g->ev[call].ts;
	at = g->now + between(g, 2000, 5000);
	for (int i = 0; i < g->opt->graph_kernels; i++) {
		uint16_t stream = i % 10 == 7 ? 13 : 7;
		int64_t begin = device_work(g, graph_cycle[i % 10], corr, stream, at)->ts;

		arrow(g, EV_ARROW_END, corr, begin, stream, true);
	}
	if (g->opt->python)
		span_end(g, frame);
}

static void wait_for_device(struct gen *g)
{
	size_t call;
	int64_t end = g->now + 3000;

	g->op_ext = 0;
	call = runtime_call(g, EV_RUNTIME, g->opt->amd ? "hipDeviceSynchronize" : "cudaDeviceSynchronize");
	for (size_t i = 0; i < sizeof g->stream_end / sizeof *g->stream_end; i++)
		if (g->stream_end[i] > end)
			end = g->stream_end[i];
	g->now = end + between(g, 800, 3000);
	g->ev[call].dur = g->now - g->ev[call].ts;
	g->now += between(g, 1000, 4000);
}

void gen_step(struct gen *g, int step)
{
	size_t note, frame = 0, opt_note;
	int64_t begin = g->now;

	g->n_ev = g->n_pending = 0;
	g->n_names = 0;
	g->cap_names = 4096 + (size_t)g->opt->layers * 1024;
	g->names = realloc(g->names, g->cap_names);
	if (!g->names)
		exit(1);
	g->shape = (uint8_t)between(g, 0, 3);
	note = annotate(g, numbered(g, "ProfilerStep#%d", step));
	g->now += between(g, 1000, 5000);
	if (g->opt->python)
		frame = python_begin(g, "train.py(120): train_step");
	run(g, input_copy, 0, 0, false);
	run(g, stem, 0, 0, g->opt->train);
	for (int i = 0; i < g->opt->layers; i++)
		layer(g, i, g->opt->train);
	run(g, compiled, 0, 0, false);
	run(g, split_k, 0, 0, false);
	if (g->opt->nccl)
		collective(g, K_NCCL_AG, 25136);
	if (g->opt->train) {
		run(g, loss, 0, 0, true);
		backward(g);
		opt_note = annotate(g, "Optimizer.step#AdamW.step");
		g->now += between(g, 500, 1500);
		run(g, optimizer, 0, 0, false);
		span_end(g, opt_note);
	}
	if (g->opt->graphs)
		graph_replay(g);
	run(g, read_loss, 0, 0, false);
	wait_for_device(g);
	if (g->opt->python)
		span_end(g, frame);
	span_end(g, note);
	gpu_annotate(g, g->ev[note].name, g->ev[note].ext, begin + 20000, g->stream_end[7], 7);
	add(g, EV_COUNTER, "GPU 0 Memory")->num = g->allocated;
	g->now += between(g, 20000, 90000);
}

void gen_start(struct gen *g, const struct options *opt)
{
	gen_release(g);
	*g = (struct gen){ .opt = opt, .rng = opt->seed * 0x2545f4914f6cdd1du + 1 };
	g->now = opt->origin_ns;
	g->corr = 4000;
	g->ext = 1024;
	g->allocated = 1003059712;
	g->python_id = 2; /* the two frames around everything */
	g->python_parent = 2;
}

void gen_release(struct gen *g)
{
	free(g->ev);
	free(g->names);
	free(g->pending);
	*g = (struct gen){ 0 };
}
