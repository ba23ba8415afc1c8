#!/usr/bin/env bats
# fuse.bats - tl-fuse: traces of ranks as one.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# rank_trace FILE RANK [MEMBERS]: a trace with a launch, its kernel, an arrow from forward to backward, a frame
rank_trace() {
	EVENTS=()
	event '{"ph":"M","name":"process_name","pid":1,"tid":0,"ts":0,"args":{"name":"python"}}'
	event '{"ph":"M","name":"thread_name","pid":0,"tid":7,"ts":0,"args":{"name":"stream 7"}}'
	event '{"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":"x","ts":5,"dur":90,"args":{}}'
	frame "main.py(1): f" 5 90
	op aten::mm 10 40 '"External id":3,"Sequence number":8'
	call 12 20 5
	gpu 12 gemm 30 20.5
	lone 13 ncclDevKernel_AllReduce 60 5
	event '{"ph":"s","cat":"fwdbwd","name":"fwdbwd","id":"0x1f","pid":1,"tid":1,"ts":10}'
	printf '{"schemaVersion":1,"distributedInfo":{"rank":%s},%s"traceEvents":[%s]}\n' "$2" "${3-}" \
		"$(IFS=,; echo "${EVENTS[*]}")" >"$1"
	EVENTS=()
}
# events [PATTERN]: of standard input, with this in their line
events() {
	grep '^{"ph"' | grep -E -- "${1-}" | sed 's/,$//; s/\]}$//'
}
# of MEMBER: of each line of standard input, the number or text
of() {
	sed -nE "s/.*\"$1\":(\"[^\"]*\"|[-0-9.]+).*/\1/p" | paste -sd ' '
}

@test "events say their rank, and ids of ranks are apart: arrows still meet their kernels" {
	rank_trace a.json 0
	rank_trace b.json 3
	sed -i 's/"traceEvents":\[/&{"ph":"X","cat":"cuda_sync","name":"Stream Wait Event","pid":0,"tid":7,"ts":55,"dur":1,"args":{"wait_on_cuda_event_record_corr_id":12}},/' a.json b.json
	tl-fuse -o fused.json a.json b.json
	events '"gemm"' <fused.json >kernels
	equal "$(of rank <kernels)" '0 3'
	equal "$(of pid <kernels)" '0 300'
	equal "$(of pid_raw <kernels)" '0 0'
	equal "$(of correlation <kernels)" '12 3012'
	equal "$(of correlation_raw <kernels)" '12 12'
	equal "$(events '"ph":"f"' <fused.json | of id)" '12 3012'
	equal "$(events '"ph":"s","cat":"ac2g"' <fused.json | of id)" '12 3012'
	equal "$(events '"aten::mm"' <fused.json | of 'External id')" '3 3003'
	equal "$(events '"aten::mm"' <fused.json | of 'Sequence number')" '8 3008'
	equal "$(events fwdbwd <fused.json | of id)" '"0:0x1f" "3:0x1f"'
	equal "$(events cuda_sync <fused.json | of wait_on_cuda_event_record_corr_id)" '12 3012'
}

@test "processes are named by rank and kind, threads keep their names" {
	rank_trace a.json 1
	rank_trace b.json 0
	tl-fuse a.json b.json >fused.json
	equal "$(events '"process_name"' <fused.json | sed -E 's/.*"pid":([0-9]+).*"name":"([^"]*)"\}\}/\1 \2/' | paste -sd ,)" \
		'0 RANK 0 - GPU,1 RANK 0 - CPU,100 RANK 1 - GPU,101 RANK 1 - CPU'
	equal "$(events '"process_sort_index"' <fused.json | of sort_index)" '1 0 3 2'
	equal "$(events '"thread_name"' <fused.json | of pid)" '100 0'
	unlike "$(cat fused.json)" '"python"'
}

