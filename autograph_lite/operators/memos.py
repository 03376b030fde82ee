"""What does a call of a function under `functools.lru_cache` leave in its cache?

    table()               where it returns a traced value, a later trace would be given that one again

The cache is emptied after the trace. That of a function which was there before is an error besides.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from autograph_lite.operators import journal, mismatch, spelling, trees
from autograph_lite.operators.places import Contents, Place
from autograph_lite.operators.values import Tracer

KIND = type(functools.lru_cache(len))


def remembering(memo: Any, called: Callable[..., Any]) -> Callable[..., Any]:
    """`called`, which calls `memo`; the journal is told of traced values that it returns, and so keeps."""

    def run(*args: Any, **kwargs: Any) -> Any:
        made = called(*args, **kwargs)
        if any(isinstance(leaf, Tracer) for leaf in trees.leaves(made)):
            _note(memo)
        return made

    return run


def _note(memo: Any) -> None:
    now = journal.active()
    if now is None:
        return
    spelling.wrote(memo)
    kept: Contents = {mismatch.TRACED: False}

    def write(new: Contents) -> None:
        if not new[mismatch.TRACED]:
            memo.cache_clear()

    now.note(Place(memo, lambda: dict(kept), write, lambda _: memo.__name__))
    kept[mismatch.TRACED] = True


__all__ = ["KIND", "remembering"]
