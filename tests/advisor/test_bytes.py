# SPDX-License-Identifier: Apache-2.0
"""Values and bytes of streams, to the byte. R2B4 has 20480 cells, 30720 edges, 10242 vertices."""

from __future__ import annotations

import csv
from collections.abc import Callable

import pytest

from thalweg.advisor.icon_streams import Answer
from thalweg.config.checkout import ROOT
from thalweg.errors import ThalwegError

Streams = Callable[..., Answer]
Advise = Callable[..., Answer]
CELLS, EDGES, VERTICES = 20480, 30720, 10242
LEVANTE = ROOT.parent / "shared" / "reference" / "levante" / "runs_visible.csv"
TROPICAL_CYCLONE = """
dtime=120
dt_data=$(echo "scale=9; 6 * ${dtime}" | bc)
start_date="2008-09-01T00:00:00Z"
end_date="2008-09-11T00:00:00Z"
cat > NAMELIST_${EXPNAME} << EOF
&grid_nml
 dynamics_grid_filename = "icon${grid}-grid.nc"
/
&run_nml
 dtime    = ${dtime} ! (s)
 iforcing = 3        ! NWP physics
 num_lev  = 30
/
&nwp_phy_nml
 inwp_gscp    = 1
 inwp_surface = 0
/
&io_nml
 lnetcdf_flt64_output = .TRUE.
/
&output_nml
 output_filename      = 'tc_${EXPNAME}'
 output_bounds        = 0., 864000., ${dt_data}
 file_interval        = "P1D"
 stream_partitions_ml = ${partitions}
 ml_varlist = 'qv','u','v','temp','pres','theta_v','rho','exner','tempv','div','w','omega_z',
              'z_mc','pres_sfc','tqv','clct','t_2m','tot_prec',
              'group:precip_vars','group:rad_vars'
/
EOF
"""


def test_the_measured_388_values_per_cell_are_reproduced(advise: Advise) -> None:
    stream = advise(TROPICAL_CYCLONE, "grid=R2B05", "partitions=1").streams[0]
    cells, vertices = 81920, 40962
    assert stream.points == cells
    assert len(stream.variables) == 55, "54 that depend on time, and z_mc"
    assert stream.unknown_variables == ()
    # 388 = 10 x 30 + 31 + 30 / 2 + 42; a vertex for every half cell, and two more
    assert stream.values_per_output == cells * 373 + vertices * 30
    assert round(stream.values_per_output / cells) == 388
    assert stream.bytes_per_output == 254_280_160
    assert stream.bytes_once_per_file == cells * 30 * 8


def test_dead_names_of_the_original_script_are_told(advise: Advise) -> None:
    """`exp.nh_dcmip_tc_52` asks for two variables that ICON has no more, and for two more lists."""
    more = "\n pl_varlist = 'u', 'v', 'temp'\n p_levels = 50000., 85000.,\n"
    more += " hl_varlist = 'u', 'temp', 'qv'\n h_levels = 100., 1000., 2*5000.\n/\nEOF"
    text = TROPICAL_CYCLONE.replace("'z_mc',", "'z_mc','rhotheta_v','flxdwswtoa',")
    text = text.replace("\n/\nEOF", more)
    levels, pressure, height = advise(text, "grid=R2B05", "partitions=1").streams
    assert levels.unknown_variables == ("rhotheta_v", "flxdwswtoa")
    assert round(levels.values_per_output / levels.points) == 388
    assert pressure.values_per_output == 81920 * 6
    assert height.values_per_output == 81920 * 12


