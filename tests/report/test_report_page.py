# SPDX-License-Identifier: Apache-2.0
"""The page tells everything a run left behind, needs nothing else, and survives what is missing."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from thalweg.config.errors import ThalwegError
from thalweg.report import write_report
from thalweg.report.pictures import Pictures
from thalweg.report.rundata import read_run
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
        self.sources += [value or "" for name, value in attrs if name in ("src", "href", "data")]
        self.titles += [value or "" for name, value in attrs if name == "title"]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_page_names_every_timer_with_its_meaning(make_run: MakeRun, tmp_path: Path) -> None:
    run = make_run()
    page = PageReader(write_report([run], tmp_path / "page.html").read_text())
    timers = json.loads((run / "timing.json").read_text())["timers"]
    assert len(timers) == 7
    for timer in timers:
        assert timer["name"] in page.text
        assert timer["meaning"] in page.titles


def test_page_says_what_limited_the_run_and_where_it_ran(make_run: MakeRun, tmp_path: Path) -> None:
    page = PageReader(write_report([make_run()], tmp_path / "page.html").read_text())
    assert "Limited by output: I/O rank 2 was busy 75 %." in page.text
    for expected in ("testhost", "thalweg run jet.toml", "2 compute + 1 I/O", "23.4", "R2B1"):
        assert expected in page.text


def test_page_is_self_contained(make_run: MakeRun, tmp_path: Path) -> None:
    html = write_report([make_run()], tmp_path / "page.html").read_text()
    page = PageReader(html)
    assert not [word for word in ("http://", "https://", "@import") if word in html]
    assert not {"script", "link", "iframe", "object"} & set(page.tags)
    assert len(page.sources) == 3  # timeline, bytes, map
    assert all(source.startswith("data:image/png;base64,") for source in page.sources)


def test_pictures_lie_beside_the_page_as_well(make_run: MakeRun, tmp_path: Path) -> None:
    out = tmp_path / "sub" / "page.html"
    stale = tmp_path / "sub" / "page_images" / "09-stale.png"
    stale.parent.mkdir(parents=True)
    stale.write_bytes(b"of an earlier page")
    page = PageReader(write_report([make_run()], out).read_text())
    files = sorted((tmp_path / "sub" / "page_images").glob("*.png"))
    embedded = [base64.b64decode(source.partition(",")[2]) for source in page.sources]
    assert [file.read_bytes() for file in files] == embedded


def test_two_runs_are_compared_and_their_map_drawn_once(make_run: MakeRun, tmp_path: Path) -> None:
    slow = {"run_time_s": 20.0, "sypd": 11.7, "wait_s": 7.0, "closing_s": 0.0}
    runs = [make_run("fast"), make_run("slow", metrics=slow)]
    html = write_report(runs, tmp_path / "page.html").read_text()
    assert "A compute rank waited 7.00 s for output in 'slow' and 1.75 s in 'fast'" in (
        html.replace("&#x27;", "'")
    )
    assert '<td class="number best">10.0</td><td class="number">20.0</td>' in html
    assert '<td class="number best">23.4</td><td class="number">11.7</td>' in html
    assert html.count("A field on the sphere") == 1


def test_failed_run_shows_its_sentence_and_the_end_of_its_log(
    make_run: MakeRun, tmp_path: Path
) -> None:
    run = make_run(with_files=False, status="failed", error="the disk is <full>")
    page = PageReader(write_report([run], tmp_path / "page.html").read_text())
    assert "This run failed: the disk is <full>" in page.text
    assert "last line of the log" in page.text
    assert "There is no map: the run wrote no complete file." in page.text


@pytest.mark.parametrize("lost", ["events.jsonl", "timing.json", "run.json", "experiment.toml"])
def test_missing_file_becomes_a_sentence(make_run: MakeRun, tmp_path: Path, lost: str) -> None:
    run = make_run(with_files=False)
    (run / lost).unlink()
    page = PageReader(write_report([run], tmp_path / "page.html").read_text())
    assert f"'{lost}' is missing, so " in page.text


def test_truncated_events_keep_the_whole_lines(make_run: MakeRun) -> None:
    run = make_run()
    whole = (run / "events.jsonl").read_text()
    (run / "events.jsonl").write_text(whole[:-30])
    data = read_run(run)
    assert len(data.events) == 5
    assert "1 of 6 lines of 'events.jsonl' are damaged and left out." in data.problems


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
    noise = np.random.default_rng(1).integers(0, 256, (1200, 1400, 3), np.uint8)
    content = io.BytesIO()
    Image.fromarray(noise).save(content, format="png")
    pictures = Pictures(tmp_path, [(tmp_path / "noise.png", content.getvalue())] * 4)
    html = pictures.embed("".join(f"@@picture{number}@@" for number in range(4)))
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
