"""Concretization errors: what is said where Python, or a library, needs the value of a traced array?"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import jax

from autograph_lite.errors import (
    AutographError,
    ConversionError,
    MutationError,
    NotAFunctionError,
    PythonOnlyError,
)
from autograph_lite.operators.checks import known_exceptions, traced_text
from autograph_lite.operators.user_code import ownership, source_places, unconverted
from autograph_lite.operators.user_code.conversion import is_converted_code
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.values import Tracer, article

NEEDS_PYTHON = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.NonConcreteBooleanIndexError,
)

_TRACER = re.compile(r"\w*Tracer\b")
# An operand of Python's own; a size of an array that is made or repeated.
_ABOUT_TRACER = re.compile(
    r"Tracer'|^conversion from \w*Tracer to |^Object of type \w*Tracer is not JSON "
    r"|^Shapes must be 1D sequences of concrete values.*Tracer\(|not hashable: .*Tracer\("
    r"|^Cannot determine dtype of one of |^expected a sequence of integers or a single integer, got '\w*Tracer\("
)
# An argument that JAX takes for a key of its own.
_UNHASHED = re.compile(r"__hash__ and __eq__ methods|^Non-hashable static arguments[\s\S]*Tracer")
# A size, an axis or the like; and arrays by whose values JAX would know how many items there are.
_OF_A_SIZE = re.compile(
    r"^Shapes must be 1D sequences|^expected a sequence of integers|"
    r"^Abstract tracer value encountered[^\n]*\n(?!The problem arose with|The error occurred)"
)
_BY_VALUES = re.compile(
    r"^Abstract tracer value encountered[^\n]*\[\d|argument of jnp\.nonzero|compiling jnp\.repeat, the total"
)
_REPEATED = re.compile(r"^unsupported operand type\(s\) for \*: .*'(list|tuple)'|^can't multiply sequence")
_IN_A_SET = re.compile(r"^unhashable type: '\w*Tracer'")
_BESIDE_SEQUENCE = re.compile(r"^(?:unsupported operand|'\S+' not supported between).*'(list|tuple|range)'")


@source_places.between
def explain_unconverted(fn: Callable[..., Any], reason: ConversionError, name: str) -> Callable[..., Any]:
    """`fn`, called `name`, which was not converted, and says so by a PythonOnlyError in place of JAX's about a tracer."""

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return fn(*args, **kwargs)
        except NEEDS_PYTHON as error:
            if not any(isinstance(leaf, Tracer) for leaf in pytrees.leaves((args, kwargs))):
                raise
            raise PythonOnlyError(
                f"'{name}' needs the value of a traced argument, and it was not converted.",
                why="\n".join(unconverted.sentences(reason)),
                fix=reason.fix,
            ) from error

    return run


def is_about_tracer(error: BaseException) -> bool:
    """Whether Python, or a library, has failed because a value is a tracer: it needs the value."""
    return (
        _is_of_flax(error)
        or isinstance(error, NEEDS_PYTHON)
        or (type(error) is ValueError and _UNHASHED.search(str(error)) is not None)
        or (
            type(error) is TypeError
            and _ABOUT_TRACER.search(str(error)) is not None
            and not known_exceptions.is_about_operands(error)
        )
        or _is_about_variants(error)
        or _unpacked_part(error) is not None
    )


def _unpacked_part(error: BaseException) -> Any:
    """What stands for items in a list whose length only the data knows, and that Python, it seems, has unpacked; or None."""
    if type(error) is not ValueError or not str(error).startswith("too many values to unpack"):
        return None
    entries = source_places.entries(error.__traceback__)
    held = [value for entry in entries[-1:] for value in entry.tb_frame.f_locals.values()]
    for value in [*held]:
        if isinstance(value, (list, tuple)):
            held += value
        elif not isinstance(value, type):
            held += (value if isinstance(value, dict) else getattr(value, "__dict__", {})).values()
    found = next((value for value in held if traced_text.has_traced_length(value)), ())
    return next((part for part in found if hasattr(type(part), "misused")), None)


def _is_about_variants(error: BaseException) -> bool:
    """Whether a function that is not written in Python has got a value that is one of several."""
    return type(error) is TypeError and re.search(r"\bOneOf\b", str(error)) is not None


def _is_of_flax(error: BaseException) -> bool:
    """Whether Flax refuses to change one of its variables in another trace than that in which it was made."""
    return type(error).__name__ == "TraceContextError"


Failure = Exception


def explain(error: BaseException) -> None:
    """Raises a PythonOnlyError in place of JAX's, or Python's, `error` about a tracer, where a function ends."""
    if is_about_tracer(error) and not isinstance(error, AutographError):
        raise needs_value(error) from error


def explaining(body: Callable[[], Any]) -> Any:
    """What the body of a lambda gives that JAX is tracing; see `explain`."""
    try:
        return body()
    except Exception as error:
        explain(error)
        raise


def needs_value(error: BaseException) -> AutographError:
    """JAX's error, or Python's, about a tracer, at the user's line and with a remedy."""
    if (part := _unpacked_part(error)) is not None:
        unknown: AutographError = part.misused(source_places.raised_at(error, _is_no_text_of_users))
        return unknown
    if _is_of_flax(error):
        return PythonOnlyError(
            f"A variable of Flax's is changed in a trace that is not its own. {str(error).partition(chr(10))[0]}",
            where=source_places.raised_at(error, ownership.is_library_file),
            why="Flax binds a variable to the trace in which it was made. A staged branch or loop is a trace of its own,\n"
            "and so is a call of what `convert` makes.",
            fix="compute the new value in the statement, assign it to the variable after the statement, and compile with\n"
            "  nnx.jit(autograph_lite.to_graph(...)).",
        )
    if _is_about_variants(error):
        return PythonOnlyError(
            f"Python needs to know which of several a value is. {str(error).replace('OneOf', 'one of several')}",
            where=source_places.raised_at(error, _is_no_text_of_users) or source_places.here(),
            why="A traced value decides which it is, and the function is not written in Python.",
            fix="decide with `if`, and call it on each path.",
        )
    held = _called_by_a_library(error)
    return PythonOnlyError(
        f"Python needs the value of a traced array. {_said_by(error)}",
        where=source_places.raised_at(error, _is_no_text_of_users) or source_places.here(),
        why="The value is known when the compiled program runs, and not while the function is traced."
        if held is None
        else f"A library calls '{held}' out of an object of its own, so that it runs unconverted.",
        fix=_remedy(error)
        if held is None
        else f"give the library autograph_lite.to_graph({'...' if held == '<lambda>' else held}) in place of it.",
    )