@pytest.mark.parametrize(("grid", "logged"), [("R2B05", "r2b5"), ("R2B06", "r2b6")])
def test_bytes_are_those_that_runs_on_levante_logged(
    advise: Advise, grid: str, logged: str
) -> None:
    """An output to the byte; the log's sum has the constants of all files, as of 10^6 bytes."""
    if not LEVANTE.is_file():
        pytest.skip(f"the figures measured on Levante are not on this machine: {LEVANTE}")
    with LEVANTE.open(encoding="utf-8", newline="") as file:
        rows = [
            row
            for row in csv.DictReader(file)
            if row["kind"] == "io" and row["grid"] == logged and row["mb_sum_logged"]
        ]
    assert rows, "no run to compare with"
    for row in rows:
        settings = [f"grid={grid}", f"dt_data={row['output_interval_s']}"]
        settings.append(f"partitions={row['stream_partitions']}")
        stream = advise(TROPICAL_CYCLONE, *settings).streams[0]
        assert stream.outputs == int(row["n_outputs"])
        assert stream.bytes_in_all / 1e6 == pytest.approx(float(row["mb_sum_logged"]), rel=1e-5)
        assert stream.files == int(float(row["output_files"]))


@pytest.mark.parametrize(
    ("items", "values"),
    [
        ("ml_varlist = 'u'", CELLS * 10),
        ("ml_varlist = 'w'", CELLS * 11),
        ("ml_varlist = 'vn'", EDGES * 10),
        ("ml_varlist = 'omega_z'", VERTICES * 10),
        ("ml_varlist = 'pres_sfc', 't_2m'", CELLS * 2),
        ("ml_varlist = 't_so', 'w_so'", CELLS * 17),
        ("ml_varlist = 'z_mc'", 0),
        ("ml_varlist = 'u', 'pres_sfc', 'w' m_levels = '1,3,5...8'", CELLS * 13),
        ("ml_varlist = 'u', 'w' m_levels = 'nlev...nlevp1'", CELLS * 3),
        ("ml_varlist = 'u' m_levels = 'nlev/2...nlev; 1'", CELLS * 7),
        ("ml_varlist = 't_so', 'u' m_levels = '1...3'", CELLS * 6),
        ("ml_varlist = 't_so', 'u' m_levels = '1...10'", CELLS * 19),
        ("pl_varlist = 'u', 'temp' p_levels = 50000, 85000, 100000", CELLS * 6),
        ("hl_varlist = 'u' h_levels = 10., 100.", CELLS * 2),
        ("il_varlist = 'temp' i_levels = 320", CELLS),
        ("pl_varlist = 'gh' p_levels = 50000, 85000", CELLS * 2),
        ("remap = 1 reg_lon_def = 0, 1, 360 reg_lat_def = -90, 1, 90 ml_varlist = 'u'", 651600),
        ("remap = 1 reg_lon_def = 0, 100, 359 reg_lat_def = -90, 50, 90 ml_varlist = 'u'", 50000),
        ("remap = 1 reg_lon_def = 0, 10, 20 reg_lat_def = 0, 10, 20 reg_def_mode = 1 "
         "ml_varlist = 'u'", 90),
        ("remap = 1 reg_lon_def = -10, 0.1, 10 reg_lat_def = 0, 0.1, 1 ml_varlist = 'vn'", 22110),
    ],
)  # fmt: skip
def test_values_are_points_times_levels(streams: Streams, items: str, values: int) -> None:
    stream = streams(items).streams[0]
    assert stream.unknown_variables == ()
    assert stream.values_per_output == values


def test_groups_on_longitudes_and_latitudes_have_cells_only(streams: Streams) -> None:
    mesh = "remap = 1 reg_lon_def = 0, 100, 359 reg_lat_def = -90, 50, 90"
    items = "ml_varlist = 'group:atmo_derived_vars'"
    native, remapped = streams(items, f"{mesh} {items}").streams
    assert "omega_z" in native.variables
    assert "omega_z" not in remapped.variables
    assert (remapped.mesh, remapped.points) == ("lonlat 100x50", 5000)


