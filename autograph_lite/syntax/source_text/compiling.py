"""Compiling: how are text and trees compiled, from any thread, without repeating the warnings that Python gave at import?"""

from __future__ import annotations
import __future__

import ast
import threading
import time
import types
import warnings

FEATURES = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})

# `catch_warnings` swaps a global list: two threads that overlapped would leave the process without warnings.
_lock = threading.Lock()
_TRIES = 20


def parse(text: str, path: str = "<unknown>") -> ast.Module:
    """The tree of a file's text."""
    tree = _parsed(text, path, "exec")
    assert isinstance(tree, ast.Module)
    return tree


def parse_expression(text: str) -> ast.expr:
    """The tree of an expression."""
    tree = _parsed(text, "<unknown>", "eval")
    assert isinstance(tree, ast.Expression)
    return tree.body


def compile_module(tree: ast.Module, path: str, flags: int) -> types.CodeType:
    """The code of `tree`, under the `__future__` features in `flags` and no others."""
    with _lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compile(tree, path, "exec", flags=flags, dont_inherit=True)
    assert isinstance(code, types.CodeType)
    return code


def _parsed(text: str, path: str, mode: str) -> ast.AST:
    """What `ast.parse` gives.

    Before 3.11.8 Python counts how deep it is in a tree for all threads together, and raises SystemError where
    another thread, which our lock need not hold back, parsed meanwhile (python/cpython#106905): then we ask again.
    """
    for _ in range(_TRIES - 1):
        try:
            return _parsed_once(text, path, mode)
        except SystemError:
            time.sleep(0)
    return _parsed_once(text, path, mode)


def _parsed_once(text: str, path: str, mode: str) -> ast.AST:
    with _lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, path, mode)
