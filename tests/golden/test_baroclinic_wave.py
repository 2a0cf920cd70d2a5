# SPDX-License-Identifier: Apache-2.0
"""The primitive equations: what they conserve, their balance, their bits, files and refusals."""

from __future__ import annotations

import json
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
import xarray
from numpy.typing import NDArray

from thalweg.advisor.own_experiment import find_own_streams
from thalweg.config.checkout import ROOT
from thalweg.config.experiment import Experiment
from thalweg.errors import ThalwegError
from thalweg.files.restart_sets import list_restart_sets, read_manifest
from thalweg.lab.model_targets import MODELS
from thalweg.run.runner import RunRequest, run_case

Field = NDArray[np.float64]
Cli = Callable[..., "subprocess.CompletedProcess[str]"]
CASE = (
    MODELS["primitive equations"].replace("R2B3", "R2B2").replace("levels = 9", "levels = 6")
    + '[io]\nmode = "serial"\n[machine]\nranks = 2\n'
)
FIELDS = 12  # of both streams
CHECKPOINTS = ("restart.mode=sync", "restart.interval=PT3H")


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory, model: Path) -> Path:
    path = tmp_path_factory.mktemp("baroclinic") / "wave.toml"
    path.write_text(CASE)
    return path


def run(case: Path, name: str, *settings: str) -> Path:
    made = RunRequest(case, overrides=settings, directory=case.parent / name, quiet=True)
    return run_case(made).path


@pytest.fixture(scope="module")
def six_hours(case: Path) -> Path:
    return run(case, "six_hours")


@pytest.fixture(scope="module")
def begun(case: Path) -> Path:
    """The first half of `six_hours`, with a checkpoint at its end."""
    return run(case, "begun", *CHECKPOINTS, "time.duration=PT3H")


def file_of(path: Path, stream: str) -> Path:
    (found,) = (path / "files").glob(f"{stream}_*.nc")
    return found


def values(path: Path, stream: str, name: str) -> Field:
    with netCDF4.Dataset(file_of(path, stream)) as data:
        return np.asarray(data[name][:], dtype=float)