def _said_by(error: BaseException) -> str:
    """The first line of an error; that something can't be hashed is not what a user has done."""
    if _is_of_a_size(error) and _BY_VALUES.search(str(error)):
        return "It tells how many items an array gets, which have to be known while the function is traced."
    if _is_of_a_size(error):
        return "It is handed over for a size, an axis or the like, which has to be known while the function is traced."
    if repeated := _REPEATED.search(str(error)):
        return f"It tells how often the items of a {repeated[1] or 'sequence'} are repeated."
    if _is_of_statistics(error):
        return "'statistics' computes with exact fractions of Python's numbers."
    if _IN_A_SET.search(str(error)):
        return "It is a key of a dict, or an item of a set, or is looked up there."
    return _TRACER.sub("traced array", str(error).partition("\n")[0])


def says_nothing(fn: Any, error: BaseException) -> PythonOnlyError:
    """The error for a library's function that has raised one without a text inside of a staged statement."""
    name = getattr(fn, "__qualname__", type(fn).__qualname__)
    root = str(getattr(fn, "__module__", None) or "").partition(".")[0]
    return PythonOnlyError(
        f"'{f'{root}.{name}' if root else name}' raised {type(error).__name__} inside of a staged statement.",
        why="Which path is taken is not known while tracing, and a library that keeps count of its calls, as one that samples\n"
        "or makes parameters does, has to know which of them are made.",
        fix="call it before the statement, on every path, and choose between the results.",
    )


def writes_to_copy(fn: Any) -> MutationError:
    """The error for a library's function that writes to an array of the program: it gets a copy."""
    return MutationError(
        f"'{getattr(fn, '__qualname__', type(fn).__qualname__)}' writes to an array of the program.",
        where=source_places.here(),
        why="It is a library's function, which is handed a copy of what the array holds, and the array would not see the change.",
        fix="store what it gives: x[:] = f(np.array(x)); or call it before the array gets traced items, in no staged statement.",
    )


def _is_no_text_of_users(path: str) -> bool:
    """Whether a file is a library's, or the text that Python has made a dataclass's methods of."""
    return path == "<string>" or ownership.is_library_file(path)


def _is_of_a_size(error: BaseException) -> bool:
    return _UNHASHED.search(str(error)) is not None or _OF_A_SIZE.search(str(error)) is not None


def _remedy(error: BaseException) -> str:
    if _REPEATED.search(str(error)) or (_is_of_a_size(error) and not _BY_VALUES.search(str(error))):
        return (
            "make an array as large as it may get, and take a part, np.zeros(most)[:n], np.arange(most)[:n]; or pass it as a "
            "number of Python's, which is not traced."
        )
    if _is_of_a_size(error):
        return (
            "tell jax.numpy's function how many there are, jnp.unique(x, axis=0, size=n), jnp.bincount(x, length=n), "
            "jnp.repeat(x, counts, total_repeat_length=n)."
        )
    if sequence := _BESIDE_SEQUENCE.search(str(error)):
        return f"make an array of the {sequence[1]}, jnp.asarray(...): beside an array, JAX takes no {sequence[1]}."
    if _is_of_statistics(error):
        return "np.mean(x), np.std(x, ddof=1) or np.median(x), of an array or a list of the numbers."
    if _IN_A_SET.search(str(error)):
        return "np.unique(x) has each value once; else use `match` or `if` on the value, or an array indexed by it."
    return "compute with jax.numpy on the array, or pass the value as a Python number, which is not traced."


def _is_of_statistics(error: BaseException) -> bool:
    entries = source_places.entries(error.__traceback__)
    return any(tb.tb_frame.f_globals.get("__name__") == "statistics" for tb in entries)


def _called_by_a_library(error: BaseException) -> str | None:
    """The name of the user's function that has asked for a value to decide on, where a library has called it unconverted."""
    held, by_library = None, False
    for tb in source_places.entries(error.__traceback__):
        code = tb.tb_frame.f_code
        if not source_places.is_hidden(code):
            is_library = ownership.is_library_file(code.co_filename)
            if not is_library:
                held = (
                    source_places.function_name(code) if by_library and not is_converted_code(code) else None
                )
            by_library = is_library
    # Converted code has an operator wherever it decides.
    return held if isinstance(error, jax.errors.TracerBoolConversionError) and not by_library else None


def not_a_function(value: Any) -> NotAFunctionError:
    """What was handed over is a class, or can't be called."""
    if isinstance(value, type):
        return NotAFunctionError(
            f"'{value.__name__}' is a class, and a function is expected.",
            why="A class makes objects when it is called; what can be compiled are its methods.",
            fix=f"convert a method of '{value.__name__}', or a function that makes the objects and uses them.",
        )
    return NotAFunctionError(
        f"{article(type(value).__name__).capitalize()} {type(value).__name__} is no function: it can't be called.",
        fix="hand over a function, a bound method or another callable.",
    )
