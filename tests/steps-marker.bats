#!/usr/bin/env bats
# steps-marker.bats - steps that the user names, and those that are chosen because their names repeat.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# range NAME TS DUR [TID [ARGS]]
range() {
	event "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"$1\",\"pid\":1,\"tid\":${4-1},\"ts\":$2,\"dur\":$3,\"args\":{${5-}}}"
}
# works FROM TO [NAME]: kernels, launched every 10 µs from one time to another by thread 1
works() {
	for ((i = $1; i < $2; i += 10)); do
		call $((i + 1)) $((i + 1)) 1
		gpu $((i + 1)) "${3-k}" $((i + 4)) 5
	done
}
# steps FILE [OPTION…]: numbers and names of step_times
steps() {
	tl-timeline -q --sheets step_times --columns step,name "${@:2}" "$1" | tail -n +2 | paste -sd , | tr '\t' =
}
# told FILE [OPTION…]: what the overview says of steps
told() {
	tl-overview -q "${@:2}" "$1" | grep $'^trace\tsteps\t' | cut -f 3,4
}
# loop NAME FIRST COUNT TS DUR [TID]: COUNT ranges NAME FIRST, NAME FIRST+1 … one behind the other
loop() {
	local k
	for ((k = 0; k < $3; k++)); do
		range "$1 $(($2 + k))" $(($4 + k * $5)) "$5" "${6-1}"
	done
}
# none FILE: no step is found
none() {
	equal "$(steps "$1")" ''
	equal "$(told "$1")" $'0\tannotations ProfilerStep#N'
}

# A loop of four rounds in an epoch, with ranges in it and around it.
loop_trace() {
	local k
	works 0 500
	range 'epoch 0' 0 500
	loop iteration 7 4 50 100
	for k in 0 1 2 3; do
		range forward $((50 + 100 * k)) 60
		range "layer $k" $((50 + 100 * k)) 60
		range 'save log' $((145 + 100 * k)) 1
	done
	trace "$1"
}

# bats test_tags=quick
@test "annotations whose names repeat are steps, for all programs, and the overview says why" {
	loop_trace t.json
	equal "$(steps t.json)" '7=iteration 7,8=iteration 8,9=iteration 9,10=iteration 10'
	equal "$(told t.json)" $'4\t"iteration N", chosen because it repeats; --step-marker REGEX chooses another'
	equal "$(tl-slice -q --step 8..9 t.json | tl-view | grep -c $'\tk\t')" 20
	equal "$(tl-ops -q --sheets ops_by_step --columns step,Count t.json | tail -n +2 | grep -c iteration)" 4
	like "$(tl-path -q --step 9 t.json)" '.'
	tl-split -q --store-single-iteration -d parts t.json
	equal "$(find parts -name '*annotation_iteration_[0-9]_iteration*' | wc -l)" 4
	run -1 --separate-stderr tl-slice -q --step 3 t.json
	failed 1 'no step with such a number; the 4 steps are: iteration 7, iteration 8'
}

@test "a name with a word of steps wins; numbers that do not rise give way to places" {
	works 0 400
	loop 'train batch' 0 2 0 100
	loop 'train batch' 0 2 200 100
	loop thing 0 4 0 100
	trace t.json
	equal "$(steps t.json)" '0=train batch 0,1=train batch 1,2=train batch 0,3=train batch 1'
	works 0 400
	loop thing 0 4 0 100
	trace t.json
	equal "$(steps t.json)" '0=thing 0,1=thing 1,2=thing 2,3=thing 3'
	works 0 400
	loop epoch 0 3 0 100
	loop step 0 6 0 50
	trace t.json
	equal "$(steps t.json | cut -d , -f 1)" '0=step 0'
	works 0 400
	loop epoch 0 3 0 100
	trace t.json
	equal "$(steps t.json | cut -d , -f 1)" '0=epoch 0'
}

# bats test_tags=quick
@test "no steps: what warms up, layers, parts, what launches nothing, and what has less than half of the work" {
	works 0 400; loop warmup 0 4 0 100; trace t.json
	none t.json
	works 0 400; loop warmup 0 3 0 50; loop iteration 0 3 150 80; trace t.json
	equal "$(steps t.json)" '0=iteration 0,1=iteration 1,2=iteration 2'
	# layers that are numbers, or letters and numbers; names that come again in each round
	works 0 300; for k in 0 1 2; do for n in 0 1 2 3; do range $n $((100 * k + 25 * n)) 25; done; done; trace t.json
	none t.json
	works 0 300; for n in 0 1 2; do range h.$n $((100 * n)) 100; done; trace t.json
	none t.json
	works 0 300; for k in 0 1 2; do loop part 0 4 $((100 * k)) 25; done; trace t.json
	none t.json
	works 0 300; for k in 0 1 2; do range Attention $((100 * k)) 60; done; trace t.json
	none t.json
	works 0 400; loop iteration 0 3 0 50; trace t.json
	none t.json
	works 0 400; loop thing 0 3 0 110; trace t.json
	none t.json
	works 0 400; loop iteration 0 2 0 200; trace t.json
	none t.json
}

