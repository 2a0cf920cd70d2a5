# SPDX-License-Identifier: Apache-2.0
"""How long a run takes: a closed form, fitted to runs that exist and tried on others."""
