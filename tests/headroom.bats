#!/usr/bin/env bats
# headroom.bats - tl-roofline: the sheet headroom.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR"
	echo '{"name":"mine","mem_bw_gbps":1000,"max_achievable_tflops":{"matrix_bf16":100,"matrix_fp32":10,"matrix_tf32":50,"vector_fp32":10}}' >a.json
}

# matmul ID OP_TS KERNEL_TS DUR [STREAM [KERNEL [K [TYPE [ARGS]]]]]: aten::mm of 1000 x K x 1000 and its kernel; with K = 1000
# and bf16 its least time is 20 µs
matmul() {
	op aten::mm "$2" 5 "\"Input Dims\":[[1000,${7-1000}],[${7-1000},1000]],\"Input type\":[\"${8-c10::BFloat16}\",\"${8-c10::BFloat16}\"]"
	call "$1" "$(($2 + 1))" 2
	gpu "$1" "${6-gemm_kernel}" "$3" "$4" "${5-7}" kernel "${9-}"
}
headroom() {
	tl-roofline -q --arch a.json --sheets headroom t.json >h.tsv
}
# The cells of these columns in row 1.
of() {
	local c
	for c; do cell h.tsv "$c" "${row-1}"; done | tr '\n' ' '
}

@test "a row has its kernel time, its least time, and what lies between" {
	matmul 1 0 100 50
	matmul 2 10 150 50
	trace t.json
	headroom
	equal "$(head -n 1 h.tsv)" "name	op category	Input Dims	Input type	Compute Spec	ex_UID	operation_count	kernel_ms	fair_ms	roofline_ms	Pct Roofline	Roofline Bound	good_pct	headroom_ms	best_pct	reachable_ms	tensor_core_ms	slow_calls	slow_ms	reason	longest_kernel	perf_params	Percent of window (%)"
	equal "$(wc -l <h.tsv)" 2
	equal "$(of 'op category' operation_count kernel_ms fair_ms roofline_ms 'Pct Roofline' 'Roofline Bound' good_pct headroom_ms best_pct reachable_ms slow_calls slow_ms reason)" \
		'GEMM 2 0.1 0.1 0.04 40.0 COMPUTE_BOUND 100.0 0.06 40.0    none '
	like "$(of perf_params)" "^\{'M': 1000, 'N': 1000, 'K': 1000, "
	# the best row is no example for itself
	equal "$(of 'Percent of window (%)')" '50.0 ' # of 200 µs since the first operator
}

@test "kernels that run at once share the time" {
	matmul 1 0 100 40
	matmul 2 10 100 40 8
	trace t.json
	headroom
	equal "$(of kernel_ms fair_ms)" '0.08 0.04 '
	# 100-130 alone, 130-160 two, 160-170 three, 170-190 one of these and a third one: 15 + 3 + 10
	matmul 1 0 100 70
	matmul 2 10 130 40 8 gemm_kernel 1008
	matmul 3 20 160 30 9 gemm_kernel 1016
	trace t.json
	headroom
	equal "$(cut -f 8,9 h.tsv | tail -n +2 | sort | tr '\t\n' '  ')" '0.03 0.023334 0.04 0.018333 0.07 0.048333 '
	equal "$(awk -F'\t' '{ sum += $9 } END { print sum }' h.tsv)" 0.09
}

@test "copies and communication have no part of what computes at the same time, and no row" {
	matmul 1 0 100 40
	op aten::copy_ 10 5; call 2 11 2; gpu 2 'Memcpy HtoD (Pinned -> Device)' 90 40 8 gpu_memcpy
	op mine::reduce 20 5; call 3 21 2; gpu 3 'ncclDevKernel_AllReduce_Sum_f32_RING_LL' 110 60 9
	op aten::zero_ 30 5; call 4 31 2; gpu 4 'Memset (Device)' 200 10 8 gpu_memset
	trace t.json
	headroom
	equal "$(cut -f 1,9 h.tsv | tail -n +2)" $'aten::mm\t0.04'
}

