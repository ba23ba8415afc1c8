#!/usr/bin/env bats
# captures.bats - --capture_folder: captures of graphs merged into their replays.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR"
	mkdir captures
}

# span CAT NAME TS DUR [ARGS]: an event of thread 1
span() {
	event "{\"ph\":\"X\",\"cat\":\"$1\",\"name\":\"$2\",\"pid\":1,\"tid\":1,\"ts\":$3,\"dur\":$4,\"args\":{${5-}}}"
}

# captured NAME TS CALL [KERNEL]: an operator with a call, which may say its kernel
captured() {
	frame "lib/model.py(9): forward" "$2" 8
	op "$1" $(($2 + 1)) 6 '"Input Dims":[[4,16],[16,32]],"Input type":["c10::BFloat16","c10::BFloat16"],"Input Strides":[[16,1],[32,1]],"Concrete Inputs":["",""]'
	frame "no call below" $(($2 + 2)) 1
	span cuda_runtime "$3" $(($2 + 4)) 1 "${4:+\"kernel\":\"$4\",}\"correlation\":$2"
}

# graph FROM TO: the calls around a capture, in a frame
graph() {
	span cuda_runtime cudaStreamBeginCapture "$1" 2
	span cuda_runtime cudaStreamEndCapture "$2" 2
}

# A capture of two kernels and a copy between them
capture() { # FILE
	frame 'serve.py(1): capture' 0 1000
	graph 10 100
	captured aten::mm 20 cudaLaunchKernel gemm
	captured aten::copy_ 40 cudaMemcpyAsync
	captured aten::mm 60 cudaLaunchKernel gemm
	captured aten::mm 200 cudaLaunchKernel gemm # not in the capture
	trace "$1"
}

# replay [STEP]: a step that replays it
replay() {
	span user_annotation "${1-execute_context_0(0)_generation_4(4)}" 0 500
	frame 'serve.py(7): replay' 5 300
	op serve 6 290
	call 1 10 20 cudaGraphLaunch
	gpu 1 gemm 50 10; lone 1 'Memcpy DtoD' 60 2 7 gpu_memcpy; lone 1 gemm 70 20
	event '{"ph":"f","cat":"ac2g","name":"ac2g","id":1,"pid":0,"tid":7,"ts":60,"bp":"e"}'
	event '{"ph":"f","cat":"ac2g","name":"ac2g","id":1,"pid":0,"tid":7,"ts":70,"bp":"e"}'
	trace replay.json
}

summary() {
	tl-ops --capture_folder captures --columns name,total_direct_kernel_time_sum,Count replay.json "$@"
}

MERGED='name	total_direct_kernel_time_sum	Count
aten::mm	30	2
aten::copy_	2	1'

# ---- merging ----------------------------------------------------------------------------

@test "kernels of a replayed graph get the operators of its capture" {
	capture captures/bs_4.json
	replay
	equal "$(tl-ops -q --columns name,total_direct_kernel_time_sum,Count replay.json | tail -n 1)" 'serve	32	1'
	run -0 --separate-stderr summary
	equal "$stderr" "tl-ops: wrote captures/execution_details.json: which trace captured which batch size; later runs read it"
	equal "$output" "$MERGED"
	equal "$(cat captures/execution_details.json)" '[
  {
    "file": "bs_4.json",
    "batch_size": 4,
    "mode": "FULL"
  }
]'
	run -0 --separate-stderr summary # from the index
	equal "$stderr" ''
	equal "$output" "$MERGED"
}

@test "copies have the times of the graph's launch, numbers behind the trace, and stacks of both traces" {
	capture captures/bs_4.json
	replay
	tl-sheets -q --capture_folder captures --include_call_stack -d sheets replay.json >/dev/null
	local n
	n=$(row sheets/unified_perf_summary.tsv name=aten::mm)
	equal "$(cell sheets/unified_perf_summary.tsv total_duration_us "$n")" 40
	# 11 events of the trace, then the capture and its first frame
	equal "$(cell sheets/unified_perf_summary.tsv ex_UID "$n")" 13
	equal "$(cell sheets/unified_perf_summary.tsv call_stack_full "$n")" "['serve', 'lib/model.py(9): forward', 'aten::mm', 'gemm']"
	equal "$(cell sheets/unified_perf_summary.tsv GFLOPS "$n")" 4.096e-06
}

