# SPDX-License-Identifier: Apache-2.0
"""The C++ and the Python reader of experiments refuse the same files with the same sentence."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from thalweg.config import toml
from thalweg.config.checkout import program
from thalweg.config.experiment import Experiment
from thalweg.config.settings_list import Setting, settings_list
from thalweg.errors import ThalwegError
from thalweg.testing.examples import examples

# A sentence, or every value as (table, key, value).
Answer = str | list[list[Any]]
Reader = Callable[[str], Answer]

WRONG = [
    '[io]\nway = "directt"',
    '[io]\nway = "banana"',
    "[io]\nmode = 3",
    "[io]\nrank = 1",
    '[io]\nranks = "two"',
    "[io]\nranks = 1.5",
    "[io]\nranks = 1e300",
    "[io]\nranks = true",
    "[io]\nranks = -1",
    "[io]\nranks = 4294967297",
    "[io]\nbudget = 9223372036854775807",
    '[io]\ntimeout = "0"',
    "[machine]\nranks = 4294967298",
    '[gird]\nname = "R2B4"',
    "levels = 3",
    "io = 3",
    "[[io]]\nranks = 1",
    '[output]\nname = "a"',
    "output = [1]",
    '[model]\ncfl = "large"',
    "[model]\ncfl = 0.0",
    "[model]\ncfl = inf",
    "[model]\ncfl = 1e300",
    "[model]\nlevels = 0",
    "[model]\nlevels = 4294967297",
    "[model]\ntracers = 1000000000",
    '[[output]]\nvariables = "vor"',
    "[[output]]\nvariables = [1]",
    "[[output]]\nvariables = []",
    '[[output]]\nvariables = [""]',
    "[[output]]\nlevels = [0]",
    "[[output]]\nlevels = [1, 4294967297]",
    '[[output]]\nlevels = ["a"]',
    "[[output]]\nlevels = 1",
    "[[output]]\npartitions = 2147483647",
    "[[output]]\nbits = 25",
    '[[output]]\ninterval = "-PT1H"',
    '[[output]]\ninterval = "1 hour"',
    '[[output]]\ninterval = "P1M"',
    '[[output]]\ninterval = "P1000000000D"',
    '[[output]]\ninterval = "1e3"',
    '[[output]]\ninterval = " 60"',
    "[[output]]\nstart = -1",
    '[time]\nduration = "P"',
    "[time]\nduration = 3600.0004",
    "[time]\nduration = 1e12",
    "[time]\nduration = true",
    '[time]\nstart = "2000-13-01"',
    '[time]\nstart = "20000101"',
    '[time]\nstart = "2000-01-01T00:00:00+02:00"',
    "[time]\nstart = 2000",
    '[grid]\nname = "banana"',
    '[grid]\nname = "R0B4"',
    '[grid]\nname = "R002B4"',
    '[grid]\nname = "R9B99"',
    '[grid]\nname = "r2b4"',
    "[grid]\nname = 24",
    "[model]\nzebra = 1\nantelope = 2\nlevels = 0",
    "[[output]]\n[[output]]",
]
RIGHT = [
    "",
    "output = []",
    "[time]\nstart = 1979-01-01",
    "[time]\nstart = 1979-01-01T06:00:00Z",
    '[time]\nstart = "1979-01-01T06:00"',
    '[time]\nduration = "P1DT6H"',
    "[time]\nduration = 3600",
    '[grid]\nname = "R02B04"',
    "[model]\ncfl = 1",
    "\ufeff[model]\ncfl = 2",  # a byte order mark, as editors of Windows write it
    '[[output]]\nname = "a"\nlevels = [1, 3]\n[[output]]',
]
NUMBERS = [
    setting for table in settings_list().values() for setting in table.settings if setting.is_number
]


@pytest.fixture(scope="module")
def library() -> Iterator[Reader]:
    """The library's reader; one process for all questions."""
    command = [str(program("thalweg_settings_reader"))]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def ask(text: str) -> Answer:
            assert process.stdin is not None
            assert process.stdout is not None
            print(json.dumps(text), file=process.stdin, flush=True)
            answer = json.loads(process.stdout.readline())
            found: Answer = answer["sentence"] if "sentence" in answer else answer["values"]
            return found

        yield ask
        process.stdin.close()


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    path = tmp_path_factory.mktemp("python") / "case.toml"

    def ask(text: str) -> Answer:
        path.write_text(text, encoding="utf-8")
        try:
            experiment = Experiment.read(path)
        except ThalwegError as error:
            return error.sentence if error.exit_code == 2 else f"exit code {error.exit_code}"
        tables = [
            (name, each.values)
            for name, table in settings_list().items()
            for each in (experiment.outputs if table.repeated else [experiment.tables[name]])
        ]
        return [[name, key, value] for name, values in tables for key, value in values.items()]

    return ask


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_experiment_gets_the_same_sentence(
    text: str, library: Reader, python: Reader
) -> None:
    sentence = library(text)
    assert isinstance(sentence, str), "the library takes it"
    assert sentence.startswith("case.toml")
    assert python(text) == sentence


