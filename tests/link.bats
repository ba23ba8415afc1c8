#!/usr/bin/env bats
# link.bats - tl-link: tree, launches, backward, recompute.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# A trace from lines `ph cat name pid tid ts dur|- [args]`, one event each; the
# args are JSON members, for arrows (ph s, f) the id. Event numbers are from 0.
trace() {
	awk 'BEGIN { printf "{\"traceEvents\": [" }
	{
		printf "%s\n{\"ph\": \"%s\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %s, \"tid\": %s, \"ts\": %s", \
			(NR > 1 ? "," : ""), $1, $2, $3, $4, $5, $6
		if ($7 != "-") printf ", \"dur\": %s", $7
		rest = ""
		for (i = 8; i <= NF; i++) rest = rest (i > 8 ? " " : "") $i
		if ($1 == "X") printf ", \"args\": {%s}}", rest
		else printf ", \"id\": %s}", rest
	}
	END { print "\n]}" }' >trace.json
}

# The links of trace.json as text, one a line: links [OPTION…]
links() {
	tl-link "$@" trace.json | tl-view --links | awk -F'\t' '$1 == "link" { print $2, $3 ($4 != "" ? " " $4 : "") }'
}

@test "the worked example gives these links" {
	cp "$TL_ROOT/tests/data/worked-example.json" trace.json
	run -0 --separate-stderr links
	equal "$output" "node 2
root 2
node 3 2
node 4 3
node 8 2
node 12 2
launch 4 5
launch 8 9
launch 12 13"
	equal "$stderr" ""
}

@test "events pass through unchanged" {
	tl-parse "$TL_ROOT/tests/data/worked-example.json" >parsed
	tl-link parsed | tl-view --no-links | grep -v ^header >after
	tl-view parsed | grep -v ^header >before
	cmp before after
}

@test "a saved stream, a stream on stdin and a raw trace give the same links" {
	f=$TL_ROOT/tests/data/worked-example.json
	tl-link --no-provenance "$f" >raw
	tl-parse --no-provenance "$f" >parsed
	tl-link --no-provenance parsed >saved
	tl-link --no-provenance <parsed >piped
	tl-link --no-provenance - <"$f" >raw_piped
	[ -s raw ]
	cmp raw saved
	cmp raw piped
	cmp raw raw_piped
}

@test "linking twice is linking once" {
	f=$TL_ROOT/tests/data/worked-example.json
	tl-link --no-provenance "$f" >once
	[ -s once ]
	tl-link --no-provenance once >twice
	cmp once twice
}

@test "a stream whose tables start anew is passed on as the raw trace is" {
	awk 'BEGIN {
		print "["
		for (i = 1; i <= 70000; i++)
			printf "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel%d\", \"pid\": %d, \"tid\": \"t%d\", \"ts\": %d, \"dur\": 5, \"args\": {\"correlation\": %d, \"text\": \"s%d\"}},\n" \
				"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 0, \"tid\": 7, \"ts\": %d, \"dur\": 5, \"args\": {\"stream\": 7, \"correlation\": %d}},\n", \
				i, i % 3, i % 5, i * 10, i, i, i * 10 + 3, i
		print "{\"ph\": \"i\", \"name\": \"last\", \"ts\": 1}]" }' >trace.json
	tl-link --no-provenance trace.json >raw
	tl-parse --no-provenance trace.json >parsed
	tl-link --no-provenance parsed >saved
	cmp raw saved
	tl-view --check saved
	equal "$(tl-view --links saved | grep -c '^link.launch')" 70000
}

@test "the header says that links follow, and whether frames are nodes" {
	trace <<-E
		X cpu_op a 1 1 0 10
	E
	run -0 --separate-stderr pipe 'tl-link trace.json | tl-view | grep -E "^header.(linked|python)"'
	equal "$output" $'header\tlinked\t1\nheader\tpython\t0'
	run -0 --separate-stderr pipe 'tl-link --python trace.json | tl-view | grep -E "^header.(linked|python)"'
	equal "$output" $'header\tlinked\t1\nheader\tpython\t1'
}

@test "an overlap below a microsecond makes a sibling, one of a microsecond drops the event" {
	trace <<-E
		X cpu_op outer 1 1 0 100
		X cpu_op a 1 1 1 9
		X cpu_op b 1 1 9.001 9
		X cpu_op c 1 1 17.001 9
	E
	run -0 --separate-stderr links
	equal "$output" "node 0
root 0
node 1 0
node 2 0
node 3"
}

