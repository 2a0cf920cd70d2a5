# SPDX-License-Identifier: Apache-2.0
"""What it takes to write a model, by the basic COCOMO: person-months from lines.

Boehm, B. W. 1981: Software Engineering Economics, Prentice-Hall, chapter 5: a software of L
thousand lines takes factor * L ** exponent person-months.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mode:
    """Of a project, as Boehm has them: factor [person-months], exponent [1]."""

    name: str
    factor: float
    exponent: float

    def months(self, kloc: float) -> float:
        return float(self.factor * kloc**self.exponent)


MODES = (Mode("semi-detached", 3.0, 1.12), Mode("organic", 2.4, 1.05))

# A model and what of it may be written in a language for stencils, as published with GGDML [KLOC].
MODEL_KLOC = 400.0
REDUCIBLE_KLOC = 300.0
# Of a person-month. The published costs, 12.3, 5.7, 6.5 and 3.1 million, are 2462, 1133, 1295 and
# 625 months at 4987 to 5014 euros each, rounded; of these the round one.
MONTH_EUROS = 5000.0
# Of the lines that may be reduced, what is left in the published estimate: its 1133 and 625 months
# are those of 200 KLOC, 100 that stay and a third of 300. Jumah et al. 2017 have "less than one
# third" of the lines.
PUBLISHED_SHARE = 1.0 / 3.0
WEAKNESS = (
    "COCOMO counts lines, whatever stands on them, and was fitted to 63 projects of the 1970s; "
    "the share was measured on kernels alone and is taken for all that is called reducible; lines "
    "of the original are Fortran, ours have a line for each argument; learning the language and "
    "keeping its compiler cost nothing here"
)


@dataclass(frozen=True)
class Estimate:
    """A model of which `share` of the reducible lines is left."""

    name: str
    share: float
    kloc: float
    euros: float  # of a person-month

    def months(self, mode: Mode) -> float:
        return mode.months(self.kloc)

    def million_euros(self, mode: Mode) -> float:
        return self.months(mode) * self.euros / 1e6


@dataclass(frozen=True)
class Model:
    """Sizes in KLOC, the price of a person-month in euros."""

    kloc: float = MODEL_KLOC
    reducible: float = REDUCIBLE_KLOC
    euros: float = MONTH_EUROS

    def estimate(self, name: str, share: float) -> Estimate:
        """share: lines written over lines that they replace."""
        kloc = self.kloc - self.reducible + self.reducible * share
        return Estimate(name, share, kloc, self.euros)
