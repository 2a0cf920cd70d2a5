# SPDX-License-Identifier: Apache-2.0
"""Programs that go wrong, on one rank or on all: everybody ends with a sentence, nobody waits."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import netCDF4
import pytest

MODES = {
    "serial": '[io]\nmode = "serial"\n',
    "async": '[io]\nmode = "async"\nranks = 1\n',
    "shared_file": '[io]\nmode = "shared_file"\nranks = 0\n',
    "restart": '[io]\nmode = "async"\nranks = 1\n[restart]\nmode = "async"\nranks = 1\n',
}
STREAM = """
[time]
duration = "PT2H"
[[output]]
name = "hourly"
variables = ["{variable}"]
interval = "PT1H"
"""
COMPUTE = {"serial": [0, 1, 2], "async": [0, 1], "shared_file": [0, 1, 2], "restart": [0, 1]}
IO_RANK = 2
RESTART_RANK = 3


def ranks_of(mode: str) -> int:
    return 4 if mode == "restart" else 3


@pytest.fixture(scope="session")
def endings(installed: Any) -> Path:
    program: Path = installed.program(Path(__file__).with_name("endings.c"))
    return program


class Told:
    """What a program said on one of its ways, call by call: {(rank, call): its last sentence}.

    code: of the program; where it went several ways, of `way`: the worst of its ranks, None where
    it did not come so far.
    """

    def __init__(self, result: subprocess.CompletedProcess[str], way: int | None = None) -> None:
        self.text = result.stdout + result.stderr
        self.code: int | None = result.returncode
        if way is not None:
            codes = re.findall(rf"^{way} \d = (\d+)$", result.stdout, re.MULTILINE)
            self.code = max(map(int, codes), default=None)
            self.text = f"way {way} of several:\n{self.text}"
        way = way or 0
        lines = re.findall(rf"^{way} (\d) (\w+): (.*)$", result.stdout, re.MULTILINE)
        self.said = {(int(rank), call): sentence for rank, call, sentence in lines}
        self.first: dict[int, str] = {}
        for rank, _, sentence in lines:
            self.first.setdefault(int(rank), sentence)


def run(installed: Any, program: Path, way: str, mode: str, folder: Path, **more: str) -> Told:
    settings = MODES[mode] + STREAM.format(variable=more.get("variable", "ta"))
    other = MODES[mode] + STREAM.format(variable="ta").replace("PT1H", "PT2H")
    return Told(installed.result(ranks_of(mode), program, way, settings, other, cwd=folder))


EVERYWHERE = {  # way: what every rank says first
    "point of two ranks": "place 'cell': point 0 is owned by more than one rank",
    "point of no rank": r"place 'cell': points \d+ to \d+ are owned by no rank",
    "sizes": "differ in the global sizes of their places: rank 1 says other than the rest",
    "fields": "differ in the fields they define: rank 1 says other than the rest",
    "levels": "differ in the levels of their fields: rank 1 says other than the rest",
    "types": "differ in the types of their fields: rank 1 says other than the rest",
    "streams": "differ in the streams they define: rank 1 says other than the rest",
    "points defined twice": "the points of place 'cell' are defined twice",
    "no levels": "field 'ta' has 0 levels; it needs at least one",
    "no name": "a field needs a name",
    "no description": "a field needs a description",
    "point out of range": "place 'cell': point 1000 is owned, but the place has points 0 to 99",
    "point twice": "place 'cell': global index 1 stands twice in the list of owned points",
    "position twice": "place 'cell': position 0 is given to two points",
    "no levels on one rank": "field 'ta' has 0 levels; it needs at least one",
    "forgotten put": "stream 'hourly' is due at 3600 s, but field 'ta' was not put",
    "no levels of the state": "field 'ta' has 0 levels; it needs at least one",
    "fewer than no levels of the state": "field 'ta' has -3 levels; it needs at least one",
}


@pytest.mark.some(13)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", EVERYWHERE)
def test_what_is_wrong_on_one_rank_ends_all_with_its_sentence(
    installed: Any, endings: Path, tmp_path: Path, way: str, mode: str
) -> None:
    told = run(installed, endings, way, mode, tmp_path)
    assert told.code == 2, told.text
    assert sorted(told.first) == list(range(ranks_of(mode))), told.text
    for rank in (0, 1, 2):
        assert re.search(EVERYWHERE[way], told.first[rank]), told.text
    if mode == "restart":
        assert told.first[RESTART_RANK].startswith("the compute ranks ended before"), told.text
        assert told.said[RESTART_RANK, "close"] == told.first[RESTART_RANK], told.text
    for rank in COMPUTE[mode]:  # nothing can be missed: the same again from every later call
        assert told.said[rank, "close"] == told.first[rank]
        assert told.said[rank, "end_time"] == told.first[rank]


ONE_VIEW = "there must be one for every field, in the order of definition"
WRITTEN = {  # way: what every compute rank says of the state it writes
    "state without values": "field 'ta' of the state is to be written without values",
    "state in blocks of -8": "field 'ta' of the state is to be written in blocks of -8 points",
    "state without views": f"the state has 1 fields, but 0 views were given: {ONE_VIEW}",
    "state with two views": f"the state has 1 fields, but 2 views were given: {ONE_VIEW}",
    "state before the start": "a checkpoint of -3600 s lies before the start of the run, at 0 s",
    "state of no time": "nan s is no time of a simulation",
    "state of another time": "the compute ranks differ in the times of a checkpoint: rank",
}


@pytest.mark.some(5)
@pytest.mark.parametrize("restart", ["sync", "async"])
@pytest.mark.parametrize("way", WRITTEN)
def test_a_state_that_cannot_be_written_is_refused_on_all_ranks(
    installed: Any, endings: Path, tmp_path: Path, way: str, restart: str
) -> None:
    ranks = 1 if restart == "async" else 0
    tables = f'[restart]\nmode = "{restart}"\nranks = {ranks}\n'
    settings = MODES["serial"] + tables + STREAM.format(variable="ta")
    told = Told(installed.result(2 + ranks, endings, way, settings, cwd=tmp_path))
    assert told.code == 2, told.text
    for rank in (0, 1):
        for call in ("write_state", "end_time", "close"):
            assert WRITTEN[way] in told.said[rank, call], told.text
    assert ranks == 0 or told.first[2].startswith("the compute ranks ended before"), told.text
    assert not [path for path in tmp_path.rglob("*") if path.name == "20000101T000000Z"]


READ = {  # way: what every compute rank says of the state it reads
    "read without values": "field 'ta' of the state is to be read without values",
    "read without views": f"the state has 1 fields, but 0 views were given: {ONE_VIEW}",
    "read without directory": "thalweg_read_state needs a directory of sets, not NULL",
    "read without time": "thalweg_read_state needs a place for the time, not NULL",
}


@pytest.mark.some(2, 1)
@pytest.mark.parametrize("mode", ["serial", "async"])
def test_a_state_that_cannot_be_read_is_refused_on_all_ranks(
    installed: Any, endings: Path, tmp_path: Path, mode: str
) -> None:
    settings = MODES[mode] + '[restart]\nmode = "sync"\n' + STREAM.format(variable="ta")
    written = Told(installed.result(3, endings, "state well", settings, cwd=tmp_path))
    assert written.code == 0, written.text
    result = installed.result(3, endings, "|".join(READ), settings, cwd=tmp_path)
    assert result.returncode == 2, result.stderr
    for number, sentence in enumerate(READ.values()):
        told = Told(result, number)
        assert told.code == 2, told.text
        for rank in COMPUTE[mode]:
            for call in ("read_state", "end_definition", "close"):
                assert sentence in told.said[rank, call], told.text


ALONE = {  # way: what the other compute rank is told by its first call, at once
    "read after a refused field": ("read_state", "compute rank 1: field 'ta' has -3 levels"),
    "state of one that leaves": ("write_state", "before the output was closed"),
}


@pytest.mark.some(2)
@pytest.mark.parametrize("way", ALONE)
@pytest.mark.parametrize("mode", ["serial", "async"])
def test_nobody_waits_for_the_state_of_a_rank_that_takes_no_part(
    installed: Any, endings: Path, tmp_path: Path, mode: str, way: str
) -> None:
    settings = MODES[mode] + '[restart]\nmode = "sync"\n' + STREAM.format(variable="ta")
    told = Told(installed.result(3, endings, way, settings, cwd=tmp_path))
    call, sentence = ALONE[way]
    assert told.code == 2, told.text
    assert sentence in told.said[0, call], told.text
    assert "nothing moved for" not in told.text


DIFFERENT = {  # way: what every compute rank says
    "state of the first rank alone": "rank 1 (went on with the run|ended the output time)",
    "state instead of a time": "rank 0 (went on with the run|ended the output time)",
    "closes before the rest": "; all must make the same",
}


@pytest.mark.some(4)
@pytest.mark.parametrize("way", DIFFERENT)
@pytest.mark.parametrize("restart", ["sync", "async"])
def test_ranks_that_make_different_calls_are_named(
    installed: Any, endings: Path, tmp_path: Path, way: str, restart: str
) -> None:
    mode = MODES["serial" if restart == "sync" else "async"] + "timeout = 60\n"
    ranks = 2 if restart == "async" else 0
    tables = f'[restart]\nmode = "{restart}"\nranks = {ranks // 2}\n'
    settings = mode + tables + STREAM.format(variable="ta")
    told = Told(installed.result(2 + ranks, endings, way, settings, cwd=tmp_path))
    assert told.code == 2, told.text
    for rank in (0, 1):
        assert re.search(DIFFERENT[way], told.said[rank, "close"]), told.text
        assert "nothing moved for" not in told.said[rank, "close"], told.text


@pytest.mark.some(2, 1)
@pytest.mark.parametrize("mode", ["serial", "shared_file"])
def test_a_rank_that_skips_a_time_is_named_where_compute_ranks_write(
    installed: Any, endings: Path, tmp_path: Path, mode: str
) -> None:
    settings = MODES[mode] + "timeout = 60\n" + STREAM.format(variable="ta")
    told = Told(installed.result(3, endings, "skips a time", settings, cwd=tmp_path))
    assert told.code == 2, told.text
    assert "nothing moved for" not in told.text
    for rank in (0, 1, 2):
        assert "ranks 0, 2 ended the output time of 3600 s" in told.said[rank, "close"], told.text
        assert "rank 1 ended the output time of 7200 s" in told.said[rank, "close"], told.text


@pytest.mark.parametrize(
    ("restart", "sentence"),
    [
        ('mode = "async"\nranks = 0\n', "[restart]: mode 'async' needs ranks of at least 1, not 0"),
        ('mode = "async"\nranks = 2\n', "[restart]: ranks = 2 is more than the 1 compute ranks"),
    ],
)
def test_unfit_restart_ranks_are_told_on_every_rank(
    installed: Any, endings: Path, tmp_path: Path, restart: str, sentence: str
) -> None:
    text = MODES["async"] + f"[restart]\n{restart}"
    told = Told(installed.result(4, endings, "streams", text, text, cwd=tmp_path))
    assert told.code == 2, told.text
    for rank in range(4):
        assert told.said[rank, "open"].startswith(f"settings {sentence}"), told.text


SETTINGS = {  # of the second rank, and what differs
    "mode": ('[io]\nmode = "serial"\nranks = 0\n', "[io] mode, [io] ranks"),
    "io ranks": ('[io]\nmode = "async"\nranks = 2\n', "[io] ranks"),
    "transport": ('[io]\nmode = "async"\nranks = 1\ntransport = "rma"\n', "[io] transport"),
    "way": ('[io]\nmode = "async"\nranks = 1\nway = "mpiio"\n', "[io] way"),
    "backpressure": (
        '[io]\nmode = "async"\nranks = 1\nbackpressure = "thin"\n',
        "[io] backpressure",
    ),
    "restart": (MODES["async"] + '[restart]\nmode = "sync"\n', "[restart] mode"),
    "date": (MODES["async"] + '[time]\nstart = "2001-01-01T00:00:00Z"\n', "[time] start"),
}


def test_other_settings_of_one_rank_are_named_before_anything_is_divided(
    installed: Any, endings: Path, tmp_path: Path
) -> None:
    """Each is refused by all, who may open another output then: they do so in one start of MPI."""
    words = ["|".join(["streams"] * len(SETTINGS)), MODES["async"]]
    others = [text for text, _ in SETTINGS.values()]
    result = installed.result(4, endings, *words, *others, cwd=tmp_path)
    assert result.returncode == 2, result.stderr
    for number, (_, names) in enumerate(SETTINGS.values()):
        told = Told(result, number)
        assert told.code == 2, told.text
        expected = f"the ranks differ in {names}: rank 1 says other than the rest; give all ranks"
        for rank in range(4):
            assert told.first[rank].startswith(expected), told.text


@pytest.mark.some(3)
@pytest.mark.parametrize("mode", MODES)
def test_a_stream_of_an_unknown_field_is_the_answer_of_every_later_call(
    installed: Any, endings: Path, tmp_path: Path, mode: str
) -> None:
    told = run(installed, endings, "well", mode, tmp_path, variable="tta")
    assert told.code == 2
    for rank in COMPUTE[mode]:
        for call in ("end_definition", "put", "end_time", "close"):
            assert "variable 'tta' does not exist" in told.said[rank, call]


@pytest.mark.parametrize(
    ("way", "sentence"),
    [
        ("asks for no time", "nan"),
        ("ends no time", "nan"),
        ("ends a time that has drifted", "a sum of time steps has drifted"),
    ],
)
def test_a_time_that_is_refused_is_the_answer_of_every_later_call(
    installed: Any, endings: Path, tmp_path: Path, way: str, sentence: str
) -> None:
    """On the rank that gave it, which looked at no answer; the others learn of it."""
    told = run(installed, endings, way, "serial", tmp_path)
    assert told.code == 2, told.text
    for call in ("end_time", "close"):
        assert sentence in told.said[1, call], told.text
    assert told.said[0, "close"], told.text
    assert not list(tmp_path.glob("hourly_*.nc")), "under its final name it would lack a time"


def test_who_asks_beyond_the_run_still_has_its_last_time(
    installed: Any, endings: Path, tmp_path: Path
) -> None:
    """A question may look ahead. What would be due after the end is told by close."""
    told = run(installed, endings, "asks beyond the run", "serial", tmp_path)
    assert "end_time" not in {call for _, call in told.said}, told.text
    (file,) = tmp_path.glob("hourly_*.nc")
    with netCDF4.Dataset(file) as dataset:
        assert dataset["time"][:].tolist() == [0.0, 3600.0, 7200.0]


@pytest.mark.some(2)
@pytest.mark.parametrize("mode", MODES)
def test_a_put_that_is_refused_changes_nothing(
    installed: Any, endings: Path, tmp_path: Path, mode: str
) -> None:
    sentences = {
        "put without name": "thalweg_put needs a field's name and its view",
        "put without view": "thalweg_put needs a field's name and its view",
        "no values": "field 'ta' was put without values",
    }
    settings = MODES[mode] + STREAM.format(variable="ta")
    result = installed.result(ranks_of(mode), endings, "|".join(sentences), settings, cwd=tmp_path)
    assert result.returncode == 2, result.stderr
    for number, sentence in enumerate(sentences.values()):
        told = Told(result, number)
        assert told.code == 2, told.text
        for rank in COMPUTE[mode]:
            assert sentence in told.said[rank, "wrong"], told.text
        assert {call for _, call in told.said} == {"wrong"}, told.text
        files = [path.name for path in (tmp_path / str(number)).glob("hourly*")]
        assert files == ["hourly_20000101T000000Z.nc"]


def test_why_a_put_was_refused_on_one_rank_all_are_told(
    installed: Any, endings: Path, tmp_path: Path
) -> None:
    told = run(installed, endings, "no values on one rank", "async", tmp_path)
    assert told.code == 2
    for rank in (0, 1, IO_RANK):
        assert told.said[rank, "close"].endswith(
            "stream 'hourly' is due at 0 s, but field 'ta' was not put; its put was refused: "
            "field 'ta' was put without values"
        ), told.text


@pytest.mark.some(2)  # of the other modes all ranks leave below
@pytest.mark.parametrize("mode", MODES)
def test_a_rank_that_ends_without_close_ends_all_others(
    installed: Any, endings: Path, tmp_path: Path, mode: str
) -> None:
    told = run(installed, endings, "leaves", mode, tmp_path)
    assert told.code == 2, told.text
    assert "thalweg: error: MPI_Finalize was called before the output was closed" in told.text
    others = [rank for rank in range(ranks_of(mode)) if rank != 1]
    assert sorted(told.first) == others, told.text
    for rank in (0, 2):
        assert told.first[rank].startswith("compute rank 1: MPI_Finalize was called before")


@pytest.mark.some(2, 1)
@pytest.mark.parametrize("mode", MODES)
def test_a_program_that_never_closes_ends_with_a_sentence_and_code_2(
    installed: Any, endings: Path, tmp_path: Path, mode: str
) -> None:
    told = run(installed, endings, "all leave", mode, tmp_path)
    assert told.code == 2, told.text
    assert "thalweg: error: MPI_Finalize was called before the output was closed" in told.text
    if mode in ("async", "restart"):
        assert "MPI_Finalize was called before" in told.first[IO_RANK]


def test_a_restart_rank_that_leaves_unserved_says_so(installed: Any, tmp_path: Path) -> None:
    program = installed.program(Path(__file__).with_name("unserved.c"))
    done = installed.result(2, program, cwd=tmp_path)
    sentence = "MPI_Finalize was called before this restart rank has served its restart"
    assert sentence in done.stderr, done.stderr


def test_an_io_rank_that_does_not_serve_ends_all_others(
    installed: Any, endings: Path, tmp_path: Path
) -> None:
    told = run(installed, endings, "does not serve", "async", tmp_path)
    assert told.code == 2, told.text
    assert "without having served it" in told.first[IO_RANK]
    for rank in (0, 1):
        assert told.first[rank].startswith("I/O rank 2: an I/O rank closed"), told.text


def test_after_a_refused_transport_every_call_says_so_at_once(
    installed: Any, endings: Path, tmp_path: Path
) -> None:
    small = (
        "unshare",
        "-m",
        "sh",
        "-c",
        'mount -t tmpfs -o size=8m tmpfs /dev/shm && exec "$@"',
        "sh",
    )
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("a private /dev/shm needs root and unshare")
    if subprocess.run([*small, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this machine allows no mount namespace")
    settings = MODES["async"] + 'transport = "shared_memory"\n' + STREAM.format(variable="ta")
    words = (endings, "closes early", settings)
    told = Told(installed.result(3, *words, cwd=tmp_path, under=small))
    assert told.code != 0
    assert "the staged output does not fit into /dev/shm" in told.first[0], told.text
    for call in ("put", "end_time", "close"):
        assert told.said[0, call] == told.first[0], told.text


def test_a_checkpoint_under_way_becomes_whole_though_the_output_fails_at_close(
    installed: Any, endings: Path, tmp_path: Path
) -> None:
    (tmp_path / "hourly_20000101T000000Z.nc" / "in the way").mkdir(parents=True)
    told = run(installed, endings, "closes early", "restart", tmp_path)
    assert told.code != 0
    assert "its final name" in told.said[0, "close"], told.text
    assert [path.name for path in (tmp_path / "restart").iterdir()] == ["20000101T000000Z"]