@test "the host's time and the overview are those of the replay alone" {
	capture captures/bs_4.json
	replay
	tl-sheets -q --sheets overview,idle_gaps,range_summary -d plain replay.json >/dev/null
	tl-sheets -q --sheets overview,idle_gaps,range_summary --capture_folder captures -d merged replay.json >/dev/null
	cmp plain/idle_gaps.tsv merged/idle_gaps.tsv
	cmp plain/range_summary.tsv merged/range_summary.tsv
	equal "$(grep ^trace merged/overview.tsv | grep -v 'added from')" "$(grep ^trace plain/overview.tsv)"
	like "$(grep 'added from' merged/overview.tsv)" 'added from captures of graphs	10	events'
	equal "$(tl-api -q --columns name,Count,launching_count,device_event_count replay.json)" "$(
		tl-rewrite -q --capture_folder captures replay.json | tl-api -q --columns name,Count,launching_count,device_event_count)"
}

@test "tl-rewrite merges captures into a stream, and other rules come after" {
	capture captures/bs_4.json
	replay
	printf 'rule\tmm\trename\n\twhat\t^aten::mm$\n\tto\tmy::mm\n' >rules.tsv
	tl-parse -q replay.json | tl-link -q --python | tl-rewrite -q --capture_folder captures --rules rules.tsv >merged.tls
	equal "$(tl-ops -q --columns name,Count merged.tls)" "name	Count
my::mm	2
aten::copy_	1"
	run -0 --separate-stderr tl-rewrite -v --capture_folder captures -o merged.tls replay.json
	equal "$stderr" "$(printf 'tl-rewrite: %s\n' 'captures/bs_4.json: batch size 4, FULL' 'operators renamed: 0' 'operators added: 0' \
		'events moved: 0' 'graphs merged: 1 of 1' 'kernels with a captured call: 3' 'events added: 10')"
	tl-parse -q replay.json | tl-link -q --python | tl-rewrite -q --capture_folder captures --rules rules.tsv >merged.tls
	# once is enough
	equal "$(tl-rewrite -q --capture_folder captures merged.tls | tl-ops -q --columns name,Count)" "$(tl-ops -q --columns name,Count merged.tls)"
	run --separate-stderr pipe 'tl-parse -q replay.json | tl-link -q | tl-rewrite --capture_folder captures -o out.tls'
	failed 1 'without Python frames'
	run --separate-stderr tl-rewrite replay.json
	failed 2 '--capture_folder expected'
}

@test "a step of vLLM with sums of squares replays a capture" {
	capture captures/a.json
	echo '[{"file":"a.json","batch_size":4,"mode":"FULL"}]' >captures/execution_details.json
	replay 'execute_context_1(2_4)_generation_2(2)'
	equal "$(summary -q)" "$MERGED"
}

@test "the smallest capture that is large enough is taken, FULL for a single graph" {
	capture captures/a.json
	frame 'serve.py(1): capture' 0 1000; graph 10 100
	captured other::op 20 cudaLaunchKernel gemm; captured other::op 40 cudaMemcpyAsync; captured other::op 60 cudaLaunchKernel gemm
	trace captures/b.json
	replay
	local index
	for index in '4 FULL 8 FULL:2' '3 FULL 8 FULL:1' '3 FULL 3 FULL:0' '4 PIECEWISE 4 FULL:1' '4 PIECEWISE 5 FULL:2' '4 FULL 4 FULL:1' '4 EAGER 9 FULL:1'; do
		set -- ${index/:/ }
		printf '[{"file":"a.json","batch_size":%s,"mode":"%s"},{"file":"b.json","batch_size":%s,"mode":"%s"}]' "$1" "$2" "$3" "$4" >captures/execution_details.json
		case $5 in
		0) like "$(summary -q)" serve ;;
		1) like "$(summary -q)" other::op ;;
		2) equal "$(summary -q)" "$MERGED" ;;
		esac
	done
}

