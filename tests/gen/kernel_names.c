/* kernel_names.c - what libraries call their kernels, by the work they do and the generation of the GPU.
 * Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT */
#include "plants.h"

#include <stdlib.h>

#define CUTLASS(name) "void cutlass::Kernel2<" name ">(" name "::Params)"
#define VECTORIZED(functor, n) \
	"void at::native::vectorized_elementwise_kernel<4, " functor ", std::array<char*, " n "ul> >(int, " functor ", std::array<char*, " n "ul>)"
#define IMPL(what, number, type) \
	"at::native::" what "(at::TensorIteratorBase&)::{lambda()#" number "}::operator()() const::{lambda(" type ")#1}"
#define FOREACH(functor) \
	"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::TensorListMetadata<2>, " functor " >" \
	"(at::native::(anonymous namespace)::TensorListMetadata<2>, " functor ")"
#define BF16 "c10::BFloat16"

static const struct {
	enum role role;
	int from, to; /* generations (compute capability, major) that have it; 0: all */
	const char *name;
} names[] = {
	{ R_GEMM, 8, 8, "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_64x3_tn" },
	{ R_GEMM, 8, 8, "ampere_bf16_s16816gemm_bf16_256x128_ldg8_f2f_stages_64x3_nn" },
	{ R_GEMM, 8, 9, CUTLASS("cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8") },
	{ R_GEMM, 9, 9, "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas" },
	{ R_GEMM, 9, 9, "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNN" },
	{ R_GEMM, 10, 10, "nvjet_tst_256x256_64x4_2x1_2cta_v_bz_TNT" },
	{ R_GEMM, 10, 10, "nvjet_tst_128x256_64x6_2x1_2cta_h_bz_NNT" },
	{ R_GEMM, 8, 8, "ampere_bf16_s16816gemm_bf16_64x64_ldg8_f2f_stages_64x5_tn" },
	{ R_GEMM, 8, 8, CUTLASS("cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8") },
	{ R_GEMM, 9, 9, "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT" },
	{ R_GEMM_TF32, 8, 9, CUTLASS("cutlass_80_tensorop_s1688gemm_128x128_32x3_nn_align4") },
	{ R_GEMM_TF32, 8, 9, CUTLASS("cutlass_80_tensorop_s1688gemm_256x128_16x3_tn_align4") },
	{ R_GEMM_TF32, 8, 8, "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x16_stage4_warpsize2x2x1_tensor16x8x8_execute_kernel__5x_cublas" },
	{ R_GEMM_TF32, 9, 9, "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas" },
	{ R_GEMM_FP32, 8, 9, "ampere_sgemm_128x64_tn" },
	{ R_GEMM_FP32, 8, 9, "ampere_sgemm_128x128_tn" },
	{ R_GEMM_FP32, 8, 9, "ampere_sgemm_128x128_nn" },
	{ R_GEMM_FP32, 8, 9, "ampere_sgemm_64x64_nn" },
	{ R_GEMM_FP32, 8, 9, CUTLASS("cutlass_80_simt_sgemm_256x128_8x4_nn_align1") },
	{ R_GEMM_FP32, 8, 9, "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x2x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas" },
	{ R_GEMM_ODD, 8, 10, CUTLASS("cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align1") },
	{ R_GEMM_ODD, 8, 10, CUTLASS("cutlass_80_tensorop_bf16_s16816gemm_bf16_64x64_32x6_nn_align1") },
	{ R_GEMM_SPLIT, 8, 10, "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn" },
	{ R_GEMM_SPLIT, 8, 10, CUTLASS("cutlass_80_tensorop_bf16_s16816gemm_bf16_128x128_32x5_nn_align8") },
	{ R_SPLIT_SUM, 0, 0, "void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16, float, __nv_bfloat16, true, true, false>"
	  "(cublasLt::cublasSplitKParams<float>, float const*, __nv_bfloat16 const*, __nv_bfloat16*, void*, long)" },
	{ R_BMM, 8, 8, "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nn" },
	{ R_BMM, 9, 9, "sm90_xmma_gemm_bf16bf16_bf16f32_f32_nn_n_tilesize128x128x64_warpgroupsize1x1x1_bstrided_execute_segment_k_off_kernel__5x_cublas" },
	{ R_BMM, 10, 10, "nvjet_tst_128x128_64x8_2x1_2cta_v_badd_NNT" },
	{ R_FLASH, 0, 0, "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, cutlass::bfloat16_t, "
	  "pytorch_flash::Flash_kernel_traits<128, 128, 64, 4, cutlass::bfloat16_t> >, false, false, false, false, true, true, false>(pytorch_flash::Flash_fwd_params)" },
	{ R_FLASH_BWD, 0, 0, "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<pytorch_flash::Flash_bwd_kernel_traits<128, 64, 128, 8, 2, 4, 2, false, false, "
	  "cutlass::bfloat16_t> >(pytorch_flash::Flash_bwd_params)" },
	{ R_SOFTMAX, 0, 0, "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, " BF16 ", float, " BF16 ", at::native::(anonymous namespace)::SoftMaxForwardEpilogue>"
	  "(" BF16 "*, " BF16 " const*, int)" },
	{ R_SOFTMAX, 0, 0, "void (anonymous namespace)::softmax_warp_forward<" BF16 ", " BF16 ", float, 11, false, false>(" BF16 "*, " BF16 " const*, int, int, int, bool const*, int, bool)" },
	{ R_NORM, 0, 0, "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<" BF16 ", float>(int, float, " BF16 " const*, " BF16 " const*, " BF16 " const*, float*, float*, " BF16 "*)" },
	{ R_NORM_BWD, 0, 0, "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<" BF16 ", float>(" BF16 " const*, " BF16 " const*, float const*, float const*, " BF16 " const*, " BF16 "*, int)" },
	{ R_RMS, 0, 0, "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<" BF16 ", float, true>(int, float, " BF16 " const*, " BF16 " const*, " BF16 " const*, float*, float*, " BF16 "*)" },
	{ R_ADD, 0, 0, VECTORIZED("at::native::CUDAFunctor_add<" BF16 ">", "3") },
	{ R_ADD_F, 0, 0, VECTORIZED("at::native::CUDAFunctorOnSelf_add<float>", "2") },
	{ R_MUL_F, 0, 0, VECTORIZED("at::native::BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> >", "3") },
	{ R_MUL, 0, 0, VECTORIZED("at::native::BinaryFunctor<" BF16 ", " BF16 ", " BF16 ", at::native::binary_internal::MulFunctor<float> >", "3") },
	{ R_GELU, 0, 0, VECTORIZED(IMPL("GeluCUDAKernelImpl", "2", BF16), "2") },
	{ R_GELU_BWD, 0, 0, VECTORIZED(IMPL("GeluBackwardCUDAKernelImpl", "2", BF16), "3") },
	{ R_POW, 0, 0, VECTORIZED("void at::native::(anonymous namespace)::pow_tensor_scalar_kernel_impl<float, float>(at::TensorIteratorBase&, float)::{lambda(float)#1}", "2") },
	{ R_MEAN, 0, 0, "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float, float, float>, unsigned int, float, 4> >"
	  "(at::native::ReduceOp<float, at::native::MeanOps<float, float, float, float>, unsigned int, float, 4>)" },
	{ R_RSQRT, 0, 0, VECTORIZED(IMPL("rsqrt_kernel_cuda", "2", "float"), "2") },
	{ R_TANH, 0, 0, VECTORIZED(IMPL("tanh_kernel_cuda", "2", BF16), "2") },
	{ R_TO_FLOAT, 0, 0, "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#7}::operator()() const::{lambda(float)#1}, "
	  "std::array<char*, 2ul>, 4, TrivialOffsetCalculator<1, unsigned int>, TrivialOffsetCalculator<1, unsigned int>, at::native::memory::LoadWithCast<1>, at::native::memory::StoreWithCast<1> >(int)" },
	{ R_TO_HALF, 0, 0, VECTORIZED("at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}", "2") },
	{ R_COPY, 0, 0, "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<" IMPL("direct_copy_kernel_cuda", "3", BF16) " >(at::TensorIteratorBase&)::{lambda(int)#1}>(int)" },
	{ R_SUM, 0, 0, "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<" BF16 ", at::native::func_wrapper_t<" BF16 ", at::native::sum_functor<" BF16 ", float, " BF16 "> >, unsigned int, " BF16 ", 4> >()" },
	{ R_FILL, 0, 0, VECTORIZED("at::native::FillFunctor<float>", "1") },
	{ R_EMBED, 0, 0, "void at::native::(anonymous namespace)::vectorized_gather_kernel<16, long>(char*, char*, long*, int, long, long, long, long, bool)" },
	{ R_EMBED, 0, 0, "void at::native::(anonymous namespace)::indexSelectLargeIndex<" BF16 ", long, unsigned int, 2, 2, -2, true>(unsigned int)" },
	{ R_ADAM, 0, 0, "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, "
	  "at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, (at::native::(anonymous namespace)::ADAM_MODE)1, false>, float const*, double, double, double, double, double, bool, float*, float*>()" },
	{ R_FOREACH_ADD, 0, 0, FOREACH("at::native::(anonymous namespace)::BinaryOpScalarFunctor<float, 1, 1, 0>, std::plus<float>, float") },
	{ R_FOREACH_MUL, 0, 0, FOREACH("at::native::(anonymous namespace)::BinaryOpScalarFunctor<float, 1, 1, 0>, std::multiplies<float>, float") },
	{ R_FOREACH_SQRT, 0, 0, FOREACH("at::native::(anonymous namespace)::UnaryOpFunctor<float, 2, 1, 1>, at::native::Sqrt<float>") },
	{ R_FOREACH_DIV, 0, 0, FOREACH("at::native::(anonymous namespace)::BinaryOpScalarListFunctor<float, 1, 1, 0>, std::divides<float>") },
	{ R_FOREACH_ADDCMUL, 0, 0, FOREACH("at::native::(anonymous namespace)::PointwiseOpScalarFunctor<float, 3, 3, 0>, std::multiplies<float>, float") },
	{ R_FOREACH_LERP, 0, 0, FOREACH("at::native::(anonymous namespace)::TernaryOpScalarFunctor<float, 2, 2, 0>, at::native::LerpFunctor<float>, float") },
	{ R_SQRT_F, 0, 0, VECTORIZED(IMPL("sqrt_kernel_cuda", "2", "float"), "2") },
	{ R_DIV_F, 0, 0, VECTORIZED("at::native::BUnaryFunctor<float, float, float, at::native::binary_internal::DivFunctor<float> >", "2") },
	{ R_ADDCMUL_F, 0, 0, VECTORIZED(IMPL("addcmul_cuda_kernel", "1", "float"), "4") },
	{ R_LERP_F, 0, 0, VECTORIZED(IMPL("lerp_scalar_kernel", "2", "float"), "3") },
	{ R_ADDCDIV_F, 0, 0, VECTORIZED(IMPL("addcdiv_cuda_kernel", "1", "float"), "4") },
	{ R_CONV, 8, 8, "sm80_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize256x64x32_stage3_warpsize4x1x1_g1_tensor16x8x16_execute_kernel__5x_cudnn" },
	{ R_CONV, 8, 9, "void cutlass__5x_cudnn::Kernel<cutlass_tensorop_bf16_s16816fprop_optimized_bf16_128x128_32x4_nhwc_align8>(cutlass_tensorop_bf16_s16816fprop_optimized_bf16_128x128_32x4_nhwc_align8::Params)" },
	{ R_CONV, 9, 10, "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x64_warpgroupsize1x1x1_g1_execute_segment_k_off_kernel__5x_cudnn" },
	{ R_BATCH_NORM, 0, 0, "void cudnn::bn_fw_tr_1C11_singleread<__nv_bfloat16, 512, true, 1, 2, 14>(cudnnTensorStruct, __nv_bfloat16 const*, cudnnTensorStruct, __nv_bfloat16*)" },
	{ R_BATCH_NORM, 0, 0, "void cudnn::bn_fw_inf_1C11_kernel_NCHW<__nv_bfloat16, float, true, 1>(float, float, cudnnTensorStruct, __nv_bfloat16 const*, cudnnTensorStruct, __nv_bfloat16*)" },
	{ R_RELU, 0, 0, VECTORIZED("at::native::(anonymous namespace)::launch_clamp_scalar(at::TensorIteratorBase&, c10::Scalar, c10::Scalar, at::native::detail::ClampLimits)::{lambda(" BF16 ")#1}", "2") },
	{ R_TO_NHWC, 0, 0, "void cudnn::ops::nchwToNhwcKernel<__nv_bfloat16, __nv_bfloat16, float, false, true, (cudnnKernelDataType_t)9>(cudnn::ops::nchw2nhwc_params_t<float>, __nv_bfloat16 const*, __nv_bfloat16*)" },
	{ R_TO_NCHW, 0, 0, "void cudnn::ops::nhwcToNchwKernel<__nv_bfloat16, __nv_bfloat16, float, true, false, (cudnnKernelDataType_t)0>(cudnn::ops::nhwc2nchw_params_t<float>, __nv_bfloat16 const*, __nv_bfloat16*)" },
	{ R_ROPE, 0, 0, "void vllm::rotary_embedding_kernel<" BF16 ", true>(long const*, " BF16 "*, " BF16 "*, " BF16 " const*, int, long, long, long, int, int, int)" },
	{ R_TOPK, 0, 0, "void at::native::sbtopk::gatherTopK<" BF16 ", unsigned int, 2, false>(at::cuda::detail::TensorInfo<" BF16 " const, unsigned int>, unsigned int)" },
};

const char *kernel_name(enum role role, int major, uint64_t choice)
{
	const char *found[8];
	size_t n = 0;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].role == role && n < 8 && (!names[i].from || (major >= names[i].from && major <= names[i].to)))
			found[n++] = names[i].name;
	if (!n)
		abort();
	return found[choice % n];
}
