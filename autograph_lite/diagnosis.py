"""What is there to know about this installation when something does not work? Versions, devices, caches, and a self-test.

    python -m autograph_lite doctor

Every line that begins with "!" is a problem, or something that nobody has tested.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

from autograph_lite import config
from autograph_lite.errors import CacheFolderError
from autograph_lite.jax_internals import cpp_registry, unpromised_names
from autograph_lite.runtime.public.function import Function
from autograph_lite.runtime.tracing.trace import Options, Trace
from autograph_lite.runtime.warm import cache_folder

PYTHONS = ((3, 11), (3, 14))  # the first and the last that are tested
JAX = ("0.10.2", "0.12")  # likewise
_NEEDED = ("autograph-lite", "jax", "jaxlib", "numpy", "gast", "astunparse", "rich")
_OPTIONAL = ("flatbuffers", "hypothesis", "pytest", "ipython", "equinox", "flax", "optax")
PROBLEM = "! "


def doctor(file: TextIO | None = None) -> bool:
    """Prints what is to be known about this installation: versions, devices, caches, a self-test, incompatibilities.

    Args:
      file: where to; None for `sys.stdout`.

    Returns:
      Whether there is no problem.
    """
    well = True
    for title, lines in _SECTIONS.items():
        print(title, file=file)
        for line in _without_failure(lines):
            well = well and not line.startswith(PROBLEM)
            print(f"  {line}", file=file)
    return well


def _without_failure(lines: Callable[[], Iterator[str]]) -> Iterator[str]:
    """The lines; whatever is raised on the way is one of them."""
    try:
        yield from lines()
    except Exception as error:
        yield f"{PROBLEM}{type(error).__name__}: {' '.join(str(error).split())}"


def _versions() -> Iterator[str]:
    yield f"Python {platform.python_version()}, {sys.platform} {platform.machine()}"
    for name in (*_NEEDED, *_OPTIONAL):
        found = config.version(name, "")
        if found or name in _NEEDED:
            yield f"{name} {found or '(not installed as a package)'}"


def _settings() -> Iterator[str]:
    for name in sorted(name for name in os.environ if name.startswith("AUTOGRAPH_LITE_")):
        yield f"{name}={os.environ[name]}"
    config.options()
    yield f"verbosity {config.verbosity()}"


def _devices() -> Iterator[str]:
    import jax

    for device in jax.devices():
        yield f"{device.platform} {device.id}: {device.device_kind}"
    yield f"float64 {'on' if _option('jax_enable_x64') else 'off'}"


def _caches() -> Iterator[str]:

    path = getattr(Trace.keeper, "path", None)
    yield f"programs: {'off' if path is None else 'on'}"
    yield from _folder(Path(path) if path is not None else cache_folder.default())
    theirs = _option("jax_compilation_cache_dir")
    yield f"JAX's own: {theirs or 'off'}"


def _folder(path: Path) -> Iterator[str]:
    if not path.is_dir():
        yield f"{path}: there is none yet"
        return
    files = [file for file in path.rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files)
    yield f"{path}: {len(files)} files, {size / 1e6:.1f} MB, mode {path.stat().st_mode & 0o777:o}"
    try:
        cache_folder.refuse_shared(path)
    except CacheFolderError as error:
        yield f"{PROBLEM}{error.what} {error.why}"
    if not os.access(path, os.W_OK):
        yield f"{PROBLEM}'{path}' can't be written to."


def _dispatch() -> Iterator[str]:
    if cpp_registry.works():
        yield "in C++"
    else:
        yield f"{PROBLEM}in Python, right and slower: this JAX lacks what calls in C++ need"
    yield from _tried()


def _tried() -> Iterator[str]:
    import jax.numpy as jnp

    found = [int(Function(_collatz, Options())(jnp.int32(n))) for n in (1, 7)]
    wanted = [_collatz(n) for n in (1, 7)]
    if found == wanted:
        yield "self-test: a loop and a branch, converted, compiled and called, do what Python does"
    else:
        yield f"{PROBLEM}self-test: {found}, where Python gives {wanted}"


def _collatz(n: int) -> int:
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps = steps + 1
    return steps


def _names() -> Iterator[str]:
    """Those that JAX does not promise, as far as they are not there."""
    used = unpromised_names.used()
    lacking = unpromised_names.lacking(used)
    yield from (f"{PROBLEM}{each}" for each in lacking)
    yield f"{len(used)} are used, {len(lacking) or 'none'} of them not there"


def _incompatible() -> Iterator[str]:
    """What is known not to fit, as far as it is there."""
    import jax

    known = {
        f"Python {platform.python_version()} is not tested; {_span(PYTHONS)} are.": not PYTHONS[0]
        <= sys.version_info[:2]
        <= PYTHONS[1],
        f"jax {jax.__version__} is newer than what is tested, {JAX[1]}.": _numbers(jax.__version__)[:2]
        > _numbers(JAX[1]),
        f"jax {jax.__version__} is older than {JAX[0]}.": _numbers(jax.__version__) < _numbers(JAX[0]),
        "Python runs without a global lock, which is not tested.": not getattr(sys, "_is_gil_enabled", bool)()
        and hasattr(sys, "_is_gil_enabled"),
        "Python keeps no column numbers (-X no_debug_ranges): lambdas on one line can't be told apart.": not any(
            column is not None for _, _, column, _ in _collatz.__code__.co_positions()
        ),
        "jax_disable_jit is on: programs are not compiled.": bool(_option("jax_disable_jit")),
    }
    found = [what for what, is_so in known.items() if is_so]
    yield from (f"{PROBLEM}{what}" for what in found)
    if not found:
        yield "none"


def _span(versions: tuple[tuple[int, int], tuple[int, int]]) -> str:
    return " to ".join(".".join(map(str, version)) for version in versions)


def _numbers(version: str) -> tuple[int, ...]:
    parts = [part for part in version.split(".") if part.isdigit()]
    return tuple(map(int, parts))


_SECTIONS: dict[str, Callable[[], Iterator[str]]] = {
    "versions": _versions,
    "settings": _settings,
    "devices": _devices,
    "caches": _caches,
    "calls": _dispatch,
    "private names of JAX": _names,
    "known incompatibilities": _incompatible,
}


def _option(name: str) -> Any:
    """A setting of JAX's; its config object names them to type checkers in newer releases only."""
    import jax

    return getattr(jax.config, name)
