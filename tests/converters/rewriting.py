"""How is one pass run alone on a few lines of Python, without the rest of the conversion?"""

from __future__ import annotations

import ast
import textwrap
from typing import Any

import gast

from autograph_lite.analysis import plans, scopes
from autograph_lite.converters import PASSES, control_flow, functions_in, opaque, raises, undefined
from autograph_lite.converters.context import Context
from autograph_lite.syntax.names import Fresh, used_names
from autograph_lite.syntax.printing import printer

LIBRARY = (
    "jnp.sin",
    "math.sqrt",
    "type",
    "str",
    "isinstance",
    "ValueError",
    "sum",
    "any",
    "len",
    "range",
    "locals",
)


def parsed(source: str) -> Any:
    """The function in `source`; statements alone become the body of one."""
    text = textwrap.dedent(source).strip("\n")
    if not text.startswith(("def ", "async def ")):
        text = "def example():\n" + textwrap.indent(text, "    ")
    return gast.parse(text).body[0]


def context(tree: Any) -> Context:
    """What a pass is told about a function that lies in no file."""
    return Context(
        fresh=Fresh(used_names(tree)),
        ag="ag",
        path="example.py",
        function="example",
        lines=[],
        is_library=lambda dotted, operands=0, takes_traced=False: dotted in LIBRARY,
        outermost=tree,
        catches=raises.needs(tree),
    )


def rewritten(name: str, source: str, *before: str) -> str:
    """The text of `source` after the pass called `name`, and after those in `before`, which run first.

    Statements alone come back as statements.
    """
    tree = parsed(source)
    shared = context(tree)
    for step in (*before, name):
        run(step, tree, shared)
    return text(tree, whole=source.lstrip().startswith(("def ", "async def ")))


def run(name: str, tree: Any, shared: Context) -> None:
    """One pass on a tree, in place."""
    (step,) = (p for p in PASSES if p.name == name)
    if name in ("undefined", "control_flow"):
        for function in functions_in(tree):
            if opaque.is_opaque(function):
                opaque.run(function, shared)
                continue
            plan = plans.plan(function.body, scopes.parameter_names(function.args))
            if name == "undefined":
                undefined.run(function, plan, shared)
            else:
                control_flow.run(function, plan.plans, shared)
    elif step.each:
        assert step.run is not None
        for function in functions_in(tree):
            step.run(function, shared)
            if step.check is not None:
                step.check(function)
    else:
        assert step.run is not None
        step.run(tree, shared)


def text(tree: Any, *, whole: bool) -> str:
    """The tree as text: the whole function, or its body alone."""
    shown = printer.unparse(tree).rstrip("\n")
    if whole:
        return shown
    return textwrap.dedent(shown.split("\n", 1)[1]).strip("\n")


def same(left: str, right: str) -> bool:
    """Whether two texts are the same program, however they are laid out."""
    return ast.dump(_module(left)) == ast.dump(_module(right))


def _module(source: str) -> ast.Module:
    return ast.parse("def example():\n" + textwrap.indent(textwrap.dedent(source), "    "))
