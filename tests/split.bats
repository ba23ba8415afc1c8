#!/usr/bin/env bats
# split.bats - tl-split: steps, windows and phases of a trace as traces of their own.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR"
	id=0
}

# work TS: a launch and its kernel, which ends 30 us after TS
work() {
	id=$((id + 1))
	call $id "$1" 1
	gpu $id "k$id" $(($1 + 10)) 20
}
# step NAME TS: an annotation of 50 us with an operator and a kernel
step() {
	event "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"$1\",\"pid\":1,\"tid\":1,\"ts\":$2,\"dur\":50,\"args\":{}}"
	op aten::mm $(($2 + 1)) 40
	work $(($2 + 2))
}
# serving STEPS: a step for each letter, with 1 request (a), 2 (b) and so on; of a capital one the first prefills
serving() {
	local i n at=100
	for ((i = 0; i < ${#1}; i++)); do
		printf -v n %d "'${1:i:1}"
		if [ "$n" -lt 97 ]; then
			step "step[MIXED bs=$((n - 64)) c=1 g=$((n - 65)) c_sq=100 c_sqsq=1 g_sq=$((n - 65))]" $at
		else
			step "step[DECODE bs=$((n - 96)) g_sq=$((n - 96)) g_sqsq=1]" $at
		fi
		at=$((at + 100))
	done
}
# files [FOLDER]: the files below it, without execution_details
files() {
	find "${1-out}" -type f ! -name 'execution_details.*' ! -name 'match_*' ! -name '.tl-*' -printf '%P\n' | sort | paste -sd ' '
}
# names FILE [CAT]: of its events, in the order of the file
names() {
	local text
	text=$(case $1 in *.gz) gzip -dc "$1" ;; *) cat "$1" ;; esac)
	sed -nE "s/.*\"cat\":\"${2-kernel}\",\"name\":\"([^\"]*)\".*/\1/p" <<<"$text" | paste -sd ' '
}
split() {
	tl-split -q "$@"
}

@test "each step is a file that has its events, the work it launched, and the names of threads" {
	event '{"ph":"M","name":"process_name","pid":1,"tid":0,"ts":3,"args":{"name":"python"}}'
	serving aB
	event '{"ph":"X","cat":"cpu_op","name":"other","pid":1,"tid":2,"ts":102,"dur":5,"args":{}}'
	device_trace in.pt.trace.json '{"id":0,"name":"NVIDIA H100"}'
	split --store-single-iteration -o out in.pt.trace.json
	equal "$(files)" "$(echo in_annotation_iteration_0_step\[DECODE_bs=1_g_sq=1_g_sqsq=1\].json.gz \
		in_annotation_iteration_1_step\[MIXED_bs=2_c=1_g=1_c_sq=100_c_sqsq=1_g_sq=1\].json.gz)"
	local second
	second=$(echo out/in_annotation_iteration_1_*)
	equal "$(names "$second")" k2
	equal "$(names "$second" cpu_op)" aten::mm
	gzip -dc "$second" >second.json
	like "$(cat second.json)" '"deviceProperties": \[.*NVIDIA H100'
	like "$(cat second.json)" '"name":"process_name"'
	equal "$(grep -c '"cat":"ac2g"' second.json)" 2
	equal "$(sed -n 3p out/execution_details.csv)" "1,$second,7,1,20.00,20.00,0,1,0,101,2,1"
	like "$(cat out/execution_details.json)" '"context_sum": 100,'
	# the report of a step is that of the step in the whole trace
	equal "$(tl-kcat -q "$second" | cut -f 2,3,5)" "$(tl-slice -q --annotation MIXED in.pt.trace.json | tl-kcat -q | cut -f 2,3,5)"
}

@test "a range of steps is one part, which standard output can take" {
	serving abcd
	trace in.json
	split -i 1:3 -o out in.json
	equal "$(files)" iterations_1-2_prefill_0_prefilldecode_0_decode_2_bs2_conc2_in.json.gz
	equal "$(names out/iter*.gz)" 'k2 k3'
	split -i 1:3 in.json >part.tls
	tl-view --check part.tls
	equal "$(tl-kcat -q --sheets kernels part.tls | cut -f 3 | tail -n +2 | sort | paste -sd ' ')" 'k2 k3'
	split -i 3:99 <in.json | tl-view | grep k4
	run -1 --separate-stderr split -i 4 in.json
	failed 1 'no step 4: the trace has 4, from 0 on'
	run -1 --separate-stderr split --store-single-iteration in.json
	failed 1 '4 parts: say with -d'
}

@test "streams as parts, with the numbers of the whole trace" {
	serving ab
	trace in.json
	split --store-single-iteration -i 1 --stream --no-provenance -o out in.json
	equal "$(files)" 'in_annotation_iteration_1_step[DECODE_bs=2_g_sq=2_g_sqsq=1].tls'
	tl-view out/*.tls | grep -P '^event\t6\tannotation'
}

@test "three windows of the steady state" {
	serving aaddddDddDDdddddaa
	trace in.json
	split --find-steady-state --num-steps 4 -o out in.json
	equal "$(files)" "$(echo decode_only_steady_state_prefill_0_prefilldecode_0_decode_4_bs4_conc4_in.json.gz \
		mixed_steady_state_prefill_0_prefilldecode_1_decode_3_bs28_conc4_in.json.gz \
		prefilldecode_steady_state_prefill_0_prefilldecode_2_decode_0_bs103_conc4_in.json.gz)"
	run -0 --separate-stderr tl-split -v --find-steady-state --num-steps 4 -o out in.json
	like "$stderr" 'steady state: steps 2 to 16'
}

@test "runs of a phase go to the folder of the phase" {
	serving dddDDddddDdd
	trace in.json
	split --divide-phases -i 1:11 -o out in.json
	equal "$(files)" "$(echo decode_only/decode_only_chunk0_steps2_bs4_conc4_prefill_0_prefilldecode_0_decode_2_bs4_conc4_in.json.gz \
		decode_only/decode_only_chunk1_steps4_bs4_conc4_prefill_0_prefilldecode_0_decode_4_bs4_conc4_in.json.gz \
		decode_only/decode_only_chunk2_steps1_bs4_conc4_prefill_0_prefilldecode_0_decode_1_bs4_conc4_in.json.gz \
		prefilldecodemix/prefilldecodemix_chunk0_steps2_bs103_conc4_prefill_0_prefilldecode_2_decode_0_bs103_conc4_in.json.gz \
		prefilldecodemix/prefilldecodemix_chunk1_steps1_bs103_conc4_prefill_0_prefilldecode_1_decode_0_bs103_conc4_in.json.gz)"
	equal "$(names out/decode_only/*chunk1*)" 'k6 k7 k8 k9'
}

@test "the load that was asked for says which mixed window is wanted" {
	serving dddDddddddDDdddd
	trace in.json
	split --find-steady-state --num-steps 2 -i 0:16 -o plain in.json
	run -0 --separate-stderr tl-split --find-steady-state --num-steps 2 -i 0:16 --CONC 4 --OSL 4 --R 1 -o load in.json
	equal "$stderr" ''
	like "$(files load)" 'mixed_steady_state_prefill_0_prefilldecode_2_'
	like "$(files plain)" 'mixed_steady_state_prefill_0_prefilldecode_1_'
	run -0 --separate-stderr tl-split --find-steady-state --num-steps 2 --CONC 9 --OSL 72 --R 0 -o load in.json
	like "$stderr" 'warning: at most 4 requests are served at a time; --CONC expects 9'
	like "$stderr" 'a window needs 4 steps to have one that prefills; --num-steps is 2'
	# options that change nothing are told
	run -0 --separate-stderr tl-split --find-steady-state -i 0:16 --CONC 4 --R 1 -o load in.json
	equal "$stderr" 'tl-split: warning: --OSL and --R are of no use without each other and --CONC'
	run -0 --separate-stderr tl-split --find-steady-state -i 0:16 --CONC 4 -o load in.json
	equal "$stderr" ''
	run -0 --separate-stderr tl-split --divide-phases -i 0:16 --CONC 4 -o load in.json
	like "$stderr" 'of no use here: they are about the windows of --find-steady-state'
}

@test "operators tell the batch sizes of a window if they tell one for each step" {
	serving ab
	op vllm::unified_attention_with_output 104 2 '"Input Dims":[[7,64]]'
	op vllm::unified_attention_with_output 204 2 '"Input Dims":[[8,64]]'
	trace in.json
	split -i 0:2 -o out in.json
	like "$(files)" '_bs7_'
	like "$(tr -d '\n ' <out/execution_details.json)" '"batch_size":7,.*"batch_size":8,'
	# not if two steps would swap theirs
	serving ab
	op vllm::unified_attention_with_output 104 2 '"Input Dims":[[7,64]]'
	op vllm::unified_attention_with_output 107 2 '"Input Dims":[[8,64]]'
	op vllm::unified_attention_with_output 204 2 '"Input Dims":[[7,64]]'
	trace in.json
	split -i 0:2 -o out2 in.json
	like "$(tr -d '\n ' <out2/execution_details.json)" '"batch_size":1,.*"batch_size":7,'
}

@test "training steps are steps, with the threads of their process" {
	step ProfilerStep#4 100
	step ProfilerStep#5 200
	event '{"ph":"X","cat":"cpu_op","name":"backward","pid":1,"tid":2,"ts":220,"dur":5,"args":{}}'
	event '{"ph":"X","cat":"cpu_op","name":"foreign","pid":2,"tid":2,"ts":220,"dur":5,"args":{}}'
	trace in.json
	split -i 1 -o out in.json
	equal "$(names out/*.gz cpu_op)" 'aten::mm backward'
	# the step of an engine has its own thread only, unless it is told otherwise
	serving ab
	event '{"ph":"X","cat":"cpu_op","name":"other","pid":1,"tid":2,"ts":220,"dur":5,"args":{}}'
	trace in.json
	split -i 1 -o own in.json
	equal "$(names own/*.gz cpu_op)" aten::mm
	split -i 1 --all-threads -o all in.json
	equal "$(names all/*.gz cpu_op)" 'aten::mm other'
}

@test "a training step that is written twice, as an annotation and as an operator, is one step" {
	local i
	for i in 1 2; do
		step ProfilerStep#$i ${i}00
		op ProfilerStep#$i ${i}00 50
	done
	trace in.json
	split --store-single-iteration -o out in.json
	equal "$(files)" 'in_annotation_iteration_0_ProfilerStep#1.json.gz in_annotation_iteration_1_ProfilerStep#2.json.gz'
}

@test "steps of vLLM with sums of squares" {
	step 'execute_context_1(8_64)_generation_2(2)' 100
	trace in.json
	split --store-single-iteration -o out in.json
	equal "$(files)" in_annotation_iteration_0_execute_context_1_8_64_generation_2_2.json.gz
	equal "$(sed -n 2p out/execution_details.csv | cut -d, -f 7-)" 0,1,0,10,3,1
}

@test "calls that repeat are steps, if they do most of the work" {
	local i
	frame loop 0 1000
	frame setup 1 5
	for i in 1 2 3 4; do
		frame load $((i * 100)) 10
		frame forward $((i * 100 + 10)) 60
		op aten::mm $((i * 100 + 12)) 50
		work $((i * 100 + 13))
	done
	trace in.json
	split --store-single-iteration -o out in.json
	equal "$(files)" "$(echo in_annotation_iteration_{0..3}.json.gz)"
	equal "$(names out/in_annotation_iteration_2.json.gz python_function)" 'load forward'
	equal "$(names out/in_annotation_iteration_2.json.gz)" k3
	# three equal calls in one operator are no steps
	frame loop 0 1000
	op attention 10 100
	for i in 20 30 40; do op aten::empty_like $i 5; work $i; done
	op aten::mm 200 500
	for i in 210 220 230 240; do op "unlike$i" $i 5; work $i; done
	trace in.json
	run -1 --separate-stderr split -i 0 in.json
	failed 1 'the trace has no steps'
}

@test "a name that is no file's name is made one" {
	step "step[DECODE bs=1]/../../x (y): $(printf 'z%.0s' {1..400})" 100
	trace in.json
	split -i 0 --store-single-iteration -o out in.json
	like "$(files)" '^in_annotation_iteration_0_step\[DECODE_bs=1\]_\.\._\.\._x__y_z+\.json\.gz$'
	gzip -dc out/in_*.gz | grep 'bs=1]/../../x (y): zzz'
}

@test "the parts of two traces that are most alike" {
	serving ddddDccccDb
	trace one.json
	serving bbbDcccDDdd
	trace two.json
	split --match -o out one.json two.json
	equal "$(files)" "$(echo prefilldecode/prefilldecode_best_A1_B1_{A_prefill_0_prefilldecode_1_decode_0_bs103_conc4_one,B_prefill_0_prefilldecode_1_decode_0_bs103_conc4_two}.json.gz)"
	tr -d '\n\t' >wanted <<-'E'
		"TraceB":{"block_index":1,"trace":"two",
		"output_path":"out/prefilldecode/prefilldecode_best_A1_B1_B_prefill_0_prefilldecode_1_decode_0_bs103_conc4_two.json.gz",
		"avg_context_requests":1.0,"avg_generation_requests":3.0,"avg_c_sq":100.0,"avg_c_sk":0.0,"avg_g_sq":3.0,"avg_g_sk":0.0,
		"start":3,"end":4,"num_steps":1,"original_num_steps":1,"truncated":false,"steps":[
		{"step":3,"name":"step[MIXEDbs=4c=1g=3c_sq=100c_sqsq=1g_sq=3]","num_context":1,"num_generation":3,"c_sq":100,"c_sk":0,"g_sq":3,"g_sk":0}
		]}}]
	E
	equal "$(sed -n '/"TraceB"/,$p' out/match_report.json | tr -d '\n ')" "$(<wanted)"
	split --match --num-steps 3 -o out3 one.json two.json
	equal "$(files out3)" "$(echo decode_only/decode_only_best_A2_B2_{A_prefill_0_prefilldecode_0_decode_3_bs3_conc3_one,B_prefill_0_prefilldecode_0_decode_3_bs3_conc3_two}.json.gz \
		prefilldecode/prefilldecode_best_A1_B1_{A_prefill_0_prefilldecode_1_decode_0_bs103_conc4_one,B_prefill_0_prefilldecode_1_decode_0_bs103_conc4_two}.json.gz)"
	equal "$(names out3/decode_only/*_A_*)" 'k6 k7 k8'
	equal "$(names out3/decode_only/*_B_*)" 'k16 k17 k18'
	like "$(sed -n 2p out3/match_report.csv)" '^0,decode_only,3,0.0\|0.0,one,2,5,8,4,True,0.0,3.0,0.0,0.0,3.0,0.0,out3/decode_only/'
	like "$(tr -d '\n ' <out3/match_report.json)" '"match_id":1,"phase":"prefilldecode","num_steps":1,"distance":\[0.0,0.0,0.0,0.0\]'
	equal "$(cat out3/match_notes.json)" '[]'
}

@test "phases without a pair are told, and nothing is written for them" {
	serving ddD
	trace one.json
	step 'execute_context_0(0)_generation_4(4)' 100
	step 'execute_context_0(0)_generation_4(4)' 200
	trace two.json
	run -0 --separate-stderr tl-split --match --no-extract --phases decode_only,prefill_only -o out one.json two.json
	like "$stderr" 'no decode_only steps match: 1 blocks of the first trace tell their sums, 0 of these have one as long in the second'
	equal "$(ls out)" $'match_notes.json\nmatch_report.json'
	equal "$(cat out/match_report.json)" '[]'
	like "$(cat out/match_notes.json)" '"reason": "no eligible \(A, B\) pair found \(A blocks of phase: 0, with same-size B candidate: 0\)"'
	run -2 --separate-stderr tl-split --match --phases decode -o out one.json two.json
	failed 2 "'decode' is none of"
	run -2 --separate-stderr tl-split --match -o out one.json
	failed 2 'two files expected'
	run -2 --separate-stderr tl-split --no-extract -i 0 one.json
	failed 2 '--no-extract has no effect without --match'
}

@test "wrong usage says what was expected" {
	serving ab
	trace in.json
	run -2 --separate-stderr tl-split -o out in.json
	failed 2 'nothing to do'
	for range in '' x 3:2 1: 1:2:3 -1; do
		run -2 --separate-stderr tl-split -i "$range" in.json
	done
	failed 2 'expected all'
	run -2 --separate-stderr tl-split -i 0 --OSL 0 in.json
	failed 2 'above 0'
	run --separate-stderr tl-split -d out --OSL 5 --num-steps 0 --find-steady-state in.json
	failed 2 'a window has one step at least'
	run -2 --separate-stderr tl-split -d out --match -i 0 in.json in.json
	failed 2 '--iterations has no effect with --match'
	run -2 --separate-stderr tl-split --match in.json in.json
	failed 2 'say with -d in which folder'
	[ ! -e out ]
}
