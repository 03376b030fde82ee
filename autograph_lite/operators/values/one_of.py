"""One of several (a sum type): what is a value that a traced number chooses, None or an array, this text or that?

    best = x if x > 0 else None           OneOf(tag, (None, x)), whose tag is 0 or 1

It is a pytree node, so that it leaves branches, loops and programs as tuples do. What is done with it is done with each
variant that is possible where the code runs: `branches.each_variant` hands that in.
"""

from __future__ import annotations

import collections
import copy
import dataclasses
import enum
import functools
import operator
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import core

from autograph_lite.errors import BranchMismatchError, PythonOnlyError
from autograph_lite.jax_internals import configuration, tracing_state
from autograph_lite.operators.user_code import ownership, source_places
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.boxes import Whole

_applying: list[Callable[..., Any]] = []  # from above


def applies(operation: Callable[..., Any], narrow: Callable[[Any], Any]) -> None:
    """Hands over what does an operation on each variant, and what gives the only one that is possible where code runs."""
    _applying[:] = [operation, narrow]


def on_each(fun: Callable[..., Any], *args: Any, **how: Any) -> Any:
    """`fun(*args)`, where an argument may be one of several: see `branches.each_variant`."""
    return _applying[0](fun, *args, **how)


class OneOf:
    """What a traced value has chosen: None or an array, an array or a tuple of arrays.

    In converted code it behaves as the one that was chosen. A call of what `convert` has made gives that one; a function
    that is traced by your own `jax.jit`, `vmap` or the like gives a `OneOf`, a pytree, whose `value()` is the one.

    Args:
      tag: the number of the one that it is, an int32.
      options: the variants.
    """

    __slots__ = ("_options", "_tag")
    __array_ufunc__ = None  # NumPy's numbers let it answer `number + value`

    def __init__(self, tag: Any, options: Sequence[Any]) -> None:
        object.__setattr__(self, "_tag", tag)
        object.__setattr__(self, "_options", tuple(options))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__") and name not in ("__name__", "__qualname__"):
            raise AttributeError(name)  # Python and libraries look for protocols
        if name == "add_note":  # of an exception, which it writes to
            return lambda *note: add_note(self, *note)
        return self._on_each(lambda variant: getattr(variant, name))

    @property
    def value(self) -> Any:
        """`value()` is the one that was chosen; of lanes of a `vmap`, a list with one for each.

        Where a variant is an object, as a member of an enum is, it is the attribute `value` of that.
        """
        # A property may do anything: it is not asked whether it is there.
        if any(map(is_variant, self._options)):
            return self._on_each(lambda variant: variant.value)
        return functools.partial(_chosen, self)

    def __setattr__(self, name: str, new: Any) -> None:
        self._on_each(lambda variant, value: setattr(variant, name, value), new, writes=True)

    def __delattr__(self, name: str) -> None:
        self._on_each(lambda variant: delattr(variant, name), writes=True)

    def __getitem__(self, index: Any) -> Any:
        return self._on_each(operator.getitem, index)

    def __setitem__(self, index: Any, new: Any) -> None:
        self._on_each(operator.setitem, index, new, writes=True)

    def __delitem__(self, index: Any) -> None:
        self._on_each(operator.delitem, index, writes=True)

    def __deepcopy__(self, memo: dict[int, Any]) -> OneOf:
        if any(
            hasattr(option, "__deepcopy__") and ownership.is_users_class(type(option))
            for option in self._options
        ):
            raise PythonOnlyError(
                f"A value that is {self!r} is copied by `copy.deepcopy`, with a method of its own.",
                where=source_places.calling_libraries(ownership.is_library_file),
                why="Each of them is copied, as a traced value decides which it is, and the method may leave something behind.",
                fix="copy them before one is chosen.",
            )
        copied = _copying(sys._getframe(2), memo)
        return OneOf(self._tag, [*map(copied, self._options)])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
        return self._on_each(lambda variant: variant(*args, **kwargs), acts=True)

    def __iter__(self) -> Iterator[Any]:
        if sys._getframe(1).f_code.co_filename.startswith(source_places.JAX) and not all(
            isinstance(option, Iterable) for option in self._options
        ):
            raise _handed_over(self)  # an axis, say
        try:
            items = self._on_each(_items)
        except BranchMismatchError:
            items = self
        if type(items) is OneOf:
            raise PythonOnlyError(
                f"The items are taken of a value that is {self!r}.",
                why="A traced value decides which it is, and Python has to know how many items there are, of one kind each.",
                fix="ask which it is, `if value is a:`, and go through the items there.",
            )
        return iter(items)

    def __len__(self) -> int:
        length: int = self._on_each(len)
        return length

    def __bool__(self) -> bool:
        return bool(self._on_each(bool))

    def __hash__(self) -> int:
        raise PythonOnlyError(
            f"A value that is {self!r} is looked up in a dict or a set, or kept in one.",
            why="A traced value decides which it is, and Python has to know its hash.",
            fix="decide with `if`, or keep it in a list.",
        )

    def __repr__(self) -> str:
        if known_number(self) is not None:
            return f"OneOf({settled(self)!r})"
        return f"one of {options_text(self)}"

    def __array__(self, *_: Any, **__: Any) -> Any:
        if known_number(self) is not None:
            return np.asarray(settled(self))
        raise PythonOnlyError(
            f"NumPy asks for the items of a value that is {self!r}.",
            where=source_places.calling_libraries(ownership.is_library_file),
            why="A traced value decides which it is.",
            fix="decide with `if`, and make the array on each path, or use jax.numpy.",
        )

    @property
    def __jax_array__(self) -> Callable[[], jax.Array]:
        """What JAX calls for the array, if it does not want a type alone, as `jax.grad` of what a function returns."""
        if tracing_state.asks_for_type():
            raise PythonOnlyError(
                f"JAX is given a value that is {self!r} where it takes an array.",
                why="A traced value decides which it is: a derivative, say, is that of an array.",
                fix="return an array in each case, jnp.nan in place of None, and beside it a number that says which.",
            )
        return lambda: jnp.asarray(self._on_each(_as_number))

    def _on_each(self, fun: Callable[..., Any], *args: Any, **how: Any) -> Any:
        return on_each(fun, self, *args, **how)


