# SPDX-License-Identifier: Apache-2.0
"""`thalweg demo`: the example case in serial and async mode, compared; a report at the end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from thalweg.config.checkout import ROOT, program
from thalweg.config.durations import parse_duration_s, short_duration
from thalweg.errors import ThalwegError
from thalweg.files.run_directory import RunDirectory
from thalweg.files.targets import make_folder
from thalweg.run.machine import busy_note
from thalweg.run.runner import RunRequest, run_case
from thalweg.tables import print_table
from thalweg.verify.command import same_bits

EXAMPLE = ROOT / "examples" / "jet.toml"
# With this length both runs, the comparison and the report take about 30 s on two cores of an
# AMD EPYC (Zen 5); the promise is 90 s.
DURATION = "PT12H"
COMPUTE_RANKS = 2
_ROWS = (  # label, key in run.json, divisor, format
    ("run time", "run_time_s", 1.0, "{:.1f} s"),
    ("of it compute ranks waited for output", "wait_percent", 1.0, "{:.1f} %"),
    ("data output cost (1 = free)", "output_cost", 1.0, "{:.3f}"),
    ("simulated years per day", "sypd", 1.0, "{:.2f}"),
    ("data written", "bytes_written", 1e9, "{:.3f} GB"),
)


def demo(out: Path, duration: str = DURATION) -> Path:
    """Returns the path of the report, which it also prints last."""
    busy = busy_note(os.getloadavg()[0])  # a build of our own comes after it
    try:
        length = short_duration(parse_duration_s(duration))
    except ValueError as error:
        raise ThalwegError(f"--duration: {error}; as in PT12H") from None
    make_folder(out)
    program("thalweg_mini")  # a build says how long it takes, before anything is said to run
    print(f"Galewsky's jet on R2B4, 30 layers, {length} simulated, an output of 40 fields an hour.")
    runs = {
        mode: _run(out / mode, mode, ranks, duration)
        for mode, ranks in (("serial", COMPUTE_RANKS), ("async", COMPUTE_RANKS + 1))
    }
    if not same_bits(runs["serial"].path, runs["async"].path):
        raise ThalwegError(
            "serial and async wrote different bits; see 'thalweg verify "
            f"{runs['serial'].path} --against {runs['async'].path}'",
            exit_code=1,
        )
    from thalweg.report import write_report  # matplotlib: only when needed
    from thalweg.report.compare import cores_sentence, run_time_sentence

    summaries = {mode: run.summary() for mode, run in runs.items()}
    _print_comparison(summaries)
    print(run_time_sentence([(mode, each["metrics"]) for mode, each in summaries.items()]))
    if busy:
        print(f"But {busy}.")
    for mode, summary in summaries.items():
        print(f"{mode} was limited by {summary['limited_by']}.")
    if sentence := cores_sentence("async", summaries["async"]):
        print(sentence)
    print("Both modes wrote the same bits.")
    page = write_report([run.path for run in runs.values()], out / "report.html")
    print(f"The report:\n{page.resolve()}")
    return page


def _run(path: Path, mode: str, ranks: int, duration: str) -> RunDirectory:
    overrides = [f"io.mode={mode}", "io.ranks=1", f"time.duration={duration}"]
    print(f"Running with {mode} output on {ranks} ranks ...", flush=True)
    return run_case(RunRequest(EXAMPLE, ranks, overrides, path, overwrite=True))


def _print_comparison(summaries: dict[str, dict[str, Any]]) -> None:
    heads = []
    for mode, summary in summaries.items():
        io_ranks = summary["ranks"] - COMPUTE_RANKS
        ranks = f"{COMPUTE_RANKS} compute" + (f" + {io_ranks} I/O" if io_ranks else "")
        heads.append(f"{mode}, {ranks}")
    rows = [
        [label, *(form.format(each["metrics"][key] / divisor) for each in summaries.values())]
        for label, key, divisor, form in _ROWS
    ]
    print_table(["", *heads], rows, right=heads)
