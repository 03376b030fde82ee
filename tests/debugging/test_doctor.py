"""Does the doctor say what there is, and mark what is wrong?"""

from __future__ import annotations

import io
import pathlib
import re

import jax
import pytest

import autograph_lite
from autograph_lite import config, diagnosis
from autograph_lite.cli import commands
from autograph_lite.jax_internals import cpp_registry


@pytest.fixture(autouse=True)
def a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> pathlib.Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "autograph_lite"


def said() -> tuple[bool, str]:
    out = io.StringIO()
    well = autograph_lite.doctor(out)
    return well, out.getvalue()


def test_it_names_versions_devices_caches_and_what_it_has_tried(a_folder_of_its_own: pathlib.Path) -> None:
    well, text = said()
    assert well
    titles = [line for line in text.splitlines() if not line.startswith(" ")]
    assert titles == [
        "versions", "settings", "devices", "caches", "calls", "private names of JAX", "known incompatibilities"
    ]  # fmt: skip
    for line in (
        f"jax {jax.__version__}",
        "verbosity 0",
        "cpu 0: cpu",
        "float64 off",
        "programs: off",
        f"{a_folder_of_its_own}: there is none yet",
        "self-test: a loop and a branch, converted, compiled and called, do what Python does",
        "none",
    ):
        assert f"\n  {line}\n" in text


def test_it_measures_the_folder_of_programs(a_folder_of_its_own: pathlib.Path) -> None:
    autograph_lite.enable_compilation_cache()
    try:
        (a_folder_of_its_own / "one").write_bytes(b"x" * 200_000)
        well, text = said()
    finally:
        autograph_lite.disable_compilation_cache()
    assert well
    assert "\n  programs: on\n" in text
    assert re.search(rf"\n  {a_folder_of_its_own}: 1 files, 0\.2 MB, mode 700\n", text)


def test_a_folder_that_others_may_write_to_is_a_problem(a_folder_of_its_own: pathlib.Path) -> None:
    a_folder_of_its_own.mkdir()
    a_folder_of_its_own.chmod(0o777)
    well, text = said()
    assert not well
    assert (
        f"\n  ! Others can write to '{a_folder_of_its_own}', and programs that are loaded from it run here. "
        "Its mode is drwxrwxrwx.\n" in text
    )


def test_a_wrong_setting_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    config.options.cache_clear()
    monkeypatch.setenv("AUTOGRAPH_LITE_VERBOSITY", "loud")
    try:
        well, text = said()
    finally:
        config.options.cache_clear()
    assert not well
    assert (
        "\n  AUTOGRAPH_LITE_VERBOSITY=loud\n  ! ValueError: AUTOGRAPH_LITE_VERBOSITY is 'loud'; it may be "
        in text
    )


def test_a_jax_without_what_fast_calls_need_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpp_registry, "works", lambda: False)
    well, text = said()
    assert not well
    assert "\n  ! in Python, right and slower: this JAX lacks what calls in C++ need\n" in text


def test_a_private_name_that_jax_lacks_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    from jax._src import source_info_util

    monkeypatch.delattr(source_info_util, "user_frame")
    well, text = said()
    assert not well
    part = text.partition("private names of JAX\n")[2]
    assert re.match(
        r"  ! jax\._src\.source_info_util\.user_frame \(jax_internals/recorded_equations\.py:\d+\) is not there\n"
        r"  \d\d+ are used, 1 of them not there\n",
        part,
    )


def test_known_incompatibilities_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jax, "__version__", "9.1.0")
    with jax.disable_jit():
        well, text = said()
    assert not well
    end = text.partition("known incompatibilities\n")[2]
    assert end == (
        f"  ! jax 9.1.0 is newer than what is tested, {diagnosis.JAX[1]}.\n"
        "  ! jax_disable_jit is on: programs are not compiled.\n"
    )


def test_the_command_shows_the_same(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert commands.main(["doctor"]) == commands.DONE
    assert capsys.readouterr().out == said()[1]
    monkeypatch.setattr(cpp_registry, "works", lambda: False)
    assert commands.main(["doctor"]) == commands.FAILED
    assert commands.main(["doctor", "model.py"]) == commands.WRONG_USAGE
    assert capsys.readouterr().err == "autograph-lite: doctor takes no arguments, such as 'model.py'\n"
