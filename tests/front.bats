#!/usr/bin/env bats
# front.bats - tl, the command in front of all programs.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup_file() {
	load helpers
	gen "$BATS_FILE_TMPDIR/trace.json" -n 3000
	gen "$BATS_FILE_TMPDIR/rank0.json" --tp 2 --steps 2 --rank 0
	gen "$BATS_FILE_TMPDIR/rank1.json" --tp 2 --steps 2 --rank 1
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	cp "$BATS_FILE_TMPDIR"/*.json .
}

@test "tl alone is ten lines of at most 80 characters; tl help lists every program once" {
	run -0 tl
	equal "${#lines[@]}" 10
	equal "$(grep -E '^.{81}' <<<"$output")" ''
	tl help >all
	equal "$(grep -E '^.{81}' all)" ''
	equal "$(sed -n '/^look/,$s/^  \([a-z]\+\) .*/tl-\1/p' all | sort)" "$({ tl_filters | xargs -n 1; echo tl-report; } | sort)"
	equal "$(tl --help)" "$(cat all)"
	like "$(tl --version)" '^tl [0-9]'
}

@test "a verb is the program beside tl, then one in PATH, with all its words and its status" {
	equal "$(tl ops -q trace.json)" "$(tl-ops -q trace.json)"
	run -2 --separate-stderr tl ops --no-such
	failed 2 "unknown option '--no-such'"
	mkdir site
	printf '#!/bin/sh\nprintf "<%%s>" "$@"\nexit 7\n' | tee site/tl-mine >site/tl-ops
	chmod +x site/*
	PATH=$PATH:$PWD/site run -7 tl mine 'a b' '' '*' -j -n 2
	equal "$output" '<a b><><*><-j><-n><2>'
	equal "$(PATH=$PWD/site:$PATH "$TL_BIN/tl" ops -q trace.json)" "$(tl-ops -q trace.json)"
	touch ops
	equal "$(tl ops -q trace.json)" "$(tl-ops -q trace.json)"
}

@test "an unknown verb names the nearest two; a file that is not there is an error of the file" {
	run -2 --separate-stderr tl fidings
	equal "${stderr_lines[0]}" "tl: error: 'fidings' is neither a file nor a verb; the nearest are findings or diff"
	run -2 --separate-stderr tl help opps
	like "$stderr" "the nearest are ops or (api|top|coll|host)"
	run -2 --separate-stderr tl top opssummary trace.json
	like "$stderr" "no sheet 'opssummary'; the nearest are ops_summary or "
	run -1 --separate-stderr tl gone.json
	failed 1 'gone.json: cannot open'
	run -2 --separate-stderr tl top
	like "$stderr" 'top: a file expected'
}

@test "of a file, what to do first and what to type next; of standard input and with options, that alone" {
	run -0 --separate-stderr tl trace.json
	equal "$output" "$(tl-findings -q --format text trace.json; printf '\ntl report trace.json    # all sheets, as a workbook\ntl top trace.json    # kernels by time\n')"
	equal "$(tl - <trace.json 2>/dev/null)" "$(tl-findings -q --format text - <trace.json)"
	equal "$(tl trace.json -q -j -n 2)" "$(tl-findings -q --format json --rows 2 trace.json)"
	run -3 tl trace.json -q --fail_percent 0.01
	mv trace.json "it's mine.json"
	tl "it's mine.json" 2>/dev/null | tail -n 1 >last
	equal "$(cat last)" "tl top 'it'\\''s mine.json'    # kernels by time"
	run -0 bash -c "$(cat last)"
}

@test "several files: ranks, two runs, or what to type" {
	run -0 --separate-stderr tl rank0.json rank1.json -q
	equal "$output" "$(tl-ranks -q --format text rank0.json rank1.json)"
	run -0 --separate-stderr tl trace.json rank1.json
	equal "$output" "$(tl-compare -q --markdown - trace.json rank1.json)"
	[ ! -e comparison.xlsx ]
	run -0 tl trace.json rank1.json -q -d out
	[ -s out/gpu_timeline.tsv ]
	run -2 --separate-stderr tl trace.json rank0.json rank1.json
	equal "${stderr_lines[0]}" "tl: error: 3 files: 'tl compare' for several runs, 'tl ranks' for the ranks of a job"
}

@test "top shows the first rows of a sheet; -j and -n mean the same wherever they stand" {
	top() { tl-sheets -q --sheets "$1" --format text "${@:2}" trace.json; }
	equal "$(tl top -q trace.json)" "$(top kernel_stats --rows 25)"
	run -0 --separate-stderr tl top ops_summary trace.json -n 3
	like "$stderr" 'tl-sheets: ops_summary: 3 of [0-9]+ rows are shown; --rows N shows others'
	equal "$(tl top ops_summary trace.json -q -n 3)" "$(top ops_summary --rows 3)"
	equal "$(tl top -n3 ops_summary trace.json -q)" "$(top ops_summary --rows 3)"
	equal "$(tl top -n 0 ops_summary trace.json -q)" "$(top ops_summary)"
	equal "$(tl top -j ops_summary trace.json -q -n 1)" "$(tl-sheets -q --sheets ops_summary --format json --rows 1 trace.json)"
	equal "$(tl ops -q -j -n 1 trace.json)" "$(tl-ops -q --format json --rows 1 trace.json)"
	tl-ops -q trace.json >ops.tsv
	equal "$(tl show -q -n 2 ops.tsv)" "$(tl-show -q --top 2 ops.tsv)" # it has a -n
	run -2 --separate-stderr tl top trace.json -n
	like "$stderr" 'a number expected'
}

@test "help of a verb is its page; the skill is found beside the sources and where it is installed" {
	mkdir bin
	printf '#!/bin/sh\necho "$1"\n' >bin/man
	chmod +x bin/man
	like "$(PATH=$PWD/bin:$PATH tl help ops)" 'tl-ops(\.1)?$'
	like "$(PATH=$PWD/bin:$PATH tl help top)" 'tl(\.1)?$'
	mkdir -p there/bin there/share/tl-tools/skills/gpu-trace
	cp "$TL_ROOT/cmd/tl.sh" there/bin/tl
	cp "$(command -v tl-sheets)" there/bin
	run -1 --separate-stderr sh there/bin/tl skill
	like "$stderr" '^tl: error: the skill is not installed'
	touch there/share/tl-tools/skills/gpu-trace/SKILL.md
	equal "$(sh there/bin/tl skill)" "$PWD/there/share/tl-tools/skills/gpu-trace"
	[ -e "$TL_ROOT/lib/skills/gpu-trace/SKILL.md" ]
}
