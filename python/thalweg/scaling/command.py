# SPDX-License-Identifier: Apache-2.0
"""`thalweg scaling`: measures or reads lines, tells what they mean, draws, or writes job files."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from thalweg.errors import ThalwegError
from thalweg.files.targets import make_folder, written_aside
from thalweg.kernels.any_kernel import is_on_hexagons
from thalweg.kernels.run import BUILT
from thalweg.lab.rank_trials import KINDS, Wish, hidden_share, measure, prepared, start_ranks
from thalweg.lab.results import Line, append_line, provenance, read_lines
from thalweg.run.machine import busy_note
from thalweg.scaling.exchange_model import ExchangeModel, fit
from thalweg.tables import print_table

LINES, PICTURE = "scaling.jsonl", "scaling.png"
MOST_RANKS = 100_000
_NEEDED = ("kernel", "kind", "target", "ranks", "threads", "overlaps", "cells", "levels", "row",
           "median", "machine")  # fmt: skip


def check(wish: Wish) -> None:
    """Raises a sentence for what cannot be measured."""
    if not is_on_hexagons(wish.kernel):
        raise ThalwegError(
            f"kernel '{wish.kernel.name}' is not one on hexagons alone, whose grid can be made in "
            "any size; take one of DYNAMICO's, as caldyn_horiz"
        )
    if "strong" in wish.kinds and 2 * max(wish.ranks) > wish.shape.j:
        raise ThalwegError(
            f"{max(wish.ranks)} ranks are too many for a grid of {wish.shape.j} rows: two rows a "
            "rank are needed; give more with --cells"
        )


def scale(wish: Wish, folder: Path, as_json: bool) -> None:
    """Lines go to the folder when all repetitions, which take turns, are done; then the picture and
    what it shows.
    """
    check(wish)
    shape = wish.shape
    grid = f"{wish.kernel.name}, {shape.i}x{shape.j} cells, {shape.levels} levels"
    if folder.is_dir():
        _check_lines(folder / LINES, _lines(folder), [grid])
    measured = measure(wish, BUILT, start_ranks)
    make_folder(folder)
    where = provenance()
    if busy := busy_note(os.getloadavg()[0]):
        print(f"thalweg: {busy}", file=sys.stderr)
    for line in measured:
        if "progress" in line:
            told = line["progress"]
            print(f"thalweg: round {told['done'] + 1} of {told['of']}", file=sys.stderr)
        else:
            line["row"] = wish.shape.i
            append_line(folder / LINES, line | where)
    tell(folder, as_json)


def _check_lines(path: Path, lines: Sequence[Line], more: Sequence[str]) -> None:
    """Raises a sentence where they cannot stand in one table. more: what is to be added"""
    for each in lines:
        for key in _NEEDED:
            if key not in each:
                raise ThalwegError(
                    f"'{path}' has a line without '{key}'; measure in another folder"
                )
    grids = {*more, *map(_grid_of, filter(_has_grid, lines))}
    if len(grids) > 1:
        raise ThalwegError(
            f"'{path}' has lines of several kernels or grids: {'; '.join(sorted(grids))}; "
            "give each a folder of its own"
        )


def _has_grid(line: Line) -> bool:
    return line["kind"] in KINDS


def _grid_of(line: Line) -> str:
    """Of strong trials, and of each rank of weak ones."""
    rows = line["cells"] // line["row"] // (line["ranks"] if line["kind"] == "weak" else 1)
    return f"{line['kernel']}, {line['row']}x{rows} cells, {line['levels']} levels"


def tell(folder: Path, as_json: bool) -> None:
    """Of all lines that are there: those of the commands of several jobs, too."""
    lines = _lines(folder)
    if not lines:
        what = "has no line of thalweg scaling" if (folder / LINES).exists() else "does not exist"
        raise ThalwegError(f"'{folder / LINES}' {what}")
    _check_lines(folder / LINES, lines, [])
    targets = list(dict.fromkeys(str(each["target"]) for each in lines))
    fitted = {target: fit(lines, target, int(lines[0]["row"])) for target in targets}
    models = {target: model for target, model in fitted.items() if model}
    _draw(folder, lines, models)
    if as_json:
        told = {target: asdict(model) for target, model in models.items()}
        print(json.dumps({"lines": lines, "models": told}, indent=1))
        return
    _print(lines, models)
    print(f"The picture:\n{(folder / PICTURE).resolve()}")


def _lines(folder: Path) -> list[Line]:
    return [each for each in read_lines(folder / LINES) if each.get("bench") == "scaling"]


def _draw(folder: Path, lines: Sequence[Line], models: dict[str, ExchangeModel]) -> None:
    from thalweg.scaling.picture import draw

    with written_aside(folder / PICTURE) as aside:
        draw(lines, models).savefig(aside, format="png", dpi=120)


def _print(lines: Sequence[Line], models: dict[str, ExchangeModel]) -> None:
    heads = ("trial", "n", "call", "computing", "packing", "waiting", "efficiency", "hidden")
    rows = []
    for each in lines:
        hidden = hidden_share(lines, each) if each["overlaps"] else None
        times = [each[key] for key in ("median", "computing_s", "packing_s", "waiting_s")]
        rows.append(
            [
                str(each["method"]).split(": ", 1)[1],
                str(each["n"]),
                *(f"{1e3 * value:.3f} ms" for value in times),
                _efficiency(lines, each),
                "" if hidden is None else f"{100 * hidden:.0f} %",
            ]
        )
    print_table(heads, rows, right=heads[1:])
    for target, model in models.items():
        print(f"{target}: a cell and level {1e9 * model.point_s:.1f} ns, {_exchange(model)}.")
    alone = any(each["ranks"] == 1 for each in lines)
    for target in sorted({str(each["target"]) for each in lines} - set(models)):
        lacking = "trials of several ranks" if alone else "a trial of one rank"
        print(f"{target}: no prediction, and no efficiency, without {lacking} (--ranks 1,2).")
    crowded = [
        (each["ranks"] * each["threads"], each.get("nodes", 1) * each["machine"]["cores"])
        for each in lines
    ]
    if many := [each for each in crowded if each[0] > each[1]]:
        most, cores = max(many)
        print(f"Up to {most} ranks and threads shared {cores} cores: their times say little.")


def _exchange(model: ExchangeModel) -> str:
    """What the trials did not tell apart is not told as a number."""
    message = f"a message {1e6 * model.message_s:.1f} us" if model.message_s > 0.0 else ""
    size = f"{1e-9 / model.byte_s:.2f} GB/s" if model.byte_s > 0.0 else ""
    if message and size:
        return f"{message}, {size}"
    if not message and not size:
        return "and exchanging took no time that was measured"
    lacking = "bytes" if message else "messages"
    return f"{message or size}, and nothing for {lacking}: the trials do not tell the two apart"


def _efficiency(lines: Sequence[Line], line: Line) -> str:
    """Against one rank with one thread: of as many times its speed (strong), of its time (weak)."""
    for each in lines:
        same = each["kind"] == line["kind"] and each["target"] == line["target"]
        if same and each["ranks"] == each["threads"] == 1:
            share = each["median"] / line["median"]
            if line["kind"] == "strong":
                share /= line["ranks"] * line["threads"]
            return f"{100 * share:.0f} %"
    return ""


def write_jobs(
    wish: Wish, words: Sequence[str], nodes: Sequence[int], ranks_per_node: int, folder: Path
) -> None:
    """A Slurm script for each number of nodes; that with the fewest also has what one needs once,
    one rank and the probes. words: of the command but for ranks and folder.
    """
    ranks = {count: count * ranks_per_node for count in nodes}
    if max(ranks.values()) > MOST_RANKS:
        raise ThalwegError(
            f"{max(nodes)} nodes with {ranks_per_node} ranks each are more than {MOST_RANKS} ranks"
        )
    wish = replace(wish, ranks=list(ranks.values()))
    check(wish)  # before they queue
    prepared(wish, start_ranks)
    make_folder(folder)
    there, threads = shlex.quote(str(folder.resolve())), max(wish.threads)
    gpus = f"#SBATCH --gpus-per-node={ranks_per_node}\n" if wish.on_gpus else ""
    for count in nodes:
        path = folder / f"scaling_{count}.sh"
        own = ["--ranks", f"1,{ranks[count]}"]
        if count != min(nodes):
            own = ["--ranks", f"{ranks[count]}", "--no-probes"]
        command = ["thalweg", "scaling", *words, *own, "-o", str(folder)]
        path.write_text(
            "#!/bin/bash\n"
            f'#SBATCH --chdir="{Path.cwd()}"\n'
            f"#SBATCH --job-name=scaling_{count}\n#SBATCH --nodes={count}\n"
            f"#SBATCH --ntasks-per-node={ranks_per_node}\n#SBATCH --cpus-per-task={threads}\n"
            f"{gpus}#SBATCH --exclusive\n#SBATCH --time=30\n"
            f'#SBATCH --output="{folder.resolve()}/scaling_{count}.log"\n'
            f"export TMPDIR={there}  # all nodes see it\n"
            "export OMPI_MCA_orte_tmpdir_base=${OMPI_MCA_orte_tmpdir_base:-/tmp}  # each its own\n"
            f"{shlex.join(command)}\n",
            encoding="utf-8",
        )
        print(path)
    print(f"Submit each with sbatch; then: thalweg scaling --from {shlex.quote(str(folder))}")
