#!/usr/bin/env bats
# completion.bats - what bash, zsh and fish complete for the programs.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup_file() {
	load helpers
	cd "$BATS_FILE_TMPDIR"
	mkdir zsh
	for shell in bash zsh fish; do
		"$TL_ROOT/scripts/completion" $shell "$TL_BIN" >$shell.out
	done
	mv zsh.out zsh/_tl-tools
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	mkdir folder
	touch file
}

# bash LINE: the words that bash offers for the last word of the line, as readline splits it
in_bash() {
	bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tl_tools "$1"; printf "%s\n" "${COMPREPLY[@]}"' \
		"$BATS_FILE_TMPDIR/bash.out" "$@"
}
in_fish() {
	fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$BATS_FILE_TMPDIR/fish.out" "$1" | cut -f 1
}
# the line after it, and all words shown below it
in_zsh() {
	timeout 30 zsh -f "$TL_ROOT/tests/zsh-screen" "$BATS_FILE_TMPDIR/zsh" "$1" | tr -s ' ' '\n'
}

# offers LIST WORDS…: these are in a list of words; refuses: these are not
offers() {
	local list=$1 word
	shift
	for word; do
		grep -qx -e "$word" <<<"$list" || { printf '%s is not in: %s\n' "$word" "$list"; return 1; }
	done
}
refuses() {
	local list=$1 word
	shift
	for word; do
		refute grep -x -e "$word" <<<"$list"
	done
}

@test "completion of every shell is sound" {
	bash -n "$BATS_FILE_TMPDIR/bash.out"
	if command -v zsh; then zsh -n "$BATS_FILE_TMPDIR/zsh/_tl-tools"; fi
	if command -v fish; then fish --no-execute "$BATS_FILE_TMPDIR/fish.out"; fi
}

# Options as --help lists them, one a line.
long_options() {
	"$1" --help | sed -nE 's/^ +((-[^ -]), )?--([A-Za-z0-9_-]+).*/--\3/p' | sort -u
}

@test "bash offers every option of every program, fish too" {
	for p in $(tl_filters) tl tl-report; do
		equal "$p: $(in_bash "$p" -- | sort -u)" "$p: $(long_options "$p")"
		command -v fish >/dev/null || continue
		equal "$p: $(in_fish "$p --" | sort -u)" "$p: $(long_options "$p")"
	done
}

@test "bash completes values: GPUs, sheets, kinds, files, folders" {
	equal "$(in_bash tl-roofline --arch H1 | sort)" $'H100-NVL\nH100-PCIe\nH100-SXM'
	equal "$(in_bash tl-roofline --arch = H1 | sort)" $'H100-NVL\nH100-PCIe\nH100-SXM'
	equal "$(in_bash tl-report --gpu_arch_platform MI300X)" $'MI300X\nMI300X-peak'
	offers "$(in_bash tl find)" findings
	equal "$(in_bash tl-ops --sheets ops_u)" $'ops_unique_args\nops_unique_args_kl_overlap'
	equal "$(in_bash tl-report --sheets gpu_timeline,ops_unique_args_)" gpu_timeline,ops_unique_args_kl_overlap
	equal "$(in_bash tl-kcat --sheets ops_)" ''
	equal "$(in_bash tl-multi --runner s)" slurm
	equal "$(in_bash tl-parse --drop kernel,me)" $'kernel,meta\nkernel,memcpy\nkernel,memset'
	equal "$(in_bash tl-view --kind = py)" python
	equal "$(in_bash tl-ops -d f)" folder
	equal "$(in_bash tl-ops -o f | sort)" $'file\nfolder'
	equal "$(in_bash tl-ops f | sort)" $'file\nfolder'
	equal "$(in_bash tl-models fu)" functions
}

@test "fish completes values: GPUs, sheets, kinds, files, folders" {
	need fish
	offers "$(in_fish 'tl-roofline --arch H1')" H100-SXM H100-PCIe
	refuses "$(in_fish 'tl-roofline --arch H1')" MI300X H200
	offers "$(in_fish 'tl-roofline --arch=H1')" --arch=H100-SXM --arch=H100-PCIe
	offers "$(in_fish 'tl-ops --sheets ops_u')" ops_unique_args ops_unique_args_kl_overlap
	offers "$(in_fish 'tl-report --sheets gpu_timeline,ops_unique_args_')" gpu_timeline,ops_unique_args_kl_overlap
	offers "$(in_fish 'tl-parse --drop kernel,mem')" kernel,memcpy kernel,memset
	equal "$(in_fish 'tl-ops -d f')" folder/
	offers "$(in_fish 'tl-ops -o f')" file folder/
	offers "$(in_fish 'tl-models fu')" functions
}

@test "zsh completes values: GPUs, sheets, kinds, files, folders" {
	need zsh
	zsh -f -c 'zmodload zsh/zpty && zpty shell true' || skip "no terminal can be made here"
	offers "$(in_zsh 'tl-roofline --arch H1')" H100-SXM H100-PCIe
	refuses "$(in_zsh 'tl-roofline --arch H1')" MI300X H200
	offers "$(in_zsh 'tl-roofline --arch=H1')" --arch=H100- H100-SXM H100-PCIe
	offers "$(in_zsh 'tl-report --sheets gpu_timeline,ops_u')" gpu_timeline,ops_unique_args ops_unique_args_kl_overlap
	offers "$(in_zsh 'tl-parse --drop kernel,mem')" memcpy memset
	offers "$(in_zsh 'tl-ops -d f')" folder/
	offers "$(in_zsh 'tl-ops --include_f')" --include_first_occurrence_time
}
