#!/usr/bin/env bats
# host.bats - tl-host: operators, modules, Python functions, torch.compile.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# ops: the columns of times of host_ops of t.json
ops() {
	tl-host -q --columns name,calls,nested_count,host_total_ms,host_self_ms,runtime_ms,device_total_ms,device_self_ms,device_busy_ms t.json |
		tail -n +2
}

# py ID PARENT NAME TS DUR [MODULE]: a Python function on thread 1, with the id of a module
py() {
	event "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"$3\",\"pid\":1,\"tid\":1,\"ts\":$4,\"dur\":$5,\"args\":{\"Python id\":$1,\"Python parent id\":$2${6:+,\"Python module id\":$6}}}"
}

# modules [OPTION…]: what host_modules says of t.json
modules() {
	tl-host -q --sheets host_modules --columns module,depth,path,module_id,module_count,calls,operator_count,host_total_ms,host_self_ms "$@" t.json |
		tail -n +2
}

# two_streams: work on two streams below one operator, which calls another one
two_streams() {
	op outer 0 1000
	op inner 100 500
	call 1 150 100; gpu 1 k1 300 1000 7
	call 2 700 50; gpu 2 k2 800 1000 8
	call 3 2000 10; gpu 3 copy 2100 300 7 gpu_memcpy
	lone 99 lost 3000 50
	trace t.json
}

# bats test_tags=quick
@test "own time, calls, device time of itself and with what it calls; two streams at once; what is in no operator" {
	two_streams
	run -0 --separate-stderr tl-host t.json
	equal "$stderr" ''
	equal "$(head -n 1 <<<"$output")" 'name	calls	nested_count	host_total_ms	host_self_ms	runtime_ms	host_self_pct	device_total_ms	device_self_ms	device_busy_ms	matrix_kernel_ms	device_self_pct'
	equal "$(ops)" 'outer	1	0	1.0	0.45	0.05	2.0	1.0	1.5
inner	1	0	0.5	0.4	0.1	1.0	1.0	1.0
(no operator)	0				0.01	0.35	0.35	0.35'
	equal "$(tl-host --columns host_self_pct,device_self_pct t.json | awk -F'\t' 'NR > 1 { h += $1; d += $2 } END { print h, d }')" '100 100'
}

@test "an operator that is the only one in one of its name is one call with it, with the calls of both" {
	op mm 0 100; call 1 5 5; gpu 1 k 20 10
	op mm 10 80; call 2 20 5; gpu 2 k 40 10
	op mm 30 50; op add 40 10; op add 60 10; call 3 62 5; gpu 3 k 80 1
	trace t.json
	equal "$(ops)" 'mm	1	0	0.1	0.07	0.01	0.021	0.02	0.021
add	2	0	0.02	0.015	0.005	0.001	0.001	0.001'
}

@test "calls in another one of the same name count once for times with what they call" {
	op f 0 100; op g 10 60; op f 20 30; call 1 25 5; gpu 1 k 30 7; op g 80 10
	trace t.json
	equal "$(ops)" 'f	2	1	0.1	0.055	0.005	0.007	0.007	0.007
g	2	0	0.07	0.04	0.0	0.007	0.0	0.007'
}

@test "by shapes; a call of other shapes in one of its name is none of the same row" {
	op f 0 100 '"Input Dims":[[2,3],[]]'; op g 10 60; op f 20 30 '"Input Dims":[[4]]'; op f 60 5 '"Input Dims":[[2,3],[]]'
	op f 200 10
	trace t.json
	equal "$(tl-host --sheets host_ops_shapes --columns name,'Input Dims',calls,nested_count,host_total_ms,host_self_ms t.json | tail -n +2)" \
		'f	((2, 3), ())	2	1	0.1	0.045
f	((4,),)	1	0	0.03	0.03
g		1	0	0.06	0.025
f		1	0	0.01	0.01'
}

