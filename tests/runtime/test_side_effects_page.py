"""Does docs/side_effects.md say what its programs print?"""

from __future__ import annotations

import contextlib
import io
import linecache
import pathlib
import re

import jax

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "side_effects.md"


def test_each_program_prints_what_the_page_says() -> None:
    blocks = re.findall(r"^```(python|text)\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    namespace: dict[str, object] = {"__name__": "page"}
    said, printed = [], []
    for number, (kind, text) in enumerate(blocks):
        if kind == "text":
            said.append((number - 1, text))
            continue
        name = f"<side_effects {number}>"
        linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(text, name, "exec"), namespace)
            jax.effects_barrier()
        printed.append((number, out.getvalue()))
    assert [shown for shown in printed if shown[1]] == said
    assert len(said) >= 9
