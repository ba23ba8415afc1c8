#!/usr/bin/env bats
# idle-gaps.bats - tl-timeline: the sheet idle_gaps.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

gaps() {
	tl-timeline -q --sheets idle_gaps "$@"
}

# The cause of the only gap of t.json, with its parts: waiting, busy, elsewhere, launch, queued.
cause() {
	gaps --columns cause,host_name,host_waiting_us,host_busy_us,host_elsewhere_us,launch_us,queued_us t.json | tail -n +2 | tr '\t' ' '
}

@test "a gap has its place, the work around it, and what the host did" {
	op aten::first 100 10; call 1 101 2; gpu 1 k1 105 5
	op aten::slow 112 80; op aten::inner 120 60; call 2 190 1; gpu 2 k2 195 5 8
	trace t.json
	run -0 --separate-stderr tl-timeline --sheets idle_gaps t.json
	equal "$stderr" ''
	equal "$output" "rank	process	device	start_us	idle_time_us	Percent of idle time (%)	cause	host_name	host_waiting_us	host_busy_us	host_elsewhere_us	launch_us	queued_us	waiting_call	launch_call	launch_call_UID	before_name	before_UID	before_stream	after_name	after_UID	after_stream	start_ns
	0		10.0	85.0	100.0	launch-bound	cudaLaunchKernel	0.0	0.0	0.0	81.0	4.0		cudaLaunchKernel	7	k1	3	7	k2	9	8	110000"
}

@test "the host waits in calls that synchronise, whatever is around or within them" {
	call 1 0 2; gpu 1 k1 5 5
	op aten::item 3 61; call 9 3 60 cudaStreamSynchronize; call 8 20 1 cuInner
	call 2 64 1; gpu 2 k2 68 1
	trace t.json
	equal "$(cause)" 'host waiting cudaStreamSynchronize 58.0 0.0 0.0 0.0 0.0'
	equal "$(gaps --columns waiting_call t.json | tail -n 1)" cudaStreamSynchronize
}

@test "a call that ends after the copy that it launched waited for it; one that does not returned at once" {
	call 1 0 30 cudaMemcpyAsync; gpu 1 'Memcpy DtoH (Device -> Pageable)' 5 5 7 gpu_memcpy
	call 2 30 1; gpu 2 k 31 1
	trace t.json
	equal "$(cause)" 'host waiting cudaMemcpyAsync 21.0 0.0 0.0 0.0 0.0'
	call 1 0 30 cudaMemcpyAsync; gpu 1 'Memcpy DtoH (Device -> Pageable)' 25 10 7 gpu_memcpy
	call 2 40 1; gpu 2 k 41 1
	trace t.json
	equal "$(cause)" 'launch-bound cudaLaunchKernel 0.0 0.0 0.0 6.0 0.0'
}

@test "outside of operators and calls the host is elsewhere, also when another thread works" {
	call 1 0 2; gpu 1 k1 5 5
	event '{"ph":"X","cat":"cpu_op","name":"other","pid":1,"tid":2,"ts":0,"dur":100000,"args":{}}'
	call 2 90000 1; gpu 2 k2 90005 5
	trace t.json
	equal "$(cause)" 'host elsewhere  0.0 0.0 89991.0 0.0 4.0'
}

@test "a call that allocates has its time, a call without an operator around it that of a ms and more" {
	call 1 0 2; gpu 1 k1 5 5
	call 8 15 70 cudaMalloc; call 2 90 1; gpu 2 k2 95 5
	trace t.json
	equal "$(cause)" 'allocator cudaMalloc 0.0 70.0 0.0 11.0 4.0'
	call 1 0 2; gpu 1 k1 5 5
	call 8 15 1500 cudaMystery; call 2 2000 1; gpu 2 k2 2005 5
	trace t.json
	equal "$(cause)" 'host busy cudaMystery 0.0 1991.0 0.0 0.0 4.0'
}

@test "a slow launch bounds the gap" {
	call 1 0 2; gpu 1 k1 5 5
	call 2 9 50; gpu 2 k2 60 5
	trace t.json
	equal "$(cause)" 'launch-bound cudaLaunchKernel 0.0 0.0 0.0 49.0 1.0'
}

