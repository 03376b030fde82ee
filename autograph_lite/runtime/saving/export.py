"""How is a function written to a file, from which any process runs it without its source? `autograph_lite.save`."""

from __future__ import annotations

import contextlib
import importlib.util
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax.numpy as jnp
from jax import export

from autograph_lite import config
from autograph_lite.errors import SaveError
from autograph_lite.operators.user_code import conversion, source_places
from autograph_lite.runtime.saving import call_types, saved_checks
from autograph_lite.runtime.saving.archive import SINGLE, Reader, Writer
from autograph_lite.runtime.saving.loaded_function import LoadedFunction, LoadedProgram
from autograph_lite.runtime.saving.loading import LoadedModule
from autograph_lite.runtime.saving.saved_values import Json, NotDataError
from autograph_lite.runtime.state.module import Module
from autograph_lite.runtime.state.variable import Variable
from autograph_lite.runtime.tracing import jax_export
from autograph_lite.runtime.tracing.concrete import ConcreteFunction
from autograph_lite.runtime.tracing.program import Program
from autograph_lite.runtime.tracing.trace import Trace
from autograph_lite.runtime.types.array_spec import specs_in
from autograph_lite.runtime.types.trace_type import variable_types


def save(
    path: str | os.PathLike[str],
    function: Any,
    *signatures: tuple[Any, ...],
    vjp_order: int = 0,
    platforms: Sequence[str] | None = None,
) -> None:
    """Writes functions to a file: their programs and the Variables that these use.

    Args:
      path: of the file; what is there is replaced.
      function: a converted function, a `ConcreteFunction` or a list of such; or a dict of them by name; or a `Module`,
        whose converted methods are saved as far as they have been traced. Or what `load` has given, with the values that
        its Variables have by now.
      *signatures: of a function, the calls that are to be saved: tuples of positional arguments, or of `ArraySpec`s in their
        place. Without any, what has been traced is saved.
      vjp_order: how often the loaded function can be differentiated in reverse mode.
      platforms: that it is compiled for: "cpu", "cuda", "rocm", "tpu"; None for the one that JAX uses now.

    Raises:
      SaveError: something in a program is no data: a host callback, a change of an object of the user's, a literal argument
        of a class of the user's. Or nothing has been traced.
      OSError: the file can't be written.
    """
    if importlib.util.find_spec("flatbuffers") is None:
        raise SaveError(
            "JAX needs the package 'flatbuffers' to write programs.",
            fix="install it, as by pip install autograph-lite[export].",
        )
    if not isinstance(path, (str, os.PathLike)):
        raise SaveError(
            f"The first argument is a '{type(path).__name__}' object, and the path of a file comes first.",
            why="tf.saved_model.save has them the other way round.",
            fix="write autograph_lite.save(path, function).",
        )
    single = not isinstance(function, (Mapping, Module, LoadedModule))
    functions = {SINGLE: function} if single else _named(function)
    saving = _Saving(vjp_order, platforms or _platforms_of([*functions.values()]))
    if signatures:
        _refuse_signatures(single, function)
    rows = {name: saving.function(found, signatures) for name, found in functions.items()}
    module = function if isinstance(function, (Module, LoadedModule)) else None
    kind = "function" if single else "module" if module is not None else "dict"
    saving.write(path, kind, rows, module.named_variables if module is not None else {})


def _named(functions: Any) -> dict[str, Any]:
    """The functions of a dict, or the traced methods of a Module, by name."""
    if isinstance(functions, Mapping):
        return dict(functions)
    if isinstance(functions, LoadedModule):
        return dict(functions.functions)
    names = {
        name
        for kind in type(functions).__mro__
        for name, value in vars(kind).items()
        if conversion.is_compiled(value)
    }
    bound = {name: getattr(functions, name) for name in sorted(names)}
    traced = {name: method for name, method in bound.items() if method.concrete_functions}
    if not traced:
        raise SaveError(
            f"No method of the '{type(functions).__qualname__}' object has been traced, so that there is nothing to save.",
            fix="call the methods, or their get_concrete_function, before.",
        )
    return traced


def _platforms_of(functions: Sequence[Any]) -> list[str]:
    """Of functions that were loaded, all those that they run on; else the one at hand."""
    if not all(isinstance(function, LoadedFunction) for function in functions):
        return [export.default_export_platform()]
    found = [program.platforms for function in functions for program in function.programs]
    return [each for each in dict.fromkeys(found[0]) if all(each in platforms for platforms in found)]


