#!/usr/bin/env bats
# odd-traces.bats - traces as they should not be, and what is done with each:
# an error with the place, or a counted warning, never a guess.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# good NAME: an event that nothing is wrong with
good() {
	printf '{"ph":"X","cat":"kernel","name":"%s","pid":0,"tid":7,"ts":1,"dur":2,"args":{}}' "$1"
}

# trace EVENT…: a trace of these events and a good one after them, as odd.json
trace() {
	{
		printf '{"schemaVersion":1,"traceEvents":['
		printf '%b,' "$@"
		good last
		printf ']}\n'
	} >odd.json
}

# What came out: kind, ts, dur, name of every event.
events() {
	tl-parse -q "$@" odd.json | tl-view | awk -F'\t' '$1 == "event" { print $3, $4, $5, $10 }'
}

# Strict reading fails at this byte with this message; lenient reading drops the
# event, warns with this message, and keeps the good event.
refused() { # BYTE MESSAGE LENIENT_MESSAGE
	rm -f out.tls
	run -1 --separate-stderr tl-parse -o out.tls odd.json
	failed 1 "odd.json: byte $1: .*$2"
	[ ! -e out.tls ]
	run -0 --separate-stderr tl-parse --lenient -o out.tls odd.json
	like "$stderr" "tl-parse: warning: [^ ]+: 1 events?: .*$3"
	equal "$(events --lenient)" 'kernel 1000 2000 last'
}

# Strict reading succeeds with this one warning (or none).
accepted() { # MESSAGE EVENTS
	run -0 --separate-stderr tl-parse -o out.tls odd.json
	if [ -z "$1" ]; then
		equal "$stderr" ''
	else
		like "$stderr" "^tl-parse: warning: [^ ]+: 1 events?: $1"
		equal "${#stderr_lines[@]}" 1
		run -0 --separate-stderr tl-parse -q odd.json
		equal "$stderr" ''
	fi
	equal "$(events)" "$2"
}

# ---- zstd ----------------------------------------------------------------------------

# Were the programs built with the library?
has_zstd() { [ "$(make -s --no-print-directory -C "$TL_ROOT" print-HAVE_ZSTD)" = 1 ]; }
need_zstd() {
	need zstd
	has_zstd || skip 'built without libzstd'
}

@test "zstd: frames in any number, from a file and a pipe, give the same bytes as the text" {
	need_zstd
	tl-gen -n 3000 >t.json
	tl-parse --no-provenance t.json >wanted
	zstd -q t.json -o whole.odd
	{ head -c 70000 t.json | zstd -q; printf '\x5a\x2a\x4d\x18\3\0\0\0abc'; head -c 0 t.json | zstd -q; tail -c +70001 t.json | zstd -q -19; } >frames.zst
	gzip -c whole.odd >both.gz
	for file in whole.odd frames.zst both.gz; do
		tl-parse --no-provenance $file | cmp - wanted
		cat $file | tl-parse --no-provenance | cmp - wanted
	done
}

@test "zstd: what is cut short or damaged is an error that names the byte, and with --lenient a trace until there" {
	need_zstd
	tl-gen -n 20000 | zstd -q --check >whole.zst
	local size
	size=$(stat -c %s whole.zst)
	head -c $((size / 2)) whole.zst >cut.zst
	run -1 --separate-stderr tl-parse -o out.tls cut.zst
	failed 1 "cut.zst: zstd data cut short at byte $((size / 2)) of the zstd file"
	[ "$(tl-parse -q --lenient cut.zst | tl-view | grep -c '^event')" -gt 1000 ]
	cp whole.zst sum.zst
	printf '\0\0\0\0' | dd of=sum.zst bs=1 seek=$((size - 4)) conv=notrunc status=none
	run -1 --separate-stderr tl-parse -o out.tls sum.zst
	failed 1 'sum.zst: checksum of the zstd data does not match at byte [0-9]+ of the zstd file'
	{ head -c $((size / 2)) whole.zst; head -c 5000 /dev/zero | tr '\0' '\377'; tail -c +$((size / 2 + 5001)) whole.zst; } >bad.zst
	run -1 --separate-stderr tl-parse -o out.tls bad.zst
	failed 1 'bad.zst: (damaged zstd data|checksum of the zstd data does not match) at byte [0-9]+ of the zstd file'
	{ cat whole.zst; echo x; } >more.zst
	run -1 --separate-stderr tl-parse -o out.tls more.zst
	failed 1 "more.zst: garbage after the compressed data at byte $size of the zstd file"
	printf '\x28\xb5\x2f\xfd' >start.zst
	run -1 --separate-stderr tl-parse -o out.tls start.zst
	failed 1 'start.zst: zstd data cut short at byte 4 of the zstd file'
	printf '\x28\xb5\x2f\xfd\0\xa0\1\0\0' >wide.zst
	run -1 --separate-stderr tl-parse -o out.tls wide.zst
	failed 1 'wide.zst: a window of more than 128 MB, which zstd -dc --long=31'
}

