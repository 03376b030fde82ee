"""What generated code calls, under the name `ag`. Everything here is internal; see `autograph_lite` for the public names."""

from __future__ import annotations

import sys
import traceback

from autograph_lite.converters.python_ops import (
    NO_RETURN,
    Return,
    Undefined,
    step,
    suppressed,
    until,
    without,
)
from autograph_lite.jax_internals.loops import while_autodiff
from autograph_lite.jax_internals.tracing_state import untraced
from autograph_lite.operators.aliasing.loop_rows import each
from autograph_lite.operators.branches.definedness import assigned, defined, deleted, found, reached, returned
from autograph_lite.operators.branches.each_variant import each_variant
from autograph_lite.operators.branches.if_stmt import if_expr, if_stmt
from autograph_lite.operators.branches.switch_stmt import switch_stmt
from autograph_lite.operators.branches.truth import python_structure, python_test, truth
from autograph_lite.operators.calls import calls
from autograph_lite.operators.calls.calls import call
from autograph_lite.operators.calls.handed_functions import begins_computed, begun_again
from autograph_lite.operators.calls.handlers import caught, managed, suppressing
from autograph_lite.operators.calls.method_patching import begins, ending, ends, open_scopes, recast, record
from autograph_lite.operators.calls.untraced_calls import BUILTIN, copying, light, light_at
from autograph_lite.operators.checks import traced_text
from autograph_lite.operators.checks.carried_checks import finishing, handling, trying
from autograph_lite.operators.checks.catching import (
    again,
    catches,
    catching,
    cause,
    exception,
    failure,
    handled_exception,
    handled_info,
    handled_text,
    leave,
    passed,
    proceed,
    settling,
    unraised,
    unraised_since,
    unwind,
)
from autograph_lite.operators.checks.concretization_errors import Failure, explain, explaining
from autograph_lite.operators.checks.divisions import (
    divisor,
    floor_quotient,
    guarded_power,
    quotient,
    remainder,
)
from autograph_lite.operators.checks.traced_text import format, percent
from autograph_lite.operators.items import in_place, methods_of_items
from autograph_lite.operators.items.deletions import delete_item
from autograph_lite.operators.items.iteration_over_written import at_place, places_of, walked
from autograph_lite.operators.items.methods_of_items import method_of_item
from autograph_lite.operators.items.subscripts import (
    got,
    item,
    set_default,
    set_item,
    slice,
    still,
    store,
    store_shared,
    unread,
    update_item,
    update_shared,
)
from autograph_lite.operators.items.tensor_array import dropped
from autograph_lite.operators.items.untraced_stores import (
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
from autograph_lite.operators.lists.bounded_growth import unpack
from autograph_lite.operators.lists.dynamic_length import whole
from autograph_lite.operators.loops.for_stmt import for_stmt
from autograph_lite.operators.loops.while_stmt import while_stmt
from autograph_lite.operators.python import builtins, containers
from autograph_lite.operators.python.assert_and_raise import assert_, error, exit_, raised
from autograph_lite.operators.python.class_patterns import class_pattern
from autograph_lite.operators.python.comprehensions import generator, list_of
from autograph_lite.operators.python.containers import key
from autograph_lite.operators.python.generator_expressions import filter_test
from autograph_lite.operators.python.generator_functions import iterated, left_loop, resume
from autograph_lite.operators.python.logical import (
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
    positive,
)
from autograph_lite.operators.ragged.affine_bounds import bounds
from autograph_lite.operators.values import one_of

while_autodiff.install_derivatives()
calls.install_operators(
    sys.modules[__name__],
    {
        **builtins.OVERLOADS,
        **containers.OVERLOADS,
        **traced_text.OVERLOADS,
        **in_place.OVERLOADS,
        **methods_of_items.OVERLOADS,
        dict.get: got,
        dict.setdefault: set_default,
        BaseException.add_note: one_of.add_note,
        sys.exit: exit_,
        sys.exception: handled_exception,
        sys.exc_info: handled_info,
        traceback.format_exc: handled_text,
    },
)
