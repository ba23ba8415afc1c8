#!/usr/bin/env bats
# odd-sheets.bats - sound traces with odd trees, ids or arguments, and what the sheets say of them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# names SHEET COLUMN: a column of a sheet, one cell a line
names() {
	awk -F'\t' -v col="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == col) c = i; next } { print $c }' "$1"
}

# ---- operators and what is below them ---------------------------------------------------

# An operator, N Python frames below it, and below these a call that launches a kernel.
frames_between() { # N
	op myop 100 100
	for ((i = 0; i < $1; i++)); do
		frame "f$i" $((101 + i)) $((90 - i))
	done
	call 1 150 1
	gpu 1 k 160 5
	trace t.json
}

@test "an operator has a row of its own if at most eight Python frames lie between it and its call" {
	frames_between 8
	tl-roofline --include_call_stack t.json >s.tsv
	equal "$(cell s.tsv name)" myop
	frames_between 9
	tl-roofline --include_call_stack t.json >s.tsv
	equal "$(cell s.tsv name)" 'myop->k (Synthetic Op)'
	equal "$(cell s.tsv ex_UID)" 14
}

# A convolution on thread 1, and its backward node on thread 2 with two calls that launch:
# of an operator, and of a Python hook that itself calls an operator.
conv_with_hook() {
	local on2='"pid":1,"tid":2'
	op aten::convolution 100 50 '"Sequence number":7,"Input Dims":[[1,3,8,8],[4,3,3,3],[],[],[],[],[],[],[]],"Input type":["float","float","","","","","","",""],"Input Strides":[[192,64,8,1],[27,9,3,1],[],[],[],[],[],[],[]],"Concrete Inputs":["","","","[1, 1]","[0, 0]","[1, 1]","False","[0, 0]","1"]'
	call 1 110 2
	gpu 1 forward 120 3
	event "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"autograd::engine::evaluate_function: XBackward0\",$on2,\"ts\":200,\"dur\":100,\"args\":{\"Sequence number\":7}}"
	event "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"XBackward0\",$on2,\"ts\":205,\"dur\":30,\"args\":{\"Sequence number\":7}}"
	event "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",$on2,\"ts\":210,\"dur\":2,\"args\":{\"correlation\":2}}"
	event "{\"ph\":\"s\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":2,$on2,\"ts\":210}"
	gpu 2 backward 220 5
	event "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"hook.py(5): hook\",$on2,\"ts\":270,\"dur\":20,\"args\":{}}"
	event "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"mylib::scale\",$on2,\"ts\":271,\"dur\":10,\"args\":{}}"
	event "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",$on2,\"ts\":275,\"dur\":2,\"args\":{\"correlation\":3}}"
	event "{\"ph\":\"s\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":3,$on2,\"ts\":275}"
	gpu 3 hook 280 2
	trace t.json
}

@test "with Python frames in the tree, a frame below a backward node may stand for the backward pass" {
	conv_with_hook
	tl-roofline t.json >s.tsv
	equal "$(names s.tsv name | sort | tr '\n' ' ')" 'XBackward0 aten::convolution mylib::scale '
	tl-roofline --include_call_stack t.json >s.tsv
	equal "$(names s.tsv name | sort | tr '\n' ' ')" 'XBackward0 aten::convolution hook.py(5): hook '
	equal "$(cell s.tsv 'op category' "$(row s.tsv 'name=hook.py(5): hook')")" CONV_bwd
	equal "$(cell s.tsv has_perf_model "$(row s.tsv 'name=hook.py(5): hook')")" True
}

