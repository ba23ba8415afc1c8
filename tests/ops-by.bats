#!/usr/bin/env bats
# ops-by.bats - tl-ops: device time by step and by module.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# step NAME TS DUR [PID [CATEGORY]]: an annotation
step() {
	event "{\"ph\":\"X\",\"cat\":\"${5-user_annotation}\",\"name\":\"$1\",\"pid\":${4-1},\"tid\":1,\"ts\":$2,\"dur\":$3,\"args\":{}}"
}

steps() {
	tl-ops -q --sheets ops_by_step "$@"
}

modules() {
	tl-ops -q --sheets ops_by_module "$@"
}

# ---- steps ------------------------------------------------------------------------

@test "device work belongs to the step in which its call started, and all of it has a row" {
	step ProfilerStep#1 0 100
	op aten::mm 10 20; call 1 12 2; gpu 1 k 50 10; call 2 15 2; gpu 2 k 60 6
	op aten::mm 40 20; call 3 42 2; gpu 3 k 150 16
	step ProfilerStep#2 100 100
	op aten::add 110 10; call 4 112 1; gpu 4 k 200 8
	op aten::mm 130 10; call 5 132 1; gpu 5 k 250 24
	call 6 205 1; gpu 6 k 300 16
	lone 9 k 400 48
	trace t.json
	run -0 --separate-stderr tl-ops --sheets ops_by_step t.json
	equal "$stderr" ''
	equal "$output" "step	number	step_count	step_time_ms	step_device_time_ms	name	Count	device_event_count	device_time_ms	Percent of step (%)	Percentage (%)
ProfilerStep#1	1	1	0.1	0.032	aten::mm	2	3	0.032	100.0	25.0
ProfilerStep#2	2	1	0.1	0.032	aten::mm	1	1	0.024	75.0	18.75
ProfilerStep#2	2	1	0.1	0.032	aten::add	1	1	0.008	25.0	6.25
(outside of steps)				0.064	(not launched)	0	1	0.048	75.0	37.5
(outside of steps)				0.064	cudaLaunchKernel	1	1	0.016	25.0	12.5"
}

@test "a step ends before its last moment, and holds all threads of its process" {
	step ProfilerStep#1 0 100
	step ProfilerStep#2 100 100 2
	event '{"ph":"X","cat":"cuda_runtime","name":"launchOther","pid":1,"tid":5,"ts":50,"dur":1,"args":{"correlation":1}}'
	event '{"ph":"s","cat":"ac2g","name":"ac2g","id":1,"pid":1,"tid":5,"ts":50}'
	gpu 1 k 60 1
	call 2 100 1 launchBorder; gpu 2 k 110 1
	call 3 150 1 launchProcess; gpu 3 k 160 1
	trace t.json
	equal "$(steps --columns step,name t.json | tail -n +2)" 'ProfilerStep#1	launchOther
(outside of steps)	launchBorder
(outside of steps)	launchProcess'
}

@test "steps of one name and number are pooled; one within another is none; those of the device are not for launched work" {
	step ProfilerStep#7 0 100
	step ProfilerStep#8 20 50
	step ProfilerStep#7 200 100
	step ProfilerStep#9 0 1000 0 gpu_user_annotation
	step ProfilerStep#6 400 10 1 cpu_op
	call 1 10 1 launchA; gpu 1 k 11 1
	call 2 30 1 launchB; gpu 2 k 31 1
	call 3 80 1 launchA; gpu 3 k 81 1
	call 4 210 1 launchA; gpu 4 k 211 1
	call 5 405 1 launchC; gpu 5 k 411 1
	trace t.json
	equal "$(steps --columns step,step_count,step_time_ms,name,device_event_count t.json | tail -n +2)" 'ProfilerStep#7	2	0.2	launchA	3
ProfilerStep#7	2	0.2	launchB	1
ProfilerStep#6	1	0.01	ProfilerStep#6	1'
}

