"""What is a random program that keeps arrays in lists, and writes to these arrays, in any order?

    for k in range(n):
        rows.append(u[0])                 a view of `u`
        rows[-1][0] = k                   in place, in `u` too
        u = u * 0.5                       another array

Those that are not refused give what NumPy gives. They have the helpers of `steps`.
"""

from __future__ import annotations

import textwrap

from .choices import Choices
from .steps import HELPERS, _forms

MORE = """\
def put(rows, x):
    rows.append(x)
    return rows

def last(rows):
    return rows[-1]

def bumped(rows):
    for r in rows:
        r[0] += 1

"""
# what is put in
PUT = """
    rows.append(row)|rows.append(row * 1)|rows.append({x}[0])|rows.append({x}[k % 3])|rows.append({x}[1] * 2)|put(rows, row)
    rows.append({x}[:, 1][1:])|rows += [row]|rows = rows + [{x}[2]]|rows.insert(0, row * 1)|rows.extend({x})
    rows.append(rows[-1])|rows.append(rows[-1] * 0.5)|rows.append(xp.zeros(2))|put(m, {x}[0] * 1)|m.append(row)
    rows.extend([row, {x}[0]])|rows.append(stepped(row))|rows.append([0.5, k])|rows.append(middle(row))
    for r in {x}: rows.append(r)|for r in {x}: rows.append(r * 2)|rows.append(xp.array([k, 1.0]))|rows.append(xp.full(2, s))
"""
# what is written
WRITTEN = """
    rows[0][0] = k|rows[-1][1] = 3|edge(rows[0])|edge(rows[-1])|rows[k % len(rows)][0] = 2|middle(rows[0])|bumped(rows)
    rows[0][:] = rows[-1]|y = rows[-1]; y[0] = 4|y = rows[0]; y[1] = s|y = last(rows); y[0] = 5|{x}[0] = rows[-1]
    {x}[k % 3] = 1|row[0] = k|edge({x})|m[0][1] = 6|for r in rows: r[0] = 1|for j, r in enumerate(rows): r[1] = j
    for j in range(len(rows)): rows[j][0] = j|for r, q in zip(rows, m): r[0] = q[1]
"""
WRITTEN_BY_NUMPY = """
    rows[0] += 1|rows[-1] *= 0.5|rows[k % len(rows)] += row|for r in rows: r += 1|for r in m: r *= 0.5|y = rows[0]; y += 1
    y = last(rows); y *= 2|row += 1|{x} += 0.5|for j in range(len(rows)): rows[j] += 1|np.add(rows[0], 1, out=rows[-1])
    rows[-1].fill(2)|m[-1] += 1|rows[0].sort()
"""
# what is made another array, or another list
MADE = """
    row = rows[-1]|row = rows[0] * 1|row = {x}[k % 3]|row = {x}[1] * 0.5|row = row + 1|{x} = {x} * 0.5|{x} = {y}
    {x} = {y} + 1|row = rows[k % len(rows)]|rows[0] = row|rows[-1] = row * 0.5|rows[k % len(rows)] = {x}[0]
    rows[0], rows[-1] = rows[-1], rows[0]|m = rows|m = list(rows)|m = rows.copy()|m = rows[:]|rows = [r * 0.5 for r in rows]
    rows = [r for r in rows]|rows = [r for r in rows if r[0] > 1] + [row]|rows = list(m)|rows, m = m, rows|m = [*rows]
    m = rows[::-1]|rows = rows[-2:]|rows[:] = rows[::-1]|rows.reverse()|o.f = rows[-1]|rows[-1] = o.f|o.bump()|o.f = row
    t = (rows[0], row)|t[0][0] = 7|{x} = xp.array(rows[:1] * 3)
"""
# what is taken out, and what is read
READ = """
    row = rows.pop()|rows.pop(0)|y = rows.pop(); y[0] = 8|del rows[0]|y = rows.pop(); rows.append(y)|row = rows.pop(0)
    rows.append(rows.pop(0))|s += sum(r[0] for r in rows)|s += xp.stack(rows).sum()|s += rows[-1].sum()|s += len(rows)
    s += rows[0][1]|s += xp.array(rows)[:, 0].max()|s += sum(r.sum() for r in m)|s += max(r[1] for r in rows)
    for r in rows: s += r[0]|for r in rows[1:]: s = s * 0.5 + r[1]|for r in reversed(rows): s = s * 0.5 + r[0]
"""
TESTS = ["k % 2", "k > 2", "s > 3", "row[0] > 1", "len(rows) > 2", "rows[-1][0] > 1", "u[0, 0] < 1"]
HEADS = ["for k in range(n):"] * 3 + [
    "while k < n:",
    "for k in range(6):",
    "for row in u:",
    "for k, row in enumerate(v):",
    "if n > 4:",
    "for e in u[:, 0]:",
]
STARTS = [
    "[]",
    "[a[0] * 1]",
    "[u[1]]",
    "[b[0], row]",
    "[row, row]",
    "[u[0], u[1], v[0] * 1]",
    "[r for r in u]",
    "list(v)",
]


