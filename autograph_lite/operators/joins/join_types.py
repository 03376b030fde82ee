"""Join: what type does a variable have on one path, and on all paths together?

A template is a value without its numbers: the tree, and for each leaf either a dtype, weak type and shape, or a Python
value that has to be the same on all paths. `join_templates` gives the template that holds both; `fill` brings a value to it.
"""

from __future__ import annotations

import collections
import dataclasses
import decimal
import enum
import functools
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph_lite.converters.python_ops import Maybe, Returned
from autograph_lite.jax_internals import avals
from autograph_lite.jax_internals.references import number_types, storages
from autograph_lite.jax_internals.references.number_types import NumberType
from autograph_lite.operators.joins import unions
from autograph_lite.operators.user_code import ownership
from autograph_lite.operators.values import dataclass_objects, one_of
from autograph_lite.operators.values.boxes import Whole
from autograph_lite.operators.values.values import (
    SCALARS,
    are_equal,
    array_text,
    article,
    is_arraylike,
    is_symbolic,
    result_type,
)


# None of these is changed. They are not frozen as it would take three times as long to make them, for each value of a join.
@dataclasses.dataclass(unsafe_hash=True)
class Array:
    """An array leaf."""

    dtype: Any
    weak: bool  # whether it came from Python scalars only
    shape: tuple[int, ...]
    varying: frozenset[str] = frozenset()  # mesh axes of an enclosing shard_map over which it varies
    # of a number, the types that met in it, one of them that of a number of Python's
    met: frozenset[NumberType] = frozenset()

    def __str__(self) -> str:
        return array_text(self)

    def is_type_of(self, array: jax.Array) -> bool:
        """Whether an array of the program has this type, whatever has met in it."""
        return dataclasses.replace(self, met=frozenset()) == _array_of(jax.typeof(array))


@dataclasses.dataclass(eq=False)
class Fixed:
    """A leaf that is the same object, or an equal Python value, on all paths."""

    value: Any
    items: Template | None = None  # of a container: the type of what is in it

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fixed) and same_value(self.value, other.value)

    def __hash__(self) -> int:
        return id(self.value)


Leaf = Array | Fixed


@dataclasses.dataclass(eq=False)
class Template:
    """The type of a variable."""

    tree: Any  # structure of the value; None where the variable never has one
    leaves: tuple[Leaf, ...]  # types of its leaves
    present: bool | None = True  # True; False; or None where it is known when the program runs only
    # Maybe or Returned where the value may be missing, so that the wrapper stays what it was
    kind: type[Maybe] = Maybe

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Template) or (self.tree is None) != (other.tree is None):
            return False  # a treedef can't be compared with None
        return (self.tree is None or self.tree == other.tree) and (
            (self.leaves, self.present, self.kind) == (other.leaves, other.present, other.kind)
        )

    __hash__ = None  # type: ignore[assignment]

    def of(self, leaves: Iterable[Leaf]) -> Template:
        """The same with other leaves."""
        return Template(self.tree, tuple(leaves), self.present, self.kind)


class Mismatch(Exception):
    """Two templates that have no common one; says why, for the error that names the variable.

    Attributes:
      left, right: what they are, in words.
      kind: the class, where they are two objects of one class.
      many: the variants in words, where they are too many for one of several.
    """

    def __init__(self, left: str, right: str, kind: type | None = None, many: Sequence[str] = ()) -> None:
        super().__init__(left, right)
        self.left, self.right, self.kind, self.many = left, right, kind, many


def same_value(a: Any, b: Any) -> bool:
    """Whether two leaves are the same Python value."""
    if a is b:
        return True
    if type(a) is not type(b) or isinstance(a, _ITSELF) or dataclass_objects.is_structure(a):
        return False
    if ownership.is_users_class(type(a)):  # whose `__eq__` may compute with what paths have left
        return False
    if type(a).__hash__ is None and not isinstance(a, slice):
        return False  # it may be changed, as `types.SimpleNamespace`, `array.array` and `collections.UserList` are
    if isinstance(a, (float, complex, decimal.Decimal)):
        return repr(a) == repr(b)  # tells 0.0 from -0.0 and 1.0 from 1.00, and takes nan for nan
    return are_equal(a, b)


