#!/usr/bin/env bats
# perfetto.bats - tl-parse on traces of Perfetto, as they are and as traceconv's JSON.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# trace FIELDS…: a trace of these fields (of the message Trace), as t.pftrace
trace() {
	printf '%s\n' "$@" | "$TL_TOOLS/protobuf" >t.pftrace
}
# events COLUMNS [OPTION]…: these columns of the events of t.pftrace
events() {
	tl-parse -q "${@:2}" t.pftrace | tl-view | awk '/^event/' | cut -f "$1"
}
# arg NAME-NUMBER VALUE: an argument of an event
arg() {
	printf '4:{ 1:%s 3:%s } ' "$@"
}
times() { # BEGIN DURATION
	arg 1 "$1"
	arg 2 $(($1 + $2))
	arg 3 "$2"
}

# what a writer says first: numbers of names, and where its tracks are
names='12:{ 1:{ 1:1 2:"kernel_dispatch" } 1:{ 1:2 2:"hip_api" } 1:{ 1:3 2:"memory_copy" }
	2:{ 1:1 2:"gemm" } 2:{ 1:2 2:"hipLaunchKernel" } 2:{ 1:3 2:"MEMORY_COPY_HOST_TO_DEVICE" }
	3:{ 1:1 2:"begin_ns" } 3:{ 1:2 2:"end_ns" } 3:{ 1:3 2:"delta_ns" } 3:{ 1:4 2:"corr_id" } 3:{ 1:5 2:"agent" }
	3:{ 1:6 2:"stream_ID" } 3:{ 1:7 2:"tid" } 3:{ 1:8 2:"copy_bytes" } 3:{ 1:9 2:"dst_agent" }
	29:{ 1:1 2:"GPU-3" } }'
process='1:{ 10:2 60:{ 1:10 3:{ 1:70 6:"python" } } }'
thread='1:{ 10:2 60:{ 1:11 5:10 4:{ 1:70 2:70 5:"main" } } }'
stream='1:{ 10:2 60:{ 1:12 5:10 2:"STREAM 4" } }'
call="9:1 11:11 3:2 10:2 $(times 1000 50) $(arg 4 5) $(arg 7 70)"
kernel="9:1 11:12 3:1 10:1 $(times 2000 300) $(arg 4 5) 4:{ 1:5 17:1 } $(arg 6 4) $(arg 7 70)"
copy="9:1 11:12 3:3 10:3 $(times 3000 40) 4:{ 1:9 6:\"GPU-1\" } $(arg 8 4096) $(arg 6 4)"
# packet TIME EVENT
packet() {
	printf '1:{ 8:%s 10:2 13:2 11:{ %s } } 1:{ 8:%s 10:2 13:2 11:{ 9:2 11:%s } }\n' "$1" "$2" "$(($1 + 1))" "${3-12}"
}
start="1:{ 10:2 13:1 42:1 58:6 $names } $process $thread $stream"
all="$start $(packet 1000 "$call" 11) $(packet 2000 "$kernel") $(packet 3000 "$copy")"

@test "slices become events of their kinds, with the times of their arguments" {
	trace "$all"
	equal "$(events 3-10)" "$(printf '%s\n' \
		$'meta\t\t\t70\t\t\tM\tprocess_name' $'meta\t\t\t70\t70\t\tM\tthread_name' \
		$'runtime\t1000\t50\t70\t70\thip_api\tX\thipLaunchKernel' \
		$'kernel\t2000\t300\t70\t4\tkernel_dispatch\tb\tgemm' \
		$'memcpy\t3000\t40\t70\t4\tmemory_copy\tb\tMEMORY_COPY_HOST_TO_DEVICE')"
	events 3,11- >fields
	grep -q $'^kernel.*corr_id:i=5\tagent:s=GPU-3\t.*correlation:i=5\tstream:i=4\tdevice:i=3\tthread:i=70' fields
	grep -q $'^memcpy.*copy_bytes:i=4096\t.*device:i=1\tbytes:i=4096' fields
	equal "$(tl-parse -q t.pftrace | tl-view | awk '/^header/ && $2 == "source"')" $'header\tsource\tperfetto'
}

