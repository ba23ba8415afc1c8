#!/usr/bin/env bats
# inference.bats - the report of an inference trace: --inference, modules around operators.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# step NAME TS DUR: an annotation of the host
step() {
	event "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"$1\",\"pid\":1,\"tid\":1,\"ts\":$2,\"dur\":$3,\"args\":{}}"
}

SHAPES='"Input Dims":[[4,2,8],[4,2,8]],"Input type":["c10::BFloat16","c10::BFloat16"],"Input Strides":[[16,8,1],[16,8,1]],"Concrete Inputs":["",""]'

# attention NAME TS ID: an operator with these shapes, and its kernel
attention() {
	op "$1" "$2" 20 "$SHAPES"
	call "$3" $(($2 + 2)) 2
	gpu "$3" "attend" $(($2 + 50)) 10
}

# ---- annotations --------------------------------------------------------------------

@test "attention of serving engines reads the annotation of its step with --inference" {
	step 'execute_1_context_1(sq4sk4sqsq16sqsk16)_generation_0(sq0sk0sqsq0sqsk0)' 0 100
	attention aiter::mha_varlen_fwd 10 1
	attention vllm::unified_attention_with_output 40 2
	trace t.json
	tl-roofline -q -o plain.tsv t.json
	tl-roofline -q --inference -o inference.tsv t.json
	local n
	n=$(row plain.tsv name=aiter::mha_varlen_fwd)
	equal "$(cell plain.tsv GFLOPS "$n")" ''
	n=$(row plain.tsv name=vllm::unified_attention_with_output)
	equal "$(cell plain.tsv GFLOPS "$n")" 5.12e-07
	# 2 heads of 8: 2 * (2 * 16 * 8 + 2 * 16 * 8) less the causal half
	for n in 1 2; do
		equal "$(cell inference.tsv GFLOPS "$n")" 5.12e-07
	done
}

@test "a table says which operators read annotations: annotation=inference" {
	printf 'op\tmy::attention\tpaged_attention\tq=0 k=1 annotation=inference\n' >mine.tsv
	printf 'op\tmy::attention\tpaged_attention\tq=0 k=1 annotation=never\n' >bad.tsv
	step 'step[DECODE bs=2 g_sq=2 g_sqsq=2 g_sqsk=64 g_sk=64]' 0 100
	attention my::attention 10 1
	trace t.json
	equal "$(tl-roofline -q --ops mine.tsv --columns GFLOPS t.json | tail -n +2)" ''
	# 2 heads: 2 * 64 products of 8 and of 8
	equal "$(tl-roofline -q --ops mine.tsv --inference --columns GFLOPS t.json | tail -n +2)" 4.096e-06
	run --separate-stderr tl-roofline --ops bad.tsv t.json
	failed 1 'bad.tsv:1:.*expected annotation=step or annotation=inference'
}

# ---- forms of sheets ------------------------------------------------------------------

@test "ops_summary counts subtree times, and Normalization has two sheets" {
	op aten::native_layer_norm 10 20 '"Input Dims":[[4,8],[],[8],[8],[]],"Input type":["float","ScalarList","float","float","Scalar"],"Input Strides":[[8,1],[],[1],[1],[]],"Concrete Inputs":["","[8]","","","1e-05"]'
	call 1 12 2
	gpu 1 norm 40 5
	trace t.json
	equal "$(tl-ops -q --inference t.json)" "name	total_direct_kernel_time_sum	total_subtree_kernel_time_sum	total_subtree_kernel_time_count	total_direct_kernel_time_ms	Count	Categories	Percentage (%)	Cumulative Percentage (%)
aten::native_layer_norm	5	5	1	0.005	1	['NORM_fwd']	100.0	100.0"
	tl-sheets -q -d plain t.json >plain.paths
	tl-sheets -q -d inference --inference t.json >inference.paths
	cmp plain/Normalization.tsv inference/Normalization_fwd.tsv
	refute ls plain/Normalization_fwd.tsv
	refute ls inference/Normalization.tsv
	run --separate-stderr tl-roofline --inference --sheets Normalization t.json
	failed 2 "'Normalization' is not one of"
	printf 'family\tMine\tone inference=three\n' >bad.tsv
	run --separate-stderr tl-roofline --ops bad.tsv t.json
	failed 1 'bad.tsv:1:.*expected "inference=two"'
}