@test "Python frames and events of the profiler are left out unless they are asked for" {
	rank_trace a.json 0
	run -0 --separate-stderr tl-fuse -v -o usual.json a.json
	like "$stderr" 'a.json: rank 0, 8 events, 3 left out'
	unlike "$(cat usual.json)" 'python_function|"Trace"'
	tl-fuse --include_pyfunc a.json >python.json
	equal "$(events python_function <python.json | wc -l)" 1
	unlike "$(cat python.json)" '"Trace"'
	tl-fuse --all 2=a.json >all.json
	equal "$(events '"Trace"' <all.json | of pid)" '"RANK 2 Spans"'
	equal "$(events python_function <all.json | of pid)" 201
}

@test "filters: categories, names, collectives" {
	rank_trace a.json 0
	lone 20 my_exchange 80 5
	trace other.json
	named() { events '"cat"' | of name; }
	equal "$(tl-fuse --categories kernel,cpu_op a.json | named)" '"aten::mm" "gemm" "ncclDevKernel_AllReduce"'
	equal "$(tl-fuse --name '^(ge|aten)' a.json | named)" '"aten::mm" "gemm"'
	equal "$(tl-fuse --collectives a.json | named)" '"ncclDevKernel_AllReduce"'
	equal "$(tl-fuse --categories cpu_op --collectives a.json | named)" ''
	printf '1\tcommunication\tmy_exchange\n' >rules
	equal "$(tl-fuse --collectives --communication rules 1=other.json a.json | named)" '"my_exchange" "ncclDevKernel_AllReduce"'
	equal "$(tl-fuse --collectives a.json | events thread_name | wc -l)" 1
	equal "$(tl-fuse --collectives --reference a.json | events thread_name | wc -l)" 0
}

@test "the rank: before the file, else in the trace, its name, its path, or by the order; of copies the names count" {
	rank_trace trace.json 5
	mkdir rank_4
	cp trace.json rank-2.json
	cp trace.json rank_4/t.json
	cp trace.json s0007.json
	cp trace.json 'x-rank[8].json'
	ranks() { tl-fuse -q "$@" | events gemm | of rank; }
	equal "$(ranks 9=rank-2.json rank-2.json rank_4/t.json trace.json)" '9 2 4 5'
	run -0 --separate-stderr tl-fuse -o out.json rank-2.json
	like "$stderr" 'rank-2.json: the trace says that it is of rank 5, its name 2: what the trace says is taken'
	equal "$(events gemm <out.json | of rank)" 5
	run -0 --separate-stderr tl-fuse -o out.json 2=rank-2.json
	like "$stderr" 'rank-2.json: the trace says that it is of rank 5; 2 is taken'
	event '{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":1,"dur":2,"args":{}}'
	trace none.json
	cp none.json none2.json
	cp none.json s0007.json
	cp none.json 'x-rank[8].json'
	equal "$(ranks --rank_regex '^s(?:0*)(\d+)' s0007.json)" 7
	equal "$(ranks 'x-rank[8].json')" 8
	equal "$(ranks none.json none2.json)" '0 1'
	run -0 --separate-stderr tl-fuse -o out.json none.json none2.json
	like "$stderr" 'neither the traces nor their names tell ranks: they are numbered by their order, from none.json'
	run -1 --separate-stderr tl-fuse none.json trace.json
	failed 1 'none.json: neither the trace nor its name tells the rank, others do: say RANK=none.json'
	run -1 --separate-stderr tl-fuse -o twice.json trace.json 5=none.json
	failed 1 'its rank is 5, as is that of'
	[ ! -e twice.json ]
}

@test "pipes, standard input, gzip and streams are read, gzip and streams are written" {
	rank_trace a.json 0
	rank_trace b.json 1
	tl-fuse -o plain.json a.json b.json
	tl-fuse -o packed.json.gz a.json b.json
	gzip -dc packed.json.gz | cmp - plain.json
	gzip -c a.json >a.gz
	tl-parse -o b.tls b.json
	TMPDIR=$PWD/spool
	mkdir "$TMPDIR"
	TMPDIR=$TMPDIR tl-fuse a.gz - <b.tls | cmp - plain.json
	TMPDIR=$TMPDIR tl-fuse <(cat a.json) <(tl-link b.tls) | cmp - plain.json
	equal "$(ls "$TMPDIR")" ''
	tl-fuse --stream a.json b.json | tl-view --chrome >view.json
	cmp view.json plain.json
}

