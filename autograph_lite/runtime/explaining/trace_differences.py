"""Trace differences: what differs between two traces of a function, and what would have made one trace serve both?

n: 2 -> 3                                  pass an array, jnp.asarray(n)
x: float32[3] -> float32[4]                reduce_retracing=True, or None in an ArraySpec
"""

from __future__ import annotations

import dataclasses
import enum
import numbers
import reprlib
import textwrap
import types
from collections.abc import Iterator, Sequence
from typing import Any

from autograph_lite.errors import Location
from autograph_lite.operators.effects.outside_arrays import Once
from autograph_lite.runtime.types import tree_paths
from autograph_lite.runtime.types.array_spec import ArraySpec, is_extended, specs_in
from autograph_lite.runtime.types.function_type import FunctionType
from autograph_lite.runtime.types.literal import Literal
from autograph_lite.runtime.types.object_type import ObjectType
from autograph_lite.runtime.types.structure import Structure
from autograph_lite.runtime.types.trace_type import VariableType


class Kind(enum.Enum):
    """In what way two traces differ; the value is what to do about it."""

    NUMBER = "pass an array, jnp.asarray({0}): each Python number is a trace of its own."
    MIXED = "pass an array each time, jnp.asarray({0}): a Python number is a trace of its own."
    VALUE = "each value of '{0}' is a trace of its own: keep to few of them."
    FUNCTION = "make '{0}' once: a lambda or an inner function is another object each time it is defined."
    OBJECT = "make '{0}' once and pass the same object, or make its class a dataclass or a pytree."
    RANK = "reshape '{0}' to one number of dimensions, or let jax.vmap add the further ones."
    SHAPE = "pass reduce_retracing=True, or an ArraySpec with None for the size of '{0}' that varies."
    SIZE = (
        "give an ArraySpec with None for the size of '{0}' that varies; "
        "reduce_retracing finds it where nothing else varies."
    )
    DTYPE = "cast '{0}' to one dtype: jnp.asarray({0}, {1})."
    KEY = "make '{0}' each time by the same function, jax.random.key or jax.random.PRNGKey, and with the same impl."
    WEAK_TYPE = "give '{0}' a dtype, jnp.asarray({0}, {1}): an array made of a Python number has a weak one."
    STRUCTURE = (
        "pass '{0}' with the same classes, keys and lengths each time; stack what grows into one array."
    )
    ABSENT = "pass as many arguments each time; stack what grows in number into one array."
    ORDER = "put the keys of '{0}' in one order."
    KEYWORDS = "pass the keywords in one order: the function may go through them."
    EMPTY = "an empty '{0}' has a trace of its own: a program for arrays of all sizes is one for those that have items."
    EACH_SIZE = "no program serves all shapes of '{0}', so each has a trace of its own: keep to few of them."
    EQUAL = "call it first with sizes that differ where they may: those that are equal then are one in its program."
    INSIDE = "a call inside of another trace, as of jax.jit or jax.grad, is traced once for all such calls."
    WRITTEN = "pass arrays of one kind and order in memory: what writes to them has a program for NumPy's, and one for JAX's."
    VARIABLE_OR_NOT = "pass '{0}' always as a Variable or always as an array, '{0}.value'."
    VARIABLE = "pass Variables of one shape and dtype as '{0}', and one Variable twice always or never."
    CONTEXT = "set '{0}' once, before the first call: traces depend on it."
    OTHER = "pass values of one trace type as '{0}'."


@dataclasses.dataclass(frozen=True)
class Change:
    """What differs between two traces at one place."""

    # the expression that names an argument or a part of one, as `params['w']`; or an option of JAX's
    place: str
    before: Any  # the older trace type; None where there was no such part
    after: Any  # the newer one
    kinds: tuple[Kind, ...]  # in what ways they differ

    def __str__(self) -> str:
        return f"{self.place}: {type_text(self.before)} -> {type_text(self.after)}"

    @property
    def kind(self) -> Kind:
        """The way in which they differ most."""
        return self.kinds[0]

    def distance(self) -> int:
        """How much it is: each way in which two arrays differ counts, and another structure is more than another leaf."""
        return 2 if self.kind in (Kind.STRUCTURE, Kind.ORDER) else len(self.kinds)

    def advice(self) -> tuple[str, ...]:
        """What would avoid it, one sentence for each way in which they differ."""
        dtype = repr(str(getattr(self.before, "dtype", "")))
        return tuple(kind.value.format(self.place, dtype) for kind in self.kinds)


