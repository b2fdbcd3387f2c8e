# SPDX-License-Identifier: GPL-2.0-or-later
#
# make            builds build/wick
# make run        installs what is missing, builds, records this host for 30 s, leaves a directory of graphs
# make check      installs what is missing, builds, runs every test
# make kernels    boots Debian's kernels and tries wick on each; K="NAME ..." some of them (tests/kernels/README.md)
# make nightly    the tests that take longer, and all kernels; make fuzz: the parsers' fuzz targets
# make bench      speed and memory, side by side with peers
# make install    into PREFIX (/usr/local), below DESTDIR: the program, its man page, completions; make uninstall
# make deb        build/wick_VERSION_ARCH.deb
# make static     build/wick-static, without shared libraries; ARCH=arm64 or x86: build/ARCH/wick-static, for that architecture
# make bless      rewrites what the golden tests expect; review the diff
# make format     clang-format over the C sources
# make lint       clang-tidy, shellcheck, and this tree's own rules
# make clean
#
# V=1 shows the commands. O=DIR builds into DIR instead of build/; everything that is made lies there. SAN=1 builds
# with the address and undefined-behaviour sanitizers, into build-san/: `make check SAN=1` runs every test with them.

comma	:= ,
CLANG	?= clang
BPFTOOL	?= $(firstword $(wildcard /usr/sbin/bpftool) bpftool)
HOST	:= $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(shell uname -m)))
ARCH	:= $(HOST)
O	?= $(if $(SAN),build-san,build$(if $(filter-out $(HOST),$(ARCH)),/$(ARCH)))
VERSION	:= 0.1
DATE	:= 2026-11-21# of that version

