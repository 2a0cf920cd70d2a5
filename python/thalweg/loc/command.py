# SPDX-License-Identifier: Apache-2.0
"""`thalweg loc`: counts of kernels, of their code, of originals, and what that is worth."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from thalweg.dsl.configuration import TARGETS, Configuration
from thalweg.files.targets import refuse_target, write_whole
from thalweg.loc.cocomo import MODES, PUBLISHED_SHARE, WEAKNESS, Estimate, Model
from thalweg.loc.counts import DEFINITIONS
from thalweg.loc.measure import Compared, Row, by_model, choose, compare, measure, share_of
from thalweg.loc.originals import TRANSLATIONS
from thalweg.loc.page import code_table, cost_table, made_part, originals_table

_NAMED = 3  # kernels in a line; of more, how many


def loc(
    names: Sequence[str],
    configuration: Configuration,
    model: Model | None = None,
    out: Path | None = None,
    *,
    overwrite: bool = False,
    as_json: bool = False,
) -> None:
    """Of all our kernels, without names, also beside originals. Raises a sentence."""
    if out is not None:
        refuse_target(out, overwrite)
    rows, together = measure(choose(names), configuration)
    compared = [] if names else compare()
    estimates = estimates_of(model or Model(), compared)
    content = _as_json(rows, together, compared, estimates, configuration)
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    if out is not None:
        write_whole(out, text + "\n")
    if as_json:
        print(text)
        return
    print("\n\n".join(_blocks(rows, together, compared, estimates)))
    if out is not None:
        print(f"'{out}': {len(rows)} kernel{'s' * (len(rows) != 1)}")


def estimates_of(model: Model, compared: Sequence[Compared]) -> list[Estimate]:
    if not compared:
        return []
    return [
        model.estimate("by hand", 1.0),
        model.estimate("as published", PUBLISHED_SHARE),
        model.estimate("measured here", share_of(compared)),
        *(
            model.estimate(f"as {name} here", share_of(each))
            for name, each in by_model(compared).items()
        ),
    ]


def page_part() -> str:
    """The tables of docs/loc.md, as this checkout has them."""
    rows, together = measure(choose([]), Configuration())
    compared = compare()
    return made_part([*rows, together], compared, estimates_of(Model(), compared))


def _blocks(
    rows: Sequence[Row],
    together: Row,
    compared: Sequence[Compared],
    estimates: Sequence[Estimate],
) -> list[str]:
    """Tables, each with what is said below it."""
    shown = [*rows, together] if len(rows) > 1 else rows
    found = ["\n".join([code_table(shown).as_text(), _published_growth(), *_refusals(rows)])]
    if compared:
        found += [
            originals_table(compared).as_text(),
            f"{cost_table(estimates).as_text()}\n{WEAKNESS}",
        ]
    return found


def _published_growth() -> str:
    said = [
        f"{each.what} of {each.written} lines {each.fewest} to {each.most}" for each in TRANSLATIONS
    ]
    return f"published of GGDML: {', '.join(said)}"


def _refusals(rows: Sequence[Row]) -> list[str]:
    """A line for each target and reason."""
    names: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for reason in row.refused.items():
            names.setdefault(reason, []).append(row.name)
    return [
        f"not translated for {target}: {', '.join(each)}: {why}"
        if len(each) <= _NAMED
        else f"not translated for {target}: {len(each)} kernels: {why}"
        for (target, why), each in names.items()
    ]


def _as_json(
    rows: Sequence[Row],
    together: Row,
    compared: Sequence[Compared],
    estimates: Sequence[Estimate],
    configuration: Configuration,
) -> dict[str, Any]:
    return {
        "definitions": DEFINITIONS,
        "configuration": {k: v for k, v in asdict(configuration).items() if k != "target"},
        "targets": list(TARGETS),
        "kernels": [_entry(row) for row in rows],
        "together": _entry(together),
        "published_translations": [
            {"what": e.what, "written": e.written, "generated": [e.fewest, e.most]}
            for e in TRANSLATIONS
        ],
        "originals": [
            {
                "model": each.original.model,
                "original": each.original.name,
                "original_lines": each.original.lines,
                "kernels": list(each.original.kernels),
                "written": each.written.as_json(),
                "head_lines": each.head,
                "share": each.share,
            }
            for each in compared
        ],
        "share": share_of(compared) if compared else None,
        "cocomo": [
            {
                "model": each.name,
                "share": each.share,
                "kloc": each.kloc,
                "euros_per_person_month": each.euros,
                "person_months": {mode.name: each.months(mode) for mode in MODES},
                "million_euros": {mode.name: each.million_euros(mode) for mode in MODES},
            }
            for each in estimates
        ],
        "weakness": WEAKNESS if estimates else None,
    }


def _entry(row: Row) -> dict[str, Any]:
    return {
        "kernel": row.name,
        "file": row.file,
        "written": row.written.as_json(),
        "code": {name: counts.as_json() for name, counts in row.code.items()},
        "not_translated": dict(row.refused),
    }
