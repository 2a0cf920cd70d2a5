# SPDX-License-Identifier: Apache-2.0
"""Every command explains itself with an example; grid, modes and fields show what there is."""

from __future__ import annotations

import ast
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import netCDF4
import pytest
import typer

from thalweg.cli import settings
from thalweg.cli.main import app
from thalweg.cli.start import main
from thalweg.config.checkout import ROOT
from thalweg.files.readers import READERS
from thalweg.run.machine import describe_versions
from thalweg.testing.file_sizes import file_sizes_up_to
from thalweg.testing.model_fields import fields_of_all

Cli = Callable[..., "CompletedProcess[str]"]
COMMANDS = [
    "run", "demo", "bench", "calibrate", "sweep", "advise", "tune", "test", "verify", "merge",
    "trace", "report", "grid", "modes", "fields", "settings", "translate", "kernels list",
    "kernels run", "kernels compare", "logs import", "logs columns", "cpmip",
    "submit", "loc", "scaling",
]  # fmt: skip


KINDS = ("output mode", "restart mode", "container")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str, here: Cli) -> None:
    result = here(*command.split(), "--help")
    assert result.returncode == 0
    assert f"Example: thalweg {command}" in result.stdout


def test_help_loads_nothing_heavy() -> None:
    """It has to be quick; each of these takes longer to load than all that help needs."""
    code = "import sys; from thalweg.cli.main import app; app(['--help'], standalone_mode=False);"
    code += "print(sorted({name.partition('.')[0] for name in sys.modules}))"
    words = [sys.executable, "-c", code]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    loaded = set(ast.literal_eval(told.splitlines()[-1]))
    assert "typer" in loaded
    heavy = {
        "numpy",
        "scipy",
        "xarray",
        "matplotlib",
        "netCDF4",
        "zarr",
        "h5py",
        "eccodes",
        "pyarrow",
    }
    assert not loaded & (heavy | {"pydantic", "pandas"})


