"""Class patterns: which class does `match` ask for, where `isinstance` knows more of a traced value than Python does?

    case float(v):                        kind = ag.class_pattern(lambda: float)
        ...                               ...
                                              case kind(v):

Python asks the class of the pattern whether the subject is an instance, and takes the attributes itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.calls import calls


class _Asking(type):
    """The classes that ask converted code's `isinstance` for another class, or for one of several: for their `asked`."""

    asked: Any

    def __instancecheck__(cls, value: Any) -> bool:
        if isinstance(cls.asked, Exception):
            raise cls.asked
        return bool(calls.call(isinstance)(value, cls.asked))


def class_pattern(made: Callable[[], Any]) -> Any:
    """The class that stands in a class pattern for the class, or the tuple of classes, that `made` gives.

    What can't be had raises where it is asked, as a part of the subject may have no such pattern to meet. What is no class is
    left for Python to refuse.
    """
    try:
        kind = made()
    except Exception as error:
        return _Asking("", (), {"asked": error})
    if isinstance(kind, tuple):
        refused = [each for each in kind if not isinstance(each, type)]
        return refused[0] if refused else _Asking("", (), {"asked": kind})
    if not isinstance(kind, type) or not tracing_state.is_tracing():
        return kind
    held: dict[str, Any] = {"asked": kind}
    if hasattr(kind, "__match_args__"):
        held["__match_args__"] = kind.__match_args__
    return _Asking(kind.__name__, (int,) if kind.__flags__ & _MATCHES_ITSELF else (), held)


# Of `int(x)` and the like, whose only positional pattern is for the value itself: Py_TPFLAGS_MATCH_SELF, which is inherited.
_MATCHES_ITSELF = 1 << 22
