# SPDX-License-Identifier: GPL-2.0-or-later
"""crafted_python.py: memory that looks like a Python process's to src/files/python_stacks.c, and an answer of it."""
import struct

INTERPRETER, STATE, CFRAME, CODE_TYPE, FRAMES, CODES, NAME, LINES = 0x80, 0x100, 0x240, 0x380, 0x500, 0x800, 0xc00, 0xc80


def memory(lies):
    """Of Python 3.11: a thread with two frames. `lies` are words that are something else."""
    content = bytearray(0xd00)
    words = {48: INTERPRETER, INTERPRETER + 16: STATE, STATE + 152: 1, STATE + 160: 1, STATE + 56: CFRAME, CFRAME + 8: FRAMES + 0x100,
             NAME + 16: 6, NAME + 32: 1 << 2 | 3 << 5, LINES + 16: 2}
    for i in range(2):
        frame, code = FRAMES + 0x100 * i, CODES + 0x200 * i
        words |= {frame + 32: code, frame + 48: FRAMES if i else 0, frame + 56: code + 188, code + 8: CODE_TYPE, code + 72: 7,
                  code + 112: NAME, code + 128: NAME, code + 136: LINES}
    for at, word in (words | lies).items():
        struct.pack_into("<Q", content, at, word)
    content[NAME + 48:NAME + 54] = b"honest"
    content[FRAMES + 68] = 1
    return bytes(content)


def answer():
    """Of two threads, of which one has a frame."""
    return struct.pack("<4I", 2, 1, 0, 0) + struct.pack("<8I", 0, 1, 0, 0, 1, 0, 0, 0) + struct.pack("<2Q", 0, 1 << 32)


def memories():
    yield "honest", memory({})
    yield "cycle", memory({FRAMES + 48: FRAMES + 0x100})
    yield "threads", memory({STATE + 152: 9, STATE + 160: 9, STATE + 8: STATE})
    yield "lengths", memory({NAME + 16: 1 << 63, LINES + 16: 2**64 - 1})
    yield "answer", answer()
