"""Signatures: which parameters does a function show, also where its annotations can't be evaluated yet?

    @convert
    def joined(self, other: Tree) -> Tree: ...     # in the class Tree, which is there when its body has run

From Python 3.14 on annotations are evaluated when somebody asks for them. That a function is converted is no reason to.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

_UNEVALUATED: dict[str, Any] = {}
if sys.version_info >= (3, 14):
    import annotationlib

    _UNEVALUATED["annotation_format"] = annotationlib.Format.FORWARDREF


def signature(fn: Callable[..., Any], *, follow_wrapped: bool = True) -> inspect.Signature:
    """As `inspect.signature`; a name in an annotation that means nothing yet stands for itself.

    Raises:
      ValueError: nobody knows the parameters, as of some that are written in C.
      TypeError: it is not callable.
    """
    return inspect.signature(fn, follow_wrapped=follow_wrapped, **_UNEVALUATED)