@test "zstd: the workbook has the name of the trace" {
	need_zstd
	tl-gen -n 100 | zstd -q >run.json.zst
	tl-report -q run.json.zst
	[ -s run_perf_report.xlsx ]
}

# ---- gzip ----------------------------------------------------------------------------

@test "a gzip file cut short is an error, and with --lenient its events until there" {
	tl-gen -n 3000 >big.json
	head -c 20000 <(gzip -c big.json) >odd.json
	run -1 --separate-stderr tl-parse -o out.tls odd.json
	failed 1 'odd.json: .*(gzip|cut|truncated|ends)'
	[ ! -e out.tls ]
	run -0 --separate-stderr tl-parse --lenient -o out.tls odd.json
	like "$stderr" 'warning: .*cut short'
	[ "$(tl-view out.tls | grep -c '^event')" -gt 100 ]
}

@test "a damaged gzip checksum is an error" {
	trace "$(good first)"
	gzip odd.json
	size=$(wc -c <odd.json.gz)
	{ head -c $((size - 8)) odd.json.gz; printf 'abcd'; tail -c 4 odd.json.gz; } >odd.json
	run -1 --separate-stderr tl-parse odd.json
	failed 1 "odd.json: .*checksum or length of the gzip data does not match at byte [0-9]+ of the gzip file"
	{ head -c 30 odd.json.gz; head -c $((size - 30)) /dev/zero | tr '\0' '\377'; } >odd.json
	run -1 --separate-stderr tl-parse odd.json
	failed 1 'odd.json: .*damaged gzip data at byte [0-9]+ of the gzip file'
}

@test "damage of a large gzip file is told whatever reads it, and what is before it is kept" {
	tl-gen -n 20000 | gzip -1 >whole.gz
	size=$(wc -c <whole.gz)
	head -c $((size * 2 / 3)) whole.gz >cut.gz
	{ head -c $((size - 8)) whole.gz; printf 'abcd'; tail -c 4 whole.gz; } >sum.gz
	{ head -c $((size / 2)) whole.gz; printf 'damage'; tail -c +$((size / 2 + 7)) whole.gz; } >odd.gz
	for damaged in cut.gz sum.gz odd.gz; do
		run -1 --separate-stderr tl-sheets --threads 1 -d one $damaged
		failed 1 "$damaged: .*(gzip data cut short|checksum|damaged gzip data).*gzip file"
		told=$stderr
		run -1 --separate-stderr tl-sheets --threads 2 -d two $damaged
		equal "$stderr" "$told"
		for n in 1 2; do
			tl-sheets --threads $n --lenient -d $n $damaged 2>$n.err || true
		done
		diff -r 1 2
		cmp 1.err 2.err
	done
}

@test "gzip in gzip is unpacked three times, and not more often" {
	trace "$(good first)"
	local n
	for n in 1 2 3; do
		gzip -n odd.json
		mv odd.json.gz odd.json
	done
	accepted '' $'kernel 1000 2000 first\nkernel 1000 2000 last'
	gzip odd.json
	run -1 --separate-stderr tl-parse odd.json.gz
	failed 1 'odd.json.gz: gzip \(or zstd\) inside gzip, more than 3 times'
}

@test "input that is none of the formats is told with its first bytes, or with what it is" {
	printf '\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09' >odd.json
	run -1 --separate-stderr tl-parse odd.json
	failed 1 'odd.json: byte 0: not a trace: starts with bytes 00 01 02 03 04 05 06 07, expected JSON, a SQLite'
	printf 'abc' >odd.json
	run -1 --separate-stderr tl-parse odd.json
	failed 1 'not a trace: starts with bytes 61 62 63, expected'
	printf 'tls\t2.0\n' >odd.json
	run -1 --separate-stderr tl-parse odd.json
	failed 1 'this is the text of an event stream; tl-view -b turns it into one'
	for name in x.qdrep x.rocprof; do
		printf 'abc' >$name
		run -1 --separate-stderr tl-parse $name
		failed 1 "$name: byte 0: not a trace that can be read: a .*; (nsys export|rocprofv3 --output-format)"
	done
	printf 'abc' >.qdrep # a name that is no ending
	run -1 --separate-stderr tl-parse .qdrep
	failed 1 'not a trace: starts with bytes'
}

