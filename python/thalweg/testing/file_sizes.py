# SPDX-License-Identifier: Apache-2.0
"""A disk that is soon full, as far as this process and its children can tell."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def file_sizes_up_to(size_bytes: int) -> Iterator[None]:
    """Whoever makes a file larger is refused: "File too large"."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