WARN	:= -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings
CFLAGS	?= -O2 -g
SANITIZE := $(if $(SAN),-fsanitize=address$(comma)undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
ALL_CFLAGS := -std=gnu11 -D_GNU_SOURCE -DWICK_VERSION='"$(VERSION)"' -DWICK_DATE='"$(DATE)"' $(WARN) -Iinclude -Isrc -I$(O) \
	-pthread -MMD -MP $(CFLAGS) $(SANITIZE)
# For another architecture than this host's: Debian's cross compiler, and libraries that lie apart.
ifneq ($(ARCH),$(HOST))
GNU	:= $(if $(filter arm64,$(ARCH)),aarch64,x86_64)-linux-gnu
CC	:= $(GNU)-gcc
BESIDE	:= $(shell tools/cross-libs $(patsubst x86,amd64,$(ARCH)))
ALL_CFLAGS += -isystem $(BESIDE)/usr/include
endif
LIBS	:= $(if $(BESIDE),-L$(BESIDE)/usr/lib/$(GNU) )-lbpf -ldw -lelf -lz -llzma -lcap -ljson-c -liberty
BPF_CFLAGS := -O2 -g -target bpf -mcpu=v3 -D__TARGET_ARCH_$(ARCH) -D__bpf__ -std=gnu11 $(WARN) \
	-Wno-unused-parameter -Wno-missing-prototypes -Ivmlinux -Iinclude -Ibpf -MMD -MP

Q	:= $(if $(V),,@)
say	= $(if $(V),,@printf '  %-8s %s\n' $(1) $(2);)

# libwick.a reads profiles, names, draws and reports: no libbpf, no privileges. libwick-collect.a is the only user of libbpf.
# libwick-cmd.a is for tests of what the commands are made of.
LIBRARY	:= base profile files names unwind follow publish input view why emit report
sources	= $(foreach folder,$(1),$(wildcard src/$(folder)/*.c src/$(folder)/*/*.c))
objects	= $(patsubst src/%.c,$(O)/%.o,$(call sources,$(1)))
WICK_O	:= $(call objects,$(LIBRARY))
COLLECT_O := $(call objects,collect)
CMD_O	:= $(call objects,cmd)
ARCHIVES := $(O)/libwick-cmd.a $(O)/libwick-collect.a $(O)/libwick.a

BPF_SRC	:= $(wildcard bpf/*.bpf.c)
BPF_OBJ	:= $(BPF_SRC:bpf/%.bpf.c=$(O)/bpf/%.bpf.o)
UNIT	:= $(patsubst tests/unit/%.c,$(O)/unit/%,$(wildcard tests/unit/*.c))
LIVE	:= $(patsubst tests/live/%.bpf.c,$(O)/live/%,$(wildcard tests/live/*.bpf.c))
SUDO	= $(if $(filter 0,$(shell id -u)),,sudo)

.PHONY: all run check nightly kernels fuzz bench install uninstall deb static bless format lint clean tests FORCE
.DELETE_ON_ERROR:
.SECONDARY: $(LIVE:=.bpf.o) $(LIVE:=.skel.h)
all: $(O)/wick $(O)/wick.man $(O)/wick.bash $(O)/wick.zsh

# Flags are a dependency: objects are built anew when those change. $(1): the file; $(2): what it has to say.
FORCE:
keep	= mkdir -p $(@D); printf '%s\n' $(1) | cmp -s - $@ || printf '%s\n' $(1) > $@
$(O)/flags: FORCE
	@$(call keep,'$(CC) $(subst ','\'',$(ALL_CFLAGS))')
$(O)/bpf-flags: FORCE
	@$(call keep,'$(CLANG) $(BPF_CFLAGS)')

$(O)/wick: $(CMD_O) $(O)/libwick-collect.a $(O)/libwick.a
	$(call say,LINK,$@)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(O)/%.o: src/%.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ALL_CFLAGS) -c -o $@ $<

archive	= $(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $^
$(O)/libwick.a: $(WICK_O)
	$(archive)
$(O)/libwick-collect.a: $(COLLECT_O)
	$(archive)
$(O)/libwick-cmd.a: $(filter-out $(O)/cmd/main.o,$(CMD_O))
	$(archive)

# BPF: one object a file, linked into one, its skeleton a header.
$(O)/bpf/%.bpf.o: bpf/%.bpf.c $(O)/bpf-flags
	@mkdir -p $(@D)
	$(call say,BPF,$<)$(CLANG) $(BPF_CFLAGS) -c -o $@ $<

# The instruments are one object; names.bpf.o is loaded apart from them, when names are needed.
$(O)/wick.bpf.o: $(filter-out $(O)/bpf/names.bpf.o,$(BPF_OBJ))
	$(call say,BPFLINK,$@)$(BPFTOOL) gen object $@ $^

$(O)/wick.skel.h: $(O)/wick.bpf.o
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name wick_bpf > $@

$(O)/names.skel.h: $(O)/bpf/names.bpf.o
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name names_bpf > $@

$(COLLECT_O): | $(O)/wick.skel.h $(O)/names.skel.h

# The viewer's parts are embedded as they are.
$(O)/emit/viewer.o: $(wildcard src/emit/viewer/*)

$(O)/unit/%: tests/unit/%.c $(ARCHIVES)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ALL_CFLAGS) -Itests/unit -o $@ $< $(ARCHIVES) $(LIBS)

# Programs of tests with a BPF program of their own.
$(O)/live/%.bpf.o: tests/live/%.bpf.c $(O)/bpf-flags
	@mkdir -p $(@D)
	$(call say,BPF,$<)$(CLANG) $(BPF_CFLAGS) -Itests/live -c -o $@ $<

$(O)/live/%.skel.h: $(O)/live/%.bpf.o
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

$(LIVE): $(O)/live/%: tests/live/%.c $(O)/live/%.skel.h $(ARCHIVES)
	$(call say,CC,$<)$(CC) $(ALL_CFLAGS) -I$(O)/live -o $@ $< $(ARCHIVES) $(LIBS)

tests: $(O)/wick $(UNIT) $(LIVE)

$(O)/bench/%: tools/bench/%.c $(ARCHIVES)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ALL_CFLAGS) -o $@ $< $(ARCHIVES) $(LIBS)

run:
	@tools/install-deps run
	@$(MAKE) --no-print-directory all
	@$(SUDO) $(O)/wick record

# Tests find the build by this.
export WICK_BUILD := $(abspath $(O))
export WICK_TEST_SLOWER := $(if $(SAN),3,1)

check:
	@tools/install-deps check
	@$(MAKE) --no-print-directory tests
	@tests/run

bless: $(O)/wick
	@tests/golden/run --bless

nightly: tests
	@tools/install-deps kernels
	@WICK_KERNELS=all tests/run --nightly
	@tests/fuzz/run 1800

kernels:
	@tools/install-deps kernels
	@tests/kernels/run --store $(K); status=$$?; tests/kernels/table && exit $$status

fuzz:
	@tools/install-deps check
	@tests/fuzz/run 60

bench: tests $(O)/bench/explain
	@tools/install-deps check
	@tools/bench/run

# ---- packages

PREFIX	?= /usr/local
BINDIR	:= $(PREFIX)/bin
MANDIR	:= $(PREFIX)/share/man/man1
BASHDIR	:= $(PREFIX)/share/bash-completion/completions
ZSHDIR	:= $(PREFIX)/share/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)

$(O)/wick.man $(O)/wick.bash $(O)/wick.zsh: $(O)/wick
	$(call say,MAKE,$@)$(O)/wick generate $(subst .,,$(suffix $@)) > $@

install: $(O)/wick $(O)/wick.man $(O)/wick.bash $(O)/wick.zsh
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(MANDIR) $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR)
	install -s -m 755 $(O)/wick $(DESTDIR)$(BINDIR)/wick
	install -m 644 $(O)/wick.man $(DESTDIR)$(MANDIR)/wick.1
	install -m 644 $(O)/wick.bash $(DESTDIR)$(BASHDIR)/wick
	install -m 644 $(O)/wick.zsh $(DESTDIR)$(ZSHDIR)/_wick

uninstall:
	rm -f $(DESTDIR)$(BINDIR)/wick $(DESTDIR)$(MANDIR)/wick.1 $(DESTDIR)$(BASHDIR)/wick $(DESTDIR)$(ZSHDIR)/_wick

deb: $(O)/wick
	@tools/make-deb $(VERSION) $(O)

# Debian's libbpf and its like come as archives too.
static: $(O)/wick-static

$(O)/wick-static: $(CMD_O) $(O)/libwick-collect.a $(O)/libwick.a
	$(call say,LINK,$@)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -static -o $@ $^ $(LIBS) 2>$(O)/static.log || { cat $(O)/static.log >&2; false; }

format:
	clang-format -i $(shell git ls-files '*.c' '*.h')

lint:
	@tools/install-deps check
	@tools/lint

clean:
	rm -rf $(O)

-include $(shell find $(O) -name '*.d' 2>/dev/null)
