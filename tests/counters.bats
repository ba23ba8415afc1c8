#!/usr/bin/env bats
# counters.bats - tl-counters: what the profiler recorded over time; readers and writers of counters.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# counters SHEET COLUMNS FILE: its rows, without the header
counters() {
	tl-counters -q --sheets "$1" --columns "$2" "$3" | tail -n +2
}

# chrome FILE EVENT...: a trace of two kernels "k" on device 0, 0 to 10 and 20 to 40 us, and these events.
chrome() {
	local file=$1
	shift
	{
		printf '%s' '{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 0, "dur": 10, "args": {"device": 0, "correlation": 1}}, '
		printf '%s' '{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 20, "dur": 20, "args": {"device": 0, "correlation": 2}}'
		[ $# = 0 ] || printf ', %s' "$@"
		printf ']}\n'
	} >"$file"
}

# c NAME TS ARGS [PID]: an event with phase C
c() {
	printf '{"ph": "C", "name": "%s", "pid": %s, "ts": %s, "args": {%s}}' "$1" "${4:-0}" "$2" "$3"
}

# bats test_tags=quick
@test "findings of a trace without counters do not ask for them" {
	tl-gen -n 500 >none.json
	run -0 --separate-stderr tl-findings none.json
	unlike "$stderr" 'no counters'
	run -0 --separate-stderr tl-counters none.json
	like "$stderr" 'no counters in the trace'
}

@test "Chrome: a value holds until the next sample; means by time, and while the device works" {
	chrome t.json "$(c 'SM clock' 0 '"MHz": 2000')" "$(c 'SM clock' 30 '"MHz": 1000')" "$(c 'SM clock' 50 '"MHz": 500')"
	equal "$(counters counters device,counter,unit,of,samples,first,last,min,mean,max,busy_mean t.json)" \
		$'0\tSM clock\tMHz\theld\t3\t2000.0\t500.0\t500.0\t1600.0\t2000.0\t1666.6666666666667'
	equal "$(counters counters_by_kernel device,counter,name,kernels,kernel_ms,sum,mean,min,max t.json)" \
		$'0\tSM clock\tk\t2\t0.03\t\t1666.6666666666667\t1000.0\t2000.0'
}

@test "Chrome: units of arguments and names; several arguments; tracks; what is no number" {
	chrome t.json "$(c 'Power (W)' 1 '"value": 600.5')" "$(c DDR 1 '"acc_id": 3, "Read(MB/s)": 5, "Write(MB/s)": 7')" "$(c Freq 1 '"MHz": 9' 44)" \
		"$(c Bad 1 '"x": NaN, "y": "text", "z": 1e999')"
	run -0 --separate-stderr tl-parse -o t.tls t.json
	[[ $stderr == *'values of counters that are no finite number, left out'* ]]
	equal "$(counters counters device,counter,track,unit,first t.tls)" $'0\tDDR Read\t3\tMB/s\t5.0
0\tDDR Write\t3\tMB/s\t7.0
0\tPower\t\tW\t600.5
\tFreq\t\tMHz\t9.0'
	# the counters of one record share its number; streams, binary and as text, keep that
	equal "$(tl-view t.tls | tl-view --to-stream | tl-view | md5sum)" "$(tl-view t.tls | md5sum)"
	equal "$(tl-view t.tls | grep -c '^event.*DDR')" 2
}

@test "Chrome: the device by the label of the process; of another process there is none" {
	chrome t.json '{"ph": "M", "name": "process_labels", "pid": 9, "tid": 0, "args": {"labels": "GPU 0"}}' "$(c a 1 '"W": 1' 9)" "$(c b 1 '"W": 1' 8)"
	equal "$(counters counters process,device,counter t.json)" $'8\t\tb
9\t0\ta'
	equal "$(counters counters_by_kernel counter,kernels t.json)" $'a\t2'
}

@test "tl-view --perfetto and --chrome keep counters" {
	chrome t.json "$(c DDR 1 '"Read(MB/s)": 5, "Write(MB/s)": 7.5')" "$(c P 2 '"W": 1')"
	counters counters device,counter,unit,samples,first t.json >wanted
	tl-parse -q t.json | tl-view --perfetto -o t.pftrace
	tl-parse -q t.json | tl-view --chrome -o again.json
	equal "$(counters counters device,counter,unit,samples,first t.pftrace)" "$(cat wanted)"
	equal "$(counters counters device,counter,unit,samples,first again.json)" "$(cat wanted)"
}

@test "tl-sql: counters are events, each sample one" {
	chrome t.json "$(c P 1 '"W": 1')" "$(c P 2 '"W": 2.5')"
	equal "$(tl-sql -q t.json 'SELECT name, ts, value FROM counter ORDER BY ts' | tail -n +2)" $'P\t1000\t1\nP\t2000\t2.5'
}

@test "counters_by_step: a step without a sample has the value that is held" {
	chrome t.json "$(c P 0 '"W": 1')" "$(c P 15 '"W": 3')" \
		'{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 10, "dur": 10, "args": {}}' \
		'{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#2", "pid": 1, "tid": 1, "ts": 20, "dur": 10, "args": {}}'
	equal "$(counters counters_by_step counter,step,samples,min,mean,max t.json)" $'P\tProfilerStep#1\t1\t1.0\t2.0\t3.0
P\tProfilerStep#2\t0\t3.0\t3.0\t3.0'
}

@test "counters_by_step: a step that a kernel begins has the kernel's name, not that of its call" {
	chrome t.json "$(c P 0 '"W": 1')" "$(c P 25 '"W": 3')" \
		'{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 0, "dur": 1, "args": {"correlation": 1}}' \
		'{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 18, "dur": 1, "args": {"correlation": 2}}'
	equal "$(tl-counters -q --step-marker '^k$' --sheets counters_by_step --columns step,samples t.json | tail -n +2)" $'k\t1\nk\t1'
}

@test "a trace without counters has no such sheet; one that is asked for says so" {
	chrome t.json
	tl-sheets -q -d d t.json >/dev/null
	equal "$(echo d/counters*)" 'd/counters*'
	run -0 --separate-stderr tl-counters t.json
	equal "${stderr_lines[0]}" 'tl-counters: warning: t.json: no counters in the trace'
}

@test "of: mean since the sample before, of a kernel, change, with an end" {
	chrome t.json '{"ph": "C", "name": "b", "pid": 0, "ts": 10, "args": {"value": 1, "device": 0, "of": "before"}}' \
		'{"ph": "C", "name": "b", "pid": 0, "ts": 30, "args": {"value": 4, "device": 0, "of": "before"}}' \
		'{"ph": "C", "name": "s", "pid": 0, "ts": 0, "args": {"value": 5, "of": "change"}}' \
		'{"ph": "C", "name": "s", "pid": 0, "ts": 10, "args": {"value": -2, "of": "change"}}' \
		'{"ph": "C", "name": "k", "pid": 0, "ts": 0, "args": {"value": 8, "correlation": 2, "of": "kernel"}}' \
		'{"ph": "C", "name": "k", "pid": 0, "ts": 0, "args": {"value": 8, "correlation": 2, "of": "kernel"}}' \
		'{"ph": "C", "name": "k", "pid": 0, "ts": 0, "args": {"value": 8, "correlation": 3, "of": "kernel"}}' \
		'{"ph": "C", "name": "e", "pid": 0, "ts": 0, "dur": 5, "args": {"value": 7, "unit": "W"}}'
	equal "$(counters counters_by_kernel counter,kernels,sum,mean t.json)" $'b\t2\t\t2.5
e\t1\t\t7.0
k\t1\t16.0\t16.0
s\t2\t\t3.6666666666666665'
	run -0 --separate-stderr tl-counters t.json
	[[ $stderr == *'1 samples of counters are of kernels that are not in the trace'* ]]
}

@test "rocprofv3: instances of a counter are added, the rest is of its kernel" {
	cat >t.json <<-'END'
	{"rocprofiler-sdk-tool": [{"metadata": {"pid": 9}, "agents": [{"id": {"handle": 7}, "type": 2, "logical_node_type_id": 0, "name": "gfx942"}],
	"counters": [{"id": {"handle": 5}, "name": "SQ_WAVES"}], "strings": {}, "kernel_symbols": [{"kernel_id": 1, "formatted_kernel_name": "gemm"}],
	"callback_records": {"counter_collection": [{"dispatch_data": {"start_timestamp": 10, "dispatch_info": {"dispatch_id": 3, "agent_id": {"handle": 7}}},
	"records": [{"counter_id": {"handle": 5}, "value": 2.5}, {"counter_id": {"handle": 5}, "value": 4}, {"counter_id": {"handle": 6}, "value": 1}, {"value": "x"}]}]},
	"buffer_records": {"kernel_dispatch": [{"thread_id": 9, "correlation_id": {"internal": 1}, "start_timestamp": 10, "end_timestamp": 30,
	"dispatch_info": {"dispatch_id": 3, "kernel_id": 1, "agent_id": {"handle": 7}, "queue_id": {"handle": 1}}}]}}]}
	END
	equal "$(counters counters_by_kernel device,counter,name,kernels,sum,mean t.json 2>/dev/null)" $'0\tSQ_WAVES\tgemm\t1\t6.5\t6.5
0\tcounter\tgemm\t1\t1.0\t1.0'
	printf '%s\n' '"Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size","Kernel_Id","Kernel_Name","Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp"' \
		'1,3,"Agent 1",1,9,9,64,1,"gemm","SQ_WAVES",2.5,10,30' '1,3,"Agent 1",1,9,9,64,1,"gemm","SQ_WAVES",4,10,30' >r_counter_collection.csv
	printf '%s\n' '"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp"' \
		'"KERNEL_DISPATCH","Agent 1",1,0,9,3,1,"gemm",1,10,30' >r_kernel_trace.csv
	tl-counters --sheets counters_by_kernel --columns counter,name,kernels,sum r_kernel_trace.csv >t.tsv 2>said || cat said
	equal "$(tail -n 1 t.tsv)" $'SQ_WAVES\tgemm\t1\t6.5'
}

# clocked FILE CLOCK NAME DURATIONS...: kernels "k" 200 us apart on device 0, and before each the clock of the list CLOCK, as NAME
clocked() {
	local file=$1 name=$3 at=0 i=0 clocks events=()
	read -ra clocks <<<"$2"
	shift 3
	for dur; do
		events+=("$(c "$name" "$at" "\"MHz\": ${clocks[i]}")" "$(c Power "$at" "\"W\": $((clocks[i] < 1900 ? 700 : 600))")")
		events+=("{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 0, \"tid\": 7, \"ts\": $((at + 10)), \"dur\": $dur, \"args\": {\"device\": 0, \"stream\": 7}}")
		at=$((at + 200)) i=$((i + 1))
	done
	printf '{"schemaVersion": 1, "traceEvents": [%s' "${events[0]}" >"$file"
	printf ', %s' "${events[@]:1}" >>"$file"
	printf ']}\n' >>"$file"
}

# falls FILE: the rows of clock_falls
falls() {
	counters clock_falls high,low,kernels,high_kernels,median_us,lost_ms,power,power_max "$1"
}

@test "clock-fell: kernels take longer while the clock is low; no more than the ratio of the clocks explains" {
	clocked t.json '2000 2000 2000 2000 1000 1000' 'SM clock' 50 50 50 50 100 90
	equal "$(falls t.json)" $'2000.0\t1000.0\t2\t4\t50.0\t0.09\t700.0\t700.0'
	like "$(tl-findings -q t.json | grep clock-fell)" 'The clock of GPU 0 fell from 2000 to 1000 MHz for 48.7 % of the time of its kernels: 2 kernels \(k\) take 90.0 us .* longer; power was then 700 W, the most in the trace'
	clocked t.json '2000 2000 2000 2000 1000 1000' 'SM clock' 50 50 50 50 190 190
	equal "$(falls t.json | cut -f 6)" 0.1
}

@test "clock-fell is not said of an idle clock, of memory, of a clock that rises first, of kernels that are slow by themselves" {
	# low between kernels, or low without effect
	clocked t.json '2000 2000 2000 2000 1000 1000' 'SM clock' 50 50 50 50 50 50
	equal "$(falls t.json)" ''
	for name in 'Memory clock' 'mclk' 'DRAM Frequency' 'CPU clock' 'Clock limit'; do
		clocked t.json '2000 2000 2000 2000 1000 1000' "$name" 50 50 50 50 100 100
		equal "$(falls t.json)" ''
	done
	clocked t.json '1000 1000 2000 2000 2000 2000' 'SM clock' 100 100 50 50 50 50
	equal "$(falls t.json)" ''
	clocked t.json '2000 2000 2000 2000 1980 1990' 'SM clock' 50 50 50 50 100 100
	equal "$(falls t.json)" ''
	# two at the high clock tell no median
	clocked t.json '2000 2000 1000 1000' 'SM clock' 50 50 60 60
	equal "$(falls t.json)" ''
}

@test "kernel_limits: memory, reads and writes, and matrix units, of kernels of two samples and more" {
	chrome t.json "$(c 'DRAM Read Bandwidth [Throughput %]' 0 '"value": 50')" "$(c 'DRAM Write Bandwidth [Throughput %]' 0 '"value": 20')" \
		"$(c 'DRAM Read Bandwidth [Throughput %]' 5 '"value": 60')" "$(c 'DRAM Write Bandwidth [Throughput %]' 5 '"value": 30')" \
		"$(c 'DRAM Read Bandwidth [GB/s]' 5 '"value": 900')" "$(c 'SM clock' 0 '"MHz": 2000')"
	equal "$(counters kernel_limits device,name,kernels,kernel_ms,kind,memory_percent,matrix_percent t.json)" $'0\tk\t2\t0.03\tunknown\t86.66666666666667\t'
	# a sample each 10 us and kernels of 15 us on average
	chrome t.json "$(c 'Tensor Active [Throughput %]' 0 '"value": 5')" "$(c 'Tensor Active [Throughput %]' 10 '"value": 5')"
	equal "$(counters kernel_limits kernels t.json)" ''
}

@test "the cases of counters" {
	ref=$TL_ROOT/../shared/traces
	[ -d "$ref/alike" ] || skip "no $ref"
	case=$ref/alike/counters-chrome
	equal "$(counters counters device,counter,unit,samples,first,last,min,mean,max "$case/input.json" | sed 's/\.0\b//g')" "$(tail -n +2 "$case/counters.tsv")"
	equal "$(counters counters_by_step device,counter,step,samples,min,mean,max "$case/input.json" | sed 's/\.0\b//g; s/ProfilerStep#//')" \
		"$(tail -n +2 "$case/by-step.tsv")"
	equal "$(counters counters_by_kernel device,counter,name,kernels,mean "$case/input.json" | sed 's/\.0$//; s/677\.49.*/677.49/')" \
		"$(tail -n +2 "$case/by-kernel.tsv")"
	equal "$(counters clock_falls device,high,low,kernels,median_us,lost_ms "$case/input.json")" $'0\t1980.0\t1188.0\t16\t60.0\t0.64'
	case=$ref/alike/counters-nsys
	equal "$(counters counters_by_kernel counter,unit,name,kernels,mean "$case/input.sqlite" | awk -F'\t' '$2 != "bytes" { print $1 " [" $2 "]\t" $3 "\t" $4 "\t" $5 }' |
		sed 's/\.0$//' | sort)" "$(tail -n +2 "$case/by-kernel.tsv" | sort)"
	equal "$(counters counters unit,first,last,max "$case/input.sqlite" | head -n 1)" $'bytes\t1048576.0\t2097152.0\t6291456.0'
	case=$ref/alike/counters-rocprofv3
	equal "$(counters counters_by_kernel counter,name,kernels,sum,mean,min,max "$case/input.json")" "$(tail -n +2 "$case/by-kernel.tsv")"
	equal "$(gzip -dc "$ref/sqlite/rocpd-synth-v3/input.db.gz" >v3.db; counters counters_by_kernel process,kernels,sum v3.db |
		awk '{ n[$1] += $2; sum[$1] += $3 } END { for (p in n) print p, n[p], sum[p] }' | sort)" $'4100 14 1575\n4200 14 1575'
}
