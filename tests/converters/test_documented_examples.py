"""The two columns in a converter's docstring are executed: the left one is converted and has to give the right one."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap

import pytest

from autograph_lite import converters
from autograph_lite.converters import tidy
from tests.converters import rewriting

RIGHT_COLUMN = 42
# Which pass makes each docstring's right column of its left one.
PASS_OF = {
    "desugar": "desugar",
    "match_stmt": "match",
    "raises": "raises",
    "subscripts": "subscripts",
    "jumps": "jumps",
    "finals": "finals",
    "undefined": "undefined",
    "switches": "switches",
    "failures": "failures",
    "items": "items",
    "mutations": "mutations",
    "comprehensions": "comprehensions",
    "logical": "logical",
    "calls": "calls",
    "if_stmt": "control_flow",
    "while_stmt": "control_flow",
    "for_stmt": "control_flow",
    "opaque": "control_flow",
}
WHOLE = ("subscripts", "switches", "if_stmt", "while_stmt", "for_stmt")  # need to know whose names they see


def columns(module: str) -> tuple[str, str]:
    """The two columns of a docstring's example; an entry whose right side is prose is left out."""
    lines = _doc(module).splitlines()[2:]
    if not lines[0].startswith(" "):  # Python 3.13 has taken the indentation away, where nothing else follows
        lines = [f"    {line}" for line in lines]
    block = [line for line in lines if not line or line.startswith("    ")]
    left = [line[4:RIGHT_COLUMN].rstrip() for line in block]
    right = [line[RIGHT_COLUMN:].rstrip() for line in block]
    spoken = [bool(r) and not _is_python(r) for r in right]
    return (
        "\n".join(a for a, skip in zip(left, spoken, strict=True) if not skip).strip("\n"),
        "\n".join(b for b, skip in zip(right, spoken, strict=True) if not skip).strip("\n"),
    )


def _doc(module: str) -> str:
    return inspect.cleandoc(importlib.import_module(f"{converters.__name__}.{module}").__doc__ or "")


def _is_python(line: str) -> bool:
    return not line.startswith("as ")


@pytest.mark.parametrize("module", PASS_OF)
def test_the_left_column_becomes_the_right_one(module: str) -> None:
    left, right = columns(module)
    passes = [PASS_OF[module]]
    if module in WHOLE:
        left, right = _within_a_function(left, right)
    if module == "switches":
        passes.append("control_flow")
    if "control_flow" in passes:
        passes.append("tidy")
    found = rewriting.rewritten(passes.pop(), left, *passes)
    assert rewriting.same(found, right), f"{found}\n\n--- documented:\n{right}"


def _within_a_function(left: str, right: str) -> tuple[str, str]:
    """Both columns as functions that return what is assigned, since a dead variable is handed to nobody."""
    nodes = [node for side in (left, right) for node in ast.walk(ast.parse(side))]
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    targets = {n.target.id for n in nodes if isinstance(n, ast.For) and isinstance(n.target, ast.Name)}
    names = sorted({n.id for n in ast.walk(ast.parse(left)) if isinstance(n, ast.Name)})
    stored &= {*names}
    whole = "def f({}):\n{}\n    return {}"
    params, results = ", ".join(names), ", ".join(sorted(stored - targets))
    return (
        whole.format(params, textwrap.indent(left, "    "), results),
        whole.format(params, textwrap.indent(right, "    "), results),
    )


def test_every_pass_with_an_example_is_executed_here() -> None:
    modules = (*PASS_OF, "tidy", "control_flow", "context", "static", "python_ops")
    with_example = {name for name in modules if re.search(r"\S {4,}\S", _doc(name))}
    assert with_example == {*PASS_OF, "tidy"}


def test_tidy_shortens_the_functions_that_passes_made() -> None:
    left, right = columns("tidy")
    tree = rewriting.parsed("def true_fun(x):\n" + textwrap.indent(left, "    "))
    shared = rewriting.context(tree)
    shared.generated.add("true_fun")
    tidy.run(tree, shared)
    assert rewriting.same(rewriting.text(tree, whole=False), right)