def _refuse_signatures(single: bool, function: Any) -> None:
    if not (single and conversion.is_compiled(function)):
        raise SaveError(
            "Signatures are given for something else than one converted function.",
            fix="make the traces with get_concrete_function, and save without signatures.",
        )


def _concrete(function: Any, calls: Sequence[tuple[Any, ...]]) -> list[ConcreteFunction]:
    """The traces that are to be saved, at least one."""
    if isinstance(function, ConcreteFunction):
        return [function.alone()]
    if isinstance(function, (list, tuple)) and function:
        return [trace for item in function for trace in _concrete(item, ())]
    if not conversion.is_compiled(function):
        raise SaveError(
            f"{function!r} is no converted function.", fix="convert it with autograph_lite.convert."
        )
    return [each.alone() for each in _traces_of(function, calls)]


def _traces_of(function: Any, calls: Sequence[tuple[Any, ...]]) -> list[ConcreteFunction]:
    if calls:
        return [function.get_concrete_function(*arguments) for arguments in calls]
    if function.input_signature is not None:
        return [function.get_concrete_function()]
    known: list[ConcreteFunction] = function.concrete_functions
    if not known:
        raise SaveError(
            f"'{function.__name__}' has not been traced, so that there is nothing to save.",
            fix="give a signature: autograph_lite.save(path, f, (autograph_lite.ArraySpec([None], 'float32'),)).",
        )
    return known


def _empty_program(trace: Trace) -> Program | None:
    """That of a trace for arrays whose open sizes are all 0, which JAX's symbols don't stand for; None where there is none."""
    types = trace.function_type.types
    shapes = [spec.shape for spec in specs_in(types)]
    if not any(None in (shape or ()) for shape in shapes) or None in shapes:
        return None
    arrays = [jnp.zeros([size or 0 for size in spec.shape or ()], spec.dtype) for spec in specs_in(types)]
    variables: list[Any] = [kind for type in types for kind in variable_types(type)]
    try:
        return trace.program(arrays, variables)
    except Exception:  # as where it takes the first item: a call of the function itself raises it
        return None


def versions() -> dict[str, str]:
    """The versions that a file depends on."""
    return {name: config.version(name) for name in ("autograph-lite", "jax", "jaxlib")}