@test "the overlap is exact whatever the clock's origin" {
	for origin in 0 1419247332500 6869181217913; do
		awk -v o="$origin" 'BEGIN {
			printf "X cpu_op outer 1 1 %.0f.000 100\nX cpu_op a 1 1 %.0f.100 9.7\nX cpu_op b 1 1 %.0f.801 9\nX cpu_op c 1 1 %.0f.801 9\n", o, o + 1, o + 9, o + 17 }' | trace
		run -0 --separate-stderr links
		equal "$output" "node 0
root 0
node 1 0
node 2 0
node 3" || { echo "origin $origin" >&2; return 1; }
	done
}

@test "the jitter rule needs two events on the stack" {
	trace <<-E
		X cpu_op a 1 1 0 10
		X cpu_op b 1 1 9.5 10
	E
	run -0 --separate-stderr links
	equal "$output" "node 0
root 0
node 1"
}

@test "of two events that start together the first in the file is the parent" {
	trace <<-E
		X cpu_op child 1 1 5 1
		X cpu_op parent 1 1 5 10
		X cpu_op later_parent 1 1 20 10
		X cpu_op later_child 1 1 20 1
	E
	run -0 --separate-stderr links
	equal "$output" "node 0
root 0
node 1
node 2
root 2
node 3 2"
}

# The links of 300 nested events on two threads, event numbers replaced by names;
# the file has them in $1 runs by time.
links_of_runs() {
	awk -v runs="$1" 'BEGIN {
		for (r = 0; r < runs; r++)
			for (i = r; i < 300; i += runs) {
				level = i % 5
				printf "X cpu_op op%d 1 %d %d %d\n", i, int(i / 5) % 2, int(i / 5) * 100 + level, 90 - 3 * level
			}
	}' | trace
	tl-link trace.json | tl-view | awk -F'\t' '
		$1 == "event" { name[$2] = $0; sub(/.*\top/, "op", name[$2]); sub(/\t.*/, "", name[$2]) }
		$1 == "link" { print $2, name[$3], $4 != "" ? name[$4] : "-" }'
}

@test "the tree is the same in few sorted runs, in many and out of order" {
	links_of_runs 1 >one
	equal "$(wc -l <one)" 360
	equal "$(head -n 3 one)" "node op0 -
root op0 -
node op1 op0"
	for runs in 2 3 150 300; do
		links_of_runs "$runs" >many
		cmp one many || { echo "$runs runs" >&2; return 1; }
	done
}

@test "threads are told apart by number and type" {
	trace <<-E
		X cpu_op a 1 1 0 100
		X cpu_op b 1 "1" 10 10
		X cpu_op c 2 1 10 10
		X cpu_op d 1 1 10 10
	E
	run -0 --separate-stderr links
	equal "$output" "node 0
root 0
node 1
root 1
node 2
root 2
node 3 0"
}

@test "a driver call inside a runtime call is its child, and both launch" {
	trace <<-E
		X cpu_op op 1 1 0 100
		X cuda_runtime cudaLaunchKernel 1 1 10 20 "correlation": 1
		X cuda_driver cuLaunchKernel 1 1 12 10 "correlation": 1
		X kernel k 0 7 50 5 "correlation": 1
		s ac2g ac2g 1 1 10 - 1
		f ac2g ac2g 0 7 50 - 1
	E
	run -0 --separate-stderr links
	equal "$output" "node 0
root 0
node 1 0
node 2 1
launch 1 3
launch 2 3"
}

@test "a graph launch owns every device event of its id, other calls one" {
	trace <<-E
		X cuda_runtime cudaGraphLaunch 1 1 0 5 "correlation": 1
		X kernel a 0 7 10 5 "correlation": 1
		X gpu_memset b 0 8 20 5 "correlation": 1
		X cuda_driver cuGraphLaunch 1 1 30 5 "correlation": 2
		X kernel c 0 7 40 5 "correlation": 2
		X kernel d 0 7 50 5 "correlation": 2
		s ac2g ac2g 1 1 30 - 2
		f ac2g ac2g 0 7 50 - 2
	E
	run -0 --separate-stderr links
	equal "$output" "node 0
node 3
launch 0 1
launch 0 2
launch 3 5"
}

