"""Does printed code parse to the tree that was printed, for all of the standard library?

Every 24th file in the usual run; all of them with `--run-slow` or AUTOGRAPH_LITE_FULL=1.
"""

from __future__ import annotations

import ast
import os
import sysconfig
import warnings
from collections.abc import Sequence
from pathlib import Path

import gast
import pytest

from autograph_lite.syntax.printer import to_source

STDLIB = Path(sysconfig.get_paths()["stdlib"])
FILES = sorted(path for path in STDLIB.rglob("*.py") if "site-packages" not in path.parts)


def changed(files: Sequence[Path]) -> list[str]:
    """The files whose printed tree is another one."""
    bad = []
    for path in files:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                tree = ast.parse(path.read_bytes())
            except (SyntaxError, ValueError):
                continue  # the standard library's own tests hold files that are no Python
            if ast.dump(ast.parse(to_source(gast.ast_to_gast(tree)))) != ast.dump(tree):
                bad.append(str(path.relative_to(STDLIB)))
    return bad


def test_a_sample_of_the_standard_library_is_printed_right():
    assert changed(FILES[:: 1 if os.environ.get("AUTOGRAPH_LITE_FULL") else 24]) == []


@pytest.mark.slow
def test_the_whole_standard_library_is_printed_right():
    assert len(FILES) > 500
    assert changed(FILES) == []