def add_note(error: Any, *note: Any) -> None:
    """`error.add_note(note)`, as a change of the attribute that has the notes, which is known."""
    on_each(_add_note, error, *note, writes=True)


def _add_note(error: Any, *note: Any) -> None:
    if isinstance(error, BaseException) and len(note) == 1 and isinstance(note[0], str):
        error.__notes__ = [*getattr(error, "__notes__", ()), note[0]]
    else:
        error.add_note(*note)


def _copying(asks: types.FrameType | None, memo: dict[int, Any]) -> Callable[[Any], Any]:
    """What copies a variant: `asdict` and `astuple` want dicts and tuples of dataclass objects, and copy what is left."""
    if asks is None or asks.f_globals is not vars(dataclasses):
        return lambda variant: copy.deepcopy(variant, memo)
    known = asks.f_locals
    factory = known.get("dict_factory", known.get("tuple_factory"))
    return lambda variant: asks.f_globals[asks.f_code.co_name](variant, factory)


def _handed_over(value: OneOf) -> PythonOnlyError:
    return PythonOnlyError(
        f"A value that is {value!r} is handed to JAX.",
        why="A traced value decides which it is, and JAX takes arrays, and None.",
        fix="hand over a number that says which, or decide with `if`, and call it on each path.",
    )


def _items(variant: Any) -> tuple[Any, ...]:
    if ownership.is_users_class(type(variant)) and isinstance(variant, Iterable):
        raise PythonOnlyError(
            f"The items are taken of a value that is one of several, {variant!r} among them.",
            why="A traced value decides which it is, and Python has to know how many items there are.",
            fix="ask which it is, `if value is a:`, and go through the items there.",
        )
    return tuple(variant)


def _as_number(variant: Any) -> Any:
    variant = plain_number(variant)
    if not isinstance(variant, (jax.Array, np.ndarray, np.generic, bool, int, float, complex)):
        if isinstance(variant, (list, tuple)):
            raise PythonOnlyError(
                f"JAX is given a {type(variant).__name__} where it takes an array, which is one of several.",
                why="A traced value decides which it is, and so what shape the array has.",
                fix="make the array under the condition, on each of its paths.",
            )
        raise TypeError(f"A number or an array is expected, and it is {variant!r}.")
    if is_large(variant):
        raise OverflowError(f"An array is expected, and it is {variant}, which does not fit its type.")
    return variant


