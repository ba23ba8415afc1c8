#!/usr/bin/env bats
# build.bats - the Makefile and the scripts around it, in a copy of the sources.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	[ -z "${TL_SANITIZED-}" ] || skip "the same with sanitizers"
	cd "$BATS_TEST_TMPDIR"
	# a make of its own, whatever this one was called with
	unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES B J
	export GIT_CEILING_DIRECTORIES=${PWD%/*} # git looks for a repository in here, and no further up
	cp -r "$TL_ROOT"/{Makefile,VERSION,lib,cmd,scripts} .
}

# What make has to do for a target: nothing, or anything but nothing.
up_to_date() {
	local said
	said=$(make "$@" | grep -v 'up to date' || true)
	equal "$said" ''
}
out_of_date() {
	local said
	said=$(make "$@")
	like "$said" '-o b/'
}

@test "objects are made anew when flags, compiler or version change, and only then" {
	local o=b/lib/base/error.o
	out_of_date B=b $o
	up_to_date B=b $o
	out_of_date B=b DEVELOPER=1 $o
	up_to_date B=b DEVELOPER=1 $o
	out_of_date B=b CFLAGS='-O1 -DX="a b"' $o
	up_to_date B=b CFLAGS='-O1 -DX="a b"' $o
	out_of_date B=b CPPFLAGS=-DTL_PORTABLE $o
	out_of_date B=b LDFLAGS=-s $o
	out_of_date B=b CC='cc -pipe' $o
	out_of_date B=b $o
	echo 9.9.9 >VERSION
	out_of_date B=b $o
	up_to_date B=b $o
}

@test "a header that does not compile fails make hdr-check" {
	rm -r cmd scripts/[!l]*
	echo 'not C;' >>lib/base/base.h
	run -2 make B=b hdr-check
	like "$output" 'not ok every header compiles by itself'
}

@test "tl.h compiles as C++ without a warning" {
	local cxx std found=
	for cxx in g++ clang++; do
		command -v $cxx || continue
		found=1
		for std in 11 17 20; do
			echo '#include <tl.h>' | $cxx -std=c++$std -Wall -Wextra -pedantic -Werror -Ilib -fsyntax-only -x c++ -
		done
	done
	[ "$found" ] || skip "no C++ compiler is here"
}

@test "make dist outside a repository fails and leaves nothing that looks like sources" {
	run -2 make B=b dist
	equal "$(ls b)" ''
}

@test "a fuzz target without a corpus is a failure" {
	mkdir -p tests/fuzz/corpus/x b/tests
	cp "$TL_ROOT/tests/run" tests
	: >tests/fuzz/fuzz_x.c
	printf '#!/bin/sh\n[ "$1" ]\n' >b/tests/replay_x
	chmod +x b/tests/replay_x
	B=b MAKE=true run -1 tests/run fuzz
	like "$output" '0 passed, 1 failed'
	rmdir tests/fuzz/corpus/x
	B=b MAKE=true run -1 tests/run fuzz
	: >tests/fuzz/corpus/one
	mkdir tests/fuzz/corpus/x
	: >tests/fuzz/corpus/x/one
	B=b MAKE=true run -0 tests/run fuzz
	like "$output" '1 passed, 0 failed'
}
