"""Unchanged files: is a file what it was when Python made a function of it?

Most files are, and are known by the times of the file system: nothing else is looked at then. Of others it is known where
what was compiled of the file as it is now holds the function's very code, as pytest and import hooks compile it.
"""

from __future__ import annotations

import importlib.util
import marshal
import os
import sys
import time
import types
from collections.abc import Iterator
from pathlib import Path

from autograph_lite.syntax import codes


def _process_began() -> float | None:
    """When this process began; None where the system does not tell."""
    try:
        ticks = float(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        booted = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
        return booted + ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return None


_BEGAN, _NOW = _process_began(), time.time()
_THERE = frozenset(sys.modules)  # what was imported at some time before


def since_import(fn: types.FunctionType) -> bool:
    """Whether the times of the file say that it was not written to since it was imported."""
    imported_later = fn.__globals__.get("__name__", "__main__") not in _THERE
    since = _NOW if imported_later else _BEGAN
    return since is not None and _written_before(since, fn.__code__.co_filename)


def _written_before(since: float, path: str) -> bool:
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return False
    latest = max(found.st_mtime, found.st_ctime)
    # Kernels stamp files by a clock that ticks, some file systems in whole seconds.
    return latest + (2.0 if latest == int(latest) else 0.05) < since


def gives_again(fn: types.FunctionType) -> bool:
    """Whether the module's loader makes the code of `fn` of the file as it is now, or Python has made it of it."""
    path = Path(fn.__code__.co_filename)
    if _BEGAN is None and _written_before(_NOW, fn.__code__.co_filename):
        return True  # as far as can be known
    return any(_holds(code, fn.__code__) for code in (*_of_loader(fn, path), *_beside(path)))


def _of_loader(fn: types.FunctionType, path: Path) -> Iterator[types.CodeType]:
    module = sys.modules.get(fn.__globals__.get("__name__", ""))
    try:
        code = module.__loader__.source_to_code(path.read_bytes(), str(path))  # type: ignore[union-attr]
    except Exception:  # of somebody else's loader
        return
    if isinstance(code, types.CodeType):
        yield code


def _beside(path: Path) -> Iterator[types.CodeType]:
    """The modules that Python, or pytest, has compiled of the file and kept beside it."""
    try:
        written, text = path.stat(), path.read_bytes()
        kept = [*Path(importlib.util.cache_from_source(path)).parent.glob(f"{path.stem}.*.pyc")]
    except (OSError, ValueError, NotImplementedError):
        return
    for each in kept:
        try:
            data, made = each.read_bytes(), each.stat()
            code = marshal.loads(data[16:]) if _is_made_of(data, made, text, written) else None
        except (OSError, ValueError, EOFError, TypeError):
            continue
        if isinstance(code, types.CodeType):
            yield code


def _is_made_of(data: bytes, made: os.stat_result, text: bytes, written: os.stat_result) -> bool:
    """Whether a compiled file says in its first bytes that it was made of a text: by a hash, or by time and size."""
    if data[:4] != importlib.util.MAGIC_NUMBER:
        return False
    if data[4] & 1:
        return data[8:16] == importlib.util.source_hash(text)
    named = b"".join(
        (int(number) & 0xFFFFFFFF).to_bytes(4, "little") for number in (written.st_mtime, written.st_size)
    )
    # The time is one in seconds: a file that was written to since may have the same.
    return data[8:16] == named and made.st_mtime > max(written.st_mtime, written.st_ctime)


def _holds(module: types.CodeType, code: types.CodeType) -> bool:
    return any(each == code for each in codes.nested_codes(module))
