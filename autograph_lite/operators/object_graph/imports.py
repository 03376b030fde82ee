"""Imports in functions: which modules does a function import itself, and what does it take from them?

def f(x):
    from settings import rate         `rate` of the module `settings`, as it is at each call
    import settings as s              the module as a whole
"""

from __future__ import annotations

import dis
import importlib.util
import sys
import types
from collections.abc import Iterator
from typing import Any

from autograph_lite.syntax import codes


def modules(
    code: types.CodeType, variables: dict[str, Any]
) -> Iterator[tuple[types.ModuleType, tuple[str, ...]]]:
    """The modules that a function's code imports, those that there are by now, each with the names that it takes from it.

    Args:
      code: of the function.
      variables: of its module, which tell the package that a relative import starts from.
    """
    package = str(variables.get("__package__") or "")
    for name, parts in _names(code):
        try:
            module = sys.modules.get(importlib.util.resolve_name(name, package))
        except ImportError:  # beyond the package: Python's own error, where the function gets there
            continue
        if module is not None:
            yield module, parts


def values(code: types.CodeType, variables: dict[str, Any]) -> list[Any]:
    """What a function has from there: modules, and their variables."""
    found: list[Any] = []
    for module, parts in modules(code, variables):
        held = vars(module)
        found += [held[part] for part in parts if part in held] if parts else [module]
    return found


_known: codes.ByCode[tuple[tuple[str, tuple[str, ...]], ...]] = codes.ByCode()


def _names(code: types.CodeType) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The names of modules, each with what is taken from it."""
    known = _known.get(code)
    if known is None:
        known = _known[code] = _read(code)
    return known


def _read(code: types.CodeType) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found: list[tuple[str, tuple[str, ...]]] = []
    loaded: list[Any] = [0, None]
    for step in (step for each in codes.nested_codes(code) for step in dis.get_instructions(each)):
        if step.argval == "import_module":
            found += [(const, ()) for const in code.co_consts if isinstance(const, str) and const.strip(".")]
        elif step.opname.startswith("LOAD"):
            loaded = [loaded[-1], step.argval]
        elif step.opname == "IMPORT_NAME":
            dots, parts = loaded  # `import a.b as c` has no parts, though it takes `b` from `a`
            found.append(("." * dots + step.argval, parts or ()))
    return tuple(found)
