#!/usr/bin/env bats
# hot-kernels.bats - tl-roofline: the sheet hot_kernels.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR"
	echo '{"name":"mine","mem_bw_gbps":1000,"max_achievable_tflops":{"matrix_bf16":100,"matrix_fp32":10,"vector_fp32":10}}' >a.json
}

# product ID OP_TS KERNEL_TS DUR [KERNEL [ARGS [CALL]]]: aten::mm of 1000 x 1000 x 1000, least time 20 µs, with its kernel
product() {
	op aten::mm "$2" 5 '"Input Dims":[[1000,1000],[1000,1000]],"Input type":["c10::BFloat16","c10::BFloat16"]'
	call "$1" "$(($2 + 1))" 2 "${7-cudaLaunchKernel}"
	gpu "$1" "${5-void ns::gemm<int>(float*)}" "$3" "$4" 7 kernel "${6-}"
}
hot() {
	trace t.json
	tl-roofline -q --arch a.json --sheets hot_kernels,headroom -d out t.json >/dev/null
}
# of KERNEL_OR_KEY=VALUE COLUMN...: these cells of the row
of() {
	local r c
	r=$(row out/hot_kernels.tsv "$1")
	shift
	for c; do cell out/hot_kernels.tsv "$c" "$r"; done | tr '\n' '|'
}

@test "one kernel at two sites: rows, sums, headroom by time, the command of each" {
	frame 'model.py(1): first' 0 20
	frame 'torch/nn/modules/linear.py(1): forward' 1 18
	product 1 2 100 50
	frame 'model.py(9): second' 30 30
	product 2 31 150 30
	product 3 41 180 20
	hot
	equal "$(wc -l <out/hot_kernels.tsv)" 3
	equal "$(of 'site=model.py(1): first' operator count ms in_graph kind no_site 'Input Dims')" 'aten::mm|1|0.05|False|product||((1000, 1000), (1000, 1000))|'
	equal "$(of 'site=model.py(9): second' count ms percent_of_device_time)" '2|0.05|50.0|'
	# the cells are those of headroom; what is at stake is shared by time
	for c in 'Pct Roofline' 'Roofline Bound'; do
		equal "$(of 'site=model.py(9): second' "$c")" "$(cell out/headroom.tsv "$c" 1)|"
	done
	equal "$(of 'site=model.py(9): second' at_stake_ms)$(of 'site=model.py(1): first' at_stake_ms)" '0.02|0.02|'
	equal "$(cell out/headroom.tsv headroom_ms 1)" 0.04
	equal "$(of 'site=model.py(1): first' profile_command)" "ncu --set full --kernel-name 'regex:(^|::)gemm\$' --launch-skip 0 --launch-count 1 PROGRAM|"
	equal "$(of 'site=model.py(9): second' profile_command)" "ncu --set full --kernel-name 'regex:(^|::)gemm\$' --launch-skip 1 --launch-count 1 PROGRAM|"
}

@test "kernels of one function count together, in the order of their calls" {
	product 1 0 100 50
	product 2 10 90 5 'void ns::gemm<float>(float*)'
	product 3 20 200 50 'void (anonymous namespace)::other(int)'
	product 4 30 300 50 '_ZN2ns4gemmIfEEvPf'
	product 5 40 400 50 'a.b'
	hot
	like "$(of 'name=void ns::gemm<float>(float*)' profile_command)" "gemm\\$' --launch-skip 1 "
	like "$(of 'name=void (anonymous namespace)::other(int)' profile_command)" "\)other\\$' --launch-skip 0 "
	like "$(of 'name=_ZN2ns4gemmIfEEvPf' profile_command)" "gemm\\$' --launch-skip 2 "
	like "$(of 'name=a.b' profile_command)" "\)a\.b\\$' --launch-skip 0 "
}

@test "why there is no site: a graph, the backward pass, libraries, no frames, no call" {
	frame 'model.py(1): first' 0 100
	product 1 2 100 50 captured '' cudaGraphLaunch
	frame 'torch/library.py(1): call' 200 50
	product 2 210 300 10 only
	op free 400 5
	call 3 401 2
	gpu 3 unframed 410 10
	lone 9 uncalled 500 10
	hot
	equal "$(of name=captured in_graph site no_site)" 'True||graph replay|'
	equal "$(of name=only in_graph site no_site)" 'False||only frames of libraries|'
	equal "$(of name=unframed site no_site)" '|a thread without Python frames|'
	equal "$(of name=uncalled operator site no_site)" '||no call launched it in the trace|'
	product 1 2 100 50
	hot
	equal "$(of kind=product site no_site)" '|no Python frames: record with with_stack=True|'
}