@test "traceconv's JSON of a trace gives the same events" {
	trace "$all"
	cat >t.json <<-'END'
	{"traceEvents":[
	{"ph":"M","cat":"__metadata","ts":0,"name":"process_name","pid":70,"tid":0,"args":{"name":"python"}},
	{"args":{"begin_ns":1000,"end_ns":1050,"delta_ns":50,"corr_id":5,"tid":70},"cat":"hip_api","name":"hipLaunchKernel","pid":70,"tid":70,"ts":1,"ph":"X","dur":0},
	{"args":{"begin_ns":2000,"end_ns":2300,"delta_ns":300,"corr_id":5,"agent":"GPU-3","stream_ID":4,"tid":70},"cat":"kernel_dispatch","name":"gemm","pid":70,"tid":70,"ts":2,"ph":"b"},
	{"args":{},"cat":"kernel_dispatch","name":"gemm","pid":70,"tid":70,"ts":2,"ph":"e"},
	{"args":{"begin_ns":3000,"end_ns":3040,"delta_ns":40,"dst_agent":"GPU-1","copy_bytes":4096,"stream_ID":4},"cat":"memory_copy","name":"MEMORY_COPY_HOST_TO_DEVICE","pid":70,"tid":70,"ts":3,"ph":"b"},
	{"args":{},"cat":"memory_copy","name":"MEMORY_COPY_HOST_TO_DEVICE","pid":70,"tid":70,"ts":3,"ph":"e"}]}
	END
	tl-parse t.json >json.tls
	equal "$(tl-view json.tls | awk '/^header/ && $2 == "source"')" $'header\tsource\tperfetto'
	equal "$(tl-view json.tls | awk '/^event/ && !/meta/' | cut -f 3-)" "$(events 3- | awk '!/^meta/')"
}

@test "traceconv's JSON of another producer: begin and end of one id are a slice" {
	cat >t.json <<-'END'
	{"traceEvents":[
	{"ph":"M","cat":"__metadata","ts":0,"name":"process_name","pid":7,"tid":0,"args":{"name":"app"}},
	{"args":{"n":1},"cat":"io","id2":{"local":"0x1"},"name":"outer","ph":"b","pid":7,"tid":7,"ts":10},
	{"args":{"tid":9},"cat":"hip_api","id2":{"local":"0x2"},"name":"call","ph":"b","pid":7,"tid":7,"ts":12},
	{"args":{},"cat":"io","id2":{"local":"0x1"},"name":"inner","ph":"b","pid":7,"tid":7,"ts":20},
	{"args":{},"cat":"hip_api","id2":{"local":"0x2"},"name":"call","ph":"e","pid":7,"tid":7,"ts":30},
	{"args":{},"cat":"io","id2":{"local":"0x1"},"name":"inner","ph":"e","pid":7,"tid":7,"ts":50},
	{"args":{},"cat":"io","id2":{"local":"0x1"},"name":"outer","ph":"e","pid":7,"tid":7,"ts":90},
	{"args":{},"cat":"io","id":5,"name":"back","ph":"b","pid":7,"tid":7,"ts":95},
	{"args":{},"cat":"io","id":5,"name":"back","ph":"e","pid":7,"tid":7,"ts":94},
	{"args":{},"cat":"io","id":6,"name":"open","ph":"b","pid":7,"tid":7,"ts":99}]}
	END
	run -0 --separate-stderr tl-parse -o json.tls t.json
	equal "$(tl-view json.tls | awk '/^event/' | cut -f 3-10,12 | tail -n 3)" "$(printf '%s\n' \
		$'runtime\t12000\t18000\t7\t9\thip_api\tb\tcall\ttid:i=9' $'other\t20000\t30000\t7\t7\tio\tb\tinner\tid2:J={"local":"0x1"}' \
		$'other\t10000\t80000\t7\t7\tio\tb\touter\tn:i=1')"
	like "$stderr" '1 event: dropped: end [(]ph e[)] before its begin'
	like "$stderr" '1 event: dropped: begin [(]ph b[)] without its end'
}