class _Shown(str):
    __slots__ = ()
    __repr__ = str.__str__


def _shown(leaf: Any) -> Any:
    """What the text of a value says of a leaf: of one that has no value yet, its type."""
    return _Shown(leaf.aval.str_short().lstrip("~")) if isinstance(leaf, core.Tracer) else leaf


def _chosen(value: OneOf) -> Any:
    tag = value._tag
    if isinstance(tag, core.Tracer):
        raise PythonOnlyError(
            f"Which it is, {value!r}, is asked for where only the program knows.",
            why="It is known when the program has run.",
            fix="call `value()` on what the compiled function returns.",
        )
    if np.ndim(tag):
        return [_chosen(jax.tree.map(operator.itemgetter(n), value)) for n in range(len(tag))]
    return settled(value)


def _binary(name: str, symbol: Callable[[Any, Any], Any]) -> None:
    asks = name in ("eq", "ne")
    setattr(OneOf, f"__{name}__", lambda self, other: self._on_each(symbol, other, asks=asks))
    if name not in _REFLECTED:
        setattr(OneOf, f"__r{name}__", lambda self, other: self._on_each(lambda b, a: symbol(a, b), other))


def _in_place(name: str, symbol: Callable[[Any, Any], Any]) -> None:
    def change(self: OneOf, other: Any) -> Any:
        of_python = (option for option in self._options if not isinstance(option, jax.Array))
        return self._on_each(
            symbol, other, writes=any(hasattr(option, f"__i{name}__") for option in of_python)
        )

    setattr(OneOf, f"__i{name}__", change)


_REFLECTED = ("lt", "le", "gt", "ge", "eq", "ne")
_ARITHMETIC = {  # as Python calls the methods, and as `operator` calls the functions
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "truediv", "floordiv": "floordiv", "mod": "mod", "pow": "pow",
    "matmul": "matmul", "lshift": "lshift", "rshift": "rshift", "xor": "xor", "and": "and_", "or": "or_",
}  # fmt: skip
for _name, _spelled in (*zip(_REFLECTED, _REFLECTED, strict=True), *_ARITHMETIC.items()):
    _binary(_name, getattr(operator, _spelled))
for _name in _ARITHMETIC:
    _in_place(_name, getattr(operator, f"i{_name}"))
for _symbol in (operator.neg, operator.pos, operator.abs, operator.invert):
    setattr(OneOf, f"__{_symbol.__name__}__", lambda self, symbol=_symbol: self._on_each(symbol))


def tag_of(value: OneOf) -> Any:
    """The number of the variant that it is."""
    return value._tag


def options_of(value: OneOf) -> tuple[Any, ...]:
    """The variants."""
    return value._options  # type: ignore[no-any-return]


def options_text(value: OneOf) -> str:
    """The variants, as a text."""
    return ", ".join(repr(pytrees.map(_shown, option)) for option in value._options)


def has_known_variants(value: Any) -> bool:
    """Whether a value is one of several variants that Python knows."""
    return type(value) is OneOf and not any(
        isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(value._options)
    )


def known_number(value: OneOf) -> int | None:
    """The number of the variant that it is, where that is known."""
    tag = value._tag
    if type(tag) is int:
        return tag
    if not isinstance(tag, (jax.Array, np.ndarray, np.generic)) or isinstance(tag, core.Tracer) or tag.ndim:
        return None
    return int(tag)


def has_variants(value: Any) -> bool:
    """Whether a value is, or a tuple, list or dict holds, one of several."""
    kind = type(value)
    if kind is tuple or kind is list:
        return any(map(has_variants, value))
    return kind is OneOf or (kind is dict and any(map(has_variants, value.values())))


