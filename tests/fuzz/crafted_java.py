# SPDX-License-Identifier: GPL-2.0-or-later
"""crafted_java.py: memory that looks like a Java VM's to src/files/java_vm.c: a library with the tables that it finds there,
one code heap, and a method. What is wrong in it is told by `lies`."""
import struct

SEGMENT = 128
FUNCTION = "void Attacker.function(int, java.lang.Object[])"

FIELDS = [  # type, field, is static
    ("CodeCache", "_heaps", 1), ("GrowableArrayBase", "_len", 0), ("GrowableArray<int>", "_data", 0), ("CodeHeap", "_memory", 0),
    ("CodeHeap", "_segmap", 0), ("CodeHeap", "_log2_segment_size", 0), ("VirtualSpace", "_low", 0), ("VirtualSpace", "_high", 0),
    ("VirtualSpace", "_high_boundary", 0), ("HeapBlock::Header", "_length", 0), ("HeapBlock::Header", "_used", 0), ("CodeBlob", "_name", 0), ("nmethod", "_method", 0),
    ("Method", "_constMethod", 0), ("ConstMethod", "_constants", 0), ("ConstMethod", "_name_index", 0),
    ("ConstMethod", "_signature_index", 0), ("ConstantPool", "_pool_holder", 0), ("Klass", "_name", 0), ("Symbol", "_length", 0),
    ("Symbol", "_body", 0), ("CodeBlob", "_frame_size", 0), ("CodeBlob", "_frame_complete_offset", 0), ("CodeBlob", "_code_begin", 0),
    ("PcDesc", "_pc_offset", 0), ("PcDesc", "_scope_decode_offset", 0), ("nmethod", "_scopes_pcs_offset", 0),
    ("nmethod", "_dependencies_offset", 0), ("nmethod", "_metadata_offset", 0), ("CompiledMethod", "_scopes_data_begin", 0)]
OFFSETS = {"_len": 0, "_data": 8, "_memory": 0, "_segmap": 16, "_log2_segment_size": 32, "_low": 0, "_high": 8, "_high_boundary": 8, "_length": 0,
           "_used": 8, "_name": 0, "_method": 8, "_constMethod": 0, "_constants": 0, "_name_index": 8, "_signature_index": 10, "_pool_holder": 0,
           "_body": 6, "_frame_size": 16, "_frame_complete_offset": 20, "_code_begin": 24, "_pc_offset": 0,
           "_scope_decode_offset": 4, "_scopes_pcs_offset": 32, "_dependencies_offset": 36, "_metadata_offset": 40, "_scopes_data_begin": 48}


def gnu_hash(name):
    value = 5381
    for byte in name.encode():
        value = value * 33 + byte & 0xffffffff
    return value


class Image:
    """Bytes that grow; add() returns the address of what was added."""
    def __init__(self, base):
        self.base, self.bytes = base, bytearray(0x140)

    def add(self, content):
        self.bytes += bytes(-len(self.bytes) % 16)
        self.bytes += content
        return self.base + len(self.bytes) - len(content)

    def text(self, text):
        return self.add(text.encode() + b"\0")


def add_symbol(image, text, length=None):
    return image.add(struct.pack("<HHH", len(text) if length is None else length, 0, 0) + text.encode())


def add_method(image, lies):
    """Of class Attacker, function(int, Object[])."""
    klass = image.add(struct.pack("<Q", add_symbol(image, lies.get("klass", "Attacker"), lies.get("symbol_length"))))
    pool = image.add(struct.pack("<4Q", klass, 0, add_symbol(image, "function"),
                                 add_symbol(image, lies.get("signature", "(I[Ljava/lang/Object;)V"))))
    const = image.add(struct.pack("<QHH", lies.get("pool", pool), lies.get("name_index", 1), 2))
    return image.add(struct.pack("<Q", lies.get("const", const)))


def add_tables(image, heaps, lies):
    entries = b""
    for type_name, field, static in FIELDS:
        if (type_name, field) == lies.get("without"):
            continue
        offset = lies.get("offsets", {}).get(field, OFFSETS.get(field, 0))
        if (type_name, field) == ("Symbol", "_length"):
            offset = 0
        entries += struct.pack("<QQQIIQQ", image.text(type_name), image.text(field), 0, static, 0, 0 if static else offset, heaps if static else 0)
    entries *= lies.get("repeat", 1)
    types = b"".join(struct.pack("<QQIIIIQ", image.text(name), 0, 0, 0, 0, 0, size)
                     for name, size in (("ConstantPool", lies.get("pool_size", 8)), ("HeapBlock", lies.get("block_size", 16)),
                                        ("PcDesc", lies.get("pc_size", 16))))
    end = b"" if lies.get("no_end") else bytes(48)
    return image.add(struct.pack("<Q", image.add(entries + end))), image.add(struct.pack("<Q", image.add(types + bytes(40))))


