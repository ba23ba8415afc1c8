#!/usr/bin/env bats
# formats.bats - what every reader of traces must do when a trace is damaged or memory runs out:
# one small trace a format, and one loop over them.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup_file() {
	load helpers
	need sqlite3
	cd "$BATS_FILE_TMPDIR"
	"$TL_ROOT/tests/tools/rocprofv3-json" 2 | sed 's/{"size":88,"kernel_id":\([4-9]\|[0-9]\{2,3\}\),[^}]*},\?//g; s/,\]/]/' >rocprofv3
	"$TL_ROOT/tests/tools/xplane-text" 2 | sed 's/4:{ 1:\([4-9]\|[0-9]\{2\}\) 2:{ 1:[0-9]* 2:"loop_fusion_[0-9]*" } } //g' | "$TL_TOOLS/protobuf" >xplane
	packets | "$TL_TOOLS/protobuf" >perfetto
	sqlite3 nsys <<-'SQL'
		CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
		INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'gemm');
		CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT, nameId INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 150, (7<<24)+71, 5, 1);
		CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, correlationId INT, globalPid INT,
			demangledName INT, shortName INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (200, 300, 0, 9, 5, 7<<24, 2, 2, 4, 2, 1, 64, 1, 1);
	SQL
	sqlite3 rocpd <<-'SQL'
		CREATE TABLE rocpd_metadata_a1 (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
		CREATE TABLE rocpd_string_a1 (id INTEGER PRIMARY KEY, string TEXT);
		INSERT INTO rocpd_string_a1 VALUES (1, 'hipLaunchKernel');
		CREATE TABLE rocpd_info_process_a1 (id INTEGER PRIMARY KEY, pid INT, init INT, fini INT, command TEXT);
		INSERT INTO rocpd_info_process_a1 VALUES (1, 41, 1000, 9000, '/opt/app --fast');
		CREATE TABLE rocpd_info_kernel_symbol_a1 (id INTEGER PRIMARY KEY, kernel_name TEXT, display_name TEXT);
		INSERT INTO rocpd_info_kernel_symbol_a1 VALUES (1, '_Z4gemm.kd', 'gemm(int)');
		CREATE TABLE rocpd_kernel_dispatch_a1 (id INTEGER PRIMARY KEY, pid INT, kernel_id INT, start INT, end INT);
		INSERT INTO rocpd_kernel_dispatch_a1 VALUES (1, 1, 1, 2200, 2500);
	SQL
	sqlite3 rpd <<-'SQL'
		CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT);
		INSERT INTO rocpd_string VALUES (1, 'hipLaunchKernel'), (2, 'gemm'), (3, 'KernelExecution');
		CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INT, tid INT, start INT, end INT, apiName_id INT, args_id INT);
		INSERT INTO rocpd_api VALUES (1, 5, 51, 10, 20, 1, 2);
		CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INT, queueId INT, start INT, end INT, description_id INT, opType_id INT);
		INSERT INTO rocpd_op VALUES (1, 2, 0, 50, 60, 2, 3);
		CREATE TABLE rocpd_api_ops (id INTEGER PRIMARY KEY, api_id INT, op_id INT);
		INSERT INTO rocpd_api_ops VALUES (1, 1, 1);
	SQL
	cat >rocprof <<-'END'
		{ "traceEvents":[{}
		,{"args":{"name":"GPU1"},"ph":"M","pid":6,"name":"process_name","sort_index":1}
		,{"ph":"X","name":"k","pid":"6","tid":"0","ts":"10","dur":"2","args":{"BeginNs":"10123","EndNs":"12456","dev-id":"1","queue-id":"0","KernelName":"k","DurationNs":"2333"}}
		],
		"otherData": {
		  "a": "b"
		  }
		}
	END
	cat >traceconv <<-'END'
		{"traceEvents":[
		{"ph":"M","cat":"__metadata","ts":0,"name":"process_name","pid":70,"tid":0,"args":{"name":"python"}},
		{"args":{"begin_ns":2000,"end_ns":2300,"delta_ns":300,"corr_id":5,"agent":"GPU-3","stream_ID":4},"cat":"kernel_dispatch","name":"gemm","pid":70,"tid":70,"ts":2,"ph":"b"},
		{"args":{},"cat":"kernel_dispatch","name":"gemm","pid":70,"tid":70,"ts":2,"ph":"e"},
		{"args":{},"cat":"io","id":1,"name":"x","pid":70,"tid":70,"ts":2,"ph":"b"},
		{"args":{},"cat":"io","id":1,"name":"x","pid":70,"tid":70,"ts":3,"ph":"e"}]}
	END
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	in=$BATS_FILE_TMPDIR
}

