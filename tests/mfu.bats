#!/usr/bin/env bats
# mfu.bats - tl-roofline: the sheet mfu.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR"
	echo '{"name":"mine","mem_bw_gbps":1000,"max_achievable_tflops":{"matrix_bf16":100,"matrix_fp32":10,"matrix_tf32":50,"vector_fp32":10}}' >a.json
}

# note NAME TS DUR: an annotation on thread 1
note() {
	event "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"$1\",\"pid\":1,\"tid\":1,\"ts\":$2,\"dur\":$3,\"args\":{}}"
}
# matmul ID OP_TS KERNEL_TS DUR [KERNEL [TYPE]]: aten::mm of 1000 x 1000 x 1000, 2 GFLOP: 20 µs in bf16, 40 in TF32
matmul() {
	op aten::mm "$2" 5 "\"Input Dims\":[[1000,1000],[1000,1000]],\"Input type\":[\"${6-c10::BFloat16}\",\"${6-c10::BFloat16}\"]"
	call "$1" "$(($2 + 1))" 2
	gpu "$1" "${5-gemm_kernel}" "$3" "$4"
}
# other ID OP_TS KERNEL_TS DUR: an operator without a model
other() {
	op mine::op "$2" 5; call "$1" "$(($2 + 1))" 2; gpu "$1" other_kernel "$3" "$4"
}
mfu() {
	tl-roofline -q --arch a.json "$@" --sheets mfu t.json >m.tsv
}
# of KIND NAME COLUMN...: cells of a row
of() {
	local n c
	n=$(row m.tsv "kind=$1" "name=$2")
	shift 2
	for c; do cell m.tsv "$c" "$n"; done | tr '\n' ' '
}

# Two steps of 200 µs and 100 µs: one in bf16 and TF32, one without a model.
steps() {
	note ProfilerStep#0 0 190
	note mine 5 90
	matmul 1 10 100 30
	matmul 2 20 130 60 sgemm_tf32f32 float
	other 3 100 190 10
	note ProfilerStep#1 200 100
	other 4 210 220 40
}

@test "a step has its operations, its time and the peak of its precisions" {
	steps
	trace t.json
	mfu
	equal "$(head -n 1 m.tsv)" "kind	name	count	time_ms	kernel_ms	coverage_pct	model_gflops	recompute_gflops	vector_gflops	peak_tflops	mfu_pct	hfu_pct	tokens	tokens_per_s	gflops_per_token"
	# 4 GFLOP need 20 + 40 µs
	equal "$(of step ProfilerStep#0 count time_ms kernel_ms coverage_pct model_gflops)" '1 0.2 0.1 90.0 4.0 '
	equal "$(of step ProfilerStep#0 peak_tflops mfu_pct hfu_pct | awk '{ printf "%.6f %.6f %.6f", $1, $2, $3 }')" '66.666667 30.000000 30.000000'
	equal "$(of all '' time_ms kernel_ms model_gflops mfu_pct | awk '{ printf "%s %s %s %.6f", $1, $2, $3, $4 }')" '0.3 0.14 4.0 20.000000'
}

@test "a step without modelled work has no MFU, which is not 0" {
	steps
	trace t.json
	mfu
	equal "$(of step ProfilerStep#1 time_ms kernel_ms coverage_pct model_gflops peak_tflops mfu_pct hfu_pct tokens)" '0.1 0.04 0.0      '
}

@test "a region has the time of its kernels and of what lies before them" {
	steps
	note late 216 50
	matmul 5 220 280 20
	trace t.json
	mfu
	equal "$(of region mine count time_ms model_gflops)" '1 0.09 4.0 '
	# 260 to 300; the annotation within a step is a part of it
	equal "$(of region late count time_ms kernel_ms mfu_pct)" '1 0.04 0.02 50.0 '
	equal "$(of step ProfilerStep#1 mfu_pct model_gflops)" '20.0 2.0 '
}