@test "no steps: one step with its parts, loops within each other, threads that load data or stand side by side" {
	works 0 400; range train_step 0 400; loop piece 0 8 0 50; trace t.json
	none t.json
	works 0 400; loop outer 0 4 0 100; loop inner 0 8 0 50; trace t.json
	none t.json
	works 0 400; loop train_step 0 4 0 100; loop microbatch 0 8 0 50; loop inner 0 8 0 50; trace t.json
	equal "$(steps t.json)" '0=train_step 0,1=train_step 1,2=train_step 2,3=train_step 3'
	# a thread that loads the batches, and one that also copies them
	works 0 400; loop batch 0 4 0 100 2; trace t.json
	none t.json
	works 0 400; loop batch 0 4 0 100 2
	for k in 0 1 2 3; do
		event '{"ph":"X","cat":"cuda_runtime","name":"cudaMemcpyAsync","pid":1,"tid":2,"ts":'$((100 * k + 2))',"dur":1,"args":{"correlation":'$((1000 + k))'}}'
		event '{"ph":"s","cat":"ac2g","name":"ac2g","id":'$((1000 + k))',"pid":1,"tid":2,"ts":'$((100 * k + 2))'}'
		gpu $((1000 + k)) 'Memcpy HtoD (Pinned -> Device)' $((100 * k + 20)) 40 9 gpu_memcpy
	done
	trace t.json
	none t.json
	works 0 400; loop iteration 0 4 0 100 1
	for k in 0 1 2 3; do
		event '{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":2,"ts":'$((100 * k + 2))',"dur":1,"args":{"correlation":'$((1000 + k))'}}'
		event '{"ph":"s","cat":"ac2g","name":"ac2g","id":'$((1000 + k))',"pid":1,"tid":2,"ts":'$((100 * k + 2))'}'
		gpu $((1000 + k)) k $((100 * k + 20)) 40 9
	done
	loop iteration 0 4 0 100 2
	trace t.json
	none t.json
	# iterations within one of their own
	works 0 400; loop iteration 0 4 0 100; range 'iteration 9' 0 400; trace t.json
	none t.json
}

@test "a trace with ProfilerStep#N keeps them, one step, too" {
	works 0 400; loop iteration 0 4 0 100; range ProfilerStep#3 0 400; trace t.json
	equal "$(steps t.json)" '3=ProfilerStep#3'
	equal "$(told t.json)" $'1\tannotations ProfilerStep#N'
}

@test "annotations that tell their step are steps" {
	works 0 400
	for k in 0 1 2; do range "go on" $((100 * k)) 100 1 "\"step\":$((5 + 2 * k))"; done
	trace t.json
	equal "$(steps t.json)" '5=go on,7=go on,9=go on'
	equal "$(told t.json)" $'3\t"go on", chosen because it tells its step; --step-marker REGEX chooses another'
}

@test "--step-marker: numbers of a group, of names, and places; annotations before operators before kernels" {
	loop_trace t.json
	equal "$(steps t.json --step-marker '^layer')" '0=layer 0,1=layer 1,2=layer 2,3=layer 3'
	equal "$(steps t.json --step-marker '^iteration (\d)')" '7=iteration 7,8=iteration 8,9=iteration 9,1=iteration 10'
	equal "$(steps t.json --step-marker '^(it)eration')" '7=iteration 7,8=iteration 8,9=iteration 9,10=iteration 10'
	equal "$(steps t.json --step-marker 'forward')" '0=forward,1=forward,2=forward,3=forward'
	equal "$(told t.json --step-marker 'forward')" $'4\twhat --step-marker \'forward\' names'
	equal "$(told t.json --step-marker 'nothing')" $'0\twhat --step-marker \'nothing\' names'
	run -0 --separate-stderr tl-ops --step-marker nothing --sheets ops_by_step -o out t.json
	equal "$(grep -c warning <<<"$stderr")" 1
	like "$stderr" "warning: --step-marker: no annotation, operator or kernel matches nothing: the trace has no steps"
	equal "$(tl-slice -q --step-marker '^layer' --step 2 t.json | tl-view | grep -c $'\tk\t')" 6
	op turn 0 100; op turn 100 100; works 0 200; trace t.json
	equal "$(steps t.json --step-marker '^turn$')" '0=turn,1=turn'
	run -2 --separate-stderr tl-timeline --step-marker '(' t.json
	failed 2 "step-marker"
}

@test "--step-marker: a kernel begins a step, which the next one ends; the last has no end" {
	works 0 30; works 30 40 head; works 40 80; works 80 90 head; works 90 130; works 130 140 head; works 140 160; trace t.json
	equal "$(tl-timeline -q --sheets step_times --step-marker '^head$' --columns step,name,start_us,period_ms,host_ms,device_events,mark t.json | tail -n +2)" \
		'0	head	33.0	0.05	0.05	5	first
1	head	83.0	0.05	0.05	5	
2	head	133.0	0.025	0.028	3	cut'
	tl-sheets -q -d all --step-marker '^head$' t.json >/dev/null
	like "$(tl-path -q --step 1 --step-marker '^head$' t.json)" '.'
}

@test "tl-report, tl-compare and tl-ranks pass --step-marker on" {
	loop_trace t.json
	tl-report -q --step-marker '^forward$' -d report t.json >/dev/null
	equal "$(cut -f 3 report/step_times.tsv | sed 1d | sort -u)" forward
	cp t.json u.json
	tl-compare -q --step-marker '^layer|^save' --sheets steps --output_csvs_dir cmp t.json u.json >/dev/null
	like "$(cat cmp/*)" ',7$' # without the first of 8
	mkdir ranks
	cp t.json ranks/rank0.json
	cp t.json ranks/rank1.json
	run -1 --separate-stderr tl-ranks -q --step-marker '^forward$' --rank_sheets sheets -d out ranks/rank0.json ranks/rank1.json
	failed 1 'no rank has a collective'
	equal "$(cut -f 3 sheets/rank0/step_times.tsv | sed 1d | sort -u)" forward
}
