"""How does a compiled program get into a file, and into a function of another process?

A file holds the program as XLA has compiled it for this very machine, and, as data, what its outputs are. It is found by
what tracing would have read: see `fingerprint` and `machine`. Another file holds the program for other machines.
"""

from __future__ import annotations

import functools
import hashlib
import json
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jax import export
from jax.experimental import serialize_executable
from jax.extend.core import jaxpr_as_fun

from autograph_lite.jax_internals import avals
from autograph_lite.operators.checks.raising import Entry, Site
from autograph_lite.operators.values.values import Tracer
from autograph_lite.runtime.saving import call_types, saved_checks
from autograph_lite.runtime.saving.archive import Reader, Writer
from autograph_lite.runtime.saving.loaded_function import Outputs
from autograph_lite.runtime.saving.saved_values import Json, NotDataError
from autograph_lite.runtime.state.carried_state import KEPT
from autograph_lite.runtime.tracing import jax_export
from autograph_lite.runtime.tracing.program import Program
from autograph_lite.runtime.tracing.trace import Trace
from autograph_lite.runtime.types.leaf_partition import Split
from autograph_lite.runtime.warm import cache_folder, executables, fingerprint, machine_key, stable_names

logger = logging.getLogger("autograph_lite")


class Cache:
    """Programs in a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found = self.kept = 0

    def prepare(
        self, trace: Trace, program: Program, arrays: Sequence[Any], make: Callable[[], None]
    ) -> None:
        """Gives a program what it needs to run: from the folder, or by `make`, which traces it."""
        source = _key_of(trace, program, arrays)
        here = machine_key.surroundings() if source is not None else None
        if source is None or here is None:
            make()
            return
        program.types = [*map(_type, [*arrays, *program.held])]
        executable, portable_file = (self._file(source, digest) for digest in here[::-1])
        if self._restore(executable, program, _loaded) is not None:
            self.found += 1
            return
        reader = self._restore(portable_file, program, compile_portable)
        if reader is not None:
            self.found += 1
            self._write(executable, program, Writer.of(reader), reader.manifest, program.ready.compiled)
            return
        make()
        # What tracing has changed would not be changed by a process that does not trace.
        if _key_of(trace, program, arrays) == source and self._keep(
            executable, portable_file, trace, program
        ):
            self.kept += 1

    def _file(self, source: str, surroundings: str) -> Path:
        return self.path / f"{hashlib.sha256(f'{source} {surroundings}'.encode()).hexdigest()}.zip"

    def _restore(self, path: Path, program: Program, read: Callable[[Reader, Program], Any]) -> Reader | None:
        """Lets a program run what a file holds; gives the file, or None if it is of no use here."""
        if not cache_folder.is_own_file(path):
            return None
        try:
            cache_folder.refuse_shared(self.path)
            reader = Reader(path)
            run = executables.Guarded(read(reader, program), program, _is_here)
            _describe(program, reader)
        except Exception as error:  # whatever a damaged file or another machine leads to: it is traced, then
            logger.debug("%s can't be used: %s", path, error)
            return None
        program.restored(run)
        return reader

    def _keep(self, executable: Path, portable_file: Path, trace: Trace, program: Program) -> bool:
        try:
            writer = Writer()
            manifest = _told(trace, program, writer)
            compiled = executables.compile_here(program.jit.lower(*program.types))
        except Exception as error:  # what can't be told is traced again
            logger.debug("'%s' is not kept: %r", program.name, error, exc_info=True)
            return False
        kept = self._write(executable, program, writer.copy(), manifest, compiled)
        try:
            more = write_stablehlo(program, writer)
        except Exception as error:
            logger.debug("'%s' is kept for this machine alone: %r", program.name, error)
            return kept
        self._publish(portable_file, writer, {**manifest, **more})
        return kept

    def _write(self, path: Path, program: Program, writer: Writer, manifest: Json, compiled: Any) -> bool:
        """Keeps a program as it is compiled for this very machine."""
        try:
            content, _, _ = serialize_executable.serialize(compiled)
            self._publish(
                path, writer, {**manifest, "executable": writer.part("executables", "bin", content)}
            )
        except Exception as error:  # what can't be written is traced again
            logger.debug("'%s' is not kept: %r", program.name, error, exc_info=True)
            return False
        return True

    def _publish(self, path: Path, writer: Writer, manifest: Json) -> None:
        cache_folder.refuse_shared(self.path)
        writer.write(path, manifest)
        path.chmod(0o600)


def _key_of(trace: Trace, program: Program, arrays: Sequence[Any]) -> str | None:
    """Tells what tracing would read; None where that can't be told."""
    if not program.owned or not program.state.is_variables or not all(map(_is_here, arrays)):
        return None
    # What it may take, and what it may not as the caller's objects still hold it, tracing finds.
    if program.given:
        return None
    try:
        kinds = [call_types.data_of(kind) for kind in trace.function_type.types]
        slots = [(slot.parameter, slot.key) for slot in trace.function_type.slots]
        roots = [trace.fn, trace.instance, repr(trace.options), program.state.variables]
        held = [(kind.shape, str(kind.dtype), kind.weak_type) for kind in program.held]
        return json.dumps(
            [kinds, slots, held, [list(a.shape) for a in arrays], fingerprint.fingerprint_of(roots)]
        )
    except (NotDataError, stable_names.UnknownError) as error:
        logger.debug("'%s' is not kept: %s", program.name, error)
        return None


