# SPDX-License-Identifier: Apache-2.0
"""--sample: the head of a file of an earlier run tells of variables that the table does not know.

The run is a day on R2B4 (20480 cells, 30720 edges, 10242 vertices) with 10 levels.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import eccodes
import numpy as np
import pytest
from netCDF4 import Dataset

from thalweg.advisor.icon_sample import Sample, read_samples
from thalweg.advisor.icon_streams import Answer, find_streams
from thalweg.config.run_script import read_run_script
from thalweg.errors import ThalwegError

Cli = Callable[..., "CompletedProcess[str]"]
SCRIPT = """
&grid_nml dynamics_grid_filename = 'iconR02B04_G.nc' /
&run_nml iforcing = 3, num_lev = 10, dtime = 600, nsteps = 144 /
&io_nml {io} /
&nwp_phy_nml inwp_gscp = 1, inwp_surface = 1 lstoch_expl = F /
&output_nml output_filename = 's' output_bounds = 0, 86400, 3600 steps_per_file = 0 {stream} /
"""
CELLS, EDGES, VERTICES = 20480, 30720, 10242
# Name of the variable -> dimensions, number_of_grid_in_reference (0: coordinates tell).
VARIABLES = {
    "dust": (("time", "height", "ncells"), 1),
    "dust_half": (("time", "height_2", "ncells"), 0),
    "dust_sum": (("time", "ncells"), 1),
    "dust_bins": (("time", "bins", "depth", "ncells"), 1),
    "dust_edge": (("time", "height", "ncells_2"), 3),
    "dust_vertex": (("time", "ncells_3"), 2),
    "dust_mask": (("ncells",), 1),
    "dust_class": (("time", "ncells"), 1),
    "dust_mean": (("time",), None),
    "dust_few": (("time", "height_3", "ncells"), 1),
    "dust_map": (("time", "height", "lat", "lon"), None),
    "dust_lost": (("time", "ncells"), None),
}
SIZES = {
    "time": 2, "height": 10, "height_2": 11, "height_3": 4, "bins": 3, "depth": 5, "ncells": 80,
    "ncells_2": 120, "ncells_3": 42, "lat": 6, "lon": 12,
}  # fmt: skip


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As ICON and CDI describe their variables, on R2B0."""
    path = tmp_path_factory.mktemp("sample") / "old.nc"
    with Dataset(path, "w") as new:
        for name, size in SIZES.items():
            new.createDimension(name, size)
        for name in ("time", "height", "lat", "lon"):
            new.createVariable(name, "f8", (name,))
        new.createVariable("clon", "f8", ("ncells",)).bounds = "clon_bnds"
        new.createVariable("clon_bnds", "f8", ("ncells", "bins"))
        for name, (dimensions, reference) in VARIABLES.items():
            dtype = "i4" if name == "dust_class" else "f4"
            made = new.createVariable(name, dtype, dimensions)
            if reference is None:
                continue
            made.CDI_grid_type = "unstructured"
            if reference:
                made.number_of_grid_in_reference = np.int32(reference)
            else:
                made.coordinates = "clat clon"
    return path


def answer_on(tmp_path: Path, sample: Sample, stream: str, io: str = "") -> Answer:
    path = tmp_path / "exp.test"
    path.write_text(SCRIPT.format(stream=stream, io=io))
    return find_streams(read_run_script(path, {}), {}, {}, None, sample)


@pytest.mark.parametrize(
    ("name", "values", "once"),
    [
        ("dust", CELLS * 10, 0),
        ("DUST_HALF", CELLS * 11, 0),
        ("dust_sum", CELLS, 0),
        ("dust_bins", CELLS * 15, 0),
        ("dust_edge", EDGES * 10, 0),
        ("dust_vertex", VERTICES, 0),
        ("dust_mask", 0, CELLS * 4),
        ("dust_class", CELLS, 0),
        ("dust_mean", 1, 0),
        ("dust_few", CELLS * 4, 0),
    ],
)
def test_an_unknown_variable_is_as_large_as_in_the_sample(
    tmp_path: Path, file: Path, name: str, values: int, once: int
) -> None:
    answer = answer_on(tmp_path, read_samples([file]), f"ml_varlist = '{name}'")
    (stream,) = answer.streams
    assert stream.unknown_variables == ()
    assert stream.variables == (name.lower(),)
    assert (stream.values_per_output, stream.bytes_once_per_file) == (values, once)
    assert stream.bytes_per_output == 4 * values
    assert "are those in the sample 'old.nc'" in answer.warnings[0]