@test "by stacks: Python frames, innermost first, without modules and addresses; what old traces say of operators" {
	frame 'train.py(3): step' 0 100; frame 'nn.Module: Linear_0' 5 50; frame '<built-in method f of T object at 0x7f12ab>' 10 20; op f 12 10
	frame 'nn.Module: Linear_1' 60 30; frame '<built-in method f of T object at 0x7f99>' 65 20; op f 70 10
	op f 120 10; op g 130 10 '"Call stack":"a.py(1): a;b.py(2): b"'
	trace t.json
	equal "$(tl-host --sheets host_ops_stacks --columns name,stack,calls t.json | tail -n +2 | sort)" 'f		1
f	<built-in method f of T object>; train.py(3): step	2
g	a.py(1): a;b.py(2): b	1'
	equal "$(tl-host --sheets host_python --columns function,place,calls,host_total_ms,host_self_ms,operator_ms t.json | tail -n +2)" 'nn.Module: Linear_0		1	0.05	0.03	0.0
step	train.py:3	1	0.1	0.02	0.0
<built-in method f of T object>		2	0.04	0.02	0.02
nn.Module: Linear_1		1	0.03	0.01	0.0'
}

@test "Python functions: recursion counts once, operators and calls in them are not their own time" {
	frame 'a.py(1): f' 0 100; frame 'a.py(1): f' 10 50; op x 20 10; call 1 22 3; gpu 1 k 30 9; call 2 70 5; gpu 2 k 80 1
	frame 'no place): here' 200 1; frame '(3): f' 300 1
	trace t.json
	equal "$(tl-host --sheets host_python t.json | cut -f 1-8,10)" 'function	place	calls	nested_count	host_total_ms	host_self_ms	operator_ms	runtime_ms	device_total_ms
f	a.py:1	2	1	0.1	0.085	0.01	0.005	0.01
(3): f		1	0	0.001	0.001	0.0	0.0	0.0
no place): here		1	0	0.001	0.001	0.0	0.0	0.0'
}

@test "calls that overlap leave an operator less than nothing, which is said" {
	op f 0 10; call 1 0 8; call 2 1 6 cuLaunchKernel; gpu 2 k 20 5; gpu 1 k 30 1
	trace t.json
	run -0 --separate-stderr tl-host --columns name,host_self_ms,runtime_ms t.json
	equal "$(tail -n 1 <<<"$output")" 'f	-0.004	0.014'
	like "$stderr" 'tl-host: 1 operators have a time of their own below 0: calls in them overlap'
}

@test "a launch by the driver has its operator; a step is none; one that ends too late is cut, which is said" {
	op 'ProfilerStep#3' 0 100; op f 0 50; call 1 40 5 cuLaunchKernel; gpu 1 triton 60 8; op g 48 10
	trace t.json
	run -0 --separate-stderr tl-host --columns name,calls,host_total_ms,host_self_ms,device_self_ms t.json
	equal "$(tail -n +2 <<<"$output")" 'f	1	0.05	0.043	0.008
g	1	0.002	0.002	0.0'
	like "$stderr" 'tl-host: 1 operators that end after the one around them are cut at its end'
}

@test "kernels of matrix products, unless their name says fp32" {
	op f 0 10; call 1 1 1; gpu 1 nvjet_hsh_128x64 10 5; call 2 3 1; gpu 2 ampere_sgemm_32 20 7; call 3 5 1; gpu 3 relu 30 1
	trace t.json
	equal "$(tl-host --columns matrix_kernel_ms,device_total_ms t.json | tail -n 1)" '0.005	0.013'
}

@test "a trace without device events, without operators, without anything" {
	op f 0 10; op g 2 3; call 1 3 1
	trace t.json
	equal "$(tl-host t.json 2>said)" 'name	calls	nested_count	host_total_ms	host_self_ms	runtime_ms	host_self_pct
f	1	0	0.01	0.007	0.0	77.77777777777777
g	1	0	0.003	0.002	0.001	22.22222222222222'
	tl-report -q --tsv-dir r --host t.json 2>said
	[ -s r/host_ops.tsv ]
	lone 1 k 0 5
	trace t.json
	equal "$(ops)" '(no operator)	0				0.0	0.005	0.005	0.005'
	trace t.json
	equal "$(tl-host t.json | wc -l)" 1
	op f 0 0; op f 0 0
	trace t.json
	equal "$(tl-host t.json | tail -n 1)" 'f	2	0	0.0	0.0	0.0	'
	for i in 1 2 3; do
		event "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"big\",\"pid\":1,\"tid\":$i,\"ts\":0,\"dur\":4000000000000000,\"args\":{}}"
	done
	trace t.json
	run -1 --separate-stderr tl-host t.json # no sum that stops where numbers end
	like "$stderr" 'host_total_ms|host_self_ms'
}

