"""Do the programs in docs/saving.md run, in their order?"""

from __future__ import annotations

import linecache
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "saving.md"


def test_the_programs_of_the_page_run(capsys):
    namespace = {"__name__": "saving"}
    for number, program in enumerate(re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)):
        path = f"{PAGE}#{number}"
        linecache.cache[path] = len(program), None, program.splitlines(keepends=True), path
        exec(compile(program, path, "exec"), namespace)
    assert "for which it was not saved" in capsys.readouterr().out