def test_without_the_sample_they_are_unknown(tmp_path: Path) -> None:
    answer = answer_on(tmp_path, {}, "ml_varlist = 'dust', 'u'")
    assert answer.streams[0].unknown_variables == ("dust",)
    assert "give --sample FILE of an earlier run" in answer.warnings[0]


def test_widths_levels_and_meshes_are_those_of_the_stream(tmp_path: Path, file: Path) -> None:
    sample = read_samples([file])

    def sums(stream: str, io: str = "") -> tuple[int, int]:
        found = answer_on(tmp_path, sample, stream, io).streams[0]
        return found.values_per_output, found.bytes_per_output

    float64 = "lnetcdf_flt64_output = T"
    assert sums("ml_varlist = 'dust'", float64) == (CELLS * 10, CELLS * 80)
    assert sums("ml_varlist = 'dust_class'", float64) == (CELLS, CELLS * 4)
    assert sums("ml_varlist = 'dust' m_levels = '1...3'") == (CELLS * 3, CELLS * 12)
    assert sums("ml_varlist = 'dust_few' m_levels = '1...8'") == (CELLS * 4, CELLS * 16)
    assert sums("pl_varlist = 'dust' p_levels = 50000, 85000") == (CELLS * 2, CELLS * 8)
    assert sums("ml_varlist = 'dust' filetype = 2") == (CELLS * 10, CELLS * 20)
    lonlat = "remap = 1 reg_lon_def = 0, 1, 360 reg_lat_def = -90, 1, 90 ml_varlist ="
    assert sums(f"{lonlat} 'dust_map'") == (360 * 181 * 10, 360 * 181 * 40)
    assert sums(f"{lonlat} 'dust_edge'") == (360 * 181 * 10, 360 * 181 * 40)
    assert sums(f"{lonlat} 'dust_lost'") == (360 * 181, 360 * 181 * 4)


@pytest.mark.parametrize("name", ["dust_map", "dust_lost"])
def test_a_place_that_the_sample_does_not_tell_is_not_made_up(
    tmp_path: Path, file: Path, name: str
) -> None:
    answer = answer_on(tmp_path, read_samples([file]), f"ml_varlist = '{name}', 'u'")
    assert answer.streams[0].unknown_variables == (name,)
    assert "has no axis of mesh points in the sample: it is not counted" in answer.warnings[0]


def test_what_the_table_knows_is_not_taken_from_a_sample(tmp_path: Path) -> None:
    with Dataset(tmp_path / "old.nc", "w") as new:
        for name, size in (("time", 1), ("height", 77), ("ncells", 80), ("plumes", 6)):
            new.createDimension(name, size)
        for name, axis in (("u", "height"), ("mf_i", "plumes")):
            made = new.createVariable(name, "f4", ("time", axis, "ncells"))
            made.number_of_grid_in_reference = np.int32(1)
    sample = read_samples([tmp_path / "old.nc"])
    answer = answer_on(tmp_path, sample, "ml_varlist = 'u'")
    assert answer.streams[0].values_per_output == CELLS * 10
    assert answer.warnings == []
    # Its place is in the table; of its further axis only the sample tells.
    unsized = "ml_varlist = 'mf_i'"
    assert answer_on(tmp_path, {}, unsized).streams[0].unknown_variables == ("mf_i",)
    stream = answer_on(tmp_path, sample, unsized).streams[0]
    assert (stream.values_per_output, stream.unknown_variables) == (CELLS * 6, ())


def test_a_name_behind_a_minus_is_not_told_of(tmp_path: Path, file: Path) -> None:
    answer = answer_on(tmp_path, read_samples([file]), "ml_varlist = 'dust', '-dust', 'u'")
    assert answer.streams[0].variables == ("u",)
    assert answer.warnings == []


