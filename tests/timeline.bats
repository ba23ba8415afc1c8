#!/usr/bin/env bats
# timeline.bats - tl-timeline: the sheet gpu_timeline.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# time TYPE FILE [OPTION…]: milliseconds of a row
time_of() {
	local type=$1
	shift
	tl-timeline -q "$@" | awk -F'\t' -v t="$type" '$1 == t { print $2 }'
}

# the note where the recorded window is longer than what gpu_timeline is about
busy() {
	echo "tl-timeline: GPU busy $1 ms; gpu_timeline is about its first start to its last end"
}

@test "the worked example gives its sheet" {
	run -0 --separate-stderr tl-timeline "$TL_ROOT/tests/data/worked-example.json"
	equal "$stderr" "$(busy '57.7 % of the recorded window of 0.07')"
	equal "$output" "type	time ms	percent
computation_time	0.0125	30.303030303030305
exposed_comm_time	0.02875	69.6969696969697
exposed_memcpy_time	0.0	0.0
busy_time	0.04125	100.0
idle_time	0.0	0.0
total_time	0.04125	100.0
total_comm_time	0.0305	73.93939393939394
total_memcpy_time	0.004125	10.0"
}

@test "a raw trace, an unlinked and a linked stream give the same sheet" {
	gen t.json.gz -n 3000
	tl-timeline t.json.gz >a
	[ -s a ]
	tl-parse t.json.gz | tl-timeline >b
	tl-parse t.json.gz | tl-link | tl-timeline - >c
	cmp a b
	cmp a c
}

@test "moving the clock's origin changes nothing, near the end of its range too" {
	gen a.json -n 2000 --no-python --origin 0
	gen b.json -n 2000 --no-python --origin 7000000000000
	tl-timeline a.json >a
	[ -s a ]
	tl-timeline b.json >b
	cmp a b
}

@test "copying is exposed only where neither computation nor communication runs" {
	call 1 0 1; gpu 1 k 10 10 1
	call 2 2 1; gpu 2 ncclX 15 10 2
	call 3 4 1; gpu 3 'Memcpy DtoH' 18 22 3 gpu_memcpy
	trace t.json
	equal "$(time_of exposed_memcpy_time t.json)" 0.015
	equal "$(time_of exposed_comm_time t.json)" 0.005
	equal "$(time_of total_memcpy_time t.json)" 0.022
}

@test "kernels of the AMD runtime that copy count as copying, those that fill as computation" {
	call 1 0 1; gpu 1 __amd_rocclr_copyBufferAligned.kd 10 3
	call 2 2 1; gpu 2 __amd_rocclr_fillBufferAligned.kd 20 4
	trace t.json
	equal "$(time_of total_memcpy_time t.json)" 0.003
	equal "$(time_of computation_time t.json)" 0.004
}

@test "gaps shorter than the threshold are micro, equal ones macro" {
	call 1 0 1; gpu 1 k 0 1
	call 2 2 1; gpu 2 k 5.5 1
	call 3 4 1; gpu 3 k 11.5 1
	trace t.json
	equal "$(time_of idle_time t.json)" 0.0095
	equal "$(time_of micro_idle_time t.json --micro_idle_thresh_us 5)" 0.0045
	equal "$(time_of macro_idle_time t.json --micro_idle_thresh_us 5)" 0.005
	equal "$(time_of idle_time t.json --micro_idle_thresh_us 5)" ''
	equal "$(time_of micro_idle_time t.json --micro_idle_thresh_us 0)" 0.0
}

@test "device work that nothing launched counts only when asked for" {
	call 1 0 1; gpu 1 k 10 10
	lone 99 k 100 10
	trace t.json
	equal "$(time_of total_time t.json)" 0.01
	equal "$(time_of total_time t.json --include_unlinked_kernels)" 0.1
}

# a trace of 30 µs of linked work, and of 25 µs of unlinked work of which 5 µs run beside it
partly_linked() {
	op a 0 50
	call 1 1 1; gpu 1 k 100 30
	lone 98 k 125 10
	lone 99 k 200 15
	trace "$1"
}