@test "a kernel of the backward pass has the site of the forward operator" {
	frame 'model.py(1): first' 0 20
	op aten::mm 2 5 '"Sequence number":4'
	call 1 3 2
	gpu 1 ahead 100 50
	event '{"ph":"X","cat":"cpu_op","name":"autograd::engine::evaluate_function:MmBackward0","pid":1,"tid":2,"ts":200,"dur":50,"args":{"Sequence number":4}}'
	event '{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":2,"ts":210,"dur":20,"args":{}}'
	EVENTS+=('{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":2,"ts":212,"dur":2,"args":{"correlation":2}}'
		'{"ph":"s","cat":"ac2g","name":"ac2g","id":2,"pid":1,"tid":2,"ts":212}'
		'{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":2,"ts":260,"dur":2,"args":{"correlation":3}}'
		'{"ph":"s","cat":"ac2g","name":"ac2g","id":3,"pid":1,"tid":2,"ts":260}')
	gpu 2 behind 300 20
	gpu 3 reducer 330 20
	hot
	equal "$(of name=behind operator site no_site)" 'aten::mm|model.py(1): first|backward pass: the site is that of the forward operator|'
	equal "$(of name=reducer site no_site)" '|a thread of the backward pass|'
}

@test "AMD's kernels have the command of rocprof-compute; copies and collectives have none" {
	product 1 0 100 50 gemm '' hipLaunchKernel
	product 2 10 150 50 other '' hipLaunchKernel
	product 5 15 300 50 gemm2 '' hipLaunchKernel
	op aten::copy_ 20 5; call 3 21 2; gpu 3 'Memcpy HtoD (Pinned -> Device)' 200 40 8 gpu_memcpy
	op c10d::allreduce 30 5; call 4 31 2; gpu 4 'ncclDevKernel_AllReduce_Sum_f32_RING_LL' 240 60 9
	hot
	equal "$(of name=gemm profile_command)" "rocprof-compute profile -n hot -k 'gemm' -d 0 -- PROGRAM|"
	like "$(of name=gemm2 profile_command)" "-k 'gemm2' -d 2 -- PROGRAM"
	equal "$(of kind=copy ms profile_command)$(of kind=communication ms profile_command)" '0.04||0.06||'
}

@test "on request only, and for traces of the device alone" {
	product 1 0 100 50
	trace t.json
	tl-sheets -q -d usual t.json >/dev/null
	refute test -e usual/hot_kernels.tsv
	tl-roofline -q -d alone t.json >/dev/null
	refute test -e alone/hot_kernels.tsv
	tl-sheets -q -d asked --hot_kernels t.json >/dev/null
	test -e asked/hot_kernels.tsv
	refute test -e asked/headroom.tsv
	lone 9 alone 500 10
	trace g.json
	tl-roofline -q --sheets hot_kernels g.json >g.tsv
	equal "$(cell g.tsv no_site 1)" 'no call launched it in the trace'
	# a cut sheet has the cells of all
	product 1 0 100 50
	op aten::add 10 5; call 2 11 2; gpu 2 k 150 90
	trace t.json
	tl-roofline -q --arch a.json --topk_roofline_ops 2 --sheets hot_kernels,headroom -d out t.json >/dev/null
	equal "$(of kind=product at_stake_ms)" '0.03|'
}

@test "all device time has a site or a reason, and what is at stake is that of headroom" {
	for c in h100-owlv2 mi300-resnet vllm-piecewise; do
		f=$TL_ROOT/../shared/traces/pytorch/$c/input.json.gz
		[ -e "$f" ] || skip 'no such traces here'
		tl-roofline -q --arch auto --sheets hot_kernels,headroom -d out "$f" >/dev/null
		awk -F'\t' 'FNR == 1 { delete at; for (i = 1; i <= NF; i++) at[$i] = i; next }
			FILENAME ~ /hot/ { all += $at["ms"]; stake += $at["at_stake_ms"]; if ($at["site"] $at["no_site"] != "") told += $at["ms"] }
			FILENAME !~ /hot/ { stake -= $at["headroom_ms"] }
			END { exit !(told >= .95 * all && all > 0 && stake < .01 && stake > -.01) }' out/hot_kernels.tsv out/headroom.tsv
	done
}