# bats test_tags=quick
@test "the call stack of a pseudo operator that wraps a Python frame begins with it" {
	op aten::mm 90 70 '"Input Dims":[[4,4],[4,4]],"Input type":["float","float"]' # has a model: its tree is not walked
	op aiter::v4_attention_with_output 100 50
	frame 'v4/paged_decode.py(17): sparse_attn_v4_paged_decode' 105 30
	call 1 110 2
	gpu 1 k 120 3
	trace t.json
	tl-sheets -q --include_call_stack --enable_pseudo_ops -d sheets t.json
	cd sheets
	equal "$(cell unified_perf_summary.tsv call_stack_full "$(row unified_perf_summary.tsv name=pseudo_v4_paged_decode_swa)")" \
		"['pseudo_v4_paged_decode_swa', 'k']"
	equal "$(cell unified_perf_summary.tsv call_stack_full "$(row unified_perf_summary.tsv name=aten::mm)")" \
		"['aten::mm', 'aiter::v4_attention_with_output', 'v4/paged_decode.py(17): sparse_attn_v4_paged_decode', 'pseudo_v4_paged_decode_swa', 'k']"
}

# bats test_tags=quick
@test "a pseudo operator that isolates a kernel has the time of that kernel, once" {
	# of two nested operators each would isolate the kernel
	op vllm::outplace_fused_experts 100 50 '"Input Dims":[[1,4],[2,12,4],[2,4,6],[1,2]],"Input type":["c10::BFloat16","c10::BFloat16","c10::BFloat16",""]'
	op vllm::outplace_fused_experts 101 40 '"Input Dims":[[1,4],[2,12,4],[2,4,6],[1,2]],"Input type":["c10::BFloat16","c10::BFloat16","c10::BFloat16",""]'
	call 1 110 2
	gpu 1 fused_moe_kernel_gptq_awq 120 3
	trace t.json
	tl-sheets -q --enable_pseudo_ops -d sheets t.json
	cd sheets
	equal "$(cell MoE_unfused_fwd.tsv name_count) $(cell MoE_unfused_fwd.tsv 'Kernel Time (µs)_sum')" '1 3'
	equal "$(cell unified_perf_summary.tsv operation_count "$(row unified_perf_summary.tsv name=pseudo_op::moe_gptq_awq_up)")" 1
}

# ---- pids, numbers of events, order ---------------------------------------------------------

@test "pids and tids are numbers: 1.0 has the names that 1 has" {
	event '{"ph":"M","name":"process_name","pid":1,"tid":0.0,"args":{"name":"python"}}'
	event '{"ph":"M","name":"thread_name","pid":1e0,"tid":1,"args":{"name":"main"}}'
	event '{"ph":"X","cat":"cpu_op","name":"op","pid":1.0,"tid":1.0,"ts":1,"dur":20,"args":{}}'
	call 1 5 2
	gpu 1 k 10 3
	trace t.json
	tl-ops --sheets ops_unique_args t.json >s.tsv
	equal "$(cell s.tsv name) $(cell s.tsv process_name) $(cell s.tsv thread_name)" 'op python main'
	tl-roofline t.json >s.tsv
	equal "$(cell s.tsv name) $(cell s.tsv process_name) $(cell s.tsv thread_name)" 'op python main'
}

@test "streams are numbers: events on 7 and on 7.0 do not overlap each other" {
	op a 1 20
	call 1 2 1
	gpu 1 k1 5 10
	call 2 4 1
	gpu 2 k2 8 10 7.0
	trace t.json
	run -0 --separate-stderr tl-ops --include_overlap_info --sheets ops_unique_args_kl_overlap t.json
	equal "$(cell <(echo "$output") overlapping_kernel_names)" ''
	sed 's/"stream":7.0/"stream":8/' t.json >other.json
	run -0 --separate-stderr tl-ops --include_overlap_info --sheets ops_unique_args_kl_overlap other.json
	equal "$(cell <(echo "$output") overlapping_kernel_names)" "['k2', 'k1']"
}