@test "one note tells how much device work that nothing launched is left out of which sheets" {
	partly_linked t.json
	said='device events that no runtime call of the trace launched: 2 \(0.020 ms, 40 % of the busy time\), left out of'
	option='\(--include_unlinked_kernels counts them\)'
	run -0 --separate-stderr tl-timeline t.json
	like "$stderr" "^tl-timeline: $said gpu_timeline $option"$'\n'"$(busy '23.3 % of the recorded window of 0.21')\$"
	run -0 --separate-stderr tl-sheets -d out --enable_kernel_summary t.json
	like "$stderr" "^tl-sheets: $said gpu_timeline and the total time in kernel_summary $option and of sheets by operator\$"
	run -0 --separate-stderr tl-timeline -q t.json
	equal "$stderr" ''
	run -0 --separate-stderr tl-api --sheets range_summary t.json
	unlike "$stderr" 'left out of'
	run -0 --separate-stderr tl-ops t.json
	like "$stderr" "^tl-ops: $said ops_summary\$"
	run -0 --separate-stderr tl-coll t.json
	unlike "$stderr" 'left out of'
}

@test "work on one device does not hide what is left out on another" {
	call 1 1 1; gpu 1 k 100 30 7 kernel '"device":0'
	lone 99 k 100 30 7 kernel '"device":1'
	trace t.json
	run -0 --separate-stderr tl-timeline t.json
	like "$stderr" 'launched: 1 \(0.030 ms, 50 % of the busy time\), left out of gpu_timeline'
}

@test "what is included is not said to be left out" {
	partly_linked t.json
	run -0 --separate-stderr tl-timeline --include_unlinked_kernels t.json
	equal "$stderr" "$(busy '23.3 % of the recorded window of 0.21')"
	equal "$(time_of busy_time t.json --include_unlinked_kernels)" 0.05
	run -0 --separate-stderr tl-kcat --include_unlinked_kernels t.json
	equal "$stderr" ''
	run -0 --separate-stderr tl-sheets -d out --include_unlinked_kernels t.json
	like "$stderr" 'of the busy time\), left out of sheets by operator$'
}

@test "when nothing is linked all device work counts, with a warning" {
	lone 1 k 100 10
	trace t.json
	run -0 --separate-stderr tl-timeline t.json
	like "$stderr" '^tl-timeline: warning: no device event is linked .*--include_unlinked_kernels'
	like "$output" $'total_time\t0.01\t100.0'
}

@test "a trace without device events ends with what it has instead" {
	op a 0 1
	op b 2 1
	call 1 4 1
	trace t.json
	run -1 --separate-stderr tl-timeline t.json
	failed 1 't.json: No GPU events found in the trace: it has 4 events, among them 2 cpu_op, 1 runtime'
	equal "$output" ''
}

@test "device events without a time are said to be none" {
	event '{"ph":"X","cat":"gpu_memcpy","name":"copy","pid":0,"tid":7,"ts":1,"args":{"stream":7}}'
	trace t.json
	run -1 --separate-stderr tl-timeline t.json
	failed 1 'No GPU events found in the trace: it has 1 event, among them 1 memcpy without start or duration'
}

@test "an empty list of events says so" {
	echo '{"traceEvents":[]}' >t.json
	run -1 --separate-stderr tl-timeline t.json
	failed 1 'No GPU events found in the trace: it has 0 events'
}

@test "a total of zero leaves the shares empty" {
	call 1 0 1; gpu 1 k 10 0
	trace t.json
	run -0 --separate-stderr tl-timeline t.json
	like "$output" $'busy_time\t0.0\t\n'
}