# layers: a model of two blocks that are alike, one that is not, and a module used at two places
layers() {
	py 1 0 'main.py(1): run' 0 1000
	py 2 1 'nn.Module: Net_0' 0 900 0
	local i
	for i in 0 1; do
		py $((10 + i * 10)) 2 "nn.Module: Block_$i" $((i * 200)) 190 "$i"
		py $((11 + i * 10)) $((10 + i * 10)) 'nn.py(9): _call_impl' $((i * 200)) 180
		py $((12 + i * 10)) $((11 + i * 10)) "nn.Module: Linear_$((2 * i))" $((i * 200 + 10)) 50 $((2 * i))
		op mm $((i * 200 + 20)) 20; op inside $((i * 200 + 21)) 5; call $((i + 1)) $((i * 200 + 22)) 2
		gpu $((i + 1)) k $((i * 200 + 50)) 100
		py $((13 + i * 10)) $((11 + i * 10)) "nn.Module: Linear_$((2 * i + 1))" $((i * 200 + 70)) 30 $((2 * i + 1))
	done
	py 40 2 'nn.Module: Block_2' 500 100 2
	py 41 40 'nn.Module: Linear_9' 510 10 9
	py 42 40 'nn.Module: Norm_0' 530 20 0
	py 43 2 'nn.Module: Norm_0' 700 40 0
	py 44 1 'nn.Module: Loss_0' 950 20 0
	trace t.json
}

@test "modules as a tree: layers that are alike are one row, with their sums" {
	layers
	equal "$(modules)" 'Net_0	0	Net_0	0	1	1	0	0.9	0.38
Block × 2	1	Net_0/Block_0		2	2	0	0.38	0.22
Linear × 2	2	Net_0/Block_0/Linear_0		4	4	2	0.16	0.12
Block_2	1	Net_0/Block_2	2	1	1	0	0.1	0.07
Linear_9	2	Net_0/Block_2/Linear_9	9	1	1	0	0.01	0.01
Norm_0	2	Net_0/Block_2/Norm_0	0	1	1	0	0.02	0.02
Norm_0	1	Net_0/Norm_0	0	1	1	0	0.04	0.04
Loss_0	0	Loss_0	0	1	1	0	0.02	0.02'
	equal "$(tl-host --sheets host_modules --columns module,device_total_ms,device_self_ms,device_total_pct t.json | sed -n 2,4p)" 'Net_0	0.2	0.0	100.0
Block × 2	0.2	0.0	100.0
Linear × 2	0.2	0.2	100.0'
	equal "$(modules --unfolded | cut -f 2,3,4 | sed -n 2,5p)" '1	Net_0/Block_0	0
2	Net_0/Block_0/Linear_0	0
2	Net_0/Block_0/Linear_1	1
1	Net_0/Block_1	1'
}

@test "what is in what is told by ids of frames, also across modules that recur; a circle leads nowhere" {
	py 1 0 'nn.Module: A_0' 0 10 0; py 2 1 'nn.Module: A_0' 20 10 0; py 3 2 'nn.Module: A_0' 40 10 0
	trace t.json
	equal "$(modules | cut -f 2,3,6)" '0	A_0	1
1	A_0/A_0	1
2	A_0/A_0/A_0	1'
	py 1 2 'a.py(1): a' 0 10; py 2 1 'a.py(2): b' 1 8; py 3 2 'nn.Module: A_0' 2 5 0
	py 7 8 'nn.Module: B_0' 20 5 0; py 8 7 'nn.Module: B_1' 30 5 1
	trace t.json
	run -0 --separate-stderr tl-host --sheets host_modules --columns path t.json
	equal "$(tail -n +2 <<<"$output" | head -n 1)" A_0
	like "$stderr" 'warning: .*the parents of 2 Python frames lead in a circle'
}

@test "a trace without modules says why" {
	op f 0 1
	trace t.json
	run -0 --separate-stderr tl-host --sheets host_modules t.json
	like "$stderr" 'no modules: the trace has no Python frames; .*with_stack=True'
	frame 'a.py(1): a' 0 1
	trace t.json
	run -0 --separate-stderr tl-host --sheets host_modules t.json
	like "$stderr" 'no modules: no Python frame of the trace has a module id'
}

