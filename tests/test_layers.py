"""Can each module be read without those that need it? No imports go in circles, late and `TYPE_CHECKING` ones included."""

import ast
import graphlib
import pathlib

import pytest

import autograph_lite

PACKAGE = pathlib.Path(autograph_lite.__file__).parent


def imported(text: str, modules: set[str]) -> set[str]:
    """The modules, of these, that a text imports anywhere."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports name the whole path"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= names if names <= modules else {*names, str(node.module)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found & modules


def graph(texts: dict[str, str]) -> dict[str, set[str]]:
    """What each module imports, itself left out."""
    return {name: imported(text, {*texts}) - {name} for name, text in texts.items()}


def test_no_imports_go_in_circles() -> None:
    files = {path.relative_to(PACKAGE.parent).with_suffix("").parts: path for path in PACKAGE.rglob("*.py")}
    texts = {".".join(parts).removesuffix(".__init__"): path.read_text() for parts, path in files.items()}
    graphlib.TopologicalSorter(graph(texts)).prepare()  # raises CycleError, which names one


def test_a_late_import_counts() -> None:
    texts = {
        "p.a": "def f():\n    from p import b",
        "p.b": "if TYPE_CHECKING:\n    from p.a import f",
        "p": "",
    }
    with pytest.raises(graphlib.CycleError) as raised:
        graphlib.TopologicalSorter(graph(texts)).prepare()
    assert {*raised.value.args[1]} == {"p.a", "p.b"}
