"""How are text and trees compiled without repeating the warnings that Python gave at import?"""

from __future__ import annotations
import __future__

import ast
import threading
import types
import warnings

FEATURES = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})

# `catch_warnings` swaps a global list: two threads that overlapped would leave the process without warnings.
_lock = threading.Lock()


def parse(text: str, path: str) -> ast.Module:
    """The tree of a file's text.

    Raises:
      SyntaxError: the text is not Python.
    """
    with _lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, path)


def compile_module(tree: ast.Module, path: str, flags: int) -> types.CodeType:
    """The code of `tree`, under the `__future__` features in `flags` and no others."""
    with _lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compile(tree, path, "exec", flags=flags, dont_inherit=True)
    assert isinstance(code, types.CodeType)
    return code