@pytest.mark.parametrize("text", RIGHT)
def test_a_right_experiment_has_the_same_values(text: str, library: Reader, python: Reader) -> None:
    values = library(text)
    assert isinstance(values, list), values
    assert python(text) == values


def test_the_model_says_what_the_library_says(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "case.toml"
    path.write_text("[model]\nlevels = 4294967297\n")
    command = [str(model), "--check", str(path), "run", "--ranks", "3"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 2
    assert "case.toml [model]: levels is 4294967297, but must be at most" in result.stderr


def test_broken_toml_names_the_same_line(library: Reader, python: Reader) -> None:
    for sentence in (library("[io]\n\nranks = = 2\n"), python("[io]\n\nranks = = 2\n")):
        assert isinstance(sentence, str)
        assert sentence.startswith("case.toml")
        assert "line 3" in sentence
        assert sentence.endswith("; correct this line (see toml.io)")


def test_integers_of_more_than_64_bits_are_refused(library: Reader, python: Reader) -> None:
    for read in (library, python):
        assert isinstance(read(f"[io]\nranks = {2**63 - 1}"), str)
        assert "correct this line" in str(read(f"[io]\nranks = {2**64}"))


@pytest.mark.parametrize("setting", NUMBERS, ids=lambda each: f"{each.table}.{each.key}")
def test_every_number_has_a_range_that_both_readers_keep(
    setting: Setting, library: Reader, python: Reader
) -> None:
    assert setting.maximum is not None
    least = setting.minimum if setting.minimum is not None else setting.exclusive_minimum
    assert least is not None
    assert setting.maximum < 2**53  # a double holds whole numbers below
    whole = setting.type in ("integer", "integers")
    step = 1.0 if whole else 1e-6 * setting.maximum
    above_least = least if setting.minimum is not None else least + step
    below_least = least - step if setting.minimum is not None else least
    for number, right in (
        (above_least, True),
        (setting.maximum, True),
        (below_least, False),
        (setting.maximum + step, False),
        (2**32 + 1 if whole else 1e300, False),
    ):
        value: Any = int(number) if whole else number
        text = written(setting, [value] if setting.type == "integers" else value)
        answer = library(text)
        assert isinstance(answer, list) is right, text
        assert python(text) == answer


def written(setting: Setting, value: Any) -> str:
    table = {setting.key: value}
    return toml.dumps({setting.table: [table] if setting.table == "output" else table})


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
WHOLES = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 40)
DURATIONS = st.from_regex(r"-?(P[0-9.WD]{0,4}(T[0-9.HMS]{0,5})?|[0-9.eE+-]{1,6})", fullmatch=True)
GRIDS = st.from_regex(r"[Rr][0-9]{0,3}[Bb][0-9]{0,3}", fullmatch=True)
DATES = st.from_regex(r"[0-9]{4}-[01][0-9]-[0-3][0-9](T[0-2][0-9]:[0-6][0-9](:[0-6][0-9])?)?Z?",
                      fullmatch=True) | st.dates()  # fmt: skip
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "integer": WHOLES,
    "integers": st.lists(WHOLES, max_size=3),
    "number": st.floats(),
    "duration": st.floats() | DURATIONS,
    "flag": st.booleans(),
    "grid": GRIDS,
    "date": DATES,
    "text": WORDS,
    "texts": st.lists(WORDS, max_size=3),
}


def value_of(setting: Setting) -> st.SearchStrategy[Any]:
    """Mostly of its type, sometimes of another."""
    fitting = VALUES[setting.type]
    if setting.allowed:
        fitting = st.sampled_from(setting.words()) | fitting
    return fitting | fitting | st.one_of(*VALUES.values())


@st.composite
def tables(draw: st.DrawFn, name: str) -> dict[str, Any]:
    table = settings_list()[name]
    chosen = draw(
        st.lists(st.sampled_from(table.settings), max_size=3, unique_by=lambda each: each.key)
    )
    content = {setting.key: draw(value_of(setting)) for setting in chosen}
    if draw(st.integers(0, 9)) == 0:
        content[draw(st.from_regex(r"[a-z_]{1,8}", fullmatch=True))] = 1
    return content


@st.composite
def experiments(draw: st.DrawFn) -> str:
    names = draw(st.lists(st.sampled_from(list(settings_list())), max_size=2, unique=True))
    content: dict[str, Any] = {}
    for name in names:
        one = tables(name)
        content[name] = draw(st.lists(one, max_size=2) if name == "output" else one)
    return toml.dumps(content)


@settings(max_examples=examples(150, 300), suppress_health_check=list(HealthCheck))
@given(experiments())
@example('[io]\nhints = "a\\u0001b"')
@example("[model]\ncfl = 9007199254740993")
def test_any_experiment_is_read_the_same_by_both(
    library: Reader, python: Reader, text: str
) -> None:
    assert python(text) == library(text)
