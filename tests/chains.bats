#!/usr/bin/env bats
# chains.bats - kernel_chains of tl-roofline: operators one after another that one kernel could do.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

next=0
# op1 NAME DIMS TYPES [DUR [STREAM]]: an operator and its kernel, each behind the one before
op1() {
	next=$((next + 1))
	op "aten::$1" "$((next * 10))" 8 '"Input Dims":['"$2"'],"Input type":['"$3"']'
	call $next "$((next * 10 + 1))" 2
	gpu $next "kernel_$1" "$((1000 + next * 10))" "${4-10}" "${5-7}"
}
# module NAME [OPERATORS]: a call of a module around so many operators that come next
module() {
	frame "nn.Module: $1" "$((next * 10 + 9))" "$((${2-1} * 10))"
}
b='"c10::BFloat16"' f='"float"' s='"Scalar"'
# norm NAME: root mean square of rows of 1000 numbers
norm() {
	module "$1" 8
	op1 copy_ '[100,1000],[100,1000],[]' "$f,$b,$s"
	op1 pow '[100,1000],[]' "$f,$s"
	op1 mean '[100,1000],[],[],[]' "$f,$s,$s,$s"
	op1 add '[100,1],[],[]' "$f,$s,$s"
	op1 rsqrt '[100,1]' "$f"
	op1 mul '[100,1000],[100,1]' "$f,$f"
	op1 copy_ '[100,1000],[100,1000],[]' "$b,$f,$s"
	op1 mul '[1000],[100,1000]' "$b,$b"
}
# gemm M K N
gemm() {
	op1 mm "[$1,$2],[$2,$3]" "$b,$b"
}
# chains: the sheet of the events so far, by a GPU of 100 GB/s and 1 TFLOP/s, without its header
chains() {
	trace t.json
	printf 'name\tmem_bw_gbps\tmatrix_bf16\nx\t100\t1\n' >x.tsv
	tl-roofline -q --arch x.tsv --sheets kernel_chains -o c.tsv t.json
	tail -n +2 c.tsv
	next=0
}
# line COLUMN…: of the first row
line() {
	local c
	for c; do cell c.tsv "$c"; done | paste -sd ' '
}

@test "a norm: every instance counts, and one kernel reads and writes once" {
	norm RMSNorm_0
	gemm 100 1000 1000
	norm RMSNorm_12
	chains
	equal "$(line kind module instances kernels ms)" 'norm RMSNorm 2 16 0.16'
	equal "$(line names)" 'aten::copy_ aten::pow aten::mean aten::add aten::rsqrt aten::mul aten::copy_ aten::mul'
	# 200 kB in, 200 kB out, 2 kB of weights
	equal "$(line bytes_min floor_ms saved_ms)" '804000 0.00804 0.15196'
	equal "$(wc -l <c.tsv)" 2
}

@test "a module of one operator is part of the module around it; another product may be made between" {
	module MLP_3 4
	gemm 100 1000 500
	module SiLU_0
	op1 silu '[100,500]' "$b"
	module Linear_1
	gemm 100 1000 500
	op1 mul '[100,500],[100,500]' "$b,$b"
	chains
	equal "$(line kind module names)" 'pointwise MLP aten::silu aten::mul'
	equal "$(line kernels bytes_moved bytes_min)" '2 500000 300000'
}

@test "a product that the next operator does not take ends a chain" {
	module MLP_3 4
	op1 silu '[100,500]' "$b"
	gemm 100 1000 400
	op1 mul '[100,500],[100,500]' "$b,$b"
	op1 neg '[100,500]' "$b"
	chains
	equal "$(line names)" 'aten::mul aten::neg'
	# two products: the chain before has its own end
	module MLP_3 4
	op1 silu '[100,500]' "$b"
	gemm 100 1000 500
	gemm 100 1000 500
	op1 mul '[100,500],[100,500]' "$b,$b"
	chains
	equal "$(wc -l <c.tsv)" 1
	# a product of what the chain made, with what was there before: of other sizes, and of the same
	for n in 300 500; do
		module MLP_3 3
		op1 gelu '[100,500]' "$b"
		gemm 100 500 $n
		op1 add "[100,$n],[100,$n]" "$b,$b"
		chains
		equal "$(wc -l <c.tsv)" 1
	done
}

@test "a tensor that is read twice counts once" {
	module GELU_0 3
	op1 mul '[100,500],[]' "$b,$s"
	op1 sigmoid '[100,500]' "$b"
	op1 mul '[100,500],[100,500]' "$b,$b"
	chains
	equal "$(line kind bytes_min bytes_moved)" 'pointwise 200000 700000'
}

# rotate HEADS: a rotary embedding
rotate() {
	op1 mul "[1,$1,50,64],[1,1,50,64]" "$b,$b"
	op1 neg "[1,$1,50,32]" "$b"
	op1 cat "[[1,$1,50,32],[1,$1,50,32]],[]" "\"TensorList\",$s"
	op1 mul "[1,$1,50,64],[1,1,50,64]" "$b,$b"
	op1 add "[1,$1,50,64],[1,$1,50,64],[]" "$b,$b,$s"
}

@test "a rotary embedding of queries and keys is one chain, which reads and writes both" {
	module Attention_0 10
	rotate 8
	rotate 8
	chains
	equal "$(line kind module instances kernels)" 'rope Attention 1 10'
	# 51200 bytes each of queries and keys, in and out; 6400 for each cosine
	equal "$(line bytes_min)" "$((4 * 51200 + 2 * 6400))"
}

