# SPDX-License-Identifier: GPL-2.0-or-later
"""whys.py: what tests of `wick why` share: its page as JSON, and its trees. See live.py."""
from live import *

SHARE = bound(0.03, 0.2)


class Why(dict):
    """The JSON of a page, of which each (thread's name, function) has delays, one a class, and idle time."""

    def delays_of(self, comm, function):
        return [d for d in self["delays"] if d["comm"] == comm and d["function"] == function]

    def idle_ns(self, comm, function):
        return sum(i["ns"] for i in self["idle"] if i["comm"] == comm and i["function"] == function)

    def mostly(self, comm, function, cls):
        """Nearly all of these waits are of that class: returns its delay."""
        found = self.delays_of(comm, function)
        right = [d for d in found if d["class"] == cls]
        idle = self.idle_ns(comm, function)
        whole = sum(d["ns"] for d in found) + idle
        check(right, f"no {cls} of {comm} in {function}: {[(d['class'], d['ns']) for d in found]}, idle {idle}")
        check(right[0]["ns"] >= 0.9 * whole, f"{comm} in {function}: {right[0]['ns']} of {whole} ns are {cls}")
        return right[0]

    def is_idle(self, comm, function):
        idle, found = self.idle_ns(comm, function), self.delays_of(comm, function)
        check(idle > 0.1e9, f"{comm} in {function}: idle for {idle} ns")
        check(idle >= 0.9 * (idle + sum(d["ns"] for d in found)), f"{comm} in {function}: idle {idle}, not so {found}")

    def check_sums(self):
        check(sum(self["classes"].values()) == self["waited_ns"], f"classes: {self['classes']}, waited {self['waited_ns']}")
        # Waits for a CPU are rounded up, each by 2 us at most; a busy host has many that are as short.
        check(self["waited_ns"] <= self["off_cpu_ns"] * 1.005, f"waited {self['waited_ns']}, off-CPU {self['off_cpu_ns']}")
        for delay in self["delays"]:
            check_tree(delay["tree"], delay["ns"], f"{delay['comm']} in {delay['function']}")


def check_tree(tree, whole, where):
    check(sum(n["ns"] for n in tree) == whole, f"{where}: {sum(n['ns'] for n in tree)} of {whole} ns are explained")
    for node in tree:
        if node["tree"]:
            check_tree(node["tree"], node["ns"], f"{where}, {node['text']}")


def branches(tree, comm, function):
    """All that a tree charges to that thread in that function."""
    return sum(n["ns"] if (n["comm"], n["function"]) == (comm, function) else branches(n["tree"], comm, function) for n in tree)


def asleep(tree):
    """Without the time in which the threads ran, or waited for a CPU: other tests may have all of them."""
    return sum(asleep(n["tree"]) if n["tree"] else n["ns"] * (n["class"] != "cpu") for n in tree)


def asleep_in(tree, comm, function):
    """As branches(), of what was asleep."""
    return sum(asleep([n]) if (n["comm"], n["function"]) == (comm, function) else asleep_in(n["tree"], comm, function) for n in tree)