# what takes an item that is there
NEEDED = ("rows[-1]", "rows[0]", "pop", "% len", "del ", "last(", "max(", "stack", "array(rows)")


def generate(choices: Choices, *, augments: bool = True) -> str:
    """A module with a function `main` of two matrices of 3 x 2 items; `augments` where `u += 1` changes an array."""
    c = choices
    groups = [PUT, WRITTEN, MADE, READ, *([WRITTEN_BY_NUMPY] if augments else [])]

    def filled(form: str) -> list[str]:
        x = c.pick(["u", "v"])
        text = form.format(x=x, y="v" if x == "u" else "u")
        lines = text.split("; ") if not text.startswith("for") else [text]
        needed = any(part in text for part in NEEDED)
        if "m[" in text or (needed and (bare or c.chance(70))):
            return [f"if {'m' if 'm[' in text else 'rows'}:", *(f"    {line}" for line in lines)]
        return lines

    def one() -> list[str]:
        return filled(c.pick(_forms(c.pick(groups))))

    start = c.pick(STARTS)
    bare = start == "[]"
    others = c.pick(["rows", "[]", "[row]", "list(rows)"]), c.pick(["row", "row * 1", "v[0]"])
    lines = [
        f"u, v, s, k = {c.pick(['a', 'a * 1'])}, {c.pick(['b', 'b * 2', 'a[::-1]', 'a * 3'])}, 0.0, 0",
        f"row = {c.pick(['u[0]', 'u[2] * 1', 'xp.ones(2, u.dtype)', 'b[1]'])}",
        f"rows = {start}",
        "m, o, t = {}, Holder({}), (u[0] * 1, row)".format(*others),
    ]
    head = c.pick(HEADS)
    body = filled(c.pick(_forms(PUT))) if c.chance(70) else []
    for _ in range(1 + c.below(4)):
        if c.chance(25):
            body += [f"if {'rows and ' if bare else ''}{c.pick(TESTS)}:", *(f"    {line}" for line in one())]
            if c.chance(30):
                body += ["else:", *(f"    {line}" for line in one())]
        elif c.chance(8):
            body += ["for j in range(2):", *(f"    {line}" for line in one())]
        else:
            body += one()
    if head[0] != "i" and c.chance(15):
        body.append(
            f"if {c.pick(['k > 2', 's > 20', 'len(rows) > 4', 's > 1000'])}: {c.pick(['break', 'continue'])}"
        )
    if not head.startswith("for k"):
        body.insert(0, "k += 1")
    lines += [head, *(f"    {line}" for line in body), "k = 2"]
    for _ in range(c.below(4)):
        after = one()
        lines += [f"if n > {c.below(8)}:", *(f"    {line}" for line in after)] if c.chance(15) else after
    results = [
        name
        for name in ("u", "v", "row", "o.f", "t[0]", "rows", "m", "len(rows)", "sum(r[0] for r in rows)")
        if c.chance(45)
    ]
    lines.append(f"return {', '.join(['s', *results])}")
    return (
        "import numpy as np\n\n"
        + HELPERS
        + MORE
        + "def main(a, b, n):\n"
        + textwrap.indent("\n".join(lines), "    ")
        + "\n"
    )
