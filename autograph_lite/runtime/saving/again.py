"""How is written to another file what was loaded from one? Its programs as they are, and its Variables as they are by now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph_lite.errors import SaveError
from autograph_lite.runtime.saving.archive import Reader, Writer
from autograph_lite.runtime.saving.loaded_function import LoadedFunction, LoadedProgram
from autograph_lite.runtime.saving.saved_values import Json
from autograph_lite.runtime.state.variable import Variable


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