@test "JSON that PyTorch's profiler wrote stays PyTorch's, whatever wrote it again" {
	source_of() {
		tl-parse -q "$1" | tl-view | awk '/^header/ && $2 == "source" { print $3 }'
	}
	local meta='{"ph":"M","cat":"__metadata","ts":0,"name":"process_name","pid":7,"tid":0,"args":{"name":"python"}}' cat
	for cat in cpu_op kernel cuda_runtime; do
		echo "{\"traceEvents\":[$meta,{\"cat\":\"$cat\",\"name\":\"x\",\"ph\":\"X\",\"pid\":7,\"tid\":7,\"ts\":1,\"dur\":1}]}" >t.json
		equal "$(source_of t.json)" pytorch
	done
	for cat in other hip_api; do
		echo "{\"traceEvents\":[$meta,{\"cat\":\"$cat\",\"name\":\"x\",\"ph\":\"X\",\"pid\":7,\"tid\":7,\"ts\":1,\"dur\":1}]}" >t.json
		equal "$(source_of t.json)" perfetto
		equal "$(head -c 70 t.json | cat - <(tail -c +71 t.json) | tl-parse -q | tl-view | awk '/^header/ && $2 == "source" { print $3 }')" perfetto
	done
}

# json EVENT…: traceconv's JSON of these events, and the process 7 before them, as t.json
json() {
	local e
	{
		printf '{"traceEvents":[{"ph":"M","cat":"__metadata","ts":0,"name":"process_name","pid":7,"tid":0,"args":{"name":"app"}}'
		for e; do
			printf ',\n{%s}' "$e"
		done
		printf ']}'
	} >t.json
}
# columns COLUMNS: of the events of t.json, but for names of processes
columns() {
	tl-parse t.json | tl-view | awk '/^event/ && !/\tmeta\t/' | cut -f "$1"
}

@test "the kind follows from the category; what has an agent is a kernel" {
	local cat list=()
	for cat in kernel_dispatch memory_copy hip_api hsa_api marker_api rccl_api gpu_activity cuda_api cupti other; do
		list+=("\"ph\":\"X\",\"cat\":\"$cat\",\"name\":\"x\",\"pid\":7,\"tid\":8,\"ts\":1,\"dur\":2,\"args\":{}")
	done
	json "${list[@]}" "${list[@]: -1:1}" "${list[-1]/\{\}/{\"agent\":5\}}" "${list[0]/\"X\"/\"C\"}"
	equal "$(columns 3 | tr '\n' ' ')" 'kernel memcpy runtime driver annotation other kernel runtime runtime other other kernel counter '
}

@test "times of arguments: begin with duration or end; what makes no span is not used" {
	local rest='"ph":"X","cat":"hip_api","name":"x","pid":7,"tid":8,"ts":1.5,"dur":2'
	json "$rest,\"args\":{\"begin_ns\":10,\"delta_ns\":4,\"end_ns\":99}" "$rest,\"args\":{\"begin_ns\":10,\"end_ns\":13}" \
		"$rest,\"args\":{\"begin_ns\":10,\"end_ns\":10}" "$rest,\"args\":{\"begin_ns\":0,\"delta_ns\":0}" \
		"$rest,\"args\":{\"begin_ns\":10}" "$rest,\"args\":{\"end_ns\":13,\"delta_ns\":3}" "$rest,\"args\":{\"begin_ns\":\"10\",\"delta_ns\":3}" \
		"$rest,\"args\":{\"begin_ns\":10,\"end_ns\":9}" "$rest,\"args\":{\"begin_ns\":-1,\"delta_ns\":3}" "$rest,\"args\":{\"begin_ns\":10,\"delta_ns\":-1}" \
		"$rest,\"args\":{\"begin_ns\":4611686018427387904,\"delta_ns\":0}" "$rest,\"args\":{\"begin_ns\":4611686018427387904,\"delta_ns\":1}" \
		"$rest,\"args\":{\"begin_ns\":4611686018427387905,\"delta_ns\":0}"
	equal "$(columns 4,5 2>said | tr '\t\n' ': ')" '10:4 10:3 10:0 0:0 1500:2000 1500:2000 1500:2000 1500:2000 1500:2000 1500:2000 4611686018427387904:0 1500:2000 1500:2000 '
	like "$(<said)" '5 events: begin_ns, end_ns and delta_ns make no span, not used \(first at event 8\)'
}