@pytest.mark.parametrize(
    ("items", "io", "gribout", "size_bytes"),
    [
        ("filetype = 4", "", "", 4),
        ("filetype = 5", "", "", 4),
        ("filetype = 5", "lnetcdf_flt64_output = .true.", "", 8),
        ("filetype = 2", "lnetcdf_flt64_output = .true.", "", 2),
        ("filetype = 2", "", "lgribout_24bit = .true.", 3),
    ],
)
def test_widths_are_those_of_the_container(
    streams: Streams, items: str, io: str, gribout: str, size_bytes: int
) -> None:
    groups = f"&gribout_nml {gribout} /"
    stream = streams(f"{items} ml_varlist = 'temp'", io=io, groups=groups).streams[0]
    assert stream.bytes_per_output == CELLS * 10 * size_bytes
    wind = streams(f"{items} ml_varlist = 'u'", io=io, groups=groups).streams[0]
    assert wind.bytes_per_output == CELLS * 10 * min(size_bytes, 2 if "2" in items else 8)


def test_what_is_float32_stays_so(streams: Streams) -> None:
    stream = streams("ml_varlist = 'pv'", io="lnetcdf_flt64_output = .true.").streams[0]
    assert stream.bytes_per_output == CELLS * 10 * 4


def test_grib2_says_what_its_bytes_are(streams: Streams) -> None:
    answer = streams("filetype = 2 ml_varlist = 'u'")
    assert "their bytes are those before packing" in answer.warnings[-1]


@pytest.mark.parametrize(
    ("items", "once"),
    [
        ("ml_varlist = 'u', 'z_mc'", CELLS * 10 * 4),
        ("ml_varlist = 'u', 'z_ifc'", CELLS * 11 * 4),
        ("output_grid = .true. ml_varlist = 'u'", CELLS * 64),
        ("output_grid = .true. ml_varlist = 'vn', 'omega_z'", EDGES * 80 + VERTICES * 112),
        ("filetype = 2 output_grid = .true. ml_varlist = 'u'", CELLS * 4),
        ("filetype = 2 output_grid = .true. ml_varlist = 'vn', '-grid:ELAT'", EDGES * 2),
        ("ml_varlist = 'u'", 0),
    ],
)
def test_constants_and_coordinates_are_once_per_file(
    streams: Streams, items: str, once: int
) -> None:
    assert streams(items).streams[0].bytes_once_per_file == once


def test_partitions_repeat_constants_in_their_files(streams: Streams) -> None:
    items = "output_bounds = 0, 86400, 3600 ml_varlist = 'u', 'z_mc' file_interval = 'P1D' "
    one, four = streams(items, f"{items} stream_partitions_ml = 4", bare=True).streams
    assert (one.files, four.files) == (2, 5)
    once = CELLS * 10 * 4
    assert one.bytes_in_all == once * (25 + 2)
    assert four.bytes_in_all == once * (25 + 5)


def test_each_list_is_a_stream_on_each_domain(streams: Streams) -> None:
    items = "output_filename = 'out' ml_varlist = 'u' pl_varlist = 'v' p_levels = 50000"
    answer = streams(
        items,
        "output_filename = 'nest' dom = 2 ml_varlist = 'u'",
        grids="'iconR2B04_DOM01.nc', 'iconR2B05_DOM02.nc'",
        levels="10, 7",
        run="lvert_nest = .true.",
        cells=("DOM02=1000",),
    )
    assert [(each.name, each.points, each.values_per_output) for each in answer.streams] == [
        ("out_DOM01_ML", CELLS, CELLS * 10),
        ("out_DOM01_PL", CELLS, CELLS),
        ("out_DOM02_ML", 1000, 7000),
        ("out_DOM02_PL", 1000, 1000),
        ("nest", 1000, 7000),
    ]


def test_nests_have_the_levels_of_their_parent_if_not_told(streams: Streams) -> None:
    grids = "'iconR2B04_DOM01.nc', 'iconR2B05_DOM02.nc'"
    answer = streams("ml_varlist = 'u'", grids=grids, levels="10, 7", cells=("2=1000",))
    assert answer.streams[1].values_per_output == 10_000


