# SPDX-License-Identifier: Apache-2.0
"""The mini-model solves the shallow-water equations: convergence, conservation, same bits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from thalweg.files.streams import read_streams
from thalweg.run.runner import RunRequest, run_case
from thalweg.testing.examples import examples

Field = NDArray[np.float64]


def run_model(
    folder: Path, grid: str, case: str, variables: list[str], days: float, interval: str, *more: str
) -> Path:
    """Runs one layer of a case in serial mode on one rank, whose bits are those of any other
    number: a rank that waits takes a core, too. `more` are --set words.
    """
    duration_s = round(days * 86400)
    experiment = folder / f"{case}_{grid}.toml"
    experiment.write_text(
        f'[grid]\nname = "{grid}"\n[model]\ncase = "{case}"\nlevels = 1\n'
        f'[time]\nduration = "{duration_s}"\n'
        f'[[output]]\nname = "golden"\nvariables = {json.dumps(variables)}\n'
        f'interval = "{interval}"\nprecision = "float64"\n'
        '[io]\nmode = "serial"\n[machine]\nranks = 1\n'
    )
    target = folder / f"run_{case}_{grid}_{len(list(folder.iterdir()))}"
    return run_case(RunRequest(experiment, overrides=more, directory=target, quiet=True)).path


def fields_of(run: Path, name: str) -> list[Field]:
    """First layer of a field at every output time, [points] each."""
    (stream,) = read_streams(run).values()
    values = [np.asarray(stream.values(name, slot), dtype=float) for slot in stream.slots]
    stream.close()
    return [value[0] if value.ndim == 2 else value for value in values]


def diagnostics_of(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "diagnostics.jsonl").read_text().splitlines()]


def relative_change(first: Field, last: Field) -> float:
    """Relative root-mean-square difference; areas of points differ too little to matter here."""
    return float(np.sqrt(np.sum((last - first) ** 2) / np.sum(first**2)))


def tell(capsys: pytest.CaptureFixture[str], line: str) -> None:
    """Prints past pytest's capture: these figures are worth reading when all is well, too."""
    with capsys.disabled():
        print(f"\n  {line} ", end="")


@pytest.mark.some(2)
@pytest.mark.parametrize(("finest", "days", "largest_error"), [(4, 1, 1e-3), (5, 2, 3e-4)])
def test_steady_flow_converges_at_least_at_first_order(
    tmp_path: Path,
    model: Path,
    capsys: pytest.CaptureFixture[str],
    finest: int,
    days: int,
    largest_error: float,
) -> None:
    """Williamson 2 after some days: whatever changed is error, which the first day makes."""
    errors = []
    for bisections in range(2, finest + 1):
        run = run_model(tmp_path, f"R2B{bisections}", "steady", ["h", "vn"], days, f"P{days}D")
        thickness, velocity = fields_of(run, "h"), fields_of(run, "vn")
        errors.append(relative_change(thickness[0], thickness[-1]))
        wind_error = relative_change(velocity[0], velocity[-1])
        tell(capsys, f"R2B{bisections}: error of h {errors[-1]:.3e}, of vn {wind_error:.3e}")
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    tell(capsys, f"orders {np.round(orders, 2)}")
    assert orders.min() >= 1.0
    assert 0.0 < errors[-1] < largest_error


def test_every_number_of_ranks_and_both_decompositions_compute_the_same_bits(
    tmp_path: Path, model: Path
) -> None:
    """Diagnostics are printed with all digits of their doubles; h and vn are stored as doubles."""
    expected: tuple[str, list[Field], list[Field]] | None = None
    every = (1, 2, 3, 4)
    for decomposition, numbers in (("curve", every), ("bisection", examples((3, 4), every))):
        for ranks in numbers:
            ways = [f"grid.decomposition={decomposition}", f"machine.ranks={ranks}"]
            ways += ["model.levels=3", "model.viscosity=1e5"]
            run = run_model(tmp_path, "R2B2", "mountain", ["h", "vn"], 0.25, "PT3H", *ways)
            found = (
                (run / "diagnostics.jsonl").read_text(),
                fields_of(run, "h"),
                fields_of(run, "vn"),
            )
            expected = expected or found
            assert found[0] == expected[0], f"{decomposition}, {ranks} ranks"
            for ours, theirs in zip(found[1] + found[2], expected[1] + expected[2], strict=True):
                assert np.array_equal(ours, theirs), f"{decomposition}, {ranks} ranks"
    assert expected is not None
    assert relative_change(expected[1][0], expected[1][-1]) > 1e-4


def test_flow_over_a_mountain_keeps_mass_to_rounding_and_energy_nearly(
    tmp_path: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Williamson 5, five days."""
    run = run_model(tmp_path, "R2B3", "mountain", ["h"], 5, "P1D")
    last = diagnostics_of(run)[-1]
    tell(capsys, f"drift of mass {last['mass_drift']:.1e}, of energy {last['energy_drift']:.1e}")
    assert last["time_s"] == 5 * 86400
    assert abs(last["mass_drift"]) < 1e-13
    assert abs(last["energy_drift"]) < 1e-6
    thickness = fields_of(run, "h")
    assert relative_change(thickness[0], thickness[-1]) > 1e-3


def wave(vorticity: Field, band: NDArray[np.int64]) -> float:
    """Largest departure from the mean over bands of latitude, s-1."""
    count = np.bincount(band)
    mean = np.bincount(band, vorticity) / np.maximum(count, 1)
    return float(np.abs(vorticity - mean[band]).max())


@pytest.mark.parametrize(
    ("grid", "southernmost"),
    [
        ("R2B4", 12.0),  # 158 km: the jet breaks up early, filaments wander south of the paper's
        pytest.param("R2B5", 20.0, marks=pytest.mark.slow),
    ],
)
def test_the_jet_breaks_up_within_six_days(
    grid: str,
    southernmost: float,
    tmp_path: Path,
    model: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Galewsky et al. 2004: by day 6 the strip of vorticity has rolled up between 20 and 80 N."""
    run = run_model(tmp_path, grid, "jet", ["vor", "coriolis"], 6, "P2D")
    vorticity = fields_of(run, "vor")
    sine = np.clip(fields_of(run, "coriolis")[0] / (2 * 7.292e-5), -1.0, 1.0)
    latitude = np.degrees(np.arcsin(sine))
    band = np.floor((latitude + 90.0) / 0.5).astype(np.int64)
    waves = [wave(values, band) for values in vorticity]
    tell(capsys, f"{grid}: wave at days 0, 2, 4, 6: {[f'{value:.1e}' for value in waves]} s-1")
    assert waves[0] < waves[1] < waves[2]
    assert waves[2] > 3 * waves[1]
    assert 8e-5 < np.abs(vorticity[3]).max() < 2.5e-4

    def reach(values: Field) -> tuple[float, float]:
        strong = latitude[values > 5e-5]
        return float(strong.min()), float(strong.max())

    # At first the strip of positive vorticity lies north of the jet's axis.
    assert reach(vorticity[0])[0] > 40.0
    assert southernmost < reach(vorticity[3])[0] < 35.0
    assert 60.0 < reach(vorticity[3])[1] < 80.0
    assert abs(diagnostics_of(run)[-1]["energy_drift"]) < 1e-6
