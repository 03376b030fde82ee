"""What do the programs on a page of docs/ print, and does the page say so?

python -m tests.pages functions       writes what the programs of docs/functions.md print into it

A `python` block is a program, and the `text` block after it is what it prints; all programs of a page share their names.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import linecache
import pathlib
import re
import sys
from collections.abc import Iterator
from typing import Any

import jax

DOCS = pathlib.Path(__file__).parents[1] / "docs"
_PROGRAM = re.compile(r"^```python\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Shown:
    """A program of a page.

    Attributes:
      text: of the program.
      said: what it prints, as the page has it; empty where that says nothing.
    """

    text: str
    said: str


def programs(name: str) -> list[Shown]:
    """The programs of a page of docs/, in their order."""
    return [Shown(text, said) for text, said in _PROGRAM.findall((DOCS / f"{name}.md").read_text())]


def printed(name: str, shown: list[Shown]) -> Iterator[str]:
    """What each program prints when they run one after the other; lines of errors are those of "model.py"."""
    namespace: dict[str, Any] = {"__name__": name}
    for number, program in enumerate(shown):
        path = f"<{name} {number}>/model.py"
        linecache.cache[path] = len(program.text), None, program.text.splitlines(keepends=True), path
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(program.text, path, "exec", dont_inherit=True), namespace)
            jax.effects_barrier()
        yield re.sub(rf"<{name} \d+>/", "", out.getvalue())


def written(name: str) -> str:
    """The page with what its programs print."""
    said = printed(name, programs(name))

    def block(found: re.Match[str]) -> str:
        out = next(said)
        return f"```python\n{found[1]}```" + (f"\n\n```text\n{out}```" if out else "")

    return _PROGRAM.sub(block, (DOCS / f"{name}.md").read_text())


if __name__ == "__main__":
    (DOCS / f"{sys.argv[1]}.md").write_text(written(sys.argv[1]))
