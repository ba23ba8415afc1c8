#!/usr/bin/env bats
# health.bats - trace_health of tl-overview: what a recording lacks, and what is doubtful in it.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# mm ID TS GPU-TS [DUR]: an operator with a shape and a model, 20 µs long, and its kernel
mm() {
	op aten::mm "$2" 20 '"Input Dims":[[64,64],[64,64]],"Input type":["float","float"],"Concrete Inputs":["",""]'
	call "$1" "$(($2 + 2))" 5
	gpu "$1" gemm "$3" "${4-30}"
}
step() {
	event '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#'"$1"'","pid":1,"tid":1,"ts":'"$2"',"dur":'"$3"'}'
}
# sound: two steps of two kernels
sound() {
	frame 'model.py(1): forward' 0 400
	step 1 0 200
	mm 1 10 40
	mm 2 60 90
	step 2 200 200
	mm 3 210 240
	mm 4 260 290
}
# health [OPTION…]: makes the sheet of the events so far
health() {
	device_trace t.json '{"id":0,"name":"NVIDIA H100 80GB HBM3","numSms":132}'
	tl-overview -q --arch auto --sheets trace_health -o h.tsv "$@" t.json
}
# of CHECK [COLUMN]: of its row
of() {
	cell h.tsv "${2-state}" "$(row h.tsv check="$1")"
}

@test "a sound trace has a row for each check, and all are ok" {
	sound
	health
	equal "$(cut -f 1,2 h.tsv | tr '\t\n' ': ')" 'check:state shapes:ok stacks:ok steps:ok device-events:ok stack-cost:ok unlinked:ok unlaunched:ok unrecorded:ok cold:ok profiler-time:ok server-idle:ok cut-step:ok host-ahead:ok overlap-one-stream:ok clock:ok graph-opaque:ok unrated:ok architecture:ok profiler:ok communication:ok '
	equal "$(of shapes value) $(of steps value) $(of device-events value) $(of architecture value)" '100.0 2 4 H100-SXM'
}

@test "what was not recorded" {
	op aten::mm 0 20
	health
	equal "$(of shapes) $(of shapes value)" 'warning 0.0'
	equal "$(of stacks) $(of stacks value)" 'warning 0'
	equal "$(of steps) $(of steps value)" 'note 0'
	equal "$(of device-events) $(of device-events value)" 'warning 0'
	EVENTS=()
	lone 1 gemm 0 10
	health
	equal "$(of shapes) $(of shapes value)" 'warning '
	equal "$(of device-events)" ok
	like "$(of shapes explanation)" 'ProfilerActivity\.CPU'
}

@test "work of devices that is not analysed, and counters in place of times" {
	local of=mtia_runtime
	other() { event '{"ph":"X","cat":"'"$1"'","name":"mm","pid":0,"tid":0,"ts":'"$2"',"dur":9,"args":{}}'; }
	op aten::mm 0 20
	event '{"ph":"X","cat":"mtia_runtime","name":"launchKernel","pid":1,"tid":1,"ts":5,"dur":1,"args":{"correlation":1}}'
	other mtia_ccp_events 10
	other mtia_ccp_events 20
	health
	equal "$(of not-analysed) $(of not-analysed value) $(of device-events) $(of unlaunched)" 'warning 2 note note'
	equal "$(of not-analysed explanation)" 'not analysed: 2 events, work of an MTIA device (mtia_ccp_events)'
	unlike "$(cat h.tsv)$(tl-findings -q --columns title,what_to_do t.json)" 'ProfilerActivity.MTIA'
	EVENTS=("${EVENTS[@]:0:2}")
	health
	like "$(of device-events explanation)" 'ProfilerActivity.MTIA$'
	EVENTS=()
	op aten::mm 0 20
	call 1 5 1
	other cuda_profiler_range 10
	health
	equal "$(of counted explanation)" 'not analysed: 1 event, counters of kernels (cuda_profiler_range), taken in place of their times'
	like "$(tl-findings -q --columns title,what_to_do t.json)" 'Record again without profiler_metrics'
	unlike "$(cat h.tsv)" 'ProfilerActivity.CUDA'
	# beside kernels they are not in place of times
	gpu 1 gemm 10 9
	health
	equal "$(of not-analysed) $(of not-analysed explanation)" 'note not analysed: 1 event, counters of kernels (cuda_profiler_range)'
	equal "$(of device-events)" ok
}

