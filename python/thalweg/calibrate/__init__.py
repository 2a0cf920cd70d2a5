# SPDX-License-Identifier: Apache-2.0
"""What a machine can do: measured, written to machine.toml, read again."""
