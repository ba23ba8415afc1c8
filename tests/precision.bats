#!/usr/bin/env bats
# precision.bats - tl-roofline: TF32, and what is faster than the roofline allows.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

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
		END { exit bad || n < 20 }' "$TL_ROOT/lib/perf/arch.tsv"
}

# warned ARCH MESSAGE: tl-roofline warns so of t.json, in one line, for a report, too
warned() {
	run -0 --separate-stderr tl-roofline --arch "$1" -o u.tsv t.json
	like "$stderr" "^tl-roofline: warning: $2\$"
	equal "$(wc -l <<<"$stderr")" 1
	run -0 --separate-stderr tl-sheets --arch "$1" -d out t.json
	like "$stderr" "^tl-sheets: warning: $2\$"
	equal "$(grep -c roofline <<<"$stderr")" 1
	run -0 --separate-stderr tl-roofline -q --arch "$1" -o u.tsv t.json
	equal "$stderr" ''
}
mm4000='aten::mm, uid 0, \(\(4000, 4000\), \(4000, 4000\)\)'

@test "more than 100 % of the roofline: kernels of a lower precision" {
	matmul 1 100 float 4000 400 Cijk_Ailk_Bljk_S_MX_B_UserArgs_MT256x256x32
	trace t.json
	warned MI300X "$mm4000: 196\\.3 % of the roofline, likely because its kernels' names say tf32, the types of its tensors fp32; MI300X has no peak for matrix_tf32"
	matmul 1 100 float 4000 200 sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn
	trace t.json
	warned H100-SXM "$mm4000: 956\\.7 % of the roofline, likely because its kernels' names say bf16, the types of its tensors fp32"
	# a name that says the same or a higher precision is no reason
	matmul 1 100 float 4000 200 ampere_sgemm_128x64_tn
	trace t.json
	warned H100-SXM "$mm4000: 956\\.7 % of the roofline, likely because its model counts more operations than its kernels need"
}

@test "more than 100 % of the roofline: bytes that the cache holds" {
	# 48 MB at 3350 GB/s: 14.33 µs; H100's cache holds 50 MiB
	add 1 100 4000000 10
	trace t.json
	warned H100-SXM 'aten::mul, uid 0, \(\(4000000,\), \(4000000,\)\): 143\.3 % of the roofline, likely because its 45\.8 MiB fit in the GPU.s cache of 50 MiB'
	add 1 100 8000000 20
	trace t.json
	warned H100-SXM 'aten::mul, uid 0, \(\(8000000,\), \(8000000,\)\): 143\.3 % of the roofline, likely because its model counts more bytes than its kernels need'
	printf 'mem_bw_gbps\tcache_mb\tvector_fp32\n3350\t100\t60\n' >own.tsv
	warned own.tsv 'aten::mul, uid 0, .*, likely because its 91\.6 MiB fit in the GPU.s cache of 100 MiB'
	printf '{"mem_bw_gbps": 3350, "cache_mb": 90, "max_achievable_tflops": {"vector_fp32": 60}}' >own.json
	warned own.json 'aten::mul, uid 0, .*, likely because its model counts more bytes than its kernels need, or the numbers of the architecture are too low'
}

@test "more than 100 % of the roofline: device events that are cut off or missing" {
	matmul 1 100 c10::BFloat16 4000 200 gemm_kernel
	matmul 2 200 c10::BFloat16 4000 220 gemm_kernel
	matmul 3 300 c10::BFloat16 4000 1 memset_kernel
	matmul 4 400 c10::BFloat16 2000 1000 gemm_kernel
	trace t.json
	warned H100-SXM 'aten::mm, uid 10, \(\(4000, 4000\), \(4000, 4000\)\): 12937\.1 % of the roofline, likely because its device time is 1 µs, that of its like 210 µs: the trace lacks a part of it'
}

@test "more than 100 % of the roofline: achievable rates, or another GPU" {
	matmul 1 100 c10::BFloat16 4000 150 gemm_kernel
	trace t.json
	warned MI300X "$mm4000: 120\\.5 % of the roofline, likely because the rates of MI300X were measured as achievable and can be exceeded"
	run -0 --separate-stderr tl-roofline --arch MI300X-peak t.json
	equal "$stderr" ''
	matmul 1 100 c10::BFloat16 4000 150 gemm_kernel
	device_trace t.json '{"id":0,"name":"NVIDIA H100 80GB HBM3","numSms":132}'
	run -0 --separate-stderr tl-roofline --arch A100-40GB t.json
	equal "$stderr" 'tl-roofline: the trace is of "NVIDIA H100 80GB HBM3", not of A100-40GB; --arch auto takes H100-SXM
tl-roofline: warning: aten::mm, uid 0, ((4000, 4000), (4000, 4000)): 273.5 % of the roofline, likely because the architecture is not that of the trace'\''s GPU'
	run -0 --separate-stderr tl-roofline --arch auto t.json
	equal "$stderr" ''
}

@test "more than 100 % of the roofline: one warning, of the worst event, with how many there are" {
	add 1 100 4000000 10
	add 2 200 4000000 12
	add 3 300 4000000 100
	matmul 4 400 float 4000 1000 gemm_kernel
	trace t.json
	warned H100-SXM 'aten::mm, uid 15, .*: 191\.3 % of the roofline, .*; events above 100 %: 3, of operators: 2'
	# of the sheets that are made
	run -0 --separate-stderr tl-roofline --arch H100-SXM --sheet BinaryElementwise t.json
	like "$stderr" '^tl-roofline: warning: aten::mul, uid 0, .*: 143\.3 % of the roofline, .*; events above 100 %: 2, of operators: 1$'
	run -0 --separate-stderr tl-roofline --arch H100-SXM --sheet SDPA_bwd -d out t.json
	unlike "$stderr" 'of the roofline'
	# long sizes are cut
	op aten::mul 100 20 '"Input Dims":[[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1000000],[1]],"Input type":["float","float"],"Input Strides":[[1],[1]],"Concrete Inputs":["",""]'
	call 1 101 2
	gpu 1 elementwise_kernel 150 1
	trace t.json
	run -0 --separate-stderr tl-roofline --arch H100-SXM t.json
	like "$stderr" 'aten::mul, uid 0, \(\([1, ]{78}…: [0-9.]+ % of the roofline'
}

@test "real traces: warnings of more than 100 % are few and name their reason" {
	traces=$TL_ROOT/../shared/traces
	[ -d "$traces" ] || skip 'no ../shared'
	while IFS='|' read -r trace wanted; do
		run -0 --separate-stderr tl-roofline --arch auto -o u.tsv "$traces/$trace"
		equal "$trace: $(grep -o '^.*warning: [^,]*, uid [0-9]*\|[0-9.]* % of the roofline, likely because .*' <<<"$stderr")" "$trace: ${wanted//+/$'\n'}"
	done <<-'END'
		pytorch/h100-bert/input.json.gz|
		pytorch/mi300-resnet/input.json.gz|
		pytorch/h100-owlv2/input.json.gz|tl-roofline: warning: aten::add, uid 4807+110.9 % of the roofline, likely because its 30.4 MiB fit in the GPU's cache of 50 MiB; events above 100 %: 127, of operators: 1
		ranks/multi/timesformer2/input/trace_rank_1.json.gz|tl-roofline: warning: aten::addmm, uid 458+2999.2 % of the roofline, likely because its device time is 0.998 µs, that of its like 44.6 µs: the trace lacks a part of it
	END
}
