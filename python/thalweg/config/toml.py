# SPDX-License-Identifier: Apache-2.0
"""TOML reading: the standard library's from Python 3.11 on, its forerunner tomli before."""

import sys

if sys.version_info >= (3, 11):
    from tomllib import TOMLDecodeError, loads
else:
    from tomli import TOMLDecodeError, loads

__all__ = ["TOMLDecodeError", "loads"]