@test "a fused trace is a joined trace for the filters: a part by rank, the devices of each" {
	for rank in 0 1 2; do
		tl-gen -n 300 --seed $rank >"rank$rank.json"
	done
	tl-fuse -q -o fused.json rank*.json
	tl-link fused.json | tl-slice -q --rank 1 | tl-timeline -q -o part.tsv
	tl-parse rank1.json | tl-link | tl-timeline -q -o whole.tsv
	cmp part.tsv whole.tsv
	tl-link fused.json | tl-timeline -q --sheets gpu_timeline_by_device >devices.tsv
	equal "$(cut -f 1 devices.tsv | sort -u | paste -sd ' ')" '0 1 2 rank'
	# every kernel finds its own launch
	links() { tl-link | tl-view --links | grep -c launch; }
	equal "$(tl-parse fused.json | links)" $(($(tl-parse rank0.json | links) + $(tl-parse rank1.json | links) + $(tl-parse rank2.json | links)))
}

# bats test_tags=quick
@test "times count from the base of the first trace; members that differ are left out" {
	rank_trace a.json 0 '"baseTimeNanoseconds":1000000,"traceName":"a",'
	rank_trace b.json 1 '"baseTimeNanoseconds":1002500,"traceName":"b",'
	tl-fuse a.json b.json >fused.json
	equal "$(events '"gemm"' <fused.json | of ts)" '30 32.5'
	like "$(cat fused.json)" '"baseTimeNanoseconds": 1000000,'
	like "$(cat fused.json)" '"schemaVersion": 1,'
	unlike "$(cat fused.json)" 'traceName|distributedInfo'
	tl-fuse --reference a.json b.json >reference.json
	equal "$(events '"gemm"' <reference.json | of ts)" '30 30'
	unlike "$(cat reference.json)" 'schemaVersion'
}

# stream TICKS [BASE] LINE…: the stream of an event for each LINE, its columns from the kind on
stream() {
	local ticks=$1 base=$2 n=0 line
	shift 2
	{
		printf 'tls\t2.0\nheader\tticks_per_us\t%s\n' "$ticks"
		for line; do
			printf 'event\t%d\t%b\n' $((n++)) "$line"
		done
		[ -z "$base" ] || printf 'meta\tbaseTimeNanoseconds\t%s\n' "$base"
		echo end
	} | tl-view -b
}
# fused TRACE…: kind, ts, dur, pid, tid and the arguments of what the traces give
fused() {
	tl-fuse -q --stream "$@" | tl-view | awk '/^event/' | cut -f 3-7,12-
}

@test "clocks: ticks become those of the finest, times count from the first trace's base" {
	local k='kernel\t7\t2\t1\t2\t\tX\tk\t'
	stream 1000 5000 "$k" >ns
	stream 1000000 7000 "$k" >fine
	stream 1000 '' "$k" >none
	equal "$(fused 0=ns 1=fine | grep -v ^meta | cut -f 2,3)" $'7000\t2000\n2000007\t2'
	equal "$(fused 0=fine 1=ns | grep -v ^meta | cut -f 2,3)" $'7\t2\n-1993000\t2000'
	equal "$(fused 0=none 1=ns | grep -v ^meta | cut -f 2,3)" $'7\t2\n7\t2'
	equal "$(fused 0=ns 1=none | grep -v ^meta | cut -f 2,3)" $'7\t2\n7\t2'
	stream 1500 '' "$k" >odd
	run -1 --separate-stderr tl-fuse -o out 0=fine 1=odd
	failed 1 'odd: its clock has 1500 ticks a microsecond, that of another trace 1000000'
	stream 1000 9223372036854775807 "$k" >far
	run -1 --separate-stderr tl-fuse -o out 0=fine 1=far
	failed 1 'far: baseTimeNanoseconds 9223372036854775807 is too far from 7000, that of the first trace'
	stream 1000 '' 'kernel\t9223372036854775807\t2\t1\t2\t\tX\tk\t' >late
	stream 1000 '' 'kernel\t7\t9223372036854775807\t1\t2\t\tX\tk\t' >long
	for trace in late long; do
		run -1 --separate-stderr tl-fuse -o out 0=fine 1=$trace
		failed 1 "$trace: the time of an event does not fit with the times of the other traces"
	done
}