@test "steps that share a name have rows each, of several ranks those at one place in one" {
	for pid in 1 2; do for ((i = 0; i < 3; i++)); do step iteration $((i * 100)) 90 $pid; done; done
	step iteration 0 90 0 gpu_user_annotation
	for ((i = 0; i < 3; i++)); do call $((i + 1)) $((i * 100 + 5)) 1 launch; gpu $((i + 1)) k $((i * 100 + 10)) $((i + 1)); done
	event '{"ph":"X","cat":"cuda_runtime","name":"launch","pid":2,"tid":1,"ts":205,"dur":1,"args":{"correlation":9}}'
	event '{"ph":"s","cat":"ac2g","name":"ac2g","id":9,"pid":2,"tid":1,"ts":205}'
	gpu 9 k 240 4 8
	lone 77 k 50 1
	trace t.json
	equal "$(steps --step_annotation iteration --columns step,number,step_count,step_time_ms,device_event_count,step_device_time_ms t.json | tail -n +2)" \
		'iteration	0	2	0.18	1	0.001
iteration	1	2	0.18	1	0.002
iteration	2	2	0.18	2	0.007
(outside of steps)				1	0.001'
	# without the option the steps have the numbers of step_times
	for ((i = 0; i < 4; i++)); do step iteration $((i * 100)) 90; call $((i + 1)) $((i * 100 + 5)) 1 launch; gpu $((i + 1)) k $((i * 100 + 10)) 60; done
	trace t.json
	equal "$(steps --columns step,number,device_time_ms t.json | tail -n +2)" "$(tl-timeline -q --sheets step_times --columns name,step,busy_ms t.json | tail -n +2)"
	equal "$(steps --columns number t.json | tail -n +2 | xargs)" '0 1 2 3'
}

@test "work that no call launched belongs to the step of its device in which it starts" {
	step ProfilerStep#1 0 100
	step ProfilerStep#1 50 100 0 gpu_user_annotation
	step ProfilerStep#2 150 100 0 gpu_user_annotation
	step ProfilerStep#1 150 100 5 gpu_user_annotation
	lone 1 k 60 100
	lone 2 k 150 10
	lone 3 k 20 1
	trace t.json
	equal "$(steps --columns step,step_count,step_time_ms,name,Count,device_time_ms t.json | tail -n +2)" 'ProfilerStep#1	1	0.1	(not launched)	0	0.1
ProfilerStep#2			(not launched)	0	0.01
(outside of steps)			(not launched)	0	0.001'
}

@test "work whose call has its correlation but no arrow belongs to the step of that call, as for tl-slice" {
	bare() { event "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipMemsetAsync\",\"pid\":1,\"tid\":1,\"ts\":$2,\"dur\":2,\"args\":{\"correlation\":$1}}"; }
	step ProfilerStep#1 0 100; step ProfilerStep#2 100 100
	call 4 205 1; gpu 4 k 206 1
	bare 1 10; lone 1 set 300 8
	bare 2 110; lone 2 set 310 4
	# two calls with one correlation tell nothing
	bare 3 20; bare 3 120; lone 3 set 320 2
	trace t.json
	equal "$(steps --columns step,device_event_count,device_time_ms t.json | tail -n +2)" 'ProfilerStep#1	1	0.008
ProfilerStep#2	1	0.004
(outside of steps)	1	0.002
(outside of steps)	1	0.001'
	for n in 1 2; do
		equal "$(tl-slice -q --step $n t.json | tl-timeline -q --include_unlinked_kernels - | awk -F'\t' '$1 == "busy_time" { print $2 }')" \
			"$(steps --columns step,device_time_ms t.json | awk -F'\t' -v s=ProfilerStep#$n '$1 == s { print $2 }')"
	done
}

@test "--step_annotation says which annotations are steps" {
	step ProfilerStep#1 0 100
	step 'decode 1' 10 20
	step 'decode 2' 40 20
	op decode_op 70 20
	call 1 15 1; gpu 1 k 20 1
	call 2 45 1; gpu 2 k 50 2
	call 3 75 1; gpu 3 k 80 4
	trace t.json
	equal "$(steps --step_annotation '^decode' --columns step,step_device_time_ms t.json | tail -n +2)" 'decode 1	0.001
decode 2	0.002
(outside of steps)	0.004'
	equal "$(tl-ops --step_annotation '^none' --sheets ops_by_step t.json 2>&1 >out)" 'tl-ops: warning: the trace has no annotation that matches ^none: ops_by_step has all work outside of steps'
	run -2 --separate-stderr tl-ops --step_annotation '(' nothing
	failed 2 "--step_annotation: '\\(': "
}

