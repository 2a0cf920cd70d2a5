# SPDX-License-Identifier: Apache-2.0
"""Names that a run gives its files, as patterns of `re` without groups.

src/output/deal/describe_file.cpp: jet_20000101T000000Z.nc, or jet_p1of2_20000101T000000Z.nc for a
partition. Years have four digits (src/field/dates.cpp).
"""

from __future__ import annotations

import re

from thalweg.files.readers import SUFFIXES

DATE = r"\d{8}T\d{6}(?:\.\d{3})?"  # before a "Z", with which it would not be in order of time
PARTITION = r"_p\d+of\d+"
# One of a divided file. Four digits and more are somebody's year or date but after ours.
MEMBER = r"(?:\.\d{3}|(?<=Z)\.[1-9]\d{3,})"
SUFFIX = f"(?:{'|'.join(map(re.escape, SUFFIXES))})"
