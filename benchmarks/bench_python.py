"""What does converted code cost on Python values, where nothing is traced?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

import autograph_lite
from benchmarks import programs, table, timing
from benchmarks.timing import Row


def branches(n: int) -> int:
    total = 0
    for i in range(n):
        if i % 3 == 0:
            total += i
        elif i % 3 == 1 and total > 5:
            total -= 1
    return total


def primes(n: int) -> list[int]:
    found: list[int] = []
    for candidate in range(2, n):
        for p in found:
            if p * p > candidate:
                found.append(candidate)
                break
            if candidate % p == 0:
                break
        else:
            found.append(candidate)
    return found


def table_of(words: list[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts[word] + 1 if word in counts else 1
    return counts


def fibonacci(n: int) -> int:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def bubble_sort(values: list[int]) -> list[int]:
    values = list(values)
    for i in range(len(values)):
        for j in range(len(values) - 1 - i):
            if values[j] > values[j + 1]:
                values[j], values[j + 1] = values[j + 1], values[j]
    return values


class Account:
    def __init__(self) -> None:
        self.balance = 0
        self.refused = 0

    def pay(self, amount: int) -> bool:
        if self.balance + amount < 0:
            self.refused += 1
            return False
        self.balance += amount
        return True


def payments(n: int) -> int:
    account = Account()
    for i in range(n):
        account.pay(7 if i % 3 else -20)
    return account.balance


def polynomial(x: float) -> float:
    result = 0.0
    for c in (1.0, -2.0, 3.0, 0.5):
        result = result * x + c
    return result


def histogram(values: list[int]) -> list[int]:
    counts = [0] * 8
    for value in values:
        counts[value % 8] += 1
    return counts


class Ring:
    def __init__(self, size: int) -> None:
        self.items = [0] * size
        self.sums = [0] * size


def ring(n: int) -> list[int]:
    buffer = Ring(8)
    for i in range(n):
        buffer.items[i % 8] = i
        buffer.sums[i % 8] += i
    return buffer.sums


def smoothed(values: npt.NDArray[np.float64]) -> float:
    result = values.copy()
    for i in range(1, len(values) - 1):
        result[i] += 0.5 * (values[i - 1] + values[i + 1])
    return float(result.sum())


MEMO: dict[int, int] = {}


def steps(n: int) -> int:
    MEMO.clear()
    for start in range(1, n):
        value, count = start, 0
        while value not in MEMO and value > 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            count += 1
        MEMO[start] = count + MEMO.get(value, 0)
    return MEMO[n - 1]


def repeated(values: list[int]) -> int:
    seen: set[int] = set()
    found = 0
    for value in values:
        if value in seen:
            found += 1
        seen.add(value)
    return found


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "branches in a loop": (branches, (200,)),
    "while with break": (programs.collatz, (27, 10000)),
    "loop else, append": (primes, (200,)),
    "dict items": (table_of, ("the quick brown the lazy dog the end".split() * 10,)),
    "recursion": (fibonacci, (12,)),
    "sorting": (bubble_sort, (list(range(30, 0, -1)),)),
    "objects": (payments, (100,)),
    "short loop": (polynomial, (1.5,)),
    "items added to": (histogram, (list(range(100)),)),
    "items of attributes": (ring, (100,)),
    "items of NumPy's": (smoothed, (np.arange(50.0),)),
    "a table of the module's": (steps, (60,)),
    "membership in a set": (repeated, ([i * 7 % 60 for i in range(100)],)),
}


def measure(rounds: int = 15) -> list[Row]:
    """Microseconds of each function, plain and converted, and their ratio; the target is 3."""
    rows = []
    for name, (fn, arguments) in CASES.items():
        converted = autograph_lite.to_graph(fn)
        assert converted(*arguments) == fn(*arguments)
        tasks = {"ours": lambda f=converted, a=arguments: f(*a), "plain": lambda f=fn, a=arguments: f(*a)}
        times = timing.interleaved(tasks, rounds=rounds)
        rows.append({
            "function": name,
            "converted, us": 1000 * timing.milliseconds(times["ours"]),
            "plain Python, us": 1000 * timing.milliseconds(times["plain"]),
            "ratio": timing.ratio(times, "ours", "plain"),
            "target": 3,
        })  # fmt: skip
    return rows


def main() -> None:
    """Prints the table."""
    table.show("Converted code on Python values", measure())


if __name__ == "__main__":
    main()
