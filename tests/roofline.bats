#!/usr/bin/env bats
# roofline.bats - tl-roofline: what operators achieved, sheet by sheet.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

mm='"Input Dims":[[2000,1000],[1000,500]],"Input type":["c10::BFloat16","c10::BFloat16"],"Input Strides":[[1000,1],[500,1]],"Concrete Inputs":["",""]'

# matmul ID TS DUR: aten::mm whose kernel runs DUR µs
matmul() {
	op aten::mm "$2" 20 "$mm"
	call "$1" "$(($2 + 1))" 2
	gpu "$1" gemm_kernel "$(($2 + 50))" "$3"
}

@test "an operator's rates follow from its model and the time of its kernel" {
	matmul 1 100 10
	matmul 2 200 30
	trace t.json
	tl-roofline t.json >u.tsv
	equal "$(wc -l <u.tsv)" 2
	equal "$(cell u.tsv 'op category' 1)" GEMM
	equal "$(cell u.tsv operation_count 1)" 2
	equal "$(cell u.tsv GFLOPS 1)" 2.0
	equal "$(cell u.tsv 'Kernel Time (µs)_sum' 1)" 40
	equal "$(cell u.tsv TFLOPS/s_max 1)" 200.0
	equal "$(cell u.tsv TFLOPS/s_mean 1)" 133.33333333333334
	equal "$(cell u.tsv 'Data Moved (MB)' 1)" 6.67572021484375
	equal "$(cell u.tsv 'Compute Spec' 1)" matrix_bf16
	equal "$(cell u.tsv has_perf_model 1)" True
	equal "$(cell u.tsv perf_params 1)" "{'M': 2000, 'N': 500, 'K': 1000, 'bias': False, 'stride_A': (1000, 1), 'stride_B': (500, 1), 'dtype_A_B': ('c10::BFloat16', 'c10::BFloat16'), 'B': 1}"
	equal "$(cell u.tsv 'Percentage (%)' 1)" 100.0
}

@test "the sheet of a family has a column for each parameter" {
	matmul 1 100 10
	trace t.json
	tl-roofline --sheet GEMM t.json >g.tsv
	equal "$(head -n 1 g.tsv | cut -f 1-9)" "name	param: M	param: N	param: K	param: bias	param: stride_A	param: stride_B	param: dtype_A_B	param: B"
	equal "$(sed -n 2p g.tsv | cut -f 1-9)" "aten::mm	2000	500	1000	False	(1000, 1)	(500, 1)	('c10::BFloat16', 'c10::BFloat16')	1"
	equal "$(cell g.tsv 'Input Dims_first' 1)" '[[2000, 1000], [1000, 500]]'
}

@test "the roofline is the least time the architecture allows" {
	matmul 1 100 10
	trace t.json
	tl-roofline --arch mi300x t.json >u.tsv
	# 2e9 / 708e12 s = 2.82 µs; 7e6 / 5300e9 s = 1.32 µs
	equal "$(cell u.tsv 'Roofline Time (µs)_first' 1)" 2.824858757062147
	equal "$(cell u.tsv 'Roofline Bound' 1)" COMPUTE_BOUND
	equal "$(cell u.tsv 'Pct Roofline_mean' 1)" 28.24858757062147
}

@test "an architecture comes from a JSON file, a table, or by name, and only once" {
	matmul 1 100 10
	trace t.json
	echo '{"name":"x","mem_bw_gbps":1,"max_achievable_tflops":{"_comment":1,"matrix_bf16":1000}}' >a.json
	printf 'name\tmem_bw_gbps\tmatrix_bf16\nx\t1\t1000\n' >a.tsv
	for a in --arch=a.json --gpu_arch_json_path=a.json --arch=a.tsv; do
		tl-roofline "$a" t.json >u.tsv
		equal "$(cell u.tsv 'Roofline Time (µs)_first' 1)" 7000.0
		equal "$(cell u.tsv 'Roofline Bound' 1)" MEMORY_BOUND
	done
	tl-roofline --gpu_arch_platform MI325X t.json >/dev/null
	run --separate-stderr tl-roofline --arch a.json --gpu_arch_platform MI300X t.json
	failed 2 'only one of'
	run --separate-stderr tl-roofline --arch nosuch t.json
	failed 2 "no architecture \"nosuch\"; expected one of those that 'tl-models archs' lists, or a file"
	echo '{"mem_bw_gbps":"fast"}' >bad.json
	run --separate-stderr tl-roofline --arch bad.json t.json
	failed 1 'bad.json: expected a number mem_bw_gbps and an object max_achievable_tflops'
	printf 'a\tb\n1\t2\n' >bad.tsv
	run --separate-stderr tl-roofline --arch bad.tsv t.json
	failed 1 'bad.tsv: expected JSON, or a table whose header line has a column mem_bw_gbps'
	printf 'mem_bw_gbps\tmatrix_bf16\n1\tx\n' >bad.tsv
	run --separate-stderr tl-roofline --arch bad.tsv t.json
	failed 1 'bad.tsv:2: matrix_bf16: expected a positive number, found x'
}

