"""Which functions do the laws of conversion hold for? A handful that mix the constructs, all of them on small integers."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable
from typing import Any

from autograph_lite import transpiler


def collatz(n, limit):
    steps = 0
    while n > 1:
        if steps >= limit:
            break
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    else:
        steps = -steps
    return steps


def first_pair(n, total):
    for i in range(n):
        for j in range(i):
            if i * j == total:
                return i, j
            if j > total:
                break
        else:
            continue
    return None


def guarded(n, log):
    seen = []
    try:
        with contextlib.suppress(ZeroDivisionError):
            if n > 3:
                return seen, n // log
            seen.append(n)
        if 0 < n <= log or n == -1:
            raise ValueError(n)
    except ValueError as error:
        seen.append(str(error))
    else:
        seen.append("quiet")
    finally:
        seen.append("done")
    return seen, None


def matched(k, m):
    match k:
        case 0 | 1:
            y = "few"
        case n if n > m:
            y = n
        case -1:
            y = None
        case _:
            y = ("many", k)
    return y


def table(n, m):
    x = [[i + j for j in range(3)] for i in range(3)]
    for i in range(3):
        if i % 2 == n % 2:
            continue
        x[i][0], x[0][i] = x[0][i], x[i][0]
        x[i][-1] += m
    return x, sum(v for row in x for v in row if v)


def counted(n, m):
    count = 0

    def step(by):
        nonlocal count
        if by > m:
            count += by
        return count

    while (k := step(n)) < 6 and n > m:
        count += k and 1
    del k
    return count, [step(i) for i in range(2)]


def maybe(n, m):
    for i in range(n):
        last = i
        if i > m:
            found = last
            break
    try:
        return found
    except UnboundLocalError:
        return "nothing"


def filed(n, m):
    box = types.SimpleNamespace(items=[n, m, 0], order=[])

    def place(i):
        box.order.append(i)
        return i % 3

    box.items[place(n)] = m
    box.items[place(m)] += place(n + 1)
    while len(box.order) < 9 and (n > 2 or (last := box.items[place(m)])):
        box.items[place(n)] -= 1
        n = 0
    return box.items, box.order


SAMPLES: tuple[Callable[..., Any], ...] = (
    collatz, first_pair, guarded, matched, table, counted, maybe, filed,
)  # fmt: skip
INPUTS = [(n, m) for n in (-1, 0, 1, 2, 4, 7) for m in (0, 1, 5)]


def texts() -> str:
    """All generated code, as one text."""
    return "\n".join(transpiler.to_source(fn, lambda *_: False) for fn in SAMPLES)
