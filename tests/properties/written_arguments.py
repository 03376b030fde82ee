"""What is a random NumPy program that writes to the arrays which it was passed, and to those from outside of it?

Views, rows of loops, out-parameters, in-place operators, helpers, branches, attributes and lists; all in `np`. Where source and
target overlap, NumPy's answer depends on its order along one axis, so that a copy is stored there.
"""

from __future__ import annotations

from .choices import Choices

HELPERS = """\
import numpy as np

OUTSIDE = np.ones((3, 3), np.float32)

class Holder:
    def __init__(self, x):
        self.x = x
        self.part = x[1]

    def scale(self, n):
        self.x *= n

def helper(m, v, n):
    v[0] = m[1, 1]
    m[2] = v
    if v[1] > n:
        m[0] += 1

def bump(v, n):
    v += n
    return v

"""
MATRICES, VECTORS = ["a", "b", "c", "d", "OUTSIDE"], ["r", "s"]
_NEW_MATRIX = "{m}|{m}.T|{m}[::-1]|{m}.reshape(3, 3)|{m}.copy()|{m} * 0.5|np.flip({m}, 1)|h.x|box[0]|np.array({m})|np.asarray({m})"
_NEW_VECTOR = "{m}[{i}]|{m}[{i}]|{m}[:, 1]|{v}|{m}[0].copy()|{m}.ravel()[3:6]|h.part|box[1]|{v} + 1|{v}[::-1]"
_WRITES = """\
{m}[{i}] = {v} + 2|{v}[{i}] = {m}[{i}, {i}] + 1|{m}[:, {i}] *= 0.5|{v} += 1|{m} += {v}|helper({m}, {v}, n)|bump({v}, n)|h.scale(2)
h.x[{i}] += 2|box[1][0] = n|np.add({m}, 1, out={m})|np.copyto({v}, {m}[{i}] * 1)|{v}.fill(n)|{m}.sort(axis=1)|h.part[:] = {v} * 1
{m}[{m} > 3] = 1|{m}[1:][0] = {v} * 1|{v}[1:] = {v}[:-1]|np.multiply({m}[{i}], 2, {v})|{m}[[0, 1]] = {m}[[1, 0]]|box[0] -= {v}
""".replace("\n", "|").strip("|")
_LOOPS = """\
for k in range(n):|for k, row in enumerate({m}):|for row in {m}:|for row, other in zip({m}, {m2}):|if {m}[{i}, 0] > {j}:|for row in {m}[1:]:
""".replace("\n", "").strip("|")


def generate_written(choices: Choices) -> str:
    """A module with a function `main` of two matrices of 3 x 3 items and a number."""
    c = choices

    def filled(forms: str) -> str:
        names = {"m": c.pick(MATRICES), "m2": c.pick(MATRICES), "v": c.pick(VECTORS)}
        return c.pick(forms.split("|")).format(
            **names, i=c.pick(["0", "1", "2", "-1", "n % 3"]), j=c.below(6)
        )

    def statement(depth: int, rows: bool) -> list[str]:
        kind = c.below(10)
        if kind == 0 and not depth:
            return [f"{c.pick(['c', 'd'])} = {filled(_NEW_MATRIX)}"]
        if kind == 1:
            return [f"{c.pick(VECTORS)} = {filled(_NEW_VECTOR)}"]
        if kind == 2 and depth < 2:
            head = filled(_LOOPS)
            inside = [*block(depth + 1, "row" in head)]
            return [head, *(f"    {line}" for line in inside)]
        if rows and kind < 6:
            return [
                c.pick(
                    [
                        "row += 1",
                        "row[0] = n",
                        "row[:] = row * 2",
                        "bump(row, n)",
                        "r = row",
                        "row[1:] = row[0]",
                    ]
                )
            ]
        return [filled(_WRITES)]

    def block(depth: int, rows: bool = False) -> list[str]:
        return [line for _ in range(1 + c.below(2 if depth else 4)) for line in statement(depth, rows)]

    lines = ["h = Holder(b)", "c = np.zeros((3, 3), np.float32)", "d = b"]
    lines += ["r = a[0]", f"s = {c.pick(['c[1]', 'b[:, 2]', 'a[1] * 1'])}", "box = [a, s]", *block(0)]
    lines += ["return c, d, r, s, h.x"]
    return HELPERS + "def main(a, b, n):\n    global OUTSIDE\n" + "".join(f"    {line}\n" for line in lines)
