# SPDX-License-Identifier: Apache-2.0
"""Files that a proposal is written to: refused before anything is made."""

from __future__ import annotations

from thalweg.advisor.pictures import empty_figure
from thalweg.advisor.shapes import Asked
from thalweg.advisor.text_patch import refuse_existing
from thalweg.errors import ThalwegError
from thalweg.files.targets import refuse_target


def refuse_targets(asked: Asked) -> None:
    """Raises a sentence: then none of them is written."""
    copy, picture = asked.write, asked.picture
    if copy is not None and picture is not None and copy.resolve() == picture.resolve():
        raise ThalwegError(f"--write and --picture both name '{copy}'; give two names")
    if copy is not None:
        refuse_existing(copy)
    if picture is not None:
        refuse_target(picture, overwrite=True)
        empty_figure(1.0, 1.0, picture)
