#!/usr/bin/env bats
# jax.bats - tl-jax and the report of traces of JAX (XPlane files).
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# trace FIELDS…: a file of these fields (of the message XSpace), as t.xplane.pb
trace() {
	printf '%s\n' "$@" | "$TL_TOOLS/protobuf" >t.xplane.pb
}
# sheet NAME [COLUMNS [OPTION]…]: of t.xplane.pb, without its header
sheet() {
	tl-jax -q --sheets "$1" ${2:+--columns "$2"} "${@:3}" t.xplane.pb | tail -n +2
}
# event NAME OFFSET DURATION [FACTS]: of a line, in ps
event() {
	printf '4:{ 1:%s 2:%s 3:%s %s } ' "$@"
}
# kernel NAME OFFSET DURATION CORRELATION [OPERATION]: with facts
kernel() {
	local operation=
	[ -z "${5-}" ] || operation="4:{ 1:3 5:\"$5\" } 4:{ 1:4 5:\"jit_f\" } 4:{ 1:5 3:15 }"
	event "$1" "$2" "$3" "4:{ 1:1 3:$4 } 4:{ 1:2 5:\"grid:1,1,1\" } $operation"
}
names='4:{ 1:1 2:{ 1:1 2:"fusion_1" } } 4:{ 1:2 2:{ 1:2 2:"Cijk_A" } } 4:{ 1:3 2:{ 1:3 2:"ncclAllReduce" } } 4:{ 1:4 2:{ 1:4 2:"MemcpyD2D" } }
	4:{ 1:5 2:{ 1:5 2:"hipLaunchKernel" } } 4:{ 1:6 2:{ 1:6 2:"fusion_2" } } 4:{ 1:7 2:{ 1:7 2:"copy_fusion" } } 4:{ 1:8 2:{ 1:8 2:"flash_fprop" } }
	5:{ 1:1 2:{ 1:1 2:"correlation_id" } } 5:{ 1:2 2:{ 1:2 2:"kernel_details" } } 5:{ 1:3 2:{ 1:3 2:"hlo_op" } }
	5:{ 1:4 2:{ 1:4 2:"hlo_module" } } 5:{ 1:5 2:{ 1:5 2:"program_id" } } 5:{ 1:6 2:{ 1:6 2:"tf_op" } }'
