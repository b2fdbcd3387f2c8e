# SPDX-License-Identifier: GPL-2.0-or-later
"""ELF files made byte by byte: sound ones with all the parts that wick reads, and what harms in them.

A file is a page of headers and tables, and a page of code at CODE that loops where it begins; tables that are too large
come behind. The fuzzers start from them, and tests/attack/ gives them to programs of an ordinary user.
"""
import platform, struct, zlib

from crafted_dwarf import Crafted

PAGE = 0x1000
CODE = PAGE         # in the file
ADDRESS = 0x401000  # of the code
CODE_SIZE = PAGE
X86, ARM = 62, 183
PT_LOAD, PT_NOTE, PT_GNU_EH_FRAME = 1, 4, 0x6474e550
PROGBITS, SYMTAB, STRTAB, RELA, NOTE, DYNSYM = 1, 2, 3, 4, 7, 11
BEYOND = 2**64


def machine():
    return ARM if platform.machine() == "aarch64" else X86


def code(which=None):
    """Jumps to itself; what Go's text begins with lies behind it."""
    loop = b"\xeb\xfe" if (which or machine()) == X86 else struct.pack("<I", 0x14000000)
    go = b"\xe9\x0b\0\0\0".ljust(16, b"\x90") + b"\x55\x48\x89\xe5".ljust(48, b"\x90")
    return (loop.ljust(0x200, b"\x90") + go).ljust(CODE_SIZE, b"\x90")


def eh_frame(*functions):
    """A CIE with CFA = rsp + 8 and the return address below it, and an FDE for each (start, size)."""
    cie = struct.pack("<II", 16, 0) + bytes([1, 0, 1, 0x78, 16, 12, 7, 8, 0x90, 1, 0, 0])
    at, records = len(cie), [cie]
    for start, size in functions:
        program = bytes([0x41, 14, 16, 0x86, 2, 0x43, 13, 6, 10, 0x42, 12, 7, 8, 11])  # push, mov; remembered
        body = struct.pack("<IQQ", at + 4, start % BEYOND, size % BEYOND) + program
        body += bytes(-len(body) % 4)
        records.append(struct.pack("<I", len(body)) + body)
        at += 4 + len(body)
    return b"".join(records) + bytes(4)


def pcsp(*stretches):
    """{bytes below the place at entry, length} of each stretch, as pctab has it."""
    out, before = b"", -1
    for delta, length in stretches:
        change, before = delta - before, delta
        number = change << 1 ^ (change >> 31)
        for value in number & 0xffffffff, length:
            while value > 0x7f:
                out += bytes([value & 0x7f | 0x80])
                value >>= 7
            out += bytes([value])
    return out + b"\0"


FRAME = pcsp((0, 1), (8, 7), (40, 20), (0, 4))
GO = [("_rt0_amd64_linux", 0x0, pcsp((0, 16))), ("_rt0_amd64", 0x10, pcsp((0, 16))), ("main.main", 0x20, FRAME),
      ("runtime.mcall", 0x40, FRAME), ("runtime.systemstack", 0x60, FRAME), ("runtime.clone", 0x80, FRAME),
      ("runtime.sigreturn", 0xa0, FRAME), ("runtime.goexit", 0xc0, FRAME)]


def gopclntab(magic=0xfffffff1, functions=None, end=0xe0, base=0, nr=None):
    """Of Go 1.16 (fffffffa; entries are addresses, from `base` on), 1.18 (fffffff0) or 1.20 (fffffff1)."""
    functions = functions or GO
    old = magic == 0xfffffffa
    header, field = (64, 8) if old else (72, 4)
    strings, steps = b"", b"\0"
    name_at, step_at = [], []
    for name, _, program in functions:
        name_at.append(len(strings))
        strings += name.encode() + b"\0"
        step_at.append(len(steps))
        steps += program
    pack = "<QQ" if old else "<II"
    record = 32
    table, records = b"", b""
    for i, (_, entry, _) in enumerate(functions):
        table += struct.pack(pack, (entry + base) % 2**(8 * field), (2 * len(functions) + 1) * field + record * i)
        records += (bytes(field) + struct.pack("<IQI", name_at[i], 0, step_at[i])).ljust(record, b"\0")
    table += struct.pack(pack, (end + base) % 2**(8 * field), 0)[:field] + records
    places = [header, 0, 0, header + len(strings), header + len(strings) + len(steps)]
    words = [nr or len(functions)] + ([0] if old else [0, 0]) + places
    out = struct.pack("<II", magic, 0x08010000) + b"".join(struct.pack("<Q", w % BEYOND) for w in words)
    return out + strings + steps + table


