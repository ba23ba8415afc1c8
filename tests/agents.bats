#!/usr/bin/env bats
# agents.bats - the skill for agents, and the module for Python.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup_file() {
	load helpers
	cd "$BATS_FILE_TMPDIR"
	tl-gen -n 6000 >trace.json
	for rank in 0 1; do
		tl-gen --tp 2 --dp 1 --steps 3 --rank "$rank" >"rank$rank.json"
	done
}

setup() {
	cd "$BATS_FILE_TMPDIR"
	skill=$TL_ROOT/lib/skills/gpu-trace/SKILL.md
}

commands() {
	sed -n 's/^    \(tl-.*\)/\1/p' "$skill"
	grep '^| .* | `tl-' "$skill" | sed 's/^|[^`]*`//; s/`.*//; s/\\|/|/g'
}

@test "every command of the skill works, and its answer has at most 2,000 tokens" {
	local command out
	[ "$(commands | wc -l)" -ge 20 ]
	while IFS= read -r command; do
		command=$(sed "s/TRACE\.\.\./rank0.json rank1.json/; s/TRACE/trace.json/; s/RULE/dataloader/; s/ A B$/ trace.json trace.json/" <<<"$command")
		echo "$command"
		out=$(bash -o pipefail -c "$command" 2>err </dev/null) || { cat err; return 1; }
		[ "${#out}" -le 6000 ] || { echo "${#out} bytes"; return 1; }
	done < <(commands)
}

@test "the skill has the form of its kind: a name that is its folder's, a description, under 5,000 tokens" {
	equal "$(sed -n '1p; 2p' "$skill")" $'---\nname: gpu-trace'
	like "$(sed -n 3p "$skill")" '^description: .{100,1024}$'
	[ "$(wc -c <"$skill")" -lt 15000 ]
}

@test "Python: sheets have their keys and types, errors are exceptions" {
	printf 'name\tvalue\n"a\t1\nb"\t\n"\t3\n' >hostile.tsv
	PYTHONPATH=$TL_ROOT/lib/python python3 - <<-'END' >out
	import json, tl
	tl.pandas = None
	ops = tl.sheet('trace.json', 'ops_summary')
	print(type(ops[0]['count']).__name__, type(ops[0]['pct']).__name__, ops[0]['name'] is not None)
	print(sorted(tl.sheets('trace.json', 'ops_summary', 'ledger')))
	print(tl.sql('trace.json', 'SELECT count(*) AS n FROM kernel')[0]['n'] > 0)
	print(tl.findings('trace.json')[0]['schema'], tl.describe('ledger')['class']['type'])
	print(json.loads(tl.run('tl-json', 'hostile.tsv'))['total'])
	try:
	    tl.sheet('trace.json', 'nosuch')
	except tl.Error as error:
	    print('nosuch' in str(error))
	END
	equal "$(cat out)" $'int float True\n[\'ledger\', \'ops_summary\']\nTrue\n1 text\n3\nTrue'
}

@test "Python: frames of pandas keep integers beside gaps" {
	python3 -c 'import pandas' 2>/dev/null || skip "there is no pandas"
	PYTHONPATH=$TL_ROOT/lib/python python3 - <<-'END' >out
	import tl
	frame = tl.sql('trace.json', 'SELECT 12345678901234567 AS a UNION ALL SELECT NULL')
	print(frame['a'].dtype, frame['a'][0] if frame['a'][0] is not None else frame['a'][1])
	END
	like "$(cat out)" '^Int64 '
}