# gpu ID LINES: a plane; stream NUMBER EVENTS…: a line of it
gpu() {
	printf '1:{ 1:%s 2:"/device:GPU:%s" %s %s }' "$1" "$1" "$2" "$names"
}
stream() {
	printf '3:{ 1:%s 2:"Stream #%s(Kernel)" 3:1000 %s } ' "$1" "$1" "${*:2}"
}
# call OFFSET CORRELATION: on the host
call() {
	event 5 "$1" 10 "4:{ 1:1 3:$2 }"
}
host() {
	printf '1:{ 2:"/host:CPU" 3:{ 1:7 2:"main" 3:1000 %s } 3:{ 1:6 2:"other" 3:1000 %s } %s }' "$1" "${2-}" "$names"
}
# the program of the kernels: fusion.1 reads two arrays, dot.2 calls a library
array='3:{ 2:16 3:2 3:8 5:{ 1:1 1:0 } }'
scalar='3:{ 2:11 5:{ } }'
program="1:{ 2:\"/host:metadata\" 4:{ 1:15 2:{ 1:15 2:\"jit_f(15)\" 5:{ 1:1 6:{ 1:{ 1:\"jit_f\" 6:2 3:{ 1:\"main\" 5:2 6:9
	2:{ 1:\"p0\" 2:\"parameter\" $array 35:1 7:{ 2:\"x\" } }
	2:{ 1:\"p1\" 2:\"parameter\" $scalar 35:2 7:{ 2:\"y\" } }
	2:{ 1:\"fusion.1\" 2:\"fusion\" $array 35:3 36:1 36:2 7:{ 2:\"jit(f)/grad/mul\" 3:\"/home/me/train.py\" 4:7 } }
	2:{ 1:\"dot.2\" 2:\"custom-call\" $array 35:4 36:1 36:3 28:\"__cublas\$gemm\" 7:{ 2:\"jit(f)/dot\" } }
	2:{ 1:\"end\" 2:\"tuple\" $array 35:9 36:4 }
	} } } } } } 5:{ 1:1 2:{ 2:\"Hlo Proto\" } } }"

@test "the timeline of each GPU: computation, exposed communication and copies, idle" {
	trace "$(gpu 0 "$(stream 1 "$(event 1 0 3000000 '')" "$(event 3 1000000 4000000 '')") $(stream 2 "$(event 4 4000000 2000000 '')" "$(event 7 9000000 1000000 '')")")" \
		"$(gpu 7 "$(stream 1 "$(event 1 0 2000000 '')")")"
	equal "$(sheet gpu_timeline)" "$(printf '%s\n' \
		$'computation_time\t0.002\t100.0\t8' $'exposed_comm_time\t0.0\t0.0\t8' $'exposed_memcpy_time\t0.0\t0.0\t8' $'busy_time\t0.002\t100.0\t8' \
		$'idle_time\t0.0\t0.0\t8' $'total_time\t0.002\t100.0\t8' $'total_comm_time\t0.0\t0.0\t8' $'total_memcpy_time\t0.0\t0.0\t8' \
		$'computation_time\t0.003\t30.0\t1' $'exposed_comm_time\t0.002\t20.0\t1' $'exposed_memcpy_time\t0.002\t20.0\t1' $'busy_time\t0.007\t70.0\t1' \
		$'idle_time\t0.003\t30.0\t1' $'total_time\t0.01\t100.0\t1' $'total_comm_time\t0.004\t40.0\t1' $'total_memcpy_time\t0.003\t30.0\t1')"
	printf '1\tcommunication\t^fusion_1$\n' >rules
	equal "$(tl-jax -q --sheet gpu_timeline --communication rules t.xplane.pb | grep total_comm)" $'total_comm_time\t0.002\t100.0\t8\ntotal_comm_time\t0.005\t50.0\t1'
	equal "$(sheet gpu_events_averages | sed -n '1p;6p')" $'computation_time\t0.0025\t41.666666666666664\ntotal_time\t0.006\t100.0'
}

@test "kernels have their operation's inputs, metadata and call; copies are no kernels" {
	trace "$(gpu 0 "$(stream 1 "$(kernel 1 5000000 3000000 5 fusion.1)" "$(kernel 4 9000000 1 9)" "$(kernel 2 8000000 1000000 6 dot.2)" "$(kernel 1 9500000 0 7)")")" \
		"$(host "$(call 1000000 5) $(call 2000000 6)" "$(call 500000 5)")" "$program"
	equal "$(sheet kernel_launchers name,UID,'op category',total_direct_kernel_time,pid,tid,'Input Dims','Input type',GPU_kernel_launch_latency)" "$(printf '%s\n' \
		$'fusion_1\t0\tUncategorized Events/XLA\t3.0\t1\t1\t((2, 8),)\t(\'bf16\',)\t4.0' \
		$'Cijk_A\t1\tGEMM\t1.0\t1\t1\t((2, 8), (2, 8))\t(\'bf16\', \'bf16\')\t6.0' \
		$'fusion_1\t3\tUncategorized Events/XLA\t1e-06\t1\t1\t()\t()\t')"
	equal "$(sheet kernel_launchers kernel_details | sed -n '1p;3p')" "$(printf '%s\n' \
		"[{'name': 'fusion_1', 'dur': 3.0, 'custom_call_target': 'NA', 'operands': ['bf16[2,8]{1,0}', 'f32[]'], 'outputs': 'NA', 'metadata': 'metadata={op_name=\"jit(f)/grad/mul\" source_file=\"/home/me/train.py\" source_line=7'}]" \
		"[{'name': 'fusion_1', 'dur': 1e-06, 'custom_call_target': 'NA', 'operands': 'NA', 'outputs': 'NA', 'metadata': 'NA'}]")"
	equal "$(sheet df_xla_perf name,total_input_bytes)" $'fusion_1\t32\nfusion_1\t0'
	trace "$(gpu 0 "$(stream 1 "$(kernel 1 5000000 3000000 5 end)")")" "$(host "$(call 0 5)")" "$program"
	equal "$(sheet kernel_launchers 'Input Dims')" '()'
	equal "$(sheet kernel_launchers 'Input Dims' --roots)" '((2, 8),)'
}

@test "a kernel without a time is left out" {
	trace "$(gpu 0 "$(stream 1 "$(kernel 1 0 3000000 5)" "$(kernel 2 9223372036854775807 1000000 6)" "$(kernel 6 4000000 1000000 7)")")"
	run -0 --separate-stderr tl-jax --sheets kernel_launchers --columns name,UID t.xplane.pb
	equal "$output" $'name\tUID\nfusion_1\t0\nfusion_2\t1'
	like "$stderr" '1 event: without a time: it is out of range'
}

@test "the category of the operation comes before that of the kernel, but for attention" {
	trace "$(gpu 0 "$(stream 1 "$(kernel 1 0 1 5 my_gemm)" "$(kernel 2 10 1 5 conv_3)" "$(kernel 8 20 1 5 conv_3)" "$(kernel 2 30 1 5 convert)")")"
	equal "$(sheet kernel_launchers 'op category')" $'GEMM\nConv\nFA FWD\nGEMM'
}

@test "summaries: by name, by category, by inputs; of kernels of XLA by name without digits" {
	trace "$(gpu 0 "$(stream 1 "$(kernel 1 0 3000000 5)" "$(kernel 2 4000000 1000000 6)" "$(kernel 1 6000000 1000000 7)")")" \
		"$(gpu 1 "$(stream 1 "$(kernel 6 0 11000000 8)")")"
	equal "$(sheet kernel_launchers_summary name,total_direct_kernel_time_sum,total_subtree_kernel_time_ms,Count,Categories,'Percentage (%)','Cumulative Percentage (%)','time ms per gpu')" "$(printf '%s\n' \
		$'fusion_2\t11.0\t0.011\t1\t[\'Uncategorized Events/XLA\']\t68.75\t68.75\t0.0055' \
		$'fusion_1\t4.0\t0.004\t2\t[\'Uncategorized Events/XLA\']\t25.0\t93.75\t0.002' \
		$'Cijk_A\t1.0\t0.001\t1\t[\'GEMM\']\t6.25\t100.0\t0.0005')"
	equal "$(sheet kernel_launchers_summary_by_category)" $'Uncategorized Events/XLA\t3\t0.015\t93.75\t93.75\t0.0075\nGEMM\t1\t0.001\t6.25\t100.0\t0.0005'
	equal "$(sheet xla_summary name,Count,'time ms per gpu')" $'fusion_\t3\t0.0075'
	equal "$(sheet kernel_launchers_unique_args name,operation_count,total_direct_kernel_time_std,total_subtree_kernel_time_max,ex_UID | head -2)" \
		$'fusion_2\t1\t\t11.0\t3\nfusion_1\t2\t1.4142135623730951\t3.0\t0'
	like "$(sheet kernel_launchers_unique_args kernel_details_summary | sed -n 2p)" \
		"^\[\{'name': 'fusion_1', 'custom_call_target': 'NA', 'operands': 'NA', 'outputs': 'NA', 'metadata': 'NA', 'count': 2, 'total_duration_us': 4.0, .*'std_dev_duration_us': 1.0,"
}

# uid CORRELATION-FREE-KERNELS…: UID of a kernel on the GPU behind one with these kernels
uid_behind() {
	trace "$(gpu 0 "$(stream 1 "$@")")" "$(gpu 1 "$(stream 1 "$(kernel 1 0 1 99)")")" "$program"
	sheet kernel_launchers pid,UID | awk '$1 == 2 { print $2 }'
}

@test "numbers count the events that the trace viewer adds to each GPU" {
	# an event without facts about a kernel gives none
	equal "$(uid_behind "$(event 1 0 1 '')")" 1
	# XLA Modules, XLA Ops, Framework Ops, Name Scope (jit(f), grad) and Source code
	equal "$(uid_behind "$(kernel 1 0 1 5 fusion.1)")" 7
	# the same operation again adds nothing; another one closes what does not go on
	equal "$(uid_behind "$(kernel 1 0 1 5 fusion.1)" "$(kernel 1 10 1 5 fusion.1)")" 8
	equal "$(uid_behind "$(kernel 1 0 1 5 fusion.1)" "$(kernel 2 10 1 5 dot.2)")" 10
	# levels of an operation; of one that the program does not have there is nothing else
	equal "$(uid_behind "$(kernel 1 0 1 5 a::b::c)")" 5
	# without an operation of XLA the framework's counts
	equal "$(uid_behind "$(event 1 0 1 '4:{ 1:2 5:"grid:1,1,1" } 4:{ 1:6 5:"model/dense/MatMul:MatMul" }')")" 4
	# what is no operation of TensorFlow or JAX has no scopes
	equal "$(uid_behind "$(event 1 0 1 '4:{ 1:2 5:"grid:1,1,1" } 4:{ 1:6 5:"model/dense:no name" }')")" 2
	# a file that has these lines already gets none
	trace "$(gpu 0 "$(stream 1 "$(kernel 1 0 1 5 fusion.1)") 3:{ 1:3735928564 2:\"XLA Ops\" 3:1000 $(event 1 0 1 '') }")" \
		"$(gpu 1 "$(stream 1 "$(kernel 1 0 1 99)")")" "$program"
	equal "$(sheet kernel_launchers pid,UID | tail -1)" $'2\t2'
}

@test "--kernel_metadata_keyword_filters keeps kernels by their metadata, in the sheets of kernels only" {
	trace "$(gpu 0 "$(stream 1 "$(kernel 1 0 1000000 5 fusion.1)" "$(kernel 2 2000000 1000000 6 dot.2)" "$(kernel 6 4000000 1000000 7)")")" \
		"$(host "$(call 0 5) $(call 1 6)")" "$program"
	equal "$(sheet kernel_launchers name --kernel_metadata_keyword_filters grad)" fusion_1
	equal "$(sheet kernel_launchers name --kernel_metadata_keyword_filters grad --kernel_metadata_keyword_filters dot)" $'fusion_1\nCijk_A'
	equal "$(sheet gpu_timeline '' --kernel_metadata_keyword_filters grad | head -1)" $'computation_time\t0.003\t60.0\t1'
	run -0 --separate-stderr tl-jax --sheets kernel_launchers_summary --kernel_metadata_keyword_filters nothing t.xplane.pb
	equal "${#lines[@]}" 1
	like "$stderr" 'no kernel.s operation has a word of --kernel_metadata_keyword_filters'
}

# shape TYPE SIZES…: of an array, by the number of its type (16 bf16, 11 f32, 2 s8), the last size the fastest
shape() {
	local type=$1 sizes='' layout n
	shift
	for n; do
		sizes+="3:$n "
	done
	layout=$(seq -f '1:%g' $(($# - 1)) -1 0 | tr '\n' ' ')
	printf '2:%s %s 5:{ %s }' "$type" "$sizes" "$layout"
}
# a program ID, SHAPES…: jit_f, in which call.1 of TARGET gives the first shape and reads the others
calling() {
	local id=$1 target=$2 config=$3 output=$4 n=1 operands='' text=''
	shift 4
	for s; do
		text+="2:{ 1:\"p$n\" 2:\"parameter\" 3:{ $s } 35:$n 7:{ 2:\"x\" } } "
		operands+="36:$((n++)) "
	done
	printf '1:{ 2:"/host:metadata" 4:{ 1:%s 2:{ 1:%s 5:{ 1:1 6:{ 1:{ 1:"jit_f" 3:{ 1:"main" 5:2 6:99 %s
		2:{ 1:"call.1" 2:"custom-call" 3:{ 2:13 4:{ %s } 4:{ 2:2 3:64 5:{ 1:0 } } } 35:90 %s 28:"%s" 43:"%s" 7:{ 2:"jit(f)/dot" } }
		2:{ 1:"end" 2:"tuple" 35:99 36:90 } } } } } } } 5:{ 1:1 2:{ 2:"Hlo Proto" } } }' "$id" "$id" "$text" "$output" "$operands" "$target" "$config"
}
# config BETA LHS RHS: of a product that sums over these dimensions of its operands
config() {
	printf '{"gemm_backend_config":{"beta":%s,"dot_dimension_numbers":{"lhs_contracting_dimensions":["%s"],"rhs_contracting_dimensions":["%s"]},"epilogue":"DEFAULT"}}' "$@" |
		sed 's/"/\\"/g'
}
product=$(calling 15 '__cublas$gemm' "$(config 0 1 0)" "$(shape 16 2000 3000)" "$(shape 16 2000 5000)" "$(shape 16 5000 3000)")

