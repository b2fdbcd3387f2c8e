"""Prints a pprof file field by field."""
import gzip, sys

PACKED = {(2, 1), (2, 2)}
MESSAGES = {1, 2, 3, 4, 5, 11}


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        else:
            assert tag & 7 == 2, tag
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        yield tag >> 3, value


def integers(data):
    at = 0
    while at < len(data):
        value, at = varint(data, at)
        yield value


def shown(path, value):
    if isinstance(value, int):
        return str(value)
    if path in PACKED:
        return str(list(integers(value)))
    return "{" + " ".join(f"{f}={shown((*path, f), v)}" for f, v in fields(value)) + "}"


strings = 0
for field, value in fields(gzip.open(sys.argv[1]).read()):
    if field == 6:
        print(f"string {strings}: {value.decode()!r}")
        strings += 1
    else:
        print(field, shown((field,), value))