@test "a stream with dropped events keeps their number, so that synthetic rows have the same UIDs" {
	op outer 1 50
	op aten::mm 2 10 '"Input Dims":[[4,4],[4,4]],"Input type":["float","float"]'
	call 1 3 1
	gpu 1 k1 5 2
	call 2 30 1
	gpu 2 k2 35 2
	event '{"ph":"i","name":"end","pid":"","tid":"","ts":60,"s":"g"}'
	event '{"ph":"i","name":"end","pid":"","tid":"","ts":61,"s":"g"}'
	trace t.json
	tl-roofline t.json >whole.tsv
	equal "$(cell whole.tsv ex_UID "$(row whole.tsv 'name=outer->k2 (Synthetic Op)')")" 12
	tl-parse t.json >whole.tls
	tl-parse --drop instant whole.tls >part.tls
	tl-roofline part.tls | diff - whole.tsv
	equal "$(tl-view part.tls | grep 'tl-parse events')" $'meta\ttl-parse events\t12'
	tl-parse --drop launch_flow,instant part.tls >less.tls # the number is told once
	equal "$(tl-view less.tls | grep 'tl-parse events')" $'meta\ttl-parse events\t12'
}

@test "operators with equal times stand in the order of their names" {
	for i in 1 2 3; do
		op "op$((4 - i))" $((i * 100)) 50
		call $i $((i * 100 + 10)) 1
		gpu $i k $((i * 100 + 20)) 5
	done
	trace t.json
	tl-ops t.json >s.tsv
	equal "$(names s.tsv name | tr '\n' ' ')" 'op1 op2 op3 '
}

# ---- arguments -----------------------------------------------------------------------------

@test "a backward operator with a type that is not known has no metrics, but its linked backward pass has" {
	local on2='"pid":1,"tid":2'
	op flash_attn::_flash_attn_backward 100 20 '"Sequence number":5,"Input Dims":[[2,8,4,16],[2,8,4,16],[2,8,2,16],[2,8,2,16],[],[],[],[],[],[],[]],"Input type":["odd","odd","odd","odd"],"Input Strides":[[512,64,16,1],[512,64,16,1],[256,32,16,1],[256,32,16,1]],"Concrete Inputs":["","","","","","","","","0.2","","False"]'
	call 1 101 1
	gpu 1 k 103 2
	event "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"autograd::engine::evaluate_function: XBackward0\",$on2,\"ts\":200,\"dur\":20,\"args\":{\"Sequence number\":5}}"
	event "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"XBackward0\",$on2,\"ts\":201,\"dur\":18,\"args\":{\"Sequence number\":5}}"
	event "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",$on2,\"ts\":202,\"dur\":1,\"args\":{\"correlation\":2}}"
	event "{\"ph\":\"s\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":2,$on2,\"ts\":202}"
	gpu 2 kb 205 2
	trace t.json
	tl-roofline -q t.json >s.tsv
	equal "$(cell s.tsv GFLOPS "$(row s.tsv name=flash_attn::_flash_attn_backward)")" ''
	equal "$(cell s.tsv 'op category' "$(row s.tsv name=XBackward0)")" SDPA_bwd
	# no row of an operator, no roofline: nor have the backward rows columns for either
	tl-roofline -q --arch MI300X --sheets SDPA_bwd t.json >s2.tsv
	unlike "$(head -1 s2.tsv)" Roofline
	# five products of 2 * 2 * 4 * 8 * 8 * 16, and the sums over grouped heads: 2 * 8 * 16 twice
	equal "$(cell s.tsv GFLOPS "$(row s.tsv name=XBackward0)")" 8.2432e-05
}

# reduced ARGS: the GFLOPS of a sum over 16 x 8 elements with these arguments
reduced() {
	op aten::sum 1 20 "$1"
	call 1 2 1
	gpu 1 k 5 2
	trace t.json
	tl-roofline -q t.json >s.tsv
	equal "$(cell s.tsv has_perf_model)" True
	cell s.tsv GFLOPS 2>/dev/null || echo none
}

@test "arguments that are no lists are broken: no metrics, and a warning" {
	local dims='"Input Dims":[[16,8],[],[],[]]' types='"Input type":["float","","",""]' bad
	equal "$(reduced "$dims,$types,\"Concrete Inputs\":[\"\",\"[0]\",\"True\",\"\"]")" 1.28e-07
	equal "$(reduced "$dims,$types")" 1.28e-07
	for bad in null true 5 '""'; do
		equal "$(reduced "$dims,$types,\"Concrete Inputs\":$bad")" none
		equal "$(reduced "\"Input Dims\":$bad,$types")" none
	done
	equal "$(reduced "\"Input Dims\":[true],$types")" none
	run -0 --separate-stderr tl-roofline t.json
	like "$stderr" 'warning: aten::sum: no metrics for 1 event: '
}

