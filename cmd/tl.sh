#!/bin/sh
# tl - the command in front of all programs: what a trace tells, or tl-VERB.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
set -uf # file names are taken as they stand

# the programs beside this one come first, so that a build folder works as it is
case $0 in */*) [ ! -x "${0%/*}/tl-sheets" ] || PATH=${0%/*}:$PATH ;; esac

# Verbs by what they are for, the most useful first.
groups='look: overview timeline ops kcat host tree memory api path coll series counters phase sheets sql rocprof pftrace jax
explain: findings roofline models
compare: compare diff trend
ranks: ranks multi jaxcoll fuse
edit: slice split parse link rewrite view replay
export: report show html csv json openmetrics xlsx plot'

fail() {
	printf "tl: error: %s\ntry 'tl help'\n" "$1" >&2
	exit 2
}
entry() { # NAME TEXT: at 80 columns, the name first
	printf '%s\n' "$2" | fold -s -w 66 | sed "s/ *\$//; 1s/^/$(printf '  %-11s' "$1") /; 1!s/^/$(printf '%14s' '')/"
}
help() {
	printf '%s\n' 'usage: tl FILE... [OPTION]... | tl VERB [OPTION]... | tl help [VERB]' \
		'all programs as one command: what a trace tells, or tl-VERB' '' \
		'  -j                           the same as --format json' \
		'  -n N                         the same as --rows N; 0: all' \
		'  -h, --help                   print this help and exit' \
		'  -V, --version                print the version and exit' '' 'Commands:'
	entry top 'the first rows of a sheet: tl top [SHEET] FILE'
	entry help 'the manual page of a verb'
	entry skill 'print the folder of the skill for agents'
	echo "$groups" | while read -r group verbs; do
		printf '\n%s\n' "$group"
		for verb in $verbs; do
			entry "$verb" "$("tl-$verb" --help | sed -n '2,$ { /^ /!{ p; q; }; }')"
		done
	done
}
short_help() {
	printf '%s\n' 'tl FILE                 begin here: what is wrong, and what to do' \
		'tl top [SHEET] FILE     the first rows of a sheet: of kernels, or of SHEET'
	echo "$groups" | awk '{
		line = sprintf("%-9s", $1)
		for (i = 2; i <= NF && length(line $i) < 72; i++) line = line " tl " $i
		print line (i <= NF ? " ..." : "")
	}'
	printf '%s\n' 'tl help                 all verbs, a line each' 'tl help VERB            the manual page of one'
}
verbs() {
	set +f
	IFS=:
	for folder in $PATH; do
		for p in "$folder"/tl-*; do [ ! -x "$p" ] || echo "${p##*/tl-}"; done
	done
	printf '%s\n' top help skill
}
nearest() { # WORD: of the names on standard input, the two that fewest edits make of it
	sort -u | awk -v word="$1" '
		function least(x, y) { return x < y ? x : y }
		{
			for (j = 0; j <= length(word); j++) before[j] = j
			for (i = 1; i <= length($1); i++) {
				now[0] = i
				for (j = 1; j <= length(word); j++)
					now[j] = least(least(before[j], now[j - 1]) + 1, before[j - 1] + (substr($1, i, 1) != substr(word, j, 1)))
				for (j = 0; j <= length(word); j++) before[j] = now[j]
			}
			print before[length(word)], $1
		}' | sort -k 1,1n -k 2 | awk 'NR <= 2 { printf "%s%s", (NR > 1 ? " or " : ""), $2 }'
}
quoted() { # WORD: as one types it in a shell
	case $1 in
	*[!A-Za-z0-9_./,:@%+=-]*) printf '%s\n' "$1" | sed "s/'/'\\\\''/g; 1s/^/'/; \$s/\$/'/" ;;
	*) printf '%s\n' "$1" ;;
	esac
}
no_verb() {
	fail "'$1' is neither a file nor a verb; the nearest are $(verbs | nearest "$1")"
}

# ---- what is asked for: a program, whose -j and -n N may be ours
json='' rows='' json_is_ours=1 rows_are_ours=1 verb=${1-}
case $verb in
'') short_help; exit ;;
help | -h | --help)
	[ $# -gt 1 ] || { help; exit; }
	page=tl-$2
	case $2 in top | help | skill) page=tl ;; *) command -v "$page" >/dev/null || no_verb "$2" ;; esac
	for own in "${0%/*}/../man/$page.1" "$page"; do [ ! -e "$own" ] || break; done
	exec man "$own"
	;;
