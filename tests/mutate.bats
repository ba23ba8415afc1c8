#!/usr/bin/env bats
# mutate.bats - scripts/mutate on a tree of one library file, one program and one test.
# Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT

load helpers

setup() {
	[ -z "${TL_SANITIZED-}" ] || skip "the same with sanitizers"
	need git addr2line
	cd "$BATS_TEST_TMPDIR"
	mkdir -p lib/base cmd tests/unit scripts
	cp -r "$TL_ROOT/tests/mutate" tests
	cp "$TL_ROOT/scripts/mutate" scripts
	printf '%s\n' '#include <stdio.h>' 'int tl_sum(int n);' 'int main(void)' '{' '	return tl_sum(4) != 10;' '}' >cmd/tl-one.c
	printf '%s\n' 'int tl_sum(int n);' 'int tl_sum(int n)' '{' '	int sum = 0;' '' '	while (n) {' '		sum += n;' '		n -= 1;' '	}' '	return sum;' '}' 'int tl_more(int n);' 'int tl_more(int n)' '{' '	return n + 1;' '}' >lib/base/sum.c
	printf '%s\n' '#!/usr/bin/env bats' '@test "the (sum) is 10" {' '	build/bin/tl-one' '}' '@test "nothing" {' '	true' '}' >tests/one.bats
	printf '%s\n' '#include <stdio.h>' 'int main(void)' '{' '	return puts("ok nothing") < 0;' '}' >tests/unit/test_none.c
	cat >Makefile <<'END'
.RECIPEPREFIX := >
all: build/bin/tl-one
build/%.o: %.c
> @mkdir -p $(@D)
> $(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -c -o $@ $<
build/libtlone.so: build/lib/base/sum.o
> $(CC) -shared -Wl,-soname,libtlone.so -o $@ $^ $(LDLIBS)
build/bin/% build/tests/%: build/cmd/%.o build/libtlone.so
> @mkdir -p $(@D)
> $(CC) -o $@ $^ -Wl,-rpath,'$$ORIGIN/..' $(LDLIBS)
build/tests/test_none: tests/unit/test_none.c
> @mkdir -p $(@D)
> $(CC) -o $@ $<
print-%:
> @echo $($*)
.SECONDARY:
END
	git init -q .
	git add .
	git -c user.name=x -c user.email=x commit -q -m x
}

mutate() {
	CC=cc B=build scripts/mutate "$@"
}

@test "a seed gives the same faults every time, another seed others" {
	mutate --list --seed 1 >a
	mutate --list --seed 1 >b
	mutate --list --seed 2 >c
	cmp a b
	refute cmp a c
	equal "$(sort a)" "$(sort c)"
	equal "$(grep -c sum.c a)" 8
	like "$(cat a)" 'cmd/tl-one.c:5: tl_sum\(4\) != 10  ->  tl_sum\(4\) == 10   in: return tl_sum'
	like "$(cat a)" 'lib/base/sum.c:6: n  ->  false   in: while \(n\) \{'
	like "$(cat a)" 'lib/base/sum.c:7: removed: sum \+= n'
}

@test "faults are noticed by a failing test or a hang, and what survives is told" {
	printf 'lib/base/sum.c\tn -= 1;\t1  ->  0\tslow\n' >>tests/mutate/equivalent
	mutate --room lib/base --limit 1 >said
	equal "$(sort said | tr -s ' ')" "lib/base 7 5 2 71 % (and 1 equivalent)
lib/base/sum.c:15: n + 1 -> n + 0 in: return n + 1;
lib/base/sum.c:15: n + 1 -> n + 2 in: return n + 1;
room planted noticed survived share
total 7 5 2 71 % (and 1 equivalent)"
	like "$(cat build/mutate/run/*/result)" 'removed: n -= 1	n -= 1;	one.bats: it hangs'
}
