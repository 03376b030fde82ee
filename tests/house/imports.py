"""Which modules does the package have, and which of them imports which, late imports and those for types included?"""

from __future__ import annotations

import ast
import functools
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "autograph_lite"


@functools.cache
def modules() -> dict[str, Path]:
    """The file of each, by the dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if path.name == "__init__.py" else parts)] = path
    return found


@functools.cache
def imports() -> dict[str, frozenset[str]]:
    """The modules of the package that each imports, wherever in its text."""
    return {name: frozenset(_of(path)) - {name} for name, path in modules().items()}


def package_of(module: str) -> str:
    return module if modules()[module].name == "__init__.py" else module.rpartition(".")[0]


def circles() -> list[list[str]]:
    """Modules that import each other, by whatever way around: Tarjan's strongly connected components."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_: list[str] = []
    found = []

    def visit(module: str) -> None:
        number[module] = lowest[module] = len(number)
        open_.append(module)
        for other in imports()[module]:
            if other not in number:
                visit(other)
            if other in open_:
                lowest[module] = min(lowest[module], lowest[other])
        if lowest[module] == number[module]:
            place = open_.index(module)
            circle, open_[place:] = sorted(open_[place:]), []
            if len(circle) > 1:
                found.append(circle)

    for module in modules():
        if module not in number:
            visit(module)
    return found


def _of(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole in modules() else node.module)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return found & modules().keys()
