# SPDX-License-Identifier: Apache-2.0
"""What `thalweg run` prints at the end: timer table, CPMIP metrics, what limited the run."""

from __future__ import annotations

from thalweg.files.run_directory import RunDirectory
from thalweg.files.timing import Timing
from thalweg.run.metrics import metrics_lines
from thalweg.run.timer_table import timer_table


def print_summary(run: RunDirectory) -> None:
    """The last line says what limited the run."""
    summary = run.summary()
    print(timer_table(Timing.read(run.timing_path)))
    print()
    for line in metrics_lines(summary["metrics"]):
        print(line)
    diagnostics = summary.get("diagnostics") or {}
    if "mass_drift" in diagnostics and "energy_drift" in diagnostics:
        drifts = f"mass {diagnostics['mass_drift']:.2e}, energy {diagnostics['energy_drift']:.2e}"
        print(f"relative drift since the start: {drifts}")
    print(f"written to {run.path}")
    print(f"limited by {summary['limited_by']}")
