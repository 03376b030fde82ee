"""What does `f.report(*args)` give? A page that shows itself in notebooks, and that can be saved."""

from __future__ import annotations

import dataclasses
import html
import os
import pathlib
from typing import Any


@dataclasses.dataclass(frozen=True)
class Report:
    """A page that shows what became of a function: source, generated code, jaxpr and HLO, decisions, traces, control flow.

    Attributes:
      name: the function's.
      html: the page, which loads nothing.
    """

    name: str
    html: str = dataclasses.field(repr=False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file.

        Raises:
          OSError: it can't be written.
        """
        pathlib.Path(path).write_text(self.html, encoding="utf-8", errors="backslashreplace")

    def _repr_html_(self) -> str:
        """The page in a frame of its own: a notebook's style and scripts do not meet those of the page."""
        return (
            f'<iframe title="What became of {html.escape(self.name)}" sandbox="allow-scripts" srcdoc="{html.escape(self.html)}"'
            ' style="width:100%;height:50em;border:1px solid #8888"></iframe>'
        )


def report(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Report:
    """The report of a function for these arguments; see `Function.report`."""
    # Not needed to import the package: it would take 17 ms more.
    from autograph_lite.runtime.reporting.page import page
    from autograph_lite.runtime.reporting.trace_facts import gather

    found = gather(fn, args, kwargs)
    return Report(found.name, page(found))
