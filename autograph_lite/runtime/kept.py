"""Where are programs looked for before they are traced? In no place, unless `enable_compilation_cache` says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from autograph_lite.runtime.program import Program
    from autograph_lite.runtime.trace import Trace


class Keeper(Protocol):
    """What keeps programs for later processes."""

    def prepare(
        self, trace: Trace, program: Program, arrays: Sequence[Any], make: Callable[[], None]
    ) -> None:
        """Gives a program what it needs to run: what was kept, or by `make`, which traces it."""


cache: Keeper | None = None
