"""Conversion: what is the converted form of a function of the user's?"""

from __future__ import annotations

import functools
import types
import weakref
from collections.abc import Callable
from typing import Any

from autograph_lite.converters import generators
from autograph_lite.errors import SourceNotFoundError
from autograph_lite.jax_internals.references import eager_views
from autograph_lite.operators.user_code import ownership, unconverted
from autograph_lite.syntax.names import is_operators
from autograph_lite.tracing import thread
from autograph_lite.transpiler import Transpiler

_state: dict[str, Any] = {}


def set_operators(operators: object, shallow: object) -> None:
    """Hands over the operators that generated code calls, and those of code whose callees are not converted."""
    _state["operators"] = operators, shallow
    library = ownership.leads_to_library
    _state["transpilers"] = {
        True: Transpiler(operators, library, is_library_file=ownership.is_library_file),
        False: Transpiler(shallow, library),
        "both": Transpiler(operators, library, "both", ownership.is_library_file),
        "entered": Transpiler(operators, library, "entered", ownership.is_library_file),
        "light": Transpiler(operators, library, "light", ownership.is_library_file),
        "guarded": Transpiler(operators, library, "guarded", ownership.is_library_file),
        "wary": Transpiler(operators, lambda *_: False),
    }


def install_function(kinds: tuple[type, ...]) -> None:
    """Hands over the classes of compiled functions, which lie above this layer."""
    _state["function_type"] = kinds


def is_compiled(fn: Any) -> bool:
    """Whether `fn` is what `convert_function` has made, compiled."""
    return isinstance(fn, _state.get("function_type", ()))


def transpiler(*, recursive: bool | str = True) -> Transpiler:
    """The transpiler of this process that converts callees too, or the one that does not.

    Args:
      recursive: "entered", "both" and "light" give transpilers that convert callees, too, into those forms; "guarded" one
        for those that are called inside of a `try`; "wary" one whose functions call every library through an operator.
    """
    eager_views.note_views()
    found: Transpiler = _state["transpilers"][recursive]
    return found


def push_form(fn: types.FunctionType, names: tuple[str, ...], *, leaves: bool) -> Callable[..., Any] | None:
    """A generator function of the user's as one that runs a loop's body where it yields; None where it has to be Python's."""
    form = "guarded" if thread.now.catching else "full"
    key = form, names, leaves
    if key not in _push_forms:
        operators, library = _state["operators"][0], ownership.leads_to_library
        first = functools.partial(generators.push, names, leaves)
        _push_forms[key] = Transpiler(operators, library, form, ownership.is_library_file, first)
    try:
        return _push_forms[key].convert(fn)
    except (SourceNotFoundError, generators.NoPushFormError):
        return None


_push_forms: dict[tuple[str, tuple[str, ...], bool], Transpiler] = {}


def is_converted(fn: types.FunctionType) -> bool:
    """Whether `fn` is generated code."""
    code = fn.__code__
    if not fn.__closure__:
        return False
    for name, cell in zip(code.co_freevars, fn.__closure__, strict=True):
        if is_operators(name):
            try:
                if any(cell.cell_contents is operators for operators in _state["operators"]):
                    return True
            except ValueError:
                continue
    return False


def is_converted_code(code: types.CodeType) -> bool:
    """Whether a code object may be generated."""
    return any(map(is_operators, code.co_freevars))


def convert_function(fn: types.FunctionType, form: bool | str = True) -> Callable[..., Any]:
    """The converted form of a user's function, as of `transpiler(recursive=form)`; the function itself where it has no source."""
    if is_converted(fn):
        return fn
    if form is True and thread.now.catching:
        form = "guarded"
    try:
        return transpiler(recursive=form).convert(fn)
    except SourceNotFoundError as error:
        unconverted.remember(fn, error)
        return fn


# Which forms of converted functions note what they change before they run, and what these stand for.
_noting: weakref.WeakKeyDictionary[types.FunctionType, types.FunctionType] = weakref.WeakKeyDictionary()


def stands_for(form: Any, fn: types.FunctionType) -> Any:
    """`form`, which is remembered as a form of `fn` that notes what it changes."""
    _noting[form] = fn
    return form


def plain(fn: types.FunctionType) -> types.FunctionType:
    """The converted function that a form which notes what it changes stands for; any other function itself."""
    return _noting.get(fn, fn)
