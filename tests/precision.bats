#!/usr/bin/env bats
# precision.bats - tl-roofline: TF32, and what is faster than the roofline allows.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# matmul ID TS TYPE SIZE DUR KERNEL…: aten::mm of two square matrices, whose kernels take DUR µs each
matmul() {
	local id=$1 ts=$2 n=$4 dur=$5 kernel
	op aten::mm "$ts" 20 '"Input Dims":[['"$n,$n],[$n,$n"']],"Input type":["'"$3\",\"$3"'"],"Input Strides":[['"$n,1],[$n,1"']],"Concrete Inputs":["",""]'
	shift 5
	for kernel; do
		call "$id" "$((ts + 1))" 1
		gpu "$id" "$kernel" "$((ts + 1000))" "$dur"
		id=$((id + 100)) ts=$((ts + 2))
	done
}
# add ID TS SIZE DUR: aten::mul of two fp32 vectors, 12 bytes and an operation for each element
add() {
	op aten::mul "$2" 20 '"Input Dims":[['"$3],[$3"']],"Input type":["float","float"],"Input Strides":[[1],[1]],"Concrete Inputs":["",""]'
	call "$1" "$(($2 + 1))" 2
	gpu "$1" elementwise_kernel "$(($2 + 1000))" "$4"
}
xmma=sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32

@test "an fp32 product is one of TF32 if the names of its kernels say so" {
	while IFS='|' read -r kernels type spec; do
		IFS=+ read -ra names <<<"$kernels"
		matmul 1 100 "$type" 4000 3000 "${names[@]}"
		trace t.json
		tl-roofline -q -d out t.json >/dev/null
		equal "$kernels $(cell out/unified_perf_summary.tsv 'Compute Spec')" "$kernels $spec"
		equal "$kernels $(cell out/GEMM.tsv 'Compute Spec')" "$kernels $spec"
	done <<-END
		$xmma|float|matrix_tf32
		void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x256_16x3_nn_align4>(Params)|float|matrix_tf32
		nvjet_sss_128x256_64x4_1x2_h_bz_TNT|float|matrix_tf32
		Cijk_Ailk_Bljk_S_MX_B_Bias_HA_S_SAV_UserArgs_MT256x256x32|float|matrix_tf32
		$xmma+splitKreduce_kernel|float|matrix_tf32
		$xmma+ampere_sgemm_128x64_tn|float|matrix_fp32
		ampere_sgemm_128x64_tn|float|matrix_fp32
		Cijk_Ailk_Bljk_SB_MT64x64x16|float|matrix_fp32
		gemm_kernel|float|matrix_fp32
		cutlass_75_tensorop_s1688gemm_bf16_64x64_tn_align1|float|matrix_fp32
		$xmma|c10::BFloat16|matrix_bf16
		$xmma|double|matrix_fp64
	END
}

@test "the roofline of TF32 is that of the GPU's peak for it, and the explanation says so" {
	matmul 1 100 float 4000 300 $xmma
	trace t.json
	run -0 --separate-stderr tl-roofline --arch H100-SXM -o u.tsv t.json
	equal "$stderr" ''
	# 2 * 4000^3 / 494.7e12 s
	like "$(cell u.tsv 'Roofline Time (µs)_first')" '^258\.742'
	run -0 tl-models --arch H100-SXM explain aten::mm t.json
	like "$output" 'compute spec: matrix_tf32, as the names of the kernels say'
	like "$output" 'compute = flops / 494.7 TFLOP/s = 258.743 µs'
	# an architecture that has no peak for it keeps that of fp32
	printf '{"mem_bw_gbps": 3350, "max_achievable_tflops": {"matrix_fp32": 600}}' >own.json
	printf '{"mem_bw_gbps": 3350, "max_achievable_tflops": {"matrix_fp32": 60, "matrix_tf32": 500}}' >both.json
	for want in own.json,matrix_fp32,213.333 both.json,matrix_tf32,256.0; do
		IFS=, read -r arch spec time <<<"$want"
		tl-roofline --arch $arch -o u.tsv t.json
		equal "$(cell u.tsv 'Compute Spec')" "$spec"
		like "$(cell u.tsv 'Roofline Time (µs)_first')" "^$time"
	done
	run -0 --separate-stderr tl-roofline --arch V100 -o u.tsv t.json
	equal "$(cell u.tsv 'Compute Spec')" matrix_fp32
}

@test "every architecture's peak for TF32 lies between those for fp32 and fp16" {
	awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["matrix_tf32"] != "" { n++ }
		$at["matrix_tf32"] != "" && ($at["matrix_tf32"] < $at["matrix_fp32"] || 2 * $at["matrix_tf32"] > 1.03 * $at["matrix_fp16"]) { print $1; bad = 1 }
		END { exit bad || n < 20 }' "$TL_ROOT/lib/perf/models/arch.tsv"
}
