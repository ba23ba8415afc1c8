# tl-tools: GPU trace analysis as Unix filters.
#   make            build everything        make check   install what is missing, run all tests
#   make quick      build, fast tests       make install PREFIX=/usr/local
#   make t T="sqlite json"       the tests of these names
#   make demo       a report of a sample        make deb     packages for Debian
#   make DEVELOPER=1            warnings are errors
#   make SANITIZE=address,undefined         in its own build directory
#   make CPPFLAGS=-DTL_PORTABLE B=…         without code for particular processors
# CC, CPPFLAGS, CFLAGS, LDFLAGS, LDLIBS are yours; the project's own flags live elsewhere.

VERSION := $(shell cat VERSION)
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
CC ?= cc
CFLAGS ?= -O2 -g
PKG_CONFIG ?= pkg-config

B ?= build$(if $(SANITIZE),-$(subst $(comma),-,$(SANITIZE)))
comma := ,

# a program is cmd/tl-NAME.c, or a driver cmd/tl-NAME.sh
FILTERS := $(sort $(patsubst cmd/%.c,%,$(wildcard cmd/*.c)))
DRIVERS := $(sort $(patsubst cmd/%.sh,%,$(wildcard cmd/*.sh)))

# filters that make sheets, in the order of a report, then any others: cmd/tl-NAME.c
# defines tl_filter_NAME, for tl-NAME and tl-sheets
REPORT_FILTERS := overview findings timeline ops phase roofline kcat coll rocprof pftrace jax api
SHEET_FILTERS := $(REPORT_FILTERS) $(filter-out $(REPORT_FILTERS), \
	$(sort $(patsubst cmd/tl-%.c,%,$(shell grep -l '^const struct tl_filter tl_filter_' cmd/*.c))))

# readers of trace formats: a file of lib/readers defines tl_reader_NAME
READERS := $(sort $(shell sed -n 's/^const struct tl_reader \(tl_reader_[a-z0-9_]*\) .*/\1/p' lib/readers/*.c))

REPORT_SRC := $(sort $(wildcard lib/report/*.c))
TL_SRC := $(filter-out $(REPORT_SRC),$(sort $(wildcard lib/*.c lib/*/*.c lib/*/*/*.c)))
CLI_SRC := $(sort $(wildcard cmd/cli/*.c))

TL_CPPFLAGS := -Ilib -Icmd -I. -I$(B)/gen -D_GNU_SOURCE -DTL_VERSION='"$(VERSION)"' $(CPPFLAGS)
TL_PIC := $(if $(ONE_LIBRARY),-fPIC -fno-semantic-interposition)
TL_CFLAGS := -std=c11 -Wall -Wextra -ffp-contract=off -fno-strict-aliasing $(TL_PIC) $(CFLAGS)
ifdef DEVELOPER
TL_CFLAGS += -Werror -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef -Wwrite-strings
endif
ifdef SANITIZE
TL_CFLAGS += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
TL_LDFLAGS += -fsanitize=$(SANITIZE)
endif
# Hardening, as far as the compiler does not do it by itself. Yours come behind it and win. A sanitizer does more.
# HARDEN= leaves it out. The stack protector costs 0.2 % of the instructions of a report, -fstack-protector-strong, which
# the package has, 0.8 %, the rest nothing.
ifeq ($(findstring -fsanitize,$(SANITIZE:%=-fsanitize) $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS)),)
HARDEN ?= 1
endif
ifneq ($(HARDEN),)
PREDEFINED := $(shell $(CC) $(CPPFLAGS) $(CFLAGS) -dM -E -x c /dev/null 2>/dev/null)
# without optimisation it checks nothing, and says so
TL_CPPFLAGS += $(if $(findstring __OPTIMIZE__,$(PREDEFINED)),$(if $(findstring _FORTIFY_SOURCE,$(PREDEFINED)),,-D_FORTIFY_SOURCE=2))
HARDEN_PIE := $(if $(findstring __PIE__,$(PREDEFINED))$(filter -static% -no-pie -fno-pie,$(CFLAGS) $(LDFLAGS)),,1)
TL_CFLAGS := $(if $(HARDEN_PIE),-fPIE) -fstack-protector $(TL_CFLAGS)
TL_LDFLAGS += $(if $(HARDEN_PIE),$(if $(ONE_LIBRARY),,-pie)) -Wl,-z,relro,-z,now
endif
TL_LDFLAGS += $(LDFLAGS)

# ---- libraries ------------------------------------------------------------------
# inflating: ISA-L where it is installed (twice as fast), else zlib
HAVE_ISAL := $(shell $(PKG_CONFIG) --exists libisal 2>/dev/null && echo 1)
ISAL_LIBS := $(if $(HAVE_ISAL),-lisal)
TL_CPPFLAGS += $(if $(HAVE_ISAL),-DTL_HAVE_ISAL=1)
# zstd where its library is installed
HAVE_ZSTD := $(shell $(PKG_CONFIG) --exists libzstd 2>/dev/null && echo 1)
ZSTD_LIBS := $(if $(HAVE_ZSTD),$(shell $(PKG_CONFIG) --libs libzstd))
TL_CPPFLAGS += $(if $(HAVE_ZSTD),-DTL_HAVE_ZSTD=1 $(shell $(PKG_CONFIG) --cflags libzstd))
PCRE_CFLAGS := $(shell $(PKG_CONFIG) --cflags libpcre2-8 2>/dev/null)
PCRE_LIBS := $(or $(shell $(PKG_CONFIG) --libs libpcre2-8 2>/dev/null),-lpcre2-8)
SQLITE_CFLAGS := $(shell $(PKG_CONFIG) --cflags sqlite3 2>/dev/null)
SQLITE_LIBS := $(or $(shell $(PKG_CONFIG) --libs sqlite3 2>/dev/null),-lsqlite3)
PROTOBUF_CFLAGS := $(shell $(PKG_CONFIG) --cflags libprotobuf-c 2>/dev/null)
PROTOBUF_LIBS := $(or $(shell $(PKG_CONFIG) --libs libprotobuf-c 2>/dev/null),-lprotobuf-c)
TL_CPPFLAGS += $(SQLITE_CFLAGS) $(PCRE_CFLAGS) $(PROTOBUF_CFLAGS)
TL_DEPENDS = $(ISAL_LIBS) $(ZSTD_LIBS) $(SQLITE_LIBS) $(PCRE_LIBS) $(PROTOBUF_LIBS) -lz -lm -pthread
TL_LIBS = $(TL_DEPENDS) $(LDLIBS)
XLSX_LIBS = -lxlsxwriter -lminizip
CSV_LIBS = -lcsv
# pages of tl-html draw with Chart.js; without it they have tables only
CHART_JS ?= $(firstword $(wildcard /usr/share/javascript/chart.js/chart.min.js /usr/share/nodejs/chart.js/dist/chart.min.js))

# ---- build ----------------------------------------------------------------------
DATA := $(filter-out lib/report/%,$(sort $(wildcard lib/*/*.tsv lib/*/*.txt lib/*/*.sql lib/*/*/*.tsv lib/*/*/*.txt)))
DATA_OBJ := $(DATA:lib/%=$(B)/gen/%.o)
# what sheets are: lib/sheets/api.sheet -> build/gen/sheet/api.h, api.c
SHEETS := $(sort $(wildcard lib/sheets/*.sheet))
SHEET_H := $(SHEETS:lib/sheets/%.sheet=$(B)/gen/sheet/%.h)
# messages: lib/writers/perfetto.proto -> build/gen/writers/perfetto.pb-c.h, perfetto.pb-c.c
PROTOS := $(sort $(wildcard lib/*/*.proto))
PROTO_H := $(PROTOS:lib/%.proto=$(B)/gen/%.pb-c.h)
TL_OBJ := $(TL_SRC:%.c=$(B)/%.o) $(DATA_OBJ) $(B)/gen/list-readers.o $(SHEET_H:.h=.o) $(PROTO_H:.h=.o) $(B)/gen/sheet/descriptions.o
CLI_OBJ := $(CLI_SRC:%.c=$(B)/%.o)
LIB := $(B)/libtl.a
CLI := $(B)/libtlcli.a
REPORT := $(B)/libtlreport.a

LINKS := $(SHEET_FILTERS:%=$(B)/bin/tl-%)
PROGRAMS := $(filter-out $(LINKS),$(FILTERS:%=$(B)/bin/%))
SCRIPTS := $(DRIVERS:%=$(B)/bin/%)
GEN := $(if $(wildcard tests/gen/tl-gen.c),$(B)/bin/tl-gen)

.DELETE_ON_ERROR:
.PHONY: all lib pages clean check quick t mutate demo bench fuzz lint install uninstall completion hdr-check dist deb FORCE
all: $(PROGRAMS) $(LINKS) $(SCRIPTS) $(GEN) pages
lib: $(LIB)

# the compiler and all flags: everything is built again when they change
# (+: with make -n, too, which takes for changed what it does not run)
$(B)/flags: export FLAGS = $(CC) $(TL_CPPFLAGS) $(TL_CFLAGS) -- $(TL_LDFLAGS) $(TL_LIBS)
$(B)/flags: FORCE
	+@mkdir -p $(@D)
	+@printf '%s\n' "$$FLAGS" | cmp -s - $@ || printf '%s\n' "$$FLAGS" > $@

$(B)/gen/sheet/%.h: lib/sheets/%.sheet scripts/make-sheets
	@mkdir -p $(@D)
	awk -f scripts/make-sheets -v what=h $< > $@
$(B)/gen/sheet/%.c: lib/sheets/%.sheet scripts/make-sheets
	@mkdir -p $(@D)
	awk -f scripts/make-sheets -v what=c $< > $@

$(B)/gen/%.pb-c.c $(B)/gen/%.pb-c.h: lib/%.proto
	@mkdir -p $(@D)
	protoc --proto_path=lib --c_out=$(B)/gen $<

$(B)/%.o: %.c $(B)/flags | $(SHEET_H) $(PROTO_H)
	@mkdir -p $(@D)
	$(CC) $(TL_CPPFLAGS) $(TL_CFLAGS) -MMD -MP -c -o $@ $<

# a table becomes a C array: lib/work/kernel-categories.tsv -> tl_data_kernel_categories
define EMBED
	@mkdir -p $(@D)
	scripts/embed $< > $(@:.o=.c)
	$(CC) $(TL_CPPFLAGS) $(TL_CFLAGS) -c -o $@ $(@:.o=.c)
endef
$(B)/gen/%.o: lib/% scripts/embed $(B)/flags
	$(EMBED)
# what finished sheets are
$(B)/gen/sheet/makers: FORCE
	+@grep -o '^void tl_[a-z0-9_]*(void \*[a-z_]*, struct tl_sheet_input \*' lib/sheets/*.c | sed 's/void \([^(]*\).*/\1/' | scripts/if-changed $@
$(B)/gen/sheet/descriptions.c: $(SHEETS) scripts/make-sheets $(B)/gen/sheet/makers
	awk -f scripts/make-sheets -v what=list -v makers=$(B)/gen/sheet/makers $(SHEETS) > $@
$(B)/gen/report/%.o: lib/report/% scripts/embed $(B)/flags
	$(EMBED)

# what a page of tl-html has around its sheets
PAGE_PARTS := $(B)/gen/page_head $(B)/gen/page_tail
PAGE_SRC := $(wildcard lib/report/page/*)
$(B)/gen/page-source: FORCE
	+@echo '$(CHART_JS) $(PAGE_SRC)' | scripts/if-changed $@
$(PAGE_PARTS) &: $(PAGE_SRC) $(B)/gen/page-source scripts/make-page $(CHART_JS)
	@mkdir -p $(B)/gen
	scripts/make-page $(PAGE_PARTS) lib/report/page '$(CHART_JS)'
$(PAGE_PARTS:%=%.o): %.o: % scripts/embed $(B)/flags
	scripts/embed $< > $<.c
	$(CC) $(TL_CPPFLAGS) $(TL_CFLAGS) -c -o $@ $<.c

# templates of pictures: lib/report/plots/panel-bars.gp -> tl_data_panel_bars
PLOT_OBJ := $(patsubst lib/report/plots/%.gp,$(B)/gen/plots/%.o,$(sort $(wildcard lib/report/plots/*.gp)))
$(B)/gen/plots/%.o: lib/report/plots/%.gp scripts/embed $(B)/flags
	$(EMBED)
REPORT_OBJ := $(REPORT_SRC:%.c=$(B)/%.o) $(B)/gen/report/columns.tsv.o $(PAGE_PARTS:%=%.o) $(PLOT_OBJ)

# scripts that programs run: cmd/cli/runners/slurm.sh -> tl_data_slurm
SCRIPT_OBJ := $(patsubst cmd/cli/runners/%.sh,$(B)/gen/runners/%.o,$(sort $(wildcard cmd/cli/runners/*.sh)))
$(B)/gen/runners/%.o: cmd/cli/runners/%.sh scripts/embed $(B)/flags
	$(EMBED)

# the list of all filters that make sheets
$(B)/gen/list-filters.c: FORCE
	+@scripts/list-objects cli/filter.h 'struct tl_filter' tl_filters $(SHEET_FILTERS:%=tl_filter_%) | scripts/if-changed $@
$(B)/gen/list-readers.c: FORCE
	+@scripts/list-objects readers/reader.h 'struct tl_reader' tl_readers $(READERS) | scripts/if-changed $@
$(B)/gen/%.o: $(B)/gen/%.c $(B)/flags | $(SHEET_H) $(PROTO_H)
	$(CC) $(TL_CPPFLAGS) $(TL_CFLAGS) -MMD -MP -c -o $@ $<

# Libraries: what reports look like, and what programs share, apart from the library that is installed
ARCHIVED := $(TL_OBJ) $(CLI_OBJ) $(SCRIPT_OBJ) $(REPORT_OBJ)
# ONE_LIBRARY=1 (scripts/mutate): all but the own files of programs as one library; its change links nothing else
ifdef ONE_LIBRARY
LIB := $(B)/libtlone.so
LIBRARIES = $(LIB) -Wl,-rpath,$(abspath $(B))
$(LIB): $(ARCHIVED)
	$(CC) $(TL_CFLAGS) $(TL_LDFLAGS) -shared -Wl,-soname,$(@F) -o $@ $^ $(XLSX_LIBS) $(CSV_LIBS) -lexpat $(TL_LIBS)
else
LIBRARIES = $(filter %.a,$|)
$(LIB): $(TL_OBJ)
	@rm -f $@
	$(AR) qcs $@ $^
endif
$(CLI): $(CLI_OBJ) $(SCRIPT_OBJ)
	@rm -f $@
	$(AR) qcs $@ $^
$(REPORT): $(REPORT_OBJ)
	@rm -f $@
	$(AR) qcs $@ $^

# A program is linked again when an object that it has is newer: the libraries stand behind |, and the linker tells
# which objects it took. If it has not told yet, as in a folder of before, it is linked in any case.
define LINK
	@mkdir -p $(@D) $(B)/link
	$(CC) $(TL_CFLAGS) $(TL_LDFLAGS) -Wl,-t,-t -o $@ $(filter-out $(ARCHIVED),$(filter %.o,$^)) \
	    $(LIBRARIES) $(EXTRA_LIBS) $(TL_LIBS)$(1) > $(B)/link/$(@F)
	@$(if $(ONE_LIBRARY),:,scripts/linked $@ $(if $|,$(ARCHIVED)) < $(B)/link/$(@F) > $(B)/link/$(@F).d)
endef
ifndef ONE_LIBRARY
TOLD := $(wildcard $(B)/link/*.d)
# objects, but those that no library has any more: then the program is linked again
linked = $(filter $(ARCHIVED),$(1)) $(if $(filter-out $(ARCHIVED),$(1)),FORCE)
-include $(TOLD)
TOLD := $(TOLD:$(B)/link/%.d=%)
$(filter-out $(TOLD:%=$(B)/bin/%) $(TOLD:%=$(B)/tests/%),$(PROGRAMS) $(wildcard $(B)/tests/*_*)): FORCE
endif

$(B)/bin/tl-xlsx: EXTRA_LIBS = $(XLSX_LIBS)
$(B)/bin/tl-csv: EXTRA_LIBS = $(CSV_LIBS)
$(B)/bin/tl-compare $(B)/bin/tl-trend: EXTRA_LIBS = $(XLSX_LIBS) $(CSV_LIBS) -lexpat
# one program is all of these filters: what it is called by says which one it is
$(LINKS): $(B)/bin/tl-sheets
	ln -sf tl-sheets $@
$(B)/bin/tl-sheets: $(SHEET_FILTERS:%=$(B)/cmd/tl-%.o) $(B)/gen/list-filters.o
$(B)/bin/%: $(B)/cmd/%.o | $(CLI) $(REPORT) $(LIB)
	$(LINK)
$(B)/bin/tl-gen: $(patsubst %.c,$(B)/%.o,$(wildcard tests/gen/*.c))
	$(LINK)
$(SCRIPTS): $(B)/bin/%: cmd/%.sh
	@mkdir -p $(@D)
	cp $< $@
	chmod 755 $@

-include $(TL_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(REPORT_OBJ:.o=.d) $(FILTERS:%=$(B)/cmd/%.d)

# ---- tests ----------------------------------------------------------------------
# $(B)/tests/test_NAME: unit tests; replay_NAME: a fuzz target that reads files;
# fuzz_NAME: the same with libFuzzer (needs CC=clang, see tests/fuzz/run)
TEST_LIBS = $(REPORT) $(CLI) $(LIB)
$(B)/tests/test_%: $(B)/tests/unit/test_%.o | $(TEST_LIBS)
	$(LINK)
# it reads the lists of columns in the manual
$(B)/tests/test_columns: | pages
$(B)/tests/test_archive $(B)/tests/test_book: EXTRA_LIBS = -lminizip -lexpat
$(B)/tests/replay_%: $(B)/tests/fuzz/fuzz_%.o $(B)/tests/fuzz/standalone.o | $(LIB)
	$(LINK)
$(B)/tests/fuzz_%: $(B)/tests/fuzz/fuzz_%.o | $(LIB)
	$(call LINK, -fsanitize=fuzzer)
# what tests use: programs that run other programs, and a library for LD_PRELOAD
$(B)/tests/%.so: tests/tools/%.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) -std=c11 -Wall -Wextra -D_GNU_SOURCE $(CFLAGS) -fPIC -shared -o $@ $< -ldl
$(B)/tests/%: tests/tools/%.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) -std=c11 -Wall -Wextra -D_GNU_SOURCE $(CFLAGS) -o $@ $< -lz
$(B)/tests/protobuf $(B)/tests/pftrace: tests/tools/protobuf_write.h
TEST_TOOLS := $(B)/tests/failmalloc.so $(addprefix $(B)/tests/,cuts measure protobuf pftrace test_columns)
-include $(wildcard $(B)/tests/*/*.d)

PARALLEL = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 2))
check:
	scripts/setup test
	$(MAKE) -s $(PARALLEL) --no-print-directory all $(TEST_TOOLS)
	@B=$(B) MAKE='$(MAKE)' tests/run
