# SPDX-License-Identifier: Apache-2.0
"""What commands of tests find done when they begin: importing this does it, in the fork server."""

from __future__ import annotations

import contextlib
import importlib

from thalweg.config.checkout import ROOT, binary_directory, program
from thalweg.config.experiment import Experiment
from thalweg.errors import ThalwegError
from thalweg.run.launch import mpirun_command

LOADED = [
    "thalweg.advisor.own.command", "thalweg.advisor.own.tune",
    "thalweg.advisor.own.validate_command", "thalweg.advisor.prediction.command",
    "thalweg.advisor.proposing.machine", "thalweg.calibrate.command", "thalweg.cpmip.command",
    "thalweg.kernels.configured", "thalweg.kernels.run", "thalweg.lab.bench", "thalweg.lab.sweep",
    "thalweg.loc.command", "thalweg.logs.command", "thalweg.logs.parquet", "thalweg.merge.command",
    "thalweg.report.page", "thalweg.run.runner", "thalweg.run.summary", "thalweg.scaling.command",
    "thalweg.submit.command", "thalweg.trace.command", "thalweg.verify.command",
    "matplotlib.figure", "pandas", "scipy.optimize",
]  # fmt: skip

for _name in LOADED:
    importlib.import_module(_name)
importlib.import_module("thalweg.cli.main").command()  # by name: it stands above this layer
with contextlib.suppress(ThalwegError, SystemExit):  # a command that needs it says so again
    Experiment.read(ROOT / "examples" / "jet.toml")
    mpirun_command(1, [])
    if (binary_directory() / "thalweg_mini").is_file():  # looked at once for all
        program("thalweg_mini")
