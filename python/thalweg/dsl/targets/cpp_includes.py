# SPDX-License-Identifier: Apache-2.0
"""The headers of C++'s library that a translated file needs, and no others: to read all of them
takes a compiler half a second, as long as the rest of a small kernel.
"""

from __future__ import annotations

import re

MARK = "@includes@"
NAMES = {
    "algorithm": (
        "adjacent_find", "all_of", "any_of", "copy", "copy_n", "equal", "fill", "find",
        "lower_bound", "max", "max_element", "min", "nth_element", "sort", "stable_sort",
    ),
    "bit": ("bit_cast",),
    "cstddef": ("byte", "size_t"),
    "cstdint": ("int32_t", "int64_t", "uint32_t", "uint64_t", "uintptr_t"),
    "cstdio": ("fflush", "fprintf", "snprintf"),
    "cstdlib": ("abort", "free", "malloc"),
    "cstring": ("memcpy",),
    "initializer_list": ("initializer_list",),
    "iterator": ("begin", "end", "ssize"),
    "memory": ("shared_ptr", "unique_ptr"),
    "numeric": ("iota",),
    "span": ("span",),
    "string": ("char_traits", "string", "to_string"),
    "string_view": ("string_view",),
    "thread": ("this_thread",),
    "type_traits": ("false_type", "true_type"),
    "utility": ("move", "pair"),
    "vector": ("erase_if", "vector"),
}  # fmt: skip
_OF_MATHEMATICS = "cmath"  # has all others
_MACROS = {
    **dict.fromkeys(("HUGE_VAL", "HUGE_VALF", "INFINITY", "NAN"), _OF_MATHEMATICS),
    **dict.fromkeys(("INT32_MAX", "INT64_MAX"), "cstdint"),
    "stderr": "cstdio",
}
_HEADER = {name: header for header, names in NAMES.items() for name in names}
HEADERS = {*NAMES, _OF_MATHEMATICS}
_USED = re.compile(rf"\bstd::(\w+)|\b({'|'.join(_MACROS)})\b")


def with_includes(text: str) -> str:
    """A file with them where it has the mark."""
    used = [match.groups() for match in _USED.finditer(text)]
    headers = sorted(
        {_HEADER.get(name, _OF_MATHEMATICS) if name else _MACROS[macro] for name, macro in used}
    )
    return text.replace(MARK, "".join(f"#include <{header}>\n" for header in headers), 1)


def with_own_includes(text: str) -> str:
    """A file of which a part was cut out, with the headers that the rest needs."""
    lines = text.splitlines(keepends=True)
    known = {f"#include <{header}>\n" for header in HEADERS}
    first = next((n for n, line in enumerate(lines) if line in known), 0)
    rest = [line for line in lines[first:] if line not in known]
    return with_includes("".join([*lines[:first], MARK, *rest]))
