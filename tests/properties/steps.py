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
    pass

def edge(x):
    x[0] = x[1] + 1

def middle(x):
    x[1] *= 0.5
    return x

def stepped(x):
    return x * 0.9 + 0.1

"""
NAMES = ["u", "v", "w"]
STARTS = "a|a * 1|b|b * 0.5|{x}|{x} * 2|{x}[::-1]|{x}.copy()|xp.zeros((3, 2))".split("|")
STATEMENTS = (
    """\
edge({x})|edge({x})|{x} = middle({x})|middle({x})|{x} = {x} * 0.5|{x} = stepped({x})|{x} = {y} + 1|{x} = {y}|{x}, {y} = {y}, {x}
{x}, {y} = {y} * 0.5, {x}|{x}[0] = {y}[1]|{x}[1:] += 0.25|{x}[k % 3] = k|s += {x}.sum()|s += {x}[0, 0]|{x} = {x}[::-1]
{x} = {y}[::-1]|{x} = {y}.copy()|row = {x}[0]|row[1] = 2|s += row.sum()|o.f = {x}|edge(o.f)|o.f = o.f * 0.5|s += o.f.sum()
log.append({x}.copy())|log.append({x} * 1)|box[0] = {x}|s += box[0].sum()|edge(box[0])|{x} = box[0] * 0.5|{x}[:] = {y}|{x} = xp.where({x} > 1, {x} * 0.5, {y})
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
TESTS = ["k % 2", "k > 2", "u[0, 0] > 1", "s > 3", "v.sum() < w.sum()"]


def generate(choices: Choices, *, augments: bool = True) -> str:
    """A module with a function `main` of two matrices of 3 x 2 items; `augments` where `u += 1` changes an array."""
    c = choices
    statements = STATEMENTS + ["{x} += 1", "{x} *= 0.5"] * augments

    def filled(form: str) -> str:
        x = c.pick(NAMES)
        return form.format(x=x, y=c.pick([name for name in NAMES if name != x]))

    lines = []
    for number, name in enumerate(NAMES):
        known = STARTS if number else [start for start in STARTS if "{" not in start]
        lines.append(f"{name} = {c.pick(known).format(x=NAMES[number - 1])}")
    lines += [
        "row, s, log, o, box = a[2] * 1, 0.0, [], Holder(), [b * 3]",
        f"o.f = {c.pick(['a * 2', 'u', 'v'])}",
    ]
    body = []
    for _ in range(2 + c.below(4)):
        if c.chance(20):
            body += [f"if {c.pick(TESTS)}:", f"    {filled(c.pick(statements))}"]
            if c.chance(40):
                body += ["else:", f"    {filled(c.pick(statements))}"]
        elif c.chance(10):
            body += [
                "for j in range(3):",
                *(f"    {filled(c.pick(statements))}" for _ in range(1 + c.below(2))),
            ]
        else:
            body.append(filled(c.pick(statements)))
    head = c.pick(["for k in range(6):", "for k in range(6):", "for k in range(n):", "while k < n:"])
    if head.startswith("while"):
        lines.append("k = 0")
        body.append("k += 1")
    lines += [head, *(f"    {line}" for line in body)]
    lines += [filled(c.pick(statements)).replace("k", "2") if c.chance(30) else "pass"]
    results = [name for name in ("u", "v", "w", "row", "o.f", "box[0]") if c.chance(60)]
    lines.append(f"return {', '.join(['s', 'len(log)', *results])}")
    return HELPERS + "def main(a, b, n):\n" + textwrap.indent("\n".join(lines), "    ") + "\n"