@test "work that was launched before the gap was queued" {
	call 1 0 1; gpu 1 k1 10 5
	call 2 2 1; gpu 2 k2 40 5 8
	trace t.json
	equal "$(cause)" 'queued cudaLaunchKernel 0.0 0.0 0.0 0.0 25.0'
}

@test "of work that starts before its launch, as clocks differ, the host is looked at to the end of the gap" {
	call 1 0 1; gpu 1 k1 10 5
	op aten::x 15 30; call 2 42 1; gpu 2 k2 40 5
	trace t.json
	equal "$(cause)" 'launch-bound cudaLaunchKernel 0.0 0.0 0.0 25.0 0.0'
}

@test "the cause of a gap before work that nothing launched is unknown; such work is no gap" {
	call 1 0 1; gpu 1 k1 10 5
	lone 9 k2 20 5 8
	call 3 1 1; gpu 3 k3 25 5
	trace t.json
	equal "$(cause)" 'unknown      '
	equal "$(gaps --columns launch_call,launch_call_UID t.json | tail -n 1)" '	'
	# the next work of its stream that a call launched tells
	call 1 0 1; gpu 1 k1 10 5
	lone 9 k2 20 5
	call 3 1 1; gpu 3 k3 25 5
	trace t.json
	equal "$(cause)" 'queued cudaLaunchKernel 0.0 0.0 0.0 0.0 5.0'
}

@test "a gap begins with the last end of the work before and ends with the first start behind it" {
	call 1 0 1; gpu 1 long 10 50 7
	call 2 1 1; gpu 2 short 20 5 8
	call 3 2 1; gpu 3 touching 60 5 8
	call 4 3 1; gpu 4 first 70 5 7
	call 5 4 1; gpu 5 second 70 5 8
	trace t.json
	equal "$(gaps --columns idle_time_us,before_name,after_name t.json | tail -n +2)" '5.0	touching	first'
}

@test "the longest gaps of each device come first, at most so many" {
	for i in 1 2 3 4; do
		lone "$i" k "$((i * i * 10))" 5 7 kernel '"device":3'
		lone "1$i" k "$((i * 100))" 5 7 kernel '"device":1'
	done
	trace t.json
	equal "$(gaps --topk_idle_gaps 2 --columns device,start_us,idle_time_us t.json | tail -n +2)" '1	95.0	95.0
1	195.0	95.0
3	85.0	65.0
3	35.0	45.0'
	equal "$(gaps --topk_idle_gaps 0 t.json | wc -l)" 1
	equal "$(gaps t.json | wc -l)" 7
}

@test "shares are of all idle time of the device, also that of gaps that are not shown" {
	call 1 0 1; gpu 1 k 10 5
	call 2 1 1; gpu 2 k 45 5
	call 3 2 1; gpu 3 k 60 5
	trace t.json
	equal "$(gaps --topk_idle_gaps 1 --columns 'Percent of idle time (%)' t.json | tail -n 1)" 75.0
}

@test "any number of gaps is sorted: the longest of many" {
	for i in $(seq 1 300); do lone "$i" k "$((i * 1000))" "$((i * 7919 % 499))"; done
	trace t.json
	gaps --topk_idle_gaps 300 --columns start_us,idle_time_us t.json | tail -n +2 >all
	equal "$(wc -l <all)" 299
	LC_ALL=C sort -s -t'	' -k2,2nr -k1,1n all | cmp - all
	gaps --topk_idle_gaps 7 --columns start_us,idle_time_us t.json | tail -n +2 | cmp - <(head -n 7 all)
	gaps --topk_idle_gaps 150 --columns start_us,idle_time_us t.json | tail -n +2 | cmp - <(head -n 150 all)
}

@test "a report has the sheet, but none without gaps" {
	gen t.json -n 2000 --no-python
	tl-report -q --tsv-dir out t.json
	gaps t.json | cmp - out/idle_gaps.tsv
	lone 1 k 1 1
	trace one.json
	tl-report -q --tsv-dir one one.json
	[ ! -e one/idle_gaps.tsv ]
}

