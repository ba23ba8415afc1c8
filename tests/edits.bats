#!/usr/bin/env bats
# edits.bats - what edits of the tree may cost, and edits that cannot be.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

# rules TEXT: \t and \n as printf has them
rules() {
	printf "$1" >rules
}

# A linked stream of N operators, each after the last, and the links on stdin.
stream() {
	{
		printf 'tls\t2.0\nheader\tsource\tpytorch\nheader\tticks_per_us\t1000\nheader\tlinked\t1\nheader\tpython\t0\n'
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

# ---- what expressions may cost ----------------------------------------------------

# A stream with one operator of a long name, N bytes.
long_name() {
	printf 'tls\t2.0\nheader\tsource\tpytorch\nheader\tticks_per_us\t1000\nevent\t0\tcpu_op\t0\t10\t1\t1\tcpu_op\tX\t%s\ttda\nend\n' \
		"$(head -c "$1" /dev/zero | tr '\0' a)" | tl-view -b
}

@test "a name matches no expression that takes a million steps on it, whatever its length" {
	long_name 10 >10.tls
	long_name 30 >30.tls
	long_name 60000 >60.tls
	rules 'rule\tr\trename\n\twhat\t^a*$\n\tto\tshort\n'
	tl-rewrite -q --rules rules 60.tls | tl-view >as.60
	equal "$(grep -c short as.60)" 1
	rules 'rule\tr\trename\n\twhat\t^(a+)+b|^a+$\n\tto\tshort\n'
	tl-rewrite -q --rules rules 10.tls | tl-view >as.10
	equal "$(grep -c short as.10)" 1
	tl-rewrite -q --rules rules 30.tls | tl-view >as.30
	equal "$(grep -c short as.30 || true)" 0
	rules 'rule\tr\trename\n\twhat\t(a)\\1$\n\tto\t<\\1>\n'
	tl-rewrite -q --rules rules 30.tls | tl-view >as.30
	grep -q $'\taaaaaaaaaaaaaaaaaaaaaaaaaaaa<a>\t' as.30
	rules 'rule\tr\trename\n\twhat\t((a|b)*(a|b)*)*c(.*)$\n\tto\tx\n'
	timeout 10 tl-rewrite -q --rules rules 60.tls >out
}
