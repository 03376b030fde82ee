"""Random programs that are mostly loops over Python values, with numbers of Python's beside traced ones.

def main(x, k, xs):
    n, t = 2, 0.5
    for i in range(1, 7, 2):
        n += i % 3
        if i > n:
            x = x + xs[i % 3] * t
    return x, k, xs, n, t
"""

from __future__ import annotations

from .choices import Choices

ITEMS = (
    "range({a})", "range({a}, {b})", "range({b}, -1, -2)", "[3, 1, 2]", "(0, 5, 2, 1)", "reversed(range({b}))",
    "[1, 2, 3][1:]", "range({a}, {b}, 3)", "range({b} * 4)", "{{3: 1, 0: 2, 5: 1}}", "{{2: 4, 1: 0}}.values()",
    "[True, False, True]", "map(len, ('ab', '', 'abc'))",
)  # fmt: skip
# A counter before a `while`, its condition, and what stands first in the body.
WHILES = (
    ("{a}", "{w} < {b}", "{w} += 1"), ("{b} * 3", "{w} > 1", "{w} //= 2"), ("0", "{w} + 1 < {b} and n < 90", "{w} += 2"),
    ("1", "{w} != 6", "{w} = {w} + 1"), ("0", "t < 3.0 and {w} < 9", "t, {w} = t + 0.3, {w} + 1"),
)  # fmt: skip
INTS = (
    "{i}", "n", "{i} + 1", "{i} * 2", "{i} % 3", "{i} // 2", "n - {i}", "{i} * {i}", "abs({i} - 2)", "{i} ** 2", "-{i}", "7",
    "[4, 5, 6][{i} % 3]", "max({i}, 2)", "(1 << ({i} % 5))", "{i} * n", "min(n, 3)", "int(t)", "{i} * 100000", "2 ** ({i} % 4)",
)  # fmt: skip
FLOATS = ("t", "{e} / 2", "{e} * 0.25", "t + 0.1", "1 / ({e} - 1)", "float({e})", "0.5", "0.5 ** ({i} % 4)")
# What no other iteration has changed, of which a loop may be no loop at all.
APART = (
    "{i}",
    "xs[{i} % 3]",
    "xs[({i} + 1) % 3] * {i}",
    "x - xs[-1]",
    "k > 1",
    "ys[{i}] + 1",
    "xs[{i} // 3] if k > 0 else x",
    "ys[{i} - 1] * t",
)
TRACED = (
    "x",
    "xs[{e} % 3]",
    "jnp.sin(x)",
    "k",
    "x * 0.5",
    "xs.sum()",
    "(x + 1j * {e}).imag",
    "jnp.real(x * 1j ** ({e} % 4))",
)
# What objects of libraries keep, and what counts behind one's back.
OPAQUE = (
    "made.update(b'step')", "rows.writerow([1, 'a'])", "text.write('a')", "log.info('step')", "log.info('step %d', {i})",
    "places.release()", "seen['a'] += 1", "seen.update('ab')", "waiting.append('a')", "heapq.heappush(heap, 3)",
    "point.n += 1", "point.step()", "write(b'a')", "x = x + next(ticks)", "x = x + sum(itertools.islice(ticks, 2))",
    "x = x + sum(a * b for a, b in zip((1, 2), (0.5, 2.0)))", "x = x + len(waiting) + point.n + seen['a']", "x = x + draws.random()",
)  # fmt: skip
MODULES = "import collections, csv, hashlib, heapq, io, itertools, logging, random, threading"
POINT = """
class Point:
    __slots__ = ("n",)

    def __init__(self):
        self.n = 0

    def step(self):
        self.n += 2
"""
OBJECTS = (
    "text, file, ticks, heap, point, draws = io.StringIO(), io.BytesIO(), itertools.count(), [], Point(), random.Random(3)",
    "made, rows, places, write = hashlib.sha256(), csv.writer(text), threading.Semaphore(0), file.write",
    "seen, waiting, log = collections.Counter(), collections.deque(maxlen=3), logging.Logger('steps')",
    "log.addHandler(logging.StreamHandler(text))",
)
KEPT = (
    ", text.getvalue(), file.getvalue(), next(ticks), heap, point.n, draws.random(), made.hexdigest(), places._value"
    ", dict(seen), list(waiting)"
)
TESTS = ("{e} > 1", "{e} % 2 == 0", "x > {e}", "k < {e}", "{f} > 0.7", "{e} == 2 and x < 3", "n < 50")