@test "a step has the device time that tl-slice finds for it" {
	gen t.json -n 6000
	steps --columns step,step_device_time_ms t.json | grep '^ProfilerStep' | uniq >all
	[ "$(wc -l <all)" -gt 1 ]
	while IFS=$'\t' read -r step time; do
		tl-slice -q --step "${step#*#}" t.json | tl-ops -q --sheets ops_by_step --columns step,step_device_time_ms | sed -n 2p
	done <all | cmp - all
}

@test "a trace without steps has all work outside of them, with a warning" {
	op a 0 10; call 1 1 1; gpu 1 k 5 5
	trace t.json
	run -0 --separate-stderr tl-ops --sheets ops_by_step --columns step,name,device_time_ms t.json
	equal "$stderr" 'tl-ops: warning: the trace has no annotation ProfilerStep#N: ops_by_step has all work outside of steps'
	equal "$output" 'step	name	device_time_ms
(outside of steps)	a	0.005'
}

@test "communication has the operator that launched it" {
	step ProfilerStep#1 0 100
	op c10d::allreduce_ 0 10; call 1 1 1; gpu 1 ncclDevKernel_AllReduce 5 5
	trace t.json
	equal "$(steps --columns step,name t.json | tail -n 1)" 'ProfilerStep#1	c10d::allreduce_'
}

# ---- modules ------------------------------------------------------------------------

@test "device time belongs to the innermost module, and all of it has a row" {
	frame 'nn.Module: Net_0' 0 100
	frame 'forward' 1 98
	frame 'nn.Module: Linear_0' 10 40
	op aten::linear 12 30; call 1 15 2; gpu 1 k 200 10
	op aten::relu 60 10; call 2 62 1; gpu 2 k 220 5
	frame 'nn.Module: Linear_0' 80 10
	op aten::x 110 10; call 3 112 1; gpu 3 k 230 3
	lone 9 k 300 2
	trace t.json
	run -0 --separate-stderr tl-ops --sheets ops_by_module t.json
	equal "$stderr" ''
	equal "$output" "module	Count	subtree_device_time_ms	Subtree Percentage (%)	backward_device_time_ms	device_event_count	direct_device_time_ms	Percentage (%)
Net_0	1	0.015	75.0	0.0	1	0.005	25.0
Net_0/Linear_0	2	0.01	50.0	0.0	1	0.01	50.0
(no module)		0.003	15.0	0.0	1	0.003	15.0
(not launched)		0.002	10.0	0.0	1	0.002	10.0"
}

@test "times that add up to more than 64 bits are an error that names sheet and column" {
	frame 'nn.Module: Net_0' 0 100
	for i in 1 2 3; do
		op aten::mm $((10 * i)) 5; call $i $((10 * i + 1)) 1; gpu $i k $((100 + i)) 4000000000000000 $i
	done
	EVENTS+=('{"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":1,"tid":2,"ts":200,"dur":4000000000000000}') # the recording is as long
	trace t.json
	run --separate-stderr tl-ops -q --sheets ops_by_module t.json
	failed 1 "sheet ops_by_module: column 'subtree_device_time_ms': times add up to more than 2.63 ticks of 1 ns"
	run -1 --separate-stderr tl-ops -q --sheets ops_by_module,ops_summary -d out t.json
	[ ! -e out/ops_summary.tsv ]
	equal "$(tl-ops -q --sheets ops_summary --columns total_direct_kernel_time_sum t.json)" 'total_direct_kernel_time_sum
1.2e+16'
}

# on2 CATEGORY NAME TS DUR [ARGS]: an event of thread 2, where the backward pass runs
on2() {
	event "{\"ph\":\"X\",\"cat\":\"$1\",\"name\":\"$2\",\"pid\":1,\"tid\":2,\"ts\":$3,\"dur\":$4,\"args\":{${5-}}}"
}
# launch2 ID TS: a call on thread 2
launch2() {
	on2 cuda_runtime cudaLaunchKernel "$2" 1 "\"correlation\":$1"
	event "{\"ph\":\"s\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":$1,\"pid\":1,\"tid\":2,\"ts\":$2}"
}

