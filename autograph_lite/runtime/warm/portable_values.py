"""What of a compiled program can another jaxlib or another processor use? Its StableHLO, compiled there without tracing.

JAX says which versions read what others have written, and refuses the rest: then the function is traced.
"""

from __future__ import annotations

from typing import Any

import jax
from jax import export
from jax.extend.core import jaxpr_as_fun

from autograph_lite.jax_internals import avals
from autograph_lite.runtime.saving.archive import Reader, Writer
from autograph_lite.runtime.saving.saved_values import Json
from autograph_lite.runtime.tracing.program import Program
from autograph_lite.runtime.warm import executables


def write_stablehlo(program: Program, writer: Writer) -> Json:
    """Adds the program as StableHLO; gives what the manifest is to say of it.

    Raises:
      ValueError: JAX does not promise that others can read it.
    """
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
