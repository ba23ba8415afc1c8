#!/usr/bin/env bats
# parse.bats - tl-parse on traces as they should be; odd-traces.bats has the rest.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# event JSON-MEMBERS…: a trace of one event each, as trace.json
events() {
	local e between=
	{
		printf '['
		for e; do
			printf '%s\n' "$between{$e}"
			between=,
		done
		printf ']'
	} >trace.json
}

# view COLUMN…: these columns of the events of trace.json
view() {
	local cols
	cols=$(printf ',%s' "$@")
	tl-parse trace.json | tl-view | awk '/^event/' | cut -f "${cols#,}"
}

@test "every member of an event arrives" {
	events '"ph":"X","cat":"kernel","name":"k","pid":3,"tid":"s 7","ts":5,"dur":1.5,"id":9,"args":{"stream":7,"name":"a","f":0.10,"l":[ 1, "x" ],"n":null,"t":true}'
	equal "$(view 2-)" $'0\tkernel\t5000\t1500\t3\t"s 7"\tkernel\tX\tk\tta\tid:I=9\tstream:i=7\tname:s=a\tf:j=0.10\tl:j=[1,"x"]\tn:j=null\tt:j=true'
}

@test "members may come in any order" {
	events '"args":{"stream":7},"dur":1.5,"tid":4,"name":"k","ts":5,"pid":3,"cat":"kernel","ph":"X"' \
		'"ph":"X","cat":"kernel","ts":5,"dur":1.5,"pid":3,"tid":4,"args":{"stream":7},"name":"k"'
	equal "$(view 3- | uniq | wc -l)" 1
	equal "$(view 3- | head -n 1)" $'kernel\t5000\t1500\t3\t4\tkernel\tX\tk\tta\tstream:i=7'
}

@test "the kind follows from category and phase" {
	events '"ph":"M","cat":"kernel"' '"ph":"C","cat":"x"' '"ph":"X","cat":"Operator"' '"ph":"X","cat":"cpu_op"' \
		'"ph":"X","cat":"cuda_runtime"' '"ph":"X","cat":"Runtime"' '"ph":"X","cat":"cuda_driver"' '"ph":"X","cat":"Kernel"' \
		'"ph":"X","cat":"gpu_memcpy"' '"ph":"X","cat":"Memcpy"' '"ph":"X","cat":"gpu_memset"' '"ph":"X","cat":"Memset"' \
		'"ph":"X","cat":"python_function"' '"ph":"X","cat":"user_annotation"' '"ph":"X","cat":"gpu_user_annotation"' \
		'"ph":"s","cat":"ac2g"' '"ph":"f","cat":"fwdbwd"' '"ph":"t","cat":"async"' '"ph":"i","cat":"cpu_instant_event"' \
		'"ph":"i"' '"ph":"X","cat":"overhead"' '"ph":"X","cat":"Trace"' '"ph":"X","cat":"python_func"' '"ph":"X"'
	equal "$(view 3 | tr '\n' ' ')" 'meta counter cpu_op cpu_op runtime runtime driver kernel memcpy memcpy memset memset python annotation gpu_annotation launch_flow fwdbwd_flow flow instant instant overhead trace other other '
}

@test "the category's own spelling is kept" {
	events '"ph":"X","cat":"Kernel","name":"k"'
	equal "$(view 8)" Kernel
}

@test "times are whole nanoseconds, rounded half away from zero" {
	events '"ph":"X","ts":1419116273120.658,"dur":0.0005' '"ph":"X","ts":-0.0015,"dur":1e1' '"ph":"X","ts":12,"dur":0.00049'
	equal "$(view 4,5,11)" $'1419116273120658\t1\t\n-2\t10000\t\n12000\t0\tt'
}

@test "kinds are dropped by name and keep their numbers free" {
	events '"ph":"X","cat":"python_function"' '"ph":"X","cat":"kernel"' '"ph":"X","cat":"cpu_op"' '"cat":"python_function","ts":1,"ph":"X"' '"ph":"X","ts":1,"cat":"kernel"'
	equal "$(tl-parse --no-python trace.json | tl-view | awk '/^event/ { print $2, $3 }')" $'1 kernel\n2 cpu_op\n4 kernel'
	equal "$(tl-parse --drop cpu_op,kernel trace.json | tl-view | awk '/^event/ { print $2, $3 }')" $'0 python\n3 python'
	equal "$(tl-parse --keep kernel --keep cpu_op trace.json | tl-view | awk '/^event/ { print $2 }' | tr '\n' ' ')" '1 2 4 '
	equal "$(tl-parse --keep kernel,python --no-python trace.json | tl-view | awk '/^event/ { print $2 }' | tr '\n' ' ')" '1 4 '
}