@test "the backward pass counts with the module of the forward pass, recomputed modules within it" {
	frame 'nn.Module: Net_0' 0 50
	frame 'nn.Module: Wrapper_0' 5 40
	op CheckpointFunction 10 30 '"Sequence number":4'; call 1 15 2; gpu 1 k 60 10
	on2 cpu_op 'autograd::engine::evaluate_function: CheckpointFunctionBackward' 100 80 '"Sequence number":4'
	on2 python_function 'nn.Module: Block_0' 110 20
	launch2 2 115; gpu 2 k 200 20
	launch2 3 150; gpu 3 k 230 40
	on2 cpu_op 'autograd::engine::evaluate_function: Other' 190 5
	launch2 4 191; gpu 4 k 280 30
	trace t.json
	equal "$(modules --columns module,Count,subtree_device_time_ms,backward_device_time_ms,direct_device_time_ms t.json | tail -n +2)" \
		'Net_0	1	0.07	0.06	0.0
Net_0/Wrapper_0	1	0.07	0.06	0.05
(no module)		0.03	0.0	0.03
Net_0/Wrapper_0/Block_0	1	0.02	0.02	0.02'
}

@test "a module of the same name elsewhere is another module" {
	frame 'nn.Module: A_0' 0 50; frame 'nn.Module: Norm_0' 10 10; call 1 11 1; gpu 1 k 100 4
	frame 'nn.Module: B_0' 60 30; frame 'nn.Module: Norm_0' 65 10; call 2 66 1; gpu 2 k 110 2
	trace t.json
	equal "$(modules --columns module,direct_device_time_ms t.json | tail -n +2)" 'A_0	0.0
A_0/Norm_0	0.004
B_0	0.0
B_0/Norm_0	0.002'
}

@test "without frames in the call tree all work is in no module, with a warning" {
	op a 0 10; call 1 1 1; gpu 1 k 5 5
	trace t.json
	run -0 --separate-stderr tl-ops --sheets ops_by_module --columns module,Count,direct_device_time_ms t.json
	like "$stderr" 'tl-ops: warning: the call tree has no Python frame of an nn.Module: ops_by_module has all work in no module'
	equal "$output" 'module	Count	direct_device_time_ms
(no module)		0.005'
	frame 'nn.Module: Net_0' 0 50; op a 0 10; call 1 1 1; gpu 1 k 5 5
	trace t.json
	tl-parse t.json | tl-link -q -o without.tls
	run -1 --separate-stderr tl-ops --sheets ops_by_module without.tls
	failed 1 'without.tls: the stream was linked without Python frames, which this needs; use tl-link --python'
	tl-parse t.json | tl-link -q --python -o with.tls
	modules with.tls | cmp - <(modules t.json)
}

@test "paths end at a depth of 100 modules: what is deeper counts there" {
	for i in $(seq 1000 1150); do frame "nn.Module: M_$i" "$i" "$((3000 - 2 * i))"; done
	call 1 1200 1; gpu 1 k 5000 5
	trace t.json
	equal "$(modules --columns module,Count,direct_device_time_ms t.json | sed '1d; s,.*/,,' | tail -n 1)" 'M_1099	52	0.005'
	equal "$(modules t.json | wc -l)" 101
}

# ---- both ------------------------------------------------------------------------------

@test "a report has these sheets only if asked" {
	gen t.json -n 3000
	tl-report -q --tsv-dir without t.json
	[ ! -e without/ops_by_step.tsv ]
	[ ! -e without/ops_by_module.tsv ]
	tl-report -q --tsv-dir with --ops_by_step --ops_by_module t.json
	steps t.json | cmp - with/ops_by_step.tsv
	modules t.json | cmp - with/ops_by_module.tsv
	tl-ops -q -d ops t.json
	[ ! -e ops/ops_by_step.tsv ]
}

@test "both hold all device time" {
	gen t.json -n 5000
	want=$(tl-kcat -q --sheets kernels t.json | awk -F'\t' 'NR > 1 { n += $5 } END { printf "%.6f", n / 1e6 }')
	copies=$(tl-api -q --sheets memcpy_summary t.json | awk -F'\t' 'NR > 1 { n += $5 } END { printf "%.6f", n }')
	want=$(awk -v a="$want" -v b="$copies" 'BEGIN { printf "%.6f", a + b }')
	unlike "$want" '^0'
	equal "$(steps t.json | awk -F'\t' '{ n += $9 } END { printf "%.6f", n }')" "$want"
	equal "$(modules t.json | awk -F'\t' '{ n += $7 } END { printf "%.6f", n }')" "$want"
}
