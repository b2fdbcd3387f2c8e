"""Writes profiles of pprof, good and bad: make-pprof.py NAME."""
import gzip, sys, zlib


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def packed(field, values):
    return block(field, b"".join(varint(v) for v in values))


def message(**fields):
    """f1=..., f2=...: a number, bytes, or several messages."""
    out = b""
    for name, value in fields.items():
        field = int(name[1:])
        for v in value if isinstance(value, list) else [value]:
            out += number(field, v) if isinstance(v, int) else block(field, v)
    return out


TEXTS = ["", "cpu", "microseconds", "samples", "count", "leaf", "inlined<int>", "outer", "/usr/lib/libx.so.1", "[kernel.kallsyms]", "do_sys",
         "comm", "my thread", "pid", "space", "bytes", "/tmp/perf-1.map", "jitted", "outer_[w]", "[truncated]"]
T = {text: i for i, text in enumerate(TEXTS)}


def functions():
    return b"".join(block(5, message(f1=1000 + T[name], f2=T[name]))
                    for name in ["leaf", "inlined<int>", "outer", "do_sys", "jitted", "outer_[w]", "my thread", "[truncated]"])


def location(ident, *names, mapping=0, address=0):
    lines = [message(f1=1000 + T[name], f2=7) for name in names]
    return block(4, message(f1=ident, f2=mapping, f3=address, **({"f4": lines} if lines else {})))


def label(key, text="", value=0):
    return message(f1=T[key], f2=T[text], f3=value)


def sample(locations, values, *labels, is_packed=True):
    if is_packed:
        return block(2, packed(1, locations) + packed(2, values) + b"".join(block(3, l) for l in labels))
    return block(2, message(f1=list(locations), f2=list(values), **({"f3": list(labels)} if labels else {})))


def profile(samples, types=(("samples", "count"), ("cpu", "microseconds"), ("space", "bytes")), default="", tables=b""):
    return (b"".join(block(1, message(f1=T[t], f2=T[u])) for t, u in types) + samples +
            block(3, message(f1=1, f5=T["/usr/lib/libx.so.1"])) + block(3, message(f1=2, f5=T["[kernel.kallsyms]"])) +
            block(3, message(f1=1 << 63, f5=T["/tmp/perf-1.map"])) +
            location(1, "leaf", mapping=1, address=0x1000) + location(2, "inlined<int>", "outer", mapping=1, address=0x2000) +
            location(3, "do_sys", mapping=2, address=0xFFFFFFFF81000000) + location(4, mapping=1) + location(5) +
            location((1 << 64) - 1, "jitted", mapping=1 << 63) + location(7, "my thread") + location(8, "outer_[w]") +
            location(9, "[truncated]") + functions() + tables +
            b"".join(block(6, text.encode()) for text in TEXTS) + (number(14, T[default]) if default else b""))


GOOD = (sample([3, 1, 2, 9, 7], [1, 10, 100], label("comm", "my thread"), label("pid", value=12)) +
        sample([3, 1, 2, 9, 7], [1, 20, 100], label("comm", "my thread"), label("pid", value=13), is_packed=False) +
        sample([(1 << 64) - 1, 4, 5], [2, 30, 0]) + sample([8, 1], [4, 40, 0], label("comm", "my thread")))
BAD = (sample([99], [1, 1, 1]) + sample([1], [1, 1]) + sample([1], [1, (1 << 64) - 5, 1]) + block(2, b"\x0a\x05\x01") +
       sample([1] * 65537, [1, 1, 1]))
ONE = sample([1], [1, 1, 1])

PROFILES = {
    "good": lambda: profile(GOOD),
    "default": lambda: profile(GOOD, default="samples"),
    "bad": lambda: profile(GOOD + BAD),
    "large": lambda: profile(sample([1], [1, (1 << 63) - 1, 1])),
    "cut": lambda: profile(GOOD)[:-3],
    "length": lambda: profile(GOOD) + b"\x12" + varint(1 << 63) + b"xx",
    "varint": lambda: profile(GOOD) + b"\x48" + b"\xff" * 10 + b"\x01",
    "group": lambda: profile(GOOD) + b"\x0b",
    "twice": lambda: profile(ONE, tables=location(1, "leaf")),
    "zero": lambda: profile(ONE, tables=block(5, b"")),
    "types": lambda: profile(ONE, types=()),
    "strings": lambda: profile(ONE, tables=b"\x32\x00" * ((1 << 22) + 1)),
    "rows": lambda: b"\x0a\x00" * ((1 << 22) + 1),
    "lines": lambda: profile(ONE, tables=location(50, *["leaf"] * 257)),
    # Six bytes of a sample refer to 256 lines.
    "work": lambda: profile(sample([50], [1, 1, 1]) * 100000, tables=location(50, *["leaf"] * 256)),
}


def bomb():
    """More than 256 MiB, of a thousandth of that size."""
    z = zlib.compressobj(1, zlib.DEFLATED, 31)
    head = profile(ONE) + varint(6 << 3 | 2) + varint(1 << 40)
    return z.compress(head) + b"".join(z.compress(bytes(1 << 20)) for _ in range(300)) + z.flush()


name = sys.argv[1]
sys.stdout.buffer.write(bomb() if name == "bomb" else gzip.compress(PROFILES[name](), 1, mtime=0) if name != "good" else PROFILES[name]())
