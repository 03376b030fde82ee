"""Deletions: what does `del xs[i]` take off where a traced value decides the index, or the length? What Python would."""

from __future__ import annotations

from collections import deque
from typing import Any

from autograph_lite.operators.calls import method_patching
from autograph_lite.operators.checks import exception_templates
from autograph_lite.operators.lists import bounded_growth, dynamic_length
from autograph_lite.operators.python import containers
from autograph_lite.operators.values.boxes import unboxed
from autograph_lite.operators.values.one_of import as_number
from autograph_lite.operators.values.values import any_traced, python_value, traced


def delete_item(base: Any, index: Any) -> None:
    """`del base[index]`.

    Raises:
      TracedIndexError: a traced key of a dict, or a place of a list whose items are no numbers.
    """
    owner, index = method_patching.record(base), unboxed(index)
    if isinstance(owner, (list, deque)):
        index = python_value(as_number(index))
        message = f"{'list assignment' if isinstance(owner, list) else 'deque'} index out of range"
        if dynamic_length.is_dynamic(owner):
            bounded_growth.pop_item(owner, index, message, message)
            return
        if traced(index):
            containers.take_off(owner, index, "del", message)
            return
    if isinstance(owner, dict) and any_traced(index):
        raise containers.no_key("del", owner, index)
    try:
        del owner[index]
    except LookupError as error:
        exception_templates.explicit(error)  # on a staged path, it is raised only if that path is taken
        raise
