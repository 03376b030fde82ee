"""Private names: which does the package use that JAX does not promise, and which of them does the installed JAX lack?

    python autograph_lite/jax_internals/unpromised_names.py

needs JAX alone, so that it also answers where a name that has moved keeps the package from being imported. It reads the text of
the package: imports, and attributes of what they bind.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import pathlib
import sys
import warnings
from collections.abc import Iterable, Iterator

PACKAGE = pathlib.Path(__file__).parents[1]
# JAX's promise of compatibility excludes these, beside whatever begins with an underscore.
_UNPROMISED = ("jax.extend", "jax.interpreters", "jaxlib")


@dataclasses.dataclass(frozen=True)
class Name:
    """A name, and the first place that uses it."""

    name: str  # with its module, "jax._src.core.Tracer"
    place: str  # "jax_internals/avals.py:21"


def used(folder: pathlib.Path = PACKAGE) -> list[Name]:
    """All of them in the package, in alphabetical order."""
    found: dict[str, Name] = {}
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "jax" in text:
            for name, line in sorted(_names(ast.parse(text)), key=lambda each: each[1]):
                if _is_unpromised(name):
                    found.setdefault(name, Name(name, f"{path.relative_to(folder).as_posix()}:{line}"))
    return sorted(found.values(), key=lambda each: each.name)


def lacking(names: Iterable[Name]) -> list[str]:
    """A line for each name that is not there: what it is, who uses it, and where JAX has one like it now."""
    lines = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is deprecated is there
        for each in names:
            gone = _first_gone(each.name)
            if gone is not None and gone not in lines:
                near = _elsewhere(gone.rpartition(".")[2])
                lines[gone] = f"{gone} ({each.place}) is not there" + (
                    f"; see {', '.join(near)}" if near else ""
                )
    return list(lines.values())


def _names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Names of JAX's with their lines: what is imported, and attributes of that."""
    nodes = list(ast.walk(tree))
    bound: dict[str, str] = {}
    for node in nodes:
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    whole = alias.name if alias.asname else alias.name.partition(".")[0]
                    bound[alias.asname or whole] = whole
                    yield alias.name, node.lineno
            case ast.ImportFrom(module=str(module), names=aliases, level=0):
                for alias in aliases:
                    bound[alias.asname or alias.name] = f"{module}.{alias.name}"
                    yield f"{module}.{alias.name}", node.lineno
    for node in nodes:
        if isinstance(node, ast.Attribute):
            head, _, rest = ast.unparse(node).partition(".")
            if head in bound and rest.replace(".", "").isidentifier():
                yield f"{bound[head]}.{rest}", node.lineno


def _is_unpromised(name: str) -> bool:
    parts = name.split(".")
    if parts[0] not in ("jax", "jaxlib") or len(parts) == 1 or parts[-1].startswith("__"):
        return False
    return name.startswith(_UNPROMISED) or any(part.startswith("_") for part in parts)


def _first_gone(name: str) -> str | None:
    """The first part of a dotted name that is not there; None if all of it is."""
    first, *rest = name.split(".")
    path, found = first, importlib.import_module(first)
    for part in rest:
        path = f"{path}.{part}"
        try:
            found = getattr(found, part)
        except AttributeError:
            try:
                found = importlib.import_module(path)
            except ImportError:
                return path
    return None


def _elsewhere(name: str) -> list[str]:
    """Up to three modules of JAX's that have the name."""
    loaded = [
        (path, module) for path, module in sorted(sys.modules.items()) if path.startswith(("jax.", "jaxlib."))
    ]
    return [f"{path}.{name}" for path, module in loaded if name in vars(module)][:3]


if __name__ == "__main__":
    _used = used()
    _lacking = lacking(_used)
    print(
        "\n".join(
            [*_lacking, f"{len(_used)} names that JAX does not promise, {len(_lacking)} of them not there"]
        )
    )
    sys.exit(bool(_lacking))
