#!/usr/bin/env bats
# tree.bats - tl-tree: the call tree, and stacks with what they cost.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers
# bats file_tags=quick

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# two_streams FILE: a step, functions, operators and a range; on two streams work that overlaps; a kernel that no call launched
two_streams() {
	event '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#7","pid":1,"tid":1,"ts":0,"dur":2000,"args":{}}'
	frame 'a.py(1): f;g' 10 1500
	op aten::linear 20 600
	op aten::mm 30 500
	call 1 40 50; gpu 1 gemm 300 400 7
	call 2 100 50; gpu 2 ncclDevKernel_AllReduce 500 500 8
	op aten::add 700 100
	call 3 710 20; gpu 3 add 1100 100 7
	lone 99 lost 1150 100
	trace "$1"
}

# folded SHEET FILE [SHEET…]: the lines of a sheet for programs that draw flame graphs
folded() {
	tl-tree -q --sheets "$1" --format folded "$2"
}

# sum: of the numbers at the end of lines
sum() {
	awk '{ s += $NF } END { printf "%d\n", s }'
}

@test "stacks of busy time: a moment counts once, computation before communication, kernels at once share it" {
	two_streams t.json
	equal "$(folded stacks_busy t.json)" "$(cat <<'END'
ProfilerStep#N;a.py(1): f:g;aten::linear;aten::mm;cudaLaunchKernel;gemm 400000
ProfilerStep#N;a.py(1): f:g;aten::linear;aten::mm;cudaLaunchKernel;ncclDevKernel_AllReduce 300000
(no call);lost 75000
ProfilerStep#N;a.py(1): f:g;aten::add;cudaLaunchKernel;add 75000
END
)"
	equal "$(tl-timeline -q --sheets device_times --columns busy_ms t.json | tail -n 1)" 0.85
	equal "$(tl-tree -q --sheets stacks_busy t.json | head -n 1)" $'stack\ttime_ns'
	run -2 --separate-stderr tl-tree -q --format folded t.json
	failed 2 '--format folded is for sheets of a stack and a number, as those of tl-tree: call_tree has 11 columns'
}

@test "stacks of idle time begin with the cause and sum up to it" {
	two_streams t.json
	tl-sheets -q -d out --sheets ledger,stacks_idle t.json >/dev/null
	tail -n +2 out/stacks_idle.tsv | awk -F'\t' '{ split($1, f, ";"); s[f[1]] += $2 } END { for (c in s) printf "%s\t%.6g\n", c, s[c] / 1e6 }' | sort >sums
	awk -F'\t' 'NR > 1 && $5 { printf "%s\t%.6g\n", $5, $6 }' out/ledger.tsv | sort >ledger
	[ -s sums ]
	diff ledger sums
	grep -q '^launch-bound;ProfilerStep#N;a.py(1): f:g;aten::linear;aten::mm 	' <(sed 's/\t/ \t/' out/stacks_idle.tsv)
}

@test "several devices: the first frame is the device, and each has its busy time" {
	for rank in 0 1; do
		tl-gen --tp 2 --steps 2 --rank $rank >rank_$rank.json
	done
	tl-fuse -q -o trace.json rank_0.json rank_1.json
	tl-sheets -q -d out --sheets device_times,stacks_busy trace.json >/dev/null
	for rank in 0 1; do
		equal "$rank $(grep "^rank ${rank}[^;]*;" out/stacks_busy.tsv | sum)" \
			"$rank $(awk -F'\t' -v r=$rank 'NR > 1 && $1 == r { printf "%d\n", $5 * 1e6 + 0.5 }' out/device_times.tsv)"
	done
	equal "$(tail -n +2 out/stacks_busy.tsv | sum)" "$(tail -n +2 out/device_times.tsv | cut -f 5 | awk '{ s += $1 * 1e6 } END { printf "%d\n", s + 0.5 }')"
}