def _is_here(array: Any) -> bool:
    """Whether an array is where programs run that say nothing of devices."""
    if isinstance(array, Tracer):
        return False
    sharding = getattr(array, "sharding", None)
    if sharding is None:
        return True
    return isinstance(sharding, jax.sharding.SingleDeviceSharding) and sharding.device_set == {
        jax.devices()[0]
    }


def _type(value: Any) -> jax.ShapeDtypeStruct:
    kind = jax.typeof(value) if not isinstance(value, jax.ShapeDtypeStruct) else value
    return jax.ShapeDtypeStruct(kind.shape, kind.dtype, weak_type=getattr(kind, "weak_type", False))


def _told(trace: Trace, program: Program, writer: Writer) -> Json:
    """What a file says of a program beside the program itself.

    Raises:
      NotDataError: it can't be said.
      SaveError: the program calls Python.
    """
    jax_export.refuse_unexportable(program.name, trace, program)
    assert program.result is not None
    assert program.after is not None
    if program.raises:
        raise NotDataError("that each call raises, which Python may decide otherwise at the next")
    if program.once:
        raise NotDataError("what Python writes to arrays from outside")
    if program.written_arrays:
        raise NotDataError("which arrays of the caller's it writes")
    sites = list(program.sites.values())
    if not all(saved_checks.is_exact(site) for site in sites):
        raise NotDataError("an exception of a class of the user's")
    weak = [False] * len(program.result.arrays)
    return {
        **call_types.encode_outputs(program.result, program.after, weak, writer.array),
        "check_outputs": [list(key) for key in program.checks],
        "checks": [
            {**saved_checks.encode_check(site), "trace": _lines(site), "text": site.text} for site in sites
        ],
    }


def _lines(site: Site) -> list[Any]:
    return [[line.path, line.function, *line.span] for line in site.trace]


def _describe(program: Program, reader: Reader) -> None:
    """Gives the program what tracing it would have told of its outputs."""
    told = reader.manifest
    result = call_types.read_value(told["result"], reader.array, Outputs())
    after = [KEPT if number is None else jnp.zeros(()) for number in told["after"]]
    sites = {row["number"]: _site(row) for row in told["checks"]}
    program.described(
        Split.of(result, keep_numpy=True).emptied(),
        Split.of(after).emptied(),
        [tuple(key) for key in told["check_outputs"]],
        sites,
    )


def _site(row: Json) -> Site:
    entries = tuple(Entry(path, function, tuple(span)) for path, function, *span in row["trace"])
    make = functools.partial(saved_checks.read_error, row["error"])
    return Site(row["number"], make, entries, 0, row["text"], object(), None)


def _loaded(reader: Reader, program: Program) -> Any:
    """The program as XLA has compiled it for this machine."""
    content = reader.part(reader.manifest["executable"])
    inputs = jax.tree.structure(((0,) * len(program.types), {}))
    told, returned = reader.manifest, Outputs()
    call_types.read_value(told["result"], lambda _: None, returned)
    written = [number for number in told["after"] if number is not None]
    count = returned.end + len(written) + len(told["check_outputs"])
    tree = jax.tree.structure([0] * count)
    device = jax.devices()[0]
    return serialize_executable.deserialize_and_load(content, inputs, tree, execution_devices=[device])


def write_stablehlo(program: Program, writer: Writer) -> Json:
    """Adds the program as StableHLO; gives what the manifest says of it. Raises ValueError: JAX promises no reader."""
    made = export.export(jax.jit(jaxpr_as_fun(program.jaxpr)), platforms=[jax.default_backend()])
    content = made(*program.types).serialize()
    weak = [bool(aval.weak_type) for aval in program.jaxpr.out_avals]
    return {"stablehlo": writer.program(bytes(content)), "weak": weak}


def compile_portable(reader: Reader, program: Program) -> Any:
    """The program of a file, compiled here."""
    exported = export.deserialize(bytearray(reader.part(reader.manifest["stablehlo"])))
    weak = reader.manifest["weak"]

    def run(*flat: Any) -> list[Any]:  # StableHLO knows nothing of weak types
        outputs = zip(exported.call(*flat), weak, strict=True)
        return [avals.as_type(output, output.dtype, is_weak) for output, is_weak in outputs]

    run.__name__ = program.name.rpartition(".")[2]
    return executables.compile_here(jax.jit(run).lower(*program.types))
