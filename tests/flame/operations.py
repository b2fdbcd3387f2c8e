# SPDX-License-Identifier: GPL-2.0-or-later
"""operations.py: what --show-stacks and its like must leave of stacks, slowly and by the definition. Knows nothing of wick's source."""
import fractions
import re

import oracle

ORDER = ["show-stacks", "hide-stacks", "show-frames", "hide-frames", "show-from", "focus", "hide-plumbing", "collapse-recursion", "min-percent"]
# Of the names that random profiles have.
PLUMBING = {("do_syscall_64", 1), ("do_syscall_64", 0), ("__schedule", 1), ("__schedule", 0), ("start_thread", 0)}


def cut_above(stack, matches):
    first = next((i for i, frame in enumerate(stack) if matches(frame)), None)
    return None if first is None else stack[first:]


def no_frame_left(stack, kept):
    return kept if kept or not stack else None


def collapse(stack):
    return [frame for i, frame in enumerate(stack) if not i or stack[i - 1] != frame]


def one(option, argument, stack):
    """The stack's frames, (name, kind) each, that an option leaves; None: it removes the stack."""
    def found(frame):
        return re.search(argument, frame[0]) is not None

    return {
        "show-stacks": lambda: stack if any(map(found, stack)) else None,
        "hide-stacks": lambda: None if any(map(found, stack)) else stack,
        "show-frames": lambda: [frame for frame in stack if found(frame)] or None,
        "hide-frames": lambda: no_frame_left(stack, [frame for frame in stack if not found(frame)]),
        "show-from": lambda: cut_above(stack, found),
        "focus": lambda: cut_above(stack, lambda frame: frame[0] == argument),
        "hide-plumbing": lambda: no_frame_left(stack, [frame for frame in stack if frame not in PLUMBING]),
        "collapse-recursion": lambda: collapse(stack),
        "min-percent": lambda: stack,
    }[option]()


def total_below(stacks, prefix):
    return sum(value for stack, value in stacks if stack[:len(prefix)] == prefix)


def prune(stacks, percent):
    """A stack ends above its first box that is too small."""
    everything, kept = sum(value for _, value in stacks), []
    totals = {}
    for stack, value in stacks:
        for depth in range(1, len(stack) + 1):
            totals[tuple(stack[:depth])] = totals.get(tuple(stack[:depth]), 0) + value
    for stack, value in stacks:
        depth = 0
        while depth < len(stack) and totals[tuple(stack[:depth + 1])] * 100 >= percent * everything:
            depth += 1
        if depth or not stack:
            kept.append((stack[:depth], value))
    return kept


def leave(stacks, options):
    """What all options, (name, argument) each, leave: a dict of stacks, tuples of (name, kind), to values."""
    stacks = [([oracle.frame(text) for text in frames], value) for frames, value, _ in stacks]
    for option in ORDER:
        for name, argument in options:
            if name != option:
                continue
            if name == "min-percent":
                stacks = prune(stacks, fractions.Fraction(argument))
            else:
                stacks = [(left, value) for left, value in ((one(name, argument, stack), value) for stack, value in stacks) if left is not None]
    found = {}
    for stack, value in stacks:
        found[tuple(stack)] = found.get(tuple(stack), 0) + value
    return found
