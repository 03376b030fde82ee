"""Does one word mean one thing, and is the English plain? Names of functions, docstrings and comments of the package."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path

from tests.house.imports import PACKAGE, ROOT, modules, package_of

# What is said in another way: "again", "whose", "not one of NumPy's".
STILTED = re.compile(r"\banew\b|\bof\s+which\b|\b(?:is|are) no \w+ of (?:JAX|NumPy|Python)'s", re.IGNORECASE)


# Names that functions of several modules have, and what is one about them.
SHARED = {
    "check": "what holds after a pass, of trees or of scans",
    "explain": "promised to users, and said in generated code",
    "item": "`x[i]` in generated code, and the method that NumPy calls so",
    "report": "promised to users; the implementation has its name",
    "run": "a pass, of trees or of scans",
    "sort": "Python's and NumPy's",
    "verify": "promised to users; the implementation has its name",
}
PASSES = {"autograph_lite.converters", "autograph_lite.jax_internals.scan_passes"}


def said(path: Path) -> list[str]:
    """The docstrings and comments of a file."""
    text = path.read_text(encoding="utf-8")
    comments = [
        token.string
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
    ]
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, documented)]
    return comments + [doc for node in nodes if (doc := ast.get_docstring(node)) is not None]


def test_docstrings_and_comments_are_plain_english() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): stilted.group()
        for path in modules().values()
        for text in said(path)
        if (stilted := STILTED.search(text)) is not None
    }
    assert found == {}


def test_the_table_of_tests_is_the_folders() -> None:
    rows = re.findall(r"^\| `(\w+)/` \| (.+) \|$", (ROOT / "tests" / "README.md").read_text(), re.MULTILINE)
    folders = sorted(
        path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and any(path.glob("*.py"))
    )
    assert [name for name, _ in rows] == folders


def test_a_name_of_functions_means_one_thing() -> None:
    """Operators in plain Python have the names of the staged ones, whose meaning they are."""
    tree = ast.parse((PACKAGE / "operators" / "__init__.py").read_text())
    mirrored = {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    places: dict[str, set[str]] = {}
    for module, path in modules().items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
                continue
            if module != "autograph_lite.converters.python_ops" or node.name not in mirrored:
                places.setdefault(node.name, set()).add(module)
    shared = {name: sorted(where) for name, where in places.items() if len(where) > 1}
    assert shared.keys() == SHARED.keys(), "find a name of its own, which says what it does"
    assert {package_of(module) for name in ("check", "run") for module in shared[name]} == PASSES
