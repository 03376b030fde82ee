"""Notebook summaries: what does a notebook show of a converted function? Its traces, and their loops and branches.

Nothing is traced for it: what Python does while tracing would be done at each look.
"""

from __future__ import annotations

import html
import linecache
from collections.abc import Iterator
from typing import Any

from autograph_lite.errors import AutographError
from autograph_lite.runtime.explaining import program_graph
from autograph_lite.runtime.explaining.explanation import Explanation
from autograph_lite.runtime.explaining.program_graph import Node

MOST = 20  # rows


def function_summary(concrete: list[Any], retraces: Explanation) -> str:
    """A function in short."""
    parts = "".join(of_concrete(each) for each in concrete[:MOST])
    if len(concrete) > MOST:
        parts += f"<p>and {len(concrete) - MOST} more</p>"
    return f"<div><strong>{html.escape(retraces.summary())}</strong>{parts}</div>"


def of_concrete(concrete: Any) -> str:
    """A trace in short: its signature, and what the statements of control flow became."""
    found = list(_flat(program_graph.nodes(concrete.known_jaxpr))) if concrete.known_jaxpr is not None else []
    rows = "".join(f"<tr><td>{place}</td><td><code>{text}</code></td><td>{label}</td></tr>"
                   for place, text, label in found[:MOST])  # fmt: skip
    more = f"<p>and {len(found) - MOST} more</p>" if len(found) > MOST else ""
    table = (
        f"<table><tr><th>line</th><th>statement</th><th>became</th></tr>{rows}</table>{more}" if rows else ""
    )
    return f"<div><code>{html.escape(concrete.name + signature_text(concrete))}</code>{table}</div>"


def signature_text(concrete: Any) -> str:
    """The types of the arguments, and of the result where it has one: a list whose length only the data know has none."""
    try:
        return str(concrete.function_type)
    except AutographError:
        return str(concrete.trace.function_type)


def _flat(nodes: tuple[Node, ...]) -> Iterator[tuple[str, str, str]]:
    """Line, text and label of each, escaped, the outer ones first."""
    for node in nodes:
        path, line = node.place or ("", 0)
        text = linecache.getline(path, line).strip() if path else ""
        yield str(line or ""), html.escape(text), html.escape(node.label)
        for part in node.parts:
            yield from _flat(part.nodes)
