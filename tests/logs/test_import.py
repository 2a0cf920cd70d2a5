# SPDX-License-Identifier: Apache-2.0
"""`thalweg logs import`: runs from paths, what their sources say differently, the Parquet file."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pyarrow.parquet as pq
import pytest

from thalweg.config.checkout import ROOT
from thalweg.errors import ThalwegError
from thalweg.logs.beliefs import believe
from thalweg.logs.columns import COLUMNS, Row
from thalweg.logs.command import import_logs
from thalweg.logs.sources import read_runs
from thalweg.testing.icon_logs import got, icon_lines, write_lines

Cli = Callable[..., "CompletedProcess[str]"]
WriteLog = Callable[..., Path]
LEVANTE = ROOT.parent / "shared" / "reference" / "levante" / "runs_visible.csv"
TABLE = """run,kind,cells,ranks,worker_ranks,io_procs,restart_procs,restart_mode,n_outputs,\
n_checkpoints,total_s,mb_per_event_logged,events_logged,write_s_mean,write_MBps_logged,\
darshan_nprocs,darshan_run_s,darshan_posix_bytes_written,darshan_truncated
out,io,1000,8,6,2,0,none,40,0,100.5,64.0,40.0,0.08,400.0,8.0,101.0,2600000000.0,False
check,cp,1000,8,6,0,2,dedicated procs multifile,0,4,90.25,1000.0,4.0,1.0,1000.0,8.0,91.0,9.0,True
"""


def believed(**values: Any) -> Row:
    row = Row(run="x", **values)
    believe(row)
    return row


OUTPUT = {
    "output_events": 40, "output_event_bytes": 64e6, "output_event_write_s": 0.08,
    "output_rate_logged": 400e6, "output_event_values": 8e6,
}  # fmt: skip


def notes(row: Row) -> str:
    return " | ".join(row.texts("notes"))


def test_a_folder_is_a_run_with_the_bytes_of_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "storm_2io"
    write_lines(folder / "LOG.o", icon_lines())
    for name, size in (("storm_1.nc", 1_290_000_000), ("storm_2.nc", 1_290_000_000)):
        with (folder / name).open("wb") as file:
            file.truncate(size)  # sparse: a size, no disk
    (folder / "storm_restart_atm_20080902T000000Z.nc").write_bytes(b"x" * 100)
    (folder / "iconR2B05.nc").symlink_to(folder / "storm_1.nc")
    (folder / "readme.txt").write_text("words\n")
    (row,) = read_runs([tmp_path])
    believe(row)
    assert (row["run"], row["output_files"], row["output_file_bytes"]) == (
        "storm_2io",
        2,
        2_580_000_000,
    )
    assert (row["output_bytes"], row["output_bytes_from"]) == (2_580_000_000, "files")
    assert row["output_rate"] == pytest.approx(2.58e9 / 40 / 0.08)
    assert "log says 400 MB/s for writing output, files 806 MB/s" in notes(row)
    assert "counts 4 bytes a value whatever the files hold (here 8.1)" in notes(row)


def test_the_log_alone_does_not_tell_what_is_on_the_disk() -> None:
    row = believed(**OUTPUT)
    assert (row["output_bytes"], row["output_rate"]) == (None, None)
    assert "4 or 8 bytes a value" in notes(row)


def test_files_of_four_bytes_a_value_meet_the_logged_rate() -> None:
    row = believed(**OUTPUT, output_file_bytes=1_280_000_000)
    assert row["output_rate"] == pytest.approx(400e6)
    assert "the files hold 4 bytes a value, the log counts the 8 that moved" in notes(row)
    assert "MB/s" not in notes(row)


def test_files_of_other_bytes_a_value_are_not_explained_by_its_width() -> None:
    told = {**OUTPUT, "output_event_bytes": OUTPUT["output_event_values"] * 8}
    size = told["output_event_bytes"] * told["output_events"]
    row = believed(**told, output_file_bytes=2 * size)
    assert "and other files may lie there too" in notes(row)
    assert "(here 16)" in notes(row)


@pytest.mark.parametrize(
    ("values", "source", "words"),
    [
        ({"darshan_output_bytes": 2_560_000_000}, "darshan", ""),
        ({"darshan_bytes_written": 2_560_000_000, "checkpoints": 0}, "darshan", ""),
        ({"darshan_bytes_written": 2_560_000_000, "checkpoints": 3}, None, "4 or 8 bytes"),
        ({"darshan_output_bytes": 9_000, "darshan_truncated": True}, None, "truncated"),
        ({"darshan_output_bytes": 2_560_000_000, "ranks": 8, "darshan_ranks": 9}, None, "saw 9"),
        ({"darshan_output_bytes": 2_560_000_000, "total_s": 9.0, "darshan_run_s": 5.0}, None,
         "another run"),
        ({"output_file_bytes": 2_560_000_000, "darshan_output_bytes": 5_000_000_000}, "files",
         "Darshan counts bytes twice"),
        ({"output_file_bytes": 300_000_000}, "files", "packed, compressed"),
    ],
)  # fmt: skip
def test_what_is_believed_has_a_reason(
    values: dict[str, Any], source: str | None, words: str
) -> None:
    row = believed(**OUTPUT, **values)
    assert row["output_bytes_from"] == source
    assert (row["output_bytes"] is None) == (source is None)
    assert words in notes(row)


def test_checkpoints_of_log_and_darshan_are_compared() -> None:
    sizes = {"checkpoint_events": 4, "checkpoint_event_bytes": 1e9}
    row = believed(**sizes, checkpoint_event_write_s=2.0, darshan_restart_bytes=7_600_000_000)
    assert row["checkpoint_rate"] == 5e8
    assert "4.000 GB of checkpoints, Darshan 7.600 GB of restart files" in notes(row)


def test_a_table_has_our_units(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(TABLE)
    out, check = read_runs([path])
    believe(out)
    assert (out["run"], out["total_s"], out["compute_ranks"]) == ("out", 100.5, 6)
    assert (out["output_event_bytes"], out["output_rate_logged"]) == (64e6, 400e6)
    assert (out["output_bytes"], out["output_bytes_from"]) == (2_600_000_000, "darshan")
    assert out["steps"] is None
    assert (check["restart_mode"], check["darshan_truncated"]) == ("dedicated_multifile", True)
    assert check["checkpoint_event_bytes"] == pytest.approx(2**30)
    assert check["output_event_bytes"] is None


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("total_s", "totals_s", ":1: column 'total_s' is missing. Did you mean 'totals_s'?"),
        ("100.5", "fast", ":2: total_s is 'fast'; a number from 0 on is needed"),
        ("100.5", "-1", ":2: total_s is '-1'; a number from 0 on"),
        ("100.5", "nan", ":2: total_s is 'nan'; a number from 0 on"),
        ("40.0", "40.5", ":2: events_logged is '40.5'; a whole number from 0 on"),
        ("False", "no", ":2: darshan_truncated is 'no'; True or False"),
        ("check,cp", "check,restart", ":3: kind 'restart' does not exist; choose one of: io, cp"),
        ("check,cp", "out,cp", ":3: run 'out' is there twice"),
        (",True", "", ":3: 18 values; the head has 19 columns"),
        ("check,cp", ",cp", ":3: the run has no name"),
        ("kind,cells", "kind,kind", ":1: column 'kind' is there twice"),
    ],
)
def test_a_wrong_value_of_a_table_has_its_line(
    tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(TABLE.replace(old, new))
    with pytest.raises(ThalwegError) as error:
        read_runs([path])
    assert error.value.sentence.startswith(f"{path}{sentence}")
    assert error.value.exit_code == 2


def test_columns_that_are_not_known_are_named(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("run,total_s,colour\na,1.0,red\n")
    (row,) = read_runs([path])
    assert "left out: colour" in notes(row)


def test_sums_of_a_run_of_both_kinds_are_not_divided(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(TABLE.replace("out,io", "out,both"))
    row = read_runs([path])[0]
    assert (row["output_event_bytes"], row["checkpoint_event_bytes"]) == (None, None)
    assert "may be of outputs or of checkpoints" in notes(row)


def test_the_runs_on_levante_are_read_whole(tmp_path: Path) -> None:
    """Files hold 8 bytes a value: Darshan meets the bytes of the log, twice its rate."""
    if not LEVANTE.is_file():
        pytest.skip(f"the figures measured on Levante are not on this machine: {LEVANTE}")
    rows = read_runs([LEVANTE])
    for row in rows:
        believe(row)
    lines = LEVANTE.read_text(encoding="utf-8").splitlines()
    assert len(rows) == len(lines) - 1
    assert all(row["total_s"] and row["ranks"] and row["restart_mode"] for row in rows)
    told = [row for row in rows if row["output_rate_logged"]]
    halved = [row for row in told if "counts 4 bytes a value" in notes(row)]
    assert len(told) > 30
    assert halved == told
    multifile = [row for row in rows if row["restart_mode"] == "dedicated_multifile"]
    for row in multifile:  # 1363.5 values of async, and 12 bytes of index: cell, edges, vertex
        size, cells = row.number("checkpoint_event_bytes"), row.number("cells")
        assert size is not None
        assert cells is not None
        assert size / cells / 8 == pytest.approx(1365.0, abs=0.01)


def test_the_parquet_file_has_every_column_with_its_unit(
    cli: Cli, write_log: WriteLog, tmp_path: Path
) -> None:
    log, out = write_log(icon_lines()), tmp_path / "runs.parquet"
    result = cli("logs", "import", log, "-o", out)
    assert result.returncode == 0, result.stderr
    assert "note: " in result.stdout
    table = pq.read_table(out)
    assert table.column_names == [column.name for column in COLUMNS]
    assert table.schema.field("total_s").metadata[b"unit"] == b"s"
    (row,) = table.to_pylist()
    assert (row["total_s"], row["grid"], row["io_ranks"]) == (5970.156, None, 2)
    assert row["sources"] == [str(log)]
    assert "exists; choose another name" in cli("logs", "import", log, "-o", out).stderr
    assert cli("logs", "import", log, "-o", out, "--overwrite").returncode == 0
    assert not list(tmp_path.glob("*.part"))


def test_json_has_the_same_rows(cli: Cli, write_log: WriteLog) -> None:
    told = json.loads(cli("logs", "import", write_log(icon_lines()), "--json").stdout)
    assert told["table"] is None
    assert list(told["runs"][0]) == [column.name for column in COLUMNS]
    assert told["runs"][0]["total_s"] == 5970.156


def test_runs_of_one_name_are_told_apart(tmp_path: Path) -> None:
    paths = [write_lines(tmp_path / each / "LOG.o", icon_lines()) for each in ("a", "b")]
    assert [row["run"] for row in read_runs(paths)] == ["a/LOG.o", "b/LOG.o"]
    assert [row["run"] for row in read_runs([tmp_path])] == ["a", "b"]
    assert len(read_runs([paths[0], paths[0]])) == 1, "the same file twice is one run"


BAD_FILES = {
    "empty.log": b"",
    "words.log": b"nothing about a model\n",
    "bytes.bin": bytes(range(256)) * 40,
    "head.csv": b"run,total_s\n",
    "latin.csv": b"run,total_s\nst\xfcrm,1.0\n",
    "quote.csv": b'run,total_s\n"a,1.0\n',
}


@pytest.mark.parametrize("name", [*BAD_FILES, "missing.log"])
def test_bad_files_are_one_sentence(cli: Cli, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name in BAD_FILES:
        path.write_bytes(BAD_FILES[name])
    out = tmp_path / "t.parquet"
    result = cli("logs", "import", path, "-o", out)
    assert result.returncode == 2
    assert result.stderr.startswith("thalweg: error: ")
    assert result.stderr.count("\n") == 1
    assert str(path) in result.stderr
    assert not out.exists()


def test_an_empty_folder_and_a_wrong_target_are_told(tmp_path: Path, write_log: WriteLog) -> None:
    folder = tmp_path / "none"
    folder.mkdir()
    with pytest.raises(ThalwegError, match="holds no log"):
        read_runs([folder])
    log = write_log([(2, got(32e6, 0.1, 0.1, 32e6))])
    for out in (folder, tmp_path / "no" / "t.parquet", Path("/dev/null")):
        with pytest.raises(ThalwegError):
            import_logs([log], out)


def test_without_pydarshan_a_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.darshan"
    path.write_bytes(b"x")
    monkeypatch.setitem(sys.modules, "darshan", None)
    with pytest.raises(ThalwegError, match="pip install darshan") as error:
        read_runs([path])
    assert error.value.exit_code == 2


def test_a_file_that_is_no_darshan_log_is_refused(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("darshan", reason="PyDarshan is not installed")
    path = tmp_path / "a.darshan"
    path.write_bytes(b"x" * 500)
    result = cli("logs", "import", path)
    assert result.returncode == 2
    said = f"thalweg: error: '{path}' cannot be read as a Darshan log: it is damaged"
    assert result.stderr == f"{said}, or of another kind\n"


def test_darshan_logs_have_bytes_by_kind_of_file(tmp_path: Path) -> None:
    """One of the logs that PyDarshan brings along; a log of ICON of its job takes it in."""
    darshan = pytest.importorskip("darshan", reason="PyDarshan is not installed")
    path = Path(darshan.__file__).parent / "examples/example_logs/example.darshan"
    if not path.is_file():
        pytest.skip("this PyDarshan brings no example logs")
    (row,) = read_runs([path])
    assert (row["job"], row["darshan_ranks"], row["darshan_run_s"]) == ("4478544", 2048, 117.0)
    assert (row["darshan_bytes_written"], row["darshan_truncated"]) == (2199023259968, False)
    assert (row["darshan_ranks_writing"], row["darshan_output_bytes"]) == (None, 0)
    log = write_lines(tmp_path / "LOG.exp.x.run.4478544.o", icon_lines())
    (both,) = read_runs([log, path])
    believe(both)
    assert (both["total_s"], both["darshan_ranks"]) == (5970.156, 2048)
    assert "log tells of 8 ranks, Darshan saw 2048" in notes(both)
    other = write_lines(tmp_path / "LOG.exp.x.run.4711.o", icon_lines())
    assert len(read_runs([other, path])) == 2


def test_a_truncated_darshan_log_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    darshan = pytest.importorskip("darshan", reason="PyDarshan is not installed")
    path = Path(darshan.__file__).parent / "examples/example_logs/example.darshan"
    if not path.is_file():
        pytest.skip("this PyDarshan brings no example logs")
    cffi = importlib.import_module("darshan.backend.cffi_backend")
    modules = cffi.log_get_modules

    def partial(log: Any) -> Any:
        return {name: {**told, "partial_flag": True} for name, told in modules(log).items()}

    monkeypatch.setattr(cffi, "log_get_modules", partial)
    (row,) = read_runs([path])
    believe(row)
    assert row["darshan_truncated"] is True
    assert row["output_bytes"] is None
    assert "truncated" in notes(row)
