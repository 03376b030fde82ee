"""Does another machine compile what one has traced, and never run it where something has changed?"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.warm.test_stale import CHANGES, MODEL, one_runner, run, written  # noqa: F401

ELSEWHERE = """\
from autograph_lite.runtime.warm import machine_key
machine_key._processor = lambda: "another"
"""


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("warm")
    (made / "cache").mkdir(mode=0o700)
    written(made)
    assert run(made)[:3] == [True, 0, 1]
    shutil.copytree(made / "cache", made / "kept")
    return made


@pytest.fixture
def folder(first: Path) -> Path:
    """What the first machine has left, at the place where it was."""
    shutil.rmtree(first / "cache")
    shutil.copytree(first / "kept", first / "cache")
    written(first)
    return first


def files(folder: Path) -> set[str]:
    return {path.name for path in (folder / "cache").glob("*.zip")}


def test_another_machine_compiles_and_does_not_trace(folder):
    before = files(folder)
    assert run(folder, before=ELSEWHERE)[:3] == [True, 1, 0]
    after = files(folder)
    assert len(after - before) == 1  # the executable for that machine
    for path in before:
        (folder / "cache" / path).unlink()
    assert run(folder, before=ELSEWHERE)[:3] == [True, 1, 0]


@pytest.mark.parametrize("change", ["a helper's body", "a global number"])
def test_a_change_of_the_source_is_noticed(folder, change):
    written(folder, MODEL.replace(*CHANGES[change]))
    assert run(folder, before=ELSEWHERE)[:2] == [True, 0]


@pytest.mark.parametrize(
    "version",
    ["jax.__version__ = '99.0'", "import sys; sys.version = '3.99'", "machine_key._sources = lambda: ''"],
)
def test_another_version_traces(folder, version):
    assert run(folder, before=ELSEWHERE + version)[1] == 0


def test_what_this_jax_can_not_read_is_traced(folder):
    refuse = "import jax.export\ndef refuse(_): raise ValueError('newer')\njax.export.deserialize = refuse"
    assert run(folder, before=ELSEWHERE + refuse)[:3] == [True, 0, 1]
