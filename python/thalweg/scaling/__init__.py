# SPDX-License-Identifier: Apache-2.0
"""How a kernel on ranks gets faster with more of them, and why not more."""