@test "every built-in architecture names its source and its kind" {
	run -0 tl-models archs
	for a in MI210 MI250X MI300A MI300X MI325X MI350X MI355X V100 A100-40GB A100-SXM-80GB H100-SXM H100-PCIe H200 B200 L40S; do
		like "$output" "(^|
)$a	(peak|achievable)	[A-Z]" || { like "$output" "$a	achievable	measured"; }
	done
}

@test "a note says which architecture fits a trace that names its GPU" {
	matmul 1 100 10
	device_trace t.json '{"id":0,"name":"NVIDIA H100 PCIe"}'
	run -0 --separate-stderr tl-roofline t.json
	like "$stderr" 'the trace is of "NVIDIA H100 PCIe"; --arch H100-PCIe adds its roofline'
	run -0 --separate-stderr tl-roofline -q t.json
	equal "$stderr" ''
	run -0 --separate-stderr tl-roofline --arch H100-PCIe t.json
	equal "$stderr" ''
}

@test "a GPU whose name only resembles a known one is not taken for it" {
	matmul 1 100 10
	for gpu in 'NVIDIA H100 80GB HBM3=H100-SXM' 'NVIDIA H200=H200' 'NVIDIA L40S=L40S' 'NVIDIA L4=L4' 'AMD Instinct MI250X / MI250=MI250X-GCD' \
		'Tesla V100-SXM2-32GB=V100' 'NVIDIA A100 80GB PCIe=A100-PCIe-80GB' 'NVIDIA H100 NVL=H100-NVL' 'NVIDIA GH200 480GB=GH200-96GB' 'NVIDIA GH200=' 'NVIDIA A10G=' \
		'Tesla V100-PCIE-16GB=V100-PCIe' 'NVIDIA H200 NVL MIG 1g=' 'NVIDIA H100 MIG='; do
		device_trace t.json "{\"id\":0,\"name\":\"${gpu%=*}\"}"
		run -0 --separate-stderr tl-roofline t.json
		if [ -n "${gpu#*=}" ]; then like "$stderr" "; --arch ${gpu#*=} adds"; else equal "$stderr" ''; fi
	done
}

@test "broken arguments give an empty metric and one warning with the count" {
	matmul 1 100 10
	op aten::mm 200 20 '"Input Dims":[[4]]'
	call 2 201 2
	gpu 2 k 250 5
	op aten::mm 300 20
	call 3 301 2
	gpu 3 k 350 5
	trace t.json
	run -0 --separate-stderr tl-roofline -o u.tsv t.json
	equal "$stderr" 'tl-roofline: warning: aten::mm: no metrics for 2 events: tA: no Input type'
	equal "$(wc -l <u.tsv)" 4
	r=$(row u.tsv "Input Dims=((4,),)")
	equal "$(cell u.tsv GFLOPS "$r")" ''
	equal "$(cell u.tsv 'Kernel Time (µs)_sum' "$r")" 5
	equal "$(cell u.tsv has_perf_model "$r")" True
	tl-roofline -q --sheet GEMM t.json >g.tsv
	equal "$(wc -l <g.tsv)" 2
}

@test "of a trace without shapes one line says how many operators have no metrics" {
	local id=0 name
	for name in aten::mm aten::mm aten::bmm aten::addmm; do
		id=$((id + 1))
		op $name $((id * 100)) 20
		call $id $((id * 100 + 1)) 2
		gpu $id k $((id * 100 + 50)) 5
	done
	trace t.json
	run -0 --separate-stderr tl-roofline -o u.tsv t.json
	equal "$stderr" 'tl-roofline: warning: the trace was recorded without record_shapes=True: no TFLOP/s for 3 operators (4 events)'
}

