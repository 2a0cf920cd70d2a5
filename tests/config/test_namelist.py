# SPDX-License-Identifier: Apache-2.0
"""Namelists are read as Fortran reads them, and what is wrong is named by its line."""

from __future__ import annotations

import pytest

from thalweg.config.namelist import Group, Value, read_namelist
from thalweg.errors import ThalwegError


def read(text: str) -> list[Group]:
    return read_namelist(enumerate(text.split("\n"), 1), "n")


def values(items: str, name: str = "x") -> list[Value]:
    return read(f"&a\n{items}\n/")[0].items[name].values


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1", [1]),
        ("x=-7,+8", [-7, 8]),
        ("x = 1.5, .5, 2., 1d3, 1.5D-2, 2.e+1, 3E0", [1.5, 0.5, 2.0, 1000.0, 0.015, 20.0, 3.0]),
        ("x = .TRUE. .false., T, f, .t., true", [True, False, True, False, True, True]),
        ("x = 3*1.5, 2*'a'", [1.5, 1.5, 1.5, "a", "a"]),
        ("x = 1,,3", [1, None, 3]),
        ("x = ,2", [None, 2]),
        ("x = 2*, 5", [None, None, 5]),
        ("x = 1, 2,", [1, 2]),
        ("x = 1 2 3", [1, 2, 3]),
        ('x = \'it\'\'s\', "say ""no"""', ["it's", 'say "no"']),
        ("x = 'a ! b / c = d & e'", ["a ! b / c = d & e"]),
        ("x = 'a',  ! first\n  'b',\n ! between\n\n 'c'", ["a", "b", "c"]),
        ("x = ''", [""]),
        ("\tX\t=\t1\t", [1]),
        ("x = 1; 2", [1, 2]),
    ],
)
def test_values_are_those_of_fortran(text: str, expected: list[Value]) -> None:
    found = values(text)
    assert found == expected
    assert [type(value) for value in found] == [type(value) for value in expected]


def test_names_have_no_case_and_lines_are_kept() -> None:
    group = read("! head\n&Run_NML\n Num_Lev = 3\n/\n")[0]
    assert (group.name, group.line) == ("run_nml", 2)
    assert group.items["num_lev"].line == 3


def test_groups_may_be_repeated_and_share_a_line() -> None:
    groups = read("&a x=1 / &a x=2 /\n text between\n&b $end\n&c y=1 &end\n!&d z=1 /")
    assert [(group.name, len(group.items)) for group in groups] == [
        ("a", 1),
        ("a", 1),
        ("b", 0),
        ("c", 1),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x(2) = 5", [None, 5]),
        ("x(1:3) = 1, 2, 3", [1, 2, 3]),
        ("x = 1, 2, 3\n x(2) = 9", [1, 9, 3]),
        ("x = 1, 2, 3\n x = 7", [7, 2, 3]),
        ("x = 1, 2\n x = ,8", [1, 8]),
        ("x(2:) = 4, 5", [None, 4, 5]),
    ],
)
def test_elements_are_set_one_by_one(text: str, expected: list[Value]) -> None:
    assert values(text) == expected


def test_components_and_elements_of_matrices_have_names_of_their_own() -> None:
    items = read("&a\n c(1)%dt = 'PT1H'\n c(2)%dt = 'PT2H' m(1,2) = 3\n/")[0].items
    assert {name: item.values for name, item in items.items()} == {
        "c(1)%dt": ["PT1H"],
        "c(2)%dt": ["PT2H"],
        "m(1,2)": [3],
    }


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("&a\n x = 1\n", "n:1: the group '&a' has no end"),
        ("&a\n x = 1\n&b\n/", "n:3: '&b' begins before '&a' of line 1 has ended"),
        ("&a\n x = 'abc\n/", "n:2: a text is not closed on its line in group '&a'"),
        ("&a\n x = abc\n/", "n:2: 'abc' is neither a number nor a logical"),
        ("&a\n 5\n/", "n:2: '5' stands where the name of an item"),
        ("&a\n = 5\n/", "n:2: '=' has no name of an item before it"),
        ("&a\n x = (1.0, 2.0)\n/", "n:2: '(1.0, 2.0)' is no value"),
        ("&a\n x = 1d400\n/", "n:2: '1d400' is larger than any number"),
        ("&a\n x = $nlev\n/", "n:2: '$nlev' is no value"),
        ("&a\n x(0) = 1\n/", "is no index from 1"),
        ("&a\n x = 999999999*1\n/", "repeats more than"),
        ("&a\n x = 1 ( 2\n/", "n:2: '(' is no value"),
    ],
)
def test_what_is_wrong_is_named_by_its_line(text: str, sentence: str) -> None:
    with pytest.raises(ThalwegError) as error:
        read(text)
    assert sentence in error.value.sentence
    assert error.value.exit_code == 2
