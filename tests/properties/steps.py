"""What is a random program whose loop writes to arrays in place, and makes its variables other arrays, in any order?

    for k in range(6):
        edge(u)                           in place, by a helper
        w = u                             another name
        u = w * 0.5                       another array

Those that are not refused give what NumPy gives.
"""

from __future__ import annotations

import textwrap

from .choices import Choices

HELPERS = """\
class Holder:
    def __init__(self, f):
        self.f = f

    def bump(self):
        self.f[0] = self.f[1] + 1

    def halve(self):
        self.f = self.f * 0.5

    def keep(self, x):
        self.f = x
        return self

    def give(self):
        return self.f

def edge(x):
    x[0] = x[1] + 1

def middle(x):
    x[1] *= 0.5
    return x

def stepped(x):
    return x * 0.9 + 0.1

def chosen(x, y, s):
    if s > 3:
        return x
    return y

def turned(x):
    return x[::-1]

def both(x, y):
    x[2] = 1
    return y, x

"""
NAMES = ["u", "v", "w"]
STARTS = "a|a * 1|b|b * 0.5|{x}|{x} * 2|{x}[::-1]|{x}.copy()|xp.zeros((3, 2))".split("|")
# where the program has an array of ints, too
INTEGERS = "i = xp.arange(6).reshape(3, 2)"
TYPED = "i|i * 1|i[:, ::-1]|i + 0.5|i > 2|xp.zeros((3, 2), int)|(a * 4).astype(int)|{x}.astype(int)|{x} > 1".split(
    "|"
)
STATEMENTS = """
    edge({x})|edge({x})|{x} = middle({x})|middle({x})|{x} = {x} * 0.5|{x} = stepped({x})|{x} = {y} + 1|{x} = {y}|{x}, {y} = {y}, {x}
    {x}, {y} = {y} * 0.5, {x}|{x}[0] = {y}[1]|{x}[1:] += 0.25|{x}[k % 3] = k|s += {x}.sum()|s += {x}[0, 0]|{x} = {x}[::-1]
    {x} = {y}[::-1]|{x} = {y}.copy()|row = {x}[0]|row[1] = 2|s += row.sum()|o.f = {x}|edge(o.f)|o.f = o.f * 0.5|s += o.f.sum()
    log.append({x}.copy())|log.append({x} * 1)|box[0] = {x}|s += box[0].sum()|edge(box[0])|{x} = box[0] * 0.5|{x}[:] = {y}
    {x} = xp.where({x} > 1, {x} * 0.5, {y})
"""
# the same with objects, containers and callees that give what they were handed
HELD = """
    o.bump()|o.halve()|o.keep({x})|{x} = o.give()|o.f = p.f|p.f = o.f|p.f = {x}|{x} = p.f|p.bump()|p.keep({x}).bump()|s += p.f[0, 0]
    t = ({x}, {y})|{x}, {y} = t|t[0][1] = 3|edge(t[1])|s += t[0].sum()|{x} = t[0]|t = (t[1], t[0])
    d["a"] = {x}|d["a"][1:] *= 0.5|{x} = d["a"]|edge(d["a"])|s += d["a"][2, 1]|d = {{"a": {x}}}
    box[0], box[1] = box[1], box[0]|box[1] = {x}|{x} = box[1]|box = [{x}, {y}]|box[1][2] = 1|middle(box[k % 2])|box.append({x})|box = [{y}, *box][:2]
    {x} = chosen({x}, {y}, s)|{x} = turned({y})|{x}, {y} = both({x}, {y})|middle(turned({x}))|edge(chosen({x}, {y}, s))
    row = {x}[k % 3]|row = row * 1|{x}[0], {x}[1] = {x}[1], {x}[0] + 0|{x}[1] = row|o, p = p, o|p = o|p = Holder({x})
    {x} = {x} if s > 3 else {y}|{x} = {y}[:]|{x}[::-1][0] = 2|{x} = [{x}, {y}][k % 2]|{x} = {y}.T.T|log.append({x})
"""
# what the loop binds first, by what it is: how, what is done with it there and after the loop, and what is given back of it
FIRST = {
    "a matrix": (
        "z = {x}|z = {x}[::-1]|z = {x} * 1|z = {x}[:]|z = turned({x})|z = stepped({x})|z = [{x}, {y}][k % 2]|z = o.f|z = box[0]",
        "s += z.sum()|edge(z)|z[1, 0] = 4|{x} = z|box[0] = z|o.f = z|z = z * 0.5|z[1:] += 0.25|log.append(z)|{x}[0] = z[1]",
        "z",
    ),
    "a row": (
        "z = {x}[0]|z = {x}[k % 3]|z = {x}[-1] * 1|for z in {x}: s += z[0]|for j, z in enumerate({x}): s += j * z[1]|z = row",
        "z[1] = 2|s += z.sum()|row = z|{x}[0] = z|z = z + 1|z[0] = z[1]",
        "z",
    ),
    "a part": (
        "for row in {x}: z = row[1:]|z = {x}[1:, 0]|z = {x}[0][1:]|z = {x}.T[k % 2]|z = {x}[0] * 1",
        "z[0] = 7|s += z.sum()|z[:] = 1",
        "z",
    ),
    "a list": (
        "z = [{x}, {y}]|z = [{y}, {x} * 1]|z = [{x}, {x}[::-1]]",
        "s += z[0].sum()|edge(z[0])|z[1][0, 0] = 5|{x} = z[1]|box = [*z]|z[0] = {x}",
        "z[0]",
    ),
    "a tuple": (
        "z = ({x}, {y})|z = ({y}, {x} * 1)",
        "s += z[0].sum()|edge(z[0])|z[1][0, 0] = 5|{x} = z[1]|t = z",
        "z[1]",
    ),
    "an object": (
        "z = Holder({x})|z = Holder({x} * 1)|z = o|z = [o, p][k % 2]",
        "z.bump()|s += z.f.sum()|z.f[1] = 1|z.keep({x})|{x} = z.give()|z.f = {x}",
        "z.f",
    ),
}
# what is in place for arrays of NumPy's alone
IN_PLACE = "{x} += 1|{x} *= 0.5|row += 1|o.f += 1|box[0] *= 0.5|{x}.fill(2)|np.copyto({x}, {y})|np.add({x}, 1, out={y})|{x}.sort(axis=0)"