@test "memory at the peak by the stack that allocated it" {
	tl-gen -n 2000 --memory >trace.json
	tl-sheets -q -d out --sheets memory_summary,stacks_memory trace.json >/dev/null
	peaks() { tl-memory -q --sheets memory_summary --columns peak_allocated_bytes "$1" | tail -n +2 | sum; }
	equal "$(folded stacks_memory trace.json | sum)" "$(peaks trace.json)"
	grep -q 'aten::' out/stacks_memory.tsv
}

@test "the tree: a row an event, parents and what is below; levels and rows that are left out are counted" {
	two_streams t.json
	tree() { tl-tree -q --columns name,depth,UID,matches,host_us,host_self_us,device_us,device_events,left_out "$@" t.json | tail -n +2; }
	equal "$(tree --under '^aten::mm$')" "$(cat <<'END'
ProfilerStep#7	0	0	False	2000.0	500.0	1000.0	3	0
a.py(1): f;g	1	1	False	1500.0	800.0	1000.0	3	0
aten::linear	2	2	False	600.0	100.0	900.0	2	0
aten::mm	3	3	True	500.0	400.0	900.0	2	0
cudaLaunchKernel	4	4	False	50.0	50.0	400.0	1	0
gemm	5	6	False			400.0		
cudaLaunchKernel	4	8	False	50.0	50.0	500.0	1	0
ncclDevKernel_AllReduce	5	10	False			500.0		
END
)"
	equal "$(tree --under '^aten::(mm|add)$' --depth 0 | cut -f 1,4,9)" "$(cat <<'END'
ProfilerStep#7	False	0
a.py(1): f;g	False	0
aten::linear	False	0
aten::mm	True	4
aten::add	True	2
END
)"
	equal "$(tree --under 6 | cut -f 1,2,4)" "$(tree --under gemm | cut -f 1,2,4)"
	equal "$(tree --under gemm | cut -f 1 | tail -n 2)" $'cudaLaunchKernel\ngemm'
	equal "$(tree | wc -l)" 12
	equal "$(tree --nodes 3 | tail -n 1)" $'(more)\t\t\t\t\t600.0\t1100.0\t\t9'
	equal "$(tree --depth 1 | cut -f 1,9)" $'ProfilerStep#7\t0\na.py(1): f;g\t9\nlost\t'
	run -0 --separate-stderr tl-tree --under nowhere t.json
	like "$stderr" 'tl-tree: warning: t.json: --under: no such operator, function, range, call or device event'
	run -0 --separate-stderr tl-tree --under 4000 t.json
	like "$stderr" 'warning: t.json: --under: no such'
	run -2 --separate-stderr tl-tree --under '(' t.json
	failed 2 "--under: '\\(': missing closing parenthesis"
	run -2 --separate-stderr tl-tree --sheets stacks_busy --depth 2 t.json
	like "$stderr" '--depth has no effect without --sheets call_tree'
}

@test "busy and idle time of recorded traces, to the nanosecond" {
	[ -d "$TL_ROOT/../shared/traces/pytorch" ] || skip 'no recorded traces here'
	for case in h100-bert mi300-resnet h100-owlv2 vllm-piecewise mi210-gpu-only; do
		tl-sheets -q -d out --sheets device_times,ledger,stacks_busy,stacks_idle "$TL_ROOT/../shared/traces/pytorch/$case/input.json.gz" >/dev/null
		equal "$case $(tail -n +2 out/stacks_busy.tsv | sum)" "$case $(awk -F'\t' 'NR > 1 { s += $5 * 1e6 } END { printf "%d\n", s + 0.5 }' out/device_times.tsv)"
		equal "$case $(tail -n +2 out/stacks_busy.tsv out/stacks_idle.tsv | awk -F'\t' 'NF == 2 && $2 != "time_ns" { s += $2 } END { printf "%d\n", s }')" \
			"$case $(awk -F'\t' 'NR > 1 { s += $6 * 1e6 } END { printf "%d\n", s + 0.5 }' out/ledger.tsv)"
		rm -r out
	done
}