@test "processes without a number, without any; only those with events get a name" {
	stream 1000 '' 'meta\t\t\t9\t0\t\tM\tthread_name\ta\tname:s=t' 'cpu_op\t1\t2\t""\t2\t\tX\ta\t' 'cpu_op\t1\t2\t"x y"\t2\t\tX\tb\t' \
		'cpu_op\t1\t2\t\t2\t\tX\tc\t' 'cpu_op\t1\t2\t5\t2\t\tX\td\t' 'kernel\t1\t2\t6\t2\t\tX\te\t' 'cpu_op\t1\t2\t6\t2\t\tX\tf\t\trank:i=77' >t
	equal "$(fused 3=t | cut -f 1,4-)" "$(printf '%s\n' $'meta\t309\t0\tname:s=t\trank:i=3\tpid_raw:i=9' $'cpu_op\t"RANK 3"\t2\trank:i=3\tpid_raw:j=""' \
		$'cpu_op\t"RANK 3 x y"\t2\trank:i=3\tpid_raw:j="x y"' $'cpu_op\t\t2\trank:i=3' $'cpu_op\t305\t2\trank:i=3\tpid_raw:i=5' \
		$'kernel\t306\t2\trank:i=3\tpid_raw:i=6' $'cpu_op\t306\t2\trank:i=3\tpid_raw:i=6' $'meta\t305\t0\tname:s=RANK 3 - CPU' \
		$'meta\t305\t0\tsort_index:i=6' $'meta\t306\t0\tname:s=RANK 3 - GPU' $'meta\t306\t0\tsort_index:i=7')"
}

@test "--reference: a step for each kind of id, from the first trace" {
	rank_trace a.json 0
	rank_trace b.json 1
	sed -i 's/"correlation":13/"correlation":1300/; s/"pid":1,/"pid":77,/g' b.json
	tl-fuse a.json b.json >usual.json
	equal "$(events '"gemm"' <usual.json | of correlation)" '12 100012'
	equal "$(events '"aten::mm"' <usual.json | of pid)" '1 1077'
	tl-fuse --reference a.json b.json >reference.json
	equal "$(events '"gemm"' <reference.json | of correlation)" '12 1012'
	equal "$(events '"aten::mm"' <reference.json | of pid)" '1 177'
	equal "$(events '"aten::mm"' <reference.json | of 'External id')" '3 3'
	equal "$(events fwdbwd <reference.json | of id)" '"0x1f" "0x1f"'
}

@test "steps shrink so that pids stay in 32 bits; what cannot be kept apart is told" {
	event '{"ph":"X","cat":"kernel","name":"k","pid":4194303,"tid":7,"ts":1,"dur":2,"args":{"correlation":18014398509481984}}'
	trace t.json
	pid() { tl-fuse -q "$1"=t.json | events '"k"' | of pid; }
	equal "$(pid 42)" 4204194303
	equal "$(pid 400)" 4004194303
	equal "$(pid 1000)" 4198498303
	run -0 --separate-stderr tl-fuse -o out.json 1024=t.json
	like "$stderr" 'pids exceed 32 bits'
	equal "$(tl-fuse -q 3=t.json | events '"k"' | of correlation)" 18014398509481984 # beyond 2^53: as it was
}

@test "a damaged trace leaves no output, a joined one can be fused again" {
	rank_trace a.json 0
	rank_trace b.json 1
	head -c 900 b.json >cut.json
	run -1 --separate-stderr tl-fuse -o out.json a.json 1=cut.json
	failed 1 'cut.json: '
	[ ! -e out.json ]
	tl-fuse -q --lenient -o out.json a.json 1=cut.json
	equal "$(events aten::mm <out.json | of rank)" '0 1'
	tl-fuse -q 2=out.json | tl-fuse -q 4=- >again.json
	equal "$(events aten::mm <again.json | of rank)" '4 4'
	equal "$(events '"gemm"' <again.json | grep -o '"rank"' | wc -l)" "$(events '"gemm"' <again.json | wc -l)"
}