def symbol(name, value, size, info=0x12, section=1):
    return struct.pack("<IBBHQQ", name, info, 0, section, value % BEYOND, size % BEYOND)


def note(build_id=b"\xab\xcd\xef\x01" * 5):
    return struct.pack("<III", 4, len(build_id), 3) + b"GNU\0" + build_id


class Elf:
    def __init__(self, which=None):
        self.machine = which or machine()
        self.sections = []  # name, type, address, content, link, and what is to be said instead of the truth
        self.segments = [dict(type=PT_LOAD, flags=5, offset=CODE, address=ADDRESS, size=CODE_SIZE)]
        self.add(".text", PROGBITS, None, ADDRESS, offset=CODE, size=CODE_SIZE)

    def add(self, name, kind, content, address=0, link=0, **lies):
        self.sections.append((name, kind, address, content, link, lies))
        return len(self.sections)

    def segment(self, **lies):
        self.segments[0].update(lies)
        return self

    def bytes(self):
        names, offsets = b"\0", []
        for name, *_ in self.sections:
            offsets.append(len(names))
            names += name.encode() + b"\0"
        body = b""
        table = 64 + 56 * len(self.segments)
        size = 64 * (len(self.sections) + 2)
        large = sum(len(s[3] or b"") + 8 for s in self.sections) + len(names) + size > CODE - table
        if large:  # what does not fit before the code comes behind it
            table = CODE + CODE_SIZE
        begin = table + size
        headers = bytes(64)
        for i, (_, kind, address, content, link, lies) in enumerate(self.sections):
            at = begin + len(body)
            offset, size = lies.get("offset", at), lies.get("size", len(content or b""))
            headers += struct.pack("<IIQQQQIIQQ", lies.get("name", offsets[i]), kind, lies.get("flags", 0),
                                   address % BEYOND, offset % BEYOND, size % BEYOND, link, 0, 8, 0)
            body += (content or b"") + bytes(-len(content or b"") % 8)
        headers += struct.pack("<IIQQQQIIQQ", 0, STRTAB, 0, 0, begin + len(body), len(names), 0, 0, 1, 0)
        body += names
        segments = b"".join(struct.pack("<IIQQQQQQ", s["type"], s["flags"], s["offset"] % BEYOND, s["address"] % BEYOND, 0,
                                        s["size"] % BEYOND, s["size"] % BEYOND, PAGE) for s in self.segments)
        ident = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
        header = ident + struct.pack("<HHIQQQIHHHHHH", 3, self.machine, 1, ADDRESS, 64, table, 0, 64, 56,
                                     len(self.segments), 64, len(self.sections) + 2, len(self.sections) + 1)
        first = header + segments
        if large:
            return first.ljust(CODE, b"\0") + code(self.machine) + headers + body
        return (first + headers + body).ljust(CODE, b"\0") + code(self.machine)


def names(elf, table=".symtab"):
    """Symbols of the code, in .symtab or .dynsym."""
    strings = b"\0evil_leaf\0evil_other\0" + b"longer" * 50 + b"\0"
    link = elf.add(".strtab" if table == ".symtab" else ".dynstr", STRTAB, strings)
    kind = SYMTAB if table == ".symtab" else DYNSYM
    content = symbol(0, 0, 0) + symbol(1, ADDRESS, 0x100) + symbol(11, ADDRESS + 0x100, 0) + symbol(22, ADDRESS + 0x200, 0x80)
    elf.add(table, kind, content, link=link)


def stubs(elf):
    elf.add(".plt", PROGBITS, None, ADDRESS + 0x800, offset=CODE + 0x800, size=16 * 4)
    elf.add(".rela.plt", RELA, b"".join(struct.pack("<QQQ", 0, i << 32 | 7, 0) for i in (1, 2, 3)))


