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

# As built: every program, the library and the completions, without a compiler.
stubs() {
	local p
	cp -r "$TL_ROOT"/man .
	mkdir -p lib
	cp "$TL_ROOT"/lib/tl.pc.in lib
	mkdir -p b/bin
	for p in $(make -s B=b print-PROGRAMS print-SCRIPTS) b/libtl.a b/completion.{bash,zsh,fish}; do echo "$p" >"$p"; done
}
make_of_stubs() {
	make -s -o all -o b/libtl.a -o b/completion.bash -o b/completion.zsh -o b/completion.fish B=b "$@"
}

@test "folders with blanks and quotes: what make install puts there, uninstall removes, and nothing else" {
	local top="it's my  local" before p
	stubs
	mkdir -p "stage dir/$top/include/tl/base" "stage dir/$top/bin" "stage dir/$top/lib"
	ln -s "stage dir/$top" stage
	for p in include/tl/base/mine.h include/tl/mine.h bin/tl-mine lib/mine; do : >"stage/$p"; done
	before=$(find "stage dir" ! -type d | sort)
	make_of_stubs PREFIX="/$top" DESTDIR="$PWD/stage dir" install
	[ -x "stage/bin/tl-sheets" ]
	equal "$(readlink stage/bin/tl-ops)" tl-sheets
	equal "$(cat stage/lib/libtl.a)" b/libtl.a
	[ -s stage/include/tl/base/error.h ]
	[ -s stage/share/man/man5/tl-stream.5 ]
	[ -s stage/share/fish/vendor_completions.d/tl-ops.fish ]
	make_of_stubs PREFIX="/$top" DESTDIR="$PWD/stage dir" uninstall
	equal "$(find "stage dir" ! -type d | sort)" "$before"
	[ ! -e stage/include/tl/model ]
	# without files of others its own folders go, too
	make_of_stubs PREFIX="$PWD/all mine" MANDIR="$PWD/all mine/pages of mine" install
	make_of_stubs PREFIX="$PWD/all mine" MANDIR="$PWD/all mine/pages of mine" uninstall
	equal "$(find "all mine" ! -type d)" ''
	[ ! -e "all mine/include/tl" ]
}

@test "the library is found below a folder with blanks" {
	need pkg-config
	stubs
	make_of_stubs PREFIX="$PWD/a & b|c" LIBDIR="$PWD/lib 64" install
	export PKG_CONFIG_PATH="$PWD/lib 64/pkgconfig"
	equal "$(pkg-config --variable=includedir tl)" "$PWD/a & b|c/include"
	equal "$(grep ^includedir= "$PWD/lib 64/pkgconfig/tl.pc")" 'includedir=${prefix}/include'
	echo '#include <tl.h>' >x.c
	eval "cc $(pkg-config --cflags tl) -fsyntax-only x.c"
	like "$(pkg-config --libs tl)" 'lib\\ 64 -ltl'
}

@test "programs are hardened, unless flags of the user say otherwise" {
	need readelf
	local p said
	for p in "$TL_BIN"/tl-*; do
		[ ! -L "$p" ] || continue
		[ "$(head -c 4 "$p" | tail -c 3)" = ELF ] || continue
		said=$(readelf -hldW "$p")
		like "$said" 'FLAGS_1.*NOW.*PIE' || { echo "$p"; return 1; }
		like "$said" 'GNU_RELRO'
		said=$(readelf -W --dyn-syms "$p")
		like "$said" '__stack_chk_fail'
		like "$said" '_chk'
	done
	flags() { make -s B=b print-TL_CPPFLAGS print-TL_CFLAGS print-TL_LDFLAGS "$@"; }
	like "$(flags)" '-D_FORTIFY_SOURCE=2.*-fstack-protector.*-z,now'
	unlike "$(flags CFLAGS=-O0)" FORTIFY
	unlike "$(flags CFLAGS='-O2 -D_FORTIFY_SOURCE=3')" SOURCE=2
	like "$(flags CFLAGS='-O2 -fno-stack-protector')" '-fstack-protector .* -fno-stack-protector'
	unlike "$(flags SANITIZE=address)" 'FORTIFY|stack-protector|relro'
	unlike "$(flags CFLAGS='-O2 -fsanitize=thread')" 'FORTIFY|stack-protector|relro'
	unlike "$(flags HARDEN=)" 'FORTIFY|stack-protector|relro'
}