@test "where calls were recorded, nobody is told to record them: by whether they launched work" {
	nsys() {
		rm -f t.db
		sqlite3 t.db "CREATE TABLE StringIds (id INT, value TEXT); INSERT INTO StringIds VALUES (1, 'cudaMalloc_v3020'), (2, 'cudaLaunchKernel_v7000');
			CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT, returnValue INT);
			INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 1000, 0, 7, 1, $1, 0);"
		tl-overview --sheets trace_health -o h.tsv t.db 2>said
		refute tl-timeline t.db 2>>said >all
		cat said h.tsv >>all
		tl-findings --columns title,what_to_do t.db >>all 2>&1
		unlike "$(cat all)" '-t cuda'
	}
	nsys 1
	equal "$(of device-events) $(of unlaunched)" 'note ok'
	like "$(cat said)" '; calls were recorded, and none of them launched work'
	nsys 2
	equal "$(of device-events) $(of unlaunched)" 'note warning'
	like "$(cat said)" '; 1 call launched work that the profiler did not record$'
}

@test "Python frames are counted, short ones too" {
	sound
	for i in {1..79}; do frame "f.py($i): f" "$i" 1; done
	health
	equal "$(of stacks value) $(of stack-cost) $(of stack-cost value)" '80 ok 20.0'
	frame 'f.py(80): f' 80 1
	health
	equal "$(of stacks value) $(of stack-cost) $(of stack-cost value)" '81 note 20.25'
}

@test "device events without a launch" {
	sound
	lone 90 tail_of_step_0 20 4
	health
	equal "$(of unlinked) $(of unlinked value) $(of unlinked ms) $(of unlinked 'Percent of window (%)')" 'note 1 0.004 1.0'
	like "$(of unlinked explanation)" 'before the recording'
	lone 91 more 25 1
	health
	equal "$(of unlinked) $(of unlinked value)" 'warning 2'
	# what was launched has at least the correlation of a call
	lone 92 set 330 5 7 gpu_memset
	event '{"ph":"X","cat":"cuda_runtime","name":"cudaMemsetAsync","pid":1,"tid":1,"ts":320,"dur":1,"args":{"correlation":92}}'
	health
	equal "$(of unlinked value)" 2
	lone 93 lost 350 5
	health
	equal "$(of unlinked value)" 3
	like "$(of unlinked explanation)" 'behind others'
}

@test "launches without a device event: a few, many, or at the very end" {
	sound
	call 90 397 1
	health
	equal "$(of unlaunched) $(of unlaunched value)" 'note 1'
	like "$(of unlaunched explanation)" '^1 of [0-9]+ launches have no device event, 1 of them in the last hundredth of the window, whose work came too late$'
	EVENTS=()
	sound
	call 90 300 1
	health
	equal "$(of unlaunched) $(of unlaunched value)" 'warning 1'
	like "$(of unlaunched explanation)" '^1 of [0-9]+ launches have no device event$'
	for ((i = 100; i < 196; i++)); do call $i 100 1; gpu $i tiny 130 0; done
	health
	equal "$(of unlaunched)" note
	call 91 0 1
	health
	like "$(of unlaunched explanation)" '^2 of [0-9]+ launches have no device event, the first 1 of the recording among them$'
	for ((i = 200; i < 230; i++)); do call $i 150 1; done
	health
	like "$(of unlaunched explanation)" '^32 of [0-9]+ launches have no device event: the device may have worked where it looks idle, '
}

@test "a device that ran what was launched before the recording" {
	mm 1 10 15000
	mm 2 60 15100
	health
	equal "$(of unrecorded) $(of unrecorded value) $(of unrecorded ms)" 'warning 1 14.99'
}