@test "a step with several graphs takes as many captures, or one for all" {
	frame 'serve.py(1): capture' 0 1000
	graph 10 100; captured first::op 20 cudaLaunchKernel a
	graph 110 200; captured second::op 120 cudaLaunchKernel b
	trace captures/two.json
	frame 'serve.py(1): capture' 0 1000
	graph 10 100; captured same::op 20 cudaLaunchKernel a
	trace captures/one.json
	local kernel
	for kernel in b a; do
		span user_annotation 'execute_context_0(0)_generation_4(4)' 0 500
		call 1 10 20 cudaGraphLaunch; gpu 1 a 50 10
		call 2 40 20 cudaGraphLaunch; gpu 2 $kernel 80 10
		trace replay.json
		printf '[{"file":"two.json","batch_size":4,"mode":"PIECEWISE"},{"file":"one.json","batch_size":%s,"mode":"FULL"}]' 5 >captures/execution_details.json
		[ $kernel = b ] || sed -i 's/two/one/' captures/execution_details.json
		summary -q >$kernel.tsv
	done
	equal "$(cut -f 1 b.tsv | paste -s)" 'name	first::op	second::op'
	equal "$(tail -n +2 a.tsv)" 'same::op	20	2'
}

# bats test_tags=quick
@test "calls and kernels are paired by name if they stand in another order" {
	capture captures/bs_4.json
	span user_annotation 'execute_context_0(0)_generation_4(4)' 0 500
	call 1 10 20 cudaGraphLaunch
	gpu 1 'Memcpy DtoD' 50 10 7 gpu_memcpy
	event '{"ph":"f","cat":"ac2g","name":"ac2g","id":1,"pid":0,"tid":7,"ts":60,"bp":"e"}'; lone 1 gemm 60 2 7
	trace replay.json
	# fewer kernels than calls: those that do not fit are left out
	equal "$(summary -q)" 'name	total_direct_kernel_time_sum	Count
aten::copy_	10	1
aten::mm	2	1'
}

@test "a graph that does not fit its capture stays as it is, with a warning" {
	capture captures/bs_4.json
	replay
	sed -i 's/"gemm"/"other"/' replay.json
	run -0 --separate-stderr summary
	like "$output" serve
	like "$stderr" 'not merged: the capture has other kernels, in the step execute_context_0\(0\)_generation_4\(4\)'
	replay 'execute_context_0(0)_generation_9(9)'
	run -0 --separate-stderr summary
	like "$stderr" 'not merged: no capture has a batch size as large as the step'
	replay 'step[DECODE bs=4 foo=1]'
	run -0 --separate-stderr summary
	like "$stderr" 'not merged: the step does not say its batch size'
	replay ProfilerStep#1
	run -0 --separate-stderr summary
	like "$stderr" 'no step of a serving engine: nothing is merged'
}

@test "calls that do not say their kernels are paired by place, with a warning" {
	capture captures/bs_4.json
	sed -i 's/"kernel":"gemm",//' captures/bs_4.json
	replay
	run -0 --separate-stderr summary
	equal "$output" "$MERGED"
	like "$stderr" '2 kernels got their calls by place alone'
}

@test "a report of an inference trace asks for captures" {
	replay
	run -0 --separate-stderr tl-ops --inference -o out.tsv replay.json
	like "$stderr" '1 call launches a graph: .*--capture_folder'
	capture captures/bs_4.json
	run -0 --separate-stderr tl-report --inference --capture_folder captures --tsv-dir tsv replay.json
	unlike "$stderr" 'launches a graph'
	equal "$(cell tsv/ops_summary.tsv name)" aten::mm
}

# ---- what a trace captured ------------------------------------------------------------------

