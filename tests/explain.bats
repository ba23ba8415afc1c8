#!/usr/bin/env bats
# explain.bats - tl-models explain: how the numbers of an operator come about.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

mm='"Input Dims":[[2000,1000],[1000,500]],"Input type":["c10::BFloat16","c10::BFloat16"],"Input Strides":[[1000,1],[500,1]],"Concrete Inputs":["",""]'

# matmul ID TS DUR: aten::mm whose kernel runs DUR µs
matmul() {
	op aten::mm "$2" 20 "$mm"
	call "$1" "$(($2 + 1))" 2
	gpu "$1" gemm_kernel "$(($2 + 50))" "$3"
}

@test "explain names the operator, not the prefix it was found by, and says why there is no roof" {
	printf 'prefix mylib:: gemm A=0 B=1\n' >ops
	matmul 1 100 10
	trace t.json
	sed 's/aten::mm/mylib::gemm4/' t.json >own.json
	run -0 --separate-stderr tl-models -q --ops ops --arch MI300X explain mylib::gemm4 own.json
	like "$output" 'operator: mylib::gemm4'
	sed -i 's/c10::BFloat16/private_type/g' own.json
	run -0 --separate-stderr tl-models -q --ops ops --arch MI300X explain mylib::gemm4 own.json
	like "$output" "no roofline: the operator's types are not known"
}

@test "explain shows the model, what is bound, the formulas with numbers, the result" {
	matmul 1 100 10
	trace t.json
	run -0 tl-models explain aten::mm t.json
	like "$output" 'model: gemm'
	like "$output" 'M = sel\(transA, dim\(A, 1\), dim\(A, 0\)\)
 +  = sel\(False, dim\(0, 1\), dim\(0, 0\)\)
 +  = 2000'
	like "$output" 'flops = 2\*M\*N\*K \+ sel\(bias, M\*N, 0\)
 +      = 2\*2000\*500\*1000 \+ sel\(False, 2000\*500, 0\)
 +      = 2000000000'
	like "$output" 'compute spec: matrix_bf16'
	printf '{"name": "toy", "mem_bw_gbps": 1000, "max_achievable_tflops": {"matrix_bf16": 100}}' >toy.json
	run -0 tl-models --arch toy.json explain aten::mm t.json
	like "$output" 'architecture: toy
  compute = flops / 100 TFLOP/s = 20.000 µs
  memory = bytes / 1000 GB/s = 7.000 µs
  roofline time = the longer = 20.000 µs \(COMPUTE_BOUND\)'
	tl-roofline --arch toy.json t.json >u.tsv
	like "$output" "percent of roofline = 20.000 / [0-9.]+ = $(printf %.2f "$(cell u.tsv 'Pct Roofline_mean')")"
	run --separate-stderr tl-models explain nosuch t.json
	failed 1 'no operator or uid "nosuch" in the trace'
}

@test "explain puts numbers into the definitions that a formula calls" {
	gen t.json -n 12000
	run -0 --separate-stderr tl-models -q explain aten::_scaled_dot_product_flash_attention t.json
	# 2 batches, 16 heads of 64, 2048 tokens, half of them masked: 2 * 16 * 4 * 2048 * 2048 * 64 / 2
	like "$output" '  flops = forward\(Nq, Nk\)
        = forward\(2048, 2048\)
        = 17179869184.0
    masked\(2048, 2048, 34359738368\) = sel\(causal, need\(nq == nk\) and f/2, f\)
.*
    forward\(2048, 2048\) = masked\(nq, nk, B\*Hq\*\(2\*nq\*nk\*dq\) \+ B\*Hq\*\(2\*nq\*dv\*nk\)\)
 +  = masked\(2048, 2048, 2\*16\*\(2\*2048\*2048\*64\) \+ 2\*16\*\(2\*2048\*64\*2048\)\)
 +  = 17179869184.0'
}

@test "explain tells a definition once that a formula calls twice with the same values" {
	printf 'model twice\n\tcategory C\n\tdef f(x)=x+1\n\tflops f(2)+f(3)+f(2)\nop my::op twice\n' >ops
	op my::op 100 20 "$mm"
	call 1 101 2
	gpu 1 kernel 150 10
	trace t.json
	run -0 --separate-stderr tl-models -q --ops ops explain my::op t.json
	equal "$(grep -o ' f([23]) = x' <<<"$output")" $' f(2) = x\n f(3) = x'
}

