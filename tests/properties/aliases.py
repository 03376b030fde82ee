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
WRITES = """\
y[{i}] = n|y[{i}] = n|{m}[{i}] = n + 1|{m}[:, {i}] *= 0.5|put(y, n)|put({m}, n)|{v}[{i}] = 5|h.x[{i}] = n|h.sum(n)|{m}[{i}] = {v} + 3
""".replace("\n", "").split("|")


def generate(choices: Choices) -> str:
    """A module with a function `main` of two matrices of 3 x 3 items and a number."""
    c = choices

    def filled(form: str) -> str:
        row = c.pick(["0", "1", "2", "-1", "n % 3"])
        return form.format(m=c.pick(MATRICES), v=c.pick(VECTORS), w=c.pick(VECTORS), i=row)

    # One array alone may be a part of another: that two parts have items in common is not seen everywhere.
    lines = ["h = Holder(b)", "c = a * 2", "r = a[0] * 1", "s = r * 2", "box = [a * 3, r * 1]"]
    lines.append(f"y = {filled(c.pick(c.pick([OF_MATRICES, OF_VECTORS])))}")
    writes = [filled(c.pick(WRITES)) for _ in range(1 + c.below(2))]
    if c.chance(30):
        head = c.pick(["for k in range(n):", "if a[n - 1, 0] > 0:", "if a[0, 0] > 5:"])
        writes = [head, *(f"    {line}" for line in writes)]
    results = [name for name in (*MATRICES, *VECTORS, "h.x") if c.chance(60)]
    lines += [*writes, f"return {', '.join([*results, 'y'])},"]
    return HELPERS + "def main(a, b, n):\n" + textwrap.indent("\n".join(lines), "    ") + "\n"
