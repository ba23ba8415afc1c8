#!/usr/bin/env bats
# perfetto-view.bats - tl-view --perfetto: what Perfetto is shown, and that tl-parse reads the events as they were.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# odd: a trace with events of all shapes
odd() {
	cat <<-'END'
	{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}], "distributedInfo": {"rank": 3, "world_size": 8},
	"traceEvents": [
	{"ph": "M", "name": "process_name", "pid": 10, "tid": 0, "ts": 0, "args": {"name": "python"}},
	{"ph": "M", "name": "process_labels", "pid": 0, "tid": 0, "ts": 0, "args": {"labels": "GPU 0"}},
	{"ph": "M", "name": "thread_name", "pid": 0, "tid": 7, "ts": 0, "args": {"name": "stream 7 "}},
	{"ph": "X", "cat": "cpu_op", "name": "outer", "pid": 10, "tid": 11, "ts": 1, "dur": 10},
	{"ph": "X", "cat": "cpu_op", "name": "cut", "pid": 10, "tid": 11, "ts": 5, "dur": 10},
	{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 10, "tid": 11, "ts": 6, "dur": 1, "args": {"correlation": 1}},
	{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 10, "tid": 11, "ts": 6, "dur": 0, "args": {"correlation": 2}},
	{"ph": "X", "cat": "kernel", "name": "k1", "pid": 0, "tid": 7, "ts": 20, "dur": 10, "args": {"stream": 7, "correlation": 1, "grid": [1, 2, 3], "real": 1.50, "none": null}},
	{"ph": "X", "cat": "kernel", "name": "k2", "pid": 0, "tid": 7, "ts": 22, "dur": 3, "args": {"stream": 7, "correlation": 2}},
	{"ph": "X", "cat": "kernel", "name": "k3", "pid": 0, "tid": 7, "ts": 30, "dur": 0, "args": {"stream": 7}},
	{"ph": "X", "cat": "kernel", "name": "k4", "pid": 0, "tid": 7, "ts": -5, "dur": 6, "args": {"stream": 7}},
	{"ph": "X", "cat": "cpu_op", "name": "no end", "pid": 10, "tid": 11, "ts": 7},
	{"ph": "X", "cat": "cpu_op", "name": "no start", "pid": 10, "tid": 11, "dur": 7},
	{"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 10, "tid": 11, "ts": 8.5, "s": "t", "args": {"Bytes": 512, "Addr": 1, "Device Type": 1, "Device Id": 0, "Total Allocated": 512, "Total Reserved": 1024}},
	{"ph": "C", "name": "count", "pid": 10, "tid": 11, "ts": 9, "args": {"v": 3}},
	{"ph": "s", "cat": "ac2g", "name": "ac2g", "id": 1, "pid": 10, "tid": 11, "ts": 6},
	{"ph": "f", "cat": "ac2g", "name": "ac2g", "id": 1, "pid": 0, "tid": 7, "ts": 20, "bp": "e"},
	{"ph": "X", "cat": "", "name": "", "pid": "Spans", "tid": "PyTorch Profiler", "ts": 1.0, "dur": 30},
	{"name": "bare"}
	]}
	END
}

# packets: standard input as protoc decodes it, without what it does not know
packets() {
	need protoc
	protoc --decode=perfetto.protos.Trace -I "$TL_ROOT/tests/tools" perfetto.proto
}

# text: an event stream as text; members first, whose place among the events is not kept
text() {
	tl-view >all
	grep '^meta' all || true
	grep -v '^meta' all
}

# comes_back FILE [OPTION]…: the events of the trace are those that tl-parse reads of its packets
comes_back() {
	tl-parse -q --no-provenance "${@:2}" -o was.tls "$1"
	tl-view --perfetto -q -o there.pftrace was.tls
	tl-parse --no-provenance there.pftrace >back.tls 2>said
	equal "$(<said)" ''
	text <was.tls >was
	text <back.tls >back
	cmp was back
}

# bats test_tags=quick
@test "the events come back as they were: of any shape, of each profiler" {
	odd >odd.json
	comes_back odd.json
	tl-gen -n 3000 >gen.json
	comes_back gen.json
	tl-parse -q gen.json | tl-link --python | tl-view --perfetto | tl-parse --no-provenance | text | cmp - back
	gzip there.pftrace
	tl-parse --no-provenance there.pftrace.gz | cmp - back.tls
	printf '{"traceEvents": []}' >none.json
	comes_back none.json
	printf '1:{ 8:1 10:2 11:{ 9:3 23:"x" 4:{ 10:"begin_ns" 4:5 } 4:{ 10:"delta_ns" 4:7 } } }' | "$TL_TOOLS/protobuf" >foreign.pftrace
	comes_back foreign.pftrace
	"$TL_TOOLS/pftrace" 50 >rocm.pftrace
	comes_back rocm.pftrace
}

@test "an event may have as many arguments as its source gave it" {
	jq -n '{ traceEvents: [ { ph: "X", cat: "cpu_op", name: "x", pid: 1, tid: 1, ts: 1, dur: 1, args: ([range(4000) | { "a\(.)": . }] | add) } ] }' >many.json ||
		skip 'jq is not here'
	comes_back many.json
}

# bats test_tags=quick
@test "texts of any length, with NUL bytes or none at all" {
	local long n
	long=$(printf '%300000s' '' | tr ' ' x)
	for n in 0 1 2; do
		event "{\"ph\": \"X\", \"cat\": \"c$n$long\", \"name\": \"n$n$long\", \"pid\": 1, \"tid\": 1, \"ts\": $n, \"dur\": 1, \"args\": {\"k$n$long\": \"v$long\", \"\": \"\", \"l\": [\"$long\"]}}"
	done
	device_trace long.json ''
	comes_back long.json
	printf '%s' '{"traceEvents": [{"ph": "X", "cat": "a\u0000b", "name": "\u0000", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "args": {"k\u0000": "\u0000v\u0000"}}]}' >nul.json
	comes_back nul.json
}

@test "ticks finer than nanoseconds are rounded for the viewer, and told; they come back exactly" {
	printf '%s\n' $'tls\t2.0' $'header\tsource\txplane' $'header\tticks_per_us\t1000000' $'event\t0\tkernel\t1499\t1002\t1\t2\t\tX\tk\ta' \
		$'event\t1\tkernel\t3000\t2000\t1\t2\t\tX\tk\ta' end >ps.txt
	run -0 --separate-stderr tl-view --perfetto -o ps.pftrace ps.txt
	equal "$stderr" 'tl-view: ps.txt: times of 1 events are no whole nanoseconds, rounded for the viewer'
	equal "$(tl-parse ps.pftrace | tl-view | grep '^event')" "$(grep '^event' ps.txt)"
	equal "$(packets <ps.pftrace | awk '$1 == "timestamp:" { ts = $2 } $1 == "track_uuid:" && $2 >= 16777216 { print ts }' | paste -sd ' ')" '1 3 3 5'
}

@test "each packet is of the format; what overlaps is on a track of its own" {
	odd >odd.json
	run -0 --separate-stderr pipe 'tl-parse -q odd.json | tl-view --perfetto -v -o odd.pftrace'
	equal "$stderr" 'tl-view: <stdin>: 1 events begin before the time 0 or end beyond what the viewer knows, shown from and up to there
tl-view: <stdin>: 9 spans, 2 instants, 1 arrows; 2 events on 2 further tracks, as they overlap; 7 events are kept, but not shown
tl-view: <stdin>: 18 events, 0 links, 5 members'
	packets <odd.pftrace >odd.txt
	refute grep -nE '^ *[0-9]+[:{ ]' odd.txt
	equal "$(awk '$1 == "uuid:" { uuid = $2 } $1 == "track_descriptor" { name = "" }
		$1 ~ /^(name|process_name|thread_name|pid|tid):$/ && uuid { print uuid, $0 } /^}/ { uuid = "" }' odd.txt | tr -s ' ')" '1 pid: 10