@test "recomputed work is measured apart, and a part without any has no rows" {
	frame '/x/torch/utils/checkpoint.py(1): recompute_fn' 0 50
	op a 1 10
	call 1 2 1
	op b 60 10
	call 2 61 1
	gpu 1 k1 100 10
	gpu 2 k2 130 5
	trace t.json
	tl-timeline --detect_recompute t.json >t.tsv
	equal "$(wc -l <t.tsv)" 17
	equal "$(cell t.tsv is_recompute 1)" False
	equal "$(cell t.tsv is_recompute 9)" True
	equal "$(cell t.tsv 'time ms' 1)" 0.005
	equal "$(cell t.tsv 'time ms' 9)" 0.01
	call 1 0 1; gpu 1 k 10 10
	trace t.json
	equal "$(tl-timeline --detect_recompute t.json | cut -f 4 | sort -u)" $'False\nis_recompute'
}

# of_device RANK PROCESS DEVICE TYPE FILE: milliseconds in gpu_timeline_by_device
of_device() {
	tl-timeline -q --sheets gpu_timeline_by_device "$5" |
		awk -F'\t' -v k="$1|$2|$3|$4" '$1 "|" $2 "|" $3 "|" $4 == k { print $5 }'
}

@test "devices of one process are told apart by their number, and pooling them is said" {
	call 1 0 1; gpu 1 gemm 10 30 7 kernel '"device":0'
	call 2 2 1; gpu 2 ncclX 20 10 8 kernel '"device":1.0'
	call 3 4 1; gpu 3 gemm 40 10 8 kernel '"device":1'
	trace t.json
	equal "$(time_of exposed_comm_time t.json)" 0.0
	equal "$(of_device '' 0 1 exposed_comm_time t.json)" 0.01
	equal "$(of_device '' 0 1 idle_time t.json)" 0.01
	equal "$(of_device '' 0 0 computation_time t.json)" 0.03
	run -0 --separate-stderr tl-timeline -d out t.json
	equal "$stderr" 'tl-timeline: warning: gpu_timeline pools 2 devices: computation on one hides communication and idle time of another; gpu_timeline_by_device shows each by itself'$'\n'"$(busy '50.0 % of the recorded window of 0.05')"
	equal "$output" $'out/gpu_timeline.tsv\nout/gpu_timeline_by_device.tsv\nout/device_times.tsv\nout/idle_gaps.tsv\nout/idle_summary.tsv\nout/ledger.tsv\nout/exposed_communication.tsv'
	equal "$(head -n 1 out/gpu_timeline_by_device.tsv)" $'rank\tprocess\tdevice\ttype\ttime ms\tpercent'
	equal "$(wc -l <out/gpu_timeline_by_device.tsv)" 17
	run -0 --separate-stderr tl-timeline -q t.json
	equal "$stderr" ''
	tl-report -q --tsv-dir report t.json
	cmp report/gpu_timeline_by_device.tsv out/gpu_timeline_by_device.tsv
}

@test "a joined trace has a device for each rank and process, by number" {
	call 1 0 1; gpu 1 gemm 10 30 7 kernel '"device":0,"rank":10'
	call 2 2 1; gpu 2 gemm 20 10 7 kernel '"device":0,"rank":2'
	call 3 4 1
	event '{"ph":"X","cat":"kernel","name":"k","pid":100,"tid":7,"ts":30,"dur":5,"args":{"correlation":3,"device":0,"rank":2}}'
	event '{"ph":"f","cat":"ac2g","name":"ac2g","id":3,"pid":100,"tid":7,"ts":30,"bp":"e"}'
	trace t.json
	equal "$(of_device 10 0 0 busy_time t.json)" 0.03
	equal "$(of_device 2 0 0 busy_time t.json)" 0.01
	equal "$(of_device 2 100 0 busy_time t.json)" 0.005
	equal "$(tl-timeline -q --sheets gpu_timeline_by_device t.json | awk -F'\t' '$4 == "busy_time" { print $1, $2 }' | paste -sd,)" '2 0,2 100,10 0'
}

