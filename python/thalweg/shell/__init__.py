# SPDX-License-Identifier: Apache-2.0
"""What a shell script would do: its values and files, without running it (decisions 0030, 0031)."""
