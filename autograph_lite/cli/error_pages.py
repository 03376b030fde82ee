"""What does an error mean, and what mends it? Its docstring: a program that fails, and one that works.

autograph-lite error CarryMismatchError
autograph-lite error                      what there is, a line each
"""

from __future__ import annotations

import difflib
import inspect

from autograph_lite import errors
from autograph_lite.cli.usage import UsageError


def classes() -> dict[str, type[Exception]]:
    """The errors and warnings that users see, by their names, in the order of the page in docs/."""
    return {
        name: kind
        for name, kind in vars(errors).items()
        if inspect.isclass(kind) and issubclass(kind, Exception) and kind is not errors.AutographError
    }


def error_page(name: str | None) -> str:
    """What the command shows for `name`. Raises UsageError: there is no such class."""
    known = classes()
    if name is None:
        width = max(map(len, known))
        return "\n".join(f"{each:{width}}  {_lines(kind)[0]}" for each, kind in known.items())
    name = name.removeprefix("autograph_lite.").removeprefix("errors.")
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}?" if near else "without a name, all are listed"
        raise UsageError(f"no error named {name!r}; {hint}")
    return "\n".join([f"{name}: {_lines(known[name])[0]}", *_lines(known[name])[1:]])


def _lines(kind: type[Exception]) -> list[str]:
    return inspect.cleandoc(kind.__doc__ or "").splitlines()