@test "an event without a device number belongs to the only device of its process" {
	call 1 0 1; gpu 1 gemm 10 30 7 kernel '"device":3'
	call 2 2 1; gpu 2 ncclX 50 10 8
	trace t.json
	equal "$(of_device '' 0 3 busy_time t.json)" 0.04
	run -0 --separate-stderr tl-timeline t.json
	equal "$stderr" "$(busy '66.7 % of the recorded window of 0.06')"
	call 1 0 1; gpu 1 gemm 10 30 7 kernel '"device":3'
	call 2 2 1; gpu 2 ncclX 50 10 8
	call 3 4 1; gpu 3 gemm 70 2 9 kernel '"device":4'
	trace t.json
	equal "$(of_device '' 0 '' busy_time t.json)" 0.01
}

@test "a trace of one device has the sheet only if it is named, with the rank that the trace states" {
	call 1 0 1; gpu 1 gemm 10 30 7 kernel '"device":3'
	printf '{"distributedInfo":{"rank":5,"world_size":8},"traceEvents":[%s]}' "$(IFS=,; echo "${EVENTS[*]}")" >t.json
	equal "$(tl-timeline -d out t.json)" $'out/gpu_timeline.tsv\nout/device_times.tsv\nout/idle_summary.tsv\nout/ledger.tsv'
	equal "$(of_device 5 0 3 busy_time t.json)" 0.03
}

@test "with recomputed work apart, each device has both parts" {
	frame '/x/torch/utils/checkpoint.py(1): recompute_fn' 0 50
	op a 1 10
	call 1 2 1
	op b 60 10
	call 2 61 1
	gpu 1 k1 100 10 7 kernel '"device":0'
	gpu 2 k2 130 5 7 kernel '"device":1'
	trace t.json
	tl-timeline -q --detect_recompute --sheets gpu_timeline_by_device t.json >t.tsv
	equal "$(cut -f 3,4,5,7 t.tsv | grep busy)" $'0\tbusy_time\t0.01\tTrue\n1\tbusy_time\t0.005\tFalse'
}

@test "-d writes the sheet into a folder, -o to a file" {
	tl-timeline -d out "$TL_ROOT/tests/data/worked-example.json"
	tl-timeline -o t.tsv --sheet gpu_timeline "$TL_ROOT/tests/data/worked-example.json"
	cmp out/gpu_timeline.tsv t.tsv
	run -2 --separate-stderr tl-timeline -d out -o t.tsv x
	failed 2 'exclude each other'
	run -2 --separate-stderr tl-timeline --sheet nothing x
	failed 2 "'nothing' is not one of gpu_timeline"
	run -2 --separate-stderr tl-timeline --micro_idle_thresh_us -1 x
	failed 2 'not a whole number'
}

@test "stamps at the ends of the clock's range do no harm" {
	call 1 0 1; gpu 1 k 9223372036854775 9223372036854775
	call 2 2 1; gpu 2 k -9223372036854775 9223372036854775
	trace t.json
	run --separate-stderr tl-timeline t.json
	[ "$status" -le 1 ]
}

# ---- step_times ------------------------------------------------------------------------------------

# step NAME TS DUR: an annotation on thread 1
step() {
	event "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"$1\",\"pid\":1,\"tid\":1,\"ts\":$2,\"dur\":$3,\"args\":{}}"
}
step_times() {
	tl-timeline -q --sheets step_times --columns "$@" t.json
}

@test "each step has its period, its host's time, and the device work that it launched" {
	step ProfilerStep#4 100 80; step ProfilerStep#5 200 100
	call 1 110 2; gpu 1 k 150 100; call 2 120 1; gpu 2 ncclDevKernel_AllReduce 240 30 8; call 3 190 1; gpu 3 k 272 4
	call 4 210 2; gpu 4 'Memcpy HtoD' 280 10 9 gpu_memcpy
	call 5 220 2; gpu 5 k 285 10
	trace t.json
	equal "$(tl-timeline -q --sheets step_times t.json)" "process	step	name	start_us	period_ms	host_ms	device_first_us	device_last_us	busy_ms	compute_ms	exposed_comm_ms	exposed_copy_ms	idle_ms	head_ms	launches	device_events	deviation_percent	mark	slow_in	slow_in_ms
1	4	ProfilerStep#4	0.0	0.1	0.08	50.0	170.0	0.12	0.1	0.02	0.0	0.05	0.05	2	2	0.0	first		
1	5	ProfilerStep#5	100.0	0.1	0.1	180.0	195.0	0.015	0.01	0.0	0.005	0.011	0.08	2	2	0.0			"
}

