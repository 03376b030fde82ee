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
    """Passed to each pass.

    Attributes:
      fresh: gives an unused name for a base name.
      ag: the name under which generated code finds the operators; `ag` unless the user has one.
      known: the name under which light code finds what its calls have called before (see `light`).
      sites: how many calls look there.
      path: the user's file.
      function: the user's name of the outermost function.
      lines: text of the user's file, for messages.
      is_library: whether a dotted name such as `jnp.sin` leads, at conversion, to a function that needs no conversion.
      returns: names of the variables that hold early returns.
      chains: the chains of comparisons with integers, by their first `if` (see `switches`).
      lists: what the function appends to, as far as its text tells: `ys`, `self.stack`.
      handed: the names of what the user's functions have made, which may be such lists.
      selected: which names may hold a part of an array whose length only the program knows.
      outermost: the function that is converted.
      guarded, catches: whether it is called inside of a `try`, and whether a `try` is in it (see `raises`).
      stops: whether control flow is converted in all functions that are defined in it.
      tries: the names under which generated code finds what these know.
      generated: names of the functions that the passes have made.
      headers: the calls that a `for` runs over, whatever names what they give.
      headers: set[gast.AST] = dataclasses.field(default_factory=set)
    gives_back: the variables that a generator function in push form gives back (see `generators`); None for any other.
    """

    fresh: Fresh
    ag: str
    path: str
    function: str
    lines: list[str]
    is_library: Callable[..., bool] = lambda dotted, operands=0, takes_traced=False: False
    returns: set[str] = dataclasses.field(default_factory=set)
    chains: dict[gast.AST, Any] = dataclasses.field(default_factory=dict)
    lists: set[str] = dataclasses.field(default_factory=set)
    handed: set[str] = dataclasses.field(default_factory=set)
    selected: Selected = dataclasses.field(default_factory=Selected)
    generated: set[str] = dataclasses.field(default_factory=set)
    headers: set[gast.AST] = dataclasses.field(default_factory=set)
    gives_back: tuple[str, ...] | None = None
    known: str = "ag_known"
    sites: int = 0
    outermost: gast.AST | None = None
    guarded: bool = False
    catches: bool = False
    stops: bool = False
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
