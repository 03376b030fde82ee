"""What is a random program that writes to arrays which have several names: views, helpers that write, methods called like NumPy's?

Most of these programs are refused. Those that are not give what NumPy gives.
"""

from __future__ import annotations

import textwrap

from .choices import Choices

HELPERS = """\
import functools

class Holder:
    def __init__(self, x):
        self.x = x

    def mean(self):
        return self.x

    def copy(self):
        return self.x.T

    def astype(self, kind):
        return self.x[::-1]

    def round(self):
        return self.x[1]

    def sum(self, n):
        self.x[0, 1] = n

    def repeat(self, v):
        self.x[1] = v
        return self.x

def put(v, n):
    v[0] = n

def same(v):
    return v

def first(m):
    return m[0]

def maybe(v, n):
    if n > 1:
        return v
    return v * 2

def apply(fn, v):
    return fn(v)

def slope(y, out):
    out[0] = y[0] * 2
    return out + y

def cleared(v):
    w = v.astype(xp.float32)
    w[0] = 0
    return w

"""
MATRICES, VECTORS = ["a", "b", "c"], ["r", "s"]
# Of a matrix {m}, a vector {v} and a row's number {i}.
OF_MATRICES = (
    """\
{m}|{m}.T|{m}[::-1]|{m}.copy()|{m} * 0.5|{m}.astype(xp.float32)|{m}.flatten().reshape(3, 3)|{m}.reshape(3, 3)|xp.rollaxis({m}, 1)
xp.flip({m}, 0)|xp.swapaxes({m}, 0, 1)|xp.moveaxis({m}, 0, 1)|xp.concatenate([{m}])|xp.array({m})|xp.asarray({m})|h.mean()|h.copy()
h.astype(xp.float32)|same({m})|apply(same, {m})|apply(xp.transpose, {m})|apply(lambda v: v.T, {m})|getattr({m}, 'transpose')()
functools.partial(xp.swapaxes, axis1=0, axis2=1)({m})|xp.squeeze({m})|xp.ravel({m}).reshape(3, 3)|{m}.clip(-50, 50)
xp.where(True, {m}, {m})|xp.real({m})|{m}.real|{m}.conj()|xp.rot90({m})|xp.split({m}, 1)[0]|xp.array_split({m}, 1)[0]
xp.atleast_3d({m})[:, :, 0]|xp.expand_dims({m}, 0)[0]|maybe({m}, n)|{m}[:]|xp.copy({m})|h.x|box[0]|xp.matrix_transpose({m})
xp.permute_dims({m}, (1, 0))|xp.round({m})|h.repeat(n)|{m}.view(xp.float32)|xp.einsum('ij->ji', {m})|xp.tile({m}, 1)|xp.vstack([{m}])
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
OF_VECTORS = (
    """\
{m}[0]|{m}[{i}]|{m}[:, 1]|{m}[0].copy()|{m}.ravel()[3:6]|xp.diagonal({m}) * 1|xp.take({m}, 1, 0)|first({m})|{v}|{v}[::-1]|{v}.flatten()
{v}.astype(xp.float32)|xp.concatenate([{v}])|{v}.repeat(1)|xp.round({v})|h.round()|box[1]|{v} * 2|{v} + {m}[1]|cleared({v})
slope({v}, {m}[{i}])|slope({v}, {w})|same({v})|h.x[2]|[*{m}][1]|{m}.T[0]|{m}.flatten()[:3]|xp.unstack({m})[0]|xp.squeeze({m}[:1])
{m}[{i}, ::-1]|{m}.sum(0)|{m}[1:].mean(0)|{v}.round()|xp.atleast_1d({v})|maybe({v}, n)
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
STATEMENTS = (
    """\
{m}[{i}] = {v} + 3|{v}[{i}] = {m}[{j}, {i}] + 1|{m}[:, {i}] *= 0.5|put({m}[{i}], n)|put({v}, n)|put({m}, n)|put({of_matrix}, n)
{v} = slope({w}, {m}[{i}])|h.sum(n)|a, b = b, a|c, a = a, c|h.x = {m}|h.x[{i}] += 2|h = Holder({of_matrix})|box = [{m}, {v}]
box[0][{i}] = n|box[1][{i}] = n|box[1] = {of_vector}|{m}[{i}] = {v}|{m}[{i}] = slope({v}, {m}[{j}])|{v} = {v} + slope({w}, {m}[{i}])
""".replace("\n", "|")
    .strip("|")
    .split("|")
)


class _Text:
    """The lines of a program."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices

    def filled(self, form: str, rows: list[str]) -> str:
        """A form with names in it; `rows` are numbers of rows."""
        c = self.choices
        if "{of_matrix}" in form:
            form = form.replace("{of_matrix}", c.pick(OF_MATRICES))
        if "{of_vector}" in form:
            form = form.replace("{of_vector}", c.pick(OF_VECTORS))
        m, v, w = c.pick(MATRICES), c.pick(VECTORS), c.pick(VECTORS)
        return form.format(m=m, v=v, w=w, i=c.pick(rows), j=c.pick(rows))

    def statement(self, depth: int, rows: list[str]) -> list[str]:
        c = self.choices
        kind = c.below(100)
        if kind < 20:
            return [f"{c.pick(MATRICES)} = {self.filled(c.pick(OF_MATRICES), rows)}"]
        if kind < 40:
            return [f"{c.pick(VECTORS)} = {self.filled(c.pick(OF_VECTORS), rows)}"]
        if kind < 80 or depth == 2:
            return [self.filled(c.pick(STATEMENTS), rows)]
        if kind < 90:
            head = f"if {c.pick(MATRICES)}[{c.pick(rows)}, 0] > {c.below(6)}:"
            return [head, *self.block(depth + 1, rows)]
        return [f"for i in range({c.pick(['n', '2'])}):", *self.block(depth + 1, [*rows, "i % 3", "i"])]

    def block(self, depth: int, rows: list[str]) -> list[str]:
        """Indented lines."""
        count = 1 + self.choices.below(3 if depth else 5)
        lines = [line for _ in range(count) for line in self.statement(depth, rows)]
        return textwrap.indent("\n".join(lines), "    ").split("\n")


def generate(choices: Choices) -> str:
    """A module with a function `main` of two matrices of 3 x 3 items and a number."""
    c = choices
    lines = [
        f"h = Holder({c.pick(['a', 'b', 'a.copy()'])})",
        f"c = {c.pick(['a * 2', 'b * 1', 'a.T', 'b'])}",
        f"r = {c.pick(['a[0]', 'a[0] * 1', 'c[1]', 'b.sum(0)'])}",
        f"s = {c.pick(['r * 2', 'b[0]', 'r'])}",
        f"box = [{c.pick(MATRICES)}, r]",
    ]
    results = [name for name in (*MATRICES, *VECTORS, "h.x", "box") if c.chance(60)] or ["a"]
    body = [
        *textwrap.indent("\n".join(lines), "    ").split("\n"),
        *_Text(c).block(0, ["0", "1", "2", "-1", "n % 3"]),
    ]
    return HELPERS + "\n".join(["def main(a, b, n):", *body, f"    return {', '.join(results)},", ""])
