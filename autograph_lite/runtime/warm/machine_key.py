"""Machine key: what else does a compiled program depend on? The versions, the machine, and JAX's, XLA's and our settings."""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jaxlib

from autograph_lite.jax_internals import configuration, tracing_state
from autograph_lite.operators.user_code.source_places import PACKAGE

# They say where things are kept or shown, and not what a program is.
_IRRELEVANT = ("cache", "log", "traceback", "profil", "dump", "explain", "transfer_guard", "tracer_leaks")
_EMPTY_AXES = re.compile(r"<jax\.\S+AxisEnv object at 0x[0-9a-f]+>")
# With these JAX does something else than running a program on the first device.
_SPECIAL = ("jax_default_device", "jax_disable_jit", "jax_debug_nans", "jax_debug_infs", "jax_no_execution")


class Surroundings(NamedTuple):
    """What a program depends on, as digests."""

    traced: str  # what tracing does: versions of Python, JAX and this package, settings, the platform
    compiled: str  # that, and what XLA compiles for: jaxlib, the processor, the devices


def surroundings() -> Surroundings | None:
    """Tells this process's surroundings from others; None where they can't be told."""
    if tracing_state.axes_in_scope() or any(getattr(jax.config, name, None) for name in _SPECIAL):
        return None
    context = _EMPTY_AXES.sub("", repr(configuration.trace_context()))
    settings = {k: v for k, v in jax.config.values.items() if not any(part in k for part in _IRRELEVANT)}
    traced = repr((_versions(), _places(), _environment(), sorted(settings.items()), context))
    compiled = repr(
        (traced, _backend(), [d.device_kind for d in jax.devices()], jax.devices()[0].client.platform_version)
    )
    if " at 0x" in compiled:
        return None
    return Surroundings(*(hashlib.sha256(told.encode()).hexdigest() for told in (traced, compiled)))


def _environment() -> list[tuple[str, str]]:
    wanted = ("JAX_", "XLA_", "LIBTPU_", "TPU_", "CUDA_", "NVIDIA_", "TF_XLA", "AUTOGRAPH_LITE_", "EQX_")
    return sorted((name, value) for name, value in os.environ.items() if name.startswith(wanted))


def _places() -> tuple[Any, ...]:
    found = [(d.platform, d.id, d.process_index) for d in jax.devices()]
    return jax.default_backend(), found, jax.process_count()


@functools.cache
def _versions() -> tuple[Any, ...]:
    return (
        sys.version, tuple(sys.flags), jax.__version__, _digest_of(jax.__file__), _sources(), platform.system(),
    )  # fmt: skip


@functools.cache
def _backend() -> tuple[Any, ...]:
    return _digest_of(jaxlib.__file__), platform.machine(), _processor()


def _digest_of(path: str | None) -> str:
    return str(Path(path or "").stat().st_mtime_ns)


def _sources() -> str:
    """This package as it is, released or not."""
    files = sorted(Path(PACKAGE).rglob("*.py"))
    told = [(str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in files]
    return hashlib.sha256(repr(told).encode()).hexdigest()


def _processor() -> str:
    """The processor and the instructions that it knows: XLA compiles for exactly them."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor()
    wanted = ("model name", "flags", "Features", "CPU part", "vendor_id")
    return repr(sorted({line for line in text.splitlines() if line.startswith(wanted)}))
