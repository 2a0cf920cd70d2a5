# SPDX-License-Identifier: Apache-2.0
"""The command line."""

from thalweg.cli.main import main

__all__ = ["main"]