@test "an arrow without its start, its end or its kernel links nothing" {
	trace <<-E
		X cuda_runtime cudaLaunchKernel 1 1 0 5 "correlation": 1
		X kernel a 0 7 10 5 "correlation": 1
		s ac2g ac2g 1 1 0 - 1
		X cuda_runtime cudaLaunchKernel 1 1 10 5 "correlation": 2
		X kernel b 0 7 20 5 "correlation": 2
		f ac2g ac2g 0 7 20 - 2
		X cuda_runtime cudaLaunchKernel 1 1 20 5 "correlation": 3
		X kernel c 0 7 30 5 "correlation": 3
		s ac2g ac2g 1 1 20 - 3
		f ac2g ac2g 0 8 30 - 3
	E
	run -0 --separate-stderr links
	equal "$output" "node 0
node 3
node 6"
}

@test "calls, kernels and arrows of an id belong together in any order" {
	trace <<-E
		f ac2g ac2g 0 7 50 - 1
		X kernel other_stream 0 8 50 5 "correlation": 1
		X kernel first 0 7 50 5 "correlation": 1
		X cuda_runtime cudaLaunchKernel 1 1 10 5 "correlation": 1
		s ac2g ac2g 1 1 10 - 1
		X kernel last 0 7 60 5 "correlation": 1
		X cuda_runtime cudaGraphLaunch 1 1 20 5 "correlation": 1
	E
	run -0 --separate-stderr links
	equal "$output" "node 3
node 6
launch 3 5
launch 6 1
launch 6 2
launch 6 5"
}

@test "without any arrow calls are linked by correlation, and a note says so" {
	trace <<-E
		X cuda_runtime cudaLaunchKernel 1 1 0 5 "correlation": 1
		X kernel a 0 7 10 5 "correlation": 1
		X cuda_runtime cudaLaunchKernel 1 1 20 5 "correlation": "1"
		X kernel b 0 7 30 5 "correlation": "1"
		X cuda_runtime cudaLaunchKernel 1 1 40 5 "correlation": 2
		X kernel c 0 7 50 5 "correlation": 2.0
	E
	run -0 --separate-stderr links
	equal "$output" "node 0
node 2
node 4
launch 0 1
launch 2 3
launch 4 5"
	like "$stderr" "no launch arrows"
	run -0 --separate-stderr links -q
	equal "$stderr" ""
}

@test "External id links when the first launch has no correlation, never to an annotation" {
	trace <<-E
		X cuda_runtime hipLaunchKernel 1 1 0 5 "External id": 9
		X kernel a 0 7 10 5 "External id": 9
		X gpu_user_annotation note 0 7 10 5 "External id": 9
		s ac2g ac2g 1 1 0 - 9
		f ac2g ac2g 0 7 10 - 9
	E
	run -0 --separate-stderr links
	equal "$output" "node 0
launch 0 1"
}

@test "a backward node belongs to the latest event of its number on another thread" {
	trace <<-E
		X cpu_op aten::mm 1 1 0 50 "Sequence number": 4
		X cpu_op aten::t 1 1 10 5 "Sequence number": 4
		X cpu_op autograd::engine::evaluate_function:MmBackward0 1 2 100 50 "Sequence number": 4
		X cpu_op MmBackward0 1 2 110 30 "Sequence number": 4
		X cpu_op autograd::engine::evaluate_function:X 1 1 60 5 "Sequence number": 5
		X cpu_op aten::x 1 1 70 5 "Sequence number": 5
	E
	run -0 --separate-stderr pipe 'tl-link trace.json | tl-view --links | grep backward'
	equal "$output" $'link\tbackward\t1\t2'
}

@test "an event without a start is nobody's forward event" {
	trace <<-E
		X other mark 1 1 3 5 "Sequence number": 4
		X cpu_op autograd::engine::evaluate_function:MmBackward0 1 2 100 50 "Sequence number": 4
	E
	equal "$(tl-link trace.json | tl-view --links | grep backward)" $'link\tbackward\t0\t1'
	sed -i 's/"ts": 3, //' trace.json
	equal "$(tl-link trace.json | tl-view --links | grep backward)" ''
}