# bats test_tags=quick
@test "op_gemm: what matrix products achieved; the program is that of program_id" {
	trace "$(gpu 0 "$(stream 1 "$(kernel 2 0 2000000 5 call.1)" "$(kernel 2 3000000 4000000 6 call.1)" "$(kernel 1 8000000 1000000 7 call.1)")")" \
		"$(host "$(call 0 5) $(call 1 6) $(call 2 7)")" "$(calling 14 '__cublas$gemm' "$(config 0 1 0)" "$(shape 16 8 8)" "$(shape 16 8 8)" "$(shape 16 8 8)")" "$product"
	equal "$(sheet op_gemm name,'param: B','param: M','param: N','param: K','param: bias','param: dtype_A_B','param: simulation_dtype',GFLOPS_first,'Data Moved (MB)_first')" \
		$'Cijk_A\t1\t3000\t2000\t5000\tFalse\t(\'bf16\', \'bf16\')\tbf16\t60.0\t59.1278076171875'
	equal "$(sheet op_gemm TFLOPS/s_mean,TFLOPS/s_max,TB/s_min,process_name_first,thread_name_first,'Input Dims_first',name_count,'Kernel Time (µs)_sum',UID_first)" \
		$'22500.0\t30000.0\t15.500000000000002\tUnknown\tStream #1(Kernel)\t((2000, 5000), (5000, 3000))\t2\t6.0\t0'
	like "$(sheet op_gemm kernel_details__summarize_kernel_stats)" "^\[\{'name': 'Cijk_A', 'count': 2, 'total_duration_us': 6.0, "
	printf 'name\tmem_bw_gbps\tmatrix_bf16\nx\t1000\t15000\n' >x.tsv
	equal "$(sheet op_gemm 'Compute Spec,Roofline Time (µs)_first,Roofline Bound_first,Pct Roofline_min' --arch x.tsv)" \
		$'matrix_bf16\t62.0\tMEMORY_BOUND\t1550.0'
	tl-report -q --output_csvs_dir csv t.xplane.pb
	[ -e csv/op_gemm.csv ]
	[ ! -e csv/op_conv.csv ]
}

