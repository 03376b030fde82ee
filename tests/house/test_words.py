"""Does one word mean one thing, and is the English plain? Names of functions, docstrings and comments of the package."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path

from tests.house.imports import ROOT, modules

# What is said in another way: "again", "whose", "not one of NumPy's".
STILTED = re.compile(r"\banew\b|\bof\s+which\b|\b(?:is|are) no \w+ of (?:JAX|NumPy|Python)'s", re.IGNORECASE)


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
