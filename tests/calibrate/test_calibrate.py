# SPDX-License-Identifier: Apache-2.0
"""`thalweg calibrate` measures this machine, or says in one sentence why not; it leaves nothing."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from thalweg.advisor.own.rates import load_calibrated
from thalweg.calibrate.machine_reader import read_machine
from thalweg.calibrate.quantities import MEASURED, PARAMETERS
from thalweg.cli.main import app
from thalweg.errors import ThalwegError
from thalweg.lab.native import run_native
from thalweg.testing.file_sizes import file_sizes_up_to

Cli = Callable[..., "subprocess.CompletedProcess[str]"]
Calibration = tuple[Path, str]
HANGS_AFTER_S = 180.0
LOOKS_AGAIN_S = 0.02  # a look at all processes takes milliseconds, and the ranks need the cores
BOTH = ("thalweg_mini", "thalweg_calibrate_bench")
# `thalweg` that tries out files for a moment only: runs of the model begin soon.
SOON = """
from functools import partial
from thalweg.calibrate import command
from thalweg.calibrate.rounds import Pacing
from thalweg.cli.start import main
command.CalibrateRequest = partial(command.CalibrateRequest, pacing=Pacing(tried_s=0.3))
main()
"""


def test_a_calibration_is_plausible(short_calibration: Calibration) -> None:
    """The reader itself refuses what is out of order or out of this world."""
    machine = read_machine(short_calibration[0])
    assert (machine.nodes, machine.ranks) == (1, 2)
    assert machine.cores_per_node >= 1
    assert {"commit", "mpi", "compiler"} <= set(machine.versions)
    assert machine.how["way"] in ("past_cache", "flushed")
    assert {each.name for each in machine.measured} == set(MEASURED)
    for each in machine.measured:
        assert each.n >= 1
        if each.name != "step":
            assert isinstance(each.facts["cpu_s"], float)
    steps = [each for each in machine.measured if each.name == "step"]
    for ranks in (1, 2):
        its = [each.facts for each in steps if each.ranks == ranks]
        assert len({(facts["cells"], facts["levels"]) for facts in its}) == 3
    assert machine.parameter("writer_bytes_per_s", ranks=1)
    assert machine.parameter("file_s", ranks=2)
    assert machine.why_not("file_system_bytes_per_s") == "all ranks are on one node"


def test_what_is_printed_is_what_is_in_the_file(short_calibration: Calibration) -> None:
    path, printed = short_calibration
    content, machine = json.loads(printed), read_machine(path)
    assert content["format"] == 1
    assert content["machine"]["date"] == machine.date.isoformat()
    assert [each["name"] for each in content["parameter"]] == [p.name for p in machine.parameters]


@pytest.mark.usefixtures("hurry")
def test_one_rank_tells_what_one_rank_can(
    native: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("calibrate", "--directory", tmp_path, "--ranks", 1, "--minutes", 0.02)
    app([str(word) for word in (*words, "-o", tmp_path / "machine.toml")], standalone_mode=False)
    shown = capsys.readouterr().out
    assert [each.name for each in tmp_path.iterdir()] == ["machine.toml"]
    machine = read_machine(tmp_path / "machine.toml")
    assert machine.why_not("gather_latency_s") == "1 rank: there is nobody to send to"
    assert machine.why_not("node_bytes_per_s") == "no two writers are on one node"
    assert "not told: exchange_bytes_per_s: 1 rank" in shown
    for quantity in PARAMETERS:
        assert quantity.name in shown


@pytest.mark.slow
def test_rounds_of_the_real_pace_make_a_file_that_advise_reads(
    cli: Cli, native: Path, small_case: Path, tmp_path: Path
) -> None:
    """Nothing is hurried here: as many rounds as the time has room for, and one if it has none."""
    disk, out = tmp_path / "disk", tmp_path / "machine.toml"
    disk.mkdir()
    words = ("calibrate", "--directory", disk, "--ranks", 1, "--minutes", 0.5, "-o", out)
    done = cli(*words, timeout=600)
    assert done.returncode == 0, done.stderr
    assert not list(disk.iterdir())
    machine = load_calibrated(out)
    rounds = machine.how["rounds"]
    assert isinstance(rounds, int)
    assert 1 <= rounds <= 8
    for each in machine.measured:
        assert each.n == rounds if each.name == "step" else each.n >= rounds
        assert each.p05 <= each.median <= each.p95
    for name, least, most in (  # whatever this machine is, and whoever works on it beside us
        ("cell_level_step_s", 1e-9, 1e-4), ("writer_bytes_per_s", 1e5, 1e11),
    ):  # fmt: skip
        figure = machine.parameter(name)
        assert figure is not None
        assert least < figure.median < most
    advised = cli("advise", small_case, "--machine", out, "--json")
    assert advised.returncode == 0, advised.stderr
    assert json.loads(advised.stdout)["proposal"]["total_s"] > 0.0


@pytest.fixture
def two_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As far as MPI tells, ranks lie on two nodes in turn."""
    library = tmp_path / "two_nodes.so"
    source = Path(__file__).with_name("two_nodes.c")
    subprocess.run(["mpicc", "-shared", "-fPIC", "-o", library, source], check=True)
    monkeypatch.setenv("LD_PRELOAD", str(library))