def as_array_type(leaf: Leaf) -> Array | None:
    """The leaf as an array type; None if it can't be one."""
    if isinstance(leaf, Array):
        return leaf
    value = leaf.value
    if isinstance(value, jax.Array):
        kind = _array_of(jax.typeof(value))
        met = number_types.met_in(value)
        return dataclasses.replace(kind, met=met) if met else kind
    # A member of an IntEnum is more than its number.
    if not is_arraylike(value) or isinstance(value, enum.Enum):
        return None
    if (isinstance(value, SCALARS) and not isinstance(value, np.generic)) or is_symbolic(
        value
    ):  # an np.float64 is a float
        dtype = result_type(value)
        if isinstance(value, int) and not isinstance(value, bool):
            info = jnp.iinfo(dtype)  # type: ignore[no-untyped-call]
            if not info.min <= value <= info.max:
                return None
        return _number_type(dtype, not isinstance(value, bool))
    return Array(jax.dtypes.canonicalize_dtype(value.dtype), False, value.shape)


@functools.lru_cache(maxsize=64)
def _number_type(dtype: Any, weak: bool) -> Array:
    return Array(dtype, weak, (), met=frozenset({NumberType(np.dtype(dtype), True)}))


@functools.lru_cache(maxsize=1024)
def _array_of(aval: Any) -> Array:
    return Array(aval.dtype, avals.is_weak(aval), aval.shape, avals.varying_of(aval))


@dataclasses.dataclass(frozen=True, eq=False)
class Deferred:
    """A leaf that is computed where the types are joined."""

    # given the lookup and the type, as `fill` has them, gives the array
    make: Callable[[Callable[[Any], Any], Array], Any]


@dataclasses.dataclass(eq=False)
class Captured:
    """A variable's value at the end of a path, before what the path did to Python objects is undone."""

    value: Any  # the value itself
    present: Any  # whether it has one: a bool, or a traced bool
    template: Template  # its type
    leaves: list[Any]  # of the value, as they were


def capture(value: Any, *, pins: bool = True) -> Captured:
    """The value with its type and leaves as they are now, or unless it `pins` these, as they are where they are used.

    A list, dict or set is taken for the object that it is: where all paths hold the same one, it stays that one, and its
    contents are the business of the journal.
    """
    if isinstance(value, jax.Array):
        return Captured(
            value, True, Template(LEAF, (Fixed(value),)), [storages.pinned(value) if pins else value]
        )
    if (once := captured_once.get(id(value))) is not None:
        return once
    kind, present, inner = Maybe, True, value
    if isinstance(value, Maybe):
        kind, present, inner = type(value), value.present, value.value
        if present is False:
            return Captured(value, False, Template(None, (), False, kind), [])
    leaves, tree = dataclass_objects.flatten_dataclasses(inner)
    known = present if isinstance(present, bool) else None
    structural = Template(tree, tuple(map(Fixed, leaves)), known, kind)
    for leaf in leaves:
        storages.show(leaf)
    leaves = [storages.pinned(leaf) for leaf in leaves] if pins else leaves
    if isinstance(inner, MUTABLE) or dataclass_objects.is_structure(inner):
        held = Template(LEAF, (Fixed(inner, structural),), known, kind)
        return Captured(value, present, held, leaves)
    return Captured(value, present, structural, leaves)


captured_once: dict[int, Captured] = {}  # by their ids, objects that live on, and hold nothing that changes
MUTABLE = (list, dict, set, bytearray, collections.deque)
NUMBERS = (bool, int, float)
_ITSELF = (Whole, jax.Array, np.ndarray, *MUTABLE)  # equal to no other
LEAF = jax.tree.structure(0)


def unchanged(captured: Captured) -> Template:
    """The type of a value that is one and the same object on all paths."""
    if isinstance(captured.value, Maybe):
        return captured.template
    return Template(LEAF, (Fixed(captured.value),))


def template_of(value: Any) -> Template:
    """The type of a variable's value."""
    return capture(value).template


def always(_: object) -> bool:
    """An object outlives what is joined."""
    return True