@test "op_conv, op_fa_fwd; --ops replaces a model" {
	trace "$(gpu 0 "$(stream 1 "$(kernel 2 0 2000000 5 call.1)")")" "$(host "$(call 0 5)")" \
		"$(calling 15 '__cudnn$convForward' '' "$(shape 16 2 4 5 6)" "$(shape 16 2 3 6 7)" "$(shape 16 4 3 2 2)")"
	equal "$(sheet op_conv)" ''
	trace "$(gpu 0 "$(stream 1 "$(kernel 1 0 2000000 5 conv.1)")")" "$(host "$(call 0 5)")" \
		"$(calling 15 '__cudnn$convForward' '' "$(shape 16 2 4 5 6)" "$(shape 16 2 3 6 7)" "$(shape 16 4 3 2 2)" | sed s/call.1/conv.1/)"
	equal "$(sheet op_conv 'param: convNd,param: filter_shape,param: output_shape,GFLOPS_first')" $'conv2d\t(2, 2)\t(2, 4, 5, 6)\t9.6e-07'
	printf 'model mine\n\tcategory CONV\n\tfamily -\n\tflops 7e9\n\tparam n=1\nop jax_conv mine\n' >ops.tsv
	equal "$(sheet op_conv 'param: n,GFLOPS_first,Data Moved (MB)_first' --ops ops.tsv)" $'1\t7.0\t'
	trace "$(gpu 0 "$(stream 1 "$(kernel 8 0 1000000 5 call.1)")")" "$(host "$(call 0 5)")" \
		"$(calling 15 te_fused_attn_forward_ffi '' "$(shape 16 2 3 4 4)" "$(shape 16 2 3 4 4)" "$(shape 16 2 5 2 4)" "$(shape 16 2 5 2 4)" "$(shape 16 0)")"
	equal "$(sheet kernel_launchers 'op category,Input Dims,Concrete Inputs')" $'FA FWD\t((2, 3, 4, 4), (2, 5, 2, 4), (2, 5, 2, 4))\t((0,),)'
	equal "$(sheet op_fa_fwd 'param: N_KV,param: bias,GFLOPS_first')" $'5\t((0,),)\t1.92e-06'
}

