"""Are the ratios that benchmarks give kept as data, and shown as changes? No time is measured here."""

from __future__ import annotations

import inspect
import json
import os
import types
from pathlib import Path
from typing import Any

import pytest

from benchmarks import __main__ as command, runs

RUN = {"date": "2026-01-02", "commit": "abc", "python": "3.13.0", "jax": "0.12", "processors": 2}
LATER = {**RUN, "date": "2026-02-03", "commit": "def", "jax": "0.13"}
ROWS = [{"function": "sorting", "converted, us": 5.0, "ratio": 2.4567, "target": 3}]


def kept(ratio: float, row: str = "sorting", run: dict[str, Any] = RUN) -> dict[str, Any]:
    return {**run, "benchmark": "python", "row": row, "ratio": ratio}


def test_what_is_saved_is_read_again_and_nothing_that_was_there_is_lost(tmp_path: Path) -> None:
    first, second = kept(2.0), kept(3.0, run=LATER)
    runs.save([first], tmp_path / "history")
    runs.save([second, {**second, "benchmark": "trace"}], tmp_path / "history")
    assert runs.read("python", tmp_path / "history") == [first, second]
    assert runs.read("trace", tmp_path / "history") == [{**second, "benchmark": "trace"}]


def test_a_benchmark_that_was_never_kept_has_no_entries(tmp_path: Path) -> None:
    assert runs.read("python", tmp_path) == []


def test_an_entry_has_the_ratio_of_a_row_and_no_time() -> None:
    assert list(runs.entries("python", ROWS, RUN)) == [kept(2.457)]


def test_a_row_with_several_ratios_has_an_entry_for_each() -> None:
    rows = [{"size, length": "1, 100", "what": "gradient / scan", "while": "1.13", "for": "1.24"}]
    found = [(each["row"], each["ratio"]) for each in runs.entries("grad", rows, RUN)]
    assert found == [("gradient / scan, 1, 100, while", 1.13), ("gradient / scan, 1, 100, for", 1.24)]


def test_a_run_says_when_and_on_what_it_was_and_names_no_machine() -> None:
    found = runs.now()
    assert list(found) == ["date", "commit", "python", "jax", "processors"]
    assert found["processors"] == os.cpu_count()


def test_each_benchmark_says_which_of_its_columns_are_kept() -> None:
    assert list(runs.COLUMNS) == list(command.ALL)


@pytest.mark.parametrize("name", command.ALL)
def test_the_columns_that_are_kept_are_columns_of_the_benchmark(name: str) -> None:
    text = inspect.getsource(command.ALL[name])
    labels, ratios = runs.COLUMNS[name]
    assert [column for column in labels + ratios if f'"{column}"' not in text] == []


def test_the_newest_runs_stand_side_by_side_with_the_change() -> None:
    found = [kept(2.0), kept(1.0, "recursion"), kept(2.5, run=LATER)]
    first, second = "2026-01-02 abc jax 0.12", "2026-02-03 def jax 0.13"
    assert list(runs.tables(found)) == [
        (
            "Python 3.13, 2 processors",
            [
                {"row": "sorting", first: 2.0, second: 2.5, "change": "+25 %"},
                {"row": "recursion", first: 1.0, second: "", "change": ""},
            ],
        )
    ]


def test_of_a_run_that_was_repeated_the_last_figures_stand() -> None:
    ((_, rows),) = runs.tables([kept(2.0), kept(2.2)])
    assert rows == [{"row": "sorting", "2026-01-02 abc jax 0.12": 2.2, "change": ""}]


def test_a_table_has_room_for_the_newest_runs_only() -> None:
    found = [kept(number, run={**RUN, "commit": str(number)}) for number in range(1, runs.SHOWN + 3)]
    ((_, rows),) = runs.tables(found)
    assert len(rows[0]) == runs.SHOWN + 2
    assert rows[0]["change"] == "+167 %"  # from 3 to 8: of those that are shown


def test_machines_and_versions_of_python_are_not_mixed() -> None:
    found = [kept(2.0), kept(2.0, run={**RUN, "processors": 64}), kept(2.0, run={**RUN, "python": "3.11.7"})]
    titles = [title for title, _ in runs.tables(found)]
    assert titles == ["Python 3.13, 2 processors", "Python 3.13, 64 processors", "Python 3.11, 2 processors"]


@pytest.mark.parametrize("path", sorted(runs.HISTORY.glob("*")), ids=lambda path: path.name)
def test_what_the_repository_keeps_can_be_read_and_is_in_the_order_of_time(path: Path) -> None:
    found = runs.read(path.stem)
    assert found
    assert path.name == f"{found[0]['benchmark']}.jsonl"
    assert {tuple(each) for each in found} == {tuple(kept(1.0))}
    assert [each["date"] for each in found] == sorted(each["date"] for each in found)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    fake = types.SimpleNamespace(
        measure=lambda: ROWS, main=lambda: pytest.fail("nothing is to be printed by it")
    )
    monkeypatch.setitem(command.ALL, "python", fake)  # type: ignore[arg-type]
    save, read = runs.save, runs.read
    monkeypatch.setattr(runs, "save", lambda found: save(found, tmp_path))
    monkeypatch.setattr(runs, "read", lambda name: read(name, tmp_path))
    return tmp_path


def test_the_command_saves_and_shows(measured: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command.main(["--save", "python"])
    (line,) = (measured / "python.jsonl").read_text().splitlines()
    assert json.loads(line) == {**runs.now(), "benchmark": "python", "row": "sorting", "ratio": 2.457}
    capsys.readouterr()
    command.main(["--history", "python"])
    shown = capsys.readouterr().out
    assert "sorting" in shown
    assert "2.46" in shown


def test_the_command_refuses_an_unknown_name() -> None:
    with pytest.raises(SystemExit, match="there is no benchmark 'speed'; there are convert, trace,"):
        command.main(["--save", "speed"])