@test "work that no operator covers gets a synthetic row" {
	op outer 100 100
	op aten::mm 110 20 "$mm"
	call 1 111 2
	gpu 1 gemm_kernel 160 10
	call 2 140 2
	gpu 2 other_kernel 180 4
	trace t.json
	tl-roofline t.json >u.tsv
	equal "$(cut -f 1 u.tsv | tail -n +2)" 'aten::mm
outer->other_kernel (Synthetic Op)'
	equal "$(cell u.tsv ex_UID 2)" 10
	equal "$(cell u.tsv 'op category' 2)" other
	equal "$(cell u.tsv has_perf_model 2)" False
}

@test "communication of an operator without model is no row" {
	op c10d::allreduce_ 100 10
	call 1 101 2
	gpu 1 ncclDevKernel_AllReduce_Sum 150 10
	matmul 2 200 10
	trace t.json
	tl-roofline t.json >u.tsv
	equal "$(cut -f 1 u.tsv | tail -n +2)" aten::mm
}

@test "forward rows and the linked backward pass stand in two sheets" {
	gen t.json -n 12000
	run -0 --separate-stderr tl-roofline -q -d out t.json
	equal "$output" "$(printf 'out/%s.tsv\n' unified_perf_summary headroom mfu GEMM SDPA_fwd SDPA_bwd CONV_fwd CONV_bwd BinaryElementwise \
		UnaryElementwise Normalization Reduce_fwd)"
	equal "$(cell out/SDPA_bwd.tsv name 1)" "$(cell out/SDPA_fwd.tsv name 1)"
	[ "$(cell out/SDPA_bwd.tsv GFLOPS_first 1)" != "$(cell out/SDPA_fwd.tsv GFLOPS_first 1)" ]
	# the operator's own row is moved, the linked one is not shown
	equal "$(cut -f 1 out/CONV_bwd.tsv | sort -u)" "$(printf 'aten::convolution_backward\nname')"
	equal "$(cut -f 1 out/CONV_fwd.tsv | sort -u)" "$(printf 'aten::convolution\nname')"
}

@test "sheets named with -d are those written" {
	matmul 1 100 10
	trace t.json
	run -0 tl-roofline -d out --sheet GEMM t.json
	equal "$output" out/GEMM.tsv
	equal "$(ls out)" GEMM.tsv
}

@test "--arch: the GPU's name goes before a file or folder that is called so" {
	matmul 1 100 10
	trace t.json
	mkdir MI300X
	run -0 --separate-stderr tl-roofline --arch MI300X t.json
	like "$output" 'Pct Roofline'
	mkdir mine
	run --separate-stderr tl-roofline --arch mine t.json
	failed 1 'mine: is a directory'
}

@test "a sheet without rows is a header line, with a warning" {
	matmul 1 100 10
	trace t.json
	header=$(tl-roofline --sheet GEMM t.json | sed -n 1p | tr '\t' '\n' | grep -v ^param: | tr '\n' '\t')
	for sheet in SDPA_fwd SDPA_bwd CONV_bwd Reduce_fwd; do
		run -0 --separate-stderr tl-roofline --sheet $sheet t.json
		equal "$output" "${header%$'\t'}"
		like "$stderr" "warning: no row for the sheet $sheet"
	done
	tl-roofline -q --sheet SDPA_fwd t.json | tl-csv >empty.csv
	equal "$(wc -l <empty.csv)" 1
	like "$(tl-roofline -q --arch MI300X --sheet SDPA_fwd_kl_overlap t.json)" '^name	overlapping_kernel_names.*Pct Roofline_max.*overlap_pct_mean[^
]*$'
	run -0 --separate-stderr tl-roofline -q -d none --sheet SDPA_fwd t.json
	[ ! -e none/SDPA_fwd.tsv ]
	header=$(tl-roofline t.json | sed -n 1p)
	lone 3 k 10 5
	trace t.json
	run -0 --separate-stderr tl-roofline t.json
	equal "$output" "$header"
	like "$stderr" 'warning: no row for the sheet unified_perf_summary'
	run --separate-stderr tl-roofline --sheet NOSUCH t.json
	failed 2 "'NOSUCH' is not one of unified_perf_summary"
}

@test "a parameter that some rows lack turns its column's integers into reals" {
	matmul 1 100 10
	op aten::bmm 200 20 '"Input Dims":[[2,3,4],[2,4,5]],"Input type":["float","float"],"Input Strides":[[12,4,1],[20,5,1]],"Concrete Inputs":["",""]'
	call 2 201 2
	gpu 2 Cijk_Alik_Bljk_x 250 5
	trace t.json
	tl-roofline --sheet GEMM t.json >g.tsv
	equal "$(cell g.tsv 'param: M' 2)" 3
	equal "$(cell g.tsv 'param: transpose' 1)" ''
	equal "$(cell g.tsv 'param: transpose' 2)" '(True, False)'
}

