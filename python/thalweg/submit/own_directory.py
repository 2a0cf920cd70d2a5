# SPDX-License-Identifier: Apache-2.0
"""Whether a script stays in the directory where its job begins: test runs must not write over each
other, nor over the output of real runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from thalweg.advisor.icon_streams import Answer

_CHANGES = re.compile(r"(?:^|[;&|({]|\bthen|\bdo)\s*(?:cd|pushd)\s+(\"[^\"]*\"|'[^']*'|[^\s;&|)]+)")
_AWAY = ("/", "~", "$", "`")
_UP = re.compile(r"(?:^|/)\.\.(?:/|$)")


def leaves_directory(name: str, lines: Sequence[str], variable: str) -> Iterator[str]:
    """Lines that go elsewhere. variable: of the script, for the run's own directory; "" = none."""
    own = re.compile(rf"\$(?:{variable}\b|\{{{variable}[}}:/])" if variable else r"(?!)")
    for number, line in enumerate(lines, start=1):
        for match in _CHANGES.finditer("" if line.lstrip().startswith("#") else line):
            target = match[1].strip("\"'")
            known = own.match(target) or target.strip("${}") == "SLURM_SUBMIT_DIR"
            if (target.startswith(_AWAY) and not known) or _UP.search(target):
                yield f"{name}:{number} changes to '{target}'"


def writes_elsewhere(answer: Answer, folder: Path) -> Iterator[str]:
    """Streams of a test run that do not write below its directory."""
    for section in answer.runs[0].settings.repeated("output_nml"):
        for text in section.texts("output_filename"):
            if text.startswith(_AWAY) and not text.startswith(f"{folder}/"):
                yield f"{section.place('output_filename')} writes to '{text}'"
