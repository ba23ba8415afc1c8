#!/usr/bin/env bats
# memory.bats - the bounds the manual pages state, on a trace of some size.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup_file() {
	load helpers
	[ -z "${TL_SANITIZED-}" ] || return 0
	cd "$BATS_FILE_TMPDIR"
	tl-gen --size 60M >trace.json
	tl-parse -o trace.tls trace.json
}

setup() {
	[ -z "${TL_SANITIZED-}" ] || skip "sanitizers take memory of their own"
	cd "$BATS_FILE_TMPDIR"
}

# KiB of the largest process of a shell command
peak() {
	"$TL_TOOLS/measure" 1 "$1" | cut -f 3
}

@test "tl-parse stays below 16 MB, plain and gzip" {
	[ "$(peak 'tl-parse trace.json >/dev/null')" -lt 16384 ]
	gzip -1 -c trace.json >trace.json.gz
	[ "$(peak 'tl-parse trace.json.gz >/dev/null')" -lt 16384 ]
}

@test "tl-parse stays below 8 MB on packets of Perfetto, however many" {
	for n in 20000 200000; do
		[ "$(peak "'$TL_TOOLS/pftrace' $n | tl-parse >/dev/null")" -lt 8192 ]
	done
}

@test "tl-fuse stays below 8 MB, however many ranks" {
	for ranks in "0=trace.json" "0=trace.json 1=trace.tls 2=trace.json"; do
		[ "$(peak "tl-fuse -q $ranks >/dev/null")" -lt 8192 ]
	done
}

@test "tl-link takes at most 64 bytes an event that takes part" {
	n=$(tl-view trace.tls | awk -F'\t' '$1 == "event" && $3 !~ /^(meta|instant|counter|python|trace|other|overhead)$/ { n++ } END { print n }')
	base=$(peak 'tl-link --version >/dev/null')
	used=$(peak 'tl-link trace.tls >/dev/null')
	echo "$(((used - base) * 1024 / n)) bytes an event"
	[ $(((used - base) * 1024)) -le $((64 * n)) ]
	n=$(tl-view trace.tls | awk -F'\t' '$1 == "event" && $3 !~ /^(meta|instant|counter|trace|other|overhead)$/ { n++ } END { print n }')
	used=$(peak 'tl-link --python trace.tls >/dev/null')
	echo "$(((used - base) * 1024 / n)) bytes an event with frames"
	[ $(((used - base) * 1024)) -le $((64 * n)) ]
}

@test "no process of tl-report exceeds 64 MB on a trace of 50000 events" {
	tl-gen -n 50000 >small.json
	[ "$(peak "tl-report -q -o '$BATS_TEST_TMPDIR/out.xlsx' small.json")" -lt 65536 ]
}
