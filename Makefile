# tl-tools: GPU trace analysis as Unix filters.
#   make            build everything        make check   install what is missing, run all tests
#   make demo       a report of a sample    make install PREFIX=/usr/local
#   make DEVELOPER=1            warnings are errors
#   make SANITIZE=address,undefined         in its own build directory
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

FILTERS := tl-parse tl-link tl-view tl-timeline tl-ops tl-kcat tl-coll tl-xlsx tl-csv tl-roofline tl-rewrite
DRIVERS := tl-report
TOOLS := tl-gen

LIB_SRC := $(sort $(wildcard lib/*.c lib/*/*.c))
CLI_SRC := $(filter lib/cli/%,$(LIB_SRC))
TL_SRC := $(filter-out $(CLI_SRC),$(LIB_SRC))
CMD_SRC := $(sort $(wildcard cmd/*.c))

TL_CPPFLAGS := -Ilib -I$(B)/gen -D_GNU_SOURCE -DTL_VERSION='"$(VERSION)"' $(CPPFLAGS)
TL_CFLAGS := -std=c11 -Wall -Wextra -ffp-contract=off -fno-strict-aliasing $(CFLAGS)
ifdef DEVELOPER
TL_CFLAGS += -Werror -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef -Wwrite-strings
endif
ifdef SANITIZE
TL_CFLAGS += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
TL_LDFLAGS += -fsanitize=$(SANITIZE)
endif
TL_LDFLAGS += $(LDFLAGS)