1 process_name: "rank 3 python"
3 name: "rank 3 GPU 0"
2 name: "rank 3 process Spans"
67108864 name: "stream 7"
67108865 name: "stream 7 (2)"
83886080 pid: 10
83886080 tid: 11
83886080 thread_name: "thread 11"
83886081 name: "thread 11 (2)"
100663296 name: "thread PyTorch Profiler"
4 name: "idle, and why"
5 name: "queue of stream 7"
6 name: "share of time: busy"
7 name: "share of time: computation"
8 name: "share of time: communication"
9 name: "share of time: copies"
10 name: "memory of GPU0: allocated"
11 name: "memory of GPU0: reserved"
12 name: "count"'
	# start, kind and track of each event that is shown
	equal "$(awk '$1 == "timestamp:" { ts = $2 } $1 == "type:" { type = $2 } $1 == "track_uuid:" && $2 >= 16777216 { print ts, type, $2 }' odd.txt | sed 's/TYPE_//')" '7000 INSTANT 83886080
8500 INSTANT 83886080
0 SLICE_BEGIN 67108864
1000 SLICE_END 67108864
20000 SLICE_BEGIN 67108864
30000 SLICE_END 67108864
22000 SLICE_BEGIN 67108865
25000 SLICE_END 67108865
30000 SLICE_BEGIN 67108864
30000 SLICE_END 67108864
1000 SLICE_BEGIN 83886080
11000 SLICE_END 83886080
5000 SLICE_BEGIN 83886081
15000 SLICE_END 83886081
6000 SLICE_BEGIN 83886080
7000 SLICE_END 83886080
6000 SLICE_BEGIN 83886080
6000 SLICE_END 83886080
1000 SLICE_BEGIN 100663296
31000 SLICE_END 100663296'
	# the arrow from the call that launched k1
	equal "$(awk '$1 == "timestamp:" { ts = $2 } $1 ~ /flow_ids:/ { print ts, $0 }' odd.txt | tr -s ' ')" '20000 terminating_flow_ids: 8
6000 flow_ids: 8'
}

# tracks FILE: of each track that is no event's its name and unit, then its values and spans: time, value or name
tracks() {
	packets <"$1" | awk '
		$1 == "iid:" { iid = $2 } $1 == "name:" && iid { sub(/^ *name: /, ""); interned[iid] = $0; iid = 0 }
		$1 == "timestamp:" { ts = $2 } $1 == "type:" { type = $2; value = what = "" } $1 == "track_uuid:" { id = $2 }
		$1 == "name_iid:" && type ~ /BEGIN/ && !what { what = $2 } $1 ~ /counter_value:/ { value = $2 }
		$1 == "uuid:" { uuid = $2 } $1 == "name:" && uuid { sub(/^ *name: /, ""); name[uuid] = $0; uuid = 0 }
		/^}/ && type && id < 16777216 { print name[id], ts, type ~ /COUNTER/ ? value : type ~ /BEGIN/ ? interned[what] : "end" } /^}/ { type = "" }'
}

