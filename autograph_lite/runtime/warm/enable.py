"""Are compiled programs kept for later processes, and where? `autograph_lite.enable_compilation_cache`."""

from __future__ import annotations

import os
from typing import Any

import jax

from autograph_lite.runtime.tracing.trace import Trace
from autograph_lite.runtime.warm import cache_folder
from autograph_lite.runtime.warm.program_cache import Cache

# Of JAX's own cache, which otherwise leaves out what compiles fast.
_SETTINGS = {
    "jax_persistent_cache_min_compile_time_secs": 0.0,
    "jax_persistent_cache_min_entry_size_bytes": -1,
}
_before: dict[str, Any] = {}


def enable_compilation_cache(path: str | os.PathLike[str] | None = None) -> Cache:
    """Keeps compiled programs in a folder, so that a later process runs them without tracing and compiling.

    A program is found again by all that tracing would read: the source of the function and of what it calls, the values of
    globals, closures and attributes, the types of the arguments, the options, the versions, the machine. A function for
    which that can't be said (it reads a file, a clock, an object of an unknown class) is traced in each process. JAX's own
    cache of what XLA has compiled is switched on beside, in the same folder.

    What runs while a function is traced, as a `print`, does not run where its program is found.

    Args:
      path: of the folder; None for one in the user's cache. It is made if there is none.

    Returns:
      The cache: how many programs were `found` in it and `kept` by this process.

    Raises:
      CacheFolderError: others can write to the folder.
    """
    disable_compilation_cache()
    found = cache_folder.private(path)
    cache = Cache(found)
    Trace.keeper = cache
    settings = {**_SETTINGS, "jax_compilation_cache_dir": str(found / "xla")}
    _before.update({name: getattr(jax.config, name) for name in settings})
    for name, value in settings.items():
        jax.config.update(name, value)
    return cache


def disable_compilation_cache() -> None:
    """Keeps no more programs, and looks for none; JAX's own cache is what it was."""
    Trace.keeper = None
    for name, value in _before.items():
        jax.config.update(name, value)
    _before.clear()