quick: PARTS ?= quick quick_lint
quick:
	$(MAKE) -s $(PARALLEL) --no-print-directory all $(TEST_TOOLS)
	@B=$(B) MAKE='$(MAKE)' tests/run $(PARTS)
t: export T := $(T)
t:
	$(MAKE) -s $(PARALLEL) --no-print-directory all $(TEST_TOOLS)
	@B=$(B) MAKE='$(MAKE)' tests/run these
mutate:
	scripts/mutate $(MUTATE)
lint:
	@B=$(B) scripts/lint
fuzz:
	tests/fuzz/run $(FUZZ_SECONDS)
bench:
	scripts/setup bench
	$(MAKE) -s $(PARALLEL) --no-print-directory all $(addprefix $(B)/tests/,measure protobuf pftrace)
	@B=$(B) CXX='$(CXX)' tests/bench/run
demo:
	scripts/setup build
	$(MAKE) -s $(PARALLEL) --no-print-directory all
	@B=$(B) scripts/demo

# ---- install --------------------------------------------------------------------
INSTALL ?= install
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
# the skill for agents and the module for Python, below lib: skills/gpu-trace/SKILL.md, python/tl.py
SHAREDIR ?= $(PREFIX)/share/tl-tools
SHARED := $(patsubst lib/%,%,$(wildcard lib/skills/*/*.md lib/python/*.py))
PUBLIC_HEADERS = $(sort $(patsubst lib/%,%,$(filter lib/%.h,$(shell $(CC) $(TL_CPPFLAGS) -MM lib/tl.h))))
PAGES := $(notdir $(wildcard man/*.[1-8]))
# with the lists of columns, of the families that it names: man/tl-api.1:api
NAMES := $(sort $(shell awk '/^\.\\" columns of / { split($$4, name, "/"); print FILENAME ":" name[1] }' $(PAGES:%=man/%)))
$(foreach n,$(NAMES),$(eval $(B)/$(subst :,: lib/sheets/,$n).sheet))
$(B)/man/%: man/% scripts/make-sheets | $(SHEETS)
	@mkdir -p $(@D)
	awk -f scripts/make-sheets -v what=man $(SHEETS) $< > $@
pages: $(PAGES:%=$(B)/man/%)
BINARIES = $(notdir $(PROGRAMS) $(LINKS) $(SCRIPTS))

# a folder may have blanks in its name: as a word of the shell, as sed puts it in, and below PREFIX as pkg-config has it
quoted = '$(subst ','\'',$(1))'
to = $(call quoted,$(DESTDIR)$(1))
in_sed = $(subst |,\|,$(subst &,\&,$(subst \,\\,$(1))))
below_prefix = $(if $(findstring |$(PREFIX)/,|$(1)),$(subst |$(PREFIX)/,$${prefix}/,|$(1)),$(1))
fill_in = -e $(call quoted,s|@$(1)@|$(call in_sed,$(2))|)
$(B)/tl.pc: lib/tl.pc.in VERSION Makefile
	@mkdir -p $(@D)
	sed $(call fill_in,PREFIX,$(PREFIX)) $(call fill_in,VERSION,$(VERSION)) \
	    $(call fill_in,LIBS,$(TL_DEPENDS)) \
	    $(call fill_in,LIBDIR,$(call below_prefix,$(LIBDIR))) \
	    $(call fill_in,INCLUDEDIR,$(call below_prefix,$(INCLUDEDIR))) lib/tl.pc.in > $@
$(B)/completion.%: scripts/completion $(PROGRAMS) $(LINKS) $(SCRIPTS)
	scripts/completion $* $(B)/bin > $@
COMPLETIONS := $(addprefix $(B)/completion.,bash zsh fish)

# tl.pc holds the folders, so it is made again for each PREFIX
install: all $(LIB) $(COMPLETIONS) pages
	@rm -f $(B)/tl.pc
	@$(MAKE) -s --no-print-directory $(B)/tl.pc
	$(INSTALL) -d $(call to,$(BINDIR)) $(call to,$(LIBDIR)/pkgconfig) $(call to,$(COMPLETIONDIR)) $(call to,$(ZSHDIR)) $(call to,$(FISHDIR))
	$(INSTALL) -m 755 $(PROGRAMS) $(SCRIPTS) $(call to,$(BINDIR))
	for f in $(notdir $(LINKS)); do ln -sf tl-sheets $(call to,$(BINDIR))/$$f || exit 1; done
	$(INSTALL) -m 644 $(LIB) $(call to,$(LIBDIR))
	$(INSTALL) -m 644 $(B)/tl.pc $(call to,$(LIBDIR)/pkgconfig)
	$(INSTALL) -m 644 $(B)/completion.bash $(call to,$(COMPLETIONDIR)/tl-tools)
	$(INSTALL) -m 644 $(B)/completion.zsh $(call to,$(ZSHDIR)/_tl-tools)
	$(INSTALL) -m 644 $(B)/completion.fish $(call to,$(FISHDIR)/tl-tools.fish)
	for h in $(PUBLIC_HEADERS); do $(INSTALL) -D -m 644 lib/$$h $(call to,$(INCLUDEDIR)/tl)/$$h || exit 1; done
	for f in $(SHARED); do $(INSTALL) -D -m 644 lib/$$f $(call to,$(SHAREDIR))/$$f || exit 1; done
	for p in $(PAGES); do $(INSTALL) -D -m 644 $(B)/man/$$p $(call to,$(MANDIR))/man$${p##*.}/$$p || exit 1; done
	for b in $(BINARIES); do ln -sf tl-tools $(call to,$(COMPLETIONDIR))/$$b && \
	    ln -sf tl-tools.fish $(call to,$(FISHDIR))/$$b.fish || exit 1; done
# only folders of its own go, and only if nothing of others is in them
uninstall:
	rm -f $(call to,$(LIBDIR)/libtl.a) $(call to,$(LIBDIR)/pkgconfig/tl.pc) $(call to,$(COMPLETIONDIR)/tl-tools) \
	    $(call to,$(ZSHDIR)/_tl-tools) $(call to,$(FISHDIR)/tl-tools.fish)
	for b in $(BINARIES); do rm -f $(call to,$(BINDIR))/$$b $(call to,$(COMPLETIONDIR))/$$b $(call to,$(FISHDIR))/$$b.fish || exit 1; done
	for h in $(PUBLIC_HEADERS); do rm -f $(call to,$(INCLUDEDIR)/tl)/$$h || exit 1; done
	for d in $(addprefix /,$(filter-out ./,$(sort $(dir $(PUBLIC_HEADERS))))) ''; do rmdir $(call to,$(INCLUDEDIR)/tl)$$d 2>/dev/null || :; done
	for f in $(SHARED); do rm -f $(call to,$(SHAREDIR))/$$f || exit 1; done
	for d in $(sort $(dir $(SHARED))) skills ''; do rmdir $(call to,$(SHAREDIR))/$$d 2>/dev/null || :; done
	for p in $(PAGES); do rm -f $(call to,$(MANDIR))/man$${p##*.}/$$p || exit 1; done
completion: $(COMPLETIONS)
hdr-check:
	@B=$(B) scripts/lint | awk '/^(not )?ok/ { on = /header/ } on { print; n++ } on && /^not/ { bad = 1 } END { exit bad || !n }'

# the sources of this commit as build/tl-tools-VERSION.tar.gz: the same bytes whoever makes it, with whatever settings of git
TARBALL := $(B)/tl-tools-$(VERSION).tar
dist:
	@mkdir -p $(B)
	git -c tar.umask=0022 -c core.attributesFile=/dev/null -c core.autocrlf=false -c core.eol=lf archive \
	    --format=tar --prefix=tl-tools-$(VERSION)/ -o $(TARBALL) HEAD || { rm -f $(TARBALL); exit 1; }
	env -u GZIP gzip -9nf $(TARBALL)
# packages for Debian, in build/deb
deb: dist
	scripts/setup deb
	scripts/make-deb $(TARBALL).gz $(B)/deb

print-%:
	@echo $($*)
clean:
	rm -rf build build-*
.SECONDARY:
