# SPDX-License-Identifier: Apache-2.0
"""Whether a condition on namelist items holds, such as "iforcing=3 ; tracer qg active".

True, False, or None where the namelists do not tell. ";" parts conditions that lie one in the
other, and all have to hold: "a or b ; c" is "(a or b) and c". The words are those of
variables/*.csv. Defaults are those of the ICON source that the table was made from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from thalweg.advisor.items import Settings
from thalweg.config.calendars import parse_interval

Known = bool | None
_TOKEN = re.compile(
    r"\s*(?:(?P<requested>requested\(([^)]*)\)|is_variable_in_output\(var_name=([^()]*"
    r"(?:\([^()]*\))?[^()]*)\))|(?P<tracer>tracer (\S+) active)|(?P<member>(\w+) in \{([^}]*)\})"
    r"|(?P<compare>([\w%]+(?:\(iqb\))?)\s*(>=|<=|!=|==|=|>|<)\s*([\w.]+))"
    r"|(?P<inside>;)|(?P<and>and\b)|(?P<or>or\b)"
    r"|(?P<not>not\b)|(?P<open>\()|(?P<close>\))|(?P<name>[\w%]+(?:\(\))?))"
)
# Items that switch variables on and their defaults; none of them is looked for elsewhere.
_DEFAULTS: dict[str, int] = {
    "iforcing": 0, "ntracer": 0, "inextra_2d": 0, "inextra_3d": 0, "lcalc_dpsdt": 0,
    "inwp_gscp": 1, "inwp_surface": 1, "inwp_turb": 1, "icalc_reff": 0, "itune_gust_diag": 1,
    "islope_rad": 0, "itype_hzerocl": 1, "luse_clc_rad": 0, "lsynsat": 0, "ldass_lhn": 0,
    "lmulti_snow": 0, "llake": 1, "lterra_urb": 0, "itype_interception": 1, "itype_snowevap": 2,
    "itype_trvg": 2, "itype_vegetation_cycle": 1, "iprog_aero": 0, "lstoch_sde": 0,
    "lstoch_expl": 0, "lstoch_deep": 0, "icpl_da_sfcevap": 0, "icpl_da_sfcfric": 0,
    "icpl_da_skinc": 0, "icpl_da_snowalb": 0, "icpl_da_landalb": 0, "icpl_da_seaice": 0,
    "albedo_type": 1, "qrsgana_mode": 0, "qcana_mode": 0, "qiana_mode": 0,
}  # fmt: skip
# Tracers and the microphysics schemes (nwp_phy_nml/inwp_gscp) that have them (src/advection/
# mo_advection_utils.f90); number densities are those of the two-moment schemes.
_TWO_MOMENT = frozenset({4, 5, 6, 7, 8})
_GRAUPEL = frozenset({2}) | _TWO_MOMENT
_SIMPLE = frozenset({"qv", "qc", "qi", "qr", "qs"})
_SCHEMES = {
    "qg": _GRAUPEL, "qni": frozenset({3}) | _TWO_MOMENT, "qgl": frozenset({7}),
    "qhl": frozenset({7}), "nccn": frozenset({5}), "ninpot": frozenset({5}),
    **dict.fromkeys(("qh", "qnr", "qns", "qng", "qnh", "qnc", "ninact"), _TWO_MOMENT),
}  # fmt: skip
_INDEX_OF = {"ininact": "ninact", "inccn": "nccn", "ininpot": "ninpot"}  # 0 where there is none
_AES_TRACERS = _SIMPLE | {"qg"}
_KESSLER = 9  # warm rain: no ice, no snow
_NO_SCHEME = 0


@dataclass
class Conditions:
    """requested  every name that some varlist has, in small letters
    step_ms       of the model
    """

    settings: Settings
    requested: Collection[str]
    step_ms: int
    domain: int = 1

    def holds(self, text: str, own_name: str = "", *, named: bool = False) -> Known:
        """`own_name`: of the variable, which a condition may call var_name. Where a varlist has it
        by its name, all that is "requested" is: the words there are those of flags in ICON.
        """
        if not text.strip():
            return True
        tokens = _tokens(text)
        if tokens is None:
            return None
        parser = _Parser(self, tokens, own_name.lower(), named)
        value = parser.all()
        return value if parser.position == len(tokens) else None

    def number(self, name: str) -> float | None:
        """Of the item of that name in any group, else its default, else None."""
        if name == "dt_zero":
            return 0
        if name == "dt_dyn":
            return self.step_ms
        if name == "modis":  # a value of albedo_type
            return 2
        if name.startswith("aes_phy_tc%"):
            return self._interval(f"aes_phy_config({self.domain})%{name.partition('%')[2]}")
        if name in _INDEX_OF:
            active = self.tracer(_INDEX_OF[name])
            return None if active is None else float(active)
        if name == "iqbin(iqb)":  # spectral bins
            return None if self.number("inwp_gscp") == 8 else 0.0
        if name == "use_tmx":
            name = f"aes_vdf_config({self.domain})%use_tmx"
        section = self.settings.find(name)
        values = section.group.items[name].values if section else []
        given = [value for value in values if isinstance(value, (bool, int, float))]
        if section is not None and section.is_open(name):
            section.numbers(name)  # asks for what it depends on
            return None
        if name == "ntracer" and self.number("iforcing") in (2, 3):
            return float(len(_SIMPLE))  # or more: physics sets it, whatever is given
        if given:
            return float(given[min(self.domain, len(given)) - 1])
        return 0.0 if name.endswith("%use_tmx") else _DEFAULTS.get(name)

    def _interval(self, item: str) -> float | None:
        """ms; an empty interval is never, as ICON's default."""
        section = self.settings.find(item)
        if section is None:
            return 0.0
        try:
            return float(parse_interval(section.text(item)).nominal_ms())
        except ValueError:
            return None if section.has(item) else 0.0

    def flag(self, name: str) -> Known:
        if name in ("lhave_graupel", "l2moment"):
            scheme = self.number("inwp_gscp")
            return None if scheme is None else scheme in (
                _GRAUPEL if name == "lhave_graupel" else _TWO_MOMENT)  # fmt: skip
        if name == "is_les_phy":
            return self.number("inwp_turb") == 5  # Smagorinsky turbulence of large-eddy runs
        if name.startswith("is_coupled_to_"):
            return None if self.settings.has("coupling_mode_nml") else False
        value = self.number(name)
        return None if value is None else value != 0

    def tracer(self, name: str) -> Known:
        forcing = self.number("iforcing")
        if forcing == 2:
            two_moment = name not in _AES_TRACERS and self.number("aes_phy_tc%dt_two") != 0
            return None if two_moment else name in _AES_TRACERS
        scheme = self.number("inwp_gscp")
        if scheme is None or forcing != 3:
            return None
        if name in _SIMPLE:
            warm = scheme in (_KESSLER, _NO_SCHEME)
            return not (warm and name in ("qi", "qs")) or None
        if name == "ninact" and scheme == 3:
            return None  # in some versions
        return scheme in _SCHEMES[name] if name in _SCHEMES else None