@test "devices: the number of an agent, or at the end of its name; of a copy the end on a device" {
	local rest='"ph":"X","cat":"kernel_dispatch","name":"x","pid":7,"tid":8,"ts":1,"dur":2' agent list=()
	for agent in 4 '"GPU-12"' '"gfx"' '"cpu"' '"gfx"' '"a1234567"' '"9"' 1.5; do
		list+=("$rest,\"args\":{\"agent\":$agent}")
	done
	json "${list[@]}"
	equal "$(columns 13 | tr '\n' ' ')" 'device:i=4 device:i=12 device:i=0 device:i=1 device:i=0 device:i=234567 device:i=9  '
	local copy='"ph":"X","cat":"memory_copy","pid":7,"tid":8,"ts":1,"dur":2' from='"src_agent":"GPU-1"' to='"dst_agent":"GPU-2"'
	json "$copy,\"name\":\"HOST_TO_DEVICE\",\"args\":{$from,$to}" "$copy,\"name\":\"MEMORY_COPY_DEVICE_TO_HOST\",\"args\":{$from,$to}" \
		"$copy,\"name\":\"x\",\"args\":{$from}" "$copy,\"name\":\"DEVICE_TO_HOST\",\"args\":{$to}"
	equal "$(columns 12- | grep -o 'device:.*' | tr '\n' ' ')" 'device:i=2 device:i=1 device:i=1 '
}

@test "a slice of no thread is on the thread, stream or queue that its arguments tell" {
	local rest='"name":"x","pid":7,"tid":8,"ts":1,"args":{"begin_ns":1,"delta_ns":1,"tid":3,"queue":4'
	json "\"ph\":\"b\",\"cat\":\"hip_api\",$rest}" "\"ph\":\"n\",\"cat\":\"hip_api\",$rest}" "\"ph\":\"X\",\"cat\":\"hip_api\",$rest}" \
		"\"ph\":\"b\",\"cat\":\"kernel_dispatch\",$rest}" "\"ph\":\"b\",\"cat\":\"kernel_dispatch\",$rest,\"stream_ID\":5}" \
		"\"ph\":\"b\",\"cat\":\"other\",\"name\":\"x\",\"pid\":7,\"tid\":8,\"ts\":1,\"args\":{\"begin_ns\":1,\"delta_ns\":1,\"stream_ID\":5}"
	equal "$(columns 7 | tr '\n' ' ')" '3 3 8 4 5 8 '
}

@test "correlation ids of a process that comes second, without and with a number" {
	local rest='"ph":"X","cat":"hip_api","name":"x","tid":8,"ts":1,"dur":2,"args":{"corr_id":5}'
	json "\"pid\":9,$rest" "\"pid\":7,$rest" "\"pid\":9,$rest" "$rest"
	equal "$(columns 6,13)" $'9\tcorrelation:i=5\n7\tcorrelation:s=7:5\n9\tcorrelation:i=5\n\tcorrelation:s=:5'
	json "$rest" "\"pid\":7,$rest" "$rest"
	equal "$(columns 6,13)" $'\tcorrelation:i=5\n7\tcorrelation:s=7:5\n\tcorrelation:i=5'
}

@test "categories by number, one or many, and more than one text" {
	trace "$start 1:{ 8:1 10:2 11:{ 9:3 11:11 3:\"\x01\x03\" } } 1:{ 8:1 10:2 11:{ 9:3 11:11 3:2 22:\"x\" } }" \
		"1:{ 8:1 10:2 11:{ 9:3 11:11 $(printf '22:"c%d" ' {1..17}) } } 1:{ 8:1 10:2 11:{ 9:3 11:11 3:77 } } 1:{ 8:1 10:2 11:{ 9:3 11:11 } }"
	equal "$(events 8 | tail -n 5 | tr '\n' ';')" 'kernel_dispatch,memory_copy;hip_api,x;c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12,c13,c14,c15,c16;;;'
	tl-parse -o out t.pftrace 2>said
	like "$(<said)" '1 event: names given by a number that stands for none, left empty'
}

@test "lists and objects of arguments: every type, to a depth of 64" {
	trace "$start 1:{ 8:1 10:2 11:{ 9:3 11:11 23:\"x\" 4:{ 10:\"l\" 12:{ 2:1 } 12:{ 4:-3 } 12:{ 5:d0.5 } 12:{ 7:255 } 12:{ 9:\"t\" } 12:{ 17:1 } 12:{ } 12:{ 12:{ 3:1 } 12:{ 3:2 } } }" \
		"4:{ 10:\"o\" 11:{ 10:\"a\" 3:1 } 11:{ 1:5 6:\"b\" } } 4:{ 10:\"j\" 9:\"{}\" } 4:{ 10:\"n\" 3:9223372036854775807 } } }"
	equal "$(events 12- | tail -n 1)" $'l:j=[true,-3,0.5,"0xff","t","GPU-3",null,[1,2]]\to:j={"a":1,"agent":"b"}\tj:s={}\tn:i=9223372036854775807'
	local n value
	for n in 64 65; do
		value="$(printf '12:{ %.0s' $(seq "$n")) 3:1 $(printf '} %.0s' $(seq "$n"))"
		trace "$start 1:{ 8:1 10:2 11:{ 9:3 11:11 23:\"x\" 4:{ 10:\"l\" $value } } }"
		[ $n = 64 ] || break
		equal "$(events 12 | tail -n 1)" "l:j=$(printf '[%.0s' {1..64})1$(printf ']%.0s' {1..64})"
	done
	run -1 --separate-stderr tl-parse t.pftrace
	failed 1 'a damaged argument of an event, or one nested more than 64 deep'
}

