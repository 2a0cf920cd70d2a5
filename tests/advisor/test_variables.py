# SPDX-License-Identifier: Apache-2.0
"""Names in varlists become variables as ICON does it; what would stop it is said."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from thalweg.advisor.icon_conditions import Conditions
from thalweg.advisor.icon_streams import Answer
from thalweg.advisor.icon_variables import FOLDER, all_variables, known_groups
from thalweg.advisor.items import Settings
from thalweg.config.checkout import ROOT
from thalweg.config.namelist import read_namelist

Streams = Callable[..., Answer]
FACTS = ROOT.parent / "shared" / "reference" / "icon_namelists" / "variables.csv"
PRECIPITATION = {
    "rain_gsp", "snow_gsp", "prec_gsp", "rain_con", "snow_con", "prec_con", "tot_prec",
}  # fmt: skip


def names(streams: Streams, varlist: str, **words: str) -> set[str]:
    return set(streams(f"ml_varlist = {varlist}", **words).streams[0].variables)


@pytest.mark.parametrize(
    ("varlist", "expected"),
    [
        ("'U', 'Temp', 'pres_SFC'", {"u", "temp", "pres_sfc"}),
        ("'u', 'u', 'U'", {"u"}),
        ("'group:precip_vars'", PRECIPITATION),
        ("'group:PRECIP_VARS', 'tot_prec', 'u'", PRECIPITATION | {"u"}),
        ("'group:precip_vars', '-snow_gsp', '-rain_con'", PRECIPITATION - {"snow_gsp", "rain_con"}),
        ("'-u', 'u', 'v', '-nonsense'", {"v"}),
        ("'u', 'group:precip_vars', '-group:precip_vars'", {"u"}),
        ("'asob_s', 'athb_t'", {"asob_s", "athb_t"}),
        ("'u', 'grid:clon', '-grid:VLAT'", {"u"}),
    ],
)
def test_names_are_resolved(streams: Streams, varlist: str, expected: set[str]) -> None:
    assert names(streams, varlist) == expected


def test_groups_have_what_the_namelists_switch_on(streams: Streams) -> None:
    graupel = "&nwp_phy_nml inwp_gscp = 2, inwp_surface = 1 /"
    two_moment = "&nwp_phy_nml inwp_gscp = 4, inwp_surface = 1 /"
    members = "'group:precip_vars'"
    assert names(streams, members, groups=graupel) == PRECIPITATION | {"graupel_gsp"}
    assert names(streams, members, groups=two_moment) == (
        PRECIPITATION | {"graupel_gsp", "hail_gsp"}
    )


TRACERS = {"qv", "qc", "qi", "qr", "qs"}
TWO_MOMENT = {"qg", "qh", "qni", "qnr", "qns", "qng", "qnh", "qnc", "ninact"}


@pytest.mark.parametrize(
    ("scheme", "more"),
    [
        (1, set()),
        (2, {"qg"}),
        (3, {"qni"}),
        (4, TWO_MOMENT),
        (5, TWO_MOMENT | {"nccn", "ninpot"}),
        (6, TWO_MOMENT),
        (7, TWO_MOMENT | {"qgl", "qhl"}),
    ],
)
def test_tracers_are_those_of_the_microphysics(
    streams: Streams, scheme: int, more: set[str]
) -> None:
    groups = f"&nwp_phy_nml inwp_gscp = {scheme}, inwp_surface = 1 /"
    others = {"w", "u", "v", "temp", "pres", "tke"}
    assert names(streams, "'group:atmo_ml_vars'", groups=groups) == others | TRACERS | more


def test_sums_and_means_of_fluxes_have_names_of_their_own(streams: Streams) -> None:
    assert names(streams, "'accsob_s'", io="lflux_avg = .false.") == {"accsob_s"}
    answer = streams("ml_varlist = 'accsob_s'")
    assert answer.streams[0].unknown_variables == ("accsob_s",)


@pytest.mark.parametrize(
    ("land", "tiles"), [("ntiles = 1", 1), ("ntiles = 3", 3), ("ntiles = 3 lsnowtile = .true.", 6)]
)
def test_tiles_are_as_many_as_there_are(streams: Streams, land: str, tiles: int) -> None:
    water = 3 if tiles > 1 else 0
    groups = f"&lnd_nml {land} /"
    found = names(streams, "'tiles:t_so'", groups=groups)
    assert found == {f"t_so_t_{number}" for number in range(1, tiles + 1)}
    assert len(names(streams, "'tiles:t_g'", groups=groups)) == tiles + water
    last = names(streams, f"'t_so_t_{tiles}', 't_so_t_{tiles + 1}'", groups=groups)
    assert last == {f"t_so_t_{tiles}"}


def test_a_dictionary_translates_names_before_they_are_matched(
    streams: Streams, tmp_path: Path
) -> None:
    (tmp_path / "dict").write_text("# comment\n'HHL' z_ifc\n T  temp # more\nUV u\n")
    answer = streams("ml_varlist = 't', 'HHL', '-UV', 'u'", io="output_nml_dict = 'dict'")
    assert answer.streams[0].variables == ("temp", "z_ifc")
    assert answer.warnings == []
    (tmp_path / "dict").write_text("temp T\n")
    swapped = "output_nml_dict = 'dict' linvert_dict = .true."
    assert names(streams, "'T'", io=swapped) == {"temp"}


def test_a_missing_dictionary_is_told(streams: Streams) -> None:
    answer = streams("ml_varlist = 'FI', 'u'", io="output_nml_dict = 'dict'")
    assert "the dictionary 'dict' does not lie beside the script" in answer.warnings[0]
    assert "'FI' of stream 'output_nml_1' is no variable of the atmosphere" in answer.warnings[1]
    assert "ICON stops" not in " ".join(answer.warnings)


@pytest.mark.parametrize(
    ("varlist", "name", "says"),
    [
        ("ml_varlist = 'tmep'", "tmep", "Did you mean 'temp'?"),
        ("ml_varlist = 'rhotheta_v'", "rhotheta_v", "is no variable that ICON writes: ICON stops"),
        ("ml_varlist = 'group:rad_var'", "group:rad_var", "Did you mean 'rad_vars'?"),
        ("ml_varlist = 'group:art_aerosol'", "group:art_aerosol", "plugins fill it: it is not c"),
        ("ml_varlist = 'tiles:u'", "tiles:u", "has no tiles"),
        ("ml_varlist = 'graupel_gsp'", "graupel_gsp", "exists only if iforcing=3 and lhave_gr"),
        ("ml_varlist = 'rsdt'", "rsdt", "exists only if iforcing=2"),
        ("pl_varlist = 'omega_z' p_levels = 50000", "omega_z", "cannot be written on pressure"),
        ("pl_varlist = 't_2m' p_levels = 50000", "t_2m", "cannot be written on pressure"),
        ("ml_varlist = 'echotop'", "echotop", "has an axis whose length is not known here"),
    ],
)
def test_names_that_icon_stops_at_are_told(
    streams: Streams, varlist: str, name: str, says: str
) -> None:
    answer = streams(varlist)
    assert answer.streams[0].unknown_variables == (name,)
    assert answer.streams[0].values_per_output == 0
    assert f"'{name}' of stream 'output_nml_1'" in answer.warnings[0]
    assert says in answer.warnings[0]


def test_variables_asked_for_exist_because_they_are(streams: Streams) -> None:
    """Their conditions name flags of ICON, which their own name sets."""
    asked = "'rh', 'pv', 'hpbl', 'resid_wso', 'snow_melt', 'cape_mu', 'pres_msl'"
    assert len(names(streams, asked)) == 7


def test_members_under_open_conditions_are_named_and_not_counted(streams: Streams) -> None:
    groups = "&lnd_nml ntiles = 2 /"
    answer = streams("ml_varlist = 'group:land_tile_vars'", groups=groups)
    assert "rho_snow_mult_t_*; they are not counted" in answer.warnings[0]
    assert not any("mult" in name for name in answer.streams[0].variables)


def test_tracers_that_a_user_names_are_variables(streams: Streams) -> None:
    groups = "&transport_nml tracer_names = 'hus', 'clw' /"
    wanted = "'hus', 'tend_hus_phy', 'prw', 'cli'"
    assert names(streams, wanted, groups=groups, run="iforcing = 2") == {
        "hus",
        "tend_hus_phy",
        "prw",
    }


def test_unknown_land_names_are_not_said_to_stop_a_run_with_jsbach(streams: Streams) -> None:
    groups = "&aes_phy_nml aes_phy_config(1)%ljsb = .true. /"
    answer = streams("ml_varlist = 'pheno_lai_box'", groups=groups, run="iforcing = 2")
    assert "those of JSBACH are not known here" in answer.warnings[0]
    assert "ICON stops" not in answer.warnings[0]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("", True),
        ("iforcing=3", True),
        ("iforcing=2 or iforcing=3", True),
        ("iforcing=3 ; inwp_surface > 1", False),
        ("not (inwp_surface > 1) ; llake", True),
        ("inwp_gscp in {4,5,6}", False),
        ("tracer qv active", True),
        ("tracer qg active", False),
        ("iforcing=3 or iforcing=2 ; tracer qg active", False),
        ("tracer qg active ; iforcing=3 or iforcing=2", False),
        ("iforcing=3 or iforcing=2 ; tracer qv active and llake", True),
        ("iforcing=3 or iforcing=2 ; ininact != 0", False),
        ("iforcing=3 or iforcing=2 ; iqbin(iqb) != 0", False),
        ("requested(rh)", True),
        ("requested(pv) or requested(u)", False),
        ("is_variable_in_output(var_name=trim(var_name))", False),
        ("nobody_knows", None),
        ("nobody_knows or iforcing=3", True),
        ("nobody_knows ; iforcing=2", False),
        ("iforcing=3 (", None),
        ("§", None),
    ],
)
def test_conditions_are_true_false_or_open(condition: str, expected: bool | None) -> None:
    text = "&run_nml iforcing=3 /&nwp_phy_nml inwp_gscp=1 /"
    settings = Settings(read_namelist([(1, text)], "n"), "n")
    assert Conditions(settings, {"rh"}, 600_000).holds(condition, "x") is expected


def test_every_row_of_the_table_can_be_used() -> None:
    rows = all_variables()
    assert len(rows) > 1250
    assert {row.place for row in rows} <= {"cell", "edge", "vertex", "scalar", "lonlat"}
    assert {row.kind for row in rows} == {"real", "float32", "int32"}
    assert {"rad_vars", "precip_vars", "atmo_ml_vars", "land_tile_vars"} <= known_groups()


def test_the_table_is_what_its_tool_makes_of_the_facts(tmp_path: Path) -> None:
    if not FACTS.is_file():
        pytest.skip(f"the facts about ICON are not on this machine: {FACTS}")
    kept = {path.name: path.read_text() for path in sorted(FOLDER.glob("*.csv"))}
    tool = ROOT / "tools" / "icon_variables"
    command = [sys.executable, tool, FACTS, tmp_path]
    subprocess.run(command, check=True, timeout=60)
    assert {path.name: path.read_text() for path in sorted(tmp_path.glob("*.csv"))} == kept
    with FACTS.open(encoding="utf-8", newline="") as file:
        facts = [
            row
            for row in csv.DictReader(file)
            if row["output"] == "yes" and row["container"] == "no" and row["area"] == "nwp"
        ]
    assert len(facts) == kept["nwp.csv"].count("\n") - 4
