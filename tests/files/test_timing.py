# SPDX-License-Identifier: Apache-2.0
"""timing.json is a table with an entry for each rank, or it is refused in a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from thalweg.errors import ThalwegError
from thalweg.files.timing import Timing

LISTS = ("calls", "total_s", "own_s", "min_s", "max_s")
TEXTS = ("name", "parent", "category", "icon", "meaning")
BYTES = ("buffered_high_water_bytes", "past_page_cache_bytes")


def content() -> dict[str, Any]:
    """Of three ranks, each of which called one timer."""
    timer: dict[str, Any] = {"name": "total", "parent": "", "category": "other"}
    timer |= {key: [1, 2, 3] for key in LISTS}
    roles = ["compute", "compute", "io"]
    bytes_ = {key: [4, 5, 6] for key in BYTES}
    return {"roles": roles, "kinds": [], "timers": [timer], **bytes_}


def read(folder: Path, told: dict[str, Any]) -> Timing:
    (folder / "timing.json").write_text(json.dumps(told))
    return Timing.read(folder / "timing.json")


def test_each_rank_has_its_entry(tmp_path: Path) -> None:
    timing = read(tmp_path, content())
    assert timing.roles == ("compute", "compute", "io")
    (timer,) = timing.timers
    assert [timer.calls, timer.total_s, timer.own_s, timer.min_s, timer.max_s] == [(1, 2, 3)] * 5
    assert timing.high_water_bytes == timing.past_cache_bytes == (4, 5, 6)


def test_bytes_may_be_unknown(tmp_path: Path) -> None:
    told = content()
    del told[BYTES[0]]
    told[BYTES[1]] = []
    timing = read(tmp_path, told)
    assert timing.high_water_bytes == timing.past_cache_bytes == ()


def refusal(folder: Path, key: str, value: Any) -> str:
    """What is wrong with the table, once this stands there."""
    told = content()
    (told["timers"][0] if key in (*LISTS, *TEXTS) else told)[key] = value
    with pytest.raises(ThalwegError) as refused:
        read(folder, told)
    head, _, why = refused.value.sentence.partition(" is not a table of timers: ")
    assert head == f"'{folder / 'timing.json'}'"
    return why


@pytest.mark.parametrize("key", ["roles", "kinds", "timers", *LISTS, *BYTES])
@pytest.mark.parametrize("value", ["123", "", {"1": 1, "2": 2, "3": 3}, 3, 0, None])
def test_what_is_no_list_is_refused(key: str, value: Any, tmp_path: Path) -> None:
    assert refusal(tmp_path, key, value) == f"'{key}' is no list"


@pytest.mark.parametrize("key", TEXTS)
@pytest.mark.parametrize("value", [3, None, ["total"], {}])
def test_a_name_is_a_text(key: str, value: Any, tmp_path: Path) -> None:
    assert refusal(tmp_path, key, value) == f"'{key}' is no text"


@pytest.mark.parametrize("key", [*LISTS, *BYTES])
@pytest.mark.parametrize("value", [[1], [1, 2], [1, 2, 3, 4]])
def test_a_list_has_an_entry_for_each_rank(key: str, value: list[int], tmp_path: Path) -> None:
    assert refusal(tmp_path, key, value) == f"'{key}' has {len(value)} entries for 3 ranks"


def test_there_is_a_rank_for_each_entry(tmp_path: Path) -> None:
    assert refusal(tmp_path, "roles", ["compute"]) == "'calls' has 3 entries for 1 ranks"


@pytest.mark.parametrize("key", [*LISTS, *BYTES])
@pytest.mark.parametrize("entry", ["2", "x", None, [2], True])
def test_an_entry_that_is_no_number_is_refused(key: str, entry: Any, tmp_path: Path) -> None:
    assert refusal(tmp_path, key, [1, entry, 3]) == f"'{key}' has an entry that is no number"


@pytest.mark.parametrize("entry", [float("nan"), float("inf")])
def test_a_time_that_is_not_finite_is_refused(entry: float, tmp_path: Path) -> None:
    assert refusal(tmp_path, "own_s", [1, entry, 3]) == "a time is no number"
