# SPDX-License-Identifier: GPL-2.0-or-later
"""DWARF 4 made byte by byte, on sound ELF files: inlined functions, and what harms in them (crafted.py has the rest)."""
import struct

UNIT, FUNCTION, INLINED, ABSTRACT, BLOCK, RANGED, NAMESPACE = range(1, 8)
ADDR, DATA8, STRING, REF4, SEC_OFFSET = 0x01, 0x07, 0x08, 0x13, 0x17
NAME, LOW, HIGH, ORIGIN, CALL_LINE, RANGES = 0x03, 0x11, 0x12, 0x31, 0x59, 0x55
DATA2 = 0x05


def abbreviations():
    def one(code, tag, children, *attributes):
        body = b"".join(bytes(a) for a in attributes)
        return bytes([code, tag, children]) + body + b"\0\0"

    return b"".join((one(UNIT, 0x11, 1, (LOW, ADDR), (HIGH, DATA8)),
                     one(FUNCTION, 0x2E, 1, (NAME, STRING), (LOW, ADDR), (HIGH, DATA8)),
                     one(INLINED, 0x1D, 1, (ORIGIN, REF4), (LOW, ADDR), (HIGH, DATA8), (CALL_LINE, DATA2)),
                     one(ABSTRACT, 0x2E, 0, (ORIGIN, REF4)),
                     one(BLOCK, 0x0B, 1, (LOW, ADDR), (HIGH, DATA8)),
                     one(RANGED, 0x11, 1, (LOW, ADDR), (RANGES, SEC_OFFSET)),
                     one(NAMESPACE, 0x39, 1, ))) + b"\0"


def header(size):
    return struct.pack("<IHIB", size + 7, 4, 0, 8)


HEADER = 11  # bytes: what offsets in a unit begin with


class Crafted:
    """`sound` makes an ELF file whose code is at `address`."""

    def __init__(self, sound, address, size, progbits):
        self.sound, self.progbits = sound, progbits
        self.place = struct.pack("<QQ", address, size)
        self.address = address

    def begin(self):
        return bytes([UNIT]) + self.place + bytes([FUNCTION]) + b"outer\0" + self.place

    def inlined(self, origin, line=1):
        return bytes([INLINED]) + struct.pack("<I", origin) + self.place + struct.pack("<H", line)

    def elf(self, *units, ranges=b""):
        elf = self.sound()
        elf.add(".debug_abbrev", self.progbits, abbreviations())
        elf.add(".debug_info", self.progbits, b"".join(header(len(u)) + u for u in units))
        if ranges:
            elf.add(".debug_ranges", self.progbits, ranges)
        return elf

    def dwarf_deep_nesting(self):
        """Inlined functions and blocks in each other, a million deep."""
        return self.elf(self.begin() + (self.inlined(0) + bytes([BLOCK]) + self.place) * 500_000)

    def dwarf_cyclic_origins(self):
        """Functions without a name of their own, which refer to each other, and to themselves."""
        unit = self.begin()
        at = HEADER + len(unit)
        for i in range(2000):
            unit += self.inlined(at if i % 2 else at + 40000) + b"\0"
        at = HEADER + len(unit)
        unit += bytes([ABSTRACT]) + struct.pack("<I", at + 5) + bytes([ABSTRACT]) + struct.pack("<I", at)
        return self.elf(unit + self.inlined(at) + self.inlined(at + 5) + b"\0\0\0\0")

    def dwarf_huge_unit(self):
        """All of 24 MB is siblings that claim the address, in namespaces without an end."""
        return self.elf(self.begin() + (self.inlined(0) + b"\0") * 900_000 + b"\0" + bytes([NAMESPACE]) * 100_000)

    def dwarf_many_ranges(self):
        """Ten thousand units that have the same half a million ranges."""
        ranges = struct.pack("<QQ", 0x10, 0x11) * 500_000 + bytes(16)
        unit = bytes([RANGED]) + struct.pack("<QI", self.address, 0) + b"\0"
        return self.elf(*[unit] * 10_000, ranges=ranges)

    def dwarf_lies(self):
        """A unit that is longer than the file, references beyond it, an abbreviation that is not there."""
        good = self.begin() + self.inlined(0xFFFFFFF0) + bytes([99]) + b"\0" * 8
        elf = self.elf(good)
        elf.add(".debug_line", self.progbits, b"\xff\xff\xff\x7f" + bytes(64))
        return elf

    def harmful(self):
        return {f.__name__: f for f in (self.dwarf_deep_nesting, self.dwarf_cyclic_origins, self.dwarf_huge_unit,
                                        self.dwarf_many_ranges, self.dwarf_lies)}
