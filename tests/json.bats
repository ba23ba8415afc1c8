#!/usr/bin/env bats
# json.bats - sheets as JSON: tl-json, --format, --json.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup_file() {
	load helpers
	cd "$BATS_FILE_TMPDIR"
	tl-gen -n 3000 >trace.json
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	trace=$BATS_FILE_TMPDIR/trace.json
}

# says TSV JSON [OPTION...]: printf formats the TSV
says() {
	local tsv=$1 json=$2
	shift 2
	equal "$(printf "$tsv" | tl-json "$@")" "$json"
}

rows() { # of the JSON: PYTHON-EXPRESSION of d
	python3 -c 'import json, sys; d = json.load(sys.stdin); print('"$1"')'
}

@test "a sheet is one object, with its keys, the number of its rows and the rows" {
	says 'name\tPercentage (%%)\nmm\t12.50\n\t-3e-05\n' '{"schema": 1, "sheet": "sheet", "trace": null, "columns": ["name", "pct"], "total": 2, "rows": [
{"name": "mm", "pct": 12.50},
{"name": null, "pct": -3e-05}]}'
}

@test "a sheet without rows is told from none" {
	says 'a\tb\n' '{"schema": 1, "sheet": "x", "trace": "t.json", "columns": ["a", "b"], "total": 0, "rows": []}' --trace t.json x=-
	run -1 --separate-stderr tl-json </dev/null
	failed 1 'empty input'
}

@test "rows and offset page through a sheet, and the total stays" {
	says 'a\n1\n2\n3\n' '{"schema": 1, "sheet": "sheet", "trace": null, "columns": ["a"], "total": 3, "rows": [
{"a": 2}]}' --rows 1 --offset 1
	says 'a\n1\n2\n3\n' '{"schema": 1, "sheet": "sheet", "trace": null, "columns": ["a"], "total": 3, "rows": []}' --offset 3
}

@test "lines are the rows alone" {
	says 'a\tb\n1\tx\n2\ty\n' '{"a": 1, "b": "x"}
{"a": 2, "b": "y"}' --lines
}

@test "a number is one by the grammar of JSON; without a description a text stays a text" {
	says 'a\n007\n.5\n1.\n1e5\n+1\n-0\ninf\nTrue\n1e\n12345678901234567890\n--1\n' '{"a": "007"}
{"a": ".5"}
{"a": "1."}
{"a": 1e5}
{"a": "+1"}
{"a": -0}
{"a": "inf"}
{"a": true}
{"a": "1e"}
{"a": 12345678901234567890}
{"a": "--1"}' --lines
}

@test "described columns have their types: a name of digits is a text, an integer has no fraction, inf is null" {
	printf 'name\tapi\tCount\thost_time_ms\tPercentage (%%)\tCumulative Percentage (%%)\n12\tTrue\t3.0\tinf\t1.0\t2\n' >api_summary.tsv
	equal "$(tl-json --lines api_summary.tsv)" '{"name": "12", "api": "True", "count": 3, "host_time_ms": null, "pct": 1.0, "cumulative_pct": 2}'
}

@test "equal keys of two headers are told apart" {
	says 'a b\ta_b\tA-B\n1\t2\t3\n' '{"a_b": 1, "a_b_2": 2, "a_b_3": 3}' --lines
}

@test "hostile names come through: twelve of twelve" {
	printf 'name\n"a\nb"\n"\n\\t\n\\n\\r\n\\\\\n\x01\n\xff\xfe\n</script>\n{"a": 1}\nnull\n  \n' >names.tsv
	equal "$(tl-json names.tsv | python3 -c 'import json, sys; print([r["name"] for r in json.load(sys.stdin)["rows"]])')" \
		"['\"a', 'b\"', '\"', '\\t', '\\n\\r', '\\\\', '\\x01', '��', '</script>', '{\"a\": 1}', 'null', '  ']"
}

@test "programs write a sheet as JSON, JSON lines, Markdown, text" {
	tl-ops --format json --rows 2 --offset 1 "$trace" >json
	tl-ops "$trace" >tsv
	equal "$(rows 'd["sheet"], d["total"], len(d["rows"]), d["rows"][0]["name"]' <json)" \
		"ops_summary $(($(wc -l <tsv) - 1)) 2 $(sed -n 3p tsv | cut -f 1)"
	equal "$(tl-ops --format jsonl "$trace" | wc -l)" $(($(wc -l <tsv) - 1))
	tl-ops --format markdown --rows 1 "$trace" >md
	equal "$(wc -l <md)" 3
	like "$(head -n 1 md)" '^\| name +\|'
	equal "$(tl-ops --format text "$trace")" "$(tl-show --top 0 tsv)"
	equal "$(tl-ops --rows 2 --offset 1 "$trace")" "$(sed -n '1p;3,4p' tsv)"
	tl-diff --summary --format json "$trace" "$trace" >json
	equal "$(rows 'd["sheet"]' <json)" diff_summary
	run -2 --separate-stderr tl-diff --format json "$trace" "$trace"
	failed 2 'are for a sheet'
	run -2 --separate-stderr tl-ops -d d --format json "$trace"
	failed 2 'not with a folder of sheets'
	run -2 --separate-stderr tl-ops --format xml "$trace"
	failed 2 'expected tsv, text, json, jsonl, markdown or folded'
}

@test "a sheet that the trace does not give is an object without rows" {
	printf '{"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 2}], "schemaVersion": 1}' >small.json
	tl-memory -q --sheets memory_steps --format json small.json >json || true
	equal "$(rows 'd["total"], d["rows"]' <json)" '0 []'
}

@test "an error is a line of JSON, too, when JSON was asked for" {
	run -1 --separate-stderr tl-ops --format json absent.json
	equal "$output" '{"schema": 1, "error": {"status": 1, "program": "tl-ops", "message": "absent.json: cannot open: No such file or directory", "file": "absent.json"}}'
	equal "$stderr" 'tl-ops: error: absent.json: cannot open: No such file or directory'
	printf 'x' >bad.json
	run -1 --separate-stderr tl-kcat --format jsonl bad.json
	equal "$(rows 'd["error"]["status"], d["error"]["file"]' <<<"$output")" '1 bad.json'
	run -2 --separate-stderr tl-ops --format json --sheets nope "$trace"
	equal "$(rows 'd["error"]["status"], d["error"]["file"]' <<<"$output")" '2 None'
	run -1 --separate-stderr tl-ops absent.json
	equal "$output" ''
}

@test "all sheets of a report are one object, with the cells of their TSV and the types that are described" {
	tl-report -q -d sheets --json all.json "$trace"
	"$TL_ROOT/tests/json-types" sheets all.json
	run -2 --separate-stderr tl-json --all x sheets/ops_summary.tsv ops_summary=sheets/ledger.tsv
	failed 2 "two sheets are named 'ops_summary'"
	run -2 --separate-stderr tl-json sheets/ops_summary.tsv sheets/ledger.tsv
	failed 2 'one sheet expected, 2 given'
	run -2 --separate-stderr tl-json --all x --lines sheets/ledger.tsv
	failed 2 '--all has no effect with --lines'
}
