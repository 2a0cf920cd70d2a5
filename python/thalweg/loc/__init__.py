# SPDX-License-Identifier: Apache-2.0
"""How much is written in the stencil language, and how much its compiler makes of it."""