@test "--analysis: the matrix products of a program, and their kernels on the first GPU" {
	local sheets=trace_analysis_results_gemms
	trace "$(gpu 0 "$(stream 1 "$(kernel 2 0 2000000 5 call.1)" "$(kernel 1 3000000 4000000 6 call.1)")")" \
		"$(gpu 1 "$(stream 1 "$(kernel 2 0 2000000 7 call.1)")")" "$(host "$(call 0 5) $(call 1 6) $(call 2 7)")" \
		"$(calling 15 '__cublas$gemm' "$(config 1 2 1)" "$(shape 16 3 2000 3000)" "$(shape 16 3 2000 5000)" "$(shape 16 3 5000 3000)")"
	run -0 --separate-stderr tl-jax --sheets $sheets t.xplane.pb
	equal "$output" $'name\tBatch\tM\tN\tK\tBeta\tType'
	equal "${stderr_lines[0]}" "tl-jax: warning: the trace has no program 'jit_train_step': no matrix products of it (--module names another: jit_f)"
	equal "$(sheet $sheets '' --module jit_f)" $'%call.1\t3\t3000\t2000\t5000\t1\tbf16'
	tl-overview -q t.xplane.pb >overview
	grep -q '^headline	GPU busy' overview
	run -0 --separate-stderr tl-report --arch MI300X --tsv-dir out t.xplane.pb
	refute grep 'the architecture has no effect' <<<"$stderr"
	grep -q Roofline out/op_gemm.tsv
	run -0 --separate-stderr tl-overview --arch MI300X t.xplane.pb
	like "$stderr" 'the architecture has no effect'
	equal "$(sheet ${sheets}_detailed '' --module jit)" \
		$'180.02\t2.0\t90009.0\t177.39\t967.78\t93.01\t3000\t2000\t5000\tTrue\t\t\t(\'bf16\', \'bf16\')\t3\tbf16\t1\t'
	trace "$(calling 15 '__cublas$gemm' '' "$(shape 16 8 8)" "$(shape 16 8 8)" "$(shape 11 8 8)")"
	equal "$(sheet $sheets '' --module jit_f)" $'%call.1\t\t\t\t\t\t'
}

