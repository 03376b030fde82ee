"""Which checks does the project have? `nox` runs lint and tests, `nox -s bench` the benchmarks."""

from __future__ import annotations

import sys

import nox

THIS_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
# The lowest and the highest supported, where the machine has them, and always the one that runs nox.
PYTHONS = sorted({"3.11", "3.13", THIS_PYTHON})

nox.options.sessions = ["lint", "tests"]
nox.options.error_on_missing_interpreters = False


@nox.session
def lint(session: nox.Session) -> None:
    """Format, lint, types, layers and spelling."""
    session.install("-e", ".[test,lint]")
    session.run("ruff", "format", "--check", ".")
    session.run("ruff", "check", ".")
    session.run("mypy")
    session.run("pyright")
    session.run("lint-imports")
    session.run("codespell")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The tests and the doctests, for both ways of dispatching calls; arguments after `--` go to pytest."""
    session.install("-e", ".[test]")
    for fast in ("1", "0"):
        env = {"JAX_PLATFORMS": "cpu", "AUTOGRAPH_LITE_FAST_DISPATCH": fast}
        session.run("pytest", "-n", "2", *session.posargs, env=env)


@nox.session
def bench(session: nox.Session) -> None:
    """The benchmarks; benchmarks/README.md explains their figures."""
    session.install("-e", ".[test]")
    session.run("python", "-m", "benchmarks", *session.posargs, env={"JAX_PLATFORMS": "cpu"})
