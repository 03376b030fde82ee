"""Which checks does the project have? `nox` runs lint and tests, `nox -s docs` builds the site, `nox -s bench` the benchmarks."""

from __future__ import annotations

import shutil
import subprocess
import sys

import nox

THIS_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
# The lowest and the highest supported that the machine has, and always the one that runs nox.
LOWEST, HIGHEST = "3.11", next((v for v in ("3.14", "3.13") if shutil.which(f"python{v}")), "3.13")
PYTHONS = sorted({LOWEST, HIGHEST, THIS_PYTHON})

# A fifth of the tests' time is LLVM's, which polishes programs that run once.
UNPOLISHED = "--xla_backend_optimization_level=0"
# The JAX of 3.11 can also do without emitters by MLIR, and compiles in a third of the time; newer ones can't.
WITHOUT_MLIR = "--xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1"

nox.options.sessions = ["lint", "tests"]
nox.options.error_on_missing_interpreters = False


@nox.session(python=PYTHONS)
def lint(session: nox.Session) -> None:
    """Types by what each Python and JAX offers; format, layers, spelling and the second checker of types once."""
    session.install("-e", ".[test,lint]")
    if session.python == PYTHONS[-1]:
        session.run("ruff", "format", "--check", ".")
        session.run("ruff", "check", ".")
        session.run("lint-imports")
        session.run("codespell")
        session.run("pyright")
    session.run("mypy")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The tests and the doctests; arguments after `--` go to pytest.

    On the highest Python, each test with its first three cases and each 7th after them. On others, each test with its first
    case, and each 16th after it. Which of seven the commit decides, so that each case runs with some commits. All cases:
    `nox -s tests-3.13 -- --every-nth-case=1`.
    """
    session.install("-e", ".[test]")
    # A part of the random programs and examples (tests/examples.py); the same ones on every Python would tell little more.
    programs = "240" if session.python == PYTHONS[-1] else "80"
    flags = f"{UNPOLISHED} {WITHOUT_MLIR}" if session.python == "3.11" else UNPOLISHED
    env = {"JAX_PLATFORMS": "cpu", "AUTOGRAPH_LITE_FUZZ_PROGRAMS": programs, "XLA_FLAGS": flags}
    # What the pages show is printed by the highest Python; layout, whole and random programs are the same on every one.
    same = ("test_pages.py", "house", "properties", "whole")
    less = [*(f"--ignore=tests/{each}" for each in same), "--every-nth-case=16"]
    most = ["--first-cases=3", "--every-nth-case=7", f"--case-offset={_commit_number()}"]
    chosen = most if session.python == PYTHONS[-1] else less
    session.run("pytest", "-n", "2", "--dist", "worksteal", *chosen, *session.posargs, env=env)


def _commit_number() -> int:
    """A number that each commit has another one of; 0 where this is no clone of the repository."""
    found = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return int(found.stdout[:4] or "0", 16)


@nox.session
def bench(session: nox.Session) -> None:
    """The benchmarks; benchmarks/README.md explains their figures."""
    session.install("-e", ".[test,bench]")
    session.run("python", "-m", "benchmarks", *session.posargs, env={"JAX_PLATFORMS": "cpu"})


@nox.session
def docs(session: nox.Session) -> None:
    """The site of the pages, in build/site; a link that leads nowhere fails. Their programs run in the tests."""
    session.install("-e", ".[docs]")
    session.run("mkdocs", "build", "--strict", "--config-file", "docs/mkdocs.yml", *session.posargs)
