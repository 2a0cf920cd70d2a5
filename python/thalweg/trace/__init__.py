# SPDX-License-Identifier: Apache-2.0
"""Follows one value of a run from the kernel to its bytes in the file (docs/follow-a-value.md)."""