@test "an event has at most 512 arguments, a trace 65536 sequences" {
	local n
	for n in 512 513; do
		trace "$start 1:{ 8:1 10:2 11:{ 9:3 11:11 $(printf '4:{ 10:"a%d" 3:1 } ' $(seq $n)) } }"
		[ $n = 512 ] || break
		equal "$(events 12- | tail -n 1 | tr '\t' '\n' | grep -c :i=1)" 512
	done
	run -1 --separate-stderr tl-parse t.pftrace
	failed 1 'packet 5: more than 512 arguments of an event'
	seq -f '1:{ 8:1 10:%.0f }' 65536 | "$TL_TOOLS/protobuf" >t.pftrace
	run -0 tl-parse -q t.pftrace
	trace "$start $(seq -f '1:{ 8:1 10:%.0f }' 65537)"
	run -1 --separate-stderr tl-parse t.pftrace
	failed 1 'packet 65541: more than 65536 sequences of packets'
}

@test "slices without a time, with an end before their begin, and of old writers" {
	trace "$start 1:{ 10:2 11:{ 9:1 11:11 23:\"none\" } } 1:{ 8:5 10:2 11:{ 9:2 11:11 } }" \
		"1:{ 8:50 10:2 11:{ 9:1 11:11 23:\"back\" } } 1:{ 8:49 10:2 11:{ 9:2 11:11 } }" \
		"1:{ 8:60 10:2 11:{ 9:1 11:11 23:\"empty\" } } 1:{ 8:60 10:2 11:{ 9:2 11:11 } }" \
		"1:{ 10:2 11:{ 9:1 11:11 23:\"old\" 16:7 16:8 } } 1:{ 10:2 11:{ 9:2 11:11 16:9 } } 1:{ 8:70 10:2 11:{ 9:3 11:11 23:\"both\" 16:7 } }" \
		"1:{ 8:80 10:2 11:{ 9:5 11:11 23:\"async\" } } 1:{ 8:80 10:2 11:{ 11:11 23:\"chrome\" } }"
	equal "$(tl-parse t.pftrace 2>said | tl-view | awk '/^event/' | cut -f 3-5,10 | tail -n 5)" "$(printf '%s\n' \
		$'other\t\t\tnone' $'other\t50\t\tback' $'instant\t60\t\tempty' $'other\t7000\t2000\told' $'instant\t70\t\tboth')"
	like "$(<said)" '1 event: slices whose packet has no time, given none'
	like "$(<said)" '1 event: slices that end before they begin, given no duration'
	like "$(<said)" "2 events: events of a type that is not read \(of Chrome's old format\), left out"
}

@test "tracks: of no process, with another parent, of a thread; names are told once" {
	trace "$start $process 1:{ 10:2 60:{ 1:10 3:{ 1:70 6:\"renamed\" } } } 1:{ 10:2 60:{ 1:50 2:\"lone\" } } 1:{ 10:2 60:{ 1:51 5:50 } }" \
		"1:{ 8:1 10:2 11:{ 9:3 11:51 23:\"of none\" } } 1:{ 10:2 60:{ 1:51 5:11 } } 1:{ 8:1 10:2 11:{ 9:3 11:51 23:\"of a thread\" } }" \
		"1:{ 10:2 60:{ 1:52 3:{ 1:90 } 4:{ 1:91 2:92 } } } 1:{ 8:1 10:2 11:{ 9:3 11:52 23:\"of both\" } } 1:{ 10:2 60:{ 1:53 4:{ 1:-2 2:93 5:\"\" } } } 1:{ 8:1 10:2 11:{ 9:3 11:53 23:\"minus\" } }"
	equal "$(events 3,6,7,9,10,12 | tail -n +2)" "$(printf '%s\n' \
		$'meta\t70\t70\tM\tthread_name\tname:s=main' $'meta\t70\t\tM\tprocess_name\tname:s=renamed' \
		$'instant\t\t\tn\tof none' $'instant\t70\t70\tn\tof a thread' $'instant\t91\t92\tI\tof both' $'instant\t-2\t93\tI\tminus')"
}