def join_templates(a: Template, b: Template, outlives: Callable[[Any], bool] | None = always) -> Template:
    """The least template that holds both. Raises Mismatch: there is none.

    `outlives` says whether an object is there at each run of what is joined, so that it may be one of several; it is None where
    nothing may.
    """
    kind = Returned if Returned in (a.kind, b.kind) else Maybe
    present = a.present if a.present == b.present else None
    if a.tree is None or b.tree is None:
        known = detached(b if a.tree is None else a)
        return Template(known.tree, known.leaves, present, kind)
    if a.tree == b.tree == LEAF and a.leaves == b.leaves:
        return Template(a.tree, a.leaves, present, kind)
    a, b = structural(a), structural(b)
    apart = None
    if a.tree == b.tree:
        try:
            return Template(a.tree, tuple(map(join_leaves, a.leaves, b.leaves)), present, kind)
        except Mismatch as found:
            apart = found
    try:
        if outlives is None:
            raise unions.Apart
        union = _uniting(outlives).unite(unions.Node(a.tree, a.leaves), unions.Node(b.tree, b.leaves))
    except unions.Apart as found:
        many = [Template(each.tree, tuple(each.leaves)) for each in found.many]
        classes = {_class_of(each, each) for each in many} or {_class_of(a, b)}
        of_leaves = None if many else apart
        raise of_leaves or Mismatch(
            describe_template(a),
            describe_template(b),
            classes.pop() if len(classes) == 1 else None,
            [*map(describe_template, many)],
        ) from None
    leaves = (as_array_type(leaf) or leaf if _is_array(leaf) else leaf for leaf in union.leaves)
    return Template(union.tree, tuple(leaves), present, kind)


def _class_of(*templates: Template) -> type | None:
    """The class of the objects that these may be, if it is one."""
    values = [leaf.value for each in templates for leaf in each.leaves if isinstance(leaf, Fixed)]
    kinds = {type(value) for value in values if ownership.may_be_chosen(type(value))}
    return kinds.pop() if len(kinds) == 1 else None


def _uniting(outlives: Callable[[Any], bool] = always, *, fits: bool = False) -> unions.Uniting:
    """How types are united, or, if one that a value `fits` is known, in which of its places the value's parts are."""

    def join(a: Leaf, b: Leaf) -> Leaf | None:
        try:
            return join_leaves(a, b)
        except Mismatch:
            return None

    def kind(leaf: Any) -> Any:
        leaf = leaf if isinstance(leaf, (Array, Fixed)) else Fixed(leaf)
        if as_array_type(leaf) is not None or isinstance(leaf.value, (Deferred, unions.Renumbered)):
            return unions.ARRAY
        is_variant = one_of.is_variant(leaf.value) and (
            isinstance(leaf.value, _VALUES) or one_of.is_large(leaf.value) or outlives(leaf.value)
        )
        return leaf if is_variant or fits else None

    return unions.Uniting(join, kind, Array(np.dtype(np.int32), False, ()), outlives is always)


_fitting = _uniting(fits=True)
_VALUES = (str, bytes, enum.Enum, type, types.BuiltinFunctionType)  # which every run has


def fitted(captured: Captured, template: Template) -> list[Any]:
    """The leaves of a value in the places of those of a template that holds it."""
    if captured.present is False or not unions.has_union(template.tree):
        return captured.leaves
    held = structural(captured.template)
    source = unions.Node(held.tree, captured.leaves)
    return _fitting.fit(source, unions.Node(template.tree, template.leaves))


def detached(template: Template) -> Template:
    """`template` for a value that only one path has: what the path computed has to come out of it as arrays."""
    items = structural(template)
    if items is not template and any(_is_array(leaf) for leaf in items.leaves):
        template = items
    return template.of(as_array_type(leaf) or leaf if _is_array(leaf) else leaf for leaf in template.leaves)


def _is_array(leaf: Leaf) -> bool:
    return isinstance(leaf, Array) or isinstance(leaf.value, jax.Array)


def structural(template: Template) -> Template:
    """`template` with a container taken for its items, and not for the object that it is."""
    if (
        template.tree is not None
        and template.tree == LEAF
        and isinstance(template.leaves[0], Fixed)
        and template.leaves[0].items is not None
    ):
        return template.leaves[0].items
    return template


