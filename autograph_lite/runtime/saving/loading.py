"""What does a saved file give? Functions that run without their source, with Variables of their own: `autograph_lite.load`."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from typing import Any

import jax
from jax import export

from autograph_lite.errors import LoadError
from autograph_lite.runtime.saving import call_types, contained
from autograph_lite.runtime.saving.archive import SINGLE, Reader
from autograph_lite.runtime.saving.loaded_function import LoadedFunction, LoadedProgram
from autograph_lite.runtime.saving.saved_values import Json
from autograph_lite.runtime.state.variable import Variable
from autograph_lite.runtime.types.function_type import FunctionType


def load(path: str | os.PathLike[str]) -> Any:
    """What `autograph_lite.save` has written: a `LoadedFunction`, a dict of such, or a `LoadedModule`.

    A Variable that several programs use is one Variable. Nothing in the file is run or unpickled while it is loaded; its
    programs run when they are called, and compute with arrays only: a file with one that may do more is refused.

    Args:
      path: of the file.

    Returns:
      What was given to `save`, in the same form.

    Raises:
      LoadError: it is damaged, was written by a newer version, or for another platform, or a program in it may do more than
        compute with arrays.
      OSError: it can't be read.
    """
    reader = Reader(path)
    if importlib.util.find_spec("flatbuffers") is None:
        raise LoadError(
            "JAX needs the package 'flatbuffers' to read programs.",
            fix="install it, as by pip install autograph-lite[export].",
        )
    try:
        _refuse_platform(reader)
        return _Loading(reader).all()
    except LoadError:
        raise
    except Exception as error:  # the checksums are right: it was written so
        versions = reader.manifest.get("made_with")
        told = versions.items() if isinstance(versions, dict) else ()
        made_with = ", ".join(f"{name} {number}" for name, number in told)
        raise LoadError(
            f"'{path}' can't be read: {type(error).__name__}: {error}.",
            why=f"It was written with {made_with or 'unknown versions'}; here is jax {jax.__version__}.",
            fix="load it with these versions or later ones.",
        ) from error


def _refuse_platform(reader: Reader) -> None:
    here = export.default_export_platform()
    there = reader.manifest["platforms"]
    if here not in there:
        raise LoadError(
            f"'{reader.path}' is saved for {', '.join(there)}, and JAX runs on {here}.",
            why="The programs in it were lowered for that platform.",
            fix=f"save it with platforms={[*there, here]}.",
        )


class _Loading:
    """What is known while a file is loaded: its parts and Variables."""

    def __init__(self, reader: Reader) -> None:
        self._reader, self._manifest = reader, reader.manifest
        self._variables = [self._variable(row) for row in self._manifest["variables"]]

    def all(self) -> Any:
        """What was saved."""
        functions = {name: self._function(row) for name, row in self._manifest["functions"].items()}
        kind = self._manifest["kind"]
        if kind == "module":
            rows = self._manifest["named_variables"].items()
            return LoadedModule(functions, {name: self._numbered(number) for name, number in rows})
        return functions if kind == "dict" else functions[SINGLE]

    def _variable(self, row: Json) -> Variable:
        value = self._reader.array(row["array"])
        made = Variable(value, trainable=row["trainable"], name=row["name"])
        if made.dtype != value.dtype:  # which JAX makes of it without a word
            raise LoadError(
                f"'{self._reader.path}' has a Variable of {value.dtype}, which JAX makes {made.dtype} here.",
                why="It was saved with jax_enable_x64, which is off.",
                fix='switch it on before: jax.config.update("jax_enable_x64", True).',
            )
        return made

    def _numbered(self, number: int) -> Variable:
        if type(number) is not int or number < 0:
            raise ValueError(f"{number!r} is no number of a Variable")
        return self._variables[number]

    def _function(self, row: Json) -> LoadedFunction:
        signature, opaque = call_types.read_parameters(row["parameters"], self._reader.array)
        programs = [
            self._program(row["name"], call_types.read_function_type(program["type"], opaque), program)
            for program in row["programs"]
        ]
        if any(slot.parameter not in signature.parameters for kind, _ in programs for slot in kind.slots):
            raise ValueError("calls have arguments for which there are no parameters")
        return LoadedFunction(row["name"], signature, programs, row["parameters"])

    def _program(self, name: str, kind: FunctionType, row: Json) -> tuple[FunctionType, LoadedProgram]:
        exported = export.deserialize(bytearray(self._reader.part(row["file"])))
        if exported.nr_devices > jax.device_count():
            raise LoadError(
                f"'{self._reader.path}' is saved for {exported.nr_devices} devices, and JAX has {jax.device_count()}.",
                why=f"The program of '{name}' is parted among them.",
                fix="load it where there are as many, or save a function without a mesh.",
            )
        state = [
            self._numbered(slot["variable"]) if "variable" in slot else slot["argument"]
            for slot in row["state"]
        ]
        contained.refuse_others(exported, self._reader.path)
        made = LoadedProgram(name, exported, state, row, self._reader)
        contained.refuse_misfit(kind, exported, state, row, made.used)
        return kind, made


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