@test "a sequence's state may be cleared by the old field, too; a name told again stays" {
	trace "1:{ 10:2 41:1 $names } 1:{ 8:1 10:2 13:2 11:{ 9:3 10:1 } } 1:{ 10:2 12:{ 2:{ 1:1 2:\"gemm\" } 2:{ 1:2 2:\"gemn\" } 2:{ 2:\"nought\" } } }" \
		"1:{ 8:2 10:2 13:2 11:{ 9:3 10:1 } } 1:{ 8:3 10:2 13:2 11:{ 9:3 10:2 } } 1:{ 8:4 10:2 13:2 11:{ 9:3 10:0 } }" \
		"1:{ 10:2 41:0 } 1:{ 8:5 10:2 13:2 11:{ 9:3 10:2 } } 1:{ 8:6 10:2 13:3 11:{ 9:3 10:2 } }"
	equal "$(events 4,10)" $'1\tgemm\n2\tgemm\n3\tgemn\n4\tnought\n5\tgemn\n6\t\\e'
}

@test "clocks: of other numbers, of snapshots without the clock of the trace, told again" {
	local event='11:{ 9:3 11:11 23:"x" }'
	trace "$start 1:{ 10:2 6:{ 1:{ 1:6 2:5000 } 1:{ 1:63 2:100 } 1:{ 1:127 2:10 } 1:{ 1:128 2:7 } 2:9 } }" \
		"1:{ 8:101 58:63 10:2 $event } 1:{ 8:11 58:127 10:2 $event } 1:{ 8:8 58:128 10:2 $event } 1:{ 8:3 58:9 10:2 $event }" \
		"1:{ 10:2 6:{ 1:{ 1:63 2:200 4:1000 } } } 1:{ 8:2 58:63 10:2 $event } 1:{ 10:3 13:1 } 1:{ 8:11 58:127 10:3 $event }" \
		"1:{ 8:102 58:63 10:3 $event } 1:{ 10:2 13:1 } 1:{ 8:11 58:127 10:2 $event }"
	equal "$(events 4 | tail -n 8 | tr '\n' ' ')" '5001 5001 8 3 6900 11 106900 11 '
}

@test "compressed packets, and a trace in gzip or in a pipe" {
	trace "$all"
	events 3- >plain
	trace "1:{ 50:z{ $start } } 1:{ 50:z{ $(packet 1000 "$call" 11) $(packet 2000 "$kernel") $(packet 3000 "$copy") } }"
	equal "$(events 3-)" "$(cat plain)"
	gzip -c t.pftrace >z
	equal "$(tl-parse <z | tl-view | awk '/^event/' | cut -f 3-)" "$(cat plain)"
	trace "$all 1:{ 10:2 133:\"zstd\" }"
	run -0 --separate-stderr tl-parse -o out t.pftrace
	[[ $stderr == *'compressed by zstd, which tl-tools does not read'* ]]
	trace "$start 1:{ 50:z{ 1:{ 50:z{ $process } } } }"
	run -1 --separate-stderr tl-parse -o out t.pftrace
	[[ $stderr == *'compressed packets in compressed packets'* ]]
	trace "$start 1:{ 50:\"no zlib\" }"
	run -1 --separate-stderr tl-parse -o out t.pftrace
	[[ $stderr == *'byte '*'compressed packets that cannot be decompressed'* ]]
}

@test "names are those of a sequence, until it clears them" {
	# another writer gives the same numbers to other names; the first one clears its own
	trace "$start 1:{ 10:3 13:1 12:{ 2:{ 1:1 2:\"other\" } } }" \
		"1:{ 8:1 10:2 13:2 11:{ 9:3 11:12 10:1 } } 1:{ 8:2 10:3 13:2 11:{ 9:3 11:12 10:1 } }" \
		"1:{ 8:3 10:2 13:3 12:{ 2:{ 1:1 2:\"new\" } } 11:{ 9:3 11:12 10:1 } }"
	equal "$(events 10 | tail -n 3)" "$(printf '%s\n' gemm other new)"
	# of any size
	local n all=
	for n in 4095 4096 18446744073709551615; do
		all+=" 1:{ 8:4 10:2 12:{ 2:{ 1:$n 2:\"name $n\" } } 11:{ 9:3 11:12 10:$n } }"
	done
	trace "$start $all"
	equal "$(events 10 | tail -n 3)" "$(printf '%s\n' 'name 4095' 'name 4096' 'name 18446744073709551615')"
}