@test "of an event to be dropped nothing is looked at but where it ends" {
	events '"ph":"X","cat":"cuda_runtime"' '"ph":"X","cat":"python_function","name":"a","dur":-1,"cat":"kernel","args":{"x":nul}' '"ph":"X","cat":"kernel","name":"b","cat":"python_function"' \
		'"ph":"X","cat":"python_function","name":"}\"","args":{"y":"{"}' '"ph":"X","cat":"kernel","name":"c","args":{"x":1}'
	equal "$(tl-parse --no-python trace.json | tl-view | awk -F'\t' '$3 == "kernel" { print $2, $3, $10, $12 }')" '4 kernel c x:i=1'
}

@test "an unknown kind is a usage error that lists the kinds" {
	run -2 --separate-stderr tl-parse --drop kernel,nonsense /dev/null
	failed 2 "nonsense.*cpu_op.*python"
	run -2 --separate-stderr tl-parse --keep '' /dev/null
	failed 2 '--keep: the argument is empty'
}

@test "other top-level members are kept, wherever they stand" {
	printf '{"a": {"b" : [1]}, "traceEvents": [], "c":"x"}' >trace.json
	equal "$(tl-parse trace.json | tl-view | awk -F'\t' '/^meta/ { print $2 "=" $3 }')" $'a={"b":[1]}\nc="x"'
}

@test "what was counted stands in the stream" {
	events '"ph":"X","dur":-1' '"name":"x"' '"name":"y"'
	run -0 --separate-stderr pipe 'tl-parse trace.json | tl-view'
	like "$stderr" 'warning: .*: 1 event: dropped: negative dur \(first at event 0, byte 1\)'
	like "$stderr" 'warning: .*: 2 events: dropped: no phase'
	like "$output" $'meta\ttl-parse warnings\t.*negative dur":\{"events":1,"first_uid":0,"first_byte":1\}'
}

@test "file, pipe and gzip give the same bytes" {
	tl-gen -n 5000 >trace.json
	gzip -k trace.json
	tl-parse --no-provenance trace.json >want
	cat trace.json | tl-parse --no-provenance | cmp - want
	dd if=trace.json obs=777 2>/dev/null | tl-parse --no-provenance - | cmp - want
	tl-parse --no-provenance trace.json.gz | cmp - want
	gzip -c trace.json.gz | tl-parse --no-provenance | cmp - want
	{ head -c 70000 trace.json | gzip; tail -c +70001 trace.json | gzip; } | tl-parse --no-provenance | cmp - want
}

@test "a stream is passed on, byte for byte" {
	tl-gen -n 2000 | tl-parse --no-provenance >want
	tl-parse --no-provenance want | cmp - want
	gzip -c want | tl-parse --no-provenance | cmp - want
}

@test "kinds are dropped from a stream as from the trace" {
	tl-gen -n 2000 >trace.json
	tl-parse --no-provenance --drop python,cpu_op trace.json >want
	tl-parse --no-provenance trace.json | tl-parse --no-provenance --drop python,cpu_op | tl-view >got
	[ -s got ]
	tl-view want | cmp - got
}

@test "a linked stream cannot lose kinds" {
	tl-gen -n 200 | tl-link >linked.tls
	run -1 --separate-stderr tl-parse --drop kernel linked.tls
	failed 1 'linked'
}

@test "the same events with other spacing make the same stream" {
	tl-gen -n 3000 >trace.json
	tl-parse --no-provenance trace.json >want
	sed 's/": /" : /g; s/, "/,\n\t "/g' trace.json | tl-parse --no-provenance | cmp - want
	tr -d '\n' <trace.json | sed 's/": */":/g; s/, *"/,"/g' | tl-parse --no-provenance | cmp - want
}

@test "a reader that gives up does not wait for the rest of its input" {
	mkfifo in
	exec 5<>in # so that the input has no end
	printf '[}' | gzip >&5
	run -1 --separate-stderr timeout 20 tl-parse <in
	failed 1 'byte 1'
	exec 5>&-
}

@test "memory stays below 16 MB" {
	[ -z "${TL_SANITIZED-}" ] || skip 'sanitizers take memory of their own'
	tl-gen -n 300000 >trace.json
	run -0 "$TL_TOOLS/measure" 1 'tl-parse trace.json >out.tls' 'gzip -c1 trace.json | tl-parse >out.tls'
	local wall cpu kib
	while read -r wall cpu kib; do
		[ "$kib" -lt 16384 ]
	done <<<"$output"
}

@test "when the last events are left out the stream tells how many there were" {
	echo '{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":2},{"ph":"X","cat":"python_function","name":"b","pid":1,"tid":1,"ts":1,"dur":2}]}' >t.json
	run -0 --separate-stderr pipe 'tl-parse --no-python t.json | tl-view'
	like "$output" $'meta\ttl-parse events\t2'
	run -0 --separate-stderr pipe 'tl-parse t.json | tl-view'
	unlike "$output" "tl-parse events"
}