def test_a_nest_writes_while_it_exists(streams: Streams) -> None:
    answer = streams(
        "ml_varlist = 'u'",
        grids="'iconR2B04_DOM01.nc', 'iconR2B05_DOM02.nc'",
        grid="start_time = 0, 7200 end_time = 0, 43200",
        cells=("2=1000",),
    )
    assert [each.outputs for each in answer.streams] == [25, 11]


def test_equal_names_are_told_apart(streams: Streams) -> None:
    items = "output_filename = 'out' ml_varlist = 'u'"
    names = [each.name for each in streams(items, items).streams]
    assert names == ["out_DOM01_ML#1", "out_DOM01_ML#2"]


@pytest.mark.parametrize(
    ("items", "words", "sentence"),
    [
        (
            "ml_varlist = 'u'",
            {"grids": "'icon_grid_L.nc'"},
            "told by 'icon_grid_L.nc'; give --cells 1=N",
        ),
        (
            "ml_varlist = 'u'",
            {"grids": "'iconR2B04_DOM01.nc', 'a.nc', 'b.nc'"},
            "told by 'a.nc', 'b.nc'; give --cells 2=N --cells 3=N",
        ),
        ("ml_varlist = 'u'", {"grids": "''"}, "dynamics_grid_filename of '&grid_nml' is not given"),
        ("ml_varlist = 'u'", {"levels": "0"}, "num_lev of '&run_nml' is 0; give 1 to 100000"),
        ("ml_varlist = 'u' remap = 2", {}, "remap of '&output_nml' is 2; give 0 or 1"),
        ("pl_varlist = 'u'", {}, "needs p_levels"),
        ("ml_varlist = 'u' m_levels = '0...5'", {}, "has '0...5'; give levels from 1 to nlev+1"),
        ("ml_varlist = 'u' m_levels = 'top'", {}, "has 'top'"),
        ("ml_varlist = 1, 2", {}, "ml_varlist of '&output_nml' is '1'; give text in quotes"),
        ("ml_varlist = 'u' remap = 1", {}, "reg_lon_def of '&output_nml' has 0 numbers"),
        ("ml_varlist = 'u' remap = 1 reg_lon_def = 10, 1, 0", {}, "goes from 10"),
        ("ml_varlist = 'u'", {"run": "nsteps = 999999999999999"}, "a run of so many steps"),
        ("ml_varlist = 'u'", {"run": "dtime = 1e30"}, "is no time step of a model"),
        ("ml_varlist = 'u' stream_partitions_ml = 1000000000", {}, "give 1 to 10000"),
        ("ml_varlist = 'u'", {"groups": "&lnd_nml ntiles = 999999999 /"}, "give 1 to 1000"),
        ("ml_varlist = 'u' remap = 1 reg_lon_def = 0, 1e-9, 1", {}, "points; give 1 to"),
        ("ml_varlist = 'u' remap = .true.", {}, "remap of '&output_nml' is 'True'; give whole"),
    ],
)
def test_wrong_streams_are_refused_with_their_line(
    streams: Streams, items: str, words: dict[str, str], sentence: str
) -> None:
    with pytest.raises(ThalwegError) as error:
        streams(items, **words)
    assert error.value.sentence.startswith("exp.test:")
    assert sentence in error.value.sentence
    assert error.value.exit_code == 2


def test_nothing_is_written_without_nml_in_output(streams: Streams) -> None:
    answer = streams("ml_varlist = 'u'", run="output = 'none'")
    assert answer.streams == []
    assert "ICON uses none of the 1 groups '&output_nml'" in answer.warnings[0]


def test_edges_of_a_part_of_the_globe_are_said_to_be_taken_from_cells(streams: Streams) -> None:
    answer = streams("ml_varlist = 'vn'", grids="'lam.nc'", cells=("1000",))
    assert answer.streams[0].values_per_output == 15_000
    assert "are taken as 3/2 and 1/2 of its cells" in answer.warnings[0]
