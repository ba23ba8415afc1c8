#!/usr/bin/env bats
# foreign.bats - files of other programs that are taken for traces: each is named, with the way to a trace that can be read.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# named TEXT WHAT: such a file is an error that says what it is
named() {
	printf '%s' "$1" >t.json
	run -1 --separate-stderr tl-parse -o out.tls t.json
	failed 1 "t.json: .*not a trace that can be read: $2"
	unlike "$stderr" 'lenient'
}
# process NAME, thread NAME, event MEMBERS: an element of the list of events
process() { printf '{"ph":"M","name":"process_name","pid":1,"args":{"name":"%s"}}' "$1"; }
thread() { printf '{"ph":"M","name":"thread_name","pid":1,"tid":3,"args":{"name":"%s"}}' "$1"; }
event() { printf '{"ph":"X","name":"a","pid":1,"tid":3,"ts":1,"dur":2%s}' "$1"; }

# bats test_tags=quick
@test "traces in Chrome's form of other profilers are named, with the way to one that can be read" {
	named "[$(process 'Ascend Hardware'),$(event '')]" "a trace of Ascend's profilers .*; they cannot be read yet"
	named "[$(process 'Ascend Hardware'),{\"ph\":\"X\",\"name\":\"a\",\"ts\":\"1.5\"}]" "a trace of Ascend's profilers"
	named "{\"traceEvents\":[$(process '/device:GPU:0'),$(thread 'Stream #7(Compute)')]}" 'the Chrome JSON of JAX .*xplane.pb'
	named "[$(process '/job:localhost/replica:0 Compute')]" 'a timeline of TensorFlow 1;'
	named "[$(event ',"cat":"gpu_op"')]" "a trace of Intel's unitrace .*torch.profiler"
	named "[$(process 'HOST<node>')]" "a trace of Intel's unitrace"
	named '[{"ph":"X","pid":"Device 0","tid":"a","ts":1,"dur":1,"args":{"CorrelationID":1}},{"ph":"X","pid":"Device 0","ts":1,"dur":1}]' 'what nsys2json .*nsys export --type sqlite'
	named "[$(process gpu/0),$(event ',"cat":"operator"')]" "a trace of MXNet's profiler"
	named "[$(event ',"cat":"toplevel,ipc"')]" 'a trace of a browser'
	named "{\"traceEvents\":[$(event ',"cat":"x"')],\"metadata\":{\"product-version\":\"Chrome/120\"}}" 'a trace of a browser'
}

@test "the same events without those names are of an unknown writer, which is a warning, and no advice about PyTorch" {
	printf '[%s,%s,%s]' "$(process 'my program')" "$(thread Stream)" "$(event ',"cat":"x"')" >t.json
	run -0 --separate-stderr tl-overview t.json
	like "$stderr" 't.json: 3 events: a Chrome trace of an unknown writer: no device work is known in it'
	like "$output" $'trace\tprofiler\tchrome'
	run -0 tl-findings --format text t.json
	unlike "$output" 'ProfilerActivity|with_stack|record_shapes'
	printf '{"schemaVersion":1,"traceEvents":[%s]}' "$(event ',"cat":"x"')" >t.json
	run -0 --separate-stderr tl-overview t.json
	unlike "$stderr" 'unknown writer'
	like "$output" $'trace\tprofiler\tpytorch'
}

@test "a list of objects is no trace; tables, trees and other JSON are named" {
	printf '[{"id":0,"x":1},{"id":1}]' >t.json
	run -1 --separate-stderr tl-parse -o out.tls t.json
	failed 1 't.json: a list of objects, no trace: none has a phase \(ph\); its members are: id, x, id'
	named '[{"count":9},{"name":"fc","timeMs":7.7,"averageMs":0.07}]' 'a table of trtexec --exportProfile; nsys profile trtexec'
	named '[{"startInMs":0.0,"endInMs":0.02}]' 'times of trtexec --exportTimes'
	named '[{"children":[],"frame":{"name":"ROOT"},"metrics":{}},{"CUDA":{}}]' "a tree of Triton's proton"
	named '{"schema":"1.1.1-chakra.0.0.4","pid":1,"nodes":[]}' 'an execution trace of PyTorch or Chakra'
	named '{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[]}' 'a profile of speedscope'
	named '{"resourceSpans":[]}' 'spans of OpenTelemetry'
	named $'{"AnalysisFile":[]}\n{"CudaEvent":{}}\n' 'what nsys export --type json writes'
}

@test "sums and tables of text, and files of other tools, are named" {
	named 'Time (%),Total Time (ns),Instances' 'sums of nsys stats'
	named '"Name","Calls","TotalDurationNs"' 'sums of rocprof or rocprofv3; .*_kernel_trace.csv'
	named 'PAR1....' 'a table of Parquet'
	named $'tracy\1\2\3' 'a capture of Tracy'
	named $'\x7fELF\2\1\1' 'a program or a library'
	need sqlite3
	rm t.json
	sqlite3 t.json 'CREATE TABLE STRING_IDS (a); CREATE TABLE TASK (a)'
	run -1 --separate-stderr tl-parse -o out.tls t.json
	failed 1 "not a trace that can be read: a database of Ascend's profilers"
}

@test "profiles of ONNX Runtime and traces of proton are read, and are not PyTorch's" {
	printf '[%s,%s]' "$(event ',"cat":"Node","args":{"op_name":"Gemm","provider":"CPU"}')" "$(event ',"cat":"Session"')" >t.json
	like "$(tl-overview -q t.json)" $'trace\tprofiler\tonnxruntime'
	run -0 tl-findings --format text t.json
	like "$output" 'CUDAExecutionProvider'
	unlike "$output" 'ProfilerActivity|with_stack'
	printf '[%s]' "$(event ',"cat":"kernel","args":{"call_stack":["ROOT","main"]}')" >t.json
	like "$(tl-overview -q t.json)" $'trace\tprofiler\tproton'
	unlike "$(tl-findings --format text t.json 2>&1)" 'ProfilerActivity|with_stack'
}

@test "calls of Intel's runtime without device work: the activity that is missing is that of the device" {
	printf '{"schemaVersion":1,"traceEvents":[%s,%s]}' "$(event ',"cat":"cpu_op"')" "$(event ',"cat":"xpu_runtime"')" >t.json
	run -0 tl-findings --format text t.json
	like "$output" 'nothing of a device was recorded: add ProfilerActivity.XPU'
	unlike "$output" 'ProfilerActivity.CUDA'
}

@test "a trace of PyTorch that others added to stays one" {
	tl-gen -n 300 | jq -c '.traceEvents += [
		{ph: "M", name: "process_name", pid: 77, tid: 0, ts: 0, args: {name: "CANNON server"}},
		{ph: "X", cat: "toplevel", name: "RunTask", pid: 77, tid: 1, ts: 1, dur: 1},
		{ph: "X", cat: "gpu_op", name: "x", pid: 77, tid: 1, ts: 3, dur: 1}]' >mixed.json
	run -0 --separate-stderr tl-kcat -o kernels mixed.json
	refute grep -q 'not a trace' <<<"$stderr"
	[ "$(wc -l <kernels)" -gt 1 ]
}
