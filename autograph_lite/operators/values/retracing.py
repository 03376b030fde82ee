"""Tracing again: what is known of a program only once it has been traced a part of the way, and changes what is traced?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from autograph_lite.errors import MutationError
from autograph_lite.tracing import thread

Site = tuple[str, int, int, tuple[int, ...]]  # a file, a line, the instruction, and a shape


class Reborn(BaseException):
    """The function is to be traced again, with more of what it makes as values of the program. Nobody may catch it.

    Attributes:
      sites: the calls of NumPy's whose arrays are to be the program's.
      outside: arrays that were there before it, which are to be arguments.
      told: classes whose objects are to be the values that they hold; dataclasses whose objects are not to be; and functions
        that are to be recorded before a derivative is taken.
      refusal: what is to be said where they can't be.
    """

    def __init__(
        self,
        sites: Iterable[Site],
        outside: Iterable[np.ndarray[Any, Any]] = (),
        refusal: MutationError | None = None,
        told: Iterable[Any] = (),
    ) -> None:
        super().__init__()
        self.told = set(told)
        self.sites, self.outside, self.refusal = set(sites), [*outside], refusal


def want_recorded() -> None:
    """To be called before an array may be written: a derivative may call a function that nobody records.

    Raises:
      Reborn: it does, and what that writes would be seen under one of the names only.
    """
    if (handed := thread.now.handed) is not None:
        raise Reborn([], told=[handed])