@test "the parts of each gap add up to its length, and gaps to the idle time" {
	gen t.json -n 5000 --no-python
	gaps --topk_idle_gaps 100000 t.json >t.tsv
	awk -F'\t' 'NR > 1 && $7 != "unknown" { d = $5 - $9 - $10 - $11 - $12 - $13; if (d > 1e-6 || d < -1e-6) exit 1; n++ } END { exit !n }' t.tsv
	equal "$(awk -F'\t' 'NR > 1 { n += $5 } END { printf "%.6f", n / 1000 }' t.tsv)" \
		"$(tl-timeline -q --include_unlinked_kernels t.json | awk -F'\t' '$1 == "idle_time" { printf "%.6f", $2 }')"
}

# ---- idle_summary --------------------------------------------------------------------------------------

# annotation NAME TS DUR: on thread 1
annotation() {
	event "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"$1\",\"pid\":1,\"tid\":1,\"ts\":$2,\"dur\":$3,\"args\":{}}"
}
summary() {
	tl-timeline -q --sheets idle_summary "$@" t.json
}
# rows COLUMNS: without the header, a blank instead of TAB
rows() {
	summary --columns "$1" | tail -n +2 | tr '\t' ' '
}

@test "idle time before the first and behind the last event of a step counts, and all of it adds up" {
	annotation ProfilerStep#1 0 100; annotation ProfilerStep#2 100 100
	op aten::load 0 40; call 1 50 2; gpu 1 k 60 30
	call 2 120 1; gpu 2 k 125 25
	trace t.json
	equal "$(rows where,cause,host_name,count,idle_ms | sort)" "between launch-bound cudaLaunchKernel 1 0.031
between queued cudaLaunchKernel 1 0.004
head launch-bound cudaLaunchKernel 1 0.052
head queued cudaLaunchKernel 1 0.008
tail host elsewhere  1 0.05"
	equal "$(rows idle_ms | awk '{ s += $1 } END { print s }')" 0.145
	equal "$(summary --columns 'where,cause,Percent of window (%),longest_ms,longest_start_us' | grep tail)" "tail	host elsewhere	25.0	0.05	150.0"
	equal "$(rows 'Percent of idle time (%)' | awk '{ s += $1 } END { printf "%.6f", s }')" 100.000000
}

@test "without steps the window is that of operators, calls and device events" {
	op aten::a 10 5; call 1 20 2; gpu 1 k 30 10; op aten::b 45 15
	trace t.json
	equal "$(rows where,cause,host_name,idle_ms | sort)" "head launch-bound cudaLaunchKernel 0.012
head queued cudaLaunchKernel 0.008
tail host busy aten::b 0.02"
}

@test "a frame that has half of the time between two launches says what the host did, and its callers; wrappers and short frames do not" {
	call 1 0 1; gpu 1 k 1 9
	frame '/site/train.py(3): main' 0 20000; frame '/site/load.py(10): fetch' 5 10000; frame '/site/load.py(20): resize' 1500 8400
	frame '<built-in function zoom>' 1600 8300; frame '/site/torch/_ops.py(1): __call__' 1601 8200; frame 'x/tiny.py(1): short' 5000 90
	call 2 10005 1; gpu 2 k 10010 5
	frame '/site/pad.py(5): late' 10015 1000
	call 3 11015 1; gpu 3 k 11016 5
	trace t.json
	equal "$(summary --columns frame,frame_chain,cause,idle_ms | grep elsewhere)" \
		"/site/load.py(20): resize	/site/load.py(20): resize < fetch < train.py(3): main	host elsewhere	9.996
/site/pad.py(5): late	/site/pad.py(5): late < train.py(3): main	host elsewhere	1.001"
	# one that has less says nothing
	call 1 0 1; gpu 1 k 1 9; frame 'load.py(20): resize' 5100 4900; call 2 10005 1; gpu 2 k 10010 5
	trace t.json
	equal "$(rows frame,cause | grep elsewhere)" ' host elsewhere'
	call 1 0 1; gpu 1 k 1 9; frame 'load.py(20): resize' 2000 8005; call 2 10005 1; gpu 2 k 10010 5
	trace t.json
	equal "$(rows frame,cause | grep elsewhere)" 'load.py(20): resize host elsewhere'
	# another thread's frame says nothing
	call 1 0 1; gpu 1 k 1 9; call 2 10005 1; gpu 2 k 10010 5
	event '{"ph":"X","cat":"python_function","name":"other.py(1): f","pid":1,"tid":2,"ts":0,"dur":10000,"args":{}}'
	trace t.json
	equal "$(rows frame,cause | grep elsewhere)" ' host elsewhere'
}