@pytest.mark.usefixtures("two_nodes")
def test_nodes_are_told_apart(native: Path, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    lines = list(run_native([str(native), str(folder), "--seconds", "0.3"], 4, folder))
    layout = next(line["layout"] for line in lines if "layout" in line)
    assert (layout["nodes"], layout["ranks_on_first_node"], layout["few_ranks"]) == (2, 2, 2)
    teams = {(line["method"], line["team"]): line for line in lines if "bench" in line}
    for team, ranks, nodes in (("one", 1, 1), ("node", 2, 1), ("all", 4, 2)):
        for method in ("write_new", "overwrite", "file"):
            line = teams[method, team]
            assert (line["ranks"], line["nodes"]) == (ranks, nodes)
            assert line["n"] == len(line["samples"]) == len(line["cpu_samples"])
            assert min(line["samples"]) > 0.0
    assert {team for method, team in teams if method == "gather"} == {"few", "all"}
    assert not list(folder.iterdir())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--directory", "nowhere"], "the directory 'nowhere' does not exist"),
        (["--directory", "file"], "the directory 'file' is not a directory"),
        (["--directory", "/proc"], "no files can be made in '/proc'"),
        (["--out", "file"], "'file' exists; choose another name or add --overwrite"),
        (["--out", "nowhere/machine.toml"], "the directory 'nowhere' does not exist"),
        (["--out", "."], "'.' is a directory"),
        (["--out", "/proc/machine.toml"], "'/proc/machine.toml' cannot be written"),
        (["--minutes", "0"], "--minutes"),
        (["--minutes", "nan"], "--minutes"),
        (["--ranks", "-1"], "--ranks"),
    ],
)
def test_wrong_words_are_one_sentence(
    words: list[str], sentence: str, cli: Cli, native: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    result = cli("calibrate", *words, cwd=tmp_path)
    assert result.returncode == 2
    (line,) = result.stderr.strip().splitlines()
    assert line.startswith("thalweg: error: ")
    assert sentence in line
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_file_system_without_a_way_past_the_page_cache_is_flushed(
    native: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "no_way_past.so"
    source = Path(__file__).with_name("no_way_past.c")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
    monkeypatch.setenv("LD_PRELOAD", str(library))
    folder = tmp_path / "files"
    folder.mkdir()
    lines = list(run_native([str(native), str(folder), "--seconds", "0.1"], 2, folder))
    assert next(line["layout"]["way"] for line in lines if "layout" in line) == "flushed"
    written = [line for line in lines if line.get("method") in ("write_new", "overwrite")]
    assert {line["way"] for line in written} == {"flushed"}
    assert not list(folder.iterdir())


def test_a_program_that_stands_still_is_ended(native: Path, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    words = [str(native), str(folder), "--seconds", "600"]
    with pytest.raises(ThalwegError, match="was ended after 1 s: ranks or the disk stand still"):
        list(run_native(words, 2, folder, limit_s=1.0))
    assert not processes_below(folder)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--second", "1"], "option '--second' does not exist"),
        (["--seconds", "long"], "an option has a value that is no number"),
        (["--seconds"], "'--seconds' has no value"),
        (["--file-seconds", "nan"], "--file-seconds is 'nan', but must be above 0"),
    ],
)
def test_wrong_words_of_the_native_program_are_one_sentence(
    words: list[str], sentence: str, native: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    with pytest.raises(ThalwegError) as refused:
        list(run_native([str(native), str(folder), *words], 2, folder))
    assert sentence in refused.value.sentence
    assert refused.value.exit_code == 2


def test_a_directory_that_a_node_does_not_see_is_one_sentence(native: Path, tmp_path: Path) -> None:
    words = [str(native), str(tmp_path / "elsewhere")]
    with pytest.raises(ThalwegError, match="elsewhere' on its node; give one that all nodes share"):
        list(run_native(words, 2, tmp_path / "elsewhere"))


def test_a_small_disk_is_one_sentence(cli: Cli, native: Path, small_disk: Path) -> None:
    result = cli("calibrate", "--directory", small_disk, "-o", small_disk / "machine.toml")
    assert result.returncode == 2
    assert "make room or choose another --directory" in result.stderr.splitlines()[-1]
    assert not list(small_disk.iterdir())


def test_a_file_that_outgrows_its_limit_is_one_sentence(native: Path, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    outgrown = pytest.raises(ThalwegError, match="outgrow the limit of file sizes")
    with file_sizes_up_to(7 << 20), outgrown as refused:
        list(run_native([str(native), str(folder)], 2, folder))
    assert refused.value.exit_code == 2
    assert not list(folder.iterdir())


def processes_below(folder: Path) -> dict[int, str]:
    """{process id: program} of ranks that work below a folder."""
    found = {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
            name = Path(words[0]).name
            ours = name in BOTH and "--check" not in words
            if ours and any(word.startswith(str(folder)) for word in words[1:]):
                found[int(entry.name)] = name
    return found


@pytest.fixture
def started(native: Path, tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A calibration that goes on for a minute, and the directory that it measures."""
    disk = tmp_path / "disk"
    disk.mkdir()
    words = ["calibrate", "--directory", disk, "--ranks", 2, "--minutes", 1]
    command = [sys.executable, "-c", SOON, *words, "-o", tmp_path / "machine.toml"]
    with subprocess.Popen(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:  # fmt: skip
        yield process, disk
        process.kill()


def await_rank(process: subprocess.Popen[str], disk: Path, name: str) -> int:
    deadline_s = time.monotonic() + HANGS_AFTER_S
    while time.monotonic() < deadline_s and process.poll() is None:
        for number, its_name in processes_below(disk).items():
            if its_name == name:
                return number
        time.sleep(LOOKS_AGAIN_S)
    raise AssertionError(f"no rank of {name}: {process.communicate()}")


def await_nothing(disk: Path) -> None:
    deadline_s = time.monotonic() + HANGS_AFTER_S
    while processes_below(disk) or list(disk.iterdir()):
        assert time.monotonic() < deadline_s, (processes_below(disk), list(disk.iterdir()))
        time.sleep(LOOKS_AGAIN_S)


@pytest.mark.some(3)
@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_whoever_ends_it_finds_nothing_left(
    number: signal.Signals, name: str, started: tuple[subprocess.Popen[str], Path]
) -> None:
    process, disk = started
    await_rank(process, disk, name)
    process.send_signal(number)
    _, said = process.communicate(timeout=HANGS_AFTER_S)
    if number != signal.SIGKILL:
        assert process.returncode == 130
        assert said.splitlines()[-1] == "thalweg: error: interrupted; nothing is left behind"
    await_nothing(disk)
    assert not (disk.parent / "machine.toml").exists()


@pytest.mark.some(2)
@pytest.mark.parametrize("name", BOTH)
def test_a_killed_rank_is_one_sentence(
    name: str, started: tuple[subprocess.Popen[str], Path]
) -> None:
    process, disk = started
    os.kill(await_rank(process, disk, name), signal.SIGKILL)
    _, said = process.communicate(timeout=HANGS_AFTER_S)
    assert process.returncode == 1, said
    last = said.splitlines()[-1]
    assert last.startswith("thalweg: error: ")
    assert "ended by signal 9 (SIGKILL)" in last
    assert str(disk) not in last
    await_nothing(disk)
    assert not (disk.parent / "machine.toml").exists()
