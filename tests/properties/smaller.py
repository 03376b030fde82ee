"""What is the smallest program that still shows a finding?

Lines are taken away, blocks are replaced by their bodies and expressions by their parts, as long as plain
Python still runs the program and the same form of it still disagrees. It works on the program's text alone,
so that findings from seeds and from hypothesis shrink alike.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
from collections.abc import Callable, Iterator

import numpy as np

from .compare import compare
from .findings import Finding, Report
from .places import Place, places
from .programs import Program
from .running import loaded, run


def smaller(finding: Finding, attempts: int = 400, comparison: Callable[..., Report] = compare) -> Finding:
    """The same disagreement in a program as small as `attempts` trials make it; `comparison` finds it again."""
    inputs = (finding.inputs,) if finding.inputs else finding.program.inputs
    for candidate_inputs in (inputs, finding.program.inputs):
        first = _shown(dataclasses.replace(finding.program, inputs=candidate_inputs), finding, comparison)
        if first is not None:
            finding = first
            break
    left, progress = attempts, True
    while progress and left > 0:
        progress = False
        for source in _simplified(finding.program.source):
            left -= 1
            found = _shown(dataclasses.replace(finding.program, source=source), finding, comparison)
            if found is not None:
                finding, progress = found, True
                break
            if left <= 0:
                break
    return finding


def _shown(program: Program, like: Finding, comparison: Callable[..., Report]) -> Finding | None:
    """A finding of the same form and sort in `program`, if there is one and Python fails no other way."""
    try:
        if not _errors(program) <= _errors(like.program):
            return None
        findings = comparison(program, batch=like.form == "vmap", only=like.form).findings
    except Exception:
        return None
    sort = sort_of(like)
    return next(
        (finding for finding in findings if finding.form == like.form and sort_of(finding) == sort), None
    )


def _errors(program: Program) -> set[str]:
    """The types of the exceptions that plain Python raises."""
    with loaded(program.source, xp=np, note=lambda tag, value: value) as namespace:
        runs = [run(namespace["main"], inputs, [], seconds=1.0) for inputs in program.inputs]
    return {type(error).__name__ for error in (ours.error for ours in runs) if error}


def sort_of(finding: Finding) -> str:
    """A crash or a refusal by its exception type; other findings by their first words."""
    return (
        " ".join(finding.detail.split(":")[:2])
        if finding.detail.startswith(("crashed", "refused"))
        else finding.detail[:9].strip()
    )


def _simplified(source: str) -> Iterator[str]:
    """Texts with one thing less, the largest things first."""
    for number in range(len(places(ast.parse(source)))):
        for variant in range(6):
            changed = ast.parse(source)  # several times faster than a copy
            if not _change(places(changed)[number], variant):
                break
            try:
                text = ast.unparse(ast.fix_missing_locations(changed)) + "\n"
                compile(text, "smaller", "exec")
            except (SyntaxError, ValueError):
                continue
            if len(text) < len(source) and _every_name_is_assigned(changed):
                yield text


def _every_name_is_assigned(tree: ast.AST) -> bool:
    """Whether each name is assigned somewhere: a program that always misses one shows nothing of interest."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if not isinstance(node.ctx, ast.Load)} | {
        "xp",
        "note",
        "__name__",
        "__file__",
        *dir(builtins),
    }
    for node in ast.walk(tree):
        bound |= {node.arg} if isinstance(node, ast.arg) else set()
        bound |= {node.name} if isinstance(node, ast.FunctionDef | ast.ClassDef) else set()
        bound |= {node.asname or node.name.partition(".")[0]} if isinstance(node, ast.alias) else set()
        bound |= {node.name} if isinstance(node, ast.MatchAs | ast.ExceptHandler) and node.name else set()
    return all(node.id in bound for node in names)


def _change(place: Place, variant: int) -> bool:
    """Makes what stands at this place simpler in one of several ways; False if there are no more ways."""
    item = place.get()
    if isinstance(item, ast.stmt | ast.match_case):
        bodies = [[], *(getattr(item, name, []) for name in ("body", "orelse", "finalbody"))]
        if variant >= len(bodies):
            return False
        siblings, i = getattr(place.node, place.field), place.position
        assert i is not None  # statements and cases always stand in lists
        siblings[i : i + 1] = bodies[variant] or ([ast.Pass()] if len(siblings) == 1 else [])
        return True
    if isinstance(item, ast.Constant | ast.Name):
        return False
    parts = [child for child in ast.iter_child_nodes(item) if isinstance(child, ast.expr)] + [ast.Constant(1)]
    if variant < len(parts):
        place.put(parts[variant])
    return variant < len(parts)