@test "explain of an attention tells its backward pass, and by the names of that too" {
	gen t.json -n 12000
	tl-roofline -q --sheet SDPA_bwd t.json >b.tsv
	equal "$(cell b.tsv GFLOPS_first "$(row b.tsv 'param: N_Q=2048')")" 42.94967296
	run -0 --separate-stderr tl-models -q --arch H100-SXM explain aten::_scaled_dot_product_flash_attention t.json
	like "$output" '
backward pass:
event: uid [0-9]+, .*ScaledDotProductFlashAttentionBackward0
model: sdpa
category: SDPA_bwd'
	like "$output" '  flops_bwd = backward\(Nq, Nk\)
            = backward\(2048, 2048\)
            = 42949672960.0'
	like "$output" '  bytes_bwd = \(2\*inputs\(\)'
	equal "$(grep -c 'percent of roofline' <<<"$output")" 2
	formulas=${output##*formulas:}
	formulas=${formulas%%kernel time*}
	run -0 --separate-stderr tl-models -q --arch H100-SXM explain 'autograd::engine::evaluate_function: ScaledDotProductFlashAttentionBackward0' t.json
	like "$output" 'operator: autograd::engine::evaluate_function: ScaledDotProductFlashAttentionBackward0
backward pass of: aten::_scaled_dot_product_flash_attention, uid [0-9]+
model: sdpa'
	shown=${output##*formulas:}
	equal "${shown%%kernel time*}" "$formulas"
	run -0 --separate-stderr tl-models -q explain 'autograd::engine::evaluate_function: AddmmBackward0' t.json
	like "$output" 'backward pass of: aten::(addmm|linear), uid [0-9]+, whose model has no backward formulas
model: none'
}

@test "explain takes the uid of a row, as well as a name" {
	matmul 1 100 10
	op aten::mm 200 20 "${mm//2000/3000}"
	call 2 201 2
	gpu 2 gemm_kernel 250 30
	trace t.json
	tl-roofline t.json >u.tsv
	for row in 1 2; do
		uid=$(cell u.tsv ex_UID $row)
		run -0 tl-models explain "$uid" t.json
		like "$output" "^event: uid $uid
operator: aten::mm
model: gemm"
		like "$output" "param M: $(cell u.tsv perf_params $row | sed "s/.*'M': \([0-9]*\).*/\1/")
"
	done
	run --separate-stderr tl-models explain 99 t.json
	failed 1 'no operator or uid "99" in the trace'
	run --separate-stderr tl-models explain 99999999999999999999999 t.json
	failed 1 'no operator or uid "99999999999999999999999" in the trace'
}

@test "explain says what the sheet says of rows without a model" {
	# the operator's first kernel is its child's; as a launcher it has another one
	op mylib::outer 100 100
	op mylib::inner 105 20
	call 1 106 2
	gpu 1 'void at::native::vectorized_elementwise_kernel' 210 10
	call 2 140 2
	gpu 2 mykernel 230 10
	trace t.json
	tl-roofline t.json >u.tsv
	equal "$(wc -l <u.tsv)" 2
	for row in $(seq $(($(wc -l <u.tsv) - 1))); do
		for key in "$(cell u.tsv ex_UID "$row")" "$(cell u.tsv name "$row")"; do
			run -0 --separate-stderr tl-models explain "$key" t.json
			like "$output" "operator: $(cell u.tsv name "$row" | sed 's/[()]/\\&/g')
"
			like "$output" "category: $(cell u.tsv 'op category' "$row")
"
		done
	done
}

@test "explain stops where the model does, and says whether the operator counts as one without" {
	printf 'model m\n\tcategory C\n\tslot k\n\tonly k<3\n\tneed k<2\n\tdrop k==1\n\tflops 5\n\tbytes k\nop a::0 m k=0\nop a::1 m k=1\nop a::2 m k=2\nop a::3 m k=3\n' >ops
	for k in 0 1 2 3; do
		op a::$k $((100 * k)) 20 '"Input Dims":[[]]'
		call "$k" $((100 * k + 1)) 2
		gpu "$k" kernel $((100 * k + 50)) 10
	done
	trace t.json
	while IFS='|' read -r k stop result; do
		run -0 --separate-stderr tl-models -q --ops ops explain a::"$k" t.json
		equal "$(grep -B 1 -e '^  -> ' <<<"$output" | head -n 1 | tr -d ' ')" "$stop"
		like "$output" "
result: $result
"
	done <<-'END'
		0||ok
		1|=True|dropped: not modelled
		2|=False|failed: the model needs k < 2
		3|=False|not modelled for these arguments; the operator counts as one without model
	END
	run -0 --separate-stderr tl-roofline --ops ops t.json
	like "$stderr" 'a::2: no metrics for 1 event: the model needs k < 2'
}

@test "explain knows what models keep for others" {
	printf 'model a\n\tcategory A\n\tlet w=remember("t",1,7)\n\tflops w\nmodel b\n\tcategory B\n\tflops recall("t",1)\nop a::a a\nop b::b b\n' >ops
	op b::b 100 20
	call 1 101 2
	gpu 1 kernel 150 10
	op a::a 200 20
	call 2 201 2
	gpu 2 kernel 250 10
	trace t.json
	run -0 --separate-stderr tl-models -q --ops ops explain b::b t.json
	like "$output" "flops = recall\\('t', 1\\)
        = 7
"
}

@test "a row that unified_perf_summary makes up is not in the trace, and the message says so" {
	op mylib::parent 300 100
	op aten::mm 305 20 "$mm"
	call 3 306 2
	gpu 3 gemm_kernel 410 10
	call 4 340 2
	gpu 4 lost 430 7
	trace t.json
	run --separate-stderr tl-models explain 'mylib::parent->lost (Synthetic Op)' t.json
	failed 1 'no operator or uid "mylib::parent->lost \(Synthetic Op\)" in the trace: unified_perf_summary makes such rows'
}
