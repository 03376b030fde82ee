"""Which options hold for the whole process? Environment variables, read once and validated; the verbosity.

    AUTOGRAPH_LITE_VERBOSITY       0 silent, 1 what is converted, 2 also the generated code, 3 also each pass
    AUTOGRAPH_LITE_CHECK           1 checks each pass's specification after it ran (tests do); 0 does not
    AUTOGRAPH_LITE_FUZZ_PROGRAMS   how many random programs the property tests generate
    AUTOGRAPH_LITE_UNROLL_LIMIT    more equations than so many from one unrolled loop give a warning; 0 gives none
    AUTOGRAPH_LITE_LIGHT           0 runs the staged form of the code also where nothing is traced; 1 does not

The variables are read at the first use and not at import, so that a program may set them after importing us.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.metadata
import logging
import os
from collections.abc import Mapping

MAX_VERBOSITY = 3

logger = logging.getLogger("autograph_lite")

# By `set_verbosity`; None: the environment's holds, or the logger's level.
_chosen_verbosity: int | None = None
_leveled = False  # whether we have given the logger its level


@dataclasses.dataclass(frozen=True)
class Options:
    """The options that environment variables give.

    Attributes:
      verbosity: how much is logged, 0 to 3.
      check_passes: whether each pass's specification is checked after it ran.
      fuzz_programs: how many random programs the property tests generate, at least 1.
      light: whether functions get a light body, which runs where nothing is traced.
      unroll_limit: into how many equations a loop may be unrolled before it is warned of; 0 for any number.
    """

    verbosity: int = 0
    check_passes: bool = False
    fuzz_programs: int = 1000
    light: bool = True
    unroll_limit: int = 1000

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Options:
        """The options that `environ` gives; what is unset or empty keeps its default.

        >>> Options.from_environment({"AUTOGRAPH_LITE_VERBOSITY": "2"})
        Options(verbosity=2, check_passes=False, fuzz_programs=1000, light=True, unroll_limit=1000)
        >>> Options.from_environment({"AUTOGRAPH_LITE_CHECK": "yes"})
        Traceback (most recent call last):
        ValueError: AUTOGRAPH_LITE_CHECK is 'yes'; it may be 0 or 1.

        Raises:
          ValueError: a value is not among those that its variable may have.
        """
        return cls(
            verbosity=_integer(environ, "AUTOGRAPH_LITE_VERBOSITY", cls.verbosity, range(MAX_VERBOSITY + 1)),
            check_passes=bool(_integer(environ, "AUTOGRAPH_LITE_CHECK", cls.check_passes, range(2))),
            fuzz_programs=_integer(
                environ, "AUTOGRAPH_LITE_FUZZ_PROGRAMS", cls.fuzz_programs, range(1, 10_000_001)
            ),
            light=bool(_integer(environ, "AUTOGRAPH_LITE_LIGHT", cls.light, range(2))),
            unroll_limit=_integer(
                environ, "AUTOGRAPH_LITE_UNROLL_LIMIT", cls.unroll_limit, range(1_000_000_001)
            ),
        )


def _integer(environ: Mapping[str, str], name: str, default: int, valid: range) -> int:
    text = environ.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and int(text) in valid):
        raise ValueError(f"{name} is {text!r}; it may be {_shown(valid)}.")
    return int(text)


def _shown(valid: range) -> str:
    first, last = valid[0], valid[-1]
    if len(valid) > 5:
        return f"an integer from {first} to {last}"
    return f"{', '.join(map(str, valid[:-1]))} or {last}"


@functools.cache
def options() -> Options:
    """The process's options: the environment's, read at the first call."""
    return Options.from_environment(os.environ)


def check_passes() -> bool:
    """Whether each pass's specification is checked after it ran."""
    return options().check_passes


def light_bodies() -> bool:
    """Whether functions that `to_graph` gives get a light body, which runs where nothing is traced."""
    return options().light


def unroll_limit() -> int:
    """Into how many equations a loop may be unrolled before it is warned of; 0 for any number."""
    return options().unroll_limit


@functools.cache
def version(package: str, otherwise: str = "unknown") -> str:
    """The version of a package that is installed; `otherwise` where it isn't, as where it runs from its source."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return otherwise


def verbosity() -> int:
    """How much is logged: 0 nothing, 1 what is converted, 2 also the generated code, 3 also each pass.

    Where neither `set_verbosity` nor the environment asks for something, the level of the logger "autograph_lite" does, if
    somebody has set it: INFO for 1, DEBUG for 2.
    """
    if _chosen_verbosity is not None:
        return _chosen_verbosity
    if options().verbosity or _leveled or logger.level == logging.NOTSET:
        return options().verbosity
    return 2 if logger.level <= logging.DEBUG else int(logger.level <= logging.INFO)


def set_verbosity(level: int) -> None:
    """Chooses how much is logged, over what AUTOGRAPH_LITE_VERBOSITY says.

    Args:
      level: 0 nothing, 1 what is converted, 2 also the generated code, 3 also the code after each pass.

    Raises:
      TypeError: `level` is not an int.
      ValueError: `level` is none of these.
    """
    global _chosen_verbosity
    valid = range(MAX_VERBOSITY + 1)
    if isinstance(level, bool) or not isinstance(level, int):
        raise TypeError(f"set_verbosity: level is {level!r}; it may be {_shown(valid)}.")
    if level not in valid:
        raise ValueError(f"set_verbosity: level is {level}; it may be {_shown(valid)}.")
    _chosen_verbosity = level


def log(level: int, message: str, *args: object) -> None:
    """Logs `message % args` if the verbosity is at least `level`; the arguments are formatted only then."""
    global _leveled
    if verbosity() < level:
        return
    if not logger.hasHandlers():  # a program that configured logging decides itself where this goes
        logger.addHandler(logging.StreamHandler())
    if logger.level == logging.NOTSET:
        logger.setLevel(logging.INFO)
        _leveled = True
    logger.info(message, *args)
