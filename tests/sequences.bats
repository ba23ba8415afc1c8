#!/usr/bin/env bats
# sequences.bats - kernel_sequences of tl-ops: launches that repeat, which a graph could replay; operator_sequences.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

next=0
# launch NAME…: launches of kernels of 5 µs, one every 10 µs, on the host and on the device
launch() {
	local name
	for name; do
		next=$((next + 1))
		call $next $((next * 10)) 4
		gpu $next "$name" $((next * 10 + 2)) 5
	done
}
sequences() {
	trace t.json
	tl-ops -q --sheets kernel_sequences -o s.tsv t.json
	tail -n +2 s.tsv
	next=0
}
# line COLUMN…: of the first row
line() {
	local c
	for c; do cell s.tsv "$c"; done | paste -sd ' '
}

@test "a sequence that repeats: host, device and idle time" {
	launch start a b c a b c a b c end
	sequences
	equal "$(line length repeats events first_name capturable)" '3 3 9 a True'
	equal "$(line host_ms device_ms idle_ms)" '0.084 0.045 0.04'
	equal "$(wc -l <s.tsv)" 2
}

@test "twice is no repetition; the run that covers most counts" {
	launch a b c a b c
	sequences
	equal "$(wc -l <s.tsv)" 1
	launch a a a b a a a b a a a b x
	sequences
	equal "$(line length repeats events)" '4 3 12'
	equal "$(wc -l <s.tsv)" 2
	launch a a a a a a
	sequences
	equal "$(line length repeats)" '1 6'
}

@test "runs of one sequence are one row" {
	launch a b a b a b x a b a b a b a b
	sequences
	equal "$(line length repeats events)" '2 7 14'
	equal "$(wc -l <s.tsv)" 2
}

@test "each thread by itself" {
	for i in 1 2 3 4 5 6; do
		event '{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":'"$((i % 2 + 1))"',"ts":'"$((i * 10))"',"dur":4,"args":{"correlation":'"$i"'}}'
		event '{"ph":"s","cat":"ac2g","name":"ac2g","id":'"$i"',"pid":1,"tid":'"$((i % 2 + 1))"',"ts":'"$((i * 10))"'}'
		gpu "$i" "k$((i % 2))" "$((i * 10 + 5))" 5
	done
	sequences
	equal "$(cut -f 1,2 s.tsv | paste -sd ' ')" $'length\trepeats 1\t3 1\t3'
}

@test "waits, allocations and copies of pageable memory cannot be captured" {
	while IFS='|' read -r name cat call wanted; do
		launch a b a b
		event '{"ph":"X","cat":"cuda_runtime","name":"'"$call"'","pid":1,"tid":1,"ts":46,"dur":1,"args":{}}'
		launch a
		next=6
		call 6 60 1
		gpu 6 "$name" 62 5 7 "$cat"
		sequences
		equal "$call $name: $(line capturable)" "$call $name: $wanted"
	done <<-'END'
		b|kernel|cudaEventRecord|True
		b|kernel|cudaDeviceSynchronize|False
		b|kernel|cudaMalloc|False
		b|kernel|hipFreeAsync|False
		b|kernel|cudaMallocHost|False
		b|kernel|cudaFuncGetAttributes|True
	END
	for kind in Pageable Pinned; do
		for i in 1 2 3; do
			launch a
			next=$((next + 1))
			call $next $((next * 10)) 1 cudaMemcpyAsync
			gpu $next "Memcpy HtoD ($kind -> Device)" $((next * 10 + 2)) 5 7 gpu_memcpy
		done
		sequences
		equal "$kind $(line capturable length)" "$kind $([ $kind = Pinned ] && echo True || echo False) 2"
	done
}

# operators OPTION…: what operators launch, without the times
operators() {
	trace t.json
	tl-ops -q --sheets operator_sequences -o s.tsv "$@" t.json
	cut -f 1-3,7 s.tsv | tail -n +2
}
# Two blocks that launch a and b, one that launches only a; inside each a linear, in one within another linear.
blocks() {
	op block 5 40; op linear 8 20; op linear 9 10; launch a b
	op block 45 20; op linear 46 8; next=4; launch a; next=5; launch b
	op block 105 10; op linear 106 9; next=10; launch a
	next=20; launch alone
}

@test "operator_sequences: operators by what they launch" {
	blocks
	equal "$(operators)" $'block\t2\t2\ta | b\nblock\t1\t1\ta'
	equal "$(line host_ms device_ms first_us)" '0.06 0.02 0.0'
}

@test "operator_sequences: the outermost of a name; no operator, no name, no pattern" {
	blocks
	equal "$(operators --sequences_of '^lin')" $'linear\t1\t2\ta | b\nlinear\t2\t1\ta'
	equal "$(line host_ms)" 0.02
	equal "$(operators --sequences_of nothing)" ''
	run -2 --separate-stderr tl-ops --sequences_of '(' t.json
	failed 2 "--sequences_of: '\\(': "
	EVENTS=()
	launch a b
	equal "$(operators)" ''
}

@test "operator_sequences: work of one call by its start on the device; long sequences are cut" {
	op replay 5 90
	call 1 10 60 cudaGraphLaunch
	for i in 9 3 5 1; do
		event '{"ph":"X","cat":"kernel","name":"k'$i'","pid":0,"tid":7,"ts":'$((100 + i * 10))',"dur":2,"args":{"stream":7,"correlation":1}}'
	done
	equal "$(operators)" $'replay\t1\t4\tk1 | k3 | k5 | k9'
	op replay 1000 1000
	next=100
	launch {1..23}
	equal "$(operators | grep -P '\t23\t')" $'replay\t1\t23\t1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | and 3 more'
}

@test "operator_sequences: as HolisticTraceAnalysis, where all calls have one depth" {
	peer=$TL_ROOT/../shared/traces/views/hta/h100-qwen
	[ -d "$peer" ] || skip 'no ../shared'
	for op in aten::linear aten::scaled_dot_product_attention; do
		tl-ops -q --sheets operator_sequences --sequences_of "^$op\$" -o s.tsv "$TL_ROOT/../shared/traces/pytorch/h100-qwen/input.json.gz"
		equal "$(awk -F '\t' 'NR > 1 { printf "%s|%s %d %d %d", $1, $7, $2, $5 * 1e6 + .5, $4 * 1e6 + .5; gsub(/ [|] /, "|") } END { print "" }' s.tsv | sed 's/ | /|/g')" \
			"$(cat "$peer"/sequences{,_*}.tsv | awk -F '\t' -v op="$op|" 'index($1, op) == 1 { print $1, $2, $3, $4 }')"
	done
}
