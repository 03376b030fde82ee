"""How is a training watched? With a progress bar and a plot of the loss, where tqdm and Matplotlib are installed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def progress(steps: Iterable[Any]) -> Iterable[Any]:
    """The steps, with a bar on standard error that shows how many were taken."""
    try:
        import tqdm
    except ImportError:
        return steps
    return tqdm.tqdm(steps)


def plot(losses: list[float], path: str) -> bool:
    """Draws the loss at each step into an image, and tells whether it could."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure()
    axes = figure.subplots()
    axes.plot(losses)
    axes.set(xlabel="step", ylabel="loss", yscale="log")
    figure.savefig(path)
    return True
