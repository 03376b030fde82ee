"""How do the tests of the analysis name statements and read facts of a piece of source?

A statement is named by the first line that it is written on, counted from 1 in the dedented source.
"""

from __future__ import annotations

import re
import textwrap
from typing import Any

import gast

from autograph_lite.analysis import definedness, liveness, plans


def body(source: str) -> list[Any]:
    """The statements of `source`."""
    return list(gast.parse(textwrap.dedent(source).strip("\n")).body)


def names(found: object) -> str:
    """Names as one sorted string, so that an expectation fits on a line."""
    assert isinstance(found, (set, frozenset))
    return " ".join(sorted(found))


def facts(source: str) -> dict[int, tuple[str, str, str]]:
    """`live_in`, `live_out` and `live_body` of each compound statement, by its line."""
    found, _ = liveness.liveness(body(source))
    return {_line(n): (names(f.live_in), names(f.live_out), names(f.live_body)) for n, f in found.items()}


def plan(source: str, *params: str) -> dict[int, plans.Plan]:
    """The plan of each compound statement, by its line."""
    return {_line(node): found for node, found in plans.plan(body(source), params).plans.items()}


def unsure(source: str, *params: str) -> list[str]:
    """Names that some statement takes although they may be unassigned."""
    statements = body(source)
    return definedness.unsure(statements, params, plans.plan(statements, params))


def unsure_reads(source: str, *params: str) -> list[tuple[str, int]]:
    """Reads of a name where it may be unassigned, each as the name and its line."""
    statements = body(source)
    found = plans.plan(statements, params)
    tracked = frozenset(
        [*definedness.unsure(statements, params, found), *re.findall(r"ag\.deleted\((\w+)", source)]
    )
    return [(n.id, n.lineno) for n in definedness.unsure_reads(statements, params, found, tracked)]


def _line(node: Any) -> int:
    return int(node.lineno)