@test "overlap sheets tell rows apart by what ran at the same time" {
	matmul 1 100 10
	matmul 2 200 10
	op side 120 2
	call 3 121 1
	gpu 3 side_kernel 155 4 8
	trace t.json
	tl-roofline --sheet unified_perf_summary_kl_overlap t.json >o.tsv
	equal "$(cut -f 1,2 o.tsv | sed -n 2,4p)" "$(printf "aten::mm\t['side_kernel']\naten::mm\t\nside\t['gemm_kernel']")"
	equal "$(cell o.tsv overlap_pct_mean 1)" 0.4
	tl-roofline --include_overlap_info -d out t.json >names
	equal "$(cat names)" "$(printf 'out/%s.tsv\n' unified_perf_summary unified_perf_summary_kl_overlap headroom GEMM GEMM_kl_overlap)"
	equal "$(cell out/GEMM_kl_overlap.tsv overlapping_kernel_names_first 1)" "['side_kernel']"
}

@test "rows of one operator that differ in their overlap stand together, by the time of all" {
	matmul 1 100 10
	matmul 2 200 10
	op big 300 20
	call 3 301 1
	gpu 3 big_kernel 350 15
	op side 120 2
	call 4 121 1
	gpu 4 side_kernel 155 4 8
	trace t.json
	tl-roofline --sheet unified_perf_summary_kl_overlap t.json >o.tsv
	equal "$(cut -f 1,2 o.tsv | tail -n +2)" "$(printf "aten::mm\t['side_kernel']\naten::mm\t\nbig\t\nside\t['gemm_kernel']")"
}

@test "the number of kernels tells rows apart when asked to" {
	matmul 1 100 10
	op aten::mm 200 20 "$mm"
	call 2 201 2
	gpu 2 gemm_kernel 250 10
	call 3 205 2
	gpu 3 reduce_kernel 260 5
	trace t.json
	equal "$(tl-roofline --sheet GEMM t.json | wc -l)" 2
	tl-roofline --sheet GEMM --group_by_num_kernels t.json >g.tsv
	equal "$(cell g.tsv num_kernels 1) $(cell g.tsv num_kernels 2)" '2 1'
}

@test "only the largest rows with --topk_roofline_ops" {
	gen t.json -n 12000
	tl-roofline -q t.json >all.tsv
	tl-roofline -q --topk_roofline_ops 3 t.json >top.tsv
	equal "$(wc -l <top.tsv)" 4
	equal "$(head -n 4 all.tsv)" "$(cat top.tsv)"
}

@test "call stacks name the frame that called an operator" {
	frame 'run/train.py(5): main' 0 1000
	frame 'run/model.py(7): forward' 90 400
	frame 'torch/nn/modules/module.py(1): _call_impl' 95 300
	matmul 1 100 10
	trace t.json
	tl-roofline --include_call_stack t.json >u.tsv
	equal "$(cell u.tsv entry_point 1)" 'run/model.py(7): forward'
	like "$(cell u.tsv call_stack_full 1)" "'aten::mm', 'gemm_kernel'\]"
}

@test "the frame above an operator is found under its name without a number" {
	frame 'run/model.py(7): forward' 90 400
	op fused_add_12 100 20
	call 1 101 2
	gpu 1 k 150 10
	trace t.json
	tl-roofline --include_call_stack t.json >u.tsv
	equal "$(cell u.tsv entry_point 1)" 'run/model.py(7): forward'
	equal "$(cell u.tsv call_stack_full 1)" "['run/model.py(7): forward', 'fused_add', 'k']"
}

@test "recomputed work is told apart" {
	frame 'torch/utils/checkpoint.py(9): recompute_fn' 90 50
	matmul 1 100 10
	matmul 2 200 10
	trace t.json
	tl-roofline --detect_recompute t.json >u.tsv
	equal "$(cut -f 10 u.tsv | sort)" "$(printf 'False\nTrue\nis_recompute')"
	tl-roofline --detect_recompute --sheet GEMM t.json >g.tsv
	equal "$(wc -l <g.tsv)" 3
}