def test_an_interrupt_anywhere_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(settings, "print_settings", interrupted)
    monkeypatch.setattr(sys, "argv", ["thalweg", "settings"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 130
    assert capsys.readouterr().err == "thalweg: error: interrupted\n"


def test_version_tells_what_a_bug_report_needs(cli: Cli, model: Path) -> None:
    result = cli("--version")
    assert result.returncode == 0, result.stderr
    told = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
    for name in ("thalweg", "mpi", "hdf5", "netcdf", "eccodes", "compiler"):
        assert any(letter.isdigit() for letter in told[name]), (name, told)
    assert told["instruction_set"]
    assert told["commit"]
    assert set(describe_versions()) <= set(told), "as run.json has it"


def test_a_grid_file_has_icons_sizes(cli: Cli, tmp_path: Path, model: Path) -> None:
    result = cli("grid", "R2B2", "-o", tmp_path / "grid.nc")
    assert result.returncode == 0, result.stderr
    assert result.stdout == f"'{tmp_path}/grid.nc': R2B2, 1280 cells, 1920 edges, 642 vertices\n"
    with netCDF4.Dataset(tmp_path / "grid.nc") as grid:
        sizes = {name: len(grid.dimensions[name]) for name in ("cell", "edge", "vertex")}
    assert sizes == {"cell": 1280, "edge": 1920, "vertex": 642}
    assert [path.name for path in tmp_path.iterdir()] == ["grid.nc"]


def test_a_grid_file_is_told_in_json(here: Cli, tmp_path: Path, model: Path) -> None:
    out = tmp_path / "grid.nc"
    told = json.loads(here("grid", "R2B1", "-o", out, "--json").stdout)
    assert told == {"grid": "R2B1", "out": str(out), "cells": 320, "edges": 480, "vertices": 162}


def test_a_grid_file_replaces_nothing_unasked(here: Cli, tmp_path: Path, model: Path) -> None:
    out = tmp_path / "notes.txt"
    out.write_text("mine")
    refused = here("grid", "R2B1", "-o", out)
    assert refused.returncode == 2
    assert f"'{out}' exists; choose another name or add --overwrite" in refused.stderr
    assert out.read_text() == "mine"
    assert here("grid", "R2B1", "-o", out, "--overwrite").returncode == 0
    with netCDF4.Dataset(out) as grid:
        assert len(grid.dimensions["cell"]) == 320


def test_a_grid_file_larger_than_the_disk_is_refused_at_once(
    here: Cli, tmp_path: Path, model: Path
) -> None:
    if shutil.disk_usage(tmp_path).free > 400 * 10**9:
        pytest.skip("this disk has room for it")
    refused = here("grid", "R5B11", "-o", "grid.nc", cwd=tmp_path)
    assert refused.returncode == 2
    assert "grid file 'grid.nc' cannot be written: the disk of '.' has no room" in refused.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("largest_file", [1 << 12, 1 << 17, 1 << 20])
def test_a_grid_file_that_does_not_fit_leaves_nothing(
    here: Cli, tmp_path: Path, model: Path, largest_file: int
) -> None:
    mine = tmp_path / "grid.nc.part"
    mine.write_text("mine")
    with file_sizes_up_to(largest_file):
        refused = here("grid", "R2B4", "-o", tmp_path / "grid.nc")
    assert refused.returncode == 2, refused
    assert "grid.nc" in refused.stderr
    assert "the limit of file sizes" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == [mine.name]
    assert mine.read_text() == "mine"


def test_modes_have_a_table_for_each_kind(here: Cli, model: Path) -> None:
    modes = json.loads(here("modes", "--json").stdout)
    assert {each["kind"] for each in modes} == set(KINDS)
    assert all(each["meaning"] for each in modes)
    pages = here("modes").stdout.split("\n\n")
    for kind, page in zip(KINDS, pages, strict=True):
        title, heads, *rows = page.strip().splitlines()
        assert title == kind
        assert heads.split()[:2] == ["name", "meaning"]
        assert [row.split()[0] for row in rows] == [
            each["name"] for each in modes if each["kind"] == kind
        ]


def test_every_container_has_a_reader_and_the_other_way_round(here: Cli, model: Path) -> None:
    modes = json.loads(here("modes", "--json").stdout)
    containers = {(e["reader"], e["suffix"]) for e in modes if e["kind"] == "container"}
    assert containers == {(reader.name, reader.suffix) for reader in READERS}
    for reader in READERS:
        module = importlib.import_module(f"thalweg.files.{reader.module}")
        assert callable(getattr(module, reader.opener))
        spot = f"{reader.name}_spot"  # where `trace` looks for it
        assert callable(getattr(importlib.import_module(f"thalweg.trace.{spot}"), spot))


def test_words_of_the_programs_tables_are_refused_with_their_list(
    here: Cli, model: Path, small_case: Path
) -> None:
    """They stand in no other list: a new mode or container needs no word in settings.toml."""
    modes = json.loads(here("modes", "--json").stdout)
    for table, key, kind in (
        ("io", "mode", "output mode"),
        ("restart", "mode", "restart mode"),
        ("output", "container", "container"),
    ):
        result = here("run", small_case, "--set", f"{table}.{key}=teapot")
        assert result.returncode == 2
        names = dict.fromkeys(each["name"] for each in modes if each["kind"] == kind)
        assert f"choose one of: {', '.join(names)}." in result.stderr, result.stderr


def test_fields_are_listed_in_a_hundred_columns(here: Cli, model: Path) -> None:
    fields = json.loads(here("fields", "--json").stdout)
    assert {field["dimensions"] for field in fields} == {2, 3}
    assert {field["place"] for field in fields} == {"cell", "edge", "vertex"}
    lines = here("fields").stdout.splitlines()
    assert max(len(line) for line in lines) <= 100, "a terminal of 100 columns wraps no row"
    heads = ["name", "place", "dimensions", "units", "long", "name"]
    equations = list(dict.fromkeys(field["equations"] for field in fields))
    assert equations == ["shallow_water", "primitive"]
    words = [line.split() for line in lines if line and line.split() != heads]
    assert [row[0] for row in words if row[0] not in equations] == [
        field["name"] for field in fields
    ]


def test_the_page_of_the_model_counts_its_fields(model: Path) -> None:
    layered, flat = (len(fields_of_all(dimensions)) for dimensions in (3, 2))
    page = (ROOT / "docs/mini-model.md").read_text()
    assert f"\n{layered} three-dimensional and {flat} two-dimensional fields" in page


def answers_as_json() -> list[str]:
    """Commands that answer: all but `test`."""
    return [command for command in COMMANDS if command != "test"]


@pytest.mark.parametrize("command", answers_as_json())
def test_every_command_that_answers_does_so_in_json_too(command: str, here: Cli) -> None:
    assert "--json" in here(*command.split(), "--help").stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_out_is_asked_for_alike_everywhere(command: str, here: Cli) -> None:
    words = here(*command.split(), "--help").stdout.split()
    assert ("--out" in words) == ("-o," in words)


def test_every_command_is_tried(here: Cli) -> None:
    groups = {each.name: each.typer_instance for each in app.registered_groups}
    found = {each.name or each.callback.__name__ for each in app.registered_commands}
    found |= {
        f"{name} {each.name or each.callback.__name__}"
        for name, group in groups.items()
        for each in group.registered_commands
    }
    assert found == set(COMMANDS)


def test_the_script_knows_every_command_before_the_command_line_is_there() -> None:
    group = typer.main.get_command(app)
    words = re.search(r"^commands=\((.*?)\)$", (ROOT / "thalweg").read_text(), re.M | re.S)
    assert words is not None
    assert sorted(words[1].split()) == sorted(group.list_commands(typer.Context(group)))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["demo", "--duration", "soon", "-o", "{folder}/demo"], "'soon' is not a duration"),
        (["report", "{folder}", "-o", "/"], "'/' is the name of no file"),
        (["grid", "R2B0", "-o", "{folder}/pipe"], "is no file but a directory, a device or a pipe"),
        (["run", "{folder}/deep.toml"], "values lie too deep in each other"),
        (["run", "{folder}/few.toml", "-o", "{folder}/run"], "grid 'R1B0' has 20 cells"),
    ],
)
def test_what_nobody_expects_is_a_sentence(
    words: list[str], sentence: str, here: Cli, tmp_path: Path, model: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "deep.toml").write_text(f"a = {'[' * 100_000}")
    few = '[grid]\nname = "R1B0"\n[time]\nduration = "PT1H"\n[io]\nmode = "serial"\n'
    (tmp_path / "few.toml").write_text(few + "[machine]\nranks = 21\n")
    result = here(*(word.format(folder=tmp_path) for word in words))
    assert result.returncode == 2, result.stderr
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr
    assert (tmp_path / "pipe").is_fifo()
