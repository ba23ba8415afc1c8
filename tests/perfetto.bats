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
