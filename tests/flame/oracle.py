# SPDX-License-Identifier: GPL-2.0-or-later
"""oracle.py: what `wick flame` must draw, slowly and by the definition: boxes are the nodes of the prefix tree by frame, a box is
as wide as what it and all below it have, and siblings stand in the order of their names. Knows nothing of wick's source."""
import fractions
import random
import re
import xml.etree.ElementTree

KINDS = ["", "_[k]", "_[i]", "_[j]", "_[w]", "group", "note"]
LETTERS = "ukijwgn"
SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["a", "b", "main", "foo", "foo.cold", "foo_[k]", "foo_[j]", "std::map<int, int>::at(int const&)", "worker 12",
         "[unknown]", "--", "-", "x" * 80, "caf\u00e9", "\u4e2d\u6587", "</script><script>", "&lt", "\"'", "f_[i]", "3"]


class Node:
    """A box: `before` is the first column of a differential."""

    def __init__(self, name="all", kind=0):
        self.name, self.kind, self.children, self.self, self.before, self.lead = name, kind, [], fractions.Fraction(0), 0, 0

    def total(self):
        return self.self + sum(child.total() for child in self.children)

    def total_before(self):
        return self.before + sum(child.total_before() for child in self.children)

    def append(self, name, kind):
        self.children.append(Node(name, kind))
        self.children[-1].lead = self.self
        return self.children[-1]

    def child(self, name, kind):
        for child in self.children:
            if (child.name, child.kind) == (name, kind):
                return child
        return self.append(name, kind)


def frame(text):
    if text in ("-", "--") or (len(text) > 1 and text[0] == "[" and text[-1] == "]"):
        return text, 6
    for kind in range(1, 5):
        if text.endswith(KINDS[kind]) and len(text) > 4:
            return text[:-4], kind
    return text, 0


def tree_of(stacks, chart=False):
    """`stacks`: (frames as text, value, before), in the file's order."""
    root, path = Node(), []
    for frames, value, before in stacks:
        node, same, new_path = root, True, []
        for depth, text in enumerate(frames):
            # In a chart, what was on the stack before goes on.
            if chart:
                same = same and depth < len(path) and (path[depth].name, path[depth].kind) == frame(text)
                node = path[depth] if same else node.append(*frame(text))
            else:
                node = node.child(*frame(text))
            new_path.append(node)
        path = new_path
        node.self += value
        node.before += before
    if not chart:
        sort(root)
    return root


def sort(node):
    node.children.sort(key=lambda child: (child.name.encode(), child.kind))
    for child in node.children:
        sort(child)


def boxes(root, chart=False, width=1180):
    """(depth, name, total, left edge, right edge, difference), edges in thousandths of a pixel, root first. In a chart, what a
    caller did itself before a callee is to the callee's left."""
    found, everything = [], root.total()

    def edge(value):
        return int(value * width * 1000 // everything) if everything else 0

    def visit(node, depth, start):
        total = node.total()
        if total or not depth:
            found.append((depth, node.name, total, edge(start), edge(start + total) if depth else width * 1000, total - node.total_before()))
        done = fractions.Fraction(0)
        for child in node.children:
            visit(child, depth + 1, start + (child.lead if chart else 0) + done)
            done += child.total()

    visit(root, 0, fractions.Fraction(0))
    return found


TITLE = re.compile(r"(.*) \(([0-9,]+) samples, ([0-9.]+)%(?:; ([-+]?[0-9.]+)%)?\)$", re.DOTALL)


def drawn(svg):
    """The boxes of a picture, as boxes() has them, and each with its difference in percent, or None."""
    root = xml.etree.ElementTree.fromstring(svg)
    found = []
    for g in root.find(f".//{SVG}g[@id='boxes']"):
        title, rect = g.find(f"{SVG}title"), g.find(f"{SVG}rect")
        name, total, share, delta = TITLE.match(title.text).groups()
        left, width = (round(float(rect.get(key)) * 1000) for key in ("x", "width"))
        found.append((int(rect.get("y")), name, int(total.replace(",", "")), left - 10000, left - 10000 + width, float(share), delta))
    bottom = found[0][0]
    return [(abs(y - bottom) // 16, *rest) for y, *rest in found]


DIGITS = {c: i for i, c in enumerate("!#$%()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~")}


def numbers(text):
    """Base 44, the least digit first, and the last one in letters of its own."""
    value, scale = 0, 1
    for c in text:
        value, scale, last = value + DIGITS[c] % 44 * scale, scale * 44, DIGITS[c] < 44
        if last:
            yield value
            value, scale = 0, 1


def data(svg):
    """What the script gets: (depth, name, kind, self, self before, lead) of each node, in preorder."""
    root = xml.etree.ElementTree.fromstring(svg)
    frames = root.find(f"{SVG}metadata[@id='frames']").text.split("\n")
    nodes, found, depth, seen = root.find(f"{SVG}metadata[@id='nodes']"), [], 0, 0
    number = numbers(nodes.text)
    for i in range(int(nodes.get("data-nr"))):
        head = next(number)
        up = next(number) if head & 2 else 0
        depth = depth + 1 - up if i else 0
        seen += not head // 4
        frame = frames[head // 4 or seen - 1]
        found.append((depth, frame[7:].split("\t")[0], KINDS[LETTERS.index(frame[0].lower())], next(number) if head & 1 else 0,
                      next(number) if root.get("data-differential") else 0, next(number) if root.get("data-chart") else 0))
    assert next(number, None) is None, "there is more"
    return found


def nodes(root, chart=False):
    """What data() must be."""
    found = []

    def visit(node, depth):
        found.append((depth, node.name, KINDS[node.kind] if depth else "note", node.self, node.before, node.lead if chart else 0))
        for child in node.children:
            visit(child, depth + 1)

    visit(root, 0)
    return found


def random_stacks(seed, nr, columns=1):
    rng = random.Random(seed)
    names = rng.sample(NAMES, rng.randint(2, len(NAMES)))
    stacks, frames = [], []
    for _ in range(nr):
        if rng.random() < 0.5:
            frames = frames[:rng.randint(0, len(frames))]
        else:
            frames = []
        frames = frames + [rng.choice(names) for _ in range(rng.randint(0 if frames else 1, 12))]
        value, before = rng.choice([0, 1, 7, rng.randint(1, 10**6)]), rng.choice([0, 3, rng.randint(1, 10**6)])
        stacks.append((list(frames), value, before if columns == 2 else 0))
    return stacks


def folded(stacks, columns=1):
    return "".join(f"{';'.join(frames)} {f'{before} ' if columns == 2 else ''}{value}\n" for frames, value, before in stacks)