# A slice whose arguments tell its times, one that has its end, one that is never described.
packets() {
	cat <<-'END'
		1:{ 10:2 13:1 58:6 12:{ 1:{ 1:1 2:"kernel_dispatch" } 2:{ 1:1 2:"gemm" } 3:{ 1:1 2:"begin_ns" } 3:{ 1:2 2:"delta_ns" } 3:{ 1:3 2:"agent" } } }
		1:{ 10:2 6:{ 1:{ 1:6 2:5000 } 1:{ 1:64 2:50 3:1 4:10 } } }
		1:{ 10:2 60:{ 1:10 3:{ 1:70 6:"python" } } } 1:{ 10:2 60:{ 1:12 5:10 2:"STREAM 4" } } 1:{ 10:2 60:{ 1:11 5:10 4:{ 1:70 2:70 5:"main" } } }
		1:{ 8:2000 10:2 13:2 11:{ 9:1 11:12 3:1 10:1 4:{ 1:1 3:2000 } 4:{ 1:2 3:300 } 4:{ 1:3 6:"GPU-3" } 4:{ 10:"l" 12:{ 3:1 } 12:{ 5:d0.5 } } } }
		1:{ 8:2001 10:2 13:2 11:{ 9:2 11:12 } } 1:{ 8:9 10:2 11:{ 9:1 11:11 23:"call" 22:"a" 22:"b" } } 1:{ 8:20 10:2 11:{ 9:2 11:11 } }
		1:{ 50:z{ 1:{ 8:30 10:2 11:{ 9:3 11:99 23:"late" } } } }
	END
}

# each FUNCTION: runs it once for every format; NAME and FILE. bats prints the names when it fails.
each() {
	local format
	for format in rocprofv3 rocprof nsys rocpd rpd xplane perfetto traceconv; do
		echo "format: $format"
		"$1" "$format" "$in/$format"
	done
}

is_read() {
	tl-parse --no-provenance -o out.tls "$2"
	tl-parse --no-provenance - <"$2" | cmp - out.tls
	tl-view out.tls | grep -q $'^event\t.*\tkernel\t'
}
@test "the trace of each format is read, from a pipe too" {
	each is_read
}

damage_is_told() {
	"$TL_TOOLS/cuts" -e "$2" $(($(wc -c <"$2") / 25 + 1)) tl-parse -q
}
@test "a trace that is cut, or has a wrong byte, is read or refused with a message" {
	each damage_is_told
}

refused_leaves_nothing() {
	head -c $(($(wc -c <"$2") / 2)) "$2" >half
	[ "$1" != perfetto ] || head -c 9 "$2" >half # behind the first packet, the rest is a loss that is told
	run -1 --separate-stderr tl-parse -q -o out half
	like "$stderr" '^tl-parse: error: half: byte [0-9]+: .*(cut short|ends inside plane 1)'
	run -1 --separate-stderr tl-report -q --output_csvs_dir csv half
	failed 1 'half: .*(cut short|ends inside plane 1)'
	equal "$(echo out* csv*)" 'out* csv*'
}
@test "half of a trace is an error with its place, and leaves no output" {
	each refused_leaves_nothing
}

memory_is_checked() {
	local n=1 status=1
	tl-parse -q --no-provenance -o whole "$2"
	while [ $status != 0 ]; do
		status=0
		FAIL_MALLOC=$n LD_PRELOAD=$TL_TOOLS/failmalloc.so "$TL_BIN/tl-parse" -q --no-provenance "$2" >out 2>err || status=$?
		[ $status = 0 ] || equal "allocation $n: $status" "allocation $n: 1"
		[ $status = 0 ] || like "$(<err)" '^tl-parse: error: .*(out of memory|Cannot allocate memory)'
		n=$((n + 1 + n / 5))
		[ $n -lt 100000 ]
	done
	[ $n -gt 10 ]
	cmp out whole
}
@test "an allocation that fails is an error, wherever it is" {
	[ -z "${TL_SANITIZED-}" ] || skip "the sanitizers have an allocator of their own"
	each memory_is_checked
}

