"""What is a Module that was loaded from a file? Its converted methods, and its Variables by their paths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autograph_lite.runtime.saving.loaded_function import LoadedFunction
from autograph_lite.runtime.state.variable import Variable


class LoadedModule:
    """The converted methods of a Module that was saved, as attributes.

    Attributes:
      named_variables: its Variables by the paths that led to them.
      variables: the same in their order.
    """

    def __init__(self, functions: Mapping[str, LoadedFunction], named: Mapping[str, Variable]) -> None:
        self._functions, self.named_variables = dict(functions), dict(named)
        self.variables = [*{id(variable): variable for variable in named.values()}.values()]

    @property
    def functions(self) -> dict[str, LoadedFunction]:
        """Its methods by name."""
        return dict(self._functions)

    @property
    def trainable_variables(self) -> list[Variable]:
        """Those of `variables` that are trainable."""
        return [variable for variable in self.variables if variable.trainable]

    def __getattr__(self, name: str) -> LoadedFunction:
        functions: dict[str, LoadedFunction] = self.__dict__.get("_functions", {})
        if name not in functions:
            raise AttributeError(f"The loaded module has no method {name!r}: it has {sorted(functions)}.")
        return functions[name]

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Calls the method `__call__` of the module that was saved."""
        return self.__getattr__("__call__")(*args, **kwargs)
