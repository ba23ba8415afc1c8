#!/usr/bin/env bats
# steps.bats - which annotations are steps: one rule for all programs.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# step NAME TS DUR [TID]
step() {
	event "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"$1\",\"pid\":1,\"tid\":${4-1},\"ts\":$2,\"dur\":$3}"
}
# steps FILE: the numbers of step_times, and how long the periods are
steps() {
	tl-timeline -q --sheets step_times --columns step,period_ms "$1" | tail -n +2 | paste -sd ' ' | tr '\t' =
}
# works FROM TO: kernels, launched every 10 µs from one time to another
works() {
	for ((i = $1; i < $2; i += 10)); do
		call $((i + 1)) $((i + 1)) 1
		gpu $((i + 1)) k $((i + 4)) 5
	done
}

@test "a step that another one overlaps by what writers round is a step; one within another is none" {
	works 0 300
	step ProfilerStep#1 0 100.001; step ProfilerStep#2 100 100.8; step ProfilerStep#3 200 100
	trace t.json
	equal "$(steps t.json)" '1=0.1 2=0.1 3=0.1'
	works 0 300
	step ProfilerStep#1 0 100; step inner 0 50; step ProfilerStep#12 20 30; step ProfilerStep#11 0 50; step ProfilerStep#13 50 50.001
	step ProfilerStep#21 99.999 40; step ProfilerStep#2 100 100; step ProfilerStep#3 200 100
	trace t.json
	equal "$(steps t.json)" '1=0.1 2=0.1 3=0.1'
	# one that starts in another and ends behind it is one, too: the first ends there
	works 0 300
	step ProfilerStep#1 0 150; step ProfilerStep#2 100 100; step ProfilerStep#3 200 100
	trace t.json
	equal "$(steps t.json)" '1=0.1 2=0.1 3=0.1'
	equal "$(tl-timeline -q --sheets step_times --columns host_ms t.json | sed -n 2p)" 0.1
	# other threads have steps of their own
	works 0 300
	step ProfilerStep#1 0 100; step ProfilerStep#2 100 200; step ProfilerStep#9 150 100 2
	trace t.json
	equal "$(steps t.json | sed 's/=[^ ]*//g')" '1 2 9'
}

@test "the slice of a step does not have the next one, though they overlap by a ns" {
	works 0 300
	step ProfilerStep#1 0 100.001; step ProfilerStep#2 100 100.001; step ProfilerStep#3 200 100
	trace t.json
	for n in 1 2 3; do
		equal "$(tl-slice -q --step $n t.json | tl-view | awk -F'\t' '$3 == "annotation" { print $10 }')" ProfilerStep#$n
		equal "$(tl-slice -q --annotation 'Step#' --step $n t.json | tl-view | awk -F'\t' '$3 == "annotation" { print $10 }')" ProfilerStep#$n
	done
}

@test "old profilers write steps as operators: tl-slice knows them, too" {
	op ProfilerStep#1 0 100; op ProfilerStep#2 100 100; works 0 200
	trace t.json
	equal "$(tl-slice -q --step 2 t.json | tl-timeline -q --include_unlinked_kernels - | grep busy_time)" $'busy_time\t0.05\t52.63157894736842'
}

@test "memory_steps and step_kernels have the steps of step_times, from the same time on" {
	local all='"Device Type":1,"Device Id":0,"Addr":1,"Total Allocated":64,"Total Reserved":64,"Bytes":64'
	works 0 200
	step ProfilerStep#1 0 100.001; step ProfilerStep#11 20 10; step ProfilerStep#2 100 100
	event "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":5,\"args\":{$all}}"
	trace t.json
	tl-timeline -q --sheets step_times --columns name,start_us,host_ms t.json | tail -n +2 >times.tsv
	equal "$(cat times.tsv)" $'ProfilerStep#1\t0.0\t0.1\nProfilerStep#2\t100.0\t0.1'
	equal "$(tl-memory -q --sheets memory_steps --columns step,start_us,step_ms t.json | tail -n +2)" "$(cat times.tsv)"
	equal "$(tl-series -q --sheets step_kernels --columns step,start_us,step_ms t.json | tail -n +2)" "$(cat times.tsv)"
}

