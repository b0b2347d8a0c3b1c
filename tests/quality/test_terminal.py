"""Text that fits the terminal."""

from mbsim import terminal


def test_tables_fold_their_last_column_beside_or_below_the_others() -> None:
    rows = [["a", "1", "some words that do not fit in one line"], ["bcd", "22", "short"]]
    below = terminal.table(rows, 30, numbers=(1,))
    assert below == ["a     1", "        some words that do not", "        fit in one line", "bcd  22", "        short"]
    beside = terminal.table(rows, 36, numbers=(1,))
    assert beside == ["a     1  some words that do not fit", "         in one line", "bcd  22  short"]
    assert terminal.table(rows, None)[0] == "a    1   some words that do not fit in one line"


def test_folded_lines_are_set_in_and_items_stay_whole() -> None:
    line = "  force: x 1.5, y 2.5, z 3.5"
    assert terminal.fold(line, 20) == "  force: x 1.5, y\n      2.5, z 3.5"
    assert terminal.fold(line, 20, items=True) == "  force: x 1.5,\n      y 2.5, z 3.5"
    assert terminal.fold(line, None) == line


def test_columns_are_chosen_by_what_is_wanted_and_keep_their_order() -> None:
    assert terminal.fitting([4, 10, 4, 4], [3, 1, 0, 2], 20) == [1, 3]
    assert terminal.fitting([4, 10, 4, 4], [3, 1, 0, 2], 24) == [0, 1, 3]
    assert terminal.fitting([4, 10, 4, 4], [3, 1, 0, 2], None) == [0, 1, 2, 3]