@test "packets whose names were lost are left out and counted" {
	trace "$start $(packet 2000 "$kernel") 1:{ 8:5 10:2 13:2 42:1 11:{ 9:3 11:12 10:1 } } 1:{ 8:6 10:2 13:2 11:{ 9:3 11:12 10:1 } }" \
		"1:{ 8:7 10:2 13:1 12:{ 2:{ 1:1 2:\"again\" } } 11:{ 9:3 11:12 10:1 } }"
	run -0 --separate-stderr tl-parse -o out t.pftrace
	[[ $stderr == *'2 events: packets whose names were lost with an earlier packet, left out'* ]]
	equal "$(tl-view out | awk '/^event/' | cut -f 10 | tail -n 2)" "$(printf '%s\n' gemm again)"
}

@test "descriptors of tracks may come late, in any order" {
	trace "$all"
	events 3- | sort >early
	trace "1:{ 10:2 13:1 58:6 $names } $(packet 1000 "$call" 11) $(packet 2000 "$kernel") $(packet 3000 "$copy") $stream $thread $process"
	equal "$(events 3- | sort)" "$(cat early)"
	trace "1:{ 10:2 13:1 58:6 $names } $(packet 2000 "$kernel") $stream"
	equal "$(events 3-8)" $'kernel\t2000\t300\t\t4\tkernel_dispatch' # no process is ever told
	trace "$start 1:{ 10:2 60:{ 1:20 5:21 } } 1:{ 10:2 60:{ 1:21 5:20 } } 1:{ 8:1 10:2 13:2 11:{ 9:3 11:20 10:1 } }" # a cycle
	equal "$(events 3,10 | tail -n 1)" $'instant\tgemm'
}

@test "slices without times in their arguments end with their SLICE_END" {
	local begin='9:1 11:11' end='9:2 11:11'
	trace "$start 1:{ 8:100 10:2 11:{ $begin 23:\"outer\" 22:\"a\" 22:\"b\" } } 1:{ 8:120 10:2 11:{ $begin 23:\"inner\" } }" \
		"1:{ 8:130 10:2 11:{ $end } } 1:{ 8:180 10:2 11:{ $end } } 1:{ 8:190 10:2 11:{ $end } } 1:{ 8:200 10:2 11:{ $begin 23:\"open\" } }"
	run -0 --separate-stderr tl-parse -o out t.pftrace
	[[ $stderr == *'1 event: ends of slices that never began, left out'* ]]
	equal "$(tl-view out | awk '/^event/' | cut -f 3-8,10 | tail -n 3)" "$(printf '%s\n' \
		$'other\t120\t10\t70\t70\t\tinner' $'other\t100\t80\t70\t70\ta,b\touter' $'other\t200\t\t70\t70\t\topen')"
}

@test "clocks: counted on from a snapshot, with a unit, with an offset" {
	local event='11:{ 9:3 11:11 23:"x" }'
	trace "$start 1:{ 10:2 6:{ 1:{ 1:6 2:5000000 } 1:{ 1:64 2:5000 3:1 4:1000 } 1:{ 1:65 2:1000 4:1000 } 1:{ 1:3 2:4000000 } } 59:{ 58:64 11:{ 11:12 } } }" \
		"1:{ 8:7 10:2 $event } 1:{ 8:2 10:2 $event } 1:{ 8:1001 58:65 10:2 $event } 1:{ 8:4000010 58:3 10:2 $event } 1:{ 8:44 58:6 10:2 11:{ 9:3 23:\"default track\" } }"
	equal "$(events 4,6,7,10 | tail -n 5)" "$(printf '%s\n' $'5007000\t70\t70\tx' $'5009000\t70\t70\tx' $'5001000\t70\t70\tx' \
		$'5000010\t70\t70\tx' $'44\t70\t70\tdefault track')"
}

