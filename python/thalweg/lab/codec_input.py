# SPDX-License-Identifier: Apache-2.0
"""Real fields for the codec benchmark: a short run of the example case, uncompressed."""

from __future__ import annotations

from pathlib import Path

from thalweg.config.checkout import ROOT
from thalweg.run.runner import RunRequest, run_case

EXAMPLE = ROOT / "examples" / "jet.toml"


def real_fields(folder: Path, quick: bool) -> Path:
    """A netCDF-4 file of the jet after twelve hours: 40 fields, two or three output times."""
    overrides = ["io.mode=serial", "output.compression=none", "output.container=netcdf4"]
    if quick:
        overrides += ["time.duration=PT1H", "grid.name=R2B2", "model.levels=4"]
    else:
        overrides += ["time.duration=PT12H", "output.interval=PT6H", "output.file_interval=0"]
    run = run_case(RunRequest(EXAMPLE, 2, overrides, folder / "fields", True, quiet=True))
    return run.complete_files()[-1]
