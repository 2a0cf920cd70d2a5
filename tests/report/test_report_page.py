# SPDX-License-Identifier: Apache-2.0
"""The page tells everything a run left behind, needs nothing else, and survives what is missing."""

from __future__ import annotations

import base64
import io
import json
import math
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from PIL import Image

from thalweg.errors import ThalwegError
from thalweg.report import pictures, write_report
from thalweg.report.compare import run_time_sentence
from thalweg.report.metrics import facts
from thalweg.report.pictures import Picture, Pictures
from thalweg.report.rundata import read_run
from thalweg.report.style import NARROW_INCHES, PAPER_COLOURS, WIDE_INCHES
from thalweg.report.timers import timer_rows

MakeRun = Callable[..., Path]


class PageReader(HTMLParser):
    """Collects tags, links and visible text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.sources: list[str] = []
        self.titles: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        links = ("src", "srcset", "href", "data")
        self.sources += [value or "" for name, value in attrs if name in links]
        self.titles += [value or "" for name, value in attrs if name == "title"]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.usefixtures("drawn")
def test_page_names_every_timer_with_its_meaning(make_run: MakeRun, tmp_path: Path) -> None:
    run = make_run()
    page = PageReader(write_report([run], tmp_path / "page.html").read_text())
    timers = json.loads((run / "timing.json").read_text())["timers"]
    assert len(timers) == 7
    for timer in timers:
        assert timer["name"] in page.text
        assert timer["meaning"] in page.titles


@pytest.mark.usefixtures("drawn")
@pytest.mark.parametrize("number", ["Infinity", "1e999", "9" * 400])
@pytest.mark.parametrize("summary", [{"start": {"begin_s": "@"}}, {"metrics": {"run_time_s": "@"}}])
def test_numbers_that_no_floating_point_holds_are_not_known(
    make_run: MakeRun, tmp_path: Path, number: str, summary: dict[str, Any]
) -> None:
    run = make_run(with_files=False, **summary)
    told = (run / "run.json").read_text()
    (run / "run.json").write_text(told.replace('"@"', number))
    assert "<h1>" in write_report([run], tmp_path / "page.html").read_text()


@pytest.mark.usefixtures("drawn")
@pytest.mark.parametrize("duration", ["P" + "9" * 400 + "D", "9" * 400])
def test_a_duration_that_no_floating_point_holds_stands_as_it_is(
    make_run: MakeRun, tmp_path: Path, duration: str
) -> None:
    run = make_run(with_files=False)
    text = (run / "experiment.toml").read_text()
    assert "duration = " in text
    lines = [f'duration = "{duration}"' if "duration = " in x else x for x in text.splitlines()]
    (run / "experiment.toml").write_text("\n".join(lines))
    assert "<h1>" in write_report([run], tmp_path / "page.html").read_text()


@pytest.mark.usefixtures("drawn")
def test_page_says_what_limited_the_run_and_where_it_ran(make_run: MakeRun, tmp_path: Path) -> None:
    page = PageReader(write_report([make_run()], tmp_path / "page.html").read_text())
    assert "Limited by output: I/O rank 2 was busy 75 %." in page.text
    for expected in ("testhost", "thalweg run jet.toml", "2 compute + 1 I/O", "23.4", "R2B1"):
        assert expected in page.text


def test_page_is_self_contained(whole_page: Path) -> None:
    html = whole_page.read_text()
    page = PageReader(html)
    assert not [word for word in ("http://", "https://", "@import") if word in html]
    assert not {"script", "link", "iframe", "object"} & set(page.tags)
    assert len(page.sources) == 8  # shares, timeline, bytes, map; for a telephone and a desk
    assert all(source.startswith("data:image/svg+xml;base64,") for source in page.sources)


def test_pictures_are_readable_on_a_telephone_and_on_dark_paper(whole_page: Path) -> None:
    page = PageReader(whole_page.read_text())
    pictures = [base64.b64decode(each.partition(",")[2]).decode() for each in page.sources]
    widths = [float(re.findall(r'width="([\d.]+)pt"', each)[0]) for each in pictures]
    assert widths == [72 * NARROW_INCHES, 72 * WIDE_INCHES] * 4
    for text in pictures:
        assert "@media (prefers-color-scheme: dark)" in text
        body = text.partition("</style>")[2]
        assert not [colour for colour in PAPER_COLOURS if colour in body]
        assert "fill: #ffffff" not in body  # no white paper of its own


def test_pictures_lie_beside_the_page_as_well(whole_page: Path) -> None:
    page = PageReader(whole_page.read_text())
    files = sorted(whole_page.with_name("page_images").glob("*.png"))
    names = ["01-shares.png", "02-timeline.png", "03-bytes.png", "04-map.png", "42-mine.png"]
    assert [file.name for file in files] == names
    assert all(name in page.text for name in names[:4])


@pytest.mark.usefixtures("drawn")
def test_two_runs_are_compared_and_their_map_drawn_once(make_run: MakeRun, tmp_path: Path) -> None:
    slow = {"run_time_s": 20.0, "sypd": 11.7, "wait_s": 0.2, "wait_percent": 1.0}
    runs = [make_run("fast"), make_run("slow", metrics=slow)]
    html = write_report(runs, tmp_path / "page.html").read_text().replace("&#39;", "'")
    assert "<h1>'slow' took 20.0 s, 2.00 times as long as 'fast' with 10.0 s." in html
    assert "Compute ranks waited for output 18 % in 'fast', 1.0 % in 'slow'.</h1>" in html
    assert '<td class="number best">10.0</td>\n<td class="number">20.0</td>' in html
    assert '<td class="number best">23.4</td>\n<td class="number">11.7</td>' in html
    assert html.count("A field on the sphere") == 1


def test_a_name_with_dollars_is_no_formula(make_run: MakeRun, tmp_path: Path) -> None:
    name = r"a$\frac$b $c$"
    run = make_run(name, with_files=False)
    with patch.object(pictures, "DOTS_PER_INCH", 40):
        text = PageReader(write_report([run], tmp_path / "page.html").read_text()).text
    assert name in text


def test_runs_within_the_scatter_are_not_called_faster() -> None:
    figures = {"run_time_s": 10.0, "wait_percent": 8.0}
    sentence = run_time_sentence([("a", figures), ("b", figures | {"run_time_s": 10.4})])
    assert sentence.startswith("'a' and 'b' took the same time within the scatter, 10.0 to 10.4 s.")
    assert run_time_sentence([("a", figures), ("b", {"run_time_s": math.nan})]) == ""


@pytest.mark.usefixtures("drawn")
def test_failed_run_shows_its_sentence_and_the_end_of_its_log(
    make_run: MakeRun, tmp_path: Path
) -> None:
    run = make_run(with_files=False, status="failed", error="the disk is <full>")
    page = PageReader(write_report([run], tmp_path / "page.html").read_text())
    assert "This run failed: the disk is <full>" in page.text
    assert "last line of the log" in page.text
    assert "There is no map: the run wrote no complete file." in page.text


@pytest.mark.parametrize("lost", ["events.jsonl", "timing.json", "run.json", "experiment.toml"])
@pytest.mark.usefixtures("drawn")
def test_missing_file_becomes_a_sentence(make_run: MakeRun, tmp_path: Path, lost: str) -> None:
    run = make_run(with_files=False)
    (run / lost).unlink()
    page = PageReader(write_report([run], tmp_path / "page.html").read_text())
    assert f"'{lost}' is missing, so " in page.text


@pytest.mark.parametrize("seconds", ["[null, null, null]", '["x", 1, 1]', "[1e999, 1, 1]", "3"])
def test_times_that_are_none_are_no_timer_table(make_run: MakeRun, seconds: str) -> None:
    run = make_run(with_files=False)
    timing = json.loads((run / "timing.json").read_text())
    timing["timers"][0]["total_s"] = json.loads(seconds)
    (run / "timing.json").write_text(json.dumps(timing))
    data = read_run(run)
    assert not data.timing.timers
    assert any("there is no timer table" in each for each in data.problems)


def test_truncated_events_keep_the_whole_lines(make_run: MakeRun) -> None:
    run = make_run()
    whole = (run / "events.jsonl").read_text()
    (run / "events.jsonl").write_text(whole[:-30])
    data = read_run(run)
    assert len(data.events) == 5
    assert "1 of 6 lines of 'events.jsonl' is damaged and left out." in data.problems


DAMAGED = [
    '{"rank": -1, "kind": "write", "begin_s": 0.0, "end_s": 1.0}',
    '{"rank": 0, "kind": "write", "begin_s": 2.0, "end_s": 1.0}',
    '{"rank": 0, "kind": "write", "begin_s": 0.0, "end_s": NaN}',
    '{"rank": 0, "kind": "write", "begin_s": null, "end_s": 1.0}',
    '{"rank": 0, "kind": ["write"], "begin_s": 0.0, "end_s": 1.0}',
    '{"rank": [], "kind": "write", "begin_s": 0.0, "end_s": 1.0}',
    '{"rank": 0, "kind": "\\ud800", "begin_s": 0.0, "end_s": 1.0}',
    '{"rank": 4611686018427387904, "kind": "write", "begin_s": 0.0, "end_s": 1.0}',
    '{"rank": 1e300, "kind": "write", "begin_s": 0.0, "end_s": 1.0}',
    '{"rank": 99999999999999999999, "kind": "write", "begin_s": 0.0, "end_s": 1.0}',
    '{"rank": 0, "kind": "write"}',
    "[1, 2]",
    "null",
    "\x00\ud800",
]


def add_lines(run: Path, lines: list[str]) -> None:
    with (run / "events.jsonl").open("ab") as file:
        for line in lines:
            file.write(line.encode("utf-8", errors="surrogatepass") + b"\n")


@pytest.mark.parametrize("line", DAMAGED)
def test_a_damaged_line_is_left_out_and_told(make_run: MakeRun, line: str) -> None:
    run = make_run(with_files=False)
    add_lines(run, [line])
    data = read_run(run)
    assert len(data.events) == 6
    assert "1 of 7 lines of 'events.jsonl' is damaged and left out." in data.problems


@pytest.mark.usefixtures("drawn")
def test_a_page_tells_how_many_lines_are_damaged(make_run: MakeRun, tmp_path: Path) -> None:
    run = make_run(with_files=False)
    add_lines(run, DAMAGED)
    page = PageReader(write_report([run], tmp_path / "page.html").read_text())
    assert (
        f"{len(DAMAGED)} of {len(DAMAGED) + 6} lines of 'events.jsonl' are damaged and left out."
        in page.text
    )


@pytest.mark.usefixtures("drawn")
def test_spill_and_kinds_of_another_version_are_events(make_run: MakeRun, tmp_path: Path) -> None:
    run = make_run(with_files=False)
    with (run / "events.jsonl").open("a") as file:
        for kind in ("spill", "teleport"):
            file.write(f'{{"rank": 0, "kind": "{kind}", "begin_s": 8.0, "end_s": 9.0}}\n')
    data = read_run(run)
    assert len(data.events) == 8
    assert not [problem for problem in data.problems if "damaged" in problem]
    write_report([run], tmp_path / "page.html")


@pytest.mark.usefixtures("drawn")
def test_restart_ranks_are_reported(make_run: MakeRun, tmp_path: Path) -> None:
    run = make_run(with_files=False)
    timing = json.loads((run / "timing.json").read_text())
    timing["roles"][2] = "restart"
    (run / "timing.json").write_text(json.dumps(timing))
    page = PageReader(write_report([run], tmp_path / "page.html").read_text())
    assert "2 compute + 1 restart" in page.text


@pytest.mark.parametrize(("role", "told"), [("io", {"rma"}), ("compute", set())])
def test_a_run_without_io_ranks_has_no_transport_in_whatever_mode(
    role: str, told: set[str], make_run: MakeRun
) -> None:
    run = make_run(with_files=False)
    experiment = run / "experiment.toml"
    experiment.write_text(f'{experiment.read_text()}transport = "rma"\n')
    timing = json.loads((run / "timing.json").read_text())
    timing["roles"][2] = role
    (run / "timing.json").write_text(json.dumps(timing))
    assert {value for name, value in facts(read_run(run)) if name == "transport"} == told


@pytest.mark.usefixtures("drawn")
def test_text_of_a_run_is_never_markup(make_run: MakeRun, tmp_path: Path) -> None:
    nasty = "<script>alert('x')</script> & \"quoted\""
    run = make_run(limited_by=nasty, command=[nasty], machine={nasty: nasty})
    toml = (run / "experiment.toml").read_text().replace('"jet"', " + nasty + ")
    (run / "experiment.toml").write_text(toml)
    page = PageReader(write_report([run], tmp_path / "page.html").read_text())
    assert "script" not in page.tags
    assert page.text.count(nasty) >= 4


def test_unfinished_output_is_named(make_run: MakeRun) -> None:
    run = make_run()
    (run / "files" / "late.nc.part").write_bytes(b"half")
    data = read_run(run)
    assert [file.name for file in data.files] == ["jet.nc"]
    assert "Some output is not complete: 'late.nc.part'." in data.problems


def test_wrong_paths_are_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ThalwegError, match="nowhere' does not exist"):
        write_report([tmp_path / "nowhere"], tmp_path / "page.html")
    with pytest.raises(ThalwegError, match="is not a run directory"):
        write_report([tmp_path], tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


def test_page_stays_below_3_mb_whatever_the_pictures(tmp_path: Path) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (600, 700, 3), np.uint8)
    content = io.BytesIO()
    Image.fromarray(noise).save(content, format="png")
    noise_bytes = content.getvalue()
    picture = Picture(tmp_path / "noise.png", noise_bytes, noise_bytes, noise_bytes)
    pictures = Pictures(tmp_path, [picture] * 4)
    html = pictures.embed("".join(f"@@picture{number}:noise@@" for number in range(4)))
    assert "@@" not in html
    assert len(html) < 3_000_000


def test_timers_stand_below_their_parents_and_count_users_only(make_run: MakeRun) -> None:
    run = make_run()
    timing = json.loads((run / "timing.json").read_text())
    timing["timers"].reverse()
    (run / "timing.json").write_text(json.dumps(timing))
    rows = timer_rows(read_run(run))
    assert {row.timer.name: row.depth for row in rows}["output_wait"] == 3
    names = [row.timer.name for row in rows]
    assert all(
        names.index(row.timer.parent) < names.index(row.timer.name)
        for row in rows if row.timer.parent
    )  # fmt: skip
    write = rows[names.index("io_write")]
    assert (write.ranks, write.total_min, write.total_mean) == (1, 7.5, 7.5)


def test_timers_that_are_their_own_ancestors_or_deep_down_are_shown(make_run: MakeRun) -> None:
    run = make_run()
    timing = json.loads((run / "timing.json").read_text())
    first = next(timer for timer in timing["timers"] if max(timer["calls"]) > 0)
    chain = [first | {"name": f"t{n}", "parent": f"t{n - 1}"} for n in range(3000)]
    ring = [first | {"name": f"r{n}", "parent": f"r{(n + 1) % 3}"} for n in range(3)]
    beside = first | {"name": "beside", "parent": "r1"}
    timing["timers"] = [beside, *ring, *chain]
    (run / "timing.json").write_text(json.dumps(timing))
    depths = {row.timer.name: row.depth for row in timer_rows(read_run(run))}
    assert len(depths) == 3004
    assert depths["t2999"] == 2999
    assert [depths[name] for name in ("r1", "r0", "r2", "beside")] == [0, 1, 2, 1]


def test_half_a_letter_in_what_a_run_says_is_damage(make_run: MakeRun, tmp_path: Path) -> None:
    run = make_run(with_files=False)
    text = (run / "run.json").read_text()
    whole = text.replace("{", '{"note": "\\ud83c\\udf0d", ', 1)
    (run / "run.json").write_text(whole)
    assert not any("run.json" in each for each in read_run(run).problems)
    (run / "run.json").write_text(whole.replace("\\udf0d", ""))
    assert any("'run.json' cannot be read" in each for each in read_run(run).problems)
