"""Fingerprint: what may a trace of a function have read? Its code, that of all it calls, and the values these can get at.

Two functions with the same fingerprint have the same traces. Where that can't be said (a clock, a file, an object of a class
that nobody here knows) there is none, and nothing is kept for the function.
"""

from __future__ import annotations

import abc
import collections
import enum
import functools
import hashlib
import re
import sys
import types
from collections.abc import Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite import config
from autograph_lite.jax_internals import avals
from autograph_lite.operators.user_code import conversion, ownership
from autograph_lite.operators.values import instances
from autograph_lite.operators.values.values import Tracer
from autograph_lite.runtime.state.module import Module
from autograph_lite.runtime.state.variable import Variable
from autograph_lite.runtime.warm import class_parts, stable_names
from autograph_lite.runtime.warm.stable_names import UnknownError
from autograph_lite.syntax import codes

# Libraries whose functions depend on their arguments alone, as long as nobody changes the libraries' own settings.
PURE = frozenset({
    "jax", "jaxlib", "numpy", "math", "cmath", "operator", "functools", "itertools", "collections", "typing", "abc",
    "builtins", "dataclasses", "enum", "types", "ml_dtypes", "autograph_lite", "optax", "equinox", "jaxtyping",
    "einops", "_operator", "_functools", "_collections",
})  # fmt: skip
_FIELD = type(vars(collections.namedtuple("_", "field"))["field"])
# `repr` says all
_TOLD = (range, slice, np.dtype, jax.ShapeDtypeStruct, jax.sharding.PartitionSpec, _FIELD)
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented))
_METHODS = (types.FunctionType, property, staticmethod, classmethod)
_OF_BUILTINS = (types.WrapperDescriptorType, types.MethodDescriptorType)


def fingerprint_of(roots: Iterable[Any]) -> str:
    """The fingerprint of what a trace may read, starting from these objects. Raises UnknownError: it can't be said."""
    walk = _Walk()
    for root in roots:
        walk.value(root)
    walk.modules()
    return walk.digest()