@test "torch.compile: guards, regions with recompilations, graphs, kernels by what they do, compilations" {
	op 'TorchDynamo Cache Lookup' 0 5; op 'TorchDynamo Cache Lookup' 100 5
	op 'Torch-Compiled Region: 0/1' 10 80; op 'Pregraph bytecode' 11 2
	event '{"ph":"X","cat":"user_annotation","name":"## Call CompiledFxGraph fx ##","pid":1,"tid":1,"ts":20,"dur":60,"args":{}}'
	op triton_poi_fused_add_0 30 10; call 1 32 3; gpu 1 triton_poi_fused_add_0 50 20
	op triton_poi_fused_mul_1 50 10; call 2 52 3; gpu 2 triton_poi_fused_mul_1 70 30
	call 3 200 3 cudaGraphLaunch; gpu 3 triton_red_fused_sum_2 210 5
	op 'compile_fx_inner (dynamo_timed)' 300 50 '"recompile_reason":"size mismatch"'; op other 400 1
	trace t.json
	equal "$(tl-host --sheets compile_summary t.json)" 'kind	name	calls	host_total_ms	host_self_ms	device_total_ms	device_event_count	recompilation	recompile_reason
guards	TorchDynamo Cache Lookup	2	0.01	0.01	0.0	0		
region	Torch-Compiled Region: 0/1	1	0.08	0.018	0.05	2	1	
wrapper	Pregraph bytecode	1	0.002	0.002	0.0	0		
graph	## Call CompiledFxGraph fx ##	1	0.06	0.04	0.05	2		
kernel	triton_poi_*	2	0.02	0.02	0.05	2		
kernel	triton_red_*	0	0.0	0.0	0.005	1		
compilation	compile_fx_inner (dynamo_timed)	1	0.05	0.05	0.0	0		size mismatch'
}

@test "a report has the sheets with --host, and those of stacks with --stacks" {
	layers
	tl-report -q --tsv-dir plain t.json
	[ ! -e plain/host_ops.tsv ]
	tl-report -q --tsv-dir r --host t.json
	equal "$(cd r && echo host_*)" 'host_modules.tsv host_ops.tsv host_ops_shapes.tsv host_python.tsv'
	tl-host t.json | cmp - r/host_ops.tsv
	tl-report -q --tsv-dir s --host --stacks t.json
	[ -s s/host_ops_stacks.tsv ]
	tl-parse t.json | tl-link | tl-host | cmp - r/host_ops.tsv
}

@test "on a trace of tl-gen, sums of own times are those of the trace, and a slow sum agrees" {
	need python3
	tl-gen -n 3000 >g.json
	tl-host -q g.json >t.tsv
	python3 - g.json t.tsv <<-'END'
	import csv, json, sys
	from decimal import Decimal
	events = json.load(open(sys.argv[1]), parse_float=Decimal)['traceEvents']
	spans = [e for e in events if e.get('ph') == 'X' and 'dur' in e]
	ns = lambda us: int(Decimal(us) * 1000)
	rows = list(csv.DictReader(open(sys.argv[2]), delimiter='\t', quoting=csv.QUOTE_NONE))
	total = lambda column: sum(int(Decimal(r[column] or 0) * 1000000) for r in rows)
	work = sum(ns(e['dur']) for e in spans if e['cat'] in ('kernel', 'gpu_memcpy', 'gpu_memset'))
	assert total('device_self_ms') == work, (total('device_self_ms'), work)
	calls = sum(ns(e['dur']) for e in spans if e['cat'] in ('cuda_runtime', 'cuda_driver'))
	assert total('runtime_ms') == calls
	ops = sorted(((e['pid'], e['tid'], ns(e['ts']), -ns(e['dur'])) for e in spans if e['cat'] == 'cpu_op'))
	outer, end, thread = 0, None, None
	for pid, tid, ts, dur in ops:
	    if (pid, tid) != thread or ts >= end:
	        thread, end, outer = (pid, tid), ts - dur, outer - dur
	inside = calls - sum(int(Decimal(r['runtime_ms']) * 1000000) for r in rows if r['name'] == '(no operator)')
	assert total('host_self_ms') + inside == outer, (total('host_self_ms'), inside, outer)
	END
}

@test "every cell of TensorBoard's plugin that is right" {
	need python3
	[ -d "$TL_ROOT/../shared/traces/views/tb" ] || skip 'no ../shared'
	run -0 "$TL_ROOT/tests/host-parity" "$TL_ROOT/../shared/traces"
	unlike "$output" '(^|\n)not ok'
	like "$output" 'ok modules of h100-owlv2: 2814 cells'
}

@test "an empty trace is not left without a word" {
	echo '{"traceEvents":[]}' >t.json
	run -0 --separate-stderr tl-host t.json
	equal "$stderr" 'tl-host: the sheet host_ops has no row; no event of the trace, of 0, is of operators, calls or devices: tl-overview says what it is'
}
