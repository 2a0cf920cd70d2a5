# SPDX-License-Identifier: Apache-2.0
"""A machine on the terminal: its parameters, and what could not be told."""

from __future__ import annotations

from thalweg.calibrate.machine_file import Figure, Machine
from thalweg.calibrate.quantities import BY_NAME
from thalweg.tables import print_table

_COLUMNS = ("parameter", "ranks", "median", "5 %", "95 %", "unit", "n", "meaning")
_SCALES = {"B s-1": ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s")),
           "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))}  # fmt: skip


def print_machine(machine: Machine) -> None:
    words = f"{machine.name}: {machine.nodes} node{'s' * (machine.nodes != 1)}, "
    words += f"{machine.ranks} rank{'s' * (machine.ranks != 1)}, {machine.cores_per_node} cores "
    print(f"{words}on a node")
    print_table(_COLUMNS, [_row(each) for each in machine.parameters], right=_COLUMNS[1:5])
    for each in machine.not_separated:
        where = f" on {each.ranks} rank{'s' * (each.ranks != 1)}" if each.ranks else ""
        print(f"not told: {each.parameter}{where}: {each.reason}")


def _row(figure: Figure) -> tuple[str, ...]:
    scale, unit = next(
        (each for each in _SCALES[figure.unit] if figure.median >= each[0]),
        _SCALES[figure.unit][-1],
    )
    values = (f"{value / scale:.3g}" for value in (figure.median, figure.p05, figure.p95))
    return (figure.name, str(figure.ranks), *values, unit, str(figure.n),
            BY_NAME[figure.name].meaning)  # fmt: skip