# ---- what the damage is ---------------------------------------------------------------------

# says STATUS REGEX: what tl-parse says of the trace on stdin, after the name of the file; "" is
# nothing
says() {
	cat >t
	run "-$1" --separate-stderr timeout 10 tl-parse --no-provenance -o out.tls t
	if [ -z "$2" ]; then
		equal "$stderr" ''
	else
		like "$stderr" "^tl-parse: (error|warning): t: $2"
	fi
	[ "$1" = 0 ] || [ ! -e out.tls ]
	[ "$1" != 0 ] || tl-view --check out.tls
	rm -f out.tls
}
# sql FORMAT STATEMENT STATUS REGEX: the same for the database of the format after the statement
sql() {
	cp "$in/$1" db
	sqlite3 db "$2"
	says "$3" "$4" <db
}
# pf STATUS REGEX FIELDS: for packets of a trace of Perfetto
pf() {
	printf '%s ' '1:{ 10:2 13:1 60:{ 1:11 4:{ 1:70 2:70 } } }' "${@:3}" | "$TL_TOOLS/protobuf" | says "$1" "$2"
}
# swap FORMAT REGEX TEXT STATUS REGEX: for the trace of the format with something else in it
swap() {
	sed -E "s/$2/$3/" "$in/$1" >swapped
	refute cmp -s swapped "$in/$1"
	says "$4" "$5" <swapped
}
# deep N TEXT END: the text N times, then the end as often
deep() {
	awk -v n="$1" -v a="$2" -v b="$3" 'BEGIN { for (i = 0; i < n; i++) printf "%s", a; for (i = 0; i < n; i++) printf "%s", b }'
}

@test "what is no trace is refused with what was expected" {
	says 1 'byte 0: empty input: expected a trace' </dev/null
	printf 'MZ\220\0\3' | says 1 "byte 0: not a trace: starts with bytes 4d 5a 90 00 03, expected JSON, .*Perfetto's packets, XPlane"
	printf '\x1f\x8b\x08\0\0\0\0\0\0\3\3\0\0\0\0\0\0\0\0\0' | says 1 'byte 0: empty input'
	printf 'SQLite format 3\0' | says 1 'byte 16: the SQLite database is cut short'
	printf '{}' | says 1 'no traceEvents in the trace; it has no members'
}

@test "what is nested too deep is an error with its place" {
	local lists
	lists=$(deep 600 '[' ']')
	swap rocprofv3 '"kernel_dispatch":\[\{' "&\"x\":$lists," 1 'byte [0-9]+: record 0 of kernel_dispatch: nested deeper than 512 levels'
	swap rocprof '"ph":"X",' "&\"x\":$lists," 1 'byte [0-9]+: nested deeper than 512 levels'
	swap traceconv '"cat":"kernel_dispatch",' "&\"x\":$lists," 1 'byte [0-9]+: event 1: .*nested deeper than 512 levels'
	pf 1 'byte 17: packet 2: a damaged argument of an event, or one nested more than 64 deep' \
		"1:{ 8:9 10:2 11:{ 9:3 11:11 4:{ 10:\"a\" $(deep 70 '12:{ ' '} ') } } }"
	pf 0 '' "1:{ 8:9 10:2 11:{ 9:3 11:11 4:{ 10:\"a\" $(deep 60 '12:{ ' '} ') } } }"
}

@test "lengths beyond the end, and counts without measure, are errors with their place" {
	pf 1 'byte 17: packet 2: a damaged packet' '1:"\x5a\x7f\x00"'
	pf 1 'byte 17: packet 2: a damaged track event' '1:{ 8:9 10:2 11:"\x22\x7f\x00" }'
	pf 1 'byte 17: packet 2: a damaged clock snapshot' '1:{ 10:2 6:{ 1:"\x08" } }'
	pf 1 'byte 17: packet 2: damaged interned data' '1:{ 10:2 12:{ 2:"\x12\x50" } }'
	pf 1 'byte 17: packet 2: a damaged track descriptor' '1:{ 10:2 60:"\x12\x50" }'
	pf 1 'byte 17: packet 2: more than 512 arguments of an event' \
		"1:{ 8:9 10:2 11:{ 9:3 11:11 $(deep 513 '4:{ 10:"a" 3:1 } ') } }"
	printf 'SQLite format 3\0%984s' '' | says 1 'byte [0-9]+: '
}