@test "the batch size is the commonest first size, or that of vLLM's annotation" {
	capture captures/a.json
	graph 10 20; graph 30 40
	op a 12 1 '"Input Dims":[[7],[9,9],[[5]],[]]'; op b 14 1 '"Input Dims":[[9]]'
	trace captures/b.json
	frame 'vllm/v1/worker/gpu_model_runner.py(4711): _dummy_run' 0 100; span user_annotation capture_128_FULL 1 90
	trace captures/c.json
	frame 'vllm/v1/worker/gpu_model_runner.py(4711): _dummy_run' 0 100; frame 'vllm/v1/worker/gpu_model_runner.py(4711): _dummy_run' 200 100
	span user_annotation capture_128_FULL 1 90
	trace captures/d.json
	replay
	run -0 --separate-stderr summary
	like "$stderr" 'captures/d.json: left out, since its batch size is not known'
	equal "$(tr -d ' \n' <captures/execution_details.json)" '[{"file":"a.json","batch_size":4,"mode":"FULL"},{"file":"b.json","batch_size":9,"mode":"PIECEWISE"},{"file":"c.json","batch_size":128,"mode":"FULL"},{"file":"d.json","batch_size":null,"mode":"FULL"}]'
}

# ---- bad folders ---------------------------------------------------------------------------