@test "forward, backward and optimizer share the time from the first kernel to the last" {
	note ProfilerStep#0 0 400
	matmul 1 10 100 40
	op 'autograd::engine::evaluate_function: MmBackward0' 30 30
	matmul 2 40 150 50
	note Optimizer.step#SGD.step 70 30
	other 3 75 210 10
	trace t.json
	mfu
	equal "$(of phase forward time_ms mfu_pct)$(of phase backward time_ms mfu_pct)" '0.04 50.0 0.06 33.33333333333333 '
	equal "$(of phase optimizer time_ms mfu_pct)" '0.02  '
}

@test "work done again counts for HFU, not for MFU" {
	matmul 1 10 100 30
	frame 'torch/utils/checkpoint.py(1100): recompute_fn' 40 40
	matmul 2 50 130 30
	matmul 3 60 160 40
	trace t.json
	mfu --detect_recompute
	equal "$(of all '' time_ms model_gflops recompute_gflops)" '0.19 2.0 4.0 '
	equal "$(of all '' mfu_pct hfu_pct | awk '{ printf "%.4f %.4f", $1 * .19, $2 * .19 }')" '2.0000 6.0000'
	mfu
	equal "$(of all '' model_gflops recompute_gflops mfu_pct hfu_pct | awk '{ print $1, ($2 == $3) }')" '6.0 1'
}

@test "without an architecture there are operations and no MFU, and a warning; nothing in a folder" {
	steps
	trace t.json
	run -0 --separate-stderr tl-roofline --sheets mfu t.json
	like "$stderr" 'GPU is not known: mfu tells operations, but no peak'
	echo "$output" >m.tsv
	equal "$(of step ProfilerStep#0 model_gflops peak_tflops mfu_pct)" '4.0   '
	tl-roofline -q -d out t.json >names
	refute grep mfu names
	tl-roofline -q -d out --arch a.json t.json >names
	grep mfu names
}

@test "a precision without a peak gives no MFU, and a warning" {
	sed 's/"matrix_bf16":100,//' a.json >b.json
	steps
	trace t.json
	run -0 --separate-stderr tl-roofline --arch b.json --sheets mfu t.json
	like "$stderr" 'mine has no peak for some precision: 3 rows of mfu without MFU'
}

@test "tokens of a serving engine's steps, and operations for each" {
	note 'execute_context_1(100)_generation_2(2)' 0 200
	matmul 1 10 100 50
	note 'execute_context_0(0)_generation_4(4)' 200 100
	matmul 2 210 220 40
	trace t.json
	mfu
	equal "$(of step 'execute_context_1(100)_generation_2(2)' time_ms tokens tokens_per_s gflops_per_token)" '0.2 102 510000.0 0.0196078431372549 '
	equal "$(of phase Decode count tokens)$(of phase Mixed count tokens)" '1 4 1 102 '
	equal "$(of all '' tokens)" '106 '
}

@test "two devices have twice the time" {
	note ProfilerStep#0 0 200
	matmul 1 10 100 100
	op aten::mm 30 5 '"Input Dims":[[1000,1000],[1000,1000]],"Input type":["c10::BFloat16","c10::BFloat16"]'
	call 2 31 2
	gpu 2 gemm_kernel 100 100 8 kernel '"device":1'
	event '{"ph":"X","cat":"kernel","name":"last","pid":0,"tid":7,"ts":200,"dur":0,"args":{"stream":7,"device":0}}'
	trace t.json
	mfu
	equal "$(of step ProfilerStep#0 time_ms mfu_pct)" '0.4 10.0 '
}

@test "a trace without steps, kernels or operators has the row of all, or none" {
	op aten::mm 0 5
	trace t.json
	mfu
	equal "$(wc -l <m.tsv)" 2
	tl-roofline -q -d out --arch a.json t.json >names
	refute grep mfu names
}
