# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels are found again by their text: no test compiles what another one has."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from thalweg.config.checkout import ROOT

KEPT_S = 3 * 24 * 3600.0  # how long those stay that no test has made or asked for


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where compiled kernels are, of all tests at a time and of those before, if that is ours."""
    folder = ROOT / "build" / "tested_kernels"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = tmp_path_factory.getbasetemp()
    if not os.access(folder, os.W_OK):
        folder = tmp_path_factory.getbasetemp()
    for each in folder.iterdir():
        if (
            each.suffix != ".lock"
            and each.is_file()
            and time.time() - each.stat().st_atime > KEPT_S
        ):
            each.unlink(missing_ok=True)
    return folder
