"""Which programs do the docstrings of the error classes show, and what happens when they run?"""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import linecache
import re
import textwrap
import traceback
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import autograph_lite
from autograph_lite import errors

CLASSES = [
    kind
    for kind in vars(errors).values()
    if inspect.isclass(kind) and issubclass(kind, errors.AutographError) and kind is not errors.AutographError
]
WARNINGS = [kind for kind in vars(errors).values() if inspect.isclass(kind) and issubclass(kind, Warning)]


@dataclasses.dataclass(frozen=True)
class Example:
    """The docstring of an error class, parted: what the error means, a failing program and a mended one."""

    meaning: str
    fails: str
    works: str


def example(kind: type) -> Example:
    """The docstring of `kind`, parted."""
    text = inspect.cleandoc(kind.__doc__ or "")
    meaning, programs = re.split(r"\n+Fails:\n+", text)
    fails, works = re.split(r"\n+Works:\n+", programs)
    return Example(meaning, textwrap.dedent(fails).strip() + "\n", textwrap.dedent(works).strip() + "\n")


def run(program: str) -> dict[str, Any]:
    """The namespace after `program` has run as the file model.py, with what an example may use."""
    namespace: dict[str, Any] = {
        "__name__": "model", "autograph_lite": autograph_lite, "itertools": itertools, "jax": jax, "jnp": jnp,
        "linecache": linecache, "np": np,
    }  # fmt: skip
    linecache.cache["model.py"] = len(program), None, program.splitlines(keepends=True), "model.py"
    exec(compile(program, "model.py", "exec"), namespace)
    return namespace


def failure(kind: type[BaseException], program: str) -> str:
    """The last lines of the traceback, as Python prints them, of a program that raises `kind`; without JAX's about itself."""
    try:
        run(program)
    except kind as error:
        name = f"{type(error).__module__}."
        said = "".join(traceback.format_exception_only(error)).removeprefix(name)
        return said.partition("--------------------\n")[0]
    raise AssertionError(f"the program ran without {kind.__name__}")


def warned(kind: type[Warning], program: str) -> str:
    """What Python prints of the only warning, a `kind`, of a program that runs."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run(program)
    (only,) = caught
    assert only.category is kind
    return f"{kind.__name__}: {only.message}\n"