def last_diagnostics(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((path / "diagnostics.jsonl").read_text().splitlines()[-1])
    return found


def first_diagnostics(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((path / "diagnostics.jsonl").read_text().splitlines()[0])
    return found


def same_bits(cli: Cli, one: Path, other: Path) -> None:
    compared = cli("verify", one, "--against", other)
    assert compared.returncode == 0, compared.stdout
    assert f"same bits, {FIELDS} fields compared" in compared.stdout


def test_mass_and_potential_temperature_are_kept_to_rounding(six_hours: Path) -> None:
    first, last = first_diagnostics(six_hours), last_diagnostics(six_hours)
    assert last["time_s"] == 6 * 3600
    assert 5.0e18 < last["mass"][0] < 5.3e18, "kg, as the Earth's air"
    assert last["mass_drift"] < 1e-14
    assert abs(last["theta_mass"][0] / first["theta_mass"][0] - 1) < 1e-13
    assert 0.0 < abs(last["energy_drift"]) < 1e-5
    pressure = values(six_hours, "layers", "ps")
    assert np.abs(pressure[-1] - pressure[0]).max() > 50.0, "Pa: air has moved"


def test_the_balanced_state_holds_better_on_finer_grids(
    case: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A day without the bump: all that changes is error."""
    errors = []
    for grid in ("R2B2", "R2B3"):
        settings = ["model.case=baroclinic_steady", "model.levels=10", f"grid.name={grid}"]
        settings += ["time.duration=P1D", "output.layers.interval=P1D", "output.faces.interval=P1D"]
        settings += ["machine.ranks=1"]
        made = run(case, f"steady_{grid}", *settings)
        pressure = values(made, "layers", "ps")
        errors.append(float(np.sqrt(np.mean((pressure[1] - pressure[0]) ** 2))))
        wind = values(made, "layers", "ua")
        assert np.sqrt(np.mean((wind[1] - wind[0]) ** 2)) < 1.0, "m/s, of 35"
    with capsys.disabled():
        print(f"\n  surface pressure after a day: {errors} Pa off ", end="")
    assert errors[0] < 150.0
    assert errors[1] < 0.5 * errors[0]


def test_one_rank_and_three_give_the_same_bits(cli: Cli, case: Path, six_hours: Path) -> None:
    for ranks, decomposition in ((1, "curve"), (3, "bisection")):
        ways = [f"machine.ranks={ranks}", f"grid.decomposition={decomposition}"]
        same_bits(cli, run(case, f"ranks_{ranks}", *ways), six_hours)


def test_a_continued_run_has_the_same_bits(case: Path, six_hours: Path, begun: Path) -> None:
    continued = run(case, "continued", *CHECKPOINTS, f"restart.read={begun}", "machine.ranks=3")
    for stream, names in (("layers", ("ps", "ta", "vn")), ("faces", ("zghalf", "wmass"))):
        for name in names:
            whole, rest = values(six_hours, stream, name), values(continued, stream, name)
            assert len(rest) == 1, "the times before are in the other run's files"
            assert whole[-1].tobytes() == rest[-1].tobytes(), name
    assert last_diagnostics(continued) == last_diagnostics(six_hours)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (["case=jet"], "'jet' is one of the shallow-water equations"),
        (["case=mountain"], "'mountain' is one of the shallow-water equations"),
        (["equations=shallow_water"], "'baroclinic_wave' is one of the primitive equations"),
        (["tracers=3"], "tracers: the primitive equations have no such setting"),
        (["depth_spread=0.5"], "depth_spread: the primitive equations have no such setting"),
        (["viscosity=1e5"], "viscosity: the primitive equations have no such setting"),
        (["apvm=0.7"], "apvm: the primitive equations have no such setting"),
        (["levels=1"], "the primitive equations need at least 2, not 1"),
        (
            ["equations=shallow_water", "case=jet", "hyperdiffusion=2"],
            "hyperdiffusion: the shallow-water equations have no such setting",
        ),
    ],
)
def test_what_does_not_go_together_is_refused_and_nothing_written(
    settings: list[str], sentence: str, case: Path, tmp_path: Path
) -> None:
    words = [f"model.{each}" for each in settings]
    with pytest.raises(ThalwegError) as refused:
        run_case(RunRequest(case, overrides=words, directory=tmp_path / "run", quiet=True))
    assert refused.value.exit_code == 2
    assert sentence in refused.value.sentence
    assert "\n" not in refused.value.sentence
    assert not (tmp_path / "run").exists()


def test_layers_and_faces_in_one_stream_are_refused(cli: Cli, case: Path, tmp_path: Path) -> None:
    words = ["--set", "output.layers.variables=ta,zghalf"]
    refused = cli("run", case, "--out", tmp_path / "run", *words)
    assert refused.returncode == 2
    assert "write them in two streams" in refused.stderr


def test_files_count_levels_from_the_top_and_name_what_they_hold(six_hours: Path) -> None:
    with netCDF4.Dataset(file_of(six_hours, "layers")) as layers:
        assert layers["level"].positive == "down"
        assert list(layers["level"][:]) == [1, 2, 3, 4, 5, 6]
        full = layers["pfull"][0].data
        assert layers["ta"].standard_name == "air_temperature"
        assert layers["ps"].standard_name == "surface_air_pressure"
        assert layers["ua"].dimensions == ("time", "level", "vertex")
        pressure = layers["ps"][:].data
    with netCDF4.Dataset(file_of(six_hours, "faces")) as faces:
        assert faces["zghalf"].dimensions == ("time", "half_level", "vertex")
        assert list(faces["half_level"][:]) == [1, 2, 3, 4, 5, 6, 7]
        assert (faces["half_level"].long_name, faces["half_level"].positive) == (
            "face of layers", "down",
        )  # fmt: skip
        assert "level" not in faces.variables
    assert (np.diff(full, axis=0) > 0).all()
    half, height = (values(six_hours, "faces", name) for name in ("phalf", "zghalf"))
    assert half.shape[1] == full.shape[0] + 1
    assert ((half[0, :-1] < full) & (full < half[0, 1:])).all()
    assert np.array_equal(half[:, -1], pressure), "the last half level is the ground"
    assert (np.diff(height, axis=1) < 0).all()
    flux = values(six_hours, "faces", "wmass")
    assert not flux[:, 0].any()
    assert not flux[:, -1].any()
    assert flux[:, 1:-1].any()


def test_temperatures_and_heights_are_those_of_an_atmosphere(six_hours: Path) -> None:
    """The thickness of the lowest layer, from temperature and pressure: hydrostatic balance."""
    full, temperature = values(six_hours, "layers", "pfull"), values(six_hours, "layers", "ta")
    half, height = values(six_hours, "faces", "phalf"), values(six_hours, "faces", "zghalf")
    thickness = 287.0 * temperature[:, -1] * (half[:, -1] - half[:, -2]) / full[:, -1] / 9.80616
    assert np.allclose(height[:, -2] - height[:, -1], thickness, rtol=1e-10)
    assert 220.0 < temperature[0, -1].min() < temperature[0, -1].max() < 315.0


def test_winds_at_hexagons_are_those_of_the_paper(six_hours: Path) -> None:
    """u = u_0 cos^1.5(eta_v) sin^2(2 lat), eq. (2), where the bump is not."""
    with netCDF4.Dataset(file_of(six_hours, "layers")) as layers:
        latitude, longitude = (np.radians(layers[name][:].data) for name in ("vlat", "vlon"))
        eta = layers["pfull"][0].data / 1e5
        wind, northward = (layers[name][0].data for name in ("ua", "va"))
    assert np.abs(latitude).max() < 1.6, "radians"
    far = np.cos(longitude - np.pi / 9) < 0
    expected = 35 * np.cos((eta - 0.252) * np.pi / 2) ** 1.5 * np.sin(2 * latitude) ** 2
    assert np.abs(wind - expected)[:, far].max() < 2.0
    assert np.sqrt(np.mean((wind - expected)[:, far] ** 2)) < 0.6
    assert np.abs(northward).max() < 2.0


def test_other_tools_read_layers_and_faces(six_hours: Path) -> None:
    for stream, name, axis in (("layers", "ta", "level"), ("faces", "zghalf", "half_level")):
        ours = values(six_hours, stream, name)
        with xarray.open_dataset(file_of(six_hours, stream)) as data:
            assert data[name].dims == ("time", axis, "vertex")
            assert np.array_equal(data[name].to_numpy(), ours)
        cdo = shutil.which("cdo")
        if cdo is None:
            continue
        words = [cdo, "-s", "outputf,%.17g,1", f"-selname,{name}", str(file_of(six_hours, stream))]
        told = subprocess.run(words, capture_output=True, text=True, check=True)
        assert np.array_equal(np.array(told.stdout.split(), dtype=float), ours.ravel())


def test_advise_tells_what_is_written(case: Path, six_hours: Path, begun: Path) -> None:
    experiment = Experiment.read(case, list(CHECKPOINTS))
    answer = find_own_streams(experiment)
    for stream in answer.streams:
        with netCDF4.Dataset(file_of(six_hours, stream.name)) as data:
            assert set(stream.variables) <= set(data.variables)
            assert stream.values_per_output == sum(data[n][0].size for n in stream.variables)
    assert answer.checkpoints is not None
    fields = read_manifest(list_restart_sets(begun)[0])["fields"]
    assert {each["name"] for each in fields} == {"velocity", "surface_pressure", "theta_mass"}
    assert answer.checkpoints.values_per_set == 6 * (1920 + 642) + 642


def test_the_example_runs(cli: Cli, tmp_path: Path, model: Path) -> None:
    words = ["--set", "grid.name=R2B1", "--set", "model.levels=4", "--set", "time.duration=PT2H"]
    for stream in ("layers", "faces"):
        words += ["--set", f"output.{stream}.interval=PT1H"]
    out = tmp_path / "run"
    done = cli("run", ROOT / "examples" / "baroclinic_wave.toml", "--out", out, *words)
    assert done.returncode == 0, done.stderr
    assert cli("verify", out).returncode == 0
    assert values(out, "layers", "ps").shape == (3, 162)


def test_a_value_is_traced_on_its_way_from_the_lowest_level(
    cli: Cli, six_hours: Path, tmp_path: Path
) -> None:
    """Level 6 of the file is the first of the model's array."""
    words = ["--field", "ta", "--vertex", "100", "--level", "6", "--time", "1", "--json"]
    traced = cli("trace", six_hours, *words)
    assert traced.returncode == 0, traced.stderr
    stops = [json.loads(line) for line in traced.stdout.splitlines() if line.startswith("{")]
    kernel = next(each for each in stops if each.get("stop") == "kernel")
    assert kernel["file"] == "mini/kernels/air_temperature.py"
    assert kernel["value"] == values(six_hours, "layers", "ta")[1, 5, 100]


def test_the_picture_of_the_page_is_made_from_a_file(
    six_hours: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    script = str(ROOT / "examples" / "python" / "baroclinic_wave.py")
    words = [script, file_of(six_hours, "layers"), "0.25", tmp_path / "wave.png"]
    monkeypatch.setattr(sys, "argv", list(map(str, words)))
    plot = runpy.run_path(script, run_name="__main__")["plt"]
    plot.close("all")
    deepest = values(six_hours, "layers", "ps")[-1].min() / 100
    assert capsys.readouterr().out.startswith(f"surface pressure {deepest:.1f} hPa at ")
    assert (tmp_path / "wave.png").read_bytes()[:4] == b"\x89PNG"