@test "arguments of every type, and counters" {
	trace "$start 1:{ 8:1 10:2 11:{ 9:3 11:11 23:\"x\" 4:{ 10:\"b\" 2:1 } 4:{ 10:\"u\" 3:18446744073709551615 } 4:{ 10:\"i\" 4:-3 }" \
		"4:{ 10:\"d\" 5:d1.5 } 4:{ 10:\"s\" 6:\"t\\\"\" } 4:{ 10:\"p\" 7:255 } 4:{ 10:\"l\" 12:{ 3:1 } 12:{ 6:\"q\" } }" \
		"4:{ 10:\"o\" 11:{ 10:\"k\" 12:{ 2:0 } } } 4:{ 10:\"unknown\" 99:1 } } }" \
		"1:{ 10:2 60:{ 1:30 5:10 2:\"bytes\" 8:{ 5:1 } } } 1:{ 8:1 10:2 11:{ 9:4 11:30 30:5 } } 1:{ 8:2 10:2 11:{ 9:4 11:30 30:2 } } 1:{ 8:3 10:2 11:{ 9:4 11:30 44:d0.5 } }"
	equal "$(events 3,10,12- | tail -n 4)" "$(printf '%s\n' \
		$'instant\tx\tb:j=true\tu:j=18446744073709551615\ti:i=-3\td:j=1.5\ts:s=t"\tp:s=0xff\tl:j=[1,"q"]\to:j={"k":[false]}' \
		$'counter\tbytes\tvalue:i=5' $'counter\tbytes\tvalue:i=7' $'counter\tbytes\tvalue:j=0.5')"
}

@test "correlation ids of two processes do not meet" {
	trace "$start $(packet 1000 "$call" 11) 1:{ 10:2 60:{ 1:40 3:{ 1:80 } } } $(packet 2000 "${kernel/11:12/11:40}" 40)"
	equal "$(events 3- | grep -o 'correlation:.*' | cut -f 1)" "$(printf '%s\n' correlation:i=5 correlation:s=80:5)"
}

@test "a last packet that is cut short is left out and told" {
	trace "$all 1:{ 8:9 10:2 11:{ 9:3 11:11 23:\"lost\" } }"
	head -c -4 t.pftrace >cut.pftrace
	run -0 --separate-stderr tl-parse -o out cut.pftrace
	[[ $stderr == *'1 event: the last packet is cut short, and left out'*'byte '* ]]
	equal "$(tl-view out | awk '/^event/' | grep -c .)" 5
	head -c 20 t.pftrace >cut.pftrace
	run -1 --separate-stderr tl-parse -o out cut.pftrace
	[[ $stderr == *'byte 0: packet 0: the first packet is cut short'*--lenient* ]]
	run -0 --separate-stderr tl-parse --lenient -o out cut.pftrace
	[[ $stderr == *'the last packet is cut short, and left out'* ]]
}

@test "damage is an error with its place; --lenient leaves the packet out" {
	local bad='1:{ 8:1 10:2 11:{ 9:3 11:11 23:"bad" 4:"\xff" } }' good='1:{ 8:1 10:2 11:{ 9:3 11:11 23:"good" } }'
	trace "$start $bad $good"
	run -1 --separate-stderr tl-parse -o out t.pftrace
	[[ $stderr =~ 'byte '[0-9]+': packet 5: a damaged argument of an event' ]]
	[[ $stderr == *--lenient* ]]
	run -0 --separate-stderr tl-parse --lenient -o out t.pftrace
	[[ $stderr == *'1 event: dropped: damaged packets'* ]]
	equal "$(tl-view out | awk '/^event/' | cut -f 10 | tail -n 1)" good
	trace "$start"
	printf '\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377' >>t.pftrace
	run -1 --separate-stderr tl-parse -o out t.pftrace
	[[ $stderr == *'expected a packet of a Perfetto trace'* ]]
	run -0 --separate-stderr tl-parse --lenient -o out t.pftrace
	[[ $stderr == *'no packet begins here, the rest of the trace is lost'* ]]
	# a length beyond all bounds
	trace "$start"
	printf '\012\377\377\377\377\377\377\377\377\001x' >>t.pftrace
	run -1 --separate-stderr tl-parse -o out t.pftrace
	[[ $stderr == *'expected a packet of a Perfetto trace'* ]]
}

@test "a trace of other data sources says so" {
	trace '1:{ 8:1 10:2 1:{ 1:"ftrace" } }'
	run -0 --separate-stderr tl-parse -o out t.pftrace
	[[ $stderr == *'no track events in the trace'* ]]
}
