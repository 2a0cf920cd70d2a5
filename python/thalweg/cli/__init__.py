# SPDX-License-Identifier: Apache-2.0
"""The command line: start.py is where it begins."""
