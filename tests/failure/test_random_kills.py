# SPDX-License-Identifier: Apache-2.0
"""A rank is killed at a random moment of a random run: nothing that looks whole is not.

THALWEG_KILL_SEED repeats a failure: the seed is printed with it. THALWEG_KILLS sets the number of
kills of the slow test.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from thalweg.testing.contents import messages_of
from thalweg.testing.kill_trial import KillHarness, Tally

FEW, MANY, OF_ONE_WAY = 4, 300, 4
USUAL_SEED = 41  # of the short test: the same ways each time, killed at moments that differ


def kill(times: int, folder: Path, usual_seed: int) -> Tally:
    seed = int(os.environ.get("THALWEG_KILL_SEED") or usual_seed)
    print(f"THALWEG_KILL_SEED={seed}")  # pytest shows it with a failure
    harness = KillHarness(folder, seed)
    for _ in range(times // OF_ONE_WAY):
        harness.kill_several(harness.draw(), OF_ONE_WAY)
    print(harness.tally)
    assert harness.tally.trials == times // OF_ONE_WAY * OF_ONE_WAY
    assert harness.tally.files_checked >= times, harness.tally
    assert harness.tally.launchers_hung <= 1 + times // 50, harness.tally
    return harness.tally


def test_what_a_killed_rank_leaves_is_whole_and_continues(tmp_path: Path, model: Path) -> None:
    assert kill(FEW, tmp_path, USUAL_SEED).killed > 0


@pytest.mark.slow
def test_what_many_killed_ranks_leave_is_whole_and_continues(tmp_path: Path, model: Path) -> None:
    times = int(os.environ.get("THALWEG_KILLS") or MANY)
    tally = kill(times, tmp_path, random.SystemRandom().randrange(1 << 30))
    assert tally.killed > times // 4, tally
    assert tally.continued > times // 4, tally
    assert tally.killed_again > times // 20, tally


def test_a_cut_grib_file_is_not_taken_for_whole() -> None:
    message = b"GRIB\0\0\0\2" + (28).to_bytes(8, "big") + bytes(8) + b"7777"
    assert messages_of(message + message) == 2
    with pytest.raises(ValueError, match="byte 28"):
        messages_of(message + message[:-1])
