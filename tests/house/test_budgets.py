"""Does a package stay within its lines? `budgets.txt` has a row for each; whoever raises one says why in the commit."""

from __future__ import annotations

from pathlib import Path

from tests.house.imports import PACKAGE

ROWS = Path(__file__).with_name("budgets.txt")


def lines() -> dict[str, int]:
    """Of the files that lie in each folder, not in those inside it."""
    found: dict[str, int] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        folder = path.parent.relative_to(PACKAGE.parent).as_posix()
        found[folder] = found.get(folder, 0) + len(path.read_text(encoding="utf-8").splitlines())
    return found


def budgets() -> dict[str, int]:
    rows = (line.split() for line in ROWS.read_text().splitlines() if line and not line.startswith("#"))
    return {folder: int(number) for folder, number in rows}


def test_each_package_has_a_row() -> None:
    assert list(budgets()) == list(lines())


def test_no_package_is_over_its_budget() -> None:
    over = {
        folder: (number, budgets()[folder])
        for folder, number in lines().items()
        if number > budgets()[folder]
    }
    assert over == {}, "shorten it, or raise its row in tests/house/budgets.txt, and say why in the commit"


def test_budgets_fall_with_the_packages() -> None:
    """What was saved isn't there to be spent: a row has at most 20 lines to spare."""
    spare = {folder: budgets()[folder] - number for folder, number in lines().items()}
    assert {folder: lines for folder, lines in spare.items() if lines > 20} == {}, (
        "lower these rows in budgets.txt"
    )


if __name__ == "__main__":
    ROWS.write_text(
        "# The lines that each package may have; `python -m tests.house.test_budgets` writes what they have.\n"
        + "".join(f"{folder} {number}\n" for folder, number in lines().items())
    )
