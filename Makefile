# SPDX-License-Identifier: GPL-2.0-or-later
#
# make            builds build/wick
# make run        installs what is missing, builds, records this host for 30 s, leaves a directory of graphs
# make check      installs what is missing, builds, runs every test
# make nightly    the tests that take longer; make fuzz: the parsers' fuzz targets
# make bench      speed and memory, side by side with peers
# make install    into PREFIX (/usr/local), below DESTDIR: the program, its man page, completions; make uninstall
# make deb        build/wick_VERSION_ARCH.deb
# make static     build/wick-static, without shared libraries
# make bless      rewrites what the golden tests expect; review the diff
# make format     clang-format over the C sources
# make clean
#
# V=1 shows the commands. Everything that is made lies in build/.

CLANG	?= clang
BPFTOOL	?= $(firstword $(wildcard /usr/sbin/bpftool) bpftool)
ARCH	:= $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(shell uname -m)))
VERSION	:= 0.1
DATE	:= 2026-11-21# of that version

WARN	:= -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings
CFLAGS	?= -O2 -g
ALL_CFLAGS := -std=gnu11 -D_GNU_SOURCE -DWICK_VERSION='"$(VERSION)"' -DWICK_DATE='"$(DATE)"' $(WARN) -Iinclude -Isrc -Ibuild \
	-pthread -MMD -MP $(CFLAGS)
LIBS	:= -lbpf -lelf -lz -lcap -ljson-c -liberty
BPF_CFLAGS := -O2 -g -target bpf -mcpu=v3 -D__TARGET_ARCH_$(ARCH) -D__bpf__ -std=gnu11 $(WARN) \
	-Wno-unused-parameter -Wno-missing-prototypes -Ivmlinux -Iinclude -Ibpf -MMD -MP

Q	:= $(if $(V),,@)
say	= $(if $(V),,@printf '  %-8s %s\n' $(1) $(2);)

SRC	:= $(wildcard src/*/*.c)
OBJ	:= $(SRC:src/%.c=build/%.o)
LIB	:= $(filter-out build/cmd/main.o,$(OBJ))
BPF_SRC	:= $(wildcard bpf/*.bpf.c)
BPF_OBJ	:= $(BPF_SRC:bpf/%.bpf.c=build/bpf/%.bpf.o)
UNIT	:= $(patsubst tests/unit/%.c,build/unit/%,$(wildcard tests/unit/*.c))
SUDO	= $(if $(filter 0,$(shell id -u)),,sudo)

.PHONY: all run check nightly fuzz bench install uninstall deb static bless format clean tests
.DELETE_ON_ERROR:
.SECONDARY:
all: build/wick build/wick.man build/wick.bash build/wick.zsh

build/wick: $(OBJ)
	$(call say,LINK,$@)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

build/%.o: src/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ALL_CFLAGS) -c -o $@ $<

# BPF: one object a file, linked into one, its skeleton a header.
build/bpf/%.bpf.o: bpf/%.bpf.c
	@mkdir -p $(@D)
	$(call say,BPF,$<)$(CLANG) $(BPF_CFLAGS) -c -o $@ $<

# The instruments are one object; names.bpf.o is loaded apart from them, when names are needed.
build/wick.bpf.o: $(filter-out build/bpf/names.bpf.o,$(BPF_OBJ))
	$(call say,BPFLINK,$@)$(BPFTOOL) gen object $@ $^

build/wick.skel.h: build/wick.bpf.o
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name wick_bpf > $@

build/names.skel.h: build/bpf/names.bpf.o
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name names_bpf > $@

$(patsubst src/%.c,build/%.o,$(wildcard src/collect/*.c)): | build/wick.skel.h build/names.skel.h

# svg.css and svg.js are embedded as they are.
build/emit/svg.o: src/emit/svg.css src/emit/svg.js

build/unit/%: tests/unit/%.c $(LIB)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ALL_CFLAGS) -Itests/unit -o $@ $< $(LIB) $(LIBS)

# Another implementation to compare with; wick itself does without it.
build/unit/libdw_agrees: LIBS += -ldw

tests: build/wick $(UNIT)

run:
	@tools/install-deps run
	@$(MAKE) --no-print-directory all
	@$(SUDO) build/wick record

check:
	@tools/install-deps check
	@$(MAKE) --no-print-directory tests
	@tests/run

bless: build/wick
	@tests/golden/run --bless

nightly: tests
	@tests/run --nightly

fuzz:
	@tools/install-deps check
	@tests/fuzz/run 120

bench: tests
	@tools/install-deps check
	@tools/bench/run

# ---- packages

PREFIX	?= /usr/local
BINDIR	:= $(PREFIX)/bin
MANDIR	:= $(PREFIX)/share/man/man1
BASHDIR	:= $(PREFIX)/share/bash-completion/completions
ZSHDIR	:= $(PREFIX)/share/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)

build/wick.man build/wick.bash build/wick.zsh: build/wick
	$(call say,MAKE,$@)build/wick generate $(subst .,,$(suffix $@)) > $@

install: build/wick build/wick.man build/wick.bash build/wick.zsh
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(MANDIR) $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR)
	install -s -m 755 build/wick $(DESTDIR)$(BINDIR)/wick
	install -m 644 build/wick.man $(DESTDIR)$(MANDIR)/wick.1
	install -m 644 build/wick.bash $(DESTDIR)$(BASHDIR)/wick
	install -m 644 build/wick.zsh $(DESTDIR)$(ZSHDIR)/_wick

uninstall:
	rm -f $(DESTDIR)$(BINDIR)/wick $(DESTDIR)$(MANDIR)/wick.1 $(DESTDIR)$(BASHDIR)/wick $(DESTDIR)$(ZSHDIR)/_wick

deb: build/wick
	@tools/make-deb $(VERSION)

# Debian's libbpf and its like come as archives too.
static: build/wick-static

build/wick-static: $(OBJ)
	$(call say,LINK,$@)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -static -o $@ $^ $(LIBS) 2>build/static.log || { cat build/static.log >&2; false; }

format:
	clang-format -i $(shell git ls-files '*.c' '*.h')

clean:
	rm -rf build

# ---- tests/live: programs with a BPF program of their own

LIVE_BPF := $(patsubst tests/live/%.bpf.c,build/live/%,$(wildcard tests/live/*.bpf.c))

build/live/%.bpf.o: tests/live/%.bpf.c
	@mkdir -p $(@D)
	$(call say,BPF,$<)$(CLANG) $(BPF_CFLAGS) -Itests/live -c -o $@ $<

build/live/%.skel.h: build/live/%.bpf.o
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

$(LIVE_BPF): build/live/%: tests/live/%.c build/live/%.skel.h $(LIB)
	$(call say,CC,$<)$(CC) $(ALL_CFLAGS) -Ibuild/live -o $@ $< $(LIB) $(LIBS)

tests: $(LIVE_BPF)

-include $(shell find build -name '*.d' 2>/dev/null)