@test "archives, compressed files and pointers are named, with the command that opens them" {
	local start name command
	while IFS=$'\t' read -r start name command; do
		[ "$name" != zstd ] || refute has_zstd || continue
		# shellcheck disable=SC2059
		printf "$start" >odd.json
		run -1 --separate-stderr tl-parse odd.json
		failed 1 "odd.json: byte 0: not a trace that can be read: a .*$name.*; $command"
		gzip -f odd.json
		run -1 --separate-stderr tl-timeline odd.json.gz
		failed 1 "odd.json.gz: byte 0: not a trace that can be read: a .*$name.*; $command"
	done <<-'END'
		version https://git-lfs.github.com/spec/v1\noid sha256:76\n	git-lfs	git lfs pull
		PK\003\004\n\0	zip	unzip -p FILE NAME
		t.json%0251dustar	tar	tar -xOf FILE NAME
		\3757zXZ\0\0	xz	xz -dc FILE
		(\265/\375$	zstd	zstd -dc FILE
		BZh91AY&SY	bzip2	bzip2 -dc FILE
		<!DOCTYPE html>	web page	a link
	END
	trace "$(good first)"
	tar cf odd.tar odd.json
	run -1 --separate-stderr tl-parse odd.tar
	failed 1 'odd.tar: .*a tar archive; tar -xOf FILE NAME'
	tar -xOf odd.tar odd.json | tl-parse | tl-view >/dev/null
}

@test "what rpd2tracing makes is named" {
	printf '[ {}\n,{"name": "process_name", "ph": "M", "pid":"2","args":{"name":"GPU2"}}]' >odd.json
	run -1 --separate-stderr tl-parse odd.json
	failed 1 'what rpd2tracing makes of a database of rocmProfileData; the database itself'
}

@test "text is JSON, also where its bytes could be those of a packet" {
	printf '\n  [8,%70s9]' '' >t.json
	run -1 --separate-stderr tl-parse t.json
	failed 1 "t.json: byte 4: event 0: expected an object, found '8'"
}

@test "a member about the trace of 16 MB is kept, a longer one left out and told" {
	local n
	for n in 16777214 16777215; do
		{ printf '{"x":"'; head -c $n /dev/zero | tr '\0' a; printf '","traceEvents":[]}'; } >odd.json
		run -0 --separate-stderr tl-parse -o out.tls odd.json
		equal "$(tl-view out.tls | grep -c $'^meta\tx\t' || true)" $((16777215 - n))
	done
	like "$stderr" '1 event: top-level member of more than 16 MB, left out'
}

@test "several gzip members are one trace" {
	trace "$(good first)"
	mv odd.json whole.json
	{ head -c 50 whole.json | gzip; tail -c +51 whole.json | gzip; } >odd.json
	accepted '' 'kernel 1000 2000 first
kernel 1000 2000 last'
}

@test "bytes after the gzip members are an error" {
	trace "$(good first)"
	gzip odd.json
	{ cat odd.json.gz; printf 'garbage'; } >odd.json
	run -1 --separate-stderr tl-parse odd.json
	failed 1 "odd.json: .*garbage after the compressed data at byte $(wc -c <odd.json.gz) of the gzip file"
}

@test "a gzip file is found by content, whatever its name, and from a pipe" {
	trace "$(good first)"
	gzip -c odd.json >trace.txt
	tl-parse --no-provenance odd.json >plain
	[ -s plain ]
	tl-parse --no-provenance trace.txt | cmp - plain
	tl-parse --no-provenance < <(cat trace.txt) | cmp - plain
}

# ---- the document -------------------------------------------------------------------------

@test "a byte order mark is passed over" {
	printf '\xef\xbb\xbf{"traceEvents":[%s]}' "$(good a)" >odd.json
	accepted '' 'kernel 1000 2000 a'
}

@test "text after the trace is an error; --lenient warns" {
	printf '{"traceEvents":[%s]} x' "$(good last)" >odd.json
	refused '[0-9]+' "nothing after the end" 'text after the end of the trace'
}

@test "traceEvents may come after other members, and those may hold one too" {
	printf '{"a":{"traceEvents":[1]},"b":["traceEvents"],"traceEvents":[%s],"z":1}' "$(good a)" >odd.json
	accepted '' 'kernel 1000 2000 a'
}

@test "a list at the top is a list of events" {
	printf '[%s]' "$(good a)" >odd.json
	accepted '' 'kernel 1000 2000 a'
}

@test "no events is an empty stream, and an error for a sheet" {
	printf '{"traceEvents":[]}' >odd.json
	accepted '' ''
	run -1 --separate-stderr tl-timeline odd.json
	failed 1 '[Nn]o GPU events found'
}

@test "no traceEvents is an error that says what was there" {
	printf '{"spans":[],"x":1}' >odd.json
	run -1 --separate-stderr tl-parse odd.json
	failed 1 'no traceEvents in the trace; its members are: spans, x$'
}

@test "a traceEvents that is no list is an error" {
	for v in null 7 '{}' '"x"'; do
		printf '{"traceEvents":%s}' "$v" >odd.json
		run -1 --separate-stderr tl-parse odd.json
		failed 1 'byte 15: .*list of events'
	done
}

@test "a second traceEvents is an error; --lenient takes the first" {
	printf '{"traceEvents":[%s],"traceEvents":[%s]}' "$(good last)" "$(good b)" >odd.json
	refused '[0-9]+' 'second traceEvents' 'another traceEvents, ignored'
}

@test "blank space of every kind may stand anywhere between tokens" {
	printf ' \t\r\n{ \n"schemaVersion" : 1 ,\t"traceEvents"\r\n:\t[ { "ph" :\n"X" ,\t"name"\n: "a" , "ts" : 1 , "dur" : 2 , "args" : { } } ] \n}\n\n' >odd.json
	accepted '' 'other 1000 2000 a'
}

# ---- text -------------------------------------------------------------------------------------

@test "control characters inside a string are kept with a warning" {
	trace '{"ph":"X","name":"a\x01b\nc","ts":1,"dur":1}'
	accepted 'raw control characters inside a string \(first at event 0, byte [0-9]+\)' 'other 1000 1000 a\x01b\nc
kernel 1000 2000 last'
}

@test "bytes that are not UTF-8 become U+FFFD with a warning" {
	trace '{"ph":"X","name":"a\xff\xc3b","ts":1,"dur":1}'
	accepted 'bytes that are not UTF-8' 'other 1000 1000 a��b
kernel 1000 2000 last'
}

@test "a lone surrogate becomes U+FFFD with a warning; a pair is one character" {
	trace '{"ph":"X","name":"a\\ud800b","ts":1,"dur":1}'
	accepted 'escaped surrogates without their pair' 'other 1000 1000 a�b
kernel 1000 2000 last'
	trace '{"ph":"X","name":"\\ud83d\\ude00","ts":1,"dur":1}'
	accepted '' 'other 1000 1000 😀
kernel 1000 2000 last'
}

@test "a bad escape is an error" {
	trace '{"ph":"X","name":"a\\xb","ts":1,"dur":1}'
	refused '[0-9]+' 'event 0' 'damaged'
}

@test "a string of 64 MB goes through" {
	{ printf '{"schemaVersion":1,"traceEvents":[{"ph":"X","name":"'; head -c 67108864 /dev/zero | tr '\0' x; printf '","ts":1,"dur":1}]}'; } >odd.json
	run -0 --separate-stderr tl-parse -o out.tls odd.json
	equal "$stderr" ''
	[ "$(tl-view out.tls | wc -c)" -gt 67108864 ]
}

@test "an empty name and no name are both kept" {
	trace '{"ph":"X","cat":"cpu_op","ts":1,"dur":1}' '{"ph":"X","cat":"cpu_op","name":"","ts":2,"dur":1}'
	accepted '' $'cpu_op 1000 1000 \ncpu_op 2000 1000 \\e\nkernel 1000 2000 last'
}

# ---- times --------------------------------------------------------------------------------------

@test "of args that an event has twice the last ones count" {
	echo '[{"ph":"X","cat":"kernel","name":"k","args":{"a":1,"b":2},"top":4,"ts":1,"dur":2,"pid":0,"tid":7,"args":{"b":3}}]' >t.json
	equal "$(tl-parse -q t.json | tl-view | sed -n 's/^event.*\ttda\t//p')" $'top:I=4\tb:i=3'
}

@test "an event without ts is kept without one, and one whose ts is null" {
	trace '{"ph":"X","cat":"cpu_op","name":"a","dur":1}' '{"ph":"X","cat":"cpu_op","name":"b","ts":null,"dur":1}'
	accepted '' 'cpu_op  1000 a
cpu_op  1000 b
kernel 1000 2000 last'
}

@test "an event without dur is kept without one, and one whose dur is null" {
	trace '{"ph":"X","cat":"cpu_op","name":"a","ts":1}' '{"ph":"X","cat":"cpu_op","name":"b","ts":1,"dur":7,"dur":null}'
	accepted '' 'cpu_op 1000  a
cpu_op 1000  b
kernel 1000 2000 last'
}

@test "a ts that is a string is an error; --lenient drops the event" {
	for v in 12x '' -1 1e3; do
		trace "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"ts\":\"$v\",\"dur\":1}"
		refused '[0-9]+' 'event 0: a string, expected a number' 'dropped: ts or dur is no usable number'
	done
}

@test "a ts and a dur in quotes are read as numbers, digit by digit" {
	trace '{"ph":"X","cat":"cpu_op","name":"a","ts":"1736405443863674.4996","dur":"12.77012757357446"}'
	accepted '' 'cpu_op 1736405443863674500 12770 a
kernel 1000 2000 last'
}

@test "a ts that is no number at all is an error; --lenient drops the event" {
	for v in true false '[1]' '{}'; do
		trace "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"ts\":$v,\"dur\":1}"
		refused '[0-9]+' 'event 0: ' 'dropped: ts or dur is no usable number'
	done
}

@test "NaN and infinities as times are errors; --lenient drops the event" {
	for v in NaN Infinity -Infinity; do
		trace "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"ts\":1,\"dur\":$v}"
		refused '[0-9]+' 'event 0: not finite' 'dropped: ts or dur is no usable number'
	done
}

@test "times beyond the clock's range are errors; --lenient drops the event" {
	for v in 1e300 99999999999999999999 -1e17; do
		trace "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"ts\":$v,\"dur\":1}"
		refused '[0-9]+' 'event 0: .*2\^62' 'dropped: ts or dur is no usable number'
	done
}

@test "a ts plus its dur beyond the clock's range is an error; --lenient drops the event" {
	trace '{"ph":"X","cat":"cpu_op","name":"a","ts":4000000000000000,"dur":4000000000000000}'
	refused '[0-9]+' 'event 0: ts [+] dur is beyond 2\^62' 'dropped: ts or dur is no usable number'
}

@test "an event with a negative dur is dropped with a warning" {
	trace '{"ph":"X","cat":"cpu_op","name":"a","ts":1,"dur":-1}'
	accepted 'dropped: negative dur \(first at event 0, byte [0-9]+\)' 'kernel 1000 2000 last'
}

@test "times are decimal, digit by digit, at any size" {
	trace '{"ph":"X","cat":"cpu_op","name":"a","ts":1751410836123456.789,"dur":0.001}' \
		'{"ph":"X","cat":"cpu_op","name":"b","ts":1.5e3,"dur":25E-1}' \
		'{"ph":"X","cat":"cpu_op","name":"c","ts":0.0004999,"dur":0.0005}'
	accepted '' 'cpu_op 1751410836123456789 1 a
cpu_op 1500000 2500 b
cpu_op 0 1 c
kernel 1000 2000 last'
}

# ---- values ----------------------------------------------------------------------------------------

@test "huge numbers and NaN in arguments are kept as they stand" {
	trace '{"ph":"X","name":"a","ts":1,"dur":1,"args":{"x":123456789012345678901234567890,"y":NaN,"z":-Infinity,"u":1e999}}'
	accepted '' 'other 1000 1000 a
kernel 1000 2000 last'
	tl-view out.tls | grep -q 'x:j=123456789012345678901234567890	y:j=NaN	z:j=-Infinity	u:j=1e999$'
}

@test "of two members with one name the last counts" {
	trace '{"ph":"X","cat":"cpu_op","name":"a","name":"b","ts":1,"ts":5,"dur":1,"dur":2}'
	accepted '' 'cpu_op 5000 2000 b
kernel 1000 2000 last'
}

@test "deep nesting is kept, and an error beyond 512 levels" {
	deep() { head -c "$1" /dev/zero | tr '\0' '['; head -c "$1" /dev/zero | tr '\0' ']'; }
	trace "{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"args\":{\"x\":$(deep 500)}}"
	accepted '' 'other 1000 1000 a
kernel 1000 2000 last'
	for n in 520 100000; do
		trace "{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"args\":{\"x\":$(deep $n)}}"
		refused '[0-9]+' 'event 0: nested deeper than 512 levels' 'damaged'
	done
}

@test "an event has at most 4096 members besides those that every event has; --lenient drops it" {
	trace "{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"x\":1,\"args\":{$(seq -s , -f '"a%.0f":1' 4095)}}"
	accepted '' $'other 1000 1000 a\nkernel 1000 2000 last'
	trace "{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"x\":1,\"args\":{$(seq -s , -f '"a%.0f":1' 4096)}}"
	refused '[0-9]+' 'event 0: more than 4096 members in an event' 'dropped: damaged'
}

@test "an element that is no object is an error; --lenient drops it" {
	for v in 5 null '"x"' '[]'; do
		trace "$v"
		refused '[0-9]+' 'event 0: expected an object' 'dropped: not an object'
	done
}

@test "a damaged event is an error; --lenient goes on with the next" {
	trace '{"ph":"X","name":"a" "ts":1,"dur":1}'
	refused '[0-9]+' "event 0: expected ',' or '}'" 'dropped: damaged'
	trace '{"ph":"X","name":a,"ts":1,"dur":1}'
	refused '[0-9]+' 'event 0' 'dropped: damaged'
	trace '{"ph":"X","name":"a","ts":1,"dur":01}'
	refused '[0-9]+' 'event 0' ''
}

@test "after damage an event is what begins with a member that events have" {
	local not='{"name",7}' bad='{"ph":"X","x":y},'
	trace "$bad$not,{\"names\":1},{\"Ph\":\"X\"},{\"\":1},{},{7:8}"
	run -0 --separate-stderr tl-parse --lenient -o out.tls odd.json
	like "$stderr" ': 1 event: dropped: damaged'
	equal "$(events --lenient)" 'kernel 1000 2000 last'
	for member in '"ph":"X"' '"cat":"c"' '"name" : "n"' '"pid":1' '"tid":1' '"ts":3' '"dur":1' '"id":1' '"args":{}' '"s":"t"' '"bp":"e"'; do
		trace "$bad{ $member,\"ph\":\"X\",\"ts\":3,\"name\":\"n\"}"
		equal "$(events --lenient | cut -d ' ' -f 2,4)" $'3000 n\n1000 last'
	done
}

@test "an event without ph is dropped with a warning" {
	trace '{"cat":"cpu_op","name":"a","ts":1,"dur":1}'
	accepted 'dropped: no phase letter' 'kernel 1000 2000 last'
}

@test "a dropped event keeps its number" {
	trace '{"cat":"cpu_op","name":"a","ts":1,"dur":1}'
	tl-parse -q odd.json | tl-view | grep -q '^event	1	kernel'
}

@test "warnings count and name the first place only" {
	trace '{"cat":"cpu_op","name":"a"}' '{"cat":"cpu_op","name":"b"}' '{"cat":"cpu_op","name":"c"}'
	run -0 --separate-stderr tl-parse -o out.tls odd.json
	like "$stderr" '^tl-parse: warning: .*: 3 events: .*\(first at event 0, byte 34\)$'
}

# ---- what a report does with them ----------------------------------------------------------------------

@test "of a trace without device events a filter and a report say what was found instead" {
	printf '{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":2,"args":{}}]}' >odd.json
	run -1 --separate-stderr tl-timeline odd.json
	failed 1 'No GPU events found.*cpu_op'
	run -0 --separate-stderr tl-report -o report.xlsx odd.json
	like "$stderr" 'warning: No GPU events found.*cpu_op'
	[ -s report.xlsx ]
}

# whole EVENTS…: a trace of these alone
whole() {
	local IFS=,
	printf '{"traceEvents":[%s]}' "$*" >odd.json
}

@test "calls that launched work which was not recorded are counted, with why that happens" {
	local op='{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":2}' call='{"ph":"X","cat":"cuda_runtime","pid":1,"tid":1,"ts":1,"dur":1,"name"'
	whole "$op" "$call:\"cudaLaunchKernel\"}" "$call:\"cudaMalloc\"}" "$call:\"cudaGraphLaunch\"}"
	run -1 --separate-stderr tl-timeline odd.json
	failed 1 'No GPU events found.*; 2 calls launched work that the profiler did not record: CUPTI or roctracer'
	run -0 --separate-stderr tl-ops odd.json
	like "$stderr" 'the trace has no device events: .*; 2 calls launched work that'
	whole "$op"
	run -1 --separate-stderr tl-timeline odd.json
	failed 1 'No GPU events found.* 1 cpu_op; the program used no GPU, or one of a kind that is not known, or the profiler was not asked for it \(ProfilerActivity.CUDA\)'
	whole "$op" "$call:\"cudaLaunchKernel\"}" '{"ph":"X","cat":"kernel","name":"k","pid":1,"tid":1,"ts":5}'
	run -1 --separate-stderr tl-timeline odd.json
	failed 1 '1 kernel without start or duration$'
}

@test "traces of torch.autograd.profiler: pids tell operators and device work; times of operators are no kernels" {
	local host='"ph":"X","ts":100,"dur":20,"tid":1,"pid":"CPU functions","args":{}}' device='"ph":"X","ts":105,"dur":10,"pid":"CUDA functions","args":{},"tid"'
	printf '[%s]' "{\"name\":\"add\",$host,{\"name\":\"add\",\"ph\":\"s\",\"ts\":100,\"tid\":1,\"pid\":\"CPU functions\",\"id\":0,\"cat\":\"cpu_to_cuda\",\"args\":{}},
		{\"name\":\"add\",$device:0},{\"name\":\"mul\",$host,{\"name\":\"vectorized\",$device:1}, {\"name\":\"mul\",$device:\"x\"}" >odd.json
	equal "$(tl-parse odd.json 2>said | tl-view | awk '/^event/' | cut -f 3-7,10,12-)" 'cpu_op	100000	20000	"CPU functions"	1	add	correlation:i=1
flow	100000		"CPU functions"	1	add	id:I=0
kernel	105000	10000	"CUDA functions"	0	add	device:i=0
cpu_op	100000	20000	"CPU functions"	1	mul	correlation:i=4
kernel	105000	10000	"CUDA functions"	1	vectorized	device:i=1	correlation:i=4
kernel	105000	10000	"CUDA functions"	"x"	mul'
	like "$(<said)" '2 events: the time of an operator on the device, by CUDA events: .*first at event 2'
	equal "$(tl-timeline -q odd.json | awk '/^busy_time/ { print $2 }')" 0.01
	equal "$(tl-parse -q --drop kernel odd.json | tl-view | grep -c '^event')" 3
	equal "$(tl-ops -q --sheets ops_summary odd.json | cut -f 1,4,5 | tail -n +2)" $'mul\t0.01\t0.01' # the kernel is of the operator before
	equal "$(tl-kcat -q --sheets kernels --columns name,launcher,parent_op odd.json | tail -n +3)" $'vectorized\tmul\tmul\nmul\t\t'
	whole "{\"name\":\"add\",$device:0}" # does not begin with an operator
	run -1 tl-timeline odd.json
}

@test "runtime calls of other devices are runtime calls" {
	local cat
	for cat in xpu_runtime:runtime xpu_driver:driver mtia_runtime:runtime privateuse1_runtime:runtime privateuse1_driver:driver xpu_other:other; do
		whole '{"ph":"X","cat":"'${cat%:*}'","name":"a","pid":1,"tid":1,"ts":1,"dur":2}'
		equal "$(tl-parse odd.json | tl-view | awk '/^event/ { print $3 }')" "${cat#*:}"
	done
}

@test "category names of 2021 and traces without arrows are understood" {
	tl-gen -n 3000 >new.json
	tl-gen -n 3000 --no-arrows | sed -E 's/"cpu_op"/"Operator"/; s/"cuda_(runtime|driver)"/"Runtime"/; s/"cat": "kernel"/"cat": "Kernel"/
		s/"gpu_mem(cpy|set)"/"Mem\1"/; /"correlation"/s/"External id"/"external id"/' >old.json
	tl-timeline new.json >new.tsv
	tl-timeline -q old.json >old.tsv
	[ -s new.tsv ]
	cmp new.tsv old.tsv
	tl-ops --sheet ops_summary new.json >new.tsv
	tl-ops -q --sheet ops_summary old.json >old.tsv
	# graph kernels hang on correlation in both
	cmp new.tsv old.tsv
}

@test "a trace of device events alone still gives the sheets that need no more" {
	tl-gen -n 500 --gpu-only >odd.json
	run -0 --separate-stderr tl-report -q --include_unlinked_kernels --enable_kernel_summary --tsv-dir sheets odd.json
	[ -s sheets/gpu_timeline.tsv ]
	[ -s sheets/kernel_summary.tsv ]
	[ ! -e sheets/ops_summary.tsv ]
}

@test "moving the clock's origin changes nothing" {
	for origin in 0 1 1419116105957 1751410836123456 4000000000000000; do
		tl-gen -n 4000 --origin "$origin" >odd.json
		tl-report -q --tsv-dir "sheets-$origin" --include_overlap_info --enable_kernel_summary --short_kernel_study odd.json
		awk -F '\t' -v OFS='\t' 'NR == 1 && $NF != "start_ns" { exit 1 } { NF-- } 1' "sheets-$origin/idle_gaps.tsv" >relative
		mv relative "sheets-$origin/idle_gaps.tsv"
		same_sheets -x overview.tsv sheets-0 "sheets-$origin"
	done
}

@test "dropped events in a row: what stands between them is still looked at" {
	local py='{"ph":"X","cat":"python_function","name":"a \\"}{","pid":0,"tid":7,"ts":1,"dur":2,"args":{"x":[{}]}}'
	trace "$py" "$py" "$py" "$(good one)" "$py" "$py" 5 "$py" "$py" ' ' "$py" "$py"
	run -1 --separate-stderr tl-parse --no-python -o out.tls odd.json
	failed 1 'event 6: expected an object'
	trace "$py" "$py" "$py" "$(good one)" "$py" "$py" 5 "$py" "$py"
	run -0 --separate-stderr pipe 'tl-parse --lenient --no-python odd.json | tl-view'
	like "$stderr" 'not an object'
	equal "$(awk -F'\t' '$1 == "event" { print $2, $10 }' <<<"$output")" $'3 one\n9 last'
}

@test "a dropped event that does not end is an error; --lenient goes on with the next" {
	trace '{"ph":"X","cat":"python_function","name":"a,"pid":0}' "$(good one)"
	run -1 --separate-stderr tl-parse --no-python -o out.tls odd.json
	failed 1 "event 0: expected ',' or '}', found 'p'"
	run -0 --separate-stderr pipe 'tl-parse --lenient --no-python odd.json | tl-view'
	like "$stderr" 'dropped: damaged'
	equal "$(awk -F'\t' '$1 == "event" { print $2, $10 }' <<<"$output")" $'1 one\n2 last'
}

@test "dropped events in a row: the last one is cut short" {
	local py='{"ph":"X","cat":"python_function","name":"f","pid":0,"tid":7,"ts":1,"dur":2,"args":{}}'
	{
		printf '['
		head -n 5000 <(yes "$py,")
		printf '%s' "${py%?}"
	} >odd.json
	run -1 --separate-stderr tl-parse --no-python -o out.tls odd.json
	failed 1 'event 5000: the trace is cut short'
	run -0 --separate-stderr pipe 'tl-parse --lenient --no-python odd.json | tl-view'
	like "$stderr" 'the trace is cut short here'
}

@test "a trace without Python frames: what is told by them gets one warning" {
	local warning='warning: the trace has no Python frames: no recomputed work, call stacks and modules can be found'
	trace '{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":1,"dur":9}' \
		'{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":2,"dur":2,"args":{"correlation":1}}' \
		'{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":9,"args":{"correlation":1}}'
	unlinked='device events that no runtime call' # `trace` adds one
	for o in 'roofline --detect_recompute' 'roofline --include_call_stack' 'ops --detect_recompute'; do
		run -0 --separate-stderr tl-$o odd.json
		equal "$(grep -v "$unlinked" <<<"$stderr")" "tl-${o%% *}: $warning"
		run -0 --separate-stderr tl-$o -q odd.json
		equal "$stderr" ''
		run -0 --separate-stderr pipe "tl-link -q --detect_recompute odd.json | tl-$o"
		equal "$(grep -v "$unlinked" <<<"$stderr")" "tl-${o%% *}: $warning"
	done
	run -0 --separate-stderr tl-report --tsv-dir out --detect_recompute --include_call_stack odd.json
	equal "$(grep -v -e 'no launch arrows' -e "$unlinked" <<<"$stderr")" "tl-report: $warning"
	run -0 --separate-stderr tl-roofline odd.json
	equal "$(grep -v "$unlinked" <<<"$stderr" || true)" ''
	trace '{"ph":"X","cat":"python_function","name":"f.py(1): f","pid":1,"tid":1,"ts":1,"dur":9}' \
		'{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":1.5,"dur":5}' \
		'{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":2,"dur":2,"args":{"correlation":1}}' \
		'{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":9,"args":{"correlation":1}}'
	run -0 --separate-stderr tl-roofline --detect_recompute --include_call_stack odd.json
	equal "$(grep -v "$unlinked" <<<"$stderr" || true)" ''
	run -0 --separate-stderr tl-report --tsv-dir out --detect_recompute --include_call_stack odd.json
	equal "$(grep -v -e 'no launch arrows' -e "$unlinked" <<<"$stderr" || true)" ''
}
