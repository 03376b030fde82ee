"""Where is the installed standard library, and what are the trees of its files?"""

from __future__ import annotations

import ast
import sysconfig
import warnings
from pathlib import Path

STDLIB = Path(sysconfig.get_paths()["stdlib"])
FILES = sorted(path for path in STDLIB.rglob("*.py") if "site-packages" not in path.parts)


def parsed(path: Path) -> ast.Module | None:
    """The tree of a file; None where it is no Python, as some of the standard library's own tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            return None