def _tokens(text: str) -> list[re.Match[str]] | None:
    found, position = [], 0
    text = text.rstrip()
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            return None
        found.append(token)
        position = token.end()
    return found


@dataclass
class _Parser:
    """all := either (; either)*   either := both (or both)*   both := one (and one)*"""

    conditions: Conditions
    tokens: list[re.Match[str]]
    own_name: str
    named: bool
    position: int = 0

    def _next(self, kind: str) -> bool:
        if self.position < len(self.tokens) and self.tokens[self.position][kind] is not None:
            self.position += 1
            return True
        return False

    def all(self) -> Known:
        return self._each(self.either, "inside")

    def either(self) -> Known:
        values = [self.both()]
        while self._next("or"):
            values.append(self.both())
        return True if True in values else None if None in values else False

    def both(self) -> Known:
        return self._each(self.one, "and")

    def _each(self, part: Callable[[], Known], between: str) -> Known:
        values = [part()]
        while self._next(between):
            values.append(part())
        return False if False in values else None if None in values else True

    def one(self) -> Known:
        if self._next("not"):
            inner = self.one()
            return None if inner is None else not inner
        if self._next("open"):
            inner = self.all()
            return inner if self._next("close") else None
        if self.position >= len(self.tokens):
            return None
        token = self.tokens[self.position]
        self.position += 1
        return self._atom(token)

    def _atom(self, token: re.Match[str]) -> Known:
        if token["requested"]:
            name = (token[2] or token[3] or "").lower()
            name = name.rpartition("//")[2].strip(" '\"")
            wanted = {self.own_name, name} & set(self.conditions.requested)
            return self.named or bool(wanted)
        if token["tracer"]:
            return self.conditions.tracer(token[5].lower())
        if token["member"]:
            value = self.conditions.number(token[7])
            return None if value is None else str(int(value)) in token[8].split(",")
        if token["compare"]:
            return self._compare(token[10], token[11], token[12])
        return self.conditions.flag(token["name"]) if token["name"] else None

    def _compare(self, name: str, sign: str, right: str) -> Known:
        value = self.conditions.number(name)
        try:
            other = float(right)
        except ValueError:
            found = self.conditions.number(right)
            if found is None:
                return None
            other = found
        if value is None:
            return None
        return {
            "=": value == other, "==": value == other, "!=": value != other, ">": value > other,
            "<": value < other, ">=": value >= other, "<=": value <= other,
        }[sign]  # fmt: skip
