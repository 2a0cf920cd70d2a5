# SPDX-License-Identifier: Apache-2.0
"""A machine file is read as it was written; what is wrong is a sentence with file and key."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from thalweg.calibrate.machine_file import Machine, NotSeparated, write_machine
from thalweg.calibrate.machine_reader import read_machine
from thalweg.calibrate.quantities import PARAMETERS
from thalweg.errors import ThalwegError
from thalweg.files.targets import refuse_target

Change = Callable[[str], str]


def changed(old: str, new: str) -> Change:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return change


def test_what_is_written_is_read(machine: Machine, tmp_path: Path) -> None:
    path = tmp_path / "machine.toml"
    write_machine(machine, path)
    assert read_machine(path) == machine
    assert [each.name for each in tmp_path.iterdir()] == ["machine.toml"]


def test_a_parameter_is_that_of_the_most_ranks_unless_asked_otherwise(machine: Machine) -> None:
    latency = machine.parameter("exchange_latency_s")
    assert latency is not None
    more = replace(latency, ranks=4, median=1.5e-6)
    machine = replace(machine, parameters=[more, *machine.parameters])
    assert machine.parameter("exchange_latency_s") == more
    assert machine.parameter("exchange_latency_s", ranks=2) == latency
    assert machine.parameter("exchange_latency_s", ranks=3) is None
    assert machine.parameter("file_system_bytes_per_s") is None
    assert machine.why_not("file_system_bytes_per_s") == "all ranks are on one node"
    assert machine.why_not("exchange_latency_s") == ""


NOT_SEPARATED = re.compile(r"not_separated = \[\n.*?^\]\n", re.DOTALL | re.MULTILINE)
WRONG = {
    "version": (changed("format = 1", "format = 2"),
                "'format' is 2, but this version reads 1; make it again"),
    "no version": (changed("format = 1\n", ""), "'format' is missing"),
    "version is true": (changed("format = 1", "format = true"), "'format' is True"),
    "no TOML": (lambda _: "[[parameter", "is no TOML"),
    "unknown table": (changed("[how]", "[hwo]"), "'hwo' is not known. Did you mean 'how'?"),
    "no nodes": (changed("nodes = 1\n", ""), "[machine] 'nodes' is missing"),
    "nodes are text": (changed("nodes = 1", 'nodes = "1"'),
                       "[machine] 'nodes' is '1', but must be a whole number"),
    "no nodes at all": (changed("nodes = 1", "nodes = 0"),
                        "[machine] 'nodes' is 0, but must be at least 1"),
    "fewer ranks than nodes": (changed("nodes = 1", "nodes = 5"), "fewer than 5 nodes"),
    "no date": (changed("date = ", "day = "), "[machine] 'date' is missing"),
    "no name": (changed('name = "levante"', 'name = ""'), "[machine] 'name' is empty"),
    "versions are a list": (lambda text: text.replace("[versions]", "[x]").replace(
        "format = 1", "format = 1\nversions = []").replace("[x]", "[how.x]").replace(
        "[how]\n", "[how.y]\n"), "'versions' is [], but must be a table"),
    "unknown parameter": (changed("exchange_latency_s", "exchange_latencies"),
                          "parameter 3 ('exchange_latencies'): 'name' is not known. "
                          "Did you mean 'exchange_latency_s'?"),
    "unit": (changed('"B s-1"', '"MB/s"'), "'unit' is 'MB/s', but must be 'B s-1'"),
    "negative": (changed("median = 1e-06", "median = -1e-06"),
                 "parameter 1 ('cell_level_step_s'): 'median' is -1e-06, but must be between"),
    "not finite": (changed("median = 1e-06", "median = nan"),
                   "'median' is nan, but must be a number"),
    "text": (changed("median = 1e-06", 'median = "fast"'), "'median' is 'fast', but must be"),
    "too good to be true": (changed("median = 1000000000.0", "median = 1e18"),
                            "'median' is 1e+18, but must be between 1000 and 1e+15"),
    "no median": (changed("median = 1e-06\n", ""), "'median' is missing"),
    "order": (changed("p05 = 9e-07", "p05 = 1.5e-06"), "are not in this order"),
    "no samples": (changed("n = 9", "n = 0"), "'n' is 0, but must be at least 1"),
    "more ranks": (changed("ranks = 2", "ranks = 8"), "'ranks' is 8, more than [machine] 'ranks'"),
    "fact": (changed('team = "node"', "team = []"),
             "measured 1 ('write_new'): 'team' is neither a number nor a text"),
    "measured": (changed('"write_new"', '"write_old"'), "measured 1 ('write_old'): 'name' is"),
    "left out": (changed('"file_system_bytes_per_s"', '"file_s", ranks = 1'),
                 "parameter 'file_system_bytes_per_s' is missing, and 'not_separated' has no"),
    "no reason": (changed('reason = "all ranks are on one node"', 'reason = ""'),
                  "not_separated 1: 'reason' is empty"),
    "unknown reason": (changed('parameter = "file_system_bytes_per_s"', 'parameter = "x"'),
                       "not_separated 1: 'parameter' 'x' is not known"),
    "not a list": (lambda text: NOT_SEPARATED.sub("not_separated = 1\n", text),
                   "'not_separated' is 1, but must be a list"),
    "no tables": (lambda text: NOT_SEPARATED.sub("not_separated = [1]\n", text),
                  "not_separated 1: is no table"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_one_sentence(what: str, machine: Machine, tmp_path: Path) -> None:
    path = tmp_path / "machine.toml"
    write_machine(machine, path)
    change, sentence = WRONG[what]
    path.write_text(change(path.read_text()))
    with pytest.raises(ThalwegError) as refused:
        read_machine(path)
    assert sentence in refused.value.sentence
    assert str(path) in refused.value.sentence
    assert "\n" not in refused.value.sentence
    assert refused.value.exit_code == 2


def test_a_parameter_that_is_there_twice_is_refused(machine: Machine, tmp_path: Path) -> None:
    path = tmp_path / "machine.toml"
    write_machine(replace(machine, parameters=[*machine.parameters, machine.parameters[0]]), path)
    with pytest.raises(ThalwegError, match="'cell_level_step_s' on 2 ranks is there twice"):
        read_machine(path)


def test_a_parameter_is_told_or_not_told(machine: Machine, tmp_path: Path) -> None:
    path = tmp_path / "machine.toml"
    both = NotSeparated("cell_level_step_s", "no reason at all", 2)
    write_machine(replace(machine, not_separated=[*machine.not_separated, both]), path)
    with pytest.raises(ThalwegError, match="has a value, and is in 'not_separated' as well"):
        read_machine(path)


@pytest.mark.parametrize("kind", ["missing", "directory", "bytes"])
def test_what_is_no_file_of_text_is_one_sentence(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "machine.toml"
    if kind == "directory":
        path.mkdir()
    elif kind == "bytes":
        path.write_bytes(b"\xff\xfe\0")
    with pytest.raises(ThalwegError, match=r"machine\.toml") as refused:
        read_machine(path)
    assert refused.value.exit_code == 2


def test_a_file_is_replaced_only_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "machine.toml"
    refuse_target(path, overwrite=False)
    assert not list(tmp_path.iterdir())
    path.touch()
    refuse_target(path, overwrite=True)
    for wrong in (path, tmp_path, tmp_path / "nowhere" / "machine.toml", Path("/dev/null")):
        with pytest.raises(ThalwegError):
            refuse_target(wrong, overwrite=wrong != path)


def test_names_of_parameters_are_one_each() -> None:
    names = [quantity.name for quantity in PARAMETERS]
    assert len(set(names)) == len(names)
    assert all(quantity.least < quantity.most for quantity in PARAMETERS)
