#!/usr/bin/env bats
# packages.bats - the tarball of sources, and what Debian packages and the container are made of. What takes minutes,
# building and installing them, is scripts/check-bare.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	[ -z "${TL_SANITIZED-}" ] || skip "the same with sanitizers"
	cd "$BATS_TEST_TMPDIR"
}

# sources: a repository of this tree, in src; what is tracked where git can tell, else all
sources() {
	need git
	unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES B J
	export HOME=$PWD GIT_CEILING_DIRECTORIES=$PWD GIT_CONFIG_NOSYSTEM=1
	mkdir src
	if ! git -C "$TL_ROOT" ls-files --cached --others --exclude-standard >names 2>/dev/null; then
		find "$TL_ROOT" -path "$TL_ROOT/build*" -prune -o -type f -printf '%P\n' >names
	fi
	tar -C "$TL_ROOT" -cf - --ignore-failed-read -T names | tar -C src -xf -
	git -C src init -q
	git -C src add -fA
	git -C src -c user.name=me -c user.email=me@example.org commit -qm all
}
# packages: the names of Build-Depends, one a line, sorted
packages() {
	sed -n '/^Build-Depends:/,/^$/p' "$TL_ROOT/debian/control" | sed 's/^Build-Depends://; s/ *([^)]*)//g; s/<[^>]*>//g' |
		tr -d ' \n' | tr ',' '\n' | sort
}

@test "make dist: all that is tracked, and the same bytes whatever the settings" {
	local version tarball
	version=$(cat "$TL_ROOT/VERSION")
	tarball=build/tl-tools-$version.tar.gz
	sources
	make -s -C src dist
	mv "src/$tarball" one.tar.gz
	sleep 1
	(
		umask 077
		git config --global core.autocrlf true
		git config --global tar.umask user
		printf 'tests/** export-ignore\n' >attributes
		git config --global core.attributesFile "$PWD/attributes"
		TZ=Asia/Tokyo LC_ALL=C GZIP=-1 make -s -C src dist
	)
	cmp one.tar.gz "src/$tarball"
	# neither names nor times of who packs
	equal "$(tar --numeric-owner -tvzf one.tar.gz | awk '{ print $2 }' | sort -u)" 0/0
	equal "$(gzip -dc one.tar.gz | git get-tar-commit-id)" "$(git -C src rev-parse HEAD)"
	tar -xzf one.tar.gz
	diff -r --exclude=.git --exclude=build src "tl-tools-$version"
	# make finds the sources of all that it builds
	make -n -C "tl-tools-$version" all build/tests/test_json build/tests/replay_json >commands
	like "$(cat commands)" '-o build/bin/tl-sheets '
	like "$(cat commands)" '-o build/tests/replay_json '
}

@test "the package has the version and date of NEWS, and needs what setup installs" {
	local news
	news=$(sed -n 3p "$TL_ROOT/NEWS")
	equal "${news%% *}" "$(cat "$TL_ROOT/VERSION")"
	need dpkg-parsechangelog
	equal "$(dpkg-parsechangelog -l "$TL_ROOT/debian/changelog" -S Version)" "${news%% *}"
	equal "($(date -u -d "@$(dpkg-parsechangelog -l "$TL_ROOT/debian/changelog" -S Timestamp)" +%F))" "${news#* }"
	# (build-essential: what each package of Debian may take for granted)
	equal "$(packages)" "$(
		{ "$TL_ROOT/scripts/setup" -l deb | tr ' ' '\n' | grep -vxE 'gcc|make|libc6-dev|build-essential|debhelper' && echo debhelper-compat; } | sort)"
	equal "$(grep -o '^| Debian.*' "$TL_ROOT/README.md" | cut -d '|' -f 3 | xargs)" "$("$TL_ROOT/scripts/setup" -l build | sed 's/ gzip$//')"
}

@test "the library for programs outside depends on all that tl.pc links" {
	local lib
	for lib in $(make -s -C "$TL_ROOT" print-TL_DEPENDS | grep -oE -- '-l[a-z0-9-]+' | sed 's/^-l//; s/^z$/zlib1g/; s/^m$/libc/'); do
		[ "$lib" = libc ] || like "$(grep -A3 '^Package: libtl-dev' "$TL_ROOT/debian/control")" "${lib%-8}"
	done
}

@test "the container takes its packages from setup and from the Debian package" {
	local run
	run=$(grep '^RUN' "$TL_ROOT/Containerfile")
	like "$run" 'scripts/setup deb'
	equal "$(grep -o 'apt-get install.*' <<<"$run" | sed 's/ && .*//')" 'apt-get install -y --no-install-recommends /tmp/tl-tools_*.deb'
}

@test "setup -l only lists, and what a package takes to build is in each list" {
	local all
	all=$("$TL_ROOT/scripts/setup" -l build)
	like "$all" 'gcc make .*gnuplot-nox'
	for list in deb test bench; do
		like "$("$TL_ROOT/scripts/setup" -l $list)" "${all% gzip}.*bats"
	done
	run -2 "$TL_ROOT/scripts/setup" -l nothing
	like "$output" 'usage: scripts/setup'
}