def sound(which=None, magic=0xfffffff1):
    """All parts that wick reads, and nothing wrong."""
    elf = Elf(which)
    elf.add(".eh_frame", PROGBITS, eh_frame((ADDRESS, 0x100), (ADDRESS + 0x100, 0x80)), 0x400800)
    base = ADDRESS + 0x200 if magic == 0xfffffffa else 0
    elf.add(".gopclntab", PROGBITS, gopclntab(magic, base=base))
    names(elf)
    names(elf, ".dynsym")
    stubs(elf)
    elf.add(".note.gnu.build-id", NOTE, note())
    return elf


def stripped(build_id=None, debug=b""):
    """Its names are in a debug file, d.debug beside it, whose content is `debug`."""
    elf = Elf()
    elf.add(".eh_frame", PROGBITS, eh_frame((ADDRESS, 0x100)), 0x400800)
    names(elf, ".dynsym")
    if build_id:
        elf.add(".note.gnu.build-id", NOTE, note(build_id))
    elf.add(".gnu_debuglink", PROGBITS, b"d.debug\0" + struct.pack("<I", zlib.crc32(debug)))
    return elf


def only(name, content):
    elf = Elf(X86)
    elf.add(name, PROGBITS, content, 0x400800)
    names(elf)
    return elf


# ---- what harms

def text_near_2_to_the_64():
    return only(".eh_frame", eh_frame((ADDRESS, 0x1000))).segment(offset=-0x80)


def go_text_near_2_to_the_64():
    return only(".gopclntab", gopclntab(0xfffffffa, base=ADDRESS, end=0x1000)).segment(offset=-0x80)


def endless_search():
    missing = [("_rt0_amd64_linux", 0, FRAME), ("_rt0_amd64", 0x777, FRAME)]
    return only(".gopclntab", gopclntab(functions=missing, end=0x800)).segment(size=2**62)


def overlapping_sections():
    """All at one place, each beyond the file's end."""
    elf = sound()
    elf.sections = [(n, k, a, c, l, dict(offset=64, size=2**62)) for n, k, a, c, l, _ in elf.sections]
    return elf


def compressed_bomb():
    """Sections that claim to be compressed: a megabyte that would be a gigabyte."""
    elf = Elf()
    packed = zlib.compress(bytes(2**30), 9)
    for name, kind in (".symtab", SYMTAB), (".strtab", STRTAB), (".eh_frame", PROGBITS), (".gopclntab", PROGBITS):
        content = struct.pack("<IIQQ", 1, 0, 2**30, 8) + packed
        elf.add(name, kind, content, link=2, flags=0x800)
    return elf


def dwarf_bomb():
    """DWARF that is half a gigabyte when it is unpacked."""
    elf = sound()
    packed = zlib.compress(bytes(2**29), 9)
    elf.add(".debug_abbrev", PROGBITS, bytes(8))
    elf.add(".debug_info", PROGBITS, struct.pack("<IIQQ", 1, 0, 2**29, 8) + packed, flags=0x800)
    return elf


def many_notes():
    """65,000 sections of notes that are all the same 4 KB."""
    elf = Elf()
    elf.add(".dynstr", STRTAB, b"\0" * 4096)
    for _ in range(65000):
        elf.add("", NOTE, None, offset=CODE + CODE_SIZE, size=4080)
    return elf


def many_aliases():
    """A million symbols of one address, whose names have to be compared."""
    elf = Elf()
    link = elf.add(".strtab", STRTAB, b"\0" + b"a" * 1000 + b"\0")
    elf.add(".symtab", SYMTAB, b"".join(symbol(1 + i % 900, ADDRESS, 0x1000) for i in range(4096)) * 256, link=link)
    return elf


HARMFUL = {f.__name__: f for f in (text_near_2_to_the_64, go_text_near_2_to_the_64, endless_search, overlapping_sections,
                                   compressed_bomb, dwarf_bomb, many_notes, many_aliases)}
HARMFUL.update(Crafted(lambda: sound(), ADDRESS, CODE_SIZE, PROGBITS).harmful())
