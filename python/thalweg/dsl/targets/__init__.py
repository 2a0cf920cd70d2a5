# SPDX-License-Identifier: Apache-2.0
"""What a kernel is translated into, one target a file."""