@test "an operation whose model fails has no row, and a warning says why" {
	trace "$(gpu 0 "$(stream 1 "$(kernel 2 0 2000000 5 call.1)" "$(kernel 2 3000000 2000000 6 call.1)")")" "$(host "$(call 0 5) $(call 1 6)")" \
		"$(calling 15 '__cublas$gemm' "$(config 0 1 0)" "$(shape 16 2 3)" "$(shape 16 2 5)" "$(shape 11 5 3)")"
	run -0 --separate-stderr tl-jax --sheets op_gemm t.xplane.pb
	equal "${#lines[@]}" 1
	equal "${stderr_lines[0]}" 'tl-jax: warning: no metrics for 2 kernels, the first of the operation %call.1: its operands have different types'
	equal "$(sheet kernel_launchers 'Input type' | sort -u)" "('bf16', 'f32')"
}

@test "a trace without kernels gives header lines and a warning" {
	trace "$(host "$(call 0 5)")"
	run -0 --separate-stderr tl-jax -d sheets t.xplane.pb
	like "$stderr" 'no kernel on a stream of a GPU'
	local f
	for f in gpu_timeline kernel_launchers df_xla_perf xla_summary; do
		equal "$(wc -l <sheets/$f.tsv)" 1
	done
}

@test "a trace of another profiler is an error" {
	echo '[{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":9}]' >t.json
	run -1 --separate-stderr tl-jax t.json
	equal "$output" ''
	like "$stderr" 'tl-jax: error: t.json: expected an XPlane trace of JAX \(\*\.xplane\.pb\), this is one of pytorch$'
}

