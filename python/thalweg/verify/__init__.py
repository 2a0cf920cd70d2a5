# SPDX-License-Identifier: Apache-2.0
"""What a run wrote: extremes, sum and checksum of every field, its distance to another."""
