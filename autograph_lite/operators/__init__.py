"""What generated code calls, under the name `ag`. Everything here is internal; see `autograph_lite` for the public names."""

from __future__ import annotations

import sys

from autograph_lite import _jax_while_rules
from autograph_lite._jax import untraced
from autograph_lite.converters.python_ops import step, until, without
from autograph_lite.operators import builtins, calls, containers, texts
from autograph_lite.operators.affine import bounds
from autograph_lite.operators.calls import call
from autograph_lite.operators.checks import finishing, handling, trying
from autograph_lite.operators.classes import begins, ending, ends, open_scopes, recast, record
from autograph_lite.operators.comprehensions import generator, list_of
from autograph_lite.operators.concretization import Failure, explain, explaining
from autograph_lite.operators.conditions import python_test, truth
from autograph_lite.operators.containers import key
from autograph_lite.operators.failures import assert_, error, raised
from autograph_lite.operators.for_stmt import for_stmt
from autograph_lite.operators.generated import filter_test
from autograph_lite.operators.handlers import caught, managed
from autograph_lite.operators.if_stmt import if_expr, if_stmt
from autograph_lite.operators.light_calls import BUILTIN, light, light_at
from autograph_lite.operators.logical import (
    and_,
    arithmetic,
    compare,
    equal,
    in_,
    not_,
    not_equal,
    not_in,
    number,
    or_,
)
from autograph_lite.operators.other_names import view
from autograph_lite.operators.stretches import whole
from autograph_lite.operators.subscripts import (
    item,
    set_item,
    slice,
    still,
    store,
    store_shared,
    unread,
    update_item,
    update_shared,
)
from autograph_lite.operators.switch import switch_stmt
from autograph_lite.operators.tensor_array import dropped
from autograph_lite.operators.texts import format, percent
from autograph_lite.operators.undefined import (
    NO_RETURN,
    Return,
    Undefined,
    assigned,
    defined,
    deleted,
    found,
    reached,
    returned,
)
from autograph_lite.operators.untraced_stores import (
    CHANGED,
    put,
    put_at,
    put_into,
    put_of,
    put_shared,
    update_at,
    update_at_shared,
    update_of,
)
from autograph_lite.operators.views import viewed
from autograph_lite.operators.walked_arrays import at_place, places_of, walked
from autograph_lite.operators.while_stmt import while_stmt

__all__ = [
    "BUILTIN",
    "CHANGED",
    "NO_RETURN",
    "Failure",
    "Return",
    "Undefined",
    "and_",
    "arithmetic",
    "assert_",
    "assigned",
    "at_place",
    "begins",
    "bounds",
    "call",
    "caught",
    "compare",
    "defined",
    "deleted",
    "dropped",
    "ending",
    "ends",
    "equal",
    "error",
    "explain",
    "explaining",
    "filter_test",
    "finishing",
    "for_stmt",
    "format",
    "found",
    "generator",
    "handling",
    "if_expr",
    "if_stmt",
    "in_",
    "item",
    "key",
    "light",
    "light_at",
    "list_of",
    "managed",
    "not_",
    "not_equal",
    "not_in",
    "number",
    "open_scopes",
    "or_",
    "percent",
    "places_of",
    "put",
    "put_at",
    "put_into",
    "put_of",
    "put_shared",
    "python_test",
    "raised",
    "reached",
    "recast",
    "record",
    "returned",
    "set_item",
    "slice",
    "step",
    "still",
    "store",
    "store_shared",
    "switch_stmt",
    "truth",
    "trying",
    "unread",
    "until",
    "untraced",
    "update_at",
    "update_at_shared",
    "update_item",
    "update_of",
    "update_shared",
    "view",
    "viewed",
    "walked",
    "while_stmt",
    "whole",
    "without",
]  # fmt: skip

_jax_while_rules.install()
calls.install(sys.modules[__name__], {**builtins.OVERLOADS, **containers.OVERLOADS, **texts.OVERLOADS})