@test "recompute marks a frame, all below it and its kernels" {
	trace <<-E
		X python_function nn.Module:Block_0 1 1 0 1000
		X python_function torch/utils/checkpoint.py(9):recompute_fn 1 1 10 500
		X cpu_op aten::mm 1 1 20 50
		X cuda_runtime cudaLaunchKernel 1 1 30 5 "correlation": 1
		X kernel k 0 7 90 5 "correlation": 1
		X cpu_op aten::mm 1 1 600 50
	E
	run -0 --separate-stderr links --detect_recompute -q
	equal "$output" "node 0
node 1 0
recompute 1
node 2 1
root 2
recompute 2
node 3 2
recompute 3
node 5 0
root 5
launch 3 4
recompute 4"
	run -0 --separate-stderr links --python -q
	refused=$(grep -c recompute <<<"$output") || true
	equal "$refused" 0
	run -0 --separate-stderr links -q
	equal "$output" "node 2
root 2
node 3 2
node 5
root 5
launch 3 4"
}

@test "a kernel that two calls launch is recomputed once" {
	trace <<-E
		X python_function torch/utils/checkpoint.py(9):recompute_fn 1 1 10 500
		X cuda_runtime cudaLaunchKernel 1 1 30 20 "correlation": 1
		X cuda_driver cuLaunchKernel 1 1 32 5 "correlation": 1
		X kernel k 0 7 90 5 "correlation": 1
	E
	equal "$(links --detect_recompute -q | grep -E '(launch|recompute) .*3' | paste -sd ' ')" 'launch 1 3 recompute 3 launch 2 3'
}

@test "events without start or duration are left out and counted" {
	cat >trace.json <<-'E'
		{"traceEvents": [
		{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 0, "dur": 100},
		{"ph": "X", "cat": "cpu_op", "name": "b", "pid": 1, "tid": 1, "ts": 5},
		{"ph": "X", "cat": "cpu_op", "name": "c", "pid": 1, "tid": 1, "dur": 5},
		{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 8, "dur": 5, "args": {"correlation": 1}},
		{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 20, "args": {"correlation": 1}}
		]}
	E
	run -0 --separate-stderr links
	equal "$output" "node 0
root 0
node 3 0"
	like "$stderr" "3 (host or device )?events"
}

@test "-v counts what took part" {
	run -0 --separate-stderr tl-link -v -o out "$TL_ROOT/tests/data/worked-example.json"
	equal "$stderr" "$(printf 'tl-link: %s\n' 'host events: 5' 'host events that fit nowhere in the tree: 0' 'device events: 3' \
		'device events linked to a call: 3' 'launch arrow ends: 6')"
}

@test "a deep tree neither overflows nor takes long" {
	awk 'BEGIN { for (i = 0; i < 100000; i++) printf "X cpu_op f 1 1 %d %d\n", i, 200000 - 2 * i }' | trace
	run -0 --separate-stderr pipe 'tl-link trace.json | tl-view --links | tail -n 2'
	like "$output" $'link\tnode\t99999\t99998'
}

@test "two files are a usage error" {
	run --separate-stderr tl-link a b
	failed 2 "one file"
}

# merged FILE…: generated traces as one, with labels before the pids, as SGLang's merge_profiles writes them; ids stay
merged() {
	python3 - "$@" <<-'P'
		import json, sys
		events = []
		for rank, path in enumerate(sys.argv[1:]):
		    for e in json.load(open(path))["traceEvents"]:
		        if "pid" in e:
		            e["pid"] = "[TP%02d-DP00-PP00-EP00] %s" % (rank, e["pid"])
		        if e.get("cat") == "ac2g" and rank == 2:
		            e["id"] = str(e["id"])
		        if rank == 2 and "correlation" in e.get("args", {}):
		            e["args"]["correlation"] = str(e["args"]["correlation"])
		        events.append(e)
		json.dump({"traceEvents": events}, sys.stdout)
	P
}

@test "ids of merged traces mean something within their label only" {
	need python3
	for seed in 1 2 3; do
		gen $seed.json -n 2000 --no-python --seed $seed
		tl-ops -q --sheets ops_summary --columns name,total_direct_kernel_time_ms $seed.json | tail -n +2
	done | awk -F'\t' -v OFS='\t' '{ sum[$1] += $2 } END { for (n in sum) printf "%s\t%.6f\n", n, sum[n] }' | sort >alone
	merged 1.json 2.json 3.json >merged.json
	run -0 --separate-stderr tl-ops --sheets ops_summary --columns name,total_direct_kernel_time_ms merged.json
	unlike "$stderr" 'left out|no runtime call'
	tail -n +2 <<<"$output" | awk -F'\t' '{ printf "%s\t%.6f\n", $1, $2 }' | sort | diff alone -
}