-V | --version) tl-sheets --version | sed '1s/^tl-sheets/tl/'; exit ;;
skill)
	bin=$(command -v tl-sheets) || fail 'cannot find tl-sheets, beside which the skill is'
	for skill in "${bin%/*}/../share/tl-tools/skills/gpu-trace" "${bin%/*}/../../lib/skills/gpu-trace"; do
		[ ! -e "$skill/SKILL.md" ] || { cd -P -- "$skill" && pwd; exit; }
	done
	printf 'tl: error: the skill is not installed beside %s\n' "${bin%/*}" >&2
	exit 1
	;;
top) program=tl-sheets; shift ;;
*)
	case $verb in -* | *[./]*) program='' ;; *) program=$(command -v "tl-$verb") || program='' ;; esac
	if [ "$program" ]; then
		program=tl-$verb
		shift
		case " $* " in *' -j '* | *' -n'*)
			options=$("$program" --help)
			case $options in *'  -j, '*) json_is_ours='' ;; *'--format '*) ;; *) json_is_ours='' ;; esac
			case $options in *'  -n, '*) rows_are_ours='' ;; *'--rows '*) ;; *) rows_are_ours='' ;; esac
			;;
		esac
		[ "$json_is_ours$rows_are_ours" ] || exec "$program" "$@"
	else
		case $verb in -* | *[./]*) ;; *) [ -e "$verb" ] || no_verb "$verb" ;; esac
	fi
	;;
esac
left=$#
while [ "$left" -gt 0 ]; do
	word=$1
	shift
	left=$((left - 1))
	case $json_is_ours$word/$rows_are_ours$word in
	1-j/*) json=1; continue ;;
	*/1-n) [ "$left" -gt 0 ] || fail '-n: a number expected'; rows=$1; shift; left=$((left - 1)); continue ;;
	*/1-n[0-9]*) rows=${word#-n}; continue ;;
	esac
	set -- "$@" "$word"
done
[ "$verb" = top ] || [ "$rows" != 0 ] || rows=''
form=text
[ ! "$json" ] || form=json

if [ "$verb" = top ]; then
	sheet=kernel_stats rows=${rows:-25}
	if [ $# -gt 1 ] && [ ! -e "$1" ] && case $1 in -*) false ;; esac; then
		sheet=$1
		shift
		tl-sheets --list-sheets | cut -f 1 | grep -qxF -e "$sheet" ||
			fail "no sheet '$sheet'; the nearest are $(tl-sheets --list-sheets | sed 1d | cut -f 1 | nearest "$sheet")"
	fi
	[ $# -gt 0 ] || fail 'top: a file expected'
	[ "$rows" != 0 ] || rows=''
	exec tl-sheets --sheets "$sheet" --format "$form" ${rows:+--rows "$rows"} "$@"
elif [ "$program" ]; then
	exec "$program" ${json:+--format json} ${rows:+--rows "$rows"} "$@"
fi

# ---- files: those before options
files=0 ranks=0
for word; do
	case $word in -) ;; -*) break ;; esac
	files=$((files + 1))
	case ${word##*/} in *[rR]ank*[0-9]*) ranks=$((ranks + 1)) ;; esac
done
if [ "$files" -gt 1 ] && [ "$ranks" = "$files" ]; then
	exec tl-ranks --format "$form" ${rows:+--rows "$rows"} "$@"
elif [ "$files" -gt 2 ]; then
	fail "$files files: 'tl compare' for several runs, 'tl ranks' for the ranks of a job"
elif [ "$files" = 2 ]; then
	[ $# -gt 2 ] || set -- --markdown - "$@"
	exec tl-compare "$@"
fi
tl-findings --format "$form" ${rows:+--rows "$rows"} "$@"
status=$?
if [ "$status" = 0 ] && [ ! "$json" ] && [ $# = 1 ] && [ "$1" != - ]; then
	name=$(quoted "$1")
	printf '\ntl report %s    # all sheets, as a workbook\ntl top %s    # kernels by time\n' "$name" "$name"
fi
exit "$status"