@test "attention: products with a softmax between, at the roofline of a fused kernel" {
	for ((i = 0; i < 2; i++)); do
		module Attention_$i 5
		op1 bmm '[4,200,64],[4,64,300]' "$b,$b" 20
		op1 mul '[4,200,300],[]' "$b,$s" 20
		op1 _softmax '[4,200,300],[],[]' "$b,$s,$s" 20
		op1 copy_ '[4,300,64],[4,300,64],[]' "$b,$b,$s" 1
		op1 bmm '[4,200,300],[4,300,64]' "$b,$b" 20
	done
	chains
	equal "$(line kind module names)" 'attention Attention aten::bmm aten::mul aten::_softmax aten::bmm'
	equal "$(line instances kernels ms)" '2 8 0.16'
	# 2 * (200 + 300 + 300 + 200) * 64 * 4 * 2 bytes, 4 * 4 * 200 * 300 * 64 operations
	equal "$(line bytes_min floor_ms saved_ms)" '1024000 0.12288 0.03712'
	equal "$(wc -l <c.tsv)" 2
}

@test "products and softmax of other sizes are no attention" {
	module Attention_0 3
	op1 bmm '[4,200,64],[4,64,300]' "$b,$b"
	op1 _softmax '[4,200,301],[],[]' "$b,$s,$s"
	op1 bmm '[4,200,300],[4,300,64]' "$b,$b"
	chains
	equal "$(wc -l <c.tsv)" 1
}

@test "casts are a chain if the second takes what the first made" {
	module X_0 2
	op1 copy_ '[100],[100],[]' "$f,$b,$s"
	op1 copy_ '[100],[100],[]' "$b,$f,$s"
	chains
	equal "$(line kind bytes_min)" 'cast 400'
	module X_0 2
	op1 copy_ '[100],[100],[]' "$b,$f,$s"
	op1 copy_ '[100],[100],[]' "$b,$f,$s"
	chains
	equal "$(wc -l <c.tsv)" 1
}

@test "what is not one after another, on one stream and in one module, is no chain" {
	pair() { # DIMS STREAM NAME
		op1 silu '[100,500]' "$b"
		op1 "${3-mul}" "$1" "$b,$b" 10 "${2-7}"
	}
	module A_0 2
	pair '[100,500],[100,500]'
	chains
	equal "$(wc -l <c.tsv)" 2
	module A_0 2
	pair '[300,400],[300,400]'
	chains
	equal "$(wc -l <c.tsv)" 1
	module A_0 2
	pair '[100,500],[100,500]' 8
	chains
	equal "$(wc -l <c.tsv)" 1
	module A_0 2
	pair '[100,500],[100,500]' 7 sort
	chains
	equal "$(wc -l <c.tsv)" 1
	module A_0 2
	pair '[100,500],[100,500]' 7 silu # the same one twice: of two tensors
	chains
	equal "$(wc -l <c.tsv)" 1
	module A_0
	op1 silu '[100,500]' "$b"
	module B_0
	op1 mul '[100,500],[100,500]' "$b,$b"
	chains
	equal "$(wc -l <c.tsv)" 1
}

@test "without modules the operator above tells what belongs together" {
	op aten::rms_norm 9 31 '"Input Dims":[[100,1000]]'
	op1 pow '[100,1000],[]' "$f,$s"
	op1 mean '[100,1000],[],[],[]' "$f,$s,$s,$s"
	op1 rsqrt '[100,1]' "$f"
	chains
	equal "$(line kind module kernels)" 'norm aten::rms_norm 3'
}

@test "with neither modules nor an operator above the thread is enough, also where each operator has one of its own" {
	op1 silu '[100,500]' "$b"
	op aten::to $((next * 10 + 9)) 10 '"Input Dims":[[100,500]]'
	op1 mul '[100,500],[100,500]' "$b,$b"
	gemm 100 500 300 # takes what was made
	op1 add '[100,300],[100,300]' "$b,$b"
	chains
	equal "$(line kind module names)" 'pointwise  aten::silu aten::mul'
	equal "$(wc -l <c.tsv)" 2
	op1 silu '[100,500]' "$b"
	op aten::two $((next * 10 + 9)) 20 '"Input Dims":[[100,500]]'
	op1 mul '[100,500],[100,500]' "$b,$b"
	op1 neg '[100,500]' "$b"
	chains
	equal "$(line module names)" 'aten::two aten::mul aten::neg'
}

@test "without an architecture bytes are known, times are not" {
	norm RMSNorm_0
	trace t.json
	tl-roofline -q --sheets kernel_chains -o c.tsv t.json
	equal "$(line bytes_min floor_ms saved_ms ms)" '402000   0.08'
	tl-roofline -q -d all t.json
	equal "$(cut -f 1 all/kernel_chains.tsv)" $'kind\nnorm'
	tl-roofline -q --topk_roofline_ops 0 --sheets kernel_chains -o none.tsv t.json
	equal "$(wc -l <none.tsv)" 1
}

@test "operators that only fill memory are in no chain" {
	for m in A_0 B_0; do
		module "$m" 2
		op1 mul '[8,8],[8,8]' "$b,$b"
		op1 add '[8,8],[8,8]' "$b,$b"
	done
	chains
	equal "$(wc -l <c.tsv)" 3
	sed -i 's/"cat":"kernel"/"cat":"gpu_memset"/' t.json
	tl-roofline -q --arch x.tsv --sheets kernel_chains -o c.tsv t.json
	equal "$(wc -l <c.tsv)" 1
}

@test "sizes beyond all memory" {
	local most='[2147483647,2147483647,2147483647]'
	for m in A_0 A_1; do
		module "$m" 2
		op1 mul "$most,$most" "$b,$b"
		op1 add "$most,$most" "$b,$b"
	done
	chains
	equal "$(line kind instances ms floor_ms saved_ms)" 'pointwise 2 0.04  '
}
