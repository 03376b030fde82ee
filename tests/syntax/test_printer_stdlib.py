"""Does printed code parse to the tree that was printed, for all of the standard library?

Every 24th file in the usual run; all of them with `--run-slow` or AUTOGRAPH_LITE_FULL=1.
"""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Sequence
from pathlib import Path

import gast
import pytest

from autograph_lite.syntax.printing.printer import unparse
from tests.syntax.stdlib import FILES, STDLIB, parsed


def changed(files: Sequence[Path]) -> list[str]:
    """The files whose printed tree is another one."""
    bad = []
    for path in files:
        tree = parsed(path)
        if tree is None:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if ast.dump(ast.parse(unparse(gast.ast_to_gast(tree)))) != ast.dump(tree):
                bad.append(str(path.relative_to(STDLIB)))
    return bad


def test_a_sample_of_the_standard_library_is_printed_right():
    assert changed(FILES[:: 1 if os.environ.get("AUTOGRAPH_LITE_FULL") else 24]) == []


@pytest.mark.slow
def test_the_whole_standard_library_is_printed_right():
    assert len(FILES) > 500
    assert changed(FILES) == []