@dataclasses.dataclass(frozen=True)
class Served:
    """Which calls a program is for, of those that have the trace type."""

    # the shapes of the arrays, where it serves no others; else None
    shapes: Sequence[tuple[int, ...]] | None = None
    # the sizes that are one in it, where another program took other sizes for one: groups of the number of an array and
    # an axis; else None
    equal: Sequence[Sequence[tuple[int, int]]] | None = None
    inside: bool = False  # whether it is for calls inside of another trace, as of `jax.jit`
    # of each array that it writes to, what is known of it if it is NumPy's; else None
    lent: Sequence[Any] = ()
    # where it serves one call, the array from outside that Python has written to while tracing, and the line
    once: Once | None = None


@dataclasses.dataclass(frozen=True)
class TraceRecord:
    """A trace that was made."""

    function_type: FunctionType  # the types of its arguments
    called_from: Location | tuple[()]  # the user's line that called the function; empty where none did
    trace_seconds: float  # the time that the user's Python and JAX took to make the program
    compile_seconds: float | None = None  # the time that XLA took; None where it has not compiled yet
    changed: tuple[str, ...] = ()  # what it reads from outside that is another since the one before
    context: tuple[tuple[str, Any], ...] = ()  # JAX's configuration, as far as traces depend on it, by option
    reduces: bool = False  # whether the function was to find out which sizes vary
    served: Served = Served()  # which calls of these types it is for


def changes(new: TraceRecord, old: TraceRecord) -> tuple[Change, ...]:
    """What differs between two traces, argument by argument; then JAX's configuration."""
    before, after = _types(old), _types(new)
    of_arguments = [
        change
        for name in dict.fromkeys((*after, *before))
        for change in _changes_at(name, before.get(name), after.get(name))
    ]
    if new.reduces:
        of_arguments = [dataclasses.replace(change, kinds=_reduced(change.kinds)) for change in of_arguments]
    of_context = _changes_of_context(dict(old.context), dict(new.context))
    return (*of_arguments, *_changes_of_order(new, old), *_changes_of_served(new, old), *of_context)


def _reduced(kinds: tuple[Kind, ...]) -> tuple[Kind, ...]:
    return tuple(Kind.SIZE if kind is Kind.SHAPE else kind for kind in kinds)


def _changes_of_order(new: TraceRecord, old: TraceRecord) -> Iterator[Change]:
    """Whether the keywords of `**kwargs` are the same, in another order."""
    before, after = ([slot.name for slot in record.function_type.slots] for record in (old, new))
    if before != after and sorted(before) == sorted(after):
        yield Change("keywords", ", ".join(before), ", ".join(after), (Kind.KEYWORDS,))


def _changes_of_served(new: TraceRecord, old: TraceRecord) -> Iterator[Change]:
    """What differs where the types of the arguments may be the same, and the programs serve different calls."""
    if new.served.inside != old.served.inside:
        before, after = ("in another trace" if record.served.inside else "by itself" for record in (old, new))
        yield Change("called", before, after, (Kind.INSIDE,))
    if new.function_type != old.function_type:
        return
    arrays = _arrays(new)
    if new.served.equal != old.served.equal:
        yield Change("equal sizes", _equal(arrays, old.served), _equal(arrays, new.served), (Kind.EQUAL,))
    if new.served.lent != old.served.lent:
        yield Change("written arrays", _lent(arrays, old.served), _lent(arrays, new.served), (Kind.WRITTEN,))
    if new.served.shapes is None:
        return
    known: Sequence[tuple[int | None, ...] | None] = old.served.shapes or [spec.shape for _, spec in arrays]
    for (place, spec), was, shape in zip(arrays, known, new.served.shapes, strict=True):
        if was != shape:
            kind = Kind.EMPTY if 0 in shape and spec.shape is not None else Kind.EACH_SIZE
            yield Change(place, ArraySpec(was, spec.dtype), ArraySpec(shape, spec.dtype), (kind,))


def _lent(arrays: Sequence[tuple[str, ArraySpec]], served: Served) -> str:
    """The arrays of NumPy's that a program writes to, as "NumPy's a"."""
    found = [name for (name, _), lent in zip(arrays, served.lent, strict=False) if lent is not None]
    return f"NumPy's {', '.join(found)}" if found else "JAX's"