@test "times that are missing or in the wrong order are told, with the event or row" {
	local reversed='1 event: without a duration: the end is before the start \(first at event'
	swap rocprofv3 '"end_timestamp":[0-9]+' '"end_timestamp":5' 0 '1 event: without a duration: end_timestamp is before start_timestamp \(first at event 1, byte'
	swap rocprofv3 '"start_timestamp":[0-9]+,' '' 0 '1 event: without a duration: start_timestamp or end_timestamp is missing'
	swap rocprofv3 '"start_timestamp":[0-9]+' '"start_timestamp":99999999999999999999' 1 'byte [0-9]+: record 0 of kernel_dispatch: expected an integer of 64 bits'
	swap rocprof '"EndNs":"12456"' '"EndNs":"7"' 0 '1 event: without a duration: start or end is missing, or in the wrong order \(first at event 2, byte'
	sql nsys 'UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 1' 0 "$reversed"
	sql nsys 'UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = NULL' 1 'table CUPTI_ACTIVITY_KIND_KERNEL, row 1: start is missing'
	sql rocpd 'UPDATE rocpd_kernel_dispatch_a1 SET end = 5' 0 "$reversed"
	sql rocpd 'UPDATE rocpd_kernel_dispatch_a1 SET end = NULL' 1 'table rocpd_kernel_dispatch_a1, row 1: end is missing'
	sql rpd 'UPDATE rocpd_op SET end = 5' 0 "$reversed"
	sql rpd "UPDATE rocpd_api SET start = 'x'" 1 'table rocpd_api, row 1: start is not an integer'
	pf 0 '1 event: slices that end before they begin, given no duration \(first at event 3, byte 33' \
		'1:{ 8:9 10:2 11:{ 9:1 11:11 23:"x" } } 1:{ 8:5 10:2 11:{ 9:2 11:11 } }'
	pf 0 '1 event: slices whose packet has no time, given none' '1:{ 10:2 11:{ 9:1 11:11 23:"x" } } 1:{ 8:5 10:2 11:{ 9:2 11:11 } }'
	pf 0 '1 event: begin_ns, end_ns and delta_ns make no span, not used' \
		'1:{ 8:9 10:2 11:{ 9:1 11:11 23:"x" 4:{ 10:"begin_ns" 3:9 } 4:{ 10:"end_ns" 3:5 } } }'
	swap traceconv '"delta_ns":300' '"delta_ns":-1' 0 '1 event: begin_ns, end_ns and delta_ns make no span, not used'
}

@test "ids that repeat, lead round or lead nowhere end in no loop and lose no event" {
	local event='1:{ 8:9 10:2 11:{ 9:3 11:20 23:"x" } }'
	pf 0 '' "1:{ 10:2 60:{ 1:20 5:21 } } 1:{ 10:2 60:{ 1:21 5:20 } } $event"
	pf 0 '' "1:{ 10:2 60:{ 1:20 5:20 } } $event"
	pf 0 '1 event: names given by a number that stands for none, left empty' '1:{ 8:9 10:2 11:{ 9:3 11:11 10:77 } }'
	sql nsys 'INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT * FROM CUPTI_ACTIVITY_KIND_RUNTIME;
		UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = 99, shortName = -1' 0 ''
	sql rocpd 'INSERT INTO rocpd_kernel_dispatch_a1 VALUES (2, 99, 88, 5, 6)' 0 ''
	sql rpd 'INSERT INTO rocpd_api_ops VALUES (2, 1, 1), (3, 1, 1), (4, 77, 1), (5, 1, 77)' 0 ''
	swap rocprofv3 '"kernel_id":2,"kernel_name"' '"kernel_id":1,"kernel_name"' 0 ''
}
