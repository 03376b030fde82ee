"""Which checks does the project have? `nox` runs lint and tests, `nox -s docs` builds the site, `nox -s bench` the benchmarks."""

from __future__ import annotations

import sys

import nox

THIS_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
# The lowest and the highest supported, where the machine has them, and always the one that runs nox.
PYTHONS = sorted({"3.11", "3.13", THIS_PYTHON})

# All tests run with one way of dispatching calls, and those of calls with the other: here all go by public names.
BY_PUBLIC_NAMES = "3.13"

nox.options.sessions = ["lint", "tests"]
nox.options.error_on_missing_interpreters = False


@nox.session(python=PYTHONS)
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
    """The tests and the doctests, those of calls in both ways of dispatching them; arguments after `--` go to pytest."""
    session.install("-e", ".[test]")
    fast = session.python != BY_PUBLIC_NAMES
    of_calls = session.posargs or ["tests/runtime", "tests/semantics", "tests/compose"]
    for paths, way in ((session.posargs, fast), (of_calls, not fast)):
        env = {"JAX_PLATFORMS": "cpu", "AUTOGRAPH_LITE_FAST_DISPATCH": str(int(way))}
        session.run("pytest", "-n", "2", *paths, env=env)


@nox.session
def bench(session: nox.Session) -> None:
    """The benchmarks; benchmarks/README.md explains their figures."""
    session.install("-e", ".[test]")
    session.run("python", "-m", "benchmarks", *session.posargs, env={"JAX_PLATFORMS": "cpu"})


@nox.session
def docs(session: nox.Session) -> None:
    """The site of the pages, in build/site; a link that leads nowhere fails. Their programs run in the tests."""
    session.install("-e", ".[docs]")
    session.run("mkdocs", "build", "--strict", "--config-file", "docs/mkdocs.yml", *session.posargs)