@test "wrong options are told" {
	rank_trace a.json 0
	for options in '--all --collectives' '--include_pyfunc --name x' '--communication table' '--name (' '--rank_regex rank' '--rank_regex ('; do
		run -2 --separate-stderr tl-fuse $options a.json
		failed 2 "${options%% *}"
	done
	run -1 --separate-stderr tl-fuse -o a.json a.json
	failed 1 'the output is the input'
}

# ends FILE: by how many us the ends of a collective on its ranks differ at most
ends() {
	tl-view "$1" | awk -F'\t' '$1 == "event" && /nccl/ {
		for (i = 11; i <= NF; i++) { if ($i ~ /^Process Group Name:/) group = $i; if ($i ~ /^rank:/) rank = $i }
		at = group " " ++n[group, rank]; end = $4 + $5
		if (!(at in most) || end > most[at]) most[at] = end
		if (!(at in least) || end < least[at]) least[at] = end
		seen++
	} END {
		for (at in most) { d = (most[at] - least[at]) / 1000; worst = d > worst ? d : worst }
		print seen, (worst < 1 ? "below 1" : worst < 5000 ? "below 5000" : "more")
	}'
}

@test "--align: times by one clock, as tl-ranks finds it" {
	local r
	for r in 0 1 2 3; do
		tl-gen --tp 2 --dp 2 --steps 3 --layers 1 --clocks 2000 --ahead 2 --rank $r >rank$r.json
	done
	tl-fuse -q --stream -o raw.tl rank?.json
	run -0 --separate-stderr tl-fuse --align --stream -o aligned.tl 7=rank0.json rank1.json - rank3.json <rank2.json
	like "$stderr" '<stdin>: its clock is 3599[0-9]{6}[.0-9]+ us ahead of that of rank'
	tl-fuse -q --align --stream -o aligned.tl rank?.json
	equal "$(ends raw.tl | cut -d ' ' -f 2)" more
	like "$(ends aligned.tl)" '^[1-9][0-9]* below 1$'
	# what is left out with a word
	sed 's/nccl/other/g; s/"Collective name":"[^"]*",//g' rank1.json >alone.json
	run -0 --separate-stderr tl-fuse --align --stream -o aligned.tl rank0.json 1=alone.json rank2.json rank3.json
	like "$stderr" 'warning: 1 of 4 traces have no collective that tells their clock: their times stay as they are'
	run -1 --separate-stderr tl-fuse --align --stream -o none.tl 0=alone.json 1=alone.json
	failed 1 '--align: tl-ranks cannot tell how far the clocks are apart'
	[ ! -e none.tl ]
	run -2 --separate-stderr tl-fuse --align --reference rank0.json
	like "$stderr" '--reference has no effect with --align'
}

@test "what is no trace is refused before it ends" {
	run -1 --separate-stderr timeout 60 tl-fuse -q -o none.json /dev/zero
	failed 1 '/dev/zero: byte 0: not a trace: starts with bytes 00 00'
	run -1 --separate-stderr pipe 'yes | timeout 60 tl-fuse -q -o none.json'
	failed 1 'not a trace'
	[ ! -e none.json ]
}

@test "counters stay as they were written" {
	local rank
	for rank in 0 1; do
		printf '{"schemaVersion": 1, "distributedInfo": {"rank": %s}, "traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 4, "dur": 9,
			"args": {"stream": 7, "correlation": 7}}, {"ph": "C", "name": "load", "pid": 1, "ts": 5, "args": {"v": 3}}]}' "$rank" >"c$rank.json"
	done
	tl-fuse -q --all c0.json c1.json >fused.json
	equal "$(grep -o '"args":{"v":3[^}]*}' fused.json | wc -l) $(grep -c '"value"' fused.json)" '2 0'
}