@test "the inference report has no coll_analysis unless it is named" {
	op c10d::allreduce_ 10 20
	call 1 12 2
	gpu 1 ncclDevKernel_AllReduce_Sum_f32_RING_LL 40 5 7 kernel '"Collective name":"allreduce","In msg nelems":4,"Out msg nelems":4,"Group size":2,"dtype":"Float","Process Group Name":"0","Process Group Ranks":"[0, 1]","In split size":"[]","Out split size":"[]"'
	trace t.json
	tl-sheets -q -d plain t.json >/dev/null
	tl-sheets -q -d inference --inference --disable_coll_analysis t.json >/dev/null
	tl-sheets -q -d named --inference --sheets coll_analysis t.json >/dev/null
	cmp plain/coll_analysis.tsv named/coll_analysis.tsv
	refute ls inference/coll_analysis.tsv
}

@test "tl-report --inference takes the options of TraceLens's inference report" {
	op aten::mm 10 20
	call 1 12 2
	gpu 1 k 40 5
	trace t.json
	tl-report -q --inference --enable-origami --disable_coll_analysis --topk_ops 3 --output_csvs_dir csv t.json
	like "$(head -n 1 csv/ops_summary.csv)" total_subtree_kernel_time_count
	run --separate-stderr tl-report --inference --comparison_capture_folder=x t.json
	failed 2 'comparison_capture_folder is for the trace of --comparison_json_path'
	run --separate-stderr tl-report --enable-origami t.json
	failed 2 'enable-origami: not built'
}

# ---- modules --------------------------------------------------------------------------

# Two layers of one class, a long name, and an operator outside of all modules
modules() {
	local long
	long=$(printf '%0300d' 0)
	frame 'nn.Module: Model_0' 0 1000
	frame 'nn.Module: Layer_1' 10 100
	op aten::mm 20 20; call 1 22 2; gpu 1 k 2000 10
	frame 'nn.Module: Layer_2' 200 100
	op aten::mm 210 20; call 2 212 2; gpu 2 k 2020 20
	frame "nn.Module: $long" 400 100
	op aten::mm 410 20; call 3 412 2; gpu 3 k 2050 5
	frame "${long}nn.Module: late" 600 100
	op aten::mm 610 20; call 4 612 2; gpu 4 k 2060 1
	op aten::mm 1100 20; call 5 1102 2; gpu 5 k 2070 2
	trace t.json
}

@test "the module around an operator tells rows apart with --group_by_parent_module" {
	modules
	local cut
	cut="nn.Module: $(printf '%0245d' 0).."
	equal "$(tl-ops -q --group_by_parent_module --columns name,parent_module,Count,call_stack_first t.json)" "name	parent_module	Count	call_stack_first
aten::mm	nn.Module: Layer	2	['aten::mm', 'nn.Module: Layer_1', 'nn.Module: Model_0']
aten::mm	$cut	1	['aten::mm', '$cut', 'nn.Module: Model_0']
aten::mm	NA	1	['aten::mm']
aten::mm	nn.Module: Model	1	['aten::mm', 'nn.Module: Model_0']"
	tl-ops -q --group_by_parent_module -d sheets t.json >/dev/null
	like "$(head -n 1 sheets/ops_summary_by_category.tsv)" "^op category	parent_module	Count	call_stack_first	"
	equal "$(cell sheets/ops_summary_by_category.tsv parent_module)" 'nn.Module: Layer'
	like "$(head -n 1 sheets/ops_unique_args.tsv)" "^name	op category	parent_module	.*	ex_UID	call_stack	kernel_details_summary"
	equal "$(cell sheets/ops_unique_args.tsv operation_count)" 2
	# call stacks have columns of their own
	tl-sheets -q --inference --group_by_parent_module --sheets unified_perf_summary -d unified t.json >/dev/null
	unlike "$(cell unified/unified_perf_summary.tsv kernel_details_summary)" call_stack
}

@test "without Python frames operators are in no module, with a warning" {
	op aten::mm 20 20; call 1 22 2; gpu 1 k 2000 10
	trace t.json
	run -0 --separate-stderr tl-ops --group_by_parent_module --columns parent_module t.json
	equal "$output" "parent_module
NA"
	like "$stderr" 'warning: the trace has no Python frames'
}

@test "modules that are nested too deeply are refused" {
	{
		echo '{"traceEvents":[{}'
		seq 3000 | awk '{ printf ",{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"nn.Module: %0240d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d}\n", $1, $1 * 10, 100000 - $1 * 20
			printf ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1}\n,{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"c\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1,\"args\":{\"correlation\":%d}}\n,{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":1,\"args\":{\"correlation\":%d,\"stream\":7}}\n", $1 * 10 + 2, $1 * 10 + 2, $1, $1 * 10 + 5, $1 }'
		echo ']}'
	} >t.json
	run --separate-stderr tl-ops -q --group_by_parent_module -o out.tsv t.json
	failed 1 'modules are nested too deeply: more than 256 MB of text; leave out --group_by_parent_module'
	[ ! -e out.tsv ]
}
