# SPDX-License-Identifier: Apache-2.0
"""Units as CF writes them: products of powers of SI base units, "kg m-2 s-1"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

from thalweg.errors import did_you_mean

Unit = tuple[tuple[str, Fraction], ...]  # base unit and power, by name; () = 1

ONE: Unit = ()
ANY = "any"  # of arguments of a kernel that others call: what they have
BASE = ("kg", "m", "s", "K", "mol", "A", "cd")
DERIVED = {
    "Pa": "kg m-1 s-2",
    "J": "kg m2 s-2",
    "N": "kg m s-2",
    "W": "kg m2 s-3",
    "Hz": "s-1",
    "rad": "",  # as SI has it: a number
    "1": "",
}
WORDS = {
    "kilogram": "kg", "metre": "m", "meter": "m", "second": "s", "sec": "s", "kelvin": "K",
    "mole": "mol", "ampere": "A", "candela": "cd", "pascal": "Pa", "joule": "J", "newton": "N",
    "watt": "W", "hertz": "Hz", "radian": "rad",
}  # fmt: skip
PREFIXES = "kMGThcmun"
FACTOR = re.compile(r"([A-Za-z]+|1)(-?\d+)?$")


def _collect(factors: Iterable[tuple[str, Fraction]]) -> Unit:
    powers: dict[str, Fraction] = {}
    for name, power in factors:
        powers[name] = powers.get(name, Fraction(0)) + power
    return tuple(sorted((name, power) for name, power in powers.items() if power))


def parse_unit(text: str) -> Unit:
    """The unit written as `text`. Raises ValueError with a sentence."""
    factors: list[tuple[str, Fraction]] = []
    for word in text.split():
        match = FACTOR.match(word)
        if match is None:
            raise ValueError(f"'{word}' is no power of a unit; write \"kg m-2 s-1\"")
        name, power = match[1], Fraction(int(match[2] or 1))
        if name in DERIVED:
            factors += [(base, each * power) for base, each in parse_unit(DERIVED[name])]
        elif name in (*BASE, ANY):
            factors.append((name, power))
        else:
            known = ", ".join([*BASE, *(each for each in DERIVED if each != "1")])
            raise ValueError(f"unit '{name}' is not known; choose of: {known}.{_meant(name)}")
    return _collect(factors)


def _meant(name: str) -> str:
    """A word for a unit, and one with a prefix, which this language leaves to the values."""
    word, rest = name.lower().removesuffix("s"), name[1:]
    symbol = WORDS.get(word)
    if symbol:
        return f" Did you mean '{symbol}'?"
    if name[0] in PREFIXES and rest in (*BASE, *DERIVED, "g"):
        return f" Units have no prefixes here: write '{'kg' if rest == 'g' else rest}'"
    return did_you_mean(name, [*BASE, *DERIVED])


def times(one: Unit, other: Unit) -> Unit:
    return _collect([*one, *other])


def power(unit: Unit, exponent: Fraction) -> Unit:
    return _collect((name, each * exponent) for name, each in unit)


def over(one: Unit, other: Unit) -> Unit:
    return times(one, power(other, Fraction(-1)))


def solved(wanted: Unit, found: Unit) -> Unit:
    """What "any" is where `wanted`, which has it, is `found`."""
    exponent = dict(wanted)[ANY]
    return power(over(found, filled(wanted, ONE)), 1 / exponent)


def filled(wanted: Unit, meant: Unit) -> Unit:
    """`wanted` with `meant` in place of "any"."""
    rest = tuple(each for each in wanted if each[0] != ANY)
    return times(rest, power(meant, dict(wanted).get(ANY, Fraction(0))))


def unit_text(unit: Unit) -> str:
    """ "kg m-2 s-1"; "1" for a number."""
    words = [name if each == 1 else f"{name}{each}" for name, each in unit]
    return " ".join(words) or "1"