class _Walk:
    """Feeds a hash with all that is met."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._seen: dict[int, int] = {}
        self._kept: list[Any] = []  # so that ids stay their own
        self._modules: dict[str, types.ModuleType] = {}
        self._attributes: set[str] = set()
        self._versions: set[str] = set()
        self._looks_up = False
        self._orders: list[list[str]] = []  # of classes' attributes, which `vars` tells

    def digest(self) -> str:
        """The hash of what was fed."""
        for name in sorted(self._versions):
            self._feed("version", name, config.version(name, ""))
        self._feed(self._orders if self._looks_up else "in no order")
        return self._hash.hexdigest()

    def _feed(self, *parts: Any) -> None:
        self._hash.update(repr(parts).encode("utf-8", "backslashreplace") + b"\n")

    def value(self, value: Any) -> None:
        """Feeds a value and what it leads to."""
        if isinstance(value, _PLAIN) and type(value) in _PLAIN:
            self._feed(type(value).__name__, value)
            return
        if id(value) in self._seen:
            self._feed("again", self._seen[id(value)])
            return
        self._seen[id(value)] = len(self._seen)
        self._kept.append(value)
        self._compound(value)

    def _compound(self, value: Any) -> None:
        match value:
            case Variable():
                self._feed("variable", value.shape, str(value.dtype), value.trainable, value.name)
                self.value(type(value))
            case _ if conversion.is_compiled(value):
                self._feed("converted", repr(value._options))
                self.value(value.python_function)
                told = getattr(value, "__dict__", {})  # `f.rate = 2`, of the user's
                kind: Any = type(value)
                ours = class_parts.names_in_methods(kind)
                own = {
                    key: told[key] for key in told if key[0] != "_" or (key[:2] != "__" and key not in ours)
                }
                self.value(own)
            case types.FunctionType():
                self._function(value)
            case types.MethodType():
                self._each("method", value.__func__, value.__self__)
            case functools.partial() if type(value) is functools.partial:
                self._each("partial", value.func, value.args, value.keywords, vars(value))
            case staticmethod() | classmethod():
                self._each("method", type(value), value.__func__)
            case property():
                self._each("property", type(value), value.fget, value.fset, value.fdel)
            case types.MemberDescriptorType() | types.GetSetDescriptorType():
                self._each("slot", value.__objclass__, value.__name__)
            case types.ModuleType():
                self._module(value)
            case types.CodeType():
                self._code(value)
            case _:
                self._data(value)

    def _data(self, value: Any) -> None:
        kind = type(value)
        if isinstance(value, (jax.Array, np.ndarray, np.generic)):
            self._array(value)
        elif isinstance(value, enum.Enum):
            self._feed("member", value.name)
            self.value(kind)
        elif isinstance(value, type):
            self._class(value)
        elif kind in (list, tuple):
            self._each(kind.__name__, *value)
        elif isinstance(value, tuple) and hasattr(kind, "_fields"):
            self._each("namedtuple", kind, instances.attributes_of(value), *value)
        elif kind in (dict, collections.OrderedDict):
            mapping: Any = value
            self._each(kind.__name__, *[part for pair in mapping.items() for part in pair])
        elif kind in (set, frozenset):
            if not all(type(item) in _PLAIN for item in value):
                raise UnknownError(f"a set of objects, {value!r}")
            self._feed(kind.__name__, sorted(map(repr, value)))
        elif isinstance(value, _TOLD):
            self._feed(kind.__name__, repr(value))
        elif not self._named(value):
            self._object(value)

    def _each(self, label: str, *values: Any) -> None:
        self._feed(label, len(values))
        for value in values:
            self.value(value)

    def _array(self, value: Any) -> None:
        if isinstance(value, Tracer) or (isinstance(value, jax.Array) and not value.is_fully_addressable):
            raise UnknownError("an array that is not on this process alone")
        dtype = str(value.dtype)
        if jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
            value = jax.random.key_data(value)
        elif not isinstance(value, (jax.Array, np.generic)) and type(value) is not np.ndarray:
            raise UnknownError(f"an array of class '{type(value).__qualname__}', which may hold more")
        weak = isinstance(value, jax.Array) and avals.weak_type(value)
        content = np.asarray(value)
        if content.dtype.hasobject:
            raise UnknownError("an array of Python objects")
        digest = hashlib.sha256(np.ascontiguousarray(content).tobytes()).hexdigest()
        self._feed("array", type(value).__name__, dtype, content.shape, content.strides, weak, digest)

    def _named(self, value: Any) -> bool:
        """Whether the value is found under a name in a pure library."""
        module = getattr(value, "__module__", None) or ""
        name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
        top = str(module).partition(".")[0]
        if not isinstance(name, str) or top not in PURE or "<locals>" in name:
            return False
        try:
            found = functools.reduce(getattr, name.split("."), sys.modules[module])
        except (AttributeError, KeyError):
            return False
        if found is value:
            stable_names.refuse_impure(name, module)
            self._looks_up |= stable_names.looks_up(value) or name in ("attrgetter", "methodcaller")
            self._versions.add(top)
            self._feed("named", module, name)
        return found is value

    def _function(self, fn: types.FunctionType) -> None:
        self._feed("function", fn.__module__, fn.__qualname__, fn.__name__)
        if ownership.is_library_file(fn.__code__.co_filename) or fn.__code__.co_filename.startswith("<"):
            self._library_function(fn)
        else:
            self._code(fn.__code__)
            self._globals(fn)
        held = {name: value for name, value in vars(fn).items() if name != "__wrapped__"}
        cells = [codes.content(cell, stable_names.UNSET) for cell in fn.__closure__ or ()]
        self._each(
            "holds", fn.__defaults__, fn.__kwdefaults__, held, getattr(fn, "__wrapped__", None), *cells
        )

    def _library_function(self, fn: types.FunctionType) -> None:
        """A function that a library has made, of its own code and of what is in its closure."""
        top = (fn.__module__ or "").partition(".")[0]
        if top not in PURE and not fn.__code__.co_filename.startswith("<"):
            raise UnknownError(f"the function '{fn.__qualname__}' of '{fn.__module__}'")
        self._versions.add(top if top in PURE else "autograph_lite")
        self._code(fn.__code__)
        if fn.__code__.co_filename.startswith("<"):  # made by `exec`: its globals are its own
            self._globals(fn)

    def _globals(self, fn: types.FunctionType) -> None:
        scope = stable_names.Scope(fn)
        self._attributes |= scope.attributes
        for name, value in scope.globals():
            self._feed("global", name)
            self.value(value)
        self._looks_up |= scope.looks_up

    def _code(self, code: types.CodeType) -> None:
        shape = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
        self._feed(shape, code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        # Where it stands, too: messages and profiles of the program tell it.
        self._feed(code.co_filename, code.co_firstlineno, code.co_linetable, code.co_exceptiontable)
        self._each("consts", *code.co_consts)

    def _class(self, kind: type) -> None:
        self._feed("class", kind.__module__, kind.__qualname__, kind.__name__)
        if isinstance(kind, abc.ABCMeta):
            self._feed("registered", sorted({*class_parts.registered(kind)}))
        if self._named(kind):
            return
        if kind.__module__.partition(".")[0] in PURE:
            raise UnknownError(f"the class '{kind.__qualname__}' of '{kind.__module__}'")
        if issubclass(kind, enum.Enum):
            self._enum(kind)
            return
        if not class_parts.is_of_user(kind):
            raise UnknownError(f"the class '{kind.__qualname__}' of '{kind.__module__}'")
        _refuse_registered(kind)
        self._each("bases", type(kind), *kind.__bases__)
        self._orders.append(list(vars(kind)))
        of_fields = class_parts.made_of_fields(kind)
        for name, value in sorted(vars(kind).items()):
            if name not in class_parts.DERIVED:
                self._feed("attribute", name)
                self._attribute(name, value, of_fields.get(name))

    def _attribute(self, name: str, value: Any, of_fields: Any) -> None:
        """An attribute of a class, and what a namedtuple of the same fields has there."""
        fn = getattr(value, "__func__", value)
        if name in ("__annotations__", "__parameters__"):
            self.value(str(value))
        elif name == "__orig_bases__":  # a function's text, as NamedTuple's, has its address
            self._each(
                name, *[base if isinstance(base, (type, types.FunctionType)) else str(base) for base in value]
            )
        elif name == "__dataclass_fields__":
            self._each(name, *[part for field in value.values() for part in class_parts.of_field(field)])
        elif name == "__dataclass_params__":
            self._feed(repr(value))
        elif isinstance(value, _OF_BUILTINS) and name[:2] == "__":
            self._feed(value.__qualname__)
        elif isinstance(fn, types.FunctionType) and class_parts.code_of(of_fields) == fn.__code__:
            self._each("of fields", fn.__defaults__, fn.__kwdefaults__)
        elif type(value).__name__ != "_abc_data":  # see `class_parts.registered`
            self.value(value)

    def _enum(self, kind: type[enum.Enum]) -> None:
        """The members of an enum with what they hold, and what else its class has."""
        for name, item in kind.__members__.items():  # aliases and composites, too
            held = [part for key, part in sorted(vars(item).items()) if key not in _OF_MEMBERS]
            self._each("member", name, item.name, item.value, *held)
        # What else is looked up as a value. Python adds the sums of flags that it meets.
        values = [
            (v, item.name) for v, item in kind._value2member_map_.items() if item.name in kind.__members__
        ]
        self._each("values", getattr(kind, "_boundary_", None), *[part for pair in values for part in pair])
        known = {*kind.__members__, *class_parts.DERIVED, "__new__"}
        for name, value in sorted(vars(kind).items()):
            enums_own = re.fullmatch("_[^_].*[^_]_", name) and not isinstance(value, _METHODS)
            if name not in known and not enums_own:
                self._feed("attribute", name)
                self._attribute(name, value, None)
        self._each("bases", type(kind), *[base for base in kind.__bases__ if base is not object])

    def _object(self, value: Any) -> None:
        """An object with attributes in Python."""
        kind = type(value)
        attributes, slots = instances.attributes_of(value), instances.slot_contents(value)
        if not all(map(_is_in_python, kind.__mro__[:-1])):
            raise UnknownError(f"a '{kind.__module__}.{kind.__qualname__}' object")
        self.value(kind)
        self._each("object", *[part for pair in (attributes or {}).items() for part in pair])
        self._each("slots", *[part for pair in slots.items() for part in pair])

    def _module(self, module: types.ModuleType) -> None:
        self._feed("module", module.__name__)
        top = module.__name__.partition(".")[0]
        if top in PURE:
            stable_names.refuse_impure(module.__name__, module.__name__)
            self._versions.add(top)
        elif class_parts.is_users_module(module.__name__):
            self._modules[module.__name__] = module
            if type(module) is not types.ModuleType:  # which may have properties
                self.value(type(module))
        else:
            raise UnknownError(f"the module '{module.__name__}'")

    def modules(self) -> None:
        """Feeds, of the user's modules that were met, what has a name that some code looks for."""
        if self._looks_up and self._modules:
            raise UnknownError(
                f"a module, {min(self._modules)}, in which names may be looked up that are computed"
            )
        done: set[tuple[str, str]] = set()
        while True:
            todo = [(m, n) for m in self._modules for n in self._attributes if (m, n) not in done]
            if not todo:
                return
            for module, name in sorted(todo):
                done.add((module, name))
                held = vars(self._modules[module])
                made_up = name not in held and "__getattr__" in held  # PEP 562
                if made_up or name in held:
                    self._feed("of module", module, name)
                    self.value(held["__getattr__" if made_up else name])
            if self._looks_up and self._modules:
                raise UnknownError("names that are computed")


def _is_in_python(kind: type) -> bool:
    """Whether the objects of a class hold nothing but attributes."""
    top = kind.__module__.partition(".")[0]
    return (
        top in ("equinox", "abc", "typing")
        or class_parts.is_users_module(kind.__module__)
        or kind in Module.__mro__
    )


_OF_MEMBERS = frozenset({"_name_", "_value_", "__objclass__", "_sort_order_", "_inverted_"})


def _refuse_registered(kind: type) -> None:
    """Refuses a class that other functions than its methods make a pytree: nothing leads from it to them."""
    ours = any(base.__module__.partition(".")[0] in ("equinox", "autograph_lite") for base in kind.__mro__)
    if ours or hasattr(kind, "tree_flatten") or hasattr(kind, "__del__"):
        return
    try:
        made: Any = object.__new__(kind)
    except TypeError:  # a class of its own kind, as a tuple's
        return
    if not jax.tree_util.all_leaves([made]):
        raise UnknownError(f"the class '{kind.__qualname__}', which is registered as a pytree")