class _Saving:
    """What is known while a file is made: its parts, and the Variables that its programs use."""

    def __init__(self, vjp_order: int, platforms: Sequence[str]) -> None:
        self._vjp_order = vjp_order
        self._platforms = list(platforms)
        self._writer = Writer()
        self._variables: dict[int, Variable] = {}

    def function(self, function: Any, calls: Sequence[tuple[Any, ...]]) -> Json:
        """A function as data: its parameters, and its programs."""
        if isinstance(function, LoadedFunction):
            return save_loaded(function, self._writer, self.number_of, self._platforms, self._vjp_order)
        traces = _concrete(function, calls)
        signature = traces[0].signature
        return {
            "name": traces[0].name,
            "parameters": call_types.encode_parameters(signature, self._writer.array),
            "programs": [row for trace in traces for row in self._programs(trace)],
        }

    def _programs(self, concrete: ConcreteFunction) -> list[Json]:
        program, empty = jax_export.own_program(concrete.trace), _empty_program(concrete.trace)
        jax_export.refuse_unexportable(concrete.name, concrete.trace, program)
        rows = [self._program(concrete, program, lambda types: types)]
        if empty is not None:
            with contextlib.suppress(
                SaveError
            ):  # a derivative that JAX does not export: size 0 is refused, then
                rows.append(self._program(concrete, empty, call_types.of_no_items))
        return rows

    def _program(
        self, concrete: ConcreteFunction, program: Program, sized: Callable[[list[Json]], Any]
    ) -> Json:
        trace = concrete.trace
        try:
            return {
                "type": sized(call_types.function_type(trace.function_type, concrete.signature)),
                "shown": str(concrete.function_type),
                "file": self._writer.program(self._exported(concrete.name, program)),
                **({"writes": program.written_arrays} if program.written_arrays else {}),
                "state": [self._slot(concrete, variable) for variable in trace.state.variables],
                **self._outputs(program),
            }
        except NotDataError as error:
            raise SaveError(
                f"'{concrete.name}' can't be saved: {error}.",
                where=source_places.line_of_function(trace.fn),
                why="Files hold arrays, numbers and text in lists, tuples and dicts: anything else is code.",
                fix="pass and return its parts.",
            ) from None

    def _exported(self, name: str, program: Program) -> bytes:
        try:
            made = jax_export.export_program(program, self._platforms)
            return bytes(made.serialize(vjp_order=self._vjp_order))
        except Exception as error:
            raise SaveError(
                f"JAX can't export '{name}': {error}",
                why=f"It was asked for derivatives of order {self._vjp_order} and the platforms {self._platforms}.",
                fix="ask for less, or change what JAX names.",
            ) from error

    def _slot(self, concrete: ConcreteFunction, variable: Variable) -> Json:
        alias = concrete.trace.alias_of(variable)
        if alias is not None:
            return {"argument": alias}
        return {"variable": self.number_of(concrete.current(variable))}

    def number_of(self, variable: Variable) -> int:
        """The number of a Variable in the file."""
        self._variables.setdefault(id(variable), variable)
        return [*self._variables].index(id(variable))

    def _outputs(self, program: Program) -> Json:
        assert program.result is not None
        assert program.after is not None
        weak = [bool(aval.weak_type) for aval in program.jaxpr.out_avals]
        return {
            **call_types.encode_outputs(program.result, program.after, weak, self._writer.array),
            "check_outputs": [list(key) for key in program.checks],
            "checks": [saved_checks.encode_check(site) for site in program.sites.values()],
        }

    def write(
        self, path: str | os.PathLike[str], kind: str, functions: Json, named: Mapping[str, Variable]
    ) -> None:
        """Writes the file."""
        names = {name: self.number_of(variable) for name, variable in named.items()}
        self._writer.write(
            path,
            {
                "made_with": versions(),
                "kind": kind,
                "platforms": self._platforms,
                "functions": functions,
                "variables": [self._variable(variable) for variable in self._variables.values()],
                "named_variables": names,
            },
        )

    def _variable(self, variable: Variable) -> Json:
        told = {"name": variable.name, "trainable": variable.trainable}
        return {**told, "array": self._writer.array(variable._value)}


def save_loaded(
    loaded: LoadedFunction,
    writer: Writer,
    number_of: Callable[[Variable], int],
    platforms: Sequence[str],
    vjp_order: int,
) -> Json:
    """A loaded function as data. Raises SaveError: it was saved for other platforms, or with fewer derivatives."""
    for program in loaded.programs:
        _refuse_more(loaded.__name__, program, platforms, vjp_order)
    reader = loaded.programs[0].reader
    return {
        "name": loaded.__name__,
        "parameters": _copied(loaded.parameters, reader, writer),
        "programs": [_program(each, writer, number_of) for each in loaded.programs],
    }


def _program(program: LoadedProgram, writer: Writer, number_of: Callable[[Variable], int]) -> Json:
    state = [
        {"variable": number_of(slot)} if isinstance(slot, Variable) else {"argument": slot}
        for slot in program.state
    ]
    return {**_copied(program.row, program.reader, writer), "state": state}


def _copied(data: Any, reader: Reader, writer: Writer) -> Any:
    """Data with the parts of a file that they name, which become parts of another; the user's own dicts are lists of pairs."""
    if isinstance(data, list):
        return [_copied(each, reader, writer) for each in data]
    if not isinstance(data, dict):
        return data
    made = {key: _copied(each, reader, writer) for key, each in data.items()}
    if "file" in data:
        folder, _, name = data["file"].partition("/")
        made["file"] = writer.part(folder, name.rpartition(".")[2], reader.part(data["file"]))
    return made


def _refuse_more(name: str, program: LoadedProgram, platforms: Sequence[str], vjp_order: int) -> None:
    if not {*platforms} <= {*program.platforms}:
        raise SaveError(
            f"'{name}' was loaded from a file, and is saved for {', '.join(platforms)}.",
            why=f"Its programs were lowered for {', '.join(program.platforms)}.",
            fix="leave out `platforms`, or save the function itself for them.",
        )
    if vjp_order > program.vjp_order:
        raise SaveError(
            f"'{name}' was loaded from a file, and is saved with vjp_order={vjp_order}.",
            why=f"That file holds its derivatives up to order {program.vjp_order}.",
            fix="leave out `vjp_order`, or save the function itself with it.",
        )
