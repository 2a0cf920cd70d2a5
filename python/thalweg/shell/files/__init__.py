# SPDX-License-Identifier: Apache-2.0
"""Files of a script as its commands leave them."""
