"""Do the files exist that the pages and CONTRIBUTING name?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.imports import PACKAGE, ROOT

PAGES = [ROOT / "CONTRIBUTING.md", ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FOLDERS = [PACKAGE, *(ROOT / name for name in ("tests", "docs", "examples", "benchmarks"))]
FILES = [*ROOT.glob("*.py"), *(path for folder in FOLDERS for path in folder.rglob("*.py"))]
# What a page tells how to write.
EXAMPLES = {"FILE.py", "NAME.py", "autograph_lite/converters/NAME.py", "autograph_lite/converters/asserts.py"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_files_that_a_page_names_exist(page: Path) -> None:
    named = set(re.findall(r"`([\w/]+\.py)`", page.read_text())) - EXAMPLES
    gone = {name for name in named if not any(path.as_posix().endswith(f"/{name}") for path in FILES)}
    assert gone == set()