@test "what the best row of the same kind reaches, if it is no small one" {
	matmul 1 0 100 40
	matmul 2 10 140 80 7 gemm_kernel 2000
	matmul 3 20 220 1 7 gemm_kernel 16
	matmul 4 30 221 10
	trace t.json
	headroom
	equal "$(row=$(row h.tsv 'Input Dims=((1000, 1000), (1000, 1000))') of 'Pct Roofline' best_pct)" '80.0 80.0 '
	equal "$(row=$(row h.tsv 'Input Dims=((1000, 2000), (2000, 1000))') of 'Pct Roofline' best_pct headroom_ms reachable_ms)" '50.0 80.0 0.04 0.03 '
}

# The reason of the only row is this one.
reason() {
	trace t.json
	headroom
	equal "$(of reason)" "$1 "
}

@test "reasons: precision, alignment, blocks, size, order of tensors" {
	matmul 1 0 100 400 7 sgemm_kernel 1000 float
	reason fp32
	matmul 1 0 100 400 7 tf32_kernel 1000 float
	reason none
	matmul 1 0 100 40 7 cutlass_bf16_align4 1000
	reason misaligned
	matmul 1 0 100 40 7 cutlass_bf16_align8 1000
	reason none
	matmul 1 0 100 40 7 gemm 8
	reason memory-bound
	matmul 1 0 100 21 7 gemm 1000
	reason none
	matmul 1 0 100 40 7 batched_transpose 1000
	reason layout
	op aten::mm 0 5 '"Input Dims":[[100,100],[100,100]],"Input type":["c10::BFloat16","c10::BFloat16"]'; call 1 1 2; gpu 1 k 100 40
	reason small
	op mine::op 0 5; call 1 1 2; gpu 1 k 100 40
	reason 'no model'
	equal "$(of roofline_ms headroom_ms best_pct reachable_ms)" '    '
}

@test "a product in fp32 could be faster in TF32" {
	for case in 'sgemm_kernel:0.2 0.2 0.36 ' 'tf32_kernel:0.04 0.36  '; do # 200 µs, and 40
		EVENTS=()
		matmul 1 0 100 400 7 "${case%:*}" 1000 float
		call 9 20 500 cudaDeviceSynchronize
		trace t.json
		headroom
		equal "$(of roofline_ms headroom_ms tensor_core_ms)" "${case#*:}"
	done
}

@test "an odd size is a reason only below 60 % of the roofline" {
	for case in '33 none' '34 misaligned'; do # of 20 us
		EVENTS=()
		matmul 1 0 100 "${case% *}" 7 gemm 1001
		reason "${case#* }"
	done
}