@test "dims that are negative or overflow give an empty metric and a warning, never a number" {
	for dims in '[[-128,256],[256,64]]' '[[128,256],[256,-64]]' '[[1e308,1e308],[1e308,64]]' "[[1$(printf '0%.0s' {1..307}),256],[256,64]]"; do
		op aten::mm 100 20 "\"Input Dims\":$dims,\"Input type\":[\"float\",\"float\"]"
		call 1 101 2
		gpu 1 k 150 10
		trace t.json
		run -0 --separate-stderr tl-roofline --arch MI300X t.json
		like "$stderr" 'aten::mm: no metrics for 1 event: (a negative number in Input Dims|flops is too large for a number)'
		equal "$(cut -f 2,10- <<<"$output" | tail -n 1 | grep -ciE 'inf|nan|BOUND|-[0-9]')" 0
		run -0 --separate-stderr tl-models -q --arch MI300X explain aten::mm t.json
		like "$output" 'result: failed: '
		equal "$(sed -n '/^result/,$p' <<<"$output" | grep -ciE '= (-|inf|nan)')" 0
	done
}

@test "a trace without operators on the host has no roofline" {
	lone 1 k 10 5
	trace t.json
	run -0 --separate-stderr tl-roofline -d out t.json
	equal "$output" ''
	like "$stderr" 'no host operators'
	[ ! -e out ]
}

@test "a stream and a raw trace give the same sheets, twice" {
	gen t.json.gz -n 12000
	tl-parse t.json.gz | tl-link >linked
	tl-roofline -q -d a t.json.gz
	tl-roofline -q -d b linked
	same_sheets a b
}

@test "the reference's perf sheets come out cell by cell" {
	[ -x "$TL_ROOT/../shared/tools/parity" ] || skip 'no ../shared'
	cases=$TL_ROOT/../shared/traces/pytorch
	run -0 "$TL_ROOT/../shared/tools/parity" --only 'unified_perf_summary|GEMM|[A-Za-z]*_(fwd|bwd)|[UB]i?naryElementwise|Normalization' \
		--run 'tl-roofline -q $(printf "%s" "$FLAGS" | tr " " "\n" | grep gpu_arch -A 1 | tr "\n" " ") -d "$OUT" "$INPUT"' "$cases" h100-bert mi300-qwen-arch triton
	like "$output" 'cells ([0-9]+)/\1 \(100.000%\)'
}

@test "pseudo operators have rows and sheets though they have no duration" {
	op vllm::moe_forward 0 1000
	op vllm::rocm_aiter_fused_moe 10 500 '"Input Dims":[[1,4],[2,12,4],[2,4,6],[1,2]],"Input type":["c10::BFloat16","c10::Float8_e4m3fn","c10::Float8_e4m3fn","float"],"Input Strides":[[4,1],[48,4,1],[24,6,1],[2,1]],"Concrete Inputs":["","","",""]'
	call 1 20 5
	call 2 30 5
	gpu 1 aiter::MoeSorting_fmoe 40 5
	gpu 2 aiter::fmoe_g1u1 50 5
	trace t.json
	run -0 --separate-stderr tl-roofline --enable_pseudo_ops -d out t.json
	equal "$output" "$(printf 'out/%s.tsv\n' unified_perf_summary headroom MoE_fused_fwd)"
	equal "$stderr" ''
	equal "$(cell out/MoE_fused_fwd.tsv GFLOPS_first 1)" 3e-07
	equal "$(cell out/unified_perf_summary.tsv total_duration_us 1)" 0.0
	tl-parse t.json | tl-link | tl-rewrite --enable_pseudo_ops >linked
	tl-roofline -d same linked
	same_sheets out same
}

@test "operators nested without end are refused instead of filling the memory" {
	# 1500 operators, each inside the one before, and 1500 launches in the innermost
	awk -v mm="$mm" 'BEGIN {
		print "{\"schemaVersion\":1,\"traceEvents\":[{}"
		for (i = 1; i <= 1500; i++) {
			at = sprintf("\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\"", 1500 + 2 * i)
			printf ",{\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":{%s}}\n", i, 9000 - 2 * i, mm
			printf ",{\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",%s:1,\"args\":{\"correlation\":%d}}\n", at, i
			printf ",{\"cat\":\"kernel\",\"name\":\"k\",%s:1,\"args\":{\"correlation\":%d,\"stream\":7}}\n", at, i
		}
		print "]}"
	}' >t.json
	run --separate-stderr tl-roofline -d out t.json
	failed 1 'nested too deeply'
}
