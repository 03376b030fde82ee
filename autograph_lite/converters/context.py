"""What does every pass know about the function that it rewrites?"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import gast

from autograph_lite.analysis.selections import Selected
from autograph_lite.errors import Location
from autograph_lite.syntax.names import Fresh


@dataclasses.dataclass
class Context:
    """Passed to each pass."""

    fresh: Fresh  # gives an unused name for a base name
    ag: str  # the name under which generated code finds the operators; `ag` unless the user has one
    path: str  # the user's file
    function: str  # the user's name of the outermost function
    lines: list[str]  # text of the user's file, for messages
    # whether a dotted name such as `jnp.sin` leads, at conversion, to a function that needs no conversion
    is_library: Callable[..., bool] = lambda dotted, operands=0, takes_traced=False: False
    # names of the variables that hold early returns
    returns: set[str] = dataclasses.field(default_factory=set)
    # the chains of comparisons with integers, by their first `if` (see `switches`)
    chains: dict[gast.AST, Any] = dataclasses.field(default_factory=dict)
    # what the function appends to, as far as its text tells: `ys`, `self.stack`
    lists: set[str] = dataclasses.field(default_factory=set)
    # the names of what the user's functions have made, which may be such lists
    handed: set[str] = dataclasses.field(default_factory=set)
    # which names may hold a part of an array whose length only the program knows
    selected: Selected = dataclasses.field(default_factory=Selected)
    # names of the functions that the passes have made
    generated: set[str] = dataclasses.field(default_factory=set)
    # the calls that a `for` runs over, whatever names what they give
    headers: set[gast.AST] = dataclasses.field(default_factory=set)
    # the variables that a generator function in push form gives back (see `generators`); None for any other
    gives_back: tuple[str, ...] | None = None
    # the name under which light code finds what its calls have called before (see `light`)
    known: str = "ag_known"
    sites: int = 0  # how many calls look there
    outermost: gast.AST | None = None  # the function that is converted
    # `guarded`, `catches`: whether it is called inside of a `try`, and whether a `try` is in it (see `raises`)
    guarded: bool = False
    catches: bool = False
    stops: bool = False  # whether control flow is converted in all functions that are defined in it
    # the names under which generated code finds what these know
    tries: set[str] = dataclasses.field(default_factory=set)

    def location(self, node: gast.AST) -> Location:
        """Where `node` stands in the user's file."""
        line = getattr(node, "lineno", 1)
        text = self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""
        return Location(self.path, line, self.function, text)

    def name_function(self, base: str) -> str:
        """An unused name for a function that a pass makes."""
        new = self.fresh(base)
        self.generated.add(new)
        return new