def broadcast(templates: Sequence[Template], stored: bool) -> Sequence[Template]:
    """Templates of what is `stored` in an array, of one shape where they are a number and an array, or such of two shapes."""
    kinds = [as_array_type(each.leaves[0]) if stored and each.tree == LEAF else None for each in templates]
    arrays = [kind for kind in kinds if kind is not None]
    if len(arrays) < len(templates) or len({kind.shape for kind in arrays}) == 1:
        return templates
    try:
        shape = np.broadcast_shapes(*(kind.shape for kind in arrays))
    except (ValueError, TypeError):  # of symbolic sizes, too
        return templates
    return [
        each.of([dataclasses.replace(kind, shape=shape, met=frozenset())])
        for each, kind in zip(templates, arrays, strict=True)
    ]


def join_leaves(a: Leaf, b: Leaf) -> Leaf:
    """The least leaf that holds both."""
    if a == b:
        return a
    x, y = as_array_type(a), as_array_type(b)
    x, y = x or _rounded(a, y), y or _rounded(b, x)
    if x is None or y is None or x.shape != y.shape:
        left, right = describe_leaf(a), describe_leaf(b)
        if left != right or not isinstance(a, Fixed) or not isinstance(b, Fixed):
            raise Mismatch(left, right)
        raise Mismatch(left, f"a different {right.partition(' ')[2] or 'object'}", type(b.value))
    return join_arrays(x, y)


def _rounded(leaf: Leaf, other: Array | None) -> Array | None:
    """An int of Python's that is too large for arrays, as the float that it is beside others."""
    is_float = other is not None and jnp.issubdtype(other.dtype, jnp.floating)
    large = is_float and isinstance(leaf, Fixed) and one_of.is_large(leaf.value)
    return Array(result_type(0), True, ()) if large else None


def join_arrays(x: Array, y: Array) -> Array:
    """JAX's promotion of two arrays of one shape, weak types included."""
    if x is y:
        return x
    varying, met = x.varying | y.varying, x.met | y.met
    if (met or x.dtype != y.dtype) and not x.shape:
        met |= {NumberType(each.dtype, each.weak) for each in (x, y) if not each.met}
    if x.dtype == y.dtype:
        return Array(x.dtype, x.weak and y.weak, x.shape, varying, met)
    extended = [a for a in (x, y) if jnp.issubdtype(a.dtype, jax.dtypes.extended)]
    if extended:
        raise Mismatch(str(x), str(y))
    dtype = jnp.result_type(*map(_example, (x, y)))
    weak = all(a.weak or a.dtype == bool for a in (x, y))
    return Array(dtype, weak, x.shape, varying, met)


def _example(array: Array) -> Any:
    """Something of that type, as far as promotion goes."""
    if not array.weak:
        return array.dtype
    kind = np.dtype(array.dtype).kind
    return {"i": 0, "u": 0, "f": 0.0, "c": 0j, "b": False}.get(kind, array.dtype)


def widen(template: Template) -> Template:
    """`template` with the numbers that Python knows as arrays: what a loop's variable most likely becomes."""
    return template.of(as_array_type(leaf) or leaf for leaf in template.leaves)


def strong(template: Template) -> Template:
    """`template` with the numbers that came from Python as those that came from arrays."""
    return template.of(
        dataclasses.replace(leaf, weak=False, met=frozenset()) if isinstance(leaf, Array) else leaf
        for leaf in template.leaves
    )


def fill(
    captured: Captured, template: Template, lookup: Callable[[Any], Any] = lambda leaf: leaf
) -> list[Any]:
    """The arrays that stand for a value in a program whose variable has the type `template`, or NumPy's numbers.

    A missing value is filled with zeros that nobody reads; a presence that is known when the program runs comes first.

    Args:
      captured: the variable's value.
      template: a type that holds it.
      lookup: gives the array to use in place of a leaf.
    """
    arrays: list[Any] = []
    if template.present is None:
        arrays.append(jnp.asarray(lookup(captured.present), dtype=bool))
    if captured.present is False:
        return arrays + [zeros(kind) for kind in template.leaves if isinstance(kind, Array)]
    if any(isinstance(kind, Array) for kind in template.leaves):
        for leaf, kind in zip(fitted(captured, template), template.leaves, strict=True):
            if isinstance(kind, Array):
                arrays.append(fitting_array(leaf, lookup, kind))
    return arrays


