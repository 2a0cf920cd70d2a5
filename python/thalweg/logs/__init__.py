# SPDX-License-Identifier: Apache-2.0
"""What runs that exist tell about themselves, as one table."""
