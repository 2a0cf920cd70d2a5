# SPDX-License-Identifier: Apache-2.0
"""The figures of a run; SYPD to data intensity as CPMIP defines them (Balaji et al. 2017).

Balaji, V. et al.: CPMIP: measurements of real computational performance of Earth system models in
CMIP6, Geosci. Model Dev. 10, 19-34, 2017, section 3.
"""

from __future__ import annotations

from thalweg.files.timing import Timing

YEAR_DAYS = 365.25
SECONDS_PER_YEAR = YEAR_DAYS * 86400.0
# What a compute rank does for the model (categories of timers). In all other time it waits, in a
# call of the library for output or checkpoints: for room, for other ranks, for files to be
# complete, or because it gathers and writes itself.
FOR_THE_MODEL = ("start", "compute", "exchange", "copy", "other")


def waiting_s(own_s: dict[str, float]) -> float:
    """The one definition of waiting, of seconds by category of a compute rank (or their mean)."""
    return sum(seconds for name, seconds in own_s.items() if name not in FOR_THE_MODEL)


def sypd(simulated_s: float, run_time_s: float) -> float:
    """Simulated years per day of run time."""
    return _ratio(simulated_s / SECONDS_PER_YEAR, run_time_s / 86400.0)


def chsy(core_hours: float, simulated_s: float) -> float:
    """Core hours per simulated year."""
    return _ratio(core_hours, simulated_s / SECONDS_PER_YEAR)


def data_intensity(bytes_written: float, core_hours: float) -> float:
    """GB per core hour."""
    return _ratio(bytes_written / 1e9, core_hours)


def output_cost(run_time_s: float, output_s: float) -> float:
    """CHSY with output over CHSY without: on the same cores, a ratio of run times."""
    return _ratio(run_time_s, run_time_s - output_s)


def measure(timing: Timing, simulated_s: float, bytes_written: int, files: int) -> dict[str, float]:
    """Every metric by its key.

    run_time_s      the longest `total` of a compute rank
    sypd            simulated years per day of run time
    chsy            core hours per simulated year; one core per rank, I/O ranks included
    data_intensity  GB written per core hour
    output_cost     run time / run time without what compute ranks spent in output (mean over them)
    wait_s, wait_percent   waiting of compute ranks for output and checkpoints, mean over them
    closing_s       of it at the end of the run, until all files were complete
    copy_s          of compute ranks, mean over them
    high_water_bytes   the most output that waited to be written by one rank
    past_cache_bytes   output that was written past the page cache, all ranks
    """
    compute = timing.ranks("compute")
    run_time_s = max((timing.total_s("total", rank) for rank in compute), default=0.0)
    core_hours = len(timing.roles) * run_time_s / 3600.0
    own_s = timing.mean_own_s()
    wait_s, copy_s = waiting_s(own_s), own_s.get("copy", 0.0)
    return {
        "run_time_s": run_time_s,
        "simulated_s": simulated_s,
        "sypd": sypd(simulated_s, run_time_s),
        "chsy": chsy(core_hours, simulated_s),
        "data_intensity": data_intensity(bytes_written, core_hours),
        "output_cost": output_cost(run_time_s, wait_s + copy_s),
        "wait_s": wait_s,
        "wait_percent": 100.0 * _ratio(wait_s, run_time_s),
        "closing_s": timing.mean_s("output_close"),
        "copy_s": copy_s,
        "high_water_bytes": max(timing.high_water_bytes, default=0),
        "past_cache_bytes": sum(timing.past_cache_bytes),
        "bytes_written": bytes_written,
        "files": files,
    }


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0.0 else 0.0


def metrics_lines(metrics: dict[str, float]) -> list[str]:
    """For the terminal."""
    files = metrics["files"]
    hours = metrics["simulated_s"] / 3600.0
    size_gb = metrics["bytes_written"] / 1e9
    past_cache_percent = 100.0 * _ratio(metrics["past_cache_bytes"], metrics["bytes_written"])
    waited = f"{metrics['wait_s']:.2f} s ({metrics['wait_percent']:.1f} %)"
    return [
        f"run time {metrics['run_time_s']:.1f} s for {hours:g} h simulated, "
        f"{size_gb:.3f} GB written in {files:.0f} file{'s' * (files != 1)}",
        f"SYPD {metrics['sypd']:.3g} (simulated years a day), "
        f"CHSY {metrics['chsy']:.3g} (core hours a simulated year, one core a rank)",
        f"data intensity {metrics['data_intensity']:.3g} GB a core hour, "
        f"data output cost {metrics['output_cost']:.3f}",
        f"compute ranks waited {waited} for output, {metrics['closing_s']:.2f} s of it at the end; "
        f"at most {metrics['high_water_bytes'] / 2**20:.1f} MiB waited to be written by one rank; "
        f"{past_cache_percent:.0f} % of the output went past the page cache",
    ]