def fitting_array(leaf: Any, lookup: Callable[[Any], Any], kind: Array) -> Any:
    """The array of that type for a leaf of `fitted`, or NumPy's number."""
    if unions.is_absent(leaf):
        return zeros(kind)
    made = _looked_up(leaf, lookup, kind)
    return _number(made, kind) if type(made) in NUMBERS else cast_leaf(made, kind)


def _looked_up(leaf: Any, lookup: Callable[[Any], Any], kind: Array) -> Any:
    if type(leaf) is unions.Renumbered:
        return leaf.number(lookup(leaf.tag))
    return leaf.make(lookup, kind) if type(leaf) is Deferred else lookup(leaf)


def _number(value: Any, kind: Array) -> Any:
    """A number of Python's as an array of that type, or as NumPy's number of that type."""
    if kind.weak or kind.shape or kind.varying or result_type(value) != kind.dtype:
        return cast_leaf(float(value) if one_of.is_large(value) else value, kind)
    return kind.dtype.type(value)  # 1 us, and not 10 to 40


ABSENT = capture(Maybe(False, None, ""))


def zeros(kind: Array) -> jax.Array:
    """A placeholder of that type, which nobody reads."""
    if jnp.issubdtype(kind.dtype, jax.dtypes.extended):
        return lax.full(kind.shape, 0, kind.dtype)
    return avals.as_varying(
        avals.as_type(jnp.zeros(kind.shape, kind.dtype), kind.dtype, kind.weak), kind.varying
    )


def cast_leaf(leaf: Any, kind: Array) -> jax.Array:
    """`leaf` as an array of that type."""
    if isinstance(leaf, jax.Array) and _array_of(jax.typeof(leaf)) is kind:
        return leaf
    array = avals.as_type(leaf, kind.dtype, kind.weak)
    array = array if array.shape == kind.shape else jnp.broadcast_to(array, kind.shape)
    return avals.as_varying(array, kind.varying) if kind.varying else array


def rebuild(template: Template, arrays: Iterable[Any], name: str, missing: Any = None) -> Any:
    """The value that arrays made by `fill` stand for; takes as many from the iterator as it needs."""
    arrays = iter(arrays)
    present = next(arrays) if template.present is None else template.present
    if template.tree is None:
        return template.kind(present, None, name, missing)
    leaves = [
        _read(next(arrays), leaf) if isinstance(leaf, Array) else leaf.value for leaf in template.leaves
    ]
    value = jax.tree.unflatten(template.tree, leaves)
    if present is True and template.kind is Maybe:
        return value
    return template.kind(present, value, name, missing)


def _read(array: Any, kind: Array) -> Any:
    if kind.met:
        number_types.note_number_types(array, kind.met)
    return array


def describe_template(template: Template) -> str:
    """The template in words."""
    if template.tree is None:
        return "unassigned"
    if template.tree == jax.tree.structure(None):
        return "None"
    if template.tree == jax.tree.structure(0):
        return describe_leaf(template.leaves[0])
    shown = jax.tree.unflatten(template.tree, [_Shown(describe_leaf(leaf)) for leaf in template.leaves])
    return repr(shown).replace(", ...", "")  # gaps of a list whose length only the data knows


class _Shown(str):
    """Text that is shown without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def describe_leaf(leaf: Leaf) -> str:
    """A leaf in words: dtype and shape, or the Python value."""
    if isinstance(leaf, Array):
        return str(leaf)
    value = leaf.value
    if isinstance(value, SCALARS):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, (jax.Array, np.ndarray, np.generic)):
        return str(as_array_type(leaf))
    if callable(value) and hasattr(value, "__qualname__"):
        return f"the function '{value.__qualname__}'"
    kind = type(value).__name__
    return f"{kind} {value!r}" if isinstance(value, str) else f"{article(kind)} {kind} object"
