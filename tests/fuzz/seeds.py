#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/fuzz/seeds.py DIRECTORY: makes what the fuzzers start from, DIRECTORY/TARGET/*.

Small real files by every compiler that is here, and crafted ones: sound, and such as have done harm. What cannot be
made here is left out.
"""
import os, shutil, struct, subprocess, sys, tempfile
import crafted, crafted_java, crafted_python

C = """
__attribute__((noinline)) int leaf(int x) { return x * 3; }
__attribute__((noinline)) int outer(int x) { char room[300]; for (int i = 0; i < x; i++) room[i % 300] = leaf(i); return room[x % 300]; }
int many(int n) { int v[n + 1]; for (int i = 0; i < n; i++) v[i] = outer(i); return v[n / 2] + leaf(n); }
void _start(void) { many(7); for (;;); }
"""
CXX = """
struct error { int x; };
namespace deep { template <class T> struct box { T t; ~box(); T get() const { if (!t) throw error{1}; return t; } }; }
template <class T> deep::box<T>::~box() {}
int use(int n) { deep::box<int> b{n}; try { return b.get(); } catch (error &e) { return e.x; } }
"""
RUST = """
#![no_std]
#[panic_handler] fn panic(_: &core::panic::PanicInfo) -> ! { loop {} }
#[no_mangle] pub extern "C" fn rust_outer(n: usize) -> usize { let v = [n; 40]; v[n % 40] + rust_leaf(n) }
#[inline(never)] fn rust_leaf(n: usize) -> usize { core::hint::black_box(n) * 3 }
"""
GO = "package main\nfunc main() { println(len(\"x\")) }\n"
SMALL = ["-nostdlib", "-ffreestanding", "-Wl,--build-id", "-w"]
BIG = 256 << 10  # larger seeds are for long runs


def run(*command, **kwargs):
    return shutil.which(command[0]) and not subprocess.run(command, capture_output=True, check=False, **kwargs).returncode


def write(directory, name, content):
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, name), "wb") as f:
        f.write(content)


def compiled(scratch):
    """The paths of real files."""
    sources = {"c.c": C, "cxx.cc": CXX, "rust.rs": RUST, "go.go": GO}
    for name, text in sources.items():
        write(scratch, name, text.encode())
    path = lambda name: os.path.join(scratch, name)
    for name, *command in (
            ("c-static", "gcc", *SMALL, "-O2", "-static", "-o"),
            ("c-pie", "gcc", *SMALL, "-O1", "-pie", "-o"),
            ("c-frames", "gcc", *SMALL, "-O0", "-fno-omit-frame-pointer", "-no-pie", "-o"),
            ("c-clang", "clang", *SMALL, "-O2", "-static", "-o"),
            ("c-shared", "gcc", *SMALL, "-O2", "-shared", "-fPIC", "-o"),
            ("c-musl", "musl-gcc", "-Os", "-static", "-w", "-nostartfiles", "-o"),
            ("c-32", "gcc", "-m32", *SMALL, "-O1", "-static", "-o"),
            ("c-arm64", "aarch64-linux-gnu-gcc", *SMALL, "-O2", "-static", "-o")):
        if run(*command, path(name), path("c.c")):
            yield path(name)
            if run("strip", "-o", path(name + "-stripped"), path(name)):
                yield path(name + "-stripped")
    if run("g++", "-shared", "-fPIC", "-nostdlib", "-w", "-o", path("cxx"), path("cxx.cc")):
        yield path("cxx")
    if run("rustc", "--crate-type=cdylib", "-O", "-C", "panic=abort", "-C", "link-arg=-nostdlib", "-o", path("rust"), path("rust.rs")):
        yield path("rust")
    environment = {**os.environ, "CGO_ENABLED": "0", "GOCACHE": path("cache"), "GO111MODULE": "off", "HOME": scratch}
    if run("go", "build", "-ldflags=-s -w", "-o", path("go"), path("go.go"), env=environment):
        yield path("go")


def section_of(content, wanted):
    """A section's bytes, of a 64-bit file that a linker made."""
    if content[4] != 2:
        return b""
    table, = struct.unpack_from("<Q", content, 40)
    nr, names = struct.unpack_from("<HH", content, 60)
    headers = [struct.unpack_from("<IIQQQQ", content, table + 64 * i) for i in range(nr)]
    for name, _, _, _, offset, size in headers:
        at = headers[names][4] + name
        if content[at:at + len(wanted) + 1] == wanted.encode() + b"\0":
            return content[offset:offset + size]
    return b""


def real(directory, scratch):
    for path in compiled(scratch):
        with open(path, "rb") as f:
            content = f.read()
        name = os.path.basename(path)
        write(os.path.join(directory, "image" if len(content) <= BIG else "image-large"), name, content)
        machine = 1 if "arm64" in name else 0
        frames = section_of(content, ".eh_frame")
        if frames and len(content) <= BIG:
            write(os.path.join(directory, "ehframe"), name, bytes([2 | machine]) + frames)
        table = section_of(content, ".gopclntab")
        if table:
            write(os.path.join(directory, "gopclntab-large"), name, table)


def made(directory):
    image = os.path.join(directory, "image")
    for which in crafted.X86, crafted.ARM:
        for magic in 0xfffffffa, 0xfffffff0, 0xfffffff1:
            write(image, f"sound-{which}-{magic:x}", crafted.sound(which, magic).bytes())
            write(os.path.join(directory, "gopclntab"), f"{magic:x}", crafted.gopclntab(magic, base=0x400000))
    for name, make in crafted.HARMFUL.items():
        content = make().bytes()
        if len(content) <= BIG:
            write(image, "harmful-" + name, content)
    write(os.path.join(directory, "jitdump"), "two", struct.pack("<6I2Q", 0x4a695444, 1, 40, 62, 0, 1, 0, 0) + b"".join(
        struct.pack("<2IQ2I4Q", 0, 62 + len(name), 0, 1, 1, start, start, size, 0) + name + b"\0" + bytes(5)
        for start, size, name in ((0x10, 0x2000, b"one"), (0x1000, 2, b"other"))) +
        struct.pack("<2IQ2I5Q", 1, 64, 0, 1, 1, 0x10, 0x10, 0x4000, 0x2000, 0))
    for name, lies in crafted_java.LIES.items():
        content = crafted_java.vm(**lies)[0]
        if len(content) <= BIG:
            write(os.path.join(directory, "java_vm"), name, content)
    for name, content in crafted_python.memories():
        write(os.path.join(directory, "python_stacks"), name, content)
    debug = crafted.sound().bytes()
    for name, build_id in ("by-id", b"\xab\xcd\xef\x01" * 5), ("by-checksum", None):
        if name == "by-checksum":
            elf = crafted.Elf()
            crafted.names(elf)
            debug = elf.bytes()
        stripped = crafted.stripped(build_id, debug).bytes()
        write(os.path.join(directory, "debugfile"), name, struct.pack("<I", len(stripped)) + stripped + debug)


def main(directory):
    shutil.rmtree(directory, ignore_errors=True)
    made(directory)
    with tempfile.TemporaryDirectory() as scratch:
        real(directory, scratch)


main(sys.argv[1])
