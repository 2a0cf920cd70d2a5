# SPDX-License-Identifier: Apache-2.0
"""The text of a script as a tree of commands."""
