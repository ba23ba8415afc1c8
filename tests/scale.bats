#!/usr/bin/env bats
# scale.bats - the commands about many ranks in README and tl-scale(7), with processes in place of
# Slurm and of other machines, which runner.bats tests.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR"
	mkdir traces before
	for rank in 0 1; do
		tl-gen -n 600 --rank "$rank" --world-size 2 | gzip -1 >"traces/rank_$rank.json.gz"
	done
}

# run_locally: the commands on standard input, one by one
run_locally() {
	local n=0
	while IFS= read -r command; do
		n=$((n + 1))
		echo "$command"
		command=$(sed -E "s/ --runner [a-z]+//; s/ --hosts [a-z]+//; s/ --sbatch-options '[^']*'//" <<<"$command")
		bash -e -c "$command" >out 2>err </dev/null || { cat err; return 1; }
		refute grep 'error: ' err
	done
	[ "$n" -gt 2 ]
}

@test "the commands of README about many ranks work" {
	tl-ranks -q -d before/ranks --rank_sheets before/sheets traces/rank_*.json.gz >said
	sed -n '/^## Many ranks/,/^## What/s/^    \$ //p' "$TL_ROOT/README.md" | run_locally
	[ -s ranks/ranks_summary.tsv ]
	[ -s traces/traces_rank__performance_report.xlsx ]
	[ -s comparison.xlsx ]
}

@test "the commands of tl-scale(7) on a cluster work" {
	need mandoc
	"$TL_ROOT/tests/examples-of" "$TL_ROOT/man/tl-scale.7" 'ON A CLUSTER' | tr -d '\0' | run_locally
	[ -s ranks/nccl_long.tsv ]
}