def _forms(text: str) -> list[str]:
    return [each for line in text.strip().splitlines() for each in line.strip().split("|")]


# how JAX calls the program, if it does; `x` are its two matrices, and `xs` two of each
HANDED = """
    jax.jvp(steps, x, x)[0]|jax.vmap(steps)(*xs)|jax.lax.scan(lambda c, x: (c, steps(*x)), 0, xs)[1]|jax.jit(steps)(*x)
    jax.checkpoint(steps)(*x)|jax.linearize(steps, *x)[0]|jax.vmap(lambda *x: jax.jvp(steps, x, x)[0])(*xs)
    jax.lax.map(lambda x: steps(*x), xs)|jax.jvp(lambda *xs: jax.vmap(steps)(*xs), xs, xs)[0]
"""
NUMBERS = [
    "for e in {x}[1]:",
    "for e in {x}[:, 0]:",
    "for e in row:",
    "for e in {x}.ravel():",
    "for j, e in enumerate({x}[::-1, 1]):",
]
WALKED = ["for row in {x}:", "for j, row in enumerate({x}):", "for row, _ in zip({x}, {y}):", *NUMBERS]
TESTS = ["k % 2", "k > 2", "u[0, 0] > 1", "s > 3", "v.sum() < w.sum()"]


def generate(choices: Choices, *, augments: bool = True) -> str:
    """A module with a function `main` of two matrices of 3 x 2 items; `augments` where `u += 1` changes an array."""
    c = choices
    statements = _forms(STATEMENTS)
    if c.chance(60):
        statements = (statements if c.chance(50) else []) + _forms(HELD)
    statements += _forms(IN_PLACE) if augments else []

    def filled(form: str) -> str:
        x = c.pick(NAMES)
        return form.format(x=x, y=c.pick([name for name in NAMES if name != x]))

    typed = c.chance(30)
    lines = [INTEGERS] if typed else []
    for number, name in enumerate(NAMES):
        starts = [*STARTS, *TYPED] if typed else STARTS
        known = starts if number else [start for start in starts if "{" not in start]
        lines.append(f"{name} = {c.pick(known).format(x=NAMES[number - 1])}")
    lines += [
        f"row, s, log, box, d = a[2] * 1, 0.0, [], [b * 3, {c.pick(['a * 1', 'w'])}], {{'a': b * 2}}",
        f"o, p, t = Holder({c.pick(['a * 2', 'u', 'v'])}), Holder({c.pick(['a * 3', 'w'])}), (b * 4, u)",
    ]
    binding, uses, given = [], statements, []
    if c.chance(50):
        binds, used, part = FIRST[c.pick([*FIRST])]
        binding, given = [filled(c.pick(_forms(binds)))], [part]
        uses = [*_forms(used) * 2, *statements]
        if augments and part == "z":
            uses += ["z += 1", "z *= 0.5"]
    if binding and c.chance(40):
        binding = [
            f"if {c.pick(['k % 2 == 0', 'k < 2', 'k == 0', 'k % 3 < 2'])}:",
            *(f"    {line}" for line in binding),
        ]
        if c.chance(60):
            binding += ["else:", *(f"    {filled(c.pick(uses))}" for _ in range(1 + c.below(2)))]
    head = c.pick(
        [
            "for k in range(6):",
            "for k in range(6):",
            "for k in range(n):",
            "while k < n:",
            "if n > 4:",
            *WALKED,
        ]
    )
    body = []
    for _ in range(2 + c.below(4)):
        if c.chance(20):
            body += [f"if {c.pick(TESTS)}:", f"    {filled(c.pick(uses))}"]
            if c.chance(40):
                body += ["else:", f"    {filled(c.pick(uses))}"]
        elif c.chance(10):
            inside = (filled(c.pick(uses)) for _ in range(1 + c.below(2)))
            body += ["for j in range(3):", *(f"    {line}" for line in inside)]
        else:
            body.append(filled(c.pick(uses)))
    before = [filled(c.pick(statements))] if c.chance(30) else []
    body = [*before, *binding, *body]
    if head in NUMBERS:  # which it sees written
        body.append(
            filled(c.pick(["{x}[1:] += e", "{x}[1][1] = e + 1", "row[1:] = e + k", "o.f.T[0][-1] += e"]))
        )
        body.insert(0, "s = s * 0.5 + e")
    if head[0] != "i" and c.chance(15):
        body.append(f"if {c.pick(['k > 8', 'k > 3', 's > 40', 's > 1000'])}: break")
    if head in WALKED or not head.startswith("for"):
        lines.append("k = 0")
        body.append("k += 1")
    lines += [filled(head), *(f"    {line}" for line in body), "k = 2"]
    for _ in range(c.below(4) if binding else c.below(2)):
        after = filled(c.pick(uses))
        lines += [f"if n > {c.below(8)}:", f"    {after}"] if c.chance(15) else [after]
    results = [
        name
        for name in ("u", "v", "w", "row", "o.f", "p.f", "box[0]", "d['a']", "t[0]", *given)
        if c.chance(50)
    ]
    lines.append(f"return {', '.join(['s', 'len(log)', *results])}")
    if c.chance(25):  # what JAX hands over is an array of JAX's
        lines = [
            "def steps(a, b):",
            *(f"    {line}" for line in ("a, b = xp.array(a), xp.array(b)", *lines)),
            "x, xs = (a, b), (xp.stack([a, b]), xp.stack([b, a]))",
            f"return {c.pick(_forms(HANDED))}",
        ]
    return (
        "import numpy as np\n\n"
        + HELPERS
        + "def main(a, b, n):\n"
        + textwrap.indent("\n".join(lines), "    ")
        + "\n"
    )
