"""Functions of any length, made from text: what does conversion cost as a function grows?"""

from __future__ import annotations

import itertools
import linecache
import textwrap
import types

_numbers = itertools.count()

# 20 lines: what a numerical function is made of. `{i}` makes the names of each copy its own.
BLOCK = """
    total{i} = x * {i}
    if total{i} > y:
        total{i} = total{i} - y
        sign = 1
    else:
        sign = -1
    for k{i} in range(n):
        if k{i} > x and not total{i} < 0:
            break
        total{i} += k{i} * sign
    best = total{i} if total{i} > best else best
    while total{i} > 100 or total{i} < -100:
        total{i} = total{i} // 2
        if total{i} == x:
            continue
        steps = steps + 1
    row[{i} % 4] = row[({i} + 1) % 4] + total{i}
    x = scale(x, sign) + len(row)
    if steps > 1000 * n:
        return best, steps
"""


def mixed(lines: int) -> types.FunctionType:
    """A function of about `lines` lines, with branches, loops, jumps, items and calls after each other."""
    blocks = max(1, round((lines - 4) / 20))
    body = "".join(BLOCK.strip("\n").format(i=i) + "\n" for i in range(blocks))
    head = "def mixed(x, y, n, scale, row):\n    best = x\n    steps = 0\n"
    return defined(f"{head}{body}    return best, steps\n", "mixed", keep=lines)


def conditionals(count: int) -> types.FunctionType:
    """A function of `count` independent `if`/`else` one after the other."""
    parts = [f"    if x > {i}:\n        y = y + {i}\n    else:\n        y = y - x\n" for i in range(count)]
    return defined("def conditionals(x, y):\n" + "".join(parts) + "    return y\n", "conditionals")


def guards(count: int) -> types.FunctionType:
    """A function of `count` guards that return early, one after the other."""
    parts = [f"    if x > {1000 - i}:\n        return x * {i}.0\n" for i in range(count)]
    return defined("def guards(x):\n" + "".join(parts) + "    return x - 1.0\n", "guards")


def nested(depth: int) -> types.FunctionType:
    """A function of `depth` conditionals, each in the branch of the one before."""
    text = "y = y * 2.0\n"
    for i in range(depth, 0, -1):
        text = f"if x > {i}:\n" + textwrap.indent(text, "    ") + f"else:\n    y = y + {i}.0\n"
    return defined("def nested(x, y):\n" + textwrap.indent(text, "    ") + "    return y\n", "nested")


def defined(text: str, name: str, keep: int | None = None) -> types.FunctionType:
    """The function called `name` that `text` defines, with readable source; its first `keep` lines."""
    if keep is not None and keep < len(text.splitlines()):
        text = "\n".join([*text.splitlines()[: keep - 1], "    return best, steps", ""])
    path = f"<benchmark {next(_numbers)}>"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    scope: dict[str, types.FunctionType] = {}
    exec(compile(text, path, "exec"), scope)
    return scope[name]
