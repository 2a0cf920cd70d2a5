# SPDX-License-Identifier: Apache-2.0
"""Writers with parts of their own do not wait for each other, though MPI-IO writes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from thalweg.testing.examples import examples

CASE = """
[grid]
name = "R2B1"
[model]
levels = 2
[time]
duration = "PT13H"
[[output]]
name = "parts"
interval = "PT10M"
layout = "chunked"
variables = ["h", "vor"]
[io]
mode = "file_parallel"
way = "mpiio"
timeout = 20
"""


@pytest.mark.some(4)
@pytest.mark.parametrize("layer", ["romio", "ompio"])
@pytest.mark.parametrize(("ranks", "io_ranks"), [(4, 2), (3, 0)])
def test_a_writer_that_is_ahead_is_not_waited_for(
    layer: str, ranks: int, io_ranks: int, cli: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    """The head of a file's journal waited for a report of a time that it had not written itself."""
    case = tmp_path / "case.toml"
    case.write_text(CASE + f"ranks = {io_ranks}\n[machine]\nranks = {ranks}\nmpi_io = '{layer}'\n")
    for number in range(examples(2, 3)):
        result = cli("run", case, "--out", tmp_path / f"run{number}")
        assert result.returncode == 0, result.stderr
        assert not list((tmp_path / f"run{number}" / "files").glob("*.part"))
