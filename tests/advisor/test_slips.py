# SPDX-License-Identifier: Apache-2.0
"""Slips of the pen in namelists and scripts are told: nobody gets fewer streams without a word."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from thalweg.advisor.icon_streams import Answer
from thalweg.errors import ThalwegError

Advise = Callable[..., Answer]
Streams = Callable[..., Answer]
NEST = {"grids": "'iconR2B04_DOM01.nc', 'nest_DOM02.nc'"}
HEAD = """&grid_nml dynamics_grid_filename = 'iconR2B04_DOM01.nc' /
&run_nml iforcing = {forcing} num_lev = 10 dtime = 360. nsteps = 240 /
"""
OUTPUT = "&output_nml output_bounds = 0, 86400, 3600 steps_per_file = 0 ml_varlist = 'temp' /\n"


@pytest.mark.parametrize(
    ("items", "sentence"),
    [
        ("ml_varlst = 'u'", "has no item 'ml_varlst' that is known here: ICON stops"),
        ("ml_varlst = 'u'", "Did you mean 'ml_varlist'?"),
        ("ml_varlst = 'u'", "has a first name, so it writes nothing"),
        ("ml_varlist = '', 'u'", "has a first name, so it writes nothing"),
        ("ml_varlist(2:) = 'u'", "has a first name, so it writes nothing"),
        ("ml_varlist = 'u' m_levls = '1'", "Did you mean 'm_levels'?"),
        ("ml_varlist = 'u' dom = 1, 3", "there is no domain 3, so nothing is written for it"),
        ("ml_varlist = 'u' operation = 'avg'", "operation 'avg' is not one of ICON's"),
        ("ml_varlist = 'u' pe_placement_ml = 0", "num_io_procs gives none, at which ICON stops"),
    ],
)
def test_what_icon_stops_at_or_leaves_out_is_said(
    streams: Streams, items: str, sentence: str
) -> None:
    assert any(sentence in each for each in streams(items).warnings)


@pytest.mark.parametrize(("ranks", "is_told"), [(2, True), (3, False)])
def test_places_that_leave_no_io_rank_to_others_are_told(
    advise: Advise, ranks: int, is_told: bool
) -> None:
    places = "stream_partitions_ml = 2 pe_placement_ml = 0, 1"
    more = f"&parallel_nml num_io_procs = {ranks} /"
    answer = advise(
        HEAD.format(forcing=3) + more + OUTPUT.replace("'temp'", f"'u' {places}") + OUTPUT
    )
    assert any("takes all 2 I/O ranks: ICON stops" in each for each in answer.warnings) is is_told


def test_an_interval_without_start_and_end_is_told(streams: Streams) -> None:
    answer = streams(
        "output_interval = 'PT1H' steps_per_file = 0 ml_varlist = 'u' output_start = '2000-01-01'",
        bare=True,
        groups="&time_nml ini_datetime_string = '2000-01-01T00:00:00Z' /",
    )
    assert any("has no output_end, at which ICON stops" in each for each in answer.warnings)
    assert not any("output_start" in each for each in answer.warnings)


def test_a_group_whose_name_is_misspelt_is_told(advise: Advise) -> None:
    answer = advise(HEAD.format(forcing=3) + OUTPUT.replace("output_nml", "output_nm"))
    assert answer.streams == []
    assert any("ICON reads no group '&output_nm'" in each for each in answer.warnings)
    assert any("Did you mean 'output_nml'?" in each for each in answer.warnings)


@pytest.mark.parametrize("section", ["(:)", "(1:)", "(:2)", "(1:2)", ""])
def test_sections_of_arrays_are_read(streams: Streams, section: str) -> None:
    (stream,) = streams(f"ml_varlist{section} = 'u', 'v'").streams
    assert stream.variables == ("u", "v")


def test_a_list_of_names_ends_at_the_first_blank_one(streams: Streams) -> None:
    (stream,) = streams("ml_varlist = 'u', '', 'v'").streams
    assert stream.variables == ("u",)


@pytest.mark.parametrize(
    ("grid", "outputs"),
    [
        ("start_time = 0., 7200. end_time = 0., 43200.", 11),
        ("start_time(2) = 7200. end_time(2) = 43200.", 11),
        ("start_time = , 7200.", 23),
        ("start_time = 0., 86400.", 1),
        ("start_time = 0., 87000.", 0),
        ("", 25),
    ],
)
def test_elements_of_arrays_keep_their_places(streams: Streams, grid: str, outputs: int) -> None:
    nest = streams("ml_varlist = 'u'", grid=grid, cells=("2=1000",), **NEST).streams[1]
    assert nest.outputs == outputs


def test_levels_of_a_nest_keep_their_place(streams: Streams) -> None:
    words = {**NEST, "run": "lvert_nest = .true. num_lev(2) = 7"}
    nest = streams("ml_varlist = 'u'", cells=("2=1000",), **words).streams[1]
    assert nest.values_per_output == 7 * 1000


@pytest.mark.parametrize(
    ("longitudes", "latitudes", "mesh"),
    [
        ("0., 1., 360.", "-90., 1., 90.", "lonlat 360x181"),
        ("-180., 1., 180.", "-90., 1., 90.", "lonlat 361x181"),  # ICON compares them as they are
        ("0., 1., 359.", "90., -1., -90.", "lonlat 360x181"),  # from north to south
        ("0., -1., -359.", "0., 1., 0.", "lonlat 360x1"),
        ("0., 0.1, 359.9", "0., 1., 0.", "lonlat 3599x1"),  # as 359.9 / 0.1 is cut
        ("360., 1., 720.", "0., 1., 0.", "lonlat 361x1"),
    ],
)
def test_axes_are_counted_as_icon_does(
    streams: Streams, longitudes: str, latitudes: str, mesh: str
) -> None:
    items = f"remap = 1 reg_lon_def = {longitudes} reg_lat_def = {latitudes} ml_varlist = 't_2m'"
    assert streams(items).streams[0].mesh == mesh


@pytest.mark.parametrize(
    "script",
    [
        "write_it() {{\ncat << EOF\n{text}EOF\n}}\nwrite_it | sort >> NAMELIST\n",
        "echo '&output_nml ml_varlist = 1 /\\n' >> NAMELIST\n",
        "f() {{ cat >> NAMELIST << EOF\n{text}EOF\n}}\ntrap f EXIT\n",
        "{{ date; cat << EOF\n{text}EOF\n}} >> NAMELIST\n",
        "sed -i 'N;P;D' NAMELIST\n",
        "sed -i 'N;P;D' NAMELIST || exit 1\n",
        "sed 'N;P;D' NAMELIST > OTHER\n",
        "python3 - << EOF\n{text}EOF\n",
    ],
)
def test_namelists_that_are_not_read_are_told(advise: Advise, script: str) -> None:
    head = f"cat > NAMELIST << EOF\n{HEAD.format(forcing=3)}{OUTPUT}EOF\n"
    warnings = advise(head + script.format(text=OUTPUT)).warnings
    assert any("is written or changed here in a way that is not read" in each for each in warnings)


@pytest.mark.parametrize("line", ["echo wrote NAMELIST", "sed -n 1p NAMELIST", "cat NAMELIST"])
def test_who_only_reads_a_namelist_is_not_told(advise: Advise, line: str) -> None:
    head = f"cat > NAMELIST << EOF\n{HEAD.format(forcing=3)}{OUTPUT}EOF\n"
    assert not any("is written or changed here" in each for each in advise(head + line).warnings)


@pytest.mark.parametrize("how", ["tee -a NAMELIST << EOF", "tee -ai NAMELIST > /dev/null << EOF",
                                 "cat << EOF | tee -a NAMELIST"])  # fmt: skip
def test_tee_writes_as_cat_does(advise: Advise, how: str) -> None:
    head = f"cat > NAMELIST << EOF\n{HEAD.format(forcing=3)}{OUTPUT}EOF\n"
    assert len(advise(head + f"{how}\n{OUTPUT}EOF\n").streams) == 2
    anew = how.replace("-ai", "-i").replace("-a ", "")
    script = head + f"{anew}\n{HEAD.format(forcing=3)}{OUTPUT}EOF\n"
    assert len(advise(script).streams) == 1


def test_what_decides_about_variables_is_asked_for(advise: Advise) -> None:
    text = HEAD.format(forcing="${physics}") + OUTPUT.replace("'temp'", "'group:precip_vars'")
    script = f"cat > NAMELIST << EOF\n{text}EOF\n"
    with pytest.raises(ThalwegError, match="physics"):
        advise(script)
    assert advise(script, "physics=3").streams


def test_an_open_end_of_a_job_is_asked_for(advise: Advise) -> None:
    script = "restart_interval=PT${{hours}}H\ncat > NAMELIST << EOF\n{text}EOF\n"
    text = script.format(text=HEAD.format(forcing=3) + OUTPUT)
    with pytest.raises(ThalwegError, match="hours"):
        advise(text)
    assert advise(text, "hours=6").streams[0].outputs == 7


def test_no_restarts_and_a_comment_before_the_first_group_are_legal(advise: Advise) -> None:
    control = "&master_time_control_nml restartTimeIntVal = 'PT0S' /\n"
    text = "# made by hand\n" + HEAD.format(forcing=3) + control + OUTPUT
    assert advise(text).streams[0].outputs == 25


SAME = (
    "&output_nml output_filename = 'x' {items} output_bounds = 0, 86400, 3600 steps_per_file = 0 "
    "{list} /\n"
)


@pytest.mark.parametrize(
    ("first", "second", "is_told"),
    [
        (("", "ml_varlist = 'u'"), ("", "ml_varlist = 'v'"), True),
        (("", "ml_varlist = 'u'"), ("", "pl_varlist = 'v' p_levels = 50000"), False),
        (("", "ml_varlist = 'u'"), ("filetype = 2", "ml_varlist = 'v'"), False),
        (("filename_format = 'a<jfile>'", "ml_varlist = 'u'"),
         ("filename_format = 'b<jfile>'", "ml_varlist = 'v'"), False),
        (("filename_format = 'a<jfile>'", "ml_varlist = 'u'"),
         ("filename_format = 'a<jfile>'", "pl_varlist = 'v' p_levels = 50000"), True),
    ],
)  # fmt: skip
def test_files_of_the_same_names_are_told(
    advise: Advise, first: tuple[str, str], second: tuple[str, str], is_told: bool
) -> None:
    groups = "".join(SAME.format(items=items, list=list_) for items, list_ in (first, second))
    answer = advise(HEAD.format(forcing=3) + groups)
    assert any("have files of the same names" in each for each in answer.warnings) == is_told


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("num_lev = 10", "num_levs = 10"),
        ("dtime = 360.", "dtimee = 360."),
        ("iforcing = 3", "iforcng = 3"),
    ],
)
def test_an_item_that_is_almost_one_is_told(advise: Advise, right: str, wrong: str) -> None:
    head = HEAD.format(forcing=3).replace(right, wrong)
    told = f"has an item '{wrong.split()[0]}' that is not known here, and no '{right.split()[0]}'"
    assert any(told in each for each in advise(head + OUTPUT).warnings)


@pytest.mark.parametrize(
    ("group", "items"),
    [
        ("parallel_nml", "num_io_proc = 4"),
        ("io_nml", "dt_chkpoint = 3600."),
        ("nwp_phy_nml", "inwp_gspc = 2"),
    ],
)
def test_items_of_other_groups_are_looked_at(advise: Advise, group: str, items: str) -> None:
    answer = advise(f"{HEAD.format(forcing=3)}&{group} {items} /\n{OUTPUT}")
    assert any(f"'&{group}' has an item '{items.split()[0]}'" in each for each in answer.warnings)


def test_items_that_icon_has_beside_ours_are_no_slips(advise: Advise) -> None:
    others = """&parallel_nml num_io_procs_radar = 1 nproma_sub = 8 num_dist_array_replicas = 1 /
&io_nml dt_diag = 3600. netcdf_dict = 'd' write_initial_state = F checkpoint_on_demand = F /
&grid_nml radiation_grid_filename = 'r' vertical_grid_filename = 'v' lredgrid_phys = T /
&run_nml ltestcase = F ldynamics = T ltimer = T timers_level = 10 ntracer = 5 nshift = 0 /
&nwp_phy_nml inwp_gwd = 1 inwp_sso = 1 inwp_satad = 1 inwp_cldcover = 1 inwp_convection = 1 /
&lnd_nml nlev_snow = 3 lseaice = T frlnd_thrhld = 0.05 lprog_albsi = T zml_soil = 0.1 /
"""
    answer = advise(HEAD.format(forcing=3) + others + OUTPUT)
    assert not any("Did you mean" in each for each in answer.warnings)


@pytest.mark.parametrize(("value", "is_told"), [(".TRUE.", True), (".FALSE.", False)])
def test_a_job_that_goes_on_from_a_restart_is_told(
    advise: Advise, value: str, is_told: bool
) -> None:
    answer = advise(HEAD.format(forcing=3) + f"&master_nml lrestart = {value} /\n" + OUTPUT)
    assert any("from the date of its restart file" in each for each in answer.warnings) is is_told