class Writer:
    """Writes one program.

    Args:
      choices: what decides.
      opaque: whether objects of libraries may be there.
    """

    def __init__(self, choices: Choices, *, opaque: bool = False) -> None:
        self.choices = choices
        self.opaque = opaque and choices.below(3) == 0
        self.lines: list[str] = []
        self.names = ["n"]
        self.loops = 0

    def program(self) -> str:
        """The text of a module with the function `main(x, k, xs)`."""
        if self.opaque:
            self.lines += [MODULES, *POINT.splitlines()]
        self.lines += [
            "def main(x, k, xs):",
            "    n, t, found, ys, zs = 2, 0.5, [], jnp.arange(8.0) * x, jnp.zeros(8)",
        ]
        self.lines += ["    " + line for line in OBJECTS if self.opaque]
        self.loop(1)
        for _ in range(self.choices.below(3)):
            self.statement(1, inside=False)
        self.lines.append("    return x, k, xs, n, t, found, ys, zs" + KEPT * self.opaque)
        return "\n".join(self.lines) + "\n"

    def one(self, texts: tuple[str, ...]) -> str:
        return self.choices.pick(texts)

    def integer(self) -> str:
        name = self.choices.pick(self.names)
        return self.one(INTS).format(i=name)

    def floating(self) -> str:
        return self.one(FLOATS).format(e=f"({self.integer()})", i=self.names[-1])

    def traced(self) -> str:
        return self.one(TRACED).format(e=f"({self.integer()})")

    def loop(self, depth: int) -> None:
        name = "ijm"[self.loops % 3] + "_" * (self.loops // 3)
        self.loops += 1
        bounds = {"a": self.integer() if depth > 1 else "4", "b": "6"}
        if self.choices.below(4) == 0:
            self.repeat(depth, name, bounds)
            return
        self.lines.append("    " * depth + f"for {name} in {self.one(ITEMS).format(**bounds)}:")
        if self.choices.below(3) == 0:
            for _ in range(1 + self.choices.below(2)):
                self.lines.append("    " * (depth + 1) + self.apart(name))
            return
        self.body(depth, name)

    def repeat(self, depth: int, name: str, bounds: dict[str, str]) -> None:
        """A `while` that numbers end."""
        first, test, step = self.choices.pick(WHILES)
        self.lines.append("    " * depth + f"{name} = {first.format(**bounds)}")
        self.lines.append("    " * depth + f"while {test.format(w=name, **bounds)}:")
        self.lines.append("    " * (depth + 1) + step.format(w=name))
        self.body(depth, name)

    def body(self, depth: int, name: str) -> None:
        self.names.append(name)
        for _ in range(1 + self.choices.below(3)):
            self.statement(depth + 1, inside=True)
        self.names.remove(name)

    def apart(self, name: str) -> str:
        """A statement that needs nothing of other iterations, most often."""
        target = self.one(("zs[{i}]", "zs[{i}]", "zs[7 - {i}]", "ys[{i}]")).format(i=name)
        return f"{target} {self.one(('=', '=', '+='))} {self.one(APART).format(i=name)}"

    def statement(self, depth: int, *, inside: bool) -> None:
        indent = "    " * depth
        if self.opaque and self.choices.below(4) == 0:
            self.lines.append(indent + self.one(OPAQUE).format(i=self.names[-1]))
            return
        e, f, v = self.integer(), self.floating(), self.traced()
        kind = self.choices.below(13)
        if kind >= 10 and depth < 4:
            self.compound(kind, depth, inside=inside)
            return
        simple = (
            f"x = {v} + {e}", f"x = {v} * {f}", f"n = {e}", f"n += {e}", f"t = {f}", f"t += {f}", f"k = k + {e}",
            f"xs = xs.at[({e}) % 3].set({v})", f"xs[({e}) % 3] = x * {f}", f"found.append({v})",
        )  # fmt: skip
        self.lines.append(indent + simple[kind % 10])

    def compound(self, kind: int, depth: int, *, inside: bool) -> None:
        if kind == 12 and self.loops < 4:
            self.loop(depth)
            return
        test = self.one(TESTS).format(e=f"({self.integer()})", f=f"({self.floating()})")
        self.lines.append("    " * depth + f"if {test}:")
        if inside and self.choices.below(4) == 0:
            self.lines.append("    " * (depth + 1) + self.one(("break", "continue")))
            return
        self.statement(depth + 1, inside=inside)
        if self.choices.below(2):
            self.lines.append("    " * depth + "else:")
            self.statement(depth + 1, inside=inside)