def with_variants(
    fun: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], *, deep: bool
) -> Any:
    """`fun(*args, **kwargs)`, for each variant of what is one of several among the arguments; with `deep`, in them, too."""
    whole = args, kwargs

    def ends(node: Any) -> bool:
        return type(node) is OneOf or not (deep or node is whole or node is args or node is kwargs)

    leaves, structure = pytrees.flatten(whole, ends)
    places = [n for n, leaf in enumerate(leaves) if type(leaf) is OneOf]

    def each(*variants: Any) -> Any:
        now = dict(zip(places, variants, strict=True))
        args, kwargs = jax.tree.unflatten(structure, [now.get(n, leaf) for n, leaf in enumerate(leaves)])
        return fun(*args, **kwargs)

    return on_each(each, *(leaves[n] for n in places), acts=True)


def settled(tree: Any) -> Any:
    """`tree`, with the variants in it whose numbers are known."""
    leaves, structure = pytrees.flatten(tree, lambda node: type(node) is OneOf)
    return jax.tree.unflatten(structure, [_settled(leaf) for leaf in leaves])


def _settled(leaf: Any) -> Any:
    number = known_number(leaf) if type(leaf) is OneOf else None
    return leaf if number is None else settled(leaf._options[number])


def is_variant(value: Any) -> bool:
    """Whether a value that no array holds may be one of several: it has a value of its own, or is one object at each call."""
    if isinstance(value, _CONTENTS):
        return False
    known = isinstance(value, _VALUES) or is_large(value)
    return known or callable(value) or ownership.may_be_chosen(type(value))


def plain_number(variant: Any) -> Any:
    """The number that a member of an enum of numbers is; anything else as it is."""
    if isinstance(variant, enum.Enum):
        for kind in (int, float):
            if isinstance(variant, kind):
                return kind(variant)
    return variant


def as_number(value: Any) -> Any:
    """The number that a value is, where each variant is a member of an `IntEnum` or an array's number; else `value`."""
    if type(value) is not OneOf or not all(map(_is_number, value._options)):
        return value
    return on_each(plain_number, value)


def as_numbers(tree: Any) -> Any:
    """`tree`, with `as_number` of what is in it."""
    leaves, structure = pytrees.flatten(tree, lambda node: type(node) is OneOf)
    return jax.tree.unflatten(structure, [*map(as_number, leaves)])


def _is_number(variant: Any) -> bool:
    if isinstance(variant, jax.Array):
        return not variant.ndim
    return isinstance(variant, enum.Enum) and isinstance(variant, (int, float))


def is_large(value: Any) -> bool:
    """Whether it is an int of Python's that no array holds: `best = sys.maxsize`."""
    return type(value) is int and value.bit_length() >= (64 if configuration.has_64_bits() else 32)


_VALUES = (str, bytes, enum.Enum, type(Ellipsis), type(NotImplemented), np.dtype)
_CONTENTS = (list, dict, set, bytearray, collections.deque, np.ndarray, Whole)


def _flat(value: OneOf) -> tuple[tuple[Any, ...], type | None]:
    """The parts, for this package. JAX gets no texts, which it would take for arrays.

    Of members of an `IntEnum` it gets a number, and where one variant is possible, that.
    """
    options = value._options
    if isinstance(value._tag, core.Tracer) and not source_places.asked_by_any_of_us():
        # A function that JAX traces, as most of its own are, gets other tags, and no fact is known about these.
        only = _applying[1](value)
        if only is not value and not is_variant(only):
            return (only,), int
    if any(map(is_variant, options)) and not source_places.asked_by_any_of_us():
        number = as_number(value)
        if number is not value:
            return (number,), int
        options = tuple(map(plain_number, options))
        if any(map(is_variant, options)):
            function = tracing_state.traced_function()
            if function is not None and source_places.is_running(*function[1:]):
                raise _handed_over(value)
            raise PythonOnlyError(
                f"{repr(function[0]) if function else 'A function'}, which JAX traces, returns a value that is {value!r}.",
                where=(
                    source_places.at(*function[1:], function[0]) if function else (),
                    source_places.here(),
                ),
                why="What leaves it are arrays, and None.",
                fix="return a number that says which, or leave JAX's transformation away: what `convert` makes is compiled, "
                "and returns it.",
            )
    return (value._tag, *options), None


def _whole(kind: type | None, parts: Sequence[Any]) -> Any:
    return OneOf(parts[0], parts[1:]) if kind is None else parts[0]


# Nothing is read of the tag of arrays here: jaxlib calls this while the arrays of a result are made.
jax.tree_util.register_pytree_node(OneOf, _flat, _whole)