@test "a begin and its end are one span, with the begin's name and arguments" {
	events '"ph":"B","cat":"cpu_op","name":"outer","pid":1,"tid":2,"ts":10,"args":{"a":1,"s":"x"}' \
		'"ph":"B","name":"other thread","pid":1,"tid":3,"ts":11' \
		'"ph":"B","name":"inner","pid":1,"tid":2,"ts":12.5' \
		'"ph":"E","pid":1,"tid":2,"ts":14' '"ph":"E","name":"","pid":1,"tid":2,"ts":20' '"ph":"E","pid":1,"tid":3,"ts":30'
	equal "$(view 2-7,9,10 12-)" '3	other	12500	1500	1	2	X	inner
4	cpu_op	10000	10000	1	2	X	outer	a:i=1	s:s=x
5	other	11000	19000	1	3	X	other thread'
}

@test "begins and ends without each other are dropped and counted" {
	events '"ph":"E","pid":1,"tid":2,"ts":14' '"ph":"B","name":"a","pid":1,"tid":2,"ts":20' '"ph":"E","pid":1,"tid":2,"ts":14' \
		'"ph":"B","name":"b","pid":1,"tid":2,"ts":20' '"ph":"B","name":"c","pid":1,"tid":2,"ts":20' '"ph":"E","pid":1,"tid":2'
	run -0 --separate-stderr tl-parse -o out.tls trace.json
	like "$stderr" '1 event: dropped: end \(ph E\) without its begin'
	like "$stderr" '1 event: dropped: end \(ph E\) before its begin'
	like "$stderr" '2 events: dropped: begin \(ph B\) without its end'
	like "$stderr" '1 event: dropped: begin or end \(ph B, E\) without ts'
	equal "$(tl-view out.tls | grep -c '^event' || true)" 0
}

@test "-v tells how many events are not written as earlier ones are" {
	local i
	for i in 1 2 3 4 5 6 7 8; do
		printf '{"ph": "X", "cat": "python_function", "name": "C:\\\\a\\\\%d.py(1): f", "ts": 162314308986179%d, "dur": 2},\n' "$i" "$i"
	done >events
	printf '[\n%s\n%s\n%s\n%s]' "$(cat events)" '{"ph": "X", "cat": "python_function", "name": "f", "ts": -1, "dur": 2},' \
		"$(cat events)" '{"ph": "X","name": "f"}' >trace.json
	run -0 --separate-stderr tl-parse -v -o trace.tls trace.json
	equal "$stderr" "tl-parse: 18 events in $(wc -c <trace.json) bytes of text
tl-parse: 3 of them read slowly (16.67 %): 2 written unlike those before, 1 but for the form of a value like them"
}

@test "where no event is written as another one, most are not compared with others, until some are alike" {
	awk 'BEGIN {
		for (i = 0; i < 2000; i++)
			printf "%s{\"ph\":%*s\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":3,\"tid\":7,\"ts\":%d,\"dur\":2}\n", i ? "," : "[", i < 1000 ? i : 5, "", i
		print "]"
	}' >trace.json
	run -0 --separate-stderr tl-parse -v -o trace.tls trace.json
	[[ $stderr =~ 'tl-parse: '([0-9]+)' of them' ]]
	((BASH_REMATCH[1] >= 1000))
	((BASH_REMATCH[1] <= 1032))
	equal "$(tl-view trace.tls | awk -F'\t' '$1 == "event" { print $4 - 1000 * n++, $5, $6, $7, $10 }' | uniq -c | awk '{ $1 = $1 } 1')" '2000 0 2000 3 7 k'
}

@test "--lenient: a fault behind the events costs none of them" {
	local text='{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{}}],"traceName":".\log\worker.json","more":1}'
	printf '%s' "$text" >t.json
	gzip -k t.json
	for f in t.json t.json.gz; do
		run -1 --separate-stderr tl-parse -o out.tls $f
		failed 1 'byte [0-9]+: expected one of .* after a backslash, found .l.; --lenient uses the events that can be read'
		run -0 --separate-stderr tl-parse --lenient -o out.tls $f
		like "$stderr" 'the text is damaged here, the rest of the file is not read \(first at event 1, byte 1'
		equal "$(tl-view out.tls | grep -c '^ev')" 1
	done
	# without an event before it there is no trace
	printf '{"traceName":".\log","traceEvents":[]}' >t.json
	run -1 --separate-stderr tl-parse --lenient -o out.tls t.json
	failed 1 'after a backslash'
}