@test "a stride that is no list is broken, and so is a padding that is no text" {
	local dims='"Input Dims":[[1,3,8,8],[4,3,3,3],[],[],[],[],[],[],[]],"Input type":["float","float","","","","","","",""]'
	local strides='"Input Strides":[[192,64,8,1],[27,9,3,1]]' padding
	for padding in '"[0, 0]"' '""' 0 '[]'; do
		op aten::convolution 100 50 "$dims,$strides,\"Concrete Inputs\":[\"\",\"\",\"\",\"[1, 1]\",$padding,\"[1, 1]\",\"False\",\"[0, 0]\",\"1\"]"
		call 1 110 2
		gpu 1 k 120 3
		trace "t-$padding.json"
	done
	equal "$(tl-roofline -q 't-"[0, 0]".json' | cell /dev/stdin GFLOPS)" 7.776e-06
	equal "$(tl-roofline -q 't-"".json' | cell /dev/stdin GFLOPS)" 7.776e-06
	refute eval 'tl-roofline -q t-0.json | cell /dev/stdin GFLOPS'
	refute eval 'tl-roofline -q "t-[].json" | cell /dev/stdin GFLOPS'
	sed 's/\[27,9,3,1\]/1.5/' 't-"".json' >stride.json
	refute eval 'tl-roofline -q stride.json | cell /dev/stdin GFLOPS'
}

# ---- names ---------------------------------------------------------------------------------

@test "names that differ behind a NUL stay two names, in the sheets and the files made of them" {
	for i in 1 2; do
		op op $((i * 100)) 50
		frame 'dir/f\u0000g' $((i * 100 + 1)) 48
		call $i $((i * 100 + 10)) 1
		gpu $i "a\\u0000$i" $((i * 100 + 20)) 5
	done
	trace t.json
	tl-kcat --sheets kernel_summary t.json >kernels.tsv
	equal "$(names kernels.tsv 'Kernel name' | od -An -c | tr -s ' \n' ' ')" ' a \0 1 \n a \0 2 \n '
	equal "$(names kernels.tsv 'Kernel duration (µs)_count' | tr '\n' ' ')" '1 1 '
	tl-roofline --include_call_stack t.json >s.tsv
	equal "$(cell s.tsv call_stack_full)" "['op', 'dir/f\\\\x00g', 'a\\\\x001']"
	# a kernel below no operator is part of a name of its own
	op elsewhere 50 10
	call 1 10 2
	gpu 1 'a\u0000x' 20 5
	trace t.json
	equal "$(tl-roofline t.json | tail -n +2 | cut -f1 | tr '\0' '@')" 'cudaLaunchKernel->a@x (Synthetic Op)'
	tl-csv kernels.tsv | tl-csv -r | cmp - kernels.tsv
	tl-xlsx -q -o t.xlsx kernels.tsv
	unzip -p t.xlsx xl/sharedStrings.xml >strings.xml
	equal "$(grep -o '<t>a.[12]</t>' strings.xml | tr -d '\n')" '<t>a�1</t><t>a�2</t>'
}

@test "a trace of which no event has arguments goes through every stage" {
	printf '{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"x","pid":1,"tid":1,"ts":1.5,"dur":1}]}' >t.json
	tl-parse -o t.tls t.json
	for filter in 'tl-link' 'tl-link --python' 'tl-rewrite --enable_pseudo_ops' 'tl-ops -q' 'tl-roofline -q' 'tl-kcat -q' 'tl-view'; do
		run -0 --separate-stderr $filter t.tls
		unlike "$stderr" 'runtime error|Sanitizer'
	done
}