def add_library(image, symbols, lies):
    """ELF head, dynamic section, and symbols by a hash table of one bucket."""
    strings, table = b"\0", bytes(24)
    for name, address in symbols:
        table += struct.pack("<IBBHQQ", len(strings), 0x11, 0, 1, address - image.base, 8)
        strings += name.encode() + b"\0"
    hashes = [gnu_hash(name) & ~1 for name, _ in symbols]
    hashes[-1] |= 0 if lies.get("endless_chain") else 1
    hash_table = struct.pack("<5I", lies.get("buckets", 1), 1, lies.get("filter", 0), 0, 1) + struct.pack(f"<{len(hashes)}I", *hashes)
    where = image.add(table), image.add(strings), image.add(hash_table)
    dynamic = image.add(struct.pack("<8Q", 6, where[0], 5, where[1], 0x6ffffef5, where[2], 0, 0))
    image.bytes[:64] = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, lies.get("parts", 1), 0, 0, 0)
    image.bytes[64:120] = struct.pack("<IIQQQQQQ", 2, 4, 0, dynamic - image.base, 0, 64, 64, 8)


def vm(base=0, heap=None, **lies):
    """The library at `base`, and the begin of the heap, which lies at `heap`, or behind the library: one block of eight segments."""
    image = Image(base)
    method = add_method(image, lies)
    name = image.text(lies.get("kind", "nmethod"))
    block = struct.pack("<QB7x", lies.get("length", 8), lies.get("used", 1)) + struct.pack(
        "<QQIiQ", lies.get("name", name), lies.get("method", method), lies.get("frame_size", 4), lies.get("complete", 8), lies.get("code", 0))
    scopes = image.add(lies.get("scopes", b"\0\3\1\0\0\1\0"))
    pcs = b"".join(struct.pack("<iiii", offset, scope, 0, 0) for offset, scope in ((-1, 0), (0x40, 1), (0x200, 4)))
    block += struct.pack("<iiiiQ", 56, 56 + lies.get("pcs", len(pcs)), 56 + len(pcs), 0, scopes) + pcs + struct.pack("<Q", lies.get("method", method))
    low = heap or image.add(bytes(-len(image.bytes) % SEGMENT) + block.ljust(8 * SEGMENT, b"\x90")) & -SEGMENT
    if not heap:
        low = image.base + bytes(image.bytes).rfind(block)
    segments = image.add(lies.get("segments", bytes(range(8)) + b"\xff" * 24))
    code_heap = image.add(struct.pack("<QQQQI", low, low + 32 * SEGMENT, segments, segments + lies.get("nr_segments", 32), lies.get("log2", 7)))
    heaps = image.add(struct.pack("<Q", image.add(struct.pack("<IIQ", lies.get("heaps", 1), 0, image.add(struct.pack("<Q", code_heap))))))
    structs, types = add_tables(image, heaps, lies)
    add_library(image, [("gHotSpotVMStructs", structs), ("gHotSpotVMTypes", types)], lies)
    return bytes(image.bytes), block


# By what is wrong.
LIES = {
    "sound": {},
    "hops_in_a_circle": {"segments": bytes([1]) * 32},
    "hops_before_the_begin": {"segments": bytes([0xfe]) * 32},
    "a_length_of_2_to_the_63": {"length": 1 << 63},
    "a_segment_map_without_end": {"nr_segments": (1 << 63) - 1},
    "segments_of_2_to_the_63": {"log2": 63},
    "many_heaps": {"heaps": 0xffffffff},
    "a_method_at_nowhere": {"method": 0xdeadbeefdeadbeef},
    "a_method_at_the_end": {"method": (1 << 64) - 4},
    "a_pool_at_nowhere": {"pool": 1 << 63},
    "a_far_name": {"name_index": 0xffff},
    "a_long_symbol": {"symbol_length": 0xffff},
    "a_signature_without_end": {"signature": "(" + "[" * 1000},
    "a_signature_of_nonsense": {"signature": "(Qx;L"},
    "hostile_words": {"klass": "a;b\n<script>\x1b[2J"},
    "no_such_field": {"without": ("Klass", "_name")},
    "far_offsets": {"offsets": {"_memory": (1 << 64) - 8, "_name": 1 << 62}},
    "a_table_without_end": {"repeat": 2000, "no_end": 1},
    "a_pool_of_2_to_the_64": {"pool_size": (1 << 64) - 1},
    "blocks_of_2_to_the_64": {"block_size": (1 << 64) - 16},
    "no_buckets": {"buckets": 0},
    "many_buckets": {"buckets": 0xffffffff},
    "a_far_filter": {"filter": 0xffffffff},
    "a_chain_without_end": {"endless_chain": 1},
    "many_parts": {"parts": 0xffff},
    "a_frame_of_16_gb": {"frame_size": 0x7fffffff},
    "a_frame_that_is_never_complete": {"complete": -1, "code": (1 << 64) - 1},
    "scopes_in_a_circle": {"scopes": b"\0\1\1\0\0\1\0"},
    "a_method_of_2_to_the_32": {"scopes": b"\0\3\xff\xff\xff\xff\xff\xff"},
    "places_without_end": {"pcs": 0x7fffffff - 56},
    "places_of_no_size": {"pc_size": 0},
    "an_interpreter": {"frame_size": 0, "kind": "Interpreter"},
}