@test "a folder of captures that cannot be used is an error that says why" {
	replay
	run --separate-stderr summary
	failed 1 'captures: no trace in the folder: expected files'
	run --separate-stderr tl-ops --capture_folder missing replay.json
	failed 1 '--capture_folder missing: No such file or directory'
	run --separate-stderr tl-ops --capture_folder replay.json replay.json
	failed 1 '--capture_folder replay.json: expected a folder'
	local text
	while IFS=$'\t' read -r text message; do
		printf '%s' "$text" >captures/execution_details.json
		run --separate-stderr summary
		failed 1 "captures/execution_details.json:$message"
	done <<-'EOF'
		{"a": 1}	 expected a list of
		[{"file": "a.json"	1:[0-9]+:
		[7]	 entry 1: not an object
		[{"idx": 0, "output_path": "x"}]	 entry 1: no "file"
		[{"file": "../a.json"}]	 entry 1: "file" is not in the folder
		[{"file": "/etc/passwd"}]	 entry 1: "file" is not in the folder
		[{"file": "a\u0000b"}]	 entry 1: "file" is not in the folder
	EOF
	echo '[{"file": "gone.json", "batch_size": 4, "mode": "FULL"}, {"file": "x", "batch_size": 4.5, "mode": "FULL"}]' >captures/execution_details.json
	run --separate-stderr summary
	failed 1 'captures: no trace with the graph of a known batch size'
	like "$stderr" 'captures/gone.json: left out: No such file'
	rm captures/execution_details.json
	ln -s nowhere captures/execution_details.json
	run --separate-stderr summary
	failed 1 'captures/execution_details.json: No such file'
	rm captures/execution_details.json
	mkdir captures/execution_details.json
	run --separate-stderr summary
	failed 1 'captures/execution_details.json: expected a file'
}

@test "files of the folder that are no traces are left out, with a warning" {
	capture captures/bs_4.json
	replay
	echo '{"name": "package"}' >captures/package.json
	ln -s nowhere captures/link.json
	ln -s link2.json captures/link2.json
	ln -s bs_4.json captures/same.json.gz
	mkfifo captures/pipe.json
	mkdir captures/folder.json
	echo hello >captures/README
	run -0 --separate-stderr timeout 10 tl-ops --capture_folder captures --columns name,total_direct_kernel_time_sum,Count replay.json
	equal "$output" "$MERGED"
	like "$stderr" 'captures/package.json: left out, since it is no trace: no traceEvents'
	like "$stderr" 'captures/link.json: left out: No such file'
	like "$stderr" 'captures/link2.json: left out: Too many levels'
	like "$stderr" 'captures/pipe.json: left out, since it is no file'
	like "$stderr" 'captures/folder.json: left out, since it is no file'
	equal "$(grep -c file captures/execution_details.json)" 2
}

@test "a capture that is gone is not taken, but the next larger one" {
	capture captures/larger.json
	replay
	echo '[{"file":"gone.json","batch_size":4,"mode":"FULL"},{"file":"larger.json","batch_size":8,"mode":"FULL"}]' >captures/execution_details.json
	run -0 --separate-stderr summary
	equal "$output" "$MERGED"
	equal "$stderr" 'tl-ops: warning: captures/gone.json: left out: No such file or directory'
}

@test "a damaged capture is an error; with --lenient what can be read of it is used" {
	capture captures/bs_4.json
	replay
	head -c -20 captures/bs_4.json >captures/cut.json
	run --separate-stderr summary
	failed 1 'captures/cut.json: byte .*cut short.*--lenient'
	[ ! -e captures/execution_details.json ]
	echo '[{"file": "cut.json", "batch_size": 4, "mode": "FULL"}]' >captures/execution_details.json
	run --separate-stderr summary
	failed 1 'captures/cut.json: byte .*cut short.*--lenient'
	equal "$(summary -q --lenient)" "$MERGED"
	run -0 --separate-stderr summary --lenient
	like "$stderr" "warning: captures/cut.json: .*cut short"
}

@test "a folder that nobody may write to stays as it is, and no capture becomes an output" {
	capture captures/bs_4.json
	replay
	chmod a-w captures
	run -0 --separate-stderr summary
	chmod u+w captures
	equal "$stderr" ''
	[ ! -e captures/execution_details.json ]
	run --separate-stderr summary -o captures/bs_4.json
	failed 1 'the output is the input'
	run -0 summary -q
}

# ---- comparison with another trace ------------------------------------------------------------

@test "the trace of --comparison_json_path has captures of its own" {
	mkdir other
	capture captures/bs_4.json
	cp captures/bs_4.json other
	replay
	tl-report -q --capture_folder captures --comparison_json_path replay.json --comparison_capture_folder other --tsv-dir both replay.json
	equal "$(cut -f 1,2 both/diff_stats.tsv | sort -u)" "$(printf '%s\n' $'Memcpy DtoD\taten::copy_' $'gemm\taten::mm' $'name\tcpu_op_name')"
	tl-report -q --capture_folder captures --comparison_json_path replay.json --tsv-dir one replay.json
	equal "$(cut -f 1,2,4 one/diff_stats.tsv | grep trace2 | sort -u)" "$(printf '%s\n' $'Memcpy DtoD\tserve\ttrace2' $'gemm\tserve\ttrace2')"
	equal "$(cut -f 1,2,4 one/diff_stats.tsv | grep trace1 | sort -u)" "$(printf '%s\n' $'Memcpy DtoD\taten::copy_\ttrace1' $'gemm\taten::mm\ttrace1')"
	run -2 --separate-stderr tl-roofline --comparison_json_path - <replay.json
	failed 2 'standard input cannot be both traces'
}

@test "a trace without captures is compared with one that has them by the Python frames of both" {
	capture captures/bs_4.json
	replay
	mv replay.json other.json
	frame 'serve.py(7): replay' 5 300
	op serve 6 290
	frame "lib/model.py(9): forward" 7 282
	op aten::mm 8 280
	call 1 10 20 cudaGraphLaunch
	gpu 1 gemm 50 40
	trace replay.json
	tl-report -q --comparison_json_path other.json --comparison_capture_folder captures --tsv-dir out replay.json
	equal "$(cut -f 1,4,11 out/diff_stats.tsv | sed 1d | sort)" "$(printf '%s\tlib/model.py: forward | cudaGraphLaunch\n' \
		$'Memcpy DtoD\ttrace2' $'gemm\ttrace1' $'gemm\ttrace2' $'gemm\ttrace2')"
	equal "$(cell out/unified_perf_summary.tsv 'speedup (trace2/trace1)')" 0.8 # 32 of 40 µs
}