@test "tl-report makes the report of JAX, with overview, and takes its options" {
	trace "$(gpu 0 "$(stream 1 "$(kernel 1 0 3000000 5 fusion.1)" "$(kernel 2 4000000 1000000 6 dot.2)")")" "$(host "$(call 0 5)")" "$program"
	tl-report -q --profile_path t.xplane.pb --output_csvs_dir csv
	[ -e csv/kernel_launchers_unique_args.csv ]
	for f in findings findings_unasked gpu_work judged populations trace_health; do
		[ -s csv/$f.csv ]
	done
	tl-report -q --disable_findings --output_csvs_dir without t.xplane.pb
	[ ! -e without/findings.csv ]
	[ ! -e csv/ops_summary.csv ]
	grep -q '^headline,GPU busy,80.0,% of the recorded window,populations' csv/overview.csv
	grep -q '^headline,largest category: Uncategorized Events/XLA,75.0' csv/overview.csv
	grep -q '^headline,largest kernel: fusion_1,75.0' csv/overview.csv
	tl-overview -q t.xplane.pb >overview
	grep -q $'^headline\tlargest kernel: fusion_1\t75.0' overview
	run -2 --separate-stderr tl-report --output_csvs_dir csv --kernel_details t.xplane.pb
	like "$stderr" 'is an option of the rocprof report; this trace gets the jax report'
	tl-report -q t.xplane.pb
	[ -e t_perf_report.xlsx ]
}

@test "--analysis adds the second report of TraceLens: means, categories by the kernel's name first, names without digits" {
	trace "$(gpu 0 "$(stream 1 "$(kernel 2 0 6000000000 5 conv_3)" "$(kernel 1 7000000000 1000000000 6 conv_3)" "$(kernel 6 8000000000 3000000000 6)")")" \
		"$(gpu 1 "$(stream 1 "$(kernel 1 0 2000000000 7)" "$(event 3 1000000000 3000000000 '')")")"
	tl-report -q --analysis --output_csvs_dir csv t.xplane.pb
	equal "$(tail -n +2 csv/trace_analysis_results_gpu_events_averages.csv)" "$(printf '%s\n' computation_time,6.0,80.0 exposed_comm_time,1.0,13.33 \
		exposed_memcpy_time,0.0,0.0 busy_time,7.0,93.33 idle_time,0.5,6.67 total_time,7.5,100.0 overlapped_comm,0.5,6.67 total_comm_time,1.5,20.0 total_memcpy_time,0.0,0.0)"
	equal "$(cat csv/trace_analysis_results_gpu_events_categorized_mean.csv)" "$(printf '%s\n' 'name,count,time ms,time ms per gpu,percent' \
		GEMM,1,6.0,3.0,50.0 'Uncategorized Events,2,5.0,2.5,41.67' Conv,1,1.0,0.5,8.33)"
	equal "$(tail -n +2 csv/trace_analysis_results_xla_grouped.csv)" 'fusion_,2,5.0,2.5,100.0'
	[ -e csv/kernel_launchers.csv ]
	# a category that no kernel lacks
	trace "$(gpu 0 "$(stream 1 "$(kernel 2 0 1000000000 5)")")"
	equal "$(sheet trace_analysis_results_gpu_events_categorized_mean | tail -1)" $'Uncategorized Events\t0\t0.0\t0.0\t0.0'
	equal "$(sheet trace_analysis_results_xla_grouped)" ''
}