@test "what good libraries reach: of a data sheet's peaks less than all, of measured ones all" {
	# 74 % of the peak for products: 27.03 us of 20; who is near it has nothing to gain
	printf 'name\tbasis\tmem_bw_gbps\tmatrix_bf16\nmine\tpeak\t1000\t100\n' >sheet.tsv
	for case in 'sheet.tsv:40 74.0 0.012973' 'sheet.tsv:29 74.0 0.001973' 'sheet.tsv:28 74.0 0.0' 'a.json:40 100.0 0.02' 'a.json:22 100.0 0.002' 'a.json:21 100.0 0.0'; do
		EVENTS=()
		matmul 1 0 100 "$(cut -d ' ' -f 1 <<<"${case#*:}")"
		trace t.json
		tl-roofline -q --arch "${case%:*}" --sheets headroom t.json >h.tsv
		equal "$case: $(of good_pct headroom_ms)" "$case: $(cut -d ' ' -f 2- <<<"$case") "
	done
	# another product of this trace reaches more
	matmul 1 0 100 40
	matmul 2 10 140 50 7 gemm_kernel 2000
	trace t.json
	tl-roofline -q --arch sheet.tsv --sheets headroom t.json >h.tsv
	equal "$(row=$(row h.tsv 'Input Dims=((1000, 1000), (1000, 1000))') of good_pct headroom_ms)" '80.0 0.015 '
	equal "$(row=$(row h.tsv 'Input Dims=((1000, 2000), (2000, 1000))') of good_pct headroom_ms)" '80.0 0.0 '
	# 80 % of the bandwidth: 4 us for 4 MB
	op aten::copy_ 0 5 '"Input Dims":[[1000,1000],[1000,1000],[]],"Input type":["c10::Half","c10::Half",""],"Input Strides":[[1000,1],[1000,1],[]]'; call 1 1 2; gpu 1 k 100 40
	trace t.json
	tl-roofline -q --arch sheet.tsv --sheets headroom t.json >h.tsv
	equal "$(of good_pct headroom_ms)" '80.0 0.035 '
}

@test "one call that takes ten times the median is an event of its own" {
	for ((i = 1; i <= 4; i++)); do matmul $i $((i * 10)) $((i * 1000)) $((i == 3 ? 900 : 40)); done
	trace t.json
	headroom
	# four of 20 us; the others lack 20 each, and so would this one
	equal "$(of slow_calls slow_ms headroom_ms)" '1 0.86 0.08 '
	# less than ten times, less than 100 us, too few calls to tell
	for case in '4:390:40' '4:99:9' '2:900:40'; do
		IFS=: read -r n long usual <<<"$case"
		for ((i = 1; i <= n; i++)); do matmul $i $((i * 10)) $((i * 1000)) $((i == 2 ? long : usual)); done
		trace t.json
		headroom
		equal "$case: $(of slow_calls slow_ms)" "$case:   "
	done
	# without dims calls may differ
	for ((i = 1; i <= 4; i++)); do op aten::mm $((i * 10)) 5; call $i $((i * 10 + 1)) 2; gpu $i k $((i * 1000)) $((i == 3 ? 900 : 40)); done
	trace t.json
	headroom
	equal "$(of slow_calls)" ' '
}

@test "few blocks are a reason if the trace tells how many units the GPU has" {
	for case in '88 40 few-blocks' '90 40 none' '88 20 none'; do
		read -r blocks dur wanted <<<"$case"
		EVENTS=()
		matmul 1 0 100 "$dur" 7 gemm 1000 c10::BFloat16 "\"grid\":[$blocks,1,1]"
		device_trace t.json '{"id":0,"name":"GPU","numSms":100}'
		headroom
		equal "$case: $(of reason)" "$case: $wanted "
	done
}

@test "blocks by the sizes of a product, and by the tile that the kernel's name tells" {
	sed 's/{/{"units":100,/' a.json >units.json
	# 1000 x 1000 are 64 tiles of 128 x 128, 32 of 256 x 128, which two blocks share; 256 of 64 x 64
	for case in 'gemm few-blocks' 'Cijk_BBS_MT256x128x64_SN few-blocks' 'Cijk_BBS_MT256x128x64_GSU4_SN none' 'Cijk_BBS_MT64x64x64_SN none'; do
		EVENTS=()
		matmul 1 0 100 40 7 "${case% *}"
		trace t.json
		tl-roofline -q --arch units.json --sheets headroom t.json >h.tsv
		equal "$case: $(of reason)" "$case: ${case#* } "
	done
	# so many blocks allow more than twice as much: something else is the reason; and of short kernels nothing is said
	for case in '64 none' '62 few-blocks'; do
		EVENTS=()
		matmul 1 0 100 "${case% *}"
		trace t.json
		tl-roofline -q --arch units.json --sheets headroom t.json >h.tsv
		equal "$case: $(of reason)" "$case: ${case#* } "
	done
	# a product that memory bounds need not fill the GPU
	matmul 1 0 100 40 7 gemm 8
	trace t.json
	tl-roofline -q --arch units.json --sheets headroom t.json >h.tsv
	equal "$(of reason)" 'memory-bound '
}

@test "tile-waste: two blocks of these are on each of 100 SMs at once" {
	for case in '201 tile-waste' '310 tile-waste' '321 none' '200 none' '400 none' '640 none' '810 none'; do
		read -r blocks wanted <<<"$case"
		EVENTS=()
		matmul 1 0 100 40 7 gemm 1000 c10::BFloat16 "\"grid\":[$blocks,1,1],\"block\":[128,2,1],\"registers per thread\":121,\"shared memory\":100"
		device_trace t.json '{"id":0,"name":"GPU","numSms":100,"regsPerMultiprocessor":65536,"sharedMemPerMultiprocessor":233472,"maxThreadsPerMultiprocessor":2048}'
		headroom
		equal "$case: $(of reason)" "$case: $wanted "
	done
	# one of these, for their shared memory; eight of those, for their threads
	for case in '100000 110 tile-waste' '0 410 none'; do
		read -r shared blocks wanted <<<"$case"
		EVENTS=()
		matmul 1 0 100 40 7 gemm 1000 c10::BFloat16 "\"grid\":[$blocks,1,1],\"block\":[256,1,1],\"registers per thread\":32,\"shared memory\":$((shared * 12 / 10))"
		device_trace t.json '{"id":0,"name":"GPU","numSms":100,"regsPerMultiprocessor":65536,"sharedMemPerMultiprocessor":233472,"maxThreadsPerMultiprocessor":2048}'
		headroom
		equal "$case: $(of reason)" "$case: $wanted "
	done
}

@test "a GPU of more SMs than integers can count blocks on" {
	# 8 blocks on each: 2^64 + 96
	matmul 1 0 100 40 7 gemm 1000 c10::BFloat16 '"grid":[110,1,1],"block":[256,1,1],"registers per thread":32,"shared memory":0'
	device_trace t.json '{"id":0,"name":"GPU","numSms":2305843009213693964,"regsPerMultiprocessor":65536,"sharedMemPerMultiprocessor":233472,"maxThreadsPerMultiprocessor":2048}'
	headroom
	equal "$(of reason)" 'few-blocks '
}

@test "convolutions that older traces call directly have the model of a convolution" {
	for case in 'cudnn ,[]' 'miopen ,[],[]'; do
		read -r library more <<<"$case"
		op "aten::${library}_convolution" 0 5 "\"Input Dims\":[[8,64,32,32],[64,64,3,3]$more,[],[],[]],\"Input type\":[\"c10::BFloat16\",\"c10::BFloat16\"${more//[]/\"\"},\"\",\"\",\"\"],\"Input Strides\":[[65536,1024,32,1],[576,9,3,1]$more,[],[],[]],\"Concrete Inputs\":[\"\",\"\"$([ $library = cudnn ] || echo ',""'),\"[1, 1]\",\"[1, 1]\",\"[1, 1]\",\"1\"]"
		call 1 1 2
		gpu 1 conv 100 40
		trace t.json
		headroom
		# 2 x 8 x 64 x 32 x 32 x 64 x 9 operations at 100 TFLOPS
		equal "$library $(of 'op category' roofline_ms 'Roofline Bound')" "$library CONV_fwd 0.00604 COMPUTE_BOUND "
		tl-roofline -q --arch a.json t.json >u.tsv
		equal "$(cell u.tsv has_perf_model)" False
		tl-roofline -q --arch a.json --op-categories tl -d out t.json >names
		refute grep CONV names
	done
}

@test "a copy between different orders changes the layout" {
	for strides in '[1000,1],[1000,1]:none' '[1000,1],[1,1000]:layout'; do
		EVENTS=()
		op aten::copy_ 0 5 "\"Input Dims\":[[1000,1000],[1000,1000],[]],\"Input type\":[\"float\",\"float\",\"\"],\"Input Strides\":[${strides%:*},[]]"
		call 1 1 2; gpu 1 direct_copy 100 40
		trace t.json
		headroom
		equal "$(of reason)" "${strides#*:} "
	done
}

@test "without an architecture there is fair time; without models, too, there is no sheet" {
	matmul 1 0 100 50
	trace t.json
	tl-roofline -q --sheets headroom t.json >h.tsv
	equal "$(of kernel_ms fair_ms roofline_ms headroom_ms reason)" '0.05 0.05   no architecture '
	op mine::op 0 5; call 1 1 2; gpu 1 k 100 40
	trace t.json
	tl-roofline -q -d out t.json >names
	refute grep headroom names
	tl-roofline -q -d out --arch a.json t.json >names
	grep headroom names
}

@test "operators without operations, or a peak for them, have the time of their bytes" {
	op aten::copy_ 0 5 '"Input Dims":[[1000,1000],[1000,1000],[]],"Input type":["c10::Half","c10::Half",""],"Input Strides":[[1000,1],[1000,1],[]]'; call 1 1 2; gpu 1 k 100 40
	trace t.json
	headroom
	equal "$(of roofline_ms 'Roofline Bound')" '0.004 MEMORY_BOUND '
}

@test "operators that the reference has no model of have one here; with --op-categories tl in all sheets" {
	softmax='"Input Dims":[[1000,1000],[],[]],"Input type":["c10::BFloat16","Scalar","Scalar"],"Concrete Inputs":["","-1","False"]'
	op aten::_softmax 0 5 "$softmax"; call 1 1 2; gpu 1 'void at::native::softmax' 100 40
	trace t.json
	headroom
	equal "$(of 'op category' roofline_ms reason)" 'Softmax 0.004 none '
	tl-roofline -q t.json >u.tsv
	equal "$(cell u.tsv 'op category') $(cell u.tsv has_perf_model)" 'other False'
	tl-roofline -q --op-categories reference t.json | cmp - u.tsv
	tl-roofline -q --op-categories tl t.json >u.tsv
	equal "$(cell u.tsv 'op category') $(cell u.tsv has_perf_model) $(cell u.tsv 'Data Moved (MB)')" 'Softmax True 3.814697265625'
	equal "$(tl-ops -q --op-categories tl --sheets ops_summary_by_category t.json | sed -n 2p | cut -f 1)" Softmax
	run -2 --separate-stderr tl-roofline --op-categories all t.json
	failed 2 "--op-categories.*expected reference or tl"
}

@test "a table of --ops goes before those models, too" {
	echo 'op aten::_softmax unary X=0 out=1 category=Mine' >mine.tsv
	op aten::_softmax 0 5 '"Input Dims":[[1000,1000],[],[]],"Input type":["c10::BFloat16","Scalar","Scalar"],"Input Strides":[[1000,1],[],[]]'
	call 1 1 2; gpu 1 k 100 40
	trace t.json
	tl-roofline -q --arch a.json --ops mine.tsv --sheets headroom t.json >h.tsv
	equal "$(of 'op category')" 'Mine '
}

@test "with --op-categories tl copies from and to the host are held against the link" {
	copy='"Input Dims":[[1000,1000],[1000,1000],[]],"Input type":["float","float",""],"Input Strides":[[1000,1],[1000,1],[]]'
	op aten::copy_ 0 5 "$copy"; call 1 1 2; gpu 1 'Memcpy HtoD (Pageable -> Device)' 100 800 7 gpu_memcpy '"bytes":4000000'
	op aten::copy_ 10 5 "$copy"; call 2 11 2; gpu 2 'Memcpy DtoD (Device -> Device)' 900 10 7 gpu_memcpy '"bytes":4000000'
	op aten::copy_ 20 5 "${copy/1000,1000/10,1000}"; call 3 21 2; gpu 3 'Memcpy DtoH (Device -> Pinned)' 1000 800 7 gpu_memcpy
	trace t.json
	sed 's/1000,/1000,"host_gbps":25,/' a.json >b.json
	tl-roofline -q --op-categories tl --arch b.json t.json >h.tsv
	equal "$(cut -f 1 h.tsv | sort | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" '3 1 '
	local n
	n=$(row h.tsv 'Compute Spec=vector_fp32')
	equal "$(row=$n of 'Roofline Bound' 'Roofline Time (µs)_first')" 'MEMORY_BOUND 8.0 '
	n=$(row h.tsv 'Kernel Time (µs)_sum=800' 'Input Dims=((1000, 1000), (1000, 1000), ())')
	equal "$(row=$n of 'Compute Spec' 'Roofline Bound' 'Roofline Time (µs)_first' 'Pct Roofline_mean')" 'host_copy LINK_BOUND 160.0 20.0 '
	# the reference holds them against the memory
	tl-roofline -q --arch b.json t.json >h.tsv
	equal "$(cut -f 21 h.tsv | grep -c LINK_BOUND || true)" 0
	# without the rate of the link there is no roofline, and a warning says so
	run -0 --separate-stderr tl-roofline --op-categories tl --arch a.json t.json
	like "$stderr" 'mine has no peak for host_copy: 1 operator.s rows are without roofline'
}