@test "a last step without its device work; a device that lags behind" {
	sound
	step 3 400 200
	health
	equal "$(of cut-step) $(of cut-step value) $(of host-ahead)" 'warning 0 ok'
	EVENTS=()
	sound
	mm 5 380 610
	health
	equal "$(of cut-step) $(of host-ahead) $(of host-ahead ms)" 'ok note 0.24'
	EVENTS=()
	sound
	mm 5 380 570
	health
	equal "$(of host-ahead) $(of host-ahead ms)" 'ok 0.2'
}

@test "kernels that overlap on one stream, and clocks that disagree" {
	sound
	mm 5 330 340
	gpu 6 other_stream 345 10 8
	call 6 335 1
	health
	equal "$(of overlap-one-stream) $(of overlap-one-stream value) $(of clock)" 'ok 0 ok'
	mm 7 355 368
	health
	equal "$(of overlap-one-stream) $(of overlap-one-stream value) $(of overlap-one-stream ms)" 'warning 1 0.002'
	EVENTS=()
	sound
	mm 5 330 322
	health
	equal "$(of clock) $(of clock value) $(of clock ms)" 'note 1 0.01'
	mm 6 360 351.9
	health
	equal "$(of clock) $(of clock value) $(of clock ms)" 'warning 2 0.0101'
}

@test "kernels of graphs, and of operators without a model" {
	sound
	call 9 300 5 cudaGraphLaunch
	gpu 9 replayed 330 30
	health
	equal "$(of graph-opaque) $(of graph-opaque value)" 'note 20.0'
	equal "$(of unrated) $(of unrated value)" 'ok 20.0'
	EVENTS=()
	sound
	call 9 300 5 cudaGraphLaunch
	gpu 9 replayed 330 31
	health
	equal "$(of graph-opaque) $(of graph-opaque ms)" 'warning 0.031'
	op my::op 310 10
	call 10 311 5
	gpu 10 mine 365 120
	health
	equal "$(of unrated) $(of unrated ms)" 'note 0.151'
}

@test "what the profiler says itself" {
	sound
	device_trace t.json ''
	sed -i '1s/{/{"WARNING":["clock is adjusted"],/' t.json
	tl-overview -q --sheets trace_health -o h.tsv t.json
	equal "$(of profiler) $(of profiler value) $(of architecture)" 'note 1 note'
	sed -i '1s/adjusted"/adjusted","CUPTI dropped 12 records"/' t.json
	tl-overview -q --sheets trace_health -o h.tsv t.json
	equal "$(of profiler) $(of profiler value)" 'warning 2'
	like "$(of profiler explanation)" 'dropped 12 records'
	sed -i '1s/"WARNING":.*"deviceP/"ERROR":["no permission"],"deviceP/' t.json
	tl-overview -q --sheets trace_health -o h.tsv t.json
	equal "$(of profiler) $(of profiler explanation)" 'warning the profiler says: no permission'
}

@test "communication that one rule knows and the other does not" {
	sound
	call 9 300 5
	gpu 9 multimem_all_reduce_kernel 330 4
	health
	equal "$(of communication) $(of communication value) $(of communication ms)" 'ok 1 0.004'
	call 10 340 1
	gpu 10 multimem_all_reduce_kernel 345 1
	health
	equal "$(of communication) $(of communication value) $(of communication ms)" 'note 2 0.005'
	health --communication table
	equal "$(of communication) $(of communication value)" 'note 2'
}

@test "reports that are not PyTorch's have it, too; what their profilers do not record is no warning" {
	sound
	health
	tl-report -q -d all t.json
	equal "$(cut -f 1,2 all/trace_health.tsv | head -n 8)" "$(cut -f 1,2 h.tsv | head -n 8)"
	printf '{"rocprofiler-sdk-tool":[{"metadata":{},"agents":[],"buffer_records":{},"strings":{},"callback_records":{},"kernel_symbols":[]}]}' >r_results.json
	run -0 --separate-stderr tl-overview --sheets trace_health r_results.json
	equal "$stderr" ''
	equal "$(awk -F'\t' '$2 == "warning" { print $1 }' <<<"$output")" device-events
}