@test "counters, idle times with their causes and the critical path are tracks" {
	cat >t.json <<-'END'
		{"traceEvents": [
		{"ph": "X", "cat": "cpu_op", "name": "op", "pid": 10, "tid": 11, "ts": 0, "dur": 100},
		{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 10, "tid": 11, "ts": 1, "dur": 1, "args": {"correlation": 1}},
		{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 10, "tid": 11, "ts": 90, "dur": 1, "args": {"correlation": 2}},
		{"ph": "X", "cat": "kernel", "name": "k1", "pid": 0, "tid": 7, "ts": 10, "dur": 10, "args": {"stream": 7, "device": 0, "correlation": 1}},
		{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pinned -> Device)", "pid": 0, "tid": 7, "ts": 95, "dur": 5, "args": {"stream": 7, "device": 0, "correlation": 2, "bytes": 10000}},
		{"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 10, "tid": 11, "ts": 5, "s": "t", "args": {"Bytes": 512, "Addr": 1, "Device Type": 1, "Device Id": 0, "Total Allocated": 512, "Total Reserved": 1024}}
		]}
	END
	tl-parse -q t.json | tl-view --perfetto --critical-path -o t.pftrace
	tracks t.pftrace >t.txt
	equal "$(grep -E '^"(queue|copies HtoD|memory)' t.txt)" '"queue of stream 7" 1000 1
"queue of stream 7" 10000 0
"queue of stream 7" 90000 1
"queue of stream 7" 95000 0
"copies HtoD" 95000 2
"copies HtoD" 100000 0
"memory of GPU0: allocated" 5000 512
"memory of GPU0: reserved" 5000 1024'
	equal "$(grep idle t.txt)" '"idle, and why" 0 "launch-bound: cudaLaunchKernel"
"idle, and why" 2000 end
"idle, and why" 2000 "queued: cudaLaunchKernel"
"idle, and why" 10000 end
"idle, and why" 20000 "launch-bound: cudaLaunchKernel"
"idle, and why" 91000 end
"idle, and why" 91000 "queued: cudaLaunchKernel"
"idle, and why" 95000 end'
	grep -q '^"share of time: busy" 10000 100' t.txt
	# the path is the whole trace, without a hole
	equal "$(awk '/^"critical path"/ { sub(/^"critical path" /, ""); if ($2 == "end") { end = $1 } else { if (n++ && $1 != end) print "hole at", end; if (n == 1) print $1 } } END { print end }' t.txt)" $'0\n100000'
	grep -q '^"critical path".*"copies: Memcpy HtoD' t.txt
	tl-parse -q t.json | tl-view --perfetto -o no.pftrace
	refute grep -q 'critical path' <(tracks no.pftrace)
	comes_back t.json
	run -2 --separate-stderr tl-view --critical-path t.json
}

@test "arrows from forward to backward" {
	tl-gen -n 3000 >gen.json
	tl-parse -q gen.json | tl-view --perfetto -v -o gen.pftrace 2>said
	equal "$(sed -n 's/.*instants, \([0-9]*\) arrows.*/\1/p' said)" "$(tl-parse gen.json | tl-link | tl-view | awk '/^link\t(launch|backward)/ && !seen[$4]++' FS='\t' | wc -l)"
}

@test "a report of the packets is that of the trace" {
	tl-gen -n 3000 >gen.json
	tl-parse -q gen.json | tl-view --perfetto -o gen.pftrace
	for f in json pftrace; do
		tl-report -q --output_csvs_dir $f gen.$f
		sed -i "/^trace,/d; s/gen\.$f/gen/g" $f/*.csv
	done
	[ -s json/gpu_timeline.csv ]
	diff -r -x '.*' json pftrace
}

@test "a finding says by which command it is seen" {
	tl-gen -n 3000 >gen.json
	tl-findings -q gen.json >findings.tsv
	awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["rank"] > 0 { print $at["slice_command"] }' findings.tsv >commands
	grep -q '^tl-slice --from [0-9]*us --to [0-9]*us gen.json | tl-view --perfetto -o finding.pftrace$' commands
	while read -r command; do
		sh -c "$command" 2>/dev/null
		tl-parse finding.pftrace | tl-view --kind kernel | grep -q '^event'
		rm finding.pftrace
	done <commands
}

@test "findings are tracks with their times" {
	tl-gen -n 3000 >gen.json
	tl-findings -q --sheets finding_times -o times.tsv gen.json
	tl-findings -q --format tsv -o findings.tsv gen.json
	tl-parse -q gen.json | tl-view --perfetto --findings times.tsv -o gen.pftrace 2>said
	equal "$(cat said)" ''
	tracks gen.pftrace >t.txt
	# slices of these tracks: start, end and name of the finding, as in the sheet
	sed -n 's/^"finding \([0-9]*\)" \([0-9]*\) /\1\t\2\t/p' t.txt |
		awk -F '\t' '$3 == "end" { print rank "\t" start "\t" $2 - start "\t" title; next } { rank = $1; start = $2; title = substr($3, 2, length($3) - 2) }' | sort >shown
	equal "$(cat shown)" "$(awk -F '\t' 'NR > 1 { print $1 "\t" $3 "\t" $4 "\t" $2 }' times.tsv | sort)"
	[ -s shown ]
	equal "$(cut -f 1,5 times.tsv | tail -n +2 | sort -u | wc -l)" "$(awk -F '\t' 'NR > 1 && $1 > 0' findings.tsv | wc -l)"
	tl-parse -q --no-provenance gen.json | text >was
	tl-parse -q --no-provenance gen.pftrace | text >back
	cmp was back
}

@test "findings of a longer trace, of none, and what is no such sheet" {
	device_event() { event '{"ph":"X","cat":"kernel","name":"'"$1"'","pid":0,"tid":7,"ts":'"$2"',"dur":'"$3"',"args":{"stream":7}}'; }
	device_event a 10 5; device_event b 20 5
	trace t.json
	printf '%s\n' $'rank\ttitle\tts_ns\tdur_ns\tid' $'1\tearly\t0\t10000\tx' $'1\tin\t12000\t1\tx' $'2\tlast\t24999\t50\ty' $'2\tlate\t25000\t50\ty' >times.tsv
	tl-parse -q t.json | tl-view --perfetto --findings times.tsv -o t.pftrace 2>said
	equal "$(cat said)" 'tl-view: times.tsv: 2 of 4 times are outside of the trace, left out'
	equal "$(tracks t.pftrace | grep '^"finding')" $'"finding 1" 12000 "in"\n"finding 1" 12001 end\n"finding 2" 24999 "last"\n"finding 2" 25049 end'
	head -1 times.tsv >none.tsv
	tl-parse -q t.json | tl-view --perfetto --findings none.tsv -o none.pftrace
	tl-parse -q t.json | tl-view --perfetto | cmp - none.pftrace
	sed 's/ts_ns/ts_ps/' times.tsv >other.tsv
	tl-parse -q t.json >t.tls
	run -1 --separate-stderr tl-view --perfetto --findings other.tsv -o other.pftrace t.tls
	like "$stderr" "other.tsv.*ts_ns"
	[ ! -e other.pftrace ]
	run -2 --separate-stderr tl-view --findings times.tsv t.tls
}

@test "what tl-view did not write so is an error" {
	odd >odd.json
	tl-parse -q odd.json | tl-view --perfetto -o odd.pftrace
	cat odd.pftrace odd.pftrace >twice.pftrace
	run -1 --separate-stderr tl-parse twice.pftrace
	[[ $stderr == *'two events have the same number'* ]]
	sed 's/"cpu_op/"cpu_ox/' odd.pftrace >other.pftrace
	run -1 --separate-stderr tl-parse other.pftrace
	[[ $stderr == *'packet 1: expected what tl-view --perfetto of this version writes first'* ]]
	sed 's/tl-view uid/tl-view uix/' odd.pftrace >other.pftrace
	run -1 --separate-stderr tl-parse other.pftrace
	[[ $stderr == *'an event unlike those that tl-view --perfetto writes'* ]]
	run -2 --separate-stderr tl-view --perfetto --chrome odd.pftrace
	run -1 --separate-stderr tl-view --perfetto -o none.pftrace odd.json
	[ ! -e none.pftrace ]
}

@test "the traces of all profilers come back" {
	[ -d "$TL_ROOT/../shared/traces" ] || skip 'no traces of other projects are here'
	for f in "$TL_ROOT"/../shared/traces/{pytorch,rocprof,jax}/*/input* "$TL_ROOT"/../shared/traces/sqlite/*/input* "$TL_ROOT"/../shared/traces/pftrace/*/*/input*; do
		case $f in *-wal | */errors/* | *errors.tsv) continue ;; esac
		tl-parse -q "$f" >was.tls 2>/dev/null || continue
		comes_back "$f"
	done
}