@test "a slow step is marked, with the part that it is slow in; so are the first one and one that is cut" {
	local at=0
	for n in 0 1 2 3 4 5; do
		length=100
		[ $n != 3 ] || length=131
		step ProfilerStep#$n $at $length
		call "$n" $((at + 1)) 1
		gpu "$n" k $((at + 5)) $((length - 60))
		call 1$n $((at + 2)) 1
		gpu 1$n k $((at + length - 10)) 5
		at=$((at + length))
	done
	step ProfilerStep#6 $at 100
	trace t.json
	equal "$(step_times 'step,period_ms,deviation_percent,mark,slow_in,slow_in_ms' | tail -n +2)" "0	0.1	0.0	first		
1	0.1	0.0			
2	0.1	0.0			
3	0.131	31.0	slow	compute	0.031
4	0.1	0.0			
5	0.1	0.0			
6	0.1	0.0	cut		"
	# 5 % more is not slow, and a little more is
	call 1 1 1; gpu 1 k 2 1
	for n in 0 1 2 3; do step ProfilerStep#$n $((n * 1000)) 1000; done; step ProfilerStep#4 4000 1050; step ProfilerStep#5 5050 1000
	step ProfilerStep#6 6050 1051; step ProfilerStep#7 7101 1000; step ProfilerStep#8 8101 1000
	trace t.json
	equal "$(step_times step,mark | grep slow)" '6	slow'
}

@test "steps of several processes are apart, and a trace without steps has none" {
	step ProfilerStep#1 0 100; step ProfilerStep#2 100 100
	event '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":2,"tid":1,"ts":10,"dur":50,"args":{}}'
	event '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","pid":2,"tid":1,"ts":70,"dur":60,"args":{}}'
	call 1 20 2; gpu 1 k 30 5
	trace t.json
	equal "$(step_times process,step,period_ms,device_events | tail -n +2 | sort)" "1	1	0.1	1
1	2	0.1	0
2	1	0.06	0
2	2	0.06	0"
	call 1 20 2; gpu 1 k 30 5
	trace t.json
	equal "$(tl-timeline -q -d out t.json)" $'out/gpu_timeline.tsv\nout/device_times.tsv\nout/idle_summary.tsv\nout/ledger.tsv'
}

@test "device_times: a row for each device, each kind of work once, idle time by its cause" {
	op step 0 200
	call 1 0 1; gpu 1 gemm 10 30 7 kernel '"device":0'
	call 2 2 1; gpu 2 ncclX 20 40 8 kernel '"device":0'
	call 3 4 1 cudaMemcpyAsync; gpu 3 'Memcpy HtoD' 50 20 9 gpu_memcpy '"device":0'
	call 4 5 1; gpu 4 gemm 30 10 7 kernel '"device":1'
	trace t.json
	tl-timeline -q --sheets device_times -o d.tsv t.json
	equal "$(cut -f 3-12 d.tsv | tail -n +2)" $'0\t0.2\t0.06\t0.03\t0.04\t0.02\t0.02\t0.01\t0.0\t0.14\n1\t0.2\t0.01\t0.01\t0.0\t0.0\t0.0\t0.0\t0.0\t0.19'
	# window = busy + idle; idle = the causes, but for unrecorded (13) and server idle (19)
	equal "$(awk -F'\t' 'NR > 1 { idle = 0; for (i = 14; i <= NF; i++) if (i != 19) idle += $i; printf "%.4f %.4f\n", $5 + $12 - $4, idle - $12 }' d.tsv)" $'0.0000 0.0000\n0.0000 0.0000'
	equal "$(sed -n '1s/\t/\n/gp' d.tsv | sed -n '13p;19p')" $'unrecorded_ms\nserver_idle_ms'
}