def _equal(arrays: Sequence[tuple[str, ArraySpec]], served: Served) -> str:
    """The sizes that are one in a program, as "a.shape[1] = b.shape[0]"."""
    groups = (
        " = ".join(f"{arrays[number][0]}.shape[{axis}]" for number, axis in group)
        for group in served.equal or ()
    )
    return ", ".join(groups) or "others"


def _arrays(record: TraceRecord) -> list[tuple[str, ArraySpec]]:
    """The arrays among the arguments, in the order of `specs_in`: how the user gets at each, and its type."""
    found: list[tuple[str, ArraySpec]] = []
    for name, type in _types(record).items():
        is_structure = isinstance(type, Structure)
        leaves = zip(type.paths, type.leaves, strict=True) if is_structure else [("", type)]
        found += [(name + path, spec) for path, leaf in leaves for spec in specs_in([leaf])]
    return found


def _types(record: TraceRecord) -> dict[str, Any]:
    return {name: parameter.annotation for name, parameter in record.function_type.parameters.items()}


def _changes_at(place: str, before: Any, after: Any) -> list[Change]:
    if before == after:
        return []
    both = isinstance(before, Structure) and isinstance(after, Structure)
    if both and tree_paths.same_structure(before.treedef, after.treedef):
        leaves = zip(after.paths, before.leaves, after.leaves, strict=True)
        inside = [change for path, old, new in leaves for change in _changes_at(place + path, old, new)]
        if inside:  # else they differ in what JAX's comparison of structures does not see
            return inside
    return [Change(place, before, after, _kinds(before, after))]


def _changes_of_context(before: dict[str, Any], after: dict[str, Any]) -> list[Change]:
    return [
        Change(option, repr(before.get(option)), repr(value), (Kind.CONTEXT,))
        for option, value in after.items()
        if before.get(option) != value
    ]


def _kinds(before: Any, after: Any) -> tuple[Kind, ...]:
    if isinstance(before, ArraySpec) and isinstance(after, ArraySpec):
        return tuple(_kinds_of_arrays(before, after))
    return (_kind(before, after),)


def _kind(before: Any, after: Any) -> Kind:
    both = before, after
    if before is None or after is None:
        return Kind.ABSENT
    if any(isinstance(each, Structure) for each in both):
        return Kind.ORDER if _is_other_order(before, after) else Kind.STRUCTURE
    if any(isinstance(each, VariableType) for each in both):
        return Kind.VARIABLE if all(isinstance(each, VariableType) for each in both) else Kind.VARIABLE_OR_NOT
    if all(map(_is_number, both)):
        return Kind.NUMBER
    if all(isinstance(each, ArraySpec) or _is_number(each) for each in both):
        return Kind.MIXED
    if all(isinstance(each, Literal) for each in both):
        return Kind.VALUE
    objects = [each for each in both if isinstance(each, ObjectType)]
    if any(each.kind is types.FunctionType for each in objects):
        return Kind.FUNCTION
    return Kind.OBJECT if objects else Kind.OTHER


def _is_other_order(before: Any, after: Any) -> bool:
    """Whether two structures, as of an OrderedDict, have the same keys in another order."""
    if not (isinstance(before, Structure) and isinstance(after, Structure)):
        return False
    return before.paths != after.paths and set(before.paths) == set(after.paths)


def _kinds_of_arrays(before: ArraySpec, after: ArraySpec) -> Iterator[Kind]:
    if before.shape is not None and after.shape is not None and len(before.shape) != len(after.shape):
        yield Kind.RANK
    elif before.shape != after.shape:
        yield Kind.SHAPE
    if before.dtype != after.dtype:
        yield Kind.KEY if is_extended(before.dtype) or is_extended(after.dtype) else Kind.DTYPE
    elif before.weak_type != after.weak_type:
        yield Kind.WEAK_TYPE


def _is_number(trace_type: Any) -> bool:
    return isinstance(trace_type, Literal) and isinstance(trace_type.value, numbers.Number)


def type_text(trace_type: Any) -> str:
    """A trace type in a line of text, shortened; a literal as its value."""
    if trace_type is None:
        return "absent"
    if not isinstance(trace_type, Literal):
        return textwrap.shorten(str(trace_type), 60, placeholder=" ...")
    value = trace_type.value
    return value.__qualname__ if isinstance(value, type) else reprlib.repr(value)