def write_grib(path: Path) -> None:
    """ "t" on 3 levels of cells at 2 times in 24 bits, "lsm" of vertices once, on longitudes."""
    cells = {"gridDefinitionTemplateNumber": 101, "numberOfGridUsed": 0}
    with path.open("wb") as file:
        for step in (0, 6):
            for level in (1, 2, 3):
                keys = {**cells, "numberOfGridInReference": 1, "shortName": "t"}
                keys |= {"typeOfLevel": "hybrid", "level": level, "stepRange": str(step)}
                write_message(file, keys | {"bitsPerValue": 24})
        keys = {**cells, "numberOfGridInReference": 2, "shortName": "lsm", "stepRange": "0"}
        write_message(file, keys | {"bitsPerValue": 16})
        write_message(file, {"shortName": "msl", "stepRange": "0", "bitsPerValue": 16})


def write_message(file: object, keys: dict[str, object]) -> None:
    message = eccodes.codes_grib_new_from_samples("GRIB2")
    for key, value in keys.items():
        eccodes.codes_set(message, key, value)
    count = eccodes.codes_get(message, "numberOfDataPoints")
    eccodes.codes_set_values(message, np.linspace(1.0, 2.0, count))
    eccodes.codes_write(message, file)
    eccodes.codes_release(message)


def test_messages_of_grib2_tell_levels_bits_and_what_is_constant(tmp_path: Path) -> None:
    write_grib(tmp_path / "old.grb2")
    found = read_samples([tmp_path / "old.grb2"])
    told = {
        name: (each.place, each.levels, each.constant, each.bits) for name, each in found.items()
    }
    assert told == {
        "t": ("cell", 3, False, 24),
        "lsm": ("vertex", 1, True, 16),
        "msl": ("lonlat", 1, True, 16),
    }


def test_of_two_samples_the_first_counts(tmp_path: Path, file: Path) -> None:
    with Dataset(tmp_path / "other.nc", "w") as new:
        new.createDimension("time", 1)
        new.createVariable("dust", "f4", ("time",))
        new.createVariable("more", "f4", ("time",))
    found = read_samples([file, tmp_path / "other.nc"])
    assert (found["dust"].file, found["more"].file) == ("old.nc", "other.nc")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "cannot be read"),
        (b"", "is neither netCDF nor GRIB2"),
        (b"some text", "is neither netCDF nor GRIB2"),
        (b"CDF\x05 and no more", "holds no variable"),
        (b"\x89HDF\r\n\x1a\n" + b"x" * 100, "is damaged"),
        (b"GRIB" + b"\0" * 40, "is damaged"),
    ],
)
def test_a_wrong_sample_is_one_sentence(
    tmp_path: Path, content: bytes | None, sentence: str
) -> None:
    path = tmp_path / "old"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ThalwegError, match=sentence) as error:
        read_samples([path])
    assert error.value.exit_code == 2
    assert "\n" not in error.value.sentence


def test_a_sample_without_variables_is_one_sentence(tmp_path: Path) -> None:
    Dataset(tmp_path / "empty.nc", "w").close()
    with pytest.raises(ThalwegError, match="holds no variable"):
        read_samples([tmp_path / "empty.nc"])


def test_the_command_takes_samples(here: Cli, tmp_path: Path, file: Path) -> None:
    (tmp_path / "exp.test").write_text(SCRIPT.format(stream="ml_varlist = 'dust'", io=""))
    result = here("advise", "exp.test", "--sample", file, "--json", cwd=tmp_path)
    (stream,) = json.loads(result.stdout)["streams"]
    assert stream["bytes_per_output"] == CELLS * 40
    missing = here("advise", "exp.test", "--sample", "none.nc", cwd=tmp_path)
    assert missing.returncode == 2
    assert len(missing.stderr.splitlines()) == 1
    (tmp_path / "own.toml").write_text("")
    refused = here("advise", "own.toml", "--sample", file, cwd=tmp_path)
    assert refused.returncode == 2
    assert "--sample is for ICON scripts" in refused.stderr