@test "tl-report takes the options of the second report, and several words where an option names the trace" {
	trace "$(gpu 0 "$(stream 1 "$(kernel 1 0 3000000 5 fusion.1)" "$(kernel 2 4000000 1000000 6 dot.2)")")" "$(host "$(call 0 5) $(call 1 6)")" "$program"
	tl-report -q --profile_xplane_pb_path t.xplane.pb --output_path a/b --num_cus 304 --name mi300x
	[ -e a/b/trace_analysis_results_xla_grouped.csv ]
	[ -e a/b/trace_analysis_results.xlsx ]
	tl-report -q --output_table_formats .xlsx --output_filename mine --profile_xplane_pb_path t.xplane.pb --output_path c
	equal "$(ls c)" mine.xlsx
	tl-report -q --kernel_metadata_keyword_filters nothing grad --profile_path t.xplane.pb --output_table_formats .csv --output_path d
	equal "$(tail -n +2 d/kernel_launchers_summary.csv | cut -d, -f 1)" fusion_1
	[ ! -e d/trace_analysis_results.xlsx ]
	run -2 --separate-stderr tl-report --output_table_formats csv --output_path d t.xplane.pb
	like "$stderr" "'csv': expected .csv or .xlsx"
	# the trace is the operand: a word is one
	run -2 --separate-stderr tl-report --kernel_metadata_keyword_filters remat grad t.xplane.pb
	like "$stderr" 'one trace at a time'
}

@test "operations that are in no program are told" {
	trace "$(gpu 0 "$(stream 1 "$(kernel 1 0 1 5 fusion.1)" "$(kernel 2 2 1 6 dot.77)")")" "$(host "$(call 0 5) $(call 1 6)")" "$program"
	run -0 --separate-stderr tl-jax t.xplane.pb
	equal "$stderr" 'tl-jax: warning: operations without inputs and metadata: 1, the first dot.77: its program does not have it'
	trace "$(gpu 0 "$(stream 1 "$(kernel 1 0 1 5 fusion.1)")")" "$(host "$(call 0 5)")"
	run -0 --separate-stderr tl-jax t.xplane.pb
	equal "$stderr" 'tl-jax: warning: operations without inputs and metadata: 1, the first fusion.1: the trace does not have its program'
}

@test "charts: means over the GPUs, categories, the largest kernels" {
	need unzip
	trace "$(gpu 0 "$(stream 1 "$(kernel 1 0 3000000 5)" "$(kernel 2 4000000 1000000 6)")")" "$(gpu 1 "$(stream 1 "$(kernel 1 0 3000000 5)")")"
	tl-report -q -o t.xlsx t.xplane.pb
	equal "$(unzip -p t.xlsx 'xl/charts/*' | grep -o '<a:t>[A-Z][^<]*')" $'<a:t>Where the time goes\n<a:t>Time by category of kernel\n<a:t>Time of the largest kernels'
	equal "$(unzip -p t.xlsx xl/charts/chart1.xml | grep -o '<c:f>[^$]*' | sort -u)" '<c:f>gpu_events_averages!'
}

@test "two traces of JAX are compared, as operands and as folders of their sheets" {
	local name
	for name in a:3000000 b:6000000; do
		trace "$(gpu 0 "$(stream 1 "$(kernel 1 5000000 "${name#*:}" 5 fusion.1)")")" "$(host "$(call 1000000 5)")" "$program"
		mv t.xplane.pb "${name%:*}.xplane.pb"
		tl-sheets -q -d "${name%:*}" "${name%:*}.xplane.pb"
	done
	run -0 --separate-stderr tl-compare a.xplane.pb b.xplane.pb --names a b -d operands
	like "$output" '^b against a: total 0.003 → 0.006 ms \(\+100 %\)'
	tl-compare -q a b -d folders
	diff -r -x .tl-tsv-sheets operands folders
	equal "$(cell operands/kernel_launchers_summary.tsv total_direct_kernel_time_ms__b_diff)" 0.003
}

@test "operations of a TPU have inputs and metadata of their program without a call" {
	trace "1:{ 1:0 2:\"/device:TPU:0\" 3:{ 1:3 2:\"XLA Ops\" 3:1000 4:{ 1:1 2:0 3:3000000 } } 4:{ 1:1 2:{ 1:1 2:\"%fusion.1\" 4:\"fusion.1\" 5:{ 1:1 3:15 } } }
		5:{ 1:1 2:{ 1:1 2:\"program_id\" } } }" "$program"
	equal "$(sheet kernel_launchers name,'op category',total_direct_kernel_time,'Input Dims','Input type')" \
		$'fusion.1\tUncategorized Events/XLA\t3.0\t((2, 8),)\t(\'bf16\',)'
	like "$(sheet kernel_launchers kernel_details)" 'jit\(f\)/grad/mul'
}