# everything NAME: what the programs say of the steps of NAME.json, a line each
everything() {
	tl-link --python -q -o "$1.tls" "$1.json"
	tl-timeline -q --sheets step_times --columns step,name,start_us,launches,device_events,mark "$1.tls"
	tl-ops -q --sheets ops_by_step --columns step,step_count,name,Count,device_event_count "$1.tls"
	tl-series -q --sheets step_kernels --columns step,start_us,kernel_count "$1.tls"
	tl-memory -q --sheets memory_steps --columns step,start_us,event_count "$1.tls"
	tl-phase -q --sheets steps --columns step,name,phase,start_us,launch_count,kernel_count,gpu_busy_us "$1.tls"
	for n in $(tl-timeline -q --sheets step_times --columns step "$1.tls" | tail -n +2); do
		tl-path -q --sheets path_summary --columns bound "$1.tls" --step "$n"
		tl-slice -q --step "$n" "$1.tls" | tl-view | awk -F'\t' '$3 == "annotation" || $3 == "kernel" { n[$3]++ } END { print n["annotation"], n["kernel"] }'
	done
	tl-timeline -q --sheets step_times --columns period_ms "$1.tls" >"$1.periods"
}

@test "rounding that makes steps overlap by a ns, or leaves one between them, changes no step and no period by more" {
	need python3
	for seed in 1 2 3; do
		gen t.json -n 8000 --no-python --memory --seed "$seed"
		python3 - "$seed" <<-'P'
			import json, random, sys
			random.seed(int(sys.argv[1]))
			trace = json.load(open("t.json"))
			for name, off in ("touch", (0,)), ("rounded", (-1, 0, 1)):
			    last = {}
			    for e in sorted((e for e in trace["traceEvents"] if "ProfilerStep" in e.get("name", "")), key=lambda e: e["ts"]):
			        before, last[e["cat"]] = last.get(e["cat"]), e
			        if before and e["cat"] == "user_annotation":
			            before["dur"] = round(e["ts"] - before["ts"] + random.choice(off) / 1000, 3)
			    json.dump(trace, open(name + ".json", "w"))
		P
		everything touch >touch.all
		everything rounded >rounded.all
		diff touch.all rounded.all
		[ "$(wc -l <rounded.periods)" -ge 4 ]
		paste touch.periods rounded.periods | awk 'NR > 1 { d = $1 - $2; if (d > 1.5e-6 || d < -1.5e-6) exit 1 }'
	done
}

# bats test_tags=quick
@test "a step within another one is none, for steps, operators by step, the overview and slices; steps that touch are steps" {
	local i ends=(1000.001 2000.001 3000 4000.002 5000)
	for i in 0 1 2 3 4; do
		event '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#'$((10 + i))'","pid":1,"tid":1,"ts":'$((1000 * i)),'"dur":'"$(awk "BEGIN { printf \"%.3f\", ${ends[i]} - 1000 * $i }")}"
		call $((i + 1)) $((1000 * i + 100)) 4
		gpu $((i + 1)) gemm $((1000 * i + 110)) 200
	done
	event '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#15","pid":1,"tid":1,"ts":4050,"dur":500}'
	device_trace t.json ''
	equal "$(tl-timeline -q --sheets step_times --columns step,period_ms,launches t.json | tail -n +2)" '10	1.0	1
11	1.0	1
12	1.0	1
13	1.0	1
14	1.0	1'
	equal "$(tl-ops -q --sheets ops_by_step --columns step,Count t.json | tail -n +2 | cut -f 1 | xargs)" \
		'ProfilerStep#10 ProfilerStep#11 ProfilerStep#12 ProfilerStep#13 ProfilerStep#14'
	like "$(tl-overview -q t.json)" $'trace\tsteps\t5\t'
	run -1 --separate-stderr tl-slice -q --step 15 t.json
	failed 1 'no annotation ProfilerStep#N with such a number'
	unlike "$(tl-overview -q --sheets trace_health t.json)" 'steps-overlap'
}

@test "steps that overlap by more than a hundredth are a note of trace_health, with how much" {
	event '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":1100}'
	event '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","pid":1,"tid":1,"ts":1000,"dur":1000}'
	event '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#3","pid":1,"tid":1,"ts":1995,"dur":1000}'
	call 1 100 5; gpu 1 gemm 110 200
	device_trace t.json ''
	equal "$(tl-overview -q --sheets trace_health --columns check,state,value,ms t.json | grep steps-overlap)" $'steps-overlap\tnote\t1\t0.1'
}