@test "a short gap has the frame in its middle; an annotation names its range" {
	call 1 0 1; gpu 1 k 1 9
	frame 'a.py(1): f' 0 200; annotation outer 0 300; annotation inner 20 150
	call 2 205 1; gpu 2 k 210 5
	trace t.json
	equal "$(rows where,frame,range,cause | grep 'between.*launch')" 'between a.py(1): f inner launch-bound'
}

@test "time in which the device ran what was launched before the recording is nobody's idle time" {
	call 1 0 1; gpu 1 k 1 9; call 2 20 1; gpu 2 k2 10031 5 8; call 3 10040 1; gpu 3 k 10042 1 8
	trace t.json
	equal "$(summary --columns 'cause,idle_ms,Percent of idle time (%),Percent of window (%)' | sed -n 2p)" 'unrecorded	10.021		'
	equal "$(gaps --columns cause t.json | sed -n 2p)" unrecorded
	equal "$(rows 'idle_ms,Percent of window (%)' | sed -n 2p)" '0.005 22.727272727272727'
	# launched 9999 us before; and a stream that had work before
	call 1 0 1; gpu 1 k 1 9; call 2 20 1; gpu 2 k2 10020 5 8
	trace t.json
	equal "$(rows cause | head -n 1)" queued
	call 1 0 1; gpu 1 k 1 9; call 2 20 1; gpu 2 k2 10031 5
	trace t.json
	equal "$(rows cause | head -n 1)" queued
	# before the first launched event of the device, with numbers below those of all calls
	lone 8 k 0 5; annotation ProfilerStep#1 0 100; lone 9 k 10 5; call 21 20 1; gpu 21 k 30 5; lone 7 k 50 5
	trace t.json
	equal "$(rows cause,idle_ms | grep ^un | sort)" 'unknown 0.015
unknown 0.045
unrecorded 0.005'
}

@test "where a trace has no calls, nothing tells that work was launched before the recording" {
	op() { printf '{"ph":"X","cat":"Op","name":"%s","pid":%s,"tid":0,"ts":%s,"dur":%s,"args":{"name":"v/%s","op":"%s"}}' "$2" "$1" "$3" "$4" "$2" "$2"; }
	process() { printf '{"name":"process_name","ph":"M","pid":%s,"args":{"name":"%s"}},' "$1" "$2"; }
	{
		printf '{"traceEvents":['
		process 1 '/device:GPU:0/stream:all Compute'
		process 2 '/device:GPU:0/memcpy Compute'
		process 3 '/job:localhost/replica:0/task:0/device:CPU:0 Compute'
		process 4 '/job:localhost/replica:0/task:0/device:GPU:0 Compute'
		printf '%s,' "$(op 3 IteratorGetNext 0 600)" "$(op 2 MEMCPYHtoD 700 100)" "$(op 4 Conv2D 800 20)"
		printf '%s]}' "$(op 1 Conv2D 900 100)"
	} >t.json
	equal "$(rows cause,idle_ms)" 'unknown 0.7
queued 0.08
launch-bound 0.02'
}

@test "each device has idle time of its own" {
	annotation ProfilerStep#1 0 100
	call 1 0 1; gpu 1 k 1 9 7 kernel '"device":0'; call 2 0 1; gpu 2 k 1 79 8 kernel '"device":1'
	trace t.json
	equal "$(summary --columns device,where,idle_ms | grep tail | sort)" '0	tail	0.09
1	tail	0.02'
}
