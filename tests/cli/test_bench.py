# SPDX-License-Identifier: Apache-2.0
"""`thalweg bench` prints checked JSON lines, compares them with bars, and names what is wrong."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from thalweg.config.checkout import program
from thalweg.lab import rank_bench
from thalweg.lab.bars import read_bars
from thalweg.lab.benchmarks import BENCHMARKS
from thalweg.lab.rank_trials import Wish

Cli = Callable[..., "CompletedProcess[str]"]
PEERS = {"memory_copy", "pwrite", "owner_pwrite", "gather_pwrite", "owner_netcdf4",
         "range_netcdf4", "deflate_netcdf4"}  # fmt: skip


def json_lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def bar_file(path: Path, limit: str) -> Path:
    path.write_text(
        '[[bar]]\nname = "a bar"\nbench = "waiting"\nmethod = "async_2_1"\nunit = "%"\n'
        f'source = "this test"\n{limit}\n'
    )
    return path


@pytest.fixture(scope="module")
def output_lines(cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """One quick run of the output benchmark."""
    program("thalweg_output_bench")
    folder = tmp_path_factory.mktemp("bench")
    words = ("bench", "output", "--quick", "--json", "--layer", "ompio", "--directory", folder)
    result = cli(*words, timeout=300.0)
    assert result.returncode == 0, result.stderr
    assert not list(folder.iterdir()), "it leaves nothing behind"
    return json_lines(result.stdout)


def test_every_rival_is_measured_and_right(output_lines: list[dict[str, Any]]) -> None:
    """The program reports no figure of a method whose values it did not find in its files."""
    figures = {line["method"]: line for line in output_lines if "median" in line}
    assert set(figures) >= PEERS
    assert not [line for line in output_lines if "wrong" in line]
    for line in figures.values():
        assert line["p05"] <= line["median"] <= line["p95"]
        assert line["n"] == 1


def test_a_result_line_says_where_it_comes_from(output_lines: list[dict[str, Any]]) -> None:
    for line in output_lines:
        assert line["machine"]["cores"] >= 1
        assert line["command"][1:3] == ["bench", "output"]
        assert line["layer"] == "ompio"


def test_ratios_are_paired(output_lines: list[dict[str, Any]]) -> None:
    by_method = {line["method"]: line for line in output_lines if line["bench"] == "output"}
    own, rival = by_method["owner_netcdf4"], by_method["owner_pwrite"]
    ratio = own["paired_ratio"]["owner_pwrite"]["median"]
    assert ratio == pytest.approx(own["median"] / rival["median"], rel=2e-3)
    assert rival["paired_ratio"]["owner_pwrite"]["median"] == 1.0


def test_our_modes_are_measured_or_skipped_with_a_reason(
    output_lines: list[dict[str, Any]],
) -> None:
    ours = [line for line in output_lines if line["method"].startswith(("shared_", "dedicated_"))]
    assert len(ours) >= 9
    for line in ours:
        assert line.get("median", 0.0) > 0.0 or line["skipped"]


@pytest.fixture(scope="module")
def waiting_lines(
    cli: Cli, model: Path, tmp_path_factory: pytest.TempPathFactory
) -> list[dict[str, Any]]:
    """One quick run of the benchmark of waiting, which meets a bar; the last line says so."""
    folder = tmp_path_factory.mktemp("waiting")
    bars = bar_file(folder / "bars.toml", "at_most = 100.0")
    words = ("bench", "waiting", "--quick", "--check", "--bars", bars, "--directory", folder)
    told = cli(*words, "--json")
    assert told.returncode == 0, told.stderr
    return json_lines(told.stdout)


@pytest.fixture
def measured(
    waiting_lines: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> list[dict[str, Any]]:
    """What `bench` in this process takes for measured."""
    lines = waiting_lines[:-1]
    monkeypatch.setattr("thalweg.lab.bench._measure", lambda *_: lines)
    return lines


def test_a_bar_that_is_met_is_the_last_line(waiting_lines: list[dict[str, Any]]) -> None:
    last = waiting_lines[-1]
    assert (last["bar"], last["verdict"]) == ("a bar", "met")
    assert 0.0 <= last["value"] <= 100.0


@pytest.mark.parametrize(
    ("limit", "code", "verdict"),
    [("at_most = 100.0", 0, "met"), ("at_least = 101.0", 1, "missed")],
)
def test_check_tells_whether_a_bar_is_met(
    limit: str, code: int, verdict: str, here: Cli, tmp_path: Path,
    measured: list[dict[str, Any]],
) -> None:  # fmt: skip
    bars = bar_file(tmp_path / "bars.toml", limit)
    words = ("bench", "waiting", "--quick", "--check", "--bars", bars, "--directory", tmp_path)
    told = here(*words, "--json")
    assert told.returncode == code, told.stderr
    last = json_lines(told.stdout)[-1]
    assert (last["bar"], last["verdict"]) == ("a bar", verdict)
    assert 0.0 <= last["value"] <= 100.0
    shown = here(*words)
    assert shown.returncode == code
    assert verdict in shown.stdout
    assert all(line["method"] in shown.stdout for line in measured)


@pytest.mark.usefixtures("measured")
def test_a_bar_that_was_not_measured_is_missed(here: Cli, tmp_path: Path) -> None:
    bars = bar_file(tmp_path / "bars.toml", "at_most = 100.0")
    bars.write_text(bars.read_text().replace("async_2_1", "async_9_9"))
    words = ("bench", "waiting", "--quick", "--check", "--json", "--directory", tmp_path)
    result = here(*words, "--bars", bars)
    assert result.returncode == 1
    assert json_lines(result.stdout)[-1]["reason"] == "'async_9_9' was not measured"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["ouput"], "benchmark 'ouput' does not exist; choose one of: |Did you mean 'output'?"),
        (["output", "--layer", "rmio"], "'rmio'|Did you mean 'romio'?"),
        (["output", "--directory", "nowhere"], "'nowhere' does not exist"),
        (["output", "--check", "--bars", "nowhere.toml"], "'nowhere.toml' cannot be read"),
        (["output", "--repetitions", "few"], "--repetitions"),
    ],
)
def test_wrong_words_are_one_sentence(
    words: list[str], sentence: str, here: Cli, tmp_path: Path
) -> None:
    result = here("bench", *words, cwd=tmp_path)
    assert result.returncode == 2
    (line,) = result.stderr.strip().splitlines()
    assert line.startswith("thalweg: error: ")
    for part in sentence.split("|"):
        assert part in line
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("line", "wrong", "sentence"),
    [
        ("at_most = 1.0", "at_msot = 1.0", "unknown key 'at_msot'"),
        ("at_most = 1.0", "", "either 'at_least' or 'at_most'"),
        ('unit = "%"', "", "lacks 'unit'"),
        ("[[bar]]", "[bar]", "holds no [[bar]]"),
        ("[[bar]]", "[[bar]", "cannot be read"),
    ],
)
def test_wrong_bars_are_one_sentence(
    line: str, wrong: str, sentence: str, here: Cli, tmp_path: Path
) -> None:
    bars = bar_file(tmp_path / "bars.toml", "at_most = 1.0")
    bars.write_text(bars.read_text().replace(line, wrong))
    result = here("bench", "waiting", "--check", "--bars", bars)
    assert result.returncode == 2
    assert sentence in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_benchmarks_are_listed_and_every_bar_has_one(here: Cli) -> None:
    listed = [entry["name"] for entry in json.loads(here("bench", "--json").stdout)]
    assert listed == [benchmark.name for benchmark in BENCHMARKS]
    assert {bar.bench for bar in read_bars()} <= set(listed)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["output", "--target", "mpi"], "--target goes with benchmark kernels or ranks, not with"),
        (["kernels", "--target", "mpl"], "--target 'mpl' is none that is timed by itself"),
        (["kernels", "--target", "cuda"], "kernels of target cuda "),
    ],
)
def test_targets_that_are_not_timed_are_refused(words: list[str], sentence: str, here: Cli) -> None:
    told = here("bench", *words)
    assert (told.returncode, told.stderr.count("\n")) == (2, 1)
    assert told.stderr.startswith(f"thalweg: error: {sentence}")


def test_what_overlap_hides_is_told_of_repetitions_that_took_turns(
    here: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of times made up; tests/scaling measures them."""

    def made_up(wish: Wish, *_: object) -> Iterator[dict[str, Any]]:
        for overlaps, waits_s in ((True, [1.0, 2.0, 3.0]), (False, [4.0, 4.0, 3.0])):
            line = {"bench": "scaling", "method": f"overlap {overlaps}", "target": "mpi",
                    "kind": "weak", "overlaps": overlaps, "waits_s": waits_s}  # fmt: skip
            yield from ({"progress": {}}, line, {**line, "kind": "strong", "waits_s": [9.0]})
        assert wish.kernel.name == "caldyn_vert"

    monkeypatch.setattr(rank_bench, "measure", made_up)
    words = ["bench", "kernels", "--target", "mpi", "--quick", "--json", "--directory", tmp_path]
    told = here(*words)
    assert told.returncode == 0, told.stderr
    lines = json_lines(told.stdout)
    methods = ["overlap True", "overlap False", "caldyn_vert, mpi: hidden"]
    assert [each["method"] for each in lines] == methods
    assert {each["bench"] for each in lines} == {"ranks"}
    assert (lines[-1]["median"], lines[-1]["n"], lines[-1]["unit"]) == (0.5, 3, "of waiting")


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("mpicxx"), reason="no mpicxx on this machine")
def test_what_overlap_hides_is_a_line_for_each_kernel(cli: Cli, tmp_path: Path) -> None:
    words = ["bench", "kernels", "--target", "mpi", "--quick", "--json", "--directory", tmp_path]
    told = cli(*words)
    assert told.returncode == 0, told.stderr
    lines = [json.loads(line) for line in told.stdout.splitlines()]
    hidden = [each for each in lines if each["method"].endswith(", mpi: hidden")]
    assert [each["kernel"] for each in hidden] == ["caldyn_vert"]  # the others take as long
    assert all(0.0 <= each["median"] <= 1.0 for each in hidden)
    assert len(lines) == 3  # with overlap, without it, and what that hides
    assert all(each["bytes"] > 0 for each in lines if each not in hidden)
