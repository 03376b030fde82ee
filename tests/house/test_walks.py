"""Searches through users' objects have no limit: what lies behind one would be unseen in silence, and a wrong value.

Whoever needs a limit raises an error there, as `pytrees.parted` does, or is careful, as `access_paths.NAMES`.
"""

import ast
from pathlib import Path

import autograph_lite

ROOT = Path(autograph_lite.__file__).parent
PACKAGES = ("operators/object_graph", "operators/aliasing", "operators/effects", "operators/values", "operators/ragged_ops",
            "operators/calls", "operators/joins", "runtime/state", "runtime/reading", "runtime/types", "runtime/results", "runtime/warm")  # fmt: skip
LARGE = 16  # numbers from here on are limits


def is_limit(node):
    return (isinstance(node, ast.Constant) and type(node.value) is int and node.value >= LARGE) or (
        isinstance(node, ast.Name) and node.id.strip("_").isupper()
    )


def counts(node):
    """Whether it is the length of something but a cache of the module, whose names begin with an underscore."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"):
        return False
    return not ast.unparse(node.args[0]).startswith("_")


def empties(statement):
    """Whether a cache is emptied, which then is filled again."""
    calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
    return any(isinstance(call.func, ast.Attribute) and call.func.attr == "clear" for call in calls)


def raises(statement):
    return any(isinstance(node, ast.Raise) for node in statement.body)


def limits(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    ifs = [node for node in ast.walk(tree) if isinstance(node, ast.If)]
    known = {id(node.test) for node in ifs if empties(node) or raises(node)}
    known |= {id(node.test) for node in ast.walk(tree) if isinstance(node, ast.IfExp)}  # texts are cut
    return [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        and id(node) not in known
        and any(counts(side) for side in (node.left, *node.comparators))
        and any(is_limit(side) for side in (node.left, *node.comparators))
    ]


def test_no_search_through_objects_ends_at_a_number():
    assert [
        each
        for package in PACKAGES
        for path in sorted((ROOT / package).glob("*.py"))
        for each in limits(path)
    ] == []
