# SPDX-License-Identifier: Apache-2.0
"""Thalweg's Python side: runs cases, checks and explains what they wrote."""

__version__ = "0.1.0"
