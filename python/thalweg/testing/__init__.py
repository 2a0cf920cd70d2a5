# SPDX-License-Identifier: Apache-2.0
"""Harnesses that tests share: runs that are disturbed, and what they leave behind."""
