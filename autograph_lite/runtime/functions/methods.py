"""Bound methods: what is `instance.method`, where `method` is a compiled function? It depends on what the instance is.

A structure, such as a dataclass object or a registered pytree, is the first argument, and traced as others are. Any other
object has a function with traces of its own. These go when the instance goes: what keeps them holds it weakly, and what a
user gets, for the time of a call, holds it as Python's own bound methods do.
"""

from __future__ import annotations

import copy
import functools
import inspect
import threading
import types
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import jax

from autograph_lite.operators.values import dataclass_objects, instances
from autograph_lite.operators.values.boxes import Whole
from autograph_lite.runtime.state import function_copies
from autograph_lite.runtime.types.object_type import Bound
from autograph_lite.runtime.types.trace_type import is_of_protocol

F = TypeVar("F")
# The identity of an object, as a number. With JAX, `id` runs an audit hook in Python since 0.12, which takes 0.3 us.
identity = object.__hash__
HELD = 256  # instances that can't be referenced weakly, and so have to be held, of one method


def is_traced_instance(instance: Any) -> bool:
    """Whether an instance is traced where a method is bound to it: its type, as an argument, is made of others, or its own."""
    kind = type(instance)
    if isinstance(instance, Whole):  # state of ours
        return False
    if is_of_protocol(kind) or dataclass_objects.is_record(instance):
        return True
    return not jax.tree_util.all_leaves([instance])


class BoundFunction(functools.partial[Any], Bound):
    """A compiled function bound to an instance. It has the attributes of a `Function`.

    They hold for that instance, where it has traces of its own; else `args` has it, and they hold for all instances.
    It is made again at each access of the method. Python makes and calls nothing faster than a `partial`. That is one of the
    function, and not of what runs its calls at present: somebody may keep it while that becomes something else.
    """

    __slots__ = ("__self__", "_function")

    __self__: Any
    _function: Any

    @property
    def __annotations__(self) -> dict[str, Any]:  # type: ignore[override]
        """Those of the user's method."""
        return getattr(self.__func__, "__annotations__", {})

    @property
    def __func__(self) -> Any:
        """The function as the class has it."""
        return self._function.unbound

    @property
    def __wrapped__(self) -> Any:
        """The user's method."""
        return types.MethodType(self.__func__.python_function, self.__self__)

    @property
    def python_function(self) -> Callable[..., Any]:
        """The user's method."""
        return self._of_instance(self._function.python_function)

    def inside(self) -> Callable[..., Any]:
        """What converted code calls in place of this method."""
        return self._of_instance(self._function.inside())

    def _of_instance(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        return types.MethodType(fn, self.__self__) if self.args else fn

    def compiled(self, /, *args: Any, **kwargs: Any) -> Any:
        """As that of the function."""
        return self._function.compiled(*self.args, *args, **kwargs)

    def weak(self) -> Callable[[], BoundFunction | None]:
        """As of `Bound`."""
        function, reference = self._function, weakref.ref(self.__self__)

        def found() -> BoundFunction | None:
            instance = reference()
            return None if instance is None else bind_method(function, instance)

        return found

    def get_concrete_function(self, /, *args: Any, **kwargs: Any) -> Any:
        """As that of the function; the instance lives as long as it runs."""
        found = self._function.get_concrete_function(*self.args, *args, **kwargs)
        return found.bound(self.__self__) if self.args else found

    @property
    def concrete_functions(self) -> list[Any]:
        """Those of the function that take the instance."""
        found = self._function.concrete_functions
        return (
            [each.bound(self.__self__) for each in found if each.takes(self.__self__)] if self.args else found
        )

    def alone(self) -> Any:
        """A function with traces of this instance alone, as it is now: for what looks at a method once."""
        return self._function.of(self.python_function) if self.args else self._function

    def verify(self, /, *args: Any, **kwargs: Any) -> Any:
        """As that of the function; the instance lives as long as it runs."""
        return self.alone().verify(*args, **kwargs)

    def report(self, /, *args: Any, **kwargs: Any) -> Any:
        """As that of the function; the instance lives as long as it runs."""
        return self._function.report_of(self, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BoundFunction):
            return NotImplemented
        return self._function is other._function and self.__self__ is other.__self__

    def __hash__(self) -> int:
        return hash((self._function, identity(self.__self__)))

    def __repr__(self) -> str:
        return f"<bound {self._function!r} of {self.__self__!r}>"

    def clone(self) -> BoundFunction:
        """The method of a deep copy of the instance."""
        return copy.deepcopy(self)

    def __copy__(self) -> BoundFunction:
        """The method of the same instance with traces of its own."""
        function = copy.copy(self._function)
        return bind_method(function, self.__self__)

    def __deepcopy__(self, memo: function_copies.Memo) -> BoundFunction:
        """The method of a copy of the instance."""
        instance = function_copies.deep_copy(self.__self__, memo)
        bound: BoundFunction = self.__func__.__get__(instance, type(instance))
        return bound

    def __reduce_ex__(self, protocol: Any) -> Any:
        name = function_copies.method_name(type(self.__self__), self.__func__)
        if self.args and inspect.getattr_static(self.__self__, name, None) is not self.__func__:
            return bind_method, (self.__func__, self.__self__)
        return getattr, (self.__self__, name)


def bind_method(function: Any, instance: Any) -> BoundFunction:
    """A function bound to an instance, which it has the traces of, or takes for its first argument."""
    bound = BoundFunction(function, *(() if function.is_of_instance else (instance,)))
    bound.__self__, bound._function = instance, function
    return bound


class WeakMethod:
    """What binds functions to an instance that is not kept alive by it."""

    def __init__(self, unbound: Any, instance: Any) -> None:
        self.unbound, self._instance = unbound, instances.reference_to(instance)

    def bound(self, fn: Callable[..., Any]) -> types.MethodType:
        """`fn` bound to the instance. Raises ReferenceError: the instance is gone."""
        instance = self._instance()
        if instance is None:
            raise ReferenceError(f"The instance that '{self.unbound.__qualname__}' was bound to is gone.")
        return types.MethodType(fn, instance)


class Instances(Generic[F]):
    """One function for each instance, by identity."""

    def __init__(self, make: Callable[[Any], F]) -> None:
        self._make = make
        self.known: dict[int, F] = {}
        self._watches: dict[int, weakref.ref[Any]] = {}
        self._held: OrderedDict[int, Any] = OrderedDict()
        self._lock = threading.RLock()

    def of(self, instance: Any) -> F:
        """The function for this instance."""
        known = self.known.get(identity(instance))
        return self._new(instance) if known is None else known

    def _new(self, instance: Any) -> F:
        key = identity(instance)
        with self._lock:  # two threads that ask at once get one function
            if key not in self.known:
                try:
                    self._watches[key] = weakref.ref(instance, lambda _: self._forget(key))
                except TypeError:
                    self._hold(key, instance)
                self.known[key] = self._make(instance)
            return self.known[key]

    def _hold(self, key: int, instance: Any) -> None:
        self._held[key] = instance
        if len(self._held) > HELD:
            self._forget(self._held.popitem(last=False)[0])

    def _forget(self, key: int) -> None:
        self.known.pop(key, None)
        self._watches.pop(key, None)

    def all(self) -> list[F]:
        """The functions of the instances that are there."""
        return list(self.known.values())
