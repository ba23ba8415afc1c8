#!/usr/bin/env bats
# edits.bats - what edits of the tree may cost, and edits that cannot be.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR"
	need tl-rewrite tl-view tl-ops
}

# rules TEXT: \t and \n as printf has them
rules() {
	printf "$1" >rules
}

# A linked stream of N operators, each after the last, and the links on stdin.
stream() {
	{
		printf 'tls\t1.0\nheader\tsource\tpytorch\nheader\tticks_per_us\t1000\nheader\tlinked\t1\nheader\tpython\t0\n'
		awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++)
			printf "event\t%d\tcpu_op\t%d\t10\t1\t1\tcpu_op\tX\top%d\ttda\n", i, i * 10, i }'
		awk '{ printf "link\t%s\t%s\t%s\n", $1, $2, $3 }'
		echo end
	} | tl-view -b
}

# One operator with N others below it, side by side.
wide() {
	{
		echo node 0
		awk -v n="$1" 'BEGIN { for (i = 1; i < n; i++) print "node", i, 0 }'
	} | stream "$1"
}

@test "edits of an event with very many children take no time that grows with their square" {
	wide 100000 >wide.tls
	rules 'rule\tr\tinsert\n\top-like\top[1-9]\n\tname\tnew\n'
	timeout 20 tl-rewrite -q --rules rules wide.tls >out.tls
	equal "$(tl-view --links out.tls | grep -c replace)" 99999
	timeout 20 tl-ops out.tls >sheet # the same edits, read
}

@test "a node that an edit before it gave another place is an error" {
	printf 'node 0\nreparent 1 0\nnode 1 0\n' | stream 2 >bad.tls
	run -1 --separate-stderr tl-ops bad.tls
	failed 1 'link node 1 0: an edit before it gave the event another place'
	printf '%s\n' 'node 0' 'node 4' 'node 1 0' 'reparent 0 2' 'reparent 0 3' 'node 2 4' 'node 5 4' 'reparent 4 3' |
		stream 6 >bad.tls
	run -1 --separate-stderr tl-ops bad.tls
	failed 1 'link node 2 4: '
}
